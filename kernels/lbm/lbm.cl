// Lattice-Boltzmann fluid dynamics, 19 velocities in three dimensions (D3Q19), single relaxation
// time, one array per velocity: distribution q of cell i is grid[q * nx * ny * nz + i].
//
//   lbm_initialize       equilibrium of a fluid with constant density and velocity
//   lbm_stream_collide   pulls the 19 distributions from the neighbours, periodic in all
//                        directions; what would come out of an obstacle is what went into it
//                        (bounce-back); then relaxes towards equilibrium. Obstacle cells only keep
//                        their contents.

// Weights of the velocities by their length.
#define REST (1.0f / 3.0f)
#define FACE (1.0f / 18.0f)
#define EDGE (1.0f / 36.0f)

// X(name, opposite, velocity x, y, z, weight)
#define VELOCITIES(X)                                                                \
    X(C, C, 0, 0, 0, REST)                                                           \
    X(E, W, 1, 0, 0, FACE) X(W, E, -1, 0, 0, FACE)                                   \
    X(N, S, 0, 1, 0, FACE) X(S, N, 0, -1, 0, FACE)                                   \
    X(T, B, 0, 0, 1, FACE) X(B, T, 0, 0, -1, FACE)                                   \
    X(NE, SW, 1, 1, 0, EDGE) X(SW, NE, -1, -1, 0, EDGE)                              \
    X(SE, NW, 1, -1, 0, EDGE) X(NW, SE, -1, 1, 0, EDGE)                              \
    X(ET, WB, 1, 0, 1, EDGE) X(WB, ET, -1, 0, -1, EDGE)                              \
    X(EB, WT, 1, 0, -1, EDGE) X(WT, EB, -1, 0, 1, EDGE)                              \
    X(NT, SB, 0, 1, 1, EDGE) X(SB, NT, 0, -1, -1, EDGE)                              \
    X(NB, ST, 0, 1, -1, EDGE) X(ST, NB, 0, -1, 1, EDGE)

#define NAME_OF(name, opposite, ex, ey, ez, weight) name,
enum { VELOCITIES(NAME_OF) COUNT };

float equilibrium(float weight, float density, float along, float speed_squared)
{
    return weight * density * (1.0f + 3.0f * along + 4.5f * along * along - 1.5f * speed_squared);
}

__kernel void lbm_initialize(__global float *grid, const float density, const float ux,
                             const float uy, const float uz, const int cells)
{
    const int cell = get_global_id(0);
    if (cell >= cells) {
        return;
    }
    const float speed_squared = ux * ux + uy * uy + uz * uz;
#define INITIALIZE(name, opposite, ex, ey, ez, weight)                               \
    grid[name * cells + cell] = equilibrium(                                         \
        weight, density, (ex) * ux + (ey) * uy + (ez) * uz, speed_squared);
    VELOCITIES(INITIALIZE)
}

// i + step, back inside [0, n): step is -1, 0 or 1 and known at compile time.
int wrapped(int i, int step, int n)
{
    const int moved = i + step;
    return (moved < 0) ? n - 1 : (moved == n) ? 0 : moved;
}

__kernel void lbm_stream_collide(__global const float *src, __global float *dst,
                                 __global const uchar *obstacle, const float omega, const int nx,
                                 const int ny, const int nz)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    const int z = get_global_id(2);
    if (x >= nx || y >= ny || z >= nz) {
        return;
    }
    const int cells = nx * ny * nz;
    const int cell = (z * ny + y) * nx + x;

    if (obstacle[cell]) {
        for (int q = 0; q < COUNT; ++q) {
            dst[q * cells + cell] = src[q * cells + cell];
        }
        return;
    }

#define PULL(name, opposite, ex, ey, ez, weight)                                     \
    const int from_##name =                                                          \
        (wrapped(z, -(ez), nz) * ny + wrapped(y, -(ey), ny)) * nx + wrapped(x, -(ex), nx); \
    const float f_##name = obstacle[from_##name] ? src[opposite * cells + cell]      \
                                                 : src[name * cells + from_##name];
    VELOCITIES(PULL)

#define ADD_DENSITY(name, opposite, ex, ey, ez, weight) +f_##name
#define ADD_X(name, opposite, ex, ey, ez, weight) +(ex) * f_##name
#define ADD_Y(name, opposite, ex, ey, ez, weight) +(ey) * f_##name
#define ADD_Z(name, opposite, ex, ey, ez, weight) +(ez) * f_##name
    const float density = VELOCITIES(ADD_DENSITY);
    const float ux = (VELOCITIES(ADD_X)) / density;
    const float uy = (VELOCITIES(ADD_Y)) / density;
    const float uz = (VELOCITIES(ADD_Z)) / density;
    const float speed_squared = ux * ux + uy * uy + uz * uz;

#define RELAX(name, opposite, ex, ey, ez, weight)                                    \
    dst[name * cells + cell] =                                                       \
        f_##name + omega * (equilibrium(weight, density, (ex) * ux + (ey) * uy + (ez) * uz, \
                                        speed_squared) - f_##name);
    VELOCITIES(RELAX)
}

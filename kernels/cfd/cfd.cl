// Explicit finite-volume solver for the compressible Euler equations on an unstructured mesh of
// tetrahedra (NNB = 4 neighbours each), third-order Runge-Kutta in time.
//
//   memset_kernel         fills bytes
//   initialize_variables  far-field conditions everywhere
//   compute_step_factor   local time step from cell size and wave speed
//   compute_flux          fluxes through the four faces: gathers the neighbours' variables; a
//                         negative neighbour is a boundary (-1 wall, -2 far field)
//   time_step             stage j of Runge-Kutta
// Variable v of cell i is variables[i + v * nelr], so neighbouring work-items read neighbouring
// words; component d of the normal of face f is normals[i + (f + d * NNB) * nelr].

#define GAMMA 1.4f
#define NDIM 3
#define NNB 4
#define RK 3

#define VAR_DENSITY 0
#define VAR_MOMENTUM 1
#define VAR_DENSITY_ENERGY (VAR_MOMENTUM + NDIM)
#define NVAR (VAR_DENSITY_ENERGY + 1)

#define WALL (-1)
#define FAR_FIELD (-2)

// Weight of the artificial viscosity that keeps the scheme stable.
#define SMOOTHING 0.2f

// Three packed floats; the built-in float3 is aligned to four.
typedef struct {
    float x;
    float y;
    float z;
} FLOAT3;

// The conserved quantities of a cell and what follows from them.
typedef struct {
    float density;
    float energy;
    float pressure;
    float speed;
    float sound;
    FLOAT3 momentum;
    FLOAT3 velocity;
} State;

static float dot3(FLOAT3 a, FLOAT3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static FLOAT3 scaled(float factor, FLOAT3 a)
{
    FLOAT3 result = {factor * a.x, factor * a.y, factor * a.z};
    return result;
}

static FLOAT3 sum3(FLOAT3 a, FLOAT3 b)
{
    FLOAT3 result = {a.x + b.x, a.y + b.y, a.z + b.z};
    return result;
}

static State load_state(__global const float *variables, int cell, int nelr)
{
    State s;
    s.density = variables[cell + VAR_DENSITY * nelr];
    s.momentum.x = variables[cell + (VAR_MOMENTUM + 0) * nelr];
    s.momentum.y = variables[cell + (VAR_MOMENTUM + 1) * nelr];
    s.momentum.z = variables[cell + (VAR_MOMENTUM + 2) * nelr];
    s.energy = variables[cell + VAR_DENSITY_ENERGY * nelr];

    s.velocity = scaled(1.0f / s.density, s.momentum);
    const float speed_squared = dot3(s.velocity, s.velocity);
    s.speed = sqrt(speed_squared);
    s.pressure = (GAMMA - 1.0f) * (s.energy - 0.5f * s.density * speed_squared);
    s.sound = sqrt(GAMMA * s.pressure / s.density);
    return s;
}

// Convective flux of the momentum component that `along` picks from velocity; `axis` is the unit
// vector of that component.
static FLOAT3 momentum_flux(State s, float along, FLOAT3 axis)
{
    return sum3(scaled(along, s.momentum), scaled(s.pressure, axis));
}

static FLOAT3 energy_flux(State s)
{
    return scaled(s.energy + s.pressure, s.velocity);
}

__kernel void memset_kernel(__global char *mem_d, short val, int ct)
{
    const int i = get_global_id(0);
    if (i < ct) {
        mem_d[i] = (char)val;
    }
}

__kernel void initialize_variables(__global float *variables, __constant float *ff_variable,
                                   int nelr)
{
    const int i = get_global_id(0);
    if (i >= nelr) {
        return;
    }
    for (int v = 0; v < NVAR; ++v) {
        variables[i + v * nelr] = ff_variable[v];
    }
}

__kernel void compute_step_factor(__global float *variables, __global float *areas,
                                  __global float *step_factors, int nelr)
{
    const int i = get_global_id(0);
    if (i >= nelr) {
        return;
    }
    const State s = load_state(variables, i, nelr);
    step_factors[i] = 0.5f / (sqrt(areas[i]) * (s.speed + s.sound));
}

__kernel void compute_flux(__global int *elements_surrounding_elements, __global float *normals,
                           __global float *variables, __constant float *ff_variable,
                           __global float *fluxes,
                           __constant FLOAT3 *ff_flux_contribution_density_energy,
                           __constant FLOAT3 *ff_flux_contribution_momentum_x,
                           __constant FLOAT3 *ff_flux_contribution_momentum_y,
                           __constant FLOAT3 *ff_flux_contribution_momentum_z, int nelr)
{
    const FLOAT3 x_axis = {1.0f, 0.0f, 0.0f};
    const FLOAT3 y_axis = {0.0f, 1.0f, 0.0f};
    const FLOAT3 z_axis = {0.0f, 0.0f, 1.0f};

    const int i = get_global_id(0);
    if (i >= nelr) {
        return;
    }

    const State own = load_state(variables, i, nelr);
    const FLOAT3 own_x = momentum_flux(own, own.velocity.x, x_axis);
    const FLOAT3 own_y = momentum_flux(own, own.velocity.y, y_axis);
    const FLOAT3 own_z = momentum_flux(own, own.velocity.z, z_axis);
    const FLOAT3 own_energy = energy_flux(own);

    float flux_density = 0.0f;
    float flux_energy = 0.0f;
    FLOAT3 flux_momentum = {0.0f, 0.0f, 0.0f};

    for (int face = 0; face < NNB; ++face) {
        const int neighbour = elements_surrounding_elements[i + face * nelr];
        FLOAT3 normal;
        normal.x = normals[i + (face + 0 * NNB) * nelr];
        normal.y = normals[i + (face + 1 * NNB) * nelr];
        normal.z = normals[i + (face + 2 * NNB) * nelr];

        if (neighbour >= 0) {
            const State other = load_state(variables, neighbour, nelr);

            const float viscosity = -sqrt(dot3(normal, normal)) * SMOOTHING * 0.5f *
                                    (own.speed + other.speed + own.sound + other.sound);
            flux_density += viscosity * (own.density - other.density);
            flux_energy += viscosity * (own.energy - other.energy);
            flux_momentum.x += viscosity * (own.momentum.x - other.momentum.x);
            flux_momentum.y += viscosity * (own.momentum.y - other.momentum.y);
            flux_momentum.z += viscosity * (own.momentum.z - other.momentum.z);

            const FLOAT3 middle = scaled(0.5f, normal);
            flux_density += dot3(middle, sum3(other.momentum, own.momentum));
            flux_energy += dot3(middle, sum3(energy_flux(other), own_energy));
            flux_momentum.x +=
                dot3(middle, sum3(momentum_flux(other, other.velocity.x, x_axis), own_x));
            flux_momentum.y +=
                dot3(middle, sum3(momentum_flux(other, other.velocity.y, y_axis), own_y));
            flux_momentum.z +=
                dot3(middle, sum3(momentum_flux(other, other.velocity.z, z_axis), own_z));
        } else if (neighbour == WALL) { // only pressure acts
            flux_momentum = sum3(flux_momentum, scaled(own.pressure, normal));
        } else if (neighbour == FAR_FIELD) {
            const FLOAT3 middle = scaled(0.5f, normal);
            const FLOAT3 far_momentum = {ff_variable[VAR_MOMENTUM + 0],
                                         ff_variable[VAR_MOMENTUM + 1],
                                         ff_variable[VAR_MOMENTUM + 2]};
            flux_density += dot3(middle, sum3(far_momentum, own.momentum));
            flux_energy +=
                dot3(middle, sum3(ff_flux_contribution_density_energy[0], own_energy));
            flux_momentum.x += dot3(middle, sum3(ff_flux_contribution_momentum_x[0], own_x));
            flux_momentum.y += dot3(middle, sum3(ff_flux_contribution_momentum_y[0], own_y));
            flux_momentum.z += dot3(middle, sum3(ff_flux_contribution_momentum_z[0], own_z));
        }
    }

    fluxes[i + VAR_DENSITY * nelr] = flux_density;
    fluxes[i + (VAR_MOMENTUM + 0) * nelr] = flux_momentum.x;
    fluxes[i + (VAR_MOMENTUM + 1) * nelr] = flux_momentum.y;
    fluxes[i + (VAR_MOMENTUM + 2) * nelr] = flux_momentum.z;
    fluxes[i + VAR_DENSITY_ENERGY * nelr] = flux_energy;
}

__kernel void time_step(int j, int nelr, __global float *old_variables, __global float *variables,
                        __global float *step_factors, __global float *fluxes)
{
    const int i = get_global_id(0);
    if (i >= nelr) {
        return;
    }
    const float factor = step_factors[i] / (float)(RK + 1 - j);
    for (int v = 0; v < NVAR; ++v) {
        const int at = i + v * nelr;
        variables[at] = old_variables[at] + factor * fluxes[at];
    }
}

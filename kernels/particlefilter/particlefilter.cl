// Particle filter that follows one object through a video, in double precision.
//
// Per frame the host launches, in this order:
//   likelihood_kernel         moves every particle at random, scores it against the frame, and
//                             leaves the sum of the weights per work-group
//   sum_kernel                adds these sums up, in one work-item
//   normalize_weights_kernel  normalises the weights; work-item 0 accumulates the distribution
//   find_index_kernel         resamples: a linear search of the distribution per particle
// particle_kernel is the resampling alone, of the simpler variant of the program.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// Grey levels of the object and of the background in the synthetic video.
#define OBJECT_LEVEL 228.0
#define BACKGROUND_LEVEL 100.0
#define SCALE_FACTOR 300.0

// The next state of a linear congruential generator modulo 2^31.
uint next_random(uint state)
{
    return (1103515245u * state + 12345u) & 0x7FFFFFFFu;
}

// Uniform in (0, 1]: its logarithm is finite.
double uniform_of(uint state)
{
    return ((double)state + 1.0) / 2147483648.0;
}

// A normal variate by the Box-Muller transform; advances the state behind `seed`.
double random_normal(__global int *seed)
{
    const uint first = next_random((uint)*seed);
    const uint second = next_random(first);
    *seed = (int)second;
    return sqrt(-2.0 * log(uniform_of(first))) * cospi(2.0 * uniform_of(second));
}

// How much more a particle's pixels look like the object than like the background.
double likelihood_sum(__global const uchar *I, __global const int *ind, int count)
{
    double sum = 0.0;
    for (int y = 0; y < count; ++y) {
        const double level = (double)I[ind[y]];
        const double to_background = level - BACKGROUND_LEVEL;
        const double to_object = level - OBJECT_LEVEL;
        sum += (to_background * to_background - to_object * to_object) / 50.0;
    }
    return sum;
}

// The first particle whose cumulated weight reaches `value`, else the last one.
int find_particle(__global const double *CDF, double value, int Nparticles)
{
    for (int x = 0; x < Nparticles; ++x) {
        if (CDF[x] >= value) {
            return x;
        }
    }
    return Nparticles - 1;
}

__kernel void likelihood_kernel(__global double *arrayX, __global double *arrayY,
                                __global double *xj, __global double *yj, __global double *CDF,
                                __global int *ind, __global int *objxy,
                                __global double *likelihood, __global unsigned char *I,
                                __global double *u, __global double *weights,
                                const int Nparticles, const int countOnes, const int max_size,
                                int k, const int IszY, const int Nfr, __global int *seed,
                                __global double *partial_sums, __local double *buffer)
{
    const int lid = get_local_id(0);
    const int i = get_global_id(0);

    double weight = 0.0;
    if (i < Nparticles) {
        // The object is known to move by about (1, -2) pixels per frame.
        const double x = xj[i] + 1.0 + 5.0 * random_normal(&seed[i]);
        const double y = yj[i] - 2.0 + 2.0 * random_normal(&seed[i]);
        arrayX[i] = x;
        arrayY[i] = y;

        __global int *pixels = ind + i * countOnes;
        for (int p = 0; p < countOnes; ++p) {
            const int column = (int)rint(x) + objxy[p * 2 + 1];
            const int row = (int)rint(y) + objxy[p * 2];
            const int at = abs(column * IszY * Nfr + row * Nfr + k);
            pixels[p] = (at >= max_size) ? 0 : at;
        }
        likelihood[i] = likelihood_sum(I, pixels, countOnes) / countOnes - SCALE_FACTOR;
        weight = exp(likelihood[i]) / Nparticles;
        weights[i] = weight;
        CDF[i] = weight; // what normalize_weights_kernel accumulates
    }

    buffer[lid] = weight;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint reach = get_local_size(0) / 2; reach > 0; reach >>= 1) {
        if (lid < reach) {
            buffer[lid] += buffer[lid + reach];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) {
        partial_sums[get_group_id(0)] = buffer[0];
    }
}

__kernel void sum_kernel(__global double *partial_sums, int Nparticles)
{
    if (get_global_id(0) == 0) {
        const int size = get_local_size(0);
        const int groups = (Nparticles + size - 1) / size;
        double sum = 0.0;
        for (int x = 0; x < groups; ++x) {
            sum += partial_sums[x];
        }
        partial_sums[0] = sum;
    }
}

__kernel void normalize_weights_kernel(__global double *weights, int Nparticles,
                                       __global double *partial_sums, __global double *CDF,
                                       __global double *u, __global int *seed)
{
    __local double sum;
    __local double offset;

    const int i = get_global_id(0);
    if (get_local_id(0) == 0) {
        sum = partial_sums[0];
        // One draw for all groups: none may change the seed. The constant separates it from
        // the draws that likelihood_kernel makes of the same seed.
        offset = uniform_of(next_random((uint)seed[0] ^ 0x55555555u)) / Nparticles;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (i < Nparticles) {
        weights[i] = weights[i] / sum;
        u[i] = offset + i / (double)Nparticles;
    }
    if (i == 0) {
        double below = 0.0;
        for (int x = 0; x < Nparticles; ++x) {
            below += CDF[x] / sum;
            CDF[x] = below;
        }
    }
}

__kernel void find_index_kernel(__global double *arrayX, __global double *arrayY,
                                __global double *CDF, __global double *u, __global double *xj,
                                __global double *yj, __global double *weights, int Nparticles)
{
    const int i = get_global_id(0);
    if (i < Nparticles) {
        const int chosen = find_particle(CDF, u[i], Nparticles);
        xj[i] = arrayX[chosen];
        yj[i] = arrayY[chosen];
        weights[i] = 1.0 / Nparticles;
    }
}

__kernel void particle_kernel(__global double *arrayX, __global double *arrayY,
                              __global double *CDF, __global double *u, __global double *xj,
                              __global double *yj, int Nparticles)
{
    const int i = get_global_id(0);
    if (i < Nparticles) {
        int index = -1;
        for (int x = 0; x < Nparticles; ++x) {
            if (CDF[x] >= u[i]) {
                index = x;
                break;
            }
        }
        if (index == -1) {
            index = Nparticles - 1;
        }
        xj[i] = arrayX[index];
        yj[i] = arrayY[index];
    }
}

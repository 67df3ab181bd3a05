// Speckle-reducing anisotropic diffusion of an ultrasound image, d_Nr x d_Nc, column-major.
//
//   extract_kernel   scales the image up from its logarithmic form
//   prepare_kernel   copies it, and its squares, for the statistics
//   reduce_kernel    sums both per work-group, in place, at stride d_mul; the host repeats it until
//                    one sum is left, and derives the speckle scale d_q0sqr from it
//   srad_kernel      directional derivatives and the diffusion coefficient of every pixel
//   srad2_kernel     divergence, and the image update
//   compress_kernel  scales the image down again
// Neighbours are found through index vectors (d_iN, d_iS per row, d_jE, d_jW per column), which
// clamp at the border.

#include "srad.h"

__kernel void extract_kernel(long d_Ne, __global fp *d_I)
{
    const int ei = get_group_id(0) * NUMBER_THREADS + get_local_id(0);
    if (ei < d_Ne) {
        d_I[ei] = exp(d_I[ei] / 255);
    }
}

__kernel void prepare_kernel(long d_Ne, __global fp *d_I, __global fp *d_sums, __global fp *d_sums2)
{
    const int ei = get_group_id(0) * NUMBER_THREADS + get_local_id(0);
    if (ei < d_Ne) {
        d_sums[ei] = d_I[ei];
        d_sums2[ei] = d_I[ei] * d_I[ei];
    }
}

// Sums the d_no elements d_sums[0], d_sums[d_mul], ...; the sum of group g lands on its first one.
__kernel void reduce_kernel(long d_Ne, long d_no, int d_mul, __global fp *d_sums,
                            __global fp *d_sums2, int gridDim)
{
    __local fp psum[NUMBER_THREADS];
    __local fp psum2[NUMBER_THREADS];

    const int bx = get_group_id(0);
    const int tx = get_local_id(0);
    const int ei = bx * NUMBER_THREADS + tx;

    // The last group may be partly filled; the rest counts as zero.
    const int filled =
        (bx == gridDim - 1) ? (int)d_no - bx * NUMBER_THREADS : NUMBER_THREADS;
    psum[tx] = (tx < filled) ? d_sums[ei * d_mul] : 0;
    psum2[tx] = (tx < filled) ? d_sums2[ei * d_mul] : 0;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

    int span = 1;
    while (span < filled) {
        span *= 2;
        if ((tx + 1) % span == 0) {
            psum[tx] += psum[tx - span / 2];
            psum2[tx] += psum2[tx - span / 2];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tx == span - 1) {
        d_sums[bx * d_mul * NUMBER_THREADS] = psum[tx];
        d_sums2[bx * d_mul * NUMBER_THREADS] = psum2[tx];
    }
}

__kernel void srad_kernel(fp d_lambda, int d_Nr, int d_Nc, long d_Ne, __global int *d_iN,
                          __global int *d_iS, __global int *d_jE, __global int *d_jW,
                          __global fp *d_dN, __global fp *d_dS, __global fp *d_dE,
                          __global fp *d_dW, fp d_q0sqr, __global fp *d_c, __global fp *d_I)
{
    const int ei = get_group_id(0) * NUMBER_THREADS + get_local_id(0);
    if (ei >= d_Ne) {
        return;
    }
    const int row = ei % d_Nr;
    const int col = ei / d_Nr;

    const fp here = d_I[ei];
    const fp north = d_I[d_iN[row] + d_Nr * col] - here;
    const fp south = d_I[d_iS[row] + d_Nr * col] - here;
    const fp west = d_I[row + d_Nr * d_jW[col]] - here;
    const fp east = d_I[row + d_Nr * d_jE[col]] - here;

    // Squared gradient and Laplacian, both relative, and the instantaneous variation from them.
    const fp gradient =
        (north * north + south * south + west * west + east * east) / (here * here);
    const fp laplacian = (north + south + west + east) / here;
    const fp numerator = 0.5f * gradient - (1.0f / 16.0f) * (laplacian * laplacian);
    const fp denominator = 1 + 0.25f * laplacian;
    const fp variation = numerator / (denominator * denominator);

    fp coefficient = 1.0f / (1.0f + (variation - d_q0sqr) / (d_q0sqr * (1 + d_q0sqr)));
    if (coefficient < 0) {
        coefficient = 0;
    } else if (coefficient > 1) {
        coefficient = 1;
    }

    d_dN[ei] = north;
    d_dS[ei] = south;
    d_dW[ei] = west;
    d_dE[ei] = east;
    d_c[ei] = coefficient;
}

__kernel void srad2_kernel(fp d_lambda, int d_Nr, int d_Nc, long d_Ne, __global int *d_iN,
                           __global int *d_iS, __global int *d_jE, __global int *d_jW,
                           __global fp *d_dN, __global fp *d_dS, __global fp *d_dE,
                           __global fp *d_dW, __global fp *d_c, __global fp *d_I)
{
    const int ei = get_group_id(0) * NUMBER_THREADS + get_local_id(0);
    if (ei >= d_Ne) {
        return;
    }
    const int row = ei % d_Nr;
    const int col = ei / d_Nr;

    const fp here = d_c[ei];
    const fp south = d_c[d_iS[row] + d_Nr * col];
    const fp east = d_c[row + d_Nr * d_jE[col]];
    const fp divergence =
        here * d_dN[ei] + south * d_dS[ei] + here * d_dW[ei] + east * d_dE[ei];

    d_I[ei] += 0.25f * d_lambda * divergence;
}

__kernel void compress_kernel(long d_Ne, __global fp *d_I)
{
    const int ei = get_group_id(0) * NUMBER_THREADS + get_local_id(0);
    if (ei < d_Ne) {
        d_I[ei] = log(d_I[ei]) * 255;
    }
}

// Gridding of samples at irregular places, as magnetic resonance reconstruction needs it before its
// Fourier transform: every sample spreads to the grid points within REACH of it.
//
//   gridding_bin     the bin of BIN x BIN grid cells that each sample falls into, and how many each
//                    bin holds, by atomics
//   gridding_place   moves the samples together by bins; `cursor` holds where each bin starts (the
//                    prefix sum of the counts) and advances. The order within a bin is open.
//   gridding_gather  every grid point sums up what it gets from the samples of the bins around it:
//                    uneven trip counts, and a test that rejects most samples
// A sample is (x, y, real, imaginary), x and y in grid cells. The weight falls off separably, by a
// table of `table_size` values over the distances [0, REACH).

#ifndef BIN
#define BIN 4
#endif
#ifndef REACH
#define REACH 2
#endif

int bin_of(float x, float y, int bins)
{
    return (int)(y / BIN) * bins + (int)(x / BIN);
}

// `grid`: points per side, a multiple of BIN.
__kernel void gridding_bin(__global const float4 *samples, __global int *bin,
                           __global int *counts, const int n, const int grid)
{
    const int i = get_global_id(0);
    if (i < n) {
        const float4 sample = samples[i];
        const int mine = bin_of(sample.x, sample.y, grid / BIN);
        bin[i] = mine;
        atomic_inc(&counts[mine]);
    }
}

__kernel void gridding_place(__global const float4 *samples, __global const int *bin,
                             __global int *cursor, __global float4 *placed, const int n)
{
    const int i = get_global_id(0);
    if (i < n) {
        placed[atomic_inc(&cursor[bin[i]])] = samples[i];
    }
}

__kernel void gridding_gather(__global const float4 *placed, __global const int *starts,
                              __constant float *table, const int table_size,
                              __global float2 *out, const int grid)
{
    const int gx = get_global_id(0);
    const int gy = get_global_id(1);
    if (gx >= grid || gy >= grid) {
        return;
    }
    const int bins = grid / BIN;
    const int2 first = max((int2)(gx, gy) - REACH, (int2)(0)) / BIN;
    const int2 last = min((int2)(gx, gy) + REACH, (int2)(grid - 1)) / BIN;
    const float per_cell = (float)table_size / REACH;

    float2 sum = (float2)(0.0f);
    for (int by = first.y; by <= last.y; ++by) {
        // The bins of a row follow each other, and so do their samples.
        const int end = starts[by * bins + last.x + 1];
        for (int s = starts[by * bins + first.x]; s < end; ++s) {
            const float4 sample = placed[s];
            const float2 away = fabs(sample.xy - (float2)(gx, gy));
            if (away.x < REACH && away.y < REACH) {
                const int2 entry = min(convert_int2(away * per_cell), (int2)(table_size - 1));
                sum += sample.zw * (table[entry.x] * table[entry.y]);
            }
        }
    }
    out[gy * grid + gx] = sum;
}

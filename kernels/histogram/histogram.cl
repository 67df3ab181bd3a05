// Histogram of bytes, four of them packed in each word of the input.
//
//   histogram_global   straight atomics on 256 counters in global memory: contention is data
//   histogram256       counters in local memory, one partial histogram per work-group
//   mergeHistogram256  sums the partial histograms, one work-group per bin

#define BINS 256

#ifndef GROUP
#define GROUP 256
#endif

__kernel void histogram_global(__global uint *d_Histogram, __global const uint *d_Data,
                               const uint dataCount)
{
    const uint i = get_global_id(0);
    if (i < dataCount) {
        const uchar4 bytes = as_uchar4(d_Data[i]);
        atomic_inc(&d_Histogram[bytes.s0]);
        atomic_inc(&d_Histogram[bytes.s1]);
        atomic_inc(&d_Histogram[bytes.s2]);
        atomic_inc(&d_Histogram[bytes.s3]);
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void histogram256(__global uint *d_PartialHistograms, __global const uint *d_Data,
                  const uint dataCount)
{
    __local uint counts[BINS];

    const uint lid = get_local_id(0);
    for (uint bin = lid; bin < BINS; bin += GROUP) {
        counts[bin] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = get_global_id(0); i < dataCount; i += get_global_size(0)) {
        const uint word = d_Data[i];
#pragma unroll
        for (uint shift = 0; shift < 32; shift += 8) {
            atomic_inc(&counts[(word >> shift) & 0xFFU]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint bin = lid; bin < BINS; bin += GROUP) {
        d_PartialHistograms[get_group_id(0) * BINS + bin] = counts[bin];
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void mergeHistogram256(__global uint *d_Histogram, __global const uint *d_PartialHistograms,
                       const uint histogramCount)
{
    __local uint sums[GROUP];

    const uint lid = get_local_id(0);
    const uint bin = get_group_id(0);

    uint sum = 0;
    for (uint i = lid; i < histogramCount; i += GROUP) {
        sum += d_PartialHistograms[bin + i * BINS];
    }
    sums[lid] = sum;

    for (uint reach = GROUP / 2; reach > 0; reach >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < reach) {
            sums[lid] += sums[lid + reach];
        }
    }
    if (lid == 0) {
        d_Histogram[bin] = sums[0];
    }
}

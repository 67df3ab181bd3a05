// Bitonic sorting network on key-value pairs; the array length is a power of two.
//
//   bitonicSortLocal1   sorts segments of LOCAL_SIZE_LIMIT in local memory, alternately up and down
//   bitonicMergeGlobal  one step of a merge whose partners lie `stride` apart, in global memory
//   bitonicMergeLocal   all remaining steps of a merge once they fit a segment
// The comparisons are fixed: only the outcome of each is data.

#ifndef LOCAL_SIZE_LIMIT
#define LOCAL_SIZE_LIMIT 512
#endif

// Orders a pair upwards when dir is 1, downwards when it is 0.
void compare_exchange(__local uint *keyA, __local uint *valA, __local uint *keyB,
                      __local uint *valB, uint dir)
{
    if ((*keyA > *keyB) == dir) {
        const uint key = *keyA;
        *keyA = *keyB;
        *keyB = key;
        const uint val = *valA;
        *valA = *valB;
        *valB = val;
    }
}

// The steps of a merge from `stride` down to 1, on one segment in local memory.
void merge_steps(__local uint *keys, __local uint *vals, uint stride, uint dir)
{
    const uint lid = get_local_id(0);
    for (; stride > 0; stride >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint pos = 2 * lid - (lid & (stride - 1));
        compare_exchange(&keys[pos], &vals[pos], &keys[pos + stride], &vals[pos + stride], dir);
    }
}

__kernel __attribute__((reqd_work_group_size(LOCAL_SIZE_LIMIT / 2, 1, 1)))
void bitonicSortLocal1(__global uint *d_DstKey, __global uint *d_DstVal,
                       __global const uint *d_SrcKey, __global const uint *d_SrcVal)
{
    __local uint keys[LOCAL_SIZE_LIMIT];
    __local uint vals[LOCAL_SIZE_LIMIT];

    const uint lid = get_local_id(0);
    const uint near = get_group_id(0) * LOCAL_SIZE_LIMIT + lid;
    const uint far = near + LOCAL_SIZE_LIMIT / 2;

    keys[lid] = d_SrcKey[near];
    vals[lid] = d_SrcVal[near];
    keys[lid + LOCAL_SIZE_LIMIT / 2] = d_SrcKey[far];
    vals[lid + LOCAL_SIZE_LIMIT / 2] = d_SrcVal[far];

    // Sub-segments of `size` alternate in direction, so that two of them are bitonic.
    for (uint size = 2; size < LOCAL_SIZE_LIMIT; size <<= 1) {
        merge_steps(keys, vals, size / 2, (lid & (size / 2)) != 0);
    }
    merge_steps(keys, vals, LOCAL_SIZE_LIMIT / 2, get_group_id(0) & 1);
    barrier(CLK_LOCAL_MEM_FENCE);

    d_DstKey[near] = keys[lid];
    d_DstVal[near] = vals[lid];
    d_DstKey[far] = keys[lid + LOCAL_SIZE_LIMIT / 2];
    d_DstVal[far] = vals[lid + LOCAL_SIZE_LIMIT / 2];
}

__kernel void bitonicMergeGlobal(__global uint *d_DstKey, __global uint *d_DstVal,
                                 __global const uint *d_SrcKey, __global const uint *d_SrcVal,
                                 uint arrayLength, uint size, uint stride, uint sortDir)
{
    const uint comparator = get_global_id(0);
    const uint within = comparator & (arrayLength / 2 - 1);
    const uint dir = sortDir ^ ((within & (size / 2)) != 0);
    const uint pos = 2 * comparator - (comparator & (stride - 1));

    const uint keyA = d_SrcKey[pos];
    const uint valA = d_SrcVal[pos];
    const uint keyB = d_SrcKey[pos + stride];
    const uint valB = d_SrcVal[pos + stride];
    const bool swap = (keyA > keyB) == dir;

    d_DstKey[pos] = swap ? keyB : keyA;
    d_DstVal[pos] = swap ? valB : valA;
    d_DstKey[pos + stride] = swap ? keyA : keyB;
    d_DstVal[pos + stride] = swap ? valA : valB;
}

__kernel __attribute__((reqd_work_group_size(LOCAL_SIZE_LIMIT / 2, 1, 1)))
void bitonicMergeLocal(__global uint *d_DstKey, __global uint *d_DstVal,
                       __global const uint *d_SrcKey, __global const uint *d_SrcVal,
                       uint arrayLength, uint stride, uint size, uint sortDir)
{
    __local uint keys[LOCAL_SIZE_LIMIT];
    __local uint vals[LOCAL_SIZE_LIMIT];

    const uint lid = get_local_id(0);
    const uint near = get_group_id(0) * LOCAL_SIZE_LIMIT + lid;
    const uint far = near + LOCAL_SIZE_LIMIT / 2;

    keys[lid] = d_SrcKey[near];
    vals[lid] = d_SrcVal[near];
    keys[lid + LOCAL_SIZE_LIMIT / 2] = d_SrcKey[far];
    vals[lid + LOCAL_SIZE_LIMIT / 2] = d_SrcVal[far];

    const uint within = get_global_id(0) & (arrayLength / 2 - 1);
    merge_steps(keys, vals, stride, sortDir ^ ((within & (size / 2)) != 0));
    barrier(CLK_LOCAL_MEM_FENCE);

    d_DstKey[near] = keys[lid];
    d_DstVal[near] = vals[lid];
    d_DstKey[far] = keys[lid + LOCAL_SIZE_LIMIT / 2];
    d_DstVal[far] = vals[lid + LOCAL_SIZE_LIMIT / 2];
}

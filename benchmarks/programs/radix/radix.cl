// One pass of a radix sort by four bits (Satish, Harris and Garland, IPDPS 2009): counts of digits by
// thread block, and each key to its place behind the equal ones before it.
__kernel void count(__global const uint *keys, __global int *counts, int shift, int n)
{
    __local int own[16];
    const int lane = get_local_id(0);
    if (lane < 16) own[lane] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int i = get_global_id(0);
    if (i < n) atomic_inc(&own[(keys[i] >> shift) & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 16) counts[lane * get_num_groups(0) + get_group_id(0)] = own[lane];
}
__kernel void scatter(__global const uint *keys, __global const int *offsets, __global uint *out,
                      int shift, int n)
{
    __local int digits[LOCAL];
    const int lane = get_local_id(0), i = get_global_id(0);
    const uint key = i < n ? keys[i] : 0xffffffffu;
    const int digit = (key >> shift) & 15;
    digits[lane] = digit;
    barrier(CLK_LOCAL_MEM_FENCE);
    int before = 0;
    for (int other = 0; other < lane; ++other) before += digits[other] == digit;
    if (i < n) out[offsets[digit * get_num_groups(0) + get_group_id(0)] + before] = key;
}

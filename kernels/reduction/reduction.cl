// Sum of a vector to one partial sum per work-group; repeated until one value is left.
//
//   reduce_interleaved  tree whose active lanes are `lid % (2 * stride) == 0`: every step
//                       leaves all warps half idle, and needs a remainder
//   reduce_sequential   the tree folds halves, so whole warps drop out together
//   reduce_grid_stride  each work-item first sums its share in a register, then the tree
//
// The local size must be a power of two; `sdata` holds one float per work-item.

__kernel void reduce_interleaved(__global const float *g_idata, __global float *g_odata,
                                 const uint n, __local float *sdata)
{
    const uint lid = get_local_id(0);
    const uint i = get_global_id(0);
    const uint size = get_local_size(0);

    sdata[lid] = (i < n) ? g_idata[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint stride = 1; stride < size; stride *= 2) {
        if (lid % (2 * stride) == 0) {
            sdata[lid] += sdata[lid + stride];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) {
        g_odata[get_group_id(0)] = sdata[0];
    }
}

// Folds sdata[0 .. size) into sdata[0]; all work-items of the group must call it.
void fold_halves(__local float *sdata, const uint lid, const uint size)
{
    for (uint half_size = size / 2; half_size > 0; half_size >>= 1) {
        if (lid < half_size) {
            sdata[lid] += sdata[lid + half_size];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel void reduce_sequential(__global const float *g_idata, __global float *g_odata,
                                const uint n, __local float *sdata)
{
    const uint lid = get_local_id(0);
    const uint i = get_global_id(0);

    sdata[lid] = (i < n) ? g_idata[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);

    fold_halves(sdata, lid, get_local_size(0));
    if (lid == 0) {
        g_odata[get_group_id(0)] = sdata[0];
    }
}

__kernel void reduce_grid_stride(__global const float *g_idata, __global float *g_odata,
                                 const uint n, __local float *sdata)
{
    const uint lid = get_local_id(0);

    float sum = 0.0f;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        sum += g_idata[i];
    }
    sdata[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    fold_halves(sdata, lid, get_local_size(0));
    if (lid == 0) {
        g_odata[get_group_id(0)] = sdata[0];
    }
}

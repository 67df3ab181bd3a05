/* A break leaves to a block whose label begins like that of the way on: both are needed. */
#pragma OPENCL FP_CONTRACT OFF
__kernel void k0(__global const int *ia, __global const ulong *la, __global const float *fa,
                 __global const half *ha, __global ulong *out, __global float *fout,
                 __global half *hout, __global uint *totals, __global int *stotals,
                 __global ulong *ltotals, const int k0, const uint k1) {
  const uint lid = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
  const uint group = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
  const uint gid = group * 72 + lid;
  float sum = fa[gid & 63];
  if (ia[gid & 63] < 200) {
    for (uint i = 0; i < 3; ++i) {
      if (fa[(gid + i) & 63] > -2.0f) {
        break;
      }
      sum += 1.0f;
    }
  }
  fout[gid * 4] = sum;
}

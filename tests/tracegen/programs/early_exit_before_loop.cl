/* Lanes that leave the first loop early wait at the head of the second one, its counter set, while
   the others go round and run the second loop before them: both loops end at the return. */
#pragma OPENCL FP_CONTRACT OFF
__kernel void k0(__global const int *ia, __global const ulong *la, __global const float *fa,
                 __global const half *ha, __global ulong *out, __global float *fout,
                 __global half *hout, __global uint *totals, __global int *stotals,
                 __global ulong *ltotals, const int k0, const uint k1) {
  const uint lid = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
  const uint group = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
  const uint gid = group * 72 + lid;
  uint sum = 0;
  for (uint i = 0; i < (gid & 7u); ++i) {
    if (ia[i] == 1000000 + lid) return;
    sum += i;
  }
  for (uint j = 0; j < 3u + (k1 & 1u); ++j) sum = sum * 3u + j;
  out[gid * 4] = sum;
}

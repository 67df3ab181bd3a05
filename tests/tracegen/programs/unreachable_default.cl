/* The default of a switch over all values of two bits is unreachable; lanes must meet behind the
   switch all the same, and before the barrier. PoCL 3.0 crashes on this program. */
#pragma OPENCL FP_CONTRACT OFF
uint pick(uint x) {
  switch (x & 3u) {
    case 0: return 5u;
    case 1: return x * 3u;
    case 2: return x ^ 9u;
    case 3: return x / 7u;
  }
  return 0u;
}
__kernel void k0(__global const int *ia, __global const ulong *la, __global const float *fa,
                 __global const half *ha, __global ulong *out, __global float *fout,
                 __global half *hout, __global uint *totals, __global int *stotals,
                 __global ulong *ltotals, const int k0, const uint k1) {
  __local uint shared[72];
  const uint lid = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
  const uint group = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
  const uint gid = group * 72 + lid;
  uint sum = ia[gid & 63];
  for (uint i = 0; i < (ia[lid & 63] & 7u); ++i) sum += pick(sum + i + la[i]);
  shared[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[gid * 4] = shared[71 - lid];
}

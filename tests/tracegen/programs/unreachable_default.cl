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
                 __global ulong *out, __global float *fout, __global uint *totals,
                 __global int *stotals, const int k0, const uint k1) {
  __local uint shared[40];
  const uint gid = get_global_id(0), lid = get_local_id(0);
  uint sum = ia[gid & 63];
  for (uint i = 0; i < (ia[lid & 63] & 7u); ++i) sum += pick(sum + i + la[i]);
  shared[lid] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[gid * 4] = shared[39 - lid];
}

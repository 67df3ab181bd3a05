/* A break leaves to a block whose label begins like that of the way on: both are needed. */
#pragma OPENCL FP_CONTRACT OFF
__kernel void k0(__global const int *ia, __global const ulong *la, __global const float *fa,
                 __global ulong *out, __global float *fout, __global uint *totals,
                 __global int *stotals, const int k0, const uint k1) {
  const uint gid = get_global_id(0);
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

/* Cycles with two entries, left in several ways. */
#pragma OPENCL FP_CONTRACT OFF
__kernel void k0(__global const int *ia, __global const ulong *la, __global const float *fa,
                 __global ulong *out, __global float *fout, __global uint *totals,
                 __global int *stotals, const int k0, const uint k1) {
  const uint gid = get_global_id(0), lid = get_local_id(0);
  uint sum = ia[gid & 63], turns = 0;
  if (sum & 1u) goto second;
first:
  sum = sum * 3u + 1u;
  if ((sum & 15u) == 3u) goto end;
second:
  sum ^= la[turns & 63u];
  turns += 1u;
  if (turns > 12u) goto other;
  if (sum & 4u) goto first;
  if (sum & 8u) goto second;
  sum += 5u;
  if (turns < 6u + (lid & 3u)) goto first;
other:
  sum += 1000u;
  if (sum & 2u) goto end;
  out[gid * 4 + 1] = turns;
end:
  out[gid * 4] = sum;
}

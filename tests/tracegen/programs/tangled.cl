/* Cycles with two entries, left in several ways. */
#pragma OPENCL FP_CONTRACT OFF
__kernel void k0(__global const int *ia, __global const ulong *la, __global const float *fa,
                 __global const half *ha, __global ulong *out, __global float *fout,
                 __global half *hout, __global uint *totals, __global int *stotals,
                 __global ulong *ltotals, const int k0, const uint k1) {
  const uint lid = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
  const uint group = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
  const uint gid = group * 72 + lid;
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

// 84e15339b84b2439
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#pragma OPENCL FP_CONTRACT OFF
typedef struct { int a; short4 c; uchar d[4]; struct { ulong e; float b; } in; } record;
typedef union { ulong e; uint w[2]; ushort s[4]; uchar b[8]; uchar8 v; } pun;
__constant int table[16] = {1, -7, 99, 0, 31, -1, 64, 12, 255, -128, 3, 8, 1000, -99, 5, 77};
__kernel void k(__global const char *ca, __global const int *ia, __global const ulong *la,
  __global const float *fa, __global ulong *out, __global uint *totals, const int k0, const uint k1)
{
  const uint gid = get_global_id(0), lid = get_local_id(0);
  int turns = 200;
  int8 v1 = convert_int8(((long8)(((long)(4294967296L)))));
  int8 v3 = shuffle(rhadd(vload2(gid & 31u, ia), ((int2)(1))), popcount(((uint8)(gid))));
  v1 |= v3;
  __global const int *q8 = ia + (gid & 31u); if (v1.s3) q8 = ia + (((uint)(1)) & 31u);
  int v9 = q8[lid & 31u];
  out[gid * 12 + 3] = rotate((ulong)(uint)v9, 0UL);
}


// 27e7abbcb7de0f7e
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
  __local long4 s8[40];
  uint v1 = as_uint(rotate(((ushort2)(((ushort)(256)))), ((ushort2)(((ushort)(1))))));
  uint4 v2 = ((((uint4)(((uint)ia[((uint)(((uint)(4294967295u)) | ~lid)) & 63u]))) >> (uint4)(1)) / (add_sat(((uint4)(((uint)(0x80000000u)))), ((uint4)(k1))) | (uint4)(1)));
  uchar8 v3 = (((uchar8)(((uchar)la[v2.s1 & 63u]))) ^ ((uchar8)(((uchar)ca[min(gid, lid) & 63u]))));
  __global const int *q4 = ia + (mad_sat(v1, v1, lid) & 31u); if (((long)(k0 ? ((long)table[((uint)((v2.s1 >> 1) % (v2.s0 | (uint)1))) & 15u]) : ((long)ca[v1 & 63u]))) < convert_long(((ulong)ia[((uint)(gid & lid)) & 63u]))) q4 = ia + (v2.s1 & 31u);
  int v5 = q4[((uint)(0x80000000u)) & 31u];
  v1 ^= bitselect(((uint)((uint)(lid) - (uint)(v1))), ((uint)(k0 ? v2.s1 : gid)), ((uint)(lid < v1)));
  ushort p6[4] = {((ushort)(((int)(0)) ? ((ushort)ia[lid & 63u]) : ((ushort)(0)))), ((ushort)((uint)(((ushort)(1))) << (((ushort)(256)) & 15))), ((ushort)(((int)(0)) ? ((ushort)ia[lid & 63u]) : ((ushort)(0)))), ((ushort)((uint)(((ushort)(1))) << (((ushort)(256)) & 15)))};
  p6[convert_uint_sat(k1) & 3u] = ((ushort)(1));
  ushort v7 = p6[v1 & 3u];
  barrier(CLK_LOCAL_MEM_FENCE);
  s8[lid] = convert_long4_sat(((long4)(((long)(4294967296L)))));
  barrier(CLK_LOCAL_MEM_FENCE);
  long4 v9 = s8[((uint)((uint)(k1) / ((uint)(k1) | (uint)1))) % 40u];
  out[gid * 12 + 0] = rotate((ulong)(uint)v1, 0UL);
  out[gid * 12 + 1] = rotate((ulong)(uint)v2.s0, 0UL) ^ rotate((ulong)(uint)v2.s1, 5UL) ^ rotate((ulong)(uint)v2.s2, 10UL) ^ rotate((ulong)(uint)v2.s3, 15UL);
  out[gid * 12 + 2] = rotate((ulong)(uchar)v3.s0, 0UL) ^ rotate((ulong)(uchar)v3.s1, 5UL) ^ rotate((ulong)(uchar)v3.s2, 10UL) ^ rotate((ulong)(uchar)v3.s3, 15UL) ^ rotate((ulong)(uchar)v3.s4, 20UL) ^ rotate((ulong)(uchar)v3.s5, 25UL) ^ rotate((ulong)(uchar)v3.s6, 30UL) ^ rotate((ulong)(uchar)v3.s7, 35UL);
  out[gid * 12 + 3] = rotate((ulong)(uint)v5, 0UL);
  out[gid * 12 + 4] = rotate((ulong)(ushort)v7, 0UL);
  out[gid * 12 + 5] = rotate((ulong)(ulong)v9.s0, 0UL) ^ rotate((ulong)(ulong)v9.s1, 5UL) ^ rotate((ulong)(ulong)v9.s2, 10UL) ^ rotate((ulong)(ulong)v9.s3, 15UL);
}

"""Which accesses become part of wider ones: by the alignment that a compiler knows."""

from __future__ import annotations

import pytest

from kcc.base.diagnostics import Span
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.sim.machine.costs import Generation
from kcc.sim.program.operations import Memory
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import Workshop

WORDS = """
kernel void k(global const float *a, global float *c) {
    int i = get_global_id(0);
    c[i] = a[4 * i] + a[4 * i + 1] + a[4 * i + 2] + a[4 * i + 3];
}
"""
VECTORS = """
kernel void k(global const float4 *a, global float *c) {
    int i = get_global_id(0);
    float4 v = a[i];
    c[i] = v.x + v.y + v.z + v.w;
}
"""
SHARED = """
kernel void k(global const float *a, global float *c) {
    local float s[256];
    int i = get_local_id(0);
    s[i] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int j = 4 * (i / 4);
    c[i] = s[j] + s[j + 1] + s[j + 2] + s[j + 3];
}
"""
"""nvcc's code for the like of this has one load of 16 bytes; OpenCL's driver made four."""


BESIDE = """
kernel void k(global const float *a, global const float2 *b, global float *c) {
    local FIRST;
    local SECOND;
    int i = get_local_id(0);
    p[i] = b[i];
    s[i] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    int j = 4 * (i / 4);
    float2 v = p[j] * p[j + 1];
    c[i] = s[j] + s[j + 1] + s[j + 2] + s[j + 3] + v.x + v.y;
}
""".replace("FIRST", "float2 p[256]").replace("SECOND", "float s[256]")
"""Words of an array after one of pairs are read as pairs, pairs before words as they are."""

BY_ELEMENT = """
kernel void k(global const float4 *a, global float *c, int n) {
    local float4 s[256];
    int i = get_local_id(0);
    s[i] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    local float *w = (local float *)s + n % 1024;
    float4 v = *(local float4 *)w;
    c[i] = v.x;
    c[i + 256] = v.y;
    c[i + 512] = v.z * v.w;
}
"""
"""Four words that are read as one, at a place that is known to be aligned by that alone: LLVM makes
four loads of it, the first of 16 bytes of alignment."""

ROWS = """
__global__ void k(const float *a, float *c) {
  __shared__ float s[1024];
  unsigned i = threadIdx.x;
  s[i] = a[i];
  __syncthreads();
  unsigned j = i / 16 * STRIDE;
  c[i] = s[j + 4] + s[j + 5] + s[j + 6] + s[j + 7];
}
"""
"""ptxas 12.9 makes one load of 16 bytes of it with rows of 16 and four with rows of 17, or of 16
that only the launch says."""

HALVES = """
#include <cuda_fp16.h>
__global__ void k(half *x, half *y, int n) {
  int i = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  half a[8], b[8];
  *(float4 *)a = *(float4 *)(x + i);
  #pragma unroll
  for (int j = 0; j < 8; j++) b[j] = __hmax(a[j], (half)0.0f);
  if (i + 7 < n) *(float4 *)(y + i) = *(float4 *)b;
}
"""
"""Of what LLVM takes apart ptxas gets one load and one store of 16 bytes."""
STORED = """
__global__ void k(const float *a, float *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i], y = a[i + 4096], z = a[i + 8192], w = a[i + 12288];
  STORES
}
"""
FOUR = STORED.replace("STORES", "*(float4 *)(c + 4 * i) = make_float4(x, y, z, w);")
WORD_BY_WORD = STORED.replace("STORES", "c[4*i] = x; c[4*i+1] = y; c[4*i+2] = z; c[4*i+3] = w;")
BETWEEN = STORED.replace(
    "STORES",
    "float2 *p = (float2 *)c + 2 * i; float *q = (float *)p; p->x = x; p->y = y;"
    " q[2] = z; q[3] = a[i + 16384] + w;",
)
"""A load that may read what is stored lies between the last two."""

PAIRS_LAST = BESIDE.replace("p[i] = b[i];\n    s[i] = a[i];", "s[i] = a[i];\n    p[i] = b[i];")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("source", "memory", "sizes"),
    [
        (BESIDE, Memory.SHARED_LOAD, [8, 8, 8, 8]),
        (PAIRS_LAST, Memory.SHARED_LOAD, [8, 8, 4, 4, 4, 4]),
        (WORDS, Memory.GLOBAL_LOAD, [4, 4, 4, 4]),
        (VECTORS, Memory.GLOBAL_LOAD, [16]),
        (SHARED, Memory.SHARED_LOAD, [4, 4, 4, 4]),
        (BY_ELEMENT, Memory.SHARED_LOAD, [16]),
        (ROWS.replace("STRIDE", "16"), Memory.SHARED_LOAD, [16]),
        (ROWS.replace("STRIDE", "17"), Memory.SHARED_LOAD, [4, 4, 4, 4]),
        (ROWS.replace("STRIDE", "(blockDim.x / 16)"), Memory.SHARED_LOAD, [4, 4, 4, 4]),
        (HALVES, Memory.GLOBAL_LOAD, [16]),
        (HALVES, Memory.GLOBAL_STORE, [16]),
        (FOUR, Memory.GLOBAL_STORE, [16]),
        (WORD_BY_WORD, Memory.GLOBAL_STORE, [4, 4, 4, 4]),
        (BETWEEN, Memory.GLOBAL_STORE, [8, 4, 4]),
    ],
)
def test_accesses_are_joined_where_their_alignment_is_known(
    source: str, memory: Memory, sizes: list[int]
) -> None:
    at = Span("k.cl", 0)
    launch = LaunchRequest(parse_dimensions("1024", at), parse_dimensions("256", at))
    request = AnalysisRequest(
        source=SourceText("k.cu" if "__global__" in source else "k.cl", source, "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        kernels=("k",), other_launch=LaunchInputs(launch, {}, (), "test"),
    )  # fmt: skip
    (prepared,) = Workshop().prepare(request)
    program = prepared.subject.program(Generation.VOLTA)
    rows = [program.operations[n] for block in program.blocks for n in block]
    assert [row.bytes for row in rows if row.memory is memory and row.slots] == sizes

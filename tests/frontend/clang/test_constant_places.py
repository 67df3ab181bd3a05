"""CUDA: arrays at constant places, and arrays with initialisers, at every level.

clang writes both as constant expressions or copies whose types name address spaces: what moves a
variable into another space has to rewrite all of them.
"""

from __future__ import annotations

import pytest

from kcc.frontend.ir.instructions import Call, Load, Store
from kcc.frontend.ir.types import PtrTy
from kcc.frontend.options import OptLevel
from tests.frontend.clang.sources import cuda

STORES = {
    "element": "__shared__ float s[4]; s[1] = o[0]; __syncthreads(); o[t] = s[t & 3];",
    "last": "__shared__ float s[129]; if (t == 0) s[128] = o[0] > 0 ? o[0] : 0; s[t] = o[t];"
    " __syncthreads(); o[t] = s[t + 1];",
    "rows": "__shared__ float s[8][33]; s[3][7] = o[0]; s[t & 7][t] = o[1]; o[t] = s[7][32];",
    "field": "struct P { float x, y; }; __shared__ P s[4]; s[2].y = o[0]; __syncthreads();"
    " o[t] = s[t & 3].y;",
    "vector": "__shared__ float4 s[4]; s[1] = make_float4(o[0], o[1], o[2], o[3]);"
    " __syncthreads(); o[t] = s[t & 3].z;",
    "atomic": "__shared__ int s[4]; atomicAdd(&s[2], (int)t); atomicMax(s + 3, 5);"
    " __syncthreads(); o[t] = s[t & 3];",
    "exchange": "__shared__ int s[4]; o[t] = atomicCAS(&s[1], 0, (int)t);",
    "volatile": "volatile __shared__ float s[64]; s[5] = o[0]; o[t] = s[6] + s[t];",
    "both": "__shared__ float s[9]; s[8] = s[7] = o[0]; o[t] = s[8] + s[t & 7];",
    "pointer": "__shared__ float s[9]; float *p = s + 4; if (t & 1) p = s + 2; *p = o[0];"
    " o[t] = s[t];",
}

LOCALS = {
    "constant": "const float m[4] = {1, 2, 3, 4}; o[t] = m[t & 3];",
    "changed": "int a[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4}; a[t & 15] = 7;"
    " int n = 0; for (int i = 0; i < 8; i++) n += a[((int)t >> i) & 15]; o[t] = n;",
    "partial": "float a[64] = {1, 2}; a[t & 63] += o[0]; o[t] = a[(t + 1) & 63];",
    "rows": "const int a[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}; o[t] = a[t % 3][t & 1];",
    "static": "static const double a[5] = {1, 2, 3, 4, 5}; o[t] = a[t % 5];",
    "record": "struct R { int n; float f[3]; } r = {4, {1, 2, 3}}; o[t] = r.f[t % 3] + r.n;",
    "records": "struct R { char c; double d; } r[3] = {{1, 2}, {3, 4}, {5, 6}}; o[t] = r[t % 3].d;",
    "text": 'const char c[] = "performance"; o[t] = c[t % 11];',
    "copied": "int a[4] = {1, 2, 3, 4}, b[4]; memcpy(b, a, sizeof b); b[t & 3]++; o[t] = b[t % 4];",
    "vectors": "float4 a[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}}; o[t] = a[t & 1].y;",
    "outside": "const float4 v = table[t & 1]; o[t] = v.x + wide[t % 40];",
}

HEAD = """\
__constant__ float4 table[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
__device__ const short wide[40] = {1, 2, 3};
__global__ void k(float *o) { const unsigned t = threadIdx.x;
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("level", list(OptLevel))
def test_every_place(level: OptLevel):
    """All snippets in one source: each is a kernel that compiles, and knows its spaces."""
    text = HEAD.partition("__global__")[0]
    for name, body in {**STORES, **{f"local_{k}": v for k, v in LOCALS.items()}}.items():
        text += f"__global__ void k_{name}(float *o) {{ const unsigned t = threadIdx.x; {body} }}\n"
    unit = cuda(text, level)
    assert len(unit.kernels) == len(STORES) + len(LOCALS)
    if level is OptLevel.O0:
        return
    for kernel in unit.kernels:
        accesses = [i for i in kernel.function.instructions if isinstance(i, Load | Store)]
        spaces = {a.pointer.type.space for a in accesses if isinstance(a.pointer.type, PtrTy)}
        assert 4 not in spaces, kernel.name
        copies = [i for i in kernel.function.instructions if isinstance(i, Call)]
        assert not any("llvm.mem" in c.callee and "p4" in c.callee for c in copies), kernel.name

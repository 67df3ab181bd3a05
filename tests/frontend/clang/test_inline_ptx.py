"""Inline PTX, run against NumPy: operands of all kinds, addresses, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.passes.memory.memory_accesses import MemoryAccesses
from kcc.passes.table import analyse
from kcc.passes.unknown import Unknown
from kcc.tracegen.execute import NDRange, execute

SOURCE = r"""
#include <cstdint>
__device__ __forceinline__ uint32_t lane() {
    uint32_t r;
    asm("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}
__device__ __forceinline__ uint32_t address(const void *p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ uint32_t converted(const void *p) {
    uint32_t a;
    asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(a) : "l"(p));
    return a;
}
template <int n> __device__ void wait() { asm volatile("cp.async.wait_group %0;\n" ::"n"(n)); }

__global__ void numbers(const unsigned *x, const double *d, unsigned *o, double *e) {
    int i = threadIdx.x;
    unsigned a = x[2 * i], b = x[2 * i + 1], r, lo, hi;
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(a), "r"(b), "r"(lane()));
    o[8 * i] = r;
    asm("prmt.b32 %0, %0, %1, 0x1032;" : "+r"(r) : "r"(b));
    o[8 * i + 1] = r;
    asm("{ .reg .pred p; setp.lt.u32 p, %1, %2; @p add.u32 %0, %0, 1; @!p mov.u32 %0, 7; }"
        : "+r"(r) : "r"(a), "r"(b));
    o[8 * i + 2] = r;
    unsigned long long *wide = (unsigned long long *)(o + 8 * i + 4);
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(*wide) : "r"(a), "r"(b));
    asm("add.cc.u32 %0, %2, %3; addc.u32 %1, 0, 0;" : "=&r"(lo), "=r"(hi) : "r"(a), "r"(b));
    o[8 * i + 3] = hi;
    asm("bfe.u32 %0, %1, %2, 5;" : "=r"(o[8 * i + 6]) : "r"(lo), "n"(3));
    unsigned short h;
    asm("cvt.u16.u32 %0, %1;" : "=h"(h) : "r"(a));
    o[8 * i + 7] = h;
    asm("fma.rn.f64 %0, %1, %1, %2;" : "=d"(e[i]) : "d"(d[i]), "d"(1.0));
}

__global__ void copies(const float4 *__restrict__ x, float *o, int n) {
    __shared__ __align__(16) float s[2][128];
    int i = threadIdx.x;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n"
                 ::"r"(address(&s[1][i * 4])), "l"(x + i));
    asm volatile("cp.async.commit_group;\n" ::);
    wait<0>();
    __syncthreads();
    uint32_t place = converted(&s[1][0]) + 4 * i;
    float total = 0;
    for (int k = 0; k < 4; k++, place += 128) {
        float v;
        asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(place));
        total += v;
    }
    asm volatile("" ::: "memory");
    asm volatile("st.global.f32 [%0], %1;" ::"l"((uint64_t)o + 4 * i), "f"(total) : "memory");
}

__global__ void matrices(const unsigned *a, const unsigned *b, float *o) {
    __shared__ unsigned s[128];
    int i = threadIdx.x;
    for (int k = 0; k < 4; k++) s[i + 32 * k] = a[i + 32 * k];
    __syncthreads();
    unsigned f[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
                 : "r"(address(s + i % 16 * 8 + i / 16 * 4)));
    float c[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]),
                   "r"(b[i / 4 * 8 + i % 4]), "r"(b[i / 4 * 8 + i % 4 + 4]));
    for (int k = 0; k < 4; k++) o[(i / 4 + k / 2 * 8) * 8 + i % 4 * 2 + k % 2] = c[k];
}
"""


def unit(source: str = SOURCE, level: OptLevel = OptLevel.O1) -> CompiledUnit:
    options = BuildOptions(opt_level=level)
    return compile_source(SourceText("ptx.cu", source, "."), options, frontend="clang")


def run(name: str, threads: int, *arrays: np.ndarray) -> list[np.ndarray]:
    compiled = unit()
    kernel = next(k for k in compiled.kernels if k.name == name)
    values = [*arrays, 0] if name == "copies" else list(arrays)
    done = execute(compiled, kernel, NDRange((threads,), (threads,)), values)
    return [done.buffers[n] for n in range(len(arrays))]


def test_numbers() -> None:
    random = np.random.default_rng(3)
    x, d = random.integers(0, 2**32, 128).astype(np.uint32), random.standard_normal(64)
    _, _, o, e = run("numbers", 64, x, d, np.zeros(512, np.uint32), np.zeros(64))
    a, b = x[::2].astype(np.uint64), x[1::2].astype(np.uint64)
    o, lane = o.reshape(64, 8).astype(np.uint64), np.arange(64, dtype=np.uint64) % 32
    xor = a ^ b ^ lane
    swapped = (xor & 0xFFFF) << 16 | xor >> 16
    np.testing.assert_array_equal(o[:, 0], xor)
    np.testing.assert_array_equal(o[:, 1], swapped)
    np.testing.assert_array_equal(o[:, 2], np.where(a < b, (swapped + 1) & 0xFFFFFFFF, 7))
    np.testing.assert_array_equal(o[:, 3], (a + b) >> 32)
    np.testing.assert_array_equal(o[:, 4] | o[:, 5] << 32, a * b)
    np.testing.assert_array_equal(o[:, 6], (a + b) >> 3 & 31)
    np.testing.assert_array_equal(o[:, 7], a & 0xFFFF)
    np.testing.assert_allclose(e, d * d + 1.0, rtol=1e-15)


def test_copies_into_shared_memory() -> None:
    x = np.random.default_rng(4).integers(-9, 9, 128).astype(np.float32)
    o = run("copies", 32, x, np.zeros(32, np.float32))[1]
    np.testing.assert_array_equal(o, x.reshape(4, 32).sum(0))


def test_matrices() -> None:
    random = np.random.default_rng(5)
    a = random.integers(-4, 5, (16, 16)).astype(np.float16)
    b = random.integers(-4, 5, (8, 16)).astype(np.float16)
    bits = [m.reshape(-1).view(np.uint32) for m in (a, b)]
    o = run("matrices", 32, *bits, np.zeros(128, np.float32))[2]
    wanted = a.astype(np.float32) @ b.astype(np.float32).T
    np.testing.assert_array_equal(o.reshape(16, 8), wanted)


def test_addresses_are_seen_by_the_analyses() -> None:
    """Numbers that are addresses of shared memory, also in a loop, lead back to the array."""
    compiled = unit()
    kernel = next(k for k in compiled.kernels if k.name == "copies")
    facts = analyse(kernel, compiled.module)
    accesses = facts[MemoryAccesses].accesses
    assert len(accesses) == 4
    assert not any(isinstance(a.array, Unknown) for a in accesses)


REFUSED = {
    "exit;": "'exit' ends more than the statement",
    "frobnicate.u32 %0, 1;": "'frobnicate.u32' is not supported",
    "mov.u32 %0, ;": "an operand is expected here",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    """What is not taken in is named, with the line of the statement."""
    source = f'__global__ void bad(int* p) {{\n asm volatile("{text}" : "=r"(*p)); }}\n'
    compiled = unit(source + "__global__ void good(int* p) { *p = 1; }")
    assert [k.name for k in compiled.kernels] == ["good"]
    (found,) = compiled.warnings
    assert found.code == "K413"
    assert REFUSED[text] in found.message
    assert found.span is not None
    assert found.span.line == 2

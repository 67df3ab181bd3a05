"""What today's CUDA sources use, run against NumPy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.clang.templates import function_templates, substituted
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import ExecutionOptions, NDRange, execute

SOURCE = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/std/limits>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <curand_kernel.h>
#include <dirent.h>
namespace cg = cooperative_groups;

__global__ void groups(const int *x, int *o) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(warp);
    register int i = block.thread_rank(), v = x[i];
    int *p = o + i * 10;
    p[0] = cg::reduce(warp, v, cg::plus<int>{});
    p[1] = cg::reduce(tile, v, cg::greater<int>());
    p[2] = cg::inclusive_scan(warp, v);
    p[3] = tile.ballot(v & 1);
    p[4] = warp.meta_group_rank() * 100 + tile.thread_rank();
    p[5] = cg::reduce(cg::labeled_partition(warp, v & 3), v, cg::plus<int>());
    p[6] = __match_any_sync(~0u, v & 7);
    int same;
    p[7] = __match_all_sync(~0u, v > -1000, &same) + same;
    p[8] = p[9] = -1;
    if (v & 1) {
        cg::coalesced_group active = cg::coalesced_threads();
        p[8] = active.size() * 100 + active.thread_rank();
        p[9] = active.shfl(v, active.size() - 1);
    }
}

__global__ void narrow(const float *x, __nv_bfloat16 *b, unsigned char *f, float *o) {
    int i = threadIdx.x;
    b[i] = __float2bfloat16(x[i]);
    __nv_bfloat162 pair = __floats2bfloat162_rn(x[i], 2.0f);
    __nv_bfloat162 product = pair * pair;
    o[i * 5] = __bfloat162float(product.x) + __high2float(product);
    __nv_fp8_e4m3 small(x[i]);
    f[i] = small.__x;
    o[i * 5 + 1] = (float)small;
    o[i * 5 + 2] = (float)__nv_fp8_e5m2(x[i]);
    o[i * 5 + 3] = __bfloat162float(__shfl_xor_sync(~0u, b[i], 1));
    bool finite = x[i] > std::numeric_limits<float>::lowest();
    o[i * 5 + 4] = cuda::std::numeric_limits<float>::max() * finite;
}

__global__ void eights(const unsigned char *x, float *o) {
    int i = threadIdx.x;
    half one = __nv_cvt_fp8_to_halfraw(x[i], __NV_E4M3);
    half2 two = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(x[i] << 8), __NV_E5M2);
    o[3 * i] = __half2float(one);
    o[3 * i + 1] = __high2float(two) + __low2float(two);
    o[3 * i + 2] = __nv_cvt_halfraw_to_fp8(one, __NV_SATFINITE, __NV_E4M3);
}

__global__ void packed(const float4 *x, float *o, ssize_t n) {
    int i = threadIdx.x;
    if (i >= n) return;
    float4 v = x[i], four = (float4)__nv_fp8x4_e4m3(v);
    __nv_fp8x4_e5m2 halves(__floats2half2_rn(v.x, v.y), __floats2half2_rn(v.z, v.w));
    float2 two = (float2)__nv_fp8x2_e4m3(__nv_bfloat162(v.z, v.w));
    float *p = o + 8 * i;
    p[0] = four.x, p[1] = four.y, p[2] = four.z, p[3] = four.w;
    p[4] = ((float4)halves).x, p[5] = ((float4)halves).w, p[6] = two.x, p[7] = two.y;
}

__global__ void draws(curandState *states, float *o) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    curandState state;
    curandStatePhilox4_32_10_t other;
    curand_init(7, i, 0, &state);
    curand_init(7, i, 0, &other);
    for (int n = 0; n < 50; n++) {
        o[i * 150 + n] = curand_uniform(&state);
        o[i * 150 + 50 + n] = curand_normal(&state);
        o[i * 150 + 100 + n] = curand_uniform(&other);
    }
    states[i] = state;
}

__global__ void whole(int *x) {
    cg::grid_group grid = cg::this_grid();
    x[grid.thread_rank()] = 1;
    grid.sync();
    x[grid.thread_rank()] += x[grid.num_threads() - 1 - grid.thread_rank()];
}
"""


@cache
def unit() -> CompiledUnit:
    return compile_source(
        SourceText("features.cu", SOURCE, "."), BuildOptions(opt_level=OptLevel.O2)
    )


def run(name: str, blocks: int, threads: int, *arrays: Any) -> list[np.ndarray]:
    kernel = next(k for k in unit().kernels if k.name == name)
    done = execute(unit(), kernel, NDRange((blocks * threads,), (threads,)), list(arrays))
    return [done.buffers[n] for n in sorted(done.buffers)]


def test_cooperative_groups() -> None:
    x = np.random.default_rng(2).integers(-40, 40, 64).astype(np.int32)
    found = run("groups", 1, 64, x, np.zeros(640, np.int32))[1].reshape(64, 10)
    for i, row in enumerate(found):
        lane, warp, tile = i % 32, x[i // 32 * 32 :][:32], x[i // 8 * 8 :][:8]
        bits = sum(1 << n for n, v in enumerate(tile) if v & 1)
        alike = sum(1 << n for n, v in enumerate(warp) if v & 7 == x[i] & 7)
        active = [n for n, v in enumerate(warp) if v & 1]
        wanted = [
            warp.sum(), tile.max(), warp[: lane + 1].sum(), bits, i // 32 * 100 + i % 8,
            warp[(warp & 3) == (x[i] & 3)].sum(), alike, 0xFFFFFFFF + 1,
            len(active) * 100 + active.index(lane) if x[i] & 1 else -1,
            warp[active[-1]] if x[i] & 1 else -1,
        ]  # fmt: skip
        np.testing.assert_array_equal(row, np.array(wanted, np.int64).astype(np.int32))


def bfloat(x: np.ndarray) -> np.ndarray:
    """Rounded to nearest even, as floats."""
    bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)


def eight_bits(x: np.ndarray, exponent: int, mantissa: int, largest: float) -> np.ndarray:
    """To the nearest value of the format, which is counted out."""
    bias = 2 ** (exponent - 1) - 1
    grid = [(m / 2**mantissa) * 2.0 ** (1 - bias) for m in range(2**mantissa)]
    for e in range(1, 2**exponent):
        grid += [(1 + m / 2**mantissa) * 2.0 ** (e - bias) for m in range(2**mantissa)]
    values = np.array([g for g in grid if g <= largest])
    apart = np.abs(np.abs(x)[:, None].astype(np.float64) - values)
    odd = np.arange(len(values)) % 2 * 1e-9
    return (np.sign(x) * values[(apart * (1 + odd)).argmin(1)]).astype(np.float32)


def test_narrow_floats() -> None:
    x = (np.random.default_rng(4).standard_normal(32) * 30).astype(np.float32)
    x[:4] = [1000.0, -0.001, 0.0, 3.0e-6]
    _, b, _, o = run(
        "narrow", 1, 32, x, np.zeros(32, np.uint16), np.zeros(32, np.uint8),
        np.zeros(160, np.float32),
    )  # fmt: skip
    found, near = o.reshape(32, 5), bfloat(x)
    np.testing.assert_array_equal((b.astype(np.uint32) << 16).view(np.float32), near)
    np.testing.assert_array_equal(found[:, 0], bfloat(near * near) + 4)
    np.testing.assert_array_equal(found[:, 1], eight_bits(x, 4, 3, 448))
    np.testing.assert_array_equal(found[:, 2], eight_bits(x, 5, 2, 57344))
    np.testing.assert_array_equal(found[:, 3], near[np.arange(32) ^ 1])
    assert (found[:, 4] == np.finfo(np.float32).max).all()


def test_bits_of_eight_bit_floats_become_halves_and_come_back() -> None:
    x = np.r_[0:120, 128:248].astype(np.uint8)
    o = run("eights", 1, 240, x, np.zeros(720, np.float32))[1].reshape(240, 3)
    for column, (exponents, mantissas) in enumerate(((4, 3), (5, 2))):
        bias, places = 2 ** (exponents - 1) - 1, 2**mantissas
        exponent, mantissa = x >> mantissas & 2**exponents - 1, x % places / places
        wanted: np.ndarray = (mantissa + (exponent > 0)) * 2.0 ** (
            np.maximum(exponent, 1).astype(int) - bias
        )
        np.testing.assert_array_equal(o[:, column], np.where(x > 127, -wanted, wanted))
    np.testing.assert_array_equal(o[:, 2], x)


def test_eight_bit_floats_come_in_twos_and_fours() -> None:
    x = (np.random.default_rng(5).standard_normal(128) * 30).astype(np.float16).astype(np.float32)
    o = run("packed", 1, 32, x, np.zeros(256, np.float32), 32)[1].reshape(32, 8)
    rows, near = x.reshape(32, 4), bfloat(x).reshape(32, 4)
    small = eight_bits(x, 4, 3, 448).reshape(32, 4)
    np.testing.assert_array_equal(o[:, :4], small)
    np.testing.assert_array_equal(o[:, 4], eight_bits(rows[:, 0], 5, 2, 57344))
    np.testing.assert_array_equal(o[:, 5], eight_bits(rows[:, 3], 5, 2, 57344))
    for column in (2, 3):
        wanted = eight_bits(near[:, column], 4, 3, 448)
        np.testing.assert_array_equal(o[:, 4 + column], wanted)


def test_random_numbers_are_spread_as_they_should() -> None:
    drawn = run("draws", 4, 64, np.zeros(256 * 48, np.uint8), np.zeros(38400, np.float32))[1]
    uniform, normal, philox = drawn.reshape(256, 3, 50).transpose(1, 0, 2)
    for values in (uniform, philox):
        assert values.min() > 0
        assert values.max() <= 1
        assert abs(values.mean() - 0.5) < 4 / np.sqrt(12 * values.size)
        assert len(np.unique(values)) > values.size * 0.99
    assert abs(normal.mean()) < 4 / np.sqrt(normal.size)
    assert abs(normal.std() - 1) < 4 / np.sqrt(2 * normal.size)


def test_the_grid_waits_only_where_it_is_one_block() -> None:
    (found,) = run("whole", 1, 64, np.zeros(64, np.int32))
    assert (found >= 2).all()
    with pytest.raises(DiagnosticError) as error:
        run("whole", 2, 64, np.zeros(128, np.int32))
    assert [d.code for d in error.value.diagnostics] == ["K427"]


@pytest.mark.parametrize("inside", [True, False])
def test_pointers_out_of_memory_lead_to_buffers_or_nowhere(inside: bool) -> None:
    """Buffers lie in a window of their own: an address that a kernel stored is one of it."""
    text = """struct node { float *p; };
    extern "C" __global__ void k(node *a, float *b, int keep) {
        int i = threadIdx.x;
        if (keep) a[i].p = b + 31 - i;
        __syncthreads();
        b[32 + i] = *a[i].p;
    }"""
    unit = compile_source(SourceText("a.cu", text, "."), BuildOptions(opt_level=OptLevel.O2))
    arguments = [np.zeros(32, np.int64), np.arange(64, dtype=np.float32), np.int32(inside)]
    if inside:
        done = execute(unit, unit.kernels[0], NDRange((32,), (32,)), arguments)
        np.testing.assert_array_equal(done.buffers[1][32:], np.arange(32)[::-1])
        return
    with pytest.raises(DiagnosticError) as error:
        execute(unit, unit.kernels[0], NDRange((32,), (32,)), arguments)
    assert [d.code for d in error.value.diagnostics] == ["K711"]


def kernels(text: str, name: str = "a.cu") -> list[str]:
    unit = compile_source(SourceText(name, text, "."), BuildOptions(), partial=True)
    return [k.name for k in unit.kernels]


def test_launches_of_hosts_that_use_the_library_instantiate_templates() -> None:
    text = """#include <vector>
template <class T, int n> __global__ void k(T *a) { a[threadIdx.x] *= n; }
template <class T> void run(int n) {
    T *d; std::vector<T> v(n); std::string s = "x" + std::to_string(n);
    for (int i = 0; i < n; i++) v.push_back(i);
    k<T, 3><<<1, 32>>>(d);
}
__global__ void deduced(int *);
template <class U> __global__ void from(U *a, int n) { a[n] = 0; }
int main() {
    std::vector<float> v; float *f; cudaMalloc(&f, v.size());
    from<<<1, 2>>>(f, 3); run<double>(3);
}
"""
    assert sorted(kernels(text)) == ["from<float>", "k<double, 3>"]


def test_hosts_may_hand_lambdas_to_the_library() -> None:
    """As those of kcc's own miniatures do."""
    text = """#include <algorithm>
#include <functional>
#include <vector>
__global__ void k(float *a) { a[threadIdx.x] = 0; }
int main() {
    std::vector<size_t> p(4); std::vector<double> v(4);
    std::sort(p.begin(), p.end(), [&](size_t a, size_t b) { return v[a] < v[b]; });
    std::max_element(p.begin(), p.end(), [](size_t a, size_t b) { return a < b; });
    std::function<void(int)> f = [&](int n) { v[n] = 0; };
}
"""
    unit = compile_source(SourceText("a.cu", text, "."), BuildOptions())
    assert [k.name for k in unit.kernels] == ["k"]


def test_explicit_instantiations_of_host_templates_that_are_left_out_count() -> None:
    text = """template <class T, int n> __global__ void k(T *a) { a[threadIdx.x] *= n; }
template <class T> void run(Window<T> *w) { w->draw(); k<T, 3><<<1, 32>>>(w->data(0)); }
template void run<float>(Window<float> *);
template void run<double>(Window<double> *);
"""
    assert sorted(kernels(text)) == ["k<double, 3>", "k<float, 3>"]


def test_templates_that_instantiate_one_another_end() -> None:
    text = """template <class T> __global__ void k(T *a) {}
template <class T> struct Box { T t; };
template <class T> void f(Window<T> *w) { k<T><<<1, 1>>>(0); g<T>(w); }
template <class T> void g(Window<T> *w) { f<Box<T>>(0); }
template void f<int>(Window<int> *);
__global__ void other() {}
"""
    assert "k<int>" in substituted(text, function_templates(text))


def test_conditions_of_graphs_are_the_hosts() -> None:
    text = """__global__ void k(int *a, cudaGraphConditionalHandle h) {
  cudaGraphSetConditional(h, --*a > 0);
}"""
    assert kernels(text) == ["k"]


def test_members_of_the_host_go_alone() -> None:
    text = """#include <iostream>
class P { float a; public: __device__ float g() const { return a; }
friend std::ostream& operator<<(std::ostream& o, const P& p) { return o << p.a; } };
__global__ void k(const P *p, float *o) { o[threadIdx.x] = p[threadIdx.x].g(); }
"""
    assert kernels(text) == ["k"]


def test_textures_and_surfaces_are_images() -> None:
    text = """texture<float, 2> ref; texture<uchar4, 1, cudaReadModeNormalizedFloat> bytes;
__global__ void k(cudaTextureObject_t t, cudaSurfaceObject_t s, float *o) {
    int i = threadIdx.x;
    o[i] = tex2D<float>(t, i, 3.0f) + tex1Dfetch<int2>(t, i).y;
    o[i] += tex2D(ref, i, 2) + tex1Dfetch(bytes, i).x;
    surf2Dwrite(surf2Dread<float>(s, i * 4, 0), s, i * 4, 1);
}
"""
    unit = compile_source(SourceText("a.cu", text, "."), BuildOptions())
    reads = """_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f
        _Z11read_imagei21ocl_image1d_buffer_roi _Z11read_imagef21ocl_image1d_buffer_roi
        _Z12write_imagef14ocl_image2d_woDv2_iDv4_f"""
    for read in reads.split():
        assert f"@{read}(" in unit.ir


def test_hip_sources() -> None:
    text = """#include <hip/hip_runtime.h>
template <class T> __global__ void scale(T *a) {
    a[hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x] *= 2;
}
int main() {
    float *d; hipMalloc(&d, 4);
    hipLaunchKernelGGL(HIP_KERNEL_NAME(scale<float>), dim3(1), dim3(64), 0, 0, d);
}
"""
    assert kernels(text, "a.cu.hip") == ["scale<float>"]


def test_types_of_the_library_for_functors_and_storage() -> None:
    text = """#include <type_traits>
#include <cstdint>
struct Max {
    template <class T, class U>
    __device__ typename std::common_type<T, U>::type operator()(T&& t, U&& u) const {
        return t > u ? t : u;
    }
};
typedef std::aligned_storage<16, 16>::type Four;
__global__ void k(const float *a, double *o, unsigned *bits) {
    Four four;
    *(float4 *)&four = *(const float4 *)a;
    float x = ((float *)&four)[threadIdx.x];
    double other = 1.5;
    o[threadIdx.x] = Max()(x, other);
    bits[threadIdx.x] = UINT32_C(255) << 23;
}
"""
    unit = compile_source(SourceText("k.cu", text, "."), BuildOptions(opt_level=OptLevel.O2))
    x = np.array([0, 1, 2, 3], np.float32)
    done = execute(
        unit, unit.kernels[0], NDRange((4,), (4,)), [x, np.zeros(4), np.zeros(4, np.uint32)]
    )
    np.testing.assert_array_equal(done.buffers[1], [1.5, 1.5, 2, 3])
    np.testing.assert_array_equal(done.buffers[2], np.full(4, 0x7F800000))


def test_pragmas_go_with_the_function_that_cannot_be_read() -> None:
    text = """#include "not_here.h"
template <class T> struct Exchange {
    __device__ void run(Unknown<false> x, T (&v)[4]) {
        #pragma unroll
        for (int i = 0; i < 4; i++) v[i] += x;
    }
    __device__ void other(T *v) { v[0] = 1; }
};
void host(Unknown<true> x) {
#pragma unroll
    for (int i = 0; i < 4; i++) x++;
}
__global__ void k(float *a) { a[threadIdx.x] = 2; }
"""
    assert kernels(text) == ["k"]


def test_a_function_that_cannot_be_read_takes_only_those_that_call_it() -> None:
    """Nothing of its first line is as long as what stands for its body."""
    text = """
__device__ float bad(float x) {
  #if defined(WITH)
  return x;
  #else
  return not_here(x);
  #endif
}
__global__ void k(float *a) { a[0] = 1; }
__global__ void l(float *a) { a[0] = bad(a[0]); }
"""
    unit = compile_source(SourceText("a.cu", text, "."), BuildOptions(), partial=True)
    assert [k.name for k in unit.kernels] == ["k"]
    assert [k.function.location.line for k in unit.kernels if k.function.location] == [9]


def test_host_templates_whose_arguments_are_deduced_have_their_kernels() -> None:
    text = """#include <iostream>
template <class T> __global__ void fill(T *a, size_t n) { a[threadIdx.x] = n; }
template <class T> void run(T *a, const size_t n) {
    auto start = std::chrono::steady_clock::now();
    fill<<<1, 32>>>(a, n);
}
int main(int argc, char *argv[]) {
    size_t n = atol(argv[1]);
    double *a;
    unknown_of_the_host(&a);
    cudaMalloc((void **)&a, n * sizeof(double));
    run(a, n);
}
"""
    assert kernels(text) == ["fill<double>"]


def test_hip_names_two_ways_to_add_floats_atomically() -> None:
    text = """#include <hip/hip_runtime.h>
__global__ void sum(const double *a, double *global, float *other) {
    __shared__ double near;
    if (threadIdx.x == 0) near = 0;
    __syncthreads();
    unsafeAtomicAdd(&near, a[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) unsafeAtomicAdd(global, near);
    safeAtomicAdd(other, (float)a[threadIdx.x]);
}
"""
    unit = compile_source(SourceText("sum.hip", text, "."), BuildOptions(opt_level=OptLevel.O2))
    x = np.arange(64.0)
    done = execute(
        unit, unit.kernels[0], NDRange((64,), (64,)), [x, np.ones(1), np.zeros(1, np.float32)]
    )
    assert done.buffers[1][0] == x.sum() + 1
    assert done.buffers[2][0] == x.sum()


def test_hip_sources_have_the_wavefronts_of_the_gpu() -> None:
    text = """#include <hip/hip_runtime.h>
__global__ void sum(const float *a, float *o, unsigned long long *odd) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    float v = a[i];
    for (int d = warpSize / 2; d; d /= 2) v += __shfl_down(v, d);
    odd[i] = __ballot((int)a[i] & 1);
    o[i] = __shfl(v, 0) + 1000 * __lane_id() + __shfl_xor(a[i], 1, 16);
}
"""
    x = np.random.default_rng(5).integers(0, 9, 256).astype(np.float32)
    for lanes in (32, 64):
        options = BuildOptions(opt_level=OptLevel.O2, sub_group_size=lanes)
        unit = compile_source(SourceText("sum.hip", text, "."), options)
        done = execute(
            unit, unit.kernels[0], NDRange((256,), (128,)),
            [x, np.zeros(256, np.float32), np.zeros(256, np.uint64)], ExecutionOptions(width=lanes),
        )  # fmt: skip
        rows = x.reshape(-1, lanes)
        places, beside = np.arange(256) % lanes, x[np.arange(256) ^ 1]
        wanted = np.repeat(rows.sum(1), lanes) + 1000 * places + beside
        np.testing.assert_array_equal(done.buffers[1], wanted)
        bits = [sum(1 << n for n, v in enumerate(row) if int(v) & 1) for row in rows]
        np.testing.assert_array_equal(done.buffers[2], np.repeat(np.array(bits, np.uint64), lanes))


TEMPLATES = """
#include <map>
#include <string>
template <class T> __global__ void twice(T *p) { p[threadIdx.x] *= 2; }
template <class T> void launch(T *p, std::string name) {
    std::map<int, int> times;
    times[3] = name.size();
    twice<T><<<1, 32>>>(p);
}
void all(float *f, double *d) {
    launch<float>(f, std::string("a") + missing);
    for (int i = 0; i < 2; i++) {
        std::cout << i;
        launch<double>(d, "b" + absent);
    }
    twice<<<1, 2>>>((int *)f);
}
"""


def test_uses_of_templates_stay_where_their_statements_go() -> None:
    compiled = compile_source(
        SourceText("templates.cu", TEMPLATES, "."), BuildOptions(), frontend="clang"
    )
    assert {k.name for k in compiled.kernels} == {"twice<float>", "twice<double>", "twice<int>"}


POINTERS = """
struct Shape {
    float k;
    __device__ virtual float area(float x) const { return k * x; }
};
template <class F> __device__ float applied(F f, float x) { return f(f(x)); }
__device__ __forceinline__ float square(float x) { return x * x; }
__global__ void known(float *p) { p[threadIdx.x] = applied(square, p[threadIdx.x]); }
__global__ void bad(Shape **s, float *p) {
  p[0] = s[0]->area(p[1]); }
__global__ void made(Shape *s) { new (s) Shape(); }
"""


def test_calls_through_pointers() -> None:
    """Those to functions that are known when all is inlined are calls; others refuse the kernel
    alone."""
    options = BuildOptions(opt_level=OptLevel.O2)
    compiled = compile_source(
        SourceText("pointers.cu", POINTERS, "."), options, frontend="clang", partial=True
    )
    assert "known" in [k.name for k in compiled.kernels]
    assert [(r.kernel, r.diagnostics[0].code) for r in compiled.refused] == [("bad", "K416")]
    kernel = next(k for k in compiled.kernels if k.name == "known")
    x = np.arange(32, dtype=np.float32) / 8
    done = execute(compiled, kernel, NDRange((32,), (32,)), [x.copy()])
    np.testing.assert_array_equal(done.buffers[0], x**4)


PACKS = """
template <typename T, int N> struct alignas(sizeof(T) * N) Packed { T v[N]; };
template <int N, typename R, typename... IN>
__device__ Packed<R, N> product(const Packed<IN, N>... in) {
  Packed<R, N> r;
  for (int j = 0; j < N; ++j) { r.v[j] = ((in.v[j]) * ...); }
  return r;
}
template <int N, typename R, typename... IN>
__global__ void k(long n, Packed<R, N>* r, const Packed<IN, N>*... in) {
  for (long i = threadIdx.x; i < n; i += blockDim.x) r[i] = product<N, R, IN...>((in[i])...);
}
template __global__ void k<4, float, float, float>(
    long, Packed<float, 4>*, const Packed<float, 4>*, const Packed<float, 4>*);
"""


def test_parameter_packs_of_structs() -> None:
    """Their pointers have no names of their own in clang's code."""
    unit = compile_source(SourceText("k.cu", PACKS, "."), BuildOptions(), frontend="clang")
    x, y = np.arange(64, dtype=np.float32), np.arange(64, dtype=np.float32)[::-1].copy()
    given = [np.int64(16), np.zeros(64, np.float32), x, y]
    done = execute(unit, unit.kernels[0], NDRange((8,), (8,)), given)
    np.testing.assert_array_equal(done.buffers[1], x * y)

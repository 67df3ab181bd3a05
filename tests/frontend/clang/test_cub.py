"""CUB's collectives, complex numbers, packed integers and functions of the math API, run against
NumPy."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import NDRange, execute

SOURCE = r"""
#include <cub/cub.cuh>
#include <cuComplex.h>
#include <thrust/complex.h>
struct Pair { float value; int place; double more; };
struct Larger {
    __device__ Pair operator()(const Pair &a, const Pair &b) const {
        return b.value > a.value ? b : a;
    }
};
__global__ void reduce(const float *x, float *o) {
    typedef cub::BlockReduce<float, 96> Sum;
    typedef cub::BlockReduce<Pair, 96> Most;
    __shared__ union { Sum::TempStorage sum; Most::TempStorage most; } temp;
    int i = threadIdx.x;
    float total = Sum(temp.sum).Sum(x[i]);
    __syncthreads();
    float part = Sum(temp.sum).Reduce(x[i], cub::Min(), 70);
    __syncthreads();
    Pair most = Most(temp.most).Reduce(Pair{x[i], i, 2.0 * x[i]}, Larger());
    if (i) return;
    o[0] = total; o[1] = part; o[2] = most.value; o[3] = most.place; o[4] = most.more;
}
struct Less { __device__ int operator()(int &a, int &b) { return a - b; } };
__global__ void differences(const int *x, int *o, int valid) {
    typedef cub::BlockAdjacentDifference<int, 64> Differences;
    __shared__ typename Differences::TempStorage temp;
    int i = threadIdx.x, v[2] = {x[2 * i], x[2 * i + 1]}, w[2];
    Differences(temp).SubtractLeft(v, w, Less());
    o[2 * i] = w[0], o[2 * i + 1] = w[1];
    __syncthreads();
    Differences(temp).SubtractLeftPartialTile(v, w, Less(), valid, 1000);
    o[128 + 2 * i] = w[0], o[129 + 2 * i] = w[1];
    __syncthreads();
    Differences(temp).SubtractRightPartialTile(v, w, Less(), valid);
    o[256 + 2 * i] = w[0], o[257 + 2 * i] = w[1];
    __syncthreads();
    Differences(temp).SubtractRight(v, v, Less(), 1000);
    o[384 + 2 * i] = v[0], o[385 + 2 * i] = v[1];
}
__global__ void warps(const int *x, int *o) {
    __shared__ cub::WarpReduce<int>::TempStorage r[2];
    __shared__ cub::WarpScan<int, 16>::TempStorage s[4];
    int i = threadIdx.x, *p = o + 4 * i;
    p[0] = cub::WarpReduce<int>(r[i / 32]).Reduce(x[i], cub::Max());
    p[1] = cub::WarpReduce<int>(r[i / 32]).HeadSegmentedSum(x[i], x[i] % 5 == 0);
    cub::WarpScan<int, 16> scan(s[i / 16]);
    scan.InclusiveSum(x[i], p[2]);
    scan.ExclusiveScan(x[i], p[3], -1000, cub::Max());
}
template <int threads, int items> __global__ void scan(const int *x, int *o, int *sums, int n) {
    typedef cub::BlockLoad<int, threads, items, cub::BLOCK_LOAD_WARP_TRANSPOSE> Load;
    typedef cub::BlockStore<int, threads, items, cub::BLOCK_STORE_TRANSPOSE> Store;
    typedef cub::BlockScan<int, threads> Scan;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Scan::TempStorage scan;
    } temp;
    int v[items], total;
    Load(temp.load).Load(x, v, n, 0);
    __syncthreads();
    Scan(temp.scan).ExclusiveSum(v, v, total);
    __syncthreads();
    Store(temp.store).Store(o, v, n);
    __syncthreads();
    Scan(temp.scan).InclusiveScan(x[threadIdx.x], sums[threadIdx.x], cub::Max());
    if (threadIdx.x == 0) sums[threads] = total;
}
template <class K> __device__ void sort(K *keys, int *values, bool down) {
    typedef cub::BlockRadixSort<K, 64, 3, int> Sort;
    __shared__ typename Sort::TempStorage temp;
    K k[3];
    int v[3];
    cub::LoadDirectBlocked(threadIdx.x, keys, k);
    cub::LoadDirectBlocked(threadIdx.x, values, v);
    if (down) Sort(temp).SortDescending(k, v);
    else Sort(temp).Sort(k, v);
    cub::StoreDirectBlocked(threadIdx.x, keys, k);
    cub::StoreDirectBlocked(threadIdx.x, values, v);
}
__global__ void sort_int(int *k, int *v) { sort(k, v, false); }
__global__ void sort_float(float *k, int *v) { sort(k, v, true); }
__global__ void sort_uint(unsigned *k, int *v) { sort(k, v, false); }
__global__ void complexes(const float2 *x, float2 *o) {
    int i = threadIdx.x;
    o[3 * i] = cuCdivf(cuCmulf(x[i], x[i + 1]), make_cuComplex(1.0f, cuCabsf(x[i])));
    thrust::complex<float> a(x[i].x, x[i].y), b(x[i + 1].x, x[i + 1].y);
    thrust::complex<float> c = thrust::exp(a * 0.1f) / (b + 2.0f) - thrust::conj(a);
    o[3 * i + 1] = make_float2(c.real(), c.imag());
    o[3 * i + 2] = make_float2(thrust::norm(a), thrust::abs(b));
}
__global__ void packed(const unsigned *x, unsigned *o) {
    int i = threadIdx.x;
    unsigned a = x[2 * i], b = x[2 * i + 1], *p = o + 12 * i;
    p[0] = __vadd4(a, b); p[1] = __vsubss2(a, b); p[2] = __vmaxs4(a, b); p[3] = __vavgu4(a, b);
    p[4] = __vabsdiffu4(a, b); p[5] = __vcmpgtu2(a, b); p[6] = __vsetlts4(a, b);
    p[7] = __vsadu4(a, b); p[8] = __dp4a((int)a, (int)b, -7); p[9] = __dp4a(a, b, 7u);
    p[10] = __vneg4(a); p[11] = __dp2a_lo((int)a, (int)b, 1);
}
__global__ void functions(const double *x, double *o) {
    int i = threadIdx.x, e, *q = &e;
    double v = x[i], *p = o + 10 * i;
    p[0] = normcdf(v); p[1] = erfinv(v / 4); p[2] = normcdfinv(v / 8 + 0.5);
    p[3] = erfcx(v);
    p[4] = frexp(v, q) * 100 + e; p[5] = ilogb(v); p[6] = rnorm3d(v, 1.0, 2.0);
    p[7] = norm4d(v, 1, 2, 3); p[8] = erfinvf((float)v / 4);
    p[9] = llround(v * 10) + std::max<double>(v, 0);
}
void launches(int *x) { scan<64, 3><<<1, 64>>>(x, x, x, 190); }
"""


@cache
def unit() -> CompiledUnit:
    options = BuildOptions(opt_level=OptLevel.O2)
    return compile_source(SourceText("cub.cu", SOURCE, "."), options, frontend="clang")


def run(name: str, threads: int, *values: np.ndarray | int) -> list[np.ndarray]:
    kernel = next(k for k in unit().kernels if k.name.partition("<")[0] == name)
    done = execute(unit(), kernel, NDRange((threads,), (threads,)), list(values))
    return [done.buffers[n] for n, v in enumerate(values) if isinstance(v, np.ndarray)]


def test_differences_of_neighbours() -> None:
    x, valid = np.random.default_rng(3).integers(-99, 99, 128).astype(np.int32), 101
    found = run("differences", 64, x, np.zeros(512, np.int32), valid)[1].reshape(4, 128)
    left = np.diff(x, prepend=0)
    right = -np.diff(x, append=1000)
    beyond = np.arange(128) >= valid
    np.testing.assert_array_equal(found[0], left)
    left[0] = x[0] - 1000
    np.testing.assert_array_equal(found[1], np.where(beyond, x, left))
    np.testing.assert_array_equal(found[2], np.where(beyond | (np.arange(128) == 100), x, right))
    np.testing.assert_array_equal(found[3], right)


def test_reductions_of_a_thread_block() -> None:
    x = np.random.default_rng(1).integers(-50, 50, 96).astype(np.float32)
    x[75], x[40] = -99, 77
    o = run("reduce", 96, x, np.zeros(5, np.float32))[1]
    assert list(o) == [x.sum(), x[:70].min(), 77, 40, 154]


def test_warps() -> None:
    x = np.random.default_rng(2).integers(-50, 50, 64).astype(np.int32)
    o = run("warps", 64, x, np.zeros(256, np.int32))[1].reshape(64, 4)
    for i in range(64):
        warp, half = x[i // 32 * 32 :][:32], x[i // 16 * 16 :][:16]
        ends = [n for n in range(i + 1, i // 32 * 32 + 32) if x[n] % 5 == 0]
        segment = x[i : ends[0] if ends else i // 32 * 32 + 32]
        assert o[i, 1] == segment.sum()
        assert o[i, 2] == half[: i % 16 + 1].sum()
        assert o[i, 3] == max([-1000, *half[: i % 16]])
        if i % 32 == 0:
            assert o[i, 0] == warp.max()


def test_scans_loads_and_stores() -> None:
    x = np.random.default_rng(3).integers(-50, 50, 192).astype(np.int32)
    o, sums = run("scan", 64, x, np.full(192, 7, np.int32), np.zeros(65, np.int32), 190)[1:]
    before = np.concatenate([[0], np.cumsum(x[:189])])
    np.testing.assert_array_equal(o, [*before, 7, 7])
    np.testing.assert_array_equal(sums, [*np.maximum.accumulate(x[:64]), x[:190].sum()])


@pytest.mark.parametrize("kind", ["int", "uint", "float"])
def test_sorting(kind: str) -> None:
    """Stable, so that values say the order of equal keys."""
    random = np.random.default_rng(4)
    if kind == "float":
        keys = (random.integers(-20, 20, 192) / 4).astype(np.float32)
        order = np.argsort(-keys, kind="stable")
    else:
        low = -(2**31) if kind == "int" else 0
        keys = random.integers(low, low + 2**32, 192).astype(f"{kind[:1].strip('i')}int32")
        keys[::5] = keys[0]
        order = np.argsort(keys, kind="stable")
    k, v = run(f"sort_{kind}", 64, keys, np.arange(192, dtype=np.int32))
    np.testing.assert_array_equal(k, keys[order])
    np.testing.assert_array_equal(v, order)


def test_complex_numbers() -> None:
    random = np.random.default_rng(5)
    x = random.standard_normal((33, 2)).astype(np.float32)
    o = run("complexes", 32, x.reshape(-1), np.zeros(192, np.float32))[1].reshape(32, 3, 2)
    z = x[:, 0].astype(np.complex128) + 1j * x[:, 1]
    a, b = z[:32], z[1:]
    wanted = [a * b / (1 + 1j * abs(a)), np.exp(a * 0.1) / (b + 2) - a.conj()]
    wanted.append(abs(a) ** 2 + 1j * abs(b))
    for n, column in enumerate(wanted):
        np.testing.assert_allclose(o[:, n, 0] + 1j * o[:, n, 1], column, rtol=1e-5, atol=1e-6)


def test_packed_integers() -> None:
    x = np.random.default_rng(6).integers(0, 2**32, 64).astype(np.uint32)
    o = run("packed", 32, x, np.zeros(384, np.uint32))[1].reshape(32, 12)
    a, b = np.ascontiguousarray(x[::2]), np.ascontiguousarray(x[1::2])

    def of(v: np.ndarray, kind: str) -> np.ndarray:
        return v.view(kind).reshape(32, -1).astype(np.int64)

    def word(v: np.ndarray, kind: str) -> np.ndarray:
        return np.ascontiguousarray(v.astype(kind)).view(np.uint32).reshape(-1)

    u, v, s, t = of(a, "u1"), of(b, "u1"), of(a, "i1"), of(b, "i1")
    h, k = of(a, "i2"), of(b, "i2")
    wanted = [
        word(u + v, "u1"), word(np.clip(h - k, -32768, 32767), "i2"), word(np.maximum(s, t), "i1"),
        word((u + v + 1) >> 1, "u1"), word(abs(u - v), "u1"),
        word(np.where(of(a, "u2") > of(b, "u2"), -1, 0), "i2"), word(s < t, "u1"),
        abs(u - v).sum(1), (s * t).sum(1) - 7, (u * v).sum(1) + 7, word(-s, "i1"),
        (h * t[:, :2]).sum(1) + 1,
    ]  # fmt: skip
    for n, column in enumerate(wanted):
        np.testing.assert_array_equal(o[:, n], (column & 0xFFFFFFFF).astype(np.uint32))


def test_functions() -> None:
    x = np.concatenate([np.linspace(-3.5, 3.5, 31), [0.125]])
    o = run("functions", 32, x, np.zeros(320))[1].reshape(32, 10)
    for v, row in zip(x, o, strict=True):
        assert row[0] == pytest.approx(0.5 * math.erfc(-v / math.sqrt(2)), rel=1e-12)
        assert math.erf(row[1]) == pytest.approx(v / 4, rel=1e-12, abs=1e-15)
        assert 0.5 * math.erfc(-row[2] / math.sqrt(2)) == pytest.approx(v / 8 + 0.5, rel=1e-12)
        assert row[3] == pytest.approx(math.exp(v * v) * math.erfc(v), rel=1e-11)
        fraction, exponent = math.frexp(v)
        assert row[4] == pytest.approx(fraction * 100 + exponent)
        assert row[5] == exponent - 1 or v == 0
        assert row[6] == pytest.approx(1 / math.sqrt(v * v + 5))
        assert row[7] == pytest.approx(math.sqrt(v * v + 14))
        assert math.erf(row[8]) == pytest.approx(v / 4, rel=2e-6, abs=1e-7)
        away = math.copysign(math.floor(abs(v * 10) + 0.5), v)
        assert row[9] == pytest.approx(away + max(v, 0.0))


ASYNC = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/pipeline>
#include <cuda/barrier>
#include <cuda/atomic>
namespace cg = cooperative_groups;
__global__ void pipeline(const float *x, float *o, int n) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ float s[2][64];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&barrier, block.size());
    block.sync();
    auto pipe = cuda::make_pipeline(block, &state);
    float total = 0;
    for (int k = 0; k < n; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, s[k % 2], x + 64 * k, sizeof(float) * 64, pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        total += s[k % 2][63 - threadIdx.x];
        pipe.consumer_release();
        barrier.arrive_and_wait();
    }
    o[threadIdx.x] = total;
}
__global__ void atomics(cuda::atomic<int, cuda::thread_scope_device> *a, int *c) {
    a->fetch_add(2, cuda::std::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_device>(*c).fetch_max((int)threadIdx.x * 7 % 64);
}
__global__ void large(const int *x, int *o) {
    __shared__ cg::block_tile_memory<128> scratch;
    auto tile = cg::tiled_partition<64>(cg::this_thread_block(scratch));
    o[threadIdx.x] = cg::reduce(tile, x[threadIdx.x], cg::plus<int>());
}
"""


def test_pipelines_barriers_and_atomics() -> None:
    options = BuildOptions(opt_level=OptLevel.O2)
    compiled = compile_source(SourceText("async.cu", ASYNC, "."), options, frontend="clang")

    def done(name: str, threads: int, *values: np.ndarray | int) -> dict[int, np.ndarray]:
        kernel = next(k for k in compiled.kernels if k.name == name)
        return execute(compiled, kernel, NDRange((threads,), (threads,)), list(values)).buffers

    x = np.random.default_rng(7).integers(-9, 9, 192).astype(np.float32)
    found = done("pipeline", 64, x, np.zeros(64, np.float32), 3)[1]
    np.testing.assert_array_equal(found, x.reshape(3, 64)[:, ::-1].sum(0))
    counts = done("atomics", 64, np.zeros(1, np.int32), np.zeros(1, np.int32))
    assert (counts[0][0], counts[1][0]) == (128, 63)
    y = np.arange(128, dtype=np.int32)
    sums = done("large", 128, y, np.zeros(128, np.int32))[1]
    np.testing.assert_array_equal(sums, np.repeat(y.reshape(2, 64).sum(1), 64))

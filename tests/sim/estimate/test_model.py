"""The pipeline model on kernels whose time follows from one number of the GPU."""

from __future__ import annotations

import gc
from functools import cache

import pytest

from kcc.base.assumptions import parse_assumptions
from kcc.base.diagnostics import Span
from kcc.base.gpu.loading import load_gpu
from kcc.base.gpu.needs import GpuReader
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_argument, parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.passes.symbolic.build import SymbolicValues
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import KernelEstimate, estimate_source

SAXPY = """
__kernel void k(__global const float *x, __global float *y, float a) {
  int i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
"""
FMA = """
__kernel void k(__global float *y, float a, float b) {
  int i = get_global_id(0);
  float p = i, q = i + 1, r = i + 2, s = i + 3;
  for (int k = 0; k < 4096; k++) {
    p = fma(p, a, b); q = fma(q, a, b); r = fma(r, a, b); s = fma(s, a, b);
    p = fma(p, a, b); q = fma(q, a, b); r = fma(r, a, b); s = fma(s, a, b);
    p = fma(p, a, b); q = fma(q, a, b); r = fma(r, a, b); s = fma(s, a, b);
    p = fma(p, a, b); q = fma(q, a, b); r = fma(r, a, b); s = fma(s, a, b);
  }
  y[i] = p + q + r + s;
}
"""
TRANSPOSE = """
__kernel void k(__global const float *x, __global float *y, int n) {
  int i = get_global_id(0), j = get_global_id(1);
  y[i * n + j] = x[j * n + i];
}
"""


FIRST = """
__kernel void k(__global float *x, float a) {
  int i = get_global_id(0);
  float v = i;
  if (get_local_id(0) < 32)
    for (int j = 0; j < 2000; j++) v = fma(v, a, v);
  x[i] = v;
}
"""


MASKED = """
__kernel void k(__global const int *m, __global float *x) {
  int i = get_global_id(0);
  float v = x[i];
  if (m[i] > 0) {
    for (int j = 0; j < 64; j++) v = v * 1.5f + 0.5f;
  }
  x[i] = v;
}
"""


WIDENED = """
__kernel void k(__global double *y, float a) {
  double x = a * get_local_id(0), z = x + 1.25;
  z = z + x; z = z + x; z = z + x; z = z + x; z = z + x; z = z + x; z = z + x;
  y[get_global_id(0)] = z;
}
"""
NEIGHBOURS = """
__global__ void k(POINTER x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] + x[i + 1];
}
"""
HALF_OF_L2 = (6 << 20) / 32 / 2
"""Sectors of a V100's: of what a launch has written, they have not come to memory at its end."""

RULED_OUT = """
__global__ void k(double *y, int other) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (other) y[i + 1] = 2.5;
  y[i] = 1.5;
}
"""


TILE = """
__kernel void k(__global float *y) {
  __local float t[512];
  int i = get_local_id(0);
  t[i] = i; t[i + 256] = -i;
  barrier(1);
  float s = 0;
  for (int j = 0; j < 4096; j++) s += t[i + (j & 7) * 8 + OFFSET] + t[i + (j & 7) * 16 + OFFSET];
  y[get_global_id(0)] = s;
}
"""


@cache
def estimated(
    source: str, size: str, local: str, gpu: str, changes: tuple[str, ...] = (), args: str = "",
    assumed: str = "",
) -> KernelEstimate:  # fmt: skip
    at = Span("test", 1, 1)
    launch = LaunchRequest(parse_dimensions(size, at), parse_dimensions(local, at))
    arguments = tuple(parse_argument(text, at) for text in args.split())
    request = AnalysisRequest(
        source=SourceText("k.cu" if "__global__" in source else "k.cl", source, "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(launch, {}, arguments, "test"),
        assumptions=parse_assumptions((text, at) for text in assumed.split()),
    )
    (found,) = estimate_source(request, [load_gpu(gpu, changes)])
    return found


@pytest.mark.parametrize("gpu", ["v100", "a100", "rtx3090"])
def test_a_stream_takes_what_memory_sustains(gpu: str) -> None:
    # A third is written: nearly what a mix of halves sustains.
    found = estimated(SAXPY, "67108864", "256", gpu).estimate
    moved = 67108864 * 12
    description = load_gpu(gpu, [])
    peak = float(description.memory_bandwidth_gbs.value)  # type: ignore[union-attr]
    mixed = description.dram.mixed_share
    sustained = 0.93 if mixed is None else float(mixed.value)
    assert moved / found.time_us / 1e3 == pytest.approx(sustained * peak, rel=0.05)
    assert moved / found.time_us / 1e3 <= peak
    assert found.limiter == "dram_bandwidth"


@pytest.mark.parametrize(("gpu", "lanes"), [("v100", 64), ("rtx3090", 128), ("a100", 64)])
def test_pure_arithmetic_takes_what_the_units_give(gpu: str, lanes: int) -> None:
    found = estimated(FMA, "1048576", "256", gpu, (), "a=0.5 b=1.0").estimate
    description = load_gpu(gpu, [])
    sms = int(description.sm_count.value)  # type: ignore[union-attr]
    clock = GpuReader(description).clock_mhz()
    whole = 1048576 * 4096 * 16 / (sms * lanes * clock)
    # Where FMA takes all issue slots, so do the sum, the comparison and the branch of four rounds.
    expected = whole * (67 / 64 if lanes == 128 else 1.0)
    assert found.time_us == pytest.approx(expected, rel=0.05)
    assert found.time_us >= whole * 0.99


@pytest.mark.parametrize(("gpu", "cost"), [("v100", 1.0), ("a100", 2.3)])
def test_shared_loads_that_begin_within_a_sector(gpu: str, cost: float) -> None:
    """By GA100's crossing cycles, as loads of L1; others go through the banks alone."""
    aligned, within = (
        estimated(TILE.replace("OFFSET", offset), "1048576", "256", gpu).estimate
        for offset in ("0", "3")
    )
    ratio = within.bounds["memory_port"] / aligned.bounds["memory_port"]
    assert ratio == pytest.approx(cost, rel=0.01)


def test_conversions_from_double_go_at_the_rate_of_double_where_it_is_lower() -> None:
    # A conversion and two additions for each work-item: on 4 lanes of a GTX 980.
    items = 1 << 22
    found = estimated(WIDENED, str(items), "256", "gtx980", (), "a=0.5").estimate
    assert found.bounds["fp64"] == pytest.approx(items / 32 / 16 * (1 + 8) * 32 / 4)
    # Of a P100 additions alone are on the 32 lanes of double precision.
    found = estimated(WIDENED, str(items), "256", "p100", (), "a=0.5").estimate
    assert found.bounds["fp64"] == pytest.approx(items / 32 / 56 * 8 * 32 / 32)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("qualifiers", "gpu", "kept"),
    [
        ("const float *__restrict__", "gtx980", True), ("const float *", "gtx980", False),
        ("const float *", "p100", True), ("const float *", "k40", False),
        ("const float *__restrict__", "k40", True),
        ("const float *__restrict__", "nvidia-geforce-gtx-645", False),
    ],
)  # fmt: skip
def test_l1_keeps_what_guides_say_of_cuda(qualifiers: str, gpu: str, kept: bool) -> None:
    source = NEIGHBOURS.replace("POINTER", qualifiers)
    found = estimated(source, "1048576", "256", gpu).estimate.counts
    # Of 9 sectors that the two loads of a warp touch, 4 are touched for the first time, and one
    # more by the last warp of a thread block.
    assert found.l2_read_sectors == pytest.approx(32768 * (4 + 1 / 8 if kept else 9), rel=0.02)


@pytest.mark.parametrize("other", [0, 1])
def test_what_an_argument_rules_out_writes_nothing(other: int) -> None:
    # Both store to the same lines: if the first were taken to happen, the second would write none.
    found = estimated(RULED_OUT, "8388608", "256", "v100", (), f"other={other}").estimate.counts
    assert found.dram_write_sectors == pytest.approx(8388608 / 4 - HALF_OF_L2, rel=0.01)
    assert found.l2_write_sectors == pytest.approx(8388608 / 4 * (2.125 if other else 1), rel=0.01)


def test_lanes_that_begin_within_a_sector_wait_for_memory_each_time() -> None:
    # A warp's 128 bytes are in five sectors, of which the next warp brings the last one: each
    # warp brings four, rather than four warps of five all five.
    source = NEIGHBOURS.replace("POINTER", "const float *__restrict__").replace("x[i] + ", "")
    inside = source.replace("x[i + 1]", "x[i]")
    whole, part = (
        estimated(text, "1048576", "32", "v100").estimate.cpi_stack["dram"]
        for text in (inside, source)
    )
    assert part == pytest.approx(whole, rel=0.05)


def test_the_stack_adds_up() -> None:
    for source in (SAXPY, FMA):
        found = estimated(source, "1048576", "256", "v100", (), "a=0.5").estimate
        assert sum(found.cpi_stack.values()) == pytest.approx(found.cpi, rel=1e-6)


@pytest.mark.parametrize("gpu", ["rtx2080ti", "k40", "v100"])
def test_the_stack_of_a_long_launch_is_that_of_full_sms(gpu: str) -> None:
    # Neither the filling of the SM that is run, nor its end: a warp instruction takes an issue
    # slot, and no scheduler is without a warp.
    stream = estimated(SAXPY, "16777216", "256", gpu, (), "a=0.5").estimate
    issue = stream.bounds["issue"] / stream.cycles * stream.cpi
    assert stream.cpi_stack["issue"] == pytest.approx(issue, rel=0.02)
    assert stream.cpi_stack["idle"] < 0.01 * stream.cpi
    assert stream.cpi_stack["dram"] > 0.3 * stream.cpi


def test_schedulers_whose_warps_have_ended_are_idle() -> None:
    # Of the 8 warps of each thread block the first works long; on a V100 these are all on one of
    # the four schedulers. The other three are idle but for a few instructions and their waits.
    found = estimated(FIRST, "4194304", "256", "v100", (), "a=0.5").estimate
    assert 0.65 * found.cpi < found.cpi_stack["idle"] < 0.75 * found.cpi
    assert found.cpi_stack["block_start"] < 0.1 * found.cpi


@pytest.mark.parametrize("work_items", ["65536", "4194304"])
def test_the_stack_of_a_long_loop_is_that_of_the_loop(work_items: str) -> None:
    # 4,096 iterations, of which few are run: what is before and after them is next to nothing.
    found = estimated(FMA, work_items, "256", "v100", (), "a=0.5 b=1.0").estimate
    of_loop = sum(found.cpi_stack[name] for name in ("issue", "arithmetic", "unit_busy"))
    assert of_loop > 0.995 * found.cpi


def test_counts_of_a_stream_are_exact() -> None:
    counts = estimated(SAXPY, "67108864", "256", "v100").estimate.counts
    assert counts.dram_read_sectors == pytest.approx(2 * 67108864 / 8)
    # Of x and y, both of which go through L2 alike, half of the lines are written.
    assert counts.dram_write_sectors == pytest.approx(67108864 / 8 - HALF_OF_L2)


STORE = """
__kernel void k(__global int *x) {
  VALUE;
}
"""


def test_a_launch_ends_when_its_stores_are_in_l2() -> None:
    """One warp: after the store has been issued, half of what a load that hits L2 takes. Its seven
    instructions are one line of code, as those of the empty kernel are."""
    gpu = load_gpu("v100")
    assert gpu.latency_cycles.l2_hit is not None
    way = float(gpu.latency_cycles.l2_hit.value) / 2

    def cycles(value: str) -> float:
        return estimated(STORE.replace("VALUE", value), "32", "32", "v100").estimate.cycles

    store, none = cycles("x[get_local_id(0)] = 0"), cycles("")
    assert way < store - none < way + 60
    counted = estimated(STORE.replace("VALUE", "x[get_local_id(0)] = 0"), "32", "32", "v100")
    assert counted.estimate.counts.dram_write_sectors == 0.0


@pytest.mark.sampled(5)
@pytest.mark.parametrize("key", ["sm_count", "core_clock_boost_mhz", "memory_bandwidth_gbs",
                                 "l2.size_bytes"])  # fmt: skip
@pytest.mark.parametrize("source", [SAXPY, FMA, TRANSPOSE])
def test_more_of_anything_is_not_slower(key: str, source: str) -> None:
    values = {"sm_count": (60, 80), "core_clock_boost_mhz": (1300, 1500),
              "memory_bandwidth_gbs": (700, 900),
              "l2.size_bytes": (3145728, 6291456)}[key]  # fmt: skip
    size, local, args = ("1048576", "256", "")
    if source is TRANSPOSE:
        size, local, args = "2048,2048", "32,8", "n=2048"
    less, more = (
        estimated(source, size, local, "v100", (f"{key}={value}",), args).estimate.time_us
        for value in values
    )
    assert more <= 1.02 * less


def test_a_block_that_does_not_fit_is_invalid() -> None:
    large = SAXPY.replace("int i", "__local float t[16384]; t[get_local_id(0)] = 1; int i")
    found = estimated(
        large.replace("a *", "t[0] *"),
        "65536",
        "256",
        "rtx2080ti",
        ("max_shared_per_block_bytes=49152",),
    ).estimate
    assert "shared memory" in found.invalid


def test_a_transpose_asks_for_a_sector_per_lane() -> None:
    counts = estimated(TRANSPOSE, "2048,2048", "32,8", "v100", (), "n=2048").estimate.counts
    assert counts.l2_write_sectors == pytest.approx(2048 * 2048, rel=0.01)


def test_the_users_share_of_a_branch_is_taken() -> None:
    # Lanes part: a warp goes in with the first share of its lanes, below 1 / 32 not every warp.
    never, seldom, some, always = (
        estimated(MASKED, "1048576", "256", "v100", assumed=f"branch@5={share}").estimate
        for share in (0.0, 0.01, 0.3, 1.0)
    )
    inside = always.counts.warp_instructions - never.counts.warp_instructions
    assert inside >= 64 * 1048576 / 32
    more = seldom.counts.warp_instructions - never.counts.warp_instructions
    assert more == pytest.approx(0.32 * inside)
    assert some.counts.warp_instructions == always.counts.warp_instructions
    assert never.assumed_share == 0.0
    assert 0.0 < seldom.assumed_share < always.assumed_share < 1.0


LAST_SUM = """
__kernel void k(__global float *x, int n) {
  size_t i = get_global_id(0);
  x[i] = i;
  if (i == 0) {
    float s = 0.0f;
    for (int j = 0; j < n; j++) s = s * 0.5f + x[j + 1];
    x[0] = s;
  }
}
"""


def test_a_launch_takes_no_less_than_its_slowest_warp() -> None:
    # One work-item of 65,536 goes on alone: a multiplication and an addition wait for each other.
    cycles = {
        n: estimated(LAST_SUM, "65536", "256", "v100", (), f"n={n}").estimate.cycles
        for n in (1, 256, 512)
    }
    assert cycles[256] - cycles[1] > 255 * 4
    assert cycles[512] - cycles[256] == pytest.approx(cycles[256] - cycles[1], rel=0.3)


def test_nothing_is_kept_of_kernels_that_were_estimated() -> None:
    """A sweep of thousands of configurations must not grow with each."""

    def alive() -> int:
        gc.collect()
        return sum(type(each) is SymbolicValues for each in gc.get_objects())  # no proxy is asked

    before = alive()
    for shift in range(2):
        source = TRANSPOSE.replace("y[i", f"if (i * j + {shift} < n) y[i")
        estimated(source, "256,256", "16,16", "v100", args="n=256")
    assert alive() == before


CONSTANTS = """
__kernel void k(__constant float *c, __global float *y, int n, int m) {
  float sum = 0;
  for (int i = 0; i < n && i < m; i++) sum += c[4 * i] + c[4 * i + 1] * c[4 * i + 2] + c[4 * i + 3];
  y[get_global_id(0)] = sum;
}
"""


def test_what_comes_after_a_long_loop_over_constants_is_looked_at() -> None:
    """The loop makes more accesses than the analysis of caches does in full; the store after it has
    its addresses all the same."""
    found = estimated(CONSTANTS, "262144", "256", "rtx3090", (), "n=4096 m=2048").estimate
    assert found.unknown_accesses == 0
    assert found.assumed_share == 0
    assert found.counts.l2_write_sectors == 262144 * 4 / 32
    assert found.counts.dram_write_sectors == 0.0  # L2 has room for them


DOWN_COLUMNS = """
__kernel void walk(__global const uint *a, __global uint *c, uint height) {
    uint index = get_global_id(0) * height + get_global_id(1);
    c[index] = a[index];
}
"""


def test_a_walk_takes_the_time_of_its_rows():
    """512 MB in and out, each sector by itself: 33.6 million rows of 11.9 ns in 16 channels."""
    found = estimated(
        DOWN_COLUMNS,
        "16384,8192",
        "32,8",
        "t4",
        (),
        "a=uint[134217728] c=uint[134217728] height=8192",
    ).estimate
    assert found.limiter == "dram_bandwidth"
    assert found.time_us == pytest.approx(2 * (1 << 24) * 11.9e-3 / 16, rel=0.03)


NAIVE_TRANSPOSE = """
__kernel void transpose(__global const float *a, __global float *c, uint w, uint h) {
    c[get_global_id(0) * h + get_global_id(1)] = a[get_global_id(1) * w + get_global_id(0)];
}
"""


def test_a_transpose_moves_each_array_once() -> None:
    """Eight thread blocks, in different waves, fill a sector that is written."""
    args = "a=float[134217728] c=float[134217728] w=16384 h=8192"
    counts = estimated(NAIVE_TRANSPOSE, "16384,8192", "256,1", "t4", (), args).estimate.counts
    whole = 16384 * 8192 * 4 / 32
    assert counts.dram_read_sectors == pytest.approx(whole, rel=0.01)
    assert whole * 0.99 < counts.dram_write_sectors <= whole


ROWS_OF_A_VIEW = """
template <class T> struct View {
  T *data; int rows, columns;
  __device__ const T &operator()(int i, int j) const { return data[i * columns + j]; }
};
__global__ void k(const View<float4> view, float4 *out, int n) {
  float4 sum = make_float4(0, 0, 0, 0);
  for (int j = threadIdx.x; j < n; j += blockDim.x) sum.x += view(blockIdx.x, j).x;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize("view", ["", " view={ulong_0,int_1024,int_4096}"])
def test_rows_of_a_struct_by_value_are_read_once_each(view: str) -> None:
    """Thread blocks read rows of their own, also where nobody says how long they are."""
    at = Span("test", 1, 1)
    texts = ["n=4096", *([view.strip().replace("_", " ")] if view else [])]
    request = AnalysisRequest(
        source=SourceText("k.cu", ROWS_OF_A_VIEW, "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(
            LaunchRequest(parse_dimensions("1024*256", at), parse_dimensions("256", at)), {},
            tuple(parse_argument(text, at) for text in texts), "test",
        ),
    )  # fmt: skip
    (found,) = estimate_source(request, [load_gpu("v100", ())])
    assert found.estimate.counts.dram_read_sectors == pytest.approx(1024 * 4096 * 16 / 32, rel=0.02)
    assert found.estimate.unknown_accesses == (0 if view else 1)

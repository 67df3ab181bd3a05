"""Static traces of the kernels of kernels/ beside those of a run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kcc.frontend.options import OptLevel
from kcc.tracegen.execute import NDRange
from kcc.tracegen.static.classes import find_classes
from kcc.tracegen.static.launch import BufferSize, StaticLaunch
from kcc.tracegen.static.program import prepare_static
from tests.kernels.case import Case, label
from tests.kernels.test_kernels import CASES
from tests.tracegen import engine
from tests.tracegen.static.comparing import both, difference, not_in_run

SAMPLE = frozenset(
    {
        "vecadd", "matmul_naive", "matmul_tiled", "nw_kernel1", "lud_perimeter", "scan_block",
        "BFS_1", "mst_find_partner", "srad2_kernel", "hotspot", "bpnn_adjust_weights_ocl",
        "bitonicMergeGlobal", "Fan2", "spmv_csr_scalar_kernel",
    }
)  # fmt: skip
"""Kernels that are looked at in every run; all with --full."""

DECIDED = frozenset(
    {
        "vecadd", "vecadd4", "transpose_naive", "transpose_tiled", "transpose_padded",
        "matmul_naive", "matmul_tiled", "matmul_float4", "reduce_interleaved",
        "reduce_sequential", "reduce_grid_stride", "lud_diagonal", "lud_perimeter",
        "lud_internal", "bpnn_layerforward_ocl", "bpnn_adjust_weights_ocl", "kmeans_swap",
        "kmeans_kernel_c", "saxpy", "saxpy_grid_stride", "Fan1", "Fan2", "NearestNeighbor",
        "memset_kernel", "hotspot", "nw_kernel1", "nw_kernel2", "naive_kernel",
        "block2D_reg_tiling", "extract_kernel", "prepare_kernel", "reduce_kernel",
        "compress_kernel", "sssp_initialize", "mst_reset", "scan_naive", "scan_block",
        "add_offsets", "mergeHistogram256", "bitonicMergeGlobal", "sum_kernel",
        "normalize_weights_kernel", "initialize_variables", "compute_step_factor", "time_step",
        "nbody_sim", "integrateBodies_noMT", "lbm_initialize", "BlackScholes", "mc_mean",
        "fft_radix2_pass", "fft256", "convolutionRows", "convolutionColumns", "convolution_2d",
        "mandelbrot", "julia4", "laplace3d", "cenergy",
    }
)  # fmt: skip
"""Kernels whose control flow and addresses depend on nothing that memory holds."""


def launches(case: Case) -> list[NDRange]:
    """The launch of a case, and two with fewer thread blocks."""
    launch = case.launch()
    own, part = tuple(launch.global_size), tuple(launch.local_size)
    blocks = [a // b for a, b in zip(own, part, strict=True)]
    fewer = [max(1, b - 1) for b in blocks]
    fewest = [max(1, -(-b // 2)) for b in blocks]
    sizes = [tuple(b * p for b, p in zip(each, part, strict=True)) for each in (fewer, fewest)]
    return [NDRange(size, part) for size in dict.fromkeys([own, *sizes])]


def check(case: Case, shape: NDRange, level: OptLevel = OptLevel.O2) -> None:
    """The static trace is that of the run, or no more differs than is assumed."""
    launch = replace(case.launch(), global_size=shape.global_size)
    unit = engine.compiled(case.name, level)
    kernel = engine.kernel_of(unit, case.kernel)
    static, traced = both(unit, kernel, shape, engine.arguments(kernel, launch))
    summary = static.summary
    if summary.assumed_events == 0:
        assert difference(static, traced) is None
        counts = tuple((c.executions, c.lanes) for c in traced.done.counts)
        assert summary.totals.counts == counts
    else:
        assert level is not OptLevel.O2 or case.kernel not in DECIDED
        assert summary.notes
        assert not_in_run(static, traced) <= summary.assumed_events


@pytest.mark.sampled(8)
@pytest.mark.parametrize("case", [c for c in CASES if c.kernel in SAMPLE], ids=label)
def test_kernel(case: Case):
    check(case, launches(case)[0])


@pytest.mark.full
@pytest.mark.parametrize("level", [OptLevel.O1, OptLevel.O2])
@pytest.mark.parametrize("case", CASES, ids=label)
def test_every_kernel(case: Case, level: OptLevel):
    for shape in launches(case):
        check(case, shape, level)


def test_classes_do_not_grow_with_the_launch():
    """The same kernel with 2^10 and 2^30 work-items takes the same classes."""
    unit = engine.compiled("vecadd")
    kernel = engine.kernel_of(unit, "vecadd")
    for power in (10, 30):
        n = (1 << power) - 5
        buffers = [BufferSize(4 * n)] * 3
        launch = StaticLaunch(NDRange((1 << power,), (256,)), [*buffers, n])
        classes = find_classes(prepare_static(unit, kernel, launch))
        assert sorted(c.found.warps for c in classes) == [1, (1 << power - 5) - 1]

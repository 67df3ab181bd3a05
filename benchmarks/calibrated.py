"""What in kcc was calibrated on measured tables, and what it is without them.

One list: each constant of the code with its value without evidence (what no mechanism at all, or
a source other than the tables, would say) and the tables it rests on; and of the GPU files the
sources that are tables. A table is left out when it is predicted with every constant that rests on
it at that value, without the GPU values that come from it, and at the clock of the data sheet where
the clock was read off its own rows (``settings`` of benchmarks/measured_tables.py).

Rules of compilation that were chosen with tables in view (docs/validation/accuracy.md) are no
numbers and
stay.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import ModuleType

from benchmarks.measured_tables import Table
from kcc.base.gpu.loading import load_gpu
from kcc.base.gpu.schema import facts_of
from kcc.frontend import optimise
from kcc.sim.caches import overflow, warm_cache
from kcc.sim.machine import (
    atomics,
    block_dispatch,
    dram_load,
    l2_path,
    launch_overhead,
    load_port,
    pipeline_columns,
    register_banks,
)
from kcc.sim.program import schedule

STREAMS, SMALL = "microbench_stream_occupancy", "microbench_small_kernels"
GEMM = ("gemm4096_rtx3090", "gemm4096_rtx2080ti")
COULOMB = "coulomb3d_rtx2080ti_counters"
PEAKS, ROOFLINE = "opencl_benchmark", "roofline_floats"
BOOK, MODELS, COURSE = "pmpp_nvbench", "leetcuda_l20", "gpgpu_course"
K40, POLYBENCH = "simple_kernels_k40", "polybench_h100_sxm"

CONVOLUTION_US = 1.8
"""A launch in a queue as PolyBench's convolution-3d has them on an H100: the 254 launches of its
851.5 us (row 8 of 2026-08-05T14-15Z, which waits for none), less the 1.55 us that each kernel and
its nine lines of code are estimated to take."""

EMPTY_US = 1.0
"""The nodes of a graph wait for no host: an empty kernel, about a microsecond
(`EMPTY_KERNEL_CYCLES`)."""


@dataclass(frozen=True, slots=True)
class Constant:
    """``without``: its value without evidence, where the reason says what it stands for;
    ``refitted``: its value out of the evidence that a table's absence leaves, by table."""

    module: ModuleType
    name: str
    without: object
    tables: tuple[str, ...]
    reason: str
    refitted: Mapping[str, object] = field(default_factory=dict[str, object])

    def without_table(self, table: str) -> object:
        """Its value where a table that it rests on is left out."""
        return self.refitted.get(table, self.without)


CONSTANTS = (
    Constant(pipeline_columns, "SUSTAINED", 0.849, (STREAMS,),
             "what reading far more than L2 holds reaches (benchmarks/fit_l2.py)"),
    Constant(pipeline_columns, "MIXED_LOSS", (0.0, 0.0), (STREAMS,), "no loss in turning round"),
    Constant(pipeline_columns, "QUEUE_NS", (0.0, 0.0), (STREAMS,), "no wait under load"),
    Constant(pipeline_columns, "TURNAROUND_NS", (0.0, 0.0), (STREAMS,), "no wait for writes"),
    Constant(pipeline_columns, "BLOCK_START_CYCLES", 0.0, (STREAMS,), "blocks start at once"),
    Constant(launch_overhead, "QUEUED_US", 0.0, (SMALL,), "no overhead", {SMALL: CONVOLUTION_US}),
    Constant(launch_overhead, "GRAPH_US", EMPTY_US, (SMALL,), "as an empty kernel"),
    Constant(overflow, "ALL_GONE", 1.73, (SMALL,), "benchmarks/fit_l2.py"),
    Constant(overflow, "ALL_GONE_OF", {}, ("gemv_rtx5090", "roofline_rtx5070"), "as others"),
    Constant(warm_cache, "COPIES", 1.28, (SMALL,), "benchmarks/fit_l2.py"),
    Constant(load_port, "LOOKUP_CYCLES", 0.0, (*GEMM, COULOMB), "the port is held by data only"),
    Constant(load_port, "LONE_WORDS", 0.0, (BOOK,), "a pass takes what one of a whole warp does"),
    Constant(load_port, "FEW_LANES", 0, (COURSE,), "as an access of a whole warp"),
    Constant(atomics, "ADA", atomics.VOLTA_AND_LATER, ("kernel_performance",),
             "a cycle of the SM, as on others; that sectors take five is what two tables say"),
    Constant(load_port, "ADDRESS_LANES",
             {each: n for each, n in load_port.ADDRESS_LANES.items() if each != (12, 0)},
             ("roofline_rtx5070",), "32, as where nothing is known"),
    Constant(load_port, "LINES_AT_ONCE", 1 << 16, ("kmeans",),
             "as far as a warp waits for nothing"),
    Constant(schedule, "WINDOW", 256, GEMM,
             "as far as a compiler may look; no number is published"),
    Constant(pipeline_columns, "XU_QUEUE_CYCLES", 0.0, (COULOMB,), "XU takes in nothing ahead"),
    Constant(l2_path, "REQUEST_CYCLES", 1.0, (K40, POLYBENCH), "a request a cycle",
             {K40: 2.0, POLYBENCH: 1.95}),
    Constant(load_port, "READ_ONLY_CROSSING_CYCLES", {}, ("convolution_milo_a100",),
             "as other loads that cross a line"),
    Constant(register_banks, "FIRST_WITH_TWO_BANKS", (99, 0), (ROOFLINE,),
             "registers bound nothing"),
    Constant(block_dispatch, "BLOCKS_PER_CYCLE", 0.0, (SMALL,), "blocks start at once"),
    Constant(dram_load, "MANY_STREAMS_SHARE", 1.0, (PEAKS,), "as of one stream"),
    Constant(dram_load, "AMD_MANY_STREAMS_SHARE", 1.0, (PEAKS,), "as of one stream"),
    Constant(dram_load, "ROW_NS", 0.0, (BOOK,), "rows open at once"),
    Constant(dram_load, "STACKED_ROW_NS", 0.0, (BOOK,), "rows open at once"),
    Constant(l2_path, "PART_WRITTEN_CYCLES", 1.0, (PEAKS,), "as whole sectors"),
    Constant(l2_path, "PARTS_AS_WHOLE", (), (MODELS,), "as Turing to Hopper"),
    Constant(optimise, "AMD_UNROLL_SIZE", 10240, ("convolution_milo_w6600",),
             "as clang 14 to 16 unroll"),
)  # fmt: skip

SOURCES = {
    "gpubenches-stream": STREAMS, "gpubenches-small": SMALL, "opencl-benchmark": PEAKS,
    "pmpp-times": BOOK, "course-times": COURSE, "seismic-times": "seismic_stencils",
    "product-times": "products_rdna3",
}  # fmt: skip
"""Sources of values in GPU files that are tables of times; other microbenchmarks (latencies,
strides, cache bandwidths) give no kernel's time."""


DRAM_SHARES = {
    "nvidia-a100-sxm4-80gb": 0.849, "nvidia-h100-pcie-80gb": 0.963, "h200": 0.795,
    "nvidia-l40": 0.922, "amd-mi100": 0.727, "amd-mi210": 0.773, "amd-radeon-rx-6900-xt": 0.887,
}  # fmt: skip
"""What stands for `dram.sustained_share` of a GPU where the streams are left out: the same reading
of far more than L2 holds (benchmarks/fit_l2.py)."""


def rests_on(table: Table) -> bool:
    """Whether anything was calibrated on a table."""
    has_own_clock = bool(table.clocks_mhz) and not table.clock_is_set
    return has_own_clock or table.name in (
        *SOURCES.values(), *(name for constant in CONSTANTS for name in constant.tables),
    )  # fmt: skip


@contextmanager
def left_out(table: str) -> Generator[None]:
    """The constants that rest on a table at their values without it, in every module that has
    imported them."""
    changed = list[tuple[ModuleType, str, object]]()
    for constant in CONSTANTS:
        if table in constant.tables:
            old = getattr(constant.module, constant.name)
            for module in _holders(constant.name, old):
                changed.append((module, constant.name, old))
                setattr(module, constant.name, constant.without_table(table))
    try:
        yield
    finally:
        for module, name, old in changed:
            setattr(module, name, old)


def _holders(name: str, value: object) -> list[ModuleType]:
    """Modules of kcc that have the constant, from wherever they imported it."""
    return [
        module for path, module in list(sys.modules.items())
        if path.startswith("kcc.") and module.__dict__.get(name) is value
    ]  # fmt: skip


def without_sources(gpu: str, table: str) -> tuple[str, ...]:
    """Changes of a GPU's values that take away those that come from a table; what another
    benchmark says takes their place."""
    sources = {source for source, name in SOURCES.items() if name == table}
    if not sources:
        return ()
    facts = facts_of(load_gpu(gpu)).items()
    other = {"dram.sustained_share": DRAM_SHARES.get(gpu, "null")}
    return tuple(
        f"{key}={other.get(key, 'null')}" for key, fact in facts if fact and fact.source in sources
    )

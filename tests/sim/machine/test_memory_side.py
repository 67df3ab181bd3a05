"""A cache at the side of the memory: a bound of its own, and less for DRAM to move."""

from __future__ import annotations

from functools import cache

import pytest

from kcc.base.diagnostics import Span
from kcc.base.gpu.loading import load_gpu
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.sim.caches.footprint import Traffic
from kcc.sim.caches.options import CacheMethod, CacheOptions
from kcc.sim.estimate.result import Estimate
from kcc.sim.machine.memory_side import beyond_cache, scratch_kept
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import Question, estimate_source

SCALE = """
__kernel void k(__global const float *x, __global float *y) {
  size_t i = get_global_id(0);
  y[i] = 2.0f * x[i];
}
"""


def scratch(dram: float) -> Traffic:
    """That of an operation of which DRAM moves so many sectors."""
    return Traffic(4.0, 1.0, 4.0, dram, 1.0, known=True)


L2, L3 = "l2.size_bytes=4194304", "extra.l3_bytes=67108864"


@cache
def estimated(items: int, *changes: str, warm: bool = True, method: str = "reuse") -> Estimate:
    at = Span("test", 1, 1)
    launch = LaunchRequest(parse_dimensions(str(items), at), parse_dimensions("256", at))
    request = AnalysisRequest(
        source=SourceText("k.cl", SCALE, "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(launch, {}, (), "test"),
    )
    question = Question(analysis=CacheOptions(CacheMethod(method), warm=warm))
    (found,) = estimate_source(request, [load_gpu("rx6900xt", changes)], question)
    return found.estimate


@pytest.mark.parametrize("method", ["reuse", "footprint"])
def test_what_fits_it_goes_at_its_bandwidth(method: str) -> None:
    items = 1 << 22  # 32 MiB
    found = estimated(items, L2, L3, "extra.l3_bandwidth_gbs=1000", method=method)
    assert found.limiter == "memory_side_cache"
    assert found.counts.dram_read_sectors == found.counts.dram_write_sectors == 0
    kernel_us = found.time_us * (1 - found.cpi_stack["launch"] / found.cpi)
    assert kernel_us == pytest.approx(items * 8 / 1e12 * 1e6, rel=0.02)


def test_what_does_not_fit_it_is_the_memorys() -> None:
    items = 1 << 26  # 512 MiB
    with_it, without = (
        estimated(items, L2, L3), estimated(items, L2, "extra.l3_bytes=null"),
    )  # fmt: skip
    assert with_it.counts == without.counts
    assert with_it.time_us == pytest.approx(without.time_us)


def test_a_cold_launch_that_reads_all_once_gains_nothing() -> None:
    cold = estimated(1 << 22, L2, L3, warm=False)
    assert cold.counts.dram_read_sectors == pytest.approx((1 << 22) / 8)


def test_larger_or_faster_is_not_slower() -> None:
    items = 1 << 23
    times = [
        estimated(items, L2, f"extra.l3_bytes={size << 20}", "extra.l3_bandwidth_gbs=1000").time_us
        for size in (16, 32, 64, 128)
    ]
    assert times == sorted(times, reverse=True)
    faster = estimated(items, L2, "extra.l3_bytes=134217728", "extra.l3_bandwidth_gbs=1500").time_us
    assert faster < times[-1]


def test_of_scratch_it_keeps_what_is_loaded_again() -> None:
    """Two stores of 8 sectors and 5 loads of 4: of 20 sectors that come back 16 were only stored;
    of those that it keeps DRAM moves what a cache as large as both would leave."""
    traffic = {1: scratch(8.0), 2: scratch(4.0)}
    kept = scratch_kept(traffic, {2: 5.0}, {1: 2.0})
    assert kept == {1: 0.0, 2: pytest.approx(0.2)}
    found, moved = beyond_cache(traffic, {1: scratch(0.0), 2: scratch(1.0)}, kept)
    assert found[1].dram_sectors == 8.0
    assert found[2].dram_sectors == pytest.approx(4.0 - 0.2 * 3.0)
    assert moved == {1: 0.0, 2: pytest.approx(0.8)}


def test_of_scratch_that_is_loaded_once_it_keeps_nothing() -> None:
    traffic = {1: scratch(4.0), 2: scratch(4.0)}
    assert scratch_kept(traffic, {2: 3.0}, {1: 3.0}) == {1: 0.0, 2: 0.0}
    assert scratch_kept({}, {}, {}) == {}

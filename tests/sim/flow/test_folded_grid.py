"""Thread blocks whose addresses go on in two steps, as those of a grid with a dimension more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcc.base.diagnostics import Span
from kcc.base.gpu.loading import load_gpu
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_argument, parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.sim.flow.folded_grid import period_of
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import estimate_source

BUTTERFLY = """
__kernel void k(__global const float *x, __global float *y, int stride) {
  int pos = get_global_id(0), lo = pos & (stride - 1), at = ((pos - lo) << 2) + lo;
  float a = x[at], b = x[at + stride], c = x[at + 2 * stride], d = x[at + 3 * stride];
  y[at] = a + b; y[at + stride] = a - b; y[at + 2 * stride] = c + d; y[at + 3 * stride] = c - d;
}
"""


@given(st.integers(1, 6), st.integers(2, 7), st.integers(-64, 64), st.integers(-4096, 4096))
def test_a_period_is_found(log2: int, periods: int, step: int, far: int) -> None:
    period = 1 << log2
    found = period_of(lambda b: b % period * step + b // period * far, period * periods)
    assert found == (None if far == period * step else (period, far))


def test_what_is_no_period_is_none() -> None:
    assert period_of(lambda block: block * block, 256) is None
    assert period_of(lambda block: 0 if block < 64 else block, 256) is None
    assert period_of(lambda _: None, 256) is None
    assert period_of(lambda block: 4 * block, 1) is None


def test_the_grid_may_be_as_large_as_a_launch_can_be() -> None:
    """An index of 32 bits that wraps: 2^40 thread blocks of 256 take no longer than a few."""
    assert period_of(lambda block: 256 * block % 2**32, 2**40) == (2**24, 0)


@pytest.mark.parametrize("stride", [256, 2048, 65536, 1 << 20])
def test_each_part_of_a_butterfly_is_read_once(stride: int) -> None:
    items, at = 1 << 20, Span("test", 1, 1)
    launch = LaunchRequest(parse_dimensions(str(items), at), parse_dimensions("256", at))
    request = AnalysisRequest(
        source=SourceText("k.cl", BUTTERFLY, "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(launch, {}, (parse_argument(f"stride={stride}", at),), "test"),
    )
    (found,) = estimate_source(request, [load_gpu("v100", [])])
    counts = found.estimate.counts
    assert counts.dram_read_sectors == counts.l2_read_sectors == items * 4 / 8
    assert counts.l2_write_sectors == items * 4 / 8
    half_of_l2 = (6 << 20) / 32 / 2  # no more of it is dirty when the launch ends
    assert counts.dram_write_sectors == items * 4 / 8 - half_of_l2

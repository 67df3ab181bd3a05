"""How often warps execute blocks, where that can be counted by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kcc.base.diagnostics import Span
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.passes.access.activity import activity
from kcc.passes.control.trip_counts import TripCounts, TripKind
from kcc.passes.symbolic.build import SymbolicValues
from kcc.sim.estimate.subject import Subject
from kcc.sim.flow.assumed_shares import ASSUMED_SHARE, DIVERGENT_WARPS
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import Workshop

GUARDED = """
__kernel void k(__global float *x, __global float *y) {
  int i = get_global_id(0), j = get_global_id(1);
  int width = get_global_size(0), height = get_global_size(1);
  if (CONDITION) x[j * width + i] = y[i];
}
"""


def prepared_subject(text: str, whole: str, part: str) -> Subject:
    """A kernel with its launch."""
    at = Span("test", 1)
    launch = LaunchRequest(parse_dimensions(whole, at), parse_dimensions(part, at))
    request = AnalysisRequest(
        source=SourceText("k.cl", text, "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(launch, {}, (), "test"),
    )
    (prepared,) = Workshop().prepare(request)
    return prepared.subject


def stores(condition: str, whole: tuple[int, int], part: tuple[int, int]) -> float:
    """How often warps store."""
    text = GUARDED.replace("CONDITION", condition)
    flow = prepared_subject(text, ",".join(map(str, whole)), ",".join(map(str, part))).flow
    return flow.executions[flow.block_of[-1]]


@pytest.mark.parametrize(
    ("condition", "warps"),
    [
        ("i == 0", 4096),  # the left one of the 64 warps of each row
        ("i > 0 && i < width - 1", 64 * 4096),  # those at the edges have lanes inside
        ("j == height - 1", 64),  # the last row alone
        ("j > 0 && j < height - 1 && i >= 32", 63 * 4094),
    ],
)
def test_blocks_of_a_launch_of_which_a_sample_is_looked_at(condition: str, warps: int) -> None:
    """64 by 512 thread blocks of 8 warps, each of 32 by 1 work-items."""
    assert stores(condition, (2048, 4096), (32, 8)) == pytest.approx(warps, rel=1e-9)


@pytest.mark.parametrize(
    ("condition", "warps"), [("y[i] > 0.0f", DIVERGENT_WARPS), ("y[0] > 0.0f", ASSUMED_SHARE)]
)
def test_what_memory_decides_for_each_lane_more_warps_do(condition: str, warps: float) -> None:
    """All lanes of a warp go one way where they read one word."""
    assert stores(condition, (2048, 4096), (32, 8)) == pytest.approx(64 * 4096 * warps)


TILE = """
__kernel void k(__global float *x, __global float *y) {
  __local float tile[46][38];
  int top = get_group_id(1) * 32, left = get_group_id(0) * 24;
  for (int i = get_local_id(1); i < 46; i += 32)
    if (top + i < 4110)
      for (int j = get_local_id(0); j < 38; j += 8)
        if (left + j < 4110) tile[i][j] = x[(top + i) * 4110 + left + j];
  barrier(CLK_LOCAL_MEM_FENCE);
  y[get_global_id(1) * get_global_size(0) + get_global_id(0)] =
      tile[get_local_id(1) + 7][get_local_id(0) + 7];
}
"""


def tile_subject() -> Subject:
    """171 by 128 thread blocks of 8 by 32."""
    return prepared_subject(TILE, "1368,4096", "8,32")


def test_a_guarded_tile_is_loaded_as_often_as_its_rows_and_columns_say() -> None:
    """A warp is 8 by 4, and rows and columns are apart."""
    flow = tile_subject().flow
    columns = sum(24 * x + 8 * j < 4110 for x in range(171) for j in range(5))
    rows = sum(
        first + 32 * i < 46 and 32 * y + first + 32 * i < 4110
        for y in range(128) for first in range(0, 32, 4) for i in range(2)
    )  # fmt: skip
    assert not flow.assumed
    assert flow.executions[flow.block_of[0]] == pytest.approx(rows * columns, rel=0.01)


def test_lanes_are_known_where_only_the_interval_of_the_trips_is() -> None:
    """As in launches that are too large to compute every work-item's trips."""
    subject = tile_subject()
    values, trips = subject.facts[SymbolicValues], subject.facts[TripCounts].trips
    loose = [replace(t, kind=TripKind.BOUND, least=0, greatest=None) for t in trips]
    block = subject.flow.block_of[0]
    sharp = activity(values, TripCounts(trips), block)
    found = activity(values, TripCounts(tuple(loose)), block)
    assert sharp is not None
    assert found is not None
    assert found.condition == sharp.condition
    assert all(count >= sharp.counts[loop] for loop, count in found.counts.items())

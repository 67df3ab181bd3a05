"""How often warps execute blocks, where that can be counted by hand."""

from __future__ import annotations

import pytest

from kcc.diagnostics import Span
from kcc.estimating import Workshop
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.launch import LaunchRequest
from kcc.launch_language import parse_dimensions
from kcc.pipeline import AnalysisRequest, LaunchInputs

GUARDED = """
__kernel void k(__global float *x, __global float *y) {
  int i = get_global_id(0), j = get_global_id(1);
  int width = get_global_size(0), height = get_global_size(1);
  if (CONDITION) x[j * width + i] = y[i];
}
"""


def stores(condition: str, whole: tuple[int, int], part: tuple[int, int]) -> float:
    """How often warps store."""
    at = Span("test", 1)
    request = AnalysisRequest(
        source=SourceText("k.cl", GUARDED.replace("CONDITION", condition), "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(
            LaunchRequest(
                parse_dimensions(",".join(map(str, whole)), at),
                parse_dimensions(",".join(map(str, part)), at),
            ),
            {}, (), "test",
        ),
    )  # fmt: skip
    (prepared,) = Workshop().prepare(request)
    flow = prepared.subject.flow
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

"""Rows that begin where memory says, of an assumed length: as rows that begin where it is known."""

from __future__ import annotations

import pytest

from kcc.assumptions import parse_assumptions
from kcc.diagnostics import Span
from kcc.estimating import estimate_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.gpu.loading import load_gpu
from kcc.launch import LaunchRequest
from kcc.launch_language import parse_argument, parse_dimensions
from kcc.pipeline import AnalysisRequest, LaunchInputs
from kcc.sim.estimate_result import Counts
from kcc.sim.walks import Step, walks_of

ROWS = """
__kernel void k(__global const int *begin, __global const float *x, __global float *y, int n) {
  int row = get_global_id(0);
  int first = FIRST, last = first + LENGTH;
  float s = 0.0f;
  #pragma unroll 8
  for (int j = first; j < last; j++)
    s += x[j];
  y[row] = s;
}
"""


def counted(first: str, length: str, gpu: str, items: int = 4096) -> Counts:
    at = Span("test", 1, 1)
    launch = LaunchRequest(parse_dimensions(str(items), at), parse_dimensions("64", at))
    request = AnalysisRequest(
        source=SourceText("k.cl", ROWS.replace("FIRST", first).replace("LENGTH", length), "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(launch, {}, (parse_argument("n=80", at),), "test"),
        assumptions=parse_assumptions([("loop@7=80", at)]),
    )
    (found,) = estimate_source(request, [load_gpu(gpu, [])])
    return found.estimate.counts


@pytest.mark.parametrize("gpu", ["v100", "k40"])
def test_rows_of_memory_are_as_those_that_are_known(gpu: str) -> None:
    known = counted("row * 96", "n", gpu)
    told = counted("begin[row]", "begin[row + 1]", gpu)
    assert told.warp_instructions == pytest.approx(known.warp_instructions, rel=0.2)
    assert told.dram_read_sectors == pytest.approx(known.dram_read_sectors, rel=0.2)
    assert told.l2_read_sectors == pytest.approx(known.l2_read_sectors, rel=0.2)


def test_accesses_that_share_a_beginning_share_its_sectors() -> None:
    unrolled = {access: Step("row", 32, 0) for access in range(8)}
    found = walks_of({**unrolled, 8: Step("row", 4, 1), 9: Step("other", 256, 0)})
    assert [found[access].fresh for access in range(10)] == [1 / 8] * 9 + [1.0]
    assert len({walk.group for walk in found.values()}) == 3

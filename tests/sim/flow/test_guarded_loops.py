"""Loops behind a branch that memory decides run as often as they would without it, for those who
come to them."""

from __future__ import annotations

from kcc.base.diagnostics import Span
from kcc.base.gpu.loading import load_gpu
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_argument, parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import KernelEstimate, estimate_source

WINDOW = """
kernel void k(global const uint *x, global uint *y, int w) {
  int i = get_global_id(0), row = i / w, column = i % w;
  int top = max(row - 3, 0), bottom = min(row + 4, w - 1);
  int left = max(column - 3, 0), right = min(column + 4, w - 1);
  uint sum = 0;
  GUARD
  for (int r = top; r <= bottom; r++)
    for (int c = left; c <= right; c++)
      sum += x[r * w + c] * 3;
  y[i] = sum;
}
"""


def estimated(guard: str) -> KernelEstimate:
    at = Span("test", 1, 1)
    launch = LaunchRequest(parse_dimensions("2**20", at), parse_dimensions("256", at))
    request = AnalysisRequest(
        source=SourceText("k.cl", WINDOW.replace("GUARD", guard), "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(launch, {}, (parse_argument("w=1024", at),), "test"),
    )
    (found,) = estimate_source(request, [load_gpu("v100", [])])
    return found


def test_trips_are_those_of_the_work_items() -> None:
    """Eight rows of eight in the middle; of a launch this large bounds say 1,028 and 1,048,580."""
    free, guarded = estimated(""), estimated("if (x[i] & 16)")
    per_warp = free.estimate.counts.warp_instructions / (1 << 15)
    assert 8 * 8 * 3 < per_warp < 8 * 8 * 12
    taken = guarded.estimate.counts.warp_instructions / free.estimate.counts.warp_instructions
    # All warps or half of them come to it; only then does LLVM find the trip count cheap to compute
    # and unroll the loop.
    assert 0.4 < taken < 1.5


def test_the_branch_is_the_guess_and_not_the_loops() -> None:
    guesses = estimated("if (x[i] & 16)").guesses
    assert [(each.what, each.line) for each in guesses] == [("branch", 7)]
    assert "x[" in guesses[0].reason

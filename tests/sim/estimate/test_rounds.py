"""Iterations of an unrolled loop in the pipeline: their loads wait together, sums stay in order."""

from __future__ import annotations

import pytest

from kcc.base.diagnostics import Span
from kcc.base.gpu.loading import load_gpu
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_argument, parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import Question, estimate_source

CHAIN = """
__kernel void k(__global const float *x, __global float *y, int n) {
  float s = 0.0f;
  LOOP for (int j = 0; j < n; j++) s += BODY;
  y[get_global_id(0)] = s;
}
"""
LOADED = "x[j * 32 + get_local_id(0)]"
KEPT = "#pragma unroll 1\n"


def cycles(loop: str, body: str, trips: int, model: str = "pipeline") -> float:
    """Of one warp on a V100."""
    at = Span("k.cl", 0)
    request = AnalysisRequest(
        source=SourceText("k.cl", CHAIN.replace("LOOP", loop).replace("BODY", body), "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(
            LaunchRequest(parse_dimensions("32", at), parse_dimensions("32", at)), {},
            (parse_argument(f"n={trips}", at),), "test",
        ),
    )  # fmt: skip
    (found,) = estimate_source(request, [load_gpu("v100", [])], Question(model))
    return found.estimate.cycles


def test_loads_of_a_round_wait_together() -> None:
    """A lone warp waits for L2 or DRAM once in eight iterations, not in each."""
    one_by_one = cycles(KEPT, LOADED, 1024) - cycles(KEPT, LOADED, 512)
    in_rounds = cycles("", LOADED, 1024) - cycles("", LOADED, 512)
    assert one_by_one / 512 > 150.0
    assert in_rounds < one_by_one / 4.0


def test_a_sum_stays_in_order() -> None:
    """Additions wait for each other, however many iterations are one piece of code: four cycles
    each on Volta."""
    body = "s * 0.5f + j"
    in_rounds = (cycles("", body, 4096) - cycles("", body, 2048)) / 2048
    assert in_rounds >= 4.0


@pytest.mark.parametrize("model", ["pipeline", "pipeline-hpca19"])
def test_what_is_left_over_is_issued_too(model: str) -> None:
    """Fifteen iterations are one round and seven more."""
    fewer, more = (cycles("", LOADED, n, model) for n in (8, 15))
    assert more > fewer

"""Loops of which the pipeline runs a few iterations, against all of them."""

from __future__ import annotations

import pytest

from kcc.base.diagnostics import Span
from kcc.base.gpu.loading import load_gpu
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_argument, parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.sim.flow import sequences as pipeline_flow
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import Question, Workshop

TILES = """
__kernel void k(__global const float *x, __global float *y, int n) {
  __local float t[256];
  int l = get_local_id(0), i = get_global_id(0);
  float s = 0.0f;
  for (int b = 0; b < n; b++) {
    t[l] = x[b * 256 + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int j = 0; j < 32; j++) s = fma(s, t[(l + 8 * j) & 255], 1.5f);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  y[i] = s;
}
"""
NESTED = """
__kernel void k(__global const float *x, __global float *y, int n) {
  int i = get_global_id(0);
  float s = 0.0f;
  for (int b = 0; b < n; b++) {
    float p = x[b * 64 + (i & 63)];
    for (int j = 0; j < n; j++) s = s * (p + y[(j * 32 + i) & 1023]) + 1.5f;
    s = native_exp(s);
  }
  y[i] = s;
}
"""
TRIPLE = """
__kernel void k(__global const float *x, __global float *y, int n) {
  int i = get_global_id(0);
  float s = 0.0f;
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) {
      for (int c = 0; c < n; c++) s = s * x[(a + b * c + i) & 63] + 1.5f;
      s = native_exp(s);
    }
    s += y[(a * 64 + i) & 1023];
  }
  y[i] = s;
}
"""
SEQUENTIAL = """
__kernel void k(__global const float *x, __global float *y, int n) {
  int i = get_global_id(0);
  float s = i, t = s + 1.0f;
  for (int a = 0; a < n; a++) { s = fma(s, 0.5f, t); t = fma(t, 0.5f, s); }
  y[i] = s;
  for (int b = 0; b < n; b++) s += x[(b * 13 + i) & 1023] * t;
  y[i + 1] = s;
}
"""


def cycles(source: str, trips: int, blocks: int) -> float:
    """Of the launch on a V100."""
    at = Span("k.cl", 0)
    launch = LaunchRequest(
        parse_dimensions(str(256 * blocks), at), parse_dimensions("256", at)
    )  # fmt: skip
    request = AnalysisRequest(
        source=SourceText("k.cl", source, "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(launch, {}, (parse_argument(f"n={trips}", at),), "test"),
    )
    workshop = Workshop()
    (prepared,) = workshop.prepare(request)
    return workshop.estimate(prepared, load_gpu("v100"), Question()).estimate.cycles


def test_loops_one_after_another_are_cut_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten rounds, as they are cut by default: where one loop alone was cut, what overlaps with the
    other one was counted twice."""
    cut = cycles(SEQUENTIAL, 1000, 6400)
    monkeypatch.setattr(pipeline_flow, "MOST_OPERATIONS", 10**9)
    assert cut == pytest.approx(cycles(SEQUENTIAL, 1000, 6400), rel=0.06)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("blocks", [320, 640, 6400], ids=["half", "one round", "ten rounds"])
@pytest.mark.parametrize(
    ("source", "trips", "most", "longest", "within"),
    [
        (TILES, 96, 800, 50_000, 0.06),
        (NESTED, 40, 400, 1000, 0.07),  # 6.4 % too fast in ten rounds, both loops cut
        (TRIPLE, 16, 100, 200, 0.06),
        # In rounds of two and four iterations, at least eight of each loop.
        (SEQUENTIAL, 1000, 800, 50_000, 0.06),
    ],
    ids=["one loop", "a loop in a loop", "three", "one after another"],
)
def test_a_cut_trace_takes_what_the_whole_one_does(
    source: str,
    trips: int,
    most: int,
    longest: int,
    within: float,
    blocks: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pipeline_flow, "MOST_OPERATIONS", 10**9)
    whole = cycles(source, trips, blocks)
    monkeypatch.setattr(pipeline_flow, "MOST_OPERATIONS", most)
    monkeypatch.setattr(pipeline_flow, "LONGEST", longest)
    monkeypatch.setattr(pipeline_flow, "FEWEST", 3 if source is TRIPLE else 8)
    assert cycles(source, trips, blocks) == pytest.approx(whole, rel=within)

"""Warps of a thread block that do not all do the same."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from kcc.base.diagnostics import Span
from kcc.base.gpu.loading import load_gpu
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_argument, parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.sim.estimate.subject import Subject
from kcc.sim.flow.warp_classes import MOST_CLASSES, alike_warps, assigned_traces
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import Question, Workshop

CHAIN = 256
TILE = f"""
__kernel void k(__global float *y, int n) {{
  __local float tile[1024];
  int l = get_local_id(0);
  float s = l;
  for (int i = l; i < n; i += 128) {{
    for (int j = 0; j < {CHAIN}; j++) s = fma(s, 1.5f, 0.5f);
    tile[i] = s;
  }}
  barrier(CLK_LOCAL_MEM_FENCE);
  y[get_global_id(0)] = tile[l];
}}
"""
TRIANGLE = """
__kernel void k(__global float *y, int n) {
  int l = get_local_id(0);
  float s = 1.0f;
  for (int k = 0; k < l; k++) s = s * 1.5f + 0.5f;
  y[get_global_id(0)] = s;
}
"""
GUARDED = """
__kernel void k(__global const float *x, __global float *y, int n) {
  int i = get_global_id(0);
  if (i < n) y[i] = 2.0f * x[i];
}
"""
MASKED = """
__kernel void k(__global const int *x, __global float *y, int n) {
  int l = get_local_id(0);
  for (int i = l; i < n; i += 128)
    if (x[i] > 0) y[i] = 1.0f;
}
"""


def looked_at(source: str, size: int, n: int, local: int = 128) -> tuple[Subject, float]:
    """A kernel, and its cycles on a V100 without those of its launch."""
    at = Span("test", 1)
    launch = LaunchRequest(parse_dimensions(str(size), at), parse_dimensions(str(local), at))
    request = AnalysisRequest(
        source=SourceText("k.cl", source, "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(launch, {}, (parse_argument(f"n={n}", at),), "test"),
    )
    workshop = Workshop()
    (prepared,) = workshop.prepare(request)
    found = workshop.estimate(prepared, load_gpu("v100"), Question()).estimate
    return prepared.subject, found.cycles * (1.0 - found.cpi_stack["launch"] / found.cpi)


def test_a_thread_block_takes_as_long_as_its_longest_warp() -> None:
    """Each warp has a scheduler of its own, and an iteration is a chain of 4 cycles a link: two of
    one warp take as long as two of all, and an iteration longer than one of all."""
    one, two, first = (looked_at(TILE, 128, n)[1] for n in (128, 256, 160))
    assert two - one == pytest.approx(4 * CHAIN, rel=0.15)
    assert first == pytest.approx(two, rel=0.01)


def test_classes_are_the_warps_with_and_without_a_second_iteration() -> None:
    flow = looked_at(TILE, 128 * 640, 160)[0].flow
    assert [each.places for each in flow.classes] == [(0,), (1, 2, 3)]
    first, others = (each.flow for each in flow.classes)
    assert first.warps == 640
    assert others.warps == 3 * 640
    assert (first.trips[0], others.trips[0]) == (2.0, 1.0)


@pytest.mark.parametrize(("source", "n"), [(TILE, 160), (TRIANGLE, 1), (MASKED, 300)])
def test_classes_execute_together_what_the_launch_does(source: str, n: int) -> None:
    flow = looked_at(source, 128 * 640, n)[0].flow
    assert flow.classes
    assert sorted(p for each in flow.classes for p in each.places) == [0, 1, 2, 3]
    assert sum(each.flow.warps for each in flow.classes) == flow.warps
    together = np.sum([each.flow.executions for each in flow.classes], axis=0)
    assert together == pytest.approx(np.array(flow.executions))


@pytest.mark.parametrize(
    ("source", "n"), [(TILE, 256), (GUARDED, 128 * 640), (GUARDED, 128 * 640 - 40)]
)
def test_warps_that_are_alike_stay_together(source: str, n: int) -> None:
    """So do those of which the last thread block alone has fewer."""
    assert not looked_at(source, 128 * 640, n)[0].flow.classes


def test_traces_have_the_iterations_of_their_warps() -> None:
    """Of a loop that is cut each class has the same part."""
    subject, _ = looked_at(TRIANGLE, 1024 * 640, 1, 1024)
    flow = subject.flow
    assert len(flow.classes) <= MOST_CLASSES
    (generation,) = subject.programs
    traces = subject.trace(generation).traces
    lengths = np.diff(traces.starts)[traces.taken]
    whole = replace(subject, flow=replace(flow, classes=()), traces={}).trace(generation).traces
    assert lengths.mean() == pytest.approx(np.diff(whole.starts).mean(), rel=0.02)
    assert np.all(np.diff(lengths.mean(axis=0)) > -2)
    assert lengths[:, -1].mean() > 1.8 * lengths.mean()


def test_as_many_classes_as_there_are_at_most() -> None:
    executions = np.arange(1.0, 33.0)[None, :]
    classes = alike_warps(executions)
    assert 4 <= len(classes) <= MOST_CLASSES
    assert sorted(w for each in classes for w in each) == list(range(32))
    assert alike_warps(np.ones((3, 5))) == (tuple(range(5)),)
    assert alike_warps(np.zeros((0, 2))) == ((0, 1),)


def test_warps_of_a_class_take_its_traces_round_robin() -> None:
    """As warp w of thread block b takes ``(w + b * warps) % 8`` where all are alike."""
    alike = assigned_traces((tuple(range(3)),), (8,))
    assert alike.tolist() == [[(w + 3 * b) % 8 for w in range(3)] for b in range(8)]
    apart = assigned_traces(((0, 3), (1, 2)), (1, 8))
    assert apart[:, (0, 3)].tolist() == [[0, 0]] * 8
    assert apart[0, 1:3].tolist() == [1 + 4, 1 + 3]
    counts = np.bincount(apart[:, (1, 2)].ravel())
    assert counts.tolist() == [0] + [2] * 8
    assert math.prod(assigned_traces(((0,), (1,)), (1, 1)).shape) == 2

"""How much work an estimate is, counted: it does not grow with the launch."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from kcc.base.diagnostics import Span
from kcc.base.gpu.loading import load_gpu
from kcc.base.gpu.needs import GpuReader
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_argument, parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.sim.caches.reuse import analysis
from kcc.sim.estimate import pipeline_native
from kcc.sim.estimate.demand import Demand, demand_of
from kcc.sim.estimate.options import EVERYTHING
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import Question, Workshop

SAXPY = """
__kernel void k(__global const float *x, __global float *y, float a) {
  int i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
"""
TRANSPOSE = """
__kernel void k(__global const float *x, __global float *y, int n) {
  int i = get_global_id(0), j = get_global_id(1);
  y[i * n + j] = x[j * n + i];
}
"""
STENCIL = """
__kernel void k(__global const float *x, __global float *y, int n) {
  int i = get_global_id(0), j = get_global_id(1);
  int at = (j + 1) * (n + 2) + i + 1;
  y[at] = x[at] + x[at - 1] + x[at + 1] + x[at - n - 2] + x[at + n + 2];
}
"""


@dataclass(frozen=True)
class Work:
    """``issued`` operations of the pipeline; lookups in L2, and those that were
    made; what was found."""

    issued: int
    lookups: int
    made: float
    dram_sectors: float
    cycles: float


def work(source: str, exponent: int, monkeypatch: pytest.MonkeyPatch, dimensions: int = 2) -> Work:
    at = Span("k.cl", 0)
    whole = f"2**{exponent}" if dimensions == 1 else f"4096,2**{exponent - 12}"
    part = "256" if dimensions == 1 else "32,8"
    launch = LaunchRequest(parse_dimensions(whole, at), parse_dimensions(part, at))
    given = (parse_argument("n=4096", at),) if "int n" in source else ()
    request = AnalysisRequest(
        source=SourceText("k.cl", source, "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(launch, {}, given, "test"),
    )
    issued, run = list[int](), pipeline_native.run_sm

    def counted(
        starts: pipeline_native.Numbers,
        trace: pipeline_native.Numbers,
        taken: pipeline_native.Numbers,
        operations: pipeline_native.Operations,
        sm: pipeline_native.Sm,
        watched: pipeline_native.Flags | None = None,
    ) -> pipeline_native.Run:
        issued.append(sm.blocks * sm.warps * len(trace) // (len(starts) - 1))
        return run(starts, trace, taken, operations, sm, watched)

    monkeypatch.setattr(pipeline_native, "run_sm", counted)
    workshop, gpu = Workshop(), load_gpu("v100")
    (prepared,) = workshop.prepare(request)
    found = workshop.estimate(prepared, gpu, Question()).estimate
    monkeypatch.setattr(pipeline_native, "run_sm", run)
    demand = demand_of(prepared.subject, GpuReader(gpu), EVERYTHING)
    assert isinstance(demand, Demand)
    assert demand.study is not None
    study, counts = demand.study, found.counts
    dram = counts.dram_read_sectors + counts.dram_write_sectors
    return Work(sum(issued), study.lookups, study.lookups / study.sampled, dram, found.cycles)


def disagree(one: analysis.Floats, other: analysis.Floats) -> bool:
    return len(one) != len(other)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("source", "dimensions"), [(SAXPY, 1), (TRANSPOSE, 2), (STENCIL, 2)])
def test_a_large_launch_of_any_size_is_as_much_work(
    source: str, dimensions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    small, large, huge = (work(source, e, monkeypatch, dimensions) for e in (21, 24, 30))
    for more in (large, huge):
        assert more.issued <= 1.2 * small.issued
        assert more.lookups <= 1.2 * small.lookups
        assert more.made <= 1.2 * small.made


def test_few_sets_are_looked_at_where_all_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    little, stream = (work(SAXPY, e, monkeypatch, 1) for e in (16, 30))
    assert little.made == little.lookups
    assert stream.made <= 1.5 * little.made  # all of them would be five times as many
    shared = work(STENCIL, 20, monkeypatch)  # what warps share is found in some sets more often
    assert shared.made == shared.lookups


def test_what_few_sets_say_is_what_all_say(monkeypatch: pytest.MonkeyPatch) -> None:
    few = work(TRANSPOSE, 24, monkeypatch)
    monkeypatch.setattr(analysis, "agree", disagree)
    every = work(TRANSPOSE, 24, monkeypatch)
    assert few.made < every.made
    assert few.dram_sectors == pytest.approx(every.dram_sectors, rel=1e-6)
    assert few.cycles == pytest.approx(every.cycles, rel=1e-4)

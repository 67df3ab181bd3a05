"""Rows of measured tables by the cycle-level model: a stream of doubles whose sizes are known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kcc.base.diagnostics import Span
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_argument, parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel
from kcc.frontend.source_file import read_source
from kcc.sim.caches.options import CacheOptions
from kcc.sim.machine.launch_overhead import LaunchWay
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import Question
from kcc.validation.case import Case, Gpu, Measures, Work
from kcc.validation.simulated import CyclePredictor

SCALE = Path(__file__).parents[2] / "benchmarks" / "data" / "scale.cl"
AT = Span("test", 0)


def request(elements: int) -> AnalysisRequest:
    launch = LaunchRequest(
        global_size=parse_dimensions(str(elements), AT), local_size=parse_dimensions("128", AT)
    )
    arguments = tuple(
        parse_argument(text, AT)
        for text in (f"size={elements}", f"a=double[{elements}]", f"b=double[{elements}]")
    )
    return AnalysisRequest(
        source=read_source(str(SCALE)), options=BuildOptions(opt_level=OptLevel.O2),
        kernels=("scale",), other_launch=LaunchInputs(launch, {}, arguments, "test"),
    )  # fmt: skip


def case_of(elements: int, *, warm: bool = False) -> Case:
    work = Work("scale", elements, lambda: request(elements), launches=LaunchWay.WAITED)
    return Case("t", 0, "scale", Gpu("v100"), lambda: (work,), 100.0, Measures.LAUNCH,
                caches=replace(CacheOptions(), warm=warm))  # fmt: skip


@pytest.mark.slow
def test_a_launch_takes_what_its_bytes_do_and_less_where_l2_has_them() -> None:
    """A million doubles read and written, 16 MiB, at 900 GB/s are 18.6 us; 4 MiB fit into L2."""
    predictor = CyclePredictor(Question("pipeline"))
    long = predictor.outcome(case_of(1 << 20))
    assert long.time_us is not None, long.reason
    assert 18.0 < long.time_us - long.launch_us < 30.0
    assert long.launch_us == pytest.approx(10.0 - 1000 / 1380)  # an empty kernel is of the kernel
    cold, warm = (predictor.outcome(case_of(1 << 18, warm=w)).time_us for w in (False, True))
    assert cold is not None
    assert warm is not None
    assert warm < cold


def test_what_did_not_run_is_not_simulated() -> None:
    found = CyclePredictor(Question("pipeline")).outcome(replace(case_of(128), failed=True))
    assert found.time_us is None
    assert found.reason == "what did not run is not simulated"

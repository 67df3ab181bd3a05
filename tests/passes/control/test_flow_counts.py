"""The static graph against what the engine counts, and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.passes.control.flow_counts import FlowCounts
from kcc.passes.symbolic.ranges import Known
from kcc.passes.table import Setting, analyse
from kcc.tracegen.execute import NDRange
from tests.kernels.harness import WORKLOADS, launch_of, load
from tests.passes.executed import known_of
from tests.tracegen import engine

SAMPLE = frozenset({"bfs", "lud", "nw", "pathfinder", "reduction", "stencil3d"})

KERNELS = [
    pytest.param(name, kernel, id=kernel, marks=() if name in SAMPLE else pytest.mark.full)
    for name in WORKLOADS
    for kernel in load(name).launches
]


@pytest.mark.sampled(3)
@pytest.mark.thinned(2)
@pytest.mark.parametrize(("name", "kernel"), KERNELS)
def test_counts_are_those_of_the_engine(name: str, kernel: str):
    launch, unit = launch_of(name, kernel), engine.compiled(name, OptLevel.O1)
    chosen = engine.kernel_of(unit, kernel)
    shape = NDRange(tuple(launch.global_size), tuple(launch.local_size))
    known = known_of(chosen, shape, engine.arguments(chosen, launch))
    facts = analyse(chosen, unit.module, setting=Setting(known))
    done, _ = engine.run(launch, None, OptLevel.O1)
    flow = facts[FlowCounts]
    for count, ran in zip(flow.blocks, done.counts, strict=True):
        assert count is None or count.executions in (None, ran.lanes)
        assert count is None or (count.executions is None) == bool(count.reason)
    entry = flow.blocks[0]
    assert entry is not None
    assert entry.executions == int(np.prod(launch.global_size))


TRIANGLE = """
kernel void k(global int *a, int n) {
    int me = get_global_id(0);
    for (int i = 0; i < me; ++i) a[me] += i;
    if (a[me] > n) a[me] = n;
}
"""


def counts(known: Known) -> FlowCounts:
    options = BuildOptions(opt_level=OptLevel.O1)
    unit = compile_source(SourceText("t.cl", TRIANGLE, "."), options)
    return analyse(unit.kernels[0], unit.module, setting=Setting(known))[FlowCounts]


def test_triangle():
    flow = counts(Known((8,), (8,), {1: 3}))
    body = [c for c in flow.blocks if c is not None and c.executions == 28]
    assert len(body) == 1, "0 + 1 + ... + 7 executions of the body"
    assert body[0].threads == 7, "work-item 0 never enters it"
    assert any(c is not None and "a[" in c.reason for c in flow.blocks), "the last store"


def test_formulas_without_a_launch():
    flow = counts(Known())
    assert flow.blocks[0] is not None
    assert flow.blocks[0].formula == "1"
    assert flow.blocks[0].reason == "the launch is not known"
    assert any(c is not None and "get_global_id(0)" in c.formula for c in flow.blocks)


def test_missing_argument_is_named():
    options = BuildOptions(opt_level=OptLevel.O1)
    text = "kernel void k(global int *a, int n) { if (get_global_id(0) < n) a[0] = 1; }"
    unit = compile_source(SourceText("t.cl", text, "."), options)
    setting = Setting(Known((8,), (8,)))
    flow = analyse(unit.kernels[0], unit.module, setting=setting)[FlowCounts]
    assert {c.reason for c in flow.blocks if c is not None} == {"", "no value is given for n"}

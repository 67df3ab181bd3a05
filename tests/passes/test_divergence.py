"""Divergence against the reference interpreter, and rule by rule."""

from __future__ import annotations

import pytest

from kcc.frontend.options import OptLevel
from kcc.passes.divergence import Divergence, DivergencePass
from kcc.passes.facts import Facts, run_passes
from kcc.passes.loops import Loops
from kcc.passes.symbolic.ranges import Known
from kcc.passes.table import PASSES
from kcc.passes.trip_counts import SymbolicValuesPass, TripCountsPass
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.tracegen.execute import NDRange
from tests.kernels.harness import WORKLOADS, launch_of, load
from tests.passes.executed import known_of
from tests.passes.executed_values import disagreements, watched
from tests.tracegen import engine

SAMPLE = frozenset({"bfs", "nw", "reduction", "scan"})

KERNELS = [
    pytest.param(name, kernel, id=kernel, marks=() if name in SAMPLE else pytest.mark.full)
    for name in WORKLOADS
    for kernel in load(name).launches
]


def facts_for(kernel: Kernel, unit: CompiledUnit, known: Known) -> Facts:
    passes = (*PASSES, SymbolicValuesPass(known), TripCountsPass(), DivergencePass())
    return run_passes(kernel, unit.module, passes)


@pytest.mark.parametrize(("name", "kernel"), KERNELS)
def test_what_is_uniform_does_not_differ(name: str, kernel: str):
    launch = launch_of(name, kernel)
    unit = engine.compiled(name, OptLevel.O1)
    chosen = engine.kernel_of(unit, kernel)
    shape = NDRange(tuple(launch.global_size), tuple(launch.local_size))
    arguments = engine.arguments(chosen, launch)
    known = known_of(chosen, shape, arguments)
    facts = facts_for(chosen, unit, known)
    watch = watched(unit, chosen, facts[Loops], shape, arguments)
    assert not disagreements(chosen, facts, watch)
    for less in (Known(), Known(local_size=known.local_size)):
        assert not disagreements(chosen, facts_for(chosen, unit, less), watch), less

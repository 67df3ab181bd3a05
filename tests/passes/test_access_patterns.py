"""Access patterns against executions."""

from __future__ import annotations

import pytest

from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.frontend.options import OptLevel
from kcc.passes.access_patterns import AccessPatternsPass
from kcc.passes.divergence import DivergencePass
from kcc.passes.facts import Facts, run_passes
from kcc.passes.symbolic.ranges import Known
from kcc.passes.table import PASSES
from kcc.passes.trip_counts import SymbolicValuesPass, TripCountsPass
from kcc.tracegen.execute import NDRange
from tests.kernels.harness import WORKLOADS, Launch, launch_of, load
from tests.passes.executed import known_of
from tests.passes.executed_accesses import differences, run_accesses
from tests.tracegen import engine

SAMPLE = frozenset({"matmul", "nw", "reduction", "lud", "spmv", "hotspot"})

KERNELS = [
    pytest.param(name, kernel, id=kernel, marks=() if name in SAMPLE else pytest.mark.full)
    for name in WORKLOADS
    for kernel in load(name).launches
]


def facts_for(kernel: Kernel, unit: CompiledUnit, known: Known) -> Facts:
    passes = (
        *PASSES, SymbolicValuesPass(known), TripCountsPass(), DivergencePass(),
        AccessPatternsPass(),
    )  # fmt: skip
    return run_passes(kernel, unit.module, passes)


def compare(name: str, launch: Launch, level: OptLevel) -> list[str]:
    """A launch of a workload's kernel against its analysis, with it and without."""
    unit = engine.compiled(name, level)
    kernel = engine.kernel_of(unit, launch.kernel)
    shape = NDRange(tuple(launch.global_size), tuple(launch.local_size))
    arguments = engine.arguments(kernel, launch)
    known = known_of(kernel, shape, arguments)
    executed = run_accesses(unit, kernel, shape, arguments)
    facts = facts_for(kernel, unit, known)
    wrong = differences(kernel, facts, executed)
    for less in (Known(local_size=known.local_size), Known(known.global_size, known.local_size)):
        facts = facts_for(kernel, unit, less)
        wrong += [f"less known: {text}" for text in differences(kernel, facts, executed)]
    return wrong


@pytest.mark.parametrize(("name", "kernel"), KERNELS)
def test_patterns_are_those_of_the_execution(name: str, kernel: str):
    assert not compare(name, launch_of(name, kernel), OptLevel.O1)

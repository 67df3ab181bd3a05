"""Access patterns against executions."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.passes.access_patterns import AccessPatternsPass
from kcc.passes.divergence import DivergencePass
from kcc.passes.facts import Facts, run_passes
from kcc.passes.symbolic.ranges import Known
from kcc.passes.table import PASSES
from kcc.passes.trip_counts import SymbolicValuesPass, TripCountsPass
from kcc.tracegen.execute import NDRange
from tests.kernels.harness import WORKLOADS, Launch, launch_of, load
from tests.passes.access_programs import GLOBAL_BYTES, access_program
from tests.passes.executed import known_of
from tests.passes.executed_accesses import differences, run_accesses
from tests.tracegen import engine

SAMPLE = frozenset({"nw", "scan", "spmv", "transpose"})

PER_TEST = 10

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


def compare_program(seed: int, level: OptLevel, *, data: bool) -> list[str]:
    """A random program against its analysis."""
    program = access_program(seed, data=data)
    options = BuildOptions(opt_level=level)
    unit = compile_source(SourceText("k.cl", program.source, "."), options)
    (kernel,) = unit.kernels
    values = np.random.default_rng(seed).integers(0, 256, 256).astype(np.int32)
    arguments = [np.zeros(GLOBAL_BYTES, np.uint8), values, program.n, program.m]
    launch = NDRange(program.global_size, program.local_size)
    executed = run_accesses(unit, kernel, launch, arguments)
    facts = facts_for(kernel, unit, known_of(kernel, launch, arguments))
    return differences(kernel, facts, executed)


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(n, marks=pytest.mark.full) for n in range(1, 100))]
)
def test_patterns_of_random_programs(first: int):
    wrong = dict[int, list[str]]()
    for seed in range(first * PER_TEST, (first + 1) * PER_TEST):
        level = (OptLevel.O1, OptLevel.O2)[seed % 5 == 0]
        wrong[seed] = compare_program(seed, level, data=seed % 3 == 0)
    assert not {seed: text for seed, text in wrong.items() if text}

"""Access patterns against executions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kcc.frontend import compile_source
from kcc.frontend.ir.types import FloatTy, IntTy
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.frontend.types import AddressSpace
from kcc.passes.access.patterns import AccessPatternsPass
from kcc.passes.control.divergence import DivergencePass
from kcc.passes.control.trip_counts import SymbolicValuesPass, TripCountsPass
from kcc.passes.facts import Facts, run_passes
from kcc.passes.memory.access_facts import AccessKind, AccessPattern, AccessPatterns, Reuse, Spread
from kcc.passes.memory.memory_accesses import AccessOp, MemoryAccesses
from kcc.passes.symbolic.ranges import Known
from kcc.passes.table import PASSES
from kcc.stages.host import HostLaunch, run_script
from kcc.tracegen.execute import Execution, NDRange
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.workers import TraceCallback
from tests.kernels.harness import KERNELS as KERNELS_FOLDER
from tests.kernels.harness import WORKLOADS, Launch, launch_of, load
from tests.passes.access_programs import GLOBAL_BYTES, access_program
from tests.passes.executed import known_of
from tests.passes.executed_accesses import AccessCollector, differences, run_accesses
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


@pytest.mark.sampled(6)
@pytest.mark.thinned(2)
@pytest.mark.parametrize(("name", "kernel"), KERNELS)
def test_patterns_are_those_of_the_execution(name: str, kernel: str):
    assert not compare(name, launch_of(name, kernel), OptLevel.O1)


PER_KERNEL = 5
"""Launches of each kernel of an application that are compared: the first that differ."""


def _numbers(launch: HostLaunch) -> list[Any]:
    """The arguments of a launch, scalars as numbers."""
    found = list[Any]()
    parameters = launch.kernel.function.arguments
    for parameter, value in zip(parameters, launch.prepared.arguments, strict=True):
        match parameter.type:
            case IntTy(bits) if isinstance(value, bytes):
                found.append(int.from_bytes(value[: bits // 8], "little", signed=True))
            case FloatTy(bits) if isinstance(value, bytes):
                found.append(np.frombuffer(value, f"f{bits // 8}")[0])
            case _:
                found.append(value)
    return found


class Comparing:
    """An observer of a run (:class:`kcc.stages.host.Observer`)."""

    trace = TraceMode.ADDRESSES

    def __init__(self) -> None:
        self.wrong = list[str]()
        self.seen = dict[str, list[Known]]()
        self.collector: AccessCollector | None = None
        self.known = Known()

    def before(self, launch: HostLaunch) -> TraceCallback | None:
        shape = launch.prepared.launch
        self.known = known_of(launch.kernel, shape, _numbers(launch))
        seen = self.seen.setdefault(launch.kernel.name, [])
        self.collector = None
        if any(shape.offset) or len(seen) == PER_KERNEL or self.known in seen:
            return None
        seen.append(self.known)
        self.collector = AccessCollector(launch.unit, launch.kernel, launch.prepared)
        return self.collector.take

    def after(self, launch: HostLaunch, execution: Execution) -> None:  # noqa: ARG002
        if self.collector is not None:
            facts = facts_for(launch.kernel, launch.unit, self.known)
            self.wrong += differences(launch.kernel, facts, self.collector.finish())


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.full) for n in WORKLOADS])
def test_patterns_are_those_of_an_application(name: str):
    observer = Comparing()
    run_script(str(KERNELS_FOLDER / name / "workload.py"), size="tiny", observer=observer)
    assert observer.seen
    assert not observer.wrong


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


@pytest.mark.slow
@pytest.mark.parametrize(
    "first", [0, *(pytest.param(n, marks=pytest.mark.full) for n in range(1, 100))]
)
def test_patterns_of_random_programs(first: int):
    wrong = dict[int, list[str]]()
    for seed in range(first * PER_TEST, (first + 1) * PER_TEST):
        level = (OptLevel.O1, OptLevel.O2)[seed % 5 == 0]
        wrong[seed] = compare_program(seed, level, data=seed % 3 == 0)
    assert not {seed: text for seed, text in wrong.items() if text}


def test_an_access_after_a_loop_exit_misses_the_last_iteration():
    assert not compare_program(876, OptLevel.O1, data=True)


KINDS = [
    # index, local size, element, kind, stride, run, run stride, sectors or bank cycles (mean)
    ("in[x]", (64,), AccessKind.CONTIGUOUS, 4, None, None, 4),
    ("in[x + 1]", (64,), AccessKind.CONTIGUOUS, 4, None, None, 5),
    ("in[3]", (64,), AccessKind.UNIFORM, 0, None, None, 1),
    ("in[get_group_id(0)]", (64,), AccessKind.UNIFORM, 0, None, None, 1),
    ("in[2 * x]", (64,), AccessKind.STRIDED, 8, None, None, 8),
    ("in[2000 - x]", (64,), AccessKind.STRIDED, -4, None, None, 5),
    ("in[y * 64 + x]", (16, 16), AccessKind.ROW_CHUNK, 4, 16, 256, 4),
    ("in[y * 64 + x]", (32, 8), AccessKind.CONTIGUOUS, 4, None, None, 4),
    ("in[x * 64 + y]", (16, 16), AccessKind.ROW_CHUNK, 256, 16, 4, 16),
    ("in[y]", (16, 16), AccessKind.ROW_CHUNK, 0, 16, 4, 1),
    ("in[x / 2]", (64,), AccessKind.ROW_CHUNK, 0, 2, 4, 2),
    ("in[x * x]", (64,), AccessKind.UNKNOWN, None, None, None, None),
    ("in[idx[x]]", (64,), AccessKind.INDIRECT, None, None, None, None),
    ("in[idx[0] + x]", (64,), AccessKind.CONTIGUOUS, 4, None, None, None),
    ("in[idx[0] * 32 + x]", (64,), AccessKind.CONTIGUOUS, 4, None, None, 4),
    ("(x & 16 ? in + x : (__global int *)idx + x)[0]", (64,), AccessKind.ROW_CHUNK, 4, 16, None, 4),
    ("tile[x]", (64,), AccessKind.CONTIGUOUS, 4, None, None, 1),
    ("tile[x * 2 & 511]", (64,), AccessKind.STRIDED, 8, None, None, 2),
    ("tile[get_local_id(0) * 32]", (16,), AccessKind.STRIDED, 128, None, None, 16),
    ("tile[get_local_id(0) * 33]", (16,), AccessKind.STRIDED, 132, None, None, 1),
]  # fmt: skip


def pattern_of(index: str, known: Known, *, first: bool = False) -> AccessPattern:
    """The pattern of the only store to an element of an array; of the ``first`` of several."""
    source = (
        "__kernel void k(__global int *in, __global const int *idx, int n, __local int *tile) {"
        f" const int x = get_global_id(0), y = get_global_id(1); {index} = 1; }}"
    )
    unit = compile_source(SourceText("k.cl", source, "."), BuildOptions(opt_level=OptLevel.O1))
    (kernel,) = unit.kernels
    facts = facts_for(kernel, unit, known)
    accesses = facts[MemoryAccesses].accesses
    stores = [a for a in accesses if a.op is AccessOp.STORE and a.space is not AddressSpace.PRIVATE]
    assert first or len(stores) == 1
    return facts[AccessPatterns].patterns[stores[0].id]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", KINDS, ids=[f"{case[0]} {case[1]}" for case in KINDS])
def test_kinds(case: tuple[Any, ...]):
    index, local, kind, stride, run, run_stride, mean = case
    whole = tuple(4 * size for size in local)
    found = pattern_of(index, Known(whole, local))
    assert found.kind is kind
    assert (found.stride_bytes, found.run_lanes, found.run_stride_bytes) == (
        stride, run, run_stride,
    )  # fmt: skip
    spread = found.bank_passes if index.startswith("tile") else found.sectors
    if kind is not AccessKind.UNKNOWN:
        assert (spread.mean if spread else None) == mean
    assert found.exact == (mean is not None or index == "in[x * x]")
    assert found.exact or found.reason


LIKELY = (
    "for (int i = x; i < n; i += get_global_size(0)) in[i]",
    "volatile int t = x; in[t]",
    "int j = idx[0] + x; for (int k = 1; k < n; k++) { in[j] += k; j = idx[k] + x; } in[x]",
)
"""Whose lanes are contiguous whatever the launch and the memory are."""

PRIVATE = [
    # element, index, sectors of a full warp: words of four bytes side by side by lane
    ("int", "k & 7", 4),
    ("char", "k & 7", 4),
    ("double", "k & 7", 8),
    ("float4", "k & 7", 16),
    ("int", "x & 1", 8),  # two rows of 32 words, half of the lanes in each
]


@pytest.mark.parametrize(("element", "index", "sectors"), PRIVATE)
def test_private_memory_lies_word_by_word_over_the_lanes(element: str, index: str, sectors: int):
    source = (
        f"__kernel void k(__global {element} *o, const int n) {{ const int x = get_global_id(0);"
        f" {element} own[8]; for (int k = 0; k < n; ++k) own[{index}] = o[k * 4096 + x];"
        " o[x] = own[n & 7] + own[n & 3]; }"
    )
    unit = compile_source(SourceText("k.cl", source, "."), BuildOptions(opt_level=OptLevel.O1))
    facts = facts_for(unit.kernels[0], unit, Known((256,), (64,), {1: 10}))
    (store,) = (
        a for a in facts[MemoryAccesses].accesses
        if a.space is AddressSpace.PRIVATE and a.op is AccessOp.STORE
    )  # fmt: skip
    found = facts[AccessPatterns].patterns[store.id]
    assert (found.sectors, found.exact) == (Spread(sectors, sectors, sectors), True)
    assert found.requests == 8 * 10


def test_requests_are_known_where_addresses_are_not():
    known = Known((256,), (64,))
    assert pattern_of("if (x >= 70) in[idx[x]]", known).requests == 6
    assert pattern_of("for (int k = 0; k < 5; ++k) in[idx[x] + k]", known).requests == 8 * 5
    assert pattern_of("if (idx[x]) in[x]", known).requests is None


@pytest.mark.parametrize("index", LIKELY)
def test_lanes_that_differ_by_their_number_alone_lie_side_by_side(index: str):
    found = pattern_of(index, Known(local_size=(64,)), first=True)
    assert found.kind is AccessKind.CONTIGUOUS
    assert found.sectors
    assert 4 <= found.sectors.least <= found.sectors.greatest <= 5


def test_a_variable_that_lanes_change_by_what_memory_holds_is_not_likely():
    index = "int j = x; for (int k = 1; k < n; k++) { in[j] += k; j = idx[j] + x; } in[x]"
    assert pattern_of(index, Known(local_size=(64,)), first=True).kind is AccessKind.INDIRECT


def test_a_launch_that_is_not_known_leaves_bounds():
    known = Known(local_size=(64,))
    found = pattern_of("in[x + n]", known)
    assert (found.kind, found.sectors) == (AccessKind.CONTIGUOUS, Spread(None, 4, 5))
    assert found.reason == "where the warp begins depends on n"
    found = pattern_of("in[x + 32 * n]", known)
    assert (found.sectors, found.exact, found.reason) == (Spread(4.0, 4, 4), True, "")
    found = pattern_of("in[x * n]", known)
    assert (found.kind, found.sectors) == (AccessKind.UNKNOWN, None)
    assert found.reason == "the distance between lanes depends on n (get_global_id(0) * n)"
    found = pattern_of("in[x]", Known())
    assert found.reason == "the local size is not known"


def test_costs_do_not_grow_with_the_grid():
    small, large = (
        pattern_of("in[x * 3 + 5 * get_group_id(0)]", Known((64 * n,), (64,))) for n in (8, 1 << 22)
    )
    assert small.sectors == large.sectors
    assert large.exact
    assert large.footprint is not None


def test_thread_blocks_smaller_than_a_warp():
    found = pattern_of("in[x]", Known((64,), (16,)))
    assert (found.full_warps, found.sectors) == (False, Spread(2.0, 2, 2))
    found = pattern_of("in[x]", Known((400,), (40,)))
    assert found.full_warps
    assert found.sectors == Spread(4.0, 4, 4)


def test_reuse():
    source = (
        "__kernel void k(__global const int *a, __global const int *b, __global int *c, int n) {"
        " int s = 0; const int x = get_global_id(0);"
        " for (int i = 0; i < n; ++i) s += a[x] + b[x * n + i] + b[x + i * 64]; c[x] = s; }"
    )
    unit = compile_source(SourceText("k.cl", source, "."), BuildOptions(opt_level=OptLevel.O1))
    facts = facts_for(unit.kernels[0], unit, Known((256,), (64,), {3: 50}))
    seen = {
        (p.text, r.reuse, r.stride_bytes, r.distance)
        for p in facts[AccessPatterns].patterns
        for r in p.loops
    }
    assert seen >= {
        ("50 * get_global_id(0) + i", Reuse.LINE, 4, 32),
        ("get_global_id(0) + 64 * i", Reuse.NONE, 256, 1),
    }

"""Divergence against the reference interpreter, and rule by rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kcc.frontend import compile_source
from kcc.frontend.ir.instructions import Store
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.passes.control.divergence import Divergence, DivergencePass, Judge
from kcc.passes.control.trip_counts import SymbolicValuesPass, TripCountsPass
from kcc.passes.facts import Facts, run_passes
from kcc.passes.graph.loops import Loops
from kcc.passes.memory.arrays import Array
from kcc.passes.memory.memory_accesses import MemoryAccesses
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.ranges import Known
from kcc.passes.table import PASSES
from kcc.tracegen.execute import NDRange
from tests.kernels.harness import WORKLOADS, launch_of, load
from tests.passes.access_programs import GLOBAL_BYTES, access_program
from tests.passes.executed import known_of
from tests.passes.executed_values import disagreements, watched
from tests.passes.kernels import facts_of, graph_text
from tests.tracegen import engine

SAMPLE = frozenset({"bfs", "nw", "spmv"})

KERNELS = [
    pytest.param(name, kernel, id=kernel, marks=() if name in SAMPLE else pytest.mark.full)
    for name in WORKLOADS
    for kernel in load(name).launches
]


def facts_for(kernel: Kernel, unit: CompiledUnit, known: Known) -> Facts:
    passes = (*PASSES, SymbolicValuesPass(known), TripCountsPass(), DivergencePass())
    return run_passes(kernel, unit.module, passes)


@pytest.mark.sampled(3)
@pytest.mark.thinned(2)
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


PREAMBLE = """
__kernel void k(__global int *a, __global const int *b, __global int *out, int n,
                __constant int *c, __local int *t) {
  const int gid = get_global_id(0), lid = get_local_id(0), grp = get_group_id(0);
"""


def of(
    body: str,
    local: tuple[int, ...] | None = None,
    sizes: tuple[int, ...] | None = None,
    n: int | None = None,
) -> tuple[Kernel, Facts]:
    """The facts of a kernel with this body."""
    source = f"{PREAMBLE}{body}\n}}\n"
    options = BuildOptions(opt_level=OptLevel.O1)
    unit = compile_source(SourceText("k.cl", source, "."), options)
    known = Known(sizes, local, {} if n is None else {3: n})
    return unit.kernels[0], facts_for(unit.kernels[0], unit, known)


def stored(body: str, **launch: Any) -> str:
    """The uniformity of the value that the only store to ``out`` writes."""
    kernel, facts = of(body, **launch)
    (store,) = (
        i for i in kernel.function.instructions
        if isinstance(i, Store) and "out" in str(_array(facts, i.index))
    )  # fmt: skip
    values = facts[SymbolicValues]
    judge = Judge(kernel, facts)
    return judge.uniformity(values.scalar(store.value, store.block)).value


def _array(facts: Facts, instruction: int) -> str:
    return next(
        a.array.name
        for a in facts[MemoryAccesses].accesses
        if a.instruction == instruction and isinstance(a.array, Array)
    )


EXPRESSIONS = [
    ("n", None, "launch"), ("grp", None, "block"), ("lid", None, "id"), ("gid", None, "id"),
    ("get_num_groups(0) * n", None, "launch"), ("get_local_size(0)", None, "launch"),
    ("gid - lid", (64,), "block"), ("gid - lid", None, "block"), ("gid - lid + n", None, "block"),
    ("2 * gid - lid", None, "id"),
    ("lid / 32", (64,), "warp"), ("lid / 16", (64,), "id"),
    ("lid & ~31", (64,), "warp"), ("lid / 32", (32,), "launch"), ("lid / 32", None, "id"),
    ("lid >> 6", (64,), "launch"), ("lid / 32 + n", (64,), "warp"),
    ("get_local_id(1)", (32, 8), "warp"), ("get_local_id(1)", (16, 16), "id"),
    ("get_local_id(1)", (64,), "launch"), ("get_local_id(1)", (64, 4), "warp"),
    ("get_local_id(1)", (32, 1), "launch"), ("get_global_id(1)", (32, 8), "warp"),
    ("lid % 1", (64,), "launch"), ("lid + 32 * get_local_id(1) > 31", (32, 8), "warp"),
    ("b[n]", None, "launch"), ("b[grp]", None, "block"), ("b[lid]", None, "data"),
    ("b[lid / 32]", (64,), "warp"), ("a[n]", None, "warp"), ("a[grp]", None, "warp"),
    ("c[n]", None, "launch"), ("t[n]", None, "warp"), ("b[b[n]]", None, "launch"),
    ("b[b[gid]]", None, "data"), ("atomic_add(a, 1)", None, "data"),
    ("atomic_add(a + gid, 1)", None, "data"), ("work_group_all(b[gid])", None, "block"),
    ("work_group_reduce_add(lid)", None, "block"), ("sub_group_any(b[gid])", None, "warp"),
    ("sub_group_shuffle(lid, 0)", None, "data"), ("get_sub_group_id()", None, "warp"),
    ("get_sub_group_local_id()", None, "id"), ("(int)sin((float)n)", None, "launch"),
    ("(int)sin((float)lid)", None, "id"), ("lid < n ? n : grp", None, "id"),
    ("n > 3 ? n : grp", None, "block"), ("lid * 0 + grp", None, "block"),
    ("gid >> 5", (64,), "warp"), ("gid >> 5", (48,), "id"), ("gid >> 5", (16, 4), "id"),
    ("gid >> 4", (64,), "id"), ("gid >> 6", (32,), "warp"), ("(uint)gid / 96u", (64,), "warp"),
    ("(uint)gid / 48u", (64,), "id"), ("gid & ~31", (64,), "warp"), ("gid & ~15", (64,), "id"),
    ("gid / 32", (64,), "warp"), ("(gid + 8) >> 5", (64,), "id"),
    ("(gid + 96) >> 5", (64,), "warp"),
    ("(gid + n) >> 5", (64,), "id"), ("(gid + 32 * n) >> 5", (64,), "warp"),
    ("(2 * gid) >> 6", (64,), "warp"), ("(2 * gid) >> 5", (64,), "id"),
    ("(grp * 64 + lid) >> 5", (64,), "warp"),
    ("b[gid >> 5]", (64,), "warp"), ("b[gid >> 4]", (64,), "data"),
]  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("text", "local", "wanted"), EXPRESSIONS)
def test_expressions(text: str, local: tuple[int, ...] | None, wanted: str):
    extra = "a[gid] = 1; t[lid] = 2; "
    assert stored(f"{extra} out[gid] = {text};", local=local) == wanted


BODIES = {
    "a join of a divergent branch": (
        "int x = n; if (lid < 5) x = n + 1; out[gid] = x;", "id"),
    "a join of a branch of the block": (
        "int x = n; if (grp < 5) x = n + 1; out[gid] = x;", "block"),
    "a join of a branch on data": (
        "int x = n; if (b[gid]) x = n + 1; out[gid] = x;", "data"),
    "a join whose sides are the same": (
        "int x = n; if (lid < 5) { x = n + 0; a[gid] = 3; } out[gid] = x;", "launch"),
    "a value that leaves a divergent loop": (
        "int x = 0; for (int i = 0; i < lid; ++i) x += b[n]; out[gid] = x;", "id"),
    "a value that leaves a uniform loop": (
        "int x = 0; for (int i = 0; i < n; ++i) x += b[i]; out[gid] = x;", "launch"),
    "a counter in a divergent loop": (
        "for (int i = 0; i < lid; ++i) out[gid + i] = i;", "launch"),
    "a counter that leaves a divergent loop": (
        "int i = 0; while (b[gid + i]) ++i; out[gid] = i;", "data"),
    "a counter that leaves a loop of the block": (
        "int i = 0; while (b[grp + i]) ++i; out[gid] = i;", "block"),
    "a counter that begins with an id": (
        "for (int i = lid; i < n; i += 64) out[i] = i;", "id"),
    "a loop left by a divergent break": (
        ("int x = 0; for (int i = 0; i < 9; ++i) { if (b[gid] == i) break; x += n * i; }"
         " out[gid] = x;"), "data"),
    "after an early return": (
        "if (lid > 4) return; out[gid] = n + grp;", "block"),
    "a private array": (
        "int p[8]; for (int i = 0; i < 8; ++i) p[i] = n * i + a[i]; out[gid] = p[n & 7];", "data"),
    "an inner loop in a divergent one": (
        ("int x = 0; for (int i = 0; i < lid; ++i) for (int j = 0; j < n; ++j) x ^= j * n;"
         " out[gid] = x;"), "id"),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_control(name: str):
    body, wanted = BODIES[name]
    assert stored(f"{body} a[gid + 7] = 1;") == wanted


BRANCHES: list[tuple[str, dict[str, Any], list[str]]] = [
    ("if (n > 3) out[gid] = 1;", {}, ["launch"]), ("if (grp > 3) out[gid] = 1;", {}, ["block"]),
    ("if (lid > 3) out[gid] = 1;", {}, ["id"]), ("if (b[gid]) out[gid] = 1;", {}, ["data"]),
    ("if (lid >= 32) out[gid] = 1;", {"local": (64,)}, ["warp"]),
    ("if (lid >= 64) out[gid] = b[n];", {"local": (64,), "sizes": (128,), "n": 0}, ["launch"]),
    ("if (gid < n) out[gid] = 1;", {"local": (32,), "sizes": (128,), "n": 64}, ["block"]),
    ("if (gid < n) out[gid] = 1;", {"local": (64,), "sizes": (128,), "n": 32}, ["warp"]),
    ("if (gid < n) out[gid] = 1;", {"local": (64,), "sizes": (128,), "n": 33}, ["id"]),
    ("switch (b[gid]) { case 1: out[gid] = 1; break; case 2: a[gid] = 2; break; }", {}, ["data"]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "launch", "wanted"), BRANCHES)
def test_branches(body: str, launch: dict[str, Any], wanted: list[str]):
    _, facts = of(body, **launch)
    assert [b.uniformity.value for b in facts[Divergence].branches] == wanted


def test_lanes_reconverge_after_the_branch_or_at_the_end():
    kernel, facts = of("if (lid > 3) out[gid] = 1; a[gid] = 2;")
    (branch,) = facts[Divergence].branches
    assert branch.reconvergence is not None
    stores = kernel.function.blocks[branch.reconvergence].instructions
    assert any(isinstance(i, Store) for i in stores)


def test_lanes_that_end_apart_meet_nowhere():
    _, facts = facts_of(graph_text(((1, 2), (), ())))
    assert facts[Divergence].branches[0].reconvergence is None


BARRIERS = {
    "if (lid < 5) barrier(CLK_LOCAL_MEM_FENCE);": 1,
    "if (n < 5) barrier(CLK_LOCAL_MEM_FENCE);": 0,
    "if (grp < 5) barrier(CLK_LOCAL_MEM_FENCE);": 0,
    "if (b[gid]) barrier(CLK_LOCAL_MEM_FENCE);": 1,
    "if (lid < 5) return; barrier(CLK_LOCAL_MEM_FENCE);": 1,
    "if (lid < 5) out[gid] = 1; barrier(CLK_LOCAL_MEM_FENCE);": 0,
    "for (int i = 0; i < lid; ++i) { barrier(CLK_LOCAL_MEM_FENCE); out[i] = 1; }": 1,
    "for (int i = 0; i < n; ++i) { barrier(CLK_LOCAL_MEM_FENCE); out[i] = 1; }": 0,
    "for (int i = 0; i < n; ++i) { if (b[gid] == i) break; barrier(CLK_LOCAL_MEM_FENCE); }": 1,
    "for (int i = 0; i < n; ++i) { barrier(CLK_LOCAL_MEM_FENCE); if (b[gid] == i) break; }": 1,
    "if (n > 2) { if (lid < 5) return; } barrier(CLK_LOCAL_MEM_FENCE);": 1,
    "if (lid >= 32) barrier(CLK_LOCAL_MEM_FENCE);": 1,
}


@pytest.mark.parametrize("body", BARRIERS)
def test_barriers(body: str):
    _, facts = of(f"{body} a[gid] = 1;", (64,))
    found = facts[Divergence].barriers
    assert len(found) == BARRIERS[body]
    assert all(barrier.branches for barrier in found)


def test_addresses():
    _, facts = of("out[gid] = b[n] + a[grp] + t[b[lid]];")
    found = [each.value for each in facts[Divergence].addresses]
    assert sorted(found) == ["block", "data", "id", "id", "launch"]


RANDOM = [*range(3), *(pytest.param(seed, marks=pytest.mark.full) for seed in range(3, 100))]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", RANDOM)
def test_random_programs(seed: int):
    program = access_program(seed, data=seed % 2 == 0)
    options = BuildOptions(opt_level=OptLevel.O1)
    unit = compile_source(SourceText("k.cl", program.source, "."), options)
    (kernel,) = unit.kernels
    data = np.random.default_rng(seed).integers(0, 256, 256).astype(np.int32)
    arguments = [np.zeros(GLOBAL_BYTES, np.uint8), data, program.n, program.m]
    shape = NDRange(program.global_size, program.local_size)
    known = known_of(kernel, shape, arguments)
    facts = facts_for(kernel, unit, known)
    watch = watched(unit, kernel, facts[Loops], shape, arguments)
    assert not disagreements(kernel, facts, watch)
    for less in (Known(), Known(local_size=known.local_size)):
        assert not disagreements(kernel, facts_for(kernel, unit, less), watch), less

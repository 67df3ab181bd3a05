"""What the passes find in kernels/, against the text of the sources."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from kcc.frontend.ir.instructions import DebugLocation
from kcc.frontend.kernel import Kernel
from kcc.frontend.options import OptLevel
from kcc.frontend.types import AddressSpace
from kcc.passes.facts import Facts
from kcc.passes.graph.barriers import Barriers
from kcc.passes.graph.branches import Branches
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.graph.loops import Loops
from kcc.passes.memory.arrays import Array, ArrayKind
from kcc.passes.memory.memory_accesses import MemoryAccesses
from kcc.passes.memory.memory_use import MemoryUse
from kcc.passes.mix.counts import ClassCounts
from kcc.passes.mix.instruction_mix import InstructionMix
from kcc.passes.table import analyse
from tests.passes.workloads import NAMES, compiled, sampled


def analysed(name: str, kernel: str, level: OptLevel = OptLevel.O1) -> tuple[Facts, Sequence[str]]:
    """The facts about a kernel of a workload, and the lines of its source."""
    unit = compiled(name, level)
    (found,) = (k for k in unit.kernels if k.name == kernel)
    return analyse(found, unit.module), unit.sources[unit.name]


def text_at(lines: Sequence[str], place: DebugLocation | None) -> str:
    """What the source says from a place to the end of its line."""
    assert place
    return lines[place.line - 1][max(place.column - 1, 0) :].strip()


@pytest.mark.sampled(15)
@pytest.mark.parametrize("name", NAMES)
def test_every_loop_has_its_keyword(name: str):
    """At O1 a loop's place is its keyword, or the name of a macro, or (rarely) its condition."""
    unit = compiled(name, OptLevel.O1)
    for kernel in unit.kernels:
        loops = analyse(kernel, unit.module)[Loops]
        assert not loops.irreducible
        for loop in loops.loops:
            assert loop.location
            text = text_at(unit.sources[unit.name], loop.location)
            assert re.match(r"(for|while|do)\b|[A-Z_]+\(", text) or not loop.is_keyword
            line = unit.sources[unit.name][loop.location.line - 1]
            assert re.search(r"\b(for|while|do)\b|[A-Z_]+\(", line)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("level", list(OptLevel))
@pytest.mark.parametrize("name", sampled(NAMES))
def test_facts_agree_with_each_other(name: str, level: OptLevel):
    unit = compiled(name, level)
    for kernel in unit.kernels:
        check_facts(kernel, analyse(kernel, unit.module))


def check_facts(kernel: Kernel, facts: Facts) -> None:
    function, reachable = kernel.function, facts[ControlFlow].reachable
    mix = facts[InstructionMix]
    assert ClassCounts.sum(mix.blocks) == mix.total
    assert ClassCounts.sum([*mix.lines.values(), mix.unattributed]) == mix.total
    accesses = facts[MemoryAccesses].accesses
    counted = sum(n for kind, n in mix.total.items() if re.match("load|store|atomic", kind.value))
    assert len(accesses) == counted
    assert [access.id for access in accesses] == list(range(counted))
    assert all(function.instructions[a.instruction].block == a.block for a in accesses)
    touched = {a.array.symbol for a in accesses if isinstance(a.array, Array) and is_local(a.array)}
    assert touched <= {array.symbol for array in facts[MemoryUse].local_arrays}
    for branch in facts[Branches].branches:
        assert branch.block in reachable
        assert len(function.blocks[branch.block].successors) > 1
    assert len(facts[Barriers].barriers) == next(
        n for kind, n in mix.total.items() if kind.value == "barrier"
    )


def is_local(array: Array) -> bool:
    return array.kind is ArrayKind.GLOBAL and array.space is AddressSpace.LOCAL


def loop_texts(facts: Facts, lines: Sequence[str]) -> list[tuple[int, str]]:
    """Depth and text of each loop."""
    return [(loop.depth, text_at(lines, loop.location)) for loop in facts[Loops].loops]


def access_texts(facts: Facts) -> list[str]:
    return [
        f"{access.op.value} {access.array.name}"
        for access in facts[MemoryAccesses].accesses
        if isinstance(access.array, Array)
    ]


def test_bfs():
    facts, lines = analysed("bfs", "BFS_1")
    assert [depth for depth, _ in loop_texts(facts, lines)] == [1]
    assert loop_texts(facts, lines)[0][1].startswith("for (")
    assert access_texts(facts) == [
        "load g_graph_mask", "store g_graph_mask", "load g_graph_nodes", "load g_graph_nodes",
        "load g_graph_edges", "load g_graph_visited", "load g_cost", "store g_cost",
        "store g_updating_graph_mask",
    ]  # fmt: skip
    assert len(facts[Branches].branches) == 4
    assert facts[MemoryUse].local_bytes == facts[MemoryUse].private_bytes == 0


def test_hotspot():
    facts, lines = analysed("hotspot", "hotspot")
    assert loop_texts(facts, lines) == [(1, "for (int i = 0; i < iteration; ++i) {")]
    (loop,) = facts[Loops].loops
    assert len(loop.exiting) == 2, "the condition and a break"
    barriers = facts[Barriers].barriers
    assert [text_at(lines, b.location) for b in barriers] == ["barrier(CLK_LOCAL_MEM_FENCE);"] * 3
    assert [facts[Loops].depth(b.block) for b in barriers] == [0, 1, 1]
    assert facts[MemoryUse].local_bytes == 3 * 16 * 16 * 4


def test_nw():
    facts, lines = analysed("nw", "nw_kernel1")
    assert [depth for depth, _ in loop_texts(facts, lines)] == [1, 1, 1, 1]
    assert facts[MemoryUse].dynamic_locals == ("input_itemsets_l", "reference_l")
    assert facts[MemoryUse].local_bytes == 0
    assert len(facts[Barriers].barriers) == 3


def test_matmul():
    facts, lines = analysed("matmul", "matmul_float4")
    assert [depth for depth, _ in loop_texts(facts, lines)] == [1, 1, 2, 1]
    assert [a.name for a in facts[MemoryUse].local_arrays] == ["a_tile", "b_tile"]
    assert [(a.name, a.size_bytes) for a in facts[MemoryUse].private_arrays] == [("acc", 64)]
    wide = [a for a in facts[MemoryAccesses].accesses if a.element_bytes == 16]
    assert {a.array.name for a in wide if isinstance(a.array, Array)} == {
        "A", "B", "C", "acc", "a_tile", "b_tile",
    }  # fmt: skip


def test_lud_at_o2_does_not_know_which_tile_is_meant():
    facts, _ = analysed("lud", "lud_perimeter", OptLevel.O2)
    unknown = {
        a.array.reason for a in facts[MemoryAccesses].accesses if not isinstance(a.array, Array)
    }
    assert unknown == {"one of peri_col, peri_row"}

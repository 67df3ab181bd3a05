"""Counts of machine blocks, by hand and against counted random walks."""

from __future__ import annotations

import random

import pytest

from kcc.frontend.machine_code.graph import MachineGraph
from kcc.sim.program.compiled.counts import Evidence, machine_counts
from tests.frontend.machine_code.test_graph import LOOP, code_of


def test_a_loop_of_which_the_load_is_known():
    graph = MachineGraph(code_of(LOOP))
    found = machine_counts(graph, [Evidence({1: 1}, 12.0, 1.0), Evidence({2: 1}, 0.75, 1.0)])
    assert found is not None
    assert found.blocks == pytest.approx((1.0, 12.0, 0.75))
    assert found.misfit == pytest.approx(0.0)


UNROLLED = """
MOV R0, RZ
@P0 BRA `(.L_2)
.L_1:
LDG.E R2, [R4.64]
LDG.E R3, [R4.64]
LDG.E R6, [R4.64]
LDG.E R7, [R4.64]
@P0 BRA `(.L_1)
.L_2:
@P1 EXIT
.L_3:
LDG.E R2, [R4.64]
@P0 BRA `(.L_3)
EXIT
"""


def test_copies_of_an_unrolled_loop_share_its_iterations():
    """As few instructions as do it: all iterations go by four."""
    graph = MachineGraph(code_of(UNROLLED))
    found = machine_counts(graph, [Evidence({1: 4, 3: 1}, 64.0, 1.0)])
    assert found is not None
    assert found.blocks[:4] == pytest.approx((1.0, 16.0, 1.0, 0.0))


def test_a_contradiction_is_a_misfit():
    graph = MachineGraph(code_of("MOV R0, RZ\nEXIT"))
    found = machine_counts(graph, [Evidence({0: 1}, 3.0, 1.0)])
    assert found is not None
    assert found.blocks == pytest.approx((1.0,))
    assert found.misfit == pytest.approx(2 / 3)
    guarded = machine_counts(graph, [Evidence({0: 1}, 0.25, 1.0, at_least=True)])
    assert guarded is not None
    assert guarded.misfit == pytest.approx(0.0)


def test_copies_without_a_predicate_are_executed_no_more_often():
    """One copy of eight under a predicate does not let the loop by four run for each iteration,
    though other evidence, lightly, has it so."""
    graph = MachineGraph(code_of(UNROLLED))
    predicated = Evidence({0: 1, 1: 4, 3: 1}, 64.0, 1.0, at_least=True)
    light = Evidence({1: 1}, 64.0, 0.001)
    open_end = machine_counts(graph, [predicated, light])
    assert open_end is not None
    assert open_end.blocks[1] == pytest.approx(64.0)
    others = Evidence({1: 4, 3: 1}, 64.0, 1.0, at_most=True)
    found = machine_counts(graph, [predicated, others, light])
    assert found is not None
    assert found.blocks[:4] == pytest.approx((1.0, 16.0, 1.0, 0.0))
    assert found.misfit == pytest.approx(0.0)


@pytest.mark.parametrize("seed", range(12))
def test_random_flow_graphs(seed: int):
    """Every block's count is evidence of itself: the solution is the walk that was counted, also
    where one count is wrong."""
    draw = random.Random(seed)
    lines = list[str]()
    size = draw.randrange(4, 10)
    for number in range(size):
        lines += [f".L_{number}:", "IADD3 R0, R0, 0x1, RZ"]
        lines.append(f"@P0 BRA `(.L_{draw.randrange(size)})")
    graph = MachineGraph(code_of("\n".join([*lines, ".L_x:", "EXIT"])))
    counts = [0] * len(graph.blocks)
    runs = 200
    for _ in range(runs):
        block = 0
        while True:
            counts[block] += 1
            after = graph.blocks[block].successors
            if not after or counts[block] > 10_000:
                break
            block = draw.choice(after)
    if max(counts) > 10_000:
        pytest.skip("a walk without end")
    evidence = [Evidence({b: 1}, n / runs, 1.0) for b, n in enumerate(counts)]
    found = machine_counts(graph, evidence)
    assert found is not None
    assert found.blocks == pytest.approx([n / runs for n in counts], abs=1e-6)
    assert found.misfit == pytest.approx(0.0, abs=1e-9)

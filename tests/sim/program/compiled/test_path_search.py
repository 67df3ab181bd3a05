"""Ways of warps through machine code, by hand."""

from __future__ import annotations

from kcc.frontend.machine_code.graph import MachineGraph
from kcc.sim.program.compiled.lowering import SURE, WEAK
from kcc.sim.program.compiled.marks import Marks, Need
from kcc.sim.program.compiled.path_search import CodePath, PathSearch
from tests.frontend.machine_code.test_graph import code_of
from tests.sim.program.compiled.test_counts import UNROLLED

ENTRY, BODY, LAST = range(3)
"""Segments of a trace."""


def need(segment: int, count: int, *, guarded: bool = False) -> Need:
    return Need(segment, count, guarded)


def path_of(
    text: str, needs: list[list[Need]], segments: list[int],
    weights: tuple[float, ...] = (WEAK, SURE, SURE),
) -> CodePath:  # fmt: skip
    graph = MachineGraph(code_of(text))
    assert len(graph.blocks) == len(needs)
    marks = Marks(weights, tuple(map(tuple, needs)), (), (), {})
    found = PathSearch(graph, marks).path(segments)
    assert found is not None
    return found


def blocks(path: CodePath) -> list[int]:
    return [step.block for step in path.steps]


def test_iterations_go_by_four_and_those_left_over_by_one():
    needs = [[need(ENTRY, 1)], [need(BODY, 4)], [], [need(BODY, 1)], []]
    found = path_of(UNROLLED, needs, [ENTRY, *[BODY] * 7])
    assert blocks(found) == [0, 1, 2, 3, 3, 3, 4]
    assert found.steps[1].taken == (1, 2, 3, 4)
    assert found.misfit == 0.0


def test_a_long_loop_is_looked_at_in_pieces():
    needs = [[need(ENTRY, 1)], [need(BODY, 4)], [], [need(BODY, 1)], []]
    found = path_of(UNROLLED, needs, [ENTRY, *[BODY] * 1001])
    assert blocks(found) == [0, *[1] * 250, 2, 3, 4]
    assert sorted(n for step in found.steps for n in step.taken) == list(range(1002))
    assert found.misfit == 0.0


BRANCH = """
@P0 BRA `(.L_1)
LDG.E R2, [R4.64]
BRA `(.L_2)
.L_1:
LDG.E R3, [R4.64]
.L_2:
STG.E [R4.64], R2
EXIT
"""


def test_a_warp_that_diverges_goes_both_ways():
    needs = [[], [need(BODY, 1)], [need(ENTRY, 1)], [need(LAST, 1)]]
    weights = (SURE, SURE, SURE)
    assert blocks(path_of(BRANCH, needs, [BODY, LAST], weights)) == [0, 1, 3]
    assert blocks(path_of(BRANCH, needs, [ENTRY, LAST], weights)) == [0, 2, 3]
    assert blocks(path_of(BRANCH, needs, [ENTRY, BODY, LAST], weights)) == [0, 2, 1, 3]
    assert blocks(path_of(BRANCH, needs, [BODY, ENTRY, LAST], weights)) == [0, 1, 2, 3]


def test_what_no_block_stands_for_is_a_misfit():
    needs = [[], [need(BODY, 1)], [need(ENTRY, 1)], [need(LAST, 1)]]
    found = path_of(BRANCH, needs, [BODY, LAST, LAST], (SURE, SURE, SURE))
    assert blocks(found) == [0, 1, 3]
    assert found.misfit == 1 / 3


def test_a_predicated_access_may_stand_for_nothing():
    needs = [[need(BODY, 1, guarded=True), need(LAST, 1)]]
    found = path_of("@P0 LDG.E R2, [R4.64]\nSTG.E [R4.64], R2\nEXIT", needs, [LAST])
    assert found.steps[0].taken == (0,)
    assert found.misfit < 0.01


CALL = """
@P0 CALL.REL.NOINC `(.L_1)
LDG.E R2, [R4.64]
.L_1:
STG.E [R4.64], R2
EXIT
"""


def test_a_call_that_does_not_come_back_is_a_jump():
    needs = [[], [need(BODY, 1)], [need(LAST, 1)]]
    assert blocks(path_of(CALL, needs, [LAST])) == [0, 2]
    assert blocks(path_of(CALL, needs, [BODY, LAST])) == [0, 1, 2]

"""Where private arrays lie, and what finding their elements takes."""

from __future__ import annotations

import pytest

from kcc.base.diagnostics import Span
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.sim.estimate.subject import Subject
from kcc.sim.machine.costs import Generation, Unit
from kcc.sim.program.operations import Memory
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import Workshop

SUMS = """
__kernel void k(__global const float *x, __global float *y, int n) {
  float s[COUNT];
  for (int j = 0; j < COUNT; j++) s[j] = 0.0f;
  for (int i = 0; i < n; i++) {
    float v = x[i];
    #pragma unroll UNROLL
    for (int j = 0; j < COUNT; j++) { s[j] += v * v; v += 1.5f; }
  }
  for (int j = 0; j < COUNT; j++) y[get_global_id(0) * COUNT + j] = s[j];
}
"""


def subject(count: int, unroll: int) -> Subject:
    at = Span("test", 1)
    text = SUMS.replace("COUNT", str(count)).replace("UNROLL", str(unroll))
    request = AnalysisRequest(
        source=SourceText("k.cl", text, "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(
            LaunchRequest(parse_dimensions("4096", at), parse_dimensions("64", at)), {}, (), "test"
        ),
    )
    (prepared,) = Workshop().prepare(request)
    return prepared.subject


def moves(found: Subject) -> list[float]:
    rows = found.program(Generation.VOLTA).operations
    return [row.slots for row in rows if row.unit is Unit.EITHER and row.slots and row.access >= 0]


def test_unrolled_wholly_it_is_registers() -> None:
    found = subject(8, 8)
    assert found.program(Generation.VOLTA).private_bytes == 0
    assert not moves(found)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("count", "unroll", "candidates"),
    # Pieces are as wide as the loop's step: at most 16 bytes.
    [(4, 1, 4), (8, 2, 4), (16, 4, 4), (32, 4, 8), (16, 8, 4)],
)
def test_few_candidates_are_selected(count: int, unroll: int, candidates: int) -> None:
    found = subject(count, unroll)
    assert found.program(Generation.VOLTA).private_bytes == 0
    # Each copy of the body moves its element out of the candidates and back.
    assert len(moves(found)) >= 2 * unroll
    assert set(moves(found)) == {candidates}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("count", "unroll"), [(16, 1), (32, 1), (32, 2)])
def test_many_candidates_lie_in_memory(count: int, unroll: int) -> None:
    program = subject(count, unroll).program(Generation.VOLTA)
    assert program.private_bytes == 4 * count
    kinds = [row.memory for row in program.operations]
    assert Memory.PRIVATE in kinds
    assert Memory.PRIVATE_STORE in kinds

"""Branches that may diverge."""

from __future__ import annotations

import pytest

from kcc.base.diagnostics import Span
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.flow.divergent_branches import BRANCH_STEPS, RECONVERGENCE_SLOTS
from kcc.sim.machine.costs import Generation, Unit
from kcc.sim.program.operations import MachineOperation
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import Workshop

LONG = "for (int n = 0; n < 64; ++n) s = s * x[n] + 1.0f;"
DIVERGENT = f"if (x[i] > 0.0f) {{ {LONG} }}"
TWICE = f"if (x[i] > 0.0f) {{ if (x[i] > 9.0f) {{ {LONG} }} }}"
SHORT = "if (x[i] > 0.0f) y[i + 1] = s;"
GUARD = f"if (x[i] > 0.0f) return; {LONG}"
TOGETHER = f"if (x[get_group_id(0)] > 0.0f) {{ {LONG} }}"


def branches(body: str, generation: Generation) -> tuple[list[MachineOperation], float]:
    """The branches of a kernel that cost more than others, and the slots of all its branches."""
    text = f"""__kernel void k(__global const float *x, __global float *y) {{
      int i = get_global_id(0);
      float s = 1.0f;
      {body}
      y[i] = s;
    }}"""
    at = Span("test", 1)
    size = LaunchRequest(
        global_size=parse_dimensions("4096", at), local_size=parse_dimensions("128", at)
    )
    request = AnalysisRequest(
        source=SourceText("k.cl", text, "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(size, {}, (), "test"),
    )
    (prepared,) = Workshop().prepare(request)
    rows = prepared.subject.program(generation).operations
    # The descriptor of global memory comes through the same pipeline.
    control = [
        row for row in rows
        if row.unit is Unit.CONTROL and row.kind is not InstructionClass.MOVE
    ]  # fmt: skip
    waited = [n for n, row in enumerate(rows) if row in control and row.steps == BRANCH_STEPS]
    for branch in waited:
        assert any(branch in row.needs for row in rows), "what is after a branch waits for it"
    return [rows[n] for n in waited], sum(row.slots for row in control)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("body", "divergent", "plain"),
    [(DIVERGENT, 1, 2), (SHORT, 0, 1), (TOGETHER, 0, 2), (GUARD, 0, 2)],
)
def test_only_divergent_branches_that_are_not_predicated(body: str, divergent: int, plain: int):
    found, slots = branches(body, Generation.VOLTA)
    assert len(found) == divergent
    assert slots == plain + divergent * RECONVERGENCE_SLOTS
    none, stacked = branches(body, Generation.MAXWELL)  # which has SSY and SYNC for it
    assert not none
    assert stacked == pytest.approx(slots)


def test_a_reconvergence_point_is_recorded_once():
    once, _ = branches(DIVERGENT, Generation.VOLTA)
    twice, _ = branches(TWICE, Generation.VOLTA)
    assert len(twice) >= len(once)
    assert sum(row.slots > RECONVERGENCE_SLOTS for row in twice) == 1

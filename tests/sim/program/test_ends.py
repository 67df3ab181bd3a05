"""What stands beside barriers, exits and branches of Maxwell and Pascal (ptxas 12.9, sm_52)."""

from __future__ import annotations

import pytest

from kcc.sim.machine.costs import Generation, Unit
from kcc.sim.program.ends import BESIDE_BARRIER, IDLE_BEFORE_EXIT
from tests.sim.program.test_integer_arithmetic import program, slots

SHARED = """
kernel void k(global float *a) {{
    local float s[64];
    int i = get_local_id(0);
    {0}
    {1}
    a[i] = s[63 - i];
}}
"""
BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"
BRANCH = "if (a[i] > 0.5f) { for (int k = 0; k < 3; k++) s[i] += a[k * (int)a[k + 1]]; }"


def control(first: str, second: str, generation: Generation = Generation.MAXWELL) -> float:
    return slots(program(SHARED.format(first, second), generation), Unit.CONTROL)


@pytest.mark.parametrize(
    ("first", "is_conditional"), [("s[i] = a[i + 64];", False), (BRANCH, True)]
)
def test_barriers_of_maxwell_have_a_fence_and_idle_slots(first: str, is_conditional: bool) -> None:
    one = control(first, BARRIER) - control(first, "")
    assert one == pytest.approx(1.0 + BESIDE_BARRIER[is_conditional])
    newer = control(first, BARRIER, Generation.VOLTA) - control(first, "", Generation.VOLTA)
    assert newer == pytest.approx(1.0)


def test_exits_of_maxwell_have_idle_slots() -> None:
    """A kernel without a condition: one exit, and since Volta the descriptor."""
    source = "kernel void k(global int *a) { a[get_global_id(0)] = 0; }"
    old, new = (
        slots(program(source, each), Unit.CONTROL)
        for each in (Generation.MAXWELL, Generation.VOLTA)
    )
    assert (old, new) == pytest.approx((1.0 + IDLE_BEFORE_EXIT[False], 2.0))

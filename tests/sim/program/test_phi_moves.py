"""Moves into the registers of phis, against what ptxas 12.9 makes for sm_80, counted by hand."""

from __future__ import annotations

import pytest

from kcc.sim.machine.costs import Unit
from kcc.sim.program.operations import MachineProgram, Memory
from tests.sim.program.test_integer_arithmetic import program, slots

LOOP = """
kernel void k(global int *out, global const int *next, int n) {{
    int i = get_global_id(0), last = i;
    for (;;) {{ int j = next[i]; if (j == {0}) break; last = {1}; i = j; }}
    out[get_global_id(0)] = last;
}}
"""
WAY = (
    "kernel void k(global TYPE *out, int n, TYPE a) { TYPE x = a; if (n > 3) { BODY; } *out = x; }"
)


def moves(found: MachineProgram) -> float:
    return slots(found, Unit.EITHER)


def test_what_a_loop_carries_and_still_wants() -> None:
    """A chain's last place, which is wanted behind the load of the next one, and what that was
    before: MOV and IMAD.MOV, as in such a loop that ptxas makes."""
    kept, lost = (in_loop(program(LOOP.format(*each))) for each in (("i", "i"), ("n", "0")))
    assert kept == lost + 2


def in_loop(found: MachineProgram) -> float:
    """Moves of the last block that loads: the loop, of which the first round may stand before."""
    *_, own = (
        rows for part in found.blocks if (rows := [found.operations[n] for n in part])
        and {Memory.GLOBAL_LOAD} <= {row.memory for row in rows}
    )  # fmt: skip
    return sum(row.slots for row in own if row.unit is Unit.EITHER)


@pytest.mark.parametrize(
    ("type_", "body", "count"),
    [
        ("int", "x = 7; out[1] = n", 1), ("int", "out[1] = n", 0),
        ("double", "x = 0.0; out[1] = n", 1), ("double", "x = 7.0; out[1] = n", 2),
    ],
)  # fmt: skip
def test_constants_of_one_way(type_: str, body: str, count: int) -> None:
    """A word each, two words of zero by one CS2R."""
    found = program(
        WAY.replace("TYPE", type_).replace("BODY", f"atomic_add((global int *)out + 9, n); {body}")
    )
    plain = program(
        WAY.replace("TYPE", type_).replace(
            "BODY", "atomic_add((global int *)out + 9, n); out[1] = n"
        )
    )
    assert moves(found) - moves(plain) == count

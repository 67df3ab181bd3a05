"""How many accesses ptxas makes, of what, beside its code for sm_52, sm_80 and sm_90."""

from __future__ import annotations

import pytest

from kcc.sim.machine.costs import Generation, Unit
from kcc.sim.program.operations import MachineProgram, Memory
from tests.sim.program.test_integer_arithmetic import program, slots

COPY = """
kernel void k(global const float *a, global float *c) {{ int i = get_global_id(0); {0}; }}
"""
ROOTS = """
kernel void k(global const float4 *a, global float *c) {
    int i = get_global_id(0);
    float4 v = sqrt(a[i]) * 0.5f;
    v.w = i;
    c[i] = LANES;
}
"""
CONSTANTS = """
kernel void k({0}, global float *c) {{ int i = get_global_id(0); c[i] = {1}; }}
"""
SHARED = """
kernel void k(global const float *a, global float *c, int n) {{
    local float s[256];
    local float t[256];
    int i = get_local_id(0);
    float x = a[i], y = a[i + 64];
    s[i] = x;
    {0}
    barrier(CLK_LOCAL_MEM_FENCE);
    c[i] = s[63 - i];
}}
"""


def accesses(found: MachineProgram, memory: Memory) -> float:
    return sum(
        found.operations[n].slots for part in found.blocks for n in part
        if found.operations[n].memory is memory
    )  # fmt: skip


@pytest.mark.parametrize(
    ("copy", "generation", "each"),
    [
        ("vstore4(vload4(i, a), i, c)", Generation.VOLTA, 4),
        ("vstore4(vload4(i, a), i, c)", Generation.MAXWELL, 4),
        ("((global float4 *)c)[i] = ((global const float4 *)a)[i]", Generation.VOLTA, 1),
        ("vstore4(vload4(i, a), i, c)", Generation.AMD, 1),
    ],
)
def test_ptxas_splits_vectors_that_it_does_not_know_aligned(
    copy: str, generation: Generation, each: int
) -> None:
    found = program(COPY.format(copy), generation)
    assert accesses(found, Memory.GLOBAL_LOAD) == each
    assert accesses(found, Memory.GLOBAL_STORE) == each


@pytest.mark.parametrize(("lanes", "roots"), [("v.x + v.y * v.z", 3), ("v.x + v.w", 2)])
def test_lanes_that_nobody_wants_are_not_computed(lanes: str, roots: int) -> None:
    """What goes into them neither: MUFU of each square root that somebody reads."""
    none, some = (program(ROOTS.replace("LANES", text)) for text in ("v.x * 0", lanes))
    one = slots(none, Unit.SFU)
    assert slots(some, Unit.SFU) - one == pytest.approx(roots - 1)


@pytest.mark.parametrize(
    ("arguments", "value", "generation", "constant", "far"),
    [
        ("constant float *a", "a[3]", Generation.VOLTA, 1, 0),
        ("constant float *a, constant float *b", "a[i] + b[i]", Generation.VOLTA, 2, 0),
        ("constant float *a, constant float *b, constant float *d", "a[i] + b[0] + d[i]",
         Generation.VOLTA, 0, 3),
        ("constant float *a", "a[3]", Generation.HOPPER, 0, 1),
        ("constant float *a", "a[3]", Generation.KEPLER, 0, 0),
    ],
)  # fmt: skip
def test_constant_memory_of_an_argument_is_loaded(
    arguments: str, value: str, generation: Generation, constant: int, far: int
) -> None:
    """By LDC, of three and more arguments and since Hopper by LDG.CONSTANT; compilers of before
    Maxwell read it as an operand."""
    found = program(CONSTANTS.format(arguments, value), generation)
    assert accesses(found, Memory.CONSTANT_LOAD) == constant
    assert accesses(found, Memory.GLOBAL_LOAD) == far


@pytest.mark.parametrize(
    ("between", "stores", "loads"),
    [
        ("", 1, 1),
        ("t[i] = y; c[i + 64] = s[i] + t[i ^ 1];", 2, 2),
        ("s[i + n] = y; c[i + 64] = s[i];", 2, 2),
        ("s[i + 1] = y; c[i + 64] = s[i];", 2, 1),
        ("barrier(CLK_LOCAL_MEM_FENCE); s[i] = y;", 2, 1),
        ("c[i + 64] = s[i + n]; s[i] = y;", 2, 2),
        ("sub_group_barrier(CLK_LOCAL_MEM_FENCE); c[i + 64] = s[i];", 1, 2),
    ],
)
def test_what_was_just_stored_to_shared_memory_is_not_loaded(
    between: str, stores: int, loads: int
) -> None:
    found = program(SHARED.format(between))
    assert accesses(found, Memory.SHARED_STORE) == stores
    assert accesses(found, Memory.SHARED_LOAD) == loads

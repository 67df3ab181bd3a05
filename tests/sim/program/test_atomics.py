"""Which atomic operations lanes join: integers that are added up, where all have one address; and
what ptxas 12.9 makes beside atomic operations for sm_80, counted by hand."""

from __future__ import annotations

import pytest

from kcc.base.diagnostics import Span
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.sim.machine.costs import Generation, Unit
from kcc.sim.program.operations import Memory
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import Workshop
from tests.sim.program.test_integer_arithmetic import program, slots

KERNEL = """
kernel void k(global int *c, global const int *a, int n) {
    local int s[64];
    int i = get_global_id(0);
    s[get_local_id(0) % 64] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    OPERATION;
}
"""


@pytest.mark.parametrize(
    ("operation", "joined"),
    [
        ("atomic_add(c, a[i])", True),
        ("atomic_max(c + 3 + n, a[i])", True),
        ("atomic_add(c + get_group_id(0), 1)", True),
        ("atomic_add(c + i, 1)", False),
        ("atomic_add(c + a[i], 1)", False),
        ("atomic_xchg(c, a[i])", False),
        ("for (int k = 0; k < a[i]; k++) atomic_add(c + k, i)", False),
        ("atomic_add(s, a[i])", True),
        ("atomic_add(s + (a[i] & 63), 1)", False),
    ],
)
def test_joined(operation: str, joined: bool) -> None:
    at = Span("k.cl", 0)
    launch = LaunchRequest(parse_dimensions("4096", at), parse_dimensions("256", at))
    request = AnalysisRequest(
        source=SourceText("k.cl", KERNEL.replace("OPERATION", operation), "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        kernels=("k",), other_launch=LaunchInputs(launch, {}, (), "test"),
    )  # fmt: skip
    (prepared,) = Workshop().prepare(request)
    program = prepared.subject.program(Generation.VOLTA)
    kinds = (Memory.GLOBAL_ATOMIC, Memory.SHARED_ATOMIC)
    assert [row.joined for row in program.operations if row.memory in kinds] == [joined]


BESIDE = """
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void k(global int *c, global const int *a, global int *out, local TYPE *s) {
    int i = get_global_id(0), old = 0;
    OPERATION;
    out[i] = old;
}
"""


@pytest.mark.parametrize(
    ("type_", "plain", "atomic", "beside"),
    [
        # LDS, IADD3 and IMAD.X, two ISETP, BSSY, BRA, BSYNC.
        ("long", "s[i] = 5", "atom_add(s + i, 5)", {"MEMORY": 1, "ALU": 4, "CONTROL": 3}),
        ("long", "s[i] = 5", "atom_xchg(s + i, 5)", {}),
        ("int", "s[i] = 5", "atomic_add(s + i, 5)", {}),
        # VOTEU and UFLO, ISETP, POPC.
        ("int", "c[0] = 5", "atomic_add(c, 5)", {"CONTROL": 2, "ALU": 1, "SFU": 1}),
        # And LOP3, SHFL and POPC, IADD.
        (
            "int", "c[0] = 5", "old = atomic_add(c, 5)",
            {"CONTROL": 2, "ALU": 2, "SFU": 3, "FMA": 1},
        ),
        ("int", "c[0] = 5", "old = atomic_max(c, 5)", {}),
    ],
)  # fmt: skip
def test_beside(type_: str, plain: str, atomic: str, beside: dict[str, float]) -> None:
    found = [
        program(BESIDE.replace("TYPE", type_).replace("OPERATION", each))
        for each in (plain, atomic)
    ]
    more = {u.name: slots(found[1], u) - slots(found[0], u) for u in Unit}
    assert {name: count for name, count in more.items() if count} == beside


LOOP = """
kernel void k(global int *c, global const int *a, int n) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) OPERATION;
}
"""


def test_lanes_yield_in_loops_with_atomic_operations() -> None:
    found = [
        program(LOOP.replace("OPERATION", each))
        for each in ("c[a[i]] = 5", "atomic_add(c + a[i], 5)")
    ]
    assert slots(found[1], Unit.CONTROL) == slots(found[0], Unit.CONTROL) + 1

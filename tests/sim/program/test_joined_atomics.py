"""Which atomic operations lanes join: integers that are added up, where all have one address."""

from __future__ import annotations

import pytest

from kcc.base.diagnostics import Span
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.sim.machine.costs import Generation
from kcc.sim.program.operations import Memory
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import Workshop

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

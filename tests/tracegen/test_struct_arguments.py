"""Structs handed over by value: each work-item has a copy of its own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from kcc.frontend.options import OptLevel
from kcc.tracegen.execute import NDRange
from tests.tracegen.test_misuse import run

STRUCT = "typedef struct { int x[8]; } s;\n"
BODIES: dict[str, tuple[str, str, Callable[[int], int]]] = {
    "changed": ("s a", "a.x[(i + o[i]) & 7] = i; o[i] = a.x[i & 7];", lambda i: i),
    "one of two": (
        "s a, s b",
        "o[i] = (i & 1 ? a : b).x[(i + o[i]) & 7];",
        lambda i: i % 8 + (0 if i % 2 else 10),
    ),
    "beside an array": (
        "s a",
        "int b[8] = {9, 8, 7, 6, 5, 4, 3, 2}; b[o[i]] = 1; o[i] = (i & 1 ? a.x : b)[i & 7];",
        lambda i: i % 8 if i % 2 else (9 - i % 8 if i % 8 else 1),
    ),
    "address kept": (
        "s a",
        "int *p[2] = {a.x, a.x + 4}; a.x[i & 3] = 50; o[i] = p[(o[i] + i) & 1][i & 3];",
        lambda i: 4 + i % 4 if i % 2 else 50,
    ),
    "only read": ("s a", "o[i] = a.x[i & 7];", lambda i: i % 8),
}  # fmt: skip


@pytest.mark.parametrize("level", [OptLevel.O1, OptLevel.O2], ids=lambda level: level.value)
@pytest.mark.parametrize("name", BODIES)
def test_struct_by_value(name: str, level: OptLevel):
    parameters, body, expected = BODIES[name]
    head = f"{STRUCT}__kernel void k(__global int *o, {parameters})"
    source = f"{head} {{ int i = get_global_id(0); {body} }}"
    first = np.arange(8, dtype=np.int32)
    given = [np.zeros(64, np.int32), first, first + 10][: 3 if "s b" in parameters else 2]
    done = run(source, list(given), NDRange((64,), (64,)), level=level)
    assert done.buffers[0].tolist() == [expected(i) for i in range(64)]

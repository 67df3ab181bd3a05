"""Constant expressions and layouts have the values that PoCL gives them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.frontend.sema.constant_expressions import FLOATS, INTEGERS, expression
from tests.frontend.sema.pocl_constants import compare
from tests.frontend.sema.random_records import Records

if TYPE_CHECKING:
    import pyopencl

SEED = 1121


@pytest.mark.pocl
def test_values(pocl_context: pyopencl.Context, *, full: bool) -> None:
    rng = random.Random(SEED)
    constants = list[tuple[str, str]]()
    count = 3000 if full else 120
    for _ in range(count):
        kind = rng.choice((*INTEGERS, *FLOATS))
        value = expression(rng, rng.randrange(1, 5))
        if kind in INTEGERS:
            value = f"({value}) > 1 ? ({value}) == 3 : -5"
        constants.append((kind, value))
    assert compare(pocl_context, "", constants) == count


@pytest.mark.pocl
def test_layout(pocl_context: pyopencl.Context, *, full: bool) -> None:
    records = Records(random.Random(SEED))
    for _ in range(400 if full else 25):
        records.draw()
    constants = [("long", f"sizeof({name})") for name in records.names]
    constants += [("long", f"(long)&(({name} *)0)->{member}") for name, member in records.paths]
    assert compare(pocl_context, "\n".join(records.lines), constants) > 100

"""What accesses take at best, and what is in excess of it: by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from kcc.base.trace.tables import TracedAccessTable, TraceTables
from kcc.sim.program.ideal_accesses import ideal_accesses

SIZES = (("load", "global", 4), ("store", "global", 16), ("load", "local", 4),
         ("load", "local", 8), ("atomic", "global", 4))  # fmt: skip


def tables(width: int = 32) -> TraceTables:
    """An instruction of each access, then one without."""
    accesses = [TracedAccessTable(n, how, where, size, "", -1)
                for n, (how, where, size) in enumerate(SIZES)]  # fmt: skip
    instructions = [SimpleNamespace(access=n) for n in (*range(len(accesses)), -1)]
    return cast("Any", SimpleNamespace(accesses=accesses, instructions=instructions, width=width))


@pytest.mark.parametrize(
    ("threads", "sectors", "passes"),
    [(256, [4, 16, 0, 0, 0, 0], [0, 0, 1, 2, 0, 0]), (8, [1, 4, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0])],
)
def test_of_full_warps(threads: int, sectors: list[float], passes: list[float]):
    found = ideal_accesses(tables(), threads)
    assert found.sectors.tolist() == sectors
    assert found.passes.tolist() == passes


def test_of_wavefronts():
    found = ideal_accesses(tables(64), 256)
    assert found.sectors.tolist() == [8, 32, 0, 0, 0, 0]
    assert found.passes.tolist() == [0, 0, 2, 4, 0, 0]


def test_excess_is_beyond_the_ideal_and_never_less_than_none():
    executed, taken = np.array([10.0] * 6), np.array([320.0, 100.0, 0, 0, 10, 0])
    passes = np.array([0.0, 0, 160, 10, 0, 0])
    line_of = [0, 2, 0, 2, 2, 0]
    excess = ideal_accesses(tables(), 256).excess(line_of, 3, executed, taken, passes)
    assert excess.requests.tolist() == [10, 0, 10]
    assert excess.local_requests.tolist() == [10, 0, 10]
    assert excess.sectors.tolist() == [280, 0, 0]
    assert excess.passes.tolist() == [150, 0, 0]

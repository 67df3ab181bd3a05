"""The same lanes whatever the order of a set, which differs from one Python to the next."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kcc.passes.symbolic.expr import SymbolKind
from kcc.sim.caches.reuse.program import _LaneMasks  # pyright: ignore[reportPrivateUsage]

OUTER, INNER = 0, 1
KEYS = [(SymbolKind.COUNTER, OUTER), (SymbolKind.COUNTER, INNER)]


@pytest.mark.parametrize("order", [KEYS, KEYS[::-1]])
def test_outer_loops_are_told_apart_first(order: list[tuple[SymbolKind, int]]) -> None:
    masks: Any = _LaneMasks.__new__(_LaneMasks)

    def moving(_: object) -> list[tuple[SymbolKind, int]]:
        return order

    warps: Any = SimpleNamespace(moving=moving)
    active: Any = SimpleNamespace(condition=None, counts={OUTER: 23, INNER: 46})
    places, counts = masks._places(warps, active)
    assert counts == [23, 2]
    assert places == {OUTER: (2, 22), INNER: (1, 1)}

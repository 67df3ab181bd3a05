"""Lines in the sets of a cache, the one used last first, against Python's lists."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kcc.base.native import native
from kcc.sim.cycle.launch import empty_cache
from kcc.sim.cycle.layout import DIRTY, WAY_BITS
from kcc.sim.cycle.memory_native import find_line

SETS, MARKED = 3, 7


@native
def looked_up(order: Any, ways: int, lines: Any, sets: int) -> Any:
    """Where each line was found, and whether it was there and had been marked as dirty, as a line
    with a number that MARKED divides is when it comes."""
    found = np.empty((len(lines), 3), np.int64)
    for number, line in enumerate(lines):
        first = line % sets * ways
        place, had = find_line(order, first, ways, line)
        there = had >> WAY_BITS == line
        found[number, 0], found[number, 1], found[number, 2] = place, there, there and had & DIRTY
        if line % MARKED == 0:
            order[first] |= DIRTY
    return found


@given(ways=st.sampled_from([1, 2, 3, 8, 15, 16]), lines=st.lists(st.integers(0, 80), max_size=300))
def test_the_least_recently_used_goes(ways: int, lines: list[int]) -> None:
    order = empty_cache(SETS, ways, 1).order
    sets = [[(-1, way) for way in range(ways)] for _ in range(SETS)]
    found = looked_up(order, ways, np.array(lines, np.int64), SETS).tolist()
    for line, (place, there, dirty) in zip(lines, found, strict=True):
        own = sets[line % SETS]
        known = [at for at, (cached, _) in enumerate(own) if cached == line]
        _, way = own.pop(known[0] if known else -1)
        own.insert(0, (line, way))
        assert place == line % SETS * ways + way
        assert there == bool(known)
        assert bool(dirty) == (bool(known) and line % MARKED == 0)

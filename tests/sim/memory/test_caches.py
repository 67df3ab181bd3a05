"""Sets and ways against a list that is kept in the order of use."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kcc.base.native import native
from kcc.sim.memory.cache_native import NOTHING, WAYS, Cache, seek, take
from kcc.sim.memory.l2_native import shuffle
from kcc.sim.memory.trials import each_of, empty_cache


@native
def accessed(cache: Any, ways: int, sets: int, lines: Any, hits: Any) -> None:
    """Look up or take each line, in turn."""
    for number in range(len(lines)):
        line = lines[number]
        own = line % sets
        if seek(cache, own, line) == NOTHING:
            take(cache, own, ways, line)
        else:
            hits[number] = 1


@pytest.mark.parametrize("ways", [1, 2, 3, 15, 16])
@pytest.mark.parametrize("sets", [1, 3])
def test_the_line_used_longest_ago_goes(ways: int, sets: int):
    rng = np.random.default_rng(ways)
    lines = rng.integers(0, 2 * ways * sets, 2000)
    (cache,) = each_of(empty_cache(sets, 1))
    assert isinstance(cache, Cache)
    hits = np.zeros(len(lines), np.int64)
    accessed(cache, ways, sets, lines, hits)
    held: dict[int, list[int]] = {own: [] for own in range(sets)}
    for line, hit in zip(map(int, lines), map(int, hits), strict=True):
        own = held[line % sets]
        assert hit == (line in own)
        if line in own:
            own.remove(line)
        own.insert(0, line)
        del own[ways:]
    assert sorted(line for own in held.values() for line in own) == sorted(
        int(line) for line in cache.lines if line != NOTHING
    )
    assert len(cache.lines) == sets * WAYS


@native
def shuffled(orders: Any, random: Any) -> None:
    """Shuffle each row."""
    for number in range(len(orders)):
        shuffle(orders[number], orders.shape[1], random)


def test_all_orders_are_as_likely():
    """Six orders of three, 6,000 times: chi square of 5 degrees of freedom is below 20.5 in 99.9 %
    of cases."""
    orders = np.tile(np.arange(3, dtype=np.int16), (6000, 1))
    shuffled(orders, np.array([1], np.uint64))
    _, counts = np.unique(orders, axis=0, return_counts=True)
    assert len(counts) == 6
    assert ((counts - 1000) ** 2 / 1000).sum() < 20.5

"""The caches of the memory model, compiled by numba. Import it lazily.

A cache is sets of up to :data:`WAYS` ways. The lines of a set stand beside each other and are
compared at once; the order of their use is a word of digits of four bits, the way used last first.
Ways are named by their place among those of all sets.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from kcc.base.native import equal_of_16, inlined, native, trailing_zeros

Ints = Any

SECTOR_MASK = (1 << 16) - 1
NOTHING = -1
WAYS = 16
"""The cycle-level model's MOST_WAYS."""
IN_TURN = 0xFEDCBA9876543210
"""An order of use: way 0 was used last, way 15 first."""
EACH = 0x1111111111111111
"""A digit of 1 for each way."""


class Field(IntEnum):
    """Of a way, 32 bits each."""

    VALID = 0
    """Sectors that are there, as bits, ..."""
    WRITTEN = 1
    """... and those that were written."""
    ARRIVES = 2
    """When its sectors come: cycles, as far as 31 bits hold them."""


SIZE = 4
VALID, WRITTEN, ARRIVES = int(Field.VALID), int(Field.WRITTEN), int(Field.ARRIVES)


class Cache(NamedTuple):
    """``lines`` (NOTHING for none) and ``state`` (SIZE fields) of ways, ``order`` of sets."""

    lines: Ints
    order: Ints
    state: Ints


@inlined
def draw_word(state: Any) -> Any:
    """64 random bits, from SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
    generators", OOPSLA 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@inlined
def draw(state: Any, bound: int) -> int:
    """A number from 0 to ``bound`` (excluded, less than 2^32)."""
    word = draw_word(state) >> np.uint64(32)
    found: Any = np.int64((word * np.uint64(bound)) >> np.uint64(32))
    return found


@inlined
def get(cache: Cache, way: Any, field: int) -> Any:
    """A field of a way; Numba takes an index without a sign as it is."""
    return np.int64(cache.state[np.uint64(way * SIZE + field)])


@inlined
def put(cache: Cache, way: Any, field: int, value: Any) -> None:
    """Set a field of a way."""
    cache.state[np.uint64(way * SIZE + field)] = value


@inlined
def seek(cache: Cache, own: Any, line: Any) -> Any:
    """The way of the set ``own`` that holds a line, which is the one used last then, or
    NOTHING."""
    found = equal_of_16(cache.lines, own * WAYS, line)
    if found == 0:
        return np.int64(NOTHING)
    way = trailing_zeros(found)
    order = cache.order[np.uint64(own)]
    digits = order ^ (np.uint64(way) * np.uint64(EACH))
    place = (
        trailing_zeros(np.int64((digits - np.uint64(EACH)) & ~digits & np.uint64(EACH << 3))) - 3
    )
    newer = (np.uint64(1) << np.uint64(place)) - np.uint64(1)
    older = ~(newer << np.uint64(4) | np.uint64(15))
    cache.order[np.uint64(own)] = (order & older) | (order & newer) << np.uint64(4) | np.uint64(way)
    return own * WAYS + way


@inlined
def take(cache: Cache, own: Any, ways: Any, line: Any) -> Any:
    """The way least recently used of the first ``ways`` of the set ``own`` holds a line from now
    on; its fields are those of the line before."""
    order = cache.order[np.uint64(own)]
    last = np.uint64(4 * (ways - 1))
    way = (order >> last) & np.uint64(15)
    kept = np.uint64(0) if ways == WAYS else order >> (last + np.uint64(4)) << (last + np.uint64(4))
    newer = order & ((np.uint64(1) << last) - np.uint64(1))
    cache.order[np.uint64(own)] = kept | newer << np.uint64(4) | way
    found = own * WAYS + np.int64(way)
    cache.lines[np.uint64(found)] = line
    return found


@native
def fill_ways(ways: int, held: Ints, valid: Ints, written: Ints, cache: Cache) -> None:
    """Put lines into an empty cache: ``held[s]`` those of set s, the one used last first, negative
    for none; with their sectors."""
    for own in range(len(cache.order)):
        for place in range(min(held.shape[1], ways) - 1, -1, -1):
            if held[own, place] >= 0:
                way = take(cache, own, ways, held[own, place])
                put(cache, way, VALID, valid[own, place])
                put(cache, way, WRITTEN, written[own, place])


@native
def read_ways(ways: int, cache: Cache, held: Ints, valid: Ints, written: Ints) -> None:
    """What a cache holds, as :func:`fill_ways` takes it."""
    for own in range(len(cache.order)):
        for place in range(ways):
            digit = (cache.order[own] >> np.uint64(4 * place)) & np.uint64(15)
            way = own * WAYS + np.int64(digit)
            held[own, place] = cache.lines[way]
            valid[own, place] = get(cache, way, VALID)
            written[own, place] = get(cache, way, WRITTEN)

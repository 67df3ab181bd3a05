"""What the caches of the memory model share, compiled by numba. Import it lazily."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, trailing_zeros

Ints = Any

SECTOR_MASK = (1 << 16) - 1
WAY_BITS = 5
"""A line in its set's order stands above so many bits, which are its place in the set."""
WAY_MASK = (1 << WAY_BITS) - 1


@inlined
def draw(state: Any, bound: int) -> int:
    """A number from 0 to ``bound`` (excluded, less than 2^32), from SplitMix64 (Steele, Lea and
    Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    found: Any = np.int64(((z >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))
    return found


@inlined
def ones(word: int) -> int:
    """How many of the lower 16 bits are set."""
    word = word - ((word >> 1) & 0x5555)
    word = (word & 0x3333) + ((word >> 2) & 0x3333)
    word = (word + (word >> 4)) & 0x0F0F
    return (word + (word >> 8)) & 0x1F


@inlined
def quotient(number: int, by: int) -> int:
    """``number // by`` without a division where that is a power of two."""
    if by & (by - 1) == 0:
        return number >> trailing_zeros(by)
    return number // by


@inlined
def remainder(number: int, by: int) -> int:
    """``number % by``, likewise."""
    if by & (by - 1) == 0:
        return number & (by - 1)
    return number % by


@inlined
def find_line(order: Ints, first: int, ways: int, line: int) -> tuple[int, bool]:
    """The place of a line in the set whose ways begin at ``first``, and whether it was there; if
    not, it takes that of the one least recently used. It becomes the one used last."""
    begin = np.uint64(first)
    entry = order[begin]
    if entry >> WAY_BITS == line:
        return first + (entry & WAY_MASK), True
    for place in range(begin + np.uint64(1), begin + np.uint64(ways)):
        entry, order[place] = order[place], entry
        if entry >> WAY_BITS == line:
            order[begin] = entry
            return first + (entry & WAY_MASK), True
    order[begin] = line << WAY_BITS | entry & WAY_MASK
    return first + (entry & WAY_MASK), False


@inlined
def empty(order: Ints, ways: int) -> None:
    """Nothing is in the sets of so many ways."""
    for place in range(len(order)):
        order[place] = (-1 << WAY_BITS) | (place % ways)


@inlined
def set_of(line: int, sets: int) -> int:
    """The set of a line in L1: the cycle-level model's."""
    return remainder(line ^ quotient(line, sets), sets)

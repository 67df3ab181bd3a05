"""The caches of the memory model, compiled by numba. Import it lazily.

A cache is rows of cells (:class:`Field`), one for each line it can hold and after them one for
each set. The lines of a set are a ring in the order of their use that begins and ends at the set's
cell; a line is found by a chain from ``heads``. So a look-up takes as long in 64 ways as in one.
Cells are named by where they begin.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from kcc.base.native import inlined, native, trailing_zeros

Ints = Any

SECTOR_MASK = (1 << 16) - 1
NOTHING = -1


class Field(IntEnum):
    """Of a cell, 32 bits each."""

    LINE = 0
    CHAIN = 1
    """The next cell that may hold a line sought."""
    OLDER = 2
    """The cell used before this one; of a set, the one used last."""
    NEWER = 3
    """The cell used after it; of a set, the one least recently used."""
    VALID = 4
    """Sectors that are there, as bits, ..."""
    WRITTEN = 5
    """... and those that were written."""
    SET = 6
    """The cell of the set."""


SIZE = 8
LINE, CHAIN, OLDER, NEWER = int(Field.LINE), int(Field.CHAIN), int(Field.OLDER), int(Field.NEWER)
VALID, WRITTEN, SET = int(Field.VALID), int(Field.WRITTEN), int(Field.SET)


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
def get(cells: Ints, cell: Any, field: int) -> Any:
    """A field of a cell; Numba takes an index without a sign as it is."""
    return np.int64(cells[np.uint64(cell + field)])


@inlined
def put(cells: Ints, cell: Any, field: int, value: Any) -> None:
    """Set a field of a cell."""
    cells[np.uint64(cell + field)] = value


@inlined
def seek(cells: Ints, heads: Ints, line: Any) -> Any:
    """The cell that holds a line, or :data:`NOTHING`."""
    cell = np.int64(heads[np.uint64(line & (len(heads) - 1))])
    while cell >= 0 and get(cells, cell, LINE) != line:
        cell = get(cells, cell, CHAIN)
    return cell


@inlined
def use(cells: Ints, cell: Any) -> None:
    """A cell becomes the one of its set that was used last."""
    own = get(cells, cell, SET)
    latest = get(cells, own, OLDER)
    if latest == cell:
        return
    newer, older = get(cells, cell, NEWER), get(cells, cell, OLDER)
    put(cells, newer, OLDER, older)
    put(cells, older, NEWER, newer)
    put(cells, cell, NEWER, own)
    put(cells, cell, OLDER, latest)
    put(cells, latest, NEWER, cell)
    put(cells, own, OLDER, cell)


@inlined
def take(cells: Ints, heads: Ints, own: Any, line: Any) -> Any:
    """The cell least recently used of the set ``own`` holds a line from now on; its sectors are
    those of the line before."""
    cell = get(cells, own, NEWER)
    before = get(cells, cell, LINE)
    mask = len(heads) - 1
    if before >= 0:
        rest = get(cells, cell, CHAIN)
        at = np.int64(heads[np.uint64(before & mask)])
        if at == cell:
            heads[np.uint64(before & mask)] = rest
        else:
            while get(cells, at, CHAIN) != cell:
                at = get(cells, at, CHAIN)
            put(cells, at, CHAIN, rest)
    bucket = np.uint64(line & mask)
    put(cells, cell, LINE, line)
    put(cells, cell, CHAIN, heads[bucket])
    heads[bucket] = cell
    use(cells, cell)
    return cell


@native
def empty_cells(sets: int, ways: int, cells: Ints, heads: Ints) -> None:
    """Make a cache that holds nothing: ``(ways + 1) * sets`` cells, and a power of two of heads."""
    heads[:] = NOTHING
    for number in range(sets):
        own = (sets * ways + number) * SIZE
        put(cells, own, OLDER, own)
        put(cells, own, NEWER, own)
        for way in range(ways):
            cell = (number * ways + way) * SIZE
            latest = get(cells, own, OLDER)
            put(cells, cell, LINE, NOTHING)
            put(cells, cell, CHAIN, NOTHING)
            put(cells, cell, VALID, 0)
            put(cells, cell, WRITTEN, 0)
            put(cells, cell, SET, own)
            put(cells, cell, NEWER, own)
            put(cells, cell, OLDER, latest)
            put(cells, latest, NEWER, cell)
            put(cells, own, OLDER, cell)


@native
def fill_cells(
    sets: int, ways: int, held: Ints, valid: Ints, written: Ints, cells: Ints, heads: Ints
) -> None:
    """Put lines into an empty cache: ``held[s]`` those of set s, the one used last first, negative
    for none; with their sectors."""
    for number in range(sets):
        own = (sets * ways + number) * SIZE
        for place in range(min(held.shape[1], ways) - 1, -1, -1):
            if held[number, place] >= 0:
                cell = take(cells, heads, own, held[number, place])
                put(cells, cell, VALID, valid[number, place])
                put(cells, cell, WRITTEN, written[number, place])


@native
def read_cells(sets: int, ways: int, cells: Ints, held: Ints, valid: Ints, written: Ints) -> None:
    """What a cache holds, as :func:`fill_cells` takes it."""
    for number in range(sets):
        own = (sets * ways + number) * SIZE
        cell = get(cells, own, OLDER)
        for place in range(ways):
            held[number, place] = get(cells, cell, LINE)
            valid[number, place] = get(cells, cell, VALID)
            written[number, place] = get(cells, cell, WRITTEN)
            cell = get(cells, cell, OLDER)


@inlined
def set_of(line: int, sets: int) -> int:
    """The set of a line in L1: the cycle-level model's."""
    return remainder(line ^ quotient(line, sets), sets)

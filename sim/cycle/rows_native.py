"""Puts the rows of a trace in the order of blocks and warps, compiled by numba. Import it
lazily."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, native

Ints = Any


@inlined
def ones(word: Any) -> int:
    """How many bits of 64 are set: sums of two, four and eight of them, then of all bytes."""
    word -= word >> np.uint64(1) & np.uint64(0x5555555555555555)
    pairs = np.uint64(0x3333333333333333)
    word = (word & pairs) + (word >> np.uint64(2) & pairs)
    word = word + (word >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    count: Any = np.int64(word * np.uint64(0x0101010101010101) >> np.uint64(56))
    return count


@native
def thread_instructions(masks: Ints, segments: Ints, counted: Ints) -> int:
    """What the lanes of rows execute together; ``counted`` are the instructions of segments."""
    total = 0
    for row in range(len(masks)):
        total += ones(masks[row]) * counted[segments[row]]
    return total


@native
def sort_rows(
    blocks: Ints, warps: Ints, starts: Ints, segments: Ints, accesses: Ints, touched: Ints,
    rows: Ints, at: int,
) -> int:  # fmt: skip
    """Write the rows (segments and first access) warp by warp from ``rows[at]`` on; their end.

    ``blocks`` ascend. ``starts[b, w, :]`` become the first and the end row of warp w of the b-th
    of them; they are zeros before. ``touched`` are the accesses of each segment that the next one
    may follow in the same row, else -1."""
    follows = np.empty(len(blocks), np.bool_)
    segment_next, access_next = np.full(starts.shape[1], -1), np.empty(starts.shape[1], np.int64)
    block = 0
    for row in range(len(blocks)):
        if row > 0 and blocks[row] != blocks[row - 1]:
            block += 1
            segment_next[:] = -1
        warp, segment, access = warps[row], segments[row], accesses[row]
        follows[row] = (segment == segment_next[warp]) & (access == access_next[warp])
        starts[block, warp, 1] += not follows[row]
        own = touched[segment]
        segment_next[warp], access_next[warp] = segment + 1 if own >= 0 else -1, access + own
    end = at
    for block in range(starts.shape[0]):
        for warp in range(starts.shape[1]):
            count = starts[block, warp, 1]
            starts[block, warp, 0] = starts[block, warp, 1] = end
            end += count
    block = 0
    for row in range(len(blocks)):
        block += row > 0 and blocks[row] != blocks[row - 1]
        place = starts[block, warps[row], 1]
        if follows[row]:
            place -= 1
        else:
            starts[block, warps[row], 1] = place + 1
            rows[place].segment = segments[row]
            rows[place].access = accesses[row]
        rows[place].last = segments[row]
    return end


@native
def first_needed(rows: Ints, first: int, end: int, least: int) -> int:
    """The first access of the rows ``first`` to ``end``, or ``least`` if that is before."""
    for row in range(first, end):
        least = min(least, rows[row].access)
    return least


@native
def move_rows(rows: Ints, first: int, end: int, accesses: int) -> None:
    """Move rows from ``first`` on to the beginning; so many accesses are gone."""
    for row in range(first, end):
        rows[row - first].segment = rows[row].segment
        rows[row - first].last = rows[row].last
        rows[row - first].access = rows[row].access - accesses


@native
def move_accesses(accesses: Ints, first: int, end: int, transactions: int) -> None:
    """Move accesses from ``first`` on to the beginning; so many transactions are gone."""
    for access in range(first, end):
        accesses[access - first].first = accesses[access].first - transactions
        accesses[access - first].count = accesses[access].count
        accesses[access - first].port = accesses[access].port


@native
def move_transactions(transactions: Ints, first: int, end: int) -> None:
    """Move transactions from ``first`` on to the beginning."""
    for place in range(first, end):
        transactions[place - first].line = transactions[place].line
        transactions[place - first].sectors = transactions[place].sectors
        transactions[place - first].weight = transactions[place].weight

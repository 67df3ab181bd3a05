"""Sequences of loads that a warp issues in bulk, compiled by numba. Import it lazily.

A sequence is loads, then stores. It ends at a branch back, at a load that is in it already, at a
load (or after a branch) that needs the value of one in it, at a load after a store, and at a
barrier (Baghsorkhi et al., section 2).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import native, ones
from kcc.sim.memory.facts import Count, Op

Ints = Any

SECTOR_BITS = 16
OP_SHIFT = 16
OP_MASK = 7
FIRST = 1 << 19
"""The first entry of an access of a warp."""
BEGINS = 1 << 20
"""The first entry of a sequence."""
ACCESS_SHIFT = 21
ACCESS_BITS = 16
ACCESS_MASK = (1 << ACCESS_BITS) - 1
LINE_SHIFT = ACCESS_SHIFT + ACCESS_BITS
"""Where a trial has the number of the line, which has the rest of 64 bits."""

LOAD, STORE, BARRIER = int(Op.LOAD), int(Op.STORE), int(Op.BARRIER)
ATOMIC = int(Op.ATOMIC)

C_EXECUTED, C_REQUESTS, C_SECTORS = (
    int(Count.EXECUTED), int(Count.REQUESTS), int(Count.SECTORS),
)  # fmt: skip

BARRIER_ENTRY = BARRIER << OP_SHIFT | FIRST | BEGINS


@native
def make_entries(
    order: Ints, new_warp: Ints, segments: Ints, starts: Ints, access: Ints, places: Ints,
    transactions: Ints, op_of_access: Ints, static_of_access: Ints, needs: Ints,
    needs_start: Ints, gates: Ints, gates_start: Ints, barrier_of_segment: Ints, lines: Ints,
    info: Ints, bounds: Ints, lengths: Ints,
) -> int:  # fmt: skip
    """Write the entries of all warps to ``lines`` and ``info``; gives how many sequences there are.

    Rows (segments executed) are taken in ``order``; ``new_warp`` is the place of a row's warp in
    ``bounds`` where one begins, else -1. ``starts`` are a row's first access; ``places`` its first
    transaction and their number. ``op_of_access`` is -1 for what does not leave the SM,
    ``static_of_access`` the number that entries are given.
    ``lengths`` gets the sequences of each warp.
    """
    end = 0
    total = 0
    warp = -1
    sequence = 0
    latest = np.zeros(len(op_of_access), np.int64)
    stored = begins = False
    segment = -1
    for row in order:
        if new_warp[row] >= 0:
            if warp >= 0:
                bounds[warp, 1] = end
            warp = new_warp[row]
            bounds[warp, 0] = end
            begins, segment = True, -1
        own = np.int64(segments[row])
        if segment >= 0:
            if own <= segment:
                begins = True
            for place in range(gates_start[segment], gates_start[segment + 1]):
                if latest[gates[place]] == sequence:
                    begins = True
        segment = own
        for number in range(starts[row], starts[row + 1]):
            this = np.int64(access[number])
            op = op_of_access[this]
            first, count = np.int64(places[number].first), np.int64(places[number].count)
            if op < 0 or count == 0:
                continue
            if op != STORE:
                if stored or latest[this] == sequence:
                    begins = True
                for place in range(needs_start[this], needs_start[this + 1]):
                    if latest[needs[place]] == sequence:
                        begins = True
            if begins:
                sequence += 1
                total += 1
                lengths[warp] += 1
                stored = False
            if op == STORE:
                stored = True
            else:
                latest[this] = sequence
            flags = static_of_access[this] << ACCESS_SHIFT | op << OP_SHIFT | FIRST
            if begins:
                flags |= BEGINS
            begins = False
            for each in range(first, first + count):
                lines[end] = transactions[each].line
                info[end] = flags | np.int64(transactions[each].sectors)
                flags &= ~(FIRST | BEGINS)
                end += 1
        if barrier_of_segment[own]:
            lines[end], info[end] = 0, BARRIER_ENTRY
            end += 1
            begins = True
    if warp >= 0:
        bounds[warp, 1] = end
    return total


@native
def counts_of(info: Ints, counts: Ints) -> None:
    """Add to ``counts`` what entries ask for."""
    for word in info:
        if (word >> OP_SHIFT) & OP_MASK != BARRIER:
            access = word >> ACCESS_SHIFT
            counts[access, C_EXECUTED] += np.int64(word & FIRST != 0)
            counts[access, C_REQUESTS] += 1
            counts[access, C_SECTORS] += ones(word & ((1 << SECTOR_BITS) - 1))

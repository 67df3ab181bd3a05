"""The warps of an SM take turns and go through its L1, compiled by numba. Import it lazily.

Baghsorkhi et al., section 3.2: a warp issues a sequence at a time; what L1 does not hold, and all
stores, wait in the SM's queue for L2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, native
from kcc.sim.memory.cache_native import SECTOR_MASK, draw, empty, find_line, ones, set_of
from kcc.sim.memory.facts import Count, Op, Place
from kcc.sim.memory.sequences_native import ACCESS_SHIFT, BEGINS, FIRST, OP_MASK, OP_SHIFT

Ints = Any

BLOCKS, WARPS, SECTORS = int(Place.BLOCKS), int(Place.WARPS), int(Place.SECTORS)
L1_SETS, L1_WAYS = int(Place.L1_SETS), int(Place.L1_WAYS)
STORES_STAY, FILL_LINE = int(Place.STORES_STAY), int(Place.FILL_LINE)
START, TURNS = int(Place.START), int(Place.TURNS)
CONSTANT_SETS, CONSTANT_WAYS = int(Place.CONSTANT_SETS), int(Place.CONSTANT_WAYS)
LOAD, STORE, CONSTANT, BARRIER = int(Op.LOAD), int(Op.STORE), int(Op.CONSTANT), int(Op.BARRIER)
C_EXECUTED, C_REQUESTS, C_SECTORS, C_L1 = (
    int(Count.EXECUTED), int(Count.REQUESTS), int(Count.SECTORS), int(Count.L1_HITS),
)  # fmt: skip

SKIP, DELAY = 0, 1
WHOLE = 1 << 8
"""A turn, in parts: warps that have less left get a part of one."""


@inlined
def look_up(
    order: Ints, valid: Ints, sets: int, ways: int, line: int, wanted: int, full: int, fills: int
) -> tuple[int, int]:
    """Sectors of a line that a cache of an SM holds, and those that it now asks for."""
    place, known = find_line(order, set_of(line, sets) * ways, ways, line)
    at = np.uint64(place)
    there: Any = valid[at] if known else np.int64(0)
    asked = wanted & ~there
    if not known and fills != 0:
        asked = full
    valid[at] = there | asked
    return wanted & there, asked


@inlined
def through_l1(
    c: Ints, line: int, word: int, l1: Ints, l1_valid: Ints, constants: Ints,
    constants_valid: Ints, counts: Ints,
) -> int:  # fmt: skip
    """Sectors of an entry that go on to L2, as bits; what is counted of it before is."""
    wanted = word & SECTOR_MASK
    op = (word >> OP_SHIFT) & OP_MASK
    access = np.uint64(word >> ACCESS_SHIFT)
    if word & FIRST:
        counts[access, C_EXECUTED] += 1
    counts[access, C_REQUESTS] += 1
    counts[access, C_SECTORS] += ones(wanted)
    full = (1 << c[SECTORS]) - 1
    if op == LOAD and c[L1_SETS] > 0:
        had, asked = look_up(
            l1, l1_valid, c[L1_SETS], c[L1_WAYS], line, wanted, full, c[FILL_LINE]
        )  # fmt: skip
        counts[access, C_L1] += ones(had)
        return asked
    if op == STORE and c[STORES_STAY] != 0:
        look_up(l1, l1_valid, c[L1_SETS], c[L1_WAYS], line, wanted, full, 0)
    if op == CONSTANT and c[CONSTANT_SETS] > 0:
        had, asked = look_up(
            constants, constants_valid, c[CONSTANT_SETS], c[CONSTANT_WAYS], line, wanted, full, 0
        )  # fmt: skip
        counts[access, C_L1] += ones(had)
        return asked
    return wanted


@inlined
def place_block(
    c: Ints, bounds: Ints, lengths: Ints, info: Ints, block: int, slot: int, pointer: Ints,
    limit: Ints, idle: Ints, waiting: Ints, credit: Ints, alive: Ints, at_barrier: Ints,
    random: Any, is_first: bool,
) -> None:  # fmt: skip
    """A block takes a place of an SM."""
    warps = c[WARPS]
    alive[slot] = at_barrier[slot] = 0
    skipped, later = 0, 0
    if is_first and c[START] == SKIP:
        skipped = draw(random, 1 << 16)
    if is_first and c[START] == DELAY:
        longest = 0
        for own in range(warps):
            longest = max(longest, lengths[block, own])
        later = draw(random, longest + 1)
    for own in range(warps):
        at = slot * warps + own
        first, end = bounds[block, own, 0], bounds[block, own, 1]
        first += ((end - first) * skipped) >> 16
        while first < end and info[first] & BEGINS == 0:
            first += 1
        pointer[at], limit[at], idle[at] = first, end, later
        waiting[at] = credit[at] = 0
        if first < end:
            alive[slot] += 1


@inlined
def release(c: Ints, slot: int, waiting: Ints, alive: Ints, at_barrier: Ints) -> None:
    """Let the warps of a block go on, if all that run have come to its barrier."""
    if alive[slot] > 0 and at_barrier[slot] == alive[slot]:
        at_barrier[slot] = 0
        for at in range(slot * c[WARPS], (slot + 1) * c[WARPS]):
            waiting[at] = 0


@inlined
def longest_left(pointer: Ints, limit: Ints) -> int:
    """The most entries that a resident warp has left."""
    most = 1
    for at in range(len(pointer)):
        most = max(most, limit[at] - pointer[at])
    return most


@native
def run_sm(
    c: Ints, own: Ints, lines: Ints, info: Ints, bounds: Ints, lengths: Ints, l1: Ints,
    l1_valid: Ints, constants: Ints, constants_valid: Ints, counts: Ints, random: Any,
    queue_lines: Ints, queue_info: Ints, end: int,
) -> int:  # fmt: skip
    """The blocks ``own`` of an SM through its L1. Requests to L2 are written from ``end`` on; gives
    their end."""
    slots, warps, all_blocks = c[BLOCKS], c[WARPS], len(own)
    pointer, limit = np.zeros(slots * warps, np.int64), np.zeros(slots * warps, np.int64)
    idle, waiting = np.zeros(slots * warps, np.int64), np.zeros(slots * warps, np.int64)
    credit = np.zeros(slots * warps, np.int64)
    alive, at_barrier = np.zeros(slots, np.int64), np.zeros(slots, np.int64)
    empty(l1, max(c[L1_WAYS], 1))
    empty(constants, max(c[CONSTANT_WAYS], 1))
    block, left = 0, 0
    for slot in range(slots):
        is_first = True
        while block < all_blocks and alive[slot] == 0:
            place_block(
                c, bounds, lengths, info, own[block], slot, pointer, limit, idle, waiting,
                credit, alive, at_barrier, random, is_first,
            )  # fmt: skip
            block += 1
        left += alive[slot] > 0
    most = longest_left(pointer, limit)
    is_first = False
    at = -1
    while left > 0:
        at += 1
        if at == slots * warps:
            at = 0
            if c[TURNS] == 0:
                most = longest_left(pointer, limit)
        if pointer[at] >= limit[at] or waiting[at] != 0:
            continue
        if idle[at] > 0:
            idle[at] -= 1
            continue
        if c[TURNS] == 0:
            credit[at] += (limit[at] - pointer[at]) * WHOLE // most
            if credit[at] < WHOLE:
                continue
            credit[at] -= WHOLE
        slot = at // warps
        here = pointer[at]
        if info[here] & (OP_MASK << OP_SHIFT) == BARRIER << OP_SHIFT:
            waiting[at] = 1
            at_barrier[slot] += 1
            here += 1
        else:
            while True:
                line, word = lines[here], info[here]
                asked = through_l1(c, line, word, l1, l1_valid, constants, constants_valid, counts)
                if asked != 0:
                    queue_lines[end] = line
                    queue_info[end] = (word & ~SECTOR_MASK) | asked
                    end += 1
                here += 1
                if here == limit[at] or info[here] & BEGINS != 0:
                    break
        pointer[at] = here
        if here == limit[at]:
            at_barrier[slot] -= waiting[at]
            waiting[at] = 0
            alive[slot] -= 1
        release(c, slot, waiting, alive, at_barrier)
        if alive[slot] == 0:
            while block < all_blocks and alive[slot] == 0:
                place_block(
                    c, bounds, lengths, info, own[block], slot, pointer, limit, idle, waiting,
                    credit, alive, at_barrier, random, is_first,
                )  # fmt: skip
                block += 1
            left -= alive[slot] == 0
    return end

"""The warps of each SM in their order through its L1, compiled by numba. Import it lazily.

Baghsorkhi et al., section 3.2: a warp issues a sequence at a time; what L1 does not hold, and all
stores, wait in the SM's queue for L2. Warps and blocks of an SM are rows of the arrays here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, native, ones
from kcc.sim.memory.cache_native import SECTOR_MASK, VALID, draw, get, put, seek, take, use
from kcc.sim.memory.facts import Count, Dispatch, Op, Place, Start, WarpOrder
from kcc.sim.memory.sequences_native import ACCESS_SHIFT, BEGINS, FIRST, OP_MASK, OP_SHIFT

Ints = Any

SMS, BLOCKS, WARPS, SECTORS = (
    int(Place.SMS), int(Place.BLOCKS), int(Place.WARPS), int(Place.SECTORS),
)  # fmt: skip
L1_SETS, CONSTANT_SETS = int(Place.L1_SETS), int(Place.CONSTANT_SETS)
STORES_STAY, FILL_LINE = int(Place.STORES_STAY), int(Place.FILL_LINE)
START, WARP_ORDER, DISPATCH = int(Place.START), int(Place.WARP_ORDER), int(Place.DISPATCH)
L1_CYCLES, L2_CYCLES = int(Place.L1_CYCLES), int(Place.L2_CYCLES)
LOAD, STORE, CONSTANT, BARRIER = int(Op.LOAD), int(Op.STORE), int(Op.CONSTANT), int(Op.BARRIER)
BARRIER_BITS, OP_BITS = BARRIER << OP_SHIFT, OP_MASK << OP_SHIFT
C_EXECUTED, C_REQUESTS, C_SECTORS, C_L1 = (
    int(Count.EXECUTED), int(Count.REQUESTS), int(Count.SECTORS), int(Count.L1_HITS),
)  # fmt: skip

SKIP, DELAY, APART = (
    list(Start).index(Start.SKIP), list(Start).index(Start.DELAY), list(Start).index(Start.APART),
)  # fmt: skip
BY_LENGTH, BY_LATENCY = (
    list(WarpOrder).index(WarpOrder.LENGTH),
    list(WarpOrder).index(WarpOrder.LATENCY),
)
WHEN_FREE = list(Dispatch).index(Dispatch.FREE)
WHOLE = 1 << 8
"""A turn, in parts: warps that have less left get a part of one."""
PART = 1 << 16
"""Of a block."""
NOT_FIRST = -1
NEVER = 1 << 62
ARRIVES = 7
"""The field of a cell that says when its sectors come: cycles, as far as 31 bits hold them."""
TIME_MASK = (1 << 31) - 1


@inlined
def uncount(word: int, counts: Ints) -> None:
    """Take an entry out of what is counted of a whole stream."""
    if word & OP_BITS != BARRIER_BITS:
        access = np.uint64(word >> ACCESS_SHIFT)
        counts[access, C_EXECUTED] -= np.int64(word & FIRST != 0)
        counts[access, C_REQUESTS] -= 1
        counts[access, C_SECTORS] -= ones(word & SECTOR_MASK)


@inlined
def place_block(
    c: Ints, bounds: Ints, lengths: Ints, info: Ints, block: int, slot: int, pointer: Ints,
    limit: Ints, ready: Ints, credit: Ints, alive: Ints, at_barrier: Ints, now: int, late: int,
    counts: Ints, random: Any,
) -> None:  # fmt: skip
    """A block takes a place of an SM, whose first ones may be ``late`` by so many parts of a
    block."""
    warps = c[WARPS]
    alive[slot] = at_barrier[slot] = 0
    skipped, later = 0, 0
    if late >= 0 and c[START] == SKIP:
        skipped = draw(random, PART)
    if late >= 0 and c[START] in (DELAY, APART):
        longest = 0
        for own in range(warps):
            longest = max(longest, lengths[block, own])
        if c[START] == DELAY:
            late = draw(random, PART)
        later = ((longest + 1) * late) >> 16
        if c[WARP_ORDER] == BY_LATENCY:
            later *= c[L1_CYCLES]
    for own in range(warps):
        at = slot * warps + own
        begin, end = bounds[block, own, 0], bounds[block, own, 1]
        first = begin + (((end - begin) * skipped) >> 16)
        while first < end and info[first] & BEGINS == 0:
            first += 1
        for discarded in range(begin, first):
            uncount(info[discarded], counts)
        pointer[at], limit[at], credit[at] = first, end, 0
        ready[at] = now + later if first < end else NEVER
        if first < end:
            alive[slot] += 1


@inlined
def fill_place(
    c: Ints, sm: int, slot: int, nexts: Ints, bounds: Ints, lengths: Ints, info: Ints,
    pointer: Ints, limit: Ints, ready: Ints, credit: Ints, alive: Ints, at_barrier: Ints,
    now: int, late: int, counts: Ints, random: Any,
) -> None:  # fmt: skip
    """The next block that accesses memory takes a place; ``nexts`` are the next ones of each SM
    where they go round robin, else the first is the next of all."""
    counter = 0 if c[DISPATCH] == WHEN_FREE else sm
    step = 1 if c[DISPATCH] == WHEN_FREE else c[SMS]
    while nexts[counter] < len(bounds) and alive[slot] == 0:
        place_block(
            c, bounds, lengths, info, nexts[counter], slot, pointer, limit, ready, credit, alive,
            at_barrier, now, late, counts, random,
        )  # fmt: skip
        nexts[counter] += step


@inlined
def next_sm(c: Ints, free: Ints, clock: Ints) -> int:
    """The first SM that has a free place, by its time where blocks go where one is free; -1 if
    there is none."""
    found, earliest = -1, NEVER
    for sm in range(len(free)):
        when = clock[sm, 0] if c[DISPATCH] == WHEN_FREE else sm
        if free[sm] >= 0 and when < earliest:
            found, earliest = sm, when
    return found


@inlined
def longest_left(pointer: Ints, limit: Ints) -> Any:
    """The most entries that a resident warp has left."""
    most = np.int64(1)
    for at in range(len(pointer)):
        most = max(most, limit[at] - pointer[at])
    return most


@native
def run_sm(
    c: Ints, lines: Ints, info: Ints, l1_sets: Ints, constant_sets: Ints, l1: Ints,
    l1_heads: Ints, constants: Ints, constant_heads: Ints, counts: Ints, pointer: Ints,
    limit: Ints, ready: Ints, credit: Ints, alive: Ints, at_barrier: Ints, clock: Ints,
    queue_lines: Ints, queue_info: Ints, end: int,
) -> tuple[int, int]:  # fmt: skip
    """An SM until one of its blocks has ended, whose place is given, or -1 when there is none.
    ``clock`` are its time and the warp whose turn is next. Requests to L2 are written from ``end``
    on; their end is given, too."""
    warps, places = c[WARPS], len(pointer)
    has_l1, has_constants = c[L1_SETS] > 0, c[CONSTANT_SETS] > 0
    stay, fills, full = c[STORES_STAY] != 0, c[FILL_LINE] != 0, (1 << c[SECTORS]) - 1
    by_latency, by_length = c[WARP_ORDER] == BY_LATENCY, c[WARP_ORDER] == BY_LENGTH
    l1_cycles, l2_cycles = c[L1_CYCLES], c[L2_CYCLES]
    now, at = clock[0], clock[1]
    earliest, issued = np.int64(NEVER), True
    most = longest_left(pointer, limit) if by_length else np.int64(1)
    while True:
        if at == places:
            at = 0
            if not issued:
                if earliest == NEVER:
                    clock[0], clock[1] = now, 0
                    return -1, end
                now = earliest
            elif not by_latency:
                now += 1
            earliest, issued = np.int64(NEVER), False
            if by_length:
                most = longest_left(pointer, limit)
        when = ready[np.uint64(at)]
        if when > now:
            earliest = min(earliest, when)
            at += 1
            continue
        if by_length:
            credit[at] += (limit[at] - pointer[at]) * WHOLE // most
            issued = True
            if credit[at] < WHOLE:
                at += 1
                continue
            credit[at] -= WHOLE
        slot = at // warps
        here, last = np.uint64(pointer[at]), np.uint64(limit[at])
        issued, waits = True, l1_cycles
        if info[here] & OP_BITS == BARRIER_BITS:
            ready[at] = NEVER
            here += np.uint64(1)
            if here < last:
                at_barrier[slot] += 1
        else:
            while True:
                word = info[here]
                line = np.int64(lines[here])
                wanted, op = word & SECTOR_MASK, (word >> OP_SHIFT) & OP_MASK
                asked, now = wanted, now + np.int64(by_latency)
                if op == LOAD and has_l1:
                    cell = seek(l1, l1_heads, line)
                    if cell < 0:
                        cell = take(l1, l1_heads, np.int64(l1_sets[np.uint64(line)]), line)
                        if fills:
                            asked = np.int64(full)
                        put(l1, cell, VALID, asked)
                    else:
                        use(l1, cell)
                        there = get(l1, cell, VALID)
                        asked = wanted & ~there
                        counts[np.uint64(word >> ACCESS_SHIFT), C_L1] += ones(wanted & there)
                    if asked != 0:
                        put(l1, cell, VALID, get(l1, cell, VALID) | asked)
                        put(l1, cell, ARRIVES, (now + l2_cycles) & TIME_MASK)
                        waits = l2_cycles
                    elif by_latency:
                        comes = (get(l1, cell, ARRIVES) - now) & TIME_MASK
                        if waits < comes <= l2_cycles:
                            waits = comes
                elif op == STORE:
                    if stay:
                        cell = seek(l1, l1_heads, line)
                        if cell < 0:
                            cell = take(l1, l1_heads, np.int64(l1_sets[np.uint64(line)]), line)
                            put(l1, cell, VALID, wanted)
                        else:
                            use(l1, cell)
                            put(l1, cell, VALID, get(l1, cell, VALID) | wanted)
                elif op == CONSTANT and has_constants:
                    cell = seek(constants, constant_heads, line)
                    there = np.int64(0)
                    if cell < 0:
                        own = np.int64(constant_sets[np.uint64(line)])
                        cell = take(constants, constant_heads, own, line)
                    else:
                        use(constants, cell)
                        there = get(constants, cell, VALID)
                    asked = wanted & ~there
                    put(constants, cell, VALID, there | asked)
                    counts[np.uint64(word >> ACCESS_SHIFT), C_L1] += ones(wanted & there)
                    waits = l2_cycles if asked != 0 else waits
                else:
                    waits = l2_cycles
                if asked != 0:
                    queue_lines[np.uint64(end)] = line
                    queue_info[np.uint64(end)] = (word & ~SECTOR_MASK) | asked
                    end += 1
                here += np.uint64(1)
                if here == last or info[here] & BEGINS != 0:
                    break
            ready[at] = now + waits if by_latency else now + 1
        pointer[at] = here
        if here == last:
            ready[at] = NEVER
            alive[slot] -= 1
        at += 1
        if alive[slot] == 0:
            clock[0], clock[1] = now, at
            return slot, end
        if at_barrier[slot] == alive[slot]:
            at_barrier[slot] = 0
            for other in range(slot * warps, (slot + 1) * warps):
                if pointer[other] < limit[other]:
                    ready[other] = now


@native
def run_l1(
    c: Ints, lines: Ints, info: Ints, bounds: Ints, lengths: Ints, l1_sets: Ints,
    constant_sets: Ints, l1: Ints, l1_heads: Ints, constants: Ints, constant_heads: Ints,
    counts: Ints, random: Any, queue_lines: Ints, queue_info: Ints, queue_sms: Ints,
) -> int:  # fmt: skip
    """All blocks through the L1 of the SMs that take them; the caches have a row for each SM.
    Requests to L2 and the SM of each go to the queue; gives how many there are. ``counts`` are
    those of the whole stream at first, from which what is skipped is taken."""
    sms, slots, places = len(l1), c[BLOCKS], c[BLOCKS] * c[WARPS]
    pointer, limit = np.zeros((sms, places), np.int64), np.zeros((sms, places), np.int64)
    ready, credit = np.full((sms, places), NEVER, np.int64), np.zeros((sms, places), np.int64)
    alive, at_barrier = np.zeros((sms, slots), np.int64), np.zeros((sms, slots), np.int64)
    clock, free = np.zeros((sms, 2), np.int64), np.zeros(sms, np.int64)
    nexts, late = np.arange(sms), np.zeros(sms, np.int64)
    if c[START] == APART:
        for sm in range(sms):
            late[sm] = draw(random, PART)
    for slot in range(slots):
        for sm in range(sms):
            fill_place(
                c, sm, slot, nexts, bounds, lengths, info, pointer[sm], limit[sm], ready[sm],
                credit[sm], alive[sm], at_barrier[sm], 0, late[sm], counts, random,
            )  # fmt: skip
    end, sm, begun = 0, 0, 0
    while sm >= 0:
        free[sm], last = run_sm(
            c, lines, info, l1_sets, constant_sets, l1[sm], l1_heads[sm], constants[sm],
            constant_heads[sm], counts, pointer[sm], limit[sm], ready[sm], credit[sm], alive[sm],
            at_barrier[sm], clock[sm], queue_lines, queue_info, end,
        )  # fmt: skip
        queue_sms[end:last] = sm
        end = last
        begun += begun < sms
        sm = begun if begun < sms else next_sm(c, free, clock)
        if sm >= 0 and begun == sms:
            fill_place(
                c, sm, free[sm], nexts, bounds, lengths, info, pointer[sm], limit[sm], ready[sm],
                credit[sm], alive[sm], at_barrier[sm], clock[sm, 0], NOT_FIRST, counts, random,
            )  # fmt: skip
    return end

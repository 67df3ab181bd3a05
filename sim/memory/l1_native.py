"""The warps of each SM in their order through its L1, compiled by numba. Import it lazily.

Baghsorkhi et al., section 3.2: a warp issues a sequence at a time; what L1 does not hold, and all
stores, wait in the SM's queue for L2. Warps and blocks of an SM are rows of the arrays here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, native, ones
from kcc.sim.memory.cache_native import (
    ARRIVES,
    SECTOR_MASK,
    VALID,
    Cache,
    draw,
    draw_word,
    get,
    put,
    seek,
    take,
)
from kcc.sim.memory.facts import Count, Dispatch, Op, Place, Start, WarpOrder
from kcc.sim.memory.sequences_native import (
    ACCESS_MASK,
    ACCESS_SHIFT,
    BEGINS,
    FIRST,
    LINE_SHIFT,
    OP_MASK,
    OP_SHIFT,
)

Ints = Any

SMS, BLOCKS, WARPS, SECTORS = (
    int(Place.SMS), int(Place.BLOCKS), int(Place.WARPS), int(Place.SECTORS),
)  # fmt: skip
L1_SETS, L1_WAYS, CONSTANT_SETS, CONSTANT_WAYS = (
    int(Place.L1_SETS), int(Place.L1_WAYS), int(Place.CONSTANT_SETS), int(Place.CONSTANT_WAYS),
)  # fmt: skip
STORES_STAY, FILL_LINE = int(Place.STORES_STAY), int(Place.FILL_LINE)
START, WARP_ORDER, DISPATCH = int(Place.START), int(Place.WARP_ORDER), int(Place.DISPATCH)
L1_CYCLES, L2_CYCLES = int(Place.L1_CYCLES), int(Place.L2_CYCLES)
MISSES, AGAIN, LATENCY, DRAM_LATENCY, DRAM_SPREAD, SCHEDULERS = (
    int(Place.MISSES), int(Place.AGAIN), int(Place.LATENCY), int(Place.DRAM_LATENCY),
    int(Place.DRAM_SPREAD), int(Place.SCHEDULERS),
)  # fmt: skip
LOAD_BITS, STORE_BITS, CONSTANT_BITS, BARRIER_BITS, OP_BITS = (
    Op.LOAD << OP_SHIFT, Op.STORE << OP_SHIFT, Op.CONSTANT << OP_SHIFT, Op.BARRIER << OP_SHIFT,
    OP_MASK << OP_SHIFT,
)  # fmt: skip
C_EXECUTED, C_REQUESTS, C_SECTORS, C_L1 = (
    int(Count.EXECUTED), int(Count.REQUESTS), int(Count.SECTORS), int(Count.L1_HITS),
)  # fmt: skip

SKIP, DELAY, APART = (
    list(Start).index(Start.SKIP), list(Start).index(Start.DELAY), list(Start).index(Start.APART),
)  # fmt: skip
BY_LENGTH, BY_LATENCY, BY_ISSUE = (
    list(WarpOrder).index(WarpOrder.LENGTH), list(WarpOrder).index(WarpOrder.LATENCY),
    list(WarpOrder).index(WarpOrder.ISSUE),
)  # fmt: skip
WHEN_FREE = list(Dispatch).index(Dispatch.FREE)
WHOLE = 1 << 8
"""A turn, in parts: warps that have less left get a part of one."""
PART = 1 << 16
"""Of a block."""
CERTAIN = 1 << 16
"""A chance."""
NOT_FIRST = -1
NEVER = 1 << 62
TIME_MASK = (1 << 31) - 1


@inlined
def uncount(word: int, counts: Ints) -> None:
    """Take an entry out of what is counted of a whole stream."""
    if word & OP_BITS != BARRIER_BITS:
        access = np.uint64((word >> ACCESS_SHIFT) & ACCESS_MASK)
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
        if c[WARP_ORDER] in (BY_LATENCY, BY_ISSUE):
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


@inlined
def wait_for_room(
    misses: Ints, count: Any, number: int, room: int, now: Any, cycles: Any
) -> tuple[Any, Any]:
    """An SM asks for ``number`` sectors more when there is room for them, ``count`` after those of
    before: ``misses`` are the times at which the last ones come, a ring. The count, and the time by
    then. Each waits for the one asked for ``room`` before it, as if all came in order."""
    for _ in range(number):
        place = np.uint64(count & (len(misses) - 1))
        before = np.uint64((count - room) & (len(misses) - 1))
        now = max(now, misses[before])
        misses[place] = now + cycles
        count += 1
    return count, now


@inlined
def miss_cycles(c: Ints, word: int, chances: Ints, random: Any) -> Any:
    """How long a request takes beyond L1."""
    if c[LATENCY] == 0:
        return c[L2_CYCLES]
    drawn = draw_word(random)
    access = np.uint64((word >> ACCESS_SHIFT) & ACCESS_MASK)
    if np.int64(drawn & np.uint64(CERTAIN - 1)) < chances[access]:
        return c[L2_CYCLES]
    beyond = (drawn >> np.uint64(32)) * np.uint64(c[DRAM_SPREAD])
    return c[DRAM_LATENCY] + np.int64(beyond >> np.uint64(32))


@native
def run_sm(
    c: Ints, entries: Ints, sets: Ints, l1: Cache, constants: Cache, counts: Ints, pointer: Ints,
    limit: Ints, ready: Ints,
    credit: Ints, alive: Ints, at_barrier: Ints, clock: Ints, nexts: Ints, soonest: Ints,
    slots: Ints, misses: Ints, chances: Ints, random: Any, queue: Ints, end: int,
) -> tuple[int, int]:  # fmt: skip
    """An SM until one of its blocks has ended, whose place is given, or -1 when there is none.

    ``clock`` are its time and how many sectors it asked for. Warps belong to schedulers in turn;
    the first scheduler that has a ready one issues, as in the cycle-level model, in a loose round
    robin from ``nexts``. Before ``soonest`` none of its warps is ready. ``slots`` are the blocks
    of warps. ``credit`` of a warp is a part of a turn or, where warps wait for latency, when what
    its sequence asked for has come. Requests to L2 are written from ``end`` on; their end is given,
    too."""
    warps, places = c[WARPS], len(pointer)
    has_l1, has_constants = c[L1_SETS] > 0, c[CONSTANT_SETS] > 0
    stay, fills, full = c[STORES_STAY] != 0, c[FILL_LINE] != 0, (1 << c[SECTORS]) - 1
    by_issue, by_length = c[WARP_ORDER] == BY_ISSUE, c[WARP_ORDER] == BY_LENGTH
    by_latency = by_issue or c[WARP_ORDER] == BY_LATENCY
    turn_ends = FIRST if by_issue else BEGINS
    again, room = c[AGAIN] != 0, c[MISSES] // (c[SECTORS] if fills else 1)
    l1_cycles, l2_cycles, l1_ways = c[L1_CYCLES], c[L2_CYCLES], c[L1_WAYS]
    longest = max(l2_cycles, c[DRAM_LATENCY] + c[DRAM_SPREAD])
    now, waited_for = clock[0], clock[1]
    schedulers = len(nexts) if by_issue else 1
    per_scheduler, scheduler, at = places // schedulers, np.uint64(0), 0
    most = longest_left(pointer, limit) if by_length else np.int64(1)
    soonest[:] = 0
    while True:
        earliest, found = np.int64(NEVER), False
        for scheduler in range(np.uint64(schedulers)):
            if soonest[scheduler] <= now:
                first, at = np.int64(NEVER), nexts[scheduler]
                for _ in range(per_scheduler):
                    at = at if at < places else at - places
                    when = ready[np.uint64(at)]
                    if when <= now:
                        found = True
                        break
                    first = min(first, when)
                    at += schedulers
                if found:
                    nexts[scheduler] = at + schedulers
                    break
                soonest[scheduler] = first
            earliest = min(earliest, soonest[scheduler])
        if not found:
            if earliest == NEVER:
                clock[0], clock[1] = now, waited_for
                return -1, end
            now = earliest
            if not by_latency:
                nexts[0] = 0
            if by_length:
                most = longest_left(pointer, limit)
            continue
        if by_length:
            credit[at] += (limit[at] - pointer[at]) * WHOLE // most
            if credit[at] < WHOLE:
                ready[at] = now + 1
                continue
            credit[at] -= WHOLE
        slot = slots[np.uint64(at)]
        here, last = np.uint64(pointer[at]), np.uint64(limit[at])
        word = entries[here]
        if word & OP_BITS == BARRIER_BITS:
            ready[at] = NEVER
            here += np.uint64(1)
            if here < last:
                at_barrier[slot] += 1
        else:
            comes = np.int64(0)
            while True:
                line = word >> LINE_SHIFT
                wanted, op = word & SECTOR_MASK, word & OP_BITS
                asked, now = wanted, now + np.int64(by_latency)
                if op == LOAD_BITS and has_l1:
                    own = np.int64(sets[here])
                    cell = seek(l1, own, line)
                    if cell < 0:
                        cell = take(l1, own, l1_ways, line)
                        put(l1, cell, VALID, full if fills else wanted)
                        asked = full if fills else wanted
                        there = np.int64(0)
                    else:
                        there = get(l1, cell, VALID)
                        asked = wanted & ~there
                        put(l1, cell, VALID, there | asked)
                        there &= wanted
                        counts[np.uint64((word >> ACCESS_SHIFT) & ACCESS_MASK), C_L1] += ones(there)
                    if by_latency:
                        late = (get(l1, cell, ARRIVES) - now) & TIME_MASK
                        late = late if late <= longest else 0
                        if asked != 0:
                            number = 1 if fills else ones(asked)
                            if again and late > 0:
                                asked |= there
                            late = miss_cycles(c, word, chances, random)
                            waited_for, now = wait_for_room(
                                misses, waited_for, number, room, now, late
                            )
                            put(l1, cell, ARRIVES, (now + late) & TIME_MASK)
                        comes = max(comes, now + max(late, l1_cycles))
                elif op == STORE_BITS:
                    if stay:
                        own = np.int64(sets[here])
                        cell = seek(l1, own, line)
                        if cell < 0:
                            cell = take(l1, own, l1_ways, line)
                            put(l1, cell, VALID, wanted)
                        else:
                            put(l1, cell, VALID, get(l1, cell, VALID) | wanted)
                elif op == CONSTANT_BITS and has_constants:
                    own, there = np.int64(sets[here]), np.int64(0)
                    cell = seek(constants, own, line)
                    if cell < 0:
                        cell = take(constants, own, c[CONSTANT_WAYS], line)
                    else:
                        there = get(constants, cell, VALID)
                    asked = wanted & ~there
                    put(constants, cell, VALID, there | asked)
                    counts[np.uint64((word >> ACCESS_SHIFT) & ACCESS_MASK), C_L1] += ones(
                        wanted & there
                    )
                    comes = max(comes, now + (l2_cycles if asked != 0 else l1_cycles))
                elif by_latency:
                    comes = max(comes, now + miss_cycles(c, word, chances, random))
                if asked != 0:
                    queue[np.uint64(end)] = (word & ~SECTOR_MASK) | asked
                    end += 1
                here += np.uint64(1)
                if here == last:
                    break
                word = entries[here]
                if word & turn_ends != 0:
                    break
            if not by_latency:
                ready[at] = now + 1
            elif word & BEGINS != 0 or (word & OP_BITS == STORE_BITS and op != STORE_BITS):
                ready[at], credit[at] = max(credit[at], comes, now), 0
            else:
                ready[at], credit[at] = now, max(credit[at], comes)
        pointer[at] = here
        if here == last:
            ready[at] = NEVER
            alive[slot] -= 1
        if alive[slot] == 0:
            clock[0], clock[1] = now, waited_for
            return slot, end
        if at_barrier[slot] == alive[slot]:
            at_barrier[slot] = 0
            soonest[:] = 0
            for other in range(slot * warps, (slot + 1) * warps):
                if pointer[other] < limit[other]:
                    ready[other] = now


@inlined
def schedulers_for(c: Ints, places: int) -> int:
    """As many as have the same number of warps each, one at least."""
    found = max(c[SCHEDULERS], 1)
    while places % found != 0:
        found -= 1
    return found


@inlined
def power_above(number: int) -> int:
    """The least power of two above a number."""
    found = 1
    while found <= number:
        found *= 2
    return found


@native
def run_l1(
    c: Ints, entries: Ints, sets: Ints, bounds: Ints, lengths: Ints, l1: Cache, constants: Cache,
    counts: Ints, random: Any, chances: Ints, queue: Ints, runs: Ints,
) -> int:  # fmt: skip
    """All blocks through the L1 of the SMs that take them; the caches have a row for each SM,
    ``sets`` are those of entries.
    Requests to L2 go to the queue, in runs (SM, first and end), whose number is given. ``counts``
    are those of the whole stream at first, from which what is skipped is taken; ``chances`` of each
    access to hit L2 are parts of CERTAIN."""
    sms, slots, places = len(l1.order), c[BLOCKS], c[BLOCKS] * c[WARPS]
    pointer, limit = np.zeros((sms, places), np.int64), np.zeros((sms, places), np.int64)
    ready, credit = np.full((sms, places), NEVER, np.int64), np.zeros((sms, places), np.int64)
    alive, at_barrier = np.zeros((sms, slots), np.int64), np.zeros((sms, slots), np.int64)
    clock, free = np.zeros((sms, 2), np.int64), np.zeros(sms, np.int64)
    schedulers = schedulers_for(c, places)
    nexts_of, soonest = np.zeros((sms, schedulers), np.int64), np.zeros(schedulers, np.int64)
    nexts_of[:] = np.arange(schedulers)
    slot_of_place = np.zeros(places, np.int64)
    for place in range(places):
        slot_of_place[place] = place // c[WARPS]
    misses = np.zeros((sms, power_above(c[MISSES])), np.int64)
    nexts, late = np.arange(sms), np.zeros(sms, np.int64)
    if c[START] == APART:
        for sm in range(sms):
            late[sm] = draw(random, PART)
    for slot in range(slots):
        for sm in range(sms):
            fill_place(
                c, sm, slot, nexts, bounds, lengths, entries, pointer[sm], limit[sm], ready[sm],
                credit[sm], alive[sm], at_barrier[sm], 0, late[sm], counts, random,
            )  # fmt: skip
    end, sm, begun, number = 0, 0, 0, 0
    while sm >= 0:
        free[sm], last = run_sm(
            c, entries, sets, Cache(l1.lines[sm], l1.order[sm], l1.state[sm]),
            Cache(constants.lines[sm], constants.order[sm], constants.state[sm]), counts,
            pointer[sm], limit[sm], ready[sm], credit[sm], alive[sm], at_barrier[sm], clock[sm],
            nexts_of[sm], soonest, slot_of_place, misses[sm], chances, random, queue, end,
        )  # fmt: skip
        runs[number, 0], runs[number, 1], runs[number, 2] = sm, end, last
        number += 1
        end = last
        begun += begun < sms
        sm = begun if begun < sms else next_sm(c, free, clock)
        if sm >= 0 and begun == sms:
            fill_place(
                c, sm, free[sm], nexts, bounds, lengths, entries, pointer[sm], limit[sm], ready[sm],
                credit[sm], alive[sm], at_barrier[sm], clock[sm, 0], NOT_FIRST, counts, random,
            )  # fmt: skip
    return number

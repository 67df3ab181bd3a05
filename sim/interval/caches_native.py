"""The functional pass of warps through L1 and L2, compiled by numba. Import it lazily."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import (
    native,
    prefetch,
    quotient,
    remainder,
    scatter,
    uncounted,
)
from kcc.sim.interval.events_native import (
    E_BACK,
    E_COUNT,
    E_FIRST,
    E_OPERATION,
    E_SLOTS,
    E_SOLO,
    EVENT_COLUMNS,
    S_DRAM_READS,
    S_EXECUTED,
    S_L1,
    S_L1_HITS,
    S_L1_PENDING,
    S_L2_HITS,
    S_L2_READS,
    S_LATENCY,
    S_LINES,
    S_ROW_HITS,
    S_SECTORS,
    S_WORK,
    S_WRITE_MISSES,
    S_WRITES,
    T_LINE,
    T_SECTORS,
    TRANSACTION_COLUMNS,
    WEIGHT_SHIFT,
)
from kcc.sim.interval.facts import Kind
from kcc.sim.machine.dram_banks_native import bank_of
from kcc.sim.machine.l1_sets_native import set_of

Ints = Any
Floats = Any

LOAD, STORE, ATOMIC = int(Kind.GLOBAL_LOAD), int(Kind.GLOBAL_STORE), int(Kind.GLOBAL_ATOMIC)


(
    H_SMS, H_BLOCKS, H_WARPS, H_L1_SETS, H_L1_WAYS, H_L1_HIT, H_PORTS, H_L2_SETS, H_L2_WAYS,
    H_SLICES, H_HASHED, H_WRITE_BACK, H_L2_HIT, H_DRAM, H_ATOMIC, H_SECTORS, H_CHANNELS, H_BANKS,
    H_ROW_LINES, H_ROW_SAVES, H_BANK_MAPPING, H_ATOMIC_LINES,
) = range(22)  # fmt: skip
"""Places in the shape that caches have."""

T_CLOCK, T_DIRTY, T_NEXT_BLOCK = range(3)
"""Totals: uses of lines so far, dirty sectors that L2 gave up, blocks begun so far."""

L1_LEVEL, L2_LEVEL, DRAM_LEVEL = 0, 1, 2


@uncounted
def level2(
    shape: Ints, totals: Ints, tags: Ints, used: Ints, filled: Ints, dirty: Ints, rows: Ints,
    counts: Floats, slice_work: Floats, op: int, time: int, line: int, sector: int, weight: int,
    is_write: bool,
) -> tuple[int, int]:  # fmt: skip
    """One sector's request to L2 at ``time``: when its data are in L1, and where they came from."""
    slices = shape[H_SLICES]
    chosen = scatter(line) if shape[H_HASHED] else line
    unit = remainder(chosen, slices)
    slice_work[0, unit] += weight
    counts[op, S_WORK] += weight
    half = shape[H_L2_HIT] // 2
    sets, ways = shape[H_L2_SETS], shape[H_L2_WAYS]
    served = time + half
    way = -1
    if sets > 0:
        start = (unit * sets + remainder(quotient(line, slices), sets)) * ways
        victim, oldest = start, np.int64(1) << 62
        for place in range(start, start + ways):
            if tags[place] == line:
                way = place
                break
            if used[place] < oldest:
                oldest, victim = used[place], place
        totals[T_CLOCK] += 1
        if way < 0:
            way = victim
            tags[way] = line
            for s in range(shape[H_SECTORS]):
                totals[T_DIRTY] += dirty[way, s]
                filled[way, s] = -1
                dirty[way, s] = 0
        used[way] = totals[T_CLOCK]
        present = filled[way, sector]
        if is_write:
            counts[op, S_WRITES] += 1
            counts[op, S_WRITE_MISSES] += present < 0
            if shape[H_WRITE_BACK]:
                dirty[way, sector] = 1
            else:
                totals[T_DIRTY] += 1
            if present < 0:
                filled[way, sector] = served
            return served, L2_LEVEL
        counts[op, S_L2_READS] += 1
        if present >= 0:
            counts[op, S_L2_HITS] += 1
            if present > served:
                return present + shape[H_L2_HIT] - half, DRAM_LEVEL
            return served + shape[H_L2_HIT] - half, L2_LEVEL
    elif is_write:
        counts[op, S_WRITES] += 1
        counts[op, S_WRITE_MISSES] += 1
        totals[T_DIRTY] += 1
        return served, DRAM_LEVEL
    else:
        counts[op, S_L2_READS] += 1
    counts[op, S_DRAM_READS] += 1
    slice_work[1, unit] += 1
    channel = quotient(unit * shape[H_CHANNELS], slices)
    within = quotient(quotient(line, shape[H_CHANNELS]), shape[H_ROW_LINES])
    place = channel * shape[H_BANKS] + bank_of(within, shape[H_BANKS], shape[H_BANK_MAPPING])
    extra = shape[H_DRAM] - shape[H_L2_HIT]
    if rows[place] == within:
        counts[op, S_ROW_HITS] += 1
        extra -= shape[H_ROW_SAVES]
    rows[place] = within
    if way >= 0:
        filled[way, sector] = served + extra
    return served + extra + shape[H_L2_HIT] - half, DRAM_LEVEL


@uncounted
def access_memory(
    shape: Ints, totals: Ints, l1_tags: Ints, l1_used: Ints, l1_filled: Ints, l1_level: Ints,
    l2_tags: Ints, l2_used: Ints, l2_filled: Ints, l2_dirty: Ints, rows: Ints, counts: Floats,
    slice_work: Floats, transactions: Ints, first: int, count: int, sm: int, op: int, kind: int,
    now: int,
) -> int:  # fmt: skip
    """A warp's access at ``now``: when all its data are there. Counts what it found where."""
    sets, ways = shape[H_L1_SETS], shape[H_L1_WAYS]
    done = now
    level = L1_LEVEL
    counts[op, S_EXECUTED] += 1
    counts[op, S_LINES] += count
    for place in range(first, first + count):
        line, mask = transactions[place, T_LINE], transactions[place, T_SECTORS]
        for sector in range(shape[H_SECTORS]):
            if not (mask >> sector) & 1:
                continue
            counts[op, S_SECTORS] += 1
            if kind != LOAD:
                # what an atomic takes of its line is counted apart
                weight = 1 if shape[H_ATOMIC_LINES] else mask >> WEIGHT_SHIFT
                ready, came = level2(
                    shape, totals, l2_tags, l2_used, l2_filled, l2_dirty, rows, counts,
                    slice_work, op, now, line, sector, weight, kind == STORE,
                )  # fmt: skip
                if kind == ATOMIC:
                    ready += shape[H_ATOMIC] - shape[H_L2_HIT]
                    if shape[H_WRITE_BACK] == 0:
                        totals[T_DIRTY] += 1
                level = max(level, came)
                done = max(done, ready)
                continue
            way = -1
            if sets > 0:
                start = (sm * sets + set_of(line, sets)) * ways
                victim, oldest = start, np.int64(1) << 62
                for at in range(start, start + ways):
                    if l1_tags[at] == line:
                        way = at
                        break
                    if l1_used[at] < oldest:
                        oldest, victim = l1_used[at], at
                totals[T_CLOCK] += 1
                if way < 0:
                    way = victim
                    l1_tags[way] = line
                    for s in range(shape[H_SECTORS]):
                        l1_filled[way, s] = -1
                l1_used[way] = totals[T_CLOCK]
                there = l1_filled[way, sector]
                if there >= 0:
                    own = now + shape[H_L1_HIT]
                    if there <= now:
                        counts[op, S_L1_HITS] += 1
                    else:
                        counts[op, S_L1_PENDING] += 1
                        own = max(own, there)
                        level = max(level, l1_level[way, sector])
                    done = max(done, own)
                    continue
            ready, came = level2(
                shape, totals, l2_tags, l2_used, l2_filled, l2_dirty, rows, counts, slice_work,
                op, now, line, sector, 1, is_write=False,
            )  # fmt: skip
            if sets > 0:
                l1_filled[way, sector] = ready
                l1_level[way, sector] = came
            level = max(level, came)
            done = max(done, ready)
    counts[op, S_L1 + level] += 1
    counts[op, S_LATENCY] += done - now
    return done


@uncounted
def dispatch(
    shape: Ints, totals: Ints, sm: int, place: int, block_count: int, bounds: Ints, pointer: Ints,
    limit: Ints, ready: Ints, waiting: Ints, alive: Ints, at_barrier: Ints, clock: int,
) -> bool:  # fmt: skip
    """The next block goes to a place of an SM; False when there is none."""
    block = totals[T_NEXT_BLOCK]
    if block >= block_count:
        return False
    totals[T_NEXT_BLOCK] += 1
    warps = shape[H_WARPS]
    per_sm = shape[H_BLOCKS] * warps
    alive[sm, place], at_barrier[sm, place] = 0, 0
    for own in range(warps):
        slot = sm * per_sm + place * warps + own
        source = block * warps + own
        pointer[slot], limit[slot] = bounds[source, 0], bounds[source, 1]
        ready[slot], waiting[slot] = clock, 0
        alive[sm, place] += pointer[slot] < limit[slot]
    return True


@native
def run_caches(
    shape: Ints, totals: Ints, kinds: Ints, events: Ints, transactions: Ints, bounds: Ints,
    finished: Ints, clocks: Ints, l1_tags: Ints, l1_used: Ints, l1_filled: Ints,
    l1_level: Ints, l2_tags: Ints, l2_used: Ints, l2_filled: Ints, l2_dirty: Ints, rows: Ints,
    counts: Floats, slice_work: Floats,
) -> None:  # fmt: skip
    """All blocks (warp w of block b has the events ``bounds[b * warps + w]``), SMs in turn, and
    the warps of an SM in turn: each does one access. ``finished[i]`` becomes the time until which
    the warp waits for what it loaded up to event i."""
    sms, blocks, warps = shape[H_SMS], shape[H_BLOCKS], shape[H_WARPS]
    per_sm = blocks * warps
    block_count = bounds.shape[0] // warps
    pointer, limit = np.zeros(sms * per_sm, np.int64), np.zeros(sms * per_sm, np.int64)
    ready, waiting = np.zeros(sms * per_sm, np.int64), np.zeros(sms * per_sm, np.int64)
    alive, at_barrier = np.zeros((sms, blocks), np.int64), np.zeros((sms, blocks), np.int64)
    turn = np.zeros(sms, np.int64)
    all_events, all_transactions = events.reshape(-1), transactions.reshape(-1)
    active = np.zeros(sms, np.int64)
    for place in range(blocks):
        for sm in range(sms):
            while dispatch(
                shape, totals, sm, place, block_count, bounds, pointer, limit, ready, waiting,
                alive, at_barrier, clocks[sm],
            ):  # fmt: skip
                if alive[sm, place] > 0:
                    active[sm] += 1
                    break
    left = 0
    for sm in range(sms):
        left += active[sm]
    while left > 0:
        for sm in range(sms):
            if active[sm] == 0:
                continue
            # the next warp in turn that is not at its end or at a barrier
            at = turn[sm]
            slot = sm * per_sm + at
            while pointer[slot] >= limit[slot] or waiting[slot]:
                at += 1
                if at == per_sm:
                    at = 0
                slot = sm * per_sm + at
            turn[sm] = at + 1 if at + 1 < per_sm else 0
            place = at // warps
            event = pointer[slot]
            pointer[slot] += 1
            time = max(clocks[sm] + events[event, E_SLOTS], ready[slot] + events[event, E_SOLO])
            back = events[event, E_BACK]
            previous = np.int64(0)
            if back > 0:
                time = max(time, finished[event - back])
                previous = finished[event - 1]
            op = events[event, E_OPERATION]
            # the warp's next access, which many others part from this one
            prefetch(all_events, (event + 2) * EVENT_COLUMNS)
            prefetch(finished, event + 4)
            if op >= 0:
                first = events[event, E_FIRST]
                prefetch(all_transactions, (first + 4) * TRANSACTION_COLUMNS)
                done = access_memory(
                    shape, totals, l1_tags, l1_used, l1_filled, l1_level, l2_tags, l2_used,
                    l2_filled, l2_dirty, rows, counts, slice_work, transactions, first,
                    events[event, E_COUNT], sm, op, kinds[op], time,
                )  # fmt: skip
                if kinds[op] == STORE:
                    done = time
                finished[event] = max(previous, done)
                time += (events[event, E_COUNT] - 1) // shape[H_PORTS]
            else:
                finished[event] = previous
                waiting[slot] = 1
                at_barrier[sm, place] += 1
            clocks[sm] = max(clocks[sm] + events[event, E_SLOTS], time)
            ready[slot] = time
            if pointer[slot] >= limit[slot]:
                if waiting[slot]:
                    at_barrier[sm, place] -= 1
                    waiting[slot] = 0
                alive[sm, place] -= 1
            if alive[sm, place] > 0 and at_barrier[sm, place] == alive[sm, place]:
                at_barrier[sm, place] = 0
                for own in range(warps):
                    each = sm * per_sm + place * warps + own
                    if waiting[each]:
                        waiting[each] = 0
                        ready[each] = max(ready[each], time)
            while alive[sm, place] == 0:
                if not dispatch(
                    shape, totals, sm, place, block_count, bounds, pointer, limit, ready, waiting,
                    alive, at_barrier, clocks[sm],
                ):  # fmt: skip
                    active[sm] -= 1
                    left -= 1
                    break

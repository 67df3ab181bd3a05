"""An explicit schedule of the intervals of an SM's warps, compiled by numba. Import it lazily."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.native import native, uncounted
from kcc.sim.interval.facts import RESOURCES

Ints = Any
Floats = Any

(
    I_INSTRUCTIONS, I_STALL, I_SINCE, I_LOAD_STORE, I_MISSES, I_HELD, I_OUT, I_L2, I_DRAM, I_IN,
    I_BURST, I_UNITS,
) = range(12)  # fmt: skip
"""Columns of intervals: instructions; the stall behind them and how long before it what is waited
for was issued; cycles of the load/store unit; miss entries and cycles for which all together are
held; cycles of the way to L2, L2, DRAM, the way back; cycles that the sectors of an access add to
its own latency; from the last on busy cycles of each resource."""
INTERVAL_COLUMNS = I_UNITS + RESOURCES

(
    P_BASE, P_DEPENDENCE, P_L1, P_L2, P_DRAM, P_MSHR, P_QUEUE, P_UNIT, P_LOAD_STORE, P_BARRIER,
    P_IDLE,
) = range(11)  # fmt: skip
"""Parts of the stack."""
PARTS = 11

(
    C_SCHEDULERS, C_WARPS, C_BLOCKS, C_ENTRIES, C_SHARING, C_BARRIER, C_GREEDY,
) = range(7)  # fmt: skip
"""The SM: schedulers; warps of a block; blocks that it holds; miss entries; SMs that L2 and DRAM
serve at the same time; cycles of a barrier; whether scheduling is greedy."""

RUNNING, STALLED, AT_BARRIER, ENDED = range(4)

NEVER = 1e300
EPSILON = 1e-9
STORE_SLACK_CYCLES = 16.0
"""The load/store unit hands stores on until the way to L2 is this far behind."""


@uncounted
def charge_gap(
    stack: Floats, waits: Floats, why: Ints, warp: int, cycles: float, none: int
) -> None:
    """A scheduler's idle cycles go to what the warp that is ready first waits for."""
    if warp < 0:
        stack[none, P_IDLE] += cycles
        return
    total = 0.0
    for part in range(PARTS):
        total += waits[warp, part]
    if total <= 0:
        stack[none, P_IDLE] += cycles
        return
    for part in range(PARTS):
        stack[why[warp], part] += cycles * waits[warp, part] / total


@native
def schedule_intervals(
    conf: Floats, intervals: Floats, causes: Ints, barriers: Ints, shares: Floats, first: Ints,
    sequence_of_warp: Ints, stack: Floats, ends: Floats,
) -> float:  # fmt: skip
    """Run blocks one behind another on an SM (``sequence_of_warp[b, w]``: what warp w of block b
    executes, -1 nothing; sequence s has intervals ``first[s]`` to ``first[s + 1]``); gives the
    cycles until all have ended and writes the end of each block. ``stack`` (operation, part) gets
    the cycles of all schedulers; its last row is for what belongs to no operation. ``causes`` are
    the operations that stalls wait for; ``shares`` what L1, L2 and DRAM have in the latency of an
    operation, all 0 where it is no load.

    Round-robin is processor sharing: warps that can issue share the scheduler's cycles evenly.
    Greedy: a warp issues until it has to wait, then the oldest that is ready.
    """
    schedulers, per_block, places = int(conf[C_SCHEDULERS]), int(conf[C_WARPS]), int(conf[C_BLOCKS])
    entries, sharing, greedy = conf[C_ENTRIES], conf[C_SHARING], conf[C_GREEDY] > 0
    slots = places * per_block
    none = stack.shape[0] - 1
    blocks = sequence_of_warp.shape[0]
    at = np.zeros(slots, np.int64)
    until = np.zeros(slots, np.int64)
    state = np.full(slots, ENDED)
    time = np.full(slots, NEVER)
    begun = np.zeros(slots)
    carried = np.zeros(slots)
    age = np.zeros(slots, np.int64)
    why = np.zeros(slots, np.int64)
    waits = np.zeros((slots, PARTS))
    alive, arrived = np.zeros(places, np.int64), np.zeros(places, np.int64)
    block_of_place = np.full(places, -1)
    # each scheduler: its clock, the virtual time that each running warp has got, idle since
    clock = np.zeros(schedulers)
    virtual = np.zeros(schedulers)
    running = np.zeros(schedulers, np.int64)
    current = np.full(schedulers, -1)
    unit_free = np.zeros((schedulers, RESOURCES))
    ways = np.zeros(4)
    lsu_free, mshr_free, lsu_part = 0.0, 0.0, P_LOAD_STORE
    next_block, left = 0, 0
    for place in range(places):
        if next_block < blocks:
            block_of_place[place] = next_block
            for own in range(per_block):
                warp = place * per_block + own
                sequence = sequence_of_warp[next_block, own]
                if sequence >= 0 and first[sequence] < first[sequence + 1]:
                    at[warp], until[warp] = first[sequence], first[sequence + 1]
                    state[warp], time[warp] = STALLED, 0.0
                    age[warp] = next_block * per_block + own
                    alive[place] += 1
            next_block += 1
            left += alive[place] > 0
    last = 0.0
    while left > 0:
        # the next event of all schedulers: a stall ends, or a run does
        chosen, event, is_run = -1, NEVER, False
        for warp in range(slots):
            scheduler = warp % schedulers
            if state[warp] == STALLED:
                soon = max(time[warp], clock[scheduler]) if not greedy else time[warp]
                if greedy and current[scheduler] >= 0:
                    continue
                if greedy:
                    soon = max(soon, clock[scheduler])
                if soon < event - EPSILON or (
                    greedy and soon <= event + EPSILON and chosen >= 0
                    and not is_run and age[warp] < age[chosen]
                ):  # fmt: skip
                    event, chosen, is_run = soon, warp, False
            elif state[warp] == RUNNING:
                if greedy:
                    soon = time[warp]
                else:
                    soon = clock[scheduler] + (time[warp] - virtual[scheduler]) * running[scheduler]
                if soon < event - EPSILON:
                    event, chosen, is_run = soon, warp, True
        if chosen < 0:
            break
        warp = chosen
        scheduler = warp % schedulers
        now = max(event, clock[scheduler])
        gap = now - clock[scheduler]
        if running[scheduler] > 0:
            virtual[scheduler] += gap / running[scheduler]
        elif gap > 0:
            charge_gap(stack, waits, why, warp, gap, none)
        clock[scheduler] = now
        row = at[warp]
        if not is_run:
            state[warp] = RUNNING
            running[scheduler] += 1
            begun[warp] = now
            if greedy:
                current[scheduler] = warp
                time[warp] = now + intervals[row, I_INSTRUCTIONS]
            else:
                time[warp] = virtual[scheduler] + intervals[row, I_INSTRUCTIONS]
            continue
        # the run is over: pipelines, memory, then the stall
        running[scheduler] -= 1
        current[scheduler] = -1
        last = max(last, now)
        for part in range(PARTS):
            waits[warp, part] = 0.0
        why[warp] = causes[row] if causes[row] >= 0 else none
        instructions = intervals[row, I_INSTRUCTIONS]
        ready = now
        for unit in range(RESOURCES):
            busy = intervals[row, I_UNITS + unit]
            if busy > 0:
                start = max(unit_free[scheduler, unit], begun[warp])
                unit_free[scheduler, unit] = start + busy
                if start > ready:
                    waits[warp, P_UNIT] += start - ready
                    ready = start
        lsu = intervals[row, I_LOAD_STORE]
        if lsu > 0:
            if lsu_free > ready:
                waits[warp, lsu_part] += lsu_free - ready
                ready = lsu_free
            lsu_free, lsu_part = ready + lsu, P_LOAD_STORE
            queue = 0.0
            begin = ready
            misses, held = intervals[row, I_MISSES], intervals[row, I_HELD]
            for way in range(4):
                take = intervals[row, I_OUT + way]
                if take <= 0:
                    continue
                if way == 1 or way == 2:
                    take *= sharing
                start = max(ways[way], begin)
                queue += start - begin
                begin = start
                ways[way] = start + take
            if misses > 0:
                each = held / misses + queue
                mshr_free = max(mshr_free, ready) + misses * each / entries
                if mshr_free - each > lsu_free:
                    waits[warp, P_MSHR] += mshr_free - each - lsu_free
                    lsu_free, lsu_part = mshr_free - each, P_MSHR
                    ready = max(ready, lsu_free - lsu)
            elif ways[0] - STORE_SLACK_CYCLES > lsu_free:
                lsu_free, lsu_part = ways[0] - STORE_SLACK_CYCLES, P_QUEUE
            carried[warp] = max(carried[warp], queue + intervals[row, I_BURST])
        stall = intervals[row, I_STALL]
        if stall > 0:
            # what passed beyond the run's own cycles since the operation waited for was issued
            longer = now - begun[warp] - instructions
            overlap = longer * min(1.0, intervals[row, I_SINCE] / instructions)
            stall = max(stall - overlap, 0.0)
            op = causes[row]
            loaded = 0.0
            if op >= 0:
                for level in range(3):
                    loaded += shares[op, level]
            if loaded > 0:
                for level in range(3):
                    waits[warp, P_L1 + level] += stall * shares[op, level]
                waits[warp, P_QUEUE] += carried[warp]
                stall += carried[warp]
                carried[warp] = 0.0
            elif op >= 0:
                waits[warp, P_DEPENDENCE] += stall
            else:
                waits[warp, P_UNIT] += stall
        time[warp] = ready + stall
        state[warp] = STALLED
        place = warp // per_block
        at[warp] = row + 1
        ended = row + 1 == until[warp]
        if ended:
            state[warp], time[warp] = ENDED, NEVER
            alive[place] -= 1
        elif barriers[row]:
            state[warp] = AT_BARRIER
            arrived[place] += 1
            waits[warp, P_BARRIER] = 1.0
        if alive[place] > 0 and arrived[place] == alive[place]:
            arrived[place] = 0
            for own in range(per_block):
                other = place * per_block + own
                if state[other] == AT_BARRIER:
                    state[other] = STALLED
                    time[other] = now + conf[C_BARRIER]
        if alive[place] == 0 and ended:
            ends[block_of_place[place]] = now
            while next_block < blocks and alive[place] == 0:
                block_of_place[place] = next_block
                for own in range(per_block):
                    other = place * per_block + own
                    sequence = sequence_of_warp[next_block, own]
                    if sequence >= 0 and first[sequence] < first[sequence + 1]:
                        at[other], until[other] = first[sequence], first[sequence + 1]
                        state[other], time[other] = STALLED, now
                        carried[other] = 0.0
                        for part in range(PARTS):
                            waits[other, part] = 0.0
                        age[other] = next_block * per_block + own
                        alive[place] += 1
                next_block += 1
            if alive[place] == 0:
                left -= 1
    for scheduler in range(schedulers):
        stack[none, P_IDLE] += last - clock[scheduler]
    for way in range(4):
        last = max(last, ways[way])
    return max(last, lsu_free)

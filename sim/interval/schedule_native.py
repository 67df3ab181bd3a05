"""An explicit schedule of the intervals of an SM's warps, compiled by numba. Import it lazily."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, native
from kcc.sim.interval.facts import RESOURCES, Resource
from kcc.sim.machine.l1_sets_native import set_of

Ints = Any
Floats = Any

(
    I_INSTRUCTIONS, I_STALL, I_SINCE, I_LOAD_STORE, I_MISSES, I_HELD, I_OUT, I_L2, I_DRAM, I_IN,
    I_BURST, I_WRITES, I_FIRST_UNIT, I_FIRST_BUSY, I_UNITS,
) = range(15)  # fmt: skip
"""Columns of intervals: instructions; the stall after them and how long before it what is waited
for was issued; cycles of the load/store unit; miss entries and cycles for which all together are
held; cycles of the way to L2, L2, DRAM, the way back; cycles that the sectors of an access add to
its own latency; sectors of stores and atomics; the pipeline that its first operation has to find
free and for how long that takes it (0: none); from the last on busy cycles of each resource by all
others."""
INTERVAL_COLUMNS = I_UNITS + RESOURCES

(
    P_BASE, P_DEPENDENCE, P_L1, P_L2, P_DRAM, P_MSHR, P_QUEUE, P_UNIT, P_LOAD_STORE, P_BARRIER,
    P_FETCH, P_IDLE,
) = range(12)  # fmt: skip
"""Parts of the stack."""
PARTS = 12

(
    C_SCHEDULERS, C_WARPS, C_BLOCKS, C_ENTRIES, C_SHARING, C_BARRIER, C_GREEDY, C_FETCH_SETS,
    C_FETCH_WAYS, C_L2_CYCLES, C_DRAM_CYCLES, C_L2_ROOM, C_DRAM_ROOM, C_TO_L2, C_ONE_FP64,
) = range(15)  # fmt: skip
"""The SM: schedulers; warps of a block; blocks that it holds; miss entries; SMs that L2 and DRAM
serve at the same time; cycles of a barrier; 1 where scheduling is greedy, then oldest, -1 where
then youngest, else 0; sets and ways of the
instruction cache; cycles until code comes from L2, and for the first time from DRAM; cycles that
L2 and DRAM may be behind before stores wait for room in their queues; cycles from the SM to L2;
whether all schedulers have one unit for double precision."""

FP64 = int(Resource.FP64)
STALLED, RUNNING = range(2)
"""The queues of a scheduler: warps that wait, by when they are ready; warps that issue, by when
they have issued their interval (round-robin: by the virtual time at which they have)."""

(
    U_LOAD_STORE, U_ENTRIES, U_REASON, U_OUT, U_L2, U_DRAM, U_IN, U_STORED,
) = range(8)  # fmt: skip
"""What the warps of the SM share, each until when it is taken; the reason is the part that waits
for the load/store unit count as; the last is when what was stored is in L2."""
SHARED = 8
WAYS = 4

NEVER = 1e300
EPSILON = 1e-9
STORE_SLACK_CYCLES = 16.0
"""The load/store unit hands stores on until the way to L2 is this far behind."""


@inlined
def enqueue(queue: Ints, bounds: Ints, time: Floats, warp: int) -> None:
    """Add a warp after all that are not later; most are the latest."""
    if bounds[1] == queue.shape[0]:
        for place in range(bounds[0], bounds[1]):
            queue[place - bounds[0]] = queue[place]
        bounds[0], bounds[1] = 0, bounds[1] - bounds[0]
    at = bounds[1]
    while at > bounds[0] and time[queue[at - 1]] > time[warp]:
        queue[at] = queue[at - 1]
        at -= 1
    queue[at] = warp
    bounds[1] += 1


@inlined
def dequeue(
    queue: Ints, bounds: Ints, time: Floats, age: Ints, until: float, greedy: int, last: int
) -> int:
    """Take the first warp, or of those that are ready ``until`` then the ``last`` that issued, else
    the oldest (-1: youngest)."""
    chosen = bounds[0]
    at = chosen + 1
    while at < bounds[1] and time[queue[at]] <= until and queue[chosen] != last:
        if queue[at] == last or greedy * age[queue[at]] < greedy * age[queue[chosen]]:
            chosen = at
        at += 1
    warp = queue[chosen]
    while chosen > bounds[0]:
        queue[chosen] = queue[chosen - 1]
        chosen -= 1
    bounds[0] += 1
    return warp


@inlined
def next_event(
    queues: Ints, bounds: Ints, time: Floats, clock: Floats, virtual: Floats, greedy: int
) -> tuple[int, int, float]:
    """The scheduler of the next event, the queue of its warp, and when it is; -1 for none."""
    chosen, kind, event = -1, STALLED, NEVER
    for scheduler in range(clock.shape[0]):
        running = bounds[scheduler, RUNNING, 1] - bounds[scheduler, RUNNING, 0]
        if running > 0:
            soon = time[queues[scheduler, RUNNING, bounds[scheduler, RUNNING, 0]]]
            if greedy == 0:
                soon = clock[scheduler] + (soon - virtual[scheduler]) * running
            if soon < event - EPSILON:
                chosen, kind, event = scheduler, RUNNING, soon
            if greedy != 0:
                continue
        if bounds[scheduler, STALLED, 0] < bounds[scheduler, STALLED, 1]:
            first = queues[scheduler, STALLED, bounds[scheduler, STALLED, 0]]
            soon = max(time[first], clock[scheduler])
            if soon < event - EPSILON:
                chosen, kind, event = scheduler, STALLED, soon
    return chosen, kind, event


@inlined
def charge_gap(
    stack: Floats, waits: Floats, why: Ints, warp: int, cycles: float, none: int
) -> None:
    """A scheduler's idle cycles go to what the warp that is ready first waits for."""
    total = 0.0
    for part in range(PARTS):
        total += waits[warp, part]
    if total <= 0:
        stack[none, P_IDLE] += cycles
        return
    for part in range(PARTS):
        stack[why[warp], part] += cycles * waits[warp, part] / total


@inlined
def user_of(unit: int, scheduler: int, conf: Floats) -> int:
    """The scheduler that a pipeline counts as one of: all have the first one's, where it is one."""
    return 0 if unit == FP64 and conf[C_ONE_FP64] > 0 else scheduler


@inlined
def free_at(
    row: Floats, unit_free: Floats, shared: Floats, scheduler: int, conf: Floats, now: float
) -> float:
    """When an interval's first operation finds the load/store unit, or its pipeline, free."""
    if row[I_LOAD_STORE] > 0:
        return max(shared[U_LOAD_STORE], now)
    if row[I_FIRST_BUSY] <= 0:
        return now
    unit = int(row[I_FIRST_UNIT])
    return max(unit_free[user_of(unit, scheduler, conf), unit], now)


@inlined
def wait_for_pipelines(
    row: Floats, unit_free: Floats, scheduler: int, conf: Floats, begun: float, now: float
) -> float:
    """Take the pipelines for an interval that has issued; how much longer they are waited for."""
    ready = now
    for unit in range(RESOURCES):
        busy = row[I_UNITS + unit]
        if busy > 0:
            whose = user_of(unit, scheduler, conf)
            start = max(unit_free[whose, unit], begun)
            unit_free[whose, unit] = start + busy
            ready = max(ready, start)
    return ready - now


@inlined
def access_memory(row: Floats, shared: Floats, conf: Floats, now: float) -> float:
    """The access that an interval begins with, when the load/store unit is free for it: how long
    its data take beyond their latency."""
    busy = row[I_LOAD_STORE]
    shared[U_LOAD_STORE], shared[U_REASON] = now + busy, P_LOAD_STORE
    queue, late = 0.0, 0.0
    begin = now
    for way in range(WAYS):
        take = row[I_OUT + way]
        if take <= 0:
            continue
        if way in (U_L2 - U_OUT, U_DRAM - U_OUT):
            take *= conf[C_SHARING]
        start = max(shared[U_OUT + way], begin)
        queue += start - begin
        begin = start
        shared[U_OUT + way] = start + take
    misses = row[I_MISSES]
    if misses > 0:
        each = row[I_HELD] / misses + queue
        shared[U_ENTRIES] = max(shared[U_ENTRIES], now) + misses * each / conf[C_ENTRIES]
        if shared[U_ENTRIES] - each > shared[U_LOAD_STORE]:
            shared[U_LOAD_STORE], shared[U_REASON] = shared[U_ENTRIES] - each, P_MSHR
            late = shared[U_LOAD_STORE] - busy - now
    elif shared[U_OUT] - STORE_SLACK_CYCLES > shared[U_LOAD_STORE]:
        shared[U_LOAD_STORE] = shared[U_OUT] - STORE_SLACK_CYCLES
        shared[U_REASON] = P_QUEUE
    if row[I_WRITES] > 0:
        shared[U_STORED] = max(shared[U_OUT], shared[U_L2], now + busy) + conf[C_TO_L2]
        room = max(shared[U_L2] - conf[C_L2_ROOM], shared[U_DRAM] - conf[C_DRAM_ROOM])
        if room > shared[U_LOAD_STORE]:
            shared[U_LOAD_STORE], shared[U_REASON] = room, P_QUEUE
    return late + queue + row[I_BURST]


@inlined
def stall_of(
    row: Floats, waits: Floats, shares: Floats, op: int, took: float, carried: float
) -> float:
    """How long a warp stalls after an interval that took so long; ``carried`` is what loads take
    beyond their latency, where it is a load that is waited for."""
    stall = row[I_STALL]
    if stall <= 0:
        return 0.0
    # what passed beyond the run's own cycles since the operation waited for was issued
    longer = took - row[I_INSTRUCTIONS]
    stall = max(stall - longer * min(1.0, row[I_SINCE] / row[I_INSTRUCTIONS]), 0.0)
    if op < 0:
        waits[P_UNIT] += stall
        return stall
    if not is_load(shares, op):
        waits[P_DEPENDENCE] += stall
        return stall
    for level in range(3):
        waits[P_L1 + level] += stall * shares[op, level]
    waits[P_QUEUE] += carried
    return stall + carried


@inlined
def is_load(shares: Floats, op: int) -> bool:
    """Whether an operation's latency is made of L1's, L2's and DRAM's."""
    return shares[op, 0] + shares[op, 1] + shares[op, 2] > 0


@inlined
def fetch(
    conf: Floats, cached: Ints, used: Floats, there: Floats, come: Ints, line: int, now: float
) -> float:
    """When a line of code is in the instruction cache that is wanted ``now``."""
    sets, ways = int(conf[C_FETCH_SETS]), int(conf[C_FETCH_WAYS])
    first = set_of(line, sets) * ways
    oldest = first
    for way in range(first, first + ways):
        if cached[way] == line:
            used[way] = now
            return there[way]
        if used[way] < used[oldest]:
            oldest = way
    cached[oldest], used[oldest] = line, now
    there[oldest] = now + conf[C_L2_CYCLES if come[line] else C_DRAM_CYCLES]
    come[line] = 1
    return there[oldest]


@inlined
def code_is_there(
    conf: Floats, code: Ints, op: int, line_of_warp: Ints, warp: int, cached: Ints, used: Floats,
    there: Floats, come: Ints, now: float,
) -> float:  # fmt: skip
    """When a warp that comes ``now`` to an operation may issue it."""
    done = now
    if code[op, 0] != line_of_warp[warp]:
        last = code[op, 0] + code[op, 1]
        for line in range(code[op, 0], last + 1):
            done = max(done, fetch(conf, cached, used, there, come, line, now))
        line_of_warp[warp] = last
    return done


@inlined
def begin_block(
    sequence_of_warp: Ints, first: Ints, block: int, place: int, now: float, queues: Ints,
    bounds: Ints, time: Floats, age: Ints, at: Ints, until: Ints, carried: Floats, waits: Floats,
    conf: Floats, code: Ints, begins: Ints, why: Ints, line_of_warp: Ints, cached: Ints,
    used: Floats, there: Floats, come: Ints,
) -> int:  # fmt: skip
    """A block begins in a place of the SM; gives how many of its warps have something to do."""
    per_block = sequence_of_warp.shape[1]
    alive = 0
    for own in range(per_block):
        sequence = sequence_of_warp[block, own]
        if sequence < 0 or first[sequence] == first[sequence + 1]:
            continue
        warp = place * per_block + own
        at[warp], until[warp] = first[sequence], first[sequence + 1]
        age[warp], carried[warp] = block * per_block + own, 0.0
        for part in range(PARTS):
            waits[warp, part] = 0.0
        why[warp], line_of_warp[warp] = begins[at[warp]], 0
        time[warp] = code_is_there(
            conf, code, begins[at[warp]], line_of_warp, warp, cached, used, there, come, now
        )
        waits[warp, P_FETCH] = time[warp] - now
        scheduler = warp % bounds.shape[0]
        enqueue(queues[scheduler, STALLED], bounds[scheduler, STALLED], time, warp)
        alive += 1
    return alive


@native
def schedule_intervals(
    conf: Floats, intervals: Floats, causes: Ints, barriers: Ints, begins: Ints, code: Ints,
    shares: Floats, first: Ints, sequence_of_warp: Ints, stack: Floats, ends: Floats,
) -> float:  # fmt: skip
    """Run blocks one after another on an SM (``sequence_of_warp[b, w]``: what warp w of block b
    executes, -1 nothing; sequence s has intervals ``first[s]`` to ``first[s + 1]``); gives the
    cycles until all have ended and writes the end of each block. ``stack`` (operation, part) gets
    the cycles of all schedulers; its last row is for what belongs to no operation. ``causes`` are
    the operations that stalls wait for; ``shares`` what L1, L2 and DRAM have in the latency of an
    operation, all 0 where it is no load. ``begins`` are the operations that intervals begin with,
    ``code`` the lines of code of operations, which are fetched as warps come to them.

    Round-robin is processor sharing: warps that can issue share the scheduler's cycles evenly.
    Greedy: a warp issues until it has to wait, then the oldest or youngest that is ready. A warp
    whose interval begins with an access, or an operation for a pipeline, while the load/store unit
    or that pipeline is taken lets others go first.
    """
    schedulers, per_block, places = int(conf[C_SCHEDULERS]), int(conf[C_WARPS]), int(conf[C_BLOCKS])
    greedy = int(conf[C_GREEDY])
    slots = places * per_block
    none = stack.shape[0] - 1
    blocks = sequence_of_warp.shape[0]
    at, until = np.zeros(slots, np.int64), np.zeros(slots, np.int64)
    time, begun, carried = np.zeros(slots), np.zeros(slots), np.zeros(slots)
    age, why = np.zeros(slots, np.int64), np.zeros(slots, np.int64)
    waits = np.zeros((slots, PARTS))
    waiting = np.zeros((places, per_block), np.int64)
    alive, arrived = np.zeros(places, np.int64), np.zeros(places, np.int64)
    block_of_place = np.full(places, -1)
    queues = np.zeros((schedulers, 2, 4 * slots), np.int64)
    bounds = np.zeros((schedulers, 2, 2), np.int64)
    # each scheduler: its clock, the virtual time that each running warp has got, and the warp that
    # began an interval last
    clock, virtual = np.zeros(schedulers), np.zeros(schedulers)
    latest = np.full(schedulers, -1)
    unit_free = np.zeros((schedulers, RESOURCES))
    shared = np.zeros(SHARED)
    line_of_warp = np.zeros(slots, np.int64)
    fetched = max(int(conf[C_FETCH_SETS] * conf[C_FETCH_WAYS]), 1)
    cached, used, there = np.full(fetched, -1), np.full(fetched, -1.0), np.zeros(fetched)
    come = np.zeros(code.max() + code[:, 1].max() + 1 if code.size else 1, np.int64)
    next_block, left, last = 0, 0, 0.0
    for place in range(places):
        while next_block < blocks and alive[place] == 0:
            block_of_place[place] = next_block
            alive[place] = begin_block(
                sequence_of_warp, first, next_block, place, 0.0, queues, bounds, time, age, at,
                until, carried, waits, conf, code, begins, why, line_of_warp, cached, used, there,
                come,
            )  # fmt: skip
            next_block += 1
        left += alive[place] > 0
    while left > 0:
        scheduler, kind, event = next_event(queues, bounds, time, clock, virtual, greedy)
        if scheduler < 0:
            break
        now = max(event, clock[scheduler])
        limit = now + EPSILON if greedy != 0 and kind == STALLED else -NEVER
        warp = dequeue(
            queues[scheduler, kind], bounds[scheduler, kind], time, age, limit, greedy,
            latest[scheduler],
        )  # fmt: skip
        gap = now - clock[scheduler]
        running = bounds[scheduler, RUNNING, 1] - bounds[scheduler, RUNNING, 0] + kind
        if running > 0:
            virtual[scheduler] += gap / running
        elif gap > 0:
            charge_gap(stack, waits, why, warp, gap, none)
        clock[scheduler] = now
        row = intervals[at[warp]]
        if kind == STALLED:
            free = free_at(row, unit_free, shared, scheduler, conf, now)
            if free > now + EPSILON:
                for part in range(PARTS):
                    waits[warp, part] = 0.0
                part = int(shared[U_REASON]) if row[I_LOAD_STORE] > 0 else P_UNIT
                why[warp], waits[warp, part], time[warp] = begins[at[warp]], 1.0, free
                enqueue(queues[scheduler, STALLED], bounds[scheduler, STALLED], time, warp)
                continue
            if row[I_LOAD_STORE] > 0:
                carried[warp] = max(carried[warp], access_memory(row, shared, conf, now))
            elif row[I_FIRST_BUSY] > 0:
                unit = int(row[I_FIRST_UNIT])
                unit_free[user_of(unit, scheduler, conf), unit] = now + row[I_FIRST_BUSY]
            begun[warp], latest[scheduler] = now, warp
            time[warp] = (now if greedy != 0 else virtual[scheduler]) + row[I_INSTRUCTIONS]
            enqueue(queues[scheduler, RUNNING], bounds[scheduler, RUNNING], time, warp)
            continue
        # the run is over: pipelines, then the stall
        last = max(last, now)
        op = causes[at[warp]]
        why[warp] = op if op >= 0 else none
        for part in range(PARTS):
            waits[warp, part] = 0.0
        ready = now + wait_for_pipelines(row, unit_free, scheduler, conf, begun[warp], now)
        waits[warp, P_UNIT] = ready - now
        time[warp] = ready + stall_of(
            row, waits[warp], shares, op, now - begun[warp], carried[warp]
        )
        if row[I_STALL] > 0 and op >= 0 and is_load(shares, op):
            carried[warp] = 0.0
        place = warp // per_block
        ends_at_barrier = barriers[at[warp]]
        at[warp] += 1
        ended = at[warp] == until[warp]
        if not ended:
            following = begins[at[warp]]
            ready = code_is_there(
                conf, code, following, line_of_warp, warp, cached, used, there, come, now
            )
            if ready > time[warp]:
                if op < 0:
                    why[warp] = following
                waits[warp, P_FETCH] += ready - time[warp]
                time[warp] = ready
        if ended:
            alive[place] -= 1
        elif ends_at_barrier:
            waiting[place, warp - place * per_block] = 1
            arrived[place] += 1
            waits[warp, P_BARRIER] = 1.0
        else:
            enqueue(queues[scheduler, STALLED], bounds[scheduler, STALLED], time, warp)
        if alive[place] > 0 and arrived[place] == alive[place]:
            arrived[place] = 0
            for own in range(per_block):
                if waiting[place, own]:
                    waiting[place, own] = 0
                    other = place * per_block + own
                    time[other] = max(now + conf[C_BARRIER], time[other])
                    theirs = other % schedulers
                    enqueue(queues[theirs, STALLED], bounds[theirs, STALLED], time, other)
        if ended and alive[place] == 0:
            ends[block_of_place[place]] = now
            while next_block < blocks and alive[place] == 0:
                block_of_place[place] = next_block
                alive[place] = begin_block(
                    sequence_of_warp, first, next_block, place, now, queues, bounds, time, age, at,
                    until, carried, waits, conf, code, begins, why, line_of_warp, cached, used,
                    there, come,
                )  # fmt: skip
                next_block += 1
            left -= alive[place] == 0
    for scheduler in range(schedulers):
        stack[none, P_IDLE] += last - clock[scheduler]
    for way in range(WAYS):
        last = max(last, shared[U_OUT + way])
    return max(last, shared[U_LOAD_STORE], shared[U_STORED])

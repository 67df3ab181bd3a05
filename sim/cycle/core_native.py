"""The schedulers and pipelines of the cycle-level model, compiled by numba. Import it lazily.

An instruction issues when its operands are there and its pipeline is free; since memory says at
once when data come back, the time at which a warp can issue next is known when it issues, but for
barriers. A scheduler for which nothing is ready sleeps until the first of its warps is; the cycles
that it sleeps are charged to what that warp waits for.

numba keeps the compiled code with this file's date: after a change of memory_native.py or layout.py
this file must be touched as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.native import uncounted
from kcc.sim.cycle.layout import (
    DONE,
    GREEDY,
    GROUP,
    INTERVALS,
    LATEST,
    NEVER,
    TOO_LONG,
    TWO_LEVEL,
    WAITING,
    Cause,
    Conf,
    Kind,
    LineStat,
    Op,
    Run,
    Sched,
    Sm,
    Stat,
    Warp,
)
from kcc.sim.cycle.memory_native import level2
from kcc.sim.machine_costs import Unit

Ints = Any
Times = Any
Bytes = Any

MEMORY = int(Unit.MEMORY)

K_FREE, K_PHI, K_BARRIER, K_FENCE = (
    int(Kind.FREE), int(Kind.PHI), int(Kind.BARRIER), int(Kind.FENCE),
)  # fmt: skip
K_LOAD, K_STORE, K_ATOMIC = int(Kind.GLOBAL_LOAD), int(Kind.GLOBAL_STORE), int(Kind.GLOBAL_ATOMIC)
K_LOCAL_LOAD, K_LOCAL_STORE, K_LOCAL_ATOMIC = (
    int(Kind.LOCAL_LOAD), int(Kind.LOCAL_STORE), int(Kind.LOCAL_ATOMIC),
)  # fmt: skip
K_CONSTANT = int(Kind.CONSTANT_LOAD)

O_KIND, O_UNIT, O_LATENCY, O_INTERVAL = (
    int(Op.KIND), int(Op.UNIT), int(Op.LATENCY), int(Op.INTERVAL),
)  # fmt: skip
O_ISSUES, O_RESULT, O_FIRST, O_END = (
    int(Op.ISSUES), int(Op.RESULT), int(Op.FIRST_SOURCE), int(Op.END_SOURCE),
)  # fmt: skip
O_ACCESS, O_COUNTED, O_CAUSE = int(Op.HAS_ACCESS), int(Op.COUNTED), int(Op.CAUSE)

SMS, SCHEDULERS, PER, BLOCKS = (
    int(Conf.SMS), int(Conf.SCHEDULERS), int(Conf.PER_SCHEDULER), int(Conf.BLOCKS),
)  # fmt: skip
WARPS, POLICY, WIDTH, QUANTUM = (
    int(Conf.WARPS), int(Conf.POLICY), int(Conf.WIDTH), int(Conf.QUANTUM),
)  # fmt: skip
BARRIER_LATENCY, L1_LATENCY, L1_SETS = (
    int(Conf.BARRIER_LATENCY), int(Conf.L1_LATENCY), int(Conf.L1_SETS),
)  # fmt: skip
L1_WAYS, SECTORS, L1_MSHR, L1_MERGE, L1_BANKS = (
    int(Conf.L1_WAYS), int(Conf.SECTORS), int(Conf.L1_MSHR), int(Conf.L1_MERGE),
    int(Conf.L1_BANKS),
)  # fmt: skip
LSU_INTERVAL, CONSTANT_LATENCY = int(Conf.LSU_INTERVAL), int(Conf.CONSTANT_LATENCY)
ATOMIC_LATENCY, L2_LATENCY = int(Conf.ATOMIC_LATENCY), int(Conf.L2_LATENCY)
LOCAL_ATOMIC_LATENCY = int(Conf.LOCAL_ATOMIC_LATENCY)

W_ROW, W_END_ROW, W_OP, W_END_OP, W_ACCESS = (
    int(Warp.ROW), int(Warp.END_ROW), int(Warp.OP), int(Warp.END_OP), int(Warp.ACCESS),
)  # fmt: skip
W_BLOCK, W_AGE, W_FROM, W_BASE, W_CAUSE, W_AFTER = (
    int(Warp.BLOCK_SLOT), int(Warp.AGE), int(Warp.FROM_BLOCK), int(Warp.BASE), int(Warp.CAUSE),
    int(Warp.AFTER),
)  # fmt: skip
W_HELD, W_HELD_CAUSE = int(Warp.HELD), int(Warp.HELD_CAUSE)

D_NEXT, D_CHARGED, D_LAST, D_LIVE, D_OP, D_CAUSE, D_BASE = (
    int(Sched.NEXT), int(Sched.CHARGED), int(Sched.LAST), int(Sched.LIVE), int(Sched.OP),
    int(Sched.CAUSE), int(Sched.BASE),
)  # fmt: skip

M_TIME, M_WANTED, M_LSU, M_LSU_CAUSE, M_OUT, M_MISSES, M_RESIDENT = (
    int(Sm.TIME), int(Sm.WANTED), int(Sm.LSU), int(Sm.LSU_CAUSE), int(Sm.OUT), int(Sm.MISSES),
    int(Sm.RESIDENT),
)  # fmt: skip

R_NEXT, R_END, R_FINISHED, R_SM, R_WINDOW, R_FILL, R_DISPATCHED, R_RETIRED, R_LAST, R_CLOCK = (
    int(Run.NEXT_BLOCK), int(Run.END_BLOCK), int(Run.FINISHED), int(Run.SM), int(Run.WINDOW),
    int(Run.FILL), int(Run.DISPATCHED), int(Run.RETIRED), int(Run.END), int(Run.CLOCK),
)  # fmt: skip
R_INTERVAL = int(Run.ROOM)

C_ISSUED, C_IDLE, C_BARRIER, C_UNIT, C_LOAD_STORE = (
    int(Cause.ISSUED), int(Cause.IDLE), int(Cause.BARRIER), int(Cause.UNIT),
    int(Cause.LOAD_STORE),
)  # fmt: skip
C_QUEUE, C_MSHR, C_L1, C_DRAM, C_ATOMIC, C_FENCE, C_ARITHMETIC = (
    int(Cause.QUEUE), int(Cause.MSHR), int(Cause.L1), int(Cause.DRAM), int(Cause.ATOMIC),
    int(Cause.FENCE), int(Cause.ARITHMETIC),
)  # fmt: skip

S_ISSUED, S_WARP, S_L1, S_L1_HITS, S_L1_PENDING = (
    int(Stat.ISSUED), int(Stat.WARP_INSTRUCTIONS), int(Stat.L1_SECTORS), int(Stat.L1_HITS),
    int(Stat.L1_PENDING),
)  # fmt: skip
S_LOCAL, S_PASSES, S_ATOMICS, S_MSHR, S_LOADS, S_STORES, S_STORE_SECTORS, S_MERGE, S_RESIDENT = (
    int(Stat.LOCAL_ACCESSES), int(Stat.LOCAL_PASSES), int(Stat.ATOMICS), int(Stat.MSHR_CYCLES),
    int(Stat.LOADS), int(Stat.STORES), int(Stat.STORE_SECTORS), int(Stat.MERGE_STALLS),
    int(Stat.WARP_CYCLES),
)  # fmt: skip
S_DRAM_READS = int(Stat.DRAM_READS)

L_EXECUTED, L_SECTORS, L_L1, L_L2, L_DRAM, L_PASSES = (
    int(LineStat.EXECUTED), int(LineStat.SECTORS), int(LineStat.L1_HITS), int(LineStat.L2_HITS),
    int(LineStat.DRAM), int(LineStat.PASSES),
)  # fmt: skip


@uncounted
def charge(sched: Ints, number: int, until: int, stacks: Ints, line_stacks: Ints) -> None:
    """Charge the scheduler's cycles up to ``until`` to what it sleeps for."""
    start = sched[number, D_CHARGED]
    if until <= start:
        return
    row, cause, base = sched[number, D_OP] + 1, sched[number, D_CAUSE], sched[number, D_BASE]
    middle = min(max(base, start), until)
    stacks[number, cause] += middle - start
    line_stacks[row, cause] += middle - start
    stacks[number, C_QUEUE] += until - middle
    line_stacks[row, C_QUEUE] += until - middle
    sched[number, D_CHARGED] = until


@uncounted
def heap_add(heap: Ints, sm: int, count: int, value: int) -> None:
    """Add to the ``count`` numbers of a heap whose least is first."""
    place = count
    while place > 0:
        parent = (place - 1) >> 1
        if heap[sm, parent] <= value:
            break
        heap[sm, place] = heap[sm, parent]
        place = parent
    heap[sm, place] = value


@uncounted
def heap_drop(heap: Ints, sm: int, count: int) -> None:
    """Take away the least of ``count`` numbers."""
    value = heap[sm, count - 1]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= count - 1:
            break
        if child + 1 < count - 1 and heap[sm, child + 1] < heap[sm, child]:
            child += 1
        if heap[sm, child] >= value:
            break
        heap[sm, place] = heap[sm, child]
        place = child
    heap[sm, place] = value


@uncounted
def global_access(
    conf: Ints, run: Ints, stats: Ints, line_stats: Ints, sms: Ints, heap: Ints, l1_tags: Ints,
    l1_used: Ints, l1_filled: Times, l1_level: Bytes, l1_merged: Bytes, slots: Ints, outs: Ints,
    slice_free: Ints, l2_tags: Ints, l2_used: Ints, l2_filled: Times, l2_dirty: Bytes,
    channel_free: Ints, bank_free: Ints, rows: Ints, transactions: Ints, first: int, count: int,
    sm: int, op: int, kind: int, now: int,
) -> tuple[int, int, int]:  # fmt: skip
    """A load, store or atomic at ``now``: when all its data are there, the part of that which is
    not queueing, and the level of the slowest. The load/store unit is busy meanwhile."""
    time, cause = now, C_LOAD_STORE
    done: Any = now
    base: Any = now
    level: Any = C_L1
    banks = conf[L1_BANKS]
    sets, ways = conf[L1_SETS], conf[L1_WAYS]
    waiting = 0
    in_cycle = 0
    for place in range(first, first + count):
        line, mask, weight = transactions[place, 0], transactions[place, 1], transactions[place, 2]
        sector = 0
        while mask:
            if not mask & 1:
                mask >>= 1
                sector += 1
                continue
            mask >>= 1
            if in_cycle == banks:
                time += 1
                in_cycle = 0
            in_cycle += 1
            line_stats[op, L_SECTORS] += 1
            if kind != K_LOAD:
                stats[S_STORE_SECTORS] += 1
                is_write = int(kind == K_STORE)
                ready, queue, _ = level2(
                    conf, run, stats, slots, outs, slice_free, l2_tags, l2_used, l2_filled,
                    l2_dirty, channel_free, bank_free, rows, sm, time, line, sector, is_write,
                    weight,
                )  # fmt: skip
                if is_write:
                    if sets > 0:  # written through, not allocated; a copy in L1 is kept up
                        pass
                    # the unit hands on no faster than the way out takes
                    if outs[sm] > time + 16:
                        time = outs[sm] - 16
                        in_cycle = 0
                    run[R_LAST] = max(run[R_LAST], ready)
                else:
                    ready += conf[ATOMIC_LATENCY] - conf[L2_LATENCY]
                    level = C_ATOMIC
                    done = max(done, ready)
                    base = max(base, ready - queue)
                sector += 1
                continue
            stats[S_L1] += 1
            entry = 0
            if sets > 0:
                start = (sm * sets + (line ^ (line // sets)) % sets) * ways
                way, victim, oldest = -1, start, np.int64(1) << 62
                for at in range(start, start + ways):
                    if l1_tags[at] == line:
                        way = at
                        break
                    if l1_used[at] < oldest:
                        oldest, victim = l1_used[at], at
                run[R_CLOCK] += 1
                if way >= 0:
                    l1_used[way] = run[R_CLOCK]
                    there = l1_filled[way, sector]
                    if there >= 0:
                        own = time + conf[L1_LATENCY]
                        if there <= own - conf[L1_LATENCY]:
                            stats[S_L1_HITS] += 1
                            line_stats[op, L_L1] += 1
                            if own > done:
                                done, base, level = own, own, C_L1
                        else:
                            stats[S_L1_PENDING] += 1
                            if l1_merged[way, sector] >= conf[L1_MERGE]:
                                stats[S_MERGE] += 1
                                time = max(time, np.int64(there))
                                cause = C_MSHR
                            else:
                                l1_merged[way, sector] += 1
                            own = max(own, np.int64(there))
                            if own > done:
                                done, base, level = own, own, np.int64(l1_level[way, sector])
                        sector += 1
                        continue
                else:
                    way = victim
                    l1_tags[way] = line
                    l1_used[way] = run[R_CLOCK]
                    for s in range(conf[SECTORS]):
                        l1_filled[way, s] = -1
                entry = way
            # a miss: an entry, then the request
            while sms[sm, M_MISSES] > 0 and heap[sm, 0] <= time:
                heap_drop(heap, sm, sms[sm, M_MISSES])
                sms[sm, M_MISSES] -= 1
            if sms[sm, M_MISSES] >= conf[L1_MSHR]:
                stats[S_MSHR] += heap[sm, 0] - time
                time = heap[sm, 0]
                in_cycle = 0
                cause = C_MSHR
                heap_drop(heap, sm, sms[sm, M_MISSES])
                sms[sm, M_MISSES] -= 1
            ready, queue, came = level2(
                conf, run, stats, slots, outs, slice_free, l2_tags, l2_used, l2_filled, l2_dirty,
                channel_free, bank_free, rows, sm, time, line, sector, 0, 1,
            )  # fmt: skip
            heap_add(heap, sm, sms[sm, M_MISSES], ready)
            sms[sm, M_MISSES] += 1
            if came == C_DRAM:
                line_stats[op, L_DRAM] += 1
            else:
                line_stats[op, L_L2] += 1
            if sets > 0:
                l1_filled[entry, sector] = ready
                l1_level[entry, sector] = came
                l1_merged[entry, sector] = 0
            if ready > done:
                done, level = ready, came
                waiting = queue
                base = ready - waiting
            sector += 1
    sms[sm, M_LSU] = max(time + 1, now + conf[LSU_INTERVAL])
    sms[sm, M_LSU_CAUSE] = cause
    return done, base, level


@uncounted
def advance(
    ops: Ints, sources: Ints, incoming: Ints, segments: Ints, row_segment: Times,
    row_access: Ints, warps: Ints, ready: Times, base: Times, cause: Bytes, wake: Ints,
    warp: int, now: int,
) -> bool:  # fmt: skip
    """Go to the warp's next operation that issues; what makes no code happens on the way. False
    at the end of its stream."""
    op, end = warps[warp, W_OP], warps[warp, W_END_OP]
    while True:
        while op == end:
            row = warps[warp, W_ROW]
            if row >= 0:
                warps[warp, W_FROM] = segments[row_segment[row], 2]
            row += 1
            if row == warps[warp, W_END_ROW]:
                return False
            warps[warp, W_ROW] = row
            op, end = segments[row_segment[row], 0], segments[row_segment[row], 1]
            warps[warp, W_END_OP] = end
            warps[warp, W_ACCESS] = row_access[row]
        kind = ops[op, O_KIND]
        first, last = ops[op, O_FIRST], ops[op, O_END]
        time, late, why = np.int32(0), np.int32(0), np.int8(C_ARITHMETIC)
        if kind == K_PHI:
            known = False
            for place in range(first, last):
                if incoming[place] == warps[warp, W_FROM]:
                    known = True
            for place in range(first, last):
                if not known or incoming[place] == warps[warp, W_FROM]:
                    source = sources[place]
                    if source >= 0 and ready[warp, source] > time:
                        time, late = ready[warp, source], base[warp, source]
                        why = cause[warp, source]
        else:
            for place in range(first, last):
                source = sources[place]
                if ready[warp, source] > time:
                    time, late = ready[warp, source], base[warp, source]
                    why = cause[warp, source]
        if kind > K_PHI:
            break
        result = ops[op, O_RESULT]
        if result >= 0:
            ready[warp, result], base[warp, result], cause[warp, result] = time, late, why
        op += 1
    warps[warp, W_OP] = op
    wake[warp] = max(np.int64(time), now)
    if time > now:
        warps[warp, W_BASE], warps[warp, W_CAUSE] = late, why
    else:
        warps[warp, W_BASE], warps[warp, W_CAUSE] = NEVER, C_ARITHMETIC
    if kind == K_FENCE and warps[warp, W_AFTER] > wake[warp]:
        wake[warp] = warps[warp, W_AFTER]
        warps[warp, W_BASE], warps[warp, W_CAUSE] = NEVER, C_FENCE
    return True


@uncounted
def place_block(
    conf: Ints, run: Ints, stats: Ints, sms: Ints, sched: Ints, block_slots: Ints, pool: Ints,
    ops: Ints, sources: Ints, incoming: Ints, segments: Ints, row_segment: Times,
    row_access: Ints, warps: Ints, ready: Times, base: Times, cause: Bytes, wake: Ints,
    unit: Bytes, log: Ints, sm: int, now: int,
) -> None:  # fmt: skip
    """The pool's next block goes to a free place of the SM and starts at ``now``."""
    place = 0
    while block_slots[sm, place, 0] > 0:
        place += 1
    chosen = run[R_NEXT] % pool.shape[0]
    run[R_NEXT] += 1
    number = run[R_DISPATCHED]
    run[R_DISPATCHED] += 1
    sms[sm, M_WANTED] -= 1
    sms[sm, M_RESIDENT] += 1
    schedulers, per = conf[SCHEDULERS], conf[PER]
    alive = 0
    for own in range(conf[WARPS]):
        slot = place * conf[WARPS] + own
        scheduler = sm * schedulers + slot % schedulers
        warp = scheduler * per + slot // schedulers
        row, end = pool[chosen, own, 0], pool[chosen, own, 1]
        if row == end:
            continue
        warps[warp, W_ROW], warps[warp, W_END_ROW] = row - 1, end
        warps[warp, W_OP] = warps[warp, W_END_OP] = 0
        warps[warp, W_BLOCK], warps[warp, W_FROM] = place, -1
        warps[warp, W_AGE] = number * conf[WARPS] + own
        warps[warp, W_AFTER] = 0
        for register in range(ready.shape[1]):
            ready[warp, register] = 0
        there = advance(
            ops, sources, incoming, segments, row_segment, row_access, warps, ready, base, cause,
            wake, warp, now,
        )  # fmt: skip
        if not there:
            wake[warp] = NEVER
            warps[warp, W_ROW] = warps[warp, W_END_ROW] = -1
            continue
        warps[warp, W_FROM] = -1
        unit[warp] = ops[warps[warp, W_OP], O_UNIT]
        alive += 1
        sched[scheduler, D_LIVE] += 1
        soon = max(now, sched[scheduler, D_CHARGED])
        sched[scheduler, D_NEXT] = min(sched[scheduler, D_NEXT], soon)
    stats[S_RESIDENT] -= now * alive
    block_slots[sm, place, 0] = alive
    block_slots[sm, place, 1] = 0
    block_slots[sm, place, 2] = number
    if log.shape[0] > 0 and number < log.shape[0]:
        log[number, 0], log[number, 1], log[number, 3] = sm, now, place
    if alive == 0:
        sms[sm, M_WANTED] += 1
        sms[sm, M_RESIDENT] -= 1
        run[R_RETIRED] += 1


@uncounted
def count_interval(intervals: Ints, run: Ints, now: int, column: int, amount: int) -> None:
    """Add to the interval that ``now`` is in; intervals double in length when they run out."""
    while now // run[R_INTERVAL] >= INTERVALS:
        half = INTERVALS // 2
        for row in range(half):
            for each in range(intervals.shape[1]):
                intervals[row, each] = intervals[2 * row, each] + intervals[2 * row + 1, each]
        for row in range(half, INTERVALS):
            for each in range(intervals.shape[1]):
                intervals[row, each] = 0
        run[R_INTERVAL] *= 2
    intervals[now // run[R_INTERVAL], column] += amount


@uncounted
def release(
    conf: Ints, sched: Ints, warps: Ints, wake: Ints, sm: int, place: int, now: int
) -> None:
    """The block's barrier is complete: its warps go on."""
    schedulers, per = conf[SCHEDULERS], conf[PER]
    for own in range(conf[WARPS]):
        slot = place * conf[WARPS] + own
        scheduler = sm * schedulers + slot % schedulers
        warp = scheduler * per + slot // schedulers
        if wake[warp] == NEVER and warps[warp, W_CAUSE] == C_BARRIER:
            wake[warp] = now
            if warps[warp, W_HELD] > now:
                wake[warp], warps[warp, W_CAUSE] = warps[warp, W_HELD], warps[warp, W_HELD_CAUSE]
            else:
                warps[warp, W_BASE] = NEVER
            soon = max(wake[warp], sched[scheduler, D_CHARGED])
            sched[scheduler, D_NEXT] = min(sched[scheduler, D_NEXT], soon)


@uncounted
def simulate(
    conf: Ints, run: Ints, stats: Ints, line_stats: Ints, intervals: Ints, stacks: Ints,
    line_stacks: Ints, sms: Ints, sched: Ints, block_slots: Ints, pool: Ints, log: Ints,
    ops: Ints, sources: Ints, incoming: Ints, segments: Ints, row_segment: Times,
    row_access: Ints, accesses: Ints, transactions: Ints, warps: Ints, ready: Times, base: Times,
    cause: Bytes, wake: Ints, unit: Bytes, unit_free: Ints, heaps: Ints, l1_tags: Ints,
    l1_used: Ints, l1_filled: Times, l1_level: Bytes, l1_merged: Bytes, slots: Ints, outs: Ints,
    slice_free: Ints, l2_tags: Ints, l2_used: Ints, l2_filled: Times, l2_dirty: Bytes,
    channel_free: Ints, bank_free: Ints, rows: Ints,
) -> int:  # fmt: skip
    """Run until blocks are wanting or all is done."""
    sm_count, schedulers, per = conf[SMS], conf[SCHEDULERS], conf[PER]
    policy, width = conf[POLICY], conf[WIDTH]
    # the first blocks: one to each SM and cycle, in the order of their numbers
    while run[R_FILL] < sm_count * conf[BLOCKS]:
        if run[R_NEXT] == run[R_END]:
            if not run[R_FINISHED]:
                return WAITING
            break
        sm = run[R_FILL] % sm_count
        sms[sm, M_WANTED] += 1
        place_block(
            conf, run, stats, sms, sched, block_slots, pool, ops, sources, incoming, segments,
            row_segment, row_access, warps, ready, base, cause, wake, unit, log, sm,
            run[R_FILL] // sm_count,
        )  # fmt: skip
        sms[sm, M_TIME] = 0
        run[R_FILL] += 1
    while True:
        if run[R_SM] == sm_count:
            least = NEVER
            for sm in range(sm_count):
                least = min(least, sms[sm, M_TIME])
            if least >= NEVER:
                return DONE
            if least > LATEST:
                return TOO_LONG
            run[R_WINDOW] = least + conf[QUANTUM]
            run[R_SM] = 0
        limit = run[R_WINDOW]
        while run[R_SM] < sm_count:
            sm = run[R_SM]
            now = sms[sm, M_TIME]
            while now < limit:
                while sms[sm, M_WANTED] > 0:
                    if run[R_NEXT] == run[R_END]:
                        if not run[R_FINISHED]:
                            sms[sm, M_TIME] = now
                            return WAITING
                        break
                    place_block(
                        conf, run, stats, sms, sched, block_slots, pool, ops, sources, incoming,
                        segments, row_segment, row_access, warps, ready, base, cause, wake, unit,
                        log, sm, now,
                    )  # fmt: skip
                following = NEVER
                for local in range(schedulers):
                    number = sm * schedulers + local
                    if sched[number, D_NEXT] > now:
                        following = min(following, sched[number, D_NEXT])
                        continue
                    charge(sched, number, now, stacks, line_stacks)
                    start = number * per
                    issued = 0
                    cost = 1
                    for _ in range(width):
                        chosen = -1
                        soonest, nearest = NEVER, -1
                        unit_free[number, MEMORY] = sms[sm, M_LSU]
                        last = sched[number, D_LAST]
                        oldest = np.int64(1) << 62
                        group = 0
                        if policy == GREEDY:
                            warp = start + last
                            free = unit_free[number, unit[warp]]
                            if wake[warp] <= now and free <= now:
                                chosen = last
                        elif policy == TWO_LEVEL:
                            group = last // GROUP
                        if chosen < 0:
                            at = last
                            for _ in range(per):
                                at += 1
                                if at >= per:
                                    at = 0
                                warp = start + at
                                if wake[warp] > now:
                                    if wake[warp] < soonest:
                                        soonest, nearest = wake[warp], at
                                    continue
                                free = unit_free[number, unit[warp]]
                                if free > now:
                                    if free < soonest:
                                        soonest, nearest = free, at
                                    continue
                                if policy == GREEDY:
                                    if warps[warp, W_AGE] < oldest:
                                        oldest, chosen = warps[warp, W_AGE], at
                                elif policy == TWO_LEVEL:
                                    if at // GROUP == group:
                                        chosen = at
                                        break
                                    if chosen < 0:
                                        chosen = at
                                else:
                                    chosen = at
                                    break
                        if chosen < 0:
                            if issued:
                                break
                            sched[number, D_NEXT] = soonest
                            sched[number, D_BASE] = NEVER
                            if nearest >= 0:
                                warp = start + nearest
                                sched[number, D_OP] = warps[warp, W_OP]
                                if wake[warp] > now:
                                    sched[number, D_CAUSE] = warps[warp, W_CAUSE]
                                    sched[number, D_BASE] = warps[warp, W_BASE]
                                elif unit[warp] == MEMORY:
                                    sched[number, D_CAUSE] = sms[sm, M_LSU_CAUSE]
                                else:
                                    sched[number, D_CAUSE] = C_UNIT
                            elif sched[number, D_LIVE] > 0:
                                sched[number, D_CAUSE] = C_BARRIER
                                for at in range(per):
                                    if warps[start + at, W_CAUSE] == C_BARRIER:
                                        sched[number, D_OP] = warps[start + at, W_OP]
                                        break
                            else:
                                sched[number, D_CAUSE], sched[number, D_OP] = C_IDLE, -1
                            break
                        # issue
                        issued += 1
                        warp = start + chosen
                        sched[number, D_LAST] = chosen
                        op = warps[warp, W_OP]
                        kind, issues = ops[op, O_KIND], ops[op, O_ISSUES]
                        cost = max(cost, issues)
                        stats[S_ISSUED] += issues
                        stats[S_WARP] += ops[op, O_COUNTED]
                        line_stats[op, L_EXECUTED] += 1
                        if issued == 1:
                            sched[number, D_OP], sched[number, D_CAUSE] = op, C_ISSUED
                            sched[number, D_BASE] = NEVER
                        result = ops[op, O_RESULT]
                        if unit[warp] == MEMORY:
                            first, amount = 0, 0
                            if ops[op, O_ACCESS]:
                                access = warps[warp, W_ACCESS]
                                warps[warp, W_ACCESS] = access + 1
                                first, amount = accesses[access, 0], accesses[access, 1]
                            level = ops[op, O_CAUSE]
                            done = now + ops[op, O_LATENCY]
                            late = done
                            if K_LOAD <= kind <= K_ATOMIC:
                                if kind == K_LOAD:
                                    stats[S_LOADS] += 1
                                elif kind == K_STORE:
                                    stats[S_STORES] += 1
                                else:
                                    stats[S_ATOMICS] += 1
                                misses = stats[S_DRAM_READS]
                                done, late, level = global_access(
                                    conf, run, stats, line_stats, sms, heaps, l1_tags,
                                    l1_used, l1_filled, l1_level, l1_merged, slots, outs,
                                    slice_free, l2_tags, l2_used, l2_filled, l2_dirty,
                                    channel_free, bank_free, rows, transactions, first, amount,
                                    sm, op, kind, now,
                                )  # fmt: skip
                                run[R_LAST] = max(run[R_LAST], done)
                                misses = stats[S_DRAM_READS] - misses
                                if misses:
                                    count_interval(intervals, run, now, 1, misses)
                            elif kind >= K_LOCAL_LOAD and kind <= K_LOCAL_ATOMIC:
                                passes = max(amount, 1)
                                stats[S_LOCAL] += 1
                                stats[S_PASSES] += passes
                                line_stats[op, L_PASSES] += passes
                                busy = max(passes, conf[LSU_INTERVAL])
                                sms[sm, M_LSU] = now + busy
                                sms[sm, M_LSU_CAUSE] = C_LOAD_STORE
                                done = late = now + ops[op, O_LATENCY] + passes - 1
                            else:
                                passes = max(amount, 1)
                                busy = max(passes * ops[op, O_INTERVAL], conf[LSU_INTERVAL])
                                sms[sm, M_LSU] = now + busy
                                sms[sm, M_LSU_CAUSE] = C_LOAD_STORE
                                done = late = now + ops[op, O_LATENCY] + passes - 1
                            if kind != K_STORE:
                                warps[warp, W_AFTER] = max(warps[warp, W_AFTER], done)
                            if result >= 0:
                                ready[warp, result] = min(done, LATEST)
                                base[warp, result] = min(late, LATEST)
                                cause[warp, result] = level
                        else:
                            unit_free[number, unit[warp]] = now + ops[op, O_INTERVAL]
                            if result >= 0:
                                ready[warp, result] = now + ops[op, O_LATENCY]
                                base[warp, result] = LATEST
                                cause[warp, result] = ops[op, O_CAUSE]
                        run[R_LAST] = max(run[R_LAST], now + issues)
                        place = warps[warp, W_BLOCK]
                        warps[warp, W_OP] = op + 1
                        here = kind == K_BARRIER
                        there = advance(
                            ops, sources, incoming, segments, row_segment, row_access, warps,
                            ready, base, cause, wake, warp, now + issues,
                        )  # fmt: skip
                        if there:
                            unit[warp] = ops[warps[warp, W_OP], O_UNIT]
                            if here:
                                warps[warp, W_HELD] = wake[warp]
                                warps[warp, W_HELD_CAUSE] = warps[warp, W_CAUSE]
                                wake[warp] = NEVER
                                warps[warp, W_CAUSE] = C_BARRIER
                                block_slots[sm, place, 1] += 1
                        else:
                            wake[warp] = NEVER
                            warps[warp, W_CAUSE] = C_IDLE
                            warps[warp, W_ROW] = warps[warp, W_END_ROW] = -1
                            sched[number, D_LIVE] -= 1
                            block_slots[sm, place, 0] -= 1
                            stats[S_RESIDENT] += now + 1
                        if here or not there:
                            alive = block_slots[sm, place, 0]
                            if alive == 0:
                                sms[sm, M_WANTED] += 1
                                sms[sm, M_RESIDENT] -= 1
                                run[R_RETIRED] += 1
                                if log.shape[0] > 0:
                                    of = block_slots[sm, place, 2]
                                    if of < log.shape[0]:
                                        log[of, 2] = now + 1
                            elif block_slots[sm, place, 1] == alive:
                                block_slots[sm, place, 1] = 0
                                release(
                                    conf, sched, warps, wake, sm, place,
                                    now + 1 + conf[BARRIER_LATENCY],
                                )  # fmt: skip
                    if issued:
                        count_interval(intervals, run, now, 0, issued)
                        sched[number, D_NEXT] = now + cost
                        charge(sched, number, now + cost, stacks, line_stacks)
                    following = min(following, sched[number, D_NEXT])
                # a barrier may have woken a scheduler that was looked at before
                for local in range(schedulers):
                    following = min(following, sched[sm * schedulers + local, D_NEXT])
                if sms[sm, M_WANTED] > 0 and (run[R_NEXT] < run[R_END] or not run[R_FINISHED]):
                    following = now + 1
                now = max(following, now + 1)
            sms[sm, M_TIME] = now
            run[R_SM] += 1

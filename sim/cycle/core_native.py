"""The SMs and schedulers of the cycle-level model, compiled by numba. Import it lazily.

An instruction issues when its operands are there and its pipeline is free; since memory says at
once when data come back, the time at which a warp can issue next is known when it issues, but for
barriers. A scheduler for which nothing is ready sleeps until the first of its warps is; the cycles
that it sleeps are charged to what that warp waits for.

The parts in the other *_native.py are compiled into this: handing on arrays would take longer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, trailing_zeros, uncounted
from kcc.sim.cycle.collect_native import collect
from kcc.sim.cycle.layout import (
    DONE,
    GREEDY,
    GROUP,
    INTERVALS,
    LATEST,
    NEVER,
    NOWHERE,
    ROUND_ROBIN,
    TIME_SHIFT,
    TOO_LONG,
    TWO_LEVEL,
    WAITING,
    YOUNGEST,
    Cache,
    Cause,
    Code,
    Conf,
    Counts,
    Dram,
    Kind,
    LineStat,
    Run,
    Schedulers,
    Sms,
    Stat,
    Streams,
    Warps,
)
from kcc.sim.cycle.load_store_native import access_global, hold
from kcc.sim.cycle.placing_native import free_place, place_block
from kcc.sim.cycle.read_only_native import fetch, load_constants
from kcc.sim.cycle.waking_native import (
    ask_ahead,
    first_after,
    make_ready,
    ready_at,
    set_waiting,
    soonest,
    wake_up,
    warp_of,
)
from kcc.sim.cycle.warp_native import (
    advance,
    base_of,
    cause_of,
    key_of,
    leave,
)
from kcc.sim.machine.costs import Unit

Ints = Any

MEMORY, XU, FP64 = int(Unit.MEMORY), int(Unit.SFU), int(Unit.FP64)
K_ARITHMETIC, K_BARRIER = int(Kind.ARITHMETIC), int(Kind.BARRIER)
K_LOAD, K_STORE, K_ATOMIC = int(Kind.GLOBAL_LOAD), int(Kind.GLOBAL_STORE), int(Kind.GLOBAL_ATOMIC)
K_LOCAL_LOAD, K_LOCAL_ATOMIC = int(Kind.LOCAL_LOAD), int(Kind.LOCAL_ATOMIC)
K_CONSTANT = int(Kind.CONSTANT_LOAD)
SMS, SCHEDULERS, PER, BLOCKS = (
    int(Conf.SMS), int(Conf.SCHEDULERS), int(Conf.PER_SCHEDULER), int(Conf.BLOCKS),
)  # fmt: skip
POLICY, WIDTH, QUANTUM, LSU_INTERVAL = (
    int(Conf.POLICY), int(Conf.WIDTH), int(Conf.QUANTUM), int(Conf.LSU_INTERVAL),
)  # fmt: skip
R_NEXT, R_END, R_FINISHED, R_SM, R_WINDOW, R_FILL, R_LAST = (
    int(Run.NEXT_BLOCK), int(Run.END_BLOCK), int(Run.FINISHED), int(Run.SM), int(Run.WINDOW),
    int(Run.FILL), int(Run.END),
)  # fmt: skip
R_SHIFT, R_FIRST = int(Run.INTERVAL_SHIFT), int(Run.FIRST_SM)
C_ISSUED, C_IDLE, C_BARRIER, C_UNIT, C_LOAD_STORE, C_QUEUE, C_ARITHMETIC = (
    int(Cause.ISSUED), int(Cause.IDLE), int(Cause.BARRIER), int(Cause.UNIT),
    int(Cause.LOAD_STORE), int(Cause.QUEUE), int(Cause.ARITHMETIC),
)  # fmt: skip
S_LOCAL, S_PASSES, S_ATOMICS, S_LOADS, S_STORES, S_RESIDENT, S_DRAM_READS = (
    int(Stat.LOCAL_ACCESSES), int(Stat.LOCAL_PASSES), int(Stat.ATOMICS), int(Stat.LOADS),
    int(Stat.STORES), int(Stat.WARP_CYCLES), int(Stat.DRAM_READS),
)  # fmt: skip
REGISTER_BANKS, C_REGISTERS = int(Conf.REGISTER_BANKS), int(Cause.REGISTERS)
CONSTANT_SETS, BLOCK_START = int(Conf.CONSTANT_SETS), int(Conf.BLOCK_START)
WARP_END, L2_LATENCY, XU_QUEUE, AFTER_ATOMIC, ONE_START = (
    int(Conf.WARP_END), int(Conf.L2_LATENCY), int(Conf.XU_QUEUE), int(Conf.AFTER_ATOMIC),
    int(Conf.ONE_START),
)  # fmt: skip
ONE_FP64 = int(Conf.ONE_FP64)
L_EXECUTED, L_PASSES = int(LineStat.EXECUTED), int(LineStat.PASSES)


@inlined
def charge(schedulers: Schedulers, counts: Counts, number: int, until: int) -> None:
    """Charge the scheduler's cycles up to ``until`` to what it sleeps for."""
    state = schedulers.state[number]
    elapsed = until - state.charged
    if elapsed > 0:
        queued = min(max(until - state.base, 0), elapsed)
        row, cause = np.uint64(state.op + 1), np.uint64(state.cause)
        state.stack[cause] += elapsed - queued
        counts.line_stacks[row, cause] += elapsed - queued
        if queued > 0:
            state.stack[C_QUEUE] += queued
            counts.line_stacks[row, C_QUEUE] += queued
        state.charged = until


@inlined
def count_interval(run: Ints, counts: Counts, now: int, column: int, amount: int) -> None:
    """Add to the interval that ``now`` is in; intervals double in length when they run out."""
    intervals = counts.intervals
    while now >> run[R_SHIFT] >= INTERVALS:
        half = INTERVALS // 2
        for row in range(half):
            for each in range(intervals.shape[1]):
                intervals[row, each] = intervals[2 * row, each] + intervals[2 * row + 1, each]
        intervals[half:, :] = 0
        run[R_SHIFT] += 1
    intervals[np.uint64(now >> run[R_SHIFT]), column] += amount


@inlined
def choose(
    schedulers: Schedulers, warps: Warps, ready: int, policy: int, number: int, slots: int
) -> int:
    """The warp slot to issue from, of those in the mask ``ready``."""
    last = schedulers.state[number].last
    if policy == ROUND_ROBIN:
        return first_after(ready, last)
    if policy in (GREEDY, YOUNGEST):
        if (ready >> last) & 1:
            return last
        chosen, first = -1, NEVER
        while ready != 0:
            slot = trailing_zeros(ready)
            age = warps.state[warp_of(number, slots, slot)].age
            turn = age if policy == GREEDY else -age
            if turn < first:
                first, chosen = turn, slot
            ready &= ready - 1
        return chosen
    group = ready & (((1 << GROUP) - 1) << last // GROUP * GROUP)
    return first_after(group if group != 0 else ready, last)


@inlined
def sleep(schedulers: Schedulers, warps: Warps, sms: Sms, number: int, slots: int, sm: int) -> None:
    """Nothing is ready: look again when the first warp is, and charge its cause until then."""
    state = schedulers.state[number]
    time, slot, blocked = soonest(schedulers, warps, number, slots)
    state.next = max(time, state.charged)
    state.base = NEVER
    if slot >= 0:
        warp = warps.state[warp_of(number, slots, slot)]
        state.op = warp.op
        if blocked:
            if warp.unit == MEMORY:
                state.cause = sms.state[sm].lsu_cause
            else:
                state.cause = C_REGISTERS if state.ports[warp.unit].waits else C_UNIT
        elif warp.wait >> TIME_SHIFT >= time:
            state.cause, state.base = cause_of(warp.wait), base_of(warp.wait)
        else:
            state.cause = C_BARRIER
    elif state.live > 0:
        slot = trailing_zeros(state.at_barrier)
        state.cause, state.op = C_BARRIER, warps.state[warp_of(number, slots, slot)].op
    else:
        state.cause, state.op = C_IDLE, -1


@inlined
def issue_memory(
    conf: Ints, run: Ints, code: Code, streams: Streams, warps: Warps, sms: Sms, l1: Cache,
    l2: Cache, memory: Dram, counts: Counts, sm: int, warp: int, now: int,
) -> int:  # fmt: skip
    """The warp's memory operation goes to the load/store unit: the key of its result."""
    state, stats = warps.state[warp], counts.stats
    op = state.op
    operation = code.ops[op]
    kind = operation.kind
    first, amount, held = 0, 0, 0
    if operation.has_access:
        access = streams.accesses[state.access]
        state.access += 1
        first, amount = access.first, access.count
        held = hold(sms, sm, access.port)
    queued, level = 0, operation.cause
    if K_LOAD <= kind <= K_ATOMIC:
        stats[S_LOADS if kind == K_LOAD else S_STORES if kind == K_STORE else S_ATOMICS] += 1
        reads = stats[S_DRAM_READS]
        done, queued, level = access_global(
            conf, run, counts, sms, l1, l2, memory, streams.transactions, first, amount, sm, op,
            kind, held, now,
        )  # fmt: skip
        if kind == K_STORE:
            state.ends = max(state.ends, done + conf[L2_LATENCY] - conf[L2_LATENCY] // 2)
            done = now
        run[R_LAST] = max(run[R_LAST], done)
        if stats[S_DRAM_READS] > reads:
            count_interval(run, counts, now, 1, stats[S_DRAM_READS] - reads)
    elif kind == K_CONSTANT and conf[CONSTANT_SETS] > 0:
        done, queued, level, busy = load_constants(
            conf, streams, sms, l2, memory, counts, first, amount, sm, operation.latency, now
        )
        sms.state[sm].lsu = now + max(busy, conf[LSU_INTERVAL])
        sms.state[sm].lsu_cause = C_LOAD_STORE
    else:
        passes = max(amount, 1)
        busy = passes
        if K_LOCAL_LOAD <= kind <= K_LOCAL_ATOMIC:
            stats[S_LOCAL] += 1
            stats[S_PASSES] += passes
            counts.lines[op, L_PASSES] += passes
        else:
            busy *= operation.interval
        sms.state[sm].lsu = now + max(busy, held, conf[LSU_INTERVAL])
        sms.state[sm].lsu_cause = C_LOAD_STORE
        done = now + operation.latency + passes - 1
    if kind != K_STORE:
        state.after = max(state.after, done)
    return key_of(done, queued, level)


@inlined
def interleaves(conf: Ints) -> bool:
    """Whether a scheduler goes on to the next warp after each machine instruction of an operation.
    Operand collectors, where these are known, take an operation as one."""
    return conf[POLICY] in (ROUND_ROBIN, TWO_LEVEL) and conf[REGISTER_BANKS] == 0


@inlined
def take_unit(
    conf: Ints, schedulers: Schedulers, sm: int, number: int, unit: int, cycles: int, now: int
) -> int:
    """An instruction takes a unit for so many cycles; when it begins there."""
    its = schedulers.state[number]
    ahead = conf[XU_QUEUE] if unit == XU else 0
    begins = max(now, its.free[unit] + ahead)
    its.free[unit] = begins + cycles - ahead
    if unit == FP64 and conf[ONE_FP64]:
        first = np.uint64(sm * conf[SCHEDULERS])
        for other in range(first, first + np.uint64(conf[SCHEDULERS])):
            schedulers.state[other].free[FP64] = its.free[FP64]
    return begins


@inlined
def issue_one(
    conf: Ints, code: Code, warps: Warps, schedulers: Schedulers, sm: int, number: int,
    warp: int, slot: int, now: int,
) -> None:  # fmt: skip
    """One of the machine instructions of the warp's operation issues, and not the last."""
    state, its = warps.state[warp], schedulers.state[number]
    operation = code.ops[state.op]
    unit, each = operation.unit, operation.interval // operation.issues
    is_first = state.left == 0
    if is_first:
        each = operation.interval - each * (operation.issues - 1)
    begins = take_unit(conf, schedulers, sm, number, unit, each, now)
    if is_first:
        state.left = operation.issues
        warps.values[warp, operation.result] = (
            begins + operation.latency
        ) << TIME_SHIFT | operation.cause
        state.ends = max(state.ends, begins + operation.latency)
    state.left -= 1
    make_ready(its, unit, 1 << slot)


@inlined
def issue(
    conf: Ints, run: Ints, code: Code, streams: Streams, warps: Warps, schedulers: Schedulers,
    sms: Sms, l1: Cache, l2: Cache, memory: Dram, counts: Counts, sm: int, number: int, slot: int,
    now: int,
) -> int:  # fmt: skip
    """The warp's operation issues, or of one whose machine instructions are interleaved with those
    of other warps the next; returns the cycles that this takes of the scheduler."""
    slots = conf[PER]
    warp = warp_of(number, slots, slot)
    state, its = warps.state[warp], schedulers.state[number]
    op = state.op
    operation = code.ops[op]
    unit, kind, issues = operation.unit, operation.kind, operation.issues
    its.ready[unit] &= ~(1 << slot)
    if its.ready[unit] == 0:
        its.units &= ~(1 << unit)
    its.last = slot
    takes, latency = operation.interval, operation.latency
    interleaved = issues > 1 and interleaves(conf) and kind == K_ARITHMETIC
    if interleaved:
        if state.left != 1:
            issue_one(conf, code, warps, schedulers, sm, number, warp, slot, now)
            return 1
        state.left = 0
        takes, latency, issues = takes // issues, operation.last_latency, 1
    counts.lines[op, L_EXECUTED] += 1
    if unit == MEMORY:
        key = issue_memory(
            conf, run, code, streams, warps, sms, l1, l2, memory, counts, sm, warp, now
        )
    else:
        begins = take_unit(conf, schedulers, sm, number, unit, takes, now)
        key = (begins + latency) << TIME_SHIFT | operation.cause
        if interleaved:
            key = max(key, warps.values[warp, operation.result])
    if conf[REGISTER_BANKS] > 0:
        extra, following = collect(conf, code, warps, schedulers, number, warp, op, now)
        key += extra << TIME_SHIFT
        its.ports[unit].waits = following > now + operation.interval
        its.free[unit] = following
    if operation.stall > 0:  # its results are barriers, which others may still have to set
        key = max(key, warps.values[warp, operation.result])
        if operation.read != NOWHERE:
            reads = (sms.state[sm].lsu if unit == MEMORY else its.free[unit]) << TIME_SHIFT
            read = max(reads | operation.cause, warps.values[warp, operation.read])
            warps.values[warp, operation.read] = read
    warps.values[warp, operation.result] = key
    state.ends = max(state.ends, key >> TIME_SHIFT)
    run[R_LAST] = max(run[R_LAST], now + issues)
    state.op = op + 1
    if advance(code, streams, warps, warp, now + max(issues, operation.stall)):
        if operation.stall > issues:
            state.wait = max(state.wait, (now + operation.stall) << TIME_SHIFT | C_ARITHMETIC)
        if conf[AFTER_ATOMIC] and kind in (K_ATOMIC, K_LOCAL_ATOMIC):
            state.wait = max(state.wait, key)
            state.wake = max(np.int64(state.wake), key >> TIME_SHIFT)
        if code.ops[state.op].line != state.line:
            fetch(conf, code, warps, sms, l2, memory, counts, sm, warp, now + issues)
        if kind == K_BARRIER:
            its.at_barrier |= 1 << slot
            sms.blocks[sm, state.place].at_barrier += 1
            leave(conf, run, schedulers, warps, sms, counts, sm, state.place, now)
        else:
            set_waiting(schedulers, warps, number, slot, slots, issues)
    else:
        state.row = state.end_row = -1
        its.live -= 1
        ends: Any = now + 1
        if conf[WARP_END] > 0:
            ends = state.ends + conf[WARP_END]
            run[R_LAST] = max(run[R_LAST], ends)
        block = sms.blocks[sm, state.place]
        block.alive -= 1
        block.ends = max(block.ends, ends)
        counts.stats[S_RESIDENT] += ends
        leave(conf, run, schedulers, warps, sms, counts, sm, state.place, now)
    return issues


@inlined
def step(
    conf: Ints, run: Ints, code: Code, streams: Streams, warps: Warps, schedulers: Schedulers,
    sms: Sms, l1: Cache, l2: Cache, memory: Dram, counts: Counts, sm: int, number: int, now: int,
) -> None:  # fmt: skip
    """A scheduler in one cycle: it issues, or sleeps."""
    slots = conf[PER]
    state = schedulers.state[number]
    charge(schedulers, counts, number, now)
    wake_up(schedulers, warps, number, slots, now)
    issued, ended, cost, first, gone = 0, 0, 1, 0, 0
    for _ in range(conf[WIDTH]):
        state.free[MEMORY] = sms.state[sm].lsu
        ready = ready_at(state, now) & ~gone
        if ready == 0:
            break
        slot = choose(schedulers, warps, ready, conf[POLICY], number, slots)
        if issued == 0:
            first = warps.state[warp_of(number, slots, slot)].op
        gone |= 1 << slot
        cycles = issue(
            conf, run, code, streams, warps, schedulers, sms, l1, l2, memory, counts, sm, number,
            slot, now,
        )  # fmt: skip
        cost = max(cost, cycles)
        issued += 1
        ended += warps.state[warp_of(number, slots, slot)].left == 0
    if issued > 0:
        count_interval(run, counts, now, 0, ended)
        state.stack[C_ISSUED] += cost
        counts.line_stacks[np.uint64(first + 1), C_ISSUED] += cost
        following = now + cost
        state.charged = following
        state.free[MEMORY] = sms.state[sm].lsu
        if ready_at(state, following) != 0:
            state.next = following
            return
    sleep(schedulers, warps, sms, number, slots, sm)


@inlined
def run_sm(
    conf: Ints, run: Ints, code: Code, streams: Streams, warps: Warps, schedulers: Schedulers,
    sms: Sms, l1: Cache, l2: Cache, memory: Dram, counts: Counts, sm: int,
) -> bool:  # fmt: skip
    """An SM up to the end of the window; False if it wants a block that is not there yet."""
    state = sms.state[sm]
    count, limit = conf[SCHEDULERS], run[R_WINDOW]
    now = state.time
    if now < limit:
        for number in range(np.uint64(sm * count), np.uint64((sm + 1) * count)):
            ask_ahead(streams, schedulers, warps, number, conf[PER], limit - now)
    while now < limit:
        started = False
        while state.wanted > 0 and (run[R_NEXT] < run[R_END] or not run[R_FINISHED]):
            place = free_place(conf, sms, sm)
            if started or sms.blocks[sm, place].ends > now:
                break
            if run[R_NEXT] == run[R_END]:
                state.time = now
                return False
            place_block(
                conf, run, code, streams, warps, schedulers, sms, l2, memory, counts, sm, place,
                now, conf[BLOCK_START],
            )  # fmt: skip
            started = conf[ONE_START] > 0
        for number in range(np.uint64(sm * count), np.uint64((sm + 1) * count)):
            if schedulers.state[number].next <= now:
                step(
                    conf, run, code, streams, warps, schedulers, sms, l1, l2, memory, counts, sm,
                    number, now,
                )  # fmt: skip
        following = NEVER
        for number in range(np.uint64(sm * count), np.uint64((sm + 1) * count)):
            following = min(following, schedulers.state[number].next)
        if state.wanted > 0 and (run[R_NEXT] < run[R_END] or not run[R_FINISHED]):
            place = free_place(conf, sms, sm)
            following = min(following, sms.blocks[sm, place].ends)
        now = max(following, now + 1)
        if started:  # the others have their turn
            break
    state.time = now
    return True


@inlined
def fill(
    conf: Ints, run: Ints, code: Code, streams: Streams, warps: Warps, schedulers: Schedulers,
    sms: Sms, l2: Cache, memory: Dram, counts: Counts,
) -> bool:  # fmt: skip
    """The first blocks: one to each SM and cycle, in the order of their numbers. False if one is
    not there yet."""
    while run[R_FILL] < conf[SMS] * conf[BLOCKS]:
        if run[R_NEXT] == run[R_END]:
            return run[R_FINISHED] != 0
        sm = run[R_FILL] % conf[SMS]
        sms.state[sm].wanted += 1
        place_block(
            conf, run, code, streams, warps, schedulers, sms, l2, memory, counts, sm,
            free_place(conf, sms, sm), run[R_FILL] // conf[SMS], 0,
        )  # fmt: skip
        sms.state[sm].time = 0
        run[R_FILL] += 1
    return True


@uncounted
def simulate(
    conf: Ints, run: Ints, code: Code, streams: Streams, warps: Warps, schedulers: Schedulers,
    sms: Sms, l1: Cache, l2: Cache, memory: Dram, counts: Counts,
) -> int:  # fmt: skip
    """Run until blocks are wanting or all is done."""
    if not fill(conf, run, code, streams, warps, schedulers, sms, l2, memory, counts):
        return WAITING
    while True:
        if run[R_SM] == conf[SMS]:
            least = NEVER
            for sm in range(conf[SMS]):
                least = min(least, sms.state[sm].time)
            if least >= NEVER:
                return DONE
            if least > LATEST:
                return TOO_LONG
            run[R_WINDOW] = least + conf[QUANTUM]
            run[R_SM] = 0
            run[R_FIRST] = (run[R_FIRST] + 1) % conf[SMS]
        while run[R_SM] < conf[SMS]:
            if not run_sm(
                conf, run, code, streams, warps, schedulers, sms, l1, l2, memory, counts,
                (run[R_FIRST] + run[R_SM]) % conf[SMS],
            ):  # fmt: skip
                return WAITING
            run[R_SM] += 1

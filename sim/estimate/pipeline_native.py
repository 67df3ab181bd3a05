"""The warp pipeline of one SM, as native code: warps take operations, wait for results, for units
and for each other; the clock jumps from one issue to the next. Imported only where it runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, uncounted
from kcc.sim.estimate.pipeline_layout import (
    NEVER,
    Blocks,
    Flags,
    Floats,
    MemoryState,
    Numbers,
    Operations,
    Places,
    Run,
    Schedulers,
    Sm,
    Warps,
    Watch,
)
from kcc.sim.machine.costs import Unit
from kcc.sim.machine.fma_pipes import PIPES
from kcc.sim.program.operations import Memory

(
    ISSUE, ARITHMETIC, SHARED, L1, L2, DRAM, CONSTANT, BARRIER, UNIT, PORT, START, IDLE, REGISTERS,
) = range(13)  # fmt: skip
REASONS = (
    "issue", "arithmetic", "shared_memory", "l1", "l2", "dram", "constant", "barrier",
    "unit_busy", "memory_port", "block_start", "idle", "register_banks",
)  # fmt: skip
"""What a scheduler's cycles went into: issuing, or waiting for the result of arithmetic or of a
memory level, for a barrier, for a unit, for the load/store port, for a thread block to start in the
place of one that ended; idle once warps run out; waiting for registers of one bank."""

_XU, _MEMORY_UNIT, _FP64 = int(Unit.SFU), int(Unit.MEMORY), int(Unit.FP64)
_BARRIER_OPERATION, _GROUP = int(Memory.BARRIER), int(Memory.GROUP)
_SHARED_LOAD, _SHARED_STORE, _SHARED_ATOMIC, _SHUFFLE = (
    int(Memory.SHARED_LOAD), int(Memory.SHARED_STORE), int(Memory.SHARED_ATOMIC),
    int(Memory.SHUFFLE),
)  # fmt: skip
_GLOBAL_STORE, _GLOBAL_ATOMIC, _PRIVATE_STORE, _CONSTANT_LOAD = (
    int(Memory.GLOBAL_STORE), int(Memory.GLOBAL_ATOMIC), int(Memory.PRIVATE_STORE),
    int(Memory.CONSTANT_LOAD),
)  # fmt: skip
_MOSTLY = 0.5
_UNITS = PIPES


def run_sm(
    starts: Numbers, trace: Numbers, taken: Numbers, operations: Operations, sm: Sm,
    watched: Flags | None = None,
) -> Run:  # fmt: skip
    """Run the thread blocks of an SM; warp w of block b takes variant ``taken[b % len(taken), w]``,
    of which v is ``trace[starts[v]:starts[v + 1]]``, none of them empty. ``watched`` are some of
    the trace's operations."""
    sm = sm._replace(resident=min(sm.resident, sm.blocks))
    operations = _with_places(operations)
    count, number = sm.resident * sm.warps, len(operations.unit)
    results = int(operations.results.max()) + 1
    slots = np.arange(count, dtype=np.uint32)
    numbers = np.bincount(slots % sm.schedulers, minlength=sm.schedulers)
    order = np.arange(sm.schedulers * int(numbers[0]), dtype=np.uint32).reshape(-1, sm.schedulers)
    warps = Warps(
        np.zeros(count, np.uint32), np.zeros(count, np.uint32), np.full(count, NEVER),
        np.zeros(count, np.uint32), np.zeros(count, np.uint32), np.zeros(count, np.bool_),
        np.zeros((count, results)), np.zeros((count, results), np.uint8), np.zeros(count, np.int64),
        slots % np.uint32(sm.schedulers), slots // np.uint32(sm.warps),
        np.ascontiguousarray(order.T), numbers,
    )  # fmt: skip
    units = (sm.schedulers, _UNITS)
    schedulers = Schedulers(
        np.zeros(sm.schedulers), np.zeros(units), np.zeros(units),
        np.zeros(sm.schedulers, np.int64), np.full(sm.schedulers, NEVER),
        np.full(sm.schedulers, -1),
    )  # fmt: skip
    progress = np.tile(1.0 - operations.misses, (count, 1))
    memory = MemoryState(
        np.zeros(3), np.zeros(number), np.zeros(number), np.zeros(number),
        np.zeros(number, np.int8), progress,
    )  # fmt: skip
    blocks = Blocks(
        np.zeros(sm.resident, np.int64), np.zeros(sm.resident, np.int64), np.zeros(sm.blocks)
    )
    spent = np.zeros(len(REASONS))
    watch = _unseen(np.zeros(2))
    if watched is None:
        watched = np.zeros(len(trace), np.bool_)
    else:
        watch = _watch(starts, taken, watched, sm)
    last = _loop(
        _unsigned(np.stack((starts[taken], starts[taken + 1]), axis=2)), _unsigned(trace), watched,
        operations, sm, warps, schedulers, memory, blocks, watch, spent,
    )  # fmt: skip
    _, l2_free, dram_free = memory.free
    total = max(last, l2_free, dram_free)
    if total > last:
        spent[DRAM if dram_free >= l2_free else L2] += (total - last) * sm.schedulers
    spent[IDLE] = max(total * sm.schedulers - (spent.sum() - spent[IDLE]), 0.0)
    steady = np.maximum(watch.spent[1] - watch.spent[0], 0.0)
    middle = float(watch.when[1] - watch.when[0])
    part = float(watch.issued[1] - watch.issued[0]) / max(float(watch.so_far[0]), 1.0)
    own = float(watch.slots[1] - watch.slots[0]) / max(float(steady[ISSUE]), 1e-9)
    return Run(float(total), spent, blocks.started, middle, part, steady, min(own, 1.0))


def _unsigned(numbers: Numbers) -> Places:
    """The same numbers, none of which is negative."""
    return numbers.view(np.uint32)


def _with_places(operations: Operations) -> Operations:
    """The operations, with what native code finds others by as it wants it."""
    return operations._replace(
        need_starts=_unsigned(operations.need_starts), needs=_unsigned(operations.needs),
        unit=_unsigned(operations.unit), memory=_unsigned(operations.memory),
        same=_unsigned(operations.same), results=_unsigned(operations.results),
    )  # fmt: skip


def _watch(starts: Numbers, taken: Numbers, watched: Flags, sm: Sm) -> Watch:
    """For all that is watched: that of each variant, as often as it runs."""
    ran = taken[np.arange(sm.blocks) % len(taken), : sm.warps]
    runs = np.bincount(ran.ravel(), minlength=len(starts))
    before = np.concatenate(([0], np.cumsum(watched)))[starts]
    number = float((np.diff(before) * runs[:-1]).sum())
    return _unseen(np.ceil([0.25 * number, 0.75 * number]))


def _unseen(marks: Floats) -> Watch:
    so_far, when, issued, slots = (np.zeros(2) for _ in range(4))
    return Watch(marks, so_far, when, issued, slots, np.zeros((2, len(REASONS))))


@uncounted
def _loop(
    ends: Places,
    trace: Places,
    watched: Flags,
    operations: Operations,
    sm: Sm,
    warps: Warps,
    schedulers: Schedulers,
    memory: MemoryState,
    blocks: Blocks,
    watch: Watch,
    spent: Floats,
) -> float:
    """Issue operations until no thread block is left; gives the last cycle of a scheduler. Warps
    w of thread blocks b have the part ``ends[b % len(ends), w]`` of the trace."""
    last = 0.0
    for block in range(sm.resident):
        _launch(block, block, -1.0, ends, trace, operations.unit, sm, warps, blocks)
    launched, alive, port = sm.resident, sm.resident, memory.free[0] - sm.queue
    for s in range(sm.schedulers):
        _choose(s, warps, schedulers, port)
    while alive > 0:
        first, start = _first(sm, schedulers)
        if start >= NEVER:
            break
        slot: Any = np.uint32(first)
        o = trace[warps.place[slot]]
        _account(slot, start, o, sm, operations, warps, schedulers, spent)
        if watched[warps.place[slot]]:
            _note(start, float(operations.slots[o]), watch, spent)
        scheduler, now = warps.scheduler[slot], start + float(operations.held[o])
        schedulers.free[scheduler] = now
        if sm.greedy:
            schedulers.stays[scheduler] = first
        last = max(last, now)
        unit, done, cause = operations.unit[o], start + float(operations.latency[o]), ARITHMETIC
        until = -1.0
        if unit == _MEMORY_UNIT:
            done, cause = _access(o, operations.same[o], slot, start, operations, sm, warps, memory)
            until = port = memory.free[0] - sm.queue
        elif sm.one_fp64 and unit == _FP64:
            begin = max(start, schedulers.unit_free[0, unit])
            done = float(begin + operations.latency[o])
            until = float(begin + operations.busy[o] / sm.schedulers)
            schedulers.unit_free[0, unit] = until
            schedulers.taken[:, unit] = until
        else:
            begin = max(start, schedulers.unit_free[scheduler, unit])
            done = float(begin + operations.latency[o])
            schedulers.unit_free[scheduler, unit] = begin + operations.busy[o]
            ahead = sm.xu_queue if unit == _XU else 0.0
            schedulers.taken[scheduler, unit] = begin + operations.busy[o] - ahead
        if operations.memory[o] == _GROUP:
            for i in range(operations.need_starts[o], operations.need_starts[o + 1]):
                n = operations.needs[i]
                if warps.known[slot, n] > done:
                    done, cause = float(warps.known[slot, n]), warps.source[slot, n]
        number = operations.results[o]
        warps.known[slot, number], warps.source[slot, number] = done, cause
        block = warps.block[slot]
        if operations.memory[o] == _BARRIER_OPERATION:
            warps.waiting[slot] = True
            blocks.arrived[block] += 1
        warps.place[slot] += 1
        concerns_all = False
        if warps.place[slot] < warps.end[slot]:
            warps.asks[slot] = operations.unit[trace[warps.place[slot]]]
            if warps.waiting[slot]:
                warps.ready[slot] = NEVER
            else:
                _wait(slot, now, trace, operations, warps)
        else:
            last = max(last, done)
            _end(slot, block, warps, blocks)
            if blocks.left[block] == 0:
                if 0.0 < 1.5 * watch.marks[0] <= watch.so_far[0] and watch.issued[1] == 0.0:
                    _mark(1, now, spent, watch)
                if launched < sm.blocks:
                    if watch.marks[1] == 0.0 and launched >= 2 * sm.resident - 1:
                        _mark(min(launched - 2 * sm.resident + 1, 1), now, spent, watch)
                    _launch(block, launched, now, ends, trace, operations.unit, sm, warps, blocks)
                    concerns_all = True
                    launched += 1
                    if sm.starts_only and launched == sm.blocks:
                        return last
                else:
                    alive -= 1
        if blocks.left[block] > 0 and blocks.arrived[block] >= blocks.left[block]:
            _release(block, now, trace, operations, sm, warps, blocks)
            concerns_all = True
        _choose(scheduler, warps, schedulers, port)
        if concerns_all or until > 0.0:
            for s in range(sm.schedulers):
                if concerns_all or _is_too_early(s, warps, schedulers, unit, until):
                    _choose(s, warps, schedulers, port)
    return last


@inlined
def _note(start: float, slots: float, watch: Watch, spent: Floats) -> None:
    """A watched operation is issued."""
    watch.so_far[0] += 1.0
    watch.so_far[1] += slots
    for end in range(2):
        if watch.so_far[0] == watch.marks[end] and watch.issued[end] == 0.0:
            _mark(end, start, spent, watch)


@inlined
def _mark(end: int, now: float, spent: Floats, watch: Watch) -> None:
    """Here the middle begins, or ends."""
    watch.when[end], watch.issued[end], watch.slots[end] = now, watch.so_far[0], watch.so_far[1]
    for reason in range(len(spent)):
        watch.spent[end, reason] = spent[reason]


@inlined
def _launch(
    place: int,
    number: int,
    now: float,
    ends: Places,
    trace: Places,
    unit: Places,
    sm: Sm,
    warps: Warps,
    blocks: Blocks,
) -> None:
    """Put thread block ``number`` in a place of the SM; before all (-1) the first ones."""
    turn = number % len(ends)
    for w in range(sm.warps):
        slot: Any = np.uint32(place * sm.warps + w)
        warps.place[slot], warps.end[slot] = ends[turn, w, 0], ends[turn, w, 1]
        warps.asks[slot] = unit[trace[ends[turn, w, 0]]]
        warps.ready[slot] = now + sm.block_start if now >= 0.0 else 0.0
        warps.why[slot] = START if now >= 0.0 else IDLE
        warps.waiting[slot] = False
        if sm.greedy:
            _put_first(slot, warps)
        warps.known[slot, :] = 0.0
        warps.reads[slot] = 0
    blocks.left[place], blocks.arrived[place] = sm.warps, 0
    blocks.started[number] = max(now, 0.0)


@inlined
def _put_first(slot: Places, warps: Warps) -> None:
    """Put a warp in front of the others of its scheduler."""
    order, place = warps.order[warps.scheduler[slot]], 0
    while order[place] != slot:
        place += 1
    for each in range(place, 0, -1):
        order[each] = order[each - 1]
    order[0] = slot


@inlined
def _first(sm: Sm, schedulers: Schedulers) -> tuple[int, float]:
    """The warp that can issue first, the one before others that can at the same time, and when."""
    slot, start = schedulers.first[0], schedulers.when[0]
    for s in range(1, sm.schedulers):
        other, when = schedulers.first[s], schedulers.when[s]
        earlier = (when < start) | ((when == start) & (other < slot))
        slot = other if earlier else slot
        start = when if earlier else start
    return slot, start


@inlined
def _choose(scheduler: int, warps: Warps, schedulers: Schedulers, port: float) -> None:
    """Find the warp of a scheduler that can issue first: once it is ready, the scheduler is free,
    and its unit or the port, which takes operations from ``port`` on, takes the operation. That
    which it stays with, at once if that is now; the others in their order and without branches,
    which nobody could predict."""
    start, best = NEVER, np.uint32(schedulers.first[scheduler])
    free, taken = schedulers.free[scheduler], schedulers.taken[scheduler]
    stays = schedulers.stays[scheduler]
    taken[_MEMORY_UNIT] = port
    if stays >= 0:
        slot = np.uint32(stays)
        start = max(warps.ready[slot], free, taken[warps.asks[slot]])
        best = slot
        if start == free:
            schedulers.first[scheduler], schedulers.when[scheduler] = best, start
            return
    order = warps.order[scheduler]
    for each in range(warps.number[scheduler]):
        slot = order[each]
        at = max(warps.ready[slot], free, taken[warps.asks[slot]])
        earlier = at < start
        best = slot if earlier else best
        start = at if earlier else start
    schedulers.first[scheduler], schedulers.when[scheduler] = best, start


@inlined
def _is_too_early(
    scheduler: int, warps: Warps, schedulers: Schedulers, unit: Places, until: float
) -> bool:
    """Whether the warp that a scheduler has chosen asks for a unit of all before it takes
    operations again (the port, for one)."""
    asks = warps.asks[np.uint32(schedulers.first[scheduler])]
    return schedulers.when[scheduler] < until and asks == unit


@inlined
def _account(
    slot: int,
    start: float,
    o: int,
    sm: Sm,
    operations: Operations,
    warps: Warps,
    schedulers: Schedulers,
    spent: Floats,
) -> None:
    """What the scheduler's cycles up to the end of this issue went into. The start of a thread
    block takes so long and no longer: before it was launched others were waited for."""
    gap = start - schedulers.free[warps.scheduler[slot]]
    if gap > 0:
        if warps.ready[slot] >= start:
            if warps.why[slot] == START and gap > sm.block_start:
                spent[_meanwhile(warps.scheduler[slot], warps)] += gap - sm.block_start
                gap = sm.block_start
            spent[warps.why[slot]] += gap
        elif operations.unit[o] == _MEMORY_UNIT:
            spent[PORT] += gap
        else:
            spent[UNIT] += gap
    spent[ISSUE] += operations.slots[o]
    spent[REGISTERS] += operations.held[o] - operations.slots[o]


@uncounted
def _meanwhile(scheduler: int, warps: Warps) -> int:
    """What the warps of a scheduler wait for, but for those that start: that which comes next."""
    soonest, why = NEVER, IDLE
    for slot in range(len(warps.ready)):
        if warps.scheduler[slot] == scheduler and warps.why[slot] != START:
            if warps.ready[slot] < soonest:
                soonest, why = warps.ready[slot], int(warps.why[slot])
            elif warps.waiting[slot] and why == IDLE:
                why = BARRIER
    return why


@inlined
def _access(
    o: int,
    same: int,
    slot: int,
    start: float,
    operations: Operations,
    sm: Sm,
    warps: Warps,
    memory: MemoryState,
) -> tuple[float, int]:
    """When a memory operation, the ``same`` in all iterations, has its result, and from where;
    takes the port, L2 and DRAM."""
    free = memory.free
    served = max(start, free[0]) + operations.port[o]
    free[0] = served
    kind = operations.memory[o]
    if kind in (_SHARED_LOAD, _SHARED_ATOMIC, _SHUFFLE):
        return served + sm.shared_latency, SHARED
    if kind == _CONSTANT_LOAD:
        return served + sm.constant_latency, CONSTANT
    if kind == _SHARED_STORE:
        return served, SHARED
    if kind in (_GLOBAL_STORE, _PRIVATE_STORE):
        free[1] = max(free[1], served) + operations.write_sectors[o] * operations.l2_cycles[o]
        free[2] = max(free[2], served) + operations.dram_sectors[o] * sm.dram_cycles
        return served, L2
    done, cause = served + sm.l1_latency, L1
    at_once = operations.misses[o]
    if at_once > 0.0:
        memory.progress[slot, same] += at_once
        if memory.progress[slot, same] < 1.0 - 1e-9:
            return done, cause
        memory.progress[slot, same] -= 1.0
        memory.credit_l2[same] += operations.l2_sectors[o] / at_once
        memory.credit_dram[same] += operations.dram_sectors[o] / at_once
        whole = 1.0
    else:
        whole = operations.sectors[o]
        memory.credit_l2[same] += operations.l2_sectors[o]
        memory.credit_dram[same] += operations.dram_sectors[o]
    asked_l2 = _due(memory.credit_l2[same], whole)
    if asked_l2 > 0:
        memory.credit_l2[same] -= asked_l2
        free[1] = max(free[1], served) + asked_l2 * operations.l2_cycles[o]
        longer = operations.pending[o] * (sm.dram_latency + sm.dram_wait - sm.l2_latency)
        done, cause = max(free[1], served) + sm.l2_latency + longer, L2
        if operations.pending[o] > _MOSTLY:
            cause = DRAM
    asked = _due(memory.credit_dram[same], whole)
    if asked > 0:
        memory.credit_dram[same] -= asked
        free[2] = max(free[2], served) + asked * sm.dram_cycles
        lines = max(int(asked / 4.0 + 0.5), 1)
        warps.reads[slot] += lines
        wait = sm.dram_wait * _longest(warps.reads[slot]) / _longest(lines)
        late = max(free[1], free[2]) + sm.dram_latency + wait - sm.l1_latency
        if late > done:
            done, cause = late, DRAM
    if asked_l2 > 0:
        memory.arrives[same], memory.level[same] = done, cause
    elif memory.arrives[same] > done:
        done, cause = memory.arrives[same], int(memory.level[same])
    if kind == _GLOBAL_ATOMIC:
        return max(done, served + sm.atomic_latency), L2
    return done, cause


@inlined
def _longest(count: int) -> float:
    """The longest of so many waits over the mean wait, in the mean: of exponential ones the
    harmonic number (of many its asymptote, Euler's constant and a term beyond)."""
    if count > 16:
        return float(np.log(count) + 0.5772156649 + 0.5 / count)
    total = 0.0
    for i in range(1, count + 1):
        total += 1.0 / i
    return total


@inlined
def _due(credit: float, whole: float) -> float:
    """The sectors that an access asks for of those that are owed: ``whole`` parts of them. Where
    some of an access's sectors are missed in the mean, it is because one brings what others
    find."""
    part = max(whole, 1.0)
    return np.floor(credit / part + 1e-9) * part


@inlined
def _end(slot: int, block: int, warps: Warps, blocks: Blocks) -> None:
    """A warp is through; who waits at a barrier no longer waits for it."""
    if warps.waiting[slot]:
        warps.waiting[slot] = False
        blocks.arrived[block] -= 1
    warps.ready[slot] = NEVER
    blocks.left[block] -= 1


@inlined
def _release(
    block: int,
    now: float,
    trace: Places,
    operations: Operations,
    sm: Sm,
    warps: Warps,
    blocks: Blocks,
) -> None:
    """All warps of a thread block have come to the barrier."""
    for slot in range(block * sm.warps, (block + 1) * sm.warps):
        if warps.waiting[slot]:
            warps.waiting[slot] = False
            _wait(slot, now + sm.barrier_latency, trace, operations, warps)
            if warps.why[slot] == ISSUE:
                warps.why[slot] = BARRIER
    blocks.arrived[block] = 0


@inlined
def _wait(slot: int, now: float, trace: Places, operations: Operations, warps: Warps) -> None:
    """When a warp can issue its next operation, and what it waits for until then."""
    o = trace[warps.place[slot]]
    at, cause = now, ISSUE
    if operations.memory[o] == _GROUP:  # waits for nothing itself
        warps.ready[slot], warps.why[slot] = now, ISSUE
        return
    for i in range(operations.need_starts[o], operations.need_starts[o + 1]):
        n = operations.needs[i]
        if warps.known[slot, n] > at:
            at, cause = warps.known[slot, n], warps.source[slot, n]
    if cause == DRAM:
        warps.reads[slot] = 0
    warps.ready[slot], warps.why[slot] = at, cause

"""The warps of the cycle-level model, compiled by numba: what they execute next and when its
operands are there. Import it lazily."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, prefetch
from kcc.sim.cycle.layout import (
    CAUSE_BITS,
    NOT_YET,
    QUEUE_BITS,
    TIME_SHIFT,
    Cause,
    Code,
    Conf,
    Counts,
    Kind,
    Run,
    Schedulers,
    Sms,
    Stat,
    Streams,
    Warps,
)
from kcc.sim.cycle.waking_native import set_waiting, warp_of

Ints = Any

SCHEDULERS, PER, WARPS, BARRIER_LATENCY = (
    int(Conf.SCHEDULERS), int(Conf.PER_SCHEDULER), int(Conf.WARPS), int(Conf.BARRIER_LATENCY),
)  # fmt: skip
K_FENCE, K_GROUP = int(Kind.FENCE), int(Kind.GROUP)
C_FENCE = int(Cause.FENCE)
R_NEXT, R_DISPATCHED, R_RETIRED = int(Run.NEXT_BLOCK), int(Run.DISPATCHED), int(Run.RETIRED)
S_RESIDENT = int(Stat.WARP_CYCLES)

ROWS_AHEAD = ACCESSES_AHEAD = 8
"""In a line of the host's cache: the next one is asked for in time."""

MOST_QUEUED = (1 << QUEUE_BITS) - 1
CAUSES_MASK = (1 << CAUSE_BITS) - 1


@inlined
def key_of(time: int, queued: int, cause: int) -> int:
    """A time with what of it was queueing and its cause."""
    return min(time, NOT_YET) << TIME_SHIFT | min(queued, MOST_QUEUED) << CAUSE_BITS | cause


@inlined
def cause_of(key: int) -> int:
    """The cause in a key."""
    return key & CAUSES_MASK


@inlined
def base_of(key: int) -> int:
    """The time in a key without its queueing."""
    return (key >> TIME_SHIFT) - ((key >> CAUSE_BITS) & MOST_QUEUED)


@inlined
def rename(code: Code, warps: Warps, warp: int, first: int, end: int, block: int) -> None:
    """The phis ``first`` to ``end``, all at once, for a warp that comes from ``block``. Where none
    is for that block (lanes that come together from several), they wait for all."""
    known = False
    for number in range(first, end):
        known = known or code.copies[number].block == block
    for number in range(first, end):
        copy = code.copies[number]
        if not known or copy.block == block:
            latest: Any = 0
            for place in range(copy.first_source, copy.end_source):
                latest = max(latest, warps.values[warp, code.sources[place]])
            warps.scratch[number - first] = latest
    for number in range(first, end):
        copy = code.copies[number]
        if copy.block == block:
            warps.values[warp, copy.result] = warps.scratch[number - first]
        elif not known:
            latest = 0
            for other in range(first, end):
                if code.copies[other].result == copy.result:
                    latest = max(latest, warps.scratch[other - first])
            warps.values[warp, copy.result] = latest


@inlined
def advance(code: Code, streams: Streams, warps: Warps, warp: int, now: int) -> bool:
    """Go to the warp's next operation, which can issue at ``now`` or when its operands are there.
    False at the end of its stream."""
    state = warps.state[warp]
    op = state.op
    while op == state.end_op or code.ops[op].kind == K_GROUP:
        if op != state.end_op:
            warps.values[warp, code.ops[op].result] = latest_operand(code, warps, warp, op)
            op += 1
            continue
        row = state.row + 1
        if row == state.end_row:
            return False
        state.row = row
        run = streams.rows[np.uint64(row)]
        segment, last = code.segments[run.segment], code.segments[run.last]
        prefetch(streams.rows, row + ROWS_AHEAD)
        op = segment.first
        state.end_op = last.end
        state.access = run.access
        if segment.first_copy < segment.end_copy:
            rename(code, warps, warp, segment.first_copy, segment.end_copy, state.from_block)
        state.from_block = last.block
    state.op = op
    if code.ops[op].has_access:
        prefetch(streams.accesses, state.access + ACCESSES_AHEAD)
        prefetch(streams.transactions, streams.accesses[state.access].first)
    state.unit = code.ops[op].unit
    look_for_operands(code, warps, warp, now)
    return True


@inlined
def latest_operand(code: Code, warps: Warps, warp: Any, op: Any) -> Any:
    """When the last operand of an operation is there, as a key."""
    operation, values = code.ops[op], warps.values[warp]
    first, second = values[operation.first], values[operation.second]
    wait = max(first, second, values[operation.third], values[operation.fourth])
    for place in range(operation.more, operation.end_more):
        wait = max(wait, values[code.sources[place]])
    return wait


@inlined
def look_for_operands(code: Code, warps: Warps, warp: Any, now: int) -> None:
    """When the operands of a warp's operation are there, and it can issue: not before ``now``."""
    state = warps.state[warp]
    operation = code.ops[state.op]
    wait = latest_operand(code, warps, warp, state.op)
    if operation.kind == K_FENCE:
        wait = max(wait, key_of(state.after, 0, C_FENCE))
    state.wait = wait
    state.wake = max(wait >> TIME_SHIFT, now)


@inlined
def release(
    conf: Ints, schedulers: Schedulers, warps: Warps, sm: int, place: int, now: int
) -> None:
    """The block's barrier is complete: its warps go on at ``now`` or when their operands are
    there."""
    count, slots = conf[SCHEDULERS], conf[PER]
    for own in range(conf[WARPS]):
        at = place * conf[WARPS] + own
        number, slot = sm * count + at % count, at // count
        its = schedulers.state[number]
        if (its.at_barrier >> slot) & 1:
            its.at_barrier &= ~(1 << slot)
            warp = warps.state[warp_of(number, slots, slot)]
            warp.wake = max(warp.wait >> TIME_SHIFT, now)
            set_waiting(schedulers, warps, number, slot, slots, 0)
            its.next = min(its.next, max(warp.wake, its.charged))


@inlined
def leave(
    conf: Ints, run: Ints, schedulers: Schedulers, warps: Warps, sms: Sms, counts: Counts,
    sm: int, place: int, now: int,
) -> None:  # fmt: skip
    """A warp of the block is at a barrier or its end at ``now``: the block may be, too."""
    block = sms.blocks[sm, place]
    if block.alive == 0:
        sms.state[sm].wanted += 1
        run[R_RETIRED] += 1
        if block.number < counts.log.shape[0]:
            counts.log[block.number, 2] = block.ends
    elif block.at_barrier == block.alive:
        block.at_barrier = 0
        release(conf, schedulers, warps, sm, place, now + 1 + conf[BARRIER_LATENCY])

"""Where thread blocks go, compiled by numba. Import it lazily."""

from __future__ import annotations

from typing import Any

from kcc.base.native import inlined
from kcc.sim.cycle.layout import (
    NEVER,
    Cache,
    Cause,
    Code,
    Conf,
    Counts,
    Dram,
    Run,
    Schedulers,
    Sms,
    Stat,
    Streams,
    Warps,
)
from kcc.sim.cycle.read_only_native import fetch
from kcc.sim.cycle.waking_native import set_waiting, warp_of
from kcc.sim.cycle.warp_native import advance, key_of

Ints = Any

SCHEDULERS, PER, WARPS = int(Conf.SCHEDULERS), int(Conf.PER_SCHEDULER), int(Conf.WARPS)
BLOCKS = int(Conf.BLOCKS)
R_NEXT, R_DISPATCHED, R_RETIRED = int(Run.NEXT_BLOCK), int(Run.DISPATCHED), int(Run.RETIRED)
S_RESIDENT = int(Stat.WARP_CYCLES)
C_LAUNCH = int(Cause.LAUNCH)


@inlined
def free_place(conf: Ints, sms: Sms, sm: int) -> int:
    """Of the places of an SM without a block that runs, the one whose last block ends first."""
    place, soonest = 0, NEVER
    for each in range(conf[BLOCKS]):
        block = sms.blocks[sm, each]
        if block.alive == 0 and block.ends < soonest:
            place, soonest = each, block.ends
    return place


@inlined
def place_block(
    conf: Ints, run: Ints, code: Code, streams: Streams, warps: Warps, schedulers: Schedulers,
    sms: Sms, l2: Cache, memory: Dram, counts: Counts, sm: int, place: int,
    now: int, delay: int,
) -> None:  # fmt: skip
    """The pool's next block goes to a place of the SM, and starts ``delay`` cycles later."""
    block = sms.blocks[sm, place]
    chosen, number = run[R_NEXT], run[R_DISPATCHED]
    run[R_NEXT] += 1
    run[R_DISPATCHED] += 1
    sms.state[sm].wanted -= 1
    count, slots = conf[SCHEDULERS], conf[PER]
    alive = 0
    for own in range(conf[WARPS]):
        if streams.pool[chosen, own, 0] == streams.pool[chosen, own, 1]:
            continue
        at = place * conf[WARPS] + own
        scheduler, slot = sm * count + at % count, at // count
        warp = warp_of(scheduler, slots, slot)
        state = warps.state[warp]
        state.row, state.end_row = streams.pool[chosen, own, 0] - 1, streams.pool[chosen, own, 1]
        state.op = state.end_op = 0
        state.place, state.from_block = place, -1
        state.age = number * conf[WARPS] + own
        state.after = state.ends = 0
        state.line = 0
        warps.values[warp, :] = 0
        if not advance(code, streams, warps, warp, now + delay):
            state.row = state.end_row = -1
            continue
        if code.ops[state.op].line != 0:
            fetch(conf, code, warps, sms, l2, memory, counts, sm, warp, now + delay)
        if delay > 0:
            state.wait = max(state.wait, key_of(now + delay, 0, C_LAUNCH))
        alive += 1
        set_waiting(schedulers, warps, scheduler, slot, slots, 0)
        its = schedulers.state[scheduler]
        its.live += 1
        its.next = min(its.next, max(now, its.charged))
    counts.stats[S_RESIDENT] -= now * alive
    block.alive, block.at_barrier, block.number, block.ends = alive, 0, number, now
    if number < counts.log.shape[0]:
        log = counts.log[number]
        log[0], log[1], log[3] = sm, now + delay, place
    if alive == 0:
        sms.state[sm].wanted += 1
        run[R_RETIRED] += 1

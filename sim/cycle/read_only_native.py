"""The caches of instructions and of constants of an SM, compiled by numba. Import it lazily.

What they do not hold comes from L2, line by line, as data do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined
from kcc.sim.cycle.layout import (
    ABSENT,
    WAY_BITS,
    Cache,
    Cause,
    Code,
    Conf,
    Counts,
    Dram,
    Sms,
    Stat,
    Streams,
    Warps,
)
from kcc.sim.cycle.memory_native import (
    find_line,
    home_of,
    read_level2,
    request,
    take_line,
)
from kcc.sim.cycle.warp_native import key_of
from kcc.sim.machine.l1_sets_native import set_of

Ints = Any

SECTORS, L2_SETS = int(Conf.SECTORS), int(Conf.L2_SETS)
REQUEST_CYCLES, REQUEST_MORE = int(Conf.REQUEST_CYCLES), int(Conf.REQUEST_MORE)
FETCH_SETS, FETCH_WAYS, CODE_LINE = (
    int(Conf.FETCH_SETS), int(Conf.FETCH_WAYS), int(Conf.CODE_LINE),
)  # fmt: skip
CONSTANT_SETS, CONSTANT_WAYS = int(Conf.CONSTANT_SETS), int(Conf.CONSTANT_WAYS)
S_FETCHES, S_FETCH_MISSES, S_CONSTANTS, S_CONSTANT_MISSES = (
    int(Stat.FETCHES), int(Stat.FETCH_MISSES), int(Stat.CONSTANT_LINES), int(Stat.CONSTANT_MISSES),
)  # fmt: skip
C_FETCH, C_CONSTANT = int(Cause.FETCH), int(Cause.CONSTANT)


@inlined
def look_up(
    conf: Ints, sms: Sms, cache: Cache, l2: Cache, memory: Dram, stats: Ints, sm: int, sets: int,
    ways: int, line: int, mask: Any, now: int,
) -> tuple[int, int, int, int]:  # fmt: skip
    """Sectors of a line that are wanted at ``now``: when all are there, what of that is queueing,
    the level of the slowest (0: all were there), and how many were missing."""
    first = (sm * sets + set_of(line, sets)) * ways
    entry, had = find_line(cache.order, first, ways, line)
    own = cache.lines[np.uint64(entry)]
    if had >> WAY_BITS != line:
        for sector in range(np.uint64(conf[SECTORS])):
            own[sector] = ABSENT
    done: Any = now
    queued, level, missed = 0, 0, 0
    place: Any = -1
    known = False
    unit, begin = home_of(conf, line)
    for sector in range(conf[SECTORS]):
        if (mask >> sector) & 1 == 0:
            continue
        at = np.uint64(sector)
        ready: Any = np.int64(own[at])
        beyond, came = 0, 0
        if ready == ABSENT:
            cycles = conf[REQUEST_MORE] if missed > 0 else conf[REQUEST_CYCLES]
            missed += 1
            served, waited = request(conf, sms, memory, sm, unit, now, cycles, 1)
            if place < 0 and conf[L2_SETS] > 0:
                place, known = take_line(conf, l2, memory, stats, unit, begin, line, served)
            ready, beyond, came = read_level2(
                conf, sms, l2, memory, stats, sm, unit, place, line, sector, served, known
            )
            beyond += waited
            own[at] = ready
        if ready > done:
            done, queued, level = ready, beyond, came
    return done, queued, level, missed


@inlined
def fetch(
    conf: Ints, code: Code, warps: Warps, sms: Sms, l2: Cache, memory: Dram, counts: Counts,
    sm: int, warp: int, now: int,
) -> None:  # fmt: skip
    """The warp has come at ``now`` to an operation in another line of the code: it waits until
    all of that is in the instruction cache."""
    state, stats = warps.state[warp], counts.stats
    operation = code.ops[state.op]
    first = np.int64(operation.line)
    last = first + np.int64(operation.more_lines)
    wait: Any = 0
    for line in range(first, last + 1):
        done, queued, _, missed = look_up(
            conf, sms, sms.instructions, l2, memory, stats, sm, conf[FETCH_SETS],
            conf[FETCH_WAYS], conf[CODE_LINE] + line, (1 << conf[SECTORS]) - 1, now,
        )  # fmt: skip
        stats[S_FETCHES] += 1
        stats[S_FETCH_MISSES] += missed
        if done > now:
            wait = max(wait, key_of(done, queued, C_FETCH))
            state.wake = max(np.int64(state.wake), done)
    state.line = last
    state.wait = max(state.wait, wait)


@inlined
def load_constants(
    conf: Ints, streams: Streams, sms: Sms, l2: Cache, memory: Dram, counts: Counts, first: int,
    count: int, sm: int, latency: int, now: int,
) -> tuple[int, int, int, int]:  # fmt: skip
    """A load of constants at ``now``: when all its data are there, what of that is queueing, the
    cause, and its passes: a word each."""
    stats = counts.stats
    passes: Any = max(np.int64(streams.transactions[first].weight), 1) if count > 0 else 1
    done, queued, cause = now + latency + passes - 1, 0, C_CONSTANT
    for number in range(first, first + count):
        line = streams.transactions[number].line
        mask = np.int64(streams.transactions[number].sectors)
        ready, beyond, came, missed = look_up(
            conf, sms, sms.constants, l2, memory, stats, sm, conf[CONSTANT_SETS],
            conf[CONSTANT_WAYS], line, mask, now,
        )  # fmt: skip
        stats[S_CONSTANTS] += 1
        stats[S_CONSTANT_MISSES] += missed
        if ready > done:
            done, queued, cause = ready, beyond, came if came > 0 else C_CONSTANT
    return done, queued, cause, passes

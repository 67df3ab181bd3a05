"""Register banks and operand collectors of a scheduler, compiled by numba. Import it lazily.

An instruction holds a collector from its issue until its registers are read. Reads go ahead of each
other where their banks have room, results come back to theirs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, trailing_zeros
from kcc.sim.cycle.layout import BANK_PORTS, BANK_STEPS, Conf, Schedulers

Ints = Any

BANKS, COLLECTORS = int(Conf.REGISTER_BANKS), int(Conf.COLLECTORS)
FIELD = np.uint64(15)


@inlined
def take_step(mask: int, first: int) -> tuple[int, int]:
    """The first step from ``first`` on in which a bank is free, and the mask with that taken.
    What lies too far ahead is not kept."""
    step = first + trailing_zeros(~(mask >> first))
    return (step, mask | 1 << step) if step < BANK_STEPS else (step, mask)


@inlined
def collector_free(conf: Ints, schedulers: Schedulers, number: int) -> int:
    """The first cycle in which a collector of the scheduler is free."""
    soonest = schedulers.collectors[number, 0]
    for each in range(1, conf[COLLECTORS]):
        soonest = min(soonest, schedulers.collectors[number, each])
    return soonest


@inlined
def collect(
    conf: Ints, schedulers: Schedulers, number: int, reads: Any, writes: int, latency: int,
    now: int,
) -> int:  # fmt: skip
    """An instruction that issues at ``now`` reads its registers and writes its result: cycles that
    this takes beyond what it would take alone."""
    state, banks = schedulers.state[number], schedulers.banks[number]
    passed = (now - state.collected) * BANK_PORTS
    state.collected = now
    end: Any = 0
    alone: Any = 0
    for bank in range(conf[BANKS]):
        mask = banks[bank] >> passed if passed < BANK_STEPS else 0
        count: Any = np.int64(reads >> np.uint64(4 * bank) & FIELD)
        for _ in range(count):
            step, mask = take_step(mask, 0)
            end = max(end, step + 1)
        alone = max(alone, count)
        banks[bank] = mask
    extra = (end - alone + BANK_PORTS - 1) // BANK_PORTS
    first = (latency + extra - 1) * BANK_PORTS
    if writes > 0 and first < BANK_STEPS:
        _, banks[writes - 1] = take_step(banks[writes - 1], first)
    place = 0
    for each in range(1, conf[COLLECTORS]):
        if schedulers.collectors[number, each] < schedulers.collectors[number, place]:
            place = each
    schedulers.collectors[number, place] = now + (end + BANK_PORTS) // BANK_PORTS
    return extra

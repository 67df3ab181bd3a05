"""Register banks and operand collectors of a scheduler, compiled by numba. Import it lazily.

An instruction goes from its unit's issue register to a collector, which holds it until its
registers are read (of each bank one in a step) and the unit takes it; so the next one for the unit
issues when a collector has taken this one. Of those for one unit that are ready the first
collector's goes on first, so that a newer instruction can overtake: then the older one's result
comes later than was said when it issued. Results come back to their bank in the first step of a
cycle; those of global memory take no step here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, trailing_zeros
from kcc.sim.cycle.layout import (
    BANK_STEPS,
    ISSUE_TO_BEGIN,
    STEPS,
    TIME_SHIFT,
    Code,
    Conf,
    Schedulers,
    Warps,
)
from kcc.sim.cycle.warp_native import look_for_operands

Ints = Any

BANKS, COLLECTORS = int(Conf.REGISTER_BANKS), int(Conf.COLLECTORS)
FIELD = np.uint64(15)


@inlined
def take_step(mask: int, first: int) -> tuple[int, int]:
    """The first step from ``first`` on in which a bank is free, and the mask with that taken.
    What lies too far ahead is not kept."""
    if first >= BANK_STEPS:
        return first, mask
    step = first + trailing_zeros(~(mask >> first))
    return (step, mask | 1 << step) if step < BANK_STEPS else (step, mask)


@inlined
def read_registers(
    conf: Ints, schedulers: Schedulers, number: int, reads: Any, taken: int, now: int
) -> int:
    """The step from which the registers of an instruction are read that is in a collector since
    the step ``taken``."""
    state = schedulers.state[number]
    banks = state.banks
    passed = (now - state.collected) * STEPS
    state.collected = now
    last: Any = taken - now * STEPS
    for bank in range(conf[BANKS]):
        mask = banks[bank] >> passed if passed < BANK_STEPS else 0
        step: Any = taken - now * STEPS
        count: Any = np.int64(reads >> np.uint64(4 * bank) & FIELD)
        for _ in range(count):
            step, mask = take_step(mask, step + 1)
        last = max(last, step)
        banks[bank] = mask
    return now * STEPS + last + 1


@inlined
def go_on(schedulers: Schedulers, number: int, place: int, now: int) -> None:
    """A collector's instruction goes to its unit as soon as the port allows."""
    own, state = schedulers.collectors[number, place], schedulers.state[number]
    banks, port = state.banks, state.ports[np.uint64(own.unit)]
    own.register, own.begins = port.register, port.begins
    own.leaves = max(own.ready, port.register)
    begins = max(own.leaves // STEPS + 1, port.begins)
    port.register, port.begins = begins * STEPS, begins + own.interval
    if own.writes > 0:
        at = np.uint64(own.writes - 1)
        before, after = (own.back - now) * STEPS, begins + own.latency - ISSUE_TO_BEGIN - now
        if 0 <= before < BANK_STEPS:
            banks[at] &= ~(1 << before)
        if after * STEPS < BANK_STEPS:
            banks[at] |= 1 << after * STEPS
    own.back = begins + own.latency - ISSUE_TO_BEGIN


@inlined
def collect(
    conf: Ints, code: Code, warps: Warps, schedulers: Schedulers, number: int, warp: Any,
    op: Any, now: int,
) -> tuple[int, int]:  # fmt: skip
    """An instruction that issues at ``now`` reads its registers and writes its result: cycles that
    this takes beyond what it would take alone, and when another for its unit may issue."""
    operation = code.ops[op]
    collectors = schedulers.collectors[number]
    port = schedulers.state[number].ports[operation.unit]
    taken = collectors[0].leaves
    for each in range(1, conf[COLLECTORS]):
        taken = min(taken, collectors[each].leaves)
    taken = max((now + 1) * STEPS, taken)
    place = 0
    while collectors[place].leaves > taken:
        place += 1
    ready = read_registers(conf, schedulers, number, operation.reads, taken, now)
    unit = np.int64(operation.unit)
    for each in range(place + 1, conf[COLLECTORS]):
        if collectors[each].leaves >= ready and collectors[each].unit == unit:
            port.register = min(port.register, collectors[each].register)
            port.begins = min(port.begins, collectors[each].begins)
    own = collectors[place]
    own.ready, own.back = ready, now
    own.warp, own.result = warp, operation.result
    own.unit, own.writes = unit, operation.writes if operation.latency > 0 else 0
    own.latency, own.interval = operation.latency, operation.interval
    go_on(schedulers, number, place, now)
    extra = own.back - now - operation.latency
    for each in range(place + 1, conf[COLLECTORS]):
        other = collectors[each]
        if other.leaves >= ready and other.unit == unit:
            before = other.back
            go_on(schedulers, number, each, now)
            late = other.back - before
            state = warps.state[other.warp]
            if late > 0 and state.row >= 0:
                warps.values[other.warp, other.result] += late << TIME_SHIFT
                state.ends = max(state.ends, warps.values[other.warp, other.result] >> TIME_SHIFT)
                if other.warp != warp:
                    look_for_operands(code, warps, other.warp, state.wake)
    return extra, taken // STEPS

"""Which warps of a scheduler can issue, compiled by numba. Import it lazily.

Warps are bits of masks. One that waits for its operands is in the wheel at the cycle when the last
of them comes, or among the far ones if that is 64 cycles away or more; then it is ready for its
pipeline. So a scheduler never looks at warps that have nothing to do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, prefetch, trailing_zeros
from kcc.sim.cycle.layout import NEVER, WHEEL, Schedulers, Streams, Warps
from kcc.sim.machine.costs import Unit

MASK = WHEEL - 1
MEMORY = int(Unit.MEMORY)
LINE_WORDS = 8
"""Of a line of the host's cache."""


@inlined
def warp_of(number: int, slots: int, slot: int) -> Any:
    """The number of a scheduler's warp, as an index."""
    return np.uint64(number) * np.uint64(slots) + np.uint64(slot)


@inlined
def rotated(bits: int, by: int) -> int:
    """A word whose bit ``by`` comes first."""
    word, right = np.uint64(bits), np.uint64(by)
    left = np.uint64(WHEEL) - right & np.uint64(MASK)
    turned: Any = np.int64(word >> right | word << left)
    return turned


@inlined
def first_after(bits: int, last: int) -> int:
    """The first bit of a mask that is not 0 after bit ``last``, around its end."""
    later = bits & (-2 << last)
    found: Any = trailing_zeros(later if later != 0 else bits)
    return found


@inlined
def make_ready(state: Any, unit: Any, slots: int) -> None:
    """The warps of a mask could issue to a unit of their scheduler."""
    state.ready[unit] |= slots
    state.units |= 1 << unit


@inlined
def ready_at(state: Any, now: int) -> int:
    """The warps of a scheduler that could issue to units which are free at ``now``."""
    ready, units = 0, state.units
    while units != 0:
        unit = np.uint64(trailing_zeros(units))
        units &= units - 1
        if state.free[unit] <= now:
            ready |= state.ready[unit]
    return ready


@inlined
def set_waiting(
    schedulers: Schedulers, warps: Warps, number: int, slot: int, slots: int, busy: int
) -> None:
    """Warp ``slot`` waits until its time to wake, or is ready if the scheduler is busy until then
    for so many cycles."""
    state = schedulers.state[number]
    warp = warps.state[warp_of(number, slots, slot)]
    ahead = warp.wake - state.now
    if ahead <= busy:
        make_ready(state, warp.unit, 1 << slot)
    elif ahead < WHEEL:
        at = warp.wake & MASK
        state.wheel[np.uint64(at)] |= 1 << slot
        state.occupied |= 1 << at
    else:
        state.far |= 1 << slot
        state.far_time = min(state.far_time, warp.wake)


@inlined
def wake_up(schedulers: Schedulers, warps: Warps, number: int, slots: int, now: int) -> None:
    """Warps that wait for ``now`` or a time before become ready."""
    state = schedulers.state[number]
    elapsed = now - state.now
    if elapsed > 0 and state.occupied != 0:
        due = rotated(state.occupied, (state.now + 1) & MASK)
        if elapsed < WHEEL:
            due &= (1 << elapsed) - 1
        while due != 0:
            at = np.uint64(state.now + 1 + trailing_zeros(due)) & np.uint64(MASK)
            due &= due - 1
            woken = state.wheel[at]
            state.wheel[at] = 0
            state.occupied &= ~(1 << np.int64(at))
            while woken != 0:
                slot = trailing_zeros(woken)
                warp = warps.state[warp_of(number, slots, slot)]
                if warp.wake > now:  # an operand comes later than was said
                    set_waiting(schedulers, warps, number, slot, slots, 0)
                else:
                    make_ready(state, warp.unit, woken & -woken)
                woken &= woken - 1
    state.now = now
    if state.far_time < now + WHEEL:
        far = state.far
        state.far, state.far_time = 0, NEVER
        while far != 0:
            set_waiting(schedulers, warps, number, trailing_zeros(far), slots, 0)
            far &= far - 1


@inlined
def ask_ahead(
    streams: Streams, schedulers: Schedulers, warps: Warps, number: Any, slots: int, cycles: int
) -> None:
    """Ask the host for what the warps of a scheduler will look at that wait for the load/store
    unit, or for one of the next ``cycles``: the states of all SMs do not fit into its caches."""
    state = schedulers.state[number]
    soon = state.ready[np.uint64(MEMORY)]
    due = rotated(state.occupied, (state.now + 1) & MASK)
    due &= (1 << cycles) - 1 if cycles < WHEEL else -1
    while due != 0:
        soon |= state.wheel[np.uint64(state.now + 1 + trailing_zeros(due)) & np.uint64(MASK)]
        due &= due - 1
    while soon != 0:
        warp = warp_of(number, slots, trailing_zeros(soon))
        soon &= soon - 1
        prefetch(streams.accesses, warps.state[warp].access)
        prefetch(streams.rows, warps.state[warp].row + 1)
        for register in range(0, warps.values.shape[1], LINE_WORDS):
            prefetch(warps.values[warp], register)


@inlined
def soonest(schedulers: Schedulers, warps: Warps, number: int, slots: int) -> tuple[int, int, bool]:
    """When a warp of the scheduler can issue next; which (-1: none), and whether it waits for its
    pipeline only."""
    state = schedulers.state[number]
    time, waiting, blocked = NEVER, 0, 0
    if state.occupied != 0:
        time = state.now + 1 + trailing_zeros(rotated(state.occupied, (state.now + 1) & MASK))
        waiting = state.wheel[np.uint64(time & MASK)]
    elif state.far != 0:
        time = state.far_time
        far = state.far
        while far != 0:
            if warps.state[warp_of(number, slots, trailing_zeros(far))].wake == time:
                waiting |= far & -far
            far &= far - 1
    units = state.units
    while units != 0:
        unit = np.uint64(trailing_zeros(units))
        units &= units - 1
        free = state.free[unit]
        if free < time:
            time, waiting, blocked = free, 0, 0
        if free == time:
            blocked |= state.ready[unit]
    if waiting | blocked == 0:
        return time, -1, False
    slot = first_after(waiting | blocked, state.last)
    return time, slot, (blocked >> slot) & 1 == 1

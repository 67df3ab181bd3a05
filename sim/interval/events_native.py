"""The events of warps for the functional pass, compiled by numba. Import it lazily."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import native

Ints = Any
Floats = Any
Masks = Any

(
    S_EXECUTED, S_L1, S_L2, S_DRAM, S_SECTORS, S_L1_HITS, S_L1_PENDING, S_L2_READS, S_L2_HITS,
    S_DRAM_READS, S_ROW_HITS, S_WRITES, S_WRITE_MISSES, S_LATENCY, S_PASSES, S_LINES, S_WORK,
    S_PORT,
) = range(18)  # fmt: skip
"""Columns of what is counted for each operation; see collect.MissEvents."""
COLUMNS = 18

(
    E_OPERATION, E_FIRST, E_COUNT, E_SLOTS, E_SOLO, E_BACK,
) = range(6)  # fmt: skip
"""Columns of events: operation (-1 a barrier), first transaction, transactions, issue slots since
the event before, cycles since it if the warp ran alone with hits, and how many events back the
load is whose result it waits for (0: none)."""
EVENT_COLUMNS = 6

T_LINE, T_SECTORS = range(2)
"""Columns of transactions: the line, and a mask of its sectors with the weight above."""
TRANSACTION_COLUMNS = 2
WEIGHT_SHIFT = 32
ONE = 1 << WEIGHT_SHIFT
"""A weight of one: L2 works on the sectors once."""


@native
def make_events(
    order: Ints, segment: Ints, access_start: Ints, access: Ints, requests: Ints,
    warp_of_row: Ints, operation_of_access: Ints, slots_of_access: Ints, solo_of_access: Ints,
    needs_of_access: Ints, slots_of_segment: Ints, solo_of_segment: Ints, barrier_of_segment: Ints,
    events: Ints, bounds: Ints, hashes: Masks,
) -> int:  # fmt: skip
    """Write the events of each warp, one warp after another; the rows of a warp follow one another
    in ``order``. ``bounds[w]`` becomes the first and the end event of the w-th warp there is,
    ``hashes[w]`` a hash of its segments. Gives how many events there are."""
    count = 0
    warp = -1
    before = np.int64(-1)
    slots, solo = 0, 0
    last_of_access = np.zeros(operation_of_access.shape[0], np.int64)
    for at in range(order.shape[0]):
        row = order[at]
        if warp_of_row[row] != before:
            if warp >= 0:
                bounds[warp, 1] = count
            before = warp_of_row[row]
            warp += 1
            bounds[warp, 0] = count
            hashes[warp] = np.uint64(1469598103934665603)
            slots, solo = 0, 0
        own = segment[row]
        hashes[warp] = (hashes[warp] ^ np.uint64(own + 1)) * np.uint64(1099511628211)
        hashes[warp] ^= hashes[warp] >> np.uint64(29)
        slots_before, solo_before = 0, 0
        segment_first = count
        for each in range(access_start[row], access_start[row + 1]):
            if requests[each, 0] < 0:
                continue
            number = access[each]
            events[count, E_OPERATION] = operation_of_access[number]
            events[count, E_FIRST], events[count, E_COUNT] = requests[each, 0], requests[each, 1]
            events[count, E_SLOTS] = slots + slots_of_access[number] - slots_before
            events[count, E_SOLO] = solo + solo_of_access[number] - solo_before
            needed = needs_of_access[number]
            if count == bounds[warp, 0]:
                events[count, E_BACK] = 0
            elif needed >= 0 and last_of_access[needed] >= segment_first:
                events[count, E_BACK] = count - last_of_access[needed]
            elif segment_first > bounds[warp, 0]:
                events[count, E_BACK] = count - segment_first + 1
            else:
                events[count, E_BACK] = 0
            slots, solo = 0, 0
            slots_before, solo_before = slots_of_access[number], solo_of_access[number]
            last_of_access[number] = count
            count += 1
        slots += slots_of_segment[own] - slots_before
        solo += solo_of_segment[own] - solo_before
        if barrier_of_segment[own]:
            events[count, E_OPERATION] = -1
            events[count, E_FIRST], events[count, E_COUNT] = 0, 0
            events[count, E_SLOTS], events[count, E_SOLO] = slots, solo
            events[count, E_BACK] = min(count - bounds[warp, 0], 1)
            slots, solo = 0, 0
            count += 1
    if warp >= 0:
        bounds[warp, 1] = count
    return count

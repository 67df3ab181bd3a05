"""The warp pipeline of one SM, as native code: warps take operations, wait for results, for units
and for each other; the clock jumps from one issue to the next. Imported only where it runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.native import native

Floats = NDArray[np.float64]
Numbers = NDArray[np.int32]

ISSUE, ARITHMETIC, SHARED, L1, L2, DRAM, CONSTANT, BARRIER, UNIT, PORT, IDLE = range(11)
REASONS = (
    "issue", "arithmetic", "shared_memory", "l1", "l2", "dram", "constant", "barrier",
    "unit_busy", "memory_port", "idle",
)  # fmt: skip
"""What a scheduler's cycles went into: issuing, or waiting for the result of arithmetic or of a
memory level, for a barrier, for a unit, for the load/store port; idle once warps run out."""

(P_SCHEDULERS, P_RESIDENT, P_WARPS, P_BLOCKS, P_L2_CYCLES, P_DRAM_CYCLES, P_QUEUE, P_SHARED_LATENCY,
 P_L1_LATENCY, P_L2_LATENCY, P_DRAM_LATENCY, P_CONSTANT_LATENCY, P_BARRIER_LATENCY, P_BLOCK_START,
 P_ATOMIC_LATENCY, P_WRITE_CYCLES) = range(16)  # fmt: skip
PARAMETERS = 16

_MEMORY_UNIT = 4
_BARRIER_OPERATION = 9


@native
def run_sm(
    starts: Numbers,
    trace: Numbers,
    need_starts: Numbers,
    needs: Numbers,
    unit: Numbers,
    memory: Numbers,
    slots: Floats,
    busy: Floats,
    latency: Floats,
    port: Floats,
    l2_sectors: Floats,
    dram_sectors: Floats,
    write_sectors: Floats,
    p: Floats,
) -> Floats:
    """Run ``P_BLOCKS`` thread blocks, ``P_RESIDENT`` at a time, of ``P_WARPS`` warps; warp w of
    block b takes trace ``(w + b * warps) % variants``.

    Gives the cycles, and behind them, by reason, scheduler cycles over all schedulers (their sum
    is cycles times schedulers), and last the warp instructions issued.
    """
    operations = len(unit)
    variants = len(starts) - 1
    schedulers, resident = int(p[P_SCHEDULERS]), int(p[P_RESIDENT])
    warps, blocks = int(p[P_WARPS]), int(p[P_BLOCKS])
    resident = min(resident, blocks)
    count = resident * warps
    infinity = 1e30
    place = np.zeros(count, np.int64)
    end = np.zeros(count, np.int64)
    ready = np.full(count, infinity)
    why = np.zeros(count, np.int64)
    known = np.zeros((count, operations))
    source = np.zeros((count, operations), np.int8)
    free = np.zeros(schedulers)
    unit_free = np.zeros((schedulers, 8))
    left = np.zeros(resident, np.int64)
    arrived = np.zeros(resident, np.int64)
    waiting = np.zeros(count, np.bool_)
    credit_l2, credit_dram = np.zeros(operations), np.zeros(operations)
    spent = np.zeros(11)
    port_free, l2_free, dram_free = 0.0, 0.0, 0.0
    launched, issued, last = 0, 0.0, 0.0
    for block in range(resident):
        for w in range(warps):
            slot = block * warps + w
            variant = (w + launched * warps) % variants
            place[slot], end[slot] = starts[variant], starts[variant + 1]
            ready[slot] = 0.0
        left[block] = warps
        launched += 1
    alive = count
    while alive > 0:
        best, start = -1, infinity
        for slot in range(count):
            if ready[slot] >= start:
                continue
            s = slot % schedulers
            at = max(ready[slot], free[s])
            u = unit[trace[place[slot]]]
            if u == _MEMORY_UNIT:
                at = max(at, port_free - p[P_QUEUE])
            else:
                at = max(at, unit_free[s, u])
            if at < start:
                best, start = slot, at
        slot = best
        if slot < 0:
            break
        s = slot % schedulers
        o = trace[place[slot]]
        u = unit[o]
        gap = start - free[s]
        if gap > 0:
            if ready[slot] >= start:
                spent[why[slot]] += gap
            elif u == _MEMORY_UNIT:
                spent[PORT] += gap
            else:
                spent[UNIT] += gap
        spent[ISSUE] += slots[o]
        issued += slots[o]
        free[s] = start + slots[o]
        last = max(last, free[s])
        done, cause = start + latency[o], ARITHMETIC
        if u == _MEMORY_UNIT:
            begin = max(start, port_free)
            port_free = begin + port[o]
            served = begin + port[o]
            kind = memory[o]
            if kind == 1 or kind == 7:
                done, cause = served + p[P_SHARED_LATENCY], SHARED
            elif kind == 5:
                done, cause = served + p[P_CONSTANT_LATENCY], CONSTANT
            elif kind == 2:
                done, cause = served, SHARED
            elif kind == 4 or kind == 11:
                l2_free = max(l2_free, served) + write_sectors[o] * p[P_WRITE_CYCLES]
                dram_free = max(dram_free, served) + dram_sectors[o] * p[P_DRAM_CYCLES]
                done, cause = served, L2
            else:
                done, cause = served + p[P_L1_LATENCY], L1
                credit_l2[o] += l2_sectors[o]
                asked = np.floor(credit_l2[o] + 1e-9)
                if asked > 0:
                    credit_l2[o] -= asked
                    l2_free = max(l2_free, served) + asked * p[P_L2_CYCLES]
                    done, cause = max(l2_free, served) + p[P_L2_LATENCY] - p[P_L1_LATENCY], L2
                credit_dram[o] += dram_sectors[o]
                asked = np.floor(credit_dram[o] + 1e-9)
                if asked > 0:
                    credit_dram[o] -= asked
                    dram_free = max(dram_free, served) + asked * p[P_DRAM_CYCLES]
                    late = max(dram_free, l2_free) + p[P_DRAM_LATENCY] - p[P_L1_LATENCY]
                    if late > done:
                        done, cause = late, DRAM
                if kind == 8:
                    done = max(done, served + p[P_ATOMIC_LATENCY])
                    cause = L2
        else:
            unit_free[s, u] = start + busy[o]
        known[slot, o] = done
        source[slot, o] = cause
        place[slot] += 1
        now = start + slots[o]
        block = slot // warps
        if memory[o] == _BARRIER_OPERATION:
            waiting[slot] = True
            ready[slot] = infinity
            arrived[block] += 1
        ended = place[slot] >= end[slot]
        if ended:
            if waiting[slot]:
                waiting[slot] = False
                arrived[block] -= 1
            ready[slot] = infinity
            left[block] -= 1
            last = max(last, done)
            if left[block] == 0:
                if launched < blocks:
                    for w in range(warps):
                        each = block * warps + w
                        variant = (w + launched * warps) % variants
                        place[each], end[each] = starts[variant], starts[variant + 1]
                        ready[each] = now + p[P_BLOCK_START]
                        why[each] = IDLE
                        waiting[each] = False
                        known[each, :] = 0.0
                    left[block] = warps
                    arrived[block] = 0
                    launched += 1
                else:
                    alive -= warps
        elif not waiting[slot]:
            _next(slot, float(now), place, trace, need_starts, needs, known, source, ready, why)
        if left[block] > 0 and arrived[block] >= left[block]:
            for w in range(warps):
                each = block * warps + w
                if waiting[each]:
                    waiting[each] = False
                    _next(
                        each,
                        float(now + p[P_BARRIER_LATENCY]),
                        place,
                        trace,
                        need_starts,
                        needs,
                        known,
                        source,
                        ready,
                        why,
                    )
                    if why[each] == ISSUE:
                        why[each] = BARRIER
            arrived[block] = 0
    total = max(last, l2_free, dram_free)
    busy_total = 0.0
    for reason in range(10):
        busy_total += spent[reason]
    rest = total * schedulers - busy_total
    behind = max(l2_free, dram_free) - last
    if behind > 0:
        spent[DRAM if dram_free >= l2_free else L2] += behind * schedulers
        rest -= behind * schedulers
    spent[IDLE] = max(rest, 0.0)
    found = np.zeros(13)
    found[0] = total
    found[1:12] = spent
    found[12] = issued
    return found


@native
def _next(
    slot: int,
    now: float,
    place: NDArray[np.int64],
    trace: Numbers,
    need_starts: Numbers,
    needs: Numbers,
    known: Floats,
    source: NDArray[np.int8],
    ready: Floats,
    why: NDArray[np.int64],
) -> None:
    """When a warp can issue its next operation, and what it waits for until then."""
    o = trace[place[slot]]
    at, cause = now, ISSUE
    for i in range(need_starts[o], need_starts[o + 1]):
        n = needs[i]
        if known[slot, n] > at:
            at, cause = known[slot, n], source[slot, n]
    ready[slot] = at
    why[slot] = cause

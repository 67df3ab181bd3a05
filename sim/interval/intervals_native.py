"""The interval algorithm, compiled by numba. Import it lazily."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, native, uncounted
from kcc.sim.interval.facts import RESOURCES, Kind, Resource

Ints = Any
Floats = Any

FREE, PHI, FENCE = int(Kind.FREE), int(Kind.PHI), int(Kind.FENCE)
BARRIER = int(Kind.BARRIER)
LOAD, ATOMIC = int(Kind.GLOBAL_LOAD), int(Kind.GLOBAL_ATOMIC)
MEMORY = int(Resource.MEMORY)

EPSILON = 1e-6
"""Cycles; less is no stall but rounding."""


@uncounted
def latest_source(
    op: int, kind: int, first_source: Ints, end_source: Ints, sources: Ints, incoming: Ints,
    came_from: int, ready: Floats, producer: Ints,
) -> tuple[float, int]:  # fmt: skip
    """When all operands of an operation are there, and the operation the last one is of."""
    time, of = 0.0, -1
    first, end = first_source[op], end_source[op]
    known = False
    if kind == PHI:
        for place in range(first, end):
            known = known or incoming[place] == came_from
    for place in range(first, end):
        if known and incoming[place] != came_from:
            continue
        source = sources[place]
        if source >= 0 and ready[source] > time:
            time, of = ready[source], producer[source]
    return time, of


@inlined
def begin_interval(count: int, insts: Floats, sums: Floats) -> None:
    """Nothing is in an interval yet."""
    insts[count] = 0.0
    for column in range(sums.shape[1]):
        sums[count, column] = 0.0


@native
def find_intervals(
    sequence: Ints, kind: Ints, resource: Ints, issue_slots: Ints, busy: Floats, latency: Floats,
    result: Ints, first_source: Ints, end_source: Ints, sources: Ints, incoming: Ints,
    segments: Ints, registers: int, code: Ints, first: Ints, features: Floats, structural: bool,
    insts: Floats, stalls: Floats, since: Floats, cause: Ints, barrier: Ints, sums: Floats,
    begins: Ints,
) -> int:  # fmt: skip
    """Walk a warp's segments in order (dissertation, 4.3.2, equation 13); write for each interval
    its instructions, the stall after them, the operation waited for (-1 - resource where a
    pipeline was taken) and the sums of ``features`` of its operations. Gives how many intervals
    there are, -1 when there is no room for them. ``since`` is how long before the stall the
    operation waited for was issued. ``barrier`` has room for as many intervals where these are to
    end at barriers too (and then says which do), else for none. ``begins`` is the operation that
    each begins with; where ``code`` has lines they end where a warp comes to another one, and they
    end before operations that are to be the ``first`` of one.

    An operation of n machine instructions issues for n cycles. With ``structural`` pipelines take
    nothing else while they are busy.
    """
    ready, producer = np.zeros(registers), np.zeros(registers, np.int64)
    issued = np.zeros(kind.shape[0])
    free = np.zeros(RESOURCES)
    columns = features.shape[1]
    count = 0
    next_issue = 0.0
    outstanding = 0.0
    outstanding_op = -1
    came_from = -1
    begin_interval(0, insts, sums)
    line = np.int64(0)
    for at in range(sequence.shape[0]):
        own = sequence[at]
        for op in range(segments[own, 0], segments[own, 1]):
            what = kind[op]
            time, of = latest_source(
                op, what, first_source, end_source, sources, incoming, came_from, ready, producer
            )
            to = result[op]
            if what <= PHI:
                if to >= 0:
                    ready[to], producer[to] = time, of
                continue
            if what == FENCE and outstanding > time:
                time, of = outstanding, outstanding_op
            unit = resource[op]
            if structural and free[unit] > max(time, next_issue):
                time, of = free[unit], -1 - unit
            if time > next_issue + EPSILON:
                if insts[count] > 0:
                    stalls[count], cause[count] = time - next_issue, of
                    since[count] = next_issue - issued[of] if of >= 0 else insts[count]
                    count += 1
                    if count >= insts.shape[0]:
                        return -1
                    begin_interval(count, insts, sums)
                next_issue = time
            begins_one = first[op]
            if code[op, 0] != line:
                line = code[op, 0] + code[op, 1]
                begins_one = True
            if begins_one and insts[count] > 0:
                stalls[count], cause[count], since[count] = 0.0, -1, 0.0
                count += 1
                if count >= insts.shape[0]:
                    return -1
                begin_interval(count, insts, sums)
            if insts[count] == 0:
                begins[count] = op
            issue = next_issue
            issued[op] = issue
            next_issue += issue_slots[op]
            insts[count] += issue_slots[op]
            for column in range(columns):
                sums[count, column] += features[op, column]
            free[unit] = issue + busy[op]
            done = issue + latency[op]
            if what in (LOAD, ATOMIC) and done > outstanding:
                outstanding, outstanding_op = done, op
            if to >= 0:
                ready[to], producer[to] = done, op
            if what == BARRIER and barrier.shape[0] > 0:
                stalls[count], cause[count], since[count] = 0.0, op, 1.0
                barrier[count] = 1
                count += 1
                if count >= insts.shape[0]:
                    return -1
                barrier[count] = 0
                begin_interval(count, insts, sums)
        came_from = segments[own, 2]
    if insts[count] > 0:
        stalls[count], cause[count], since[count] = 0.0, -1, 0.0
        count += 1
    return count

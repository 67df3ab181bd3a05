"""The native part of :mod:`kcc.sim.program.replay`. Import it lazily."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, native

Ints = Any


@native
def chosen_segments(
    thread_block: Ints, warp: Ints, segment: Ints, mask: Ints, loop_of: Ints, begins: Ints,
    times: Ints, without: Ints, together: Ints, warps: int, found: Ints, kept: Ints,
) -> None:  # fmt: skip
    """For each row the segment that is issued, and whether it is ``kept``: iterations that are one
    piece of code are one row, where the same lanes do them. Of T iterations of a loop of which
    ``times`` share what the loop costs, the first T modulo ``times`` pay each for itself (nvcc runs
    those that are left over first), then the last one of each group. Where a batch does not have
    all iterations, no one is left over."""
    rows = len(segment)
    if rows == 0:
        return
    remaining = np.empty(rows, np.int64)  # iterations to the end of the loop; ~ that where cut off
    loop, passed = np.empty(warps, np.int64), np.empty(warps, np.int64)
    cut = np.zeros(warps, np.bool_)
    block = np.int64(-1)
    for row in range(rows - 1, -1, -1):
        if thread_block[row] != block:
            block = thread_block[row]
            loop[:] = -2
            cut[:] = False
        own, inside = warp[row], loop_of[segment[row]]
        if inside != loop[own]:
            cut[own] = loop[own] == -2 and block == thread_block[rows - 1]
            loop[own], passed[own] = inside, 0
        remaining[row] = ~passed[own] if cut[own] else passed[own]
        if inside >= 0 and begins[segment[row]]:
            passed[own] += 1
    left = np.empty(warps, np.int64)  # iterations after those that are left over
    block = np.int64(-1)
    for row in range(rows):
        if thread_block[row] != block:
            block = thread_block[row]
            loop[:] = -2
        number, own = segment[row], warp[row]
        inside, after = loop_of[number], remaining[row]
        is_cut = after < 0
        if is_cut:
            after = ~after
        if inside != loop[own]:
            is_cut = is_cut or (loop[own] == -2 and block == thread_block[0])
            total = after + 1
            left[own] = total if is_cut else total - total % times[inside]
            loop[own] = inside
        if not kept[row]:
            found[row] = number
            continue
        group = times[inside] if inside >= 0 and together[number] >= 0 else 0
        if group and after % group == group - 1 and after < left[own] and _is_one(
            thread_block, warp, segment, mask, row, group
        ):  # fmt: skip
            found[row] = together[number]
            for other in range(row + 1, row + group):
                kept[other] = False
            continue
        pays = inside < 0 or after % times[inside] == 0 or after >= left[own]
        found[row] = number if pays or without[number] < 0 else without[number]


@inlined
def _is_one(
    thread_block: Ints, warp: Ints, segment: Ints, mask: Ints, row: int, count: int
) -> bool:  # fmt: skip
    """Whether so many rows are of one segment, warp and mask."""
    if row + count > len(segment):
        return False
    for other in range(row + 1, row + count):
        same = segment[other] == segment[row] and mask[other] == mask[row]
        if not same or warp[other] != warp[row] or thread_block[other] != thread_block[row]:
            return False
    return True


@native
def with_idle(
    thread_block: Ints, warp: Ints, segment: Ints, sides: Ints, instead: Ints, warps: int,
    found: Ints,
) -> None:  # fmt: skip
    """Change what is ``found`` for a row before predicated blocks to what its warp issues that has
    no lane in one of them. What comes after the end of a batch is taken to have all."""
    following = np.full((warps, 2), -1, np.int64)  # the next segments of each warp
    block = np.int64(-1)
    for row in range(len(segment) - 1, -1, -1):
        if thread_block[row] != block:
            block = thread_block[row]
            following[:] = -1
        own, number = warp[row], segment[row]
        after = following[own, 0]
        for way in range(2):
            side, other = sides[number, way], sides[number, 1 - way]
            if side < 0 or after < 0 or after == side:
                continue
            is_next = after == other and following[own, 1] == side
            if not is_next and instead[found[row], way] >= 0:
                found[row] = instead[found[row], way]
        following[own, 1] = after
        following[own, 0] = number


@native
def taken_addresses(
    access_start: Ints, addresses: Ints, first: Ints, starts: Ints, sources: Ints, fixed: Ints,
    new_start: Ints, access: Ints, found: Ints,
) -> None:  # fmt: skip
    """The accesses of each row's segment, ``first`` and following, with their addresses."""
    width = addresses.shape[1]
    for row in range(len(first)):
        base = access_start[row]
        for place in range(new_start[row], new_start[row + 1]):
            number = first[row] + place - new_start[row]
            access[place] = number
            begin, end = starts[number], starts[number + 1]
            if begin == end:
                found[place, :] = fixed[number]
                continue
            own = base + sources[begin]
            for lane in range(width):
                found[place, lane] = addresses[own, lane]
            for other in range(begin + 1, end):
                part = base + sources[other]
                for lane in range(width):
                    found[place, lane] = min(found[place, lane], addresses[part, lane])

"""The queues of all SMs go through L2, compiled by numba. Import it lazily.

Baghsorkhi et al., section 3.2.2: which queue is next is random, weighted by what is left in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import native, ones, scatter
from kcc.sim.memory.cache_native import (
    SECTOR_MASK,
    VALID,
    WRITTEN,
    draw,
    get,
    put,
    quotient,
    remainder,
    seek,
    set_of,
    take,
    use,
)
from kcc.sim.memory.facts import Count, Merging, Op, Place
from kcc.sim.memory.sequences_native import ACCESS_SHIFT, OP_MASK, OP_SHIFT

Ints = Any

MERGING, HASH = int(Place.MERGING), int(Place.HASH)
L1_SETS, CONSTANT_SETS = int(Place.L1_SETS), int(Place.CONSTANT_SETS)
L2_SETS, L2_SLICES = int(Place.L2_SETS), int(Place.L2_SLICES)
STORE, ATOMIC = int(Op.STORE), int(Op.ATOMIC)
C_L2_READS, C_L2_HITS, C_WRITES, C_WRITE_HITS = (
    int(Count.L2_READS), int(Count.L2_HITS), int(Count.WRITES), int(Count.WRITE_HITS),
)  # fmt: skip
AT_RANDOM = list(Merging).index(Merging.RANDOM)


@native
def sets_of_lines(c: Ints, lines: Ints, l1_sets: Ints, constant_sets: Ints, l2_sets: Ints) -> None:
    """The sets of each line in L1, in the cache of constants and in L2: the cycle-level model's."""
    slices = max(c[L2_SLICES], 1)
    for number in range(len(lines)):
        line = lines[number]
        l1_sets[number] = set_of(line, max(c[L1_SETS], 1))
        constant_sets[number] = set_of(line, max(c[CONSTANT_SETS], 1))
        unit = remainder(scatter(line) if c[HASH] != 0 else line, slices)
        within = remainder(quotient(line, slices), max(c[L2_SETS], 1))
        l2_sets[number] = unit * c[L2_SETS] + within


@native
def merge(c: Ints, sizes: Ints, order: Ints, random: Any) -> None:
    """Whose request is next. Drawn with what is left as weights, all orders of the queues are as
    likely as each other: the order is a shuffled one."""
    if c[MERGING] == AT_RANDOM:
        at = 0
        for sm in range(len(sizes)):
            order[at : at + sizes[sm]] = sm
            at += sizes[sm]
        for left in range(at, 1, -1):
            other, last = np.uint64(draw(random, left)), np.uint64(left - 1)
            order[last], order[other] = order[other], order[last]
        return
    left = sizes.copy()
    at = 0
    while at < len(order):
        for sm in range(len(left)):
            if left[sm] > 0:
                order[at] = sm
                at += 1
                left[sm] -= 1


@native
def run_l2(
    c: Ints, queue_lines: Ints, queue_info: Ints, queue_sms: Ints, sms: int, l2_sets: Ints,
    pinned_first: int, pinned_lines: int, l2: Ints, l2_heads: Ints, counts: Ints, random: Any,
    misses: Ints,
) -> tuple[int, int]:  # fmt: skip
    """All requests through L2, those of an SM in order. The line of each sector that is read from
    DRAM or written there goes to ``misses``; gives their number, and how many of them are sectors
    written back. So many lines from ``pinned_first`` on are kept."""
    sizes, starts = np.zeros(sms, np.int64), np.zeros(sms, np.int64)
    for sm in queue_sms:
        sizes[sm] += 1
    for sm in range(1, sms):
        starts[sm] = starts[sm - 1] + sizes[sm - 1]
    queued, fill = np.empty(len(queue_sms), np.int32), starts.copy()
    for number in range(len(queue_sms)):
        sm = queue_sms[number]
        queued[fill[sm]] = number
        fill[sm] += 1
    order = np.empty(len(queue_sms), np.int16)
    merge(c, sizes, order, random)
    pinned = np.zeros((pinned_lines, 2), np.int64)
    has_l2 = c[L2_SETS] > 0
    missed = back = 0
    for sm in order:
        turn = np.uint64(sm)
        at = np.uint64(queued[np.uint64(starts[turn])])
        starts[turn] += 1
        line, word = np.int64(queue_lines[at]), queue_info[at]
        mask, op = word & SECTOR_MASK, (word >> OP_SHIFT) & OP_MASK
        access = np.uint64(word >> ACCESS_SHIFT)
        there, written, cell = np.int64(0), np.int64(0), np.int64(0)
        kept = line - pinned_first
        is_kept = 0 <= kept < pinned_lines
        if is_kept:
            there, written = pinned[kept, 0], pinned[kept, 1]
        elif has_l2:
            cell = seek(l2, l2_heads, line)
            if cell >= 0:
                use(l2, cell)
                there, written = get(l2, cell, VALID), get(l2, cell, WRITTEN)
            else:
                cell = take(l2, l2_heads, np.int64(l2_sets[np.uint64(line)]), line)
                dirty = ones(get(l2, cell, WRITTEN))
                for _ in range(dirty):  # as sectors of the line that takes its place
                    misses[missed] = line
                    missed += 1
                back += dirty
        if op == STORE:
            counts[access, C_WRITES] += ones(mask)
            counts[access, C_WRITE_HITS] += ones(mask & written)
        else:
            counts[access, C_L2_READS] += ones(mask)
            absent = ones(mask & ~there)
            counts[access, C_L2_HITS] += ones(mask) - absent
            for _ in range(absent):
                misses[missed] = line
                missed += 1
        if op in (STORE, ATOMIC):
            written |= mask
        if is_kept:
            pinned[kept, 0], pinned[kept, 1] = there | mask, written
        elif has_l2:
            put(l2, cell, VALID, there | mask)
            put(l2, cell, WRITTEN, written)
    return missed, back

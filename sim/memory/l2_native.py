"""The queues of all SMs go through L2, compiled by numba. Import it lazily.

Baghsorkhi et al., section 3.2.2: which queue is next is random, weighted by what is left in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import (
    inlined,
    native,
    ones,
    prefetch,
    quotient,
    remainder,
    scatter,
    trailing_zeros,
)
from kcc.sim.machine.l1_sets_native import set_of
from kcc.sim.memory.cache_native import (
    SECTOR_MASK,
    VALID,
    WAYS,
    WRITTEN,
    Cache,
    draw,
    draw_word,
    get,
    put,
    seek,
    take,
)
from kcc.sim.memory.facts import Count, Merging, Op, Place
from kcc.sim.memory.sequences_native import (
    ACCESS_MASK,
    ACCESS_SHIFT,
    LINE_SHIFT,
    OP_MASK,
    OP_SHIFT,
)

Ints = Any

MERGING, HASH = int(Place.MERGING), int(Place.HASH)
L1_SETS, CONSTANT_SETS = int(Place.L1_SETS), int(Place.CONSTANT_SETS)
L2_SETS, L2_SLICES, L2_WAYS_USED = (
    int(Place.L2_SETS), int(Place.L2_SLICES), int(Place.L2_WAYS_USED),
)  # fmt: skip
OP_BITS, STORE_BITS, ATOMIC_BITS = (
    OP_MASK << OP_SHIFT, Op.STORE << OP_SHIFT, Op.ATOMIC << OP_SHIFT,
)  # fmt: skip
C_L2_READS, C_L2_HITS, C_WRITES, C_WRITE_HITS = (
    int(Count.L2_READS), int(Count.L2_HITS), int(Count.WRITES), int(Count.WRITE_HITS),
)  # fmt: skip
AT_RANDOM = list(Merging).index(Merging.RANDOM)
PART = 1 << 12
"""Requests that are put in order together, about."""
AHEAD = 8
"""Requests from one whose set the host is asked for to the one that is served."""
COUNT_BITS = 6
"""Of sectors, in an entry of what goes to DRAM: those of a line, twice."""


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


@inlined
def shuffle(order: Ints, count: int, random: Any) -> None:
    """All orders are as likely as each other (Fisher and Yates; Durstenfeld, 1964)."""
    for left in range(count, 1, -1):
        other, last = np.uint64(draw(random, left)), np.uint64(left - 1)
        order[last], order[other] = order[other], order[last]


@native
def parts_of_queues(c: Ints, sizes: Ints, parts: Ints, random: Any) -> None:
    """How many requests of each SM (columns) are in each part (rows) of the order in which L2
    serves them.

    Drawn with what is left as weights, all orders of the queues are as likely as each other. Each
    request goes to a part at random, and parts are shuffled one by one when they are served, where
    they fit the host's caches (Rao, "Generation of random permutation of given number of elements
    using random sampling numbers", Sankhya A 23, 1961). In turn, a part is as many of each.
    """
    many = len(parts)
    bits = trailing_zeros(many)
    if c[MERGING] != AT_RANDOM:
        for sm in range(len(sizes)):
            for part in range(many):
                parts[part, sm] = min(
                    max(sizes[sm] - part * PART // len(sizes), 0), PART // len(sizes)
                )
        return
    for sm in range(len(sizes)):
        left = sizes[sm]
        while left > 0:
            word = draw_word(random)
            for _ in range(min(left, 64 // max(bits, 1))):
                parts[np.uint64(word & np.uint64(many - 1)), sm] += 1
                word >>= np.uint64(bits)
                left -= 1


@native
def gather(
    c: Ints, part: Ints, runs: Ints, nexts: Ints, at: Ints, ends: Ints, queue: Ints, order: Ints,
    merged: Ints, random: Any,
) -> int:  # fmt: skip
    """The requests of a part in their order; how many there are. ``at`` and ``ends`` are where each
    SM is in a run of the queue, whose next one is ``nexts``."""
    count = 0
    if c[MERGING] == AT_RANDOM:
        for sm in range(len(part)):
            for _ in range(part[sm]):
                order[np.uint64(count)] = sm
                count += 1
        shuffle(order, count, random)
    else:
        left = part.copy()
        while left.max() > 0:
            for sm in range(len(left)):
                if left[sm] > 0:
                    order[count] = sm
                    left[sm] -= 1
                    count += 1
    for number in range(count):
        sm = np.uint64(order[np.uint64(number)])
        while at[sm] == ends[sm]:
            run = nexts[sm]
            at[sm], ends[sm], nexts[sm] = runs[run, 1], runs[run, 2], runs[run, 3]
        merged[np.uint64(number)] = queue[np.uint64(at[sm])]
        at[sm] += 1
    return count


@native
def run_l2(
    c: Ints, queue: Ints, runs: Ints, sms: int, l2_sets: Ints, pinned_first: int,
    pinned_lines: int, l2: Cache, counts: Ints, random: Any, misses: Ints,
) -> tuple[int, int]:  # fmt: skip
    """All requests through L2, those of an SM in order. What is read from DRAM or written there
    goes to ``misses``, the line and how many of its sectors; gives how many entries that are, and
    how many sectors are written back. So many lines from ``pinned_first`` on are kept."""
    sizes, nexts = np.zeros(sms, np.int64), np.full(sms, -1, np.int64)
    for number in range(len(runs) - 1, -1, -1):
        sm = runs[number, 0]
        sizes[sm] += runs[number, 2] - runs[number, 1]
        runs[number, 3], nexts[sm] = nexts[sm], number
    at, ends = np.zeros(sms, np.int64), np.zeros(sms, np.int64)
    many = 1
    most = sizes.sum() if c[MERGING] == AT_RANDOM else sizes.max() * sms
    while many * PART < most:
        many *= 2
    parts = np.zeros((many, sms), np.int32)
    parts_of_queues(c, sizes, parts, random)
    largest = parts.sum(axis=1).max()
    order, merged = np.empty(largest, np.int16), np.empty(largest, np.int64)
    pinned = np.zeros((pinned_lines, 2), np.int64)
    missed = back = 0
    for part in range(many):
        count = gather(c, parts[part], runs, nexts, at, ends, queue, order, merged, random)
        missed, back = serve(
            c, merged[:count], l2_sets, pinned_first, pinned, l2, counts, misses, missed, back
        )  # fmt: skip
    return missed, back


@native
def serve(
    c: Ints, requests: Ints, l2_sets: Ints, pinned_first: int, pinned: Ints, l2: Cache,
    counts: Ints, misses: Ints, missed: int, back: int,
) -> tuple[int, int]:  # fmt: skip
    """Requests through L2, one after the other."""
    has_l2, ways = c[L2_SETS] > 0, c[L2_WAYS_USED]
    for number in range(len(requests)):
        ahead = min(number + AHEAD, len(requests) - 1)
        coming = l2_sets[np.uint64(requests[np.uint64(ahead)] >> LINE_SHIFT)]
        prefetch(l2.lines, coming * WAYS)
        prefetch(l2.order, coming)
        word = requests[np.uint64(number)]
        line, mask, op = word >> LINE_SHIFT, word & SECTOR_MASK, word & OP_BITS
        access = np.uint64((word >> ACCESS_SHIFT) & ACCESS_MASK)
        there, written, cell, gone = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        kept = line - pinned_first
        is_kept = 0 <= kept < len(pinned)
        if is_kept:
            there, written = pinned[kept, 0], pinned[kept, 1]
        elif has_l2:
            own = np.int64(l2_sets[np.uint64(line)])
            cell = seek(l2, own, line)
            if cell >= 0:
                there, written = get(l2, cell, VALID), get(l2, cell, WRITTEN)
            else:
                cell = take(l2, own, ways, line)
                gone = ones(get(l2, cell, WRITTEN))
                back += gone
        if op == STORE_BITS:
            counts[access, C_WRITES] += ones(mask)
            counts[access, C_WRITE_HITS] += ones(mask & written)
        else:
            hits = ones(mask & there)
            counts[access, C_L2_READS] += ones(mask)
            counts[access, C_L2_HITS] += hits
            gone += ones(mask) - hits
        if op in (STORE_BITS, ATOMIC_BITS):
            written |= mask
        if gone > 0:  # what is written back, as sectors of the line that takes its place
            misses[np.uint64(missed)] = line << COUNT_BITS | gone
            missed += 1
        if is_kept:
            pinned[kept, 0], pinned[kept, 1] = there | mask, written
        elif has_l2:
            put(l2, cell, VALID, there | mask)
            put(l2, cell, WRITTEN, written)
    return missed, back

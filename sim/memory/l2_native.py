"""The queues of all SMs go through L2, compiled by numba. Import it lazily.

Baghsorkhi et al., section 3.2.2: which queue is next is random, weighted by what is left in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import inlined, native, scatter
from kcc.sim.memory.cache_native import (
    SECTOR_MASK,
    draw,
    find_line,
    ones,
    quotient,
    remainder,
)
from kcc.sim.memory.facts import Count, Op, Place
from kcc.sim.memory.sequences_native import ACCESS_SHIFT, OP_MASK, OP_SHIFT

Ints = Any

SMS, SECTORS, MERGING, HASH = (
    int(Place.SMS), int(Place.SECTORS), int(Place.MERGING), int(Place.HASH),
)  # fmt: skip
L2_SETS, L2_WAYS, L2_SLICES = int(Place.L2_SETS), int(Place.L2_WAYS), int(Place.L2_SLICES)
L2_WAYS_USED, PINNED_FIRST, PINNED_LINES = (
    int(Place.L2_WAYS_USED), int(Place.PINNED_FIRST), int(Place.PINNED_LINES),
)  # fmt: skip
STORE, ATOMIC = int(Op.STORE), int(Op.ATOMIC)
C_L2_READS, C_L2_HITS, C_WRITES, C_WRITE_HITS = (
    int(Count.L2_READS), int(Count.L2_HITS), int(Count.WRITES), int(Count.WRITE_HITS),
)  # fmt: skip

AHEAD = 8
"""Entries of a queue ahead that the host is asked for."""


@inlined
def next_queue(c: Ints, tree: Ints, size: int, last: int, random: Any) -> int:
    """The SM whose request is next: ``tree[size + sm]`` are those left of each, ``tree[i]`` the sum
    of ``tree[2 * i]`` and the one behind."""
    if c[MERGING] == 0:
        pick = draw(random, tree[1])
        node = 1
        while node < size:
            tree[node] -= 1
            node *= 2
            if pick >= tree[node]:
                pick -= tree[node]
                node += 1
        tree[node] -= 1
        return node - size
    sm = last
    while True:
        sm = sm + 1 if sm + 1 < size else 0
        if tree[size + sm] > 0:
            break
    node = size + sm
    while node >= 1:
        tree[node] -= 1
        node //= 2
    return sm


@inlined
def home_of(c: Ints, line: int) -> int:
    """Where the ways of a line's set begin in L2: the cycle-level model's."""
    slices, sets = c[L2_SLICES], c[L2_SETS]
    unit = remainder(scatter(line) if c[HASH] != 0 else line, slices)
    return (unit * sets + remainder(quotient(line, slices), sets)) * c[L2_WAYS]


@native
def run_l2(
    c: Ints, queue_lines: Ints, queue_info: Ints, starts: Ints, ends: Ints, l2: Ints,
    l2_valid: Ints, l2_written: Ints, counts: Ints, random: Any, misses: Ints,
) -> tuple[int, int]:  # fmt: skip
    """All queues, ``starts[sm]`` to ``ends[sm]`` each, through L2. The line of each sector that is
    read from DRAM or written there goes to ``misses``; gives their number, and how many of them
    are sectors written back."""
    sms, sets, ways = c[SMS], c[L2_SETS], c[L2_WAYS_USED]
    pinned_first, pinned_lines = c[PINNED_FIRST], c[PINNED_LINES]
    pinned = np.zeros((pinned_lines, 2), np.int64)
    size = 1
    while size < sms:
        size *= 2
    tree = np.zeros(2 * size, np.int64)
    nexts = starts.copy()
    for sm in range(sms):
        tree[size + sm] = ends[sm] - starts[sm]
    for node in range(size - 1, 0, -1):
        tree[node] = tree[2 * node] + tree[2 * node + 1]
    missed = back = 0
    sm = -1
    for _ in range(tree[1]):
        sm = next_queue(c, tree, size, sm, random)
        at = nexts[sm]
        nexts[sm] = at + 1
        line, word = queue_lines[at], queue_info[at]
        mask, op = word & SECTOR_MASK, (word >> OP_SHIFT) & OP_MASK
        access = np.uint64(word >> ACCESS_SHIFT)
        there, written, place = np.int64(0), np.int64(0), np.uint64(0)
        kept = line - pinned_first
        is_kept = 0 <= kept < pinned_lines
        if is_kept:
            there, written = pinned[kept, 0], pinned[kept, 1]
        elif sets > 0:
            found, known = find_line(l2, home_of(c, line), ways, line)
            place = np.uint64(found)
            there, written = l2_valid[place], l2_written[place]
            if not known:
                dirty = ones(written)
                for _ in range(dirty):  # as sectors of the line that takes its place
                    misses[missed] = line
                    missed += 1
                back += dirty
                there, written = np.int64(0), np.int64(0)
        if op == STORE:
            counts[access, C_WRITES] += ones(mask)
            counts[access, C_WRITE_HITS] += ones(mask & written)
        else:
            counts[access, C_L2_READS] += ones(mask)
            counts[access, C_L2_HITS] += ones(mask & there)
            for _ in range(ones(mask & ~there)):
                misses[missed] = line
                missed += 1
        if op in (STORE, ATOMIC):
            written |= mask
        if is_kept:
            pinned[kept, 0], pinned[kept, 1] = there | mask, written
        elif sets > 0:
            l2_valid[place], l2_written[place] = there | mask, written
    return missed, back

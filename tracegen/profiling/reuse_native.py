"""Reuse distances over a stream of lines, compiled by numba. Import it lazily.

The reuse distance of a touch is the number of distinct other lines touched since the line's last
touch. Exact as long as the distinct lines fit; beyond that lines are sampled by a hash of their
number, which keeps the distribution (Waldspurger et al., "Efficient MRC Construction with SHARDS",
FAST 2015, section 3, fixed-size variant): when more are tracked than fit, the threshold is halved,
what lies above it is dropped, and each touch then counts for as many as its share stands for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.base.native import native
from kcc.tracegen.profiling.layout import BUCKETS, CLOCK, FULL, THRESHOLD_BITS, TRACKED

Ints = NDArray[np.int64]


@native
def _hash(line: int) -> int:
    mixed = np.uint64(line) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(0xD6E8FEB86659FD93)
    return int(mixed >> np.uint64(64 - 2 * FULL))


@native
def _add(tree: Ints, place: int, amount: int) -> None:
    place += 1
    while place < tree.shape[0]:
        tree[place] += amount
        place += place & -place


@native
def _sum(tree: Ints, place: int) -> int:
    """The sum over times before ``place``."""
    total = 0
    while place:
        total += tree[place]
        place -= place & -place
    return total


@native
def _find(lines: Ints, line: int, hashed: int) -> int:
    """The slot of a line in the table, or the free slot where it belongs."""
    slots = lines.shape[0]
    slot = (hashed >> FULL) & (slots - 1)
    while lines[slot] != -1 and lines[slot] != line:
        slot = (slot + 1) & (slots - 1)
    return slot


@native
def _rebuild(lines: Ints, times: Ints, tree: Ints, state: Ints) -> None:
    """Number the tracked lines anew, oldest first, without those above the threshold."""
    limit = np.int64(1) << state[THRESHOLD_BITS]
    kept = 0
    old_lines = np.empty(state[TRACKED], np.int64)
    old_times = np.empty(state[TRACKED], np.int64)
    for slot in range(lines.shape[0]):
        if lines[slot] != -1:
            if (_hash(lines[slot]) & ((1 << FULL) - 1)) < limit:
                old_lines[kept] = lines[slot]
                old_times[kept] = times[slot]
                kept += 1
            lines[slot] = -1
    tree[:] = 0
    order = np.argsort(old_times[:kept])
    for time in range(kept):
        line = int(old_lines[int(order[time])])
        slot = _find(lines, line, _hash(line))
        lines[slot] = line
        times[slot] = time
        _add(tree, time, 1)
    state[CLOCK] = kept
    state[TRACKED] = kept


@native
def touch(line: int, lines: Ints, times: Ints, tree: Ints, state: Ints, histogram: Ints) -> None:
    """Record that ``line`` is touched, in the histogram of whoever touches it."""
    hashed = _hash(line)
    if (hashed & ((1 << FULL) - 1)) >> state[THRESHOLD_BITS]:
        return
    weight = np.int64(1) << (FULL - state[THRESHOLD_BITS])
    if state[CLOCK] + 1 >= tree.shape[0]:
        _rebuild(lines, times, tree, state)
    now = state[CLOCK]
    slot = _find(lines, line, hashed)
    if lines[slot] == line:
        before = times[slot]
        distance = (_sum(tree, now) - _sum(tree, before + 1)) * weight
        bucket = 0
        while distance:
            bucket += 1
            distance >>= 1
        histogram[min(bucket, BUCKETS - 2)] += weight
        _add(tree, before, -1)
    else:
        histogram[BUCKETS - 1] += weight
        lines[slot] = line
        state[TRACKED] += 1
    times[slot] = now
    _add(tree, now, 1)
    state[CLOCK] = now + 1
    while 2 * state[TRACKED] > lines.shape[0]:
        state[THRESHOLD_BITS] -= 1
        _rebuild(lines, times, tree, state)

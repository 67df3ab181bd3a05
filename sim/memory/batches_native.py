"""What requests that come to DRAM together wait for each other, compiled by numba. Import it
lazily.

Baghsorkhi et al., section 3.2.3: groups of 1 to 32 requests, as many as there are SMs, make a
batch. The text plays batches on the GPU; here they go through the channels, banks and rows of the
cycle-level model's DRAM.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import native, scatter
from kcc.sim.memory.cache_native import draw, quotient, remainder
from kcc.sim.memory.facts import Place

Ints = Any
Floats = Any

SMS, HASH, L2_SLICES, GROUPS = (
    int(Place.SMS), int(Place.HASH), int(Place.L2_SLICES), int(Place.GROUPS),
)  # fmt: skip
CHANNELS, BANKS, ROW_LINES, BURST = (
    int(Place.CHANNELS), int(Place.BANKS), int(Place.ROW_LINES), int(Place.BURST),
)  # fmt: skip
ROW_MISS, ROW_CYCLE, OPENING, DRAM_LATENCY = (
    int(Place.ROW_MISS), int(Place.ROW_CYCLE), int(Place.OPENING), int(Place.DRAM_LATENCY),
)  # fmt: skip

MOST_OF_GROUP = 32
"""Requests of a group: lanes of a warp."""


@native
def batch_latency(c: Ints, lines: Ints, misses: Ints, first: int, end: int) -> float:
    """The mean latency in cycles of requests that come to idle DRAM at once, in this order; they
    are numbers in ``lines``."""
    channels, banks = c[CHANNELS], c[BANKS]
    bus, opening = np.zeros(channels, np.int64), np.zeros(channels, np.int64)
    row, opened = np.full(channels * banks, -1, np.int64), np.zeros(channels * banks, np.int64)
    free = np.zeros(channels * banks, np.int64)
    total = 0
    for number in range(first, end):
        line = lines[misses[number]]
        unit = remainder(scatter(line) if c[HASH] != 0 else line, c[L2_SLICES])
        channel = unit * channels // c[L2_SLICES]
        within = quotient(quotient(line, channels), c[ROW_LINES])
        chosen = scatter(within) if c[HASH] != 0 else within
        bank = channel * banks + remainder(chosen, banks)
        start = bus[channel] >> 6
        bus[channel] += c[BURST]
        if row[bank] == within:
            total += max(start - c[ROW_MISS], opened[bank])  # by then the row is open
            continue
        row[bank] = within
        begins = max(opening[channel] >> 6, free[bank])
        opening[channel] = (begins << 6) + c[OPENING]
        total += max(start, begins)
        opened[bank], free[bank] = begins, begins + c[ROW_CYCLE]
    return c[DRAM_LATENCY] + total / max(end - first, 1)


@native
def batch_latencies(
    c: Ints, lines: Ints, misses: Ints, count: int, random: Any, found: Floats
) -> int:
    """The latencies of batches, spread evenly over all ``count`` requests, at most as many as
    ``found`` has room for; gives how many there are."""
    batches, first = 0, 0
    usual = c[SMS] * (MOST_OF_GROUP // 2)
    step = max(count // max(len(found), 1), 1)
    while first < count and batches < len(found):
        requests = 0
        for _ in range(c[SMS]):
            requests += 1 + draw(random, MOST_OF_GROUP) if c[GROUPS] != 0 else MOST_OF_GROUP
        end = min(first + requests, count)
        if end - first < usual and batches > 0:
            break  # what is left at the end is no batch
        found[batches] = batch_latency(c, lines, misses, first, end)
        batches += 1
        first = max(end, batches * step)
    return batches

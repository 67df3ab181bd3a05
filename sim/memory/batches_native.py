"""What requests that come to DRAM together wait for each other, compiled by numba. Import it
lazily.

Baghsorkhi et al., section 3.2.3: groups of 1 to 32 requests, as many as there are SMs, make a
batch. The text plays batches on the GPU; here they go through the channels, banks and rows of the
cycle-level model's DRAM.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import native, quotient, remainder, scatter
from kcc.sim.memory.cache_native import draw
from kcc.sim.memory.facts import Place
from kcc.sim.memory.l2_native import COUNT_BITS

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
def batch_latency(
    c: Ints, lines: Ints, misses: Ints, first: int, end: int, channel_state: Ints, bank_state: Ints
) -> float:
    """The mean latency in cycles of requests that come to idle DRAM at once, in this order:
    entries of ``misses``, a number in ``lines`` and how many sectors of that line. The states are
    room for those of channels (their bus, when they may open a row; in 1/64 cycle) and banks (the
    row, when it is open, when the bank is free)."""
    channels, banks = c[CHANNELS], c[BANKS]
    channel_state[:], bank_state[:] = 0, 0
    total = sectors = 0
    for number in range(first, end):
        entry = misses[number]
        line, count = lines[entry >> COUNT_BITS], entry & ((1 << COUNT_BITS) - 1)
        unit = remainder(scatter(line) if c[HASH] != 0 else line, c[L2_SLICES])
        channel = unit * channels // c[L2_SLICES]
        within = quotient(quotient(line, channels), c[ROW_LINES])
        chosen = scatter(within) if c[HASH] != 0 else within
        bank = channel * banks + remainder(chosen, banks)
        sectors += count
        for _ in range(count):
            start = channel_state[channel, 0] >> 6
            channel_state[channel, 0] += c[BURST]
            if bank_state[bank, 0] == within + 1:
                total += max(start - c[ROW_MISS], bank_state[bank, 1])  # by then the row is open
                continue
            begins = max(channel_state[channel, 1] >> 6, bank_state[bank, 2])
            channel_state[channel, 1] = (begins << 6) + c[OPENING]
            total += max(start, begins)
            bank_state[bank, 0] = within + 1
            bank_state[bank, 1], bank_state[bank, 2] = begins, begins + c[ROW_CYCLE]
    return c[DRAM_LATENCY] + total / max(sectors, 1)


@native
def batch_latencies(
    c: Ints, lines: Ints, misses: Ints, count: int, random: Any, found: Floats
) -> int:
    """The latencies of batches, spread evenly over all ``count`` entries, at most as many as
    ``found`` has room for; gives how many there are."""
    batches, first = 0, 0
    channel_state = np.zeros((c[CHANNELS], 2), np.int64)
    bank_state = np.zeros((c[CHANNELS] * c[BANKS], 3), np.int64)
    usual = c[SMS] * (MOST_OF_GROUP // 2)
    step = max(count // max(len(found), 1), 1)
    while first < count and batches < len(found):
        requests = 0
        for _ in range(c[SMS]):
            requests += 1 + draw(random, MOST_OF_GROUP) if c[GROUPS] != 0 else MOST_OF_GROUP
        end, taken = first, 0
        while end < count and taken < requests:
            taken += misses[end] & ((1 << COUNT_BITS) - 1)
            end += 1
        if taken < min(usual, requests) and batches > 0:
            break  # what is left at the end is no batch
        found[batches] = batch_latency(c, lines, misses, first, end, channel_state, bank_state)
        batches += 1
        first = max(end, batches * step)
    return batches

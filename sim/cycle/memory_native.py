"""Caches, interconnect and DRAM of the cycle-level model, compiled by numba. Import it lazily.

Each resource has a time when it is next free; an access walks through them when it is issued and
learns at once when its data come back. Whatever is beyond the latency without load is returned as
queueing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.native import uncounted
from kcc.sim.cycle.layout import SLOT_CYCLES, SLOTS, Cause, Conf, Run, Stat

Ints = Any
Times = Any
Bytes = Any

SMS = int(Conf.SMS)
L1_LATENCY = int(Conf.L1_LATENCY)
SECTORS = int(Conf.SECTORS)
L2_SETS, L2_WAYS, L2_SLICES = int(Conf.L2_SETS), int(Conf.L2_WAYS), int(Conf.L2_SLICES)
L2_LATENCY, L2_OCCUPANCY = int(Conf.L2_LATENCY), int(Conf.L2_OCCUPANCY)
WRITE_BACK, HASH = int(Conf.L2_WRITE_BACK), int(Conf.HASH)
REQUEST_CYCLES, DATA_CYCLES = int(Conf.REQUEST_CYCLES), int(Conf.DATA_CYCLES)
CHANNELS, DRAM_LATENCY, BURST = int(Conf.CHANNELS), int(Conf.DRAM_LATENCY), int(Conf.BURST)
ROW_LINES, BANKS = int(Conf.ROW_LINES), int(Conf.BANKS)
ROW_MISS, ROW_CYCLE = int(Conf.ROW_MISS), int(Conf.ROW_CYCLE)
CLOCK = int(Run.CLOCK)
C_L2, C_DRAM = int(Cause.L2), int(Cause.DRAM)
S_READS, S_HITS, S_WRITES = int(Stat.L2_READS), int(Stat.L2_READ_HITS), int(Stat.L2_WRITES)
S_DRAM_READS, S_DRAM_WRITES = int(Stat.DRAM_READS), int(Stat.DRAM_WRITES)
S_ROW_HITS = int(Stat.ROW_HITS)

ROWS_KEPT = 4
"""Rows of a bank that waiting requests are for: what FR-FCFS serves together."""


@uncounted
def scatter(line: int) -> int:
    """A number that looks random, for choosing slices: every bit of the line has a say."""
    x = np.uint64(line)
    x ^= x >> np.uint64(17)
    x *= np.uint64(0xED5AD4BB)
    x ^= x >> np.uint64(11)
    x *= np.uint64(0xAC4C1B51)
    x ^= x >> np.uint64(15)
    masked: Any = np.int64(x & np.uint64(0x7FFFFFFF))
    return masked


@uncounted
def return_slot(slots: Ints, sm: int, time: int, cost: int) -> int:
    """When data that are ready at ``time`` come through the SM's way in, which takes ``cost``
    cycles for them. ``slots[sm]`` are windows of cycles, with the number of the window and the
    cycles taken."""
    window = time // SLOT_CYCLES
    first = window
    while True:
        place = window % SLOTS
        if slots[sm, place, 0] != window:
            if slots[sm, place, 0] > window:  # too far in the past: no room is known
                return time
            slots[sm, place, 0] = window
            slots[sm, place, 1] = 0
        if slots[sm, place, 1] + cost <= SLOT_CYCLES or slots[sm, place, 1] == 0:
            slots[sm, place, 1] += cost
            if window == first:
                return time
            return window * SLOT_CYCLES
        window += 1


@uncounted
def dram(
    conf: Ints, channel_free: Ints, bank_free: Ints, rows: Ints, stats: Ints, channel: int,
    line: int, time: int,
) -> tuple[int, int]:  # fmt: skip
    """A sector at a channel: when its data are there beyond ``time`` plus the latency, and of that
    what it waited in queues."""
    within = line // conf[CHANNELS] // conf[ROW_LINES]
    bank = channel * conf[BANKS] + (scatter(within) if conf[HASH] else within) % conf[BANKS]
    start = max(time * 64, channel_free[channel])
    channel_free[channel] = start + conf[BURST]
    bus = (start + 63) // 64
    for kept in range(ROWS_KEPT):
        if rows[bank, kept, 0] == within and (kept == 0 or rows[bank, kept, 1] >= time):
            stats[S_ROW_HITS] += 1
            rows[bank, kept, 1] = bus
            ready = max(bus, rows[bank, kept, 2] - conf[ROW_MISS])
            return ready - conf[ROW_MISS], ready - time
    opens = max(time, bank_free[bank])
    bank_free[bank] = opens + conf[ROW_CYCLE]
    for kept in range(ROWS_KEPT - 1, 0, -1):
        for column in range(rows.shape[2]):
            rows[bank, kept, column] = rows[bank, kept - 1, column]
    ready = max(bus, opens)
    rows[bank, 0, 0], rows[bank, 0, 1], rows[bank, 0, 2] = within, bus, opens + conf[ROW_MISS]
    return ready, ready - time


@uncounted
def level2(
    conf: Ints, run: Ints, stats: Ints, slots: Ints, out: Ints, slice_free: Ints, tags: Ints,
    used: Ints, filled: Times, dirty: Bytes, channel_free: Ints, bank_free: Ints, rows: Ints,
    sm: int, time: int, line: int, sector: int, is_write: int, weight: int,
) -> tuple[int, int, int]:  # fmt: skip
    """A sector's request that leaves the SM at ``time``: when data are back, cycles of that in
    queues, and the level that gave them. ``out`` is when the SM's way out is free; ``weight``
    is how often the slice has to work for it (atomics on one address). Writes give no data: the
    time is that of arrival."""
    leaves = max(time, out[sm])
    out[sm] = leaves + (conf[DATA_CYCLES] if is_write or weight > 1 else conf[REQUEST_CYCLES])
    chosen = scatter(line) if conf[HASH] else line
    unit = chosen % conf[L2_SLICES]
    half = conf[L2_LATENCY] // 2
    arrives = leaves + half
    begins = max(arrives * 64, slice_free[unit])
    slice_free[unit] = begins + conf[L2_OCCUPANCY] * weight
    served = begins // 64
    waited = (leaves - time) + (served - arrives)
    channel = unit * conf[CHANNELS] // conf[L2_SLICES]
    level, extra = C_L2, 0
    if is_write:
        stats[S_WRITES] += 1
    else:
        stats[S_READS] += 1
    if conf[L2_SETS] == 0:
        level = C_DRAM
        if is_write:
            stats[S_DRAM_WRITES] += 1
            channel_free[channel] = max(served * 64, channel_free[channel]) + conf[BURST]
        else:
            stats[S_DRAM_READS] += 1
            ready, queue = dram(conf, channel_free, bank_free, rows, stats, channel, line, served)
            extra = ready - served + conf[DRAM_LATENCY]
            waited += queue
    else:
        sets = conf[L2_SETS]
        base = (unit * sets + (line // conf[L2_SLICES]) % sets) * conf[L2_WAYS]
        way, victim, oldest = -1, base, np.int64(1) << 62
        for place in range(base, base + conf[L2_WAYS]):
            if tags[place] == line:
                way = place
                break
            if used[place] < oldest:
                oldest, victim = used[place], place
        run[CLOCK] += 1
        if way < 0:
            way = victim
            if tags[way] >= 0:
                for s in range(conf[SECTORS]):
                    if dirty[way, s]:
                        stats[S_DRAM_WRITES] += 1
                        channel_free[channel] = (
                            max(served * 64, channel_free[channel]) + conf[BURST]
                        )
            tags[way] = line
            for s in range(conf[SECTORS]):
                filled[way, s] = -1
                dirty[way, s] = 0
        used[way] = run[CLOCK]
        present = filled[way, sector]
        if is_write:
            if conf[WRITE_BACK]:
                dirty[way, sector] = 1
            else:
                stats[S_DRAM_WRITES] += 1
                channel_free[channel] = max(served * 64, channel_free[channel]) + conf[BURST]
            if present < 0:
                filled[way, sector] = served
        elif present < 0:
            level = C_DRAM
            stats[S_DRAM_READS] += 1
            ready, queue = dram(conf, channel_free, bank_free, rows, stats, channel, line, served)
            waited += queue
            extra = ready - served + conf[DRAM_LATENCY]
            filled[way, sector] = served + extra
        else:
            stats[S_HITS] += 1
            if present > served:
                level, extra = C_DRAM, present - served
        if weight > 1 and conf[WRITE_BACK]:
            dirty[way, sector] = 1
    if is_write:
        return served, waited, level
    ready = served + extra + conf[L2_LATENCY] - half
    back = return_slot(slots, sm, ready, conf[DATA_CYCLES])
    return back, waited + back - ready, level

"""Interconnect, L2 and DRAM of the cycle-level model, compiled by numba. Import it lazily.

Each resource has a time when it is next free; an access walks through them when it is issued and
learns at once when its data come back. Whatever is beyond the latency without load is returned as
queueing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.base.native import (
    inlined,
    near_of_16,
    put_first_of_16,
    quotient,
    remainder,
    scatter,
    trailing_zeros,
    uncounted,
)
from kcc.sim.cycle.layout import (
    ABSENT,
    DIRTY,
    ROWS_KEPT,
    SIDE_WAYS,
    SLOT_SHIFT,
    SLOTS,
    USED_BITS,
    WAY_BITS,
    Cache,
    Cause,
    Conf,
    Dram,
    Sms,
    Stat,
)
from kcc.sim.machine.dram_banks_native import bank_of

Ints = Any

SECTORS = int(Conf.SECTORS)
L2_SETS, L2_WAYS, L2_SLICES = int(Conf.L2_SETS), int(Conf.L2_WAYS), int(Conf.L2_SLICES)
L2_LATENCY, L2_OCCUPANCY = int(Conf.L2_LATENCY), int(Conf.L2_OCCUPANCY)
WRITE_BACK, HASH = int(Conf.L2_WRITE_BACK), int(Conf.HASH)
BANK_MAPPING = int(Conf.BANK_MAPPING)
REQUEST_CYCLES, DATA_CYCLES = int(Conf.REQUEST_CYCLES), int(Conf.DATA_CYCLES)
CHANNELS, DRAM_LATENCY, BURST = int(Conf.CHANNELS), int(Conf.DRAM_LATENCY), int(Conf.BURST)
ROW_LINES, BANKS = int(Conf.ROW_LINES), int(Conf.BANKS)
WRITES_TOGETHER, TURNAROUND = int(Conf.WRITES_TOGETHER), int(Conf.TURNAROUND)
L2_MSHR, L2_QUEUE, DRAM_QUEUE = int(Conf.L2_MSHR), int(Conf.L2_QUEUE), int(Conf.DRAM_QUEUE)
L2_MERGE, L2_PARTIAL = int(Conf.L2_MERGE), int(Conf.L2_PARTIAL)
LINE_WORDS = 32
WORDS_MASK = (1 << LINE_WORDS) - 1
REFRESH_EVERY, REFRESH, OPENING = (
    int(Conf.REFRESH_EVERY), int(Conf.REFRESH), int(Conf.OPENING),
)  # fmt: skip
ROW_MISS, ROW_CYCLE = int(Conf.ROW_MISS), int(Conf.ROW_CYCLE)
SIDE_SETS, SIDE_LATENCY, SIDE_BURST = (
    int(Conf.SIDE_SETS), int(Conf.SIDE_LATENCY), int(Conf.SIDE_BURST),
)  # fmt: skip
S_SIDE, S_SIDE_HITS = int(Stat.SIDE_READS), int(Stat.SIDE_HITS)
C_L2, C_DRAM = int(Cause.L2), int(Cause.DRAM)
S_READS, S_HITS, S_WRITES = int(Stat.L2_READS), int(Stat.L2_READ_HITS), int(Stat.L2_WRITES)
S_DRAM_READS, S_DRAM_WRITES = int(Stat.DRAM_READS), int(Stat.DRAM_WRITES)
S_ROW_HITS, S_WRITE_HITS = int(Stat.ROW_HITS), int(Stat.L2_WRITE_HITS)

WAY_MASK = DIRTY - 1
LOW_BITS = (1 << WAY_BITS) - 1


@inlined
def in_order(order: Ints, first: int, ways: int, line: int) -> int:
    """How many lines of the set whose ways begin at ``first`` were used after a line; where it is
    not cached, after the one used least recently."""
    known = near_of_16(order, first, line << WAY_BITS, 1 << WAY_BITS) & ((1 << ways) - 1)
    return trailing_zeros(known | 1 << (ways - 1))


@inlined
def find_line(order: Ints, first: int, ways: int, line: int) -> tuple[int, int]:
    """Where the line is in the set whose ways begin at ``first``, and the entry that was there
    before: its own if it was cached. It becomes the one used last."""
    place = in_order(order, first, ways, line)
    entry = order[np.uint64(first + place)]
    own = line << WAY_BITS | entry & WAY_MASK
    put_first_of_16(order, first, entry if entry >> WAY_BITS == line else own, place)
    return first + (entry & WAY_MASK), entry


@inlined
def place_of(order: Ints, first: int, ways: int, line: int) -> int:
    """Where a line is in its set, or what it will take the place of."""
    return first + (order[np.uint64(first + in_order(order, first, ways, line))] & WAY_MASK)


@inlined
def return_slot(slots: Ints, sm: int, time: int, cost: int) -> int:
    """When data that are ready at ``time`` come through the SM's way in, which takes ``cost``
    for them, in 1/64 cycle. ``slots[sm]`` are windows of cycles: the number of the window and, in
    the lowest bits, what of it is taken."""
    first = time >> SLOT_SHIFT
    window = first
    while True:
        place = np.uint64(window & (SLOTS - 1))
        entry = np.int64(slots[sm, place])
        if entry >> USED_BITS > window:  # too far in the past: no room is known
            return time
        entry = max(entry, window << USED_BITS)
        used = entry & ((1 << USED_BITS) - 1)
        if used + cost <= 64 << SLOT_SHIFT or used == 0:
            slots[sm, place] = entry + min(cost, (1 << USED_BITS) - 1)
            return time if window == first else window << SLOT_SHIFT
        window += 1


@inlined
def refreshed(conf: Ints, time: int) -> int:
    """``time`` in 1/64 cycle, or the end of the refresh of all banks that it falls into."""
    every = conf[REFRESH_EVERY]
    if every == 0:
        return time
    return max(time, time - time % every + conf[REFRESH])


@inlined
def read_dram(
    conf: Ints, memory: Dram, stats: Ints, channel: int, line: int, time: int
) -> tuple[int, int]:
    """A sector at a channel: when its data are there beyond the latency, and of that what it
    waited in queues."""
    within = quotient(quotient(line, conf[CHANNELS]), conf[ROW_LINES])
    bank = np.uint64(channel * conf[BANKS] + bank_of(within, conf[BANKS], conf[BANK_MAPPING]))
    start = refreshed(conf, max(time << 6, memory.channels[channel]))
    memory.channels[channel] = start + conf[BURST]
    memory.writes[channel, 1] = 1
    bus = (start + 63) >> 6
    rows = memory.rows
    for kept in range(ROWS_KEPT):
        if rows[bank, kept, 0] == within and (kept == 0 or rows[bank, kept, 1] >= time):
            stats[S_ROW_HITS] += 1
            rows[bank, kept, 1] = bus
            ready = max(bus, rows[bank, kept, 2] - conf[ROW_MISS])
            return ready - conf[ROW_MISS], ready - time
    opening = max(time << 6, memory.openings[channel])
    memory.openings[channel] = opening + conf[OPENING]
    opens = max(opening >> 6, memory.banks[bank])
    memory.banks[bank] = opens + conf[ROW_CYCLE]
    for kept in range(ROWS_KEPT - 1, 0, -1):
        for column in range(3):
            rows[bank, kept, column] = rows[bank, kept - 1, column]
    ready = max(bus, opens)
    rows[bank, 0, 0], rows[bank, 0, 1], rows[bank, 0, 2] = within, bus, opens + conf[ROW_MISS]
    return ready, ready - time


@inlined
def write_dram(conf: Ints, memory: Dram, stats: Ints, unit: int, time: int) -> None:
    """A sector that the channel of a slice has to write. It collects some before it turns from
    reading to writing and back, if it read since. The slice goes on at once unless the channel's
    queue is full."""
    stats[S_DRAM_WRITES] += 1
    channel = channel_of(conf, unit)
    writes = memory.writes[channel]
    writes[0] += 1
    if writes[0] >= conf[WRITES_TOGETHER]:
        busy = writes[0] * conf[BURST] + conf[TURNAROUND] * writes[1]
        start = refreshed(conf, max(time << 6, memory.channels[channel]))
        memory.channels[channel] = start + busy
        writes[0] = writes[1] = 0
        room = memory.channels[channel] - conf[DRAM_QUEUE] * conf[BURST]
        memory.slices[unit] = max(memory.slices[unit], room)


@uncounted
def pass_side(
    conf: Ints, memory: Dram, stats: Ints, unit: int, line: int, sector: int, time: int,
    is_write: bool,
) -> tuple[int, bool]:  # fmt: skip
    """A sector that goes through the memory-side cache at ``time``: when its channel's part has
    taken it, and whether it was there. It stays; what it takes the place of goes to DRAM, if that
    is newer."""
    channel, sets = channel_of(conf, unit), conf[SIDE_SETS]
    start = max(time << 6, memory.sides[channel])
    memory.sides[channel] = start + conf[SIDE_BURST]
    taken = start >> 6
    number = line * conf[SECTORS] + sector
    within = remainder(quotient(line, conf[L2_SLICES]) * conf[SECTORS] + sector, sets)
    first = (channel * sets + within) * SIDE_WAYS
    _, had = find_line(memory.kept, first, SIDE_WAYS, number)
    if is_write:
        memory.kept[first] |= DIRTY
    if had >> WAY_BITS == number:
        return taken, True
    if had & DIRTY:
        write_dram(conf, memory, stats, unit, taken)
    return taken, False


@inlined
def write_beyond(
    conf: Ints, memory: Dram, stats: Ints, unit: int, line: int, sector: int, time: int
) -> None:
    """A sector that a slice of L2 gives up or hands on: to the memory-side cache, or DRAM. The
    slice waits where that is as far behind as a channel's queue is long."""
    if conf[SIDE_SETS] == 0:
        write_dram(conf, memory, stats, unit, time)
        return
    pass_side(conf, memory, stats, unit, line, sector, time, is_write=True)
    room = memory.sides[channel_of(conf, unit)] - conf[DRAM_QUEUE] * conf[SIDE_BURST]
    memory.slices[unit] = max(memory.slices[unit], room)


@inlined
def read_beyond(
    conf: Ints, memory: Dram, stats: Ints, unit: int, line: int, sector: int, time: int
) -> tuple[int, int]:
    """A sector that a slice of L2 misses at ``time``, from the memory-side cache or DRAM: when its
    data are there, without L2's own latency, and of that what it waited in queues."""
    taken = time
    if conf[SIDE_SETS] > 0:
        stats[S_SIDE] += 1
        taken, hit = pass_side(conf, memory, stats, unit, line, sector, time, is_write=False)
        if hit:
            stats[S_SIDE_HITS] += 1
            return taken + conf[SIDE_LATENCY], taken - time
    stats[S_DRAM_READS] += 1
    ready, waited = read_dram(conf, memory, stats, channel_of(conf, unit), line, taken)
    return ready + conf[DRAM_LATENCY], waited + taken - time


@inlined
def miss_entry(conf: Ints, memory: Dram, unit: int, time: int) -> int:
    """When a slice of L2 that misses at ``time`` has an entry for that. They are given back in
    the order in which they were taken, as one channel serves them all."""
    entries = conf[L2_MSHR]
    if entries == 0:
        return time
    return max(time, memory.misses[unit, memory.misses[unit, entries]])


@inlined
def keep_miss(conf: Ints, memory: Dram, unit: int, done: int) -> None:
    """The miss of a slice that was given an entry is done at ``done``."""
    entries = conf[L2_MSHR]
    if entries > 0:
        place = memory.misses[unit, entries]
        memory.misses[unit, place] = done
        memory.misses[unit, entries] = place + 1 if place + 1 < entries else 0


@inlined
def home_of(conf: Ints, line: int) -> tuple[int, int]:
    """The slice of a line in L2 and where the ways of its set begin."""
    slices, sets = conf[L2_SLICES], conf[L2_SETS]
    unit = remainder(scatter(line) if conf[HASH] else line, slices)
    if sets == 0:
        return unit, 0
    return unit, (unit * sets + remainder(quotient(line, slices), sets)) * conf[L2_WAYS]


@inlined
def channel_of(conf: Ints, unit: int) -> int:
    """The channel of DRAM of a slice of L2."""
    return quotient(unit * conf[CHANNELS], conf[L2_SLICES])


@inlined
def take_line(
    conf: Ints, l2: Cache, memory: Dram, stats: Ints, unit: int, first: int, line: int, time: int
) -> tuple[int, bool]:  # fmt: skip
    """The place of a line in L2, and whether it was there. If not, another line goes; what is
    dirty of that is written back."""
    place, had = find_line(l2.order, first, conf[L2_WAYS], line)
    if had >> WAY_BITS == line:
        return place, True
    sectors, state = conf[SECTORS], l2.lines[np.uint64(place)]
    if had & DIRTY:
        dirty = np.int64(state[sectors])
        while dirty:
            old, sector = had >> WAY_BITS, trailing_zeros(dirty)
            write_beyond(conf, memory, stats, unit, old, sector, time)
            dirty &= dirty - 1
    for sector in range(np.uint64(sectors)):
        state[sector] = ABSENT
    state[sectors] = 0
    if conf[L2_PARTIAL]:
        state[sectors + 1] = 0
    return place, False


@inlined
def set_dirty(conf: Ints, l2: Cache, first: int, place: int, sector: int) -> None:
    """A sector of the line that was used last in the set at ``first`` is newer than in DRAM."""
    l2.order[first] |= DIRTY
    l2.lines[place, conf[SECTORS]] |= 1 << sector


@inlined
def request(
    conf: Ints, sms: Sms, memory: Dram, sm: int, unit: int, time: int, cycles: int, weight: int
) -> tuple[int, int]:
    """A request that is ready to leave the SM at ``time`` and takes ``cycles`` (1/64) of its way
    out:
    when its slice begins to work on it, and what it queued. ``weight`` is how often the slice has
    to (atomics on one address)."""
    state = sms.state[sm]
    free = max(time << 6, state.out)
    state.out = free + cycles
    leaves = (free + 63) >> 6
    arrives = leaves + conf[L2_LATENCY] // 2
    begins = max(arrives << 6, memory.slices[unit])
    memory.slices[unit] = begins + conf[L2_OCCUPANCY] * weight
    served = begins >> 6
    return served, (leaves - time) + (served - arrives)


@inlined
def queue_has_room(conf: Ints, memory: Dram, unit: int) -> int:
    """When a request must leave an SM to find room in the queue of a slice."""
    begins = memory.slices[unit] - conf[L2_QUEUE] * conf[L2_OCCUPANCY]
    return (begins >> 6) - conf[L2_LATENCY] // 2


@inlined
def read_level2(
    conf: Ints, sms: Sms, l2: Cache, memory: Dram, stats: Ints, sm: int, unit: int, place: int,
    line: int, sector: int, served: int, known: bool,
) -> tuple[int, int, int]:  # fmt: skip
    """A sector that a slice gives from ``served`` on: when data are back at the SM, cycles of that
    in queues, and the level that gave them. ``place`` is that of its line in L2, -1 without L2;
    ``known`` whether the line was there before."""
    level, extra, waited = C_L2, 0, 0
    stats[S_READS] += 1
    present = np.int64(l2.lines[np.uint64(place), np.uint64(sector)]) if known else ABSENT
    if present == ABSENT:
        level = C_DRAM
        begins = miss_entry(conf, memory, unit, served)
        if begins > served:  # the slice blocks
            memory.slices[unit] = max(memory.slices[unit], begins << 6)
        ready, waited = read_beyond(conf, memory, stats, unit, line, sector, begins)
        waited += begins - served
        extra = ready - served
        keep_miss(conf, memory, unit, served + extra)
        if place >= 0:
            l2.lines[np.uint64(place), np.uint64(sector)] = served + extra
            if conf[L2_MERGE] > 0:
                l2.lines[np.uint64(place), np.uint64(2 * conf[SECTORS] + sector)] = 1
    else:
        stats[S_HITS] += 1
        if present > served:
            level, extra = C_DRAM, present - served
            if conf[L2_MERGE] > 0:
                at = np.uint64(2 * conf[SECTORS] + sector)
                merged = l2.lines[np.uint64(place), at] + 1
                l2.lines[np.uint64(place), at] = merged
                if merged > conf[L2_MERGE]:  # the slice blocks
                    memory.slices[unit] = max(memory.slices[unit], present << 6)
    ready = served + extra + conf[L2_LATENCY] - conf[L2_LATENCY] // 2
    back = return_slot(sms.returns, sm, ready, conf[DATA_CYCLES])
    return back, waited + back - ready, level


@inlined
def write_level2(
    conf: Ints, l2: Cache, memory: Dram, stats: Ints, unit: int, first: int, place: int,
    sector: int, words: Any, served: int,
) -> None:  # fmt: skip
    """A sector that comes to L2 at ``served`` and is kept there, or goes on to DRAM. ``words`` are
    those of the line that are stored, where that matters: the sector is there for loads when all
    its words were."""
    stats[S_WRITES] += 1
    if place >= 0 and (l2.lines[place, conf[SECTORS]] >> sector) & 1:
        stats[S_WRITE_HITS] += 1
    if place >= 0 and conf[WRITE_BACK]:
        set_dirty(conf, l2, first, place, sector)
    elif place >= 0:  # written, though no newer than beyond
        line = l2.order[first] >> WAY_BITS
        write_beyond(conf, memory, stats, unit, line, sector, served)
        l2.lines[place, conf[SECTORS]] |= 1 << sector
    else:
        write_dram(conf, memory, stats, unit, served)
    if place >= 0 and l2.lines[place, sector] == ABSENT:
        if conf[L2_PARTIAL]:
            known = (np.int64(l2.lines[place, conf[SECTORS] + 1]) & WORDS_MASK) | words
            l2.lines[place, conf[SECTORS] + 1] = np.int32(known)
            own = LINE_WORDS // conf[SECTORS]
            if ~(known >> (sector * own)) & ((1 << own) - 1) != 0:
                return
        l2.lines[place, sector] = served

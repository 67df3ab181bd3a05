"""What the cycle-level model takes from a GPU description on caches, interconnect and DRAM."""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.typing import NDArray

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.gpu.facts import Quality
from kcc.base.gpu.needs import GpuReader
from kcc.base.gpu.occupancy import Occupancy
from kcc.sim.cycle.layout import SIDE_WAYS, Conf
from kcc.sim.machine.atomics import queue_of_gpu
from kcc.sim.machine.dram_banks import bank_mapping_of
from kcc.sim.machine.l2_path import (
    describes_network,
    l2_bytes_per_cycle,
    part_written_cycles,
    way_to_l2,
)
from kcc.sim.machine.memory_side import memory_side_of
from kcc.sim.machine.shared_carveout import carved_bytes

MOST_WAYS = 16
"""Sets of more ways than this are taken apart into several of at most so many: least recently used
in 16 hashed ways misses hardly more than in 256, and is looked up faster."""

READ_TO_WRITE = 2
"""Cycles of DRAM's clock between the data of a read and those of a write. From a write to the data
of a read it is CDLR (or WTR) and CL. Where those are not given turns cost nothing: how many writes
are collected before one is not known either."""

MOST_DIGITS = 6
"""Of cycles in a timing."""

WORDS = 32
"""Of 4 bytes in a line, whose stores are kept apart."""

READ_REQUEST_CYCLES = 1.0
"""Of an SM's way to L2 for a request that reads. The two of :mod:`kcc.sim.machine.l2_path`, from a
K40 and stores of an H100, make a hotspot of short rows on an A100 2.27 times too slow instead of
1.24 here; six rows of a K40 and seven of a GV100 are the same within 5 % either way."""

FLIT_HEADER_BYTES = 8
"""An address with its kind."""


LAZY_FETCH = "lazy fetch on read"
"""What the write policy of an L1 says where stores leave their data in it (Accel-Sim's term)."""


def whole(reader: GpuReader, key: str, assumed: float | None, reason: str) -> int:
    """A number of a GPU as a whole one, not less than 0."""
    return max(0, round(reader.number(key, assumed=assumed, reason=reason)))


def level1(
    reader: GpuReader, conf: NDArray[np.int64], occupancy: Occupancy
) -> tuple[int, int, int]:
    """Bytes of a line, of a sector and of the cache."""
    line = reader.integer("l1.line_bytes", assumed=128, reason="as most GPUs")
    sector = reader.integer("l1.sector_bytes", assumed=min(32, line), reason="as DRAM's access")
    sector = min(sector, line)
    size = _l1_bytes(reader, occupancy)
    assoc = reader.integer("l1.assoc", assumed=8, reason="nobody says")
    ways = min(assoc, MOST_WAYS)
    conf[Conf.L1_SETS] = size // (line * ways)
    conf[Conf.L1_WAYS] = ways
    conf[Conf.SECTORS] = line // sector
    conf[Conf.L1_LATENCY] = whole(reader, "latency_cycles.l1_hit", 32, "as NVIDIA GPUs since 2017")
    entries = reader.integer("l1.mshr", assumed=512, reason="as Accel-Sim's Volta")
    conf[Conf.L1_MSHR] = max(entries, 1)
    conf[Conf.L1_MERGE] = min(
        reader.integer("l1.mshr_merge", assumed=8, reason="as Accel-Sim's Volta"), 127
    )
    conf[Conf.L1_BANKS] = reader.integer(
        "l1.banks", assumed=line // sector, reason="a line per cycle"
    )
    unit = reader.fact("l1.merge_unit")
    conf[Conf.MERGE_LINES] = unit is not None and unit.value == "line"
    fill = reader.fact("l1.fill")
    conf[Conf.FILL_LINE] = fill is not None and fill.value == "line"
    bank = reader.fact("l1.bank_bytes")
    conf[Conf.L1_BANK_SECTORS] = ceil(bank.value / sector) if bank else 0
    policy = reader.fact("l1.write_policy")
    conf[Conf.STORES_STAY] = conf[Conf.L1_SETS] > 0 and bool(policy and LAZY_FETCH in policy.value)
    return line, sector, size


def _l1_bytes(reader: GpuReader, occupancy: Occupancy) -> int:
    """What resident blocks' local memory leaves of L1."""
    size = reader.integer("l1.size_bytes", assumed=0, reason="no L1 for global loads is known")
    unified = reader.fact("l1.unified_bytes")
    if unified is None:
        return size
    taken = occupancy.blocks * occupancy.allocated_shared_bytes
    steps = reader.fact("shared_carveouts_bytes")
    taken = carved_bytes(() if steps is None else steps.value, taken)
    return max(unified.value - taken, 0)


def level2(
    reader: GpuReader, conf: NDArray[np.int64], line: int, sector: int, clock: float
) -> None:
    """L2, the network to it and atomics."""
    size = reader.integer("l2.size_bytes")
    channels = _channels(reader)
    slices = reader.integer(
        "l2.slices", assumed=2 * channels if size else channels, reason="two to a channel"
    )
    if size == 0:
        slices = channels
    assoc = min(reader.integer("l2.assoc", assumed=16, reason="as most GPUs"), MOST_WAYS)
    conf[Conf.L2_SETS] = max(1, size // (slices * line * assoc)) if size else 0
    conf[Conf.L2_WAYS], conf[Conf.L2_SLICES] = assoc, slices
    l1_hit = int(conf[Conf.L1_LATENCY])
    latency = whole(
        reader, "latency_cycles.l2_hit", l1_hit + 170, "as NVIDIA's V100 beyond its L1"
    ) if size else 2 * max(l1_hit, 20)  # fmt: skip
    conf[Conf.L2_LATENCY] = latency
    conf[Conf.L2_OCCUPANCY] = max(1, round(64 * sector / _slice_bytes(reader, slices, clock)))
    conf[Conf.L2_QUEUE] = reader.integer("l2.queue", assumed=64, reason="as Accel-Sim's Volta")
    entries = reader.fact("l2.mshr")
    conf[Conf.L2_MSHR] = entries.value if entries and size else 0
    merged = reader.fact("l2.mshr_merge")
    conf[Conf.L2_MERGE] = merged.value if merged and size else 0
    policy = reader.text("l2.write_policy", assumed="write-back", reason="as all GPUs since 2010")
    conf[Conf.L2_WRITE_BACK] = policy == "write-back"
    partial = reader.fact("l2.partial_sectors")
    conf[Conf.L2_PARTIAL] = partial is not None and partial.value == "miss" and line == WORDS * 4
    is_measured = line == WORDS * 4 and not describes_network(reader.gpu)
    parts = part_written_cycles(reader.gpu) if is_measured else 1.0
    conf[Conf.PART_WRITTEN] = round(parts)
    conf[Conf.STORED_WORDS] = conf[Conf.L2_PARTIAL] or conf[Conf.PART_WRITTEN] > 1
    conf[Conf.HASH] = reader.text("l2.hash", assumed="ipoly", reason="a hash is likely") == "ipoly"
    _interconnect(reader, conf, line, sector, clock)
    queue = queue_of_gpu(reader.gpu)
    if queue is not None and size:
        conf[Conf.ATOMIC_OPERATION] = round(64 * queue.operation_cycles)
        conf[Conf.ATOMICS_TOGETHER] = queue.several
    conf[Conf.ATOMIC_LATENCY] = whole(
        reader, "latency_cycles.atomic_global", latency, "as a load that hits L2"
    )
    conf[Conf.LOCAL_ATOMIC_LATENCY] = whole(
        reader, "latency_cycles.atomic_shared",
        2 * reader.number("latency_cycles.shared_load", assumed=24, reason="as NVIDIA GPUs"),
        "a load and a store",
    )  # fmt: skip


def _slice_bytes(reader: GpuReader, slices: int, clock: float) -> float:
    """Bytes that a slice of L2 gives in a cycle of the SMs."""
    given, own = reader.fact("l2.bytes_per_cycle"), reader.fact("l2.clock_mhz")
    if given is None and not describes_network(reader.gpu):
        return l2_bytes_per_cycle(reader.gpu, reader.integer("sm_count")) / slices
    per_slice = 32.0 if given is None else given.value / slices
    return per_slice if own is None else per_slice * own.value / clock


def _interconnect(
    reader: GpuReader, conf: NDArray[np.int64], line: int, sector: int, clock: float
) -> None:
    """The way of an SM to L2 and back: flits where a network is described and of machines that no
    GPU is, else as measured (:mod:`kcc.sim.machine.l2_path`)."""
    if describes_network(reader.gpu):
        flit = reader.integer(
            "interconnect.flit_bytes", assumed=40, reason="a sector and its address per cycle"
        )
        flit_clock = reader.fact("interconnect.clock_mhz")
        ratio = clock / flit_clock.value if flit_clock else 1.0
        asked = max(1, round(ratio * ceil(FLIT_HEADER_BYTES / flit)))
        moved = max(1, round(ratio * ceil((sector + FLIT_HEADER_BYTES) / flit)))
        first = more = 64 * asked
        stored = stored_more = data = 64 * moved
    else:
        way = way_to_l2(reader.gpu)
        data = round(64 * sector / way.bytes_per_cycle)
        first, more = round(64 * READ_REQUEST_CYCLES), 0
        stored = max(round(64 * way.request_cycles), data)
        others = line // sector - 1
        stored_more = max(0, (others + 1) * data - stored) // max(others, 1)
    conf[Conf.REQUEST_CYCLES], conf[Conf.REQUEST_MORE] = first, more
    conf[Conf.STORE_CYCLES], conf[Conf.STORE_MORE] = stored, stored_more
    conf[Conf.DATA_CYCLES] = data


def read_only(reader: GpuReader, conf: NDArray[np.int64], line: int) -> None:
    """The caches of instructions and of constants, where their sizes are known; their lines are
    those of L1."""
    code = reader.fact("instruction_cache_bytes")
    if code is not None:
        ways = reader.integer("instruction_cache_assoc", assumed=4, reason="nobody says")
        conf[Conf.FETCH_SETS], conf[Conf.FETCH_WAYS] = _sets_and_ways(code.value // line, ways)
    constants = reader.fact("constant_cache.size_bytes")
    if constants is not None:
        ways = reader.integer("constant_cache.assoc", assumed=4, reason="nobody says")
        sets, ways = _sets_and_ways(constants.value // line, ways)
        conf[Conf.CONSTANT_SETS], conf[Conf.CONSTANT_WAYS] = sets, ways


def _sets_and_ways(lines: int, ways: int) -> tuple[int, int]:
    """Of a cache of so many lines, one at least."""
    ways = min(ways, MOST_WAYS, max(lines, 1))
    return max(lines // ways, 1), ways


def _channels(reader: GpuReader) -> int:
    bus = reader.fact("memory_bus_bits")
    return reader.integer(
        "dram.channels", assumed=max(1, bus.value // 64) if bus else 8, reason="64 bits each"
    )


def dram(reader: GpuReader, conf: NDArray[np.int64], sector: int, line: int, clock: float) -> None:
    """Channels, banks, rows and their times."""
    channels = _channels(reader)
    bandwidth = reader.number(
        "memory_bandwidth_gbs", assumed=200, reason="nothing is known of the memory"
    )
    moved = max(sector, 32)
    per_cycle = bandwidth * 1e3 / clock / channels
    conf[Conf.CHANNELS] = channels
    conf[Conf.BURST] = max(1, round(64 * moved / per_cycle))
    l2 = int(conf[Conf.L2_LATENCY])
    total = whole(reader, "latency_cycles.dram", l2 + 200, "200 cycles beyond L2")
    conf[Conf.DRAM_LATENCY] = max(total - l2, 1)
    page = reader.integer("dram.page_bytes", assumed=2048, reason="as GDDR and HBM have it")
    conf[Conf.ROW_LINES] = max(1, page // line)
    conf[Conf.BANKS] = reader.integer("dram.banks", assumed=16, reason="as GDDR and HBM have it")
    conf[Conf.BANK_MAPPING] = bank_mapping_of(reader)
    timing = _timing(reader)
    fact = reader.fact("dram.clock_mhz") or reader.fact("memory_clock_mhz")
    ratio = clock / fact.value if fact else 1.0
    miss = round((timing.get("RP", 12) + timing.get("RCD", 12)) * ratio)
    conf[Conf.ROW_MISS] = min(miss, int(conf[Conf.DRAM_LATENCY]) // 2)
    conf[Conf.ROW_CYCLE] = max(1, round(timing.get("RC", 40) * ratio))
    given = reader.fact("dram.timing")
    measured = reader.fact("dram.row_ns")
    if measured is not None:
        conf[Conf.OPENING] = round(64 * float(measured.value) * clock / 1e3)
    elif given is not None and given.quality is not Quality.ASSUMED:
        # What nobody said limits nothing.
        conf[Conf.OPENING] = round(64 * timing.get("RRD", timing.get("RRDS", 0)) * ratio)
    queue = reader.integer("dram.queue", assumed=32, reason="as GPGPU-Sim's configurations")
    conf[Conf.DRAM_QUEUE], conf[Conf.WRITES_TOGETHER] = queue, max(queue // 2, 1)
    if "REFI" in timing and "RFC" in timing:
        conf[Conf.REFRESH_EVERY] = max(round(64 * timing["REFI"] * ratio), 1)
        conf[Conf.REFRESH] = round(64 * timing["RFC"] * ratio)
    if "CL" in timing:
        turn = timing["CL"] + timing.get("CDLR", timing.get("WTRL", 3)) + READ_TO_WRITE
        conf[Conf.TURNAROUND] = round(64 * turn * ratio)


def memory_side(reader: GpuReader, conf: NDArray[np.int64], sector: int, clock: float) -> None:
    """The cache between L2 and DRAM, a part of it to each channel; none without an L2."""
    side = memory_side_of(reader.gpu.extra, clock)
    if side is None or conf[Conf.L2_SETS] == 0:
        return
    channels, l2 = int(conf[Conf.CHANNELS]), float(conf[Conf.L2_LATENCY])
    share = side.waits(1.0, l2, l2 + float(conf[Conf.DRAM_LATENCY]))
    conf[Conf.SIDE_SETS] = max(1, side.size_bytes // (channels * sector * SIDE_WAYS))
    conf[Conf.SIDE_LATENCY] = round(share * int(conf[Conf.DRAM_LATENCY]))
    conf[Conf.SIDE_BURST] = max(1, round(64 * sector * channels / side.bytes_per_cycle))


def _timing(reader: GpuReader) -> dict[str, int]:
    text = reader.text(
        "dram.timing", assumed="RP=12:RCD=12:RC=40", reason="as HBM in Accel-Sim's Volta"
    )
    found = dict[str, int]()
    for part in text.split(":"):
        key, _, value = part.partition("=")
        if not value.strip().isdecimal() or len(value) > MOST_DIGITS:
            message = f"'{part}' in dram.timing of {reader.gpu.stem} is not NAME=CYCLES"
            raise DiagnosticError([Diagnostic("K803", message)])
        found[key.strip().removeprefix("t")] = int(value)
    return found

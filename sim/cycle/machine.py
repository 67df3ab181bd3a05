"""What the cycle-level model takes from a GPU description, and what it assumes beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from kcc.diagnostics import Diagnostic, DiagnosticError
from kcc.gpu.description import GpuDescription
from kcc.gpu.facts import Quality
from kcc.gpu.needs import Assumption, GpuReader
from kcc.gpu.occupancy import Occupancy, occupancy_of
from kcc.sim.cycle.layout import CONF_SIZE, GREEDY, MOST_BANKS, ROUND_ROBIN, TWO_LEVEL, WHEEL, Conf
from kcc.sim.machine_costs import Generation, Unit, generation_of

MOST_WAYS = 16
"""Sets of more ways than this are taken apart into several of at most so many: least recently used
in 16 hashed ways misses hardly more than in 256, and is looked up faster."""

QUANTUM = 32
"""Cycles an SM may run ahead of the others: cycle counts move by 0.05 to 2.6 %, see docs."""

POLICIES = {
    "loose-round-robin": ROUND_ROBIN, "greedy-then-oldest": GREEDY, "two-level": TWO_LEVEL,
}  # fmt: skip

LAZY_FETCH = "lazy fetch on read"
"""What the write policy of an L1 says where stores leave their data in it (Accel-Sim's term)."""

CODE_BYTES = {"GT200": 8, "Fermi": 8, "Kepler": 8, "Maxwell": 8, "Pascal": 8}
"""Of a machine instruction, by architecture (cuobjdump's listings; since Kepler there are words
that control several others, which are not counted). Since Volta there are 16."""
NEWER_CODE_BYTES = 16

READ_TO_WRITE = 2
"""Cycles of DRAM's clock between the data of a read and those of a write. From a write to the data
of a read it is CDLR (or WTR) and CL. Where those are not given turns cost nothing: how many writes
are collected before one is not known either."""

MOST_SECTORS = 31
"""Bits of the dirty sectors of a line."""

FLIT_HEADER_BYTES = 8
"""An address with its kind."""


@dataclass(frozen=True, slots=True)
class UnitTiming:
    """Cycles from issue to a dependent issue, and between two issues of a scheduler."""

    latency: int
    interval: int


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """One GPU as the model sees it. ``clock_mhz`` is that of the SMs; ``units`` the pipelines."""

    gpu: GpuDescription
    conf: NDArray[np.int64]
    units: dict[Unit, UnitTiming]
    generation: Generation
    clock_mhz: float
    line_bytes: int
    sector_bytes: int
    local_banks: int
    lanes_together: int
    local_latency: int
    texture_latency: int
    int_mul_latency: int
    l1_bytes: int
    code_bytes: int
    occupancy: Occupancy
    assumptions: tuple[Assumption, ...]

    def __getitem__(self, place: Conf) -> int:
        return int(self.conf[place])


def machine_of(
    gpu: GpuDescription, block_threads: int, registers: int | None, local_bytes: int
) -> Machine:
    """The machine for blocks of this size.

    :raises DiagnosticError: K807 for a value that is needed and not known, K803 for one that is
        larger than the core can hold.
    """
    reader = GpuReader(gpu)
    occupancy = occupancy_of(reader, block_threads, registers, local_bytes)
    conf = np.zeros(CONF_SIZE, np.int64)
    clock = _clock(reader)
    units = _units(reader, conf)
    _issue(reader, conf, occupancy)
    line, sector, l1_bytes = _level1(reader, conf, occupancy)
    _level2(reader, conf, line, sector, clock)
    _read_only(reader, conf, line)
    _dram(reader, conf, sector, line, clock)
    _check_sizes(gpu, conf)
    width = reader.integer("warp_size")
    banks = reader.integer("shared_banks", assumed=32, reason="as all NVIDIA GPUs since 2010")
    return Machine(
        gpu, conf, units, _generation(gpu), clock, line, sector, min(banks, 128),
        width if banks >= 32 else max(width // 2, 1),
        _whole(reader, "latency_cycles.shared_load", 24, "as NVIDIA GPUs since 2017"),
        _whole(reader, "latency_cycles.texture", 200, "as Accel-Sim has it"),
        _whole(reader, "latency_cycles.int_mul", units[Unit.ALU].latency, "as an addition"),
        l1_bytes, _code_bytes(gpu), occupancy, reader.assumptions,
    )  # fmt: skip


def _check_sizes(gpu: GpuDescription, conf: NDArray[np.int64]) -> None:
    """Warps of a scheduler and sectors of a line are bits of words in the core."""
    for value, most, what in (
        (conf[Conf.PER_SCHEDULER], WHEEL, "warps to a scheduler"),
        (conf[Conf.SECTORS], MOST_SECTORS, "sectors to a line"),
    ):
        if value > most:
            message = f"{gpu.stem} has {value} {what}; the cycle-level model can do with {most}"
            raise DiagnosticError([Diagnostic("K803", message)])


def _generation(gpu: GpuDescription) -> Generation:
    text = gpu.compute_capability.value if gpu.compute_capability else ""
    found = re.fullmatch(r"(\d+)\.(\d+)", text)
    capability = (int(found[1]), int(found[2])) if found else None
    return generation_of(capability, gpu.is_amd)


def _clock(reader: GpuReader) -> float:
    """What SMs run at under load: the boost clock, where there is one."""
    if reader.fact("extra.shader_clock_mhz"):
        return reader.number("extra.shader_clock_mhz")
    if reader.fact("core_clock_boost_mhz"):
        return reader.number("core_clock_boost_mhz")
    return reader.number("core_clock_base_mhz", assumed=1000, reason="no clock is known")


def _whole(reader: GpuReader, key: str, assumed: float | None, reason: str) -> int:
    return max(0, round(reader.number(key, assumed=assumed, reason=reason)))


_UNIT_KEYS: dict[Unit, tuple[str, str, str]] = {
    Unit.ALU: ("int_add", "int", "int32"),
    Unit.FMA: ("fp32_fma", "fp32", "fp32"),
    Unit.FP64: ("fp64_fma", "fp64", "fp64"),
    Unit.SFU: ("sfu_exp", "sfu", "sfu"),
}
"""Where a unit's latency, initiation interval and lanes stand in a GPU file."""


def _units(reader: GpuReader, conf: NDArray[np.int64]) -> dict[Unit, UnitTiming]:
    schedulers = reader.integer("schedulers_per_sm")
    threads = reader.integer("warp_size") * schedulers
    lanes_fp32 = reader.integer(
        "lanes_per_sm.fp32",
        assumed=reader.integer("cores_per_sm", assumed=64, reason="as NVIDIA's V100"),
        reason="as cores per SM",
    )
    found = dict[Unit, UnitTiming]()
    for unit, (latency_key, interval_key, lanes_key) in _UNIT_KEYS.items():
        before = found.get(Unit.FMA) or found.get(Unit.ALU)
        assumed = before.latency * (2 if unit is Unit.FP64 else 1) if before else 6
        latency = _whole(reader, f"latency_cycles.{latency_key}", assumed, "as the other units")
        fact = reader.fact(f"initiation_interval_cycles.{interval_key}")
        if fact is not None:
            interval = ceil(fact.value)
        else:
            shares = {Unit.SFU: max(lanes_fp32 // 4, 1), Unit.FP64: max(lanes_fp32 // 32, 1)}
            reason = "a quarter of the single precision lanes (fp64: a 32nd)"
            lanes = reader.integer(
                f"lanes_per_sm.{lanes_key}", assumed=shares.get(unit, lanes_fp32), reason=reason
            )
            interval = max(1, ceil(threads / max(lanes, 1)))
        found[unit] = UnitTiming(max(latency, 1), interval)
    branch = _whole(reader, "latency_cycles.branch", found[Unit.ALU].latency, "as an addition")
    fact = reader.fact("initiation_interval_cycles.branch")
    found[Unit.CONTROL] = UnitTiming(max(branch, 1), ceil(fact.value) if fact else 1)
    ldst = reader.integer(
        "lanes_per_sm.ldst", assumed=reader.integer("warp_size"), reason="a warp per cycle and SM"
    )
    conf[Conf.LSU_INTERVAL] = max(1, ceil(reader.integer("warp_size") / ldst))
    conf[Conf.SCHEDULERS] = schedulers
    return found


def _issue(reader: GpuReader, conf: NDArray[np.int64], occupancy: Occupancy) -> None:
    schedulers = int(conf[Conf.SCHEDULERS])
    conf[Conf.SMS] = reader.integer("sm_count")
    conf[Conf.BLOCKS] = occupancy.blocks
    conf[Conf.WARPS] = occupancy.warps_per_block
    conf[Conf.PER_SCHEDULER] = max(
        1, ceil(occupancy.blocks * occupancy.warps_per_block / schedulers)
    )
    policy = reader.text("scheduler", assumed="loose-round-robin", reason="the plainest")
    conf[Conf.POLICY] = POLICIES[policy]
    conf[Conf.WIDTH] = reader.integer("issue_width_per_scheduler", assumed=1, reason="the least")
    conf[Conf.QUANTUM] = QUANTUM
    conf[Conf.BARRIER_LATENCY] = _whole(
        reader, "latency_cycles.barrier", 0, "the last warp's arrival is all"
    )
    conf[Conf.OVERHEAD] = _whole(
        reader, "launch_overhead_cycles", 1000, "an empty kernel takes about a microsecond"
    )
    banks, collectors = reader.fact("register_banks"), reader.fact("operand_collectors")
    if banks is not None and collectors is not None and schedulers <= banks.value:
        conf[Conf.REGISTER_BANKS] = min(banks.value // schedulers, MOST_BANKS)
        conf[Conf.COLLECTORS] = max(collectors.value // schedulers, 1)
    conf[Conf.CONSTANT_LATENCY] = _whole(
        reader, "latency_cycles.constant_hit", 8, "as NVIDIA's V100"
    )


def _level1(
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
    conf[Conf.L1_LATENCY] = _whole(reader, "latency_cycles.l1_hit", 32, "as NVIDIA GPUs since 2017")
    entries = reader.integer("l1.mshr", assumed=512, reason="as Accel-Sim's Volta")
    conf[Conf.L1_MSHR] = max(entries, 1)
    conf[Conf.L1_MERGE] = min(
        reader.integer("l1.mshr_merge", assumed=8, reason="as Accel-Sim's Volta"), 127
    )
    conf[Conf.L1_BANKS] = reader.integer(
        "l1.banks", assumed=line // sector, reason="a line per cycle"
    )
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
    if steps is not None:
        taken = min((s for s in steps.value if s >= taken), default=taken)
    return max(unified.value - taken, 0)


def _level2(
    reader: GpuReader, conf: NDArray[np.int64], line: int, sector: int, clock: float
) -> None:
    size = reader.integer("l2.size_bytes", assumed=0, reason="no L2 is known")
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
    latency = _whole(
        reader, "latency_cycles.l2_hit", l1_hit + 170, "as NVIDIA's V100 beyond its L1"
    ) if size else 2 * max(l1_hit, 20)  # fmt: skip
    conf[Conf.L2_LATENCY] = latency
    bytes_per_cycle = reader.fact("l2.bytes_per_cycle")
    l2_clock = reader.fact("l2.clock_mhz")
    per_slice = bytes_per_cycle.value / slices if bytes_per_cycle else 32.0
    if l2_clock is not None:
        per_slice *= l2_clock.value / clock
    conf[Conf.L2_OCCUPANCY] = max(1, round(64 * sector / per_slice))
    conf[Conf.L2_QUEUE] = reader.integer("l2.queue", assumed=64, reason="as Accel-Sim's Volta")
    entries = reader.fact("l2.mshr")
    conf[Conf.L2_MSHR] = entries.value if entries and size else 0
    policy = reader.text("l2.write_policy", assumed="write-back", reason="as all GPUs since 2010")
    conf[Conf.L2_WRITE_BACK] = policy == "write-back"
    conf[Conf.HASH] = reader.text("l2.hash", assumed="ipoly", reason="a hash is likely") == "ipoly"
    flit = reader.integer(
        "interconnect.flit_bytes", assumed=40, reason="a sector and its address per cycle"
    )
    flit_clock = reader.fact("interconnect.clock_mhz")
    ratio = clock / flit_clock.value if flit_clock else 1.0
    conf[Conf.REQUEST_CYCLES] = max(1, round(ratio * ceil(FLIT_HEADER_BYTES / flit)))
    conf[Conf.DATA_CYCLES] = max(1, round(ratio * ceil((sector + FLIT_HEADER_BYTES) / flit)))
    conf[Conf.ATOMIC_LATENCY] = _whole(
        reader, "latency_cycles.atomic_global", latency, "as a load that hits L2"
    )
    conf[Conf.LOCAL_ATOMIC_LATENCY] = _whole(
        reader, "latency_cycles.atomic_shared",
        2 * reader.number("latency_cycles.shared_load", assumed=24, reason="as NVIDIA GPUs"),
        "a load and a store",
    )  # fmt: skip


def _read_only(reader: GpuReader, conf: NDArray[np.int64], line: int) -> None:
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


def _code_bytes(gpu: GpuDescription) -> int:
    name = gpu.arch.value.split()[:1] if gpu.arch else []
    return CODE_BYTES.get(name[0], NEWER_CODE_BYTES) if name else NEWER_CODE_BYTES


def _channels(reader: GpuReader) -> int:
    bus = reader.fact("memory_bus_bits")
    return reader.integer(
        "dram.channels", assumed=max(1, bus.value // 64) if bus else 8, reason="64 bits each"
    )


def _dram(reader: GpuReader, conf: NDArray[np.int64], sector: int, line: int, clock: float) -> None:
    channels = _channels(reader)
    bandwidth = reader.number(
        "memory_bandwidth_gbs", assumed=200, reason="nothing is known of the memory"
    )
    moved = max(sector, 32)
    per_cycle = bandwidth * 1e3 / clock / channels
    conf[Conf.CHANNELS] = channels
    conf[Conf.BURST] = max(1, round(64 * moved / per_cycle))
    l2 = int(conf[Conf.L2_LATENCY])
    total = _whole(reader, "latency_cycles.dram", l2 + 200, "200 cycles beyond L2")
    conf[Conf.DRAM_LATENCY] = max(total - l2, 1)
    page = reader.integer("dram.page_bytes", assumed=2048, reason="as GDDR and HBM have it")
    conf[Conf.ROW_LINES] = max(1, page // line)
    conf[Conf.BANKS] = reader.integer("dram.banks", assumed=16, reason="as GDDR and HBM have it")
    timing = _timing(reader)
    fact = reader.fact("dram.clock_mhz") or reader.fact("memory_clock_mhz")
    ratio = clock / fact.value if fact else 1.0
    miss = round((timing.get("RP", 12) + timing.get("RCD", 12)) * ratio)
    conf[Conf.ROW_MISS] = min(miss, int(conf[Conf.DRAM_LATENCY]) // 2)
    conf[Conf.ROW_CYCLE] = max(1, round(timing.get("RC", 40) * ratio))
    given = reader.fact("dram.timing")
    if (
        given is not None and given.quality is not Quality.ASSUMED
    ):  # what nobody said limits nothing
        conf[Conf.OPENING] = round(64 * timing.get("RRD", timing.get("RRDS", 0)) * ratio)
    queue = reader.integer("dram.queue", assumed=32, reason="as GPGPU-Sim's configurations")
    conf[Conf.DRAM_QUEUE], conf[Conf.WRITES_TOGETHER] = queue, max(queue // 2, 1)
    if "REFI" in timing and "RFC" in timing:
        conf[Conf.REFRESH_EVERY] = max(round(64 * timing["REFI"] * ratio), 1)
        conf[Conf.REFRESH] = round(64 * timing["RFC"] * ratio)
    if "CL" in timing:
        turn = timing["CL"] + timing.get("CDLR", timing.get("WTRL", 3)) + READ_TO_WRITE
        conf[Conf.TURNAROUND] = round(64 * turn * ratio)


def _timing(reader: GpuReader) -> dict[str, int]:
    text = reader.text(
        "dram.timing", assumed="RP=12:RCD=12:RC=40", reason="as HBM in Accel-Sim's Volta"
    )
    pairs = (part.partition("=") for part in text.split(":"))
    return {
        key.strip().removeprefix("t"): int(value)
        for key, _, value in pairs
        if value.strip().isdigit()
    }

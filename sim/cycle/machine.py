"""What the cycle-level model takes from a GPU description, and what it assumes beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple
from math import ceil

import numpy as np
from numpy.typing import NDArray

from kcc.base.gpu.description import GpuDescription
from kcc.base.gpu.needs import Assumption, GpuReader
from kcc.base.gpu.occupancy import Occupancy, occupancy_of
from kcc.base.records import dataclass
from kcc.sim.cycle.layout import (
    CONF_SIZE,
    GREEDY,
    MOST_BANKS,
    ROUND_ROBIN,
    TWO_LEVEL,
    YOUNGEST,
    Conf,
)
from kcc.sim.cycle.machine_limits import check_limits
from kcc.sim.cycle.machine_memory import dram, level1, level2, memory_side, read_only, whole
from kcc.sim.machine.costs import Generation, Unit, generation_of_gpu
from kcc.sim.machine.fma_pipes import fma_pipes
from kcc.sim.machine.launch_overhead import code_cycles, code_line_cycles
from kcc.sim.machine.load_port import load_port_of
from kcc.sim.machine.one_fp64 import has_one_fp64
from kcc.sim.machine.pipeline_columns import xu_queue_cycles
from kcc.sim.machine.tensor_cores import LATENCY_CYCLES, TensorCores, tensor_cores_of
from kcc.sim.machine.vector_unit import units_in_one
from kcc.sim.machine.warp_scheduling import Policy, scheduling_of

QUANTUM = 32
"""Cycles an SM may run ahead of the others: cycle counts move by 0.05 to 2.6 %, see docs."""

POLICIES = {
    Policy.ROUND_ROBIN: ROUND_ROBIN, Policy.GREEDY: GREEDY, Policy.TWO_LEVEL: TWO_LEVEL,
    Policy.YOUNGEST: YOUNGEST,
}  # fmt: skip

MOST_SHARED_BANKS = 128
"""That native code has room for."""

CODE_BYTES = {"GT200": 8, "Fermi": 8, "Kepler": 8, "Maxwell": 8, "Pascal": 8}
"""Of a machine instruction, by architecture (cuobjdump's listings; since Kepler there are words
that control several others, which are not counted). Since Volta there are 16."""
NEWER_CODE_BYTES = 16


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
    pipes: Mapping[int, float]
    """Intervals of what goes with FMA at rates of its own (:mod:`kcc.sim.machine.fma_pipes`)."""
    in_one: frozenset[Unit]
    """Units that are one with FMA (:mod:`kcc.sim.machine.vector_unit`)."""
    generation: Generation
    clock_mhz: float
    line_bytes: int
    sector_bytes: int
    local_banks: int
    lanes_together: int
    port: tuple[int, ...]
    """Of the load/store port, in 1/64 cycle (:class:`kcc.sim.machine.load_port.LoadPort`), empty
    where there is no such rule."""
    pairs_together: bool
    """Whether lanes of a wide load that read the same two by two go through local memory as one."""
    local_latency: int
    texture_latency: int
    int_mul_latency: int
    l1_bytes: int
    code_bytes: int
    tensor: TensorCores
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
    clock = reader.clock_mhz()
    units = _units(reader, conf)
    _issue(reader, conf, occupancy)
    conf[Conf.ONE_FP64] = has_one_fp64(gpu, units[Unit.FP64].interval)
    line, sector, l1_bytes = level1(reader, conf, occupancy)
    level2(reader, conf, line, sector, clock)
    read_only(reader, conf, line)
    dram(reader, conf, sector, line, clock)
    memory_side(reader, conf, sector, clock)
    check_limits(gpu, conf)
    width = reader.integer("warp_size")
    banks = reader.integer("shared_banks", assumed=32, reason="as all NVIDIA GPUs since 2010")
    return Machine(
        gpu, conf, units, fma_pipes(gpu, int(conf[Conf.SCHEDULERS]), units[Unit.FMA].interval),
        units_in_one(gpu), generation_of_gpu(gpu), clock, line, sector,
        min(banks, MOST_SHARED_BANKS),
        min(width, max(banks, 1)), _port(gpu),
        gpu.shared_pairs is not None and gpu.shared_pairs.value == "together",
        whole(reader, "latency_cycles.shared_load", 24, "as NVIDIA GPUs since 2017"),
        whole(reader, "latency_cycles.texture", 200, "as Accel-Sim has it"),
        whole(reader, "latency_cycles.int_mul", units[Unit.ALU].latency, "as an addition"),
        l1_bytes, _code_bytes(gpu), tensor_cores_of(gpu, int(conf[Conf.SCHEDULERS])),
        occupancy, reader.assumptions,
    )  # fmt: skip


def add_code(machine: Machine, instructions: int) -> None:
    """A launch of so many machine instructions waits for their code, where no cache of instructions
    is simulated."""
    line = code_line_cycles(machine.gpu, float(machine[Conf.L2_LATENCY]))
    machine.conf[Conf.CODE_CYCLES] = round(code_cycles(line, instructions * machine.code_bytes))


def _port(gpu: GpuDescription) -> tuple[int, ...]:
    port = load_port_of(gpu)
    if port is None:
        return ()
    *cycles, lanes = astuple(port)
    return (*(round(64 * each) for each in cycles), lanes)


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
        latency = whole(reader, f"latency_cycles.{latency_key}", assumed, "as the other units")
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
    branch = whole(reader, "latency_cycles.branch", found[Unit.ALU].latency, "as an addition")
    fact = reader.fact("initiation_interval_cycles.branch")
    found[Unit.TENSOR] = UnitTiming(round(LATENCY_CYCLES), 1)
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
    conf[Conf.POLICY] = POLICIES[scheduling_of(reader)]
    conf[Conf.WIDTH] = reader.integer("issue_width_per_scheduler", assumed=1, reason="the least")
    conf[Conf.QUANTUM] = QUANTUM
    conf[Conf.BARRIER_LATENCY] = whole(
        reader, "latency_cycles.barrier", 0, "the last warp's arrival is all"
    )
    conf[Conf.OVERHEAD] = whole(
        reader, "launch_overhead_cycles", 1000, "an empty kernel takes about a microsecond"
    )
    start = reader.fact("block_start_cycles")
    conf[Conf.BLOCK_START] = round(start.value) if start else 0
    conf[Conf.ONE_START] = reader.fact("block_starts_per_cycle") is not None
    after = reader.fact("after_atomic")
    conf[Conf.AFTER_ATOMIC] = after is not None and after.value == "waits"
    end = reader.fact("warp_end_cycles")
    conf[Conf.WARP_END] = round(end.value) if end else 0
    banks, collectors = reader.fact("register_banks"), reader.fact("operand_collectors")
    if banks is not None and collectors is not None and schedulers <= banks.value:
        conf[Conf.REGISTER_BANKS] = min(banks.value // schedulers, MOST_BANKS)
        conf[Conf.COLLECTORS] = max(collectors.value // schedulers, 1)
    conf[Conf.XU_QUEUE] = round(xu_queue_cycles(reader.gpu))
    conf[Conf.CONSTANT_LATENCY] = whole(
        reader, "latency_cycles.constant_hit", 8, "as NVIDIA's V100"
    )


def _code_bytes(gpu: GpuDescription) -> int:
    name = gpu.arch.value.split()[:1] if gpu.arch else []
    return CODE_BYTES.get(name[0], NEWER_CODE_BYTES) if name else NEWER_CODE_BYTES

"""A GPU as the memory model sees it: the caches and the DRAM of the cycle-level model."""

from __future__ import annotations

import numpy as np

from kcc.base.gpu.description import GpuDescription
from kcc.base.gpu.schema import fact_of
from kcc.base.trace.launches import TraceLaunch
from kcc.base.trace.tables import TraceTables
from kcc.sim.cycle.launch import launch_machine
from kcc.sim.cycle.layout import Conf
from kcc.sim.cycle.machine import Machine
from kcc.sim.memory.facts import (
    PLACES,
    Deviations,
    Dispatch,
    MemoryMachine,
    Merging,
    Place,
    Start,
    WarpOrder,
)

SAME: dict[Place, Conf] = {
    Place.SMS: Conf.SMS, Place.BLOCKS: Conf.BLOCKS, Place.WARPS: Conf.WARPS,
    Place.SECTORS: Conf.SECTORS, Place.L1_SETS: Conf.L1_SETS, Place.L1_WAYS: Conf.L1_WAYS,
    Place.STORES_STAY: Conf.STORES_STAY, Place.FILL_LINE: Conf.FILL_LINE,
    Place.L2_SETS: Conf.L2_SETS, Place.L2_WAYS: Conf.L2_WAYS, Place.L2_SLICES: Conf.L2_SLICES,
    Place.HASH: Conf.HASH, Place.CONSTANT_SETS: Conf.CONSTANT_SETS,
    Place.CONSTANT_WAYS: Conf.CONSTANT_WAYS, Place.CHANNELS: Conf.CHANNELS,
    Place.BANKS: Conf.BANKS, Place.ROW_LINES: Conf.ROW_LINES, Place.BURST: Conf.BURST,
    Place.ROW_MISS: Conf.ROW_MISS, Place.ROW_CYCLE: Conf.ROW_CYCLE, Place.OPENING: Conf.OPENING,
    Place.L1_CYCLES: Conf.L1_LATENCY, Place.L2_CYCLES: Conf.L2_LATENCY,
    Place.MISSES: Conf.L1_MSHR, Place.AGAIN: Conf.MERGE_LINES, Place.SCHEDULERS: Conf.SCHEDULERS,
}  # fmt: skip
"""What both models have of a GPU: differences between them are then differences of modelling."""


def machine_for(
    gpu: GpuDescription, tables: TraceTables, launch: TraceLaunch, registers: dict[str, int]
) -> tuple[MemoryMachine, Machine]:
    """The machine for a launch, and the cycle-level model's. Raises K807, K870 and K871."""
    cycle = launch_machine(gpu, tables, launch, registers)
    conf = np.zeros(PLACES, np.int64)
    for place, same in SAME.items():
        conf[place] = cycle[same]
    conf[Place.L2_WAYS_USED] = cycle[Conf.L2_WAYS]
    conf[Place.DRAM_LATENCY] = cycle[Conf.L2_LATENCY] + cycle[Conf.DRAM_LATENCY]
    l2 = cycle[Conf.L2_SETS] * cycle[Conf.L2_WAYS] * cycle[Conf.L2_SLICES] * cycle.line_bytes
    machine = MemoryMachine(
        gpu.stem, conf, cycle.clock_mhz, float(cycle[Conf.L1_LATENCY]),
        float(cycle[Conf.L2_LATENCY]), cycle.line_bytes, cycle.sector_bytes,
        cycle[Conf.L1_SETS] * cycle[Conf.L1_WAYS] * cycle.line_bytes, l2,
        max(_local_bytes(gpu) - launch.local_bytes, 0), float(cycle.local_latency),
        tuple(f"{a.key}: {a.value} {a.unit} ({a.reason})" for a in cycle.assumptions),
    )  # fmt: skip
    return machine, cycle


def _local_bytes(gpu: GpuDescription) -> int:
    """That a block can have: 32 KiB, what every OpenCL device with a full profile has (OpenCL 1.2,
    table 4.3), where nothing is known."""
    fact = fact_of(gpu, "max_shared_per_block_bytes")
    return 32768 if fact is None else int(fact.value)


def set_deviations(machine: MemoryMachine, deviations: Deviations) -> None:
    """Put the sources of randomness into the configuration."""
    conf = machine.conf
    conf[Place.DISPATCH] = list(Dispatch).index(deviations.dispatch)
    conf[Place.START] = list(Start).index(deviations.start)
    conf[Place.WARP_ORDER] = list(WarpOrder).index(deviations.warp_order)
    conf[Place.MERGING] = list(Merging).index(deviations.merging)
    conf[Place.GROUPS] = int(deviations.random_groups)
    conf[Place.LATENCY] = int(deviations.random_latency)

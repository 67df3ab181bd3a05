"""What the pipeline model takes from a GPU description, in cycles and bytes of one SM."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from kcc.base.gpu.description import GpuDescription
from kcc.base.gpu.facts import Fact
from kcc.base.gpu.needs import GpuReader
from kcc.base.records import dataclass
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.atomics import AtomicQueue, queue_of
from kcc.sim.machine.block_dispatch import blocks_per_cycle
from kcc.sim.machine.costs import SINCE_VOLTA, Generation, Unit, generation_of
from kcc.sim.machine.dram_load import MemoryLoad, many_streams_share, row_cycles
from kcc.sim.machine.fma_pipes import fma_pipes
from kcc.sim.machine.l2_path import (
    PORT_BYTES,
    REQUEST_CYCLES,
    l2_bytes_per_cycle,
    part_written_cycles,
)
from kcc.sim.machine.launch_overhead import LaunchWay, code_line_cycles, launch_cycles
from kcc.sim.machine.load_port import (
    address_cycles,
    crossing_cycles,
    lookup_cycles,
    read_only_crossing_cycles,
    wide_lanes,
)
from kcc.sim.machine.memory_side import MemorySide, memory_side_of
from kcc.sim.machine.one_fp64 import has_one_fp64
from kcc.sim.machine.register_banks import bank_reads
from kcc.sim.machine.tensor_cores import TensorCores, tensor_cores_of
from kcc.sim.machine.vector_unit import units_in_one
from kcc.sim.machine.warp_scheduling import Policy, scheduling_of
from kcc.sim.program.operations import MachineOperation

SUSTAINED = 0.97
MIXED_LOSS, QUEUE_NS, TURNAROUND_NS = (0.05, 0.10), (5.0, 12.0), (150.0, 600.0)
"""For GPUs whose description does not say it: sustained over data-sheet bandwidth where DRAM is
only read or only written; and, of DDR memory and of stacked memory (HBM), what of it is lost where
both are half, and the waits of a read under load. Medians of the seven that were measured
(`benchmarks/stream_calibration.py`)."""

L1_BYTES = 64.0
"""Bytes per cycle of L1: gpu-cache on an A40, 9350 GB/s at 1740 MHz from 84 SMs; V100, A100 and
H100 128 (same file)."""

PORT_QUEUE = 24.0
"""Cycles of work that the load/store port takes in ahead."""

XU_QUEUE_CYCLES = 8.0
"""Of GPUs whose description does not say it: the work that the unit of special functions takes in
ahead, one instruction of Volta or Turing. Nsight Compute's documentation has that instructions of
XU wait in a queue, as those of the load/store unit do, and not in the warp."""

BLOCK_START_CYCLES = 360.0
"""From the end of a thread block to the first instruction of the next one in its place, for GPUs
whose description does not say it: the median of the same seven (310 on V100, 505 on L40)."""


class L1Loads(Enum):
    """Which loads of global memory L1 keeps."""

    ALL = "all"
    READ_ONLY = "those through pointers to const, restrict"
    """NVIDIA's tuning guides for Kepler, Maxwell and Pascal: compute capabilities 3.5, 5.2 and 6.1
    cache what LDG loads, Kepler's in a cache of its own; other loads only if the compiler is asked
    to (-dlcm=ca)."""
    NONE = "none"


READ_ONLY_IN_L1 = ((3, 5), (3, 7), (5, 2), (6, 1))
READ_ONLY_BYTES = {(3, 5): 49152, (3, 7): 49152}
"""The cache of such loads where it is not L1 (NVIDIA, "Kepler GK110" white paper, 2012: the
texture units' 48 KB of an SMX)."""
ALL_IN_L1 = ((2, 0), (6, 0))
"""Before Volta (the same guides; NVIDIA CUDA C Programming Guide 4.2, appendix F)."""


@dataclass(frozen=True, slots=True)
class Machine:
    """An SM and its share of the rest, in cycles of the SM clock."""

    generation: Generation
    warp: int
    """Lanes of a warp."""
    sms: int
    schedulers: int
    clock_mhz: float
    interval: dict[Unit, float]
    """Cycles that a warp instruction keeps a scheduler's unit."""
    one_fp64: bool
    """All schedulers have one unit for double precision together
    (:mod:`kcc.sim.machine.one_fp64`), which keeps an instruction for its part of these cycles."""
    bank_reads: float
    """Registers that each of a scheduler's two banks gives in a cycle; 0: not modelled."""
    pipes: Mapping[int, float]
    """Intervals of the pipelines that go with FMA at rates of their own
    (:mod:`kcc.sim.machine.fma_pipes`)."""
    in_one: frozenset[Unit]
    """Units that are one with FMA (:mod:`kcc.sim.machine.vector_unit`)."""
    latency: dict[str, float]
    shared_bytes: float
    l1_bytes_per_cycle: float
    wide_lanes: int
    """Lanes a cycle of AMD's loads (:func:`kcc.sim.machine.load_port.vector_load_cycles`), else
    0."""
    l1_loads: L1Loads
    l1_size: int
    fetch_sectors: int
    """Sectors of 32 bytes that L1 asks L2 for at least."""
    unified: bool
    shared_carveouts: tuple[int, ...]
    """Sizes of shared memory that L1 and it are divided by, where they are one."""
    address_cycles: float
    """In which the load/store port computes a warp's addresses."""
    lookup_cycles: float
    """Of the port, for a load from global memory beyond those of its data."""
    crossing_cycles: float
    """Of the port, for a load that begins within a sector beyond one that does not."""
    read_only_crossing_cycles: float
    """The same of loads of data that nobody writes (``ld.global.nc``)."""
    l2_size: int
    dies: int
    """That share ``l2_size``, with a part each; thread blocks go to them in turn."""
    l2_bytes_per_cycle: float
    port_l2_bytes: float
    atomics: AtomicQueue
    part_written_cycles: float
    """Of L2 for a sector stored in part, by those of a whole one."""
    request_cycles: float
    """Of an SM for a request to L2, whatever it asks for; 0 where that is not known."""
    dram_bytes_per_cycle: float
    """Of the data sheet."""
    memory_side: MemorySide | None
    load: MemoryLoad
    many_streams: float
    """Of the bandwidth that DRAM sustains, where warps go through many places at once."""
    dram_channels: int
    """0: not known."""
    row_cycles: float
    """From one row that DRAM opens to the next, in all channels together; 0: not known."""
    banks: int
    launch_cycles: float
    """From launch to the first instruction and from the last to the end."""
    code_line_cycles: float
    """Until an SM has a line of code that the launch has not come to before."""
    block_start_cycles: float
    blocks_per_cycle: float
    """Thread blocks that all SMs together start; 0: not known."""
    warps_per_cycle: float
    """Warps that all SMs together start; 0: not known."""
    tensor: TensorCores
    xu_queue: float
    """Cycles of work that the unit of special functions takes in ahead."""
    greedy: bool
    """Whether schedulers stay with a warp as long as it can issue, and then take the youngest
    (:mod:`kcc.sim.machine.warp_scheduling`)."""


_LATENCIES: dict[str, tuple[str, float, str]] = {
    "arithmetic": ("latency_cycles.fp32_fma", 4.0, "as Volta"),
    "integer": ("latency_cycles.int_add", 4.0, "as Volta"),
    "fp64": ("latency_cycles.fp64_fma", 8.0, "as Volta"),
    "special": ("latency_cycles.sfu_exp", 18.0, "as Volta"),
    "shared": ("latency_cycles.shared_load", 23.0, "as Turing"),
    "l1": ("latency_cycles.l1_hit", 32.0, "as Turing"),
    "l2": ("latency_cycles.l2_hit", 220.0, "as Turing"),
    "dram": ("latency_cycles.dram", 480.0, "as Turing"),
    "constant": ("latency_cycles.constant_hit", 8.0, "as Turing"),
    "barrier": ("latency_cycles.barrier", 20.0, "as Volta"),
    "atomic": ("latency_cycles.atomic_global", 250.0, "as Turing"),
}


def xu_queue_cycles(gpu: GpuDescription) -> float:
    """Cycles of work that the unit of special functions of a GPU takes in ahead: for all models."""
    known = gpu.xu_queue_cycles
    return XU_QUEUE_CYCLES if known is None else float(known.value)


def machine_of(reader: GpuReader) -> Machine:
    """The machine of a GPU; what its description lacks is assumed and recorded by ``reader``.

    :raises DiagnosticError: K807 for a value without which there is no estimate.
    """
    gpu = reader.gpu
    generation = generation_of(gpu.capability, gpu.is_amd)
    schedulers = reader.integer("schedulers_per_sm", assumed=4, reason="as most GPUs")
    sms = reader.integer("sm_count")
    clock = reader.clock_mhz()
    bandwidth = reader.number("memory_bandwidth_gbs") * 1000.0 / clock
    new = generation in SINCE_VOLTA | {Generation.AMD}
    capability = gpu.capability or (7, 0)
    l1 = gpu.l1.bytes_per_cycle
    latency = {n: reader.number(k, assumed=v, reason=r) for n, (k, v, r) in _LATENCIES.items()}
    wide = capability in ((7, 0), (8, 0), (9, 0))
    interval = _intervals(reader, schedulers)
    return Machine(
        generation=generation,
        warp=reader.integer("warp_size", assumed=32, reason="as all NVIDIA GPUs"),
        sms=sms,
        schedulers=schedulers,
        clock_mhz=clock,
        interval=interval,
        one_fp64=has_one_fp64(gpu, interval[Unit.FP64]),
        pipes=fma_pipes(gpu, schedulers, interval[Unit.FMA]),
        bank_reads=bank_reads(gpu.capability),
        in_one=units_in_one(gpu),
        latency=latency,
        shared_bytes=reader.number(
            "shared_bytes_per_cycle", assumed=128.0, reason="32 banks of 4 bytes"
        ),
        l1_bytes_per_cycle=float(l1.value) if l1 is not None else L1_BYTES * (1 + wide),
        wide_lanes=wide_lanes(gpu),
        l1_loads=_l1_loads(generation, capability),
        l1_size=READ_ONLY_BYTES.get(capability, 0)
        or reader.integer("l1.size_bytes", assumed=16384, reason="the least of any GPU"),
        fetch_sectors=max(1, min(gpu.sector_bytes // 32, 4)),
        unified=gpu.l1.unified_bytes is not None,
        shared_carveouts=_carveouts(gpu),
        address_cycles=address_cycles(gpu.capability),
        lookup_cycles=lookup_cycles(gpu.capability),
        crossing_cycles=crossing_cycles(gpu.capability),
        read_only_crossing_cycles=read_only_crossing_cycles(gpu.capability),
        l2_size=reader.integer("l2.size_bytes"),
        dies=1 if gpu.l2.dies is None else gpu.l2.dies.value,
        l2_bytes_per_cycle=l2_bytes_per_cycle(gpu, sms),
        port_l2_bytes=PORT_BYTES if new else PORT_BYTES / 2,
        atomics=queue_of(gpu),
        part_written_cycles=part_written_cycles(gpu),
        request_cycles=0.0 if gpu.is_amd else REQUEST_CYCLES,
        dram_bytes_per_cycle=bandwidth,
        memory_side=memory_side_of(gpu.extra, clock),
        load=_load(gpu, clock),
        many_streams=many_streams_share(gpu),
        dram_channels=0 if gpu.dram.channels is None else gpu.dram.channels.value,
        row_cycles=row_cycles(gpu, clock),
        banks=reader.integer("shared_banks", assumed=32, reason="as all NVIDIA GPUs"),
        launch_cycles=launch_cycles(gpu, clock, LaunchWay.QUEUED),
        code_line_cycles=code_line_cycles(gpu, latency["l2"]),
        block_start_cycles=_value(gpu.block_start_cycles, BLOCK_START_CYCLES),
        blocks_per_cycle=blocks_per_cycle(gpu),
        warps_per_cycle=_value(gpu.warps_per_cycle, 0.0),
        tensor=tensor_cores_of(gpu, schedulers),
        xu_queue=xu_queue_cycles(gpu),
        greedy=scheduling_of(reader) in (Policy.GREEDY, Policy.YOUNGEST),
    )


def _carveouts(gpu: GpuDescription) -> tuple[int, ...]:
    sizes = gpu.shared_carveouts_bytes
    return () if sizes is None else tuple(sizes.value)


def _l1_loads(generation: Generation, capability: tuple[int, int]) -> L1Loads:
    if generation in SINCE_VOLTA | {Generation.AMD} or capability in ALL_IN_L1:
        return L1Loads.ALL
    return L1Loads.READ_ONLY if capability in READ_ONLY_IN_L1 else L1Loads.NONE


def _load(gpu: GpuDescription, clock: float) -> MemoryLoad:
    """DRAM under load, from measurements or, where there are none, as of the kind of memory."""
    dram = gpu.dram
    stacked = gpu.memory_type is not None and gpu.memory_type.value.startswith("HBM")
    sustained = _value(dram.sustained_share, SUSTAINED)
    mixed = _value(dram.mixed_share, sustained - MIXED_LOSS[stacked])
    return MemoryLoad(
        sustained,
        sustained - mixed,
        _value(dram.queue_ns, QUEUE_NS[stacked]) * clock / 1e3,
        _value(dram.turnaround_ns, TURNAROUND_NS[stacked]) * clock / 1e3,
    )


def _value(fact: Fact[float] | None, otherwise: float) -> float:
    return otherwise if fact is None else float(fact.value)


def _intervals(reader: GpuReader, schedulers: int) -> dict[Unit, float]:
    warp = reader.integer("warp_size", assumed=32, reason="as all NVIDIA GPUs")
    fp32 = reader.integer("cores_per_sm")
    lanes = {
        Unit.FMA: ("lanes_per_sm.fp32", fp32),
        Unit.ALU: ("lanes_per_sm.int32", max(fp32 // 2, 1)),
        Unit.FP64: ("lanes_per_sm.fp64", max(fp32 // 32, 1)),
        Unit.SFU: ("lanes_per_sm.sfu", 16),
    }
    found = {Unit.CONTROL: 1.0, Unit.MEMORY: 1.0, Unit.EITHER: 1.0, Unit.TENSOR: 1.0}
    for unit, (key, assumed) in lanes.items():
        count = reader.integer(key, assumed=assumed, reason="from the number of cores")
        found[unit] = warp * schedulers / max(count, 0.5)
    return found


def unit_of(interval: Mapping[Unit, float], operation: MachineOperation) -> Unit:
    """What executes an operation, on a GPU with these initiation intervals. Conversions from and to
    double go at the rate of the special functions, or at that of double precision where it is lower
    (NVIDIA, CUDA C Programming Guide 10.x, arithmetic throughput: 4 lanes on compute capability 5.2
    and 6.1, 16 on 6.0 and 7.0)."""
    slow = interval[Unit.FP64] > interval[Unit.SFU]
    return Unit.FP64 if operation.has_doubles and slow else operation.unit


def latency_of(machine: Machine, operation: MachineOperation, unit: Unit) -> float:
    """Cycles from issue to result of one instruction of a unit. Kepler's products of integers go to
    that of the special functions, and are arithmetic all the same."""
    if unit is Unit.SFU and operation.kind in (
        InstructionClass.INT_MUL,
        InstructionClass.INT64_MUL,
    ):
        return machine.latency["integer"]
    match unit:
        case Unit.FP64:
            return machine.latency["fp64"]
        case Unit.SFU:
            return machine.latency["special"]
        case Unit.ALU:
            return machine.latency["integer"]
        case _:
            return machine.latency["arithmetic"]

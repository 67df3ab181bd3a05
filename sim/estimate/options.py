"""The mechanisms of an estimate that can be switched off, to see what each is worth (`--ablate`).

What a mechanism is replaced by is always the best case of it: as many warps as the SM has places
for, lanes side by side, no hits, no conflicts, results at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from kcc.base.gpu.needs import GpuReader
from kcc.base.gpu.occupancy import Occupancy, occupancy_of
from kcc.base.records import dataclass
from kcc.sim.caches.footprint import Traffic
from kcc.sim.caches.options import CacheOptions
from kcc.sim.caches.streams import Stream
from kcc.sim.machine.costs import Generation
from kcc.sim.machine.launch_overhead import LaunchWay, launch_us
from kcc.sim.machine.pipeline_columns import Machine

SECTOR = 32
LINE = 128

MEMORY_LATENCIES = ("shared", "l1", "l2", "dram", "constant", "atomic")


@dataclass(frozen=True, slots=True)
class Mechanisms:
    """What is modelled. Without ``occupancy`` registers and local memory bound no thread blocks;
    without ``coalescing`` lanes that differ are side by side; without ``caches`` no sector is found
    in L1 or L2; without ``conflicts`` local memory serves every access at its full width; without
    ``latency`` only the throughput of memory counts."""

    occupancy: bool = True
    coalescing: bool = True
    caches: bool = True
    conflicts: bool = True
    latency: bool = True
    analysis: CacheOptions = field(default_factory=CacheOptions)
    """How caches are looked at."""
    launches: LaunchWay = LaunchWay.QUEUED


EVERYTHING = Mechanisms()

ABLATIONS: Mapping[str, Mechanisms] = {
    "occupancy": Mechanisms(occupancy=False),
    "coalescing": Mechanisms(coalescing=False),
    "caches": Mechanisms(caches=False),
    "conflicts": Mechanisms(conflicts=False),
    "latency": Mechanisms(latency=False),
}
"""By the name of what is switched off."""


def modelled_machine(machine: Machine, mechanisms: Mechanisms) -> Machine:
    """The machine with what its launches take, its memory answering at once where latency is
    switched off."""
    queued_us = machine.launch_cycles / machine.clock_mhz
    is_amd = machine.generation is Generation.AMD
    taken_us = launch_us(mechanisms.launches, queued_us, is_amd=is_amd)
    machine = replace(machine, launch_cycles=taken_us * machine.clock_mhz)
    if mechanisms.latency:
        return machine
    at_once = replace(machine.load, queue_cycles=0.0, turnaround_cycles=0.0)
    latency = machine.latency | dict.fromkeys(MEMORY_LATENCIES, 0.0)
    return replace(machine, latency=latency, load=at_once)


def modelled_occupancy(reader: GpuReader, full: Occupancy, mechanisms: Mechanisms) -> Occupancy:
    """The occupancy ``full``, or that without limits by registers and local memory."""
    if mechanisms.occupancy or not full.blocks:
        return full
    return occupancy_of(reader, full.block_threads, None, 0)


def modelled_traffic(
    traffic: Mapping[int, Traffic], streams: Sequence[Stream], mechanisms: Mechanisms
) -> Mapping[int, Traffic]:
    """What accesses ask of the caches and of memory, by access, under the switches."""
    if mechanisms.coalescing and mechanisms.caches and mechanisms.conflicts:
        return traffic
    by_access = {stream.access: stream for stream in streams}
    return {a: _modelled(each, by_access[a], mechanisms) for a, each in traffic.items()}


def modelled_local(traffic: Mapping[int, Traffic], mechanisms: Mechanisms) -> dict[int, Traffic]:
    """The same of operations on local memory, whose lanes are contiguous."""
    if mechanisms.caches:
        return dict(traffic)
    return {a: replace(t, l2_sectors=t.sectors, dram_sectors=t.sectors) for a, t in traffic.items()}


def _modelled(traffic: Traffic, stream: Stream, mechanisms: Mechanisms) -> Traffic:
    wanted = stream.size_bytes * stream.width * stream.lanes
    if stream.is_local:
        if mechanisms.conflicts:
            return traffic
        return replace(traffic, passes=min(traffic.passes, max(1.0, wanted / LINE)))
    if not mechanisms.coalescing:
        sectors = min(traffic.sectors, max(1.0, wanted / SECTOR))
        lines = min(traffic.lines, max(1.0, wanted / LINE))
        traffic = replace(
            traffic, sectors=sectors, lines=lines, passes=min(traffic.passes, lines),
            bank_passes=min(traffic.bank_passes, lines),
            l2_sectors=min(traffic.l2_sectors, sectors),
            dram_sectors=min(traffic.dram_sectors, sectors),
        )  # fmt: skip
    if not mechanisms.caches:
        traffic = replace(traffic, l2_sectors=traffic.sectors, dram_sectors=traffic.sectors)
    return traffic

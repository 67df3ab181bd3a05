"""What the accesses of a launch ask of the caches of a GPU and of its memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field, replace

from kcc.base.gpu.needs import GpuReader
from kcc.base.gpu.occupancy import Occupancy
from kcc.base.records import dataclass
from kcc.sim.caches.dram_rows import sectors_a_row
from kcc.sim.caches.footprint import CacheShape, Traffic, traffic_of, without_l1
from kcc.sim.caches.options import CacheMethod
from kcc.sim.caches.overflow import all_gone
from kcc.sim.caches.reuse.analysis import ReuseStudy
from kcc.sim.caches.reuse.local_memory import key_of
from kcc.sim.caches.reuse.traffic import local_traffic, reuse_study, reuse_traffic
from kcc.sim.caches.streams import LINE
from kcc.sim.caches.warm_cache import COPIES, cooled, warmed
from kcc.sim.estimate.options import Mechanisms, modelled_local, modelled_traffic
from kcc.sim.estimate.subject import Subject
from kcc.sim.machine.memory_side import beyond_cache, scratch_kept
from kcc.sim.machine.pipeline_columns import L1Loads, Machine
from kcc.sim.machine.shared_carveout import carved_bytes
from kcc.sim.program.operations import Memory


@dataclass(frozen=True, slots=True)
class LaunchTraffic:
    """By access, per execution. ``study``: what reuse distances say in detail, where they were
    looked at; ``warm``: whether L2 was taken to hold what the launch before left."""

    by_access: Mapping[int, Traffic]
    study: ReuseStudy | None
    warm: bool
    memory_side: Mapping[int, float] = field(default_factory=dict[int, float])
    """Sectors that go through a cache at the side of the memory, by access."""
    row_sectors: Mapping[int, float] = field(default_factory=dict[int, float])
    """Of a row of DRAM, those that thread blocks ask for together, by access at known addresses."""


def launch_traffic(
    subject: Subject, reader: GpuReader, machine: Machine, occupancy: Occupancy,
    mechanisms: Mechanisms,
) -> LaunchTraffic:  # fmt: skip
    """That of a launch with this occupancy.

    :raises DiagnosticError: K807 where the GPU lacks a value that nothing can stand for.
    """
    asked = _Asked(subject, reader, machine, mechanisms)
    shape = _caches(machine, subject, occupancy)
    halves = reader.gpu.extra.l2_segment_bytes is not None
    found = asked.traffic(shape, COPIES if halves else 1.0)
    found = replace(found, row_sectors=_row_sectors(subject, machine, shape, found.by_access))
    side = machine.memory_side
    if side is None or not mechanisms.caches:
        return found
    whole = replace(shape, l2_bytes=max(side.size_bytes, shape.l2_bytes), dies=1)
    larger = asked.traffic(whole, 1.0)
    scratch = scratch_kept(found.by_access, *_scratch(subject, machine, found.by_access))
    by_access, moved = beyond_cache(found.by_access, larger.by_access, scratch)
    return replace(found, by_access=by_access, memory_side=moved)


def _row_sectors(
    subject: Subject, machine: Machine, shape: CacheShape, traffic: Mapping[int, Traffic]
) -> dict[int, float]:  # fmt: skip
    """Of the accesses that go to DRAM; those whose lanes and thread blocks lie alike are looked at
    once."""
    found, alike = dict[int, float](), dict[object, float]()
    for stream in subject.streams:
        reaches = stream.access in traffic and traffic[stream.access].dram_sectors > 0.0
        if stream.rows is None or stream.is_local or not reaches or not machine.dram_channels:
            continue
        key = stream.groups, (stream.rows - stream.rows.flat[0] // LINE * LINE).tobytes()
        if key not in alike:
            alike[key] = sectors_a_row(stream, shape, machine.dram_channels)
        found[stream.access] = alike[key]
    return found


def _scratch(
    subject: Subject, machine: Machine, known: Collection[int]
) -> tuple[dict[int, float], dict[int, float]]:
    """How often warps execute each load and each store of work-items' own memory."""
    program = subject.program(machine.generation)
    found = dict[int, float](), dict[int, float]()
    for block, rows in enumerate(program.blocks):
        for number in rows:
            row = program.operations[number]
            key = key_of(row.access, number)
            if row.memory in (Memory.PRIVATE, Memory.PRIVATE_STORE) and key in known:
                part = found[row.memory is Memory.PRIVATE_STORE]
                part[key] = part.get(key, 0.0) + subject.flow.executions[block]
    return found


@dataclass(frozen=True, slots=True)
class _Asked:
    subject: Subject
    reader: GpuReader
    machine: Machine
    mechanisms: Mechanisms

    def traffic(self, shape: CacheShape, copies: float) -> LaunchTraffic:
        """The traffic with caches of a shape, in the last of which lines lie ``copies`` times."""
        subject, options = self.subject, self.mechanisms.analysis
        study, local = None, dict[int, Traffic]()
        if options.method is CacheMethod.REUSE:
            study = reuse_study(subject, self.reader, shape, options)
            traffic = reuse_traffic(subject, shape, study)
            local = modelled_local(local_traffic(subject, study, shape), self.mechanisms)
        else:
            traffic = traffic_of(subject.streams, subject.flow, subject.facts, shape)
        if self.machine.l1_loads is L1Loads.READ_ONLY:
            traffic = without_l1(traffic, subject.past_l1)
        traffic = modelled_traffic(traffic, subject.streams, self.mechanisms)
        warm = options.warm and self.mechanisms.caches
        if warm:
            gone = all_gone(self.reader.gpu.capability)
            traffic = warmed(traffic, subject.streams, shape.l2_bytes / copies, gone)
        elif self.mechanisms.caches and not options.written:
            traffic = cooled(traffic, subject.streams, shape.l2_bytes / copies)
        if subject.program(self.machine.generation) is subject.newest:
            traffic = {**traffic, **local}
        return LaunchTraffic(traffic, study, warm)


def _caches(machine: Machine, subject: Subject, occupancy: Occupancy) -> CacheShape:
    l1 = 0 if machine.l1_loads is L1Loads.NONE else l1_bytes(machine, occupancy)
    return CacheShape(
        l1, machine.l2_size, machine.sms, occupancy.blocks, machine.banks, subject.places,
        machine.fetch_sectors, machine.dies,
    )  # fmt: skip


def l1_bytes(machine: Machine, occupancy: Occupancy) -> int:
    """What shared memory leaves of L1, where both are one."""
    if not machine.unified or not machine.l1_size:
        return machine.l1_size
    taken = occupancy.allocated_shared_bytes * occupancy.blocks
    return max(machine.l1_size - carved_bytes(machine.shared_carveouts, taken), 8192)

"""What accesses ask of the caches and of memory, by the reuse-distance analysis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from kcc.base.gpu.needs import GpuReader
from kcc.base.records import dataclass
from kcc.frontend.types import AddressSpace
from kcc.passes.memory.memory_accesses import MemoryAccesses
from kcc.sim.caches.footprint import (
    CacheShape,
    Traffic,
    compulsory_sectors,
    kept_bytes,
    launch_bytes,
    shared_traffic,
    unknown_traffic,
)
from kcc.sim.caches.options import CacheOptions
from kcc.sim.caches.overflow import missing_share
from kcc.sim.caches.reuse.analysis import Hierarchy, Rate, Reuse, ReuseStudy, Ways, reuse_of
from kcc.sim.caches.reuse.program import local_bytes
from kcc.sim.caches.streams import LINE, SECTOR, Stream
from kcc.sim.estimate.subject import Subject
from kcc.sim.machine.load_port import lines_at_once

CONSTANT_BYTES, CONSTANT_LINE, CONSTANT_WAYS = 2048, 64, 4
"""The constant cache of an SM where a description has none: Jia et al., "Dissecting the NVIDIA
Volta GPU architecture via microbenchmarking" (2018), table 3.1, L1 constant cache. No time rests on
it: the pipeline takes constants to hit."""


NEVER = Rate(0.0, 0.0)

TOO_LITTLE = 0.25
"""Of what a launch has to move at least, from where on the analysis is not believed: what it has to
move counts whole tiles, of which guards may leave the most of a small array's out."""


def reuse_study(
    subject: Subject, reader: GpuReader, shape: CacheShape, options: CacheOptions
) -> ReuseStudy:
    """The analysis of a kernel on a GPU. Two with the same caches, SMs and thread blocks share it.
    Accesses that no warp came to, nor to any like them, are looked at in the first thread block
    alone: what a single one does, it does most often.

    :raises DiagnosticError: K807 where the GPU lacks a value that nothing can stand for.
    """
    asked = hierarchy_of(reader, shape), options
    if asked not in subject.studies:
        study = reuse_of(subject.reuse, *asked)
        if missing := tuple(_not_come_to(subject, study)):
            alone = replace(asked[0], sms=1, resident=1)
            first = reuse_of(subject.reuse_of_first, alone, options).accesses
            fits = launch_bytes(subject.streams, subject.flow, shape) <= shape.l2_bytes
            found = {**study.accesses}
            for stream in missing:
                reuse, shared = first[stream.access], fits and _is_shared(subject, study, stream)
                found[stream.access] = replace(reuse, dram=NEVER) if shared else reuse
            study = replace(study, accesses=found)
        subject.studies[asked] = study
    return subject.studies[asked]


def hierarchy_of(reader: GpuReader, shape: CacheShape) -> Hierarchy:
    """The caches of a GPU; what its description lacks of them is assumed."""
    l1 = l2 = Ways(0, 0)
    if shape.l1_bytes:
        ways = reader.integer("l1.assoc", assumed=64, reason="as NVIDIA's newer GPUs")
        l1 = Ways.of(shape.l1_bytes, ways)
    if shape.l2_bytes:
        ways = reader.integer("l2.assoc", assumed=16, reason="as most GPUs")
        l2 = Ways.of(shape.l2_bytes // shape.dies, ways)
    policy = reader.gpu.l2.write_policy
    return Hierarchy(
        l1, l2, _constant(reader), shape.sms, shape.resident,
        policy is None or policy.value != "write-through", shape.fetch_sectors, shape.dies,
        lines_at_once(reader.gpu.capability),
    )  # fmt: skip


def _constant(reader: GpuReader) -> Ways:
    cache = reader.gpu.constant_cache
    size, ways = cache.size_bytes, cache.assoc
    return Ways.of(
        CONSTANT_BYTES if size is None else size.value,
        CONSTANT_WAYS if ways is None else ways.value,
        CONSTANT_LINE,
    )


def reuse_traffic(subject: Subject, shape: CacheShape, study: ReuseStudy) -> dict[int, Traffic]:
    """What each access asks of the caches and of memory, by access; those without known addresses
    as in the analysis of footprints."""
    everything = launch_bytes(subject.streams, subject.flow, shape)
    kept = kept_bytes(subject.streams, subject.flow, shape)
    found = dict[int, Traffic]()
    for stream in subject.streams:
        reuse = study.accesses.get(stream.access)
        if reuse is not None and not reuse.sectors:
            reuse = _neighbour(subject, study, stream)
        elif reuse is not None and reuse.unseen:
            reuse = _as_at_l2(reuse, _neighbour(subject, study, stream))
        if stream.is_local:
            found[stream.access] = shared_traffic(stream)
        elif reuse is None:
            found[stream.access] = unknown_traffic(stream, everything, kept, shape)
        else:
            found[stream.access] = _traffic(stream, reuse)
    found |= _brought_once(subject.streams, found, shape)
    return found | _moved_once(subject, found, shape)


def _moved_once(
    subject: Subject, traffic: Mapping[int, Traffic], shape: CacheShape
) -> dict[int, Traffic]:
    """The traffic of accesses to arrays of which the thread blocks that were looked at found too
    much in L2, or left too much there: it comes from DRAM, or goes there, once at least. What a
    launch has stored itself it may find in L2."""
    found, by_array = dict[int, Traffic](), dict[tuple[str, bool], list[Stream]]()
    stored = {each.array for each in subject.streams if not each.is_load}
    for each in subject.streams:
        if each.rows is None or each.is_local or each.is_atomic:
            continue
        if not each.is_load or each.array not in stored:
            by_array.setdefault((each.array, each.is_load), []).append(each)
    for members in by_array.values():
        moved = sum(s.executions * traffic[s.access].dram_sectors for s in members)
        least = max(compulsory_sectors(s, subject.flow, shape) for s in members)
        if moved < TOO_LITTLE * least:
            asked = sum(s.executions * traffic[s.access].l2_sectors for s in members)
            part = min((least - moved) / asked, 1.0) if asked else 0.0
            for each in members:
                own = traffic[each.access]
                more = min(own.dram_sectors + own.l2_sectors * part, own.l2_sectors)
                found[each.access] = replace(own, dram_sectors=more)
    return found


def _brought_once(
    streams: Sequence[Stream], traffic: Mapping[int, Traffic], shape: CacheShape
) -> dict[int, Traffic]:
    """The traffic of loads from places that are not certain in arrays for which L2 has room: what
    they bring from DRAM together is no more than the array."""
    found, by_array = dict[int, Traffic](), dict[str, list[Stream]]()
    for each in streams:
        fits = each.array_bytes is not None and each.array_bytes <= shape.l2_bytes
        if fits and each.is_load and (each.assumed or each.rows is None):
            by_array.setdefault(each.array, []).append(each)
    for members in by_array.values():
        moved = sum(s.executions * traffic[s.access].dram_sectors for s in members)
        part = (members[0].array_bytes or 0) / SECTOR / moved if moved else 1.0
        if part < 1.0:
            for each in members:
                own = traffic[each.access]
                found[each.access] = replace(own, dram_sectors=own.dram_sectors * part)
    return found


def _is_shared(subject: Subject, study: ReuseStudy, stream: Stream) -> bool:
    """Whether other accesses go to the same array, which have brought it to L2."""
    others = (study.accesses.get(s.access) for s in subject.streams if s.array == stream.array)
    return any(other is not None and other.sectors for other in others)


def _not_come_to(subject: Subject, study: ReuseStudy) -> Iterator[Stream]:
    """The accesses that happen, and of which nothing was seen, nor of any like them."""
    for stream in subject.streams:
        reuse = study.accesses.get(stream.access)
        if reuse is None or reuse.sectors or stream.executions < 1.0:
            continue
        if _neighbour(subject, study, stream) is None:
            yield stream


def local_traffic(subject: Subject, study: ReuseStudy, shape: CacheShape) -> dict[int, Traffic]:
    """The same of operations on local memory, by :func:`kcc.sim.caches.reuse.local_memory.key_of`
    of the program that was looked at. Where the analysis was cut before L2 saw an operation, what
    all warps at a time have of local memory says how much of it is gone from there when it is
    wanted again: arrays are gone through from end to end."""
    others = {stream.access for stream in subject.streams}
    blocks = min(shape.sms * shape.resident, math.prod(shape.grid))
    at_once = local_bytes(subject.reuse) * subject.block_warps * blocks
    gone = missing_share(at_once, shape.l2_bytes)
    found = dict[int, Traffic]()
    for key, reuse in study.accesses.items():
        if key not in others and reuse.sectors:
            sectors, missed = reuse.sectors, reuse.sectors * reuse.fetched
            lines = sectors * SECTOR / LINE
            dram = missed * gone if reuse.unseen else sectors * reuse.dram.mean
            found[key] = Traffic(sectors, lines, missed, dram, 1.0, known=True)
    return found


def _as_at_l2(reuse: Reuse, other: Reuse | None) -> Reuse:
    """What L2 did not see of an access, as it is of another one to the same array."""
    if other is None or not other.fetched:
        return reuse
    part = reuse.fetched / other.fetched
    dram = replace(other.dram, mean=min(other.dram.mean * part, reuse.fetched))
    return replace(reuse, l2_hits=other.l2_hits, dram=dram, pending=other.pending)


def _neighbour(subject: Subject, study: ReuseStudy, stream: Stream) -> Reuse | None:
    """What stands for an access that no warp came to, or that L2 did not see: the nearest one like
    it."""
    alike = [
        study.accesses[s.access] for s in sorted(
            subject.streams, key=lambda s: abs(s.access - stream.access)
        )
        if (s.array, s.is_load) == (stream.array, stream.is_load) and s.access in study.accesses
    ]  # fmt: skip
    return next((found for found in alike if found.sectors and not found.unseen), None)


def _traffic(stream: Stream, reuse: Reuse) -> Traffic:
    sectors = reuse.sectors or stream.sectors
    missed = sectors * reuse.fetched if stream.is_load else sectors
    return Traffic(
        sectors, stream.lines, missed, sectors * reuse.dram.mean, stream.passes, known=True,
        bank_passes=stream.bank_passes, pending=reuse.pending,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class AccessCaches:
    """An access of the source and the caches: sectors of an execution by a warp, the shares of them
    that hit the first cache (``first``: L1 or the constant cache), that of the others which hit
    L2, and the share that DRAM reads or writes."""

    access: int
    line: int
    array: str
    op: str
    first: str
    sectors: float
    first_hits: Rate
    l2_hits: Rate
    dram: Rate


def caches_by_access(subject: Subject, study: ReuseStudy) -> tuple[AccessCaches, ...]:
    """What was found for each access, in the order of the source's accesses."""
    accesses = subject.facts[MemoryAccesses].accesses
    found = list[AccessCaches]()
    for stream in subject.streams:
        reuse = study.accesses.get(stream.access)
        if reuse is None:
            continue
        access = accesses[stream.access]
        constant = access.space is AddressSpace.CONSTANT
        line = access.location.line if access.location else 0
        found.append(AccessCaches(
            stream.access, line, stream.array, access.op.value, "constant" if constant else "l1",
            reuse.sectors, reuse.l1_hits, reuse.l2_hits, reuse.dram,
        ))  # fmt: skip
    return tuple(found)


def interleaving_spread(subject: Subject, study: ReuseStudy) -> float:
    """By how much the sectors that DRAM moves deviate with the interleaving, as a share of all."""
    moved = deviation = 0.0
    for stream in subject.streams:
        reuse = study.accesses.get(stream.access)
        if reuse is not None:
            moved += stream.executions * reuse.sectors * reuse.dram.mean
            deviation += stream.executions * reuse.sectors * reuse.dram.deviation
    return deviation / moved if moved else 0.0

"""The input collector (dissertation, section 4.5): what the model needs of a launch's trace.

Warps go through L1 and L2 in turn, without timing but for one thing: a line that was missed is not
there before its latency has passed, by a clock that each SM keeps of the work that its warps have
issued. Loads of it until then are pending hits (section 4.6.4), which the text's collector takes
for hits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from kcc.sim.interval.facts import IntervalMachine, Kind, Operations
from kcc.trace.decode import TraceBatch
from kcc.trace.launches import TraceLaunch
from kcc.trace.tables import TraceTables

GROUP_ACCESSES = 1 << 21
"""Accesses after which the blocks collected so far go through the caches, where they fill the GPU
several times: memory stays bounded. Between groups SMs run empty."""

GROUP_WAVES = 4
"""Times that a group of blocks fills the GPU, at least."""

SEQUENCES_KEPT = 1 << 26
"""Segments of warps kept for interval profiles; where warps that differ have more, the later ones
count as the first with as many segments."""


class Event(IntEnum):
    """Columns of what is counted for each operation, all over its executions."""

    EXECUTED = 0
    L1 = 1
    """Executions whose slowest request hit L1 (the longest-request rule, 4.5.2) ..."""
    L2 = 2
    """... L2 ..."""
    DRAM = 3
    """... neither."""
    SECTORS = 4
    L1_HITS = 5
    L1_PENDING = 6
    L2_READS = 7
    L2_HITS = 8
    DRAM_READS = 9
    ROW_HITS = 10
    WRITES = 11
    WRITE_MISSES = 12
    LATENCY = 13
    """Cycles until all data were there, without queues."""
    PASSES = 14
    """Of local and constant memory."""
    LINES = 15
    WORK = 16
    """Of slices of L2, in sectors: more than one for atomics of lanes at one address."""


EVENTS = len(Event)


@dataclass(frozen=True, slots=True, eq=False)
class WarpSequence:
    """The segments of a warp in order, and how many warps of the launch have the same."""

    segments: NDArray[np.int32]
    warps: int


@dataclass(frozen=True, slots=True, eq=False)
class Collection:
    """What is known of a launch after the functional pass.

    ``events`` has a row for each operation, columns as :class:`Event`. ``executed`` are executions
    of each operation by warps. ``sms_of_blocks`` says where blocks ran, ``block_slots`` how many
    machine instructions each issued. ``dirty_sectors`` were written from L2 to DRAM.
    """

    tables: TraceTables
    launch: TraceLaunch
    operations: Operations
    machine: IntervalMachine
    events: NDArray[np.float64]
    executed: NDArray[np.int64]
    sequences: tuple[WarpSequence, ...]
    sms_of_blocks: NDArray[np.int64]
    block_slots: NDArray[np.int64]
    dirty_sectors: int
    slice_work: NDArray[np.float64]
    sequence_of_warp: NDArray[np.int32]
    thread_instructions: int
    accesses: int

    def per_execution(self, event: Event) -> NDArray[np.float64]:
        """The mean of a count over the executions of each operation."""
        return self.events[:, event] / np.maximum(self.events[:, Event.EXECUTED], 1)

    def total(self, event: Event) -> float:
        return float(self.events[:, event].sum())


@dataclass(slots=True, eq=False)
class SharedCache:
    """L2 as a launch left it for the next, and the open rows of DRAM."""

    tags: NDArray[np.int64]
    used: NDArray[np.int64]
    filled: NDArray[np.int64]
    dirty: NDArray[np.int8]
    rows: NDArray[np.int64]
    clock: int = 0


def empty_cache(machine: IntervalMachine) -> SharedCache:
    """An L2 in which nothing is."""
    lines = max(machine.l2.sets * machine.l2.ways * machine.l2_slices, 1)
    sectors = machine.line_bytes // machine.sector_bytes
    return SharedCache(
        np.full(lines, -1, np.int64), np.zeros(lines, np.int64),
        np.full((lines, sectors), -1, np.int64), np.zeros((lines, sectors), np.int8),
        np.full(machine.channels * machine.banks, -1, np.int64),
    )  # fmt: skip


def collect(
    tables: TraceTables, launch: TraceLaunch, machine: IntervalMachine, operations: Operations,
    batches: Iterable[TraceBatch], cache: SharedCache,
) -> Collection:  # fmt: skip
    """The collection of a launch; ``batches`` are all of its trace."""
    collector = Collector(tables, launch, machine, operations, cache)
    for batch in batches:
        collector.feed(batch)
    return collector.finish()


class Collector:
    """Takes the batches of a launch in the order of thread blocks."""

    def __init__(
        self, tables: TraceTables, launch: TraceLaunch, machine: IntervalMachine,
        operations: Operations, cache: SharedCache,
    ) -> None:  # fmt: skip
        self.tables, self.launch, self.machine = tables, launch, machine
        self.operations, self.cache = operations, cache
        self.statics = _Statics(tables, operations, machine)
        self.batches: list[TraceBatch] = []
        self.pending = 0
        self.counts = np.zeros((len(operations), EVENTS))
        self.slice_work = np.zeros((2, machine.l2_slices))
        self.sequence_of_warp = np.full(
            (launch.thread_blocks, launch.warps(tables.width)), -1, np.int32
        )
        self.segment_counts = np.zeros(len(tables.segments), np.int64)
        self.sequences = dict[int, int]()
        self.kept = list[NDArray[np.int32]]()
        self.kept_segments = 0
        self.sms_of_blocks = list[NDArray[np.int64]]()
        self.block_slots = np.zeros(launch.thread_blocks, np.int64)
        self.clocks = np.zeros(machine.sms, np.int64)
        sectors = machine.line_bytes // machine.sector_bytes
        lines = max(machine.sms * machine.l1.sets * machine.l1.ways, 1)
        self.l1 = (
            np.full(lines, -1, np.int64), np.zeros(lines, np.int64),
            np.full((lines, sectors), -1, np.int64), np.zeros((lines, sectors), np.int64),
        )  # fmt: skip
        self.totals = np.array([cache.clock, 0, 0], np.int64)
        self.dirty = self.thread_instructions = self.accesses = 0
        cache.filled[cache.filled > 0] = 0
        self.counted = np.array([s.counted for s in tables.segments], np.int64)

    def feed(self, batch: TraceBatch) -> None:
        """The next batch."""
        self.batches.append(batch)
        self.pending += max(len(batch.access), len(batch) // 8)
        if self.pending >= GROUP_ACCESSES:
            self._flush(last=False)

    def finish(self) -> Collection:
        """All batches were fed."""
        self._flush(last=True)
        self.cache.clock = int(self.totals[0])
        o = self.operations
        executed = np.zeros(len(o), np.int64)
        for (first, end, _), count in zip(o.segments, self.segment_counts, strict=True):
            executed[first:end] = count
        present = self.sequence_of_warp[self.sequence_of_warp >= 0]
        warps = np.bincount(present, minlength=len(self.kept))
        placed = self.sms_of_blocks or [np.zeros(0, np.int64)]
        return Collection(
            self.tables, self.launch, o, self.machine, self.counts, executed,
            tuple(map(WarpSequence, self.kept, warps.tolist())),
            np.concatenate(placed), self.block_slots, self.dirty, self.slice_work,
            self.sequence_of_warp, self.thread_instructions, self.accesses,
        )  # fmt: skip

    def _flush(self, *, last: bool) -> None:
        if not self.batches:
            return
        batch = _joined(self.batches)
        end = len(batch)
        if not last:
            machine = self.machine
            newest = int(batch.thread_block[-1])
            whole = newest - int(batch.thread_block[0])
            if whole < GROUP_WAVES * machine.sms * machine.blocks:
                self.batches, self.pending = [batch], 0
                return
            end = int(np.searchsorted(batch.thread_block, newest))
        own, rest = batch.part(0, end), batch.part(end, len(batch))
        self.batches = [rest] if len(rest) else []
        self.pending = len(rest.access)
        self._group(own)

    def _group(self, batch: TraceBatch) -> None:
        """The blocks of a batch go through the caches."""
        from kcc.sim.interval.caches_native import run_caches

        warps_per_block = self.launch.warps(self.tables.width)
        number = batch.thread_block * warps_per_block + batch.warp
        order = np.lexsort((np.arange(len(batch)), number))
        lanes = np.bitwise_count(batch.mask).astype(np.int64)
        self.thread_instructions += int(lanes @ self.counted[batch.segment])
        self.segment_counts += np.bincount(batch.segment, minlength=len(self.segment_counts))
        slots = np.bincount(
            batch.thread_block, self.statics.slots_of_segment[batch.segment],
            minlength=len(self.block_slots),
        )  # fmt: skip
        self.block_slots += slots.astype(np.int64)
        events, transactions, bounds, hashes = self._events(batch, number, order)
        self._keep_sequences(batch, number, order, hashes)
        first = int(batch.thread_block[0])
        blocks = int(batch.thread_block[-1]) - first + 1
        all_bounds = np.zeros((blocks * warps_per_block, 2), np.int64)
        present = np.unique(number) - first * warps_per_block
        all_bounds[present] = bounds
        placed = np.zeros(blocks, np.int64)
        self.totals[1] = self.totals[2] = 0
        m = self.machine
        shape = np.array(
            [m.sms, m.blocks, warps_per_block, m.l1.sets, m.l1.ways, m.l1_hit_cycles, m.l1_ports,
             m.l2.sets, m.l2.ways, m.l2_slices, m.l2_hashed, m.l2_write_back, m.l2_hit_cycles,
             m.dram_cycles, m.atomic_cycles, m.line_bytes // m.sector_bytes, m.channels, m.banks,
             m.row_lines, m.row_hit_saves_cycles],
            np.int64,
        )  # fmt: skip
        c = self.cache
        run_caches(
            shape, self.totals, self.operations.kind, events, transactions, all_bounds,
            np.zeros(len(events), np.int64), self.clocks, placed, *self.l1, c.tags, c.used,
            c.filled, c.dirty, c.rows, self.counts, self.slice_work,
        )  # fmt: skip
        self.dirty += int(self.totals[1])
        self.accesses += len(transactions)
        self.sms_of_blocks.append(placed)

    def _events(
        self, batch: TraceBatch, number: NDArray[np.int64], order: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
        from kcc.sim.interval.events_native import (
            EVENT_COLUMNS,
            NO_ROOM,
            make_events,
        )

        s, m = self.statics, self.machine
        barriers = int(s.barrier_of_segment[batch.segment].sum())
        room = len(batch.access) + barriers + 2
        moved = 4 * len(batch.access) + 64
        warps = len(np.unique(number))
        while True:
            events = np.zeros((room, EVENT_COLUMNS), np.int64)
            transactions = np.zeros((moved, 3), np.int64)
            bounds, hashes = np.zeros((warps, 2), np.int64), np.zeros(warps, np.uint64)
            counts = np.zeros_like(self.counts)
            count, end = make_events(
                order, batch.segment, batch.mask, batch.access_start, batch.access,
                batch.addresses, number, s.kind_of_access, s.operation_of_access,
                s.size_of_access, s.is_private, s.slots_of_access, s.solo_of_access,
                s.needs_of_access, s.slots_of_segment, s.solo_of_segment, s.barrier_of_segment,
                self.tables.private_bytes, m.line_bytes, m.sector_bytes, m.local_banks,
                m.lanes_together, counts, events, transactions, bounds, hashes,
            )  # fmt: skip
            if end != NO_ROOM:
                self.counts += counts
                return events[:count], transactions[:end], bounds, hashes
            moved *= 4

    def _keep_sequences(
        self, batch: TraceBatch, number: NDArray[np.int64], order: NDArray[np.int64],
        hashes: NDArray[np.uint64],
    ) -> None:  # fmt: skip
        """Number warps by what they executed; keep one sequence of each kind."""
        sorted_numbers = number[order]
        starts = np.flatnonzero(np.diff(sorted_numbers, prepend=sorted_numbers[0] - 1))
        ends = np.append(starts[1:], len(order))
        found, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
        numbers = np.zeros(len(found), np.int32)
        for place, (each, warp) in enumerate(zip(found.tolist(), first.tolist(), strict=True)):
            if each not in self.sequences:
                if self.kept_segments >= SEQUENCES_KEPT:
                    numbers[place] = len(self.kept) - 1
                    continue
                self.sequences[each] = len(self.kept)
                rows = order[starts[warp] : ends[warp]]
                self.kept.append(batch.segment[rows].astype(np.int32))
                self.kept_segments += len(rows)
            numbers[place] = self.sequences[each]
        self.sequence_of_warp.reshape(-1)[sorted_numbers[starts]] = numbers[inverse]


class _Statics:
    """What the native pass must know of accesses and segments, as arrays."""

    def __init__(
        self, tables: TraceTables, operations: Operations, machine: IntervalMachine
    ) -> None:
        o = operations
        count = len(tables.accesses)
        self.operation_of_access = np.array([a.instruction for a in tables.accesses], np.int64)
        self.size_of_access = np.array([a.element_bytes for a in tables.accesses], np.int64)
        self.is_private = np.array([a.space == "private" for a in tables.accesses], np.bool_)
        kinds = o.kind[self.operation_of_access] if count else np.zeros(0, np.int64)
        atomic = np.array([a.operation == "atomic" for a in tables.accesses], np.bool_)
        self.kind_of_access = np.where((kinds == Kind.LOCAL) & atomic, kinds + 100, kinds)
        self.slots_of_access = np.zeros(count, np.int64)
        self.solo_of_access = np.zeros(count, np.int64)
        self.needs_of_access = np.full(count, -1, np.int64)
        segments = len(o.segments)
        self.slots_of_segment = np.zeros(segments, np.int64)
        self.solo_of_segment = np.zeros(segments, np.int64)
        self.barrier_of_segment = np.array([s.barrier >= 0 for s in tables.segments], np.bool_)
        for segment in range(segments):
            self._walk(segment, o, machine)

    def _walk(self, segment: int, o: Operations, machine: IntervalMachine) -> None:
        """Issue slots and cycles (with L1 hits) from a segment's begin to each of its accesses,
        and the load that each has to wait for at the latest."""
        ready, loads = dict[int, float](), dict[int, int]()
        slots, time, waited = 0, 0.0, -1
        first, end, _ = o.segments[segment].tolist()
        for op in range(first, end):
            sources = o.sources[o.first_source[op] : o.end_source[op]].tolist()
            begins = max((ready.get(s, 0.0) for s in sources), default=0.0)
            load = max((loads.get(s, -1) for s in sources), default=-1)
            result, kind = int(o.result[op]), int(o.kind[op])
            if kind <= Kind.PHI:
                ready[result], loads[result] = begins, load
                continue
            waited = max(waited, load)
            time = max(time, begins)
            access = int(o.access[op])
            is_global = Kind.GLOBAL_LOAD <= kind <= Kind.GLOBAL_ATOMIC
            if access >= 0:
                self.slots_of_access[access], self.solo_of_access[access] = slots, round(time)
                self.needs_of_access[access] = waited
            latency = machine.l1_hit_cycles if is_global else float(o.latency_cycles[op])
            ready[result] = time + latency
            loads[result] = access if kind in (Kind.GLOBAL_LOAD, Kind.GLOBAL_ATOMIC) else -1
            slots += int(o.issue_slots[op])
            time += int(o.issue_slots[op])
        self.slots_of_segment[segment], self.solo_of_segment[segment] = slots, round(time)


def _joined(batches: list[TraceBatch]) -> TraceBatch:
    if len(batches) == 1:
        return batches[0]
    starts, base = [np.zeros(1, np.int64)], 0
    for batch in batches:
        starts.append(batch.access_start[1:] + base)
        base += len(batch.access)
    return TraceBatch(
        np.concatenate([b.thread_block for b in batches]),
        np.concatenate([b.warp for b in batches]),
        np.concatenate([b.segment for b in batches]),
        np.concatenate([b.block for b in batches]),
        np.concatenate([b.continued for b in batches]),
        np.concatenate([b.mask for b in batches]),
        np.concatenate(starts),
        np.concatenate([b.access for b in batches]),
        np.concatenate([b.addresses for b in batches]),
    )

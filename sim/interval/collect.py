"""The input collector (dissertation, section 4.5): what the model needs of a launch's trace.

Warps go through L1 and L2 in turn, without timing but for one thing: a line that was missed is not
there before its latency has passed, by a clock that each SM keeps of the work that its warps have
issued. Loads of it until then are pending hits (section 4.6.4), which the text's collector takes
for hits.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.launches import TraceLaunch
from kcc.base.trace.tables import TraceTables
from kcc.sim.interval.facts import IntervalMachine, Kind, Operations
from kcc.sim.interval.requests import Requests, Statics, Transactions, joined

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
    PORT = 17
    """Cycles of the load/store port; 0 where passes and sectors alone say so."""


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
    of each operation by warps. ``block_slots`` is how many machine instructions each block issued,
    ``sequence_of_warp`` what each warp executed (-1: nothing). ``dirty_sectors`` were written from
    L2 to DRAM.
    """

    tables: TraceTables
    launch: TraceLaunch
    operations: Operations
    machine: IntervalMachine
    events: NDArray[np.float64]
    executed: NDArray[np.int64]
    sequences: tuple[WarpSequence, ...]
    block_slots: NDArray[np.int64]
    dirty_sectors: int
    slice_work: NDArray[np.float64]
    sequence_of_warp: NDArray[np.int32]
    thread_instructions: int
    atomics_of_a_line: float
    """Lanes whose atomic operations are for the line that most are for."""

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
        self.statics = Statics(tables, operations, machine)
        self.warps_per_block = launch.warps(tables.width)
        self.parts: list[Requests] = []
        self.transactions = Transactions()
        self.segments_waiting = 0
        self.flush_at = GROUP_ACCESSES
        self.counts = np.zeros((len(operations), EVENTS))
        self.slice_work = np.zeros((2, machine.l2_slices))
        self.atomics_of_line = dict[int, float]()
        self.sequence_of_warp = np.full(
            (launch.thread_blocks, launch.warps(tables.width)), -1, np.int32
        )
        self.segment_counts = np.zeros(len(tables.segments), np.int64)
        self.sequences = dict[int, int]()
        self.kept = list[NDArray[np.int32]]()
        self.kept_segments = 0
        self.block_slots = np.zeros(launch.thread_blocks, np.int64)
        self.clocks = np.zeros(machine.sms, np.int64)
        sectors = machine.line_bytes // machine.sector_bytes
        lines = max(machine.sms * machine.l1.sets * machine.l1.ways, 1)
        self.l1 = (
            np.full(lines, -1, np.int64), np.zeros(lines, np.int64),
            np.full((lines, sectors), -1, np.int64), np.zeros((lines, sectors), np.int64),
        )  # fmt: skip
        self.totals = np.array([cache.clock, 0, 0], np.int64)
        self.dirty = self.thread_instructions = 0
        cache.filled[cache.filled > 0] = 0
        self.counted = np.array([s.counted for s in tables.segments], np.int64)

    def feed(self, batch: TraceBatch) -> None:
        """The next batch."""
        lanes = np.bitwise_count(batch.mask).astype(np.int64)
        self.thread_instructions += int(lanes @ self.counted[batch.segment])
        executed = np.bincount(batch.segment, minlength=len(self.segment_counts))
        self.segment_counts += executed
        slots = np.bincount(
            batch.thread_block, self.statics.slots_of_segment[batch.segment],
            minlength=len(self.block_slots),
        )  # fmt: skip
        self.block_slots += slots.astype(np.int64)
        self.parts.append(
            self.statics.requests(batch, self.warps_per_block, self.counts, self.transactions)
        )
        self.segments_waiting += len(batch)
        if self.transactions.count + self.segments_waiting // 8 >= self.flush_at:
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
        return Collection(
            self.tables, self.launch, o, self.machine, self.counts, executed,
            tuple(map(WarpSequence, self.kept, warps.tolist())),
            self.block_slots, self.dirty, self.slice_work,
            self.sequence_of_warp, self.thread_instructions,
            max(self.atomics_of_line.values(), default=0.0),
        )  # fmt: skip

    def _flush(self, *, last: bool) -> None:
        """The blocks that are complete go through the caches, if they fill the GPU."""
        if not self.parts:
            return
        whole = joined(self.parts)
        end = len(whole)
        if not last:
            block = whole.warp // self.warps_per_block
            newest = int(block[-1])
            if newest - int(block[0]) < GROUP_WAVES * self.machine.sms * self.machine.blocks:
                self.parts = [whole]
                self.flush_at *= 2
                return
            end = int(np.searchsorted(block, newest))
        own, rest = whole.part(0, end), whole.part(end, len(whole))
        self._group(own)
        self.parts = [rest] if len(rest) else []
        self.transactions.drop_before(rest)
        self.segments_waiting, self.flush_at = len(rest), GROUP_ACCESSES

    def _group(self, rows: Requests) -> None:
        from kcc.sim.interval.caches_native import run_caches
        from kcc.sim.interval.events_native import EVENT_COLUMNS, make_events

        s, m = self.statics, self.machine
        order = np.argsort(rows.warp, kind="stable")
        warps = rows.warp[order]
        starts = np.flatnonzero(np.diff(warps, prepend=warps[0] - 1))
        bounds = np.zeros((len(starts), 2), np.int64)
        hashes = np.zeros(len(starts), np.uint64)
        barriers = int(s.barrier_of_segment[rows.segment].sum())
        events = np.empty((len(rows.access) + barriers, EVENT_COLUMNS), np.int32)
        count = make_events(
            order, rows.segment, rows.access_start, rows.access, rows.places, rows.warp,
            s.operation_of_access, s.slots_of_access, s.solo_of_access, s.needs_of_access,
            s.slots_of_segment, s.solo_of_segment, s.barrier_of_segment, events, bounds, hashes,
        )  # fmt: skip
        self._keep_sequences(rows, order, starts, hashes)
        if m.atomic_operation_cycles > 0:
            self._count_atomics(rows)
        first = int(warps[0]) // self.warps_per_block
        blocks = int(warps[-1]) // self.warps_per_block - first + 1
        all_bounds = np.zeros((blocks * self.warps_per_block, 2), np.int64)
        all_bounds[warps[starts] - first * self.warps_per_block] = bounds
        self.totals[1] = self.totals[2] = 0
        shape = np.array(
            [m.sms, m.blocks, self.warps_per_block, m.l1.sets, m.l1.ways, m.l1_hit_cycles,
             m.l1_ports, m.l2.sets, m.l2.ways, m.l2_slices, m.l2_hashed, m.l2_write_back,
             m.l2_hit_cycles, m.dram_cycles, m.atomic_cycles, m.line_bytes // m.sector_bytes,
             m.channels, m.banks, m.row_lines, m.row_hit_saves_cycles, m.bank_mapping,
             m.atomic_operation_cycles > 0],
            np.int64,
        )  # fmt: skip
        c = self.cache
        run_caches(
            shape, self.totals, self.operations.kind, events[:count], self.transactions.rows,
            all_bounds, np.zeros(count, np.int64), self.clocks, *self.l1, c.tags, c.used,
            c.filled, c.dirty, c.rows, self.counts, self.slice_work,
        )  # fmt: skip
        self.dirty += int(self.totals[1])

    def _count_atomics(self, rows: Requests) -> None:
        """Add the lanes of atomic operations to those of the lines that they are for."""
        from kcc.sim.interval.events_native import T_LINE, T_SECTORS, WEIGHT_SHIFT

        kinds = self.operations.kind[self.statics.operation_of_access[rows.access]]
        first, count = rows.places[kinds == Kind.GLOBAL_ATOMIC].T
        if not len(first):
            return
        begins = np.repeat(first - np.cumsum(count) + count, count)
        asked = self.transactions.rows[begins + np.arange(int(count.sum()))]
        lines, place = np.unique(asked[:, T_LINE], return_inverse=True)
        lanes = np.bincount(place, asked[:, T_SECTORS] >> WEIGHT_SHIFT)
        for line, own in zip(lines.tolist(), lanes.tolist(), strict=True):
            self.atomics_of_line[line] = self.atomics_of_line.get(line, 0.0) + own

    def _keep_sequences(
        self, rows: Requests, order: NDArray[np.int64], starts: NDArray[np.int64],
        hashes: NDArray[np.uint64],
    ) -> None:  # fmt: skip
        """Number warps by what they executed; keep one sequence of each kind."""
        ends = np.append(starts[1:], len(order))
        found, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
        numbers = np.zeros(len(found), np.int32)
        for place, (each, warp) in enumerate(zip(found.tolist(), first.tolist(), strict=True)):
            if each not in self.sequences:
                if self.kept_segments >= SEQUENCES_KEPT:
                    numbers[place] = len(self.kept) - 1
                    continue
                self.sequences[each] = len(self.kept)
                own = order[starts[warp] : ends[warp]]
                self.kept.append(rows.segment[own].astype(np.int32))
                self.kept_segments += len(own)
            numbers[place] = self.sequences[each]
        self.sequence_of_warp.reshape(-1)[rows.warp[order[starts]]] = numbers[inverse]

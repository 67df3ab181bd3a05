"""What caches see of a trace: the accesses of warps as requests for lines, without addresses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.tables import TraceTables
from kcc.sim.interval.facts import IntervalMachine, Kind, Operations
from kcc.sim.program.issued import copied_accesses, joined_accesses

WORD_BYTES = 4
"""The least that lies apart for a lane: in private memory its words are side by side with those of
other lanes."""

LOCAL_ATOMIC = 100
"""Added to the kind of an atomic in local memory that its lanes do not join."""

TRANSACTIONS_PER_ACCESS = 4
"""Room at first."""


@dataclass(frozen=True, slots=True, eq=False)
class Requests:
    """Segments executed, a row for each, as in a :class:`TraceBatch`. ``warp`` counts warps of the
    launch. Accesses ``access_start[i]`` to ``access_start[i + 1]`` of ``access`` are row i's;
    ``places`` has the first of their transactions and how many there are (-1 and 0 for what does
    not leave the SM)."""

    warp: NDArray[np.int64]
    segment: NDArray[np.int32]
    access_start: NDArray[np.int64]
    access: NDArray[np.int32]
    places: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.segment)

    def part(self, start: int, end: int) -> Requests:
        """Rows ``start`` to ``end`` (excluded)."""
        if start == 0 and end == len(self):
            return self
        first, last = int(self.access_start[start]), int(self.access_start[end])
        return Requests(
            self.warp[start:end], self.segment[start:end],
            self.access_start[start : end + 1] - first, self.access[first:last],
            self.places[first:last],
        )  # fmt: skip


def joined(parts: Sequence[Requests]) -> Requests:
    """Parts one after another."""
    if len(parts) == 1:
        return parts[0]
    starts, accesses = [np.zeros(1, np.int64)], 0
    for part in parts:
        starts.append(part.access_start[1:] + accesses)
        accesses += len(part.access)
    return Requests(
        np.concatenate([p.warp for p in parts]), np.concatenate([p.segment for p in parts]),
        np.concatenate(starts), np.concatenate([p.access for p in parts]),
        np.concatenate([p.places for p in parts]),
    )  # fmt: skip


class Transactions:
    """Requests for lines: ``rows`` of (line, mask of sectors with a weight above), of which
    ``count`` are there."""

    def __init__(self) -> None:
        self.rows = np.empty((0, 2), np.int64)
        self.count = 0

    def make_room(self, more: int) -> None:
        """Room for so many more."""
        if self.count + more > len(self.rows):
            room = max(2 * len(self.rows), self.count + more)
            rows = np.empty((room, self.rows.shape[1]), np.int64)
            rows[: self.count] = self.rows[: self.count]
            self.rows = rows

    def drop_before(self, rows: Requests) -> None:
        """Forget those before the first of some requests, which are the last ones there are."""
        leaves = rows.places[:, 0] >= 0
        first = int(rows.places[leaves, 0].min(initial=self.count))
        self.rows[: self.count - first] = self.rows[first : self.count].copy()
        rows.places[leaves, 0] -= first
        self.count -= first


class Statics:
    """What the native pass must know of accesses and segments, as arrays."""

    def __init__(
        self, tables: TraceTables, operations: Operations, machine: IntervalMachine
    ) -> None:
        o = operations
        self.machine, self.private_bytes = machine, tables.private_bytes
        count = len(tables.accesses)
        self.operation_of_access = np.array([a.instruction for a in tables.accesses], np.int64)
        self.size_of_access = np.array([a.element_bytes for a in tables.accesses], np.int64)
        self.lines_of_lane = int(self.size_of_access.max(initial=0)) // WORD_BYTES + 2
        self.is_private = np.array([a.space == "private" for a in tables.accesses], np.bool_)
        self.is_copy = copied_accesses(tables)
        self.is_store = np.array([a.operation == "store" for a in tables.accesses], np.bool_)
        kinds = o.kind[self.operation_of_access] if count else np.zeros(0, np.int64)
        atomic = np.array([a.operation == "atomic" for a in tables.accesses], np.bool_)
        joined = joined_accesses(tables)
        self.kind_of_access = np.where(
            (kinds == Kind.LOCAL) & atomic & ~joined, kinds + LOCAL_ATOMIC, kinds
        )
        self.kind_of_access[joined & (kinds == Kind.GLOBAL_ATOMIC)] = Kind.GLOBAL_STORE
        self.slots_of_access = np.zeros(count, np.int64)
        self.solo_of_access = np.zeros(count, np.int64)
        self.needs_of_access = np.full(count, -1, np.int64)
        segments = len(o.segments)
        self.slots_of_segment = np.zeros(segments, np.int64)
        self.solo_of_segment = np.zeros(segments, np.int64)
        self.barrier_of_segment = np.array([s.barrier >= 0 for s in tables.segments], np.bool_)
        for segment in range(segments):
            self._measure(segment, o, machine)

    def _measure(self, segment: int, o: Operations, machine: IntervalMachine) -> None:
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

    def requests(
        self, batch: TraceBatch, warps_per_block: int, counts: NDArray[np.float64],
        transactions: Transactions,
    ) -> Requests:  # fmt: skip
        """The requests of a batch, whose transactions are added; executions, passes of local and
        constant memory and cycles of the load/store port are added to ``counts`` (operation,
        column)."""
        from kcc.sim.interval.requests_native import make_requests
        from kcc.sim.machine.port_native import Port

        m = self.machine
        warp = batch.thread_block * warps_per_block + batch.warp
        places = np.empty((len(batch.access), 2), np.int64)
        most = batch.addresses.shape[1] * self.lines_of_lane
        longest = int(np.diff(batch.access_start).max(initial=0))
        room = TRANSACTIONS_PER_ACCESS * len(batch.access) + most * longest
        row = 0
        while row < len(batch):
            transactions.make_room(room)
            transactions.count, row = make_requests(
                batch.mask, batch.access_start, batch.access, batch.addresses, warp,
                self.kind_of_access, self.operation_of_access, self.size_of_access,
                self.is_private, self.is_store, self.is_copy, self.private_bytes, m.line_bytes,
                m.sector_bytes, m.local_banks, m.lanes_together, m.pairs_together,
                m.atomics_together, most, row, transactions.count, counts, places,
                transactions.rows, Port(*m.port),
            )  # fmt: skip
        return Requests(warp, batch.segment, batch.access_start, batch.access, places)

"""What caches see of a trace: the accesses of warps as requests for lines, without addresses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kcc.sim.interval.facts import IntervalMachine, Kind, Operations
from kcc.trace.decode import TraceBatch
from kcc.trace.tables import TraceTables

LOCAL_ATOMIC = 100
"""Added to the kind of an atomic in local memory."""

TRANSACTIONS_PER_ACCESS = 4
"""Room at first."""


@dataclass(frozen=True, slots=True, eq=False)
class Requests:
    """Segments executed, a row for each, as in a :class:`TraceBatch`. ``warp`` counts warps of the
    launch. Accesses ``access_start[i]`` to ``access_start[i + 1]`` of ``access`` are row i's;
    ``places`` has the first of their ``transactions`` and how many there are (-1 and 0 for what
    does not leave the SM). Transactions are (line, mask of sectors, weight)."""

    warp: NDArray[np.int64]
    segment: NDArray[np.int32]
    access_start: NDArray[np.int64]
    access: NDArray[np.int32]
    places: NDArray[np.int64]
    transactions: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.segment)

    def part(self, start: int, end: int) -> Requests:
        """Rows ``start`` to ``end`` (excluded)."""
        first, last = int(self.access_start[start]), int(self.access_start[end])
        places = self.places[first:last].copy()
        leaves = places[:, 0] >= 0
        low = int(places[leaves, 0].min(initial=len(self.transactions)))
        high = int(places.sum(axis=1)[leaves].max(initial=low))
        places[leaves, 0] -= low
        return Requests(
            self.warp[start:end], self.segment[start:end],
            self.access_start[start : end + 1] - first, self.access[first:last], places,
            self.transactions[low:high],
        )  # fmt: skip


def joined(parts: Sequence[Requests]) -> Requests:
    """Parts one behind another."""
    if len(parts) == 1:
        return parts[0]
    starts, places = [np.zeros(1, np.int64)], list[NDArray[np.int64]]()
    accesses = transactions = 0
    for part in parts:
        starts.append(part.access_start[1:] + accesses)
        own = part.places.copy()
        own[own[:, 0] >= 0, 0] += transactions
        places.append(own)
        accesses += len(part.access)
        transactions += len(part.transactions)
    return Requests(
        np.concatenate([p.warp for p in parts]), np.concatenate([p.segment for p in parts]),
        np.concatenate(starts), np.concatenate([p.access for p in parts]),
        np.concatenate(places), np.concatenate([p.transactions for p in parts]),
    )  # fmt: skip


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
        self.is_private = np.array([a.space == "private" for a in tables.accesses], np.bool_)
        kinds = o.kind[self.operation_of_access] if count else np.zeros(0, np.int64)
        atomic = np.array([a.operation == "atomic" for a in tables.accesses], np.bool_)
        self.kind_of_access = np.where((kinds == Kind.LOCAL) & atomic, kinds + LOCAL_ATOMIC, kinds)
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

    def requests(
        self, batch: TraceBatch, warps_per_block: int, counts: NDArray[np.float64]
    ) -> Requests:
        """The requests of a batch; executions and passes of local and constant memory are added to
        ``counts`` (operation, column)."""
        from kcc.sim.interval.events_native import NO_ROOM, make_requests

        m = self.machine
        warp = batch.thread_block * warps_per_block + batch.warp
        places = np.zeros((len(batch.access), 2), np.int64)
        room = TRANSACTIONS_PER_ACCESS * len(batch.access) + 64
        while True:
            own = np.zeros_like(counts)
            transactions = np.empty((room, 3), np.int64)
            end = make_requests(
                batch.mask, batch.access_start, batch.access, batch.addresses, warp,
                self.kind_of_access, self.operation_of_access, self.size_of_access,
                self.is_private, self.private_bytes, m.line_bytes, m.sector_bytes, m.local_banks,
                m.lanes_together, own, places, transactions,
            )  # fmt: skip
            if end != NO_ROOM:
                counts += own
                return Requests(
                    warp, batch.segment, batch.access_start, batch.access, places,
                    transactions[:end],
                )  # fmt: skip
            room *= 4

"""The stream of a snapshot: what warps ask of memory, taken out of a trace's batches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.launches import TraceLaunch
from kcc.base.trace.tables import TracedAccessTable, TraceTables
from kcc.sim.cycle.blocks import ATOMIC, CONSTANT, GLOBAL, LOCAL, PRIVATE, PRIVATE_LINES
from kcc.sim.cycle.machine import Machine
from kcc.sim.cycle.record_layout import ACCESS, TRANSACTION
from kcc.sim.memory.dependences import Dependences
from kcc.sim.memory.facts import MemoryMachine, Op, Place, StaticAccess, Stream

OPS = {"load": Op.LOAD, "store": Op.STORE, "atomic": Op.ATOMIC}
OUTSIDE = -1
"""The operation of an access that does not leave the SM: to local memory."""


class StreamBuilder:
    """Takes the batches of consecutive thread blocks."""

    def __init__(
        self, tables: TraceTables, launch: TraceLaunch, machine: MemoryMachine, cycle: Machine,
        dependences: Dependences,
    ) -> None:  # fmt: skip
        from kcc.sim.cycle.coalesce_native import Geometry

        self.tables, self.launch, self.machine = tables, launch, machine
        self.dependences = dependences
        self.warps = launch.warps(tables.width)
        self.kinds = np.array([_kind(a) for a in tables.accesses], np.int64)
        self.sizes = np.array([a.element_bytes for a in tables.accesses], np.int64)
        has_constants = machine[Place.CONSTANT_SETS] > 0
        self.ops = np.array([_op(a, has_constants) for a in tables.accesses], np.int64)
        self.geometry = Geometry(
            cycle.line_bytes, cycle.sector_bytes, cycle.local_banks, cycle.lanes_together,
            cycle.pairs_together, PRIVATE_LINES, tables.private_bytes, has_constants,
        )  # fmt: skip
        self.batches = list[_Columns]()
        self.transactions = np.zeros(1 << 12, TRANSACTION)
        self.count = 0

    def take(self, batch: TraceBatch) -> None:
        """The next batch."""
        from kcc.sim.cycle.coalesce_native import coalesce

        places = np.zeros(len(batch.access), ACCESS)
        threads = batch.thread_block * self.warps + batch.warp
        row = 0
        while True:
            row, self.count = coalesce(
                batch.access_start, batch.mask, threads, batch.access, batch.addresses,
                self.kinds, self.sizes, self.geometry, places, self.transactions, row, self.count,
            )  # fmt: skip
            if row == len(batch):
                break
            grown = np.zeros(2 * len(self.transactions), TRANSACTION)
            grown[: self.count] = self.transactions[: self.count]
            self.transactions = grown
        self.batches.append(
            (
                threads, batch.segment.astype(np.int32), batch.access_start.astype(np.int64),
                batch.access.astype(np.int32), places,
            )
        )  # fmt: skip

    def footprint_lines(self) -> int:
        """Different lines so far."""
        return len(np.unique(self.transactions["line"][: self.count]))

    def finish(self, first_block: int, blocks: int, is_machine_code: bool) -> Stream:
        """The stream of the thread blocks that were taken. Each access of machine code is one of
        its own; else those of the source are."""
        from kcc.sim.memory.sequences_native import make_entries

        d = self.dependences
        threads, segments, starts, access, places = _joined(self.batches)
        order = np.argsort(threads, kind="stable")
        warps = threads[order]
        new_warp = np.full(len(threads), -1, np.int64)
        begins = np.flatnonzero(np.diff(warps, prepend=-1))
        new_warp[order[begins]] = warps[begins] - first_block * self.warps
        room = self.count + int(d.barriers[segments].sum())
        lines, info = np.zeros(room, np.int64), np.zeros(room, np.int64)
        bounds = np.zeros((blocks * self.warps, 2), np.int64)
        lengths = np.zeros(blocks * self.warps, np.int64)
        statics, numbers = static_accesses(self.tables, is_machine_code)
        sequences = make_entries(
            order, new_warp, segments, starts, access, places, self.transactions, self.ops,
            numbers, d.needs, d.needs_start, d.gates, d.gates_start, d.barriers, lines, info,
            bounds, lengths,
        )  # fmt: skip
        used = int(bounds.max(initial=0))
        return Stream(
            lines[:used], info[:used], bounds.reshape(blocks, self.warps, 2),
            lengths.reshape(blocks, self.warps), statics, first_block,
            self.launch.thread_blocks, sequences,
        )  # fmt: skip


_Columns = tuple[
    NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.void]
]
"""Of a batch: warps of the launch, segments, their first accesses, accesses, their transactions."""


def static_accesses(
    tables: TraceTables, is_machine_code: bool
) -> tuple[tuple[StaticAccess, ...], NDArray[np.int64]]:
    """The accesses of a kernel's source, and the number of that of each access of its code: copies
    that unrolling made are one."""
    found = dict[StaticAccess, int]()
    numbers = list[int]()
    for each in tables.accesses:
        place = tables.instructions[each.instruction]
        file = tables.files[place.file] if place.file >= 0 else ""
        op = Op.CONSTANT if _is_constant(each) else OPS[each.operation]
        own = StaticAccess(
            op,
            file,
            place.line,
            place.column,
            each.array,
            each.memory,
            each.element_bytes,
            each.instruction if is_machine_code else -1,
        )
        numbers.append(found.setdefault(own, len(found)))
    return tuple(found), np.array(numbers, np.int64)


def _kind(access: TracedAccessTable) -> int:
    """How it is taken apart; what local memory does is not looked at."""
    match access.memory, access.operation:
        case "local", _:
            return LOCAL
        case "private", _:
            return PRIVATE
        case _, "atomic":
            return ATOMIC
        case _:
            return CONSTANT if _is_constant(access) else GLOBAL


def _is_constant(access: TracedAccessTable) -> bool:
    return access.memory == "constant" and access.operation == "load"


def _op(access: TracedAccessTable, has_constants: bool) -> int:
    if access.memory == "local":
        return OUTSIDE
    if _is_constant(access):
        return Op.CONSTANT if has_constants else OUTSIDE
    return OPS[access.operation]


def _joined(batches: Sequence[_Columns]) -> _Columns:
    if not batches:
        return (
            np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(1, np.int64),
            np.zeros(0, np.int32), np.zeros(0, ACCESS),
        )  # fmt: skip
    starts, base = [np.zeros(1, np.int64)], 0
    for batch in batches:
        starts.append(batch[2][1:] + base)
        base += len(batch[3])
    return (
        np.concatenate([b[0] for b in batches]), np.concatenate([b[1] for b in batches]),
        np.concatenate(starts), np.concatenate([b[3] for b in batches]),
        np.concatenate([b[4] for b in batches]),
    )  # fmt: skip

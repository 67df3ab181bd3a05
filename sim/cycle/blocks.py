"""The streams of thread blocks that the core runs, out of trace batches.

Rows (segments executed) stand warp by warp; accesses are kept as what they mean to memory, not as
addresses. What no resident warp needs any more is dropped, so that memory is bounded by the
resident blocks.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.launches import TraceLaunch
from kcc.base.trace.tables import TraceTables
from kcc.sim.cycle.layout import Code, Conf, Run, Streams
from kcc.sim.cycle.machine import Machine
from kcc.sim.cycle.record_layout import ACCESS, ROW, TRANSACTION
from kcc.sim.machine.costs import Unit
from kcc.sim.program.issued import copied_accesses, joined_accesses

G = TypeVar("G", bound=np.generic)

ROWS_AT_ONCE = 1 << 15
"""Rows collected before they become blocks."""

PRIVATE_LINES = 1 << 44
"""Where the private memory of the lanes lies, as the model sees it."""
PRIVATE_BASE = 0x0000_0200_0000_0000
"""Where the trace has it."""
LOCAL_BASE = 0x0000_0100_0000_0000

GLOBAL, LOCAL, CONSTANT, PRIVATE, ATOMIC, LOCAL_ATOMIC, STORE, LOCAL_STORE, JOINED, COPY = range(10)
"""As in coalesce_native."""


class BlockSupply:
    """Makes streams of the batches of one launch."""

    def __init__(
        self, tables: TraceTables, launch: TraceLaunch, machine: Machine, code: Code
    ) -> None:
        self.tables, self.machine, self.touched = tables, machine, _touched(code)
        self.warps = launch.warps(tables.width)
        self.kinds = kinds_of(tables)
        self.sizes = np.array([a.element_bytes for a in tables.accesses], np.int64)
        self.counted = np.array([s.counted for s in tables.segments], np.int64)
        self.streams = Streams(
            np.zeros(1 << 10, ROW), np.zeros(1 << 10, ACCESS), np.zeros(1 << 12, TRANSACTION),
            np.zeros((0, self.warps, 2), np.int64),
        )  # fmt: skip
        self.rows = self.accesses = self.transactions = 0
        self.waiting: list[_Rows] = []
        self.pending = 0
        self.thread_instructions = 0

    def take(self, batch: TraceBatch) -> bool:
        """Keep a batch; True when enough are collected for blocks."""
        from kcc.sim.cycle.rows_native import thread_instructions

        starts = (batch.access_start[:-1] + self.accesses).astype(np.uint32)
        self._coalesce(batch)
        self.thread_instructions += thread_instructions(batch.mask, batch.segment, self.counted)
        self.waiting.append(_Rows(batch.thread_block, batch.warp, batch.segment, starts))
        self.pending += len(batch)
        return self.pending >= ROWS_AT_ONCE

    def flush(self, run: NDArray[np.int64], warps: NDArray[np.void], *, last: bool) -> None:
        """Make blocks of what is collected; the newest block waits unless it is the ``last``."""
        if not self.waiting:
            return
        rows = _joined(self.waiting)
        end = len(rows)
        if not last:
            end = int(np.searchsorted(rows.block, int(rows.block[-1])))
        self.waiting, self.pending = [rows], 0 if end else -len(rows)  # joining stays cheap
        if end == 0:
            return
        self.waiting = [rows.part(end, len(rows))] if end < len(rows) else []
        self._drop(run, warps, rows.part(0, len(rows)))
        self._append(rows.part(0, end), run)

    def _coalesce(self, batch: TraceBatch) -> None:
        from kcc.sim.cycle.coalesce_native import Geometry, coalesce
        from kcc.sim.machine.port_native import Port

        machine, count = self.machine, len(batch.access)
        if count == 0:
            return
        geometry = Geometry(
            machine.line_bytes, machine.sector_bytes, machine.local_banks,
            machine.lanes_together, machine.pairs_together, PRIVATE_LINES,
            self.tables.private_bytes,
            machine[Conf.CONSTANT_SETS] > 0, Port(*machine.port),
            machine[Conf.STORED_WORDS] > 0, int(machine[Conf.ATOMICS_TOGETHER]),
        )  # fmt: skip
        accesses = _room(self.streams.accesses, self.accesses + count)
        self.streams = self.streams._replace(accesses=accesses)
        threads = batch.thread_block * self.warps + batch.warp
        row = 0
        while True:
            row, self.transactions = coalesce(
                batch.access_start, batch.mask, threads, batch.access, batch.addresses, self.kinds,
                self.sizes, geometry, accesses[self.accesses :], self.streams.transactions, row,
                self.transactions,
            )  # fmt: skip
            if row == len(batch):
                break
            transactions = self.streams.transactions
            transactions = _room(transactions, 2 * len(transactions))
            self.streams = self.streams._replace(transactions=transactions)
        self.accesses += count

    def _append(self, rows: _Rows, run: NDArray[np.int64]) -> None:
        """The rows of whole blocks, in the order of blocks and warps, after those that wait."""
        from kcc.sim.cycle.rows_native import sort_rows

        first, end = int(run[Run.NEXT_BLOCK]), int(run[Run.END_BLOCK])
        blocks = 1 + int(np.count_nonzero(np.diff(rows.block)))
        fresh = np.zeros((blocks, self.warps, 2), np.int64)
        stream = _room(self.streams.rows, self.rows + len(rows))
        self.rows = sort_rows(
            rows.block, rows.warp, fresh, rows.segment, rows.access, self.touched, stream, self.rows
        )
        pool = np.concatenate([self.streams.pool[first:end], fresh])
        self.streams = self.streams._replace(rows=stream, pool=pool)
        run[Run.NEXT_BLOCK], run[Run.END_BLOCK] = 0, len(pool)

    def _drop(self, run: NDArray[np.int64], warps: NDArray[np.void], rows: _Rows) -> None:
        """Forget rows, accesses and transactions before the first that is still needed, by warps
        that run, blocks that wait or ``rows`` that are to be added."""
        from kcc.sim.cycle.rows_native import (
            first_needed,
            move_accesses,
            move_rows,
            move_transactions,
        )

        s = self.streams
        room = (
            len(s.rows) - self.rows - len(rows), len(s.accesses) - 2 * self.accesses,
            len(s.transactions) - 2 * self.transactions,
        )  # fmt: skip
        if min(room) > 0:
            return
        alive = warps["end_row"] > 0
        waiting = s.pool[int(run[Run.NEXT_BLOCK]) : int(run[Run.END_BLOCK])]
        row = int(waiting[..., 0][waiting[..., 1] > waiting[..., 0]].min(initial=self.rows))
        row = max(min(row, int(warps["row"][alive].min(initial=self.rows))), 0)
        if 2 * row < self.rows:
            return  # the search below looks at all that stay: it is not made for few that go
        access = first_needed(s.rows, row, self.rows, int(rows.access.min()))
        place = self.transactions
        if access < self.accesses:
            place = int(s.accesses["first"][access])
        gone = row + access + place
        if 2 * gone < self.rows + self.accesses + self.transactions:
            return  # so that what is moved is never more than what goes
        move_rows(s.rows, row, self.rows, access)
        move_accesses(s.accesses, access, self.accesses, place)
        move_transactions(s.transactions, place, self.transactions)
        self.rows, self.accesses = self.rows - row, self.accesses - access
        self.transactions -= place
        rows.access[:] -= np.uint32(access)
        warps["row"][alive] -= row
        warps["end_row"][alive] -= row
        warps["access"][alive] -= np.uint32(access)
        s.pool[...] -= row


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Rows in the order of the trace: their block, warp, segment and first access."""

    block: NDArray[np.int64]
    warp: NDArray[np.int32]
    segment: NDArray[np.int32]
    access: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.block)

    def part(self, start: int, end: int) -> _Rows:
        own = slice(start, end)
        return _Rows(self.block[own], self.warp[own], self.segment[own], self.access[own])


def _joined(rows: list[_Rows]) -> _Rows:
    if len(rows) == 1:
        return rows[0]
    return _Rows(
        np.concatenate([r.block for r in rows]), np.concatenate([r.warp for r in rows]),
        np.concatenate([r.segment for r in rows]), np.concatenate([r.access for r in rows]),
    )  # fmt: skip


def _touched(code: Code) -> NDArray[np.int64]:
    """The accesses of each segment whose code the next one's follows at once and without phis;
    else -1."""
    segments = code.segments
    touching = (code.ops["unit"] == Unit.MEMORY) & (code.ops["has_access"] != 0)
    before = np.concatenate([[0], np.cumsum(touching)])
    touched: NDArray[np.int64] = before[segments["end"]] - before[segments["first"]]
    is_next = segments["first"][1:] == segments["end"][:-1]
    touched[:-1][~is_next | (segments["first_copy"] < segments["end_copy"])[1:]] = -1
    touched[-1:] = -1
    return touched


def kinds_of(tables: TraceTables) -> NDArray[np.int64]:
    """How each access is taken apart. Lanes of one address that join their atomic operations ask
    for one of them."""
    kinds = np.array([_kind(a.operation, a.memory) for a in tables.accesses], np.int64)
    joined = joined_accesses(tables)
    kinds[copied_accesses(tables) & (kinds == GLOBAL)] = COPY
    kinds[joined & (kinds == ATOMIC)] = JOINED
    kinds[joined & (kinds == LOCAL_ATOMIC)] = LOCAL_STORE
    return kinds


def _kind(operation: str, space: str) -> int:
    if space == "local":
        kinds = {"atomic": LOCAL_ATOMIC, "store": LOCAL_STORE}
        return kinds.get(operation, LOCAL)
    if space == "private":
        return PRIVATE
    if operation == "atomic":
        return ATOMIC
    if operation == "store":
        return STORE
    return CONSTANT if space == "constant" else GLOBAL


def _room(column: NDArray[G], needed: int) -> NDArray[G]:
    if needed <= len(column):
        return column
    grown = np.empty(max(needed, 2 * len(column)), column.dtype)
    grown.view(np.int8)[: column.nbytes] = column.view(np.int8)  # NumPy copies records one by one
    return grown

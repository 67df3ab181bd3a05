"""The streams of thread blocks that the core runs, out of trace batches.

Rows (segments executed) stand warp by warp; accesses are kept as what they mean to memory, not as
addresses. What no resident warp needs any more is dropped, so that memory is bounded by the
resident blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kcc.sim.cycle.layout import Run, Warp
from kcc.sim.cycle.machine import Machine
from kcc.trace.decode import TraceBatch
from kcc.trace.launches import TraceLaunch
from kcc.trace.tables import TraceTables

G = TypeVar("G", bound=np.generic)

ROWS_AT_ONCE = 1 << 15
"""Rows collected before they become blocks."""

PRIVATE_LINES = 1 << 44
"""Where the private memory of the lanes lies, as the model sees it."""
PRIVATE_BASE = 0x0000_0200_0000_0000
"""Where the trace has it."""
LOCAL_BASE = 0x0000_0100_0000_0000

GLOBAL, LOCAL, CONSTANT, PRIVATE, ATOMIC, LOCAL_ATOMIC = range(6)
"""As in coalesce_native."""


@dataclass(slots=True, eq=False)
class Streams:
    """What the core reads. ``pool[b]`` has the first and end row of each warp of block b."""

    row_segment: NDArray[np.int32]
    row_access: NDArray[np.int64]
    accesses: NDArray[np.int64]
    transactions: NDArray[np.int64]
    pool: NDArray[np.int64]
    rows: int = 0
    used_accesses: int = 0
    used_transactions: int = 0


class BlockSupply:
    """Makes streams of the batches of one launch."""

    def __init__(self, tables: TraceTables, launch: TraceLaunch, machine: Machine) -> None:
        self.tables, self.machine = tables, machine
        self.width = tables.width
        self.warps = launch.warps(tables.width)
        self.kinds = np.array([_kind(a.operation, a.space) for a in tables.accesses], np.int64)
        self.sizes = np.array([a.element_bytes for a in tables.accesses], np.int64)
        self.counted = np.array([s.counted for s in tables.segments], np.int64)
        self.private_bytes = tables.private_bytes
        self.streams = Streams(
            np.zeros(1 << 16, np.int32), np.zeros(1 << 16, np.int64),
            np.zeros((1 << 16, 2), np.int64), np.zeros((1 << 18, 3), np.int64),
            np.zeros((256, self.warps, 2), np.int64),
        )  # fmt: skip
        self.batches: list[TraceBatch] = []
        self.pending = 0
        self.thread_instructions = 0

    def take(self, batch: TraceBatch) -> bool:
        """Keep a batch; True when enough are collected for blocks."""
        self.batches.append(batch)
        self.pending += len(batch)
        return self.pending >= ROWS_AT_ONCE

    def flush(
        self, run: NDArray[np.int64], warps: NDArray[np.int64], alive: NDArray[np.bool_],
        *, last: bool,
    ) -> None:  # fmt: skip
        """Make blocks of what is collected; the newest block waits unless it is the ``last``.

        ``alive`` are the warp slots that still run."""
        if not self.batches:
            return
        batch = _joined(self.batches)
        end = len(batch)
        if not last:
            newest = int(batch.thread_block[-1])
            end = int(np.searchsorted(batch.thread_block, newest))
        if end == 0:
            self.batches, self.pending = [batch], -len(batch)  # so that joining stays cheap
            return
        own, rest = batch.part(0, end), batch.part(end, len(batch))
        self.batches.clear()
        if len(rest):
            self.batches.append(rest)
        self.pending = len(rest)
        self._drop(run, warps, alive)
        self._append(own, run)

    def _append(self, batch: TraceBatch, run: NDArray[np.int64]) -> None:
        s = self.streams
        order = np.lexsort((batch.warp, batch.thread_block))
        n, m = len(batch), len(batch.access)
        s.row_segment = _room(s.row_segment, s.rows + n)
        s.row_access = _room(s.row_access, s.rows + n)
        s.accesses = _room(s.accesses, s.used_accesses + m)
        s.row_segment[s.rows : s.rows + n] = batch.segment[order]
        s.row_access[s.rows : s.rows + n] = batch.access_start[:-1][order] + s.used_accesses
        self._coalesce(batch)
        lanes = np.bitwise_count(batch.mask).astype(np.int64)
        self.thread_instructions += int(lanes @ self.counted[batch.segment])
        self._add_blocks(batch.thread_block[order], batch.warp[order], run)
        s.rows += n
        s.used_accesses += m

    def _coalesce(self, batch: TraceBatch) -> None:
        from kcc.sim.cycle.coalesce_native import coalesce

        s, machine = self.streams, self.machine
        m = len(batch.access)
        if m == 0:
            return
        of_row = np.repeat(np.arange(len(batch)), np.diff(batch.access_start))
        kinds = self.kinds[batch.access]
        threads = batch.thread_block[of_row] * self.warps + batch.warp[of_row]
        while True:
            end = coalesce(
                batch.addresses, batch.mask[of_row], kinds, self.sizes[batch.access], threads,
                PRIVATE_LINES, self.private_bytes, machine.line_bytes, machine.sector_bytes,
                machine.local_banks, machine.lanes_together,
                s.accesses[s.used_accesses : s.used_accesses + m], s.transactions,
                s.used_transactions,
            )  # fmt: skip
            if end >= 0:
                s.used_transactions = end
                return
            s.transactions = _room(s.transactions, 2 * len(s.transactions))

    def _add_blocks(
        self, thread_block: NDArray[np.int64], warp: NDArray[np.int32], run: NDArray[np.int64]
    ) -> None:
        s = self.streams
        key = thread_block * self.warps + warp
        starts = np.flatnonzero(np.diff(key, prepend=key[0] - 1))
        ends = np.append(starts[1:], len(key))
        blocks, place = np.unique(thread_block[starts], return_inverse=True)
        waiting = int(run[Run.END_BLOCK] - run[Run.NEXT_BLOCK])
        fresh = np.zeros((max(256, 2 * (waiting + len(blocks))), self.warps, 2), np.int64)
        first, end = int(run[Run.NEXT_BLOCK]), int(run[Run.END_BLOCK])
        kept = [n % len(s.pool) for n in range(first, end)]
        fresh[:waiting] = s.pool[kept]
        fresh[waiting + place, warp[starts], 0] = starts + s.rows
        fresh[waiting + place, warp[starts], 1] = ends + s.rows
        s.pool = fresh
        run[Run.NEXT_BLOCK], run[Run.END_BLOCK] = 0, waiting + len(blocks)

    def _drop(
        self, run: NDArray[np.int64], warps: NDArray[np.int64], alive: NDArray[np.bool_]
    ) -> None:
        """Forget rows, accesses and transactions before the first that is still needed."""
        s = self.streams
        first, end = int(run[Run.NEXT_BLOCK]), int(run[Run.END_BLOCK])
        rows = [s.rows]
        if alive.any():
            rows.append(max(int(warps[alive, Warp.ROW].min()), 0))
        if first < end:
            waiting = s.pool[[n % len(s.pool) for n in range(first, end)]]
            used = waiting[..., 1] > waiting[..., 0]
            rows.append(int(waiting[..., 0][used].min(initial=s.rows)))
        row = max(min(rows) - 1, 0)
        if row < len(s.row_segment) // 4:
            return
        access = int(s.row_access[row : s.rows].min(initial=s.used_accesses))
        globals_ = self._is_transaction(access)
        place = int(s.accesses[access : s.used_accesses, 0][globals_].min(
            initial=s.used_transactions
        ))  # fmt: skip
        s.row_segment[: s.rows - row] = s.row_segment[row : s.rows].copy()
        s.row_access[: s.rows - row] = s.row_access[row : s.rows] - access
        s.accesses[: s.used_accesses - access] = s.accesses[access : s.used_accesses].copy()
        s.accesses[: s.used_accesses - access, 0][globals_] -= place
        s.transactions[: s.used_transactions - place] = s.transactions[
            place : s.used_transactions
        ].copy()
        s.rows, s.used_accesses = s.rows - row, s.used_accesses - access
        s.used_transactions -= place
        warps[alive, Warp.ROW] -= row
        warps[alive, Warp.END_ROW] -= row
        warps[alive, Warp.ACCESS] -= access
        s.pool -= row

    def _is_transaction(self, access: int) -> NDArray[np.bool_]:
        """Of the accesses from ``access`` on, those that have transactions."""
        s = self.streams
        return s.accesses[access : s.used_accesses, 0] >= 0


def _kind(operation: str, space: str) -> int:
    if space == "local":
        return LOCAL_ATOMIC if operation == "atomic" else LOCAL
    if space == "private":
        return PRIVATE
    if operation == "atomic":
        return ATOMIC
    return CONSTANT if space == "constant" and operation == "load" else GLOBAL


def _joined(batches: list[TraceBatch]) -> TraceBatch:
    if len(batches) == 1:
        return batches[0]
    starts = [np.zeros(1, np.int64)]
    base = 0
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


def _room(column: NDArray[G], needed: int) -> NDArray[G]:
    if needed <= len(column):
        return column
    grown = np.zeros((max(needed, 2 * len(column)), *column.shape[1:]), column.dtype)
    grown[: len(column)] = column
    return grown

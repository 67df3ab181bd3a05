"""Races between the first thread blocks of a traced launch, which make results and trace depend on
how workers share thread blocks. What :mod:`kcc.tracegen.races` finds, of a part and in a fraction
of the time; races within a thread block change nothing from run to run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kcc.base.diagnostics import Diagnostic
from kcc.base.trace.decode import TraceBatch, TraceDecoder
from kcc.frontend.ir.instructions import Store
from kcc.frontend.ir.values import InstructionRef
from kcc.tracegen.execute import PreparedLaunch
from kcc.tracegen.races import (
    Field,
    Kind,
    Race,
    Rows,
    explain_race,
    find_race,
    kind_and_size,
    two_blocks_each,
)
from kcc.tracegen.simt.layout import LOCAL_BASE
from kcc.tracegen.trace_tables import tables_of
from kcc.tracegen.workers import TraceCallback

MOST_EACH, MOST = 1 << 13, 1 << 18
"""Addresses that are looked at, of a thread block and in all: a fraction of a second."""


ROWS_TOGETHER = 1 << 16
"""Bytes that wait at least until they are joined with those that are kept, or as many as these are:
each is sorted a few times, however many batches there are."""


class BlockRaces:
    """Looks at the trace of a launch that goes to ``take``."""

    def __init__(self, prepared: PreparedLaunch, take: TraceCallback) -> None:
        self._prepared, self._take = prepared, take
        plan = prepared.plan
        self._accesses = [plan.function.instructions[n] for n in plan.accesses]
        tables = tables_of(plan, prepared.kernel, prepared.unit)
        self._decoder = TraceDecoder(tables, addresses=True)
        self._rows: Rows = np.zeros((0, len(Field)), np.int64)
        self._fresh, self._waiting = list[Rows](), 0
        self._left, self._block, self._left_of_block = MOST, -1, 0

    def __call__(self, first_block: int, words: NDArray[np.uint32]) -> None:
        self._take(first_block, words)
        if self._left > 0:
            for batch in self._decoder.decode(first_block, words):
                self._look(batch)

    def finish(self) -> Diagnostic | None:
        """K722 for the race found."""
        self._join()
        race = find_race(self._rows[self._matters()], [Field.BYTE], Field.BLOCK)
        return None if race is None else self._said(race)

    def _said(self, race: Race) -> Diagnostic:
        prepared = self._prepared
        item = prepared.object_at(race.address)
        kernel = prepared.kernel
        found = explain_race(
            race, prepared.plan, item, prepared.global_id, kernel.name, kernel.span
        )
        hint = "`--workers 1` runs thread blocks in order; `--races` looks at all of them"
        message = f"{found.message}: results and traces depend on which thread block is first"
        return replace(found, code="K722", message=message, hint=hint)

    def _look(self, batch: TraceBatch) -> None:
        counts = np.diff(batch.access_start)
        blocks = np.repeat(batch.thread_block, counts)
        lanes = np.arange(batch.addresses.shape[1], dtype=np.uint64)
        active = np.repeat(batch.mask, counts)[:, None] >> lanes & np.uint64(1)
        for block in np.unique(blocks).tolist():
            if block != self._block:
                self._block, self._left_of_block = block, MOST_EACH
            own = np.flatnonzero(blocks == block)
            own = own[: max(min(self._left_of_block, self._left), 0) // max(len(lanes), 1)]
            self._left -= len(own) * len(lanes)
            self._left_of_block -= len(own) * len(lanes)
            warps = np.repeat(batch.warp, counts)[own]
            for number in np.unique(batch.access[own]).tolist():
                chosen = batch.access[own] == number
                found = self._bytes(
                    number, block, warps[chosen], batch.addresses[own[chosen]],
                    active[own[chosen]] > 0,
                )  # fmt: skip
                self._fresh.append(found)
                self._waiting += len(found)
        if self._waiting > max(len(self._rows), ROWS_TOGETHER):
            self._join()

    def _join(self) -> None:
        """What was looked at, with what is kept of it before."""
        self._rows = two_blocks_each(np.concatenate([self._rows, *self._fresh]))
        self._fresh, self._waiting = [], 0

    def _bytes(
        self, number: int, block: int, warps: NDArray[np.int32], addresses: NDArray[np.int64],
        active: NDArray[np.bool_],
    ) -> Rows:  # fmt: skip
        """What executions of one access touch of global memory, byte by byte."""
        kind, size = kind_and_size(self._accesses[number])
        width = self._prepared.plan.width
        items = warps[:, None].astype(np.int64) * width + np.arange(width)
        chosen = active & (addresses < LOCAL_BASE)
        found, first = np.unique(addresses[chosen], return_index=True)
        rows = np.zeros((len(found), size, len(Field)), np.int64)
        rows[:, :, Field.BYTE] = found[:, None] + np.arange(size)
        rows[:, :, Field.BLOCK] = block
        rows[:, :, Field.ITEM] = items[chosen][first][:, None]
        rows[:, :, Field.KIND] = kind
        rows[:, :, Field.INSTRUCTION] = self._prepared.plan.accesses[number]
        return rows.reshape(-1, len(Field))

    def _matters(self) -> NDArray[np.bool_]:
        """Not bytes that are only written, by instructions that write a constant: whoever is first,
        the same is there in the end (a flag that many set)."""
        rows, plan = self._rows, self._prepared.plan
        constant = [
            n for n in plan.accesses
            if isinstance(store := plan.function.instructions[n], Store)
            and not isinstance(store.value, InstructionRef)
        ]  # fmt: skip
        harmless = (rows[:, Field.KIND] == Kind.WRITE) & np.isin(
            rows[:, Field.INSTRUCTION], constant
        )
        others = np.unique(rows[~harmless, Field.BYTE])
        return np.isin(rows[:, Field.BYTE], others)

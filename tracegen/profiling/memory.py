"""Coalescing, bank conflicts and reuse of a launch's memory accesses, from its trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kcc.base.profile.model import AccessCount, Counts, Histogram
from kcc.base.trace.tables import TraceTables
from kcc.tracegen.profiling.layout import (
    BUCKETS,
    CACHED,
    EXECUTIONS,
    FULL,
    FULL_WARPS,
    KNOWN,
    LANES,
    LOCAL,
    MOST,
    OTHER,
    THRESHOLD_BITS,
    TOTALS,
)

if TYPE_CHECKING:
    from kcc.base.trace.decode import TraceBatch

TRACKED_LINES = 1 << 17
"""Lines whose last touch is remembered: 16 MiB of memory. Launches that touch more are sampled."""

_KINDS = {"local": LOCAL, "private": OTHER}


class MemoryCounter:
    """Measures each access (see :mod:`kcc.tracegen.profiling.memory_native`)."""

    def __init__(self, tables: TraceTables) -> None:
        count = len(tables.accesses)
        self.kinds = np.array([_KINDS.get(a.space, CACHED) for a in tables.accesses], np.int64)
        self.sizes = np.array([a.element_bytes for a in tables.accesses], np.int64)
        self.totals = np.zeros((count, TOTALS), np.int64)
        self.sectors, self.lines, self.banks32, self.banks16 = (
            np.zeros((count, MOST + 1), np.int64) for _ in range(4)
        )
        self.reuse = np.zeros((count, BUCKETS), np.int64)
        self.deltas = np.zeros((count, tables.width), np.int64)
        self.known = np.zeros((count, KNOWN), np.int64)
        self.touched_lines = np.zeros((count, 5 * tables.width), np.int64)
        self.seen_lines = np.full(2 * TRACKED_LINES, -1, np.int64)
        self.seen_times = np.zeros(2 * TRACKED_LINES, np.int64)
        self.tree = np.zeros(4 * TRACKED_LINES, np.int64)
        self.state = np.array([0, 0, FULL], np.int64)

    def add(self, batch: TraceBatch, by_block: Counts) -> None:
        """Measure the accesses of a batch; requests go to the rows of their thread blocks."""
        from kcc.tracegen.profiling.memory_native import measure

        measure(
            batch.thread_block, batch.mask, batch.access_start, batch.access, batch.addresses,
            self.kinds, self.sizes, self.totals, self.sectors, self.lines, self.banks32,
            self.banks16, by_block, self.reuse, self.deltas, self.known, self.touched_lines,
            self.seen_lines, self.seen_times, self.tree, self.state,
        )  # fmt: skip

    @property
    def sampled(self) -> float:
        """The share of lines whose reuse is followed at the end."""
        return float(2.0 ** int(self.state[THRESHOLD_BITS] - FULL))

    def accesses(self) -> tuple[AccessCount, ...]:
        """By access."""
        return tuple(
            AccessCount(
                access=number,
                executions=int(self.totals[number, EXECUTIONS]),
                full=int(self.totals[number, FULL_WARPS]),
                lanes=int(self.totals[number, LANES]),
                sectors=_histogram(self.sectors[number]),
                lines=_histogram(self.lines[number]),
                bank_passes=_histogram(self.banks32[number]),
                half_warp_bank_passes=_histogram(self.banks16[number]),
                reuse=_distances(self.reuse[number]),
                new_lines=int(self.reuse[number, -1]),
            )
            for number in range(len(self.kinds))
        )


def _histogram(row: NDArray[np.int64]) -> Histogram:
    return {int(value): int(row[value]) for value in np.flatnonzero(row)}


def _distances(row: NDArray[np.int64]) -> Histogram:
    """Reuse distances by the least one of each bucket."""
    buckets = np.flatnonzero(row[:-1])
    return {(1 << int(b)) >> 1: int(row[b]) for b in buckets}

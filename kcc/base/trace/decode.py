"""Decodes the words of a trace into columns of numpy arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.decode_native import (
    EXECUTIONS,
    FINE,
    FULL,
    LANES,
    WORDS_OF_ERRORS,
    counter,
    decoder,
)
from kcc.base.trace.launches import LaunchTotals
from kcc.base.trace.tables import TraceTables

BATCH_SEGMENTS = 1 << 16
BATCH_ACCESSES = 1 << 15
"""Of a batch, at most (one segment may have more accesses): 8 MiB of addresses in warps of 32."""


class TraceWordsError(ValueError):
    """Words that no kernel of these tables can have left; the message says where and why."""


@dataclass(frozen=True, slots=True, eq=False)
class TraceBatch:
    """Segments executed one after another, n of them with m accesses; one row for each.

    Segment i was executed by the lanes ``mask[i]`` (a bit per lane) of warp ``warp[i]`` of thread
    block ``thread_block[i]`` (linear numbers), and is block ``block[i]``, or the part of it after
    a barrier where ``continued[i]``. Its accesses are ``access_start[i]`` to ``access_start[i+1]``
    of ``access`` (numbers into the tables' accesses) and ``addresses`` (virtual addresses in
    bytes; those of lanes that are not active mean nothing). Without addresses m is 0.
    """

    thread_block: NDArray[np.int64]
    warp: NDArray[np.int32]
    segment: NDArray[np.int32]
    block: NDArray[np.int32]
    continued: NDArray[np.bool_]
    mask: NDArray[np.uint64]
    access_start: NDArray[np.int64]
    access: NDArray[np.int32]
    addresses: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.segment)

    def part(self, start: int, end: int) -> TraceBatch:
        """Segments ``start`` to ``end`` (excluded), without copies of their columns."""
        first, last = int(self.access_start[start]), int(self.access_start[end])
        own = slice(start, end)
        return TraceBatch(
            self.thread_block[own], self.warp[own], self.segment[own], self.block[own],
            self.continued[own], self.mask[own], self.access_start[start : end + 1] - first,
            self.access[first:last], self.addresses[first:last],
        )  # fmt: skip


def joined(batches: Sequence[TraceBatch]) -> TraceBatch:
    """One batch of several that follow one another."""
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


def gathered(batches: Iterable[TraceBatch]) -> Iterator[TraceBatch]:
    """The same in fewer batches: small ones, as those of small thread blocks are, together."""
    some, segments, accesses = list[TraceBatch](), 0, 0
    for batch in batches:
        segments, accesses = segments + len(batch), accesses + len(batch.access)
        if some and (segments > BATCH_SEGMENTS or accesses > BATCH_ACCESSES):
            yield joined(some)
            some, segments, accesses = [], len(batch), len(batch.access)
        some.append(batch)
    if some:
        yield joined(some)


class SegmentColumns:
    """What the walks must know of the tables, as arrays."""

    def __init__(self, tables: TraceTables) -> None:
        ends = [s.end_access for s in tables.segments]
        self.starts = np.array([0, *ends], np.int64)
        self.counted = np.array([s.counted for s in tables.segments], np.int64)
        self.block = np.array([s.block for s in tables.segments], np.int32)
        first = [s.first != tables.blocks[s.block].first for s in tables.segments]
        self.continued = np.array(first, np.bool_)
        self.sizes = np.array([a.element_bytes for a in tables.accesses], np.int64)


class TraceDecoder:
    """Decodes the pieces of a trace in the order in which they come.

    ``addresses`` says whether the words hold addresses.
    """

    def __init__(self, tables: TraceTables, *, addresses: bool) -> None:
        self.tables, self.addresses = tables, addresses
        self.columns = SegmentColumns(tables)
        self.state = np.zeros(3, np.int64)
        self.patterns = np.zeros((len(tables.accesses), tables.width), np.int32)
        self.bases = np.zeros(len(tables.accesses), np.int64)
        most = int(np.diff(self.columns.starts).max(initial=0))
        self.room = max(BATCH_ACCESSES, most)
        self.chunk: int | None = None

    def restart(self) -> None:
        """Forget the state: a chunk begins."""
        for column in (self.state, self.patterns, self.bases):
            column[...] = 0

    def decode(self, first_block: int, words: NDArray[np.uint32]) -> Iterator[TraceBatch]:
        """The batches of one piece, as the engine's trace callback gets it; pieces of one chunk
        have the same ``first_block`` and follow one another.

        To be used up before the next piece. Raises :class:`TraceWordsError`.
        """
        if first_block != self.chunk:
            self.chunk = first_block
            self.restart()
        words = np.ascontiguousarray(words, np.uint32)
        place = 0
        while place < len(words):
            place, batch = self.step(words, place)
            if len(batch):
                yield batch

    def step(self, words: NDArray[np.uint32], place: int) -> tuple[int, TraceBatch]:
        """One batch from ``place`` on, and the place after it."""
        left = len(words) - place
        rows = min(BATCH_SEGMENTS, left)
        room = min(self.room, left) if self.addresses else 0
        thread_block, warp = np.empty(rows, np.int64), np.empty(rows, np.int32)
        segment, mask = np.empty(rows, np.int32), np.empty(rows, np.int64)
        access_start, access = np.empty(rows + 1, np.int64), np.empty(room, np.int32)
        width = self.tables.width if self.addresses else 0
        addresses = np.empty((room, width), np.int64)
        place, n, m, end = decoder()(
            words, place, self.state, self.patterns, self.bases, self.columns.starts,
            self.columns.sizes, thread_block, warp, segment, mask, access_start, access, addresses,
        )  # fmt: skip
        if end not in (FINE, FULL):
            raise TraceWordsError(f"{WORDS_OF_ERRORS[end]} (word {place})")
        segments = segment[:n]
        return place, TraceBatch(
            thread_block[:n], warp[:n], segments, self.columns.block[segments],
            self.columns.continued[segments], mask[:n].view(np.uint64), access_start[: n + 1],
            access[:m], addresses[:m],
        )  # fmt: skip


class TraceCounter:
    """Adds up what the pieces of a trace hold, many times faster than by decoding them.

    ``seen`` has for each segment its executions and the lanes active in them in all; ``blocks``
    are the lowest and the highest thread block, -1 at first.
    """

    def __init__(self, tables: TraceTables, *, addresses: bool) -> None:
        self.tables, self.addresses = tables, addresses
        self.columns = SegmentColumns(tables)
        self.state = np.zeros(3, np.int64)
        self.chunk: int | None = None
        self.seen = np.zeros((len(tables.segments), 2), np.int64)
        self.blocks = np.full(2, -1, np.int64)

    def add(self, first_block: int, words: NDArray[np.uint32]) -> None:
        """Count one piece, as :meth:`TraceDecoder.decode` gets it; raises
        :class:`TraceWordsError`."""
        if first_block != self.chunk:
            self.chunk = first_block
            self.state[:] = 0
        place, end = counter()(
            np.ascontiguousarray(words, np.uint32), self.state, self.columns.starts,
            self.tables.width, self.addresses, self.seen, self.blocks,
        )  # fmt: skip
        if end != FINE:
            raise TraceWordsError(f"{WORDS_OF_ERRORS[end]} (word {place})")

    def totals(self) -> LaunchTotals:
        """What has been counted so far."""
        return totals_of(self.tables, self.columns, self.seen, addresses=self.addresses)


def totals_of(
    tables: TraceTables, columns: SegmentColumns, seen: NDArray[np.int64], *, addresses: bool
) -> LaunchTotals:
    """The totals that follow from the executions and lanes of each segment."""
    executions, lanes = seen[:, EXECUTIONS], seen[:, LANES]
    touched = int(np.diff(columns.starts) @ executions) if addresses else 0
    entries: list[list[int]] = seen[[b.first_segment for b in tables.blocks]].tolist()
    return LaunchTotals(
        segments=int(executions.sum()),
        accesses=touched,
        warp_instructions=int(columns.counted @ executions),
        thread_instructions=int(columns.counted @ lanes),
        counts=tuple((runs, active) for runs, active in entries),
    )


def add_seen(seen: NDArray[np.int64], batch: TraceBatch) -> None:
    """Add the executions and lanes of a batch's segments."""
    count = len(seen)
    seen[:, EXECUTIONS] += np.bincount(batch.segment, minlength=count)
    lanes = np.bincount(batch.segment, np.bitwise_count(batch.mask), count)
    seen[:, LANES] += lanes.astype(np.int64)

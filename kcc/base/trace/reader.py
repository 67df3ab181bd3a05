"""Reads trace files: what they are of at once, their contents piece by piece as asked for.

Whatever a file holds, what comes is right or a :class:`~kcc.base.diagnostics.DiagnosticError`: K760
(no trace), K761 (another version), K762 (cut off), K763 (changed since it was written), K764 (says
what cannot be).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence, Sized
from operator import add
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from kcc.base.diagnostics import DiagnosticError
from kcc.base.records import dataclass
from kcc.base.trace.chunks import ChunkRecord
from kcc.base.trace.classes import ClassTrace
from kcc.base.trace.container import (
    MAX_JSON_BYTES,
    MAX_RECORD_BYTES,
    Record,
    RecordReader,
    RecordStream,
    contradictory,
    damaged,
)
from kcc.base.trace.decode import (
    SegmentColumns,
    TraceBatch,
    TraceDecoder,
    TraceWordsError,
    add_seen,
    gathered,
    totals_of,
)
from kcc.base.trace.index import IndexRow, read_index
from kcc.base.trace.launches import (
    CHUNKS,
    LaunchTotals,
    TraceHeader,
    TraceLaunch,
    check_launch,
)
from kcc.base.trace.layout import CHUNK
from kcc.base.trace.rows import Json, from_json
from kcc.base.trace.tables import TraceTables

R = TypeVar("R")

KEPT_LAUNCHES = 256
"""Of a file, that stay in memory once it is open: 3 KB each."""


def open_trace(path: Path | str) -> TraceFile:
    """The trace in a file; close it, or use it in a ``with`` statement."""
    return TraceFile(Path(path))


class TraceFile:
    """A trace file. ``totals`` are those of all launches (without counts)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._records = RecordReader(path)
        self._latest: tuple[int, ChunkRecord] | None = None
        try:
            self._index = read_index(self._records)
            self.totals = self._index.totals
            self.header = self._row(TraceHeader, self._index.header)
            self.tables = tuple(self._tables(row) for row in self._index.tables)
            self.launches: Sequence[LaunchTrace] = _Launches(self._launch, self._index.launches)
            self._check_totals()
        except BaseException:
            self._records.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()

    def close(self) -> None:
        """Nothing can be read afterwards."""
        self._records.close()

    @property
    def size_bytes(self) -> int:
        return self._records.size

    def read(self, row: IndexRow, limit: int = MAX_RECORD_BYTES) -> Record:
        """The record a row of the index is of, with at most ``limit`` bytes."""
        record = self._records.read(row.offset, limit)
        self._check(row, record)
        return record

    def chunks(self, row: IndexRow) -> ChunkRecord:
        """A record of chunks. The latest is kept: who reads on, and who goes before it to see what
        it will touch, unpack it once."""
        if self._latest is None or self._latest[0] != row.offset:
            stream = self._records.open(row.offset)
            self._check(row, stream)
            try:
                self._latest = row.offset, ChunkRecord(stream)
            except ValueError as error:
                raise self.cannot_be(row, str(error)) from None
        return self._latest[1]

    def _check(self, row: IndexRow, record: Record | RecordStream) -> None:
        if record.tag != row.tag or record.end != row.end:
            raise damaged(self.path, row.offset, "the record is not the one of the index")

    def cannot_be(self, row: IndexRow, message: str) -> DiagnosticError:
        """K764 for what a record says."""
        return contradictory(self.path, row.offset, message)

    def _launch(self, number: int) -> LaunchTrace:
        rows = self._index.launches[number]
        launch = self._row(TraceLaunch, rows.launch)
        if not 0 <= launch.tables < rows.tables:
            raise self.cannot_be(rows.launch, "there are no such tables")
        tables = self.tables[launch.tables]
        try:
            check_launch(launch, len(tables.arguments))
        except ValueError as error:
            raise self.cannot_be(rows.launch, str(error)) from None
        totals = self._row(LaunchTotals, rows.totals)
        if len(totals.counts) != len(tables.blocks):
            raise self.cannot_be(rows.totals, "there is not one count for each block")
        if any((row.tag == CHUNK) != (launch.form == CHUNKS) for row in rows.contents):
            raise self.cannot_be(rows.launch, "the launch has other contents than its form")
        self._check_order(launch, rows.contents)
        return LaunchTrace(self, number, launch, tables, totals, rows.contents, rows.totals)

    def _check_order(self, launch: TraceLaunch, contents: tuple[IndexRow, ...]) -> None:
        """Chunks ascend, and are of the launch; the last thread block of one may go on in the
        next."""
        lowest = 0
        for row in contents:
            if row.tag == CHUNK and (row.count or row.first):
                if (
                    row.count == 0
                    or row.first < lowest
                    or row.first + row.count > launch.thread_blocks
                ):
                    raise self.cannot_be(row, "thread blocks out of their order or range")
                lowest = row.first + row.count - 1

    def _check_totals(self) -> None:
        """The index adds up what the launches have."""
        sums = (0, 0, 0, 0)
        for launch in self.launches:
            sums = tuple(map(add, sums, _counts(launch.totals)))
        if sums != _counts(self.totals):
            raise contradictory(self.path, self._records.last_record, "the totals do not agree")

    def _tables(self, row: IndexRow) -> TraceTables:
        value = self._json(row)
        try:
            return TraceTables.from_json(value)
        except ValueError as error:
            raise self.cannot_be(row, str(error)) from None

    def _row(self, kind: type[R], row: IndexRow) -> R:
        value = self._json(row)
        try:
            return from_json(kind, value)
        except ValueError as error:
            raise self.cannot_be(row, str(error)) from None

    def _json(self, row: IndexRow) -> Json:
        try:
            return json.loads(self.read(row, MAX_JSON_BYTES).data.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise self.cannot_be(row, f"no JSON: {error}") from None


@dataclass(frozen=True, slots=True, eq=False)
class LaunchTrace:
    """One launch of a file: ``number`` counts those of the file from 0, ``launch.number`` those of
    the run."""

    file: TraceFile
    number: int
    launch: TraceLaunch
    tables: TraceTables
    totals: LaunchTotals
    contents: tuple[IndexRow, ...]
    end: IndexRow

    def batches(self, first: int = 0, blocks: int | None = None) -> Iterator[TraceBatch]:
        """What the warps of ``blocks`` thread blocks (default: all) from ``first`` on did.

        Thread blocks come in ascending order; where a thread block has barriers, each warp runs up
        to its next one before the following warp goes on.
        """
        last = self.launch.thread_blocks if blocks is None else first + blocks
        everything = first <= 0 and last >= self.launch.thread_blocks
        if self.launch.form != CHUNKS:
            yield from self.classes().expand(first, last)
            return
        seen = np.zeros((len(self.tables.segments), 2), np.int64)
        columns = SegmentColumns(self.tables)
        for batch in gathered(self._chunks(first, last, columns)):
            if everything:
                add_seen(seen, batch)
            yield _between(batch, first, last)
        if everything:
            addresses = self.launch.addresses
            if totals_of(self.tables, columns, seen, addresses=addresses) != self.totals:
                raise self.file.cannot_be(self.end, "the totals are not those of the chunks")

    def pieces(self) -> Iterator[tuple[bool, IndexRow, NDArray[np.uint32]]]:
        """The words of a launch kept in chunks, for whoever walks them: whether a chunk begins
        (what was known of the words before is forgotten), the record and the words."""
        before: int | None = None
        for row in self.contents:
            record = self._record(row)
            if not record.continues:
                before = None
            for piece, number in enumerate(record.numbers):
                yield number != before, row, record.words(piece)
                before = number

    def chunk_of(self, block: int) -> int:
        """A thread block, at most this one, that what is known of this one can be read from without
        any before: the first of its chunk where its record says so, else of its record."""
        place = self._start(block, block + 1)
        if place == len(self.contents):
            return block
        record = self._record(self.contents[place])
        piece = record.piece_of(block)
        return record.numbers[piece] if piece else self.contents[place].first

    def classes(self) -> ClassTrace:
        """The classes of a launch that is kept as such."""
        return ClassTrace(self)

    def _chunks(self, first: int, last: int, columns: SegmentColumns) -> Iterator[TraceBatch]:
        """The batches of all records that have something of the range."""
        decoder = TraceDecoder(self.tables, addresses=self.launch.addresses)
        previous: int | None = None
        start = self._start(first, last)
        for place in range(start, len(self.contents)):
            row = self.contents[place]
            if row.first >= last and row.count:
                return
            record = self._record(row)
            piece = record.piece_of(first) if place == start else 0
            if piece or not record.continues:
                decoder.chunk = None
            elif previous != record.numbers[0]:
                raise self.file.cannot_be(row, "the chunk does not go on here")
            yield from self._decode(row, record, piece, decoder, columns)
            previous = record.numbers[-1]

    def _start(self, first: int, last: int) -> int:
        """The first record that must be read: the one with the range's first thread block, and
        before it those whose chunk it continues."""
        place = 0
        while place < len(self.contents):
            row = self.contents[place]
            if row.first + row.count > first or row.first >= last:
                break
            place += 1
        while 0 < place < len(self.contents):
            record = self._record(self.contents[place])
            if not record.continues or record.piece_of(first):
                break
            place -= 1
        return place

    def _record(self, row: IndexRow) -> ChunkRecord:
        record = self.file.chunks(row)
        if (record.launch, record.first, record.thread_blocks, record.warp_instructions) != (
            self.number, row.first, row.count, row.instructions,
        ):  # fmt: skip
            raise self.file.cannot_be(row, "the chunk is not the one of the index")
        return record

    def _decode(
        self, row: IndexRow, record: ChunkRecord, first: int, decoder: TraceDecoder,
        columns: SegmentColumns,
    ) -> Iterator[TraceBatch]:  # fmt: skip
        """The pieces from ``first`` on."""
        warps, found = self.launch.warps(self.tables.width), [0, 0, 0]
        block, end = record.first, record.first + record.thread_blocks
        for piece in range(first, len(record)):
            try:
                for batch in decoder.decode(record.numbers[piece], record.words(piece)):
                    within = batch.thread_block[0] >= block and batch.warp.max() < warps
                    within &= batch.thread_block[-1] < end
                    if not within or (np.diff(batch.thread_block) < 0).any():
                        raise self.file.cannot_be(row, "a thread block or warp out of its range")
                    block = int(batch.thread_block[-1])
                    found[0] += len(batch)
                    found[1] += len(batch.access)
                    found[2] += int(columns.counted[batch.segment].sum())
                    yield batch
            except TraceWordsError as error:
                raise self.file.cannot_be(row, str(error)) from None
        if not first and found != [record.segments, record.accesses, record.warp_instructions]:
            raise self.file.cannot_be(row, "the chunk's counts are not those of its words")


class _Launches(Sequence[LaunchTrace]):
    """The launches of a file: the first are kept, the others read each time."""

    def __init__(self, read: Callable[[int], LaunchTrace], rows: Sized) -> None:
        self._read, self._rows = read, rows
        self._kept = [read(n) for n in range(min(len(rows), KEPT_LAUNCHES))]

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> LaunchTrace: ...
    @overload
    def __getitem__(self, place: slice) -> list[LaunchTrace]: ...
    def __getitem__(self, place: int | slice) -> LaunchTrace | list[LaunchTrace]:
        if isinstance(place, slice):
            return [self[n] for n in range(len(self))[place]]
        place = range(len(self))[place]
        return self._kept[place] if place < len(self._kept) else self._read(place)


def _counts(totals: LaunchTotals) -> tuple[int, ...]:
    return (
        totals.segments, totals.accesses, totals.warp_instructions, totals.thread_instructions
    )  # fmt: skip


def _between(batch: TraceBatch, first: int, last: int) -> TraceBatch:
    """The part of a batch that is of some thread blocks."""
    start, end = np.searchsorted(batch.thread_block, [first, last]).tolist()
    return batch if start == 0 and end == len(batch) else batch.part(start, end)

"""Writes trace files, piece by piece in bounded memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import field
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from kcc.base.diagnostics import Diagnostic, DiagnosticError, InternalError
from kcc.base.records import dataclass
from kcc.base.trace.classes import ClassWords, WarpClass, pack_class, pack_words
from kcc.base.trace.container import MAX_JSON_BYTES, RecordFile, records_of
from kcc.base.trace.decode import TraceCounter
from kcc.base.trace.launches import LaunchTotals, TraceHeader, TraceLaunch
from kcc.base.trace.layout import (
    CHUNK,
    CHUNK_HEAD,
    CLASS,
    CLASS_WORDS,
    CONTINUES,
    HEADER,
    INDEX,
    INDEX_HEAD,
    INDEX_ROW,
    LAUNCH,
    NO_LAUNCH,
    PIECE,
    RECORD_WORDS_BYTES,
    TABLES,
    TOTALS,
)
from kcc.base.trace.rows import Json, from_json, to_json
from kcc.base.trace.tables import TraceTables


@dataclass(slots=True)
class _OpenLaunch:
    """The launch being written, and the pieces that wait for their record."""

    number: int
    launch: TraceLaunch
    counter: TraceCounter
    seen: NDArray[np.int64]
    place: int
    rows: int
    """Where the launch begins in the file and in the index."""
    pieces: list[tuple[int, NDArray[np.uint32]]] = field(
        default_factory=list[tuple[int, NDArray[np.uint32]]]
    )
    words: int = 0
    instructions: int = 0
    classes: int = 0
    last_chunk: int | None = None
    """The chunk the record before ended with."""


class TraceWriter:
    """A trace file being written; use it in a ``with`` statement, which gives the file its name
    at the end or, after an exception, leaves nothing.

    For each launch: :meth:`begin`, then :meth:`add` with the words as they come, then :meth:`end`.
    ``partial`` is where it lies until it is complete, and stays after an exception; whole launches
    that it has are kept (``launches`` says how many), and are to be asked for by :meth:`again`.
    """

    def __init__(self, path: Path, header: TraceHeader, partial: Path | None = None) -> None:
        self._file, self._partial = RecordFile(path, partial), partial
        self._kept = list[bytes]()
        """Of launches of an earlier run, what they are and what they add up to, as digests."""
        self._header = header
        self._index = bytearray()
        self._tables: list[TraceTables] = []
        self._numbers: dict[int, int] = {}
        """Of the tables, by identity."""
        self._open: _OpenLaunch | None = None
        self._launches = 0
        self._sums = [0, 0, 0, 0]
        self.warp_instructions = 0
        """Written so far, those of a launch that is not complete too."""

    def __enter__(self) -> Self:
        if self._restore():
            return self
        self._file.open()
        try:
            self._add_json(HEADER, to_json(self._header))
        except BaseException:
            self._file.abandon()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        try:
            if kind is None:
                self._finish()
        finally:
            self._file.abandon()

    @property
    def bytes_written(self) -> int:
        return self._file.offset

    @property
    def launches(self) -> int:
        """Launches written so far."""
        return self._launches

    def add_tables(self, tables: TraceTables) -> int:
        """The number of the tables in this file, which are written if they are new."""
        number = self._numbers.get(id(tables))
        if number is None:
            known = (n for n, other in enumerate(self._tables) if other == tables)
            number = next(known, len(self._tables))
            if number == len(self._tables):
                self._add_json(TABLES, tables.to_json())
                self._tables.append(tables)
                self._numbers[id(tables)] = number
        return number

    def begin(self, launch: TraceLaunch) -> None:
        """A launch begins; its ``tables`` have been added."""
        assert self._open is None, "the launch before has not ended"
        tables = self._tables[launch.tables]
        counter = TraceCounter(tables, addresses=launch.addresses)
        number = self._launches
        self._launches += 1
        place, rows = self._file.offset, len(self._index)
        self._add_json(LAUNCH, to_json(launch), number)
        seen = np.zeros_like(counter.seen)
        self._open = _OpenLaunch(number, launch, counter, seen, place, rows)

    def again(self, number: int, launch: TraceLaunch, counts: tuple[tuple[int, int], ...]) -> bool:
        """Whether the ``number``-th launch of an earlier run was this one and did the same."""
        return self._kept[number] == _digest(to_json(launch), [list(row) for row in counts])

    def _restore(self) -> bool:
        """Go on behind the last whole launch of the partial file, if there is one of this work."""
        if self._partial is None or not self._partial.exists():
            return False
        waiting, end = list[tuple[str, Json, int, int, int, int]](), 0
        launch: Json = None
        for record in records_of(self._partial):
            where = self._launches if record.tag in (LAUNCH, CHUNK, TOTALS) else NO_LAUNCH
            first = blocks = instructions = 0
            value: Json = None
            if record.tag == CHUNK:
                _, _, first, blocks, _, _, instructions, _ = CHUNK_HEAD.unpack_from(record.data)
            elif record.tag in (HEADER, TABLES, LAUNCH, TOTALS):
                value = json.loads(record.data)
            else:
                break
            if record.tag == HEADER and value != to_json(self._header):
                return False
            launch = value if record.tag == LAUNCH else launch
            waiting.append((record.tag, value, record.offset, first, blocks, instructions))
            if record.tag in (HEADER, TOTALS):
                for tag, said, *row in waiting:
                    of = where if tag in (LAUNCH, CHUNK, TOTALS) else NO_LAUNCH
                    self._note(tag, of, *row)
                    if tag == TABLES:
                        self._tables.append(TraceTables.from_json(said))
                waiting, end = [], record.end
            if record.tag == TOTALS:
                totals = from_json(LaunchTotals, value)
                self._sum(totals)
                self.warp_instructions += totals.warp_instructions
                self._kept.append(_digest(launch, value["counts"]))
                self._launches += 1
        if end:
            self._file.go_on(end)
        return bool(end)

    def cancel(self) -> None:
        """Take back the launch that has begun and not ended, if there is one."""
        if self._open is not None:
            self._file.cut(self._open.place)
            del self._index[self._open.rows :]
            self._launches -= 1
            self.warp_instructions -= self._open.instructions
            self._open = None

    def add(self, first_block: int, words: NDArray[np.uint32]) -> None:
        """Some words of the launch: what the engine's trace callback gets, in its order."""
        open_ = self._open
        assert open_ is not None, "no launch has begun"
        same = bool(open_.pieces) and open_.pieces[-1][0] == first_block
        if not same and open_.words * 4 >= RECORD_WORDS_BYTES:
            self._write_chunk(open_)
        open_.pieces.append((first_block, words))
        open_.words += len(words)
        if open_.words * 4 >= 4 * RECORD_WORDS_BYTES:
            self._write_chunk(open_)

    def end(self, counts: tuple[tuple[int, int], ...] | None = None) -> LaunchTotals:
        """The launch has ended; ``counts`` (executions and lanes of each block), if known from
        elsewhere, must be what the words say."""
        open_ = self._open
        assert open_ is not None, "no launch has begun"
        self._write_chunk(open_)
        self._open = None
        counter = open_.counter
        counter.seen = open_.seen
        totals = counter.totals()
        if counts is not None and counts != totals.counts:
            raise InternalError("trace", "the trace and the counts of a launch do not agree")
        self._add_json(TOTALS, to_json(totals), open_.number)
        self._sum(totals)
        return totals

    def add_class(self, found: WarpClass, parts: Iterable[ClassWords]) -> None:
        """A class of warps of the launch, whose form is ``classes``."""
        open_ = self._open
        assert open_ is not None, "no launch has begun"
        number, launch, warps = open_.classes, open_.number, found.warps
        open_.classes += 1
        offset = self._file.add(CLASS, pack_class(launch, number, found))
        self._note(CLASS, launch, offset, number, warps, warps * found.warp_instructions)
        counter = open_.counter
        counter.seen[:], counter.chunk = 0, None
        counter.blocks[:] = -1
        for part in parts:
            counter.add(0, part.words)
            offset = self._file.add(CLASS_WORDS, pack_words(launch, number, part))
            self._note(CLASS_WORDS, launch, offset, number)
        totals = counter.totals()
        wanted = found.segments, found.accesses, found.warp_instructions, found.thread_instructions
        if wanted != (
            totals.segments, totals.accesses, totals.warp_instructions, totals.thread_instructions,
        ):  # fmt: skip
            raise InternalError("trace", "the counts of a class are not those of its words")
        open_.seen += counter.seen * warps
        open_.instructions += found.warp_instructions * warps
        self.warp_instructions += found.warp_instructions * warps

    def _sum(self, totals: LaunchTotals) -> None:
        own = (
            totals.segments, totals.accesses, totals.warp_instructions, totals.thread_instructions,
        )  # fmt: skip
        self._sums = [a + b for a, b in zip(self._sums, own, strict=True)]

    def _write_chunk(self, open_: _OpenLaunch) -> None:
        """Write the pieces that wait as one record."""
        if not open_.pieces:
            return
        counter = open_.counter
        counter.seen[:], counter.blocks[0] = 0, -1
        for first_block, words in open_.pieces:
            counter.add(first_block, words)
        open_.seen += counter.seen
        totals = counter.totals()
        self.warp_instructions += totals.warp_instructions
        open_.instructions += totals.warp_instructions
        lowest, highest = counter.blocks.tolist()
        if totals.segments == 0:  # nothing but the beginning of a warp
            lowest, highest = 0, -1
        flags = CONTINUES if open_.pieces[0][0] == open_.last_chunk else 0
        head = CHUNK_HEAD.pack(
            open_.number, flags, lowest, highest - lowest + 1, totals.segments, totals.accesses,
            totals.warp_instructions, len(open_.pieces),
        )  # fmt: skip
        sizes = [PIECE.pack(first, len(words)) for first, words in open_.pieces]
        words = [np.ascontiguousarray(words, "<u4").tobytes() for _, words in open_.pieces]
        offset = self._file.add(CHUNK, b"".join([head, *sizes, *words]))
        blocks = highest - lowest + 1
        self._note(CHUNK, open_.number, offset, lowest, blocks, totals.warp_instructions)
        open_.last_chunk = open_.pieces[-1][0]
        open_.pieces, open_.words = [], 0

    def _add_json(self, tag: str, value: Json, launch: int = NO_LAUNCH) -> None:
        text = json.dumps(value, separators=(",", ":"), sort_keys=True, allow_nan=False)
        data = text.encode("utf-8")
        if len(data) > MAX_JSON_BYTES:
            message = f"what the trace must say of a kernel takes {len(data) >> 20} MiB"
            raise DiagnosticError([Diagnostic("K768", message)])
        self._note(tag, launch, self._file.add(tag, data))

    def _note(
        self, tag: str, launch: int, offset: int, first: int = 0, count: int = 0,
        instructions: int = 0,
    ) -> None:  # fmt: skip
        row = INDEX_ROW.pack(tag.encode("ascii"), launch, offset, first, count, instructions)
        self._index += row

    def _finish(self) -> None:
        assert self._open is None, "a launch has not ended"
        rows = len(self._index) // INDEX_ROW.size
        head = INDEX_HEAD.pack(self._launches, *self._sums, rows)
        self._file.finish(self._file.add(INDEX, head + bytes(self._index), pack=False))


def _digest(launch: Json, counts: Json) -> bytes:
    text = json.dumps([launch, counts], sort_keys=True)
    return hashlib.sha256(text.encode()).digest()

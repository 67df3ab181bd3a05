"""Classes of warps that did the same, up to addresses that are shifted.

A class has the whole trace of one warp, its representative, and the set of its warps: boxes in
the coordinates of the launch (:mod:`kcc.base.trace.coordinates`: thread block in x, y and z and
warp, each in digits), each side from ``first``, ``count`` values ``step`` apart. Another warp of
the class executed the same segments under the same masks; each of its accesses is shifted by a row
of bytes per coordinate times how far the warp is from the representative. A row is the same for all
lanes, or has its numbers for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.decode import TraceBatch, TraceDecoder, TraceWordsError
from kcc.base.trace.index import IndexRow
from kcc.base.trace.layout import (
    BOX_NUMBERS,
    CLASS,
    CLASS_HEAD,
    HAS_ASSUMED,
    HAS_ROWS,
    SHIFT_BY_EVENT,
    SHIFT_BY_LANE,
    WORDS_HEAD,
)

if TYPE_CHECKING:
    from kcc.base.trace.reader import LaunchTrace

KEPT_BYTES = 64 << 20
"""Of decoded representatives; what is beyond is decoded anew for each warp."""

JOINED_SEGMENTS = 1 << 13
"""Batches of single warps are joined to batches of about this size."""


@dataclass(frozen=True, slots=True, eq=False)
class WarpClass:
    """One class. ``boxes`` has shape (boxes, coordinates, 3): the first, the count and the step.
    ``shifts`` has bytes per step of each coordinate, in the shape (rows, coordinates), or (rows,
    lanes, coordinates) where lanes differ. ``rows`` has the row for each of the tables' accesses;
    None where each execution of an access has its own. The last four are counts of one warp.
    """

    thread_block: int
    warp: int
    boxes: NDArray[np.int64]
    shifts: NDArray[np.int64]
    rows: NDArray[np.uint32] | None
    segments: int
    accesses: int
    warp_instructions: int
    thread_instructions: int

    @property
    def warps(self) -> int:
        """How many there are in the class."""
        return sum(prod(counts) for counts in self.boxes[:, :, 1].tolist())


@dataclass(frozen=True, slots=True, eq=False)
class ClassWords:
    """A part of a representative's trace: words as of a chunk that begins with the class.

    ``rows`` has the row of shifts for each access executed, where the class has none.
    ``assumed_segments`` and ``assumed_accesses`` mark what a static trace could not decide; None
    where it decided all.
    """

    words: NDArray[np.uint32]
    segments: int
    accesses: int
    rows: NDArray[np.uint32] | None = None
    assumed_segments: NDArray[np.bool_] | None = None
    assumed_accesses: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ClassBatch:
    """A part of a representative's trace, decoded; the arrays are as for :class:`ClassWords`."""

    batch: TraceBatch
    rows: NDArray[np.uint32]
    assumed_segments: NDArray[np.bool_]
    assumed_accesses: NDArray[np.bool_]

    @property
    def assumed_counts(self) -> tuple[int, int, int]:
        """As :class:`AssumedCounts`, of this part."""
        owners = np.repeat(np.arange(len(self.batch)), np.diff(self.batch.access_start))
        events = self.assumed_segments.copy()
        events[owners[self.assumed_accesses]] = True
        return (
            int(self.assumed_segments.sum()),
            int(self.assumed_accesses.sum()),
            int(events.sum()),
        )


@dataclass(frozen=True, slots=True)
class AssumedCounts:
    """Executions by warps that a static trace had to assume: segments, accesses, and ``events``,
    which are segments that are assumed or have an access that is."""

    segments: int
    accesses: int
    events: int


def pack_class(launch: int, number: int, found: WarpClass) -> bytes:
    """The contents of a CLSS record."""
    flags = SHIFT_BY_EVENT if found.rows is None else 0
    flags |= SHIFT_BY_LANE if found.shifts.ndim > 2 else 0
    head = CLASS_HEAD.pack(
        launch, number, found.warps, found.thread_block, found.warp, len(found.boxes),
        len(found.shifts), flags, found.segments, found.accesses, found.warp_instructions,
        found.thread_instructions,
    )  # fmt: skip
    columns = [found.boxes.astype("<i8").tobytes(), found.shifts.astype("<i8").tobytes()]
    if found.rows is not None:
        columns.append(found.rows.astype("<u4").tobytes())
    return b"".join([head, *columns])


def pack_words(launch: int, number: int, part: ClassWords) -> bytes:
    """The contents of a CLWD record."""
    assumed = part.assumed_segments is not None and part.assumed_accesses is not None
    flags = (HAS_ROWS if part.rows is not None else 0) | (HAS_ASSUMED if assumed else 0)
    sizes = len(part.words), part.segments, part.accesses
    columns = [WORDS_HEAD.pack(launch, number, flags, *sizes), part.words.astype("<u4").tobytes()]
    if part.rows is not None:
        columns.append(part.rows.astype("<u4").tobytes())
    if part.assumed_segments is not None and part.assumed_accesses is not None:
        marks = (part.assumed_segments, part.assumed_accesses)
        columns += [np.packbits(m, bitorder="little").tobytes() for m in marks]
    return b"".join(columns)


class _Columns:
    """Takes arrays from the contents of a record, one after another; raises ValueError where it
    is too short, or longer than what is taken."""

    def __init__(self, data: bytes, place: int) -> None:
        self.data, self.place = data, place
        if place > len(data):
            raise ValueError("the record is too short")

    def take(self, kind: str, count: int) -> NDArray[Any]:
        size = count * np.dtype(kind).itemsize
        if size > len(self.data) - self.place:
            raise ValueError("the record is too short")
        found = np.frombuffer(self.data, kind, count, self.place)
        self.place += size
        return found

    def flags(self, count: int) -> NDArray[np.bool_]:
        packed = self.take("u1", -(-count // 8))
        return np.unpackbits(packed, count=count, bitorder="little").astype(np.bool_)

    def finish(self) -> None:
        if self.place != len(self.data):
            raise ValueError("the record is too long")


class ClassTrace:
    """The classes of one launch."""

    def __init__(self, trace: LaunchTrace) -> None:
        self.trace = trace
        self._coordinates = trace.launch.coordinates(trace.tables.width)
        self._count = self._coordinates.first[-1]
        self.classes = list[WarpClass]()
        self._words = list[list[IndexRow]]()
        self._kept: dict[int, list[ClassBatch]] = {}
        self._kept_bytes = 0
        for row in trace.contents:
            try:
                self._add(row)
            except ValueError as error:
                raise trace.file.cannot_be(row, str(error)) from None
        self._check()

    def _add(self, row: IndexRow) -> None:
        if row.tag != CLASS:
            if not self._words or row.first != len(self._words) - 1:
                raise ValueError("words of another class")
            self._words[-1].append(row)
            return
        data = self.trace.file.read(row).data
        columns = _Columns(data, CLASS_HEAD.size)
        launch, number, warps, thread_block, warp, boxes, rows, flags, *counts = (
            CLASS_HEAD.unpack_from(data)
        )
        if (launch, number) != (self.trace.number, len(self.classes)):
            raise ValueError("a class of another launch, or out of its order")
        sides = self._count * BOX_NUMBERS
        boxes = columns.take("<i8", boxes * sides).reshape(-1, self._count, BOX_NUMBERS)
        shape = (rows, self._count)
        if flags & SHIFT_BY_LANE:
            shape = (rows, self.trace.tables.width, self._count)
        shifts = columns.take("<i8", prod(shape)).reshape(shape)
        accesses = len(self.trace.tables.accesses)
        by_access = None if flags & SHIFT_BY_EVENT else columns.take("<u4", accesses)
        columns.finish()
        if by_access is not None and len(by_access) and int(by_access.max()) >= rows:
            raise ValueError("there is no such row of shifts")
        found = WarpClass(thread_block, warp, boxes, shifts, by_access, *counts)
        self._check_class(found, warps)
        if row.count != warps or row.instructions != warps * found.warp_instructions:
            raise ValueError("the class is not the one of the index")
        self.classes.append(found)
        self._words.append([])

    def _check_class(self, found: WarpClass, warps: int) -> None:
        where = self._coordinates
        boxes: list[list[list[int]]] = found.boxes.tolist()
        for box in boxes:
            for (first, count, step), limit in zip(box, where.limits, strict=True):
                inside = 0 <= first < limit and 0 < count <= limit and 0 < step <= limit
                if not inside or first + (count - 1) * step >= limit:
                    raise ValueError("a box reaches out of the launch")
            last = where.numbers([first + (count - 1) * step for first, count, step in box])
            if any(n >= size for n, size in zip(last, where.sizes, strict=True)):
                raise ValueError("a box reaches out of the launch")
        if found.warps != warps:
            raise ValueError("the boxes do not hold as many warps as the class")
        if found.thread_block >= self.trace.launch.thread_blocks or found.warp >= where.sizes[3]:
            raise ValueError("the representative is not of the launch")

    def _check(self) -> None:
        """The totals of the launch are those of its classes."""
        launch, totals = self.trace.launch, self.trace.totals
        found = [
            sum(c.warps for c in self.classes),
            sum(c.warps * c.segments for c in self.classes),
            sum(c.warps * c.accesses for c in self.classes),
            sum(c.warps * c.warp_instructions for c in self.classes),
            sum(c.warps * c.thread_instructions for c in self.classes),
        ]
        warps = launch.thread_blocks * launch.warps(self.trace.tables.width)
        if found != [
            warps, totals.segments, totals.accesses, totals.warp_instructions,
            totals.thread_instructions,
        ]:  # fmt: skip
            message = "the totals are not those of the classes"
            raise self.trace.file.cannot_be(self.trace.end, message)

    def representative(self, number: int) -> Iterator[ClassBatch]:
        """What the representative of a class did, from the file."""
        found, decoder = self.classes[number], self._decoder()
        segments = accesses = 0
        for row in self._words[number]:
            try:
                for part in self._decode(row, number, found, decoder):
                    segments += len(part.batch)
                    accesses += len(part.batch.access)
                    if segments > found.segments or accesses > found.accesses:
                        raise ValueError("the class has fewer segments or accesses")
                    yield part
            except (ValueError, TraceWordsError) as error:
                raise self.trace.file.cannot_be(row, str(error)) from None
        if (segments, accesses) != (found.segments, found.accesses):
            message = f"the counts of class {number} are not those of its words"
            raise self.trace.file.cannot_be(self.trace.end, message)

    def _decoder(self) -> TraceDecoder:
        return TraceDecoder(self.trace.tables, addresses=self.trace.launch.addresses)

    def _decode(
        self, row: IndexRow, number: int, found: WarpClass, decoder: TraceDecoder
    ) -> Iterator[ClassBatch]:
        data = self.trace.file.read(row).data
        columns = _Columns(data, WORDS_HEAD.size)
        launch, own, flags, words, segments, accesses = WORDS_HEAD.unpack_from(data)
        if (launch, own) != (self.trace.number, number):
            raise ValueError("words of another class")
        stream = columns.take("<u4", words).astype(np.uint32, copy=False)
        if max(segments, accesses) > words:
            raise ValueError("there are fewer words than segments or accesses")
        rows = columns.take("<u4", accesses) if flags & HAS_ROWS else None
        if (rows is None) != (found.rows is not None):
            raise ValueError("the rows of shifts do not go with the class")
        if rows is not None and len(rows) and int(rows.max()) >= len(found.shifts):
            raise ValueError("there is no such row of shifts")
        assumed = [np.zeros(segments, np.bool_), np.zeros(accesses, np.bool_)]
        if flags & HAS_ASSUMED:
            assumed = [columns.flags(segments), columns.flags(accesses)]
        columns.finish()
        n = m = 0
        for batch in decoder.decode(0, stream):
            here, there = slice(n, n + len(batch)), slice(m, m + len(batch.access))
            if here.stop > segments or there.stop > accesses:
                break
            shift = rows[there] if rows is not None else _rows(found, batch)
            yield ClassBatch(batch, shift, assumed[0][here], assumed[1][there])
            n, m = here.stop, there.stop
        if (n, m) != (segments, accesses):
            raise ValueError("the counts of the record are not those of its words")

    def path(self, thread_block: int, warp: int) -> Iterator[ClassBatch]:
        """What one warp did, from its start to its end, with what was assumed of it."""
        number = int(self.members(thread_block)[warp])
        for part in self.representative(number):
            yield replace(part, batch=self._shifted(part, thread_block, warp, number))

    def assumed(self) -> AssumedCounts:
        """How much of what all warps executed was assumed."""
        counts = [0, 0, 0]
        for number, found in enumerate(self.classes):
            for part in self.representative(number):
                own = part.assumed_counts
                counts = [c + found.warps * n for c, n in zip(counts, own, strict=True)]
        return AssumedCounts(*counts)

    def words(self, number: int) -> Iterator[tuple[IndexRow, NDArray[np.uint32]]]:
        """The words of a class's representative, for whoever walks them, by record."""
        for row in self._words[number]:
            data = self.trace.file.read(row).data
            try:
                columns = _Columns(data, WORDS_HEAD.size)
                words = columns.take("<u4", WORDS_HEAD.unpack_from(data)[3])
            except ValueError as error:
                raise self.trace.file.cannot_be(row, str(error)) from None
            yield row, words.astype(np.uint32, copy=False)

    def expand(self, first: int, last: int) -> Iterator[TraceBatch]:
        """What the warps of thread blocks ``first`` to ``last`` (excluded) did, as
        :meth:`LaunchTrace.batches` gives it."""
        waiting, segments = list[TraceBatch](), 0
        for thread_block in range(max(first, 0), min(last, self.trace.launch.thread_blocks)):
            for batch in self._block(thread_block):
                waiting.append(batch)
                segments += len(batch)
                if segments >= JOINED_SEGMENTS:
                    yield join(waiting)
                    waiting, segments = [], 0
        if waiting:
            yield join(waiting)

    def _block(self, thread_block: int) -> Iterator[TraceBatch]:
        """One thread block: its warps by turns, each up to its next barrier."""
        members: list[int] = self.members(thread_block).tolist()
        warps = [self._up_to_barriers(thread_block, w, c) for w, c in enumerate(members)]
        while warps:
            left = list[Iterator[tuple[TraceBatch, bool]]]()
            for warp in warps:
                for batch, at_barrier in warp:
                    yield batch
                    if at_barrier:
                        left.append(warp)
                        break
            warps = left

    def _up_to_barriers(
        self, thread_block: int, warp: int, number: int
    ) -> Iterator[tuple[TraceBatch, bool]]:
        """What one warp did, cut after its barriers, and whether there was one."""
        stops = self._stops
        for part in self._parts(number):
            batch = self._shifted(part, thread_block, warp, number)
            start = 0
            for end in np.flatnonzero(stops[batch.segment]).tolist():
                yield batch.part(start, end + 1), True
                start = end + 1
            if start < len(batch):
                yield (batch.part(start, len(batch)) if start else batch), False

    @cached_property
    def _stops(self) -> NDArray[np.bool_]:
        return np.array([s.barrier >= 0 for s in self.trace.tables.segments], np.bool_)

    def _parts(self, number: int) -> Iterator[ClassBatch]:
        """The representative's parts, kept if they are not too large."""
        kept = self._kept.get(number)
        if kept is not None:
            yield from kept
            return
        found = self.classes[number]
        size = found.segments * 64 + found.accesses * (16 + 8 * self.trace.tables.width)
        if self._kept_bytes + size > KEPT_BYTES:
            yield from self.representative(number)
            return
        self._kept_bytes += size
        self._kept[number] = list(self.representative(number))
        yield from self._kept[number]

    def _shifted(self, part: ClassBatch, thread_block: int, warp: int, number: int) -> TraceBatch:
        found, batch = self.classes[number], part.batch
        here = self._place(thread_block, warp)
        there = self._place(found.thread_block, found.warp)
        apart = [a - b for a, b in zip(here, there, strict=True)]
        with np.errstate(over="ignore"):
            shifts = found.shifts @ np.array(apart, np.int64)
            addresses = batch.addresses
            if len(batch.access):
                addresses = addresses + shifts.reshape(len(shifts), -1)[part.rows]
        return TraceBatch(
            np.full(len(batch), thread_block, np.int64), np.full(len(batch), warp, np.int32),
            batch.segment, batch.block, batch.continued, batch.mask, batch.access_start,
            batch.access, addresses,
        )  # fmt: skip

    def _place(self, thread_block: int, warp: int) -> tuple[int, ...]:
        x, y, _ = self.trace.launch.blocks
        numbers = (thread_block % x, thread_block // x % y, thread_block // (x * y), warp)
        return self._coordinates.of(numbers)

    def members(self, thread_block: int) -> NDArray[np.int64]:
        """The class of each warp of a thread block."""
        boxes, owners = self._boxes
        outer = self._coordinates.first[3]
        place = np.array([self._place(thread_block, 0)[:outer]], np.int64)
        near = _inside(boxes[:, :outer], place)[:, 0]
        own = _inside(boxes[near, outer:], self._warp_places)
        found = np.full(len(self._warp_places), -1, np.int64)
        if (own.sum(axis=0) > 1).any():
            raise self.trace.file.cannot_be(self.trace.end, "a warp is in two classes")
        box, warp = own.nonzero()
        found[warp] = owners[near][box]
        if (found < 0).any():
            raise self.trace.file.cannot_be(self.trace.end, "a warp is in no class")
        return found

    @cached_property
    def _warp_places(self) -> NDArray[np.int64]:
        """The coordinates of each warp in its thread block."""
        where = self._coordinates
        places = [where.of((0, 0, 0, warp)) for warp in range(where.sizes[3])]
        return np.array(places, np.int64).reshape(-1, self._count)[:, where.first[3] :]

    @cached_property
    def _boxes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All boxes, and the class of each."""
        boxes = [np.zeros((0, self._count, 3), np.int64), *(c.boxes for c in self.classes)]
        owners = [np.full(len(c.boxes), n, np.int64) for n, c in enumerate(self.classes)]
        return np.concatenate(boxes), np.concatenate([np.zeros(0, np.int64), *owners])


def _inside(boxes: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which places are in which boxes, in some of their coordinates: a row for each box."""
    first, count, step = (boxes[:, None, :, i] for i in range(3))
    apart = places[None] - first
    inside = (apart >= 0) & (apart % step == 0) & (apart // step < count)
    return inside.all(axis=2)


def _rows(found: WarpClass, batch: TraceBatch) -> NDArray[np.uint32]:
    """The row of shifts of each access executed, by the access."""
    assert found.rows is not None
    return found.rows[batch.access]


def join(batches: Sequence[TraceBatch]) -> TraceBatch:
    """One batch with the rows of several."""
    if len(batches) == 1:
        return batches[0]
    counts = np.concatenate([np.diff(b.access_start) for b in batches])
    return TraceBatch(
        np.concatenate([b.thread_block for b in batches]),
        np.concatenate([b.warp for b in batches]),
        np.concatenate([b.segment for b in batches]),
        np.concatenate([b.block for b in batches]),
        np.concatenate([b.continued for b in batches]),
        np.concatenate([b.mask for b in batches]),
        np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)]),
        np.concatenate([b.access for b in batches]),
        np.concatenate([b.addresses for b in batches]),
    )

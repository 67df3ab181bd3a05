"""The index at the end of a trace file: where everything is, and what it adds up to."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np

from kcc.base.diagnostics import DiagnosticError
from kcc.base.records import dataclass
from kcc.base.trace.container import START, RecordReader, contradictory
from kcc.base.trace.launches import LaunchTotals
from kcc.base.trace.layout import (
    CHUNK,
    CLASS,
    CLASS_WORDS,
    HEADER,
    INDEX,
    INDEX_HEAD,
    INDEX_ROW,
    LAUNCH,
    NO_LAUNCH,
    TABLES,
    TOTALS,
)


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One record: its tag, launch and place; ``first``, ``count`` and ``instructions`` are, of a
    chunk, its lowest thread block, its thread blocks and its warp instructions; of a class, its
    number, its warps and their warp instructions."""

    tag: str
    launch: int
    offset: int
    end: int
    first: int
    count: int
    instructions: int


@dataclass(frozen=True, slots=True)
class LaunchRows:
    """The records of one launch; ``tables`` is how many tables stand before it."""

    launch: IndexRow
    contents: tuple[IndexRow, ...]
    totals: IndexRow
    tables: int


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The rows of an index as they lie in the file; ``last`` is where the index begins."""

    data: bytes
    last: int

    def __len__(self) -> int:
        return (len(self.data) - INDEX_HEAD.size) // INDEX_ROW.size

    def __getitem__(self, number: int) -> IndexRow:
        tag, launch, offset, *rest = self._unpacked(number)
        end = self._unpacked(number + 1)[2] if number + 1 < len(self) else self.last
        return IndexRow(tag.decode("latin-1"), launch, offset, end, *rest)

    def tags(self) -> Iterator[tuple[str, int]]:
        """Tag and launch of each row."""
        rows = INDEX_ROW.iter_unpack(memoryview(self.data)[INDEX_HEAD.size :])
        return ((row[0].decode("latin-1"), row[1]) for row in rows)

    def covers_the_file(self) -> bool:
        """Whether each record begins where the one before ends."""
        offsets = np.ndarray(len(self), "<u8", self.data, INDEX_HEAD.size + 8, (INDEX_ROW.size,))
        if not len(offsets) or offsets[0] != START.size:
            return False
        return bool((offsets[1:] > offsets[:-1]).all() and self.last > offsets[-1])

    def _unpacked(self, number: int) -> tuple[Any, ...]:
        return INDEX_ROW.unpack_from(self.data, INDEX_HEAD.size + number * INDEX_ROW.size)


class LaunchIndex(Sequence[LaunchRows]):
    """The records of each launch; memory holds where they begin and end in the index."""

    def __init__(self, rows: _Rows) -> None:
        self._rows = rows
        self._first, self._last, self._tables = array("Q"), array("Q"), array("I")

    def add(self, first: int, last: int, tables: int) -> None:
        """A launch whose rows are these, after so many tables."""
        self._first.append(first)
        self._last.append(last)
        self._tables.append(tables)

    def __len__(self) -> int:
        return len(self._first)

    @overload
    def __getitem__(self, place: int) -> LaunchRows: ...
    @overload
    def __getitem__(self, place: slice) -> list[LaunchRows]: ...
    def __getitem__(self, place: int | slice) -> LaunchRows | list[LaunchRows]:
        if isinstance(place, slice):
            return [self[n] for n in range(len(self))[place]]
        first, last = self._first[place], self._last[place]
        rows = [self._rows[n] for n in range(first, last + 1)]
        return LaunchRows(rows[0], tuple(rows[1:-1]), rows[-1], self._tables[place])


@dataclass(frozen=True, slots=True)
class TraceIndex:
    """The records of a file by kind, and the totals of all launches (without counts)."""

    header: IndexRow
    tables: tuple[IndexRow, ...]
    launches: LaunchIndex
    totals: LaunchTotals


def read_index(records: RecordReader) -> TraceIndex:
    """The index of a file; raises K763 and K764."""
    record = records.read(records.last_record, records.size)

    def wrong(message: str) -> DiagnosticError:
        return contradictory(records.path, records.last_record, message)

    if record.tag != INDEX or record.end != records.end:
        raise wrong("the last record is not the index")
    data = record.data
    if len(data) < INDEX_HEAD.size:
        raise wrong("the index is too short")
    launches, segments, accesses, warp, thread, count = INDEX_HEAD.unpack_from(data)
    if INDEX_HEAD.size + count * INDEX_ROW.size != len(data):
        raise wrong("the index is not as long as its rows")
    rows = _Rows(data, records.last_record)
    if not rows.covers_the_file():
        raise wrong("the index does not cover the file")
    totals = LaunchTotals(segments, accesses, warp, thread, ())
    try:
        index = _sorted(rows, totals)
    except ValueError as error:
        raise wrong(str(error)) from None
    if len(index.launches) != launches:
        raise wrong("the number of launches is not that of the index")
    return index


def _sorted(rows: _Rows, totals: LaunchTotals) -> TraceIndex:
    """The rows by kind; raises ValueError where their order is not HEAD, then any number of KERN
    and of launches, each LNCH, its contents, DONE."""
    tables, launches = list[IndexRow](), LaunchIndex(rows)
    begun: int | None = None

    def expect(is_so: bool, number: int) -> None:
        if not is_so:
            row = rows[number]
            raise ValueError(f"the record '{row.tag}' at byte {row.offset} is out of place")

    for number, (tag, launch) in enumerate(rows.tags()):
        if number == 0:
            expect(tag == HEADER, number)
        elif tag == TABLES:
            expect(begun is None and launch == NO_LAUNCH, number)
            tables.append(rows[number])
        elif tag == LAUNCH:
            expect(launch == len(launches) and begun is None, number)
            begun = number
        else:
            expect(launch == len(launches) and begun is not None, number)
            assert begun is not None
            if tag == TOTALS:
                launches.add(begun, number, len(tables))
                begun = None
            else:
                expect(tag in (CHUNK, CLASS, CLASS_WORDS), number)
    expect(begun is None, len(rows) - 1)
    return TraceIndex(rows[0], tuple(tables), launches, totals)

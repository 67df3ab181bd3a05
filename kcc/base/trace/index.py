"""The index at the end of a trace file: where everything is, and what it adds up to."""

from __future__ import annotations

from dataclasses import dataclass

from kcc.base.diagnostics import DiagnosticError
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


@dataclass(frozen=True, slots=True)
class TraceIndex:
    """The records of a file by kind, and the totals of all launches (without counts)."""

    header: IndexRow
    tables: tuple[IndexRow, ...]
    launches: tuple[LaunchRows, ...]
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
    found = list(INDEX_ROW.iter_unpack(data[INDEX_HEAD.size :]))
    ends = [*(row[2] for row in found[1:]), records.last_record]
    rows = [
        IndexRow(tag.decode("latin-1"), launch, offset, end, *rest)
        for (tag, launch, offset, *rest), end in zip(found, ends, strict=True)
    ]
    if not rows or rows[0].offset != START.size or any(r.end <= r.offset for r in rows):
        raise wrong("the index does not cover the file")
    totals = LaunchTotals(segments, accesses, warp, thread, ())
    try:
        index = _Sorter(rows).sort(totals)
    except ValueError as error:
        raise wrong(str(error)) from None
    if len(index.launches) != launches:
        raise wrong("the number of launches is not that of the index")
    return index


class _Sorter:
    """Sorts rows by kind; raises ValueError where their order is not HEAD, then any number of
    KERN and of launches, each LNCH, its contents, DONE."""

    def __init__(self, rows: list[IndexRow]) -> None:
        self.rows = rows
        self.tables = list[IndexRow]()
        self.launches = list[LaunchRows]()
        self.open: IndexRow | None = None
        self.contents = list[IndexRow]()

    def sort(self, totals: LaunchTotals) -> TraceIndex:
        head, *others = self.rows
        self._expect(head.tag == HEADER, head)
        for row in others:
            self._add(row)
        self._expect(self.open is None, self.rows[-1])
        return TraceIndex(head, tuple(self.tables), tuple(self.launches), totals)

    def _add(self, row: IndexRow) -> None:
        if row.tag == TABLES:
            self._expect(self.open is None and row.launch == NO_LAUNCH, row)
            self.tables.append(row)
            return
        self._expect(row.launch == len(self.launches), row)
        if row.tag == LAUNCH:
            self._expect(self.open is None, row)
            self.open, self.contents = row, []
            return
        self._expect(self.open is not None, row)
        assert self.open is not None
        if row.tag == TOTALS:
            contents = tuple(self.contents)
            self.launches.append(LaunchRows(self.open, contents, row, len(self.tables)))
            self.open = None
        else:
            self._expect(row.tag in (CHUNK, CLASS, CLASS_WORDS), row)
            self.contents.append(row)

    @staticmethod
    def _expect(is_so: bool, row: IndexRow) -> None:
        if not is_so:
            raise ValueError(f"the record '{row.tag}' at byte {row.offset} is out of place")

"""What a warp did, put down as it goes along."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass
from kcc.base.trace.classes import ClassWords
from kcc.base.trace.tables import TraceTables
from kcc.base.trace.words import HEADER_MARK
from kcc.tracegen.static.limits import Ints

PART_SEGMENTS = 1 << 13
"""Segments that are turned into words at a time."""

MAX_SEGMENTS = 1_000_000
"""Of one warp: about twenty seconds of work, and 5 times what the longest warp of kernels/ executes
at its large size."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some segments of a warp. ``rows`` has the number of the growth of each access."""

    words: NDArray[np.uint32]
    segments: int
    rows: NDArray[np.uint32]
    accesses: NDArray[np.int32]
    assumed_segments: NDArray[np.bool_]
    assumed_accesses: NDArray[np.bool_]
    assumed_events: int
    """Segments that are assumed, or with an access that is."""


class Recorder:
    """Takes the segments of one warp."""

    def __init__(self, tables: TraceTables, kernel: str) -> None:
        self._tables, self._kernel = tables, kernel
        self.parts = list[Part]()
        self._growths: dict[bytes, tuple[int, Ints]] = {}
        self.segments = self.accesses = 0
        self.warp_instructions = self.thread_instructions = 0
        count = len(tables.accesses)
        self._sizes = np.array([a.element_bytes for a in tables.accesses], np.int64)
        self._counted = [s.counted for s in tables.segments]
        self._bases = np.zeros(count, np.int64)
        self._patterns = np.zeros((count, tables.width), np.int64)
        self._last = np.zeros(1, np.uint64)
        self._clear()

    def _clear(self) -> None:
        self._numbers, self._masks = list[int](), list[int]()
        self._counts, self._doubts = list[int](), list[bool]()
        self._kinds, self._rows = list[int](), list[int]()
        self._addresses, self._guesses = list[Ints](), list[bool]()

    def segment(self, number: int, mask: int, accesses: int, *, assumed: bool) -> None:
        """A segment that lanes execute, with so many accesses to follow."""
        if len(self._numbers) >= PART_SEGMENTS:
            self._flush()
        self._numbers.append(number)
        self._masks.append(mask)
        self._counts.append(accesses)
        self._doubts.append(assumed)
        counted = self._counted[number]
        self.segments += 1
        self.warp_instructions += counted
        self.thread_instructions += counted * mask.bit_count()

    def check(self, more: int) -> None:
        """Whether a warp may go on that took so many steps beside its segments.

        :raises DiagnosticError: K851 where it may not.
        """
        if self.segments + more > MAX_SEGMENTS:
            raise too_long(self._kernel, self.segments)

    def row(self, growth: Ints) -> int:
        """The number of a row of bytes per step of each coordinate, of one lane or all."""
        key = growth.tobytes()
        found = self._growths.get(key)
        if found is None:
            found = self._growths[key] = len(self._growths), growth
        return found[0]

    def shifts(self) -> Ints:
        """All rows, as :class:`kcc.base.trace.classes.WarpClass` has them."""
        rows = [growth for _, growth in self._growths.values()]
        if any(len(row) > 1 for row in rows):
            width = self._tables.width
            return np.stack([np.broadcast_to(row, (width, row.shape[1])) for row in rows])
        return np.concatenate(rows) if rows else np.zeros((0, 0), np.int64)

    def access(self, number: int, addresses: Ints, row: int, *, assumed: bool) -> None:
        """An access of the segment; ``row`` says how its addresses grow."""
        self._kinds.append(number)
        self._addresses.append(addresses)
        self._rows.append(row)
        self._guesses.append(assumed)
        self.accesses += 1

    def _flush(self) -> None:
        if not self._numbers:
            return
        from kcc.tracegen.static.encode_native import encode

        width = self._tables.width
        addresses = np.zeros((0, width), np.int64)
        if self._addresses:
            addresses = np.ascontiguousarray(np.stack(self._addresses))
        kinds = np.array(self._kinds, np.int32)
        words = encode(
            np.array(self._numbers, np.int32),
            np.array(self._masks, np.uint64),
            np.array(self._counts, np.int32),
            kinds,
            addresses,
            self._sizes,
            self._bases,
            self._patterns,
            self._last,
        )
        owners = np.repeat(np.arange(len(self._counts)), np.array(self._counts, np.int64))
        events = np.array(self._doubts, np.bool_)
        events[owners[np.array(self._guesses, np.bool_)]] = True
        self.parts.append(
            Part(
                words,
                len(self._numbers),
                np.array(self._rows, np.uint32),
                kinds,
                np.array(self._doubts, np.bool_),
                np.array(self._guesses, np.bool_),
                int(events.sum()),
            )
        )
        self._clear()

    def finish(self, thread_block: int, warp: int) -> None:
        """The warp has ended."""
        self._flush()
        low, high = thread_block & 0xFFFFFFFF, thread_block >> 32
        header = np.array([HEADER_MARK, low, high, warp], np.uint32)
        if self.parts:
            first = self.parts[0]
            self.parts[0] = replace(first, words=np.concatenate([header, first.words]))

    @property
    def assumed(self) -> tuple[int, int]:
        """Segments and accesses that were assumed."""
        segments = sum(int(p.assumed_segments.sum()) for p in self.parts)
        return segments, sum(int(p.assumed_accesses.sum()) for p in self.parts)

    @property
    def assumed_events(self) -> int:
        """Segments that are assumed, or with an access that is."""
        return sum(p.assumed_events for p in self.parts)

    def rows_by_access(self) -> NDArray[np.uint32] | None:
        """The row of each access of the tables, if all its executions have the same."""
        found = np.full(len(self._sizes), -1, np.int64)
        for part in self.parts:
            rows = part.rows.astype(np.int64)
            found[part.accesses] = rows
            if (found[part.accesses] != rows).any():
                return None
        for part in self.parts:
            if (found[part.accesses] != part.rows).any():
                return None
        return np.maximum(found, 0).astype(np.uint32)

    def words(self, *, by_access: bool) -> list[ClassWords]:
        """All parts, as the file has them."""
        marked = any(self.assumed)
        return [
            ClassWords(
                p.words,
                p.segments,
                len(p.accesses),
                None if by_access else p.rows,
                p.assumed_segments if marked else None,
                p.assumed_accesses if marked else None,
            )
            for p in self.parts
        ]


def too_long(kernel: str, segments: int = MAX_SEGMENTS) -> DiagnosticError:
    """K851: a warp that executes more than can be kept, or for which more than that has to be
    computed."""
    message = (
        f"a warp of '{kernel}' executes more than {min(segments, MAX_SEGMENTS):,} basic blocks"
    )
    if segments < MAX_SEGMENTS:
        message += ", and memory decides so much in them that no more are followed"
    hint = "fewer iterations: smaller --arg or --size, or --assume loop@LINE=N"
    return DiagnosticError([Diagnostic("K851", message, hint=hint)])

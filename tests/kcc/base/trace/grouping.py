"""Makes classes of warps out of the trace of a run: the plain way, for tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcc.base.trace.classes import ClassWords, WarpClass
from kcc.base.trace.launches import TraceLaunch
from kcc.base.trace.tables import TraceTables
from kcc.base.trace.words import FAR_SHIFT, HEADER_MARK, TAG_FAR, TAG_PATTERN
from tests.kcc.base.trace.files import Row

Place = tuple[int, int, int, int]
"""A warp: thread block in x, y, z and warp."""


class Warp(NamedTuple):
    place: Place
    thread_block: int
    steps: list[Row]

    @property
    def starts(self) -> list[int]:
        """The address of the first active lane of each access executed."""
        return [lanes[0] for row in self.steps for _, lanes in row[5]]

    @property
    def shape(self) -> object:
        """What must be the same in a class."""
        return tuple(
            (row[2], row[4], *((n, tuple(a - lanes[0] for a in lanes)) for n, lanes in row[5]))
            for row in self.steps
        )


def warps_of(rows: Sequence[Row], launch: TraceLaunch) -> list[Warp]:
    found = dict[tuple[int, int], list[Row]]()
    for row in rows:
        found.setdefault((row[0], row[1]), []).append(row)
    x, y, _ = launch.blocks
    return [
        Warp((block % x, block // x % y, block // (x * y), warp), block, steps)
        for (block, warp), steps in sorted(found.items())
    ]


def encode(warp: Warp, width: int) -> NDArray[np.uint32]:
    """The words of a warp, in the longest form there is."""
    words = [HEADER_MARK, warp.thread_block, 0, warp.place[3]]
    for _, _, segment, _, mask, touched in warp.steps:
        words += [segment, *(mask >> 32 * i & 0xFFFFFFFF for i in range(width // 32))]
        for _, lanes in touched:
            whole = lanes[0] | TAG_PATTERN << FAR_SHIFT
            words += [TAG_FAR, whole & 0xFFFFFFFF, whole >> 32]
            words += [(a - lanes[0]) & 0xFFFFFFFF for a in lanes]
    return np.array(words, np.uint32)


def group(
    rows: Sequence[Row], launch: TraceLaunch, tables: TraceTables, *, by_event: bool
) -> Iterator[tuple[WarpClass, list[ClassWords]]]:
    """The classes of a launch."""
    shapes = dict[object, list[Warp]]()
    for warp in warps_of(rows, launch):
        shapes.setdefault(warp.shape, []).append(warp)
    for members in shapes.values():
        shifts = fit(members)
        rest = [[m] for m in members] if shifts is None else [members]
        for own in rest:
            events = len(own[0].starts)
            moves = np.zeros((events, 4), np.int64) if shifts is None else shifts
            yield make_class(own, moves, tables, by_event=by_event)


def fit(members: Sequence[Warp]) -> NDArray[np.int64] | None:
    """Whole bytes per step for each access executed, if there are such."""
    apart = np.array([np.subtract(m.place, members[0].place) for m in members])
    moved = np.array([np.subtract(m.starts, members[0].starts) for m in members])
    found = np.rint(np.linalg.lstsq(apart, moved, rcond=None)[0]).astype(np.int64)
    return found.T if (apart @ found == moved).all() else None


def make_class(
    members: Sequence[Warp], moves: NDArray[np.int64], tables: TraceTables, *, by_event: bool
) -> tuple[WarpClass, list[ClassWords]]:
    first, width = members[0], tables.width
    numbers = [n for row in first.steps for n, _ in row[5]]
    rows = None
    if not by_event:
        rows = np.zeros(len(tables.accesses), np.uint32)
        by_access = {n: moves[i] for i, n in enumerate(numbers)}
        rows[list(by_access)] = np.arange(len(by_access))
        moves = np.array(list(by_access.values()) or [[0] * 4], np.int64)
    counted = [tables.segments[row[2]].counted for row in first.steps]
    lanes = [row[4].bit_count() for row in first.steps]
    found = WarpClass(
        first.thread_block, first.place[3], boxes([m.place for m in members]), moves, rows,
        len(first.steps), len(numbers), sum(counted),
        sum(c * n for c, n in zip(counted, lanes, strict=True)),
    )  # fmt: skip
    per_event = np.arange(len(numbers), dtype=np.uint32) if by_event else None
    words = encode(first, width)
    marks = np.arange(len(first.steps)) % 3 == 0, np.arange(len(numbers)) % 2 == 0
    part = ClassWords(words, len(first.steps), len(numbers), per_event, *marks)
    return found, [part]


def boxes(places: Sequence[Place]) -> NDArray[np.int64]:
    """One box if the places are one, else one for each."""
    sides = [sorted({place[axis] for place in places}) for axis in range(4)]
    steps = [{b - a for a, b in pairwise(s)} or {1} for s in sides]
    whole = np.prod([len(side) for side in sides]) == len(places)
    if whole and all(len(step) == 1 for step in steps):
        pairs = zip(sides, steps, strict=True)
        return np.array([[[side[0], len(side), *step] for side, step in pairs]], np.int64)
    return np.array([[[p, 1, 1] for p in place] for place in places], np.int64)

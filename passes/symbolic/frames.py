"""Where values are computed: the iterations of loops, for some rows each."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.passes.symbolic import semantics
from kcc.passes.symbolic.expr import Final, Fold, Node, Recurrence, Total
from kcc.passes.symbolic.rows import Evaluated, shrunk, taken
from kcc.passes.symbolic.semantics import U64, Array, Mask

FOLDS: dict[Fold, np.ufunc] = {
    Fold.SUM: np.add,
    Fold.LEAST: np.minimum,
    Fold.GREATEST: np.maximum,
}


@dataclass(slots=True)
class Frame:
    """An iteration of ``loop`` for some rows of ``parent``; the outermost has neither. ``shape`` is
    that of :class:`Lanes`, of some of its axes: 1 along the others."""

    size: int
    parent: Frame | None = None
    loop: int = -1
    rows: NDArray[np.int64] | None = None
    """Rows of the parent; None for all of them, in order."""
    counter: Evaluated | None = None
    states: dict[Recurrence, Evaluated] = field(default_factory=dict[Recurrence, Evaluated])
    fixed: dict[Node, Evaluated] = field(default_factory=dict[Node, Evaluated])
    memo: dict[Node, Evaluated] = field(default_factory=dict[Node, Evaluated])
    origin: tuple[Frame, NDArray[np.int64]] | None = None
    """For some rows only of another frame: that one, and which."""
    parts: dict[Hashable, Frame] = field(default_factory=dict[Hashable, "Frame"])
    """Some rows of this frame: those that take a side of a choice, by its condition and side, or
    any others.
    """
    partly: dict[Node, Partly] = field(default_factory=dict[Node, "Partly"])
    """Values that were computed for some rows only."""
    shape: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Partly:
    """A value of a frame's rows that means nothing where it is not ``done``."""

    value: Evaluated
    done: Mask


class Results:
    """What a simulation of a loop has found for the rows of a frame."""

    def __init__(self, size: int, watchers: list[Final | Total]) -> None:
        self.watchers = watchers
        self.found, self.sure = np.zeros(size, U64), np.zeros(size, np.bool_)
        self.data: dict[Node, Array] = {}
        self.known: dict[Node, Mask] = {}
        self._fine: dict[Node, Mask] = {}
        for each in watchers:
            self.known[each] = np.zeros(size, np.bool_)
            if isinstance(each, Total):
                self.data[each] = np.full(size, each.fold.nothing, np.int64)
                self._fine[each] = np.ones(size, np.bool_)
            else:
                self.data[each] = np.zeros(size, semantics.dtype_of(each.type))

    def add(self, total: Total, rows: NDArray[np.int64], value: Evaluated) -> None:
        """One iteration more of some rows."""
        data = value.rows(len(rows)).view(np.int64)
        self.data[total][rows] = FOLDS[total.fold](self.data[total][rows], data)
        self._fine[total][rows] &= value.is_known(len(rows))

    def finished(self, rows: NDArray[np.int64]) -> None:
        """Rows that have come to the loop's end."""
        for each, fine in self._fine.items():
            self.known[each][rows] = fine[rows]

    def results(self) -> dict[Node, Evaluated]:
        found = dict[Node, Evaluated]()
        for each, known in self.known.items():
            data = self.data[each].view(U64) if isinstance(each, Total) else self.data[each]
            found[each] = shrunk(Evaluated(data, None if known.all() else known))
        return found


def keep(frame: Frame, rows: NDArray[np.int64]) -> None:
    """Go on with some rows of a frame."""
    frame.rows = rows if frame.rows is None else frame.rows[rows]
    frame.size, frame.parts = len(rows), {}
    frame.partly = {
        each: Partly(taken(part.value, rows), part.done[rows])
        for each, part in frame.partly.items()
    }
    frame.states = {each: taken(value, rows) for each, value in frame.states.items()}
    frame.memo = {each: taken(value, rows) for each, value in frame.memo.items()}
    frame.fixed = {each: taken(value, rows) for each, value in frame.fixed.items()}
    if frame.counter is not None:
        frame.counter = taken(frame.counter, rows)


def part_of(frame: Frame, rows: NDArray[np.int64]) -> Frame:
    """Some rows of a frame in the same iteration."""
    outer = rows if frame.rows is None else frame.rows[rows]
    part = Frame(len(rows), frame.parent, frame.loop, outer, origin=(frame, rows))
    if frame.counter is not None:
        part.counter = taken(frame.counter, rows)
    return part


def merged(found: Partly | None, rows: Mask, value: Evaluated) -> Partly:
    """What was found before, and a value for further rows."""
    size, count = len(rows), int(rows.sum())
    if found is None:
        data, known = np.zeros(size, value.data.dtype), np.zeros(size, np.bool_)
        done = rows
    else:
        data, known = found.value.rows(size).copy(), found.value.is_known(size).copy()
        done = found.done | rows
    data[rows], known[rows] = value.rows(count), value.is_known(count)
    return Partly(Evaluated(data, known), done)

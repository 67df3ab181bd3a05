"""How ids grow from warp to warp of a launch.

Warps are told apart by four numbers: thread block in x, y, z and warp of the thread block. In each
of the four they go in steps of a *period*, so that values like ``id % 24`` are the same from step
to step and ``id / 24`` grows evenly. Warps of different remainders are looked at separately.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kcc.passes.symbolic.expr import SymbolKind
from kcc.passes.symbolic.lanes import Key
from kcc.tracegen.execute import NDRange
from kcc.tracegen.static.regions import Box, Place

MAX_REMAINDERS = 2048
"""Combinations of remainders that are looked at; with more the values that ask for them are taken
to be different in every thread block."""

SIDES = 4


@dataclass(frozen=True, slots=True)
class Geometry:
    """The warps of a launch: ``blocks`` in three dimensions, ``local`` sizes, lanes of a warp."""

    blocks: tuple[int, int, int]
    local: tuple[int, int, int]
    width: int
    periods: Place
    offset: tuple[int, int, int] = (0, 0, 0)

    @property
    def items(self) -> int:
        """Work-items of a thread block."""
        return math.prod(self.local)

    @property
    def warps(self) -> int:
        """Warps of a thread block."""
        return -(-self.items // self.width)

    @property
    def sizes(self) -> Place:
        """Thread blocks in x, y and z, warps in each."""
        return (*self.blocks, self.warps)

    def with_periods(self, periods: Place) -> Geometry:
        """The same in longer steps."""
        return replace(self, periods=periods)

    def remainders(self) -> list[tuple[Place, Box]]:
        """The first warp of each kind, and the box of all of that kind in steps from it; warps
        that are not full are of their own kind.
        """
        found = list[tuple[Place, Box]]()
        px, py, pz, pw = (min(p, s) for p, s in zip(self.periods, self.sizes, strict=True))
        for number in range(px * py * pz * pw):
            x, rest = number % px, number // px
            y, rest = rest % py, rest // py
            first = (x, y, rest % pz, rest // pz)
            found += [(first, box) for box in self._boxes(first)]
        return found

    def _boxes(self, first: Place) -> list[Box]:
        last = [
            (size - 1 - start) // period
            for start, size, period in zip(first, self.sizes, self.periods, strict=True)
        ]
        x, y, z, w = last
        whole = Box((0, 0, 0, 0), (x, y, z, w))
        partial = first[3] + w * self.periods[3] == self.warps - 1 and self.items % self.width
        if not partial:
            return [whole]
        ends = Box((0, 0, 0, w), (x, y, z, w))
        return [ends] if w == 0 else [Box((0, 0, 0, 0), (x, y, z, w - 1)), ends]

    def growth(self) -> dict[Key, tuple[Fraction, Fraction, Fraction, Fraction]]:
        """By how much each id grows per thread block in x, y, z and per warp, on the average."""
        found = dict[Key, tuple[Fraction, Fraction, Fraction, Fraction]]()
        inner = self._inner()
        for side in range(3):
            own = [Fraction(0)] * 3
            own[side] = Fraction(1)
            x, y, z = own
            found[SymbolKind.GROUP_ID, side] = (x, y, z, Fraction(0))
            found[SymbolKind.LOCAL_ID, side] = (Fraction(0), Fraction(0), Fraction(0), inner[side])
            size = self.local[side]
            found[SymbolKind.GLOBAL_ID, side] = (x * size, y * size, z * size, inner[side])
        return found

    def _inner(self) -> tuple[Fraction, Fraction, Fraction]:
        """The growth of the local ids per warp."""
        x, y, _ = self.local
        none = Fraction(0)
        if self.warps == 1 or self.periods[3] >= self.warps:
            return (none, none, none)
        if y == self.local[2] == 1:
            return (Fraction(self.width), none, none)
        if self.local[2] == 1:
            return (none, Fraction(self.width, x), none)
        return (none, none, Fraction(self.width, x * y))

    def lanes(self, place: Place) -> tuple[dict[Key, NDArray[np.int64]], NDArray[np.bool_]]:
        """The ids of the lanes of a warp, given by its thread block and number, and which lanes
        exist; the others have the ids of the last one that does.
        """
        linear = place[3] * self.width + np.arange(self.width)
        exists = linear < self.items
        linear = np.minimum(linear, self.items - 1)
        x, y, _ = self.local
        own = (linear % x, linear // x % y, linear // (x * y))
        symbols = dict[Key, NDArray[np.int64]]()
        for side in range(3):
            symbols[SymbolKind.LOCAL_ID, side] = own[side]
            symbols[SymbolKind.GROUP_ID, side] = np.array([place[side]])
            symbols[SymbolKind.GLOBAL_ID, side] = own[side] + (
                place[side] * self.local[side] + self.offset[side]
            )
        symbols[SymbolKind.LANE, 0] = np.arange(self.width, dtype=np.int64)
        return symbols, exists


def geometry_of(shape: NDRange, width: int) -> Geometry:
    """The warps of a launch, with the periods that its thread blocks ask for."""
    x, y, z = (*shape.local_size, 1, 1)[:3]
    local = (x, y, z)
    a, b, c = (*shape.offset, 0, 0, 0)[:3]
    first = Geometry(shape.blocks, local, width, (1, 1, 1, 1), (a, b, c))
    return first.with_periods((1, 1, 1, _warp_period(local, width, first.warps)))


def _warp_period(local: tuple[int, int, int], width: int, warps: int) -> int:
    """The least number of warps after which local ids have grown in one dimension alone."""
    x, y, z = local
    row = x if z == 1 else x * y
    if y == z == 1 or width % row == 0:
        return 1
    return row // width if row % width == 0 else warps

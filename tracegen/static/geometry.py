"""How ids grow from warp to warp of a launch.

Warps are told apart by the coordinates of :mod:`kcc.base.trace.coordinates`: thread block in x, y
and z and warp of the thread block, each in digits. The digits are such that ids, and values like
``id % 24`` and ``id / 4096``, grow evenly along each of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from kcc.base.trace.coordinates import SIDES, Coordinates
from kcc.passes.symbolic.expr import SymbolKind
from kcc.passes.symbolic.lanes import Key
from kcc.tracegen.execute import NDRange
from kcc.tracegen.static.regions import Box

WARP = SIDES - 1
"""The side of the warps of a thread block."""

Side = tuple[tuple[int, int], ...]
"""A box in the digits of one side: lowest and highest value of each."""

Ids = tuple[int, int, int]

MAX_WARPS_APART = 8
"""Of the warps of a thread block, where a number of warps are told apart."""


@dataclass(frozen=True)
class Geometry:
    """The warps of a launch: ``local`` sizes, lanes of a warp, and their coordinates.

    ``inner`` is by how much local ids grow per step of each digit of the warp. Warps are looked at
    separately for each value of the coordinates ``apart``: ids do not grow evenly along them, or
    warps are to be told apart there for another reason.
    """

    local: Ids
    width: int
    places: Coordinates
    inner: tuple[Ids, ...]
    apart: frozenset[int] = frozenset()
    offset: Ids = (0, 0, 0)

    @property
    def blocks(self) -> Ids:
        """Thread blocks in x, y and z."""
        x, y, z, _ = self.places.sizes
        return (x, y, z)

    @property
    def items(self) -> int:
        """Work-items of a thread block."""
        return math.prod(self.local)

    @property
    def count(self) -> int:
        """How many coordinates there are."""
        return self.places.first[-1]

    @cached_property
    def linear(self) -> tuple[int, ...]:
        """What a step of each coordinate adds to the number of a warp among all of the launch."""
        x, y, _, warps = self.places.sizes
        sides = zip((warps, warps * x, warps * x * y, 1), self.places.weights, strict=True)
        return tuple(each * weight for each, weights in sides for weight in weights)

    def number(self, place: Sequence[int]) -> tuple[int, int]:
        """The linear number of the thread block at some coordinates, and the warp's."""
        x, y, z, w = self.places.numbers(place)
        return x + self.blocks[0] * (y + self.blocks[1] * z), w

    def split(self, radices: Sequence[Sequence[int]]) -> Geometry:
        """The same with each coordinate split into digits of these radices."""
        sides = list[tuple[int, ...]]()
        for side, own in enumerate(self.places.radices):
            start, end = self.places.first[side : side + 2]
            found = list[int]()
            for place, radix in zip(range(start, end), (*own, 0), strict=True):
                found += radices[place]
                found += [radix // math.prod(radices[place])] if radix else []
            sides.append(tuple(found))
        inner = list[Ids]()
        for place, (x, y, z) in enumerate(self.inner, self.places.first[WARP]):
            weights = [math.prod(radices[place][:i]) for i in range(len(radices[place]) + 1)]
            inner += [(x * weight, y * weight, z * weight) for weight in weights]
        places = Coordinates(self.places.sizes, tuple(sides))
        return replace(self, places=places, inner=tuple(inner))

    def groups(self) -> Iterator[list[Box]]:
        """All places, in groups of boxes within which ids grow evenly and warps have as many
        lanes.
        """
        sizes, weights = self.places.sizes, self.places.weights
        blocks = [digit_boxes(sizes[side], weights[side]) for side in range(WARP)]
        apart = sorted(self.apart)
        values = [range(self.places.limits[place]) for place in apart]
        for warps in self._full_and_last():
            boxes = [_box([p for side in each for p in side]) for each in product(*blocks, warps)]
            for chosen in product(*values):
                at = dict(zip(apart, chosen, strict=True))
                yield [box.at(at) for box in boxes if box.meets(at)]

    def _full_and_last(self) -> Iterator[list[Side]]:
        """The warps that have all lanes, and the one that has not."""
        warps, weights = self.places.sizes[WARP], self.places.weights[WARP]
        full = self.items // self.width
        yield digit_boxes(full, weights)
        if full < warps:
            last = self.places.of((0, 0, 0, full))[self.places.first[WARP] :]
            yield [tuple((digit, digit) for digit in last)]

    @cached_property
    def growth(self) -> dict[Key, tuple[int, ...]]:
        """By how much each id grows per step of each coordinate."""
        found = dict[Key, tuple[int, ...]]()
        first = self.places.first
        for side in range(3):
            groups = [0] * self.count
            groups[first[side] : first[side + 1]] = self.places.weights[side]
            inner = [*[0] * first[WARP], *(each[side] for each in self.inner)]
            found[SymbolKind.GROUP_ID, side] = tuple(groups)
            found[SymbolKind.LOCAL_ID, side] = tuple(inner)
            found[SymbolKind.GLOBAL_ID, side] = tuple(
                g * self.local[side] + i for g, i in zip(groups, inner, strict=True)
            )
        return found

    def lanes(self, place: Sequence[int]) -> tuple[dict[Key, NDArray[np.int64]], NDArray[np.bool_]]:
        """The ids of the lanes of the warp at some coordinates, and which lanes exist; the others
        have the ids of the last one that does.
        """
        *block, warp = self.places.numbers(place)
        linear = warp * self.width + np.arange(self.width)
        exists = linear < self.items
        linear = np.minimum(linear, self.items - 1)
        x, y, _ = self.local
        own = (linear % x, linear // x % y, linear // (x * y))
        symbols = dict[Key, NDArray[np.int64]]()
        for side in range(3):
            symbols[SymbolKind.LOCAL_ID, side] = own[side]
            symbols[SymbolKind.GROUP_ID, side] = np.array([block[side]])
            symbols[SymbolKind.GLOBAL_ID, side] = own[side] + (
                block[side] * self.local[side] + self.offset[side]
            )
        symbols[SymbolKind.LANE, 0] = np.arange(self.width, dtype=np.int64)
        return symbols, exists


def geometry_of(shape: NDRange, width: int) -> Geometry:
    """The warps of a launch, in the digits that its thread blocks ask for."""
    x, y, z = (*shape.local_size, 1, 1)[:3]
    a, b, c = (*shape.offset, 0, 0, 0)[:3]
    warps = -(-x * y * z // width)
    radices, inner, uneven = _warp_digits((x, y, z), width)
    places = Coordinates((*shape.blocks, warps), ((), (), (), radices))
    apart = frozenset({places.first[WARP]} if uneven else ())
    return Geometry((x, y, z), width, places, inner, apart, (a, b, c))


def told_apart(geometry: Geometry, count: int) -> Geometry:
    """The same with warps told apart in about so many kinds: those of a thread block first, then
    thread blocks that follow one another."""
    radices, wanted, left = [list[int]() for _ in range(geometry.count)], set[int](), count
    for place in (geometry.count - 1, *(geometry.places.first[side] for side in range(WARP))):
        size = min(geometry.places.limits[place], left if place < WARP else MAX_WARPS_APART)
        if size > 1:
            radices[place] = [size] if size < geometry.places.limits[place] else []
            wanted.add(place)
            left = -(-left // size)
    found = geometry.split(radices)
    before = [sum(len(own) for own in radices[:place]) for place in range(geometry.count)]
    apart = {place + before[place] for place in (*wanted, *geometry.apart)}
    return replace(found, apart=frozenset(apart))


def _warp_digits(local: Ids, width: int) -> tuple[tuple[int, ...], tuple[Ids, ...], bool]:
    """Radices for the warps of a thread block, by how much local ids grow per step of each digit,
    and whether they do not grow evenly along the lowest."""
    x, y, z = local
    plane = x * y
    if plane * z <= width:
        return (), ((0, 0, 0),), False
    if y == z == 1:
        return (), ((width, 0, 0),), False
    if x % width == 0:
        return _digits(((x // width, (width, 0, 0)), (y, (0, 1, 0)), (z, (0, 0, 1))))
    if width % x == 0 and z == 1:
        return (), ((0, width // x, 0),), False
    if width % x == 0 and plane % width == 0:
        return _digits(((plane // width, (0, width // x, 0)), (z, (0, 0, 1))))
    if width % plane == 0:
        return (), ((0, 0, width // plane),), False
    row = x if z == 1 else plane
    warps = row // math.gcd(row, width)
    step = warps * width // row
    return (warps,), ((0, 0, 0), (0, step, 0) if z == 1 else (0, 0, step)), True


def _digits(
    parts: Sequence[tuple[int, Ids]],
) -> tuple[tuple[int, ...], tuple[Ids, ...], bool]:
    """Digits with their number of values, but for those with one alone. The highest has no
    radix."""
    kept = [(count, growth) for count, growth in parts if count != 1]
    return tuple(count for count, _ in kept[:-1]), tuple(growth for _, growth in kept), False


def digit_boxes(size: int, weights: Sequence[int]) -> list[Side]:
    """All numbers below ``size`` as boxes in their digits, which have these weights."""
    if size == 0:
        return []
    *lower, top = weights
    full, rest = divmod(size, top)
    found = list[Side]()
    if full:
        whole = [(0, high // low - 1) for low, high in zip(lower, weights[1:], strict=True)]
        found.append((*whole, (0, full - 1)))
    if rest:
        found += [(*each, (full, full)) for each in digit_boxes(rest, lower)]
    return found


def _box(pairs: Sequence[tuple[int, int]]) -> Box:
    return Box(tuple(low for low, _ in pairs), tuple(high for _, high in pairs))

"""Where a warp is in its launch, in the coordinates that classes of warps are told in.

A warp has four numbers: its thread block in x, y and z, and its own number in the thread block.
Each is written in *digits*, lowest first: with the radices 16 and 256 thread block x is
``x % 16``, ``x // 16 % 256`` and ``x // 4096``. So ``a[x % 16]`` and ``a[x / 4096]`` grow evenly
along each coordinate. Without radices the coordinates are the four numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

SIDES = 4
"""x, y, z and warp."""

Radices = tuple[tuple[int, ...], ...]
"""Of x, y, z and warp the radices of their digits, lowest first; the highest digit has none."""

NO_RADICES: Radices = ((), (), (), ())


@dataclass(frozen=True)
class Coordinates:
    """The coordinates of a launch with ``sizes``: thread blocks in x, y and z, warps in each."""

    sizes: tuple[int, int, int, int]
    radices: Radices

    @cached_property
    def weights(self) -> tuple[tuple[int, ...], ...]:
        """What one step of each digit adds to the number, by side."""
        return tuple(tuple(prod(own[:i]) for i in range(len(own) + 1)) for own in self.radices)

    @cached_property
    def limits(self) -> tuple[int, ...]:
        """How many values each coordinate has."""
        found = list[int]()
        for size, own, weights in zip(self.sizes, self.radices, self.weights, strict=True):
            found += [*own, -(-size // weights[-1])]
        return tuple(found)

    @cached_property
    def first(self) -> tuple[int, ...]:
        """The place of each side's lowest digit among the coordinates; then their number."""
        places = [0]
        for own in self.radices:
            places.append(places[-1] + len(own) + 1)
        return tuple(places)

    def of(self, numbers: Sequence[int]) -> tuple[int, ...]:
        """The coordinates of a warp."""
        found = list[int]()
        for number, own in zip(numbers, self.radices, strict=True):
            rest = number
            for radix in own:
                found.append(rest % radix)
                rest //= radix
            found.append(rest)
        return tuple(found)

    def numbers(self, place: Sequence[int]) -> tuple[int, int, int, int]:
        """The warp at some coordinates."""
        x, y, z, w = (
            sum(p * t for p, t in zip(place[self.first[side] :], weights, strict=False))
            for side, weights in enumerate(self.weights)
        )
        return (x, y, z, w)

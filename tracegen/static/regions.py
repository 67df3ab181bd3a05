"""Sets of warps: boxes, and linear limits within which warps do the same.

The coordinates of warps are those of :mod:`kcc.base.trace.coordinates`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import field

from kcc.base.records import dataclass

Place = tuple[int, ...]

FAR = 1 << 61
"""Further than any place: no limit."""


@dataclass(frozen=True, slots=True)
class Box:
    """All places from ``low`` to ``high``, both included."""

    low: Place
    high: Place

    def meets(self, values: Mapping[int, int]) -> bool:
        """Whether some place in the box has these values on some sides."""
        return all(self.low[s] <= value <= self.high[s] for s, value in values.items())

    def at(self, values: Mapping[int, int]) -> Box:
        """The part of the box with these values on some sides."""
        sides = range(len(self.low))
        low, high = ([values.get(s, end[s]) for s in sides] for end in (self.low, self.high))
        return _box(low, high)

    def without(self, inner: Box) -> Iterator[Box]:
        """The rest of the box, in boxes, where ``inner`` is taken out of it."""
        low, high = list(self.low), list(self.high)
        for side in range(len(low)):
            if low[side] < inner.low[side]:
                yield _box(low, [*high[:side], inner.low[side] - 1, *high[side + 1 :]])
            if inner.high[side] < high[side]:
                yield _box([*low[:side], inner.high[side] + 1, *low[side + 1 :]], high)
            low[side], high[side] = inner.low[side], inner.high[side]


def _box(low: list[int], high: list[int]) -> Box:
    return Box(tuple(low), tuple(high))


@dataclass(slots=True)
class Limits:
    """Which warps do what the warp at ``at`` does: those ``apart`` from it with
    ``low <= key . apart <= high`` for each key.
    """

    at: Place
    ranges: dict[Place, tuple[int, int]] = field(default_factory=dict[Place, tuple[int, int]])

    def require(self, key: Place, low: int, high: int) -> None:
        """Add a limit; keys that are multiples of each other are one."""
        common = math.gcd(*key)
        if common == 0 or (low <= -FAR and high >= FAR):
            return
        if next(k for k in key if k) < 0:
            key, low, high = _times(key, -1), -high, -low
        if common > 1:
            key, low, high = tuple(k // common for k in key), -(-low // common), high // common
        before = self.ranges.get(key, (-FAR, FAR))
        self.ranges[key] = max(before[0], low), min(before[1], high)

    def admit(self, place: Place) -> bool:
        """Whether a place is within all limits."""
        apart = [a - b for a, b in zip(place, self.at, strict=True)]
        return all(
            low <= sum(k * a for k, a in zip(key, apart, strict=True)) <= high
            for key, (low, high) in self.ranges.items()
        )

    def clip(self, box: Box, place: Place) -> Box:
        """A box in ``box`` around ``place``, which is in both, with nothing beyond the limits."""
        apart = [a - b for a, b in zip(place, self.at, strict=True)]
        low = [a - b for a, b in zip(box.low, place, strict=True)]
        high = [a - b for a, b in zip(box.high, place, strict=True)]
        ordered = sorted(self.ranges.items(), key=lambda item: sum(k != 0 for k in item[0]))
        for key, (least, most) in ordered:
            here = sum(k * a for k, a in zip(key, apart, strict=True))
            _shrink(key, least - here, most - here, low, high)
        ends = [[a + b for a, b in zip(side, place, strict=True)] for side in (low, high)]
        return _box(ends[0], ends[1])


def _shrink(key: Place, least: int, most: int, low: list[int], high: list[int]) -> None:
    """Sides of a box around 0 made shorter until ``least <= key . x <= most`` in all of it; those
    with the smallest factors stay longest.
    """
    down = up = 0
    for side in sorted(range(len(key)), key=lambda side: abs(key[side])):
        factor = key[side]
        if factor > 0:
            high[side] = min(high[side], (most - up) // factor)
            low[side] = max(low[side], -((down - least) // factor))
            down, up = down + factor * low[side], up + factor * high[side]
        elif factor < 0:
            high[side] = min(high[side], (down - least) // -factor)
            low[side] = max(low[side], -((most - up) // -factor))
            down, up = down + factor * high[side], up + factor * low[side]


def _times(key: Place, factor: int) -> Place:
    return tuple(k * factor for k in key)

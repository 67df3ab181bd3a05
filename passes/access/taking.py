"""Which warps of which thread blocks take part in something, in segments of the grid.

A condition on ids mostly changes at few places of the grid (the edge of the data): it is looked at
for some thread blocks, and between two that differ at more of them, until the places of the changes
are known. Where it changes at many places (a triangle) it stays a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.passes.access.distinct import unique_values

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

MOST_CHANGES = 64
"""Along one axis, of conditions whose changes are looked for; of more a sample stands for all."""

INSIDE = 7
"""Numbers between two that differ which are looked at next."""

FINER = 8
"""Times as many combinations as the first ones at most that are looked at between these."""


@dataclass(frozen=True, slots=True)
class Region:
    """Some thread blocks of a grid: ``starts`` are the numbers in x, y and z at which segments of
    it begin, ``counts[z, y, x]`` how many thread blocks of a segment belong to the region."""

    starts: tuple[Ints, Ints, Ints]
    counts: Ints

    @property
    def blocks(self) -> int:
        """How many thread blocks it has."""
        return int(self.counts.sum())


@dataclass(frozen=True, slots=True)
class TakingShares:
    """The share of its executions in which a warp takes part: ``shares[z, y, x, warp]``, the same
    for all thread blocks of a segment. Segments begin at ``starts``; ``grid`` are the thread blocks
    in x, y and z (1 where they do not matter)."""

    starts: tuple[Ints, Ints, Ints]
    grid: tuple[int, int, int]
    shares: Floats

    @property
    def mean(self) -> float:
        """That of all warps of the launch."""
        return float(self.by_place.mean())

    @property
    def by_place(self) -> Floats:
        """That of each warp of a thread block, over all thread blocks."""
        counts = counts_of([lengths(s, n) for s, n in zip(self.starts, self.grid, strict=True)])
        return _averaged(self.shares, counts)

    @property
    def by_segment(self) -> Floats:
        """That of all warps of a thread block, by z, y and x of the segment."""
        return self.shares.mean(axis=3)

    def over(self, region: Region) -> Floats:
        """That of each warp of a thread block, over the thread blocks of a region."""
        return _averaged(self.at(region.starts), region.counts)

    def at(self, starts: Sequence[Ints]) -> Floats:
        """The shares of segments of which each lies in one of these."""
        x, y, z = (
            np.searchsorted(own, other, "right") - 1
            for own, other in zip(self.starts, starts, strict=True)
        )
        return self.shares[np.ix_(z, y, x)]

    def by_block(self) -> Floats:
        """That of each thread block, by z, y and x."""
        found = self.by_segment
        for dimension, (starts, extent) in enumerate(zip(self.starts, self.grid, strict=True)):
            found = np.repeat(found, lengths(starts, extent), axis=2 - dimension)
        return found


def lengths(starts: Ints, extent: int) -> Ints:
    """Of segments that begin at ``starts`` and end with the next one or at ``extent``."""
    return np.diff(starts, append=extent)


def counts_of(lengths_by_dimension: Sequence[Ints]) -> Ints:
    """Thread blocks by z, y and x of the segment, from lengths in x, y and z."""
    x, y, z = lengths_by_dimension
    return z[:, None, None] * y[None, :, None] * x[None, None, :]


def _averaged(shares: Floats, counts: Ints) -> Floats:
    found: Floats = (shares * (counts / counts.sum())[..., None]).sum(axis=(0, 1, 2))
    return found


def refined(
    axes: list[Ints], holds: Callable[[list[Ints]], Mask | None], most: int
) -> tuple[list[Ints], Mask] | None:
    """Axes with the numbers beside each change, and what ``holds`` for each combination of them:
    the last axis varies slowest, and there is one more dimension, of warps. At most so many
    combinations are asked for at a time, of the axis that takes the fewest first. None if ``holds``
    is.
    """
    taken, left = _shaped(axes, holds), FINER * most
    if taken is None:
        return None
    while left > 0:
        asked = [
            (len(more) * (taken[..., 0].size // len(axis)), place, more)
            for place, axis in enumerate(axes)
            if len(more := _between_of(axes, place, taken, most))
        ]
        if not asked:
            break
        combinations, place, more = min(asked, key=lambda each: each[:2])
        found = _shaped([more if i == place else a for i, a in enumerate(axes)], holds)
        if found is None:
            return None
        left -= combinations
        where = len(axes) - 1 - place
        every = np.concatenate([axes[place], more])
        order = np.argsort(every)
        axes[place] = every[order]
        taken = np.take(np.concatenate([taken, found], axis=where), order, axis=where)
    return axes, taken


def _between_of(axes: Sequence[Ints], place: int, taken: Mask, most: int) -> Ints:
    """Numbers to look at next on one of the axes."""
    others = taken[..., 0].size // len(axes[place])
    return _between(axes[place], np.moveaxis(taken, len(axes) - 1 - place, 0), most // others)


def _shaped(axes: Sequence[Ints], holds: Callable[[list[Ints]], Mask | None]) -> Mask | None:
    taken = holds(list(axes))
    return None if taken is None else taken.reshape(*(len(a) for a in reversed(axes)), -1)


def _between(axis: Ints, taken: Mask, most: int) -> Ints:
    """Numbers to look at next, at most so many: between neighbours that differ in what is taken."""
    gaps = np.flatnonzero(_differs(taken))
    gaps = gaps[axis[gaps + 1] - axis[gaps] > 1]
    if not 0 < len(gaps) <= MOST_CHANGES or most < 1:
        return np.zeros(0, np.int64)
    points = min(INSIDE, most)
    inside = [
        np.linspace(axis[gap], axis[gap + 1], points + 2).astype(np.int64)[1:-1]
        for gap in gaps[: max(most // points, 1)]
    ]
    found = unique_values(np.concatenate(inside))
    return np.setdiff1d(found, axis, assume_unique=True)


def weights_of(axis: Ints, extent: int) -> Floats:
    """How many numbers below ``extent`` each of an axis, from 0 to the last, stands for: those
    between two of them are shared out to both."""
    between = np.diff(axis) - 1
    found = np.ones(len(axis))
    found[:-1] += between / 2
    found[1:] += between / 2
    return found * (extent / found.sum())


def segments(axis: Ints, along: NDArray[Any]) -> tuple[Ints, Ints]:
    """Where segments begin of which those on an axis are one each, and the places on the axis that
    stand for them; neighbours that are alike (in ``along``, by place) are one."""
    first = np.flatnonzero(np.concatenate([[True], _differs(along)]))
    starts = axis[first].copy()
    starts[1:] = (axis[first[1:] - 1] + axis[first[1:]] + 1) // 2
    return starts, first


def _differs(along: NDArray[Any]) -> Mask:
    """Whether each but the first differs from the one before it."""
    others = tuple(range(1, along.ndim))
    found: Mask = (along[1:] != along[:-1]).any(axis=others)
    return found

"""Which thread blocks of a launch do the same, where their place in the grid decides.

Of a grid larger than the data some thread blocks end at once: the mean of both is what none of them
does. Where a test of ids parts them, classes and their counts are exact.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.passes.access.distinct import unique_values
from kcc.passes.access.taking import Floats, Ints, Region, TakingShares, counts_of, lengths

Grid = tuple[int, int, int]

APART = 1.0 / 8.0
"""Thread blocks are alike where what they do differs by no more than this part of the most that one
does: within a tenth, as estimates are."""

MOST_CLASSES = 4
"""Of thread blocks, each of which is timed; where more differ (a triangle) those most alike are
taken together."""

LEAST_PART = 1.0 / 32.0
"""A class that has less of the thread blocks and of what is done (the edges of an image) is taken
together with that nearest to it."""

MOST_SEGMENTS = 1 << 12
"""Of a grid, that are told apart."""


def alike_blocks(
    parts: Sequence[tuple[TakingShares, float]], alike: float, grid: Grid
) -> tuple[Region, ...]:
    """The thread blocks of a grid in classes, the largest one first; none where all are alike.
    ``parts`` are shares of what the launch does and how much that is in all, ``alike`` what all
    thread blocks do alike."""
    parts = [(taking, work) for taking, work in parts if taking.mean > 0.0]
    starts = tuple(
        unique_values(np.concatenate([np.zeros(1, np.int64), *(t.starts[d] for t, _ in parts)]))
        for d in range(3)
    )
    by_dimension = starts[0], starts[1], starts[2]
    counts = counts_of([lengths(s, n) for s, n in zip(by_dimension, grid, strict=True)])
    if not parts or not 1 < counts.size <= MOST_SEGMENTS:
        return ()
    total = int(counts.sum())
    works = [t.at(by_dimension).mean(axis=3).ravel() * (w / t.mean / total) for t, w in parts]
    of_segments = np.array(works)
    whole = of_segments.sum(axis=0) + alike / total
    classes = _classes(of_segments / whole.max(), counts.ravel(), whole)
    if len(classes) < 2:
        return ()
    found = list[Region]()
    for chosen in classes:
        own = np.where(np.isin(np.arange(counts.size), chosen), counts.ravel(), 0)
        found.append(Region(by_dimension, own.reshape(counts.shape)))
    return tuple(found)


def _classes(vectors: Floats, counts: Ints, work: Floats) -> list[list[int]]:
    """Segments in classes, by their places: by ``vectors[part, segment]``."""
    order = np.argsort(-counts, kind="stable").tolist()
    blocks, done = counts / counts.sum(), counts * work / (counts * work).sum()
    apart = APART
    while True:
        classes = _merged(_within(vectors, order, apart), vectors, blocks, done)
        if len(classes) <= MOST_CLASSES:
            return classes
        apart *= 1.5


def _within(vectors: Floats, order: Sequence[int], apart: float) -> list[list[int]]:
    """Each segment with the first one that it is no further ``apart`` from."""
    classes = list[list[int]]()
    for segment in order:
        leaders = [own[0] for own in classes]
        away = _away(vectors, leaders, segment)
        near = np.flatnonzero(away <= apart)
        if len(near):
            classes[int(near[0])].append(segment)
        else:
            classes.append([segment])
    return classes


def _merged(
    classes: list[list[int]], vectors: Floats, blocks: Floats, done: Floats
) -> list[list[int]]:
    """The classes, with those that count for little taken to that nearest to them."""

    def counts(own: list[int]) -> bool:
        return max(float(blocks[own].sum()), float(done[own].sum())) >= LEAST_PART

    kept = [own for own in classes if counts(own)] or classes[:1]
    leaders = [own[0] for own in kept]
    found = [list(own) for own in kept]
    for own in classes:
        if own not in kept:
            found[int(_away(vectors, leaders, own[0]).argmin())] += own
    return found


def _away(vectors: Floats, leaders: Sequence[int], segment: int) -> Floats:
    """By how much a segment differs from each of some."""
    return np.abs(vectors[:, list(leaders)] - vectors[:, [segment]]).sum(axis=0)


def box_of(region: Region, grid: Grid) -> Grid | None:
    """The thread blocks in x, y and z of a region that is a grid itself; None of another one."""
    extents = list[int]()
    inside: NDArray[np.bool_] = region.counts > 0
    for d in range(3):
        others = tuple(axis for axis in range(3) if axis != 2 - d)
        places = np.flatnonzero(inside.any(axis=others))
        first, last = int(places[0]), int(places[-1])
        extents.append(int(lengths(region.starts[d], grid[d])[first : last + 1].sum()))
    box = extents[0], extents[1], extents[2]
    return box if box[0] * box[1] * box[2] == region.blocks else None


def middle_of(region: Region, grid: Grid) -> Grid:
    """A thread block from the middle of the largest segment of a region."""
    z, y, x = np.unravel_index(int(region.counts.argmax()), region.counts.shape)
    found = [
        int(region.starts[d][place] + lengths(region.starts[d], grid[d])[place] // 2)
        for d, place in enumerate((x, y, z))
    ]
    return found[0], found[1], found[2]

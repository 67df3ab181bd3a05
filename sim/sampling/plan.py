"""Which thread blocks of a launch are simulated where epochs are drawn at random.

The first epochs and the last thread blocks are always simulated: there the GPU fills, falls into
its step and empties. What lies between is cut into epochs; those that the profile cannot tell apart
are a stratum, of which some are drawn. Before each that is drawn some thread blocks warm what runs
and the caches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import Enum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.sim.sampling.regions import Epochs

WHOLE = 0.5
"""A launch, or a program, of which more would be simulated is simulated in whole: little would be
saved, and nothing is left to be uncertain about."""

FEWEST = 2
"""Epochs drawn of a launch, at least, where no others say how much they vary."""


SETTLED = 0.02
"""The head ends with an epoch as fast as the one before to within this: thread blocks that began
together have drawn apart, and L2 evicts what it takes in."""


LONGEST_HEAD, MOST_HEAD = 2, 8
"""The head is at most this part of the launch, and so many epochs."""


SPARSE = 0.25
"""Of launches of which no more than this is simulated the thread blocks are made to draw apart."""


class Phase(Enum):
    """Why thread blocks are simulated. Where the first are left out, those that take the places of
    the head's begin as far apart as they would be by then (:mod:`kcc.sim.sampling.dispersion`)."""

    DISPERSE = "disperse"
    WARM = "warm"
    MEASURE = "measure"
    TAIL = "tail"


@dataclass(frozen=True, slots=True)
class Step:
    """Thread blocks ``first`` to ``end`` (excluded); ``stratum`` is -1 but where measured."""

    phase: Phase
    first: int
    end: int
    stratum: int = -1


@dataclass(frozen=True, slots=True)
class Stratum:
    """Epochs that count as alike. ``work`` are the warp instructions of its thread blocks, also of
    those that are in no whole epoch; ``epochs`` are those that can be drawn."""

    label: int
    epochs: tuple[int, ...]
    work: int


@dataclass(frozen=True, slots=True)
class Frame:
    """What can be drawn of a launch: the head ends at ``head``, the tail begins at ``tail``. Both
    are whole epochs, so that thread blocks that still run in step end as they would have.
    ``lasting`` is the first thread block that ends with the launch (:func:`first_lasting`)."""

    size: int
    thread_blocks: int
    head: int
    tail: int
    strata: tuple[Stratum, ...]
    lasting: int = 1 << 62

    @property
    def last_epoch(self) -> float:
        """How much of an epoch the last one is."""
        return (self.thread_blocks - 1) % self.size / self.size + 1 / self.size

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left to draw: the launch is simulated in whole."""
        return not self.strata


def is_settled(cpis: Sequence[float], within: float = SETTLED) -> bool:
    """Whether the last epoch is as fast as the one before."""
    return len(cpis) > 1 and abs(cpis[-1] - cpis[-2]) <= within * cpis[-2]


def is_head_enough(cpis: Sequence[float], epochs: int) -> bool:
    """Whether the head is long enough: settled, or no longer changing one way: what is left then
    rises and falls as all epochs do. Not beyond half of the launch."""
    count = len(cpis)
    if count >= min(max(epochs // LONGEST_HEAD, 2), MOST_HEAD):
        return True
    return is_settled(cpis) or has_reversed(cpis)


def has_reversed(cpis: Sequence[float]) -> bool:
    """Whether the last epoch changes the other way than the one before."""
    return len(cpis) > 2 and (cpis[-1] - cpis[-2]) * (cpis[-2] - cpis[-3]) < 0


def frame_of(
    epochs: Epochs, labels: NDArray[np.int64], work: NDArray[np.int64], head_epochs: int = 1
) -> Frame:
    """The frame of a launch; ``labels`` are the clusters of its epochs, ``work`` is by thread
    block."""
    blocks, size = epochs.thread_blocks, epochs.size
    head, tail = head_epochs * size, (blocks // size - 1) * size
    inner = range(head_epochs, max(tail // size, head_epochs))
    if not inner:
        return Frame(size, blocks, blocks, blocks, ())
    by_block = np.repeat(labels, size)[head:tail]
    own = work[head:tail]
    drawable = {epoch: int(labels[epoch]) for epoch in inner}
    strata = [
        Stratum(
            label,
            tuple(epoch for epoch, its in drawable.items() if its == label),
            int(own[by_block == label].sum()),
        )
        for label in sorted(set(drawable.values()))
    ]
    missing = int(own.sum()) - sum(stratum.work for stratum in strata)
    largest = max(range(len(strata)), key=lambda n: strata[n].work)
    one = strata[largest]  # blocks in no whole epoch, of a cluster that no epoch is left of
    strata[largest] = Stratum(one.label, one.epochs, one.work + missing)
    return Frame(size, blocks, head, tail, tuple(strata), first_lasting(work, size))


def first_lasting(work: NDArray[np.int64], size: int) -> int:
    """The first thread block that ends an epoch or more after the last one has begun, where each
    takes as many epochs as it has times the mean ``work``; the number of blocks where none does.

    The launch lasts as long as it does: of `mst_find_minimum` 11 to 12 % are one block that begins
    2.6 epochs before the end and has 25 times the warp instructions of the mean."""
    ends = np.arange(len(work)) / size + work / max(float(work.mean()), 1.0)
    lasting = np.flatnonzero(ends >= len(work) / size + 1)
    return int(lasting[0]) if len(lasting) else len(work)


def coarser(frame: Frame, count: int) -> Frame:
    """The frame where no stratum is worth less than half of one of ``count`` draws: what is smaller
    goes to the largest."""
    work = sum(stratum.work for stratum in frame.strata)
    kept = [one for one in frame.strata if 2 * count * one.work >= work]
    small = [one for one in frame.strata if 2 * count * one.work < work]
    largest = max(kept or small, key=lambda one: one.work)
    together = [largest, *(one for one in small if one is not largest)]
    epochs = sorted(epoch for one in together for epoch in one.epochs)
    merged = Stratum(largest.label, tuple(epochs), sum(one.work for one in together))
    strata = [merged if one is largest else one for one in kept] or [merged]
    return replace(frame, strata=tuple(strata))


def share_out(frame: Frame, count: int) -> list[int]:
    """How many of about ``count`` draws each stratum has, by its work; one at least."""
    work = max(sum(stratum.work for stratum in frame.strata), 1)
    return [max(round(count * stratum.work / work), 1) for stratum in frame.strata]


def draw(
    stratum: Stratum, count: int, random: np.random.Generator, without: Iterable[int] = ()
) -> list[int]:
    """So many epochs of a stratum (all, where it has no more): one at random out of each of
    ``count`` runs of equal length, so that they lie everywhere."""
    taken = set(without)
    left = [epoch for epoch in stratum.epochs if epoch not in taken]
    if count >= len(left):
        return left
    cuts = [n * len(left) // count for n in range(count + 1)]
    return [left[int(random.integers(a, b))] for a, b in pairwise(cuts)]


def steps_of(
    frame: Frame, drawn: dict[int, list[int]], warm_blocks: int, *, with_tail: bool = True,
    disperse: bool | None = None,
) -> tuple[Step, ...]:  # fmt: skip
    """What to simulate after the head for the epochs ``drawn`` of each stratum (by its place).
    Thread blocks are made to draw apart as is said, or where little is simulated."""
    found = _steps(frame, drawn, warm_blocks, with_tail, disperse=bool(disperse))
    if disperse is not None or share_of(found, frame) > SPARSE:
        return found
    return _steps(frame, drawn, warm_blocks, with_tail, disperse=True)


def _steps(
    frame: Frame, drawn: dict[int, list[int]], warm_blocks: int, with_tail: bool, *, disperse: bool
) -> tuple[Step, ...]:
    """``disperse``: before the first epoch that is measured with room for it. One epoch goes
    before the tail, or more, so that thread blocks that end with the launch are simulated."""
    found = list[Step]()
    at, apart = frame.head, not disperse
    places = sorted((epoch, place) for place, epochs in drawn.items() for epoch in epochs)
    steps = [
        Step(Phase.MEASURE, epoch * frame.size, (epoch + 1) * frame.size, place)
        for epoch, place in places
    ]
    if with_tail:
        steps.append(Step(Phase.TAIL, frame.tail, frame.thread_blocks))
    for step in steps:
        first = step.first - warm_blocks
        if step.phase is Phase.TAIL:
            first = min(max(first, step.first - frame.size), frame.lasting)
        first = max(first, at)
        if not apart and step.phase is Phase.MEASURE and first - frame.size > at:
            apart = True
            found.append(Step(Phase.DISPERSE, first - frame.size, first))
        if first < step.first:
            found.append(Step(Phase.WARM, first, step.first))
        found.append(step)
        at = step.end
    return tuple(found)


def share_of(steps: Iterable[Step], frame: Frame) -> float:
    """The thread blocks of the head and the steps over all."""
    simulated = frame.head + sum(step.end - step.first for step in steps)
    return simulated / max(frame.thread_blocks, 1)

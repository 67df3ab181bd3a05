"""How many units of each phase are drawn, and which.

Huang, dissertation, section 5.3.3, equation 33: Neyman's optimal allocation.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import pairwise
from math import ceil, sqrt

import numpy as np

from kcc.sim.sampling.simprof.table import Floats, Indices

CERTAINTY = 3.0
"""z of 99.7 %: section 5.4.2."""


TWO = 2
"""Units without which a phase has no variance (equation 37)."""


def least_counts(sizes: Indices, least: int = TWO) -> Indices:
    """``least`` of each phase, also where its units cost the same by what is known; one where it
    has one."""
    return np.minimum(least, sizes).astype(np.int64)


def allocate(sizes: Indices, deviations: Floats, count: int, least: int = TWO) -> Indices:
    """How many of about ``count`` units each phase gets: at least :func:`least_counts`, at most
    its units. ``deviations`` are of the metric within each phase. With ``least`` 1 no phase is the
    only one of which one of several is drawn: it could not be joined with another (see
    :func:`kcc.sim.sampling.simprof.estimate.estimate`).

    Equation 33 has no whole numbers; these are those of least variance: the next unit goes where
    N s / sqrt(n (n + 1)) is largest (Wright, The American Statistician 66, 2012). Where no
    deviation is left, units go by size."""
    given = least_counts(sizes, least)
    left = min(count, int(sizes.sum())) - int(given.sum())
    worth = sizes * deviations if float(sizes @ deviations) > 0 else sizes.astype(np.float64)
    waiting = [
        (-_priority(worth[n], int(given[n])), -int(sizes[n]), n)
        for n in range(len(sizes)) if given[n] < sizes[n]
    ]  # fmt: skip
    heapq.heapify(waiting)
    while left > 0 and waiting:
        _, size, n = heapq.heappop(waiting)
        given[n] += 1
        left -= 1
        if given[n] < sizes[n]:
            heapq.heappush(waiting, (-_priority(worth[n], int(given[n])), size, n))
    alone = np.flatnonzero((given == 1) & (sizes > 1))
    if len(alone) == 1:
        richest = int(np.argmax(given))
        given[richest] -= int(given[richest] > TWO)
        given[alone] = TWO
    return given


def _priority(worth: float, given: int) -> float:
    return float(worth) / sqrt(given * (given + 1))


def joined_phases(
    labels: Indices, centres: Floats, deviations: Floats, count: int, least: int = TWO
) -> Indices:
    """The labels where ``count`` units suffice for :func:`least_counts` of each phase: phases that
    are worth least are joined with the nearest until they do. Labels count from 0 without gaps."""
    labels, centres, deviations = labels.copy(), centres.copy(), deviations.copy()
    while len(centres) > 1:
        sizes = np.bincount(labels, minlength=len(centres))
        if int(least_counts(sizes, least).sum()) <= count:
            break
        own = int(np.argmin(sizes * deviations + 1e-12 * sizes))
        apart = ((centres - centres[own]) ** 2).sum(axis=1)
        apart[own] = np.inf
        other = int(np.argmin(apart))
        weight = sizes[[own, other]] / max(int(sizes[[own, other]].sum()), 1)
        centres[other] = weight @ centres[[own, other]]
        deviations[other] = max(deviations[own], deviations[other])
        labels[labels == own] = other
        labels[labels > own] -= 1
        centres, deviations = np.delete(centres, own, 0), np.delete(deviations, own)
    return labels


def draw_units(
    labels: Indices, counts: Sequence[int], random: np.random.Generator, *, spread: bool = False
) -> Indices:
    """So many units of each phase, by simple random sampling; ``spread``: one at random out of
    each of as many runs of its units of equal length, so that they lie everywhere in time."""
    found = list[Indices]()
    for phase, count in enumerate(counts):
        members = np.flatnonzero(labels == phase)
        if spread and count < len(members):
            cuts = [n * len(members) // count for n in range(count + 1)]
            found.append(members[[int(random.integers(a, b)) for a, b in pairwise(cuts)]])
        else:
            found.append(random.choice(members, min(count, len(members)), replace=False))
    return np.sort(np.concatenate(found))


def spread_order(count: int, random: np.random.Generator) -> Indices:
    """Places 0 to ``count`` - 1 in a random order of which every beginning lies all over them: the
    first two in different halves, the first four in different quarters (Owen's scrambling of van
    der Corput's sequence, in: Monte Carlo and Quasi-Monte Carlo Methods, 1995). Each place is as
    likely as others to be among the first n, as the whole is turned by a random number."""
    if not count:
        return np.zeros(0, np.int64)
    turned = np.array(_halves(0, count, random)) + int(random.integers(count))
    return (turned % count).astype(np.int64)


def _halves(first: int, end: int, random: np.random.Generator) -> list[int]:
    if end - first == 1:
        return [first]
    middle = (first + end + int(random.integers(2))) // 2
    parts = [_halves(*part, random) for part in ((first, middle), (middle, end))]
    if random.integers(2):
        parts.reverse()
    both = [place for pair in zip(*parts, strict=False) for place in pair]
    return both + max(parts, key=len)[len(both) // 2 :]


def required_units(
    sizes: Indices, deviations: Floats, mean: float, error: float, z: float = CERTAINTY
) -> int:
    """How many units, allocated optimally, make the interval of confidence ``z`` as narrow as
    ``error`` of the mean (Cochran, Sampling Techniques, 1977, equation 5.26, solved for n); at
    least :func:`least_counts`."""
    total = int(sizes.sum())
    spread = float(sizes @ deviations)
    wanted = (total * error * mean / z) ** 2 + float(sizes @ deviations**2)
    needed = ceil(spread**2 / wanted - 1e-9) if wanted > 0 else 0
    return min(max(needed, int(least_counts(sizes).sum())), total)

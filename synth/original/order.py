"""In which order an array's values come, as far as warps notice.

Beyond Yu et al. (IEEE TC 2015): 32 neighbouring lanes read neighbouring elements, so how alike
neighbours are decides over sectors, bank conflicts and divergence as much as the values do. Two
statements are made of an array: by how much neighbours are correlated, and whether values ascend
from each element on that another array, of the starts of rows, names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

LANES = 32
"""Elements that are looked at together: those of a warp."""

DISTANCES = (1, 4, 16)
"""Of lanes whose values are held against each other."""

GRAINS = (1, 8, 32)
"""Elements of four bytes in one of themselves, a sector, a line: how many different ones a warp's
values lead to."""

HALVINGS = 24
"""Half powers of two that correlations come closer to 1 by."""

COARSE = 4
"""Half powers of two between the correlations that are tried first."""

LENGTHS = 16
"""Stretches over which neighbours are alike that an array has, at least."""

SAMPLE = 1 << 18
"""Elements of an array that series are made of to find its correlation, at most."""

WARPS = 256
"""Stretches of a piece that its correlation is measured on, at most."""

INSIDE = 0.98
"""Of the places where values fall, the share that has to be at starts of rows."""

FALLS = 0.3
"""Values in random order fall at half of all places; from this share on they do not ascend."""

WEIGHTS = np.array([1, 1, 1, 1, 0.1, 0.1, 0.1])
"""Of what is compared: ranks tell marks from lines, but a few edges outweigh all else in them."""

CHANCES = 8
"""Random orders that are held against one more; what is no further from it is random too."""

LEAST = 1e-3
"""What is added to what is compared by ratio."""

LEAST_FALLS = 16
"""Places where values fall, to say anything about them."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """Of neighbours: the coefficient of an autoregressive filter of order one that random numbers
    go through ``times``: once they are rough, as a Brownian motion is, twice smooth."""

    coefficient: float
    times: int


NONE = Correlation(0.0, 1)


def correlation_of(
    values: Ints, drawn: Ints, slope: float = 0.0, parts: int = 1, sample: int = SAMPLE
) -> Correlation:
    """That of the series whose ranks say where the ascending values ``drawn`` are put with which
    warps find as much the same in them as in ``values``. Both lie about a line of that slope; a
    lane has ``parts`` elements, and at most ``sample`` are tried."""
    warps = len(values) // (LANES * parts)
    if warps < 2 or values.min() == values.max():
        return NONE
    wanted = _alike(_warps(values, parts), slope * parts)
    count = min(warps, max(sample // (LANES * parts), 2)) * LANES * parts
    some = drawn[np.arange(count) * len(drawn) // count]

    def alike(correlation: Correlation, seed: int = 0) -> Floats:
        made = np.empty_like(some)
        made[np.argsort(series(np.random.default_rng(seed), count, correlation))] = some
        return _alike(_warps(made, parts), slope * parts)

    def wrong(correlation: Correlation) -> float:
        return _apart(alike(correlation), wanted)

    chance = max(_apart(alike(NONE), alike(NONE, seed)) for seed in range(1, CHANCES + 1))
    if wrong(NONE) <= chance:
        return NONE
    most = min(int(2 * math.log2(max(count / LENGTHS, 1))), HALVINGS)
    coarse = [_at(n, times) for times in (1, 2) for n in range(COARSE, most + 1, COARSE)]
    best = min((NONE, *coarse), key=wrong)
    place = round(-2 * math.log2(1 - best.coefficient))
    near = range(max(place - COARSE + 1, 1), min(place + COARSE, most + 1))
    return min((best, *(_at(n, best.times) for n in near)), key=wrong)


def _apart(one: Floats, other: Floats) -> float:
    return float(WEIGHTS @ np.abs(np.log(one / other)))


def _at(halvings: int, times: int) -> Correlation:
    return Correlation(1 - 0.5 ** (halvings / 2), times)


def _warps(values: Ints, parts: int) -> Ints:
    """What the lanes of some warps find, a row each: the first of their parts."""
    size = LANES * parts
    warps = len(values) // size
    chosen = np.arange(min(warps, WARPS)) * warps // min(warps, WARPS)
    return values[: warps * size].reshape(warps, size)[chosen, ::parts]


def _alike(warps: Ints, slope: float) -> Floats:
    """How many different elements, sectors and lines warps are led to, how many lanes to the same
    element, and how far lanes are apart in rank."""
    whole = warps + np.floor(slope * np.arange(LANES)).astype(np.int64)
    ordered = (np.sort(whole // grain, axis=1) for grain in GRAINS)
    different = [1 + np.count_nonzero(np.diff(rows), axis=1).mean() for rows in ordered]
    most = _longest_runs(np.sort(whole, axis=1)).mean()
    ranks = _ranks(warps)
    apart = [np.abs(ranks[:, d:] - ranks[:, :-d]).mean() for d in DISTANCES]
    return np.array([*different, most, *apart]) + LEAST


def _longest_runs(rows: Ints) -> Ints:
    """The longest run of equal values in each row."""
    run, longest = np.ones(len(rows), np.int64), np.ones(len(rows), np.int64)
    for column in range(1, rows.shape[1]):
        run = np.where(rows[:, column] == rows[:, column - 1], run + 1, 1)
        longest = np.maximum(longest, run)
    return longest


def series(rng: np.random.Generator, count: int, correlation: Correlation) -> Floats:
    """Random numbers with the given correlation; the last is a neighbour of the first."""
    noise = rng.standard_normal(count)
    if correlation == NONE:
        return noise
    roots = np.exp(-2j * np.pi * np.arange(count // 2 + 1) / count)
    gains = (1 - correlation.coefficient * roots) ** correlation.times
    return np.fft.irfft(np.fft.rfft(noise) / gains, count)


def _ranks(values: Ints) -> Floats:
    """From 0 to 1; equal values share the mean of theirs."""
    _, place, often = np.unique(values, return_inverse=True, return_counts=True)
    return ((np.cumsum(often) - often / 2) / values.size)[place.reshape(values.shape)]


def ascends_in(values: Ints, starts: Mapping[int, Ints]) -> int | None:
    """Which of the arrays ``starts`` names the only elements at which ``values`` fall; None if they
    fall elsewhere too, or nowhere."""
    falls = np.flatnonzero(np.diff(values) < 0) + 1
    if not LEAST_FALLS <= len(falls) < FALLS * len(values):
        return None
    for name, rows in starts.items():
        if np.isin(falls, rows).mean() >= INSIDE:
            return name
    return None

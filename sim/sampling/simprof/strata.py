"""Strata: phases, split where units of like code differ in what they cost.

Huang, dissertation, section 5.3.3, draws from phases. Where code says little of the cost (a line
that traverses a graph takes as long as its data have it) that is hardly better than drawing from
all. The cost of every unit is known there, or predicted: a phase is cut in two by it where that
takes most from the variance under the optimal allocation, which goes by the sum of N s (equation
33), as long as two units can be drawn of each part (Cochran, Sampling Techniques, 1977, section
5A.7).
"""

from __future__ import annotations

import numpy as np

from kcc.base.records import dataclass
from kcc.sim.sampling.simprof.allocation import allocate, joined_phases
from kcc.sim.sampling.simprof.phases import Phases
from kcc.sim.sampling.simprof.table import Floats, Indices, UnitTable

LEAST_GAIN = 0.02
"""Of the sum of N s, that a cut takes away: each costs the interval a degree of freedom."""


@dataclass(frozen=True, slots=True)
class Belief:
    """What the costs of a table say of those that will be measured. Within a stratum these are
    taken to vary by ``share`` of what the table's do around what is proportional to work, and by
    ``missed`` of themselves. ``least`` units are drawn of each."""

    share: float
    missed: float
    least: int = 2


KNOWN = Belief(1.0, 0.0)
PREDICTED = Belief(0.5, 0.1, 1)
"""Interval analysis: within phases of nine workloads costs were 0.5 to 32 % (median 6 %) from
proportional to the predicted ones, and a slope of their logarithms went from -0.2 to 1.3. One unit
is enough of a stratum that is worth little: two of each of ten would leave nothing to allocate of
20, and what strata differ in from their predictions says how far one unit may be off."""


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """What is drawn from. ``deviations`` are of the metric, ``counts`` what each stratum gets."""

    labels: Indices
    deviations: Floats
    counts: Indices

    @property
    def standard_error(self) -> float:
        """Of the metric, times the units."""
        sizes = np.bincount(self.labels, minlength=len(self.counts))
        return _standard_error(sizes, self.deviations, self.counts)


def _standard_error(sizes: Indices, deviations: Floats, counts: Indices) -> float:
    """Equation 36 with the deviations there are, times the units."""
    left = sizes**2 * (1 - counts / sizes) * deviations**2 / counts
    return float(np.sqrt(left.sum()))


def strata_of(
    table: UnitTable, phases: Phases, points: int, belief: Belief = KNOWN, *, split: bool = True
) -> Strata:
    """How ``points`` units are allocated, by the costs of the table; ``split`` False: to phases, as
    the text has it. Where units do not suffice for all phases some are joined; where costs are
    known, also where that makes the standard error less."""
    own = deviations_of(table, phases.labels, belief)
    labels = joined_phases(phases.labels, phases.centres, own, points, belief.least)
    if split:
        if not belief.missed:
            labels = _joined(table, labels, points, belief)
        labels = _split(table, labels, _most(points, belief), belief)
    deviations = deviations_of(table, labels, belief)
    counts = allocate(np.bincount(labels), deviations, points, belief.least)
    return Strata(labels, deviations, counts)


def _most(points: int, belief: Belief) -> int:
    """Strata: as many as two units can be drawn of each; where one is enough, three for four units,
    so that some are left to allocate."""
    return points // 2 if belief.least > 1 else max(3 * points // 4, 1)


def deviations_of(table: UnitTable, labels: Indices, belief: Belief = KNOWN) -> Floats:
    """The standard deviation of each stratum's units around its ratio of cost to work (the sigma
    of equation 33), over the mean work of a unit, so that it is one of the metric."""
    found = [
        _deviations(_sums(table, np.flatnonzero(labels == n))[-1:], belief)[0]
        for n in range(int(labels.max()) + 1)
    ]
    return np.array(found) / table.work.mean()


def _sums(table: UnitTable, units: Indices) -> Floats:
    """Of the first, the first two, ... of the units: their number, cost, work, and products."""
    c, w = table.cost[units], table.work[units]
    return np.cumsum(np.column_stack([np.ones(len(units)), c, w, c * c, c * w, w * w]), axis=0)


def _deviations(sums: Floats, belief: Belief) -> Floats:
    """Of each row of sums: of cost around its ratio to work; 0 of one unit, which is drawn."""
    n, c, w, cc, cw, ww = sums.T
    ratio = c / w
    squares = np.maximum(cc - 2 * ratio * cw + ratio**2 * ww, 0)
    squares[squares < 1e-12 * cc] = 0  # what rounding leaves
    known = squares / np.maximum(n - 1, 1)
    both = np.sqrt(belief.share**2 * known + belief.missed**2 * cc / n)
    return np.where(n > 1, both, 0.0)


def _joined(table: UnitTable, labels: Indices, points: int, belief: Belief) -> Indices:
    """Phases joined as long as the standard error falls: two units of each that is worth little are
    missing where they would say more. Of each pair one has as few as it can have."""
    sums = [_sums(table, np.flatnonzero(labels == n))[-1] for n in range(int(labels.max()) + 1)]
    found = labels.copy()

    def drawn(sums: list[Floats]) -> tuple[float, Indices]:
        rows = np.array(sums)
        sizes, deviations = rows[:, 0].astype(np.int64), _deviations(rows, belief)
        counts = allocate(sizes, deviations, points, belief.least)
        return _standard_error(sizes, deviations, counts), counts

    def without(one: int, other: int) -> list[Floats]:
        low, high = min(one, other), max(one, other)
        rest = [*sums[:high], *sums[high + 1 :]]
        rest[low] = sums[one] + sums[other]
        return rest

    error, counts = drawn(sums)
    while len(sums) > 1:
        few = np.flatnonzero(counts <= belief.least).tolist()
        pairs = [(n, m) for n in few for m in range(len(sums)) if n != m]
        tried = [(drawn(without(*pair))[0], pair) for pair in pairs]
        best, (n, m) = min(tried, default=(error, (0, 0)))
        if best >= error:
            break
        sums = without(n, m)
        error, counts = drawn(sums)
        found[found == max(n, m)] = min(n, m)
        found[found > max(n, m)] -= 1
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Cut:
    """Units of a stratum by their metric, its N s, and where a cut takes ``gain`` away."""

    units: Indices
    worth: float
    gain: float
    place: int


def _cut(table: UnitTable, units: Indices, belief: Belief) -> _Cut:
    units = units[np.argsort(table.ratio[units], kind="stable")]
    below = _sums(table, units)
    worth = len(units) * float(_deviations(below[-1:], belief)[0])
    if len(units) < 2:
        return _Cut(units, worth, 0.0, 0)
    lower, upper = below[:-1], below[-1] - below[:-1]
    left = lower[:, 0] * _deviations(lower, belief) + upper[:, 0] * _deviations(upper, belief)
    place = int(np.argmin(left))
    return _Cut(units, worth, worth - float(left[place]), place + 1)


def _split(table: UnitTable, labels: Indices, most: int, belief: Belief) -> Indices:
    """Labels of at most so many strata, those of one phase in a row by their metric."""
    parts = [_cut(table, np.flatnonzero(labels == n), belief) for n in range(int(labels.max()) + 1)]
    while len(parts) < most:
        n = max(range(len(parts)), key=lambda k: parts[k].gain)
        one = parts[n]
        if one.gain <= LEAST_GAIN * sum(part.worth for part in parts):
            break
        halves = one.units[: one.place], one.units[one.place :]
        parts[n : n + 1] = [_cut(table, half, belief) for half in halves]
    found = np.zeros(len(table), np.int64)
    for n, part in enumerate(parts):
        found[part.units] = n
    return found

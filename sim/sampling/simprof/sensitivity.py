"""Which phases another input changes.

Huang, dissertation, section 5.3.4, algorithm 5.1 and equation 38: a phase is sensitive if mean or
standard deviation of the metric move by more than a tenth. Of few units, or of phases that hardly
vary, that is noise; so both are tested as well (Welch, Biometrika 34, 1947; Brown and Forsythe,
Journal of the American Statistical Association 69, 1974), with Holm's correction over all tests
(Scandinavian Journal of Statistics 6, 1979). Neighbours in a run are alike (a JVM that warms up, a
cache that fills): n units count as n (1 - r) / (1 + r), with r the correlation of neighbours
(Bartlett, Journal of the Royal Statistical Society 98, 1935), once what both runs rise alike is
taken away. A phase counts as sensitive where equation 38 and a test say so; undecided, where its
mean moved as far, but no test says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.sim.sampling.simprof.phases import Phases, classify
from kcc.sim.sampling.simprof.table import Floats, Indices, UnitTable

THRESHOLD = 0.1
"""Equation 38."""
SIGNIFICANCE = 0.05


@dataclass(frozen=True, slots=True)
class PhaseChange:
    """A phase under a reference input against the training input. Relative changes of mean and
    standard deviation are None where the training input has 0 or the reference no unit; p-values
    are corrected, None where there are fewer than two units in one of the two. ``rate_change`` is
    that of the phase's whole cost over its whole work, which is what is taken over: of units of
    unequal work it is not that of their mean."""

    phase: int
    reference: int
    units: int
    mean: float | None
    mean_change: float | None
    deviation_change: float | None
    mean_p: float | None
    deviation_p: float | None
    rate_change: float | None = None

    @property
    def by_threshold(self) -> bool:
        """Equation 38."""
        changes = (self.mean_change, self.deviation_change)
        return any(one is not None and abs(one) > THRESHOLD for one in changes)

    @property
    def is_sensitive(self) -> bool:
        """Equation 38, where a test finds the same quantity changed too."""
        pairs = ((self.mean_change, self.mean_p), (self.deviation_change, self.deviation_p))
        return any(
            change is not None and abs(change) > THRESHOLD and p is not None and p <= SIGNIFICANCE
            for change, p in pairs
        )


@dataclass(frozen=True, slots=True, eq=False)
class Sensitivity:
    """All phases under all reference inputs. ``labels`` are the phases of each reference's
    units."""

    changes: tuple[PhaseChange, ...]
    labels: tuple[np.ndarray[tuple[int], np.dtype[np.int64]], ...]

    def reusable(self) -> frozenset[int]:
        """Phases that a new input like these need not simulate: none is sensitive, and no mean or
        rate is beyond the threshold, by chance or not."""
        moved = {
            c.phase for c in self.changes
            for change in (c.mean_change, c.rate_change) if abs(change or 0.0) > THRESHOLD
        }  # fmt: skip
        return frozenset(c.phase for c in self.changes) - self.phases() - moved

    def phases(self, *, by_threshold: bool = False) -> frozenset[int]:
        """The sensitive ones; ``by_threshold``: as the text has it, without a test."""
        return frozenset(
            c.phase for c in self.changes if (c.by_threshold if by_threshold else c.is_sensitive)
        )


def compare_inputs(
    table: UnitTable, phases: Phases, references: Sequence[UnitTable]
) -> Sensitivity:
    """Compare each phase of the training input with that of each reference input."""
    labels = tuple(classify(one, phases) for one in references)
    raw = [
        replace(
            _compare(n, r, table.ratio[phases.members(n)], one.ratio[labels[r] == n]),
            rate_change=_rate_change(table, phases.members(n), one, labels[r] == n),
        )
        for r, one in enumerate(references) for n in range(phases.count)
    ]  # fmt: skip
    return Sensitivity(tuple(_corrected(raw)), labels)


def _rate_change(
    table: UnitTable, own: Indices, other: UnitTable, units: NDArray[np.bool_]
) -> float | None:
    rate = float(table.cost[own].sum() / table.work[own].sum())
    if not units.any() or not rate:
        return None
    return float(other.cost[units].sum() / other.work[units].sum()) / rate - 1


def _compare(phase: int, reference: int, trained: Floats, other: Floats) -> PhaseChange:
    if not len(other):
        return PhaseChange(phase, reference, 0, None, None, None, None, None)
    deviation = float(trained.std(ddof=1)) if len(trained) > 1 else 0.0
    own = float(other.std(ddof=1)) if len(other) > 1 else 0.0
    mean = float(trained.mean())
    both = len(trained) > 1 and len(other) > 1
    level = _without_common_trend(trained, other)
    counts = [_independent(one) for one in (trained, other)]
    spread, others = (np.abs(one - np.median(one)) for one in (trained, other))
    return PhaseChange(
        phase, reference, len(other), float(other.mean()),
        float(other.mean()) / mean - 1 if mean else None,
        own / deviation - 1 if deviation and len(other) > 1 else None,
        welch(*level, *map(_independent, level)) if both else None,
        welch(spread, others, *counts) if both else None,
    )  # fmt: skip


TRENDING = 12
"""Units of a phase in each of two runs, from which on a trend is looked for."""


def _without_common_trend(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The metric of a phase in two runs, less what both rise in the same way from its first unit
    to its last, relative to their means, which stay as they are. A phase that drifts all along
    would count as next to no independent units; where two runs drift alike, their levels can be
    told apart all the same. What one does alone remains, and its units count as few for it."""
    means = [float(own.mean()) for own in (a, b)]
    if min(len(a), len(b)) < TRENDING or not all(means):
        return a, b
    places = [(2 * np.arange(len(own)) + 1.0) / len(own) - 1 for own in (a, b)]
    relative = zip(places, (a, b), means, strict=True)
    rise = sum(float(place @ own) / mean for place, own, mean in relative)
    slope = rise / sum(float(place @ place) for place in places)
    return a - slope * means[0] * places[0], b - slope * means[1] * places[1]


def _independent(values: Floats) -> float:
    """How many independent values these, which follow one another, count as: two at least. Of n
    values the correlation of neighbours comes out too low by (1 + 4 r) / n (Kendall, Biometrika 41,
    1954)."""
    count = len(values)
    apart = values - values.mean() if count else values
    squares = float(apart @ apart)
    if count <= 4 or squares <= 0:
        return max(count, 2.0)
    seen = float(apart[1:] @ apart[:-1]) / squares
    alike = min(max((count * seen + 1) / (count - 4), 0.0), 1.0)
    return max(count * (1 - alike) / (1 + alike), 2.0)


def welch(a: Floats, b: Floats, count: float = 0.0, other_count: float = 0.0) -> float:
    """The two-sided p-value of Welch's test; both have two values at least, which count as
    ``count`` and ``other_count`` independent ones (0: all). On distances from the median it is
    Brown and Forsythe's test of two variances."""
    n, m = count or len(a), other_count or len(b)
    own, other = a.var(ddof=1) / n, b.var(ddof=1) / m
    both = float(own + other)
    apart = float(a.mean() - b.mean())
    if both <= 1e-24 * max(abs(float(a.mean())), abs(float(b.mean())), 1e-300) ** 2:
        return 1.0 if abs(apart) <= 1e-9 * max(abs(float(a.mean())), 1e-300) else 0.0
    freedom = both**2 / float(own**2 / (n - 1) + other**2 / (m - 1))
    from scipy.special import stdtr

    return 2 * float(stdtr(freedom, -abs(apart) / sqrt(both)))


def _corrected(raw: Sequence[PhaseChange]) -> list[PhaseChange]:
    values = [p for one in raw for p in (one.mean_p, one.deviation_p) if p is not None]
    corrected = iter(holm(values))
    return [
        replace(
            c, mean_p=None if c.mean_p is None else next(corrected),
            deviation_p=None if c.deviation_p is None else next(corrected),
        )
        for c in raw
    ]  # fmt: skip


def holm(values: Sequence[float]) -> list[float]:
    """p-values corrected for their number."""
    order = sorted(range(len(values)), key=lambda n: values[n])
    found, most = [0.0] * len(values), 0.0
    for rank, place in enumerate(order):
        most = max(most, min((len(values) - rank) * values[place], 1.0))
        found[place] = most
    return found

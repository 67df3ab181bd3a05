"""What the units drawn say of the whole run, with an interval.

Huang, dissertation, section 5.3.3, equations 34 to 37 (37 is printed without the square). Units
need not be of equal size: within a phase the estimate is a ratio of costs to what is known of all
units (Cochran, Sampling Techniques, 1977, section 6.10), which for equal sizes is the text's mean.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kcc.base.records import dataclass
from kcc.sim.sampling.estimate import CERTAIN, LEVEL, Spread, add_spreads
from kcc.sim.sampling.simprof.table import Floats, Indices


@dataclass(frozen=True, slots=True)
class Estimate:
    """``cost`` of the whole run and how uncertain it is; ``work`` of all units is known."""

    cost: float
    work: float
    spread: Spread

    @property
    def mean(self) -> float:
        """The metric."""
        return self.cost / self.work

    @property
    def standard_error(self) -> float:
        """Of the metric: equation 36."""
        return float(np.sqrt(self.spread.variance)) / self.work

    def half_width(self, level: float = LEVEL) -> float | None:
        """Of the metric's interval by Student's t with Satterthwaite's degrees of freedom; None
        where no variance is known."""
        half = self.spread.half_width(level)
        return None if half is None else half / self.work

    def margin(self, z: float) -> float:
        """Equation 35, the text's: z standard errors."""
        return z * self.standard_error


def estimate(
    cost: Floats, size: Floats, work: Floats, labels: Indices, chosen: Indices,
    *, spread: bool = False,
) -> Estimate:  # fmt: skip
    """From the units ``chosen``, of which alone ``cost`` is looked at. ``size`` is known of all
    units and about proportional to cost: the work, or a predicted cost. ``spread``: units of a
    phase were drawn all over it, so that neighbours say how much is left to chance (Wolter,
    Introduction to Variance Estimation, 2007, section 8.2). Phases of which one unit was drawn are
    taken together: what their ratios differ by says how far each may be off, if anything too much
    (collapsed strata: Cochran, section 5A.12)."""
    total, parts = 0.0, list[Spread]()
    alone = list[tuple[float, float]]()
    drawn = np.zeros(len(labels), np.bool_)
    drawn[chosen] = True
    for phase in range(int(labels.max()) + 1):
        members = labels == phase
        own = np.flatnonzero(members & drawn)
        ratio = float(cost[own].sum() / size[own].sum())
        whole = float(size[members].sum())
        total += ratio * whole
        if len(own) == 1 and int(members.sum()) > 1:
            alone.append((ratio, whole))
        else:
            parts.append(_phase_spread(cost[own] - ratio * size[own], int(members.sum()), spread))
    if alone:
        parts.append(_collapsed_spread(np.array(alone)))
    return Estimate(total, float(work.sum()), add_spreads(parts))


def with_unseen(
    found: Estimate, size: Floats, kinds: Indices, chosen: Indices, missed: float
) -> Estimate:
    """What no unit drawn says anything of is uncertain too: the cost of all units of a kind
    (kernel, begin or end of its launches) of which none is ``chosen`` is off by a deviation of
    ``missed`` of itself, as is believed beforehand
    (:class:`kcc.sim.sampling.simprof.strata.Belief`)."""
    shares = np.bincount(kinds, weights=size) / size.sum()
    shares[kinds[chosen]] = 0
    parts = [Spread((missed * share * found.cost) ** 2, CERTAIN) for share in shares.tolist()]
    return replace(found, spread=add_spreads([found.spread, *parts]))


def _collapsed_spread(phases: Floats) -> Spread:
    """Of phases (rows of ratio and size) with one unit each; of one alone none is known."""
    ratio, size = phases.T
    count = len(ratio)
    if count < 2:
        return Spread(0.0, 0.0)
    apart = (ratio - float(ratio @ size) / float(size.sum())) * size
    return Spread(count / (count - 1) * float(apart @ apart), count - 1.0)


def _phase_spread(residuals: Floats, units: int, spread: bool) -> Spread:
    """The term of equation 36."""
    count = len(residuals)
    if count == units:
        return Spread(0.0, CERTAIN)
    if spread and count > 2:
        pairs = count - 1
        square = float((np.diff(residuals) ** 2).sum()) / (2 * pairs)
        freedom = 2 * pairs**2 / (3 * pairs - 1)
    else:
        square, freedom = float((residuals**2).sum()) / (count - 1), count - 1.0
    return Spread(units**2 * (1 - count / units) * square / count, freedom)

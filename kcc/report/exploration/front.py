"""Which design points are worth having, and what a search missed of them."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from statistics import fmean

from kcc.base.records import dataclass


def front_of(costs: Sequence[float], times: Sequence[float]) -> list[int]:
    """The numbers of the points to which none is better in cost and time at once, the cheapest
    first."""
    found = list[int]()
    for n in sorted(range(len(costs)), key=lambda n: (costs[n], times[n])):
        if times[n] < (times[found[-1]] if found else math.inf):
            found.append(n)
    return found


@dataclass(frozen=True, slots=True)
class Regret:
    """What is lost by looking at some points instead of all: how much slower the fastest of them is
    than the fastest of all (0.01: one percent), and over the points of the whole Pareto front, how
    much slower the fastest that was found at no higher cost is: mean and largest (the unary epsilon
    indicator of Zitzler et al., IEEE TEVC 2003, of time). 0 twice without costs. Points of the
    front at whose cost nothing was found are counted, and in neither; both are infinite where those
    are all."""

    fastest: float
    front_mean: float = 0.0
    front_most: float = 0.0
    front_missed: int = 0


def regret_of(
    times: Sequence[float], costs: Sequence[float] | None, seen: Collection[int]
) -> Regret:
    """The regret of having seen some of the points; infinite times are of points that there cannot
    be, and at least one that is seen has to be another."""
    fastest = min(times[n] for n in seen) / min(times) - 1
    if costs is None:
        return Regret(fastest)
    own = list(seen)
    best = front_of([costs[n] for n in own], [times[n] for n in own])
    lost, missed = list[float](), 0
    for n in front_of(costs, times):
        affordable = [times[own[k]] for k in best if costs[own[k]] <= costs[n]]
        if affordable:
            lost.append(min(affordable) / times[n] - 1)
        else:
            missed += 1
    if not lost:
        return Regret(fastest, math.inf, math.inf, missed)
    return Regret(fastest, fmean(lost), max(lost), missed)

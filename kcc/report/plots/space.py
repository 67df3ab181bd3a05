"""A space of parameters with a time for each point: what pictures of it are drawn from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, median

from kcc.base.records import dataclass


@dataclass(frozen=True, slots=True)
class SpacePoint:
    """The places of a point's values among those of each parameter, its time, what it costs where
    that was asked, and whether it is one of the best."""

    places: tuple[int, ...]
    time_us: float
    cost: float | None = None
    is_best: bool = False


@dataclass(frozen=True, slots=True)
class DesignSpace:
    """Parameters with their values, and points."""

    parameters: Mapping[str, tuple[str, ...]]
    points: tuple[SpacePoint, ...]


@dataclass(frozen=True, slots=True)
class ValueTimes:
    """Of the points with one value of a parameter: the fastest, quartiles and median."""

    value: str
    fastest_us: float
    quarter_us: float
    median_us: float
    three_quarters_us: float


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What a parameter does to the time. ``share`` is its first-order index: the variance of the
    means of the logarithm of time with each of its values, over the variance of all (Sobol',
    Mathematics and Computers in Simulation 2001, of the points that there are; those of a search
    are no even sample of the space)."""

    name: str
    share: float
    values: tuple[ValueTimes, ...]


def sensitivities(space: DesignSpace) -> list[Sensitivity]:
    """Of each parameter with several values among the points, the one that decides most first."""
    timed = [each for each in space.points if each.time_us > 0]
    found = list[Sensitivity]()
    for number, (name, values) in enumerate(space.parameters.items()):
        groups = dict[int, list[float]]()
        for each in timed:
            groups.setdefault(each.places[number], []).append(each.time_us)
        if len(groups) > 1:
            rows = tuple(_value_times(values[place], groups[place]) for place in sorted(groups))
            found.append(Sensitivity(name, _share(list(groups.values())), rows))
    return sorted(found, key=lambda each: -each.share)


def _value_times(value: str, times: Sequence[float]) -> ValueTimes:
    order = sorted(times)
    quarter, rest = order[len(order) // 4], order[(3 * len(order)) // 4]
    return ValueTimes(value, order[0], quarter, median(order), rest)


def _share(groups: Sequence[Sequence[float]]) -> float:
    logs = [[math.log(time) for time in group] for group in groups]
    count = sum(map(len, logs))
    mean = math.fsum(math.fsum(group) for group in logs) / count
    whole = math.fsum((value - mean) ** 2 for group in logs for value in group)
    between = math.fsum(len(group) * (fmean(group) - mean) ** 2 for group in logs)
    return min(1.0, between / whole) if whole else 0.0

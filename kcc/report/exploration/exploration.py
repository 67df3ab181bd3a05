"""What `kcc explore` found: design points, changes, the front, and the sentence on top."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field

from kcc.base.records import dataclass
from kcc.base.terms import stall_label
from kcc.report.exploration.front import Regret, front_of
from kcc.report.plots.space import DesignSpace, SpacePoint
from kcc.report.shared.text import share_text
from kcc.report.shared.units import duration
from kcc.sim.interval.explore import PointSummary


@dataclass(frozen=True, slots=True)
class Explored:
    """A design point with what it is called and, where it was simulated too, its cycles by that."""

    words: str
    point: PointSummary
    checked_cycles: float | None = None
    cost: float | None = None
    """By `--cost`, where it was asked for."""
    places: tuple[int, ...] = ()
    """Of its values, among those of each parameter."""
    is_searched: bool = True
    """Not only looked at to say what a search missed."""


@dataclass(frozen=True, slots=True)
class Searched:
    """How points were chosen: the search, how many it looked at of how many, and what it missed,
    where that is known."""

    name: str
    seen: int
    of: int
    regret: Regret | None = None


@dataclass(frozen=True, slots=True)
class FailedPoint:
    """A design point that there cannot be, and why."""

    words: str
    reason: str


@dataclass(frozen=True, slots=True)
class Exploration:
    """The design points of one source on variants of one GPU, which has ``settings`` throughout.
    ``base`` is the GPU as it is; ``what_if`` are sorted by what they gain, the most first; both may
    be left out. ``notes`` say what is assumed of the launches."""

    source: str
    gpu: str
    settings: tuple[str, ...]
    model: str
    passes: int
    points: tuple[Explored, ...] = ()
    base: Explored | None = None
    what_if: tuple[Explored, ...] = ()
    failed: tuple[FailedPoint, ...] = ()
    notes: tuple[str, ...] = ()
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """What is swept, with its values."""
    searched: Searched | None = None

    @property
    def space(self) -> DesignSpace:
        """What was looked at, as pictures show it."""
        best = {each.words for each in pareto_front(self.points)}
        return DesignSpace(
            self.parameters,
            tuple(
                SpacePoint(each.places, each.point.time_us, each.cost, each.words in best)
                for each in self.points
            ),
        )


def gain(base: Explored, changed: Explored) -> float:
    """How many times as fast as ``base`` a change is, by the interval model."""
    time_us = changed.point.time_us
    return base.point.time_us / time_us if time_us else 1.0


def checked_gain(base: Explored, changed: Explored) -> float | None:
    """The same by the cycle-level model, where both were simulated."""
    if base.checked_cycles is None or not changed.checked_cycles:
        return None
    clocks = [p.point.clock_mhz for p in (base, changed)]
    return (base.checked_cycles / clocks[0]) / (changed.checked_cycles / clocks[1])


def pareto_front(points: Sequence[Explored]) -> list[Explored]:
    """The points to which none is better in time and cost at once, the cheapest first; empty where
    there are no costs."""
    priced = [(each, each.cost) for each in points if each.cost is not None]
    chosen = front_of([cost for _, cost in priced], [each.point.time_us for each, _ in priced])
    return [priced[n][0] for n in chosen]


def choice_regret(points: Sequence[Explored]) -> float | None:
    """How much slower the point that the interval model chooses is than the fastest, both cycle by
    cycle, among those that were simulated (0.01: one percent); None for fewer than two."""
    checked = [each for each in points if each.checked_cycles]
    if len(checked) < 2:
        return None
    times = [(each.checked_cycles or 0.0) / each.point.clock_mhz for each in checked]
    chosen = min(range(len(checked)), key=lambda n: checked[n].point.time_us)
    return times[chosen] / min(times) - 1


def verdict_of(found: Exploration) -> str:
    """One sentence: the fastest design point and what limits it, or the change that gains most."""
    parts = list[str]()
    if found.points:
        best = min(found.points, key=lambda each: each.point.time_us)
        worst = max(each.point.time_us for each in found.points)
        said = f"fastest design point: {best.words}, {duration(best.point.time_us)}"
        if len(found.points) > 1 and worst <= 1.005 * best.point.time_us:
            said = f"all {len(found.points):,} design points take {duration(best.point.time_us)}"
        elif best.point.time_us and len(found.points) > 1:
            said += f", {worst / best.point.time_us:.2f} x as fast as the slowest"
        parts += [said, _waits(best)]
    if found.base is not None and found.what_if:
        parts += [] if found.points else [_waits(found.base)]
        parts.append(_largest_gain(found.base, found.what_if[0]))
    whole = "; ".join(part for part in parts if part)
    return f"{whole[0].upper()}{whole[1:]}." if whole else ""


def _waits(each: Explored) -> str:
    """What a design point is limited by, with its share."""
    stack = each.point.stack
    waits = {name: cycles for name, cycles in stack.items() if name != "BASE"}
    if not any(waits.values()):
        return ""
    name = max(waits, key=lambda name: waits[name])
    share = waits[name] / sum(stack.values())
    return f"bottleneck: {stall_label(name)} ({share_text(share)} of the cycles)"


def _largest_gain(base: Explored, best: Explored) -> str:
    predicted, real = gain(base, best), checked_gain(base, best)
    if predicted < 1.005:
        return "no change gives more than 0.5 %"
    said = f"largest gain: {best.words}, {predicted:.2f} x by the interval model"
    if real is None:
        return said
    error = 100 * (predicted / real - 1)
    return f"{said}, cycle by cycle {real:.2f} x (the predicted gain is off by {error:+.1f} %)"


def search_words(found: Exploration) -> list[str]:
    """Sentences on how points were chosen, and what choosing cost."""
    said = list[str]()
    if found.searched:
        each = found.searched
        share = 100 * each.seen / each.of
        words = f"Search '{each.name}': {each.seen:,} of {each.of:,} points ({share:.2g} %)"
        if each.regret:
            words += f"; regret against all points: {_regret_words(found, each.regret)}"
        said.append(f"{words}.")
    lost = choice_regret(found.points)
    if lost is not None:
        count = sum(1 for each in found.points if each.checked_cycles)
        slower = f"{100 * lost:.2g} % slower than the fastest" if lost else "the fastest"
        said.append(
            f"Cycle by cycle, the interval model's choice among the {count} points simulated is "
            f"{slower}."
        )
    return said


def _regret_words(found: Exploration, regret: Regret) -> str:
    words = f"fastest {100 * regret.fastest:.2g} % slower"
    if any(each.cost is not None for each in found.points):
        if regret.front_most < math.inf:
            mean, most = 100 * regret.front_mean, 100 * regret.front_most
            words += f", Pareto front {mean:.2g} % slower on average, {most:.2g} % at most"
        if regret.front_missed:
            points = "point" if regret.front_missed == 1 else "points"
            words += f", {regret.front_missed} {points} of it cheaper than all that were found"
    return words


def changed_gpu(found: Exploration) -> str:
    """The GPU with what is changed of it throughout."""
    return " ".join((found.gpu, *found.settings))

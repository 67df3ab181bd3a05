"""Searches of a design space: which points to look at when there are too many for all.

A search asks for points, is told their times, and asks on. What it asks for depends on its seed and
on what it was told, never on who looked at the points, or how many at once.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass
from kcc.report.exploration.front import front_of

GUIDED, TPE, NSGA2, RANDOM = "guided", "tpe", "nsga2", "random"
SEARCHES = (GUIDED, TPE, NSGA2, RANDOM)

BATCH = 16
"""Points that are asked for at once: several processes have work, and the search learns often."""

FIRST = 4
"""Batches that are drawn before a guided search has a model."""

GROWTH = 4
"""A guided search asks for a quarter of what it knows at once, where that is more: a new model is
worth its cost when there is that much to learn from."""

TREES = 100
"""Of the forest: scikit-learn's default."""

DOUBT = 2.0
"""Standard deviations of the trees within which a prediction may be too high: a point is left out
where even its time less so many is no gain."""

TRIES = 32
"""Batches of known points that a sampler may ask for before new ones are drawn for it."""


@dataclass(frozen=True, slots=True)
class Designs:
    """The points of a design space: of each, the place of its value among those of each parameter;
    and what each costs, where that is asked."""

    values: Mapping[str, tuple[str, ...]]
    points: tuple[tuple[int, ...], ...]
    costs: tuple[float, ...] | None = None


class Search(Protocol):
    """Asks for points by number until it asks for none. Times of points that there cannot be are
    infinite."""

    def ask(self) -> list[int]: ...

    def tell(self, times: Mapping[int, float]) -> None: ...


def search_of(name: str, designs: Designs, trials: int, seed: int) -> Search:
    """The search that is called so; it looks at ``trials`` points at most.

    :raises DiagnosticError: K897 where it needs optuna and there is none.
    """
    if name == GUIDED:
        return Guided(designs, trials, seed)
    if name == RANDOM:
        return Drawn(designs, trials, seed)
    return Sampled(designs, trials, seed, name)


class Drawn:
    """Points in an order that a seed draws; all other searches build on it."""

    def __init__(self, designs: Designs, trials: int, seed: int) -> None:
        self.designs, self.trials, self.seed = designs, trials, seed
        self.times = dict[int, float]()
        self._order = list(range(len(designs.points)))
        random.Random(seed).shuffle(self._order)

    @property
    def room(self) -> int:
        """Points that may be asked for now."""
        return max(0, min(BATCH, self.trials - len(self.times)))

    def ask(self) -> list[int]:
        return self.drawn(self.room)

    def drawn(self, count: int, known: Sequence[int] = ()) -> list[int]:
        """The next in the order, without those that are known."""
        left = (n for n in self._order if n not in self.times and n not in known)
        return [n for n, _ in zip(left, range(count), strict=False)]

    def tell(self, times: Mapping[int, float]) -> None:
        self.times.update(times)


class Guided(Drawn):
    """A random forest (Breiman, Machine Learning 2001) learns the logarithm of time from the values
    of the points seen, says how fast the others may be at best, and those that even then are no
    gain are left out: the optimism of sequential model-based optimisation (Hutter et al., LION
    2011, section 4). It ends when all are left out that were not looked at."""

    @property
    def room(self) -> int:
        most = max(BATCH, len(self.times) // GROWTH)
        return max(0, min(most, self.trials - len(self.times)))

    def ask(self) -> list[int]:
        timed = [n for n, time in self.times.items() if time < math.inf]
        if len(self.times) < FIRST * BATCH or len(timed) < 2:
            return self.drawn(self.room)
        left = [n for n in range(len(self.designs.points)) if n not in self.times]
        if not left or not self.room:
            return []
        return self._promising(left, self._at_best(timed, left))[: self.room]

    def _at_best(self, timed: Sequence[int], left: Sequence[int]) -> list[float]:
        """How fast points may be."""
        import numpy as np

        features = np.array([_features(self.designs, n) for n in (*timed, *left)])
        forest_of: Any = import_module("sklearn.ensemble").RandomForestRegressor
        forest = forest_of(n_estimators=TREES, random_state=self.seed, n_jobs=1)
        forest.fit(features[: len(timed)], np.log([self.times[n] for n in timed]))
        rest = features[len(timed) :]
        said = np.array([tree.predict(rest) for tree in forest.estimators_])
        return list(np.exp(said.mean(axis=0) - DOUBT * said.std(axis=0)))

    def _promising(self, left: Sequence[int], at_best: Sequence[float]) -> list[int]:
        """Points that would be a gain at best, front after front."""
        costs = self.designs.costs
        if costs is None:
            fastest = min(self.times.values())
            order = sorted(range(len(left)), key=lambda k: at_best[k])
            return [left[k] for k in order if at_best[k] < fastest]
        steps = front_of([costs[n] for n in self.times], list(self.times.values()))
        seen = list(self.times)
        known = [(costs[seen[k]], self.times[seen[k]]) for k in steps]
        gains = [
            k for k, n in enumerate(left)
            if all(at_best[k] < time for cost, time in known if cost <= costs[n])
        ]  # fmt: skip
        chosen = list[int]()
        while gains and len(chosen) < self.room:
            front = front_of([costs[left[k]] for k in gains], [at_best[k] for k in gains])
            chosen += [left[gains[place]] for place in front]
            taken = set(front)
            gains = [k for place, k in enumerate(gains) if place not in taken]
        return chosen


def _features(designs: Designs, point: int) -> list[float]:
    """The values of a point as numbers; the place of one that is none."""
    pairs = zip(designs.values.values(), designs.points[point], strict=True)
    return [_number(values, place) for values, place in pairs]


def _number(values: Sequence[str], place: int) -> float:
    try:
        return float(values[place])
    except ValueError:
        return float(place)


class Sampled(Drawn):
    """A sampler of optuna (Akiba et al., KDD 2019): the tree-structured Parzen estimator or
    NSGA-II. Parameters are places among their values."""

    def __init__(self, designs: Designs, trials: int, seed: int, name: str) -> None:
        super().__init__(designs, trials, seed)
        try:
            self._optuna: Any = import_module("optuna")
        except ImportError as error:
            message = f"--search {name} needs optuna"
            hint = "kcc's extra `tune` has it: pip install optuna"
            raise DiagnosticError([Diagnostic("K897", message, hint=hint)]) from error
        self._optuna.logging.set_verbosity(self._optuna.logging.ERROR)
        samplers = self._optuna.samplers
        sampler = (
            samplers.TPESampler(seed=seed)
            if name == TPE
            else samplers.NSGAIISampler(seed=seed, population_size=BATCH)
        )
        aims = ["minimize"] * (1 if designs.costs is None else 2)
        self._study: Any = self._optuna.create_study(directions=aims, sampler=sampler)
        self._numbers = {places: n for n, places in enumerate(designs.points)}
        self._waiting = dict[int, Any]()

    def ask(self) -> list[int]:
        self._waiting.clear()
        room, tries = self.room, TRIES * BATCH
        while len(self._waiting) < room and tries:
            tries -= 1
            trial = self._study.ask()
            number = self._numbers.get(tuple(
                trial.suggest_int(name, 0, len(values) - 1)
                for name, values in self.designs.values.items()
            ))  # fmt: skip
            if number is None or number in self._waiting:
                self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
            elif number in self.times:
                self._said(trial, number)
            else:
                self._waiting[number] = trial
        found = list(self._waiting)
        return found + self.drawn(room - len(found), found)

    def tell(self, times: Mapping[int, float]) -> None:
        super().tell(times)
        for number, trial in self._waiting.items():
            self._said(trial, number)

    def _said(self, trial: Any, number: int) -> None:
        time, costs = self.times[number], self.designs.costs
        if math.isinf(time):
            self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
        else:
            self._study.tell(trial, time if costs is None else [time, costs[number]])

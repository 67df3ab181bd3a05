"""A run cut into sampling units: what each executed, what it cost.

Huang, dissertation, section 5.3.1. What a unit is, and what stands for cycles and instructions,
depends on where the run was recorded: the table says it in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Metric:
    """What is averaged: ``cost`` over ``work``, e.g. CPI: cycles over instructions. ``meaning`` is
    one sentence that says what it is and what it is not. ``rate``: more is faster, as of IPC."""

    name: str
    cost: str
    work: str
    meaning: str
    rate: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class UnitTable:
    """Units in the order in which they ran.

    ``shares`` (units x features) says in which part of the unit a feature was there: of the call
    stacks for a method, of the instructions for a line of source; not normalised further.
    ``cost`` and ``work`` are per unit, work above 0. ``counters`` are other counts per unit.
    ``unit`` says in words what a unit is, ``feature`` what a feature is; ``complete`` is False
    where the recording was cut off."""

    source: str
    recorder: str
    unit: str
    feature: str
    metric: Metric
    features: tuple[str, ...]
    shares: Floats
    cost: Floats
    work: Floats
    counters: dict[str, Floats] = field(default_factory=dict[str, Floats])
    complete: bool = True

    def __len__(self) -> int:
        return len(self.cost)

    @property
    def ratio(self) -> Floats:
        """The metric of each unit."""
        return self.cost / self.work

    @property
    def speed(self) -> Floats:
        """Instructions per cycle, or what stands for it, of each unit; 0 where it is not known."""
        if self.metric.rate:
            return self.ratio
        return np.divide(self.work, self.cost, out=np.zeros(len(self)), where=self.cost > 0)

    @property
    def mean(self) -> float:
        """The metric of the whole run."""
        return float(self.cost.sum() / self.work.sum())

    def with_cost(self, cost: Floats) -> UnitTable:
        """The same units with other costs, e.g. predicted ones."""
        return replace(self, cost=cost)

    def of_units(self, units: Indices, cost: Floats) -> UnitTable:
        """These units alone, with other costs."""
        counters = {name: own[units] for name, own in self.counters.items()}
        return replace(
            self, shares=self.shares[units], cost=cost, work=self.work[units], counters=counters
        )


def variation(values: Floats) -> float:
    """The coefficient of variation: standard deviation of a population over its mean."""
    mean = float(values.mean()) if len(values) else 0.0
    return float(values.std()) / abs(mean) if mean else 0.0


def in_features(table: UnitTable, names: Sequence[str]) -> Floats:
    """The shares of these features, 0 for those that the run has not (section 5.3.4.1)."""
    place = {name: n for n, name in enumerate(table.features)}
    found = np.zeros((len(table), len(names)))
    for column, name in enumerate(names):
        if name in place:
            found[:, column] = table.shares[:, place[name]]
    return found

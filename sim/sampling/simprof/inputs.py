"""A new input of a program that was recorded with others: phases that these leave as they are are
not simulated again.

Huang, dissertation, section 5.3.4: the training input and reference inputs say which phases are
sensitive; of the next input only units of these are simulated. Here a unit is simulated as well
where its phase is undecided, or where it is unlike all that was recorded: farther from its phase's
centre than any unit of that phase, or with code that no recording has. What the others cost is told
by each recording; by how much recordings differ in it says how far a new input may be off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kcc.base.gpu.description import GpuDescription
from kcc.base.records import dataclass
from kcc.base.trace.reader import LaunchTrace
from kcc.sim.cycle.launch import launch_machine
from kcc.sim.cycle.layout import Stat
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.estimate import CERTAIN, Spread, add_spreads
from kcc.sim.sampling.simprof.estimate import Estimate
from kcc.sim.sampling.simprof.launch_costs import ChosenUnits, Watch, predict_units
from kcc.sim.sampling.simprof.launch_units import cut_alike, unit_table
from kcc.sim.sampling.simprof.launches import LaunchSample, sample_units
from kcc.sim.sampling.simprof.phases import STANDS_OUT, Phases, classify, form_phases
from kcc.sim.sampling.simprof.sensitivity import Sensitivity, compare_inputs
from kcc.sim.sampling.simprof.strata import strata_of
from kcc.sim.sampling.simprof.study import SampleOptions
from kcc.sim.sampling.simprof.table import Floats, Indices, UnitTable, in_features

REUSED = -1
"""In place of a stratum."""


@dataclass(frozen=True, slots=True, eq=False)
class Recordings:
    """Inputs whose units are all known, the training input first; two at least."""

    tables: tuple[UnitTable, ...]
    phases: Phases
    sensitivity: Sensitivity

    @property
    def labels(self) -> tuple[Indices, ...]:
        """Of each table."""
        return (self.phases.labels, *self.sensitivity.labels)

    def saved(self, points: int) -> float:
        """Which part of so many points lies in phases that need no simulation (figure 46)."""
        training = self.tables[0]
        strata = strata_of(training, self.phases, min(points, len(training)))
        reusable = np.isin(self.phases.labels, list(self.sensitivity.reusable()))
        sizes = np.bincount(strata.labels)
        share = np.bincount(strata.labels, weights=reusable) / sizes
        return float(strata.counts @ share / strata.counts.sum())


def compare_recordings(tables: Sequence[UnitTable]) -> Recordings:
    """Phases of the first table, and what the others change."""
    phases = form_phases(tables[0])
    return Recordings(tuple(tables), phases, compare_inputs(tables[0], phases, tables[1:]))


@dataclass(frozen=True, slots=True, eq=False)
class Reuse:
    """``labels``: the phase of each unit of a new input; ``units``: which need no simulation;
    ``cost`` of these by the recordings, 0 of the others; ``spread`` of its sum."""

    labels: Indices
    units: NDArray[np.bool_]
    cost: Floats
    spread: Spread


def reuse(recordings: Recordings, table: UnitTable) -> Reuse:
    """What recordings say of a table, whose costs are not looked at."""
    labels = classify(table, recordings.phases)
    reusable = list(recordings.sensitivity.reusable())
    units = np.isin(labels, reusable) & ~_unlike(recordings, table, labels)
    work = np.bincount(labels[units], weights=table.work[units], minlength=recordings.phases.count)
    told = np.array([_ratios(recordings, n) for n in range(len(recordings.tables))])
    cost = np.where(units, told.mean(axis=0)[labels] * table.work, 0.0)
    count, sums = len(told), told @ work
    variance = float(sums.var(ddof=1)) * (1 + 1 / count)
    spread = Spread(variance, count - 1.0) if variance else Spread(0.0, CERTAIN)
    return Reuse(labels, units, cost, spread)


def _ratios(recordings: Recordings, number: int) -> Floats:
    """The metric of each phase in a recording; the training input's where it has none of it."""
    table, labels = recordings.tables[number], recordings.labels[number]
    count = recordings.phases.count
    work = np.bincount(labels, weights=table.work, minlength=count)
    cost = np.bincount(labels, weights=table.cost, minlength=count)
    found = np.divide(cost, work, out=np.zeros(count), where=work > 0)
    return np.where(work > 0, found, _ratios(recordings, 0)) if number else found


def _unlike(recordings: Recordings, table: UnitTable, labels: Indices) -> NDArray[np.bool_]:
    """Units that no recording has the like of."""
    phases = recordings.phases
    farthest = np.zeros(phases.count)
    for one, own in zip(recordings.tables, recordings.labels, strict=True):
        np.maximum.at(farthest, own, _distances(one, phases, own))
    recorded = {name for one in recordings.tables for name in one.features}
    new = [n for n, name in enumerate(table.features) if name not in recorded]
    farther = _distances(table, phases, labels) > farthest[labels] + 1e-6
    return farther | (table.shares[:, new].sum(axis=1) > STANDS_OUT)


def _distances(table: UnitTable, phases: Phases, labels: Indices) -> Floats:
    apart = in_features(table, phases.features) - phases.centres[labels]
    return np.sqrt((apart**2).sum(axis=1))


def sample_new_input(
    traces: Sequence[LaunchTrace], profiles: Sequence[LaunchProfile], gpu: GpuDescription,
    registers: dict[str, int] | None, recordings: Recordings, options: SampleOptions,
    watch: Watch = lambda _: None,
) -> LaunchSample:  # fmt: skip
    """As :func:`kcc.sim.sampling.simprof.launches.sample_launches`, where recordings on the same
    GPU are there: units as large as theirs, of which some are simulated where they have to be.
    ``options.error`` is of these. Raises K807, K870, K871."""
    work = float(recordings.tables[0].work.mean())
    units = cut_alike(traces, profiles, gpu, registers, work)
    table = unit_table("", traces, units, np.zeros(len(units)), gpu.stem)
    known = reuse(recordings, table)
    rest = np.flatnonzero(~known.units)
    own = [units[n] for n in rest.tolist()]
    simulator = ChosenUnits(traces, profiles, own, gpu, registers)
    clock = launch_machine(gpu, traces[0].tables, traces[0].launch, registers or {}).clock_mhz
    names = tuple(one.source for one in recordings.tables)
    phases = replace(recordings.phases, labels=known.labels)
    whole = LaunchSample(
        units, table.with_cost(known.cost), phases, np.full(len(units), REUSED),
        np.zeros(0, np.int64), np.full(len(units), np.nan),
        Estimate(float(known.cost.sum()), float(table.work.sum()), known.spread),
        _issued(table.work[known.units]), clock, tuple(() for _ in traces),
        0, 0.0, 0.0, names,
    )  # fmt: skip
    if not own:
        return whole
    guess = table.with_cost(known.cost).of_units(rest, predict_units(
        traces, own, gpu, registers, watch
    ))  # fmt: skip
    points = max(round(options.points * (1 - recordings.saved(options.points))), 2)
    part = sample_units(
        simulator, guess, replace(options, points=points), watch, _of_units(phases, rest)
    )
    return _joined(whole, part, rest)


def _of_units(phases: Phases, units: Indices) -> Phases:
    """The phases that these units are of."""
    there, labels = np.unique(phases.labels[units], return_inverse=True)
    return replace(phases, centres=phases.centres[there], labels=labels.astype(np.int64))


def _issued(work: Floats) -> Floats:
    found = np.zeros(len(Stat))
    found[Stat.ISSUED] = work.sum()
    return found


def _joined(whole: LaunchSample, part: LaunchSample, rest: Indices) -> LaunchSample:
    """What is reused, with the sample of the other units."""
    strata, cost, guess = whole.strata.copy(), whole.cost.copy(), whole.table.cost.copy()
    strata[rest], cost[rest], guess[rest] = part.strata, part.cost, part.table.cost
    both = Estimate(
        whole.estimate.cost + part.estimate.cost, whole.estimate.work,
        add_spreads([whole.estimate.spread, part.estimate.spread]),
    )  # fmt: skip
    return replace(
        part, units=whole.units, table=whole.table.with_cost(guess), phases=whole.phases,
        strata=strata, chosen=rest[part.chosen], cost=cost, estimate=both,
        counts=whole.counts + part.counts, recordings=whole.recordings,
    )  # fmt: skip

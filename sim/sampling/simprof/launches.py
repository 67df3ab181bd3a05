"""SimProf on GPU launches where no cost is known beforehand: the usable mode.

Huang, dissertation, section 5.3.3, has the CPI of every unit from a real machine. Here interval
analysis predicts it, at most 2.6 times cheaper than simulation where that was measured: it
selects features, forms phases and allocates; only the units drawn are simulated cycle by cycle, and
their cycles are taken as proportional to the predicted ones within a phase (a ratio estimator).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kcc.base.gpu.description import GpuDescription
from kcc.base.records import dataclass
from kcc.base.trace.reader import LaunchTrace
from kcc.sim.cycle.layout import Stat
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.simprof.allocation import allocate, spread_order
from kcc.sim.sampling.simprof.estimate import Estimate, estimate, with_unseen
from kcc.sim.sampling.simprof.launch_costs import ChosenUnits, Watch, predict_units
from kcc.sim.sampling.simprof.launch_units import (
    CPI,
    POSITION,
    LaunchUnit,
    cut_launches,
    kinds_of,
    unit_table,
)
from kcc.sim.sampling.simprof.phases import Phases, form_phases
from kcc.sim.sampling.simprof.strata import PREDICTED, Strata, strata_of
from kcc.sim.sampling.simprof.study import SampleOptions
from kcc.sim.sampling.simprof.table import Floats, Indices, UnitTable

GROWTH = 2.0
"""Units drawn grow by this at most from one round to the next."""


@dataclass(frozen=True, slots=True, eq=False)
class LaunchSample:
    """``table`` has predicted costs; ``cost`` those simulated, not a number for the others.
    ``strata`` are the phases that units were drawn from, ``counts`` of the simulator for all,
    ``simulated`` thread blocks of each launch; seconds are of CPU. Of units whose stratum is below
    0 ``table`` has what ``recordings`` of other inputs say
    (:mod:`kcc.sim.sampling.simprof.inputs`)."""

    units: tuple[LaunchUnit, ...]
    table: UnitTable
    phases: Phases
    strata: Indices
    chosen: Indices
    cost: Floats
    estimate: Estimate
    counts: Floats
    clock_mhz: float
    simulated: tuple[tuple[int, ...], ...]
    simulated_instructions: int
    predict_seconds: float
    simulate_seconds: float
    recordings: tuple[str, ...] = ()

    @property
    def reused(self) -> Indices:
        """The units that recordings tell."""
        return np.flatnonzero(self.strata < 0)

    @property
    def filled(self) -> Floats:
        """Cycles of every unit: simulated, or predicted times the ratio of its phase."""
        found = np.where(self.strata < 0, self.table.cost, self.cost)
        for phase in range(int(self.strata.max()) + 1):
            own = self.strata == phase
            known = own & ~np.isnan(self.cost)
            ratio = self.cost[known].sum() / self.table.cost[known].sum()
            found[own & ~known] = ratio * self.table.cost[own & ~known]
        return found


def sample_launches(
    traces: Sequence[LaunchTrace], profiles: Sequence[LaunchProfile], gpu: GpuDescription,
    registers: dict[str, int] | None, options: SampleOptions, watch: Watch = lambda _: None,
) -> LaunchSample:  # fmt: skip
    """Predict, form phases, draw, simulate. Raises K807, K870, K871."""
    began = time.process_time()
    units = cut_launches(traces, profiles, gpu, registers)
    predicted = predict_units(traces, units, gpu, registers, watch)
    table = unit_table("", traces, units, predicted, gpu.stem, CPI)
    spent = time.process_time() - began
    simulator = ChosenUnits(traces, profiles, units, gpu, registers)
    return replace(sample_units(simulator, table, options, watch), predict_seconds=spent)


def sample_units(
    simulator: ChosenUnits, table: UnitTable, options: SampleOptions,
    watch: Watch = lambda _: None, phases: Phases | None = None,
) -> LaunchSample:  # fmt: skip
    """Form ``phases`` of a table with predicted costs, draw units and simulate these; with
    ``error`` in rounds until the 95 % interval is as narrow."""
    began = time.process_time()
    phases = phases or form_phases(table)
    points, units = min(options.points, len(table)), tuple(simulator.units)
    drawer = Drawer(table, strata_of(table, phases, points, PREDICTED), options.seed)
    strata = drawer.strata.labels
    while True:
        chosen = drawer.draw(points)
        simulator.simulate(chosen.tolist(), watch)
        found = drawer.estimate(simulator.cost, chosen)
        half = found.half_width()
        if options.error is None or len(chosen) == len(units):
            break
        if half is not None and half <= options.error * found.mean:
            break
        wanted = GROWTH if half is None else (half / (options.error * found.mean)) ** 2
        points = min(max(round(len(chosen) * min(wanted, GROWTH)), len(chosen) + 2), len(units))
    return LaunchSample(
        units, table, phases, strata, chosen, simulator.cost, found,
        _counts(simulator, strata, table.work, chosen), simulator.clock_mhz,
        tuple(tuple(sorted(own)) for own in simulator.simulated), simulator.instructions,
        0.0, time.process_time() - began,
    )  # fmt: skip


class Drawer:
    """Draws units of each stratum, all over the launches that they are parts of: by where in its
    launch a unit lies, of which the prediction knows nothing, and what it misses is much the same
    in launches of a kernel. Draws of later rounds hold those of earlier ones. The interval is
    that of units drawn at random, which is too wide rather than too narrow."""

    def __init__(self, table: UnitTable, strata: Strata, seed: int) -> None:
        self.table, self.strata, self.kinds = table, strata, kinds_of(table)
        random = np.random.default_rng(seed)
        placed = np.argsort(table.counters[POSITION], kind="stable")
        labels = strata.labels[placed]
        parts = [placed[labels == n] for n in range(len(strata.counts))]
        self._orders = [own[spread_order(len(own), random)] for own in parts]

    def draw(self, points: int) -> Indices:
        sizes = np.bincount(self.strata.labels)
        counts = allocate(sizes, self.strata.deviations, points, PREDICTED.least).tolist()
        parts = [own[:count] for own, count in zip(self._orders, counts, strict=True)]
        return np.sort(np.concatenate(parts))

    def estimate(self, cost: Floats, chosen: Indices) -> Estimate:
        """From the costs of the units chosen."""
        table = self.table
        found = estimate(cost, table.cost, table.work, self.strata.labels, chosen)
        return with_unseen(found, table.cost, self.kinds, chosen, PREDICTED.missed)


def _counts(simulator: ChosenUnits, strata: Indices, work: Floats, chosen: Indices) -> Floats:
    """The simulator's counts for all units: each phase's by the work of those drawn."""
    total = np.zeros(len(Stat))
    for phase in range(int(strata.max()) + 1):
        own = chosen[strata[chosen] == phase]
        scale = work[strata == phase].sum() / work[own].sum()
        total += simulator.counts[own].sum(axis=0) * scale
    return total

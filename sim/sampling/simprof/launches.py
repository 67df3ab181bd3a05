"""SimProf on GPU launches where no cost is known beforehand: the usable mode.

Huang, dissertation, section 5.3.3, has the CPI of every unit from a real machine. Here interval
analysis predicts it, at most 2.6 times cheaper than simulation where that was measured: it
selects features, forms phases and allocates; only the units drawn are simulated cycle by cycle, and
their cycles are taken as proportional to the predicted ones within a phase (a ratio estimator).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kcc.base.gpu.description import GpuDescription
from kcc.base.trace.reader import LaunchTrace
from kcc.sim.cycle.layout import Stat
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.simprof.allocation import allocate
from kcc.sim.sampling.simprof.estimate import Estimate, estimate
from kcc.sim.sampling.simprof.launch_costs import ChosenUnits, Watch, predict_units
from kcc.sim.sampling.simprof.launch_units import CPI, LaunchUnit, cut_launches, unit_table
from kcc.sim.sampling.simprof.phases import Phases, form_phases
from kcc.sim.sampling.simprof.strata import PREDICTED, strata_of
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
    drawer = _Drawer(table, phases, options)
    strata, units = drawer.strata.labels, tuple(simulator.units)
    points = min(options.points, len(units))
    while True:
        chosen = drawer.draw(points)
        simulator.simulate(chosen.tolist(), watch)
        found = estimate(simulator.cost, table.cost, table.work, strata, chosen)
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


class _Drawer:
    """Draws units of each stratum at random; draws of later rounds hold those of earlier ones, as
    units are put in a random order once. Not all over a stratum in time: what a
    prediction misses is alike in neighbours, and the interval would be too narrow."""

    def __init__(self, table: UnitTable, phases: Phases, options: SampleOptions) -> None:
        self.strata = strata_of(table, phases, min(options.points, len(table)), PREDICTED)
        self.order = np.random.default_rng(options.seed).permutation(len(table))

    def draw(self, points: int) -> Indices:
        labels, deviations = self.strata.labels, self.strata.deviations
        sizes, least = np.bincount(labels), PREDICTED.least
        counts: list[int] = allocate(sizes, deviations, points, least).tolist()
        ordered = labels[self.order]
        parts = [self.order[ordered == n][:count] for n, count in enumerate(counts)]
        return np.sort(np.concatenate(parts))


def _counts(simulator: ChosenUnits, strata: Indices, work: Floats, chosen: Indices) -> Floats:
    """The simulator's counts for all units: each phase's by the work of those drawn."""
    total = np.zeros(len(Stat))
    for phase in range(int(strata.max()) + 1):
        own = chosen[strata[chosen] == phase]
        scale = work[strata == phase].sum() / work[own].sum()
        total += simulator.counts[own].sum(axis=0) * scale
    return total

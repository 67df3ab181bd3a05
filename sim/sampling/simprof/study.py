"""One run studied whole: phases, a sample of them, and how well it and others would do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kcc.base.records import dataclass
from kcc.sim.sampling.estimate import LEVEL
from kcc.sim.sampling.simprof.allocation import CERTAINTY, draw_units, required_units
from kcc.sim.sampling.simprof.baselines import contiguous, one_per_phase, simple_random
from kcc.sim.sampling.simprof.estimate import Estimate, estimate
from kcc.sim.sampling.simprof.phases import PhaseOptions, Phases, form_phases
from kcc.sim.sampling.simprof.strata import Strata, deviations_of, strata_of
from kcc.sim.sampling.simprof.table import Indices, UnitTable

POINTS = 20
"""Section 5.4.1."""
DRAWS = 200


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """``points`` are drawn, or as many as make the interval of 99.7 % as narrow as ``error`` of
    the mean. ``spread``: of phases that are split by cost, and all over each part in time; else of
    phases by simple random sampling, as in the text."""

    points: int = POINTS
    error: float | None = None
    spread: bool = True
    seed: int = 0


def units_for(table: UnitTable, phases: Phases, error: float) -> int:
    """The least number of units whose strata make the interval of 99.7 % as narrow as ``error`` of
    the mean."""
    wanted = error * float(table.cost.sum()) / float(table.work.mean()) / CERTAINTY
    low, high = 1, len(table)  # high always suffices
    while high - low > 1:
        middle = (low + high) // 2
        enough = strata_of(table, phases, middle).standard_error <= wanted
        low, high = (low, middle) if enough else (middle, high)
    return int(strata_of(table, phases, high).counts.sum())


def units_as_printed(table: UnitTable, phases: Phases, error: float) -> int:
    """The same as the text has it: of phases that are not split."""
    mean = float(table.cost.mean()) / float(table.work.mean())
    return required_units(phases.sizes(), deviations_of(table, phases.labels), mean, error)


@dataclass(frozen=True, slots=True)
class MethodErrors:
    """Relative errors of a method over many draws (or places where an interval can begin): mean
    and 95th percentile; ``coverage`` is the share of its 95 % intervals that hold the truth, None
    for methods without."""

    method: str
    units: int
    mean: float
    high: float
    coverage: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """All about one run whose costs are known. ``chosen`` are the units of one sample."""

    table: UnitTable
    phases: Phases
    strata: Strata
    chosen: Indices
    estimate: Estimate
    points: int
    needed: dict[float, int]
    methods: tuple[MethodErrors, ...]


def study(
    table: UnitTable, phase_options: PhaseOptions, options: SampleOptions, draws: int = DRAWS
) -> Study:
    """Phases, allocation, a sample and its estimate, and how methods compare."""
    phases = form_phases(table, phase_options)
    needed = units_for if options.spread else units_as_printed
    points = options.points if options.error is None else needed(table, phases, options.error)
    points = max(min(points, len(table)), 1)
    strata = strata_of(table, phases, points, split=options.spread)
    random = np.random.default_rng(options.seed)
    chosen = draw_units(strata.labels, strata.counts.tolist(), random, spread=options.spread)
    found = estimate(
        table.cost, table.work, table.work, strata.labels, chosen, spread=options.spread
    )
    several = {error: needed(table, phases, error) for error in (0.05, 0.02)}
    methods = compare_methods(table, phases, points, draws, options.seed) if draws else ()
    return Study(table, phases, strata, chosen, found, points, several, methods)


def compare_methods(
    table: UnitTable, phases: Phases, points: int, draws: int = DRAWS, seed: int = 0
) -> tuple[MethodErrors, ...]:
    """The methods of section 5.4.1 on these units, and ours, each over so many draws; one
    contiguous interval over all its places. Units are ``points`` but for one of each phase."""
    random = np.random.default_rng([seed, 1])
    both = {spread: strata_of(table, phases, points, split=spread) for spread in (False, True)}

    def sampled(*, spread: bool) -> Estimate:
        labels, counts = both[spread].labels, both[spread].counts.tolist()
        chosen = draw_units(labels, counts, random, spread=spread)
        return estimate(table.cost, table.work, table.work, labels, chosen, spread=spread)

    one = abs(one_per_phase(table, phases) / table.mean - 1)
    return (
        _of_places(table, points),
        _of_draws("simple random", points, table, draws,
                  lambda: simple_random(table, points, random)),
        MethodErrors("one of each phase", phases.count, one, one, None),
        *(
            _of_draws(name, int(both[spread].counts.sum()), table, draws,
                      lambda spread=spread: sampled(spread=spread))
            for name, spread in (("SimProf as printed", False), ("SimProf", True))
        ),
    )  # fmt: skip


def _of_places(table: UnitTable, points: int) -> MethodErrors:
    errors = np.abs(contiguous(table, points) / table.mean - 1)
    high = float(np.quantile(errors, 0.95))
    return MethodErrors("one interval", points, float(errors.mean()), high, None)


def _of_draws(
    method: str, units: int, table: UnitTable, draws: int, draw: Callable[[], Estimate]
) -> MethodErrors:
    found = [draw() for _ in range(draws)]
    errors = np.array([abs(one.mean / table.mean - 1) for one in found])
    halves = [one.half_width(LEVEL) for one in found]
    held = [
        h is not None and abs(one.mean - table.mean) <= h * (1 + 1e-9) + 1e-12 * table.mean
        for one, h in zip(found, halves, strict=True)
    ]
    high = float(np.quantile(errors, 0.95))
    return MethodErrors(method, units, float(errors.mean()), high, float(np.mean(held)))

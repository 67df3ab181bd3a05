"""Phases split into strata by what their units cost."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from kcc.sim.sampling.simprof.allocation import draw_units
from kcc.sim.sampling.simprof.estimate import estimate
from kcc.sim.sampling.simprof.phases import form_phases
from kcc.sim.sampling.simprof.strata import PREDICTED, Belief, deviations_of, strata_of
from kcc.sim.sampling.simprof.study import units_as_printed, units_for
from tests.sim.sampling.simprof.streams import stream


def test_deviations_by_hand() -> None:
    """Costs 1 and 3 of equal work: 1.414 around their mean; PREDICTED: half of that, and a tenth
    of the root of the mean square, 2.236."""
    table, _ = stream([2, 2], [1.0, 5.0], [0.0, 0.0])
    table = replace(table, work=np.ones(4), cost=np.array([1.0, 3.0, 5.0, 5.0]))
    labels = np.array([0, 0, 1, 1])
    assert deviations_of(table, labels) == pytest.approx([np.sqrt(2), 0])
    both = [np.sqrt(0.25 * 2 + 0.01 * 5), 0.5]
    assert deviations_of(table, labels, PREDICTED) == pytest.approx(both)


def test_the_best_cut_among_all() -> None:
    table, _ = stream([30], [1.0], [0.3], seed=4)
    table = replace(table, work=table.work * np.random.default_rng(1).uniform(0.5, 2, 30))
    found = strata_of(table, form_phases(table), 4)
    order = np.argsort(table.ratio)

    def worth(labels: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
        return float(np.bincount(labels) @ deviations_of(table, labels))

    cuts = [np.isin(np.arange(30), order[n:]).astype(np.int64) for n in range(1, 30)]
    assert len(found.counts) == 2
    assert worth(found.labels) == pytest.approx(min(map(worth, cuts)))


def test_phases_that_are_homogeneous_stay_whole() -> None:
    table, truth = stream([60, 30], [1.0, 3.0], [0.0, 0.0])
    strata = strata_of(table, form_phases(table), 20, Belief(1.0, 0.05))
    assert strata.labels.tolist() == truth.tolist()
    assert strata.counts.sum() == 20


def test_an_outlier_is_a_stratum_of_its_own() -> None:
    """Its code is like that of others; it is drawn for certain."""
    table, _ = stream([80], [1.0], [0.05], seed=1)
    cost = table.cost.copy()
    cost[17] *= 40
    table = table.with_cost(cost)
    strata = strata_of(table, form_phases(table), 20)
    own = int(strata.labels[17])
    assert np.bincount(strata.labels)[own] == 1
    assert strata.counts[own] == 1


@pytest.mark.parametrize("belief", [Belief(1.0, 0.0), PREDICTED])
def test_strata_err_less_and_intervals_hold(belief: Belief) -> None:
    """A phase whose cost is by its data: of predictions that are a tenth off, errors are less than
    half of those without strata, and the intervals hold."""
    random = np.random.default_rng(5)
    table, _ = stream([300, 60], [1.0, 2.0], [0.0, 0.0], seed=3)
    guess = table.work * random.lognormal(0, 0.6, len(table))
    table = table.with_cost(guess * random.lognormal(0, 0.1, len(table)))
    predicted = table.with_cost(guess)
    known = table if belief.missed == 0 else predicted
    phases, size = form_phases(known), known.work if belief.missed == 0 else guess
    errors, held = dict[bool, float](), 0
    for split in (False, True):
        strata = strata_of(known, phases, 20, belief, split=split)
        found = list[float]()
        for _ in range(300):
            chosen = draw_units(strata.labels, strata.counts.tolist(), random, spread=split)
            one = estimate(table.cost, size, table.work, strata.labels, chosen, spread=split)
            half = one.half_width()
            assert half is not None
            held += split and abs(one.mean - table.mean) <= half
            found.append(abs(one.mean / table.mean - 1))
        errors[split] = float(np.mean(found))
    assert held >= 0.92 * 300
    assert errors[True] < errors[False] * (0.5 if belief.missed == 0 else 1.1)


def test_units_needed_are_enough_and_no_more() -> None:
    table, _ = stream([200, 100], [1.0, 2.0], [0.3, 0.6], seed=6)
    phases = form_phases(table)
    wanted = 0.02 * float(table.ratio.sum()) / 3
    needed = units_for(table, phases, 0.02)
    assert strata_of(table, phases, needed).standard_error <= wanted
    assert strata_of(table, phases, needed - 1).standard_error > wanted
    assert needed < units_as_printed(table, phases, 0.02)


def test_more_units_never_need_to_be_drawn_than_there_are() -> None:
    for sizes, points in itertools.product(([3], [5, 2], [1]), (1, 2, 20)):
        table, _ = stream(sizes, [1.0] * len(sizes), [0.2] * len(sizes))
        strata = strata_of(table, form_phases(table), points)
        assert (strata.counts <= np.bincount(strata.labels)).all()
        assert (strata.counts >= 1).all()


def test_phases_that_are_worth_little_are_joined() -> None:
    """Nine of ten phases vary by a hundredth: two units of each leave two for the one that varies,
    of which more were better."""
    table, truth = stream([30] * 10, [1 + n / 9 for n in range(10)], [0.01] * 9 + [0.3], seed=2)
    phases = form_phases(table)
    assert phases.count == 10
    strata = strata_of(table, phases, 20)
    assert strata.counts.sum() == 20
    assert strata.counts[np.unique(strata.labels[truth == 9])].sum() >= 4
    assert strata.standard_error < 0.6 * strata_of(table, phases, 20, split=False).standard_error

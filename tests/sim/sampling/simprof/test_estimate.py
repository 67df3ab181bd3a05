"""Allocation, estimate and interval on populations with known strata."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from kcc.sim.sampling.simprof.allocation import (
    allocate,
    draw_units,
    joined_phases,
    required_units,
    spread_order,
)
from kcc.sim.sampling.simprof.baselines import contiguous, one_per_phase, simple_random
from kcc.sim.sampling.simprof.estimate import estimate, with_unseen
from kcc.sim.sampling.simprof.phases import form_phases
from kcc.sim.sampling.simprof.strata import deviations_of
from tests.sim.sampling.simprof.streams import stream


def test_neyman_by_hand() -> None:
    """N s = 100, 200, 100: of 20 units 5, 10, 5."""
    sizes, deviations = np.array([100, 50, 200]), np.array([1.0, 4.0, 0.5])
    assert allocate(sizes, deviations, 20).tolist() == [5, 10, 5]


def test_allocation_keeps_to_what_there_is() -> None:
    assert allocate(np.array([3, 100]), np.array([100.0, 0.1]), 20).tolist() == [3, 17]
    assert allocate(np.array([50, 50]), np.array([0.0, 1.0]), 10).tolist() == [2, 8]
    assert allocate(np.array([1, 50]), np.array([0.0, 0.0]), 10).tolist() == [1, 9]
    assert allocate(np.array([4, 5]), np.array([1.0, 1.0]), 90).tolist() == [4, 5]


def test_least_variance_among_all_whole_numbers() -> None:
    sizes, deviations = np.array([12, 7, 20]), np.array([0.7, 2.1, 0.4])
    every = [n for n in itertools.product(*(range(2, s + 1) for s in sizes)) if sum(n) == 11]

    def variance(given: tuple[int, ...]) -> float:
        n = np.array(given)
        return float((sizes**2 * (1 - n / sizes) * deviations**2 / n).sum())

    assert variance(tuple(allocate(sizes, deviations, 11).tolist())) == pytest.approx(
        min(map(variance, every))
    )


def test_every_sample_is_equally_likely_and_the_estimate_unbiased() -> None:
    """The mean of the estimate over all samples of 2 of 4 and 3 of 5 is the truth, and the mean of
    equation 36's squares is the estimate's variance."""
    random = np.random.default_rng(0)
    cost = np.concatenate([random.normal(1, 0.2, 4), random.normal(3, 0.8, 5)])
    labels, ones = np.repeat([0, 1], [4, 5]), np.ones(9)
    found = [
        estimate(cost, ones, ones, labels, np.array([*a, *b]))
        for a in itertools.combinations(range(4), 2)
        for b in itertools.combinations(range(4, 9), 3)
    ]
    means = np.array([one.mean for one in found])
    assert means.mean() == pytest.approx(cost.mean())
    squares = np.mean([one.standard_error**2 for one in found])
    assert squares == pytest.approx(means.var())


def test_equation_36_by_hand() -> None:
    cost = np.array([1.0, 3.0, 0.0, 0.0, 10.0, 14.0, 0.0])
    labels, ones = np.array([0, 0, 0, 0, 1, 1, 1]), np.ones(7)
    found = estimate(cost, ones, ones, labels, np.array([0, 1, 4, 5]))
    assert found.mean == pytest.approx((4 * 2 + 3 * 12) / 7)
    by_hand = np.sqrt(16 * (1 - 2 / 4) * 2 / 2 + 9 * (1 - 2 / 3) * 8 / 2) / 7
    assert found.standard_error == pytest.approx(by_hand)
    assert found.margin(3) == pytest.approx(3 * by_hand)


def test_one_unit_of_each_phase() -> None:
    """With one as the least two phases at least get one; their ratios 2 and 4 are 1 from what both
    have: the square is 2 / 1 times (1 * 4)^2 + (1 * 4)^2."""
    sizes = np.array([4, 4, 50])
    assert allocate(sizes, np.array([0.0, 0.0, 1.0]), 10, 1).tolist() == [1, 1, 8]
    assert allocate(sizes[1:], np.array([0.0, 1.0]), 10, 1).tolist() == [2, 8]
    cost = np.array([2.0, 0, 0, 0, 4, 0, 0, 0])
    labels, ones = np.repeat([0, 1], 4), np.ones(8)
    found = estimate(cost, ones, ones, labels, np.array([0, 4]))
    assert found.cost == pytest.approx(24)
    assert found.spread.variance == pytest.approx(2 * (16 + 16))
    assert found.spread.freedom == 1
    assert estimate(cost, ones, ones, np.zeros(8, np.int64), np.array([0])).half_width() is None


def test_units_of_unequal_size() -> None:
    """Where cost is proportional to work within each phase, two units say all."""
    work = np.array([1.0, 2, 3, 4, 1, 5, 2])
    labels = np.array([0, 0, 0, 0, 1, 1, 1])
    cost = work * np.array([2.0, 7.0])[labels]
    found = estimate(cost, work, work, labels, np.array([1, 2, 4, 5]))
    assert found.cost == pytest.approx(cost.sum())
    assert found.half_width() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("spread", [False, True])
def test_intervals_hold_the_truth(spread: bool) -> None:
    """400 draws of 30 units: at least 92 % of the 95 % intervals, and fewer than all."""
    table, truth = stream([300, 150, 50], [1.0, 2.0, 5.0], [0.1, 0.5, 1.0], seed=2)
    deviations = deviations_of(table, truth)
    counts = allocate(np.bincount(truth), deviations, 30)
    random = np.random.default_rng(7)
    held = 0
    for _ in range(400):
        chosen = draw_units(truth, counts.tolist(), random, spread=spread)
        found = estimate(table.cost, table.work, table.work, truth, chosen, spread=spread)
        half = found.half_width()
        assert half is not None
        held += abs(found.mean - table.mean) <= half
    assert 0.92 * 400 <= held < 400


def test_spread_draws_bear_drift() -> None:
    """Where a phase's metric drifts, draws all over it err less."""
    table, truth = stream([400], [1.0], [0.02], drift=0.5)
    random = np.random.default_rng(3)
    errors = dict[bool, float]()
    for spread in (False, True):
        found = [
            estimate(table.cost, table.work, table.work, truth, chosen, spread=spread)
            for chosen in (draw_units(truth, [20], random, spread=spread) for _ in range(100))
        ]
        errors[spread] = float(np.mean([abs(one.mean / table.mean - 1) for one in found]))
    assert errors[True] < errors[False] / 3


@pytest.mark.parametrize("count", [1, 2, 7, 16, 100])
def test_every_beginning_of_an_order_is_spread(count: int) -> None:
    """The first n of it leave no gap (the last place is beside the first) of more than four n-ths,
    and each place is as often among them as others."""
    random, first = np.random.default_rng(0), np.zeros(count)
    for _ in range(300):
        order = spread_order(count, random)
        assert sorted(order.tolist()) == list(range(count))
        first[order[: max(count // 4, 1)]] += 1
        for n in (2, 4, 8):
            places = np.sort(order[:n])
            gaps = np.diff([*places.tolist(), int(places[0]) + count])
            assert gaps.max() <= max(4 * count / n, 2)
    expected = 300 * max(count // 4, 1) / count
    assert np.abs(first - expected).max() <= 5 * np.sqrt(expected)


def test_what_no_unit_drawn_shows_is_uncertain() -> None:
    """Of ten units two are of a kind of which none was drawn: a fifth of the cost, off by a tenth;
    of kinds that were drawn nothing is added."""
    ones, kinds = np.ones(10), np.repeat([0, 1], [8, 2])
    found = estimate(ones, ones, ones, np.zeros(10, np.int64), np.array([0, 3]))
    assert found.half_width() == pytest.approx(0)
    more = with_unseen(found, ones, kinds, np.array([0, 3]), 0.1)
    assert more.cost == found.cost
    assert more.half_width() == pytest.approx(1.96 * 0.1 * 0.2, rel=1e-3)
    assert with_unseen(found, ones, kinds, np.array([0, 9]), 0.1).half_width() == 0


def test_required_units() -> None:
    """One phase of 1,000 units with a deviation of a tenth of the mean: Cochran's
    n0 / (1 + n0 / N) with n0 = (3 * 0.1 / 0.02)^2 = 225 is 184."""
    assert required_units(np.array([1000]), np.array([0.1]), 1.0, 0.02) == 184
    assert required_units(np.array([1000]), np.array([0.0]), 1.0, 0.02) == 2
    assert required_units(np.array([10, 10]), np.array([0.9, 0.9]), 1.0, 1e-6) == 20


def test_phases_are_joined_until_units_suffice() -> None:
    labels = np.repeat([0, 1, 2], [50, 30, 5])
    centres = np.array([[0.0], [1.0], [1.1]])
    joined = joined_phases(labels, centres, np.array([1.0, 1.0, 0.1]), 4)
    assert np.bincount(joined).tolist() == [50, 35]
    assert joined_phases(labels, centres, np.ones(3), 6).tolist() == labels.tolist()
    assert not joined_phases(labels, centres, np.ones(3), 1).any()


def test_baselines() -> None:
    table, _ = stream([40, 20], [1.0, 3.0], [0.0, 0.0])
    assert contiguous(table, 10).min() == pytest.approx(1)
    assert contiguous(table, 60).tolist() == pytest.approx([table.mean])
    assert one_per_phase(table, form_phases(table)) == pytest.approx(table.mean)
    every = simple_random(table, 60, np.random.default_rng(0))
    assert every.mean == pytest.approx(table.mean)
    assert every.half_width() == pytest.approx(0, abs=1e-9)

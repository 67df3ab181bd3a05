"""Phases of streams whose phases are known."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.sim.sampling.simprof.features import select_features
from kcc.sim.sampling.simprof.phases import (
    between_phases,
    classify,
    form_phases,
    homogeneity,
    names_of,
)
from tests.sim.sampling.simprof.streams import stream


def test_known_phases_are_found_and_named() -> None:
    table, truth = stream([60, 30, 20], [1.0, 2.0, 4.0], [0.02, 0.3, 0.1])
    phases = form_phases(table)
    assert phases.count == 3
    assert phases.labels.tolist() == truth.tolist()  # the largest first, as the stream has them
    assert "Thread.run" not in phases.features  # common to all: says nothing
    assert set(names_of(phases, 1, 2)) == {"phase1.a", "phase1.b"}
    found = homogeneity(table, phases)
    assert found.weighted < found.population
    assert found.largest == max(found.phases) == found.phases[1]


def test_features_with_the_best_regression_come_first() -> None:
    random = np.random.default_rng(1)
    rate = random.random(50)
    shares = np.column_stack([random.random(50), np.ones(50), 3 * rate + 1e-3 * random.random(50)])
    columns, scores = select_features(shares, rate)
    assert columns.tolist() == [2, 0]
    assert scores[0] > 100 * scores[1]
    assert select_features(shares, rate, 1)[0].tolist() == [2]


def test_equal_rates_leave_the_features_that_vary() -> None:
    shares = np.array([[0.0, 1.0, 0.5], [1.0, 1.0, 0.6], [0.0, 1.0, 0.5]])
    columns, scores = select_features(shares, np.ones(3))
    assert columns.tolist() == [0, 2]
    assert not scores.any()


def test_one_phase_where_code_or_metric_do_not_differ() -> None:
    table, _ = stream([50], [1.0], [0.1])
    assert form_phases(table).count == 1
    table, _ = stream([30, 30], [1.0, 1.0], [0.2, 0.2], seed=3)
    phases = form_phases(table)
    assert phases.count == 1
    assert phases.reason == "CPI does not differ between clusters of the code"
    single, _ = stream([1], [1.0], [0.0])
    assert form_phases(single).labels.tolist() == [0]


def test_units_of_another_run_go_to_their_phase_without_methods_of_their_own() -> None:
    table, _ = stream([40, 20], [1.0, 3.0], [0.05, 0.05])
    other, truth = stream([10, 30, 5], [1.0, 3.0, 2.0], [0.05, 0.05, 0.0], seed=5)
    labels = classify(other, form_phases(table))
    assert labels[:40].tolist() == truth[:40].tolist()
    assert set(labels.tolist()) == {0, 1}  # the third has only methods that were not seen


def test_analysis_of_variance() -> None:
    """Against the textbook: F of [1,2,3] and [2,3,4] is 1.5 with 1 and 4 degrees of freedom."""
    p = between_phases(np.array([1.0, 2, 3, 2, 3, 4]), np.array([0, 0, 0, 1, 1, 1]))
    assert p == pytest.approx(0.28786, abs=1e-4)
    assert between_phases(np.array([1.0, 1, 2, 2]), np.array([0, 0, 1, 1])) == 0.0
    assert between_phases(np.ones(4), np.array([0, 0, 1, 1])) == 1.0

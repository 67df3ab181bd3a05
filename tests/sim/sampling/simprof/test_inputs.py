"""What recordings of other inputs say of a new one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kcc.sim.sampling.simprof.inputs import compare_recordings, reuse
from tests.sim.sampling.simprof.streams import stream


def test_what_is_reused_by_hand() -> None:
    """Phase 1 is 40 % slower in another input; phase 0 takes 1.00 and 1.04 times its work: their
    mean, with a spread of 0.0008 times (1 + 1 / 2) times the square of the work."""
    training, truth = stream([40, 30], [1.0, 2.0], [0.0, 0.0])
    slower = training.with_cost(training.cost * np.where(truth == 1, 1.4, 1.04))
    recordings = compare_recordings([training, slower])
    new, labels = stream([20, 60], [5.0, 9.0], [0.0, 0.0])
    found = reuse(recordings, new)
    assert found.labels.tolist() == labels.tolist()
    assert found.units.tolist() == (labels == 0).tolist()
    work = float(new.work[labels == 0].sum())
    assert found.cost.sum() == pytest.approx(1.02 * work)
    assert found.spread.variance == pytest.approx(0.0008 * 1.5 * work**2)
    assert found.spread.freedom == 1


def test_code_that_no_recording_has_is_simulated() -> None:
    training, labels = stream([40, 30], [1.0, 2.0], [0.0, 0.0])
    shares = np.column_stack([training.shares, np.arange(70) < 5])
    new = replace(training, features=(*training.features, "kernel: new"), shares=shares)
    recordings = compare_recordings([training, training])
    assert np.flatnonzero(~reuse(recordings, new).units).tolist() == list(range(5))
    far = training.shares.copy()
    far[labels == 1] *= 3
    found = reuse(recordings, replace(training, shares=far)).units
    assert found.tolist() == (labels == 0).tolist()


def test_points_saved() -> None:
    """Both phases alike: half of the points in each."""
    training, truth = stream([40, 40], [1.0, 1.0], [0.1, 0.1], seed=2)
    training = training.with_cost(training.cost * np.where(truth == 1, 1.3, 1))
    other = training.with_cost(training.cost * np.where(truth == 1, 2.0, 1))
    recordings = compare_recordings([training, other])
    assert recordings.saved(20) == pytest.approx(0.5, abs=0.15)
    assert compare_recordings([training, training]).saved(20) == 1

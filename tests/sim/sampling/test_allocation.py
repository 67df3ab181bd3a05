"""How much is drawn, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.sim.sampling.allocation import (
    Stake,
    epochs_compared,
    epochs_drawn,
    importance,
    launches_drawn,
)
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.two_stage import Pooled

NOTHING = Pooled(0.0, 0.0)


def profile(work: int, requests: int) -> LaunchProfile:
    ones = np.ones(4, np.int64)
    return LaunchProfile(0, "k", 32 * work * ones, work * ones, requests * ones, ones)


def drawn(stake: Stake, epochs: int = 100, *, calm: bool = False) -> int:
    return epochs_drawn(stake, epochs, least=2, windows=12, most=0.0025, calm=calm)


def test_importance_is_by_instructions_and_requests() -> None:
    found = importance([profile(3, 0), profile(1, 5), profile(0, 5)])
    assert found.tolist() == pytest.approx([3 / 8, 1 / 8 + 1 / 4, 1 / 4])
    assert importance([profile(3, 0), profile(1, 0)]).tolist() == pytest.approx([3 / 8, 1 / 8])


def test_launches() -> None:
    assert [launches_drawn(members, 2) for members in (1, 2, 16, 75, 100)] == [1, 2, 2, 3, 4]
    assert launches_drawn(3, 100) == 3


def test_epochs_without_anything_known() -> None:
    """Two, so that they can be compared; one of a launch that others are compared with."""
    assert drawn(Stake(0.5, 1, NOTHING)) == 2
    assert drawn(Stake(0.5, 2, NOTHING)) == 2
    assert drawn(Stake(0.5, 2, NOTHING), calm=True) == 1
    assert drawn(Stake(0.5, 1, NOTHING), calm=True) == 2


def test_epochs_that_cost_little() -> None:
    """A quarter of a percent of the cluster's, or the cluster's share of twelve."""
    assert drawn(Stake(0.9, 25, NOTHING), 160) == 10
    assert drawn(Stake(0.9, 100, NOTHING), 160) == 11


def test_epochs_by_variance() -> None:
    """A third of the cycles, epochs that vary by 3 %: three. Where a standard error more would
    still ask for one at most, there is one."""
    assert drawn(Stake(1 / 3, 1, Pooled(0.03**2, 8.0))) == 3
    assert drawn(Stake(1.0, 1, Pooled(0.2**2, 8.0))) == 12
    assert drawn(Stake(0.05, 1, Pooled(0.03**2, 8.0))) == 1
    assert drawn(Stake(0.05, 1, Pooled(0.03**2, 3.0))) == 2
    assert drawn(Stake(0.1, 1, Pooled(0.03**2, 8.0))) == 2


def test_epochs_compared() -> None:
    """A tenth of the cycles, by epochs that vary by 10 %: 2 of them, over as many launches."""
    stake = Stake(0.1, 20, Pooled(0.1**2, 8.0))
    assert epochs_compared(stake, 1, 0.0) == 2
    assert epochs_compared(stake, 2, 0.0) == 1
    assert epochs_compared(stake, 1, 3.4) == 3
    assert epochs_compared(Stake(1.0, 2, NOTHING), 1, 0.0) == 1

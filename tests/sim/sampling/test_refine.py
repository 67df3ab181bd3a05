"""Which sample grows: what takes most variance away for its cost, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.sim.sampling.estimate import CERTAIN, BlockRange, GroupEstimate, LaunchEstimate, Spread
from kcc.sim.sampling.inter_launch import LaunchCluster
from kcc.sim.sampling.refine import Means, choose

SURE = Spread(0.0, CERTAIN)


def group(
    members: int, drawn: int, size: int, simulated: int, within: float, between: float, ends: float
) -> GroupEstimate:
    cluster = LaunchCluster("k", tuple(range(members)), 0, 0.5)
    launch = LaunchEstimate(
        0, 0, "k", 10, size, (BlockRange(0, 1),), simulated, 1.0, SURE, np.zeros(1), (), 0.0
    )
    return GroupEstimate(
        cluster, (launch,) * drawn, members * size, 1.0,
        Spread(within, 3.0), Spread(between, 1.0) if between else SURE, Spread(ends, CERTAIN),
    )  # fmt: skip


def test_a_small_launch_with_most_of_the_variance_is_simulated_in_whole() -> None:
    small = group(1, 1, 10, 5, within=90.0, between=0.0, ends=0.0)
    large = group(14, 2, 1000, 200, within=1.0, between=9.0, ends=0.0)
    (found,) = choose([small, large], 4.0)
    assert (found.means, found.group, found.gain, found.cost) == (Means.WHOLE, 0, 90.0, 10.0)


def test_launches_that_differ_are_drawn_more_often() -> None:
    """From 2 of 100 to 4: the variance falls to 2/4 of it, and by the share that is left."""
    (found,) = choose([group(100, 2, 1000, 100, 0.0, 98.0, 0.0)], 2.0)
    assert (found.means, found.times, found.cost) == (Means.LAUNCHES, 2.0, 200.0)
    assert found.gain == pytest.approx(98 * (1 - 0.5 * 96 / 98))


def test_epochs_count_in_both_stages() -> None:
    """With 1 of 10 launches drawn, epochs explain all 9 between: halved they take 5.5 away, twice
    as many launches 5."""
    (found,) = choose([group(10, 1, 1000, 100, 2.0, 9.0, 0.0)], 2.0)
    assert (found.means, found.gain, found.cost) == (Means.EPOCHS, 5.5, 100.0)


def test_ends_are_narrowed_by_whole_launches_alone() -> None:
    (found,) = choose([group(16, 2, 1000, 250, 0.0, 0.0, 5.0)], 2.0)
    assert (found.means, found.gain, found.cost) == (Means.WHOLE, 5.0, 2000.0)
    assert choose([group(16, 2, 1000, 1000, 0.0, 0.0, 0.0)], 2.0) == []

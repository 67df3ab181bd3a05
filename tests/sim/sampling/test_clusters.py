"""Equations 2, 4 and 5 and figures 6 and 7 of Huang et al., IPDPS 2014, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.clustering import complete_linkage, nearest_to_centre
from kcc.sim.sampling.feeding import Snapshot
from kcc.sim.sampling.inter_launch import cluster_launches, inter_features
from kcc.sim.sampling.region_sampling import Warming, region_by_block
from kcc.sim.sampling.regions import (
    NO_REGION,
    Region,
    cluster_epochs,
    epochs_of,
    regions_of,
)


def profile(
    warp: list[int], requests: list[int], number: int = 0, kernel: str = "k", lanes: int = 32
) -> LaunchProfile:
    own = np.array(warp, np.int64)
    asked = np.array(requests, np.int64)
    return LaunchProfile(number, kernel, own * lanes, own, asked, asked)


def test_features() -> None:
    """Two launches; the second has half the thread instructions and more requests."""
    rows = inter_features([profile([10, 30], [4, 4]), profile([20, 20], [12, 12], lanes=16)])
    assert rows[0].tolist() == pytest.approx([1280 / 960, 1.0, 8 / 16, 0.5])
    assert rows[1].tolist() == pytest.approx([640 / 960, 1.0, 24 / 16, 0.0])


def test_complete_linkage_is_the_farthest() -> None:
    """A chain of points half a threshold apart is cut, where single linkage would join all."""
    points = np.array([[0.0], [0.05], [0.1], [0.15], [0.2], [0.25]])
    labels = complete_linkage(points, 0.1)
    assert len(set(labels.tolist())) > 1
    for label in set(labels.tolist()):
        own = points[labels == label]
        assert np.ptp(own) <= 0.1 + 1e-3
    assert complete_linkage(points, 1.0).tolist() == [0] * 6
    assert complete_linkage(points[:1], 0.1).tolist() == [0]
    assert complete_linkage(points[:0], 0.1).tolist() == []


def test_clusters_are_of_one_kernel_and_weigh_instructions() -> None:
    launches = [
        profile([100] * 4, [10] * 4, 0), profile([100] * 4, [10] * 4, 1, "other"),
        profile([101] * 4, [10] * 4, 2), profile([300] * 4, [30] * 4, 3),
        profile([102] * 4, [10] * 4, 4),
    ]  # fmt: skip
    found = cluster_launches(launches)
    assert [(c.kernel, c.members) for c in found] == [
        ("k", (0, 2, 4)), ("other", (1,)), ("k", (3,)),
    ]  # fmt: skip
    assert found[0].representative == 2
    assert [c.weight for c in found] == pytest.approx([303 / 703, 100 / 703, 300 / 703])
    assert all(len(c.members) == 1 for c in cluster_launches(launches, -1.0))


def test_nearest_to_centre_takes_the_first_of_equals() -> None:
    points = np.array([[0.0], [1.0], [2.0], [3.0]])
    assert nearest_to_centre(points, np.array([0, 1, 2, 3])) == 1


def figure6() -> LaunchProfile:
    """Eight epochs of four thread blocks: the first four stall with 0.2, the others with 0.5; in
    the third and fourth one block is ten times as long."""
    warp, requests = list[int](), list[int]()
    for epoch in range(8):
        sizes = [100, 100, 100, 1000 if epoch in (2, 3) else 100]
        share = 0.2 if epoch < 4 else 0.5
        warp += sizes
        requests += [int(size * share) for size in sizes]
    return profile(warp, requests)


def test_figure_6() -> None:
    epochs = epochs_of(figure6(), 4)
    assert epochs.stall_probability.tolist() == pytest.approx([0.2] * 4 + [0.5] * 4)
    outlier = np.std([1, 1, 1, 10]) / np.mean([1, 1, 1, 10])
    assert epochs.variation.tolist() == pytest.approx([0, 0, outlier, outlier, 0, 0, 0, 0])
    labels = cluster_epochs(epochs)
    assert labels.tolist() == [0, 0, NO_REGION, NO_REGION, 1, 1, 1, 1]
    assert regions_of(epochs, labels) == (Region(0, 0, 7), Region(1, 16, 31))


def test_stall_probability_is_the_mean_of_the_blocks() -> None:
    """Equation 5 averages ratios, not requests over instructions."""
    epochs = epochs_of(profile([100, 300], [50, 30]), 2)
    assert epochs.stall_probability.tolist() == pytest.approx([(0.5 + 0.1) / 2])


def test_the_last_epoch_may_be_short() -> None:
    epochs = epochs_of(profile([10] * 7, [1] * 7), 3)
    assert len(epochs) == 3
    assert epochs.blocks(2) == range(6, 7)
    assert regions_of(epochs, cluster_epochs(epochs)) == (Region(0, 0, 6),)


def test_region_by_block() -> None:
    found = region_by_block([Region(0, 0, 1), Region(1, 4, 5)], 6)
    assert found.tolist() == [0, 0, NO_REGION, NO_REGION, 1, 1]


def unit(instructions: int) -> Snapshot:
    return Snapshot(1000, instructions, np.zeros(0, np.int64))


def test_figure_7() -> None:
    """The region is entered before unit 2; units 2 and 3 agree to a tenth: unit 4 is skipped."""
    warming = Warming()
    warming.enter(NO_REGION)
    assert not warming.is_stable
    warming.enter(1)
    warming.add(unit(1000))
    assert not warming.is_stable
    warming.add(unit(1099))
    assert warming.is_stable
    warming.enter(2)
    assert not warming.is_stable


def test_warming_goes_on_while_units_differ() -> None:
    warming = Warming()
    warming.enter(1)
    for instructions in (1000, 1200, 1400):
        warming.add(unit(instructions))
        assert not warming.is_stable
    warming.add(unit(1450))
    assert warming.is_stable

"""Kernel Tuner's strategies on measured times, against what is known of random orders."""

from __future__ import annotations

import random
from itertools import product
from statistics import mean

import pytest

from benchmarks.tuning import Measured, measured

pytest.importorskip("kernel_tuner")


@pytest.fixture(scope="module")
def space() -> Measured:
    """30 configurations, of which two are near the best and one failed."""
    configurations = tuple(product((1, 2, 4, 8, 16, 32), (1, 2, 3, 4, 5)))
    draw = random.Random(0)
    times: list[float | None] = [10 + 10 * draw.random() for _ in configurations]
    times[3], times[17], times[9] = 5.0, 5.1, None
    return Measured(("a", "b"), configurations, tuple(times))


def test_a_random_order_needs_what_is_computed(space: Measured) -> None:
    assert space.random == pytest.approx(31 / 3)
    needed = [measured("random_sample", space, seed) for seed in range(1, 101)]
    # 30 draws without replacement, 2 successes: the deviation of the mean of 100 is 0.7.
    assert mean(needed) == pytest.approx(space.random, abs=2.1)
    assert min(needed) >= 1
    assert max(needed) <= 29


def test_a_strategy_stops_at_the_first_that_is_near(space: Measured) -> None:
    needed = [measured("genetic_algorithm", space, seed) for seed in (1, 2, 3)]
    assert all(1 <= each <= len(space.space) for each in needed)
    assert needed == [measured("genetic_algorithm", space, seed) for seed in (1, 2, 3)]

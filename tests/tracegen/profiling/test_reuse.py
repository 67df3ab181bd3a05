"""Reuse distances against a list of lines, and what sampling does to them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from kcc.tracegen.profiling.layout import BUCKETS, FULL, THRESHOLD_BITS

Ints = NDArray[np.int64]


def measured(lines: list[int], slots: int) -> tuple[Ints, int]:
    """The histogram of a stream with a table of so many slots, and the bits of the threshold."""
    from kcc.tracegen.profiling.reuse_native import touch

    table, times = np.full(slots, -1, np.int64), np.zeros(slots, np.int64)
    tree = np.zeros(2 * slots, np.int64)
    state, histogram = np.array([0, 0, FULL], np.int64), np.zeros(BUCKETS, np.int64)
    for line in lines:
        touch(line, table, times, tree, state, histogram)
    return histogram, int(state[THRESHOLD_BITS])


def obvious(lines: list[int]) -> Ints:
    """The same with a list that is searched."""
    stack, counts = list[int](), Counter[int]()
    for line in lines:
        if line in stack:
            place = stack.index(line)
            counts[(len(stack) - 1 - place).bit_length()] += 1
            stack.pop(place)
        else:
            counts[BUCKETS - 1] += 1
        stack.append(line)
    return np.array([counts[b] for b in range(BUCKETS)], np.int64)


@pytest.mark.parametrize("seed", range(4))
def test_exact_while_lines_fit(seed: int):
    rng = np.random.default_rng(seed)
    lines = (rng.zipf(1.3, 3000) % 200).tolist()  # 200 lines fit 512 slots; the clock overflows
    histogram, bits = measured(lines, slots=512)
    assert bits == FULL
    assert histogram.tolist() == obvious(lines).tolist()


def test_known_distances():
    histogram, _ = measured([1, 1, 2, 3, 1, 4, 5, 6, 2], slots=64)
    # 1 again at once: 0; 1 after 2 and 3: 2; 2 after 3, 1, 4, 5, 6: 5; six new lines
    assert [histogram[b] for b in (0, 1, 2, 3)] == [1, 0, 1, 1]
    assert histogram[BUCKETS - 1] == 6


def test_sampling_keeps_the_distribution():
    rng = np.random.default_rng(7)
    lines = rng.integers(0, 2700, 40_000).tolist()
    histogram, bits = measured(lines, slots=1024)
    assert bits == FULL - 3, "more than 512 of a quarter, fewer of an eighth"
    exact, _ = measured(lines, slots=16384)
    # An eighth of the lines stands for all: the counts are within a tenth, and the distances of a
    # uniform stream lie in the same few buckets.
    assert histogram.sum() == pytest.approx(exact.sum(), rel=0.1)
    shares = histogram / histogram.sum(), exact / exact.sum()
    assert np.abs(shares[0] - shares[1]).max() < 0.03

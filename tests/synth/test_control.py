"""Trip tables, clusters, filled contents: the numbers a miniature is steered by."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcc.synth.contents import described
from kcc.synth.control import QUANTILES, quantiles


@given(st.dictionaries(st.integers(1, 63), st.integers(1, 1000), min_size=1, max_size=20))
def test_tables_keep_the_mean_of_trips(histogram: dict[int, int]):
    entries = sum(histogram.values())
    trips = sum(value * count for value, count in histogram.items())
    table = quantiles(histogram, trips, 1)
    assert len(table) == QUANTILES
    assert list(table) == sorted(table)
    # A share below a quantile is at most 63 trips off for one entry of the table.
    assert abs(sum(table) / QUANTILES - trips / entries) <= max(histogram) / QUANTILES + 0.5


@pytest.mark.parametrize("factor", [1, 2, 8, 64])
def test_trips_that_are_all_the_same_are_divided(factor: int):
    assert quantiles({48: 100}, 4800, factor) == (max(1, round(48 / factor)),) * QUANTILES


def test_large_trips_are_stretched_to_their_sum():
    table = quantiles({64: 10}, 1000, 1)
    assert set(table) == {100}


def test_a_line_is_found_and_its_ends_go_on():
    values = (np.arange(1000) * 4 + 7).astype("<i4")
    (fill,) = described(values.view(np.uint8), 40, 3960, 4, 4)
    assert (fill.offset_bytes, fill.stride_bytes, fill.size_bytes) == (0, 4, 4)
    assert fill.slope == pytest.approx(4)
    assert fill.start == pytest.approx(7, abs=1)
    assert fill.spread <= 1
    assert (fill.least, fill.most) == (47, 3967)


def test_pieces_are_told_apart():
    values = np.concatenate([np.arange(512), 5000 - np.arange(512)]).astype("<i4")
    first, second = described(values.view(np.uint8), 0, 4092, 4, 4)
    assert first.slope == pytest.approx(1)
    assert second.slope == pytest.approx(-1)
    assert first.count == 512
    assert second.most == 5000


def test_marks_are_no_indices():
    values = np.where(np.arange(512) % 8 == 0, -1, np.arange(512)).astype("<i4")
    (fill,) = described(values.view(np.uint8), 0, 2044, 4, 4)
    assert fill.least >= 0
    assert fill.slope == pytest.approx(1)

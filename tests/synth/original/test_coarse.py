"""Data are told in classes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kcc.synth.original.coarse import LEAST_TOLD, extremes, rounded, told, truncated


@given(st.lists(st.integers(0, 300), min_size=LEAST_TOLD, max_size=300))
def test_sums_and_numbers_remain(values: list[int]):
    found, often = told(np.array(values, np.int64), np.ones(len(values), np.int64))
    assert int((found * often).sum()) == sum(values)
    assert int(often.sum()) == len(values)
    assert int(found.min()) >= 0


def test_what_many_share_is_told_and_what_few_have_is_not():
    values = np.array([4711] * LEAST_TOLD + [90001, 90011, 90023, 90031, 90053], np.int64)
    found, often = told(values, np.ones_like(values))
    assert found[0] == 4711
    assert often[0] == LEAST_TOLD
    assert not set(found.tolist()) & set(values[LEAST_TOLD:].tolist())


def test_the_longest_row_is_not_cut_to_a_mean():
    values = np.array([*range(1, 40), 2000], np.int64)
    found, _ = told(values, np.ones_like(values))
    assert found.max() == truncated(2000) == 1792
    assert rounded(2000) == 2048


def test_flags_are_told_however_few():
    found, often = told(np.array([0] * 9 + [1], np.int64), np.ones(10, np.int64))
    assert dict(zip(found.tolist(), often.tolist(), strict=True)) == {0: 9, 1: 1}


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=50))
def test_bounds_lie_within(values: list[int]):
    least, most = extremes(np.array(values, np.int64))
    if len(set(values)) >= LEAST_TOLD:
        assert min(values) <= least <= max(values)
        assert min(values) <= most <= max(values)
    assert abs(truncated(values[0])) <= abs(values[0])

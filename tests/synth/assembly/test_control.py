"""Trip tables, clusters, filled contents: the numbers a miniature is steered by."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcc.base.profile.model import LoopCount
from kcc.synth.assembly.placement import PERIOD_BYTES, Buffers
from kcc.synth.assembly.trips import HALVING, QUANTILES, Table, has_rare
from kcc.synth.original.contents import Use, array_of, described


def counted(histogram: dict[int, int], trips: int, most: int = 1 << 20) -> LoopCount:
    return LoopCount(0, sum(histogram.values()), trips, 1, most, histogram)


DECIDES = Use(decides=True, addresses=False)


@given(st.dictionaries(st.integers(1, 63), st.integers(1, 1000), min_size=1, max_size=20))
def test_tables_keep_the_mean_of_trips(histogram: dict[int, int]):
    entries = sum(histogram.values())
    trips = sum(value * count for value, count in histogram.items())
    table = Table.of(counted(histogram, trips), 1).trips
    assert len(table) == QUANTILES
    assert all(after >= before - 1 for before, after in itertools.pairwise(table))
    # A share below a quantile is at most 63 trips off for one entry of the table.
    assert abs(sum(table) / QUANTILES - trips / entries) <= max(histogram) / QUANTILES + 0.5


@pytest.mark.parametrize("factor", [1, 2, 8, 64])
def test_trips_that_are_all_the_same_are_divided(factor: int):
    table = Table.of(counted({48: 100}, 4800), factor)
    assert table.trips == (max(1, round(48 / factor)),) * QUANTILES


def test_large_trips_are_stretched_to_their_sum():
    table = Table.of(counted({64: 10}, 1000), 1)
    assert set(table.trips) == {100}


def test_no_trips_are_stretched_beyond_the_most():
    # Entries of 512 trips, and as many that have 200 each.
    table = Table.of(counted({128: 10, 512: 10}, 10 * 512 + 10 * 200, most=512), 1)
    assert set(table.trips) == {200, 512}


def test_a_draw_finds_halving_shares():
    # The place that a miniature makes of a draw: exponent and two bits of a float of 24 bits.
    draws = np.arange(1 << 16, dtype=np.uint32) << 16
    places = ((draws >> 8 | 256).astype(np.float32).view(np.uint32) >> 21) - 540
    often = np.bincount(places, minlength=QUANTILES)[::-1] / len(draws)
    assert often[:24] == pytest.approx(HALVING[:24])
    assert sum(HALVING) == pytest.approx(1)


def test_few_long_runs_keep_their_trips_and_the_mean():
    histogram = {1: 100_000, 8: 20_000, 60: 64}
    trips = sum(value * count for value, count in histogram.items())
    count = counted(histogram, trips, most=60)
    assert has_rare(count)
    table = Table.of(count, 1, halves=True)
    assert abs(table.trips[-1] - 60) <= 1
    assert table.mean == pytest.approx(trips / 120_064, rel=0.01)
    # 2^-11 of the entries have 60: of 120,000 draws one will have it, of 32 hardly any.
    assert table.longest(120_000) == pytest.approx(60, rel=0.1)
    assert table.longest(32) < 12
    assert not has_rare(counted({1: 1000, 8: 1000}, 9000, most=8))


def test_those_that_leave_early_have_the_fewest_trips():
    table = Table((1, 2, 3, 4), (0.5, 0.25, 0.125, 0.125))
    never = 1 << 31
    assert table.early(0.7, rest=False).trips == (1, 2, never, never)
    assert table.early(0.7, rest=True).trips == (never, never, 3, 4)


def test_a_line_is_found_and_its_ends_go_on():
    values = (np.arange(1000) * 4 + 7).astype("<i4")
    (fill,) = described(array_of(values.view(np.uint8), 40, 3960, 4, 4))
    assert (fill.offset_bytes, fill.stride_bytes, fill.size_bytes) == (0, 4, 4)
    assert fill.slope == pytest.approx(4)
    assert fill.start == pytest.approx(7, abs=1)
    assert fill.spread <= 1
    # The means of four at either end.
    assert (fill.least, fill.most) == (53, 3961)


def test_pieces_are_told_apart():
    values = np.concatenate([np.arange(512), 5000 - np.arange(512)]).astype("<i4")
    first, second = described(array_of(values.view(np.uint8), 0, 4092, 4, 4))
    assert first.slope == pytest.approx(1)
    assert second.slope == pytest.approx(-1)
    assert first.count == 512
    assert second.most == 4998


def test_marks_are_no_indices():
    values = np.where(np.arange(512) % 8 == 0, -1, np.arange(512)).astype("<i4")
    (fill,) = described(array_of(values.view(np.uint8), 0, 2044, 4, 4))
    assert fill.least >= 0
    assert fill.slope == pytest.approx(1)


def test_few_values_are_as_often_as_they_were():
    values = np.where(np.arange(640) < 64, 1, 0).astype("<i4")
    fills = described(array_of(values.view(np.uint8), 0, 2556, 4, 4), DECIDES)
    ones = [dict(zip(f.values, f.counts, strict=True)).get(1, 0) for f in fills[:-1]]
    assert sum(ones) == 64
    assert sum(ones[:7]) == 64  # and where they were: ten to a piece


@given(st.lists(st.integers(0, 200), min_size=40, max_size=400))
def test_rows_begin_where_those_before_end(lengths: list[int]):
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype("<i4")
    fills = described(array_of(starts.view(np.uint8), 0, 4 * len(lengths), 4, 4), DECIDES)
    if not fills[0].adds_up:  # so few different ones that they are told one by one
        assert len(np.unique(starts)) <= 16
        return
    for one, other in itertools.pairwise(fills):
        steps = sum(v * n for v, n in zip(one.values, one.counts, strict=True))
        assert one.start + steps == other.start
        assert min(one.values) >= 0


def test_marks_that_decide_are_kept_beside_the_line():
    values = np.where(np.arange(512) % 8 == 0, -1, np.arange(512)).astype("<i4")
    (fill,) = described(
        array_of(values.view(np.uint8), 0, 2044, 4, 4), Use(decides=True, addresses=True)
    )
    # The piece resumes after the array; marks are as dense there.
    assert fill.values == (-1,)
    assert fill.counts[0] == round(fill.count / 8)
    assert fill.least >= 0


def test_what_is_tested_for_is_no_index():
    """Children of a tree that are not there are 0: no end of the line, and as many as before."""
    values = np.where(np.arange(512) % 4 == 0, 0, np.arange(512) + 1000).astype("<i4")
    use = Use(decides=True, addresses=True, marks=frozenset({0}))
    (fill,) = described(array_of(values.view(np.uint8), 0, 2044, 4, 4), use)
    assert fill.values == (0,)
    assert fill.counts[0] == round(fill.count / 4)
    assert fill.least >= 1000
    assert fill.slope == pytest.approx(1)


@given(st.lists(st.integers(1, 1 << 16), min_size=2, max_size=6), st.integers(0, 4000))
def test_buffers_lie_as_far_apart_as_the_originals(sizes: list[int], slack: int):
    """Laid one after the other by the rules of kcc's device memory, modulo the period."""
    places, start = list[tuple[int, int]](), 0x104000000
    for size in sizes:
        places.append((start, size))
        start += (-(-size // 256) + 3) * 256
    made = Buffers(reversed(places), dict.fromkeys(places, slack)).sizes_bytes
    start = places[0][0]
    for (address, size), found in zip(places, made, strict=True):
        assert found >= size + slack
        assert (start - address) % PERIOD_BYTES == 0
        start += -(-found // 256) * 256 + 256


def test_only_what_is_read_is_described():
    """Elements that no lane loads say nothing, and those in their place are like the others."""
    values = np.where(np.arange(1024) % 4 == 0, 7 + np.arange(1024) % 8, 99).astype("<i4")
    whole = array_of(values.view(np.uint8), 0, 4092, 4, 4)
    fills = described(replace(whole, reads=(np.arange(1024) % 4 == 0).astype(np.int64)), DECIDES)
    assert {v for f in fills for v in f.values} == {7, 11}
    for fill in fills:
        assert sum(fill.counts) == pytest.approx(fill.count, abs=1)


def test_what_more_loads_lead_to_counts_for_more():
    values = np.repeat(np.arange(2), 512).astype("<i4")[np.random.default_rng(0).permutation(1024)]
    whole = array_of(values.view(np.uint8), 0, 4092, 4, 4)
    fills = described(replace(whole, reads=1 + 2 * values.astype(np.int64)), DECIDES)
    ones = sum(dict(zip(f.values, f.counts, strict=True)).get(1, 0) for f in fills[:-1])
    assert ones / sum(f.count for f in fills[:-1]) == pytest.approx(0.75, abs=0.02)

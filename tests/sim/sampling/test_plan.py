"""Frames, draws, steps and what spreads add up to, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.estimate import CERTAIN, Spread, add_spreads, pool_spreads
from kcc.sim.sampling.feeding import Snapshot
from kcc.sim.sampling.observe import Window, estimate_stratum
from kcc.sim.sampling.plan import (
    Phase,
    Step,
    Stratum,
    coarser,
    draw,
    first_lasting,
    frame_of,
    is_head_enough,
    share_of,
    share_out,
    steps_of,
)
from kcc.sim.sampling.regions import Epochs
from kcc.sim.sampling.two_stage import Part, Pooled, pool, ranges_of
from kcc.sim.sampling.warming import first_to_replay


def epochs(count: int, size: int, blocks: int) -> Epochs:
    return Epochs(size, blocks, np.zeros(count), np.zeros(count))


def test_frame() -> None:
    """Ten epochs of four blocks and two more: head of two epochs, tail the last that is whole and
    what follows."""
    work = np.arange(1, 43, dtype=np.int64)
    labels = np.array([0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0])
    frame = frame_of(epochs(11, 4, 42), labels, work, 2)
    assert (frame.head, frame.tail, frame.last_epoch) == (8, 36, 0.5)
    assert [s.epochs for s in frame.strata] == [(2, 4, 6, 7, 8), (3, 5)]
    assert sum(s.work for s in frame.strata) == int(work[8:36].sum())
    assert frame.strata[1].work == sum(range(13, 17)) + sum(range(21, 25))


def test_a_short_launch_is_whole() -> None:
    assert frame_of(epochs(3, 4, 12), np.zeros(3, np.int64), np.ones(12, np.int64), 2).is_whole


def test_steps() -> None:
    frame = frame_of(epochs(10, 4, 40), np.zeros(10, np.int64), np.ones(40, np.int64), 1)
    steps = steps_of(frame, {0: [3, 4]}, 2)
    assert steps == (
        Step(Phase.WARM, 10, 12), Step(Phase.MEASURE, 12, 16, 0), Step(Phase.MEASURE, 16, 20, 0),
        Step(Phase.WARM, 34, 36), Step(Phase.TAIL, 36, 40),
    )  # fmt: skip
    assert share_of(steps, frame) == pytest.approx((4 + 2 + 8 + 2 + 4) / 40)
    assert steps_of(frame, {0: [3]}, 6)[-2] == Step(Phase.WARM, 32, 36)
    assert steps_of(frame, {0: [1]}, 2, with_tail=False) == (Step(Phase.MEASURE, 4, 8, 0),)


def test_blocks_draw_apart_before_the_first_epoch_with_room_for_it() -> None:
    frame = frame_of(epochs(40, 4, 160), np.zeros(40, np.int64), np.ones(160, np.int64), 1)
    steps = steps_of(frame, {0: [2, 10, 20]}, 4)
    apart = [n for n, step in enumerate(steps) if step.phase is Phase.DISPERSE]
    assert [(steps[n].first, steps[n].end) for n in apart] == [(32, 36)]
    assert steps[apart[0] + 1] == Step(Phase.WARM, 36, 40)
    many = steps_of(frame, {0: [2, 6, 10, 14, 18, 22]}, 4)
    assert not any(step.phase is Phase.DISPERSE for step in many)


def test_the_tail_has_the_blocks_that_end_with_the_launch() -> None:
    """Of 20 epochs of 4, a block of epoch 15 with six times the mean ends at 21.4 and is simulated;
    one of epoch 10 with five times the mean has ended by then."""
    work = np.full(80, 100, np.int64)
    work[61], work[40] = 700, 550
    assert work.mean() == pytest.approx(113.125)
    assert first_lasting(work, 4) == 61
    frame = frame_of(epochs(20, 4, 80), np.zeros(20, np.int64), work, 1)
    assert (frame.tail, frame.lasting) == (76, 61)
    assert steps_of(frame, {0: [5]}, 4)[-2:] == (Step(Phase.WARM, 61, 76), Step(Phase.TAIL, 76, 80))
    assert steps_of(frame, {0: [16]}, 4)[-2:] == (
        Step(Phase.WARM, 68, 76), Step(Phase.TAIL, 76, 80),
    )  # fmt: skip
    assert first_lasting(np.full(80, 100, np.int64), 4) == 80


def test_draws_lie_everywhere() -> None:
    frame = frame_of(epochs(102, 4, 408), np.zeros(102, np.int64), np.ones(408, np.int64), 1)
    (stratum,) = frame.strata
    assert len(stratum.epochs) == 100
    for seed in range(20):
        found = draw(stratum, 4, np.random.default_rng(seed))
        assert [(epoch - 1) // 25 for epoch in found] == [0, 1, 2, 3]
        more = draw(stratum, 3, np.random.default_rng(seed), without=found)
        assert not set(more) & set(found)
    assert draw(stratum, 1000, np.random.default_rng(0)) == list(stratum.epochs)


def test_heads() -> None:
    """Over where an epoch is as fast as the one before, or changes the other way."""
    assert not is_head_enough([1.0], 1000)
    assert is_head_enough([1.0, 1.01], 1000)
    assert not is_head_enough([1.4, 1.2], 1000)
    assert not is_head_enough([1.4, 1.2, 1.1], 1000)
    assert is_head_enough([1.4, 1.2, 1.1, 1.2], 1000)
    assert is_head_enough([1.4, 1.2, 1.1, 1.09], 1000)


def test_heads_that_go_on_one_way() -> None:
    """Up to eight epochs or half of the launch."""
    falling = [2 - 0.1 * n for n in range(10)]
    assert not is_head_enough(falling[:7], 1000)
    assert is_head_enough(falling[:8], 1000)
    assert not is_head_enough(falling[:2], 7)
    assert is_head_enough(falling[:3], 7)
    assert is_head_enough(falling[:2], 2)


def test_small_strata_go_to_the_largest() -> None:
    """Of two draws one is worth half of the launch: what is less than a quarter has none."""
    labels = np.array([0] * 11 + [1] * 6 + [2] * 3 + [0])
    frame = frame_of(epochs(21, 4, 84), labels, np.ones(84, np.int64), 1)
    assert [len(s.epochs) for s in frame.strata] == [10, 6, 3]
    two = coarser(frame, 2)
    assert [s.epochs for s in two.strata] == [(*range(1, 11), 17, 18, 19), tuple(range(11, 17))]
    assert [s.work for s in two.strata] == [52, 24]
    assert share_out(two, 2) == [1, 1]
    assert share_out(coarser(frame, 10), 10) == [5, 3, 2]
    (one,) = coarser(frame, 1).strata
    assert one.epochs == tuple(range(1, 20))
    assert one.work == 76


def test_blocks_draw_apart_where_that_is_said() -> None:
    frame = frame_of(epochs(10, 4, 40), np.zeros(10, np.int64), np.ones(40, np.int64), 1)
    steps = steps_of(frame, {0: [5]}, 4, with_tail=False, disperse=True)
    assert [step.phase for step in steps] == [Phase.DISPERSE, Phase.WARM, Phase.MEASURE]
    assert [step.first for step in steps] == [12, 16, 20]


def test_spreads() -> None:
    both = add_spreads([Spread(3.0, 4.0), Spread(3.0, 4.0)])
    assert (both.variance, both.freedom) == (6.0, 8.0)
    pooled = pool_spreads([Spread(3.0, 4.0), Spread(3.0, 4.0), Spread(0.0, CERTAIN)])
    assert (pooled.variance, pooled.freedom) == (6.0, 4.0)
    assert add_spreads([Spread(0.0, CERTAIN)]).half_width() == 0
    assert add_spreads([Spread(1.0, 4.0), Spread()]).half_width() is None
    assert Spread(4.0, 1.0).half_width() == pytest.approx(2 * 12.7062, rel=1e-4)
    assert Spread(4.0, CERTAIN).half_width() == pytest.approx(2 * 1.95996, rel=1e-4)


def test_pooling_weighs_by_freedom_and_cycles() -> None:
    """Launches that take as long are as good as one; one that takes ten times as long as another
    stands for nearly all, with hardly more than its own degrees of freedom."""
    found = pool([Part(1.0, 3), Part(5.0, 1), Part(9.0, 0)])
    assert (found.variance, found.freedom) == (2.0, 4)
    found = pool([Part(1.0, 2, 10.0), Part(23.0, 2, 1.0)])
    assert found.variance == pytest.approx(3.0)
    assert found.freedom == pytest.approx(22**2 / 202)
    assert pool([]) == Pooled(0.0, 0.0)


def window(epoch: int, cycles: int) -> Window:
    return Window(0, epoch, Snapshot(cycles, 100, np.zeros(1, np.int64)))


def test_neighbours_show_less_of_a_drift() -> None:
    """CPIs 1, 2, 3, 4: residuals -0.6, -0.2, 0.2, 0.6 of the mean, that differ by 0.4 each."""
    windows = [window(epoch, 100 * (epoch + 1)) for epoch in (2, 0, 3, 1)]
    found = estimate_stratum(Stratum(0, tuple(range(9)), 900), windows, 900.0)
    assert (found.cpi, found.epochs, found.windows) == (2.5, 9, 4)
    assert found.relative_variance == pytest.approx(3 * 0.4**2 / 6)
    assert found.freedom == pytest.approx(2 * 9 / 8)
    two = estimate_stratum(Stratum(0, tuple(range(9)), 900), windows[:2], 900.0)
    assert (two.relative_variance, two.freedom) == (pytest.approx(0.5), 1.0)
    assert estimate_stratum(Stratum(0, (0, 1), 9), windows[:1], 9.0).freedom == 0


def test_ranges() -> None:
    found = [(r.first, r.end) for r in ranges_of([0, 1, 2, 5, 7, 8])]
    assert found == [(0, 3), (5, 6), (7, 9)]


def test_what_is_replayed() -> None:
    """As many requests as are wanted; blocks without any count by what they execute."""
    work, asked = np.full(100, 640, np.int64), np.full(100, 20, np.int64)
    busy = LaunchProfile(0, "k", work, work, asked, asked)
    assert first_to_replay(busy, 0, 100, 200) == 90
    assert first_to_replay(busy, 95, 100, 200) == 95
    idle = LaunchProfile(0, "k", work, work, asked * 0, asked * 0)
    assert first_to_replay(idle, 0, 100, 200) == 80

"""Schedules of intervals, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.sim.interval import schedule_native as native
from kcc.sim.interval.facts import Resource


class Sm:
    """An SM with intervals of (instructions, stall) for all of its warps."""

    def __init__(self, intervals: list[tuple[float, float]], **columns: list[float]) -> None:
        self.rows = np.zeros((len(intervals), native.INTERVAL_COLUMNS))
        self.rows[:, native.I_INSTRUCTIONS] = [n for n, _ in intervals]
        self.rows[:, native.I_STALL] = [s for _, s in intervals]
        self.rows[:, native.I_SINCE] = 1
        for name, values in columns.items():
            self.rows[:, getattr(native, f"I_{name.upper()}")] = values
        self.barriers = np.zeros(len(intervals), np.bool_)
        self.fetch: tuple[float, ...] = 0, 0, 120, 420, 1e9, 1e9
        self.lines = np.zeros((len(intervals), 2), np.int64)
        self.to_l2 = self.one_fp64 = 0.0
        self.last = 0.0
        """When the last warp ended; the unit may be busy for longer."""

    def run(
        self, warps: int, *, blocks: int = 1, resident: int = 1, greedy: int = 0,
        schedulers: int = 1, entries: int = 32, sharing: float = 1.0,
    ) -> float:  # fmt: skip
        conf = np.array(
            [schedulers, warps, resident, entries, sharing, 0, greedy, *self.fetch, self.to_l2,
             self.one_fp64],
            np.float64,
        )  # fmt: skip
        assert len(conf) == native.C_ONE_FP64 + 1
        first = np.array([0, len(self.rows)], np.int64)
        sequences = np.zeros((blocks, warps), np.int64)
        causes = np.zeros(len(self.rows), np.int64)
        stack, ends = np.zeros((len(self.rows) + 1, native.PARTS)), np.zeros(blocks)
        cycles = native.schedule_intervals(
            conf, self.rows, causes, self.barriers, np.arange(len(self.rows)), self.lines,
            np.ones((1, 3)) / 3, first, sequences, stack, ends,
        )  # fmt: skip
        issued = float(self.rows[:, native.I_INSTRUCTIONS].sum()) * warps * blocks
        idle = float(stack.sum())
        self.last = float(ends.max())
        assert issued + idle == pytest.approx(schedulers * self.last)
        return cycles


@pytest.mark.parametrize("greedy", [False, True])
def test_one_warp_alone(greedy: bool):
    assert Sm([(3, 6), (2, 10), (4, 0)]).run(1, greedy=greedy) == pytest.approx(25)


@pytest.mark.parametrize("greedy", [False, True])
def test_no_stalls_fill_the_scheduler(greedy: bool):
    assert Sm([(10, 0)]).run(8, greedy=greedy) == pytest.approx(80)
    assert Sm([(10, 0)]).run(8, greedy=greedy, schedulers=2) == pytest.approx(40)


def test_greedy_hides_stalls_behind_whole_intervals():
    # three warps of 3 instructions: 3 + 6 of stall; the others take the 6 cycles; then 3 x 3
    assert Sm([(3, 6), (3, 0)]).run(3, greedy=True) == pytest.approx(18)
    assert Sm([(3, 6), (3, 0)]).run(1, greedy=True) == pytest.approx(12)


def test_round_robin_interleaves():
    # all end their first interval at 9; the stall was waited for from two instructions earlier on
    # of the last, which interleaving does not shorten: 9 + 6 - (9 - 3) / 3, then 9 more
    assert Sm([(3, 6), (3, 0)]).run(3) == pytest.approx(9 + 4 + 9)


def test_blocks_follow_one_another():
    one = Sm([(5, 20), (5, 0)])
    assert one.run(1, blocks=4, resident=1) == pytest.approx(4 * 30)
    assert one.run(1, blocks=4, resident=2) < 4 * 30
    assert one.run(1, blocks=4, resident=2) >= 2 * 30


def test_barrier_waits_for_the_last():
    sm = Sm([(5, 0), (5, 0)])
    sm.barriers[0] = True
    assert sm.run(2, greedy=True) == pytest.approx(20)


SFU = float(Resource.SFU)


@pytest.mark.parametrize("greedy", [False, True])
def test_an_interval_begins_when_its_pipeline_is_free(greedy: bool):
    """Four warps, one after another: the pipeline takes 8 cycles of each, then the last issues its
    three instructions."""
    sm = Sm([(3, 0)], first_unit=[SFU], first_busy=[8])
    assert sm.run(4, greedy=greedy) == pytest.approx(3 * 8 + 3)
    # two schedulers have a pipeline each, but for double precision where they have one together
    assert sm.run(4, greedy=greedy, schedulers=2) == pytest.approx(8 + 3)
    sm.rows[:, native.I_FIRST_UNIT] = Resource.FP64
    assert sm.run(4, greedy=greedy, schedulers=2) == pytest.approx(8 + 3)
    sm.one_fp64 = 1.0
    assert sm.run(4, greedy=greedy, schedulers=2) == pytest.approx(3 * 8 + 3)


def test_a_pipeline_stands_idle_while_its_warp_waits_for_the_scheduler():
    """Greedy: the first warp takes the pipeline at 0 and issues until 20, the second so until 40.
    The first is ready for it again at 23 and gets it at 40, when the scheduler is free; the second,
    ready at 43, when that is over."""
    sm = Sm([(20, 3), (3, 0)], first_unit=[SFU, SFU], first_busy=[8, 8])
    assert sm.run(1, greedy=1) == pytest.approx(20 + 3 + 3)
    assert sm.run(2, greedy=1) == pytest.approx(40 + 8 + 3)


@pytest.mark.parametrize("greedy", [1, -1])
def test_the_warp_that_issues_goes_on(greedy: int):
    """The second warp issues from 6 on. At 10, between two intervals without a stall, the first is
    ready, which is the oldest (or youngest), but issues when the second stalls, from 12 to 14; the
    second's last two instructions end at 17."""
    assert Sm([(4, 0), (2, 3), (2, 0)]).run(2, greedy=greedy) == pytest.approx(17)


@pytest.mark.parametrize("greedy", [0, 1, -1])
def test_load_store_unit_takes_one_access_at_a_time(greedy: int):
    """The eighth warp's access begins after seven of 32 cycles; then 1 cycle, the latency, 1."""
    sm = Sm([(1, 25), (1, 0)], load_store=[32, 0])
    assert sm.run(8, greedy=greedy) == pytest.approx(8 * 32)
    assert sm.last == pytest.approx(7 * 32 + 1 + 25 + 1)


@pytest.mark.parametrize("greedy", [0, 1, -1])
def test_others_issue_while_the_load_store_unit_is_taken(greedy: int):
    """An access of each warp, one every 20 cycles: what the warps issue after it fits between, but
    after the last."""
    sm = Sm([(8, 0)], load_store=[20])
    for warps in (1, 2, 3):
        assert sm.run(warps, greedy=greedy) == pytest.approx(20 * warps)
        assert sm.last == pytest.approx(20 * (warps - 1) + 8)


def test_data_come_later_by_the_wait_for_an_entry():
    """One entry, held for 100 cycles: the second warp's load is issued at 1, when the unit is free,
    and has it at 100; the third's is issued then and has it at 200."""
    sm = Sm([(1, 100), (1, 0)], load_store=[1, 0], misses=[1, 0], held=[100, 0])
    assert sm.run(1, greedy=1, entries=1) == pytest.approx(1 + 100 + 1)
    assert sm.run(2, greedy=1, entries=1) == pytest.approx(1 + 1 + 98 + 100 + 1)
    assert sm.run(3, greedy=1, entries=1) == pytest.approx(99 + 1 + 100 + 100 + 1, abs=2)


def test_miss_entries_are_waited_for():
    def load(entries: int) -> float:
        sm = Sm([(1, 400), (1, 0)], load_store=[1, 0], misses=[8, 0], held=[8 * 400, 0])
        return sm.run(16, entries=entries)

    assert load(128) < 450
    # 128 requests through 32 entries: four rounds of 400 cycles
    assert load(32) == pytest.approx(4 * 400, rel=0.3)
    assert load(16) > load(32) > load(64)


def test_bandwidth_is_shared():
    def load(sharing: float) -> float:
        sm = Sm([(1, 400), (1, 0)], load_store=[1, 0], dram=[10, 0])
        return sm.run(32, sharing=sharing)

    assert load(0.0) < 500
    assert load(4.0) == pytest.approx(32 * 40, rel=0.5)
    assert load(1.0) <= load(2.0) <= load(4.0)


@pytest.mark.parametrize("greedy", [False, True])
def test_more_warps_take_no_less(greedy: bool):
    sm = Sm([(4, 30), (2, 11), (9, 50), (1, 0)])
    times = [sm.run(warps, greedy=greedy) for warps in (1, 2, 4, 8, 16, 32)]
    assert times == sorted(times)
    assert times[-1] >= 32 * 16


FETCH = (1, 2, 120, 420, 1e9, 1e9)
"""An instruction cache of two lines."""


@pytest.mark.parametrize("greedy", [False, True])
def test_code_comes_from_dram_first(greedy: bool):
    # two lines of code, one after another; each is waited for when the first warp comes to it
    sm = Sm([(8, 0), (8, 0)])
    sm.fetch, sm.lines[:, 0] = FETCH, (1, 2)
    assert sm.run(1, greedy=greedy) == pytest.approx(2 * (420 + 8))
    assert sm.run(1, greedy=greedy, blocks=3) == pytest.approx(2 * (420 + 8) + 2 * 16)


def test_code_that_does_not_fit_comes_from_l2_again():
    sm = Sm([(8, 0), (8, 0), (8, 0)])
    sm.fetch, sm.lines[:, 0] = FETCH, (1, 2, 3)
    assert sm.run(1, blocks=2) == pytest.approx(3 * (420 + 8) + 3 * (120 + 8))


def test_code_is_fetched_while_operands_are_waited_for():
    sm = Sm([(8, 300), (8, 0)])
    sm.fetch, sm.lines[:, 0] = FETCH, (1, 2)
    assert sm.run(1) == pytest.approx(420 + 8 + 420 + 8)
    sm.rows[0, native.I_STALL] = 500
    assert sm.run(1) == pytest.approx(420 + 8 + 500 + 8)


def test_stores_wait_for_room_in_queues():
    def after_eight_stores(room: float) -> float:
        count = 8
        sm = Sm([*[(1.0, 0.0)] * count, (500, 0)], load_store=[*[1.0] * count, 0],
                writes=[*[1.0] * count, 0], l2=[*[100.0] * count, 0])  # fmt: skip
        sm.fetch = 0, 0, 120, 420, room, 1e9
        sm.barriers[:-1] = True  # no two in one run
        return sm.run(1)

    # nobody waits for the stores; L2 is busy with them until 800
    assert after_eight_stores(1e9) == pytest.approx(800, abs=10)
    # the last goes when L2 is no more than 50 cycles behind with the seven before
    assert after_eight_stores(50) == pytest.approx(700 - 50 + 500, abs=10)


def test_a_launch_ends_when_its_last_store_is_in_l2():
    def ends(to_l2: float, *, after: float = 0.0) -> float:
        sm = Sm([(4, 0), (1 + after, 0)], load_store=[2.0, 0], writes=[1.0, 0], l2=[10.0, 0])
        sm.to_l2 = to_l2
        sm.barriers[0] = True  # the store ends a run
        return sm.run(1)

    # L2 is done with the store 10 cycles after it came; from the SM to L2 it takes 90
    assert ends(90) - ends(0) == pytest.approx(90)
    # work that goes on for longer hides the way
    assert ends(90, after=500) == pytest.approx(ends(0, after=500))

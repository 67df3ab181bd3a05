"""Caches and orders of the memory model, on traces of a dozen accesses worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kcc.sim.memory.facts import (
    NO_DEVIATION,
    Count,
    Deviations,
    Dispatch,
    Merging,
    Start,
    WarpOrder,
)
from kcc.sim.memory.trials import Plan, Trials, empty_l2, has_settled
from tests.sim.memory.streams import BARRIER, PLAIN, Entry, counted, machine, stream, trial

ALL = 0b1111


def test_l1_keeps_the_lines_used_last():
    """Two ways: 1 and 2 miss, 1 hits, 3 takes the place of 2, 1 hits, 2 misses again (but is in L2,
    which has four)."""
    warp: list[Entry] = [("load", line, ALL) for line in (1, 2, 1, 3, 1, 2)]
    found = counted(trial(stream([warp]), machine()))
    assert found == {
        "executed": 6, "requests": 6, "sectors": 24, "l1_hits": 8, "l2_reads": 16, "l2_hits": 4
    }  # fmt: skip


def test_sectors_are_fetched_as_they_are_wanted():
    """The second load finds one of two sectors."""
    warp: list[Entry] = [("load", 1, 0b0001), ("load", 1, 0b0011), ("load", 1, 0b0010)]
    found = counted(trial(stream([warp]), machine()))
    assert found["l1_hits"] == 2
    assert found["l2_reads"] == 2


def test_a_miss_brings_the_whole_line_where_l1_fills_lines():
    """Four sectors are asked of L2 for one that is wanted; all later ones hit."""
    warp: list[Entry] = [("load", 1, 0b0001), ("load", 1, 0b1110)]
    found = counted(trial(stream([warp]), machine(fill_line=1)))
    assert found["l1_hits"] == 3
    assert found["l2_reads"] == 4


def test_stores_go_past_l1_and_hit_only_what_was_written():
    """Section 2.1: the block that the load brought is a write miss, the one written before a hit.
    The store leaves nothing in L1, but what it wrote is read from L2."""
    warp: list[Entry] = [
        ("load", 1, 0b0001), ("store", 1, 0b0001), ("store", 1, 0b0001), ("store", 2, 0b0011),
        ("store", 2, 0b0110), ("load", 2, 0b0111),
    ]  # fmt: skip
    found = counted(trial(stream([warp]), machine()))
    assert found["writes"] == 6
    assert found["write_hits"] == 2  # the second of line 1, the sector in the middle of line 2
    assert found["l2_reads"] == 4
    assert found["l2_hits"] == 3


def test_stores_that_stay_in_l1():
    warp: list[Entry] = [("store", 1, 0b0011), ("load", 1, 0b0111)]
    assert counted(trial(stream([warp]), machine(stores_stay=1)))["l1_hits"] == 2


def test_dirty_sectors_that_must_go_are_written_to_dram():
    """L2 has four ways: the fifth line throws the first out with two dirty sectors."""
    warp: list[Entry] = [("store", 1, 0b0011), *[("load", line, 1) for line in (2, 3, 4, 5)]]
    found = trial(stream([warp]), machine())
    assert found.dirty_sectors == 2


def test_atomics_read_and_write_in_l2():
    warp: list[Entry] = [("atomic", 1, 1), ("atomic", 1, 1), ("store", 1, 1)]
    found = counted(trial(stream([warp]), machine()))
    assert found == {
        "executed": 3, "requests": 3, "sectors": 3, "l2_reads": 2, "l2_hits": 1, "writes": 1,
        "write_hits": 1,
    }  # fmt: skip


def test_each_sm_has_its_own_l1_and_blocks_go_round():
    """Blocks 0 and 2 are on SM 0, block 1 on SM 1: the second of SM 0 hits its L1, that of SM 1
    only L2."""
    block: list[list[Entry]] = [[("load", 1, 1)]]
    found = counted(trial(stream(block, block, block), machine(sms=2)))
    assert found["l1_hits"] == 1
    assert found["l2_hits"] == 1


def test_a_sequence_is_issued_without_another_warp_between():
    """Of two warps each loads lines of its own twice. In one sequence the second load hits; in two
    the other warp's loads have thrown the line out of L1's two ways."""
    bulk = [[("load", 1, 1), ("+load", 2, 1), ("+load", 1, 1)],
            [("load", 3, 1), ("+load", 4, 1), ("+load", 3, 1)]]  # fmt: skip
    apart = [[(e[0].strip("+"), *e[1:]) for e in warp] for warp in bulk]
    here = machine(warps=2)
    assert counted(trial(stream(bulk), here))["l1_hits"] == 2
    assert "l1_hits" not in counted(trial(stream(apart), here))


def test_warps_wait_for_each_other_at_barriers():
    """Without the barrier the first warp's third load comes before the second warp has loaded line
    5 a second time; with it, it comes behind. L1 has four ways."""
    first: list[Entry] = [("load", 1, 1), ("load", 2, 1)]
    second: list[Entry] = [("load", 3, 1), ("load", 4, 1), ("load", 5, 1), ("load", 6, 1)]
    third: list[Entry] = [("load", 1, 1)]
    here = machine(warps=2, l1_ways=4)
    free = counted(trial(stream([[*first, *third], second]), here))
    held = counted(trial(stream([[*first, BARRIER, *third], [*second, BARRIER]]), here))
    assert free["l1_hits"] == 1
    assert "l1_hits" not in held


def test_a_warp_that_ends_lets_the_others_through_its_barrier():
    """Three warps, of which one has no barrier and one no access at all."""
    block: list[list[Entry]] = [[("load", 1, 1), BARRIER, ("load", 2, 1)], [("load", 1, 1)], []]
    assert counted(trial(stream(block), machine(warps=3)))["executed"] == 3


def test_equal_order_is_one_sequence_each():
    """Two resident blocks of one warp: 1, 3, 2, 4 in turn leave one way for line 1 ... which is
    gone when it is loaded again."""
    blocks: list[list[list[Entry]]] = [
        [[("load", 1, 1), ("load", 2, 1), ("load", 1, 1)]],
        [[("load", 3, 1), ("load", 4, 1), ("load", 3, 1)]],
    ]
    assert "l1_hits" not in counted(trial(stream(*blocks), machine()))
    assert counted(trial(stream(*blocks), machine(blocks=1)))["l1_hits"] == 2


def test_order_by_length_ends_together():
    """A warp of one load and one of eight: equal turns give the short one its first; by length it
    gathers 1/8 + 1/7 + 1/6 + 1/5 + 1/4 + 1/3 > 1 of a turn until the sixth, when the other one has
    just loaded line 4."""
    short: list[list[Entry]] = [[("load", 4, 1)]]
    long: list[list[Entry]] = [[("load", n, 1) for n in range(8)]]
    here = machine(deviations=replace(PLAIN, warp_order=WarpOrder.LENGTH))
    found = counted(trial(stream(short, long), here))
    assert found["l1_hits"] == 1
    assert "l1_hits" not in counted(trial(stream(short, long), machine()))


def test_skipping_discards_what_lies_before_the_start():
    blocks: list[list[list[Entry]]] = [[[("load", n, 1) for n in range(64)]]]
    here = machine(deviations=replace(PLAIN, start=Start.SKIP))
    executed = {counted(trial(stream(*blocks), here, n)).get("executed", 0) for n in range(8)}
    assert len(executed) > 4
    assert max(executed) <= 64


def test_a_late_start_discards_nothing():
    blocks: list[list[list[Entry]]] = [[[("load", n, 1) for n in range(64)]]] * 4
    here = machine(l1_ways=16, deviations=replace(PLAIN, start=Start.DELAY))
    found = [counted(trial(stream(*blocks), here, n)) for n in range(8)]
    assert {f["executed"] for f in found} == {256}
    assert len({f.get("l1_hits", 0) for f in found}) > 1


def test_merging_round_robin_takes_one_of_each_sm():
    """SM 0 loads lines 1 to 4, SM 1 lines 5 to 8 and then 5 again: with L2's four ways, 5 is gone
    in turns, but not if SM 1's requests came alone."""
    blocks: list[list[list[Entry]]] = [
        [[("load", n, 1) for n in (1, 2, 3, 4, 9)]],
        [[("load", n, 1) for n in (5, 6, 7, 8, 5)]],
    ]
    here = machine(sms=2, l1_sets=0)
    assert "l2_hits" not in counted(trial(stream(*blocks), here))
    random = machine(sms=2, l1_sets=0, deviations=replace(PLAIN, merging=Merging.RANDOM))
    hits = {counted(trial(stream(*blocks), random, n)).get("l2_hits", 0) for n in range(64)}
    assert hits <= {0, 1}


def test_without_deviation_each_trial_is_the_same():
    rng = np.random.default_rng(1)
    blocks = [[[("load", int(n), 1) for n in rng.integers(0, 12, 20)] for _ in range(2)]
              for _ in range(7)]  # fmt: skip
    here = machine(sms=2, warps=2, l2_ways=8, deviations=NO_DEVIATION, l1_cycles=20, l2_cycles=90)
    each = [trial(stream(*blocks), here, n, seed=n) for n in range(4)]
    assert all((e.counts == each[0].counts).all() for e in each)
    assert all((e.batch_cycles == each[0].batch_cycles).all() for e in each)


@pytest.mark.parametrize("jobs", [2, 5])
def test_any_number_of_jobs_gives_the_same(jobs: int):
    rng = np.random.default_rng(2)
    blocks = [[[("load", int(n), 1) for n in rng.integers(0, 30, 40)]] for _ in range(9)]
    here = machine(sms=3, blocks=2, deviations=Deviations())
    trials = Trials(stream(*blocks), here, empty_l2(here), 7)
    alone, together = trials.all(Plan(11, jobs=1)), trials.all(Plan(11, jobs=jobs))
    assert [t.counts.tolist() for t in alone] == [t.counts.tolist() for t in together]
    assert [t.batch_cycles.tolist() for t in alone] == [t.batch_cycles.tolist() for t in together]
    assert len({t.counts.tobytes() for t in alone}) > 1


def test_trials_stop_when_rates_have_settled():
    rng = np.random.default_rng(3)
    blocks = [[[("load", int(n), 1) for n in rng.integers(0, 30, 200)]] for _ in range(9)]
    here = machine(sms=3, blocks=2, deviations=Deviations())
    trials = Trials(stream(*blocks), here, empty_l2(here), 0)
    found = trials.all(Plan(64, until=0.02, jobs=3))
    assert 10 <= len(found) < 64
    assert has_settled(found, 0.02)
    assert not has_settled(found[:-1], 0.02)


def test_what_goes_in_comes_out():
    """Hits and misses of L1 are the sectors wanted; reads of L2 are the misses."""
    rng = np.random.default_rng(4)
    blocks = [[[("load", int(n), int(m)) for n, m in zip(rng.integers(0, 9, 50),
               rng.integers(1, 16, 50), strict=True)]] for _ in range(5)]  # fmt: skip
    here = machine(sms=2, deviations=Deviations())
    row = trial(stream(*blocks), here).counts.sum(axis=0)
    assert row[Count.SECTORS] - row[Count.L1_HITS] == row[Count.L2_READS]
    wanted = sum(int(e[2]).bit_count() for b in blocks for w in b for e in w)
    assert row[Count.SECTORS] == wanted
    assert row[Count.L2_HITS] <= row[Count.L2_READS]


def test_blocks_of_later_waves_go_in_turn_or_where_one_is_free():
    """Two SMs of one place. Block 0 has seven loads, the others one each: in turn blocks 2 and 4
    follow block 0 on SM 0; where there is room, they follow block 1 on SM 1, whose L1 has their
    line."""
    long: list[list[Entry]] = [[("load", n, 1) for n in range(9, 16)]]
    short: list[list[Entry]] = [[("load", 1, 1)]]
    five = stream(long, short, short, short, short)
    assert counted(trial(five, machine(sms=2, blocks=1)))["l1_hits"] == 2
    free = machine(sms=2, blocks=1, deviations=replace(PLAIN, dispatch=Dispatch.FREE))
    assert counted(trial(five, free))["l1_hits"] == 3


def test_a_warp_that_missed_waits_and_those_behind_it_catch_up():
    """L1 has four ways. The second block is six loads behind: in turn it finds each line gone. If
    the first one waits for L2, it has come no further than the second line by then."""
    first: list[list[Entry]] = [[("load", n, 1) for n in range(20)]]
    late: list[list[Entry]] = [[("load", 90, 1)] * 6 + first[0]]
    hits = list[int]()
    for warp_order in (WarpOrder.EQUAL, WarpOrder.LATENCY):
        by = replace(PLAIN, warp_order=warp_order)
        here = machine(deviations=by, l1_ways=4, l1_cycles=10, l2_cycles=100)
        hits.append(counted(trial(stream(first, late), here))["l1_hits"])
    assert hits == [5, 25]


def test_a_turn_is_one_load_where_warps_issue_in_turn():
    """Two warps of one sequence each, L1 of three lines: in bulk the second warp finds none of the
    first one's lines 1 to 4; load by load it comes right behind and finds each."""
    warp: list[Entry] = [("load", 1, 1), ("+load", 2, 1), ("+load", 3, 1), ("+load", 4, 1)]
    hits = list[int]()
    for warp_order in (WarpOrder.LATENCY, WarpOrder.ISSUE):
        by = replace(PLAIN, warp_order=warp_order)
        here = machine(warps=2, deviations=by, l1_ways=3, l1_cycles=10, l2_cycles=100)
        hits.append(counted(trial(stream([warp, warp]), here)).get("l1_hits", 0))
    assert hits == [0, 4]


def test_the_first_scheduler_has_the_first_turn():
    """Warps 0 and 2 are of the first scheduler, which issues while it has one that is ready: both
    come before warps 1 and 3. With one scheduler warps come in order, and each finds the line that
    its neighbour has just loaded."""
    warps: list[list[Entry]] = [[("load", line, 1)] for line in (1, 1, 2, 2)]
    by = replace(PLAIN, warp_order=WarpOrder.ISSUE)
    hits = list[int]()
    for schedulers in (1, 2):
        here = machine(
            warps=4, deviations=by, l1_ways=1, l1_cycles=10, l2_cycles=100, schedulers=schedulers
        )
        hits.append(counted(trial(stream(warps), here)).get("l1_hits", 0))
    assert hits == [2, 0]


@pytest.mark.parametrize(("misses", "hits"), [(64, 0), (2, 1)])
def test_an_sm_waits_for_so_many_sectors(misses: int, hits: int):
    """L1 has three lines, warps 0 and 2 are of the first scheduler. Warps issue in the order 0, 2,
    1, 3 in cycles 1 to 4, and line 1 is gone when warp 0 wants it again in cycle 102. If the SM
    waits for two sectors only, warp 1 has to wait until cycle 101, when warp 0 is ready, too, and
    comes before warp 3."""
    warps: list[list[Entry]] = [
        [("load", 1, 1), ("load", 1, 1)], [("load", 2, 1)], [("load", 3, 1)], [("load", 4, 1)],
    ]  # fmt: skip
    by = replace(PLAIN, warp_order=WarpOrder.ISSUE)
    here = machine(
        warps=4, deviations=by, l1_ways=3, l1_cycles=10, l2_cycles=100, misses=misses, schedulers=2
    )
    assert counted(trial(stream(warps), here)).get("l1_hits", 0) == hits


def test_sectors_under_way_are_asked_for_again_with_one_that_misses():
    """Sector 0 is on its way when sectors 0 and 1 are wanted: L2 is asked for three, and has one of
    them. The one on its way counts as a hit of L1."""
    warps: list[list[Entry]] = [[("load", 1, 1)], [("load", 1, 3)]]
    by = replace(PLAIN, warp_order=WarpOrder.ISSUE)
    for again, reads in ((0, 2), (1, 3)):
        here = machine(warps=2, deviations=by, l1_cycles=10, l2_cycles=100, again=again)
        found = counted(trial(stream(warps), here))
        assert found["l1_hits"] == 1
        assert found["l2_reads"] == reads
        assert found.get("l2_hits", 0) == again


def test_misses_take_as_long_as_l2_or_dram():
    """Random latencies alone put two warps out of step, with the same seed in the same way."""
    rng = np.random.default_rng(5)
    blocks = [[[("load", int(n), 1) for n in rng.integers(0, 40, 60)] for _ in range(2)]]
    by = replace(PLAIN, warp_order=WarpOrder.ISSUE, random_latency=True)
    here = machine(warps=2, deviations=by, l1_ways=8, l1_cycles=10, l2_cycles=100)
    found = [trial(stream(*blocks), here, number).counts for number in (0, 1, 2, 0)]
    assert len({f.tobytes() for f in found}) > 1
    assert (found[0] == found[3]).all()


def test_l2_goes_from_launch_to_launch():
    """What a launch left in L2 is there for the next one, whose lines are others in part."""
    first, second = stream([[("store", 1, 3), ("load", 2, 1)]]), stream([[("load", 1, 7)]])
    here = machine()
    _, left = Trials(first, here, empty_l2(here), 0).run_with_state(0)
    assert left.lines.tolist() == [[2, 1, -1, -1]]
    assert left.written.tolist() == [[0, 3, 0, 0]]
    found, after = Trials(second, here, left, 0).run_with_state(0)
    assert counted(found)["l2_hits"] == 2
    assert after.lines.tolist() == [[1, 2, -1, -1]]
    assert after.valid.tolist() == [[7, 1, 0, 0]]

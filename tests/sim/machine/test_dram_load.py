"""DRAM under load: waits and the times they lead to, worked out by hand."""

from __future__ import annotations

import math

import pytest

from kcc.sim.machine.dram_load import MemoryLoad, settled

LOAD = MemoryLoad(sustained=0.9, mixed_loss=0.1, queue_cycles=10.0, turnaround_cycles=200.0)


def test_efficiency_is_the_least_where_half_is_written():
    assert LOAD.efficiency(0.0) == LOAD.efficiency(1.0) == 0.9
    assert LOAD.efficiency(0.5) == pytest.approx(0.8)
    assert LOAD.efficiency(0.25) == pytest.approx(0.825)


def test_a_read_waits_for_the_queue_and_for_writes():
    assert LOAD.wait(0.0, 0.5) == 0.0
    assert LOAD.wait(0.5, 0.0) == pytest.approx(10.0)
    assert LOAD.wait(0.8, 0.25) == pytest.approx(40.0 + 40.0)
    assert LOAD.wait(1.7, 0.0) == LOAD.wait(1.0, 0.0) < math.inf


def test_time_and_wait_agree():
    # t = 100 + 10 u / (1 - u) with u = 50 / t: (t - 100) (t - 50) = 500.
    time, wait = settled(lambda w: 100.0 + w, 50.0, lambda u: LOAD.wait(u, 0.0))
    assert time == pytest.approx((150.0 + math.sqrt(4500.0)) / 2)
    assert wait == pytest.approx(time - 100.0)


def test_memory_that_is_asked_for_too_much_sets_the_time():
    # Unloaded 100 cycles with 400 of service: (t - 100) (t - 400) = 4000.
    time, _ = settled(lambda w: 100.0 + w, 400.0, lambda u: LOAD.wait(u, 0.0))
    assert time == pytest.approx((500.0 + math.sqrt(90000.0 + 16000.0)) / 2, rel=1e-3)
    assert time > 400.0


def test_what_hides_its_waits_is_not_slowed():
    assert settled(lambda _: 100.0, 50.0, lambda u: LOAD.wait(u, 0.5))[0] == pytest.approx(100.0)


def test_hardly_any_traffic_is_tried_once():
    waits = list[float]()

    def time_of(wait: float) -> float:
        waits.append(wait)
        return 100.0 + wait

    assert settled(time_of, 1.0, lambda u: LOAD.wait(u, 0.0)) == (100.0, 0.0)
    assert waits == [0.0]


def test_more_bandwidth_is_never_slower():
    times = [
        settled(lambda w: 100.0 + 2 * w, s, lambda u: LOAD.wait(u, 0.3))[0]
        for s in (20.0, 60.0, 90.0, 99.0, 101.0, 150.0, 300.0)
    ]
    assert times == sorted(times)


def test_more_bandwidth_is_never_slower_where_times_are_not_smooth():
    # Warps that meet in another order: some waits are better hidden than shorter ones.
    times = [
        settled(lambda w: 100.0 + w + 9 * math.sin(w), s, lambda u: LOAD.wait(u, 0.0))[0]
        for s in range(20, 120, 2)
    ]
    assert times == sorted(times)

"""The figures of the dissertation, and limits of its equations."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.sim.interval.contention import (
    bandwidth_delays,
    contention_cpi,
    expected_mshr_delay,
    mshr_delays,
)
from kcc.sim.interval.intervals import Feature, IntervalProfile, profile_of
from kcc.sim.interval.multithreading import (
    markov_cpi,
    multithreading_cpi,
    naive_cpi,
    nonoverlapped,
)
from kcc.sim.machine.warp_scheduling import Policy

RR, GTO = Policy.ROUND_ROBIN, Policy.GREEDY


def explicit_nonoverlapped(warps: int, instructions: int, stall: int, policy: Policy) -> int:
    """Figure 24: one interval, all warps aligned, one issue per cycle; instructions of the other
    warps that are issued while the representative warp (0) is not stalled, before it goes on."""
    issued = [0] * warps
    order = list[int]()
    last = 0
    while min(issued) < instructions:
        if policy is RR:
            warp = next(
                w for k in range(warps) if issued[w := (len(order) + k) % warps] < instructions
            )
        else:
            warp = (
                last
                if issued[last] < instructions
                else min((w for w in range(warps) if issued[w] < instructions), default=0)
            )
        issued[warp] += 1
        order.append(warp)
        last = warp
    stalls_at = max(cycle for cycle, warp in enumerate(order) if warp == 0) + 1
    hidden = sum(stalls_at <= cycle < stalls_at + stall for cycle in range(len(order)))
    return len(order) - instructions - hidden


def test_figure_18():
    # three warps, one instruction and ten stall cycles: 3/11 instructions per cycle
    assert 1 / naive_cpi(profile_of([1], [10]), 3) == pytest.approx(3 / 11)


def test_figure_24_explicit_schedule():
    assert explicit_nonoverlapped(4, 3, 6, RR) == 6
    assert explicit_nonoverlapped(4, 3, 6, GTO) == 3


def test_figure_24_equations():
    # equation 20 counts by probability: 3/9 x 3 warps x 2 waiting slots, not 6 (page on intervals)
    profile = profile_of([3], [6])
    assert nonoverlapped(profile, 4, RR).tolist() == pytest.approx([2])
    assert nonoverlapped(profile, 4, GTO).tolist() == pytest.approx([3])
    # with a slot filled by each other warp it is what the schedule gives
    assert nonoverlapped(profile, 4, RR, slots_filled=True).tolist() == [6]


def test_equation_16():
    # 9 cycles of the warp and the ones that do not overlap, over 12 instructions: by equation 20
    # 11/12, less than the issue rate allows
    profile = profile_of([3], [6])
    assert multithreading_cpi(profile, 4, RR) == pytest.approx(1.0)
    assert multithreading_cpi(profile, 4, GTO) == pytest.approx(1.0)
    assert multithreading_cpi(profile_of([3], [60]), 4, RR) == pytest.approx((63 + 6 * 3 / 63) / 12)


def test_equation_19_counts_waiting_slots_per_interval():
    profile = profile_of([1, 4], [10, 10])
    expected = [0, 5 / 25 * 2 * 3]
    assert nonoverlapped(profile, 3, RR).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("policy", [RR, GTO])
def test_one_warp_is_the_warp_alone(policy: Policy):
    profile = profile_of([5, 2, 7], [100, 3, 0])
    alone = profile.total_cycles / profile.total_instructions
    assert multithreading_cpi(profile, 1, policy) == pytest.approx(alone)
    assert naive_cpi(profile, 1) == pytest.approx(alone)
    assert markov_cpi(profile_of([1, 1], [9, 9]), 1) == pytest.approx(10)


@pytest.mark.parametrize("policy", [RR, GTO])
def test_never_faster_than_issue(policy: Policy):
    for stall in (0, 1, 5, 50):
        profile = profile_of([3, 3], [stall, stall])
        for warps in (1, 2, 8, 64):
            assert multithreading_cpi(profile, warps, policy) >= 1
            assert naive_cpi(profile, warps) >= 1
            assert markov_cpi(profile, warps) >= 1


def test_markov_equals_the_chain():
    # two warps: the stationary distribution of the four states, by the power method
    profile = profile_of([2, 2, 2], [8, 8, 8])
    p, back = 0.5, 1 / 8
    one = np.array([[1 - p, p], [back, 1 - back]])
    chain = np.kron(one, one)
    state = np.full(4, 0.25)
    for _ in range(2000):
        state = state @ chain
    assert markov_cpi(profile, 2) == pytest.approx(1 / (1 - state[3]))


def with_requests(misses: float, dram: float = 0.0) -> IntervalProfile:
    profile = profile_of([3], [10])
    profile.features[0, Feature.MEMORY_INSTRUCTIONS] = 1
    profile.features[0, Feature.MSHR_REQUESTS] = misses
    profile.features[0, Feature.DRAM_REQUESTS] = dram
    return profile


def test_figure_25():
    # two requests each of four warps, six entries: six take one latency, two take two
    delays = mshr_delays(with_requests(2), 4, 6, 100)
    assert delays.tolist() == pytest.approx([(6 * 100 + 2 * 200) / 8 - 100])
    assert mshr_delays(with_requests(2), 3, 6, 100).tolist() == [0]


def test_equation_28_is_the_sum():
    for requests in (1, 5, 6, 7, 12, 100):
        total = sum(300 * -(-j // 6) for j in range(1, requests + 1))
        found = expected_mshr_delay(np.array([float(requests)]), 6, 300.0)
        assert found[0] == pytest.approx(total / requests - 300)


def test_stores_take_no_entries():
    assert mshr_delays(with_requests(0, dram=32), 32, 32, 420).tolist() == [0]
    assert bandwidth_delays(with_requests(0, dram=32), 32, 16, 0.7)[0] > 0


def test_equation_30():
    rate = 1 * 4 * 2 / 13
    below = rate * 1.5**2 / (2 * (1 - rate * 1.5))
    assert bandwidth_delays(with_requests(0, dram=1), 4, 2, 1.5)[0] == pytest.approx(min(below, 6))
    # the cap holds whenever utilisation reaches one, where the formula turns negative
    for service in (13 / 8, 2, 10, 1000):
        capped = bandwidth_delays(with_requests(0, dram=1), 4, 2, service)[0]
        assert capped == pytest.approx(service * 8 / 2)


def test_no_limits_no_delays():
    profile = with_requests(32, dram=32)
    assert mshr_delays(profile, 48, 10**9, 420).tolist() == [0]
    assert bandwidth_delays(profile, 48, 16, 0.0).tolist() == [0]


def test_equation_26_over_the_instructions_of_all_warps():
    profile = with_requests(2)
    delays = np.array([30.0])
    assert contention_cpi(delays, profile, 4, printed=True) == pytest.approx(10)
    assert contention_cpi(delays, profile, 4) == pytest.approx(2.5)

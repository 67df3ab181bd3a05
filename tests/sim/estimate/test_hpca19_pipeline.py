"""Figure 2 of Wang et al. by hand: two groups of four warps on one trace."""

from __future__ import annotations

from kcc.sim.estimate.hpca19_pipeline import Barrier, Step, Usage, kernel_cycles, run_round

COMPUTE = Step("comp", 10)
CONSTANT = Step("const", 2, before=2, after=2)
LOCAL = Step("local", 2, before=2, after=2)
SLOW_LOCAL = Step("local", 5, before=50, after=45)
GLOBAL = Step("global", 4, before=10, after=10)


def test_a_barrier_that_computation_hides() -> None:
    # comp 1: warp i holds the unit from 10 i. It asks again at 10 i + 16, after all the first
    # ones: comp 2 from 80 + 10 i. At the barrier 96 + 10 i: group 0 passes at 126, group 1 at 166.
    # comp 3: group 0 has to wait for comp 2 of group 1, which ends at 160; then one by one to 240.
    # The last global access takes 24 cycles more.
    trace = (COMPUTE, CONSTANT, COMPUTE, LOCAL, Barrier(), COMPUTE, GLOBAL)
    found = run_round([trace] * 8, 2, 4)
    assert found.cycles == 264
    compute = [u for u in found.usages if u.resource == "comp"]
    assert [(u.start, u.end) for u in compute] == [(t, t + 10) for t in range(0, 240, 10)]
    assert [u.warp for u in compute] == [*range(8), *range(8), *range(8)]


def test_a_barrier_with_a_gap() -> None:
    # Before the barrier 100 cycles go by: group 0 passes at 120 + 100 = 220, group 1 at 260. The
    # unit idles from 160, where comp 2 ends, to 220.
    trace = (COMPUTE, CONSTANT, COMPUTE, SLOW_LOCAL, Barrier(), COMPUTE, GLOBAL)
    found = run_round([trace] * 8, 2, 4)
    assert found.cycles == 324
    third = [u for u in found.usages if u.resource == "comp"][16:]
    assert third[0] == Usage(0, "comp", 220, 230)
    assert third[-1] == Usage(7, "comp", 290, 300)


def test_who_waits_before_an_access_holds_nothing() -> None:
    # Warp 0 computes to 10, waits to 110, reads to 114 and at once reads again, to 118: warp 1,
    # which is 10 cycles behind it, has begun to wait but asks from 120 on only. It has 120 to 124,
    # and 124 to 128.
    miss, hit = Step("global", 4, before=100), Step("global", 4)
    found = run_round([(COMPUTE, miss, hit)] * 2, 1, 2)
    held = [(u.warp, u.start, u.end) for u in found.usages if u.resource == "global"]
    assert held == [(0, 110, 114), (0, 114, 118), (1, 120, 124), (1, 124, 128)]
    assert found.cycles == 128


def test_equation_8() -> None:
    # 1000 items in groups of 64 on 3 SMs: 6 groups for an SM, 2 at a time.
    assert kernel_cycles(264, 1000, 64, 3, 2) == 264 * 6 / 2


def test_warps_with_traces_of_their_own() -> None:
    # Warp 1 computes twice as long before the barrier: 0 to 10, 10 to 20, 20 to 30; then both.
    short, long = (COMPUTE, Barrier(), COMPUTE), (COMPUTE, COMPUTE, Barrier(), COMPUTE)
    found = run_round([short, long], 1, 2)
    assert [(u.warp, u.start) for u in found.usages] == [(0, 0), (1, 10), (1, 20), (0, 30), (1, 40)]
    assert found.cycles == 50
    # A warp without a barrier is not waited for.
    assert run_round([short, (COMPUTE,)], 1, 2).cycles == 30

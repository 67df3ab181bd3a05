"""Verdicts on simulated runs: schedulers without a warp are explained by what the launch is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kcc.base.gpu.occupancy import Limiter, Occupancy
from kcc.report.simulation.changes import SmallerBlocks, smaller_blocks
from kcc.report.simulation.run import SimulationRun
from kcc.report.simulation.verdict import advice_on_run, has_conflicts, verdict_of_run
from kcc.sim.result import BlockTiming, LineTiming, StackPart, Timing

SMS = 4

HELD = Occupancy(
    "v100", 32, 1, 16, 0, 2, 2, 64, (), (Limiter.WARPS,), 512, 0, (), ()
)  # fmt: skip


def stack(**parts: float) -> tuple[StackPart, ...]:
    return tuple(StackPart(name, cycles) for name, cycles in parts.items())


def launch(blocks: int, **parts: float) -> Timing:
    cycles = sum(parts.values()) / SMS
    return Timing(
        "cycle", "f", 0, "v100", cycles, cycles / 1000, 1000, SMS, SMS, blocks, 10, 320, 10,
        stack(**parts), HELD, (), {}, (LineTiming("f.cl", 7, 90, stack(DRAM=90), 1),),
    )  # fmt: skip


def told(timing: Timing) -> str:
    return verdict_of_run(SimulationRun((), (timing,)))


def test_too_few_thread_blocks():
    run = SimulationRun((), (launch(3, issued=100, idle=300),))
    (advice,) = advice_on_run(run)
    assert advice.code == "grid-too-small"
    assert "3 thread blocks for 4 SMs: 1 SM has no work" in advice.text
    assert advice.gain_us == pytest.approx(0.75 * run.time_us)
    assert not advice.verified
    assert told(run.timings[0]).startswith("Bottleneck: no resident warp (75 % of the cycles); the")


def test_a_thread_block_that_runs_alone_at_the_end():
    timing = launch(16, issued=100, idle=300)
    short = [BlockTiming(n, n % SMS, 0, 0, 10) for n in range(15)]
    timing = replace(timing, blocks=(*short, BlockTiming(15, 3, 0, 0, 100)))
    text = told(timing)
    assert "thread block 15 of launch 0 of f runs 6.4 times as long as the mean one" in text
    assert "as a single warp" in text


def test_a_wave_that_is_not_full():
    assert "38 % of a wave" in told(replace(launch(4, issued=1, idle=9), thread_blocks=3, sms=2,
                                            occupancy=replace(HELD, blocks=4)))  # fmt: skip
    assert "The last of 2 waves of launch 0 of f is 25 % full".lower() in told(
        launch(10, issued=100, idle=100)
    )


def test_an_sm_that_has_most_to_do():
    timing = launch(4096, issued=100, idle=300)
    busy = (50.0, 0.0)
    rows = [(0.0, 100.0)] * SMS
    rows[2] = busy
    text = told(replace(timing, scheduler_stacks=tuple(rows)))
    assert "SM 2 has no warp in 0 % of the cycles" in text
    assert "the mean SM in 75 %" in text


def test_a_wait_has_its_line():
    text = told(launch(4096, issued=10, DRAM=90))
    assert text.startswith("Bottleneck: long scoreboard: DRAM (90 % of the cycles, 100 % of them")
    assert "in line 7)" in text
    assert "instructions are issued in 10 % of the cycles" in text


def test_launches_in_one_save_the_overhead_of_all_but_one():
    timings = tuple(replace(launch(16, issued=100, launch=300), launch=n) for n in range(4))
    (advice,) = advice_on_run(SimulationRun((), timings))
    assert advice.code == "launch-overhead"
    assert advice.gain_us == pytest.approx(3 * 0.075)
    assert advice.verified
    assert "(saves 0.225 us, 56 %, simulated)" in verdict_of_run(SimulationRun((), timings))


def test_a_change_that_was_simulated_is_in_the_verdict():
    run = SimulationRun((), (launch(3, issued=100, idle=300),))
    change = SmallerBlocks("f", 1, 32, 128)
    better = replace(run, tried=(change.advice(run, 0.5 * run.time_us),))
    assert "f in thread blocks of 32 threads instead of 128 (saves" in verdict_of_run(better)
    worse = replace(run, tried=(change.advice(run, 1.1 * run.time_us),))
    assert "instead of 128 is no faster (simulated)" in verdict_of_run(worse)


@pytest.mark.parametrize(
    ("blocks", "warps", "size"), [(2, 8, 4), (1, 8, 2), (64, 8, 2), (64, 2, None)]
)
def test_thread_blocks_that_are_tried(blocks: int, warps: int, size: int | None):
    held = replace(HELD, block_threads=32 * warps, warps_per_block=warps)
    run = SimulationRun((), (replace(launch(blocks, issued=100, idle=300), occupancy=held),))
    change = smaller_blocks(run)
    assert (change and change.warps) == size


def accessing(line: LineTiming) -> SimulationRun:
    timing = launch(4096, **{"issued": 20, "load/store unit": 60, "idle": 20})
    return SimulationRun((), (replace(timing, lines=(line,)),))


def test_sectors_beyond_the_ideal_are_named_with_their_line():
    """16 requests of 32 sectors where 4 do: 7 of 8 sectors of three quarters of the time."""
    line = LineTiming(
        "f.cl", 9, 80, (), 16, sectors=512, requests=16, excess_sectors=448
    )  # fmt: skip
    run = accessing(line)
    (advice,) = advice_on_run(run)
    assert (advice.code, advice.line, advice.verified) == ("uncoalesced", 9, False)
    assert "take 32 sectors per request, 4 where neighbouring lanes" in advice.text
    assert advice.gain_us == pytest.approx(run.time_us * 0.75 * 0.875)
    assert "line 9: accesses take 32 sectors per request" in verdict_of_run(run)
    assert "(about " in verdict_of_run(run)
    assert not has_conflicts(run)


def test_bank_conflicts_have_what_was_simulated_without_them():
    line = LineTiming(
        "f.cl", 9, 80, (), 16, passes=256, local_requests=16, excess_passes=240
    )  # fmt: skip
    run = accessing(line)
    assert has_conflicts(run)
    run = replace(run, without_conflicts_us=0.25 * run.time_us)
    (advice,) = advice_on_run(run)
    assert (advice.code, advice.line, advice.verified) == ("bank-conflict", 9, True)
    assert "take 16 passes in the mean, 1 without bank conflicts: 240 excess" in advice.text
    assert advice.gain_us == 0.25 * run.time_us
    assert ", 25 %, simulated)" in verdict_of_run(run)

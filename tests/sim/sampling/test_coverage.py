"""Draws out of recorded launches: what is handed out adds up to the full simulation."""

from __future__ import annotations

from pathlib import Path

from benchmarks.sampling_coverage import RecordedRun, drawn, record
from kcc.base.gpu import load_gpu
from kcc.base.trace.reader import open_trace
from kcc.sim.cycle.sources import simulate_trace
from kcc.sim.sampling.block_profile import profile_trace

GPU = load_gpu("macsim-fermi-tbpoint", ["sm_count=4", "max_blocks_per_sm=4"])


def test_recorded_launches_take_what_they_took(traced: Path) -> None:
    truth = [int(one.cycles) for one in simulate_trace(str(traced), GPU)]
    with open_trace(traced) as trace:
        profiles = profile_trace(trace).launches
        recorded = record(trace, profiles, GPU)
        assert [int(one.clocks[-1]) for one in recorded] == truth
        for launch, own in zip(trace.launches, recorded, strict=True):
            run, third = RecordedRun(launch, own), own.thread_blocks // 3
            run.simulate(0, third)
            run.simulate(third, own.thread_blocks)
            _, end = run.finish()
            assert (end.clock, end.executed) == (own.clocks[-1], round(own.work[-1]))
        rows = [drawn(trace.launches, profiles, GPU, recorded, seed) for seed in range(6)]
    assert any(one.sample < 0.5 for one in rows)
    assert sum(abs(one.error) <= one.half_width + 1e-12 for one in rows) >= 5

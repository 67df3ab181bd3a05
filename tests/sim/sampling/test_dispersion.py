"""How far thread blocks have drawn apart, by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kcc.base.gpu import load_gpu
from kcc.base.trace.reader import open_trace
from kcc.sim.cycle.launch import CycleSimulator
from kcc.sim.cycle.layout import Conf
from kcc.sim.sampling.dispersion import delays, duration_deviation, simulate_apart
from kcc.sim.sampling.feeding import LaunchRun

SAMPLE = Path(__file__).parents[3] / "docs" / "sample.kct"


def log_of(durations: list[int]) -> np.ndarray:
    """Blocks that begin at 100; a duration of 0 is one that still runs."""
    rows = [(0, 100, 100 + own if own else 0, 0) for own in durations]
    return np.array(rows, np.int64)


def test_deviation_is_within_epochs() -> None:
    """Epochs that differ do not count, nor does the first of three, nor one that mostly runs."""
    log = log_of([10, 90, 50, 52, 80, 82, 70, 0, 0, 0, 0, 0])
    assert duration_deviation(log[:6], 6, 2) == pytest.approx(1.0)
    assert duration_deviation(log[2:6], 4, 2) == pytest.approx(1.0)
    assert duration_deviation(log[2:8], 6, 2) == pytest.approx(1.0)
    assert duration_deviation(log[8:], 4, 2) == 0.0


def test_delays_are_a_random_walk_less_whole_epochs() -> None:
    random = np.random.default_rng(0)
    near = delays(10.0, 25.0, 1_000_000, 10_000, random)
    assert near.min() == 0
    assert near.std() == pytest.approx(50.0, rel=0.05)
    far = delays(500.0, 100.0, 1000, 10_000, random)
    assert 0 <= far.min() <= far.max() < 1000
    assert far.std() == pytest.approx(1000 / 12**0.5, rel=0.05)
    assert delays(10.0, 0.0, 1000, 5, random).tolist() == [0] * 5


def test_blocks_begin_late_and_the_machine_is_as_before() -> None:
    gpu = load_gpu("macsim-fermi-tbpoint", ["sm_count=1", "max_blocks_per_sm=1"])
    with open_trace(SAMPLE) as trace:
        found = list[int]()
        for waits in ([0, 0], [0, 700]):
            run = LaunchRun(CycleSimulator(gpu, timeline=9), trace.launches[0])
            conf = run.simulation.machine.conf
            before = int(conf[Conf.BLOCK_START])
            simulate_apart(run, 0, 2, np.array(waits, np.int64))
            assert conf[Conf.BLOCK_START] == before
            found.append(int(run.finish()[0].cycles))
    assert found[1] == found[0] + 700

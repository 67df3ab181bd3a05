"""Launches that are compared with another of their cluster, by hand and as sampled."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kcc.base.gpu import load_gpu
from kcc.base.trace.reader import open_trace
from kcc.sim.cycle.layout import Stat
from kcc.sim.sampling.block_profile import LaunchProfile, profile_trace
from kcc.sim.sampling.feeding import Snapshot
from kcc.sim.sampling.inter_launch import LaunchCluster
from kcc.sim.sampling.observe import Observation, Window, estimate_launch
from kcc.sim.sampling.plan import Frame, Stratum
from kcc.sim.sampling.stratified import StratifiedOptions, StratifiedSampler
from kcc.sim.sampling.two_stage import estimate_program

SIZE, EPOCHS = 10, 20


def measured(cycles: int, instructions: int = 100) -> Snapshot:
    return Snapshot(cycles, instructions, np.zeros(len(Stat), np.int64))


def profile() -> LaunchProfile:
    ones = np.ones(SIZE * EPOCHS, np.int64)
    return LaunchProfile(0, "k", 320 * ones, 10 * ones, ones, ones)


def alone() -> Observation:
    """Twenty epochs of 100 warp instructions. Of 18 between head and tail two are known, with 110
    and 90 cycles; head 150, tail 130."""
    stratum = Stratum(0, tuple(range(1, 19)), 1800)
    frame = Frame(SIZE, SIZE * EPOCHS, SIZE, SIZE * 19, (stratum,))
    windows = [Window(0, 5, measured(110)), Window(0, 12, measured(90))]
    return Observation(
        frame, profile(), windows=windows, ends=[measured(150), measured(130)], executed=400,
        profiled=400, blocks=set(range(40)),
    )  # fmt: skip


def beside(model: Observation, cycles: int) -> Observation:
    """Its head takes 160, and the epoch with 110 of the other ``cycles``."""
    return Observation(
        model.frame, profile(), windows=[Window(0, 5, measured(cycles))], ends=[measured(160)],
        executed=200, profiled=200, model=model, blocks=set(range(20)),
    )  # fmt: skip


def test_all_but_the_head_by_the_ratio() -> None:
    model = alone()
    assert estimate_launch(model).cycles == pytest.approx(150 + 18 * 100 + 130)
    found = estimate_launch(beside(model, 121))
    assert found.cycles == pytest.approx(160 + (18 * 100 + 130) * 1.1)
    assert (found.pairs, found.apart) == (1, pytest.approx(0.1))


def test_a_launch_simulated_in_whole_needs_no_other() -> None:
    seen = beside(alone(), 121)
    seen.whole = measured(2345, 2000)
    assert estimate_launch(seen).cycles == 2345


def test_what_is_not_known_of_the_one_is_in_all_alike() -> None:
    """Ten launches, of which one was simulated by itself and one beside it, exactly alike: what
    their epochs leave open of the first counts ten times, and not as of two draws."""
    model = alone()
    other = beside(model, 110)
    cluster = LaunchCluster("k", tuple(range(10)), 0, 1.0)
    places = {id(model): 0, id(other): 1}
    found = estimate_program([(cluster, [model, other])], places, [profile()] * 10, "g", 1.0, 0.0)
    (group,) = found.groups
    first, second = group.launches
    assert group.alone == (first,)
    assert second.cycles == pytest.approx(first.cycles + 10)
    grown = group.cycles / first.cycles
    assert grown == pytest.approx(10, rel=0.01)
    assert group.within.variance >= first.spread.variance * grown**2
    assert group.within.variance <= (first.spread.variance + second.spread.variance) * grown**2


def test_most_launches_are_seen_beside_the_first(traced: Path) -> None:
    """Five equal launches of 400 blocks on two SMs: the second takes a third of what the first
    does, without its end, and both come out alike."""
    gpu = load_gpu("macsim-fermi-tbpoint", ["sm_count=2"])
    with open_trace(traced) as trace:
        profiles = profile_trace(trace).launches
        sampler = StratifiedSampler(trace.launches, profiles, gpu, None, StratifiedOptions())
        found = sampler.run()
    compared = [seen for seen in sampler.seen.values() if seen.model is not None]
    assert compared
    for seen in compared:
        assert seen.model is not None
        assert max(seen.blocks) < seen.frame.tail
        assert len(seen.blocks) < 0.7 * len(seen.model.blocks)
        known = [window.epoch for window in seen.model.windows]
        assert all(window.epoch in known for window in seen.windows)
    assert found.half_width is not None

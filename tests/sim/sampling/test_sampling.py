"""Sampling of a trace against its full simulation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.base.gpu import load_gpu
from kcc.base.trace.reader import open_trace
from kcc.sim.cycle.sources import simulate_trace
from kcc.sim.sampling.block_profile import (
    identity_of,
    load_profile,
    profile_trace,
    save_profile,
)
from kcc.sim.sampling.estimate import ProgramEstimate
from kcc.sim.sampling.refine import Means, Refinement
from kcc.sim.sampling.simpoint import choose_simpoint
from kcc.sim.sampling.stratified import StratifiedOptions, StratifiedSampler, sample_stratified
from kcc.sim.sampling.tbpoint import TbpointOptions, sample_tbpoint
from kcc.sim.sampling.two_stage import Pooled, moderated
from kcc.sim.sampling.units import UnitCollector, choose_random, simulate_full

SETTINGS = ["sm_count=4", "max_blocks_per_sm=4"]
"""16 thread blocks at a time, so that a launch has 25 epochs."""

GPU = load_gpu("macsim-fermi-tbpoint", SETTINGS)

EVERYTHING = TbpointOptions(inter_distance=-1.0, intra_distance=-1.0)


def full_cycles(trace: Path) -> int:
    return int(sum(timing.cycles for timing in simulate_trace(str(trace), GPU)))


def printed(trace: Path, options: TbpointOptions) -> ProgramEstimate:
    with open_trace(trace) as file:
        return sample_tbpoint(file.launches, profile_trace(file).launches, GPU, None, options)


def stratified(trace: Path, options: StratifiedOptions) -> ProgramEstimate:
    with open_trace(trace) as file:
        return sample_stratified(file.launches, profile_trace(file).launches, GPU, None, options)


def test_profile_counts_what_the_trace_holds(traced: Path) -> None:
    """Against the trace decoded, block by block and lane by lane."""
    with open_trace(traced) as file:
        profile = profile_trace(file)
        for launch, own in zip(file.launches, profile.launches, strict=True):
            blocks = launch.launch.thread_blocks
            warp, thread = np.zeros(blocks, np.int64), np.zeros(blocks, np.int64)
            requests = np.zeros(blocks, np.int64)
            counted = np.array([s.counted for s in launch.tables.segments])
            sizes = [access.element_bytes for access in launch.tables.accesses]
            for batch in launch.batches():
                lanes = np.bitwise_count(batch.mask).astype(np.int64)
                np.add.at(warp, batch.thread_block, counted[batch.segment])
                np.add.at(thread, batch.thread_block, counted[batch.segment] * lanes)
                of_row = np.repeat(np.arange(len(batch)), np.diff(batch.access_start))
                for place, row in enumerate(of_row.tolist()):
                    active = [n for n in range(32) if int(batch.mask[row]) >> n & 1]
                    size = sizes[int(batch.access[place])]
                    first = batch.addresses[place, active]
                    lines = {*(first // 128).tolist(), *((first + size - 1) // 128).tolist()}
                    requests[batch.thread_block[row]] += len(lines)
            assert own.warp_instructions.tolist() == warp.tolist()
            assert own.thread_instructions.tolist() == thread.tolist()
            assert own.requests.tolist() == requests.tolist()


def test_everything_sampled_is_the_full_simulation(traced: Path) -> None:
    found = printed(traced, EVERYTHING)
    assert found.cycles == full_cycles(traced)
    assert found.sample_size == 1
    assert found.half_width == 0
    whole = StratifiedOptions(inter_distance=0.0, launches=100, windows=10_000, most=1.0)
    ours = stratified(traced, whole)
    assert ours.cycles == full_cycles(traced)
    assert ours.half_width == 0


def test_counts_of_everything_are_those_of_the_full_simulation(traced: Path) -> None:
    timings = list(simulate_trace(str(traced), GPU))
    misses = sum(t.statistics["L1 sectors"] - t.statistics["L1 hits"] for t in timings)
    asked = sum(t.statistics["L1 sectors"] for t in timings)
    assert printed(traced, EVERYTHING).miss_rate("L1") == pytest.approx(misses / asked)


def test_as_printed(traced: Path) -> None:
    """Five equal launches are one cluster; within a launch most is skipped. Units begin with its
    head; as printed it is 11 % slow here (19,957 cycles in full)."""
    found = printed(traced, TbpointOptions())
    members = [group.cluster.members for group in found.groups]
    assert members == [(0, 1, 2, 3, 4), (5,), (6, 7)]
    assert 0 < found.sample_size < 0.35
    assert found.half_width is None
    everything = found.simulated_instructions + found.skipped_between + found.skipped_within
    assert everything == found.instructions
    first = next(simulate_trace(str(traced), GPU))
    assert first.cycles < found.groups[0].launches[0].cycles < 1.15 * first.cycles


def test_ours(traced: Path) -> None:
    found = stratified(traced, StratifiedOptions())
    truth = full_cycles(traced)
    assert found.sample_size < 0.5
    assert found.half_width is not None
    drawn = [stratified(traced, StratifiedOptions(seed=seed)).cycles for seed in range(8)]
    assert sum(drawn) / len(drawn) == pytest.approx(truth, rel=0.05)  # one draw varies by as much
    assert abs(found.cycles - truth) < 2 * found.half_width + 0.02 * truth
    again = stratified(traced, StratifiedOptions())
    assert (again.cycles, again.half_width) == (found.cycles, found.half_width)
    other = stratified(traced, StratifiedOptions(seed=1))
    assert other.cycles != found.cycles


def test_the_first_launch_of_a_kernel_is_a_stratum_of_its_own(traced: Path) -> None:
    """Where it is short: with all blocks at once on the GPU it has one epoch."""
    large = load_gpu("v100")
    with open_trace(traced) as file:
        profiles = profile_trace(file).launches
        any_error = StratifiedOptions(error=1.0)
        found = sample_stratified(file.launches, profiles, large, None, any_error)
        whole = sample_stratified(file.launches, profiles, large, None, StratifiedOptions())
    truth = [int(one.cycles) for one in simulate_trace(str(traced), large)]
    assert [group.cluster.members for group in found.groups[:2]] == [(0,), (1, 2, 3, 4)]
    assert found.groups[0].cycles == truth[0]
    assert sum(group.cluster.weight for group in found.groups) == pytest.approx(1)
    # What was not drawn is not claimed, though the launches that were agree to the cycle.
    assert found.half_width is not None
    assert 0 < found.half_width < 0.1 * found.cycles
    assert abs(found.cycles - sum(truth)) <= found.half_width
    # A sample would be more than half of this program, so that all of it is simulated.
    assert (whole.sample_size, whole.half_width) == (1.0, 0.0)
    assert whole.cycles == sum(truth)
    kept = sample_of(traced)
    assert kept.groups[0].cluster.members == (0, 1, 2, 3, 4)  # 25 epochs: the head is what is cold


def sample_of(trace: Path) -> ProgramEstimate:
    return stratified(trace, StratifiedOptions())


def test_a_variance_with_what_other_kernels_say() -> None:
    # Smyth, section 3, by hand: (0.5 * 0.04 + 2 * 0.01) / 2.5 = 0.016.
    found = moderated(Pooled(0.01, 2.0), Pooled(0.04, 0.5))
    assert (found.variance, found.freedom) == pytest.approx((0.016, 2.5))
    assert moderated(Pooled(0.0, 1.0), Pooled(0.04, 0.5)).variance > 0
    assert moderated(Pooled(0.0, 0.0), Pooled(0.04, 0.5)) == Pooled(0.0, 0.0)  # nothing drawn


def test_an_error_that_is_asked_for(traced: Path) -> None:
    rough = stratified(traced, StratifiedOptions())
    fine = stratified(traced, StratifiedOptions(error=0.002))
    assert fine.half_width is not None
    assert fine.half_width <= 0.002 * fine.cycles
    assert fine.simulated_instructions >= rough.simulated_instructions


def test_launches_and_all_of_them_in_one_round(traced: Path) -> None:
    """More launches of a cluster and those drawn before in whole go together."""
    with open_trace(traced) as file:
        profile = profile_trace(file)
        sampler = StratifiedSampler(file.launches, profile.launches, GPU, None, StratifiedOptions())
        rough = sampler.run()
        group = max(range(len(rough.groups)), key=lambda n: len(rough.groups[n].cluster.members))
        both = [Refinement(means, group, 2.0, 1.0, 1.0) for means in (Means.LAUNCHES, Means.WHOLE)]
        launches = [2] * len(rough.groups)
        assert sampler.draw_more(both, launches)
        found = sampler.estimate()
    assert len(found.groups[group].launches) == launches[group] > 2
    whole = [n for n in found.groups[group].launches if n.simulated_instructions == n.instructions]
    assert len(whole) >= 2


def test_units_of_a_full_simulation(traced: Path) -> None:
    with open_trace(traced) as file:
        timings, units = simulate_full(file, GPU)
        assert UnitCollector(file).finish() == ()
    assert sum(t.cycles for t in timings) == full_cycles(traced)
    assert sum(unit.cycles for unit in units) == full_cycles(traced)
    assert sum(unit.instructions for unit in units) == sum(t.instructions for t in timings)
    assert all(unit.vector.sum() > 0 for unit in units)
    everything = choose_random(units, 0, 1.0)
    assert everything.cycles == pytest.approx(full_cycles(traced))
    assert choose_simpoint(units, 0).instructions > 0


def test_profile_in_a_file(traced: Path, tmp_path: Path) -> None:
    kept = tmp_path / "profile.npz"
    with open_trace(traced) as file:
        profile, name = profile_trace(file), identity_of(file)
    kept.write_bytes(save_profile(profile))
    found = load_profile(kept, name)
    assert found.trace == profile.trace
    for own, its in zip(profile.launches, found.launches, strict=True):
        assert (own.number, own.kernel) == (its.number, its.kernel)
        assert own.requests.tolist() == its.requests.tolist()
    with pytest.raises(DiagnosticError, match="another trace"):
        load_profile(kept, "0-0")


@pytest.mark.parametrize("keep", [0, 1, 100, 500, -30])
def test_broken_profiles(traced: Path, tmp_path: Path, keep: int) -> None:
    kept = tmp_path / "profile.npz"
    with open_trace(traced) as file:
        kept.write_bytes(save_profile(profile_trace(file))[:keep])
        with pytest.raises(DiagnosticError, match="not a profile"):
            load_profile(kept, identity_of(file))


def test_damaged_profiles(traced: Path, tmp_path: Path) -> None:
    """Whatever byte of a profile is wrong, the message is that of a profile (K782) or the profile
    is read; nothing else is raised."""
    kept = tmp_path / "profile.npz"
    with open_trace(traced) as file:
        whole = save_profile(profile_trace(file))
    raised = set[str]()
    for place in range(0, len(whole), 3):
        kept.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            load_profile(kept, "0-0")
        except DiagnosticError as error:
            raised.update(each.code for each in error.diagnostics)
    assert raised == {"K782"}


def test_launches_that_fit_the_gpu_at_once(traced: Path) -> None:
    """No launch has a whole epoch, and all are simulated to their end: also those of a cluster of
    its own, of which another one of the kernel is known."""
    large = load_gpu("v100", [])
    full = sum(timing.cycles for timing in simulate_trace(str(traced), large))
    with open_trace(traced) as file:
        profiles = profile_trace(file).launches
        for distance in (0.1, -1.0):
            options = StratifiedOptions(inter_distance=distance, launches=len(profiles))
            found = sample_stratified(file.launches, profiles, large, None, options)
            assert found.cycles == full
            assert found.half_width == 0

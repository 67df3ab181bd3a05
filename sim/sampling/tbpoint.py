"""TBPoint as printed: one launch of each cluster, its homogeneous regions sampled.

Huang et al., IPDPS 2014, sections III and IV, table IV.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from kcc.base.gpu.description import GpuDescription
from kcc.base.records import dataclass
from kcc.base.trace.reader import LaunchTrace
from kcc.sim.cycle.launch import CycleSimulator
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.estimate import (
    CERTAIN,
    BlockRange,
    GroupEstimate,
    LaunchEstimate,
    ProgramEstimate,
    Spread,
    program_of,
)
from kcc.sim.sampling.feeding import LaunchRun
from kcc.sim.sampling.inter_launch import DISTANCE as INTER_DISTANCE
from kcc.sim.sampling.inter_launch import LaunchCluster, cluster_launches
from kcc.sim.sampling.region_sampling import RegionSampler, Skip
from kcc.sim.sampling.regions import DISTANCE as INTRA_DISTANCE
from kcc.sim.sampling.regions import VARIATION, Region, cluster_epochs, epochs_of, regions_of

EVERY_BLOCK = 1 << 40


@dataclass(frozen=True, slots=True)
class TbpointOptions:
    """Thresholds: between launches (negative: simulate each), between epochs (negative: no
    regions), and of the variation within an epoch."""

    inter_distance: float = INTER_DISTANCE
    intra_distance: float = INTRA_DISTANCE
    variation: float = VARIATION


DEFAULTS = TbpointOptions()


def sample_tbpoint(
    traces: Sequence[LaunchTrace],
    profiles: Sequence[LaunchProfile],
    gpu: GpuDescription,
    registers: dict[str, int] | None = None,
    options: TbpointOptions = DEFAULTS,
) -> ProgramEstimate:
    """The whole program, whose launches were profiled, from one launch of each cluster."""
    began = time.process_time()
    clusters = cluster_launches(profiles, options.inter_distance)
    clustered = time.process_time() - began
    simulator = CycleSimulator(gpu, registers, timeline=EVERY_BLOCK)
    estimates = dict[int, LaunchEstimate]()
    clock = 1.0
    for place in sorted(cluster.representative for cluster in clusters):
        run = LaunchRun(simulator, traces[place])
        estimates[place] = sample_launch(run, profiles[place], place, options)
        clock = run.simulation.machine.clock_mhz
    groups = [_group(one, estimates[one.representative], profiles) for one in clusters]
    everything = sum(int(p.warp_instructions.sum()) for p in profiles)
    return program_of("tbpoint-ipdps14", gpu.stem, clock, groups, everything, clustered)


def _group(
    cluster: LaunchCluster, launch: LaunchEstimate, profiles: Sequence[LaunchProfile]
) -> GroupEstimate:
    """Table IV: the launch's CPI is that of the cluster."""
    instructions = sum(int(profiles[n].warp_instructions.sum()) for n in cluster.members)
    cycles = launch.cycles * (instructions / max(launch.instructions, 1))
    between = Spread(0.0, CERTAIN) if len(cluster.members) == 1 else Spread()
    return GroupEstimate(cluster, (launch,), instructions, cycles, launch.spread, between)


def sample_launch(
    run: LaunchRun, profile: LaunchProfile, place: int, options: TbpointOptions
) -> LaunchEstimate:
    """One launch with its homogeneous regions sampled."""
    began = time.process_time()
    regions = list[Region]()
    if options.intra_distance >= 0:
        epochs = epochs_of(profile, run.occupancy)
        labels = cluster_epochs(epochs, options.intra_distance, options.variation)
        regions = list(regions_of(epochs, labels))
    sampler = RegionSampler(run, regions)
    sampler.simulate()
    _, end = run.finish()
    own = profile.warp_instructions
    simulated = int(own[run.blocks].sum())
    made = end.executed / max(simulated, 1)
    cycles, counts = float(end.clock), end.counts.astype(np.float64)
    for skip in sampler.skips:
        skipped = float(own[skip.first : skip.last + 1].sum()) * made
        cycles += skipped / skip.unit.ipc
        counts += skip.unit.counts * (skipped / skip.unit.executed)
    return LaunchEstimate(
        place, profile.number, profile.kernel, profile.thread_blocks, int(own.sum()),
        ranges_beside(sampler.skips, profile.thread_blocks), simulated, cycles,
        Spread() if sampler.skips else Spread(0.0, CERTAIN), counts, tuple(regions),
        time.process_time() - began,
    )  # fmt: skip


def ranges_beside(skips: Sequence[Skip], thread_blocks: int) -> tuple[BlockRange, ...]:
    """The thread blocks that were not skipped."""
    found, start = list[BlockRange](), 0
    for skip in skips:
        if skip.first > start:
            found.append(BlockRange(start, skip.first))
        start = skip.last + 1
    if start < thread_blocks:
        found.append(BlockRange(start, thread_blocks))
    return tuple(found)

"""From launches and epochs that were drawn to the whole program, with its variance.

Ratio estimators by warp instructions in both stages; the variance of a drawn launch's own estimate
counts in full where all launches of its cluster were drawn, and is contained in the differences
between drawn launches elsewhere (Cochran, Sampling Techniques, 1977, equation 11.24 and after).
Two draws say little about a variance. Relative variances are therefore pooled over what is of the
same kernel. One thing is not drawn: by the end of a launch its thread blocks have drawn apart
further than in the sample, so that the GPU empties at another place in an epoch. The place is taken
as uniform over an epoch, whose variance is a twelfth of its square.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.estimate import (
    CERTAIN,
    BlockRange,
    GroupEstimate,
    LaunchEstimate,
    ProgramEstimate,
    Spread,
    pool_spreads,
    program_of,
)
from kcc.sim.sampling.inter_launch import LaunchCluster
from kcc.sim.sampling.observe import LaunchNumbers, Observation, estimate_launch
from kcc.sim.sampling.regions import Region

Group = tuple[LaunchCluster, list[Observation]]


@dataclass(frozen=True, slots=True)
class Pooled:
    """A relative variance and the degrees of freedom it rests on."""

    variance: float
    freedom: int


def pool(parts: Sequence[tuple[float, int]]) -> Pooled:
    """Variances with their degrees of freedom as one."""
    freedom = sum(own for _, own in parts)
    total = sum(variance * own for variance, own in parts)
    return Pooled(total / freedom if freedom else 0.0, freedom)


def estimate_program(
    groups: Sequence[Group], places: Mapping[int, int], profiles: Sequence[LaunchProfile],
    gpu: str, clock_mhz: float, cluster_seconds: float,
) -> ProgramEstimate:  # fmt: skip
    """``groups`` are the clusters with the launches observed, ``places`` where those (by
    ``id``) are in the trace."""
    numbers = {id(seen): estimate_launch(seen) for _, own in groups for seen in own}
    epochs = dict[str, Pooled]()
    launches = dict[str, Pooled]()
    for kernel in dict.fromkeys(cluster.kernel for cluster, _ in groups):
        own = [(cluster, seen) for cluster, seen in groups if cluster.kernel == kernel]
        epochs[kernel] = pool(
            [
                (stratum.relative_variance, stratum.freedom)
                for _, all_seen in own
                for seen in all_seen
                for stratum in numbers[id(seen)].strata
            ]
        )
        launches[kernel] = pool([_between(cluster, seen, numbers) for cluster, seen in own])
    found = list[GroupEstimate]()
    for cluster, seen in groups:
        estimates = [
            _launch(places[id(one)], one, numbers[id(one)], epochs[cluster.kernel]) for one in seen
        ]
        ends = sqrt(1 / 12) * sum(numbers[id(one)].epoch_cycles for one in seen)
        found.append(_group(cluster, estimates, profiles, launches[cluster.kernel], ends))
    everything = sum(int(profile.warp_instructions.sum()) for profile in profiles)
    return program_of("tbpoint", gpu, clock_mhz, found, everything, cluster_seconds)


def _between(
    cluster: LaunchCluster, seen: Sequence[Observation], numbers: Mapping[int, LaunchNumbers]
) -> tuple[float, int]:
    """The relative variance of drawn launches' cycles about their ratio to instructions."""
    if len(seen) < 2 or len(seen) == len(cluster.members):
        return 0.0, 0
    work = np.array([float(one.profile.warp_instructions.sum()) for one in seen])
    cycles = np.array([numbers[id(one)].cycles for one in seen])
    ratio = cycles.sum() / work.sum()
    residuals = (cycles - ratio * work) / (ratio * work.mean())
    return float((residuals**2).sum()) / (len(seen) - 1), len(seen) - 1


def _launch(place: int, seen: Observation, found: LaunchNumbers, pooled: Pooled) -> LaunchEstimate:
    """A launch, with the variance of its strata by what the kernel's windows show."""
    parts = [Spread(0.0, CERTAIN)]
    for stratum in found.strata:
        if stratum.windows >= stratum.epochs:
            continue
        left = 1 - stratum.windows / stratum.epochs
        size = stratum.work * stratum.cpi
        variance = size * size * pooled.variance * left / stratum.windows
        parts.append(Spread(variance, pooled.freedom))
    variance = sum(part.variance for part in parts)
    freedom = CERTAIN if len(parts) == 1 else pooled.freedom
    blocks = sorted(seen.blocks)
    own = seen.profile.warp_instructions
    return LaunchEstimate(
        place, seen.profile.number, seen.profile.kernel, seen.profile.thread_blocks,
        int(own.sum()), ranges_of(blocks), int(own[blocks].sum()), found.cycles,
        Spread(variance, freedom), found.counts, _regions(seen), seen.seconds,
    )  # fmt: skip


def _regions(seen: Observation) -> tuple[Region, ...]:
    """Strata as regions: runs of their epochs."""
    size, found = seen.frame.size, list[Region]()
    of = {epoch: s.label for s in seen.frame.strata for epoch in s.epochs}
    for epoch in sorted(of):
        first, last = epoch * size, (epoch + 1) * size - 1
        if found and found[-1].number == of[epoch] and found[-1].last + 1 == first:
            found[-1] = Region(of[epoch], found[-1].first, last)
        else:
            found.append(Region(of[epoch], first, last))
    return tuple(found)


def ranges_of(blocks: Sequence[int]) -> tuple[BlockRange, ...]:
    """Ascending numbers as ranges."""
    found = list[BlockRange]()
    for block in blocks:
        if found and found[-1].end == block:
            found[-1] = BlockRange(found[-1].first, block + 1)
        else:
            found.append(BlockRange(block, block + 1))
    return tuple(found)


def _group(
    cluster: LaunchCluster, launches: Sequence[LaunchEstimate],
    profiles: Sequence[LaunchProfile], pooled: Pooled, ends: float,
) -> GroupEstimate:  # fmt: skip
    """``ends`` is the standard deviation, in cycles, of where in an epoch the launches end: it is
    the same for all, so it grows with them."""
    instructions = sum(int(profiles[n].warp_instructions.sum()) for n in cluster.members)
    drawn = sum(launch.instructions for launch in launches)
    scale = instructions / max(drawn, 1)
    cycles = sum(launch.cycles for launch in launches) * scale
    count, members = len(launches), len(cluster.members)
    own = pool_spreads([launch.spread for launch in launches])
    share = count / members
    within = Spread(own.variance * scale * scale * share, own.freedom)
    between = Spread(0.0, CERTAIN)
    if count < members:
        variance = cycles * cycles * pooled.variance * (1 - share) / count
        between = Spread(variance, pooled.freedom)
    last = Spread((ends * scale) ** 2, CERTAIN)
    return GroupEstimate(cluster, tuple(launches), instructions, cycles, within, between, last)

"""From launches and epochs that were drawn to the whole program, with its variance.

Ratio estimators by warp instructions in both stages; the variance of a drawn launch's own estimate
counts in full where all launches of its cluster were drawn, and is contained in the differences
between drawn launches elsewhere (Cochran, Sampling Techniques, 1977, equation 11.24 and after).
Two draws say little about a variance. Relative variances are therefore pooled over what is of the
same kernel; where launches differ by no more than their epochs make them, over both stages.

One thing is not drawn: by the end of a launch its thread blocks have drawn apart further than in
the sample. Blocks in step begin the last epoch together, of which a part f is there, and lose 1 - f
of an epoch; of blocks far apart the GPU empties over one, and loses a half. How far they are apart
is taken as uniform between the two: the loss is off by a deviation of |1/2 - f| / sqrt(3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, variance

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
from kcc.sim.sampling.observe import (
    LaunchNumbers,
    Observation,
    StratumEstimate,
    estimate_launch,
)
from kcc.sim.sampling.regions import Region

Group = tuple[LaunchCluster, list[Observation]]


@dataclass(frozen=True, slots=True)
class Pooled:
    """A relative variance and the degrees of freedom it rests on."""

    variance: float
    freedom: float


def pool(parts: Sequence[tuple[float, float]]) -> Pooled:
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
        epochs[kernel] = pool([part for _, seen in own for part in _within(seen, numbers)])
        launches[kernel] = _between(own, numbers, epochs[kernel])
    found = list[GroupEstimate]()
    for cluster, seen in groups:
        estimates = [
            _launch(places[id(one)], one, numbers[id(one)], epochs[cluster.kernel]) for one in seen
        ]
        ends = sum(_end_deviation(one, numbers[id(one)]) for one in seen)
        found.append(_group(cluster, estimates, profiles, launches[cluster.kernel], ends))
    everything = sum(int(profile.warp_instructions.sum()) for profile in profiles)
    return program_of("tbpoint", gpu, clock_mhz, found, everything, cluster_seconds)


def _within(
    seen: Sequence[Observation], numbers: Mapping[int, LaunchNumbers]
) -> Iterator[tuple[float, float]]:
    """The relative variances of epochs that a cluster's launches show: each by itself, and the
    launches one from another where one epoch of each was measured."""
    alone = dict[int, list[float]]()
    for stratum in (one for each in seen for one in numbers[id(each)].strata):
        if stratum.windows > 1:
            yield stratum.relative_variance, stratum.freedom
        elif stratum.epochs > 1:
            alone.setdefault(stratum.label, []).append(stratum.cpi)
    for cpis in alone.values():
        if len(cpis) > 1:
            yield variance(cpis) / mean(cpis) ** 2, len(cpis) - 1


def _between(
    groups: Sequence[Group], numbers: Mapping[int, LaunchNumbers], epochs: Pooled
) -> Pooled:
    """The relative variance of a kernel's drawn launches about their cluster's ratio of cycles to
    instructions. Where it is no larger than what their epochs explain, both say the same."""
    drawn = [(cluster, seen) for cluster, seen in groups if 1 < len(seen) < len(cluster.members)]
    found = pool([_apart(seen, numbers) for _, seen in drawn])
    explained = [_explained(numbers[id(one)], epochs) for _, seen in drawn for one in seen]
    if not explained or found.variance > mean(explained):
        return found
    return pool([(found.variance, found.freedom), (mean(explained), epochs.freedom)])


def _apart(
    seen: Sequence[Observation], numbers: Mapping[int, LaunchNumbers]
) -> tuple[float, float]:
    work = np.array([float(one.profile.warp_instructions.sum()) for one in seen])
    cycles = np.array([numbers[id(one)].cycles for one in seen])
    ratio = cycles.sum() / work.sum()
    residuals = (cycles - ratio * work) / (ratio * work.mean())
    return float((residuals**2).sum()) / (len(seen) - 1), len(seen) - 1


def _explained(found: LaunchNumbers, epochs: Pooled) -> float:
    """The relative variance that epochs left out give a launch."""
    return sum(_variance(one, epochs) for one in found.strata) / max(found.cycles, 1.0) ** 2


def _variance(stratum: StratumEstimate, epochs: Pooled) -> float:
    """Of the cycles of a stratum, in which some epochs were drawn."""
    left = 1 - stratum.windows / stratum.epochs
    return (stratum.work * stratum.cpi) ** 2 * epochs.variance * left / stratum.windows


def _end_deviation(seen: Observation, found: LaunchNumbers) -> float:
    """The standard deviation, in cycles, of what is lost at the end of a launch."""
    return found.epoch_cycles * abs(0.5 - seen.frame.last_epoch) / sqrt(3)


def _launch(place: int, seen: Observation, found: LaunchNumbers, pooled: Pooled) -> LaunchEstimate:
    """A launch, with the variance of its strata by what the kernel's windows show."""
    drawn = [stratum for stratum in found.strata if stratum.windows < stratum.epochs]
    spread = sum(_variance(stratum, pooled) for stratum in drawn)
    freedom = pooled.freedom if drawn else CERTAIN
    blocks = sorted(seen.blocks)
    own = seen.profile.warp_instructions
    return LaunchEstimate(
        place, seen.profile.number, seen.profile.kernel, seen.profile.thread_blocks,
        int(own.sum()), ranges_of(blocks), int(own[blocks].sum()), found.cycles,
        Spread(spread, freedom), found.counts, _regions(seen), seen.seconds,
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
    """``ends`` is the standard deviation, in cycles, of what the launches lose at their ends: it is
    the same in all, so it grows with them."""
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
        square = cycles * cycles * pooled.variance * (1 - share) / count
        between = Spread(square, pooled.freedom)
    last = Spread((ends * scale) ** 2, CERTAIN)
    return GroupEstimate(cluster, tuple(launches), instructions, cycles, within, between, last)

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

Nor is how far blocks are apart behind a jump. At the end of the head they run in step, and after
the jump about as far apart as over the whole launch. Where epochs at the end of the head differ
from those that were drawn by more than epochs do, the launch's are taken as uniform between the
two: a deviation of the difference over sqrt(12), the same in all launches of a cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from statistics import mean, variance

import numpy as np

from kcc.base.records import dataclass
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.estimate import (
    CERTAIN,
    LEVEL,
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

    @property
    def upper(self) -> float:
        """A standard error more, as normal numbers have it; 0 where nothing is known."""
        return self.variance * (1 + sqrt(2 / self.freedom)) if self.freedom > 0 else 0.0


PRIOR_LAUNCHES, PRIOR_EPOCHS = Pooled(0.0006**2, 0.40), Pooled(0.0067**2, 0.70)
"""How much launches of a cluster and epochs of a stratum of a kernel vary: relative variance, and
how many degrees of freedom that is worth. By `benchmarks.sampling_prior` over 43 kernels and 32 of
kernels/ at size small (V100, and two SMs of the text's machine), none of them of the workloads that
`benchmarks.sampling` measures."""


def moderated(found: Pooled, prior: Pooled) -> Pooled:
    """A variance with what those of other kernels say of it: two draws that happen to agree say
    little (Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004, section 3:
    the posterior mean under a scaled inverse chi-square prior). Nothing is known without draws."""
    freedom = found.freedom + prior.freedom
    if found.freedom <= 0:
        return found
    square = found.freedom * found.variance + prior.freedom * prior.variance
    return Pooled(square / freedom, freedom)


@dataclass(frozen=True, slots=True)
class Part:
    """A relative variance, its degrees of freedom, and the cycles of what it is of."""

    variance: float
    freedom: float
    cycles: float = 1.0


def pool(parts: Sequence[Part]) -> Pooled:
    """Variances as one, each by its cycles: launches of a kernel may vary differently, and those
    that take long are what it is for. Degrees of freedom by Satterthwaite, of equal variances."""
    weights = [part.cycles * part.freedom for part in parts]
    total = sum(weights)
    if total <= 0:
        return Pooled(0.0, 0.0)
    found = sum(weight * part.variance for weight, part in zip(weights, parts, strict=True))
    squares = sum(weight * part.cycles for weight, part in zip(weights, parts, strict=True))
    return Pooled(found / total, total**2 / squares)


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
        seen_epochs = pool([part for _, seen in own for part in _within(seen, numbers)])
        epochs[kernel] = moderated(seen_epochs, PRIOR_EPOCHS)
        between = _between(own, numbers, epochs[kernel])
        launches[kernel] = moderated(between, PRIOR_LAUNCHES)
    found = list[GroupEstimate]()
    for cluster, seen in groups:
        estimates = [
            _launch(places[id(one)], one, numbers[id(one)], epochs[cluster.kernel]) for one in seen
        ]
        own = epochs[cluster.kernel]
        ends = sum(_end_deviation(one, numbers[id(one)]) for one in seen)
        apart = sum(_step_deviation(one, numbers, own) for one in seen)
        ends = sqrt(ends**2 + apart**2)
        found.append(_group(cluster, estimates, profiles, launches[cluster.kernel], ends))
    everything = sum(int(profile.warp_instructions.sum()) for profile in profiles)
    return program_of("tbpoint", gpu, clock_mhz, found, everything, cluster_seconds)


def variance_of_epochs(seen: Sequence[Observation]) -> Pooled:
    """The relative variance that the epochs show which were drawn of launches so far."""
    found = [stratum for one in seen for stratum in estimate_launch(one).strata]
    return pool([_part(one) for one in found])


def _part(stratum: StratumEstimate) -> Part:
    return Part(stratum.relative_variance, stratum.freedom, stratum.work * stratum.cpi)


def _within(seen: Sequence[Observation], numbers: Mapping[int, LaunchNumbers]) -> Iterator[Part]:
    """The relative variances of epochs that a cluster's launches show: each by itself, and the
    launches one from another where one epoch of each was measured, or epochs were compared (that
    launches differ is then taken as epochs that do)."""
    alone = dict[int, list[StratumEstimate]]()
    for found in (numbers[id(each)] for each in seen):
        if found.pairs:
            yield Part(found.pairs * found.apart**2 / 2, 1.0, found.cycles)
    for stratum in (one for each in seen for one in numbers[id(each)].strata):
        if stratum.windows > 1:
            yield _part(stratum)
        elif stratum.epochs > 1:
            alone.setdefault(stratum.label, []).append(stratum)
    for own in alone.values():
        if len(own) > 1:
            cpis = [one.cpi for one in own]
            cycles = mean([one.work * one.cpi for one in own])
            yield Part(variance(cpis) / mean(cpis) ** 2, len(cpis) - 1, cycles)


def _between(
    groups: Sequence[Group], numbers: Mapping[int, LaunchNumbers], epochs: Pooled
) -> Pooled:
    """The relative variance of a kernel's drawn launches about their cluster's ratio of cycles to
    instructions. Where it is not larger than what their epochs explain, as far as it can be told
    (an F test), both say the same, and the larger one counts."""
    from scipy.special import fdtri

    drawn = [(cluster, seen) for cluster, seen in groups if 1 < len(seen) < len(cluster.members)]
    found = pool([_apart(seen, numbers) for _, seen in drawn])
    explained = [part for _, seen in drawn for part in _all_explained(seen, numbers, epochs)]
    if not explained or epochs.freedom <= 0:
        return found
    by_epochs = mean(explained)
    if found.variance <= by_epochs:
        return pool([Part(found.variance, found.freedom), Part(by_epochs, epochs.freedom)])
    ratio = fdtri(found.freedom, epochs.freedom, LEVEL)
    alike = found.variance <= by_epochs * ratio
    return Pooled(found.variance, found.freedom + (epochs.freedom if alike else 0.0))


def _apart(seen: Sequence[Observation], numbers: Mapping[int, LaunchNumbers]) -> Part:
    work = np.array([float(one.profile.warp_instructions.sum()) for one in seen])
    cycles = np.array([numbers[id(one)].cycles for one in seen])
    ratio = cycles.sum() / work.sum()
    residuals = (cycles - ratio * work) / (ratio * work.mean())
    between = float((residuals**2).sum()) / (len(seen) - 1)
    return Part(between, len(seen) - 1, float(cycles.sum()))


def _all_explained(
    seen: Sequence[Observation], numbers: Mapping[int, LaunchNumbers], epochs: Pooled
) -> list[float]:
    """Of launches of a cluster, by which they seem to differ. Where some were compared with one of
    them, what is not known of that one is in all alike."""
    found = [numbers[id(one)] for one in seen]
    compared = [one for one in found if one.pairs]
    return [_explained(one, epochs) for one in compared or found]


def _explained(found: LaunchNumbers, epochs: Pooled) -> float:
    """The relative variance that epochs left out give a launch, or the difference of those that
    were compared."""
    if found.pairs:
        return 2 * epochs.variance / found.pairs
    return sum(_variance(one, epochs) for one in found.strata) / max(found.cycles, 1.0) ** 2


def _variance(stratum: StratumEstimate, epochs: Pooled) -> float:
    """Of the cycles of a stratum, in which some epochs were drawn."""
    left = 1 - stratum.windows / stratum.epochs
    return (stratum.work * stratum.cpi) ** 2 * epochs.variance * left / stratum.windows


def _end_deviation(seen: Observation, found: LaunchNumbers) -> float:
    """The standard deviation, in cycles, of what is lost at the end of a launch."""
    return found.epoch_cycles * abs(0.5 - seen.frame.last_epoch) / sqrt(3)


def _step_deviation(
    seen: Observation, numbers: Mapping[int, LaunchNumbers], epochs: Pooled
) -> float:
    """The standard deviation, in cycles, that comes from how far blocks are apart in a launch of
    which epochs were drawn, or one was that it was compared with."""
    found = numbers[id(seen)]
    model = seen.model or seen
    if seen.whole is not None or model.whole is not None:
        return 0.0
    strata = numbers[id(model)].strata
    work, windows = sum(one.work for one in strata), sum(one.windows for one in strata)
    cpi = sum(one.work * one.cpi for one in strata) / max(work, 1.0)
    if not cpi or not model.head_cpi:
        return 0.0
    by_chance = epochs.variance * (1 + 1 / max(windows, 1))
    apart = max((model.head_cpi / cpi - 1) ** 2 - by_chance, 0.0)
    return found.cycles * sqrt(apart / 12)


def _launch(place: int, seen: Observation, found: LaunchNumbers, pooled: Pooled) -> LaunchEstimate:
    """A launch, with the variance of its strata by what the kernel's windows show."""
    partial = found.pairs or any(one.windows < one.epochs for one in found.strata)
    spread = _explained(found, pooled) * found.cycles**2
    freedom = pooled.freedom if partial else CERTAIN
    blocks = sorted(seen.blocks)
    own = seen.profile.warp_instructions
    return LaunchEstimate(
        place, seen.profile.number, seen.profile.kernel, seen.profile.thread_blocks,
        int(own.sum()), ranges_of(blocks), int(own[blocks].sum()), found.cycles,
        Spread(spread, freedom), found.counts, _regions(seen), seen.seconds, found.pairs > 0,
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
    """``ends`` is the standard deviation, in cycles, of what the launches lose at
    their ends: it is the same in all, so it grows with them."""
    instructions = sum(int(profiles[n].warp_instructions.sum()) for n in cluster.members)
    drawn = sum(launch.instructions for launch in launches)
    scale = instructions / max(drawn, 1)
    cycles = sum(launch.cycles for launch in launches) * scale
    count, members = len(launches), len(cluster.members)
    share = count / members
    within = _within_group(launches, scale, share)
    between = Spread(0.0, CERTAIN)
    if count < members:
        square = cycles * cycles * pooled.variance * (1 - share) / count
        between = Spread(square, pooled.freedom)
    last = Spread((ends * scale) ** 2, CERTAIN)
    return GroupEstimate(cluster, tuple(launches), instructions, cycles, within, between, last)


def _within_group(launches: Sequence[LaunchEstimate], scale: float, share: float) -> Spread:
    """What is not known of a launch that others were compared with is in all of these alike."""
    own = pool_spreads([launch.spread for launch in launches])
    models = [one for one in launches if not one.compared]
    others = [one for one in launches if one.compared]
    if not others:
        return Spread(own.variance * scale * scale * share, own.freedom)
    alike = sum(one.cycles for one in launches) / sum(one.cycles for one in models)
    variance = sum(one.spread.variance for one in models) * alike**2
    variance += sum(one.spread.variance for one in others) * share
    return Spread(variance * scale * scale, own.freedom)

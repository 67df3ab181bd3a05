"""What a sample says: of launches, and of the whole program."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.sim.cycle.layout import Stat
from kcc.sim.sampling.inter_launch import LaunchCluster
from kcc.sim.sampling.regions import Region

LEVEL = 0.95
"""Of intervals."""

CERTAIN = 1e6
"""Degrees of freedom of what was not sampled but simulated, or is known."""


@dataclass(frozen=True, slots=True)
class Spread:
    """How uncertain a number is: its variance, and the degrees of freedom that this rests on.
    No variance is known where ``freedom`` is 0."""

    variance: float = 0.0
    freedom: float = 0.0

    def half_width(self, level: float = LEVEL) -> float | None:
        """Of the interval by Student's t; None where no variance is known."""
        if self.freedom <= 0:
            return None
        from scipy.special import stdtrit

        return float(stdtrit(self.freedom, (1 + level) / 2)) * sqrt(self.variance)


def add_spreads(parts: list[Spread]) -> Spread:
    """Of a sum of independent numbers; the freedom is Satterthwaite's (Biometrics Bulletin 2,
    1946). A part of which no variance is known takes it from the whole."""
    variance = sum(part.variance for part in parts)
    if any(part.freedom <= 0 for part in parts):
        return Spread(variance, 0.0)
    if variance <= 0:
        return Spread(0.0, CERTAIN)
    squares = sum(part.variance**2 / part.freedom for part in parts)
    return Spread(variance, min(variance**2 / squares, CERTAIN) if squares > 0 else CERTAIN)


def pool_spreads(parts: list[Spread]) -> Spread:
    """Of a sum whose variances were all estimated together: the freedom does not grow."""
    uncertain = [part for part in parts if part.variance > 0 or part.freedom <= 0]
    if not uncertain:
        return Spread(0.0, CERTAIN)
    return Spread(sum(p.variance for p in uncertain), min(p.freedom for p in uncertain))


@dataclass(frozen=True, slots=True)
class BlockRange:
    """Thread blocks ``first`` to ``end`` (excluded)."""

    first: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class LaunchEstimate:
    """A launch that was simulated, in whole or in part.

    ``place`` is its place in the trace, ``instructions`` the warp instructions of the profile,
    ``counts`` the simulator's counts (:class:`~kcc.sim.cycle.layout.Stat`) for the whole launch.
    ``seconds`` of CPU time."""

    place: int
    number: int
    kernel: str
    thread_blocks: int
    instructions: int
    simulated: tuple[BlockRange, ...]
    simulated_instructions: int
    cycles: float
    spread: Spread
    counts: NDArray[np.float64]
    regions: tuple[Region, ...]
    seconds: float
    compared: bool = False
    """A few epochs were simulated, to be compared with those of another launch of the cluster."""


@dataclass(frozen=True, slots=True)
class GroupEstimate:
    """A cluster of launches: what its simulated ones say of all. ``within`` is the spread that
    comes from thread blocks that were left out of them, ``between`` from other launches; the
    variances of a kernel's groups were estimated together. ``ends`` comes from where in an epoch
    launches end."""

    cluster: LaunchCluster
    launches: tuple[LaunchEstimate, ...]
    instructions: int
    cycles: float
    within: Spread
    between: Spread
    ends: Spread = Spread(0.0, CERTAIN)

    @property
    def alone(self) -> tuple[LaunchEstimate, ...]:
        """The launches that were simulated so that they stand for themselves."""
        return tuple(launch for launch in self.launches if not launch.compared)


@dataclass(frozen=True, slots=True)
class ProgramEstimate:
    """The whole. ``method`` is ``tbpoint`` or ``tbpoint-ipdps14``; times are of CPU."""

    method: str
    gpu: str
    clock_mhz: float
    groups: tuple[GroupEstimate, ...]
    instructions: int
    simulated_instructions: int
    skipped_between: int
    """Instructions of launches that were not simulated."""
    skipped_within: int
    """Instructions of thread blocks that were not, of the other launches."""
    cycles: float
    spread: Spread
    counts: NDArray[np.float64]
    cluster_seconds: float
    simulate_seconds: float

    @property
    def sample_size(self) -> float:
        """Simulated warp instructions over all."""
        return self.simulated_instructions / self.instructions if self.instructions else 0.0

    @property
    def time_us(self) -> float:
        return self.cycles / self.clock_mhz

    @property
    def half_width(self) -> float | None:
        """Of the interval of ``cycles``; None where the method knows none."""
        return self.spread.half_width()

    @property
    def ipc(self) -> float:
        """Machine instructions per cycle of the whole GPU."""
        return float(self.counts[Stat.ISSUED]) / self.cycles if self.cycles else 0.0

    def miss_rate(self, level: str) -> float | None:
        """Misses over accesses of L1 or L2; None without accesses."""
        return miss_rate(self.counts, level)


def miss_rate(counts: NDArray[np.float64] | NDArray[np.int64], level: str) -> float | None:
    """Misses over accesses of L1 or L2. What finds a miss under way is no hit."""
    asked, found = (
        (Stat.L1_SECTORS, Stat.L1_HITS) if level == "L1" else (Stat.L2_READS, Stat.L2_READ_HITS)
    )
    return 1 - float(counts[found]) / float(counts[asked]) if counts[asked] else None


def program_of(
    method: str, gpu: str, clock_mhz: float, groups: list[GroupEstimate], instructions: int,
    cluster_seconds: float,
) -> ProgramEstimate:  # fmt: skip
    """Add up the groups."""
    launches = [launch for group in groups for launch in group.launches]
    simulated = sum(launch.simulated_instructions for launch in launches)
    touched = sum(launch.instructions for launch in launches)
    return ProgramEstimate(
        method, gpu, clock_mhz, tuple(groups), instructions, simulated, instructions - touched,
        touched - simulated, sum(group.cycles for group in groups),
        _spread(groups), _counts(groups), cluster_seconds,
        sum(launch.seconds for launch in launches),
    )  # fmt: skip


def _spread(groups: list[GroupEstimate]) -> Spread:
    parts = [group.ends for group in groups]
    for kernel in dict.fromkeys(group.cluster.kernel for group in groups):
        own = [group for group in groups if group.cluster.kernel == kernel]
        parts.append(pool_spreads([group.within for group in own]))
        parts.append(pool_spreads([group.between for group in own]))
    return add_spreads(parts)


def _counts(groups: list[GroupEstimate]) -> NDArray[np.float64]:
    """Counts of all launches: each group's simulated ones stand for the others by their
    instructions."""
    total = np.zeros(len(Stat))
    for group in groups:
        own = sum(launch.instructions for launch in group.launches)
        counts = np.sum([launch.counts for launch in group.launches], axis=0)
        total += counts * (group.instructions / max(own, 1))
    return total

"""What reports of simulations speak of: the launches of one source in one configuration."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from kcc.base.advice import Advice
from kcc.base.gpu.needs import Assumption
from kcc.base.records import dataclass
from kcc.report.simulation.kept import remembered
from kcc.sim.result import LineTiming, Timing


@dataclass(frozen=True, slots=True)
class SimulationRun:
    """All launches on one GPU; ``settings`` are the KEY=VALUE of --set and --sweep. ``tried`` is
    advice whose change was simulated; ``without_conflicts_us`` what the run saved when simulated
    without bank conflicts, None where it was not."""

    settings: tuple[str, ...]
    timings: Sequence[Timing]
    tried: tuple[Advice, ...] = ()
    without_conflicts_us: float | None = None

    @property
    def gpu(self) -> str:
        return self.timings[0].gpu

    @property
    def label(self) -> str:
        """How the configuration is called."""
        return " ".join((self.gpu, *self.settings))

    @property
    def cycles(self) -> float:
        return totals_of(self.timings).cycles

    @property
    def time_us(self) -> float:
        return totals_of(self.timings).time_us

    @property
    def issued(self) -> float:
        return totals_of(self.timings).issued

    @property
    def ipc(self) -> float:
        return self.issued / self.cycles if self.cycles else 0.0

    def hit_rate(self, level: str) -> float | None:
        """Of all launches; None where the level is not asked."""
        return hit_rate(self.timings, level)

    @property
    def limiter(self) -> str:
        """The cause with the most cycles."""
        return largest(added(self.timings))


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A configuration that cannot be simulated."""

    gpu: str
    settings: tuple[str, ...]
    reason: str

    @property
    def label(self) -> str:
        """As of a run."""
        return " ".join((self.gpu, *self.settings))


@dataclass(slots=True)
class LineSum:
    """A line of the source over several launches."""

    file: str
    line: int
    cycles: float = 0
    executed: float = 0
    sectors: float = 0
    l1_hits: float = 0
    l2_hits: float = 0
    dram_sectors: float = 0
    passes: float = 0
    requests: float = 0
    local_requests: float = 0
    excess_sectors: float = 0
    excess_passes: float = 0
    stack: dict[str, float] = field(default_factory=dict[str, float])

    def add(self, own: LineTiming) -> None:
        """One launch more."""
        self.cycles += own.cycles
        self.executed += own.executed
        self.sectors += own.sectors
        self.l1_hits += own.l1_hits
        self.l2_hits += own.l2_hits
        self.dram_sectors += own.dram_sectors
        self.passes += own.passes
        self.requests += own.requests
        self.local_requests += own.local_requests
        self.excess_sectors += own.excess_sectors
        self.excess_passes += own.excess_passes
        for part in own.stack:
            self.stack[part.name] = self.stack.get(part.name, 0) + part.cycles


IDLE = frozenset({"idle", "IDLE"})
"""Causes that are no warp."""


@dataclass(slots=True)
class Totals:
    """What launches add up to. ``stack`` are scheduler cycles by cause, ``caches`` accesses and
    hits by level; ``longest`` took most time, ``idlest`` has most scheduler cycles without a
    warp."""

    cycles: float = 0
    time_us: float = 0
    issued: float = 0
    stack: dict[str, float] = field(default_factory=dict[str, float])
    lines: dict[tuple[str, int], LineSum] = field(default_factory=dict[tuple[str, int], LineSum])
    caches: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    warps: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    """Resident warps and how many fit."""
    confidence: dict[str, None] = field(default_factory=dict[str, None])
    codes: dict[str, None] = field(default_factory=dict[str, None])
    """Whose machine code was timed."""
    assumptions: dict[Assumption, None] = field(default_factory=dict[Assumption, None])
    longest: Timing | None = None
    idlest: Timing | None = None

    def add(self, t: Timing) -> None:
        """One launch more."""
        self.cycles += t.cycles
        self.time_us += t.time_us
        self.issued += t.issued
        for part in t.stack:
            self.stack[part.name] = self.stack.get(part.name, 0) + part.cycles
        for line in t.lines:
            place = line.file, line.line
            self.lines.setdefault(place, LineSum(*place)).add(line)
        for cache in t.caches:
            accesses, hits = self.caches.get(cache.level, (0, 0))
            self.caches[cache.level] = accesses + cache.accesses, hits + cache.hits
        self.warps.add((t.occupancy.warps, t.occupancy.max_warps))
        self.confidence |= dict.fromkeys(t.confidence)
        self.codes[t.code] = None
        self.assumptions |= dict.fromkeys(t.assumptions)
        if self.longest is None or t.time_us > self.longest.time_us:
            self.longest = t
        if self.idlest is None or idle_cycles(t) > idle_cycles(self.idlest):
            self.idlest = t


def totals_of(timings: Iterable[Timing]) -> Totals:
    """What launches add up to; found once of those that lie in a file."""
    return remembered(timings, Totals, _totals)


def _totals(timings: Iterable[Timing]) -> Totals:
    found = Totals()
    for t in timings:
        found.add(t)
    return found


def idle_cycles(t: Timing) -> float:
    """Scheduler cycles without a warp."""
    return math.fsum(part.cycles for part in t.stack if part.name in IDLE)


def lines_of(timings: Iterable[Timing]) -> list[LineSum]:
    """The lines, those with the most cycles first; line 0 is what belongs to none."""
    found = totals_of(timings).lines.values()
    return sorted(found, key=lambda s: (-s.cycles, s.file, s.line))


def added(timings: Iterable[Timing]) -> dict[str, float]:
    """Scheduler cycles by cause."""
    return dict(totals_of(timings).stack)


def largest(parts: dict[str, float]) -> str:
    """The part with the most cycles, "" without any."""
    return max(parts, key=lambda name: parts[name]) if parts else ""


def hit_rate(timings: Iterable[Timing], level: str) -> float | None:
    """Hits over accesses; None without accesses."""
    accesses, hits = totals_of(timings).caches.get(level, (0, 0))
    return hits / accesses if accesses else None


def resident_warps(timing: Timing, edges: NDArray[np.floating]) -> NDArray[np.float64]:
    """Mean resident warps by SM and piece of time, of the thread blocks whose times are known;
    ``edges`` are the first cycles of the pieces and the end of the last."""
    found = np.zeros((timing.sms, len(edges) - 1))
    lengths = np.maximum(np.diff(edges), 1e-9)
    warps = timing.occupancy.warps_per_block
    for block in timing.blocks:
        first, last = np.searchsorted(edges, (block.start, block.end), "right").tolist()
        first, last = max(first - 1, 0), min(last, len(edges) - 1)
        inside = np.minimum(edges[first + 1 : last + 1], block.end) - np.maximum(
            edges[first:last], block.start
        )
        found[block.sm, first:last] += warps * np.clip(inside, 0, None) / lengths[first:last]
    return found

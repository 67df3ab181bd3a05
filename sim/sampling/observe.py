"""Simulates the steps of a plan, and estimates a launch from what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.feeding import LaunchRun, Snapshot
from kcc.sim.sampling.plan import Frame, Phase, Step, is_head_enough
from kcc.sim.sampling.warming import first_to_replay, replay, requests_wanted


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """An epoch that was measured: of which stratum (place in the frame), which, and what."""

    stratum: int
    epoch: int
    measured: Snapshot

    @property
    def cpi(self) -> float:
        return self.measured.clock / max(self.measured.executed, 1)


@dataclass(slots=True, eq=False)
class Observation:
    """What is known of one launch. ``whole`` is its end where it was simulated in whole."""

    frame: Frame
    profile: LaunchProfile
    windows: list[Window] = field(default_factory=list[Window])
    blocks: set[int] = field(default_factory=set[int])
    ends: list[Snapshot] = field(default_factory=list[Snapshot])
    whole: Snapshot | None = None
    executed: int = 0
    profiled: int = 0
    """Warp instructions executed in all runs, and those of their thread blocks by the profile."""
    seconds: float = 0.0

    def drawn(self, stratum: int) -> list[int]:
        """The epochs measured of a stratum."""
        return [window.epoch for window in self.windows if window.stratum == stratum]


def simulate_head(run: LaunchRun, epochs: int, size: int) -> list[Snapshot]:
    """The first epochs, until they are as fast as one another or enough; what each measured."""
    found, before = list[Snapshot](), run.snapshot()
    blocks = run.launch.launch.thread_blocks
    for first in range(0, blocks, size):
        after = run.simulate(first, min(first + size, blocks))
        found.append(after.since(before))
        before = after
        if is_head_enough([one.clock / max(one.executed, 1) for one in found], epochs):
            break
    return found


def observe(run: LaunchRun, steps: Sequence[Step], seen: Observation, *, functional: bool) -> None:
    """Simulate the steps in order and add what they show; ``functional``: L2 sees what lies
    between them."""
    before, at = run.snapshot(), len(run.blocks)
    for step in steps:
        if functional and step.first > at:
            first = first_to_replay(seen.profile, at, step.first, requests_wanted(run.simulation))
            replay(run.simulation, run.launch, first, step.first)
        at = step.end
        after = run.simulate(step.first, step.end)
        if step.phase is Phase.MEASURE:
            epoch = step.first // seen.frame.size
            seen.windows.append(Window(step.stratum, epoch, after.since(before)))
        if step.phase is not Phase.TAIL:
            before = after
    _, end = run.finish()
    if steps and steps[-1].phase is Phase.TAIL:
        seen.ends.append(end.since(before))
    _note(run, seen, end)


def observe_whole(run: LaunchRun, seen: Observation) -> None:
    """Simulate all that is left of the launch."""
    run.simulate(len(run.blocks), seen.frame.thread_blocks)
    _, seen.whole = run.finish()
    _note(run, seen, seen.whole)


def _note(run: LaunchRun, seen: Observation, end: Snapshot) -> None:
    seen.executed += end.executed
    seen.profiled += int(seen.profile.warp_instructions[run.blocks].sum())
    seen.blocks.update(run.blocks)


@dataclass(frozen=True, slots=True, eq=False)
class StratumEstimate:
    """Of one stratum of a launch: cycles per instruction by its windows, how much of it there is,
    and the variance that its windows show of the CPI of one, relative to the mean."""

    stratum: int
    epochs: int
    windows: int
    work: float
    cpi: float
    relative_variance: float

    @property
    def freedom(self) -> int:
        return self.windows - 1 if self.windows < self.epochs else 0


@dataclass(frozen=True, slots=True, eq=False)
class LaunchNumbers:
    """Cycles and counts of a launch, and the strata they rest on."""

    cycles: float
    counts: NDArray[np.float64]
    strata: tuple[StratumEstimate, ...]
    epoch_cycles: float = 0.0
    """Of an epoch, where the launch was simulated in part."""


def estimate_launch(seen: Observation) -> LaunchNumbers:
    """Head and tail as they were; each stratum by its windows' cycles per instruction.

    This is the ratio estimator (Cochran, Sampling Techniques, 1977, chapter 6), with the warp
    instructions, that the profile knows of all, as what goes along with cycles."""
    if seen.whole is not None:
        return LaunchNumbers(seen.whole.clock, seen.whole.counts.astype(np.float64), ())
    made = seen.executed / max(seen.profiled, 1)
    everything = float(seen.profile.warp_instructions.sum()) * made
    ends = sum(end.executed for end in seen.ends)
    cycles = float(sum(end.clock for end in seen.ends))
    counts = np.sum([end.counts for end in seen.ends], axis=0).astype(np.float64)
    inner = float(sum(stratum.work for stratum in seen.frame.strata)) or 1.0
    between = max(everything - ends, 0.0)
    found = list[StratumEstimate]()
    for place, stratum in enumerate(seen.frame.strata):
        work = between * (stratum.work / inner)
        windows = [w for w in seen.windows if w.stratum == place]
        one = _stratum(place, len(stratum.epochs), windows, work)
        executed = max(sum(w.measured.executed for w in windows), 1)
        cycles += one.work * one.cpi
        counts += np.sum([w.measured.counts for w in windows], axis=0) * (work / executed)
        found.append(one)
    measured = [window.measured.clock for window in seen.windows]
    epoch = sum(measured) / max(len(measured), 1)
    return LaunchNumbers(cycles, counts, tuple(found), epoch)


def _stratum(place: int, epochs: int, windows: Sequence[Window], work: float) -> StratumEstimate:
    cycles = np.array([w.measured.clock for w in windows], np.float64)
    executed = np.array([max(w.measured.executed, 1) for w in windows], np.float64)
    cpi = float(cycles.sum() / executed.sum())
    variance = 0.0
    if len(windows) > 1 and cpi:
        residuals = (cycles - cpi * executed) / (cpi * executed.mean())
        variance = float((residuals**2).sum()) / (len(windows) - 1)
    return StratumEstimate(place, epochs, len(windows), work, cpi, variance)

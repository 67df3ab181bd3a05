"""Simulates the steps of a plan, and estimates a launch from what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.dispersion import delays, simulate_apart
from kcc.sim.sampling.feeding import LaunchRun, Snapshot
from kcc.sim.sampling.plan import MOST_HEAD, Frame, Phase, Step, Stratum, is_head_enough
from kcc.sim.sampling.warming import first_to_replay, replay, requests_wanted


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """An epoch that was measured: of which stratum (place in the frame), which, and what."""

    stratum: int
    epoch: int
    measured: Snapshot


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

    head_epoch_cycles: int = 0
    """Of the last epoch of the head."""
    head_cpi: float = 0.0
    """Cycles per instruction of the same."""
    deviation: float = 0.0
    """Of the durations, in cycles, of thread blocks that begin together."""
    model: Observation | None = None
    """The launch of its cluster that it is compared with, where a few epochs were simulated for no
    more than that."""

    def drawn(self, stratum: int) -> list[int]:
        """The epochs measured of a stratum."""
        return [window.epoch for window in self.windows if window.stratum == stratum]


def simulate_head(
    run: LaunchRun, epochs: int, size: int, longest: int = MOST_HEAD
) -> list[Snapshot]:
    """The first epochs, until they are as fast as one another or enough; what each measured."""
    found, before = list[Snapshot](), run.snapshot()
    blocks = run.launch.launch.thread_blocks
    for first in range(0, blocks, size):
        after = run.simulate(first, min(first + size, blocks))
        found.append(after.since(before))
        before = after
        if len(found) >= longest or is_head_enough([one.cpi for one in found], epochs):
            break
    return found


def observe(
    run: LaunchRun, steps: Sequence[Step], seen: Observation, random: np.random.Generator, *,
    functional: bool,
) -> None:  # fmt: skip
    """Simulate the steps in order and add what they show; ``functional``: L2 sees what lies
    between them."""
    before, at = run.snapshot(), len(run.blocks)
    waits = _waits(seen, random)
    for step in steps:
        if functional and step.first > at:
            first = first_to_replay(seen.profile, at, step.first, requests_wanted(run.simulation))
            replay(run.simulation, run.launch, first, step.first)
        at = step.end
        if step.phase is Phase.DISPERSE:
            simulate_apart(run, step.first, step.end, waits)
            before = run.snapshot()
            continue
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


MEAN_WALK = 4 / 9
"""The square root of this is the mean of square roots from 0 to 1."""


def _waits(seen: Observation, random: np.random.Generator) -> NDArray[np.int64]:
    """What blocks wait to be as far apart as they are in the mean over the launch."""
    size = seen.frame.size
    steps = MEAN_WALK * seen.frame.thread_blocks / size
    return delays(seen.deviation, steps, seen.head_epoch_cycles, size, random)


def observe_whole(run: LaunchRun, seen: Observation) -> None:
    """Simulate all that is left of the launch. Its epochs say how much those of its kernel vary."""
    frame = seen.frame
    strata = {epoch: n for n, stratum in enumerate(frame.strata) for epoch in stratum.epochs}
    seen.windows.clear()
    before = run.snapshot()
    for epoch in range(len(run.blocks) // frame.size, frame.tail // frame.size):
        after = run.simulate(epoch * frame.size, (epoch + 1) * frame.size)
        if epoch in strata:
            seen.windows.append(Window(strata[epoch], epoch, after.since(before)))
        before = after
    run.simulate(len(run.blocks), frame.thread_blocks)
    _, seen.whole = run.finish()
    _note(run, seen, seen.whole)


def _note(run: LaunchRun, seen: Observation, end: Snapshot) -> None:
    seen.executed += end.executed
    seen.profiled += int(seen.profile.warp_instructions[run.blocks].sum())
    seen.blocks.update(run.blocks)


@dataclass(frozen=True, slots=True, eq=False)
class StratumEstimate:
    """Of one stratum of a launch: cycles per instruction by its windows, how much of it there is,
    and the variance that its windows show of the CPI of one, relative to the mean, with the degrees
    of freedom that it rests on."""

    label: int
    epochs: int
    windows: int
    work: float
    cpi: float
    relative_variance: float
    freedom: float


@dataclass(frozen=True, slots=True, eq=False)
class LaunchNumbers:
    """Cycles and counts of a launch, and the strata they rest on."""

    cycles: float
    counts: NDArray[np.float64]
    strata: tuple[StratumEstimate, ...]
    epoch_cycles: float = 0.0
    """Of an epoch, where the launch was simulated in part."""
    pairs: int = 0
    """Epochs that were compared with those of another launch, which all else is taken from."""
    apart: float = 0.0
    """By how much they took longer, relatively."""


def estimate_launch(seen: Observation) -> LaunchNumbers:
    """A launch from what was measured of it, and of another of its cluster."""
    if seen.model is not None and seen.whole is None:
        return _estimate_by_model(seen, seen.model)
    return _estimate_alone(seen)


def _estimate_by_model(seen: Observation, model: Observation) -> LaunchNumbers:
    """The head as it was; all that follows takes what it does in the other launch, times the ratio
    of the cycles per instruction of the epochs that were measured in both.

    What epochs of a cluster's launches have in common cancels: that they drift over the launch, and
    what a jump before them does."""
    found = _estimate_alone(model)
    other = _common_windows(seen, model)
    ratio = _cpi(seen.windows) / _cpi(other)
    instructions, made = _instructions(seen), _instructions(model)
    first = model.ends[0] if model.ends else Snapshot(0, 0, found.counts.astype(np.int64))
    rest = (found.cycles - first.clock) / max(made - first.executed, 1.0)
    head = seen.ends[0]
    cycles = head.clock + (instructions - head.executed) * rest * ratio
    counts = found.counts * (instructions / max(made, 1.0))
    return LaunchNumbers(
        cycles, counts, (), found.epoch_cycles * ratio, len(seen.windows), ratio - 1
    )


def _common_windows(seen: Observation, model: Observation) -> list[Window]:
    epochs = {window.epoch for window in seen.windows}
    return [window for window in model.windows if window.epoch in epochs]


def _cpi(windows: Sequence[Window]) -> float:
    executed = sum(window.measured.executed for window in windows)
    return max(sum(window.measured.clock for window in windows), 1) / max(executed, 1)


def _instructions(seen: Observation) -> float:
    """That a launch executes, of those that the profile knows."""
    made = seen.executed / max(seen.profiled, 1)
    return float(seen.profile.warp_instructions.sum()) * made


def _estimate_alone(seen: Observation) -> LaunchNumbers:
    """Head and tail as they were; each stratum by its windows' cycles per instruction.

    This is the ratio estimator (Cochran, Sampling Techniques, 1977, chapter 6), with the warp
    instructions, that the profile knows of all, as what goes along with cycles."""
    if seen.whole is not None:
        counts = seen.whole.counts.astype(np.float64)
        return LaunchNumbers(seen.whole.clock, counts, tuple(_strata(seen, 1.0)))
    everything = _instructions(seen)
    ends = sum(end.executed for end in seen.ends)
    cycles = float(sum(end.clock for end in seen.ends))
    counts = np.sum([end.counts for end in seen.ends], axis=0).astype(np.float64)
    inner = float(sum(stratum.work for stratum in seen.frame.strata)) or 1.0
    between = max(everything - ends, 0.0)
    found = tuple(_strata(seen, between / inner))
    for place, one in enumerate(found):
        measured = [w.measured for w in seen.windows if w.stratum == place]
        executed = max(sum(each.executed for each in measured), 1)
        cycles += one.work * one.cpi
        counts += np.sum([each.counts for each in measured], axis=0) * (one.work / executed)
    epoch = sum(w.measured.clock for w in seen.windows) / max(len(seen.windows), 1)
    return LaunchNumbers(cycles, counts, found, epoch)


def _strata(seen: Observation, made: float) -> Iterator[StratumEstimate]:
    """``made``: instructions executed over those of the profile."""
    for place, stratum in enumerate(seen.frame.strata):
        windows = [window for window in seen.windows if window.stratum == place]
        yield estimate_stratum(stratum, windows, stratum.work * made)


def estimate_stratum(stratum: Stratum, windows: Sequence[Window], work: float) -> StratumEstimate:
    """A stratum by its windows, which lie one in each of equal runs of epochs.

    Neighbours differ by less of a drift over the launch than any two do, and so does the mean
    square of successive differences, which is used (Wolter, Introduction to Variance Estimation,
    2007, section 8.2; degrees of freedom by von Neumann, Annals of Mathematical Statistics 12,
    1941)."""
    ordered = sorted(windows, key=lambda window: window.epoch)
    cycles = np.array([w.measured.clock for w in ordered], np.float64)
    executed = np.array([max(w.measured.executed, 1) for w in ordered], np.float64)
    cpi = float(cycles.sum() / executed.sum())
    pairs, epochs = len(ordered) - 1, len(stratum.epochs)
    if pairs < 1 or not cpi:
        return StratumEstimate(stratum.label, epochs, len(ordered), work, cpi, 0.0, 0.0)
    residuals = (cycles - cpi * executed) / (cpi * executed.mean())
    variance = float((np.diff(residuals) ** 2).sum()) / (2 * pairs)
    freedom = 2 * pairs**2 / (3 * pairs - 1)
    return StratumEstimate(stratum.label, epochs, len(ordered), work, cpi, variance, freedom)

"""How often sampling's intervals hold the truth: many seeds, of units that are simulated once.

    for w in kernels/*/workload.py: kcc trace $w --size small -o traces/NAME.kct
    python -m benchmarks.sampling_coverage --traces traces --gpu macsim-fermi-tbpoint \
        --set sm_count=2 [--seeds 50] [--journal coverage.csv]

Each trace is simulated in full and cut at the epochs of each launch. The sampler draws as ever,
and is handed what its epochs took in the full simulation: what is measured are the draws and their
variances. What a jump does to the epoch behind it is not in it (`benchmarks.sampling` has that).
Programs of which the sampler simulates all have no interval to hold anything and are listed apart.
With --covariates: how far the cycles of launches of a cluster are from a ratio to their warp
instructions, to their requests, to the mean of both, and from one another.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.base.gpu import load_gpu
from kcc.base.gpu.description import GpuDescription
from kcc.base.trace.reader import LaunchTrace, TraceFile, open_trace
from kcc.sim.cycle.launch import CycleSimulator
from kcc.sim.cycle.layout import Conf, Stat
from kcc.sim.sampling.block_profile import LaunchProfile, profile_launch
from kcc.sim.sampling.feeding import LaunchRun, Snapshot
from kcc.sim.sampling.inter_launch import cluster_launches
from kcc.sim.sampling.stratified import StratifiedOptions, StratifiedSampler

MOST_INSTRUCTIONS = 100_000_000
SEEDS = 50
SAMPLED = 0.999
"""A share of a program beyond which all of it was simulated."""


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """A launch that was simulated in whole: ``clocks`` is when its first ``size``, twice as many,
    and so on, thread blocks had been dispatched, the last its end. ``work`` is what its first
    blocks execute, by the profile and in all as in the simulation: what of them is in flight when
    the next is wanted is theirs."""

    size: int
    clock_mhz: float
    clocks: NDArray[np.int64]
    work: NDArray[np.float64]
    log: NDArray[np.int64]

    @property
    def thread_blocks(self) -> int:
        return len(self.work) - 1

    def clock(self, block: int) -> int:
        """When ``block`` was wanted; between two marks by their share of blocks."""
        whole, rest = divmod(block, self.size)
        width = min(self.size, self.thread_blocks - whole * self.size)
        before, after = self.clocks[whole], self.clocks[min(whole + 1, len(self.clocks) - 2)]
        return int(before + (rest * (after - before) / width if rest else 0))


class RecordedRun:
    """Hands out what thread blocks took in the full simulation, as a :class:`LaunchRun`."""

    def __init__(self, launch: LaunchTrace, recorded: Recorded) -> None:
        self.launch, self._recorded = launch, recorded
        self.blocks = list[int]()
        self.occupancy = recorded.size
        machine = SimpleNamespace(clock_mhz=recorded.clock_mhz, conf={Conf.BLOCK_START: 0})
        self.simulation: Any = SimpleNamespace(machine=machine, log=recorded.log)
        self._clock, self._executed = 0, 0.0

    def simulate(self, first: int, end: int) -> Snapshot:
        """Thread blocks ``first`` to ``end`` (excluded)."""
        own = self._recorded
        self._clock += own.clock(end) - own.clock(first)
        self._executed += float(own.work[end] - own.work[first])
        self.blocks.extend(range(first, end))
        return self.snapshot()

    def snapshot(self) -> Snapshot:
        """How far it is."""
        return Snapshot(self._clock, round(self._executed), np.zeros(len(Stat), np.int64))

    def finish(self) -> tuple[None, Snapshot]:
        """What remains behind the last thread block, where that was simulated."""
        own = self._recorded
        if self.blocks and self.blocks[-1] == own.thread_blocks - 1:
            self._clock += int(own.clocks[-1] - own.clocks[-2])
        return None, self.snapshot()


class RecordedSampler(StratifiedSampler):
    """Draws as ever, and simulates nothing."""

    recorded: Sequence[Recorded] = ()

    def _begin(self, place: int) -> LaunchRun:
        return RecordedRun(self.traces[place], self.recorded[place])  # type: ignore[return-value]


def record(
    trace: TraceFile, profiles: Sequence[LaunchProfile], gpu: GpuDescription
) -> list[Recorded]:
    """The full simulation of a trace."""
    simulator, found = CycleSimulator(gpu, None), list[Recorded]()
    for launch, profile in zip(trace.launches, profiles, strict=True):
        run = LaunchRun(simulator, launch, log_all=True)
        size, blocks = run.occupancy, launch.launch.thread_blocks
        clocks = [0]
        clocks += [run.simulate(a, min(a + size, blocks)).clock for a in range(0, blocks, size)]
        log, mhz = run.simulation.log.copy(), run.simulation.machine.clock_mhz
        end = run.finish()[1]
        work = np.concatenate([[0], np.cumsum(profile.warp_instructions)]).astype(np.float64)
        work *= end.executed / max(work[-1], 1.0)
        found.append(Recorded(size, mhz, np.array([*clocks, end.clock]), work, log))
    return found


@dataclass(frozen=True, slots=True)
class Drawn:
    """What one seed says."""

    error: float
    half_width: float
    sample: float


def drawn(
    traces: Sequence[LaunchTrace], profiles: Sequence[LaunchProfile], gpu: GpuDescription,
    recorded: Sequence[Recorded], seed: int,
) -> Drawn:  # fmt: skip
    """One draw of a program."""
    options = StratifiedOptions(functional=False, seed=seed)
    sampler = RecordedSampler(traces, profiles, gpu, None, options)
    sampler.recorded = recorded
    found, truth = sampler.run(), sum(int(one.clocks[-1]) for one in recorded)
    half = found.half_width
    return Drawn(
        found.cycles / truth - 1, (float("nan") if half is None else half) / truth,
        found.sample_size,
    )  # fmt: skip


def main() -> None:
    """Record, draw and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--gpu", default="macsim-fermi-tbpoint")
    parser.add_argument("--set", dest="overrides", action="append", default=[])
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--workloads", default="", help="names, by commas; all")
    parser.add_argument("--most", type=int, default=MOST_INSTRUCTIONS, help="instructions of one")
    parser.add_argument("--journal", type=Path, help="a row for each seed (CSV)")
    parser.add_argument("--covariates", action="store_true", help="what goes along with cycles")
    arguments = parser.parse_args()
    gpu = load_gpu(arguments.gpu, arguments.overrides)
    names = arguments.workloads.split(",") if arguments.workloads else None
    coverage, whole = list[float](), list[str]()
    for path in sorted(arguments.traces.glob("*.kct")):
        if names is not None and path.stem not in names:
            continue
        with open_trace(path) as trace:
            profiles = [profile_launch(one) for one in trace.launches]
            if sum(int(p.warp_instructions.sum()) for p in profiles) > arguments.most:
                continue
            recorded = record(trace, profiles, gpu)
            if arguments.covariates:
                _print_covariates(path.stem, profiles, recorded)
                continue
            seeds = range(arguments.seeds)
            rows = [drawn(trace.launches, profiles, gpu, recorded, n) for n in seeds]
        if arguments.journal:
            _write(arguments.journal, path.stem, arguments.overrides, rows)
        if all(one.sample >= SAMPLED for one in rows):
            whole.append(path.stem)
            continue
        held = mean(abs(one.error) <= one.half_width + 1e-12 for one in rows)
        coverage.append(held)
        sys.stdout.write(
            f"| {path.stem} | {len(profiles)} | {100 * held:.0f} % "
            f"| {100 * mean(abs(one.error) for one in rows):.2f} % "
            f"| {100 * median(one.half_width for one in rows):.2f} % "
            f"| {100 * mean(one.sample for one in rows):.1f} % |\n"
        )
        sys.stdout.flush()
    if coverage:
        least = 100 * min(coverage)
        sys.stdout.write(
            f"{len(coverage)} programs x {arguments.seeds} seeds: intervals hold the truth in "
            f"{100 * mean(coverage):.1f} %, of one program at least {least:.0f} %\n"
        )
    if not arguments.covariates:
        sys.stdout.write(f"simulated in whole: {', '.join(whole) or 'none'}\n")


def _print_covariates(
    name: str, profiles: Sequence[LaunchProfile], recorded: Sequence[Recorded]
) -> None:
    """Where launches of a cluster differ in the profile at all."""
    cycles = np.array([float(one.clocks[-1]) for one in recorded])
    work = np.array([float(one.warp_instructions.sum()) for one in profiles])
    asked = np.array([float(one.requests.sum()) for one in profiles])
    squares, count = np.zeros(4), 0
    for cluster in cluster_launches(profiles):
        own = np.array(cluster.members)
        if len(own) < 3 or not (np.ptp(work[own]) or np.ptp(asked[own])):
            continue
        count += len(own)
        both = work[own] / work[own].sum() + asked[own] / max(asked[own].sum(), 1.0)
        for place, along in enumerate((work[own], asked[own], both, np.ones(len(own)))):
            ratio = cycles[own].sum() / max(along.sum(), 1e-12)
            squares[place] += float(((cycles[own] - ratio * along) ** 2).sum())
    if count:
        shown = 100 * np.sqrt(squares / count) * count / cycles.sum()
        cells = " | ".join(f"{each:.2f} %" for each in shown)
        sys.stdout.write(f"| {name} | {count} | {cells} |\n")
        sys.stdout.flush()


def _write(path: Path, name: str, overrides: Sequence[str], rows: Sequence[Drawn]) -> None:
    fresh = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator=os.linesep)
        if fresh:
            writer.writerow(("workload", "settings", "seed", "error", "half_width", "sample"))
        for seed, one in enumerate(rows):
            writer.writerow(
                (name, " ".join(overrides), seed, f"{one.error:.6g}", f"{one.half_width:.6g}",
                 f"{one.sample:.6g}")
            )  # fmt: skip


if __name__ == "__main__":
    main()

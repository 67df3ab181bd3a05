"""The launches on which the interval model is measured, and what the cycle-level model says of
them, kept in a journal."""

from __future__ import annotations

import csv
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kcc.base.gpu.loading import load_gpu
from kcc.sim.cycle.sources import simulate_trace
from kcc.sim.interval.collect import Collection, Event
from kcc.sim.interval.explore import Explorer
from kcc.sim.interval.facts import IntervalMachine
from kcc.sim.interval.options import Options
from kcc.sim.interval.runs import collections_of_trace
from kcc.sim.result import CacheStatistics, Timing

GPU = "gpumech-table7"
ROOT = Path(__file__).parent.parent
LAUNCHES = ROOT / "benchmarks" / "data" / "interval_kernels.csv"
LEVELS = ("L1", "L2")

DIVERGENT_LINES, DIVERGENT_LANES = 4.0, 0.9
"""A launch is divergent with as many lines per access or less of its lanes active."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A launch of the list."""

    workload: str
    kernel: str
    launch: int
    is_divergent: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """What the cycle-level model says, and the CPU seconds it took."""

    cycles: float
    l1: CacheStatistics
    l2: CacheStatistics
    seconds: float


def subjects() -> list[Subject]:
    """The list."""
    with LAUNCHES.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return [
        Subject(
            row["workload"], row["kernel"], int(row["launch"]),
            float(row["lines_per_access"]) >= DIVERGENT_LINES
            or float(row["active_lanes"]) < DIVERGENT_LANES,
        )
        for row in rows
    ]  # fmt: skip


class Bench:
    """Traces, the journal, and explorers of all subjects."""

    def __init__(self, traces: Path, journal: Path, gpu: str = GPU) -> None:
        self.traces, self.journal, self.gpu = traces, journal, gpu
        self.subjects = subjects()
        self.measured = dict[tuple[str, str, str], Measured]()
        if journal.exists():
            with journal.open(encoding="utf-8") as file:
                for row in csv.reader(file):
                    self._add(row)
        self._explorers = dict[Subject, Explorer]()
        self._collections = dict[Subject, Collection]()

    def trace(self, subject: Subject) -> Path:
        """The trace of its workload, made if it is not there."""
        path = self.traces / f"{subject.workload}.kct"
        if not path.exists():
            self.traces.mkdir(parents=True, exist_ok=True)
            script = ROOT / "kernels" / subject.workload / "workload.py"
            command = [sys.executable, "-m", "kcc", "trace", str(script), "--size", "small", "-o"]
            subprocess.run([*command, str(path)], check=True, stdout=subprocess.DEVNULL)
        return path

    def explorer(self, subject: Subject) -> Explorer:
        if subject not in self._explorers:
            launches = [range(subject.launch, subject.launch + 1)]
            self._explorers[subject] = Explorer(
                str(self.trace(subject)), self.gpu, [], Options(), launches=launches
            )
        return self._explorers[subject]

    def cycle(self, subject: Subject, settings: Sequence[str]) -> Measured:
        """What the cycle-level model says, from the journal if it is there."""
        key = (subject.workload, subject.kernel, " ".join(settings))
        if key not in self.measured:
            gpu = load_gpu(self.gpu, list(settings))
            number = subject.launch
            began = time.process_time()
            (timing,) = simulate_trace(
                str(self.trace(subject)), gpu, launches=[range(number, number + 1)]
            )
            seconds = time.process_time() - began
            row = [*key, f"{timing.cycles:g}", f"{seconds:.4f}"]
            for level in LEVELS:
                cache = cache_at(timing.caches, level)
                row += [f"{cache.accesses:.0f}", f"{cache.hits:.0f}", f"{cache.pending:.0f}"]
            self._add(row)
            with self.journal.open("a", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerow(row)
        return self.measured[key]

    def predict(self, subject: Subject, settings: Sequence[str], options: Options) -> Timing:
        explorer = self.explorer(subject)
        explorer.options = options
        return explorer.at(settings).timings[0]

    def machine(self, subject: Subject) -> IntervalMachine:
        """What the launch runs on, where nothing is changed."""
        return self.collection(subject).machine

    def fillings(self, subject: Subject) -> float:
        """How often the launch's thread blocks fill the GPU."""
        machine = self.machine(subject)
        return self.collection(subject).launch.thread_blocks / (machine.sms * machine.blocks)

    def collection(self, subject: Subject) -> Collection:
        """Of the launch on the GPU as it is."""
        if subject not in self._collections:
            self._collections[subject] = self.collect(subject)
        return self._collections[subject]

    def collect(self, subject: Subject) -> Collection:
        """The same anew."""
        (found,) = collections_of_trace(
            str(self.trace(subject)), load_gpu(self.gpu, []),
            launches=[range(subject.launch, subject.launch + 1)],
        )  # fmt: skip
        return found

    def error(self, subject: Subject, settings: Sequence[str], options: Options) -> float:
        """The relative error of cycles, and so of CPI: both issue the same instructions."""
        predicted = self.predict(subject, settings, options).cycles
        return predicted / self.cycle(subject, settings).cycles - 1

    def _add(self, row: Sequence[str]) -> None:
        workload, kernel, settings, cycles, seconds, *counts = row
        numbers = [float(each) for each in counts]
        self.measured[workload, kernel, settings] = Measured(
            float(cycles), CacheStatistics("L1", *numbers[:3]),
            CacheStatistics("L2", *numbers[3:]), float(seconds),
        )  # fmt: skip


def cache_at(caches: Sequence[CacheStatistics], level: str) -> CacheStatistics:
    """One of a GPU's caches; without accesses where it has none."""
    return next((c for c in caches if c.level == level), CacheStatistics(level, 0, 0))


def cache_seconds(bench: Bench) -> tuple[float, float]:
    """CPU seconds of the functional pass of all launches through the caches alone, and the sectors
    that warps asked for in it."""
    from kcc.sim.interval import caches_native

    whole, seconds = caches_native.run_caches, 0.0

    def timed(*arguments: Any) -> None:
        nonlocal seconds
        began = time.process_time()
        whole(*arguments)
        seconds += time.process_time() - began

    sectors = 0.0
    caches_native.run_caches = timed
    try:
        for subject in bench.subjects:
            sectors += bench.collect(subject).total(Event.SECTORS)
    finally:
        caches_native.run_caches = whole
    return seconds, sectors

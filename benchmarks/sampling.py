"""Sampling against full simulation: error, interval, sample size, miss rates, CPU time.

Each figure is a row of a journal (CSV); what is there for the same cycle-level core (``core``, the
last commit of sim/cycle) is not run again, so that a run can be stopped and gone on with. Traces
are made beforehand:

    kcc trace kernels/bfs/workload.py --size large -o traces/bfs.kct      (and so on)
    python -m benchmarks.sampling --traces traces [--workloads bfs,cfd] [--set sm_count=28]
    python -m benchmarks.sampling --table                                 the tables in docs

Times are CPU seconds of this process, without what it takes to load compiled code (about a second,
whatever is simulated); ``load`` is the machine's at the beginning.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.sampling_tables import print_tables
from kcc.base.gpu import load_gpu
from kcc.base.gpu.description import GpuDescription
from kcc.base.trace.reader import TraceFile, open_trace
from kcc.sim.cycle.layout import Stat
from kcc.sim.sampling.block_profile import (
    ProgramProfile,
    identity_of,
    load_profile,
    profile_launch,
    profile_trace,
    save_profile,
)
from kcc.sim.sampling.estimate import ProgramEstimate, miss_rate
from kcc.sim.sampling.simpoint import choose_simpoint
from kcc.sim.sampling.stratified import StratifiedOptions, sample_stratified
from kcc.sim.sampling.tbpoint import sample_tbpoint
from kcc.sim.sampling.units import Choice, choose_random, simulate_full

JOURNAL = Path(__file__).parent / "data" / "sampling.csv"
GPU = "macsim-fermi-tbpoint"
SEEDS = 3

WORKLOADS = (
    "cfd", "bfs", "blackscholes", "convolution", "sssp", "hotspot", "lbm", "streamcluster", "mst",
    "spmv", "kmeans", "gridding",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. ``half_width`` is "" where the method knows none; a full simulation's profile
    takes no time."""

    workload: str
    settings: str
    method: str
    seed: int
    cycles: float
    half_width: float | str
    instructions: int
    simulated: int
    between: int
    within: int
    l1_miss: float | str
    l2_miss: float | str
    profile_seconds: float
    cluster_seconds: float
    simulate_seconds: float
    load: float


class Journal:
    """The rows there are, and a place for more that are measured with ``core``."""

    def __init__(self, path: Path, core: str) -> None:
        self.path, self.core = path, core
        self.rows = list[dict[str, str]]()
        if path.exists():
            with path.open(newline="", encoding="utf-8") as file:
                self.rows = list(csv.DictReader(file))

    def has(self, workload: str, settings: str, method: str, seed: int) -> bool:
        key = (workload, settings, method, str(seed), self.core)
        names = ("workload", "settings", "method", "seed", "core")
        return any(tuple(row[name] for name in names) == key for row in self.rows)

    def add(self, row: Row) -> None:
        """One more, written at once."""
        fresh = not self.path.exists()
        values = {
            name: f"{value:.6g}" if isinstance(value, float) and name != "cycles" else str(value)
            for name, value in asdict(row).items()
        }
        values["core"] = self.core
        with self.path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(values), lineterminator="\n")
            if fresh:
                writer.writeheader()
            writer.writerow(values)
        self.rows.append(values)
        sys.stdout.write(f"{values}\n")
        sys.stdout.flush()


def core_commit() -> str:
    """The last commit of the cycle-level core, "" where that is not known."""
    command = ["git", "log", "-1", "--format=%h", "--", "sim/cycle"]
    try:
        return subprocess.run(
            command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def load_compiled(gpu: GpuDescription) -> None:
    """Profile and simulate two thread blocks."""
    with open_trace(Path(__file__).parents[1] / "docs" / "sample.kct") as trace:
        launches = trace.launches[:1]
        sample_stratified(launches, [profile_launch(one) for one in launches], gpu)


def profile_of(trace: TraceFile, kept: Path) -> tuple[ProgramProfile, float]:
    """The profile, and what it took: of one that is kept, what it took when it was made."""
    stamp = kept.with_suffix(".seconds")
    if kept.exists() and stamp.exists():
        return load_profile(kept, identity_of(trace)), float(stamp.read_text(encoding="utf-8"))
    began = time.process_time()
    profile = profile_trace(trace)
    seconds = time.process_time() - began
    kept.write_bytes(save_profile(profile))
    stamp.write_text(f"{seconds:.4f}", encoding="utf-8")
    return profile, seconds


def of_estimate(
    workload: str, settings: str, method: str, seed: int, found: ProgramEstimate,
    profile_seconds: float, load: float,
) -> Row:  # fmt: skip
    """A row for what we sampled."""
    half = found.half_width
    return Row(
        workload, settings, method, seed, round(found.cycles, 1), "" if half is None else half,
        found.instructions, found.simulated_instructions, found.skipped_between,
        found.skipped_within, _rate(found.miss_rate("L1")), _rate(found.miss_rate("L2")),
        profile_seconds, found.cluster_seconds, found.simulate_seconds, load,
    )  # fmt: skip


def _rate(value: float | None) -> float | str:
    return "" if value is None else value


def full_rows(trace: TraceFile, gpu: GpuDescription, workload: str, settings: str) -> Iterator[Row]:
    """The full simulation, and what is chosen from its units."""
    load, began = os.getloadavg()[0], time.process_time()
    timings, units = simulate_full(trace, gpu)
    seconds = time.process_time() - began
    counts = np.zeros(len(Stat))
    for timing in timings:
        counts[Stat.L1_SECTORS] += timing.statistics["L1 sectors"]
        counts[Stat.L1_HITS] += timing.statistics["L1 hits"]
        counts[Stat.L2_READS] += timing.statistics["L2 reads"]
        counts[Stat.L2_READ_HITS] += timing.statistics["L2 read hits"]
    everything = int(sum(unit.instructions for unit in units))

    def row(method: str, seed: int, choice: Choice) -> Row:
        return Row(
            workload, settings, method, seed, round(choice.cycles, 1), "", everything,
            choice.instructions, 0, everything - choice.instructions,
            _rate(miss_rate(counts, "L1")) if method == "full" else "",
            _rate(miss_rate(counts, "L2")) if method == "full" else "", 0.0, 0.0, seconds, load,
        )  # fmt: skip

    for seed in range(SEEDS):
        yield row("random", seed, choose_random(units, seed))
        yield row("simpoint", seed, choose_simpoint(units, seed))
    yield row("full", 0, Choice(sum(t.cycles for t in timings), everything))


def run_workload(
    journal: Journal, path: Path, gpu: GpuDescription, settings: str, methods: Sequence[str],
    seeds: int,
) -> None:  # fmt: skip
    """Everything of a workload that the journal lacks."""
    name = path.stem
    with open_trace(path) as trace:
        profile, seconds = profile_of(trace, path.with_suffix(".npz"))
        if "tbpoint-ipdps14" in methods and not journal.has(name, settings, "tbpoint-ipdps14", 0):
            load = os.getloadavg()[0]
            found = sample_tbpoint(trace.launches, profile.launches, gpu)
            journal.add(of_estimate(name, settings, found.method, 0, found, seconds, load))
        for seed in range(seeds if "tbpoint" in methods else 0):
            if not journal.has(name, settings, "tbpoint", seed):
                load = os.getloadavg()[0]
                options = StratifiedOptions(seed=seed)
                found = sample_stratified(trace.launches, profile.launches, gpu, None, options)
                journal.add(of_estimate(name, settings, "tbpoint", seed, found, seconds, load))
        if "full" in methods and not journal.has(name, settings, "full", 0):
            rows = list(full_rows(trace, gpu, name, settings))
            for row in rows:
                if not journal.has(name, settings, row.method, row.seed):
                    journal.add(row)


def main() -> None:
    """Run what is missing, or print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=Path)
    parser.add_argument("--journal", type=Path, default=JOURNAL)
    parser.add_argument("--workloads", default=",".join(WORKLOADS))
    parser.add_argument("--methods", default="tbpoint-ipdps14,tbpoint,full")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--gpu", default=GPU)
    parser.add_argument("--set", dest="overrides", action="append", default=[])
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    journal = Journal(arguments.journal, core_commit())
    if arguments.table:
        print_tables(journal.rows)
        return
    if arguments.traces is None:
        parser.error("--traces is missing: a folder of traces")
    gpu = load_gpu(arguments.gpu, arguments.overrides)
    load_compiled(gpu)
    for name in arguments.workloads.split(","):
        path = arguments.traces / f"{name}.kct"
        if not path.exists():
            sys.stderr.write(f"{path} is not there\n")
            continue
        settings = " ".join(sorted(arguments.overrides))
        methods = arguments.methods.split(",")
        run_workload(journal, path, gpu, settings, methods, arguments.seeds)


if __name__ == "__main__":
    main()

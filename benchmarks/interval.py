"""The interval model against the cycle-level one: errors, sweeps, miss rates, time.

The launches are those of benchmarks/data/interval_kernels.csv, each with cold caches, on
gpumech-table7. Traces are made when they are missing (`kcc trace kernels/NAME/workload.py --size
small`); what the cycle-level model says is kept in a journal, so that an interrupted run goes on.

    python -m benchmarks.interval [--traces DIR] [--journal FILE] [--part PART ...]

Parts: accuracy, kernels, sweeps, misses, selection, without, others, time.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kcc.gpu.loading import load_gpu
from kcc.sim.cycle.sources import simulate_trace
from kcc.sim.interval.options import EXTENSIONS, Model, Options, without
from kcc.sim.interval.representative import Selection
from kcc.sim.interval_explore import Explorer, settings_of
from kcc.sim.result import CacheStatistics, Timing

GPU = "gpumech-table7"
ROOT = Path(__file__).parent.parent
LAUNCHES = ROOT / "benchmarks" / "data" / "interval_kernels.csv"

RR, GTO = "scheduler=loose-round-robin", "scheduler=greedy-then-oldest"
WARPS = ("8", "16", "32", "48")
MSHRS = ("16", "32", "64", "128")
BANDWIDTHS = ("64", "128", "192", "256")
"""Figures 29, 30 and 31; the text's axes are in pictures, of which 8, 32 and 48 warps and 64 GB/s
are named in words."""

MODELS = (Model.NAIVE, Model.MARKOV, Model.MT, Model.MT_MSHR, Model.GPUMECH, Model.SCHEDULE)
LOWEST_MISS_RATE = 0.05
"""Lower ones are left out, as in section 4.6.4."""
GOOD = 0.2
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
                cache = _level(timing.caches, level)
                row += [f"{cache.accesses:.0f}", f"{cache.hits:.0f}", f"{cache.pending:.0f}"]
            self._add(row)
            with self.journal.open("a", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerow(row)
        return self.measured[key]

    def predict(self, subject: Subject, settings: Sequence[str], options: Options) -> Timing:
        explorer = self.explorer(subject)
        explorer.options = options
        return explorer.at(settings).timings[0]

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


def accuracy(bench: Bench) -> None:
    """Mean and distribution of CPI errors, for all models and both schedulers."""
    for policy in (RR, GTO):
        print(f"\n{policy}: absolute CPI error over {len(bench.subjects)} launches")
        print(
            "| model | mean | median | 90th percentile | largest | under 20 % | divergent: mean |"
        )
        print("|---|---|---|---|---|---|---|")
        for model in MODELS:
            errors = [bench.error(s, [policy], Options(model)) for s in bench.subjects]
            own = [e for e, s in zip(errors, bench.subjects, strict=True) if s.is_divergent]
            print(f"| {model.value} | {_spread(errors)} | {100 * np.abs(own).mean():.1f} % |")
        errors = [bench.error(s, [policy], Options(Model.GPUMECH, printed=True))
                  for s in bench.subjects]  # fmt: skip
        own = [e for e, s in zip(errors, bench.subjects, strict=True) if s.is_divergent]
        print(
            f"| gpumech, (26) as printed | {_spread(errors)} | {100 * np.abs(own).mean():.1f} % |"
        )


def _spread(errors: Sequence[float]) -> str:
    found = 100 * np.abs(np.array(errors))
    return (
        f"{found.mean():.1f} % | {np.median(found):.1f} % | {np.quantile(found, 0.9):.1f} % | "
        f"{found.max():.1f} % | {100 * (found < 100 * GOOD).mean():.0f} %"
    )


def kernels(bench: Bench) -> None:
    """Every launch: cycles, and signed errors of the text's model and ours."""
    print("\n| workload | kernel | divergent | cycles | gpumech | schedule | cycles, GTO | "
          "gpumech | schedule |\n|---|---|---|---|---|---|---|---|---|")  # fmt: skip
    for subject in bench.subjects:
        cells = list[str]()
        for policy in (RR, GTO):
            cells.append(f"{bench.cycle(subject, [policy]).cycles:,.0f}")
            for model in (Model.GPUMECH, Model.SCHEDULE):
                cells.append(f"{100 * bench.error(subject, [policy], Options(model)):+.1f} %")
        mark = "yes" if subject.is_divergent else ""
        print(f"| {subject.workload} | {subject.kernel} | {mark} | {' | '.join(cells)} |")


def sweeps(bench: Bench) -> None:
    """Figures 29 to 31, round-robin."""
    for name, values in (("warps", WARPS), ("mshrs", MSHRS), ("bandwidth", BANDWIDTHS)):
        print(f"\nmean absolute CPI error, {name} (round-robin)")
        print(f"| model | {' | '.join(values)} |\n|---|{'---|' * len(values)}")
        for model in MODELS:
            cells = list[str]()
            for value in values:
                settings = [RR, *settings_of(load_gpu(GPU, []), name, value)]
                errors = [bench.error(s, settings, Options(model)) for s in bench.subjects]
                cells.append(f"{100 * np.abs(errors).mean():.1f} %")
            print(f"| {model.value} | {' | '.join(cells)} |")


def misses(bench: Bench) -> None:
    """The collector's miss rates against the cycle-level model's (section 4.6.4)."""
    print("\n| scheduler | cache | launches | mean error | median | mean error in points |")
    print("|---|---|---|---|---|---|")
    for policy in (RR, GTO):
        for level in LEVELS:
            relative, points = list[float](), list[float]()
            for subject in bench.subjects:
                measured = bench.cycle(subject, [policy])
                real = _miss_rate(_level((measured.l1, measured.l2), level))
                predicted = bench.predict(subject, [policy], Options())
                found = _miss_rate(_level(predicted.caches, level))
                if real is None or found is None:
                    continue
                points.append(100 * abs(found - real))
                if real >= LOWEST_MISS_RATE:
                    relative.append(100 * abs(found / real - 1))
            print(f"| {policy} | {level} | {len(relative)} | {np.mean(relative):.1f} % | "
                  f"{np.median(relative):.1f} % | {np.mean(points):.2f} |")  # fmt: skip


def _level(caches: Sequence[CacheStatistics], level: str) -> CacheStatistics:
    """One of a GPU's caches; without accesses where it has none."""
    return next((c for c in caches if c.level == level), CacheStatistics(level, 0, 0))


def _miss_rate(cache: CacheStatistics) -> float | None:
    """Pending hits count as misses."""
    return 1 - cache.hits / cache.accesses if cache.accesses else None


def selection(bench: Bench) -> None:
    """Figure 23: how the representative warp is chosen, on launches whose warps differ."""
    print("\n| representative | mean absolute error of gpumech, round-robin | divergent launches |")
    print("|---|---|---|")
    for each in Selection:
        errors = [bench.error(s, [RR], Options(Model.GPUMECH, each)) for s in bench.subjects]
        own = [e for e, s in zip(errors, bench.subjects, strict=True) if s.is_divergent]
        print(f"| {each.value} | {100 * np.abs(errors).mean():.1f} % | "
              f"{100 * np.abs(own).mean():.1f} % |")  # fmt: skip


def ablation(bench: Bench) -> None:
    """Our model without each of its parts."""
    print("\n| without | round-robin: mean | under 20 % | greedy: mean | under 20 % |")
    print("|---|---|---|---|---|")
    for name in ("nothing", *EXTENSIONS):
        options = Options(extensions=without(() if name == "nothing" else (name,)))
        cells = list[str]()
        for policy in (RR, GTO):
            found = np.abs([bench.error(s, [policy], options) for s in bench.subjects])
            cells += [f"{100 * found.mean():.1f} %", f"{100 * (found < GOOD).mean():.0f} %"]
        print(f"| {name} | {' | '.join(cells)} |")


OTHER_GPUS = ("v100", "a100", "rtx3090", "conf1", "macsim-fermi-tbpoint")


def others(bench: Bench) -> None:
    """GPUs that the model was not looked at with while it was written."""
    print("\n| GPU | launches | schedule: mean | median | under 20 % | gpumech: mean |")
    print("|---|---|---|---|---|---|")
    for gpu in OTHER_GPUS:
        own = Bench(bench.traces, bench.journal.with_name(f"{bench.journal.stem}-{gpu}.csv"), gpu)
        found = np.abs([own.error(s, [], Options()) for s in own.subjects])
        text = np.abs([own.error(s, [], Options(Model.GPUMECH)) for s in own.subjects])
        print(f"| {gpu} | {len(found)} | {100 * found.mean():.1f} % | "
              f"{100 * np.median(found):.1f} % | {100 * (found < GOOD).mean():.0f} % | "
              f"{100 * text.mean():.1f} % |", flush=True)  # fmt: skip


def timing(bench: Bench) -> None:
    """CPU seconds: cycle by cycle, one cache pass, one point out of it."""
    cycle = collect = point = slowest = 0.0
    lines = 0.0
    for subject in bench.subjects:
        bench.predict(subject, [RR], Options())  # compiled, and the trace in the page cache
    for subject in bench.subjects:
        launches = [range(subject.launch, subject.launch + 1)]
        path = str(bench.trace(subject))
        began = time.process_time()
        list(simulate_trace(path, load_gpu(GPU, [RR]), launches=launches))
        cycle += time.process_time() - began
        with Explorer(path, GPU, [RR], Options(), launches=launches) as fresh:
            began = time.process_time()
            found = fresh.at()
            collect += time.process_time() - began
            lines += found.timings[0].statistics["L1 sectors"]
            began = time.process_time()
            fresh.at(["l1.mshr=64", "memory_bandwidth_gbs=150"])
            own = time.process_time() - began
            point, slowest = point + own, max(slowest, own)
    count = len(bench.subjects)
    print(f"\nCPU seconds of {count} launches (load {os.getloadavg()[0]:.1f}):")
    print(f"cycle by cycle {cycle:.2f}, with a cache pass {collect:.2f} ({cycle / collect:.1f} x "
          f"faster, {lines / collect / 1e6:.1f} M sectors/s)")  # fmt: skip
    print(f"each further point {1000 * point / count:.1f} ms, the slowest {1000 * slowest:.1f} ms "
          f"({cycle / point:.0f} x faster)")  # fmt: skip


PARTS: Mapping[str, Callable[[Bench], None]] = {
    "accuracy": accuracy, "kernels": kernels, "sweeps": sweeps, "misses": misses,
    "selection": selection, "without": ablation, "others": others, "time": timing,
}  # fmt: skip


def main() -> None:
    """Print the parts asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--traces", type=Path, default=Path("/tmp/kcc-interval"))
    parser.add_argument("--journal", type=Path, default=Path("/tmp/kcc-interval.csv"))
    parser.add_argument("--part", choices=tuple(PARTS), action="append", default=[])
    arguments = parser.parse_args()
    bench = Bench(arguments.traces, arguments.journal)
    for part in arguments.part or PARTS:
        PARTS[part](bench)


if __name__ == "__main__":
    main()

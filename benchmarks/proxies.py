"""Miniatures against their originals on the four configurations of MiniBench.

What is measured is listed in benchmarks/data/proxy_workloads.csv: the miniature without reduction,
that with the largest, what auto finds within a bound on all four configurations, the baselines of
the text, and a sweep over reductions.

    python -m benchmarks.proxies --journal proxies.jsonl [--part main] [NAME ...]
    python -m benchmarks.proxy_tables proxies.jsonl

The journal keeps what has been measured, and a second run goes on behind it.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.proxy_subjects import SIZE, Subject, entries, subject_of
from kcc.diagnostics import DiagnosticError, InternalError
from kcc.gpu import load_gpu
from kcc.host import HostSettings, user_cache_dir
from kcc.profile.model import Profile
from kcc.proxy_check import Traced, simulate_run, trace_run
from kcc.synth.behaviour import Behaviour, Simulated, behaviour
from kcc.synth.host_source import host_source
from kcc.synth.model import Bounded, Counted, Fork, Jump, Miniature
from kcc.synth.opencl_source import opencl_source
from kcc.synth.reductions import Factors, factors_within, largest_factors
from kcc.synthesizing import HOST_NAME, SOURCE_NAME, Study, settle, study_script

CONFIGURATIONS = ("conf1", "conf2", "conf3", "conf4")

LARGEST = 1 << 20
"""More than any loop's trips."""

JUDGES = ("conf4", "conf1", "conf2", "conf3")
"""The configurations in the order in which auto looks at them: the one that most miniatures are
wrong on comes first."""

BOUNDS = (5, 10)
"""Percent of IPC error that auto allows."""

PARTS = ("main", "wide", "baseline", "sweep")


class Journal:
    """One line of JSON per measurement."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.keys = dict[str, dict[str, Any]]()
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self.keys[row["key"]] = row

    def ipc(self, key: str) -> float:
        """Of a simulation."""
        row = self.keys[key]
        return row["issued"] / row["cycles"]

    def add(self, key: str, **values: object) -> None:
        """Keep a measurement."""
        self.keys[key] = values
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, **values}) + "\n")


def main() -> int:
    """Measure what the journal does not have yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", metavar="NAME", nargs="*")
    parser.add_argument("--journal", type=Path, required=True)
    parser.add_argument("--part", choices=PARTS, action="append", default=[])
    arguments = parser.parse_args()
    journal = Journal(arguments.journal)
    settings = HostSettings(cache_dir=user_cache_dir())
    for entry in entries():
        if arguments.names and entry.workload not in arguments.names:
            continue
        parts = [p for p in arguments.part or PARTS if f"{entry.workload} listed {p} done"
                 not in journal.keys]  # fmt: skip
        if not parts:
            continue
        try:
            with subject_of(entry, settings) as subject, TemporaryDirectory() as folder:
                bench = _Bench(subject, journal, settings, Path(folder))
                for part in parts:
                    getattr(bench, part)()
                    journal.add(f"{entry.workload} listed {part} done", load=os.getloadavg()[0])
        except (DiagnosticError, InternalError) as error:
            sys.stdout.write(f"{entry.workload}: {error}\n")
        sys.stdout.flush()
    return 0


class _Bench:
    """One subject, studied and traced, and what is measured of it."""

    def __init__(
        self, subject: Subject, journal: Journal, settings: HostSettings, folder: Path
    ) -> None:
        self.journal, self.settings, self.folder = journal, settings, folder
        self.head = f"{subject.workload} listed"
        chosen = subject.launches
        study = study_script(subject.script, Study((), chosen), settings, size=SIZE)
        self.study = study
        self.original = trace_run(
            subject.script, folder / "original.kct", settings, size=SIZE, launches=chosen
        )
        self.gpus = {name: load_gpu(name, []) for name in CONFIGURATIONS}
        self.largest = largest_factors(study.kernels, study.launches, LARGEST)
        self.most = max((f for row in self.largest for f in row), default=1)
        if f"{self.head} subject" not in journal.keys:
            said = behaviour(Profile({}, (), tuple(x.profile for x in study.launches)))
            journal.add(f"{self.head} subject", workload=subject.workload, kernel=subject.kernel,
                        launch=subject.launch, loops=_loops(study), behaviour=_row(said),
                        registers=list(self.original.registers.values()))  # fmt: skip

    def factors(self, limit: int) -> Factors:
        return largest_factors(self.study.kernels, self.study.launches, limit)

    def main(self) -> None:
        """The original, R = 1, the largest R, and what auto finds within each bound."""
        for gpu in CONFIGURATIONS:
            self.simulate("original", self.original, gpu)
        self.miniature("trips 1", self.factors(1), 1, CONFIGURATIONS)
        if self.most > 1:
            self.miniature(f"trips {self.most}", self.largest, 1, CONFIGURATIONS)
        self.auto(BOUNDS[0])

    def wide(self) -> None:
        """What auto finds within the other bound."""
        self.auto(BOUNDS[1])

    def sweep(self) -> None:
        """Every other power of two as R, on the first configuration (figures 16 and 17)."""
        factor = 2
        while factor < self.most:
            self.miniature(f"trips {factor}", self.factors(factor), 1, CONFIGURATIONS[:1])
            factor *= 4

    def auto(self, bound: int) -> None:
        """The largest factors, loop by loop, or of a kernel without loops the fewest thread blocks,
        with which the error on every configuration is within the bound."""
        key = f"{self.head} auto {bound}"
        if f"{key} chosen" in self.journal.keys:
            return

        def is_good(factors: Factors, blocks: int = 1) -> bool:
            what = self._name(factors, blocks)
            return self.miniature(what, factors, blocks, JUDGES, bound / 100)

        factors, blocks = self.factors(1), 1
        if self.most > 1:
            factors = factors_within(self.study.kernels, self.study.launches, is_good)
        else:
            blocks = next((n for n in (64, 32, 16, 8, 4, 2) if is_good(factors, n)), 1)
        what = self._name(factors, blocks)
        self.miniature(what, factors, blocks, CONFIGURATIONS)
        self.journal.add(f"{key} chosen", factors=factors, blocks=blocks, what=what)

    def miniature(
        self, what: str, factors: Factors, blocks: int, gpus: Sequence[str],
        bound: float = math.inf,
    ) -> bool:  # fmt: skip
        """Simulate a miniature until an error is beyond the bound; whether none is."""
        traced: Traced | None = None
        for gpu in gpus:
            if f"{self.head} {what} on {gpu}" not in self.journal.keys:
                traced = traced or self._traced(what, factors, blocks)
                self.simulate(what, traced, gpu)
            one, two = (self.journal.ipc(f"{self.head} {w} on {gpu}") for w in ("original", what))
            if abs(two / one - 1) > bound:
                return False
        return True

    def _traced(self, what: str, factors: Factors, blocks: int) -> Traced:
        settled = settle(self.study, factors, self.settings, blocks=blocks,
                         gpus=list(self.gpus.values()))  # fmt: skip
        if f"{self.head} {what} behaviour" not in self.journal.keys:
            self.journal.add(f"{self.head} {what} behaviour",
                             behaviour=_row(behaviour(settled.profile)))  # fmt: skip
        text = settled.source.text
        return traced_miniature(settled.miniature, text, self.folder, self.settings)

    def _name(self, factors: Factors, blocks: int) -> str:
        """Of a miniature in the journal."""
        if blocks == 1 and factors == self.factors(1):
            return "trips 1"
        if blocks == 1 and factors == self.largest:
            return f"trips {self.most}"
        trips = "/".join(",".join(map(str, row)) for row in factors)
        return f"tried {trips} {blocks}"

    def simulate(self, what: str, traced: Traced, gpu: str) -> None:
        key = f"{self.head} {what} on {gpu}"
        if key in self.journal.keys:
            return
        found: Simulated = simulate_run(traced, self.gpus[gpu])
        self.journal.add(key, cycles=found.cycles, issued=found.issued,
                         instructions=found.instructions, hits=dict(found.hits),
                         cpu_seconds=found.cpu_seconds)  # fmt: skip

    def baseline(self) -> None:
        """Trip counts of one written into the source, which the compiler then restructures
        (section 6.2); and fewer threads (section 3.2): a quarter of the thread blocks."""
        first = CONFIGURATIONS[0]
        if self.most > 1 and f"{self.head} once 1 on {first}" not in self.journal.keys:
            miniature = _without_loops(settle(self.study, self.largest, self.settings).miniature)
            text = opencl_source(miniature).text
            traced = traced_miniature(miniature, text, self.folder, self.settings, optimise=True)
            self.simulate("once 1", traced, first)
        if f"{self.head} threads 4 on {first}" not in self.journal.keys:
            settled = settle(self.study, self.factors(1), self.settings, blocks=4)
            text = settled.source.text
            traced = traced_miniature(settled.miniature, text, self.folder, self.settings)
            self.simulate("threads 4", traced, first)


def _loops(study: Study) -> int:
    """The longest run of a loop."""
    return max((c.most for x in study.launches for c in x.profile.loops), default=0)


def traced_miniature(
    miniature: Miniature, text: str, folder: Path, settings: HostSettings, *, optimise: bool = False
) -> Traced:
    """A miniature, run and traced; ``optimise``: compiled as any source."""
    script = folder / HOST_NAME
    host = host_source(miniature, HOST_NAME, SOURCE_NAME)
    script.write_text(host.replace(', "-cl-opt-disable"', "") if optimise else host, "utf-8")
    script.with_name(SOURCE_NAME).write_text(text, encoding="utf-8")
    return trace_run(str(script), folder / "miniature.kct", settings)


def _without_loops(miniature: Miniature) -> Miniature:
    """Loops that end after their first trip."""
    kernels = [
        dataclasses.replace(
            kernel,
            blocks=tuple(
                dataclasses.replace(block, ending=_left(block.ending)) for block in kernel.blocks
            ),
        )
        for kernel in miniature.kernels
    ]
    return dataclasses.replace(miniature, kernels=tuple(kernels))


def _left(ending: object) -> object:
    match ending:
        case Fork(condition=Counted(continues_then=inside) | Bounded(continues_then=inside)):
            return Jump(ending.otherwise if inside else ending.then)
        case _:
            return ending


def _row(found: Behaviour) -> dict[str, object]:
    return dataclasses.asdict(found)


if __name__ == "__main__":
    sys.exit(main())

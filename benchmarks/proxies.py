"""Miniatures against their originals on the four configurations of MiniBench.

What is measured is listed in benchmarks/data/proxy_workloads.csv. Parts: "ends", trips divided by
nothing and by the most; "sweep", by every power of two, and the larger miniatures beside; "auto",
what auto finds within a bound on all four configurations at once; "twins", the same with two
miniatures, of which one has half the reduction of the other; "conf1" to "conf4" and "v100", both
for one GPU; "slices conf1" and so on, one or two that may run on a part of it; "baseline", those of
the text.

    python -m benchmarks.proxies --journal proxies.jsonl [--part sweep] [NAME ...]
    python -m benchmarks.proxy_tables proxies.jsonl

The journal keeps what has been measured, and a second run resumes after it.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.proxy_baselines import without_loops
from benchmarks.proxy_journal import Journal, name_of
from benchmarks.proxy_subjects import SIZE, Subject, entries, subject_of
from kcc.base.collecting import collect_seldom
from kcc.base.diagnostics import DiagnosticError, InternalError
from kcc.base.gpu import load_gpu
from kcc.base.profile.model import Profile
from kcc.stages.host import HostSettings, user_cache_dir
from kcc.stages.proxy_check import Traced, simulate_run, trace_run
from kcc.stages.proxy_search import Bench
from kcc.stages.synth import HOST_NAME, SOURCE_NAME, Study, study_script
from kcc.synth.assembly.model import Miniature
from kcc.synth.comparison.behaviour import Simulated, behaviour
from kcc.synth.emit.host_source import host_source
from kcc.synth.emit.opencl_source import opencl_source
from kcc.synth.reduction.reductions import Reduction, largest_blocks, largest_factors

CONFIGURATIONS = ("conf1", "conf2", "conf3", "conf4")

GPUS = (*CONFIGURATIONS, "v100")
"""What a miniature may be made for alone."""

LARGEST = 1 << 20
"""More than any loop's trips."""

MOST_BLOCKS = 64
"""By how much auto divides thread blocks."""

JUDGES = (3, 0, 1, 2)
"""The configurations in the order in which auto looks at them: the one that most miniatures are
wrong on comes first."""

BOUND = 5
"""Percent of IPC error that auto allows."""

NOT_RUN = Simulated("", 0, 0, 0, {}, 0)
"""In place of an original on a GPU that no part asks for."""

SLICES = "slices"

PARTS = ("ends", "sweep", "auto", "twins", "baseline", *GPUS, *(f"{SLICES} {gpu}" for gpu in GPUS))


def main() -> int:
    """Measure what the journal does not have yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", metavar="NAME", nargs="*")
    parser.add_argument("--journal", type=Path, required=True)
    parser.add_argument("--part", choices=PARTS, action="append", default=[])
    parser.add_argument("--one", action="store_true", help="conf1 to v100: one miniature, not two")
    arguments = parser.parse_args()
    collect_seldom()
    journal = Journal(arguments.journal)
    settings = HostSettings(cache_dir=user_cache_dir())
    for entry in entries():
        if arguments.names and entry.workload not in arguments.names:
            continue
        parts = [p for p in arguments.part or PARTS if f"{entry.workload} {p} done" not in journal]
        if arguments.one:
            parts = [p for p in parts if f"{entry.workload} auto {p} chosen" not in journal]
        if not parts:
            continue
        try:
            with subject_of(entry, settings) as subject, TemporaryDirectory() as folder:
                bench = _Bench(subject, journal, settings, Path(folder), parts)
                for part in parts:
                    bench.measure(part, twins=not arguments.one)
                    if not (arguments.one and part in GPUS):
                        journal.add(f"{entry.workload} {part} done", load=os.getloadavg()[0])
        except (DiagnosticError, InternalError) as error:
            sys.stdout.write(f"{entry.workload}: {error}\n")
        sys.stdout.flush()
    return 0


class _Bench(Bench):
    """One subject, studied and traced, and what is measured of it; simulations are those of the
    journal where it has them."""

    def __init__(
        self, subject: Subject, journal: Journal, settings: HostSettings, folder: Path,
        parts: Sequence[str],
    ) -> None:  # fmt: skip
        self.journal, self.name = journal, subject.workload
        study = study_script(subject.script, Study((), subject.launches), settings, size=SIZE)
        gpus = [load_gpu(name, []) for name in GPUS]
        ends = [part.removeprefix(f"{SLICES} ") for part in parts]
        on = {gpu for end in ends for gpu in ((end,) if end in GPUS else CONFIGURATIONS)}
        missing = [g for g in GPUS if g in on and f"{self.name} original on {g}" not in journal]
        if missing:
            self._take_original(subject, study, missing, settings, folder)
        rows = [journal.run(f"{self.name} original", gpu) or NOT_RUN for gpu in GPUS]
        super().__init__(study, gpus, rows, settings, folder)
        self.largest = self.trips(LARGEST)

    def _take_original(
        self, subject: Subject, study: Study, gpus: Sequence[str], settings: HostSettings,
        folder: Path,
    ) -> None:  # fmt: skip
        said = behaviour(Profile({}, (), tuple(x.profile for x in study.launches)))
        self.journal.add(
            f"{self.name} subject", workload=subject.workload, kernel=subject.kernel,
            launch=subject.launch, loops=_longest(study), behaviour=dataclasses.asdict(said),
            blocks=study.launches[0].launch.thread_blocks,
        )  # fmt: skip
        traced = trace_run(
            subject.script, folder / "original.kct", settings, size=SIZE, launches=subject.launches
        )
        for name in gpus:
            found = simulate_run(traced, load_gpu(name, []))
            self.journal.keep(f"{self.name} original", name, found)

    def trips(self, limit: int) -> Reduction:
        """All loops cut by the same factor, as far as they have trips."""
        return Reduction(largest_factors(self.study.kernels, self.study.launches, limit))

    def measure(self, part: str, *, twins: bool = True) -> None:
        """One of :data:`PARTS`; for one configuration two miniatures only where `twins`."""
        match part:
            case "ends":
                self.ends()
            case "sweep":
                self.sweep()
            case "auto":
                self._search("auto", JUDGES, twins=False)
            case "twins":
                self._search("twins", JUDGES, twins=True)
            case "baseline":
                self.baseline()
            case _ if part.startswith(SLICES):
                number = GPUS.index(part.removeprefix(f"{SLICES} "))
                self._search(part, [number], twins=True, slices=True)
            case _:
                number = GPUS.index(part)
                self._search(f"auto {part}", [number], twins=False)
                if twins:
                    self._search(f"twins {part}", [number], twins=True)

    def ends(self) -> None:
        """No reduction and the largest of trips, on all configurations (figures 18 to 20)."""
        for reduction in (self.trips(1), self.largest):
            self.executed(reduction)
            for number in range(len(CONFIGURATIONS)):
                self.simulated(reduction, number)
        self._choose("max", self.largest)

    def sweep(self) -> None:
        """Every power of two as the factor of all loops, on all configurations (figures 16 and 17),
        and the larger miniatures beside them."""
        for exponent in range(
            max(f for row in self.largest.factors for f in (1, *row)).bit_length()
        ):
            for number in range(len(CONFIGURATIONS)):
                self.pair(self.trips(1 << exponent), number, twins=True)

    def _search(
        self, how: str, numbers: Sequence[int], *, twins: bool, slices: bool = False
    ) -> None:
        if f"{self.name} {how} chosen" not in self.journal:
            most = largest_blocks(self.study.kernels, self.study.launches, MOST_BLOCKS)
            most = dataclasses.replace(self.largest, blocks=most)
            found, two = self.smallest(
                self.trips(1), most, BOUND / 100, twins=twins, on=numbers, slices=slices
            )
            for number in numbers:
                self.pair(found, number, twins=two)
            self._choose(how, found, twins=two)

    def _choose(self, how: str, reduction: Reduction, *, twins: bool = False) -> None:
        self.executed(reduction)
        row = dataclasses.asdict(reduction)
        self.journal.add(f"{self.name} {how} chosen", twins=twins, **row)

    def simulated(self, reduction: Reduction, number: int) -> Simulated:
        """A miniature on a configuration or a part of it, from the journal or now."""
        key, gpu = f"{self.name} {name_of(reduction)}", GPUS[number]
        found = self.journal.run(key, gpu)
        if found is None:
            found = super().simulated(reduction, number)
            self.journal.keep(key, gpu, found)
        return found

    def executed(self, reduction: Reduction) -> int:
        """By the journal, which is told what the miniature does."""
        key = f"{self.name} {name_of(reduction.on_all)} behaviour"
        if key not in self.journal:
            said = behaviour(self.settled(reduction).profile)
            self.journal.add(key, **dataclasses.asdict(said))
        return int(self.journal.rows[key]["warp_instructions"])

    def baseline(self) -> None:
        """Trip counts of one written into the source, which the compiler then restructures
        (section 6.2); and fewer threads (section 3.2): a quarter of the thread blocks."""
        first = CONFIGURATIONS[0]
        if self.largest != self.trips(1) and f"{self.name} once on {first}" not in self.journal:
            traced = _traced_once(self.settled(self.largest).miniature, self.folder, self.settings)
            self.journal.keep(f"{self.name} once", first, simulate_run(traced, self.gpus[0]))
        self.simulated(dataclasses.replace(self.trips(1), blocks=4), 0)


def _longest(study: Study) -> int:
    """The longest run of a loop."""
    return max((c.most for x in study.launches for c in x.profile.loops), default=0)


def _traced_once(miniature: Miniature, folder: Path, settings: HostSettings) -> Traced:
    """A miniature whose loops end after their first trip, compiled as any source."""
    miniature = without_loops(miniature)
    script = folder / HOST_NAME
    host = host_source(miniature, HOST_NAME, SOURCE_NAME).replace(', "-cl-opt-disable"', "")
    script.write_text(host, encoding="utf-8")
    text = opencl_source(miniature).text
    script.with_name(SOURCE_NAME).write_text(text, encoding="utf-8")
    return trace_run(str(script), folder / "miniature.kct", settings)


if __name__ == "__main__":
    sys.exit(main())

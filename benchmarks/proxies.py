"""Miniatures against their originals on the four configurations of MiniBench.

What is measured is listed in benchmarks/data/proxy_workloads.csv. For each reduction, powers of
two up to the largest, original and miniature are simulated and profiled. Kernels whose loops run at
most once have fewer thread blocks instead of fewer trips.

    python -m benchmarks.proxies --journal proxies.jsonl [NAME ...]
    python -m benchmarks.proxy_tables proxies.jsonl

The journal keeps what has been measured, and a second run goes on behind it.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

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
from kcc.synth.reductions import largest_factors
from kcc.synthesizing import HOST_NAME, SOURCE_NAME, Settled, Study, settle, study_script

CONFIGURATIONS = ("conf1", "conf2", "conf3", "conf4")

LARGEST = 1 << 20
"""More than any loop's trips."""

MOST_BLOCKS = 64
"""The largest factor by which thread blocks are divided."""


class Journal:
    """One line of JSON per measurement."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.keys = set[str]()
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                self.keys.add(json.loads(line)["key"])

    def add(self, key: str, **values: object) -> None:
        """Keep a measurement."""
        self.keys.add(key)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, **values}) + "\n")


def main() -> int:
    """Measure what the journal does not have yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", metavar="NAME", nargs="*")
    parser.add_argument("--journal", type=Path, required=True)
    parser.add_argument("--gpu", dest="gpus", action="append", default=[])
    arguments = parser.parse_args()
    journal = Journal(arguments.journal)
    settings = HostSettings(cache_dir=user_cache_dir())
    for entry in entries():
        if arguments.names and entry.workload not in arguments.names:
            continue
        try:
            with subject_of(entry, settings) as subject:
                _measure(subject, journal, arguments.gpus or list(CONFIGURATIONS), settings)
        except (DiagnosticError, InternalError) as error:
            sys.stdout.write(f"{entry.workload}: {error}\n")
        sys.stdout.flush()
    return 0


def _measure(subject: Subject, journal: Journal, gpus: list[str], settings: HostSettings) -> None:
    head = f"{subject.workload} listed"
    if f"{head} done {gpus}" in journal.keys:
        return
    study = study_script(subject.script, Study((), subject.launches), settings, size=SIZE)
    with tempfile.TemporaryDirectory(prefix="kcc-") as folder:
        target = Path(folder) / "original.kct"
        original = trace_run(subject.script, target, settings, size=SIZE, launches=subject.launches)
        said = behaviour(Profile({}, (), tuple(x.profile for x in study.launches)))
        journal.add(f"{head} subject", workload=subject.workload, kernel=subject.kernel,
                    launch=subject.launch, loops=_loops(study), behaviour=_row(said),
                    registers=list(original.registers.values()))  # fmt: skip
        _simulate(journal, f"{head} original", original, gpus)
        for kind, factor, settled in _miniatures(study, settings):
            key = f"{head} {kind} {factor}"
            if f"{key} behaviour" in journal.keys:
                continue
            registers = _each(journal, key, settled, Path(folder), settings, gpus)
            journal.add(f"{key} behaviour", behaviour=_row(behaviour(settled.profile)),
                        registers=registers)  # fmt: skip
        _baseline(study, journal, head, Path(folder), settings, gpus[:1])
    journal.add(f"{head} done {gpus}")


def _loops(study: Study) -> int:
    """The longest run of a loop."""
    return max((c.most for x in study.launches for c in x.profile.loops), default=0)


def _miniatures(study: Study, settings: HostSettings) -> Iterator[tuple[str, int, Settled]]:
    """With each reduction: "trips" where there are loops, else "blocks"."""
    largest = largest_factors(study.kernels, study.launches, LARGEST)
    most = max((f for row in largest for f in row), default=1)
    yield "trips", 1, settle(study, largest_factors(study.kernels, study.launches, 1), settings)
    factor = 2
    while factor <= most:
        factors = largest_factors(study.kernels, study.launches, factor)
        yield "trips", factor, settle(study, factors, settings)
        factor *= 2
    if most > 1:
        return
    for blocks in (2, 4, 8, 16, MOST_BLOCKS):
        yield "blocks", blocks, settle(study, largest, settings, blocks=blocks)


def _each(
    journal: Journal, key: str, settled: Settled, folder: Path, settings: HostSettings,
    gpus: list[str],
) -> list[int]:  # fmt: skip
    traced = traced_miniature(settled.miniature, settled.source.text, folder, settings)
    _simulate(journal, key, traced, gpus)
    return list(traced.registers.values())


def traced_miniature(
    miniature: Miniature, text: str, folder: Path, settings: HostSettings, *, optimise: bool = False
) -> Traced:
    """A miniature, run and traced; ``optimise``: compiled as any source."""
    script = folder / HOST_NAME
    host = host_source(miniature, HOST_NAME, SOURCE_NAME)
    script.write_text(host.replace(', "-cl-opt-disable"', "") if optimise else host, "utf-8")
    script.with_name(SOURCE_NAME).write_text(text, encoding="utf-8")
    return trace_run(str(script), folder / "miniature.kct", settings)


def _simulate(journal: Journal, key: str, traced: Traced, gpus: list[str]) -> None:
    for gpu in gpus:
        if f"{key} on {gpu}" in journal.keys:
            continue
        found: Simulated = simulate_run(traced, load_gpu(gpu, []))
        journal.add(f"{key} on {gpu}", cycles=found.cycles, issued=found.issued,
                    instructions=found.instructions, hits=dict(found.hits),
                    cpu_seconds=found.cpu_seconds)  # fmt: skip


def _baseline(
    study: Study, journal: Journal, head: str, folder: Path, settings: HostSettings,
    gpus: list[str],
) -> None:  # fmt: skip
    """Trip counts of one written into the source, which the compiler then restructures (section
    6.2); and fewer threads (section 3.2): a quarter of the thread blocks."""
    largest = largest_factors(study.kernels, study.launches, LARGEST)
    if any(f > 1 for row in largest for f in row):
        miniature = _without_loops(settle(study, largest, settings).miniature)
        text = opencl_source(miniature).text
        traced = traced_miniature(miniature, text, folder, settings, optimise=True)
        _simulate(journal, f"{head} once 1", traced, gpus)
    ones = largest_factors(study.kernels, study.launches, 1)
    settled = settle(study, ones, settings, blocks=4)
    traced = traced_miniature(settled.miniature, settled.source.text, folder, settings)
    _simulate(journal, f"{head} threads 4", traced, gpus)


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

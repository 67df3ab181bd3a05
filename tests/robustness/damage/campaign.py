"""Damages a sample of each format again and again, and gives it to the commands that read it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.robustness.children import in_children
from tests.robustness.commands import REFUSED, entered, in_folder, outcome_of, run_command
from tests.robustness.damage.damaging import (
    Damage,
    any_of,
    bytes_damaged,
    json_damaged,
    lines_of_json_damaged,
    trace_resealed,
    words_damaged,
    yaml_damaged,
)
from tests.robustness.damage.samples import EXPLORED, LAUNCH, SWEEP, TUNED, VALIDATED, make_samples
from tests.robustness.journal import Entry

LIMIT_SECONDS = 60.0
"""Of CPU time for one file."""


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file: where the sample stands (or several), how it is damaged, what reads it."""

    path: str
    damage: Damage
    commands: tuple[tuple[str, ...], ...]
    asks: bool = False
    """Whether a command may ask for an option that says what the file does not, or find nothing in
    it to compare."""


TEXT = any_of(words_damaged, bytes_damaged)
DOCUMENT = any_of(json_damaged, json_damaged, words_damaged, bytes_damaged)
JOURNAL = any_of(lines_of_json_damaged, lines_of_json_damaged, bytes_damaged)

FORMATS: dict[str, Format] = {
    "trace": Format(
        "x.kct",
        any_of(trace_resealed, trace_resealed, trace_resealed, bytes_damaged),
        (
            ("trace", "--show", "x.kct"),
            ("simulate", "x.kct", "--gpu", "conf1"),
            ("profile", "x.kct"),
            ("trace", "--show", "x.kct", "--launch", "0", "--block", "0", "--warp", "0"),
        ),
    ),
    "estimate document": Format(
        "estimate.json", DOCUMENT, (("compare", "estimate.json", "before.json"),)
    ),
    "simulation document": Format(
        "simulation.json", DOCUMENT, (("compare", "before.json", "simulation.json"),)
    ),
    "profile for miniatures": Format(
        "profile.json", DOCUMENT, (("synth", "profile.json", "-o", "mini"),)
    ),
    "GPU description": Format(
        "gpu.yaml",
        any_of(yaml_damaged, yaml_damaged, words_damaged, bytes_damaged),
        (
            ("gpus", "check", "gpu.yaml"),
            ("estimate", "k.cl", *LAUNCH, "--gpu", "./gpu.yaml"),
            ("simulate", "x.kct", "--gpu", "./gpu.yaml"),
        ),
    ),
    "kernel.toml": Format(
        "toml/kernel.toml",
        TEXT,
        (("analyze", "toml/k.cl", "--brief"), ("estimate", "toml/k.cl", "--gpu", "v100")),
    ),
    "host script": Format("host.py", TEXT, (("run", "host.py"),)),
    "Accel-Sim trace": Format(
        "accelsim/kernel-1.traceg",
        TEXT,
        (("simulate", "accelsim/kernelslist.g", "--gpu", "conf1"),),
    ),
    "Accel-Sim list": Format(
        "accelsim/kernelslist.g",
        TEXT,
        (("simulate", "accelsim/kernelslist.g", "--gpu", "conf1"),),
    ),
    "journal of a sweep": Format(
        "sweep.json.partial",
        JOURNAL,
        (("estimate", "k.cl", *LAUNCH, *SWEEP, "--json", "sweep.json", "--resume"),),
    ),
    "profile of thread blocks": Format(
        "blocks",
        bytes_damaged,
        (("simulate", "x.kct", "--gpu", "conf1", "--sample", "tbpoint",
          "--block-profile", "blocks"),),
    ),
    "journal of an exploration": Format(
        "explored.json.partial", JOURNAL, ((*EXPLORED, "--resume"),)
    ),
    "journal of a tuning": Format("tuning.json.partial", JOURNAL, ((*TUNED, "--resume"),)),
    "journal of a validation": Format(
        "validation.json.partial", JOURNAL, ((*VALIDATED, "--resume"),)
    ),
    "list of configurations": Format("list.json", DOCUMENT, (TUNED,), asks=True),
    "T4": Format("t4.json", DOCUMENT, (("tune", "t4.json", *TUNED[2:]),), asks=True),
    "table of times": Format("times.csv", TEXT, (VALIDATED,), asks=True),
    "units of a recorded run": Format("units.json", DOCUMENT, (("phases", "units.json"),)),
    "documents of a report": Format("report/*.json", DOCUMENT, (("report", "report"),)),
    "PTX": Format(
        "k.ptx", TEXT, (("analyze", "k.ptx"), ("estimate", "k.ptx", *LAUNCH, "--gpu", "v100"))
    ),
    "LLVM IR": Format("k.ll", TEXT, (("analyze", "k.ll", "--brief"),)),
    "LLVM bitcode": Format("k.bc", bytes_damaged, (("analyze", "k.bc", "--brief"),)),
    "OpenCL C": Format("k.cl", TEXT, (("analyze", "k.cl", "--brief"),)),
}  # fmt: skip


def judge(case: str, samples: Path) -> Entry:
    """A damaged file of a format, read by one of its commands."""
    name, number = case.rsplit(":", 1)
    rng = random.Random(case)
    kind = FORMATS[name]
    with in_folder() as folder:
        shutil.copytree(samples, folder, dirs_exist_ok=True)
        paths = sorted(folder.glob(kind.path))
        path = rng.choice(paths) if len(paths) > 1 else paths[0]
        same = "simulation.json" if name == "simulation document" else "estimate.json"
        shutil.copy(same, "before.json")
        path.write_bytes(kind.damage(rng, path.read_bytes()))
        outcome, detail = outcome_of(*run_command(*kind.commands[int(number) % len(kind.commands)]))
    if kind.asks and (outcome == "usage" or detail.startswith("Nothing could be compared")):
        outcome = REFUSED
    return Entry(case, f"{name}: {outcome}", detail)


def cases(first: int, count: int) -> list[str]:
    """So many of each format, the formats in turn."""
    return [f"{name}:{number}" for number in range(first, first + count) for name in FORMATS]


def judged(wanted: list[str]) -> Iterator[Entry]:
    """The entries of cases."""
    with TemporaryDirectory() as name:
        samples = Path(name)
        with entered(samples):
            make_samples(samples)
        yield from in_children(wanted, lambda case: judge(case, samples), LIMIT_SECONDS)

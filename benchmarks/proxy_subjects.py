"""What miniatures are measured on: the launches of benchmarks/data/proxy_workloads.csv.

Of each workload the list names a kernel and sizes that take the place of those of "small"; the
kernel's longest launch is the one that is measured (as in Yu et al., IEEE TC 2015, section 4, a
miniature is of one kernel execution).
"""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from kcc.stages.host import HostSettings, run_script

ROOT = Path(__file__).parent.parent
LIST = ROOT / "benchmarks" / "data" / "proxy_workloads.csv"
FOLDERS = (ROOT / "kernels", ROOT / "benchmarks" / "programs")
"""Where workloads are."""

SIZE = "small"
"""Whose numbers in kernel.toml the list overrides."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the list."""

    workload: str
    kernel: str
    sizes: dict[str, int]
    counterpart: str


@dataclass(frozen=True, slots=True)
class Subject:
    """A launch, as its number in the run of a script at size :data:`SIZE`."""

    workload: str
    script: str
    kernel: str
    launch: int

    @property
    def launches(self) -> list[range]:
        return [range(self.launch, self.launch + 1)]


def entries() -> list[Entry]:
    """The list."""
    with LIST.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return [
        Entry(row["workload"], row["kernel"], _sizes(row["sizes"]), row["counterpart"])
        for row in rows
    ]


def _sizes(text: str) -> dict[str, int]:
    pairs = (word.partition("=") for word in text.split())
    return {name: int(value) for name, _, value in pairs}


@contextmanager
def subject_of(entry: Entry, settings: HostSettings) -> Generator[Subject]:
    """A workload with the sizes of the list, in a folder of its own."""
    with TemporaryDirectory(prefix="kcc-") as folder:
        copy = Path(folder) / entry.workload
        own = next(place for place in FOLDERS if (place / entry.workload).is_dir())
        shutil.copytree(own / entry.workload, copy)
        said = copy / "kernel.toml"
        said.write_text(_resized(said.read_text(encoding="utf-8"), entry.sizes), encoding="utf-8")
        script = str(copy / "workload.py")
        rows = run_script(script, size=SIZE, settings=settings).launches
        own = [row for row in rows if row.kernel == entry.kernel]
        longest = max(own, key=lambda row: row.warp_instructions)
        yield Subject(entry.workload, script, entry.kernel, longest.number)


def _resized(text: str, sizes: dict[str, int]) -> str:
    """A kernel.toml with other numbers in its line of sizes for "small"."""
    lines = text.splitlines()
    place = next(n for n, line in enumerate(lines) if re.match(rf"{SIZE} *=", line))
    for name, value in sizes.items():
        lines[place], count = re.subn(rf"\b{name} = \d+", f"{name} = {value}", lines[place])
        if count != 1:
            raise ValueError(f"'{lines[place]}' has no {name}")
    return "\n".join(lines) + "\n"

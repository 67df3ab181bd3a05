"""Native programs under valgrind's callgrind: deterministic, without performance counters.

A unit is what runs between two dumps, which come every so many basic blocks; a method's share is
the part of the unit's instructions that were executed in it and in what it called, which is how
often it would be on a stack (Huang, dissertation, section 5.3.2); recursion counts once. Formats:
Valgrind manual, sections 6 and "Callgrind Format Specification".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from kcc.sim.sampling.simprof.table import Metric, UnitTable
from kcc.stages.recording.running import find_tool, nothing_recorded, run_recorded

BLOCKS = 500_000
"""Basic blocks of a unit: about three million instructions."""

CACHES = ("--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64")
"""Bytes, ways, bytes of a line: the same on every machine, so that recordings are."""

CPI = Metric(
    "CPI", "estimated cycles", "instructions",
    "cycles as KCachegrind estimates them from callgrind's simulation of caches and branches, "
    "instructions + 10 x (L1 misses + mispredicted branches) + 100 x LL misses, per instruction; "
    "no measured time",
)  # fmt: skip

_PENALTIES = {
    "Ir": 1, "I1mr": 10, "D1mr": 10, "D1mw": 10, "Bcm": 10, "Bim": 10, "ILmr": 100, "DLmr": 100,
    "DLmw": 100,
}  # fmt: skip
"""KCachegrind's "cycle estimation"."""

_COUNTERS = {
    "L1 data misses": ("D1mr", "D1mw"), "LL misses": ("ILmr", "DLmr", "DLmw"),
    "mispredicted branches": ("Bcm", "Bim"),
}  # fmt: skip

_NAMED = re.compile(r"\((\d+)\)(?: (.*))?$")
_RECURSION = re.compile(r"'\d+$")
WATCHED_SECONDS = 0.5
OUTPUT = "units.callgrind"


def record_callgrind(
    command: Sequence[str], folder: Path, blocks: int, show: Callable[[int], None]
) -> UnitTable:
    """Run the command with dumps into ``folder``, and read them; ``show`` is called with the
    dumps so far. Raises K961, K962, K963."""
    valgrind = find_tool("valgrind", "valgrind")
    options = (
        "--tool=callgrind", "--cache-sim=yes", "--branch-sim=yes", *CACHES,
        f"--dump-every-bb={blocks}", f"--callgrind-out-file={folder / OUTPUT}",
        f"--log-file={folder / 'valgrind.log'}",
    )  # fmt: skip
    complete = run_recorded(
        [valgrind, *options, *command], {}, lambda _: show(len(list(folder.iterdir()))),
        WATCHED_SECONDS,
    )  # fmt: skip
    return read_callgrind(folder, " ".join(command), blocks, complete=complete)


def read_callgrind(folder: Path, source: str, blocks: int, *, complete: bool) -> UnitTable:
    """The dumps in a folder, in order, as units; what is after the last is left out where it is
    less than half a unit. Raises K963."""
    paths = [p for p in folder.glob(f"{OUTPUT}.*") if p.suffix[1:].isdecimal()]
    paths.sort(key=lambda p: int(p.suffix[1:]))
    if (last := folder / OUTPUT).exists():
        paths.append(last)
    if not complete and paths and "\ntotals:" not in paths[-1].read_text("utf-8", "replace"):
        paths.pop()  # the program was killed as it wrote that one
    names = dict[str, str]()
    parts = [part for path in paths if (part := _Part(path, names)).events.get("Ir")]
    usual = float(np.median([p.events["Ir"] for p in parts])) if parts else 0.0
    if parts and 2 * parts[-1].events["Ir"] < usual:
        parts.pop()
    if not parts:
        hint = "programs that the command starts are not followed: name the program itself"
        raise nothing_recorded("callgrind left no dump", hint)
    features = sorted({name for part in parts for name in part.shares})
    place = {name: n for n, name in enumerate(features)}
    shares = np.zeros((len(parts), len(features)))
    for row, part in zip(shares, parts, strict=True):
        for name, share in part.shares.items():
            row[place[name]] = share
    work = np.array([p.events["Ir"] for p in parts], np.float64)
    cost = np.array([sum(p.events.get(e, 0) * c for e, c in _PENALTIES.items()) for p in parts])
    counters = {
        name: np.array([sum(p.events.get(e, 0) for e in own) for p in parts], np.float64)
        for name, own in _COUNTERS.items()
    }
    unit = f"{blocks:,} basic blocks, about {round(work.mean()):,} instructions"
    return UnitTable(
        source, "valgrind --tool=callgrind", unit, "method", CPI, tuple(features), shares,
        cost.astype(np.float64), work, counters, complete,
    )  # fmt: skip


class _Part:
    """One dump: totals by event, and each function's inclusive share of the instructions.
    ``names`` grows by the names of numbers, which later dumps use."""

    def __init__(self, path: Path, names: dict[str, str]) -> None:
        self.events = dict[str, int]()
        self.shares = dict[str, float]()
        costs, where, events = dict[str, int](), "", list[str]()
        column = 1
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line[:1] in "+-*0123456789" and line and where:
                cells = line.split()
                own = int(cells[column]) if len(cells) > column else 0
                costs[where] = costs.get(where, 0) + own
            elif line.startswith("fn="):
                where = _name(line[3:], names)
            elif line.startswith("cfn="):
                _name(line[4:], names)
            elif line.startswith("events:"):
                events = line.split()[1:]
                column = 1 + events.index("Ir")
            elif line.startswith(("summary:", "totals:")) and not self.events:
                self.events = dict(zip(events, map(int, line.split()[1:]), strict=False))
        total = max(self.events.get("Ir", 0), 1)
        for name, cost in costs.items():
            plain = _RECURSION.sub("", name)
            share = min(cost / total, 1.0)
            if share >= LEAST_SHARE:
                self.shares[plain] = max(self.shares.get(plain, 0.0), share)


LEAST_SHARE = 1e-3
"""Of a unit's instructions: a method with less would be on none of a thousand stacks."""


def _name(text: str, names: dict[str, str]) -> str:
    found = _NAMED.match(text)
    if found is None:
        return text
    if found[2]:
        names[found[1]] = found[2]
    return names.get(found[1], f"({found[1]})")

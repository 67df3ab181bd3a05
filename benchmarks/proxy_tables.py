"""The tables of docs/proxies.md, from the journal of benchmarks.proxies.

    python -m benchmarks.proxy_tables proxies.jsonl

"max" divides trips until one is left; "auto 5" is what `--reduction auto --error 5` finds on all
four configurations, or `--blocks auto` where there are no loops; "none" is without reduction.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CONFIGURATIONS = ("conf1", "conf2", "conf3", "conf4")


@dataclass(frozen=True, slots=True)
class Run:
    """One simulation."""

    cycles: float
    issued: float
    instructions: float
    cpu_seconds: float
    hits: dict[str, float]

    @property
    def ipc(self) -> float:
        return self.issued / self.cycles if self.cycles else 0.0


class Measured:
    """What a journal has of one workload."""

    def __init__(self, name: str, rows: dict[str, Any]) -> None:
        self.name, self.rows = name, rows
        self.subject = rows["subject"]

    @property
    def loops(self) -> bool:
        """Whether a loop runs more than once."""
        return int(self.subject["loops"]) > 1

    def run(self, what: str, gpu: str) -> Run | None:
        """The original, or the miniature of a kind and factor, on a configuration."""
        row = self.rows.get(f"{what} on {gpu}")
        if row is None:
            return None
        return Run(
            row["cycles"], row["issued"], row["instructions"], row["cpu_seconds"], row["hits"]
        )

    def error(self, what: str, gpu: str) -> float | None:
        """The relative error of IPC: equation (4)."""
        one, two = self.run("original", gpu), self.run(what, gpu)
        return two.ipc / one.ipc - 1 if one and two and one.ipc else None

    def factors(self, kind: str) -> list[int]:
        found = {int(k.split()[1]) for k in self.rows if k.startswith(f"{kind} ") and " on " in k}
        return sorted(found)

    def chosen(self, how: str) -> str | None:
        """The miniature of "max", "none", "auto 5" or "auto 10", by its name in the journal."""
        if how == "none":
            return "trips 1"
        if how == "max":
            return f"trips {max(self.factors('trips'))}"
        row = self.rows.get(f"{how} chosen")
        return None if row is None else " ".join(str(row["what"]).split())

    def named(self, how: str) -> str:
        """What was reduced by how much: trips of each loop, or thread blocks."""
        row = self.rows.get(f"{how} chosen")
        if row is None:
            return str(self.chosen(how))
        if row["blocks"] > 1:
            return f"blocks {row['blocks']}"
        return "trips " + (", ".join(str(f) for f in row["factors"][0]) or "1")

    def speedup(self, what: str, gpu: str, *, time: bool = False) -> float | None:
        one, two = self.run("original", gpu), self.run(what, gpu)
        if not one or not two:
            return None
        if time:
            return one.cpu_seconds / max(two.cpu_seconds, 1e-9)
        return one.instructions / two.instructions


HOW = ("max", "auto 5", "auto 10", "none")


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("journal", type=Path)
    arguments = parser.parse_args()
    found = read(arguments.journal)
    write = sys.stdout.write
    for how in HOW:
        own = [m for m in found if m.chosen(how)]
        if own:
            write(f"\n### {how}\n\n{errors_table(own, how)}\n")
    write(f"\n### correlation\n\n{correlation_table(found)}\n")
    write(f"\n### by reduction\n\n{reduction_table(found)}\n")
    write(f"\n### behaviour\n\n{behaviour_table(found)}\n")
    write(f"\n### baselines\n\n{baseline_table(found)}\n")
    return 0


def read(path: Path) -> list[Measured]:
    """The workloads whose original and miniatures are in the journal."""
    rows = dict[str, dict[str, Any]]()
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        name, _, *rest = row["key"].split()
        rows.setdefault(name, {})[" ".join(rest)] = row
    done = [n for n, r in rows.items() if "main done" in r]
    return [Measured(name, rows[name]) for name in sorted(done)]


def errors_table(found: Sequence[Measured], how: str) -> str:
    """IPC errors on each configuration and speed-ups, at one reduction per workload."""
    lines = [
        "| workload | kernel | miniature | conf1 | conf2 | conf3 | conf4 | instructions | time |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for own in found:
        what = own.chosen(how) or ""
        errors = " | ".join(_percent(own.error(what, gpu)) for gpu in CONFIGURATIONS)
        speed = own.speedup(what, "conf1")
        time = own.speedup(what, "conf1", time=True)
        lines.append(
            f"| {own.name} | {own.subject['kernel']} | {own.named(how)} | {errors} |"
            f" {_times(speed)} | {_times(time)} |"
        )
    for title, group in (
        ("loops", [m for m in found if m.loops]),
        ("no loops", [m for m in found if not m.loops]),
        ("all", list(found)),
    ):
        lines.append(_means(title, group, how))
    return "\n".join(lines)


def _means(title: str, group: Sequence[Measured], how: str) -> str:
    columns = [
        _mean_absolute(m.error(m.chosen(how) or "", gpu) for m in group) for gpu in CONFIGURATIONS
    ]
    speeds = [s for m in group if (s := m.speedup(m.chosen(how) or "", "conf1"))]
    times = [s for m in group if (s := m.speedup(m.chosen(how) or "", "conf1", time=True))]
    return (
        f"| mean of {len(group)}, {title} | | | {' | '.join(columns)} | {_both(speeds)} |"
        f" {_both(times)} |"
    )


def _both(values: Sequence[float]) -> str:
    """Arithmetic and harmonic mean."""
    if not values:
        return "-"
    return f"{statistics.mean(values):.1f} x / {statistics.harmonic_mean(values):.1f} x"


def correlation_table(found: Sequence[Measured]) -> str:
    """How IPC changes from conf1 to the others, original against miniature: the correlation of the
    logarithms of IPC over that on conf1, over all workloads and configurations (figure 20)."""
    lines = ["| miniature | points | correlation |", "|---|---|---|"]
    for how in HOW:
        one, two = list[float](), list[float]()
        for own in found:
            what = own.chosen(how)
            if what is None:
                continue
            for gpu in CONFIGURATIONS[1:]:
                one.append(_gain(own, "original", gpu))
                two.append(_gain(own, what, gpu))
        if len(one) > 2:
            lines.append(f"| {how} | {len(one)} | {statistics.correlation(one, two):.3f} |")
    return "\n".join(lines)


def _gain(own: Measured, what: str, gpu: str) -> float:
    first, other = own.run(what, CONFIGURATIONS[0]), own.run(what, gpu)
    assert first is not None
    assert other is not None
    return math.log(other.ipc / first.ipc)


def reduction_table(found: Sequence[Measured]) -> str:
    """Error and speed-up of loop kernels by reduction (figures 16 and 17), on conf1."""
    lines = ["| R | workloads | mean error | mean speed-up, instructions |", "|---|---|---|---|"]
    loops = [m for m in found if m.loops and "sweep done" in m.rows]
    for factor in (1, 2, 8, 32, 128, 512, 2048, 8192):
        # A workload whose largest factor is smaller stays at that.
        whats = [(m, f"trips {max(f for f in m.factors('trips') if f <= factor)}") for m in loops]
        errors = _mean_absolute(m.error(w, "conf1") for m, w in whats)
        speeds = [s for m, w in whats if (s := m.speedup(w, "conf1"))]
        own = sum(max(m.factors("trips")) >= factor for m in loops)
        lines.append(f"| {factor} | {own} | {errors} | {_both(speeds)} |")
    return "\n".join(lines)


def behaviour_table(found: Sequence[Measured], how: str = "auto 5") -> str:
    """Lanes, sectors, passes and hit rates, original / miniature, of what auto finds."""
    lines = [
        "| workload | miniature | lanes | sectors | passes | mix | L1 hits, conf1 |",
        "|---|---|---|---|---|---|---|",
    ]
    for own in found:
        what = own.chosen(how)
        if what is None or f"{what} behaviour" not in own.rows:
            continue
        one = own.subject["behaviour"]
        two = own.rows[f"{what} behaviour"]["behaviour"]
        hits = [_hits(own.run(w, "conf1")) for w in ("original", what)]
        mix = max(
            abs(one["mix"].get(n, 0) - two["mix"].get(n, 0)) for n in {*one["mix"], *two["mix"]}
        )
        lines.append(
            f"| {own.name} | {own.named(how)} | {one['lanes']:.2f} / {two['lanes']:.2f} |"
            f" {one['sectors']:.2f} / {two['sectors']:.2f} |"
            f" {one['passes']:.2f} / {two['passes']:.2f} | {100 * mix:.1f} % |"
            f" {hits[0]} / {hits[1]} |"
        )
    return "\n".join(lines)


def baseline_table(found: Sequence[Measured]) -> str:
    """Trips of one written into the source, and a quarter of the thread blocks, on conf1."""
    lines = ["| workload | once in the source | a quarter of the threads |", "|---|---|---|"]
    for own in found:
        once, threads = own.error("once 1", "conf1"), own.error("threads 4", "conf1")
        lines.append(f"| {own.name} | {_percent(once)} | {_percent(threads)} |")
    once = _mean_absolute(m.error("once 1", "conf1") for m in found)
    threads = _mean_absolute(m.error("threads 4", "conf1") for m in found)
    lines.append(f"| mean | {once} | {threads} |")
    return "\n".join(lines)


def _mean_absolute(errors: Iterable[float | None]) -> str:
    known = [abs(e) for e in errors if e is not None]
    return f"{100 * statistics.mean(known):.1f} %" if known else "-"


def _percent(error: float | None) -> str:
    return "-" if error is None else f"{100 * error:+.1f} %"


def _times(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} x"


def _hits(run: Run | None) -> str:
    rate = run.hits.get("L1") if run else None
    return "-" if rate is None else f"{100 * rate:.0f} %"


if __name__ == "__main__":
    sys.exit(main())

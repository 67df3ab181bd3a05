"""What `kcc memory` found, as its reports take it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kcc.base.records import dataclass
from kcc.report.shared.text import share_text
from kcc.sim.memory.facts import AccessResult, Distribution, MemoryResult

LEAST_GAIN = 0.005
"""Share of the latency that a change has to save to be named."""


@dataclass(frozen=True, slots=True)
class GpuRun:
    """All launches on a GPU; ``settings`` are the changes of it."""

    gpu: str
    settings: tuple[str, ...]
    results: tuple[MemoryResult, ...]

    @property
    def label(self) -> str:
        return " ".join((self.gpu, *self.settings))


@dataclass(frozen=True, slots=True)
class FailedGpu:
    """A GPU on which the launches cannot be, and why."""

    gpu: str
    reason: str


@dataclass(frozen=True, slots=True)
class MemoryReport:
    """All GPUs; ``texts`` are the lines of the source files, ``notes`` what they rest on."""

    source: str
    runs: tuple[GpuRun, ...]
    failed: tuple[FailedGpu, ...]
    texts: Mapping[str, Sequence[str]]
    notes: tuple[str, ...] = ()

    def text_of(self, file: str, line: int) -> str:
        """A line of the source, "" where it is not at hand."""
        lines = self.texts.get(file, ())
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""


def representatives(results: Sequence[MemoryResult]) -> list[tuple[MemoryResult, int]]:
    """For each kernel the launch with most entries (of equal ones the first), and how many launches
    of it there are."""
    groups = dict[str, list[MemoryResult]]()
    for result in results:
        groups.setdefault(result.kernel, []).append(result)
    return [(max(own, key=lambda r: (r.entries, -r.launch)), len(own)) for own in groups.values()]


def percent(found: Distribution | None) -> str:
    """A rate: mean and two deviations, in points."""
    if found is None:
        return "-"
    return f"{100 * found.mean:.1f} ±{200 * found.deviation:.1f} %"


def cycles(found: Distribution | None) -> str:
    """A latency: mean and two deviations."""
    return "-" if found is None else f"{found.mean:,.0f} ±{2 * found.deviation:,.0f}"


def access_words(a: AccessResult) -> str:
    """What an access does to which array."""
    s = a.access
    place = f"by instruction {s.instruction}" if s.instruction >= 0 else "(several)"
    return f"{s.operation.name.lower()} {s.array or place}"


def by_latency(result: MemoryResult) -> list[AccessResult]:
    """Accesses that were executed: loads by their share of the latency, then stores by sectors."""
    seen = [a for a in result.accesses if a.executed]
    return sorted(seen, key=lambda a: (-a.share, -a.sectors))


def snapshot_words(result: MemoryResult) -> str:
    """Which thread blocks were looked at."""
    if result.blocks == result.all_blocks:
        return f"all {result.blocks:,} thread blocks"
    return f"{result.blocks:,} of {result.all_blocks:,} thread blocks"


def verdict_of(report: MemoryReport) -> str:
    """One sentence about the kernel that waits most: its load with most of the latency, how that
    hits, and the change that helps most; "" where nothing waits."""
    found = [
        (run, r, a) for run in report.runs for r, _ in representatives(run.results)
        for a in by_latency(r)[:1] if a.share and a.cycles
    ]  # fmt: skip
    if not found:
        return ""
    run, r, a = max(found, key=lambda each: each[1].entries)
    many = f" on {run.label}" if len(report.runs) > 1 else ""
    rates = [
        f"{level} hits {share_text(rate.mean)}"
        for level, rate in (("L1", a.l1_rate), ("L2", a.l2_rate)) if rate is not None
    ]  # fmt: skip
    place = f"line {a.access.line}: " if a.access.line else ""
    said = (
        f"{r.kernel}{many}: {place}the {access_words(a)} has {share_text(a.share)} of the latency"
    )
    mean = a.cycles.mean if a.cycles else 0
    parts = [f"{said} of all loads, {mean:,.0f} cycles each ({', '.join(rates)})"]
    best = min(r.changes, key=lambda c: c.latency_change, default=None)
    if best is not None and best.latency_change < -LEAST_GAIN:
        parts.append(f"{best.words} changes the latency by {100 * best.latency_change:+.1f} %")
    return "; ".join(parts) + "."

"""What `kcc memory` says on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from kcc.report.memory_run import (
    GpuRun,
    MemoryReport,
    access_words,
    by_latency,
    cycles,
    percent,
    representatives,
    snapshot_words,
    verdict_of,
)
from kcc.report.shared.style import Style
from kcc.report.shared.text import bar, fill, make_table, written
from kcc.sim.memory.facts import AccessResult, MemoryResult

ROWS = 24
SHARE_COLUMNS = 8
SOURCE = 64
"""Characters of a line of the source that are shown."""


def memory_text(report: MemoryReport, style: Style, *, each_launch: bool) -> str:
    """The report: of each GPU the kernels, of one GPU the loads and arrays of each kernel."""

    def write(console: Console) -> None:
        if verdict := verdict_of(report):
            console.print(verdict, markup=False, highlight=False)
        console.print(_overview(report, style))
        if len(report.runs) == 1:
            for result, launches in _told(report.runs[0], each_launch=each_launch):
                _write_result(console, report, result, launches, style)
        for note in report.notes:
            console.print(f"note: {note}")
        for failed in report.failed:
            console.print(f"note: not on {failed.gpu}: {failed.reason}")

    return written(style, write)


def _told(run: GpuRun, *, each_launch: bool) -> list[tuple[MemoryResult, int]]:
    return [(r, 1) for r in run.results] if each_launch else representatives(run.results)


def _overview(report: MemoryReport, style: Style) -> object:
    """A row for each GPU and kernel; no column for what is the same in all."""
    kernels = {r.kernel for run in report.runs for r in run.results}
    kept = [len(report.runs) > 1, len(kernels) > 1 or len(report.runs) == 1, *[True] * 5]
    columns = ("GPU", "kernel", "L1 read hits", "L2 read hits", "L2 write hits", "DRAM latency",
               "trials")  # fmt: skip
    title = report.source if kept[0] else f"{report.source} on {report.runs[0].label}"
    if not kept[1]:
        title = f"{title}: {', '.join(kernels)}"
    shown = [c for c, keep in zip(columns, kept, strict=True) if keep]
    table = make_table(title, style, *shown, right=columns[2:])
    rows = list[tuple[str, ...]]()
    for run in report.runs:
        for result, _ in representatives(run.results):
            row = (
                run.label, result.kernel, percent(result.l1_rate), percent(result.l2_rate),
                percent(result.write_rate), cycles(result.dram_cycles), str(result.trials),
            )  # fmt: skip
            rows.append(tuple(c for c, keep in zip(row, kept, strict=True) if keep))
    said = "hit rates of sectors, mean and two standard deviations; each kernel's largest launch"
    return fill(table, rows, said)


def _write_result(
    console: Console, report: MemoryReport, result: MemoryResult, launches: int, style: Style
) -> None:
    console.print()
    of = f" (of {launches:,})" if launches > 1 else ""
    console.print(
        f"{result.kernel}, launch {result.launch}{of}: {snapshot_words(result)}, "
        f"{result.resident_blocks} resident on each of {result.sms} SMs; {result.entries:,}"
        f" transactions in {result.sequences:,} sequences of loads; converged after"
        f" {result.settled_after} of {result.trials} trials"
    )
    columns = ("line", "access", "share", "latency", "L1 hits", "L2 hits", "sectors")
    table = make_table("Accesses, loads by their share of the latency", style, *columns,
                       right=columns[3:])  # fmt: skip
    accesses = [a for a in by_latency(result) if a.requests]
    rows = [_row(a, style) for a in accesses[:ROWS]]
    said = f"latency: expected cycles at {result.clock_mhz:,.0f} MHz; ±: two standard deviations;"
    console.print(fill(table, rows, f"{said} of stores: write hits"))
    _write_source(console, report, accesses, style)
    arrays = [
        (a.array or "(several)", f"{100 * a.share:.1f} %", cycles(a.cycles), percent(a.l1_rate),
         percent(a.l2_rate), percent(a.write_rate), f"{a.sectors:,.0f}")
        for a in result.arrays
    ]  # fmt: skip
    if len(arrays) > 1:
        heads = ("array", "share", "latency", "L1 hits", "L2 hits", "write hits", "sectors")
        console.print(fill(make_table("arrays", style, *heads, right=heads[1:]), arrays))
    if result.changes:
        heads = ("what if", "latency of all loads", "transactions", "L1 reads", "L2 reads")
        changes = [
            (c.words, f"{100 * c.latency_change:+.1f} %", f"{100 * c.entries_change:+.1f} %",
             percent(c.l1_rate), percent(c.l2_rate))
            for c in result.changes
        ]  # fmt: skip
        console.print(fill(make_table("what if", style, *heads, right=heads[1:]), changes))


def _row(a: AccessResult, style: Style) -> tuple[str, ...]:
    s = a.access
    hits = (percent(a.l1_rate), percent(a.l2_rate)) if a.cycles else ("", percent(a.write_rate))
    share = f"{100 * a.share:5.1f} % {bar(a.share * SHARE_COLUMNS, style)}" if a.cycles else ""
    return (
        str(s.line or "?"), access_words(a), share,
        cycles(a.cycles), *hits, f"{a.sectors:,.0f}",
    )  # fmt: skip


def _write_source(
    console: Console, report: MemoryReport, accesses: Sequence[AccessResult], style: Style
) -> None:
    """The lines that load, as they stand in the source, with their share and latest load."""
    table = make_table("source", style, "line", "share", "latency", "", right=("line", "latency"))
    rows = list[tuple[str, ...]]()
    loads = [a for a in accesses if a.cycles is not None and a.access.line]
    for file, line in sorted({(a.access.file, a.access.line) for a in loads}):
        own = [a for a in loads if (a.access.file, a.access.line) == (file, line)]
        share = sum(a.share for a in own)
        text = report.text_of(file, line)
        slowest = max((a.cycles for a in own if a.cycles), key=lambda c: c.mean)
        if text:
            rows.append(
                (str(line), bar(share * SHARE_COLUMNS, style), cycles(slowest), text[:SOURCE])
            )
    if rows:
        console.print(fill(table, rows))

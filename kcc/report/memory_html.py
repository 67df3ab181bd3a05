"""`kcc memory` as one page: HTML with its style and pictures inside, without scripts."""

from __future__ import annotations

from collections.abc import Sequence

from kcc.report.memory_picture import convergence, histogram
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
from kcc.report.shared.ink import on_page
from kcc.report.shared.markup import NOTHING, Markup, join, table, tag
from kcc.report.shared.page import page
from kcc.sim.memory.facts import AccessResult, MemoryResult

_STYLE = """
.heat { background: rgba(var(--hot), var(--heat, 0)); }
.lines td { white-space: pre; font-family: ui-monospace, monospace; font-size: 12.5px;
  padding-top: 1px; padding-bottom: 1px; }
.charts { display: flex; flex-wrap: wrap; gap: .8rem; margin: .6rem 0; }
.charts figure { margin: 0; background: var(--raised); border: 1px solid var(--line);
  border-radius: 8px; padding: .5rem; }
.charts figcaption { font-size: .8rem; color: var(--soft); }
"""

AROUND = 2
"""Lines of the source that are shown around those with accesses."""


def memory_page(report: MemoryReport) -> str:
    """The page about all GPUs."""
    return page(
        f"{report.source} - kcc memory",
        tag("header", tag("h1", tag("code", report.source))),
        tag("p", verdict_of(report), class_="verdict") if verdict_of(report) else "",
        tag("p", "Hit rates of caches and latencies of loads over many random orders of warps: the"
            " mean of all trials and two standard deviations of one. How the orders differ is no"
            " error of the model; docs/validation/memory.md says how far it is to be trusted."),
        _overview(report),
        *(_run(report, run) for run in report.runs),
        _notes(report),
        style=_STYLE,
    )  # fmt: skip


def _overview(report: MemoryReport) -> Markup:
    rows = [
        (run.label, tag("a", r.kernel, href=f"#{run.gpu}-{r.launch}"), f"{launches:,}",
         percent(r.l1_rate), percent(r.l2_rate), percent(r.write_rate), cycles(r.dram_cycles),
         str(r.trials))
        for run in report.runs for r, launches in representatives(run.results)
    ]  # fmt: skip
    head = ("GPU", "kernel", "launches", "L1 read hits", "L2 read hits", "L2 write hits",
            "DRAM, cycles", "trials")  # fmt: skip
    return table(head, rows, tuple(range(2, 8)))


def _run(report: MemoryReport, run: GpuRun) -> Markup:
    return tag(
        "section",
        tag("h2", tag("code", run.label)),
        *(_result(report, run, r) for r, _ in representatives(run.results)),
    )


def _result(report: MemoryReport, run: GpuRun, r: MemoryResult) -> Markup:
    said = (
        f"launch {r.launch}: {snapshot_words(r)}, {r.resident_blocks} resident on each of {r.sms} "
        f"SMs; {r.entries:,} transactions in {r.sequences:,} sequences of loads; deviations "
        f"settled after {r.settled_after} of {r.trials} trials"
    )
    accesses = [a for a in by_latency(r) if a.requests]
    return join(
        tag("h3", r.kernel, id=f"{run.gpu}-{r.launch}"),
        tag("p", said, class_="soft"),
        _source(report, accesses),
        tag("h4", "Accesses, loads by their share of all latency"),
        table(
            ("line", "access", "share", "latency, cycles", "L1 hits", "L2 hits",
             "write hits", "executed", "sectors"),
            [_access(a) for a in accesses], (0, 2, 3, 4, 5, 6, 7, 8),
        ),
        tag("h4", "Arrays"),
        table(
            ("array", "share", "latency, cycles", "L1 hits", "L2 hits", "write hits", "sectors"),
            [(a.array or "(several)", _share(a.share), _if(cycles(a.cycles)),
              _if(percent(a.l1_rate)), _if(percent(a.l2_rate)), _if(percent(a.write_rate)),
              f"{a.sectors:,.0f}") for a in r.arrays],
            tuple(range(1, 7)),
        ),
        _changes(r),
        _charts(r),
    )  # fmt: skip


def _if(text: str) -> str:
    return "" if text == "-" else text


def _share(share: float) -> str:
    return f"{100 * share:.1f} %" if share else ""


def _access(a: AccessResult) -> tuple[str, ...]:
    s = a.access
    return (
        str(s.line or "?"), access_words(a), _share(a.share),
        _if(cycles(a.cycles)), _if(percent(a.l1_rate)), _if(percent(a.l2_rate)),
        _if(percent(a.write_rate)), f"{a.executed:,.0f}", f"{a.sectors:,.0f}",
    )  # fmt: skip


def _source(report: MemoryReport, accesses: Sequence[AccessResult]) -> Markup:
    """The source around the accesses, with the latency of each load, hot where much is waited."""
    parts = list[Markup]()
    for file in dict.fromkeys(a.access.file for a in accesses if a.access.line):
        text = report.texts.get(file)
        if not text:
            continue
        own = dict[int, list[AccessResult]]()
        for a in accesses:
            if a.access.file == file and a.access.line:
                own.setdefault(a.access.line, []).append(a)
        first = max(min(own) - AROUND, 1)
        last = min(max(own) + AROUND, len(text))
        hottest = max(sum(a.share for a in each) for each in own.values()) or 1.0
        rows = [
            _line(number, text[number - 1], own.get(number, []), hottest)
            for number in range(first, last + 1)
        ]
        head = ("line", "share", "latency of loads, cycles", "source")
        parts.append(tag("div", table(head, rows, (0, 1)), class_="lines"))
    return join(*parts) if parts else NOTHING


def _line(number: int, text: str, own: Sequence[AccessResult], hottest: float) -> tuple[str, ...]:
    share = sum(a.share for a in own)
    heat = f"--heat:{0.55 * share / hottest:.3f}"
    loads = "   ".join(
        f"{a.access.array or '?'} {cycles(a.cycles)}" for a in own if a.cycles is not None
    )
    shown = tag("span", text or " ", class_="heat", style=heat) if share else tag("span", text)
    return str(number), _share(share), loads, shown


def _changes(r: MemoryResult) -> Markup:
    if not r.changes:
        return NOTHING
    rows = [
        (c.words, f"{100 * c.latency_change:+.1f} %", f"{100 * c.entries_change:+.1f} %",
         percent(c.l1_rate), percent(c.l2_rate))
        for c in r.changes
    ]  # fmt: skip
    head = ("what if", "latency of all loads", "transactions", "L1 read hits", "L2 read hits")
    return join(tag("h4", "What if"), table(head, rows, (1, 2, 3, 4)))


def _charts(r: MemoryResult) -> Markup:
    """Histograms of rates and of DRAM's latency, and how the deviations settled."""
    rates = (("L1 reads", r.l1_rate), ("L2 reads", r.l2_rate), ("L2 writes", r.write_rate))
    there = [(name, found) for name, found in rates if found is not None]
    known = [(name, found) for name, found in there if found.varies]
    figures = [
        tag("figure", on_page(histogram([100 * v for v in found.values], "%")),
            tag("figcaption", f"{name}: hit rate of each trial"))
        for name, found in known
    ]  # fmt: skip
    if r.batch_cycles:
        figures.append(
            tag("figure", on_page(histogram(r.batch_cycles, "cycles")),
                tag("figcaption", "DRAM: latency of batches of requests"))
        )  # fmt: skip
    if r.trials > 2 and known:
        figures.append(
            tag("figure", on_page(convergence(known)),
                tag("figcaption", "standard deviation over the first n trials, points"))
        )  # fmt: skip
    same = [name for name, found in there if not found.varies]
    said = f"Hit rates that are the same in all {r.trials} trials: {', '.join(same)}."
    charts = tag("div", *figures, class_="charts")
    return join(charts, tag("p", said, class_="soft")) if same and r.trials > 1 else charts


def _notes(report: MemoryReport) -> Markup:
    notes = dict.fromkeys(report.notes)
    notes.update(dict.fromkeys(f"not on {f.gpu}: {f.reason}" for f in report.failed))
    for run in report.runs:
        for r in run.results:
            notes.update(dict.fromkeys(f"{run.gpu}: assumed {a}" for a in r.assumptions))
    if not notes:
        return NOTHING
    items = tag("ul", *(tag("li", note) for note in notes), class_="soft")
    return join(tag("h2", "Assumptions"), items)

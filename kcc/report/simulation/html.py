"""Simulations as one page: HTML with its style inside, without scripts, readable offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources

import kcc
from kcc.base.terms import stall_label
from kcc.report.shared.cause_colors import cause_color
from kcc.report.shared.markup import NOTHING, Markup, join, safe, table, tag
from kcc.report.simulation.chart import launch_chart
from kcc.report.simulation.run import (
    FailedRun,
    LineSum,
    SimulationRun,
    added,
    largest,
    lines_of,
)
from kcc.report.simulation.terminal import by_kernel, kernel_rows, notes_of
from kcc.report.simulation.verdict import verdict_of_run
from kcc.sim.result import Timing

LINES_SHOWN = 400
CHARTS_SHOWN = 12
"""Launches that are drawn over time: the longest."""

_STYLE = """
.stack { display: flex; height: 18px; border-radius: 4px; overflow: hidden; margin: .3rem 0;
  background: var(--line); }
.stack i { display: block; height: 100%; }
td .stack { min-width: 8rem; height: 14px; margin: .15rem 0; }
.heat { background: rgba(var(--hot), var(--heat, 0)); }
.lines td { white-space: pre; font-size: 12.5px; }
"""

Texts = Mapping[str, Sequence[str]]


def simulation_page(source: str, found: Sequence[SimulationRun | FailedRun], texts: Texts) -> str:
    """The page about all configurations; ``texts`` are the lines of the source files."""
    runs = [run for run in found if isinstance(run, SimulationRun)]
    style = resources.files("kcc.report").joinpath("page.css").read_text(encoding="utf-8")
    head = tag(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", f"{source} - kcc simulate"),
        tag("style", Markup(style + _STYLE)),
    )
    body = tag(
        "body",
        tag("header", tag("h1", tag("code", source)), _legend(runs)),
        _overview(found),
        *(_run(run, number, texts) for number, run in enumerate(runs)),
        tag("p", f"kcc {kcc.__version__}", class_="soft"),
    )
    return "<!DOCTYPE html>\n" + tag("html", head, "\n", body, lang="en") + "\n"


def _legend(runs: Sequence[SimulationRun]) -> Markup:
    names = [n for n, cycles in added(t for run in runs for t in run.timings).items() if cycles]
    parts = [tag("span", tag("i", style=f"background:{cause_color(n)}"), n) for n in names]
    return tag("div", *parts, class_="legend")


def _stack(parts: Mapping[str, float]) -> Markup:
    """Shares as a bar; what each is stands in its title."""
    total = sum(parts.values()) or 1
    bars = [
        tag("i", style=f"width:{100 * cycles / total:.3f}%;background:{cause_color(name)}",
            title=f"{stall_label(name)}: {100 * cycles / total:.1f} %")
        for name, cycles in parts.items() if cycles
    ]  # fmt: skip
    return tag("div", *bars, class_="stack")


def _overview(found: Sequence[SimulationRun | FailedRun]) -> Markup:
    """A row for each configuration."""
    if len(found) < 2:
        return NOTHING
    first = next(run for run in found if isinstance(run, SimulationRun))
    rows = list[tuple[str, ...]]()
    number = 0
    for run in found:
        if isinstance(run, FailedRun):
            rows.append((run.label, "", "", "", "", run.reason, ""))
            continue
        speed = first.time_us / run.time_us if run.time_us else 0
        rows.append(
            (tag("a", run.label, href=f"#c{number}"), f"{run.cycles:,.0f}", f"{run.time_us:,.2f}",
             f"{speed:.2f} x", f"{run.ipc:.2f}", run.limiter, _stack(added(run.timings)))
        )  # fmt: skip
        number += 1
    head = ("configuration", "cycles", "us", "speed", "IPC", "limiter", "stack")
    return join(tag("h2", "Configurations"), table(head, rows, (1, 2, 3, 4)))


def _run(run: SimulationRun, number: int, texts: Texts) -> Markup:
    head = ("kernel", "launches", "cycles", "us", "IPC", "warps per SM", "L1", "L2", "limiter")
    kernels = kernel_rows(run.timings, each_launch=False)
    said = f"{run.cycles:,.0f} cycles, {run.time_us:,.2f} us at {run.timings[0].clock_mhz:,.0f} MHz"
    stacks = [
        join(tag("h3", name), _stack(added(own)))
        for name, own in by_kernel(run.timings, each_launch=False).items()
    ]
    return tag(
        "section",
        tag("h2", tag("code", run.label), " ", tag("small", said), id=f"c{number}"),
        tag("p", verdict_of_run(run), class_="verdict"),
        table(head, kernels, tuple(range(1, 8))),
        *stacks,
        _lines(run.timings, texts),
        _charts(run.timings),
        tag("h3", "Assumptions"),
        tag("ul", *(tag("li", note) for note in notes_of(run.timings)), class_="soft"),
    )


def _lines(timings: Sequence[Timing], texts: Texts) -> Markup:
    """The lines of the source that took cycles, with what they did."""
    sums = [own for own in lines_of(timings) if own.line][:LINES_SHOWN]
    if not sums:
        return NOTHING
    everything = sum(added(timings).values()) or 1
    hottest = sums[0].cycles or 1
    rows = [_line(own, everything, hottest, texts) for own in sums]
    head = ("line", "share", "mostly", "stack", "executed", "sectors", "L1 hits", "L2 hits",
            "DRAM sectors", "local passes", "source")  # fmt: skip
    return join(
        tag("h3", "Source lines, by cycles"),
        tag("div", table(head, rows, (0, 1, 4, 5, 6, 7, 8, 9)), class_="lines"),
    )


def _line(own: LineSum, everything: float, hottest: float, texts: Texts) -> tuple[str, ...]:
    text = texts.get(own.file, ())
    words = text[own.line - 1].strip() if own.line <= len(text) else own.file
    share = tag(
        "span", f"{100 * own.cycles / everything:.2f} %", class_="heat",
        style=f"--heat:{0.6 * own.cycles / hottest:.3f}",
    )  # fmt: skip
    counts = [f"{value:,.0f}" if value else "" for value in (own.dram_sectors, own.passes)]
    hits = [
        f"{100 * value / own.sectors:.0f} %" if own.sectors else ""
        for value in (own.l1_hits, own.l2_hits)
    ]
    return (
        str(own.line), share, largest(own.stack), _stack(own.stack), f"{own.executed:,.0f}",
        f"{own.sectors:,.0f}" if own.sectors else "", *hits, *counts, tag("code", safe(words)),
    )  # fmt: skip


def _charts(timings: Sequence[Timing]) -> Markup:
    """The longest launches over time."""
    longest = sorted(timings, key=lambda t: (-t.time_us, t.launch))[:CHARTS_SHOWN]
    parts = list[Markup]()
    for t in sorted(longest, key=lambda t: t.launch):
        chart = launch_chart(t)
        if chart:
            title = f"launch {t.launch}: {t.kernel}, {t.cycles:,.0f} cycles"
            parts.append(join(tag("h3", title), tag("div", chart, class_="chart")))
    return join(*parts)

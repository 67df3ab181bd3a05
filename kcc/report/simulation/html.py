"""Simulations as one page: HTML with its style inside, without scripts, readable offline."""

from __future__ import annotations

from collections.abc import Sequence

from kcc.base.terms import stall_label
from kcc.report.plots.render import shown
from kcc.report.shared.ink import on_page
from kcc.report.shared.markup import NOTHING, Markup, join, safe, table, tag
from kcc.report.shared.page import page
from kcc.report.shared.stacks import legend, stack_bar
from kcc.report.shared.text import share_text
from kcc.report.shared.units import duration
from kcc.report.simulation.chart import launch_chart
from kcc.report.simulation.charts import Texts, lines_chart, longest, runs_chart
from kcc.report.simulation.run import (
    FailedRun,
    LineSum,
    SimulationRun,
    added,
    largest,
    lines_of,
)
from kcc.report.simulation.terminal import by_kernel, kernel_rows, notes_of
from kcc.report.simulation.verdict import further_advice, verdict_of_run
from kcc.sim.result import Timing

LINES_SHOWN = 400

CHARTS_OPEN = 2
"""Launches whose picture a reader sees without a click."""

_STYLE = """
.stack { display: flex; height: 18px; border-radius: 4px; overflow: hidden; margin: .3rem 0;
  background: var(--line); }
.stack i { display: block; height: 100%; }
td .stack { min-width: 8rem; height: 14px; margin: .15rem 0; }
.heat { background: rgba(var(--hot), var(--heat, 0)); }
.lines td { white-space: pre; font-size: 12.5px; }
"""


def simulation_page(source: str, found: Sequence[SimulationRun | FailedRun], texts: Texts) -> str:
    """The page about all configurations; ``texts`` are the lines of the source files."""
    runs = [run for run in found if isinstance(run, SimulationRun)]
    causes = added(t for run in runs for t in run.timings)
    return page(
        f"{source} - kcc simulate",
        tag("header", tag("h1", tag("code", source)), legend(n for n, c in causes.items() if c)),
        _fastest(runs),
        _overview(found),
        shown(runs_chart(runs)),
        *(_run(run, number, texts) for number, run in enumerate(runs)),
        style=_STYLE,
    )


def _fastest(runs: Sequence[SimulationRun]) -> Markup:
    """The verdict on the fastest of several configurations, before the table."""
    if len(runs) < 2:
        return NOTHING
    best = min(runs, key=lambda run: run.time_us)
    head = f"Fastest: {best.label}, {duration(best.time_us)}. "
    return tag("p", tag("b", head), verdict_of_run(best), class_="verdict")


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
             f"{speed:.2f} x", f"{run.ipc:.2f}", stall_label(run.limiter),
             stack_bar(added(run.timings)))
        )  # fmt: skip
        number += 1
    head = ("configuration", "cycles", "us", "speed", "IPC", "largest stall", "stack")
    return join(tag("h2", "Configurations"), table(head, rows, (1, 2, 3, 4)))


def _run(run: SimulationRun, number: int, texts: Texts) -> Markup:
    head = (
        "kernel",
        "launches",
        "cycles",
        "us",
        "IPC",
        "warps per SM",
        "L1",
        "L2",
        "largest stall",
    )
    kernels = kernel_rows(run.timings, each_launch=False)
    said = f"{run.cycles:,.0f} cycles, {run.time_us:,.2f} us at {run.timings[0].clock_mhz:,.0f} MHz"
    stacks = [
        join(tag("h3", name), stack_bar(added(own)))
        for name, own in by_kernel(run.timings, each_launch=False).items()
    ]
    further = further_advice(run)
    return tag(
        "section",
        tag("h2", tag("code", run.label), " ", tag("small", said), id=f"c{number}"),
        tag("p", verdict_of_run(run), class_="verdict"),
        tag("ul", *(tag("li", each) for each in further), class_="advice") if further else NOTHING,
        table(head, kernels, tuple(range(1, 8))),
        *stacks,
        _lines(run.timings, texts),
        shown(lines_chart(run, texts)),
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
    head = ("line", "share", "largest stall", "stack", "executed", "sectors", "L1 hits", "L2 hits",
            "DRAM sectors", "bank cycles", "source")  # fmt: skip
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
        share_text(value / own.sectors) if own.sectors else ""
        for value in (own.l1_hits, own.l2_hits)
    ]
    return (
        str(own.line), share, stall_label(largest(own.stack)), stack_bar(own.stack),
        f"{own.executed:,.0f}",
        f"{own.sectors:,.0f}" if own.sectors else "", *hits, *counts, tag("code", safe(words)),
    )  # fmt: skip


def _charts(timings: Sequence[Timing]) -> Markup:
    """The longest launches over time; of many the longest are open."""
    chosen = longest(timings)
    opened = sorted(chosen, key=lambda t: (-t.time_us, t.launch))[:CHARTS_OPEN]
    parts = list[Markup]()
    for t in chosen:
        chart = launch_chart(t)
        if chart:
            title = f"launch {t.launch}: {t.kernel}, {t.cycles:,.0f} cycles"
            state = {"open": "open"} if t in opened else {}
            picture = tag("div", on_page(chart), class_="chart")
            parts.append(tag("details", tag("summary", tag("b", title)), picture, **state))
    return join(tag("h3", "Launches over time"), *parts) if parts else NOTHING

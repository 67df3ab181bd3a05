"""Phases as one page: HTML with its style inside, without scripts, readable offline."""

from __future__ import annotations

from kcc.report.phases import PhasesReport, letter, verdict_of
from kcc.report.phases_chart import allocation_chart, colour, sorted_chart, timeline_chart
from kcc.report.shared.ink import on_page
from kcc.report.shared.markup import NOTHING, Markup, join, table, tag
from kcc.report.shared.page import page
from kcc.report.shared.text import share_text
from kcc.sim.sampling.simprof.phases import homogeneity


def phases_page(report: PhasesReport) -> str:
    """The page about a run."""
    study = report.study
    return page(
        f"{study.table.source} - kcc phases",
        tag("header", tag("h1", tag("code", study.table.source)), _subtitle(report)),
        tag("p", verdict_of(report), class_="verdict"),
        _cards(report),
        tag("h2", "Timeline"), _legend(report),
        tag("div", on_page(timeline_chart(study)), class_="chart"),
        tag("p", "rings: the units that are drawn", class_="soft"),
        tag("div", on_page(sorted_chart(study)), class_="chart"),
        tag("h2", "Phases"), _phases(report),
        tag("div", on_page(allocation_chart(report.rows)), class_="chart"),
        _methods(report), _inputs(report),
    )  # fmt: skip


def _subtitle(report: PhasesReport) -> Markup:
    table_ = report.study.table
    text = f"recorded by {table_.recorder}; {len(table_):,} units, each {table_.unit}"
    cut = "" if table_.complete else "; cut off: the recording ended before the program did"
    meaning = f"{table_.metric.name}: {table_.metric.meaning}"
    return join(tag("p", text + cut, class_="soft"), tag("p", meaning, class_="soft"))


def _cards(report: PhasesReport) -> Markup:
    study = report.study
    found, same = study.estimate, homogeneity(study.table, study.phases)
    half = found.half_width()
    interval = "" if half is None else f" ± {_percent(half / found.mean)}"
    needed = ", ".join(f"{units} for {share_text(e)}" for e, units in study.needed.items())
    cards = [
        (study.table.metric.name, f"{study.table.mean:.4g}", "of all units"),
        ("Sample", f"{found.mean:.4g}{interval}",
         (f"{len(study.chosen)} units, 95 % interval; {_signed(found.mean / study.table.mean - 1)} "
         "off")),
        ("Phases", str(study.phases.count), study.phases.reason),
        ("Variation", f"{same.population:.3f} → {same.weighted:.3f}",
         f"of all units → within phases; {same.largest:.3f} in the worst"),
        ("Units needed", needed, "at 99.7 %"),
    ]  # fmt: skip
    if report.saved is not None:
        cards.append(("Points saved", _percent(report.saved), "on inputs like the others"))
    shown = (
        tag("div", tag("b", a), tag("strong", b), tag("p", c), class_="card") for a, b, c in cards
    )
    return tag("div", *shown, class_="cards")


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def _signed(share: float) -> str:
    return f"{100 * share:+.2f} %"


def _legend(report: PhasesReport) -> Markup:
    parts = [
        tag("span", tag("i", style=f"background:{colour(row.phase)}"),
            f"{letter(row.phase)}: {', '.join(row.names[:2]) or 'all'}")
        for row in report.rows
    ]  # fmt: skip
    return tag("div", *parts, class_="legend")


def _phases(report: PhasesReport) -> Markup:
    head = ("phase", "units", "share", report.study.table.metric.name, "CoV", "points",
            "other inputs", "what it does")  # fmt: skip
    rows = [
        (letter(r.phase), f"{r.units:,}", _percent(r.weight), f"{r.mean:.4g}",
         f"{r.variation:.3f}", str(r.points),
         r.inputs,
         ", ".join(r.names) or "-")
        for r in report.rows
    ]  # fmt: skip
    return table(head, rows, (1, 2, 3, 4, 5))


def _methods(report: PhasesReport) -> Markup:
    if not report.study.methods:
        return NOTHING
    head = ("method", "units", "mean error", "95th percentile", "95 % intervals that hold")
    rows = [
        (m.method, str(m.units), _percent(m.mean), _percent(m.high),
         "" if m.coverage is None else f"{100 * m.coverage:.1f} %")
        for m in report.study.methods
    ]  # fmt: skip
    return join(tag("h2", "Methods, over many draws"), table(head, rows, (1, 2, 3, 4)))


def _inputs(report: PhasesReport) -> Markup:
    if report.sensitivity is None:
        return NOTHING
    head = ("input", "phase", "units", "mean", "deviation", "p mean", "p deviation", "verdict")
    rows = [
        (report.references[c.reference].source, letter(c.phase), str(c.units),
         "" if c.mean_change is None else _signed(c.mean_change),
         "" if c.deviation_change is None else _signed(c.deviation_change),
         "" if c.mean_p is None else f"{c.mean_p:.3f}",
         "" if c.deviation_p is None else f"{c.deviation_p:.3f}",
         "sensitive" if c.is_sensitive else "not significant" if c.by_threshold else "same")
        for c in report.sensitivity.changes
    ]  # fmt: skip
    return join(tag("h2", "Other inputs, against the first"), table(head, rows, (2, 3, 4, 5, 6)))

"""`kcc compare --html`: the changes as one page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from kcc.base.terms import stall_label
from kcc.report.comparison import Comparison, Moved, Row, verdict_of
from kcc.report.shared.markup import NOTHING, Markup, join, table, tag
from kcc.report.shared.page import STACK_STYLE, page
from kcc.report.shared.stacks import legend, stack_bar
from kcc.report.shared.units import duration
from kcc.report.simulation.comparison import TimeProfile

_STYLE = """
.failed { color: var(--warn); font-weight: 600; }
"""
LINES_SHOWN = 15


def comparison_page(found: Comparison, before: str, after: str) -> str:
    """The page; ``before`` and ``after`` name the documents."""
    names = [PurePath(each).name for each in (before, after)]
    head = ("configuration", "before", "after", "change", "cause that changed most",
            "line that changed most")  # fmt: skip
    return page(
        f"{before} and {after} - kcc compare",
        tag(
            "header",
            tag("h1", "From ", tag("code", names[0]), " to ", tag("code", names[1])),
            tag("p", verdict_of(found), class_="verdict"),
            *(tag("div", text, class_="finding warning") for text in found.differences),
        ),
        tag("h2", "Times"),
        table(head, [_row(row) for row in found.ranked], (1, 2, 3)),
        _within(found),
        *(_pair(old, new) for old, new in found.simulations),
        style=STACK_STYLE + _STYLE,
    )


def _within(found: Comparison) -> Markup:
    if not any(row.within_range for row in found.rows):
        return NOTHING
    text = "± the new time lies within the range of the old one: it may be the model's error."
    return tag("p", text, class_="soft")


def _row(row: Row) -> tuple[str, ...]:
    change = row.verdict if row.ratio is None else f"{100 * (row.ratio - 1):+.1f} %"
    change += " ±" if row.within_range else ""
    name = row.name + (f" (now {row.renamed})" if row.renamed else "")
    shown = tag("span", change, class_="failed") if row.failed else change
    times = ("-" if us is None else duration(us) for us in (row.before_us, row.after_us))
    cause = _moved(row.cause, stall_label(row.cause.name) if row.cause else "")
    return name, *times, shown, cause, _moved(row.line, row.line.name if row.line else "")


def _moved(moved: Moved | None, name: str) -> str:
    if moved is None:
        return ""
    sign = "+" if moved.change_us > 0 else "-"
    return f"{name} {sign}{duration(abs(moved.change_us))}"


def _pair(old: TimeProfile, new: TimeProfile) -> Markup:
    """Where the time of two runs went: bars in one scale, and lines."""
    longest = max(old.time_us, new.time_us) or 1.0
    bars = [
        (label, duration(each.time_us), _scaled(each, longest))
        for label, each in (("before", old), ("after", new))
    ]
    lines = [
        (
            f"{file}:{line}",
            *_cells(old.lines.get((file, line), {}), new.lines.get((file, line), {})),
        )
        for file, line in sorted({*old.lines, *new.lines})
        if line
    ]
    lines.sort(key=lambda row: -abs(float(row[3].replace(",", ""))))
    return join(
        tag("h2", old.label if old.label == new.label else f"{old.label}, then {new.label}"),
        legend(name for own in (old, new) for name, us in own.causes.items() if us),
        table(("", "time", "causes"), bars, (1,)),
        tag("h3", "Lines, us"),
        table(("line", "before", "after", "change"), lines[:LINES_SHOWN], (1, 2, 3)),
    )


def _scaled(each: TimeProfile, longest: float) -> Markup:
    share = 100 * each.time_us / longest
    return tag("div", stack_bar(each.causes), style=f"width:{share:.2f}%")


def _cells(old: Mapping[str, float], new: Mapping[str, float]) -> tuple[str, str, str]:
    before, after = sum(old.values()), sum(new.values())
    return f"{before:,.3f}", f"{after:,.3f}", f"{after - before:+,.3f}"

"""The report of `kcc explore` for a terminal."""

from __future__ import annotations

from rich.console import Console, RenderableType
from rich.text import Text

from kcc.report.exploration.exploration import Exploration, search_words, verdict_of
from kcc.report.exploration.rows import (
    FRONT,
    HEAD,
    NUMERIC,
    WHAT_IF,
    failures,
    front_rows,
    points_title,
    row,
    said,
    shown_points,
    what_if_rows,
)
from kcc.report.shared.style import Style
from kcc.report.shared.text import bar, fill, make_table, written

BAR_COLUMNS = 16


def exploration_text(found: Exploration, style: Style, top: int) -> str:
    """The report; of many points the fastest ``top``."""

    def write(console: Console) -> None:
        console.print(f"{found.source}: {said(found)}")
        console.print(verdict_of(found))
        for words in search_words(found):
            console.print(words, highlight=False)
        for note in found.notes:
            console.print(Text(note, "dim"))
        if found.points:
            console.print()
            console.print(_points(found, style, top))
        if front := front_rows(found):
            console.print()
            console.print(_shown("Pareto front of time and cost", style, FRONT, front))
        for words in failures(found, top):
            console.print(f"note: {words}")
        if found.what_if:
            console.print()
            console.print(_shown("what if", style, WHAT_IF, what_if_rows(found)))

    return written(style, write)


def _points(found: Exploration, style: Style, top: int) -> RenderableType:
    most = max(each.point.cycles for each in found.points) or 1.0
    rows = [
        (*row(each), bar(BAR_COLUMNS * each.point.cycles / most, style))
        for each in shown_points(found, top)
    ]
    return _shown(points_title(found, top), style, (*HEAD, ""), rows)


def _shown(
    title: str, style: Style, head: tuple[str, ...], rows: list[tuple[str, ...]]
) -> RenderableType:
    """A table of the columns in which something stands."""
    kept = [n for n in range(len(head)) if any(row[n] for row in rows)]
    right = tuple(head[n] for n in kept if n in NUMERIC)
    out = make_table(title, style, *(head[n] for n in kept), right=right)
    return fill(out, [tuple(row[n] for n in kept) for row in rows])

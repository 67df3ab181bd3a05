"""The page of `kcc explore`: HTML with style and pictures inside, without scripts."""

from __future__ import annotations

from kcc.report.exploration.exploration import Exploration, search_words, verdict_of
from kcc.report.exploration.files import exploration_svg, pareto_of
from kcc.report.exploration.rows import (
    FRONT,
    HEAD,
    NUMERIC,
    WHAT_IF,
    front_rows,
    points_title,
    row,
    said,
    shown_points,
    what_if_rows,
)
from kcc.report.plots.parallel import parallel_chart
from kcc.report.plots.render import shown
from kcc.report.plots.sensitivity import sensitivity_chart
from kcc.report.plots.space import sensitivities
from kcc.report.shared.ink import on_page
from kcc.report.shared.markup import Markup, table, tag
from kcc.report.shared.page import page

SHOWN = 20
"""Points that a page shows, of more."""


def exploration_page(found: Exploration, top: int = SHOWN) -> str:
    """The page; of many points the fastest ``top``."""
    points = shown_points(found, top)
    return page(
        f"{found.source} - kcc explore",
        tag(
            "header",
            tag("h1", tag("code", found.source)),
            tag("div", said(found)),
            *(tag("div", note, class_="soft") for note in found.notes),
        ),
        tag("p", verdict_of(found), class_="verdict"),
        *(tag("p", words) for words in search_words(found)),
        tag("div", on_page(exploration_svg(found)), class_="chart"),
        tag("h2", points_title(found, top).capitalize()) if points else "",
        table(HEAD, [row(each) for each in points], NUMERIC),
        *_front(found),
        *_parameters(found),
        tag("h2", "What if") if found.what_if else "",
        table(WHAT_IF, what_if_rows(found), NUMERIC),
    )


def _front(found: Exploration) -> list[Markup]:
    rows = front_rows(found)
    if not rows:
        return []
    head = tag("h2", "Pareto front of time and cost")
    return [head, shown(pareto_of(found)), table(FRONT, rows, (1, 2, 3))]


_PARAMETERS = ("parameter", "share of the variance", "fastest with each value, us")


def _parameters(found: Exploration) -> list[Markup]:
    """What each parameter does, where several are swept."""
    space = found.space
    each = sensitivities(space)
    if len(each) < 2:
        return []
    rows = [
        (e.name, f"{100 * e.share:.1f} %",
         ", ".join(f"{v.value}: {v.fastest_us:.4g}" for v in e.values))
        for e in each
    ]  # fmt: skip
    return [
        tag("h2", "What each parameter does"),
        shown(sensitivity_chart(space)),
        shown(parallel_chart(space)),
        table(_PARAMETERS, rows, (1,)),
    ]

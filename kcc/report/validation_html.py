"""The page of `kcc validate`: figures, the picture, all rows."""

from __future__ import annotations

from importlib import resources

import kcc
from kcc.report.shared.markup import Markup, tag
from kcc.report.shared.markup import table as markup_table
from kcc.report.validation import (
    FIGURE_COLUMNS,
    MEANINGS,
    Validation,
    figure_cells,
    heading,
    lines_of,
    remarks,
)
from kcc.report.validation_picture import validation_picture
from kcc.validation.outcome import Outcome

ROW_HEAD = ("row", "configuration", "GPU", "measured (us)", "estimated (us)", "ratio", "range (us)",
            "limited by", "reason")  # fmt: skip


def validation_page(found: Validation) -> str:
    """One page: HTML with style and picture inside, without scripts."""
    style = resources.files("kcc.report").joinpath("page.css").read_text(encoding="utf-8")
    title = f"{found.source} against {found.table}"
    head = tag(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", f"{title} - kcc validate"),
        tag("style", Markup(style)),
    )
    figures = [figure_cells(name, each) for name, each in lines_of(found)]
    picture = validation_picture(found.rows, "estimated against measured time")
    body = tag(
        "body",
        tag("header", tag("h1", title), tag("div", heading(found), class_="soft")),
        markup_table(FIGURE_COLUMNS, figures, tuple(range(1, len(FIGURE_COLUMNS)))),
        tag("p", MEANINGS, class_="soft"),
        tag("div", picture, class_="chart") if picture else "",
        *(tag("div", line) for line in remarks(found)),
        tag("h2", "Rows"),
        markup_table(ROW_HEAD, [_row(row) for row in found.rows], (0, 3, 4, 5)),
        tag("p", f"kcc {kcc.__version__}", class_="soft"),
    )
    return "<!DOCTYPE html>\n" + tag("html", head, "\n", body, lang="en") + "\n"


def _row(row: Outcome) -> tuple[str, ...]:
    measured = "failed" if row.failed else f"{row.measured_us:.5g}" if row.measured_us else ""
    if row.time_us is None:
        return str(row.number), row.words, row.gpu, measured, "", "", "", "", row.reason
    ratio = f"{row.ratio:.2f}" if row.compared else ""
    width = f"{row.low_us:.4g} to {row.high_us:.4g}"
    return (
        str(row.number), row.words, row.gpu, measured, f"{row.time_us:.5g}", ratio, width,
        row.limiter, "",
    )  # fmt: skip

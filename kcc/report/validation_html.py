"""The page of `kcc validate`: figures, the picture, all rows."""

from __future__ import annotations

from kcc.base.terms import bottleneck_label
from kcc.report.plots.render import Chart
from kcc.report.shared.ink import on_page
from kcc.report.shared.markup import table as markup_table
from kcc.report.shared.markup import tag
from kcc.report.shared.page import page
from kcc.report.validation import (
    FIGURE_COLUMNS,
    MEANINGS,
    Validation,
    figure_cells,
    heading,
    lines_of,
    remarks,
    verdict_of,
)
from kcc.report.validation_picture import validation_picture
from kcc.validation.outcome import Outcome

TITLE = "estimated against measured time"

ROW_HEAD = ("row", "configuration", "GPU", "measured (us)", "estimated (us)", "ratio", "range (us)",
            "limited by", "reason")  # fmt: skip


def validation_page(found: Validation) -> str:
    """One page: HTML with style and picture inside, without scripts."""
    title = f"{found.source} against {found.table}"
    figures = [figure_cells(bottleneck_label(name), each) for name, each in lines_of(found)]
    picture = validation_picture(found.rows, TITLE)
    return page(
        f"{title} - kcc validate",
        tag("header", tag("h1", title), tag("div", heading(found), class_="soft")),
        tag("p", verdict_of(found), class_="verdict"),
        markup_table(FIGURE_COLUMNS, figures, tuple(range(1, len(FIGURE_COLUMNS)))),
        tag("p", MEANINGS, class_="soft"),
        tag("div", on_page(picture), class_="chart") if picture else "",
        *(tag("div", line) for line in remarks(found)),
        tag("h2", "Rows"),
        markup_table(ROW_HEAD, [_row(row) for row in found.rows], (0, 3, 4, 5)),
    )


def validation_charts(found: Validation) -> list[Chart]:
    """The chart of the page."""
    picture = validation_picture(found.rows, TITLE)
    return [Chart("validation", TITLE, drawn=picture)] if picture else []


def _row(row: Outcome) -> tuple[str, ...]:
    measured = "failed" if row.failed else f"{row.measured_us:.5g}" if row.measured_us else ""
    if row.time_us is None:
        return str(row.number), row.words, row.gpu, measured, "", "", "", "", row.reason
    ratio = f"{row.ratio:.2f}" if row.compared else ""
    width = f"{row.low_us:.4g} to {row.high_us:.4g}"
    return (
        str(row.number), row.words, row.gpu, measured, f"{row.time_us:.5g}", ratio, width,
        bottleneck_label(row.limiter), "",
    )  # fmt: skip

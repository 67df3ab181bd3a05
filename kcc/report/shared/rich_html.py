"""A table made for a terminal, on a page: one description for both."""

from __future__ import annotations

from rich.table import Table

from kcc.report.shared.markup import NOTHING, Markup, join, table, tag


def table_html(shown: Table) -> Markup:
    """Title, rows and caption; nothing where there are no rows. Bars of characters, whose column
    has no heading, are left out."""
    if not shown.row_count:
        return NOTHING
    kept = [column for column in shown.columns if str(column.header)]
    head = tuple(str(column.header) for column in kept)
    cells = [[str(cell) for cell in column.cells] for column in kept]
    rows: list[tuple[str, ...]] = [tuple(row) for row in zip(*cells, strict=True)]
    numeric = tuple(n for n, column in enumerate(kept) if column.justify == "right")
    title = tag("h3", str(shown.title)) if shown.title else NOTHING
    caption = tag("p", str(shown.caption), class_="soft") if shown.caption else NOTHING
    return join(title, table(head, rows, numeric), caption)

"""Pieces that all reports for a terminal, a file or a pipe are made of."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from kcc.report.shared.style import Style

MAX_ROWS = 60
"""Rows of a table before the rest is only counted: the JSON document has all of them."""

_ASCII = box.Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)


def written(style: Style, write: Callable[[Console], None]) -> str:
    """What ``write`` prints, as text without blanks at the ends of lines."""
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=style.width,
        color_system="standard" if style.colored else None,
        force_terminal=style.colored,
        no_color=not style.colored,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    write(console)
    return "".join(line.rstrip() + "\n" for line in buffer.getvalue().rstrip("\n").split("\n"))


def share_text(share: float) -> str:
    """A share from 0 to 1 in percents, whole ones but near the ends: what is not nothing is never
    0 %, what is not all never 100 %."""
    percent = 100 * share
    if 0 < percent < 0.01:
        return "<0.01 %"
    if 0 < percent < 1:
        return f"{percent:.2g} %"
    if 99 < percent < 100:
        return f"{math.floor(10 * percent) / 10:.1f} %"
    return f"{percent:.0f} %"


def make_table(title: str, style: Style, *columns: str, right: tuple[str, ...] = ()) -> Table:
    """An empty table; the columns in ``right`` are aligned to the right."""
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD if style.unicode else _ASCII,
        show_edge=False,
        pad_edge=False,
        header_style="dim",
        caption_justify="left",
        caption_style="dim",
    )
    for column in columns:
        justify = "right" if column in right else "left"
        table.add_column(column, justify=justify, overflow="fold")
    return table


def fill(table: Table, rows: Sequence[tuple[str, ...]], caption: str = "") -> Table:
    """Add the rows, as many as a reader may want, and a caption."""
    for row in rows[:MAX_ROWS]:
        table.add_row(*row)
    if len(rows) > MAX_ROWS:
        left_out = f"{len(rows) - MAX_ROWS} more rows; --json has all"
        caption = f"{left_out}; {caption}" if caption else left_out
    table.caption = caption or None
    return table


def bar(columns: float, style: Style) -> str:
    """A bar of so many columns, to an eighth of one where the characters for it may be used."""
    if not style.unicode:
        return "#" * max(1, round(columns))
    eighths = max(1, round(columns * 8))
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()

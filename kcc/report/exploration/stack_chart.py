"""CPI stacks side by side as SVG, one bar for each design point, with a line on top."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from textwrap import wrap

from kcc.base.records import dataclass
from kcc.base.terms import stall_label
from kcc.report.shared.cause_colors import cause_color
from kcc.report.shared.ink import GRID, INK, PAPER
from kcc.report.shared.markup import NOTHING, Markup, join, tag, void

WIDTH, LEFT, RIGHT, TOP, PLOT_HEIGHT = 900, 64, 14, 34, 300
FONT, LETTER, LINE_HEIGHT = 11, 7.2, 13
"""Size of labels, and of a letter of them, wide."""
LINE = "#c8473f"
TICKS = 5

CHECKED = "cycle by cycle"
"""What the line is."""

PARTS = ("BASE", "DEP", "L1", "L2", "DRAM", "MSHR", "QUEUE", "UNIT", "LSU", "BARRIER", "FETCH",
         "IDLE", "LAUNCH")  # fmt: skip
"""Of the interval model, from the bottom."""


@dataclass(frozen=True, slots=True)
class StackBar:
    """A design point: its parts, from the bottom, and what another model says of their sum."""

    label: str
    parts: Mapping[str, float]
    checked: float | None = None

    @property
    def total(self) -> float:
        return sum(self.parts.values())


def chart_height(bars: Sequence[StackBar]) -> int:
    """Of a picture, in the units of its view box, whose width is :data:`WIDTH`."""
    checked = CHECKED if any(bar.checked is not None for bar in bars) else ""
    rows = _keys(_parts_of(bars), checked)[-1][0][1] if bars else 0
    return _legend_top(bars) + 22 + round(LINE_HEIGHT * 1.4 * rows)


def _parts_of(bars: Sequence[StackBar]) -> list[str]:
    return [name for name in PARTS if any(bar.parts.get(name, 0.0) > 0 for bar in bars)]


def _legend_top(bars: Sequence[StackBar]) -> int:
    """Under the labels of the bars."""
    labels, is_turned = _labels(bars)
    rows = max(len(rows) for rows in labels)
    longest = max(len(row) for rows in labels for row in rows)
    return TOP + PLOT_HEIGHT + 29 + (round(LETTER * longest) if is_turned else LINE_HEIGHT * rows)


def _labels(bars: Sequence[StackBar]) -> tuple[list[list[str]], bool]:
    """The rows of each bar's label, none wider than its place; or the labels as they are, to be
    turned, where a single word is wider."""
    letters = int((WIDTH - LEFT - RIGHT) / len(bars) / LETTER)
    words = (word for bar in bars for word in re.split(r"[\s-]+", bar.label))
    if max(map(len, words)) + 1 > letters:
        return [[bar.label] for bar in bars], True
    return [wrap(bar.label, letters, break_long_words=False) or [""] for bar in bars], False


def stack_chart(bars: Sequence[StackBar], title: str) -> Markup:
    """The picture."""
    if not bars:
        return NOTHING
    most = max(max(bar.total, bar.checked or 0.0) for bar in bars) or 1.0
    names = _parts_of(bars)
    step = (WIDTH - LEFT - RIGHT) / len(bars)
    total = chart_height(bars)
    labels, is_turned = _labels(bars)
    return tag(
        "svg",
        void("rect", width=WIDTH, height=total, fill=PAPER),
        _text(LEFT, 18, title, anchor="start", size=13),
        *_axis(most),
        *(_bar(bar, names, most, LEFT + step * n, step) for n, bar in enumerate(bars)),
        *(_label(LEFT + step * (n + 0.5), rows, is_turned) for n, rows in enumerate(labels)),
        _line(bars, most, step),
        _legend(
            names,
            CHECKED if any(bar.checked is not None for bar in bars) else "",
            _legend_top(bars),
        ),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {total}",
        width=WIDTH,
        height=total,
        font_family="system-ui, sans-serif",
        role="img",
        aria_label=title,
    )


def _bar(bar: StackBar, names: Sequence[str], most: float, left: float, step: float) -> Markup:
    width = min(step * 0.7, 90)
    x = left + (step - width) / 2
    pieces, y = list[Markup](), float(TOP + PLOT_HEIGHT)
    for name in names:
        value = bar.parts.get(name, 0.0)
        height = PLOT_HEIGHT * value / most
        if height <= 0:
            continue
        y -= height
        hint = tag("title", f"{bar.label}: {stall_label(name)} {value:,.3g}")
        pieces.append(
            tag("rect", hint, x=round(x, 1), y=round(y, 2), width=round(width, 1),
                height=round(height, 2), fill=cause_color(name))
        )  # fmt: skip
    return join(*pieces)


def _label(x: float, rows: Sequence[str], is_turned: bool) -> Markup:
    """Below a bar: row under row, or from below upwards."""
    foot = TOP + PLOT_HEIGHT + 16
    if is_turned:
        place = f"translate({x + 4:.1f} {foot - 8}) rotate(-90)"
        return tag("g", _text(0, 0, rows[0], anchor="end"), transform=place)
    return join(
        *(_text(x, foot + LINE_HEIGHT * n, row, anchor="middle") for n, row in enumerate(rows))
    )


def axis_step(most: float) -> float:
    """Between the ticks of an axis up to ``most``: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(most / TICKS))
    return next(n * power for n in (1, 2, 5, 10) if n * power * TICKS >= most * 0.999)


def _axis(most: float) -> list[Markup]:
    found, step = list[Markup](), axis_step(most)
    for tick in range(int(most / step + 0.001) + 1):
        y = round(TOP + PLOT_HEIGHT * (1 - tick * step / most), 1)
        found.append(void("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, stroke=GRID))
        found.append(_text(LEFT - 6, y + 4, _number(step * tick), anchor="end"))
    return found


def _line(bars: Sequence[StackBar], most: float, step: float) -> Markup:
    """Through what the other model says, with a point for each."""
    places = [
        (LEFT + step * (n + 0.5), TOP + PLOT_HEIGHT * (1 - bar.checked / most))
        for n, bar in enumerate(bars)
        if bar.checked is not None
    ]
    if not places:
        return NOTHING
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    dots = [void("circle", cx=round(x, 1), cy=round(y, 1), r=4, fill=LINE) for x, y in places]
    return join(void("path", d=path, fill="none", stroke=LINE, stroke_width=2), *dots)


def _legend(names: Sequence[str], checked: str, y: float) -> Markup:
    """Rows of keys, as many as the width takes."""
    pieces = list[Markup]()
    for place, text, name in _keys(names, checked):
        x, top = place[0], y + LINE_HEIGHT * 1.4 * place[1]
        color = cause_color(name) if name else ""
        pieces.append(
            void("rect", x=x, y=top - 9, width=10, height=10, fill=color)
            if name
            else void("circle", cx=x + 5, cy=top - 4, r=4, fill=LINE)
        )
        pieces.append(_text(x + 14, top, text, anchor="start"))
    return join(*pieces)


Key = tuple[tuple[float, int], str, str]
"""Place from the left and row, words, and the part whose colour it is ("": the line's)."""


def _keys(names: Sequence[str], checked: str) -> list[Key]:
    found, x, row = list[Key](), float(LEFT), 0
    texts = [(stall_label(name), name) for name in names] + [(checked, "")] * bool(checked)
    for text, name in texts:
        width = 30 + LETTER * len(text)
        if x + width > WIDTH - RIGHT:
            x, row = float(LEFT), row + 1
        found.append(((x, row), text, name))
        x += width
    return found


def _number(value: float) -> str:
    """Three digits, or all before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _text(x: float, y: float, text: str, *, anchor: str, size: int = FONT) -> Markup:
    return tag("text", text, x=round(x, 1), y=y, text_anchor=anchor, fill=INK, font_size=size)

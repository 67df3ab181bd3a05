"""CPI stacks side by side as SVG, one bar for each design point, with a line on top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kcc.report.shared.markup import NOTHING, Markup, join, tag, void

WIDTH, LEFT, RIGHT, TOP, PLOT_HEIGHT, FOOT = 900, 64, 14, 34, 300, 64
INK, SOFT, LINE = "#454b54", "#8a919b", "#b3261e"
TICKS = 5

COLORS = {
    "BASE": "#4f9d69", "DEP": "#c79a2e", "L1": "#9cc3e6", "L2": "#4c84c4", "DRAM": "#24558f",
    "MSHR": "#a65f3b", "QUEUE": "#d0743c", "UNIT": "#9aa03a", "LSU": "#8a5a83",
    "BARRIER": "#7a6bbd", "FETCH": "#c77fa6", "IDLE": "#a3a8b0", "LAUNCH": "#c9ccd1",
}  # fmt: skip
"""Of the parts of the interval model."""


@dataclass(frozen=True, slots=True)
class StackBar:
    """A design point: its parts, from the bottom, and what another model says of their sum."""

    label: str
    parts: Mapping[str, float]
    checked: float | None = None

    @property
    def total(self) -> float:
        return sum(self.parts.values())


def chart_height() -> int:
    """Of a picture, in the units of its view box, whose width is :data:`WIDTH`."""
    return TOP + PLOT_HEIGHT + FOOT


def stack_chart(bars: Sequence[StackBar], title: str, checked: str = "") -> Markup:
    """The picture; ``checked`` says what the line is."""
    if not bars:
        return NOTHING
    most = max(max(bar.total, bar.checked or 0.0) for bar in bars) or 1.0
    names = [n for n in COLORS if any(bar.parts.get(n, 0.0) > 0 for bar in bars)]
    step = (WIDTH - LEFT - RIGHT) / len(bars)
    total = chart_height()
    return tag(
        "svg",
        void("rect", width=WIDTH, height=total, fill="#ffffff"),
        _text(LEFT, 18, title, anchor="start", size=13),
        *_axis(most),
        *(_bar(bar, names, most, LEFT + step * n, step) for n, bar in enumerate(bars)),
        _line(bars, most, step),
        _legend(names, checked if any(bar.checked is not None for bar in bars) else ""),
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
        hint = tag("title", f"{bar.label}: {name} {value:,.3g}")
        pieces.append(
            tag("rect", hint, x=round(x, 1), y=round(y, 2), width=round(width, 1),
                height=round(height, 2), fill=COLORS[name])
        )  # fmt: skip
    foot = TOP + PLOT_HEIGHT + 16
    return join(*pieces, _text(left + step / 2, foot, bar.label, anchor="middle"))


def _axis(most: float) -> list[Markup]:
    found = list[Markup]()
    for tick in range(TICKS + 1):
        y = TOP + PLOT_HEIGHT * (1 - tick / TICKS)
        found.append(void("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, stroke="#e4e6ea"))
        found.append(_text(LEFT - 6, y + 4, f"{most * tick / TICKS:,.3g}", anchor="end"))
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


def _legend(names: Sequence[str], checked: str) -> Markup:
    y, x = TOP + PLOT_HEIGHT + 42, float(LEFT)
    pieces = list[Markup]()
    for name in names:
        pieces.append(void("rect", x=x, y=y - 9, width=10, height=10, fill=COLORS[name]))
        pieces.append(_text(x + 14, y, name, anchor="start"))
        x += 26 + 8.2 * len(name)
    if checked:
        pieces.append(void("circle", cx=x + 5, cy=y - 4, r=4, fill=LINE))
        pieces.append(_text(x + 14, y, checked, anchor="start"))
    return join(*pieces)


def _text(x: float, y: float, text: str, *, anchor: str, size: int = 11) -> Markup:
    return tag("text", text, x=round(x, 1), y=y, text_anchor=anchor, fill=INK, font_size=size)

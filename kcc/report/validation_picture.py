"""Estimated against measured times, both logarithmic, coloured by limiter, as SVG."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from kcc.base.terms import bottleneck_label
from kcc.report.shared.ink import GRID, INK, PAPER, SOFT
from kcc.report.shared.markup import Markup, join, tag, void
from kcc.validation.outcome import Outcome

SIZE, LEFT, TOP, FOOT, LEGEND = 420, 70, 34, 46, 310
COLORS = ("#3f7fbf", "#c8553d", "#588157", "#b08900", "#8f5fa8", "#3d8f8f", "#b8577c", "#728189")
OTHERS = "#8f8f8f"
"""Of limiters beyond the most frequent ones."""


def validation_picture(rows: Sequence[Outcome], title: str) -> Markup:
    """A point for each row that has both times, the line where they are equal, and those of a
    factor of two; nothing where there is no row."""
    points = [row for row in rows if row.compared]
    if not points:
        return Markup("")
    axis = _Axis(points)
    names = [name for name, _ in Counter(row.limiter for row in points).most_common(len(COLORS))]
    color = dict(zip(names, COLORS, strict=False))
    width, height = LEFT + SIZE + LEGEND, TOP + SIZE + FOOT
    return tag(
        "svg",
        void("rect", width=width, height=height, fill=PAPER),
        _text(LEFT, 16, title, size=13),
        *axis.grid(),
        *(axis.line(factor) for factor in (0.5, 1.0, 2.0)),
        *(axis.point(row, color.get(row.limiter, OTHERS)) for row in points),
        *_legend(names, points, color),
        _text(LEFT + SIZE / 2, height - 8, "measured", anchor="middle"),
        _text(LEFT, TOP - 4, "estimated", anchor="end"),
        xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width} {height}", width=width,
        height=height, font_family="system-ui, sans-serif", role="img", aria_label=title,
    )  # fmt: skip


class _Axis:
    """The same for both directions."""

    def __init__(self, rows: Sequence[Outcome]) -> None:
        times = [t for row in rows for t in (row.measured_us, row.time_us) if t]
        low, high = math.log10(min(times)), math.log10(max(times))
        margin = max(0.05 * (high - low), 0.05)
        self.low, self.high = low - margin, high + margin

    def place(self, time_us: float) -> float:
        """From 0 to SIZE."""
        return SIZE * (math.log10(time_us) - self.low) / (self.high - self.low)

    def grid(self) -> Iterator[Markup]:
        """The frame and lines at round times."""
        yield void("rect", x=LEFT, y=TOP, width=SIZE, height=SIZE, fill="none", stroke=GRID)
        for time in self._ticks():
            at = round(self.place(time), 1)
            yield void("line", x1=LEFT + at, x2=LEFT + at, y1=TOP, y2=TOP + SIZE, stroke=GRID)
            yield void("line", x1=LEFT, x2=LEFT + SIZE, y1=TOP + SIZE - at, y2=TOP + SIZE - at,
                       stroke=GRID)  # fmt: skip
            yield _text(LEFT + at, TOP + SIZE + 16, _duration(time), anchor="middle")
            yield _text(LEFT - 6, TOP + SIZE - at + 4, _duration(time), anchor="end")

    def _ticks(self) -> Iterator[float]:
        """Powers of ten; with twice and five times of them where these are few."""
        steps = (1.0,) if self.high - self.low > 3 else (1.0, 2.0, 5.0)
        for power in range(math.floor(self.low), math.ceil(self.high)):
            for step in steps:
                if self.low <= power + math.log10(step) <= self.high:
                    yield step * 10.0**power

    def line(self, factor: float) -> Markup:
        """Where the estimate is so many times what was measured."""
        shift = math.log10(factor)
        first, last = max(self.low, self.low - shift), min(self.high, self.high - shift)
        places = [(self.place(10.0**x), self.place(10.0 ** (x + shift))) for x in (first, last)]
        (x1, y1), (x2, y2) = places
        return void(
            "line", x1=round(LEFT + x1, 1), y1=round(TOP + SIZE - y1, 1), x2=round(LEFT + x2, 1),
            y2=round(TOP + SIZE - y2, 1), stroke=SOFT,
            stroke_dasharray=None if factor == 1.0 else "4 4",
        )  # fmt: skip

    def point(self, row: Outcome, color: str) -> Markup:
        """A row; its words appear beside the pointer."""
        assert row.measured_us
        assert row.time_us
        x, y = self.place(row.measured_us), self.place(row.time_us)
        hint = f"{row.kernel} {row.words}: {_duration(row.measured_us)} measured, "
        hint += f"{_duration(row.time_us)} estimated, {bottleneck_label(row.limiter)}"
        return tag("circle", tag("title", hint), cx=round(LEFT + x, 1),
                   cy=round(TOP + SIZE - y, 1), r=3, fill=color, fill_opacity=0.7)  # fmt: skip


def _legend(
    names: Sequence[str], points: Sequence[Outcome], color: Mapping[str, str]
) -> Iterator[Markup]:
    counts = Counter(row.limiter for row in points)
    rest = len(points) - sum(counts[name] for name in names)
    shown = [(name, counts[name], color[name]) for name in names]
    shown += [("others", rest, OTHERS)] if rest else []
    for number, (name, count, fill) in enumerate(shown):
        y = TOP + 12 + 18 * number
        dot = void("circle", cx=LEFT + SIZE + 18, cy=y - 4, r=4, fill=fill)
        yield join(dot, _text(LEFT + SIZE + 28, y, f"{bottleneck_label(name)} ({count})"))
    yield _text(LEFT + SIZE + 14, TOP + SIZE, "dashed: a factor of two")


def _duration(time_us: float) -> str:
    for unit, size in (("s", 1e6), ("ms", 1e3), ("us", 1.0)):
        if time_us >= size:
            return f"{time_us / size:.3g} {unit}"
    return f"{time_us * 1e3:.3g} ns"


def _text(x: float, y: float, text: str, *, anchor: str = "start", size: int = 11) -> Markup:
    return tag("text", text, x=round(x, 1), y=round(y, 1), text_anchor=anchor, fill=INK,
               font_size=size)  # fmt: skip

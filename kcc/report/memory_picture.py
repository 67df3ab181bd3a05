"""Pictures of distributions as SVG: histograms, and how deviations settle."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kcc.report.shared.ink import BLUE, GREEN, GRID, INK, ORANGE
from kcc.report.shared.markup import Markup, tag, void
from kcc.sim.memory.facts import Distribution

WIDTH, HEIGHT = 300, 150
LEFT, RIGHT, TOP, BOTTOM = 38, 12, 12, 24
MOST_BINS = 16
COLORS = (BLUE, ORANGE, GREEN)


def histogram(values: Sequence[float], unit: str) -> Markup:
    """How often values lie where; the mean as a line."""
    low, high = min(values), max(values)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    bins = min(MOST_BINS, max(4, round(len(values) ** 0.5)))
    counts, _ = np.histogram(values, bins, (low, high))
    tallest = int(counts.max()) or 1
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    bars = [
        void("rect", x=f"{LEFT + width * n / bins + 0.5:.1f}",
             y=f"{TOP + height * (1 - count / tallest):.1f}", width=f"{width / bins - 1:.1f}",
             height=f"{height * count / tallest:.1f}", fill=COLORS[0])
        for n, count in enumerate(counts.tolist()) if count
    ]  # fmt: skip
    mean = LEFT + width * (float(np.mean(values)) - low) / (high - low)
    return _picture(
        *bars,
        void("line", x1=f"{mean:.1f}", x2=f"{mean:.1f}", y1=TOP - 6, y2=HEIGHT - BOTTOM,
             stroke=COLORS[1], stroke_width=1.5),
        *_axes(f"{low:,.4g}", f"{high:,.4g} {unit}", str(tallest)),
    )  # fmt: skip


def convergence(rates: Sequence[tuple[str, Distribution]]) -> Markup:
    """The standard deviation of each rate over the first n trials, in points."""
    curves = [
        [100 * float(np.std(found.values[:n], ddof=1)) for n in range(2, len(found.values) + 1)]
        for _, found in rates
    ]
    most = max((value for curve in curves for value in curve), default=0.0) or 1.0
    trials = max((len(curve) + 1 for curve in curves), default=2)
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    parts = list[Markup]()
    for number, ((name, _), curve) in enumerate(zip(rates, curves, strict=True)):
        points = " ".join(
            f"{LEFT + width * n / max(trials - 2, 1):.1f},{TOP + height * (1 - value / most):.1f}"
            for n, value in enumerate(curve)
        )
        color = COLORS[number % len(COLORS)]
        parts.append(void("polyline", points=points, fill="none", stroke=color, stroke_width=1.5))
        parts.append(
            tag("text", name, x=WIDTH - RIGHT, y=TOP + 8 + 13 * number, text_anchor="end",
                font_size=11, fill=color)
        )  # fmt: skip
    return _picture(*parts, *_axes("2", f"{trials} trials", f"{most:.2g}"))


def _axes(first: str, last: str, top: str) -> tuple[Markup, ...]:
    bottom = HEIGHT - BOTTOM
    return (
        void("line", x1=LEFT, x2=WIDTH - RIGHT, y1=bottom, y2=bottom, stroke=GRID),
        tag("text", first, x=LEFT, y=HEIGHT - 8, font_size=11, fill=INK),
        tag(
            "text",
            last,
            x=WIDTH - RIGHT,
            y=HEIGHT - 8,
            text_anchor="end",
            font_size=11,
            fill=INK,
        ),
        tag("text", top, x=LEFT - 5, y=TOP + 6, text_anchor="end", font_size=11, fill=INK),
        tag("text", "0", x=LEFT - 5, y=bottom, text_anchor="end", font_size=11, fill=INK),
    )


def _picture(*parts: Markup) -> Markup:
    return tag(
        "svg", *parts, xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=WIDTH, height=HEIGHT, role="img", font_family="sans-serif",
    )  # fmt: skip

"""CPI stacks side by side as PNG, by matplotlib, which kcc does without but for this."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Sequence

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.report.exploration.stack_chart import INK, LINE, PARTS, StackBar
from kcc.report.shared.cause_colors import cause_color

INCHES = (9.0, 4.6)
DOTS_PER_INCH = 150
BAR_WIDTH = 0.7
"""Of the room that a bar has."""

STEEP_LABELS = 8
"""More bars than these have their labels slanted."""


def need_matplotlib() -> None:
    """Raises K013 where matplotlib is not installed."""
    if importlib.util.find_spec("matplotlib") is None:
        message = "pictures in PNG are made by matplotlib, which is not installed"
        hint = "pip install matplotlib; or --svg FILE, which needs nothing"
        raise DiagnosticError([Diagnostic("K013", message, hint=hint)])


def stack_png(bars: Sequence[StackBar], title: str, checked: str) -> bytes:
    """The picture that :func:`kcc.report.exploration.stack_chart.stack_chart` draws, in pixels;
    ``checked`` says what the line is. Raises K013."""
    need_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(INCHES, DOTS_PER_INCH, layout="constrained")
    axes = figure.subplots()
    places = list(range(len(bars)))
    below = [0.0] * len(bars)
    for name in PARTS:
        heights = [bar.parts.get(name, 0.0) for bar in bars]
        if any(heights):
            axes.bar(places, heights, BAR_WIDTH, below, color=cause_color(name), label=name)
            below = [low + height for low, height in zip(below, heights, strict=True)]
    known = [(place, bar.checked) for place, bar in enumerate(bars) if bar.checked is not None]
    if known:
        axes.plot(*zip(*known, strict=True), color=LINE, marker="o", label=checked)
    slanted = len(bars) > STEEP_LABELS
    axes.set_xticks(
        places, [bar.label for bar in bars], rotation=30 if slanted else 0,
        ha="right" if slanted else "center",
    )  # fmt: skip
    axes.set_title(title, loc="left", fontsize=10, color=INK)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    data = io.BytesIO()
    figure.savefig(data, format="png")
    return data.getvalue()

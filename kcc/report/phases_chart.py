"""Pictures of phases as SVG: the run over time, units by phase, how points are allocated.

As figures 45, 48 and 49 of Huang's dissertation.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Sequence

import numpy as np

from kcc.report.phases import PhaseRow, letter
from kcc.report.shared.ink import GRID, INK, SOFT
from kcc.report.shared.markup import Markup, join, tag, void
from kcc.sim.sampling.simprof.study import Study
from kcc.sim.sampling.simprof.table import Floats, Indices

WIDTH, LEFT, RIGHT, TOP, PLOT = 900, 70, 14, 24, 190
BAND = 14
LINE, LETTERS_OF_LINE = 16, 140

COLOURS = (
    "#3a84b5", "#c8553d", "#588157", "#8f5fa8", "#b08900", "#3d8f8f", "#b8577c", "#728189",
    "#a06a41", "#4c9be8",
)  # fmt: skip
"""Of phases in turn."""


def colour(phase: int) -> str:
    """Of a phase."""
    return COLOURS[phase % len(COLOURS)]


def timeline_chart(study: Study) -> Markup:
    """The metric of each unit in the order in which they ran, coloured by phase; the units drawn
    have a ring. Below, the phase alone."""
    return _chart(study, np.arange(len(study.table)), _timeline_title(study))


def _timeline_title(study: Study) -> str:
    return f"{study.table.metric.name} of each unit, in time"


def timeline_picture(study: Study, rows: Sequence[PhaseRow]) -> Markup:
    """The same with what each phase does and what the metric is, for a file of its own."""
    metric = study.table.metric
    notes = textwrap.wrap(f"{metric.name}: {metric.meaning}", LETTERS_OF_LINE)
    return _chart(study, np.arange(len(study.table)), _timeline_title(study), rows, notes)


def sorted_chart(study: Study) -> Markup:
    """The same with units sorted by phase."""
    order = np.argsort(study.phases.labels, kind="stable")
    return _chart(study, order, f"{study.table.metric.name} of each unit, by phase")


def _chart(
    study: Study, order: Indices, title: str, rows: Sequence[PhaseRow] = (),
    notes: Sequence[str] = (),
) -> Markup:  # fmt: skip
    ratio, labels = study.table.ratio, study.phases.labels
    most = float(np.quantile(ratio, 0.995)) * 1.1 or 1.0
    step = (WIDTH - LEFT - RIGHT) / max(len(order), 1)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    below = TOP + PLOT + BAND + 34
    total = below + LINE * (len(rows) + len(notes))
    return tag(
        "svg",
        _label(LEFT, 15, title, "start"),
        *_scale(most),
        *_dots(ratio, labels, place, step, most, study.chosen),
        *_bands(labels[order], step),
        _label(LEFT, below - 6, "unit 0", "start"),
        _label(WIDTH - RIGHT, below - 6, f"{len(order) - 1}", "end"),
        *(part for n, row in enumerate(rows) for part in _legend(row, below + LINE * n)),
        *(
            _label(LEFT, below + LINE * (len(rows) + n) + 9, note, "start", SOFT)
            for n, note in enumerate(notes)
        ),
        xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {WIDTH} {total}",
        font_family="system-ui, sans-serif", font_size=11, role="img", aria_label=title,
    )  # fmt: skip


def _legend(row: PhaseRow, y: float) -> tuple[Markup, Markup]:
    names = ", ".join(_short(name) for name in row.names[:2]) or "all methods"
    text = f"{letter(row.phase)}: {row.units} units, mean {row.mean:.4g}, CoV {row.variation:.2f}: "
    place = void("rect", x=LEFT, y=y, width=10, height=10, fill=colour(row.phase))
    return place, _label(LEFT + 16, y + 9, text + names, "start")


def _short(name: str) -> str:
    """Without the package."""
    return ".".join(name.split(".")[-2:])


def _scale(most: float) -> list[Markup]:
    found = list[Markup]()
    for part in (0.0, 0.5, 1.0):
        y = TOP + PLOT * (1 - part)
        found.append(void("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, stroke=GRID))
        found.append(_label(LEFT - 6, y + 4, f"{most * part:.3g}", "end"))
    return found


def _dots(
    ratio: Floats, labels: Indices, place: Indices, step: float, most: float, chosen: Indices
) -> list[Markup]:
    """A path for each phase; what is above the scale lies on its edge."""
    x = LEFT + (place + 0.5) * step
    y = TOP + PLOT * (1 - np.minimum(ratio / most, 1))
    found = list[Markup]()
    for phase in range(int(labels.max()) + 1):
        own = labels == phase
        path = "".join(f"M{a:.1f} {b:.1f}h0" for a, b in zip(x[own], y[own], strict=True))
        found.append(
            void("path", d=path, stroke=colour(phase), stroke_width=4, stroke_linecap="round")
        )
    found += [
        void("circle", cx=round(float(x[n]), 1), cy=round(float(y[n]), 1), r=4.5, fill="none",
             stroke=INK, stroke_width=1.4)
        for n in chosen.tolist()
    ]  # fmt: skip
    return found


def _bands(labels: Indices, step: float) -> list[Markup]:
    """Runs of units of one phase, with its letter where there is room."""
    edges = [0, *(np.flatnonzero(np.diff(labels)) + 1).tolist(), len(labels)]
    found = list[Markup]()
    y = TOP + PLOT + 8
    for first, end in itertools.pairwise(edges):
        phase, x = int(labels[first]), LEFT + first * step
        width = round((end - first) * step, 2)
        found.append(void("rect", x=round(x, 2), y=y, width=width, height=BAND, fill=colour(phase)))
        if width > 10:
            label = _label(x + width / 2, y + 11, letter(phase), "middle", "white")
            found.append(label)
    return found


def allocation_chart(rows: Sequence[PhaseRow]) -> Markup:
    """Of each phase its share of the units, its share of the points, and the variation of the
    metric (figure 45)."""
    points = max(sum(row.points for row in rows), 1)
    bars = (("share of units", "#9aa3ad"), ("share of points", "#3a84b5"), ("CoV", "#c8553d"))
    room = (WIDTH - LEFT - RIGHT) / max(len(rows), 1)
    most = max([1e-9, *(max(row.weight, row.points / points, row.variation) for row in rows)])
    total = TOP + PLOT + 34
    parts = list[Markup](_scale(most))
    for n, row in enumerate(rows):
        width = min(room / 4, 40)
        start = LEFT + n * room + (room - 3 * width) / 2
        values = (row.weight, row.points / points, row.variation)
        for m, (value, (_, shade)) in enumerate(zip(values, bars, strict=True)):
            height = round(PLOT * value / most, 1)
            parts.append(
                void("rect", x=round(start + m * width, 1), y=TOP + PLOT - height,
                     width=round(width - 2, 1), height=height, fill=shade)
            )  # fmt: skip
        parts.append(_label(LEFT + (n + 0.5) * room, TOP + PLOT + 15, letter(row.phase), "middle"))
    x = LEFT
    for name, shade in bars:
        parts.append(void("rect", x=x, y=6, width=10, height=10, fill=shade))
        parts.append(_label(x + 14, 15, name, "start"))
        x += 130
    return tag(
        "svg", join(*parts), xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {WIDTH} {total}",
        font_family="system-ui, sans-serif", font_size=11, role="img", aria_label="allocation",
    )  # fmt: skip


def _label(x: float, y: float, text: str, anchor: str, shade: str = INK) -> Markup:
    return tag("text", text, x=round(x, 1), y=round(y, 1), text_anchor=anchor, fill=shade)

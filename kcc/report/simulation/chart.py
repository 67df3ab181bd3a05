"""A launch over time as SVG: the warps on each SM, instructions issued, what is asked of DRAM."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kcc.report.shared.ink import BLUE, INK, ORANGE, SOFT
from kcc.report.shared.markup import NOTHING, Markup, join, tag, void
from kcc.report.shared.text import share_text
from kcc.report.simulation.run import resident_warps
from kcc.sim.result import Timing

COLUMNS = 240
"""Pieces of time."""

LEVELS = 6
"""Shades of occupancy."""

WIDTH, LEFT, RIGHT, TOP, GAP = 900, 70, 12, 26, 30
PANEL_HEIGHT = 70
MAP_HEIGHT = 200
SECTOR_BYTES = 32


def launch_chart(timing: Timing) -> Markup:
    """The picture, nothing for a launch whose blocks and intervals were not kept. Its time begins
    after the launch overhead."""
    if not timing.intervals or not timing.blocks:
        return NOTHING
    end = timing.intervals[-1].end
    plot = WIDTH - LEFT - RIGHT
    row = max(MAP_HEIGHT // timing.sms, 2)
    height = row * timing.sms
    second = TOP + height + GAP
    total = second + 2 * PANEL_HEIGHT + GAP + 34
    return tag(
        "svg",
        _label(LEFT, 15, f"warps resident on each of {timing.sms} SMs", anchor="start"),
        _label(WIDTH - RIGHT, 15, f"full: {timing.occupancy.max_warps} warps", anchor="end"),
        _occupancy_map(timing, end, plot, row),
        _label(LEFT - 6, TOP + 10, "SM 0", anchor="end"),
        _label(LEFT - 6, TOP + height, str(timing.sms - 1), anchor="end"),
        _panel(_issued(timing, end), "instructions issued, share of the schedulers' cycles", ORANGE,
               second, plot),
        _panel(_dram(timing, end), "asked of DRAM, GB/s", BLUE, second + PANEL_HEIGHT + GAP, plot),
        *_axis(timing, end, plot, total - 30),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {total}",
        font_family="system-ui, sans-serif",
        font_size=11,
        role="img",
        aria_label=f"{timing.kernel} over time",
    )  # fmt: skip


def _occupancy_map(timing: Timing, end: int, plot: int, row: int) -> Markup:
    """Runs of equal shade, a path for each shade."""
    edges = np.arange(COLUMNS + 1) * (end / COLUMNS)
    shares = resident_warps(timing, edges) / timing.occupancy.max_warps
    shades = np.clip(np.ceil(shares * LEVELS), 0, LEVELS).astype(np.int64)
    paths: list[list[str]] = [[] for _ in range(LEVELS + 1)]
    rows: list[list[int]] = shades.tolist()
    for sm, own in enumerate(rows):
        start = 0
        for place in range(1, COLUMNS + 1):
            if place < COLUMNS and own[place] == own[start]:
                continue
            x, width = plot * start / COLUMNS, plot * (place - start) / COLUMNS
            y = TOP + sm * row
            path = f"M{LEFT + x:.1f} {y}h{width:.1f}v{row}h-{width:.1f}z"
            paths[own[start]].append(path)
            start = place
    return join(
        *(
            void("path", d="".join(parts), fill=BLUE, fill_opacity=level / LEVELS * 0.9)
            for level, parts in enumerate(paths)
            if level and parts
        )
    )


def _issued(timing: Timing, end: int) -> list[tuple[float, float, float]]:
    """Begin and end, as shares of the time, and the share of issue slots."""
    return [
        (i.start / end, i.end / end, i.issued / max(i.end - i.start, 1) / timing.schedulers)
        for i in timing.intervals
    ]


def _dram(timing: Timing, end: int) -> list[tuple[float, float, float]]:
    scale = SECTOR_BYTES * timing.clock_mhz / 1000
    return [
        (i.start / end, i.end / end, i.dram_sectors / max(i.end - i.start, 1) * scale)
        for i in timing.intervals
    ]


def _panel(
    steps: Sequence[tuple[float, float, float]], title: str, color: str, top: int, plot: int
) -> Markup:
    """An area over time, up to its largest value."""
    most = max((value for *_, value in steps), default=0)
    bottom = top + PANEL_HEIGHT
    path = f"M{LEFT} {bottom}"
    for start, end, value in steps:
        y = bottom - PANEL_HEIGHT * value / (most or 1)
        path += f"L{LEFT + plot * start:.1f} {y:.1f}L{LEFT + plot * end:.1f} {y:.1f}"
    path += f"V{bottom}Z"
    shown = share_text(most) if "share" in title else f"{most:,.0f}"
    return join(
        _label(LEFT, top - 8, title, anchor="start"),
        void("path", d=path, fill=color, fill_opacity=0.55),
        void("line", x1=LEFT, x2=LEFT + plot, y1=bottom, y2=bottom, stroke=SOFT),
        _label(LEFT - 6, top + 8, shown, anchor="end"),
        _label(LEFT - 6, bottom, "0", anchor="end"),
    )


def _axis(timing: Timing, end: int, plot: int, y: int) -> list[Markup]:
    """Five ticks of time."""
    found = list[Markup]()
    for tick in range(5):
        x = LEFT + plot * tick / 4
        cycles = round(end * tick / 4)
        anchor = "start" if tick == 0 else "end" if tick == 4 else "middle"
        text = f"{cycles:,.0f} cycles" if tick == 4 else f"{cycles:,.0f}"
        found.append(_label(x, y + 8, text, anchor=anchor))
        found.append(
            _label(x, y + 22, f"{cycles / timing.clock_mhz:,.2f} us", anchor=anchor, color=SOFT)
        )
    return found


def _label(x: float, y: float, text: str, *, anchor: str, color: str = INK) -> Markup:
    return tag("text", text, x=x, y=y, text_anchor=anchor, fill=color)

"""Parallel coordinates: a line for each point over its value of each parameter, cost and time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kcc.report.plots.render import Chart
from kcc.report.plots.space import DesignSpace, SpacePoint
from kcc.report.shared.ink import BLUE, GRID, INK, ORANGE, PAPER

HEIGHT, STEP = 260, 92

MOST_LINES = 240
"""More would be a surface: of more points the best, and others evenly over the order of times."""

MOST_BEST = 12
"""Lines that are brought out where no point is one of the best: the fastest."""

COST, TIME = "cost", "time, us"


def parallel_chart(space: DesignSpace, name: str = "parallel") -> Chart | None:
    """The chart; None for fewer than two parameters with several values, or points."""
    names = [n for n, values in space.parameters.items() if len(values) > 1]
    if len(names) < 2 or len(space.points) < 2:
        return None
    points = _chosen(space.points)
    axes = [*names, *([COST] if all(p.cost is not None for p in points) else []), TIME]
    lines, ticks = list[dict[str, Any]](), list[dict[str, Any]]()
    for axis in axes:
        heights = _heights(space, points, axis)
        lines += [
            {"axis": axis, "point": n, "height": height, "best": point.is_best}
            for n, (point, (height, _)) in enumerate(zip(points, heights, strict=True))
        ]
        ticks += _ticks(space, axis, heights)
    words = "Each point as a line over its values; the best are brought out"
    return Chart(name, words, _spec(axes, lines, ticks))


def _chosen(points: Sequence[SpacePoint]) -> list[SpacePoint]:
    """Those that are drawn, the best last."""
    order = sorted(points, key=lambda each: -each.time_us)
    if not any(each.is_best for each in order):
        fast = order[-MOST_BEST:]
        brought_out = (replace(each, is_best=True) for each in fast)
        order = [*order[:-MOST_BEST], *brought_out]
    best = [each for each in order if each.is_best][-MOST_LINES:]
    rest = [each for each in order if not each.is_best]
    step = max(1, math.ceil(len(rest) / max(1, MOST_LINES - len(best))))
    return [*rest[::step], *best]


def _heights(
    space: DesignSpace, points: Sequence[SpacePoint], axis: str
) -> list[tuple[float, float]]:
    """Of each point: where its line crosses the axis, from 0 to 1, and the number there."""
    if axis in space.parameters:
        number = list(space.parameters).index(axis)
        last = len(space.parameters[axis]) - 1
        return [(p.places[number] / last, float(p.places[number])) for p in points]
    values = [p.time_us if axis == TIME else p.cost or 0.0 for p in points]
    low = min(values)
    log = low > 0
    scaled = [math.log(value / low) if log else value - low for value in values]
    most = max(scaled) or 1.0
    return [(each / most, value) for each, value in zip(scaled, values, strict=True)]


def _ticks(
    space: DesignSpace, axis: str, heights: Sequence[tuple[float, float]]
) -> list[dict[str, Any]]:
    if axis in space.parameters:
        values = space.parameters[axis]
        last = len(values) - 1
        return [{"axis": axis, "height": n / last, "text": v} for n, v in enumerate(values)]
    ends = (min(heights), max(heights))
    return [{"axis": axis, "height": height, "text": f"{value:.4g}"} for height, value in ends]


def _spec(axes: list[str], lines: list[Any], ticks: list[Any]) -> Any:
    x = {"field": "axis", "type": "ordinal", "title": None, "sort": axes,
         "axis": {"orient": "top", "labelAngle": 0, "domain": False, "ticks": False,
                  "labelPadding": 12}}  # fmt: skip
    y = {"field": "height", "type": "quantitative", "title": None, "axis": None,
         "scale": {"domain": [-0.02, 1.02]}}  # fmt: skip
    detail = {"field": "point", "type": "nominal"}

    def drawn(color: str, width: float, opacity: float, *, best: bool) -> dict[str, Any]:
        return {
            "data": {"values": [each for each in lines if each["best"] is best]},
            "mark": {"type": "line", "color": color, "strokeWidth": width, "opacity": opacity},
            "encoding": {"x": x, "y": y, "detail": detail},
        }  # fmt: skip

    text = {"type": "text", "align": "left", "dx": 4, "fontSize": 10, "limit": STEP - 12}
    words = {"x": x, "y": y, "text": {"field": "text", "type": "nominal"}}
    halo = {**text, "stroke": PAPER, "strokeWidth": 3, "color": PAPER}
    return {
        "width": {"step": STEP}, "height": HEIGHT,
        "layer": [
            {"data": {"values": [{"axis": a} for a in axes]},
             "mark": {"type": "rule", "color": GRID, "strokeWidth": 1.5}, "encoding": {"x": x}},
            drawn(BLUE, 1, 0.22, best=False),
            drawn(ORANGE, 1.6, 0.9, best=True),
            {"data": {"values": ticks}, "mark": halo, "encoding": words},
            {"data": {"values": ticks}, "mark": {**text, "color": INK}, "encoding": words},
        ],
    }  # fmt: skip

"""Design points by cost and time, and the front to which none is better in both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from kcc.report.plots.render import Chart
from kcc.report.shared.ink import BLUE, INK, ORANGE

WIDTH, HEIGHT = 520, 300

MOST_NAMED = 12
"""Points of the front up to which each is named beside itself."""

MOST_POINTS = 1500
"""Of many more an even choice over the order of times is drawn, and the whole front."""

Points = Sequence[tuple[str, float, float]]
"""Name, cost and microseconds."""


def pareto_chart(points: Points, front: Sequence[str], name: str = "pareto") -> Chart | None:
    """The chart; None without points."""
    if not points:
        return None
    chosen = set(front)
    others = [_row(each) for each in points if each[0] not in chosen]
    if len(others) > MOST_POINTS:
        step = math.ceil(len(others) / MOST_POINTS)
        others = sorted(others, key=lambda row: row["us"])[::step]
    best = sorted((_row(each) for each in points if each[0] in chosen), key=lambda r: r["cost"])
    words = "Time of each design point over its cost, with the Pareto front"
    return Chart(name, words, _spec(others, best))


def _row(each: tuple[str, float, float]) -> dict[str, Any]:
    return {"name": each[0], "cost": each[1], "us": each[2]}


def _spec(others: list[dict[str, Any]], best: list[dict[str, Any]]) -> Any:
    place = {
        "x": {"field": "cost", "type": "quantitative", "title": "cost", "scale": {"zero": False}},
        "y": {"field": "us", "type": "quantitative", "title": "time, us", "scale": {"zero": False}},
    }
    step = {"type": "line", "interpolate": "step-after", "color": ORANGE}
    text = {"text": {"field": "name", "type": "nominal"}}
    layers: list[Any] = [
        _layer(others, {"type": "point", "filled": True, "color": BLUE, "opacity": 0.7}, place),
        _layer(best, step, place),
        _layer(best, {"type": "point", "filled": True, "size": 80, "color": ORANGE, "opacity": 1},
               place),
    ]  # fmt: skip
    if len(best) <= MOST_NAMED:
        # Names stay inside: those of the right half end at their point.
        costs = [row["cost"] for row in (*best, *others)]
        middle = (min(costs) + max(costs)) / 2
        for align, dx in (("left", 6), ("right", -6)):
            rows = [row for row in best if (row["cost"] > middle) == (align == "right")]
            named = {"type": "text", "align": align, "baseline": "bottom", "dx": dx, "dy": -4,
                     "fontSize": 10, "color": INK}  # fmt: skip
            layers += [_layer(rows, named, place | text)] if rows else []
    return {"width": WIDTH, "height": HEIGHT, "layer": layers}


def _layer(values: list[Any], mark: dict[str, Any], encoding: dict[str, Any]) -> Any:
    return {"data": {"values": values}, "mark": mark, "encoding": encoding}

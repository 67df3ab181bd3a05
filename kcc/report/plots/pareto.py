"""Design points by cost and time, and the front to which none is better in both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from kcc.report.plots.render import Chart
from kcc.report.shared.ink import BLUE, INK, ORANGE

WIDTH, HEIGHT = 520, 300

LETTER, LINE = 5.6, 13
"""Pixels of a letter and of a line of names at their size of 10."""

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
    for align, dx in (("left", 6), ("right", -6)):
        rows = [row for row, side in _named(best, others) if side == align]
        named = {"type": "text", "align": align, "baseline": "bottom", "dx": dx, "dy": -4,
                 "fontSize": 10, "color": INK}  # fmt: skip
        layers += [_layer(rows, named, place | text)] if rows else []
    return {"width": WIDTH, "height": HEIGHT, "layer": layers}


def _named(
    best: list[dict[str, Any]], others: list[dict[str, Any]]
) -> list[tuple[dict[str, Any], str]]:
    """The points of the front that have room for their names, and on which side of a name its point
    is: names stay inside, so that those of the right half end at their point."""
    costs, times = ([row[key] for row in (*best, *others)] for key in ("cost", "us"))
    taken = list[tuple[float, float, float]]()
    found = list[tuple[dict[str, Any], str]]()
    for row in best:
        x, y = _pixels(row["cost"], costs, WIDTH), _pixels(row["us"], times, HEIGHT)
        length = LETTER * len(row["name"])
        first, side = (x, "left") if x < WIDTH / 2 else (x - length, "right")
        room = all(
            abs(y - other) >= LINE or first > end or first + length < begin
            for begin, end, other in taken
        )
        if room:
            taken.append((first, first + length, y))
            found.append((row, side))
    return found


def _pixels(value: float, values: list[float], size: int) -> float:
    low, high = min(values), max(values)
    return size * (value - low) / (high - low) if high > low else size / 2


def _layer(values: list[Any], mark: dict[str, Any], encoding: dict[str, Any]) -> Any:
    return {"data": {"values": values}, "mark": mark, "encoding": encoding}

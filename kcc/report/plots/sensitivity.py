"""What each parameter does: over its values the fastest time, the median and the middle half."""

from __future__ import annotations

from typing import Any

from kcc.report.plots.render import Chart
from kcc.report.plots.space import DesignSpace, Sensitivity, sensitivities
from kcc.report.shared.ink import BLUE, ORANGE
from kcc.report.shared.text import share_text

WIDTH, HEIGHT, COLUMNS = 190, 150, 3

MOST_PARAMETERS = 12


def sensitivity_chart(space: DesignSpace, name: str = "sensitivity") -> Chart | None:
    """The chart; None for fewer than two parameters with several values."""
    each = sensitivities(space)[:MOST_PARAMETERS]
    if len(each) < 2:
        return None
    words = "Time over the values of each parameter: fastest, median and the middle half"
    lowest = min(v.fastest_us for e in each for v in e.values)
    highest = max(v.three_quarters_us for e in each for v in e.values)
    spec = {
        "concat": [_panel(e, lowest, highest) for e in each],
        "columns": COLUMNS,
        "spacing": 18,
    }
    return Chart(name, words, spec)


def _panel(each: Sensitivity, lowest: float, highest: float) -> dict[str, Any]:
    values = [
        {"value": v.value, "fastest": v.fastest_us, "low": v.quarter_us, "median": v.median_us,
         "high": v.three_quarters_us}
        for v in each.values
    ]  # fmt: skip
    x = {"field": "value", "type": "ordinal", "title": None, "axis": {"labelAngle": 0},
         "sort": [v.value for v in each.values]}  # fmt: skip
    log = {"type": "log", "domain": [0.95 * lowest, 1.05 * highest], "nice": False}
    axis = {"format": "~s", "tickCount": 4}

    def y(field: str) -> dict[str, Any]:
        return {"field": field, "type": "quantitative", "title": "time, us", "scale": log,
                "axis": axis}  # fmt: skip

    middle = {"mark": {"type": "bar", "color": BLUE, "opacity": 0.35, "size": 12},
              "encoding": {"x": x, "y": y("low"), "y2": {"field": "high"}}}  # fmt: skip
    line = {"type": "line", "point": {"filled": True, "size": 36}}
    return {
        "title": {"text": [each.name, f"{share_text(each.share)} of the variance"], "fontSize": 11},
        "width": WIDTH, "height": HEIGHT, "data": {"values": values},
        "layer": [
            middle,
            {"mark": {"type": "tick", "color": BLUE, "thickness": 2, "size": 12},
             "encoding": {"x": x, "y": y("median")}},
            {"mark": {**line, "color": ORANGE}, "encoding": {"x": x, "y": y("fastest")}},
        ],
    }  # fmt: skip

"""A source's lines against stall reasons or configurations: hot lines, as heat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kcc.report.plots.render import Chart
from kcc.report.shared.ink import INK, ORANGE

MOST_LINES = 24
CELL, ROW = 74, 18
SOURCE = 58
"""Characters of a line of the source that are shown."""

LETTER = 6.1
"""Width of a letter of them."""

NARROW = "\N{NO-BREAK SPACE}"

LEAST_SHARE = 0.0005

Heat = Mapping[int, Mapping[str, float]]
"""By line: shares of the whole time by column."""


def heat_chart(
    heat: Heat, columns: Sequence[str], text: Sequence[str], name: str = "lines"
) -> Chart | None:
    """The chart: the hottest lines, in the order of the source (``text``); None without any."""
    sums = {line: sum(parts.values()) for line, parts in heat.items() if line}
    chosen = sorted(sums, key=lambda line: -sums[line])[:MOST_LINES]
    lines = sorted(line for line in chosen if sums[line] >= LEAST_SHARE)
    used = [c for c in columns if any(heat[n].get(c, 0.0) >= LEAST_SHARE for n in lines)]
    if not lines or not used:
        return None
    values = [
        {"line": _label(line, text), "column": column, "share": heat[line][column]}
        for line in lines
        for column in used
        if heat[line].get(column, 0.0) >= LEAST_SHARE
    ]
    words = "Share of the time by source line, the hottest darkest"
    return Chart(name, words, _spec(values, [_label(n, text) for n in lines], used))


def _label(line: int, text: Sequence[str]) -> str:
    words = text[line - 1].strip() if line <= len(text) else ""
    number = f"{line:4d}".replace(" ", NARROW)
    return f"{number}{NARROW}{NARROW}{words[:SOURCE]}"


def _spec(values: list[dict[str, Any]], lines: list[str], columns: list[str]) -> Any:
    place = {
        "y": {
            "field": "line", "type": "nominal", "title": None, "sort": lines,
            "axis": {
                "labelFont": "ui-monospace, monospace", "labelFontSize": 10, "labelLimit": 460,
                "ticks": False, "labelAlign": "left",
                "labelPadding": round(LETTER * max(map(len, lines)) + 4),
            },
            "scale": {"domain": lines},
        },
        "x": {
            "field": "column", "type": "nominal", "title": None, "sort": columns,
            "axis": {"orient": "top", "labelAngle": -90, "labelLimit": 260, "ticks": False},
            "scale": {"domain": columns},
        },
    }  # fmt: skip
    most = max(each["share"] for each in values)
    heat = {
        "field": "share", "type": "quantitative", "legend": None,
        "scale": {"domain": [0, most], "range": [0.04, 0.75]},
    }  # fmt: skip
    shown = {"field": "share", "type": "quantitative", "format": ".1%"}
    return {
        "padding": {"left": 5, "top": 40, "right": 20, "bottom": 5},
        "width": {"step": CELL},
        "height": {"step": ROW},
        "data": {"values": values},
        "layer": [
            {"mark": {"type": "rect", "color": ORANGE}, "encoding": place | {"opacity": heat}},
            {
                "mark": {"type": "text", "fontSize": 10, "color": INK},
                "encoding": place | {"text": shown},
            },
        ],
    }

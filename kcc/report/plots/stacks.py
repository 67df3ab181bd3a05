"""Times of kernels, GPUs or configurations by stall reason, side by side: as times, which compare
GPUs, and as shares, which compare kernels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from kcc.base.terms import stall_label
from kcc.report.plots.render import Chart
from kcc.report.shared.cause_colors import cause_color

MOST_BARS = 40
WIDTH, ROW = 260, 20

LETTER = 6.6
"""Width of a letter of a label in the widest of usual fonts: pages are shown with other fonts than
those that vl-convert measures."""

LEAST_SHARE = 0.002
"""Of all bars together that a reason needs to be drawn."""

Bars = Sequence[tuple[str, Mapping[str, float]]]
"""What each bar is called, and its microseconds by stall reason."""


def stacks_chart(bars: Bars, name: str = "stacks") -> Chart | None:
    """The chart; None for fewer than two bars."""
    drawn = [(label, parts) for label, parts in bars if math.fsum(parts.values())][:MOST_BARS]
    if len(drawn) < 2:
        return None
    reasons = _reasons(drawn)
    values = [
        {"bar": f"{n}", "label": label, "reason": stall_label(reason), "us": parts[reason],
         "order": reasons.index(reason)}
        for n, (label, parts) in enumerate(drawn)
        for reason in parts
        if reason in reasons and parts[reason]
    ]  # fmt: skip
    colors = {stall_label(reason): cause_color(reason) for reason in reasons}
    labels = [label for label, _ in drawn]
    words = "Time of each configuration by stall reason, in microseconds and as a share"
    return Chart(name, words, _spec(values, colors, labels))


def _reasons(bars: Bars) -> list[str]:
    """The largest first."""
    sums = dict[str, float]()
    for _, parts in bars:
        total = math.fsum(parts.values())
        for reason, value in parts.items():
            sums[reason] = sums.get(reason, 0.0) + value / total
    kept = [r for r, value in sums.items() if value >= LEAST_SHARE * len(bars)]
    return sorted(kept, key=lambda reason: -sums[reason])


def _spec(values: list[dict[str, Any]], colors: Mapping[str, str], labels: list[str]) -> Any:
    color = {
        "field": "reason", "type": "nominal", "title": None,
        "scale": {"domain": list(colors), "range": list(colors.values())},
        "legend": {"orient": "bottom", "columns": 3, "labelLimit": 260, "columnPadding": 48},
    }  # fmt: skip
    # Two bars may be called alike: they are told apart by their number.
    expression = f"{labels!r}[toNumber(datum.value)]"

    extent = min(round(LETTER * max(map(len, labels))), 400)

    def side(title: str, *, share: bool) -> dict[str, Any]:
        x = {"field": "us", "type": "quantitative", "title": title,
             "stack": "normalize" if share else "zero",
             "axis": {"format": "%" if share else ",~f", "tickCount": 4}}  # fmt: skip
        axis = None if share else {"labelExpr": expression, "labelLimit": 400, "ticks": False,
                                   "minExtent": extent}  # fmt: skip
        bar = {"field": "bar", "type": "nominal", "title": None, "axis": axis,
               "sort": [f"{n}" for n in range(len(labels))]}  # fmt: skip
        order = {"field": "order", "type": "quantitative"}
        return {
            "width": WIDTH, "height": {"step": ROW}, "mark": {"type": "bar"},
            "encoding": {"x": x, "y": bar, "color": color, "order": order},
        }  # fmt: skip

    sides = [side("time, us", share=False), side("share of the time", share=True)]
    return {"data": {"values": values}, "hconcat": sides, "spacing": 14}

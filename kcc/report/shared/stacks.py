"""Bars of causes, and their legend, in the colours that all pages have."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from kcc.base.terms import stall_label
from kcc.report.shared.cause_colors import cause_color
from kcc.report.shared.markup import Markup, tag


def stack_bar(parts: Mapping[str, float]) -> Markup:
    """Shares as one bar; what each part is stands in its title."""
    total = math.fsum(parts.values()) or 1.0
    shown = [
        tag(
            "i",
            style=f"width:{100 * value / total:.3f}%;background:{cause_color(name)}",
            title=f"{stall_label(name)}: {100 * value / total:.1f} %",
        )
        for name, value in parts.items()
        if value
    ]
    return tag("div", *shown, class_="stack")


def legend(names: Iterable[str]) -> Markup:
    """The colours of causes, each once."""
    labels = dict[str, dict[str, None]]()
    for name in names:
        labels.setdefault(cause_color(name), {})[stall_label(name)] = None
    keys = [
        tag("span", tag("i", style=f"background:{color}"), ", ".join(own))
        for color, own in labels.items()
    ]
    return tag("div", *keys, class_="legend")

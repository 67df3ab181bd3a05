"""Vega-Lite specifications to SVG, and any SVG to PNG, by vl-convert: no browser and no network.

A specification is what Altair writes (``altair.Chart.from_dict`` reads it), so a chart can be
changed there. vl-convert holds Vega, Vega-Lite (Satyanarayan et al., IEEE TVCG 2017) and fonts. A
page without it has tables and bars of its own.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Mapping
from typing import Any

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass
from kcc.report.shared.ink import GRID, INK, PAPER, on_page
from kcc.report.shared.markup import NOTHING, Markup, tag

VEGA_LITE = "5.20"
"""The version that specifications are written for."""

SCALE = 2.0
"""Pixels of a PNG for each of an SVG."""

CONFIG: Mapping[str, Any] = {
    "background": PAPER,
    "font": "system-ui, sans-serif",
    "axis": {
        "labelColor": INK, "titleColor": INK, "gridColor": GRID, "domainColor": GRID,
        "tickColor": GRID, "titleFontWeight": "normal",
    },
    "legend": {"labelColor": INK, "titleColor": INK},
    "header": {"labelColor": INK, "titleColor": INK},
    "title": {"color": INK, "fontWeight": "normal"},
    "text": {"color": INK},
    "view": {"stroke": None},
}  # fmt: skip

MODULE = "vl_convert"


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: the ``name`` of its file, what it shows in ``words``, and its specification, or the
    drawing itself where kcc draws it."""

    name: str
    words: str
    spec: Mapping[str, Any] | None = None
    drawn: str = ""

    def svg(self) -> str:
        """A picture that stands alone."""
        if self.drawn:
            return self.drawn
        need_plots()
        whole = json.dumps({**(self.spec or {}), "config": CONFIG})
        found: str = importlib.import_module(MODULE).vegalite_to_svg(whole, vl_version=VEGA_LITE)
        return found


def has_plots() -> bool:
    """Whether the extra `plots` is installed."""
    try:
        return importlib.util.find_spec(MODULE) is not None
    except ValueError:  # a module that is set to None
        return False


def need_plots() -> None:
    """Raises K013 where the extra is not installed."""
    if not has_plots():
        message = "charts and pictures in PNG are made by vl-convert, which is not installed"
        hint = "install the extra: pip install '.[plots]' in the clone"
        raise DiagnosticError([Diagnostic("K013", message, hint=hint)])


def shown(chart: Chart | None) -> Markup:
    """A chart on a page. Nothing for None, and where the extra that draws it is not installed."""
    if chart is None or not (chart.drawn or has_plots()):
        return NOTHING
    svg = on_page(chart.svg())
    return tag("div", svg, class_="chart plot", role="img", aria_label=chart.words)


def png_of(svg: str) -> bytes:
    """An SVG in pixels; raises K013."""
    need_plots()
    data: bytes = importlib.import_module(MODULE).svg_to_png(svg, scale=SCALE)
    return data

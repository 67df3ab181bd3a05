"""Vega-Lite specifications to SVG, and any SVG to PNG, by vl-convert: no browser and no network.

vl-convert holds Vega, Vega-Lite (Satyanarayan et al., IEEE TVCG 2017) and fonts. A page without it
has tables and bars of its own.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Mapping
from typing import Any

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.report.shared.markup import NOTHING, Markup, tag

VEGA_LITE = "5.20"
"""The version that specifications are written for."""

INK, GRID = "#3c4148", "#e0e2e5"

SCALE = 2.0
"""Pixels of a PNG for each of an SVG."""

CONFIG: Mapping[str, Any] = {
    "background": "#ffffff",
    "font": "system-ui, sans-serif",
    "axis": {
        "labelColor": INK, "titleColor": INK, "gridColor": GRID, "domainColor": GRID,
        "tickColor": GRID, "titleFontWeight": "normal",
    },
    "legend": {"labelColor": INK, "titleColor": INK},
    "view": {"stroke": None},
}  # fmt: skip

MODULE = "vl_convert"


def has_plots() -> bool:
    """Whether the extra `plots` is installed."""
    try:
        return importlib.util.find_spec(MODULE) is not None
    except ValueError:  # a module that is set to None
        return False


def need_plots() -> None:
    """Raises K013 where the extra is not installed."""
    if not has_plots():
        message = "pictures in PNG are made by vl-convert, which is not installed"
        hint = "install the extra: pip install '.[plots]' in the clone; or --svg FILE"
        raise DiagnosticError([Diagnostic("K013", message, hint=hint)])


def chart(spec: Mapping[str, Any] | None, words: str) -> Markup:
    """A specification as a picture on a page; ``words`` say what it shows to those who do not see
    it. Nothing for None, and without the extra."""
    if spec is None or not has_plots():
        return NOTHING
    whole = json.dumps({**spec, "config": CONFIG})
    svg: str = importlib.import_module(MODULE).vegalite_to_svg(whole, vl_version=VEGA_LITE)
    return tag("div", Markup(svg), class_="chart plot", role="img", aria_label=words)


def png_of(svg: str) -> bytes:
    """An SVG in pixels; raises K013."""
    need_plots()
    data: bytes = importlib.import_module(MODULE).svg_to_png(svg, scale=SCALE)
    return data

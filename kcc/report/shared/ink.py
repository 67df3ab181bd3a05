"""Colours of drawings: as they stand in a file of their own, and on a page, which may be dark."""

from __future__ import annotations

from kcc.report.shared.markup import Markup

INK, SOFT, GRID, PAPER = "#3c4148", "#646b75", "#e0e2e5", "#ffffff"
"""Of text, of what matters less, of grids, of the ground."""

BLUE, LIGHT_BLUE, ORANGE, GREEN, VIOLET = "#3f7fbf", "#5b9bd0", "#d0743c", "#4f9d69", "#8a63b8"
"""Of lines and points: each has a contrast of 3:1 or more to a white and to a dark ground
(WCAG 2.2, 1.4.11)."""

_ON_PAGE = {INK: "var(--ink)", SOFT: "var(--soft)", GRID: "var(--line)", PAPER: "var(--raised)"}


def on_page(svg: str) -> Markup:
    """A drawing in the colours of the page it stands on, light or dark."""
    for color, name in _ON_PAGE.items():
        svg = svg.replace(f'"{color}"', f'"{name}"')
    return Markup(svg)

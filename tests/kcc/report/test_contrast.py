"""Colours of pages keep the contrast that WCAG 2.2 asks for at level AA, in light and dark."""

from __future__ import annotations

import re
from importlib import resources

import pytest

TEXT = 4.5
"""Section 1.4.3."""

PAIRS = (("ink", "paper"), ("ink", "raised"), ("soft", "paper"), ("soft", "raised"),
         ("link", "paper"), ("link", "raised"), ("warn", "warn-bg"), ("note", "note-bg"),
         ("ink", "warn-bg"), ("ink", "note-bg"), ("soft", "warn-bg"), ("soft", "note-bg"),
         ("warn", "raised"), ("note", "raised"))  # fmt: skip
"""What is written in which colour on which."""


def palettes() -> dict[str, dict[str, str]]:
    """The variables of the sheet by mode; the dark ones stand over the light ones."""
    sheet = resources.files("kcc.report").joinpath("page.css").read_text(encoding="utf-8")
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root \{(.*?)\}", sheet, re.DOTALL)
    )
    return {"light": light, "dark": {**light, **dark}}


def luminance(color: str) -> float:
    parts = [int(color[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_the_definition():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("pair", PAIRS, ids="-on-".join)
def test_text_is_readable(mode: str, pair: tuple[str, str]):
    palette = palettes()[mode]
    assert contrast(palette[pair[0]], palette[pair[1]]) >= TEXT

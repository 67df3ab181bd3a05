"""Pages as a reader has them: in Chromium, on a screen and on a phone, in light and dark."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.browser.conftest import Opened
from tests.browser.pages import JOINED, QUICK, SLOW

pytestmark = pytest.mark.browser

PAGES = [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]
PHONE = 390

OVERLAPS = """() => {
  const found = [];
  for (const svg of document.querySelectorAll('svg')) {
    const texts = [...svg.querySelectorAll('text:not([stroke])')].filter(t => t.textContent.trim());
    const boxes = texts.map(t => t.getBoundingClientRect());
    for (let i = 0; i < boxes.length; i++) for (let j = i + 1; j < boxes.length; j++) {
      const a = boxes[i], b = boxes[j];
      const w = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const h = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (w > 1 && h > 0.25 * Math.min(a.height, b.height))
        found.push(texts[i].textContent + ' | ' + texts[j].textContent);
    }
  }
  return found;
}"""
"""Pairs of labels of a chart that cover each other; what has a stroke is the halo of a label."""

PAINTED = """() => {
  const plain = color => {
    const probe = document.createElement('span');
    probe.style.color = color;
    document.body.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  };
  const found = [];
  for (const shape of document.querySelectorAll(
      'svg:not(.flow) :is(rect, path, circle, polygon)[fill]')) {
    const asked = shape.getAttribute('fill');
    if (asked === 'none' || asked.startsWith('url')) continue;
    found.push([plain(asked), getComputedStyle(shape).fill]);
  }
  return found;
}"""
"""The colour that each shape of a chart was given, and the one that it has."""


def colors(page: Any, selector: str) -> set[str]:
    """The colours of what a selector finds."""
    return set(
        page.eval_on_selector_all(
            selector, "all => all.map(e => getComputedStyle(e).backgroundColor)"
        )
    )


@pytest.mark.parametrize("name", PAGES)
def test_the_console_is_silent(name: str, opened: Opened):
    page = opened(name)
    assert page.errors == []
    assert page.title()


@pytest.mark.parametrize("name", PAGES)
def test_bars_have_the_colours_of_the_legend(name: str, opened: Opened):
    page = opened(name)
    bars, legend = colors(page, ".stack i"), colors(page, ".legend i")
    assert bars <= legend
    assert bars or name not in {"estimate", "simulate"}
    painted = page.evaluate(PAINTED)
    assert all(asked == has for asked, has in painted)
    assert painted or name not in {"explore", "simulate"}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [1280, PHONE])
def test_no_label_lies_on_another(name: str, width: int, opened: Opened):
    assert opened(name, width=width).evaluate(OVERLAPS) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_shows_all_without_scrolling_sideways(name: str, opened: Opened):
    page = opened(name, width=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE


@pytest.mark.parametrize("name", PAGES)
def test_dark_mode_is_dark_and_readable(name: str, opened: Opened):
    page = opened(name, scheme="dark")
    ink, paper = page.evaluate(
        "() => { const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]; }"
    )
    assert contrast(ink, paper) >= 7
    assert luminance(paper) < 0.05
    heading = page.evaluate("getComputedStyle(document.querySelector('h1')).color")
    assert contrast(heading, paper) >= 4.5


LABELS = """() => {
  const ground = e => {
    for (let at = e; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (color !== 'rgba(0, 0, 0, 0)' && color !== 'transparent') return color;
    }
    return getComputedStyle(document.body).backgroundColor;
  };
  return [...document.querySelectorAll('svg text:not([stroke])')]
    .filter(t => t.textContent.trim() && t.getAttribute('fill') !== 'white')
    .map(t => [t.textContent, getComputedStyle(t).fill, ground(t.closest('svg').parentElement)]);
}"""
"""Labels of charts with their colour and that of their ground."""


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_labels_of_charts_can_be_read(name: str, scheme: str, opened: Opened):
    labels = opened(name, scheme=scheme).evaluate(LABELS)
    dim = {text: color for text, color, ground in labels if contrast(color, ground) < 4.5}
    assert not dim
    assert labels or name not in {"analyze", "simulate", "explore", "validate", "phases", "memory"}


@pytest.mark.parametrize("name", PAGES)
def test_no_table_is_cut_on_a_screen(name: str, opened: Opened):
    cut = opened(name).evaluate(
        "() => [...document.querySelectorAll('.scroll, .chart')]"
        ".filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 60))"
    )
    assert cut == []


@pytest.mark.parametrize("name", PAGES)
def test_the_verdict_stands_before_all_tables(name: str, opened: Opened):
    page = opened(name)
    first = page.locator(".verdict, table, svg").first
    if name == JOINED:
        return
    assert first.get_attribute("class") == "verdict"
    assert first.text_content().strip().endswith(".")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_prints(name: str, opened: Opened):
    page = opened(name)
    page.emulate_media(media="print")
    assert page.pdf().startswith(b"%PDF")
    assert page.errors == []


@pytest.mark.parametrize("name", ["analyze", "estimate"])
def test_the_keyboard_reaches_what_can_be_opened(name: str, opened: Opened):
    page = opened(name)
    names = set[str]()
    for _ in range(12):
        page.keyboard.press("Tab")
        names.add(page.evaluate("document.activeElement.tagName"))
        shown = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert shown != "none"
    assert names & {"SUMMARY", "BUTTON", "A"}


def luminance(color: str) -> float:
    """Relative luminance, WCAG 2.2."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio, WCAG 2.2."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def column(page: Any, number: int) -> list[str]:
    """The cells of a column of the table that sorts."""
    return page.eval_on_selector_all(
        f".sortable tbody tr td:nth-child({number})", "all => all.map(e => e.textContent)"
    )


def in_us(text: str) -> float:
    value, unit = text.replace(",", "").split()[:2]
    return float(value) * {"us": 1.0, "ms": 1e3, "s": 1e6}[unit]


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_the_table_sorts_by_a_column(by: str, opened: Opened):
    page = opened("estimate")
    heads = page.eval_on_selector_all(".sortable th", "all => all.map(e => e.textContent.trim())")
    place = heads.index("time") + 1
    button = page.locator(f".sortable th:nth-child({place}) button")
    for order in ("ascending", "descending"):
        if by == "mouse":
            button.click()
        else:
            button.focus()
            page.keyboard.press("Enter")
        assert page.locator(f".sortable th:nth-child({place})").get_attribute("aria-sort") == order
        times = [in_us(text) for text in column(page, place)]
        assert times == sorted(times, reverse=order == "descending")
        assert len(times) == 6

"""What every page has in common: style that leaves charts alone, one colour for each cause."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from importlib import resources
from itertools import pairwise

import pytest

from kcc.report.exploration.stack_chart import PARTS, StackBar, chart_height, stack_chart
from kcc.report.shared.cause_colors import CAUSE_COLORS
from kcc.sim.cycle.layout import NAMES
from kcc.sim.estimate.pipeline_native import REASONS as PIPELINE
from kcc.sim.interval.model import Part

SHAPES = {"rect", "path", "text", "line", "circle", "polyline", "g"}
SVG = "{http://www.w3.org/2000/svg}"


def sheets() -> list[str]:
    """All style there is: the files, and what modules of pages add."""
    found = list[str]()
    folders = [resources.files("kcc.report")]
    while folders:
        for entry in folders.pop().iterdir():
            if entry.is_dir():
                folders.append(entry)
            elif entry.name.endswith(".css"):
                found.append(entry.read_text(encoding="utf-8"))
            elif entry.name.endswith(".py"):
                text = entry.read_text(encoding="utf-8")
                found += re.findall(r'_STYLE = """(.*?)"""', text, re.DOTALL)
    return found


def test_no_rule_reaches_the_shapes_of_every_chart() -> None:
    """A rule of CSS is stronger than an attribute: ``svg rect { fill }`` empties all charts."""
    texts = sheets()
    assert len(texts) >= 4
    for text in texts:
        for selectors in re.findall(r"([^{}]+)\{[^{}]*\}", text):
            for selector in selectors.split(","):
                last = selector.split()[-1]
                if re.split(r"[.:\[]", last)[0] in SHAPES:
                    assert selector.split()[0] == "svg.flow", selector.strip()


def test_every_cause_of_every_model_has_a_colour() -> None:
    names = {*NAMES.values(), *(part.value for part in Part), *PIPELINE, "launch"}
    assert names <= set(CAUSE_COLORS)
    assert sorted(PARTS) == sorted(part.value for part in Part)


SAME = (("DRAM", "dram"), ("L2", "l2"), ("issued", "BASE", "issue"), ("barrier", "BARRIER"),
        ("unit busy", "UNIT", "unit_busy"), ("idle", "IDLE"))  # fmt: skip


@pytest.mark.parametrize("names", SAME)
def test_a_cause_has_one_colour_whatever_a_model_calls_it(names: tuple[str, ...]) -> None:
    assert len({CAUSE_COLORS[name] for name in names}) == 1


def test_causes_of_one_model_differ_in_colour() -> None:
    for names in (NAMES.values(), PARTS, PIPELINE):
        assert len({CAUSE_COLORS[name] for name in names}) == len(list(names))


WHAT_IF = [
    "baseline", "0.75 x L2 hit latency", "2 x special-function units",
    "0.75 x DRAM latency beyond L2", "0.5 x arithmetic latency",
]  # fmt: skip


@pytest.mark.parametrize("labels", [WHAT_IF, WHAT_IF * 3, [f"mshrs={n}" for n in range(60)]])
def test_labels_of_bars_lie_beside_each_other(labels: list[str]) -> None:
    """By a letter of 6 units: rows that share a line do not meet, and all is inside the picture."""
    bars = [StackBar(label, {"BASE": 1.0, "DRAM": 2.0}) for label in labels]
    picture = ET.fromstring(stack_chart(bars, "title"))
    height = float(picture.attrib["height"])
    assert height == chart_height(bars)
    words = " ".join(labels)
    turned = [g for g in picture.iter(f"{SVG}g") if "rotate" in g.attrib.get("transform", "")]
    if turned:
        places = [float(re.findall(r"[\d.]+", g.attrib["transform"])[0]) for g in turned]
        assert len(places) == len(labels)
        assert all(b - a >= 10 for a, b in pairwise(places))
        assert 356 + 6 * max(map(len, labels)) <= height - 22
        return
    rows = dict[str, list[tuple[float, float]]]()
    for text in picture.iter(f"{SVG}text"):
        if text.attrib["text-anchor"] == "middle" and (text.text or "") in words:
            x, half = float(text.attrib["x"]), 3 * len(text.text or "")
            rows.setdefault(text.attrib["y"], []).append((x - half, x + half))
    assert rows
    for spans in rows.values():
        assert spans[0][0] >= 0
        assert spans[-1][1] <= 900
        assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert max(map(float, rows)) < height - 30

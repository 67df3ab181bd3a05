"""The page: well formed, complete, and safe whatever a source is called or contains."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from kcc.passes.unknown import Unknown
from kcc.report.analysis.html import page
from kcc.report.analysis.model import Analysis, Cost, CostUnit, Finding, Severity
from kcc.report.shared.markup import join, safe, tag
from tests.kcc.report.sample import FILE, LINES, analysis, kernel

VOID = {"meta", "path", "rect"}
HOSTILE = "</style><script>alert(1)</script>\"'&\u202e"


class Checker(HTMLParser):
    """Reads a page; every element has to be closed in its turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.ids += [value for key, value in attrs if key == "id" and value]
        self.links += [value for key, value in attrs if key in ("href", "src") and value]
        assert not [key for key, _ in attrs if key.startswith("on")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.words.append(data)


def read(made: Analysis) -> Checker:
    checker = Checker()
    checker.feed(page(made))
    checker.close()
    assert checker.open == []
    return checker


def text(checker: Checker) -> str:
    return " ".join("".join(checker.words).split())


def test_page_is_well_formed_and_stands_alone():
    checker = read(analysis())
    assert "script" not in checker.seen
    assert "img" not in checker.seen
    assert all(link.startswith("#") for link in checker.links)
    assert "url(" not in page(analysis())
    assert len(checker.ids) == len(set(checker.ids))
    assert {"style", "svg", "table", "details"} <= set(checker.seen)


def test_links_lead_somewhere():
    checker = read(analysis())
    assert {link.removeprefix("#") for link in checker.links} <= set(checker.ids)


def test_everything_that_is_known_is_there():
    shown = text(read(analysis()))
    for line in LINES[13:23]:
        assert " ".join(line.split()) in shown
    for word in ("barrier stands inside a loop", "at most 40", "a + 4 * get_global_id(0)", "i < n"):
        assert word in shown
    assert "8,192 bytes" in shown


def test_what_is_not_known_is_there_with_its_reason():
    shown = text(read(analysis()))
    for reason in (
        "depends on a[i], read in line 3",
        "depends on a[i], read in line 20",
        "two arrays",
        "not computed by this version of kcc",
        "depends on the launch",
    ):
        assert reason in shown


def test_findings_show_cost_and_fix():
    cost = Cost(CostUnit.BANK_PASSES, 32.0, 31.0, 253952)
    found = Finding(Severity.WARNING, (20,), "conflicts", cost, "a row of 33 floats: 1 pass")
    made = replace(analysis(), kernels=(replace(kernel(), findings=(found,)),))
    shown = text(read(made))
    assert "253,952 excess bank cycles" in shown
    assert "Fix: a row of 33 floats: 1 pass" in shown


@pytest.mark.parametrize("where", ["source", "kernel", "line", "reason", "message", "array"])
def test_hostile_text_is_escaped(where: str):
    report, made = kernel(), analysis()
    plain = read(made).seen
    match where:
        case "source":
            made = replace(made, source=HOSTILE)
        case "kernel":
            report = replace(report, name=HOSTILE)
        case "line":
            made = replace(made, sources={FILE: [*LINES[:19], HOSTILE, *LINES[20:]]})
        case "reason":
            report = replace(report, registers=Unknown(HOSTILE))
        case "message":
            report = replace(report, findings=(Finding(Severity.REMARK, (20,), HOSTILE),))
        case _:
            hostile = replace(report.accesses[0], array=HOSTILE)
            report = replace(report, accesses=(hostile, *report.accesses[1:]))
    made = replace(made, kernels=(report,))
    checker = read(made)
    assert "<script" not in page(made)
    assert "\u202e" not in page(made)
    assert "alert(1)" in "".join(checker.words)
    if where != "message":
        assert checker.seen == plain


def test_control_characters_are_replaced():
    assert safe("a\0b\x1b[31m\tc\n") == "a\ufffdb\ufffd[31m c\n"


def test_markup_is_not_escaped_twice():
    assert tag("b", "<", tag("i", "&"), title='"') == '<b title="&quot;">&lt;<i>&amp;</i></b>'
    assert join("<", tag("i")) == "&lt;<i></i>"


def test_a_source_that_cannot_be_read_leaves_the_rest():
    shown = text(read(replace(analysis(), sources={})))
    assert "Memory accesses" in shown


def test_graph_has_a_box_for_each_block_and_a_way_for_each_edge():
    drawing = re.search(r"<svg.*?</svg>", page(analysis()), re.DOTALL)
    assert drawing is not None
    reached = [count for count in kernel().flow.blocks if count is not None]
    assert drawing[0].count('<rect class="heat"') == len(reached)
    assert drawing[0].count('class="tip"') == len(kernel().flow.edges)


def test_parentheses_of_cards_are_pairs():
    """The first of a card's text goes above, the rest below: both must be whole."""
    cards = re.findall(r"<strong>(.*?)</strong>(?:<p>(.*?)</p>)?", page(analysis()))
    assert cards
    for part in (text for card in cards for text in card):
        assert part.count("(") == part.count(")"), part

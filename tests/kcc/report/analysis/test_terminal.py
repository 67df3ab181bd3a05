from __future__ import annotations

import re
from dataclasses import replace

import pytest

from kcc.report.analysis.terminal import Part, render_report
from kcc.report.shared.style import Style
from kcc.report.shared.text import MAX_ROWS
from tests.golden import Golden
from tests.kcc.report.sample import analysis, kernel


@pytest.mark.parametrize("width", [80, 120])
def test_report(golden: Golden, width: int):
    text = render_report(analysis(), Style(width))
    golden(f"report/sample-{width}.txt", text)
    assert max(map(len, text.splitlines())) <= width


def test_report_in_ascii(golden: Golden):
    text = render_report(analysis(), Style(80, unicode=False))
    golden("report/sample-ascii.txt", text)
    assert text.isascii()


def test_colors_are_only_decoration():
    colored = render_report(analysis(), Style(100, colored=True))
    assert "\x1b[" in colored
    stripped = "".join(
        line.rstrip() + "\n" for line in re.sub(r"\x1b\[[\d;]*m", "", colored).splitlines()
    )
    assert stripped == render_report(analysis(), Style(100))


def test_long_tables_are_cut():
    report = kernel()
    many = tuple(replace(report.accesses[0], id=i) for i in range(MAX_ROWS + 7))
    changed = replace(analysis(), kernels=(replace(report, accesses=many),))
    text = render_report(changed, Style(100), frozenset({Part.TABLES}))
    assert "7 more rows; --json has all" in text
    assert len(re.findall(r"^ +\d+ +20:22 +load ", text, re.MULTILINE)) == MAX_ROWS


def test_parts_can_be_chosen():
    text = render_report(analysis(), Style(100), frozenset({Part.VERDICT}))
    assert "control flow" in text
    assert "Loops" not in text
    assert "get_global_id" not in text


@pytest.mark.parametrize("width", [40, 55, 200])
def test_no_line_is_wider_than_asked(width: int):
    text = render_report(analysis(), Style(width))
    assert max(map(len, text.splitlines())) <= width

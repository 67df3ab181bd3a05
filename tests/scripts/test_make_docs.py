"""The pages of docs/ that follow from tables are what the tables say."""

from __future__ import annotations

import pytest

from kcc.base.diagnostic_codes import CODES
from scripts.make_commands import commands
from scripts.make_diagnostics import diagnostics, messages_by_code
from scripts.make_docs import DOCS, PAGES


@pytest.mark.parametrize("path", PAGES)
def test_the_page_is_up_to_date(path: str) -> None:
    hint = "run: python -m scripts.make_docs"
    assert (DOCS / path).read_text(encoding="utf-8") == PAGES[path](), hint


@pytest.mark.slow
def test_every_code_has_a_cause_and_nearly_all_their_messages() -> None:
    lines = set(diagnostics().splitlines())
    assert {f"### {code}" for code in CODES} <= lines
    told = messages_by_code()
    assert set(told) <= set(CODES)
    assert len([code for code in CODES if told[code].messages]) > 0.9 * len(CODES)


def test_every_option_of_every_command_stands_there() -> None:
    text = commands()
    assert all(f"## kcc {name}" in text for name in ("analyze", "estimate", "trace FILE.cl"))
    assert "`--gpu NAME`" in text
    assert "%(" not in text

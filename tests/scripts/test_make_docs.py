"""docs/frontend.md is what the tables say."""

from __future__ import annotations

from kcc.base.diagnostic_codes import CODES
from scripts.make_docs import PAGE, page


def test_the_page_is_up_to_date() -> None:
    hint = "run: python -m scripts.make_docs"
    assert PAGE.read_text(encoding="utf-8") == page(), hint


def test_the_page_has_every_code() -> None:
    lines = page().splitlines()
    assert all(any(line.startswith(f"| {code} | ") for line in lines) for code in CODES)

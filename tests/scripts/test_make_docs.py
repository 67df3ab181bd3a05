"""The pages of docs/ that follow from tables are what the tables say."""

from __future__ import annotations

import pytest

from kcc.base.diagnostic_codes import CODES
from scripts.make_docs import DOCS, PAGES, page


@pytest.mark.parametrize("path", PAGES)
def test_the_page_is_up_to_date(path: str) -> None:
    hint = "run: python -m scripts.make_docs"
    assert (DOCS / path).read_text(encoding="utf-8") == PAGES[path](), hint


def test_the_page_has_every_code() -> None:
    lines = page().splitlines()
    assert all(any(line.startswith(f"| {code} | ") for line in lines) for code in CODES)

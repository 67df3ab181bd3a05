"""Every link of the pages to a file or a heading leads somewhere."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("docs", "kernels", "benchmarks")
PAGES = sorted(chain(ROOT.glob("*.md"), *((ROOT / folder).rglob("*.md") for folder in FOLDERS)))

LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Of the headings, as GitHub and MkDocs make them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    words = (re.sub(r"[^\w\s-]", "", heading.lower()).strip() for heading in HEADING.findall(text))
    return {re.sub(r"\s", "-", each) for each in words}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links(page: Path):
    wrong = list[str]()
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(link)
    assert not wrong

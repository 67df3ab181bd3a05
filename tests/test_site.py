"""The manual builds as a site (every page in its navigation, every link and anchor leads somewhere)
and stays as short as a manual that people read."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

MAX_WORDS = 25_000
"""Of what people read, not look up: reference and validation are counted apart, as are the
examples and the pages that are generated."""

LOOKED_UP = {"reference", "validation"}
GENERATED = "<!-- Written by"
FENCE = re.compile(r"^```.*?^```$|<!--.*?-->", re.MULTILINE | re.DOTALL)
"""Blocks, and comments that nobody sees."""


@pytest.mark.slow
def test_the_site_builds(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="the extra 'docs' is not installed")
    words = [sys.executable, "-P", "-m", "mkdocs", "build", "--strict", "-q", "-d", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    ended = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert (tmp_path / "search" / "search_index.json").is_file()
    assert (tmp_path / "tutorials" / "first-kernel" / "index.html").is_file()


def test_the_manual_is_short() -> None:
    counts = dict[str, int]()
    pages = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md"))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        name = page.relative_to(ROOT).as_posix()
        if not LOOKED_UP & set(page.parts) and GENERATED not in text:
            counts[name] = len(FENCE.sub("", text).split())
    assert sum(counts.values()) <= MAX_WORDS, counts
    assert counts["README.md"] <= 600

"""Commits that pages name are in the history: who wants a figure's code can check it out."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COMMIT = re.compile(r"(?<![\w/#.-])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,10}(?![\w.-])")
OTHERS = {
    "f1e2ace": "llm.c", "d99724f": "ggml", "26c8ab98": "PyOpenCL", "aba4ea32": "microgpusim",
    "042e292": "Altis", "c94ff36": "cuda-samples", "9c10d3e": "Rodinia",
}  # fmt: skip
"""Of other repositories."""


COMMAND = re.compile(r"\bbenchmarks[./]\w+|\bkcc [a-z]+ |\bpytest\b|\bscripts/")


def git(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)


def test_commits_of_pages_are_in_the_history():
    if git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        pytest.skip("this is no whole clone")
    named = {
        (match[0], page.relative_to(ROOT).as_posix())
        for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
        for match in COMMIT.finditer(page.read_text(encoding="utf-8"))
        if match[0] not in OTHERS
    }
    assert len(named) > 30
    history = git("log", "--format=%H").stdout.split()
    lost = [(c, page) for c, page in sorted(named) if not any(h.startswith(c) for h in history)]
    assert not lost


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "validation").glob("*.md")), ids=lambda page: page.stem
)
def test_pages_of_measurements_name_their_command_and_commit(page: Path):
    text = page.read_text(encoding="utf-8")
    if page.stem != "index":
        assert COMMAND.search(text)
        assert COMMIT.search(text)


def test_other_repositories_are_named_beside_their_commits():
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md")]
    for commit, repository in OTHERS.items():
        assert any(commit in text and repository in text for text in pages), (commit, repository)

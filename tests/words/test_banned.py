"""No message, help text, label or page of the manual has a banned phrase."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.words.banned import found_in

ROOT = Path(__file__).parents[2]
PACKAGES = ("kcc", "frontend", "passes", "tracegen", "sim", "synth")
MANUAL = ("tutorials", "how-to", "reference", "explanation")
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *(page for part in MANUAL for page in sorted((ROOT / "docs" / part).rglob("*.md"))),
]
CONTRACT = {"bank passes"}
"""Values in JSON documents, which stay."""


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Strings of a module that are no docstrings, with their lines; of formatted ones the words."""
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    inside = set[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [n.value if isinstance(n, ast.Constant) else "N" for n in node.values]
            inside |= {id(part) for part in node.values}
            yield node.lineno, "".join(str(part) for part in parts)
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in documentation | inside
        ):
            yield node.lineno, node.value


@pytest.mark.parametrize("package", PACKAGES)
def test_messages(package: str) -> None:
    wrong = list[str]()
    for path in sorted((ROOT / package).rglob("*.py")):
        if any(part.is_symlink() for part in path.parents) and package == "kcc":
            continue
        for line, text in texts(ast.parse(path.read_text(encoding="utf-8"))):
            phrase = found_in(text)
            if phrase and text not in CONTRACT:
                wrong.append(f"{path.relative_to(ROOT)}:{line}: '{phrase}'")
    assert not wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages(page: Path) -> None:
    wrong = list[str]()
    lines = page.read_text(encoding="utf-8").splitlines()
    for number, (first, second) in enumerate(zip(lines, [*lines[1:], ""], strict=True), 1):
        phrase = found_in(f"{first} {second}")
        if phrase and f"`{phrase}`" not in first + second:
            wrong.append(f"{number}: '{phrase}'")
    assert not wrong


def test_phrases_are_patterns_that_match_themselves() -> None:
    assert found_in("Lanes may\n part here") == "Lanes may part"
    assert found_in("passes through the banks of local memory")
    assert found_in("moves 6 sectors where 4 hold the data")
    assert found_in("6 sectors per request (ideal 4)") is None

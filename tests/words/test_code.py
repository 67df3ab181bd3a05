"""Names in code, docstrings and comments by the glossary's table (kcc/base/terms.py)."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.words.banned import BANNED, HISTORY, NAMES, STANDARD_NAMES, found_in

ROOT = Path(__file__).parents[2]
PACKAGES = ("kcc", "frontend", "passes", "tracegen", "sim", "synth")
FOLDERS = (*PACKAGES, "benchmarks", "scripts", "kernels", "tests")
SELF = ROOT / "tests" / "words"
VALUES = {"bank passes", "pip install kcc", "pip install kcc-gpu"}
"""Keys and values in JSON documents, which stay."""

PHRASES = [each for each in BANNED if each not in HISTORY]
WORDS = re.compile(rf"(?:^|_)(?:{'|'.join(NAMES)})(?:_|$)", re.IGNORECASE)

ANYWHERE = re.compile(
    rf"(?<![a-z])(?i:{'|'.join(NAMES)})(?![a-z])|{'|'.join(each.title() for each in NAMES)}"
)
"""A word of its own, or within a name such as RowWalks."""


def modules(folder: str) -> Iterator[Path]:
    """Python files of a folder; kcc's links to the other packages are not followed."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        if SELF not in path.parents and not any(each.is_symlink() for each in path.parents):
            yield path


def tokens_of(path: Path) -> Iterator[tokenize.TokenInfo]:
    """The tokens of a file; none if its whole text has no phrase and no word looked for."""
    text = path.read_text(encoding="utf-8")
    if ANYWHERE.search(text) or found_in(text.replace("#", " "), PHRASES):
        yield from tokenize.generate_tokens(io.StringIO(text).readline)


def is_wrong_name(name: str) -> bool:
    """Whether a name has a word of kcc's own English: ``live_behind``, ``rowWalks``, ``_turns``."""
    if name.startswith("test_"):  # a sentence
        return False
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return name not in STANDARD_NAMES and WORDS.search(words) is not None


@pytest.mark.parametrize("folder", FOLDERS)
def test_code(folder: str) -> None:
    wrong = list[str]()
    for path in modules(folder):
        place = path.relative_to(ROOT)
        if is_wrong_name(path.stem):
            wrong.append(str(place))
        for token in tokens_of(path):
            if token.type == tokenize.NAME and is_wrong_name(token.string):
                wrong.append(f"{place}:{token.start[0]}: {token.string}")
            if token.type in (tokenize.STRING, tokenize.COMMENT):
                found = found_in(token.string, PHRASES)
                if found and token.string.strip("\"'") not in VALUES:
                    wrong.append(f"{place}:{token.start[0]}: '{found}'")
    assert not wrong


def test_names_that_are_wrong() -> None:
    assert is_wrong_name("live_behind")
    assert is_wrong_name("_Walk")
    assert is_wrong_name("RowWalks")
    assert is_wrong_name("ENOUGH_TURNS")
    assert not is_wrong_name("returns")
    assert not is_wrong_name("walk")

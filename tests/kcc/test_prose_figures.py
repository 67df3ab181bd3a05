"""Figures in the prose of the manual are those of what they come from.

A paragraph (or a row of a table) with a figure has a comment that says where the figure is from:

    <!-- figures 1.46 1.65 from docs/validation/memory.md --> one line of the file has all of them
    <!-- figures 8.5 from this page --> a block of the page has it, which test_docs checks
    <!-- figures 0.7 from kcc.sim.module.NAME --> the value of a constant (or it in percent)

A figure is a number with a unit or a decimal point. Numbers of sections, tables and equations of
texts that are cited, and versions, are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("tutorials", "how-to", "explanation")
PAGES = [
    ROOT / "README.md",
    ROOT / "docs" / "index.md",
    *(page for part in PARTS for page in sorted((ROOT / "docs" / part).glob("*.md"))),
]

MARK = re.compile(r"<!-- figures (?P<figures>[\d., ^]+) from (?P<source>.+?) -->", re.DOTALL)
NUMBER = r"\d[\d,]*(?:\.\d+)?(?:\^\d+)?"
UNIT = (
    r"(?: ?%| (?:percent|points|us|ms|s|minutes?|GB|MB|kB|KB|cycles|times|sectors|segments"
    r"|iterations|threads|nodes|instructions|SMs)\b)"
)
FIGURE = re.compile(rf"(?<![\w.,^-])({NUMBER})(?={UNIT})|(?<![\w.,^-])(\d+\.\d+)(?![\w.]*\d)")
CITED = re.compile(
    r"\b(?:sections?|tables?|figures?|equations?|algorithms?|footnotes?|chapters?|Python|ptxas|nvdisasm"
    r"|nvcc|CUDA|OpenCL(?: C)?|PTX|triton|LLVM|SARIF|Apache|version"
    r"|capability)"
    r"[ -](?:\d[\w.]*(?:, | and | to |-)?)+",
    re.IGNORECASE,
)
PLAIN = re.compile(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->", re.DOTALL)


def paragraphs(text: str) -> Iterator[str]:
    """Prose without blocks; rows of tables one by one."""
    prose = re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for part in re.split(r"\n\s*\n", prose):
        if part.startswith("    "):
            continue
        yield from (part.splitlines() if part.lstrip().startswith("|") else [part])


def blocks(text: str) -> list[str]:
    return re.findall(r"^ *```.*?^ *```$", text, flags=re.MULTILINE | re.DOTALL)


def is_there(figures: list[str], source: str, page: str) -> bool:
    if source == "this page":
        return all(any(_has(block, each) for block in blocks(page)) for each in figures)
    if (ROOT / source).is_file():
        lines = (ROOT / source).read_text(encoding="utf-8").splitlines()
        return any(all(_has(line, each) for each in figures) for line in lines)
    module, _, name = source.rpartition(".")
    value = float(getattr(import_module(module), name))
    return all(_number(each) in (value, round(100 * value, 9)) for each in figures)


def _has(text: str, figure: str) -> bool:
    return re.search(rf"(?<![\d.,]){re.escape(figure)}(?![\d]|[.,]\d)", text) is not None


def _number(figure: str) -> float:
    base, _, exponent = figure.replace(",", "").partition("^")
    return float(base) ** int(exponent) if exponent else float(base)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_figures(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    wrong = list[str]()
    for paragraph in paragraphs(text):
        named = set[str]()
        for mark in MARK.finditer(paragraph):
            figures, source = mark["figures"].split(), " ".join(mark["source"].split())
            named |= set(figures)
            if not is_there(figures, source, text):
                wrong.append(f"{' '.join(figures)}: not in {source}")
        prose = CITED.sub("", PLAIN.sub("", paragraph))
        found = [first or second for first, second in FIGURE.findall(prose)]
        wrong += [f"{each}: from where? {paragraph[:60]}" for each in found if each not in named]
    assert not wrong


def test_what_a_figure_is() -> None:
    def found(text: str) -> list[str]:
        return [a or b for a, b in FIGURE.findall(CITED.sub("", PLAIN.sub("", text)))]

    assert found("It takes 1,700 cycles, 97 % or 0.5, see section 4.2 and table 7.1.") == [
        "1,700", "97", "0.5"
    ]  # fmt: skip
    assert found("Python 3.11, ptxas 12.9 and `0.5`, 16 rows") == []


def test_a_figure_that_drifted() -> None:
    page = "```console\n$ scripts/kcc\n8.5 times\n```\n"
    assert is_there(["8.5"], "this page", page)
    assert not is_there(["8.4"], "this page", page)
    assert not is_there(["5"], "this page", page)
    assert is_there(["2.23", "1.70", "0.01"], "docs/validation/memory.md", page)
    assert not is_there(["1.37", "1.72"], "docs/validation/memory.md", page)

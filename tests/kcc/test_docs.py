"""The console examples of README and docs show what kcc prints. `--update-golden` rewrites them.

An example is a fenced block marked `console` whose first line is a command of scripts/kcc, with at
most one `printf` piped into it.
"""

from __future__ import annotations

import io
import re
import shlex
import sys
from pathlib import Path

import pytest

from kcc import cli

ROOT = Path(__file__).parents[2]
EXAMPLE = re.compile(r"^```console\n\$ (?P<command>.*)\n(?P<output>(?:.*\n)*?)```$", re.MULTILINE)


OWN_TEST = {"docs/explanation/static-traces.md"}
"""Their examples need files beside: tests/tracegen/static/test_page.py."""

QUICK = {
    "README.md",
    "docs/explanation/analysis.md",
    "docs/reference/analyze.md",
    "docs/reference/gpus.md",
    "docs/reference/trace.md",
}
"""The examples of all other pages run with --whole."""

FOUND = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    if EXAMPLE.search(path.read_text(encoding="utf-8"))
)
PAGES = [
    pytest.param(page, marks=() if page in QUICK else pytest.mark.slow)
    for page in FOUND
    if page not in OWN_TEST
]


def run(command: str, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> str:
    """What a command prints, standard output first."""
    source, _, call = command.rpartition(" | ")
    text = shlex.split(source)[1] if source else ""
    patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8"))
    script, *arguments = shlex.split(call)
    assert script == "scripts/kcc"
    cli.main(arguments)
    captured = capsys.readouterr()
    return captured.out + captured.err


def test_the_pages_are_there():
    assert set(FOUND) >= QUICK | OWN_TEST


@pytest.mark.sampled(2)
@pytest.mark.parametrize("page", PAGES)
def test_examples(
    page: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    pytestconfig: pytest.Config,
):
    monkeypatch.chdir(ROOT)
    path = ROOT / page
    text = path.read_text(encoding="utf-8")

    def rewrite(example: re.Match[str]) -> str:
        output = run(example["command"], capsys, monkeypatch)
        return f"```console\n$ {example['command']}\n{output}```"

    true = EXAMPLE.sub(rewrite, text)
    if pytestconfig.getoption("--update-golden"):
        path.write_text(true, encoding="utf-8")
    else:
        assert text == true

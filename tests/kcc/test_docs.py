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
SIZE = re.compile(r"\d+(\.\d+)? kB|\d+\.\d+ bytes each")

EXAMPLE = re.compile(r"^```console\n\$ (?P<command>.*)\n(?P<output>(?:.*\n)*?)```$", re.MULTILINE)


OWN_TEST = {"docs/explanation/static-traces.md"}
"""tests/tracegen/static/test_page.py."""

WITH_FILES = {"docs/tutorials/ci-gate.md", "docs/tutorials/design-study.md"}
"""Their examples write files that later ones read."""

QUICK = {
    "README.md",
    "docs/explanation/analysis.md",
    "docs/reference/analyze.md",
    "docs/reference/gpus.md",
    "docs/reference/trace.md",
    "docs/tutorials/first-kernel.md",
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
    if page not in OWN_TEST | WITH_FILES
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
    assert set(FOUND) >= QUICK | OWN_TEST | WITH_FILES


@pytest.mark.sampled(2)
@pytest.mark.parametrize("page", PAGES)
def test_examples(
    page: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    pytestconfig: pytest.Config,
):
    monkeypatch.chdir(ROOT)
    check(ROOT / page, capsys, monkeypatch, update=bool(pytestconfig.getoption("--update-golden")))


@pytest.mark.parametrize("page", sorted(WITH_FILES))
def test_examples_with_files(
    page: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    pytestconfig: pytest.Config,
):
    (tmp_path / "kernels").symlink_to(ROOT / "kernels")
    monkeypatch.chdir(tmp_path)
    check(ROOT / page, capsys, monkeypatch, update=bool(pytestconfig.getoption("--update-golden")))


TRIED = """__kernel void k(__global float *a, int n) {
  __local float t[TILE];
  int i = get_global_id(0);
  t[get_local_id(0) % TILE] = a[i];
  if (i < n) a[i] = t[0];
}
"""


@pytest.mark.slow
def test_lines_to_try(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of README's "Try it", with a my.cu and a my.cl, end with exit code 0."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Try it")[2]
    commands = re.findall(r"^    scripts/kcc (.*?)(?:\s+#.*)?$", text, flags=re.MULTILINE)
    assert len(commands) >= 3
    (tmp_path / "kernels").symlink_to(ROOT / "kernels")
    (tmp_path / "my.cl").write_text("#ifndef TILE\n#define TILE 8\n#endif\n" + TRIED)
    cuda = "__global__ void k(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = n; }\n"
    (tmp_path / "my.cu").write_text(cuda)
    monkeypatch.chdir(tmp_path)
    for command in commands:
        assert cli.main(shlex.split(command)) == 0, command


def check(
    path: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch, *, update: bool
) -> None:
    """Runs the examples of a page in order; sizes of files hang on the version of zlib."""
    text = path.read_text(encoding="utf-8")

    def rewrite(example: re.Match[str]) -> str:
        output = run(example["command"], capsys, patch)
        return f"```console\n$ {example['command']}\n{output}```"

    true = EXAMPLE.sub(rewrite, text)
    if update:
        path.write_text(true, encoding="utf-8")
    else:
        assert SIZE.sub("", text) == SIZE.sub("", true)

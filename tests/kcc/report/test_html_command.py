"""`kcc analyze --html`: where the page goes, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc import cli

SOURCE = "kernel void k(global int *a) { a[2 * get_global_id(0)] = 1; }\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "k.cl"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def run(*words: object) -> int:
    return cli.main(["analyze", *map(str, words)])


def test_standard_output_has_the_page_alone(source: Path, capsys: pytest.CaptureFixture[str]):
    assert run(source, "--html", "-") == 0
    shown = capsys.readouterr().out
    assert shown.startswith("<!DOCTYPE html>")
    assert shown.endswith("</html>\n")


def test_a_file_stands_beside_the_report(source: Path, capsys: pytest.CaptureFixture[str]):
    target, facts = source.with_name("k.html"), source.with_name("k.json")
    assert run(source, "--html", target, "--json", facts) == 0
    assert "control flow" in capsys.readouterr().out
    assert "a[2 * get_global_id(0)] = 1" in target.read_text(encoding="utf-8")
    assert facts.is_file()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--html", "-", "--json", "-"], "two outputs go to standard output"),
        (["--html", "-", "--dot", "cfg"], "two outputs go to standard output"),
        (["--html", "x", "-o", "x"], "two outputs go to 'x'"),
        (["--html", "x", "--emit-ir"], "--html has nothing to write"),
    ],
)
def test_refused(
    source: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
):
    assert run(source, *options) == 2
    assert message in capsys.readouterr().err


def test_the_source_is_not_overwritten(source: Path, capsys: pytest.CaptureFixture[str]):
    assert run(source, "--html", source.parent / "." / "k.cl") in (1, 2)
    assert capsys.readouterr().err
    assert source.read_text(encoding="utf-8") == SOURCE

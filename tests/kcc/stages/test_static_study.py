"""Miniatures from a source alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.cli import main

SOURCE = """
__kernel void smooth(__global const float *a, __global float *b, const int n) {
    const int i = get_global_id(0);
    float x = 0.0f;
    for (int k = 0; k < n; ++k) x += a[i + k] * 0.5f;
    if (i & 1) x = x * x + a[i];
    b[i] = x;
}
__kernel void chosen(__global const int *at, __global const float *a, __global float *b) {
    const int i = get_global_id(0);
    if (at[i] > 3) b[i] = a[at[i]];
}
"""
LAUNCH = ["--global", "512", "--local", "64", "--arg", "a=float[1024]", "--arg", "b=float[512]"]
SMOOTH = ["--kernel", "smooth", *LAUNCH, "--arg", "n=16"]
CHOSEN = ["--kernel", "chosen", *LAUNCH, "--arg", "at=int[512]"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "two.cl"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def original(text: str) -> str:
    """The original's row of what the command prints."""
    (row,) = (line for line in text.splitlines() if line.startswith("warp instructions"))
    return row.split()[2]


def test_a_source_that_decides_for_itself_is_known_as_if_it_ran(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["synth", str(source), *SMOOTH, "--reduction", "4"]
    assert main([*command, "-o", str(tmp_path / "ran")]) == 0
    ran = capsys.readouterr().out
    assert main([*command, "--static", "-o", str(tmp_path / "static")]) == 0
    static = capsys.readouterr()
    assert original(static.out) == original(ran)
    assert "assumed" not in static.err
    for name in ("kernel.cl", "kernel.ll"):  # the hosts' buffers lie elsewhere
        own, other = (tmp_path / folder / name for folder in ("static", "ran"))
        assert own.read_text(encoding="utf-8") == other.read_text(encoding="utf-8")


def test_what_memory_decides_is_assumed_and_said(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["synth", str(source), *CHOSEN, "--static"]
    assert main([*command, "--assume", "branch@11=0.25", "-o", str(tmp_path / "mini")]) == 0
    said = capsys.readouterr()
    assert "chosen: " in said.err
    assert "% of the segments executed are assumed" in said.err
    assert (tmp_path / "mini" / "workload.py").exists()


def test_buffers_without_a_size_end_with_what_is_touched(source: Path, tmp_path: Path) -> None:
    """512 work-items read 16 floats each, 527 in all: the same miniature as with that size."""
    command = ["synth", str(source), "--kernel", "smooth", "--static", "--arg", "n=16"]
    command += ["--global", "512", "--local", "64"]
    sized = ["--arg", "a=float[527]", "--arg", "b=float[512]"]
    assert main([*command, "-o", str(tmp_path / "touched")]) == 0
    assert main([*command, *sized, "-o", str(tmp_path / "sized")]) == 0
    own, other = (tmp_path / folder / "kernel.cl" for folder in ("touched", "sized"))
    assert own.read_text(encoding="utf-8") == other.read_text(encoding="utf-8")
    host = (tmp_path / "touched" / "workload.py").read_text(encoding="utf-8")
    sizes = host.split("BUFFERS = (", 1)[1].split(")", 1)[0].split(",")
    assert sum(int(size) for size in sizes if size.strip()) < 1 << 22


def test_a_buffer_without_a_size_that_is_gathered_from(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["synth", str(source), "--kernel", "chosen", "--static", "--global", "512"]
    assert main([*command, "--local", "64", "-o", str(tmp_path / "mini")]) == 1
    said = capsys.readouterr().err
    assert "K708" in said
    assert "--arg 'a=TYPE[N]'" in said


def test_unknown_buffers_need_no_run(
    source: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    command = ["synth", str(source), "--global", "256", "--local", "64"]
    assert main([*command, "-o", str(tmp_path / "mini")]) == 1
    said = capsys.readouterr().err
    assert "K708" in said
    assert "--static" in said


def test_without_a_launch(source: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["synth", str(source), "--static", "-o", str(tmp_path / "mini")]) == 1
    assert "K850" in capsys.readouterr().err
    assert not (tmp_path / "mini").exists()

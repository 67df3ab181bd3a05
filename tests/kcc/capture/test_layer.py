"""A program in C, run with the layer on the installed implementation, and its capture replayed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from kcc.capture.layers import HEADER, HEADER_FOLDERS
from kcc.cli import main

COMPILER = shutil.which("cc")
HAS_HEADERS = any(Path(folder, HEADER).exists() for folder in HEADER_FOLDERS)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.pocl,
    pytest.mark.skipif(not (COMPILER and HAS_HEADERS), reason="needs cc and Khronos' headers"),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("regions") / "regions"
    source = Path(__file__).with_name("regions.c")
    made = subprocess.run(
        [str(COMPILER), "-w", str(source), "-o", str(target), "-lOpenCL"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if made.returncode:
        pytest.skip(f"an OpenCL program cannot be linked here: {made.stderr[-200:]}")
    return target


def test_a_program_of_buffers_in_pieces_is_replayed(
    program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "regions.capture"
    assert main(["capture", "-o", str(target), "--", str(program)]) == 0
    assert main(["run", str(target)]) == 0
    assert "2 of 2 memory objects equal" in capsys.readouterr().out
    lines = target.read_bytes()
    for word in (
        b"\nwrite ",
        b"\nwriterect ",
        b"\ncopyrect ",
        b"\nfill ",
        b"\nsubbuffer ",
        b"\ncopy ",
    ):
        assert lines.count(word) == 1


def test_images_are_refused_by_name(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("WITH_IMAGE", "1")
    target = tmp_path / "images.capture"
    assert main(["capture", "-o", str(target), "--", str(program)]) == 0
    assert main(["run", str(target)]) == 1
    assert "error[K772]: the program calls clCreateImage" in capsys.readouterr().err

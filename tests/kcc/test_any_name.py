"""File names and texts that no person would write, and an output that takes nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kcc.cli import main
from tests.kcc.command_line import SOURCE, Run, check_bad_input

NAME = os.fsdecode(b"name\xff")
"""Not UTF-8: Linux allows any byte but two in a name."""

LAUNCH = ("--kernel", "twice", "--global", "64", "--local", "64", "--gpu", "v100")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, itself called so, which is the current one."""
    folder = tmp_path / NAME
    folder.mkdir()
    (folder / f"{NAME}.cl").write_text(f'#include "{NAME}.h"\n{SOURCE}', errors="surrogateescape")
    (folder / f"{NAME}.h").write_text("#define ONE 1\n")
    (folder / f"{NAME}.inc").write_text(SOURCE)
    (folder / f"{NAME}.cu").write_text("__global__ void k(float *a) { a[threadIdx.x] = 1; }\n")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "words",
    [
        ("analyze", f"{NAME}.inc"),
        ("analyze", f"{NAME}.inc", "-I", NAME, "-include", f"{NAME}.h", "--brief"),
        ("analyze", f"{NAME}.inc", "--json", f"{NAME}.json", "--html", f"{NAME}.html"),
        ("analyze", f"{NAME}.inc", "--json", "-"),
        ("analyze", f"{NAME}.cu", "--frontend", "clang"),
        ("estimate", f"{NAME}.inc", *LAUNCH, "--csv", f"{NAME}.csv"),
    ],
)
def test_names_that_are_no_utf8(run: Run, folder: Path, words: tuple[str, ...]):
    ended = run(*words)
    assert (ended.code, ended.err) == (0, "")
    for word in words:
        if word.endswith((".json", ".html", ".csv")):
            (folder / word).read_bytes().decode("utf-8")


@pytest.mark.parametrize(
    "words",
    [
        ("analyze", f"missing{NAME}.cl"),
        ("analyze", f"{NAME}.inc", "-include", f"missing{NAME}.h"),
        ("analyze", f"{NAME}.inc", "--json", f"missing{NAME}/out.json"),
        ("run", f"missing{NAME}.py"),
        ("trace", f"missing{NAME}.py", "-o", f"{NAME}.kct"),
        ("simulate", f"missing{NAME}.kct", "--gpu", "v100"),
        ("compare", f"missing{NAME}.json", f"{NAME}.json"),
        ("gpus", "show", NAME),
    ],
)
def test_messages_of_such_names(run: Run, folder: Path, words: tuple[str, ...]):
    ended = run(*words)
    assert folder.is_dir()
    assert ended.code == 1
    assert any(shown in ended.err for shown in ("name\\xff", "name?"))


def test_a_token_far_to_the_right(run: Run, tmp_path: Path):
    path = tmp_path / "k.cl"
    path.write_text(f"__kernel void k(__global int *a) {{{' ' * 70_000}a[0] = 1; }}\n")
    assert run("analyze", path, "--brief").code == 0
    path.write_text(f"__kernel void k(__global int *a) {{{' ' * 70_000}a[0] = b; }}\n")
    ended = run("analyze", path)
    check_bad_input(ended, "K301", "'b'")
    assert f"k.cl:1:{34 + 70_000 + 8}: " in ended.err


@pytest.mark.parametrize("digits", ["1" + "0" * 5000, "0x1" + "0" * 5000, "01" + "0" * 5000])
def test_very_long_integers(run: Run, tmp_path: Path, digits: str):
    path = tmp_path / "k.cl"
    path.write_text(f"__kernel void k(__global ulong *a) {{ a[0] = {digits}; }}\n")
    check_bad_input(run("analyze", path), "K385", "does not fit in 64 bits")
    path.write_text(
        f"__kernel void k(__global ulong *a) {{ __attribute__((opencl_unroll_hint({digits})))\n"
        "for (int i = 0; i < 9; i++) a[i] = 1; }\n"
    )
    assert run("analyze", path).code in (0, 1)
    path.write_text(
        f"__kernel void k(__global float *a) {{ a[0] = {digits[:1]}.{digits[3:]}f; }}\n"
    )
    assert run("analyze", path).code == 0


def test_numbers_with_zeros_before_them(run: Run, tmp_path: Path):
    path = tmp_path / "k.cl"
    path.write_text(f"__kernel void k(__global int *a) {{ a[{'0' * 5000}17] = 0x{'0' * 99}1; }}\n")
    assert run("analyze", path, "--brief").code == 0


FULL = Path("/dev/full")


ESTIMATED = (
    "--gpu",
    "v100",
    "--kernel",
    "twice",
    "--global",
    "64",
    "--local",
    "64",
    "--arg",
    "n=64",
)


@pytest.mark.sampled(2)
@pytest.mark.skipif(not FULL.exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("gpus", "list"),
        ("analyze", "k.cl"),
        ("analyze", "k.cl", "--json", "-"),
        ("estimate", "k.cl", *ESTIMATED),
        pytest.param(("memory", "k.cl", *ESTIMATED), marks=pytest.mark.full),
        pytest.param(("simulate", "x.kct", "--gpu", "v100"), marks=pytest.mark.full),
        pytest.param(("profile", "x.kct"), marks=pytest.mark.full),
        pytest.param(
            ("explore", "x.kct", "--gpu", "v100", "--sweep", "sm_count=40,80"),
            marks=pytest.mark.full,
        ),
    ],
)
def test_a_full_standard_output(tmp_path: Path, words: tuple[str, ...]):
    (tmp_path / "k.cl").write_text(SOURCE)
    if "x.kct" in words:
        target = str(tmp_path / "x.kct")
        assert main(["trace", str(tmp_path / "k.cl"), *ESTIMATED[2:], "-o", target]) == 0
    with FULL.open("wb") as full:
        ended = subprocess.run(
            [sys.executable, "-P", "-m", "kcc", *words],
            cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert ended.returncode == 1
    assert ended.stderr.decode().startswith("error[K008]: cannot write standard output: No space")

"""Folders that cannot be written, and caches that two processes fill at the same time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kcc.command_line import SOURCE, Run

LAUNCH = ("--kernel", "twice", "--global", "64", "--local", "64", "--arg", "n=64")
NOWHERE = (Path("/proc/kcc"), Path("/dev/null/kcc"))
"""Where nobody makes files, whoever asks."""
WRITING = {
    "analyze": ("analyze", "k.cl", "--json"),
    "estimate": ("estimate", "k.cl", *LAUNCH, "--gpu", "v100", "--json"),
    "trace": ("trace", "k.cl", *LAUNCH, "-o"),
    "html": ("analyze", "k.cl", "--html"),
    "csv": ("estimate", "k.cl", *LAUNCH, "--gpu", "v100", "--csv"),
}
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="places of Linux")


@pytest.mark.parametrize("place", NOWHERE, ids=str)
@pytest.mark.parametrize("name", WRITING)
def test_outputs(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, place: Path):
    (tmp_path / "k.cl").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    ended = run(*WRITING[name], place / "o.x")
    assert ended.code == 1
    assert ended.err.splitlines()[-1].startswith("error[K008]: cannot write ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["k.cl"]


@pytest.mark.parametrize("place", NOWHERE, ids=str)
def test_a_cache_that_cannot_be_made(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Path
):
    (tmp_path / "k.cl").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KCC_CACHE_DIR", str(place))
    assert run("analyze", "k.cl").code == 0
    assert run("estimate", "k.cl", *LAUNCH, "--gpu", "v100").code == 0


@pytest.mark.full
def test_two_processes_fill_one_cache(tmp_path: Path):
    """Compiled models and kernels, from nothing: both get what a third does that finds them."""
    (tmp_path / "k.cl").write_text(SOURCE)
    words = ("-m", "kcc", "trace", "k.cl", *LAUNCH, "-o", "x.kct")
    subprocess.run([sys.executable, "-P", *words], cwd=tmp_path, check=True, capture_output=True)
    command = [
        sys.executable,
        "-P",
        "-m",
        "kcc",
        "simulate",
        "x.kct",
        "--gpu",
        "conf1",
        "--json",
        "-",
    ]
    environment = {**os.environ, "KCC_CACHE_DIR": str(tmp_path / "cache")}
    environment["NUMBA_CACHE_DIR"] = str(tmp_path / "numba")

    def begin() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    both = [begin(), begin()]
    found = [process.communicate(timeout=1200) for process in both]
    found.append(begin().communicate(timeout=600))
    assert [error for _, error in found] == [b"", b"", b""]
    assert len({out for out, _ in found}) == 1

"""A disk that is full at byte k: nothing half-written, a clear message, exit code 1."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kcc.cli import main
from tests.faults import with_limits
from tests.kcc.command_line import SOURCE
from tests.kernels.harness import load

LAUNCH = ("--kernel", "twice", "--global", "64", "--local", "64", "--arg", "n=64")

SCRIPT = str(load("saxpy").source.with_name("workload.py"))

COMMANDS = {
    "analyze": ("analyze", "k.cl", "--json", "o.json", "--html", "o.html"),
    "trace": ("trace", "k.cl", *LAUNCH, "-o", "o.kct"),
    "estimate": (
        "estimate", "k.cl", *LAUNCH, "--gpu", "v100", "--json", "o.json", "--html", "o.html",
        "--csv", "o.csv",
    ),
    "simulate": ("simulate", "x.kct", "--gpu", "v100", "--json", "o.json", "--html", "o.html"),
    "profile": ("profile", "x.kct", "-o", "o.txt", "--json", "o.json"),
    "memory": ("memory", "x.kct", "--gpu", "v100", "--json", "o.json", "--html", "o.html"),
    "explore": (
        "explore", "x.kct", "--gpu", "v100", "--sweep", "sm_count=40,80", "--json", "o.json",
        "--html", "o.html",
    ),
    "synth": ("synth", "p.json", "-o", "mini"),
}  # fmt: skip

FAULTS = 3
"""Bytes tried for each command; with --full so many times more."""

MANY = 100


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KCC_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "inputs"
    folder.mkdir()
    (folder / "k.cl").write_text(SOURCE)
    monkeypatch.chdir(folder)
    assert main(["trace", "k.cl", *LAUNCH, "-o", "x.kct"]) == 0
    assert main(["profile", SCRIPT, "--size", "tiny", "--for-synth", "--json", "p.json"]) == 0
    monkeypatch.chdir(tmp_path)
    return folder


def check(words: tuple[str, ...], inputs: Path, count: int) -> None:
    (whole,) = with_limits(words, [1 << 30], inputs, inputs.parent)
    assert (whole.code, whole.error) == (0, "")
    largest = max(map(len, whole.files.values()))
    chosen = random.Random(1)
    limits = sorted({0, 1, largest - 1, *(chosen.randrange(largest) for _ in range(count - 3))})
    for fault in with_limits(words, limits, inputs, inputs.parent):
        assert fault.code == 1, fault
        assert "error[K" in fault.error, fault
        assert "bug" not in fault.error
        assert "Traceback" not in fault.error
        kept = (".partial", ".partial.state")  # the journal: `--resume` goes on with it
        left = {name: data for name, data in fault.files.items() if not name.endswith(kept)}
        assert left == {}, sorted(left)


@pytest.mark.sampled(2)
@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk(inputs: Path, name: str):
    check(COMMANDS[name], inputs, FAULTS)


@pytest.mark.full
@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_at_many_bytes(inputs: Path, name: str):
    check(COMMANDS[name], inputs, MANY)

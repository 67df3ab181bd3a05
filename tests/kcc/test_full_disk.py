"""A disk that is full at byte k: nothing half-written, a clear message, exit code 1."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.faults import with_limits
from tests.kcc.command_line import SOURCE

LAUNCH = ("--kernel", "twice", "--global", "64", "--local", "64", "--arg", "n=64")

COMMANDS = {
    "analyze": ("analyze", "k.cl", "--json", "o.json", "--html", "o.html"),
    "trace": ("trace", "k.cl", *LAUNCH, "-o", "o.kct"),
    "estimate": (
        "estimate", "k.cl", *LAUNCH, "--gpu", "v100", "--json", "o.json", "--html", "o.html",
        "--csv", "o.csv",
    ),
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
        left = {name: data for name, data in fault.files.items() if not name.endswith(".partial")}
        assert left == {}, sorted(left)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk(inputs: Path, name: str):
    check(COMMANDS[name], inputs, FAULTS)


@pytest.mark.full
@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_at_many_bytes(inputs: Path, name: str):
    check(COMMANDS[name], inputs, MANY)

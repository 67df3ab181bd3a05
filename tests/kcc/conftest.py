"""kcc in process, and a source for it."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from kcc import cli
from tests.kcc.command_line import SOURCE, Ended, Run


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs kcc with the arguments given, and ``stdin`` if given."""

    def run_kcc(*arguments: str | Path, stdin: bytes = b"") -> Ended:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8"))
        code = cli.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    return run_kcc


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "k.cl"
    path.write_text(SOURCE)
    return path

"""The console examples of docs/explanation/static-traces.md show what kcc prints, files beside."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.kcc.test_docs import EXAMPLE, ROOT, run

PAGE = ROOT / "docs" / "explanation" / "static-traces.md"

SIZE = re.compile(r"\d+(\.\d+)? kB")
"""Of a file: it hangs on the version of zlib."""


def test_examples(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "kernels").symlink_to(ROOT / "kernels")
    monkeypatch.chdir(tmp_path)
    examples = list(EXAMPLE.finditer(PAGE.read_text(encoding="utf-8")))
    assert examples
    for example in examples:
        printed = run(example["command"], capsys, monkeypatch)
        assert SIZE.sub("", printed) == SIZE.sub("", example["output"])

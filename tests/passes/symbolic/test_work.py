"""All evaluations of a kernel's values together have a budget."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.cli import main
from kcc.passes.symbolic import build

BODY = "".join(
    f"{{ int x = i + {k}; for (int j = 0; j < n; j++) {{ x = x * x + j + {k};"
    f" if (x & 4) a[x & 1023] = {k}; }} }}"
    for k in range(8)
)
SOURCE = f"__kernel void k(__global int *a, int n) {{ int i = get_global_id(0); {BODY} }}"
LAUNCH = ("--global", "4096", "--local", "256", "--arg", "n=20")


def test_beyond_the_budget_values_are_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "k.cl"
    path.write_text(SOURCE)

    def estimated() -> str:
        assert main(["estimate", str(path), *LAUNCH, "--gpu", "v100"]) == 0
        return capsys.readouterr().out

    whole = estimated()
    assert "depend on assumed" not in whole
    monkeypatch.setattr(build, "MOST_WORK", 100_000)
    assert "depend on assumed" in estimated()

"""What is not known comes with the option that settles it; given, it is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kcc.cli import main

SOURCE = """__kernel void gather(__global const float *a, __global const int *idx,
                     __global float *o, int n, int m) {
  const int i = get_global_id(0);
  if (i >= n) return;
  float s = 0;
  for (int k = 0; k < m; ++k) s += a[idx[i * m + k]];
  for (int k = idx[i]; k < idx[i + 1]; ++k) s += a[k];
  o[i] = s;
}
"""


@pytest.fixture
def unknowns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    file = tmp_path / "gather.cl"
    file.write_text(SOURCE, encoding="utf-8")

    def run(*options: str) -> dict[str, str | None]:
        assert main(["analyze", str(file), *options, "--json", "-"]) == 0
        (kernel,) = json.loads(capsys.readouterr().out)["kernels"]
        return {f"{u['what']}:{u['line']}": u["option"] for u in kernel["unknowns"]}

    return run


def test_each_unknown_names_its_option(unknowns: Any):
    found = unknowns()
    assert found["how often branch 0 is taken:4"] == "--global SIZE --arg n=VALUE"
    assert found["how often branch 1 is taken:6"] == "--global SIZE --arg m=VALUE"
    assert found["trip count of loop 1:7"] == "--assume loop@7=COUNT or kcc profile HOST.py"
    assert found["load of idx:6"] == "--global SIZE --arg m=VALUE"
    assert found["load of a:6"] == "kcc profile HOST.py"
    assert found["registers:None"] == "--gpu GPU"


def test_the_options_settle_what_they_stand_beside(unknowns: Any):
    given = ("--global", "4096", "--local", "64", "--arg", "n=4000", "--arg", "m=16")
    found = unknowns(*given)
    assert "how often branch 0 is taken:4" not in found
    assert "how often branch 1 is taken:6" not in found
    assert "load of idx:6" not in found
    more = unknowns(*given, "--assume", "loop@7=3", "--gpu", "a100")
    assert "trip count of loop 1:7" not in more
    assert "registers:None" not in more
    assert all("assume" not in (option or "") for option in more.values())


def test_sizes_with_names_ask_for_the_names(unknowns: Any):
    found = unknowns("--global", "rows", "--local", "64", "--arg", "n=4000")
    assert found["how often branch 0 is taken:4"] == "--size rows=VALUE"

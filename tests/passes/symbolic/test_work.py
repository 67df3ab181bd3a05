"""All evaluations of a kernel's values together have a budget."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kcc.cli import main
from kcc.passes.symbolic import build, evaluate

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


SPREAD = """__kernel void k(__global int *a) {
    int i = get_global_id(0), s = 0;
    for (int j = 0; j < (i & 31); j++)
        for (int m = 0; m < (j & 5); m++) s += a[m];
    a[i] = s;
}"""


def test_iterations_that_are_added_up_some_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    source, found = tmp_path / "k.cl", tmp_path / "k.json"
    source.write_text(SPREAD)
    texts = list[str]()
    for rows in (evaluate.MAX_ROWS, 40):
        monkeypatch.setattr(evaluate, "MAX_ROWS", rows)
        assert main(["analyze", str(source), *LAUNCH[:4], "--json", str(found)]) == 0
        texts.append(found.read_text())
    assert texts[0] == texts[1]
    loops = json.loads(texts[0])["kernels"][0]["loops"]
    inner = sum(j & 5 for i in range(32) for j in range(i)) / 32
    assert [loop["trip"]["total_mean"] for loop in loops] == [15.5, inner]

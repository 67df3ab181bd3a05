"""The tables of docs/validation/miniatures.md from a journal, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.proxy_journal import Journal, name_of
from benchmarks.proxy_tables import errors_table, filled, read, reduction_table
from kcc.synth.comparison.behaviour import Simulated
from kcc.synth.reduction.reductions import Reduction

CYCLES = {1: 2600, 2: 1800, 4: 1400, 8: 1200}
"""By reduction: 1,000 before and after the loop, and 2 for each of 800 instructions in it."""


def _journal(path: Path) -> Path:
    journal = Journal(path)
    behaviour: dict[str, object] = {"mix": {}, "lanes": 1, "sectors": 1, "passes": 1}
    behaviour["warp_instructions"] = 800
    journal.add("scan subject", kernel="k", loops=8, blocks=1, behaviour=behaviour)
    journal.add("scan max chosen", factors=[[8]], blocks=1, twins=False)
    journal.add("scan auto chosen", factors=[[2]], blocks=1, twins=False)
    journal.add("scan twins chosen", factors=[[8]], blocks=1, twins=True)
    for gpu in ("conf1", "conf2", "conf3", "conf4"):
        journal.keep("scan original", gpu, Simulated(gpu, 2600, 1300, 800, {}, 1.0))
        for factor, cycles in CYCLES.items():
            reduction = Reduction(((factor,),))
            key = f"scan {name_of(reduction)}"
            own = Simulated(gpu, cycles, 1300 / factor, 800 / factor, {}, 1 / factor)
            journal.keep(key, gpu, own)
            if f"{key} behaviour" not in journal:
                journal.add(f"{key} behaviour", **{**behaviour, "warp_instructions": 800 // factor})
    journal.add("scan sweep done", load=1)
    return path


def test_one_miniature_and_two(tmp_path: Path):
    found = read([_journal(tmp_path / "j.jsonl")])
    row = "| scan | k | trips 8 | -72.9 % | -72.9 % | -72.9 % | -72.9 % | 8.0 x | 8.0 x |"
    assert row in errors_table(found, "max").splitlines()
    row = "| scan | k | trips 8; twin | +0.0 % | +0.0 % | +0.0 % | +0.0 % | 2.7 x | 2.7 x |"
    assert row in errors_table(found, "twins").splitlines()
    assert "| mean of 1, loops | | | 27.8 % |" in errors_table(found, "auto")


def test_errors_grow_with_the_reduction_of_one_but_not_of_two(tmp_path: Path):
    lines = reduction_table(read([_journal(tmp_path / "j.jsonl")])).splitlines()[2:]
    assert [line.split(" | ")[2] for line in lines] == ["0.0 %", "27.8 %", "53.6 %", "72.9 %"]
    assert {line.split(" | ")[5] for line in lines} == {"0.0 %"}


def test_a_journal_resumes_after_what_it_has(tmp_path: Path):
    path = _journal(tmp_path / "j.jsonl")
    lines = path.read_text(encoding="utf-8").splitlines()
    journal = Journal(path)
    run = journal.run("scan original", "conf1")
    assert run == Simulated("conf1", 2600, 1300, 800, {}, 1.0)
    assert len(path.read_text(encoding="utf-8").splitlines()) == len(lines)


def test_a_page_has_the_tables_that_it_names():
    page = "a\n\n<!-- table: one -->\n\n| old |\n|---|\n| 1 |\n\nb\n<!-- table: two -->\n\nc | d\n"
    made = {"one": "| new |\n|---|", "two": "| 2 |"}
    wanted = (
        "a\n\n<!-- table: one -->\n\n| new |\n|---|\n\nb\n<!-- table: two -->\n\n| 2 |\n\nc | d\n"
    )
    assert filled(page, made) == wanted
    with pytest.raises(KeyError, match="two"):
        filled(page, {"one": ""})

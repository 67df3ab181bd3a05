"""`kcc simulate --model interval` and `kcc explore` from the command line."""

from __future__ import annotations

import csv
import io
import json
import sys
from importlib import resources
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

import kcc
from kcc.cli import main
from kcc.commands.journal import Journal

GPU = ["--gpu", "gpumech"]
ROOT = Path(__file__).parents[3]


def schema(kind: str) -> dict[str, Any]:
    path = resources.files(kcc).joinpath(f"schemas/{kind}-1.json")
    return json.loads(path.read_text(encoding="utf-8"))


def test_simulation_document(traces: dict[str, str], capsys: pytest.CaptureFixture[str]):
    command = ["simulate", traces["scan"], *GPU, "--model", "interval", "--json", "-"]
    assert main(command) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema("simulation"))
    assert document["model"] == "interval"
    for launch in document["launches"]:
        total = launch["cycles"] * launch["schedulers"]
        assert sum(launch["cpi_stack"].values()) == pytest.approx(total)
        assert sum(line["cycles"] for line in launch["lines"]) == pytest.approx(total)


def test_simulation_text(traces: dict[str, str], capsys: pytest.CaptureFixture[str]):
    command = ["simulate", traces["scan"], *GPU, "--model", "interval", "--interval", "gpumech"]
    assert main([*command, "--warp", "max"]) == 0
    text = capsys.readouterr().out
    assert "issued" in text
    assert "gpumech" in text


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--model", "interval", "--interval", "mt", "--without", "barriers"], "--without"),
        (["--model", "interval", "--without", "nothing"], "invalid choice"),
    ],
)
def test_bad_usage(
    traces: dict[str, str], capsys: pytest.CaptureFixture[str], options: list[str], word: str
):
    assert main(["simulate", traces["scan"], *GPU, *options]) == 2
    assert word in capsys.readouterr().err


def test_no_lists_of_traces(capsys: pytest.CaptureFixture[str]):
    assert main(["simulate", "kernelslist.g", *GPU, "--model", "interval"]) == 2
    assert main(["explore", "kernelslist.g", *GPU, "--what-if"]) == 2
    assert "list of traces" in capsys.readouterr().err


def test_sweep(traces: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    names = [tmp_path / name for name in ("a.html", "a.svg", "a.csv")]
    outputs = [f"--{n.suffix[1:]}={n}" for n in names]
    code = main(["explore", traces["scan"], *GPU, "--sweep", "warps=8,32,48", "--sweep",
                 "mshrs=16,32", "--json", "-", *outputs])  # fmt: skip
    assert code == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema("exploration"))
    assert [p["name"] for p in document["points"]][:2] == ["warps=8 mshrs=16", "warps=8 mshrs=32"]
    assert document["points"][5]["settings"][:2] == [
        "max_warps_per_sm=48", "max_threads_per_sm=1536"
    ]  # fmt: skip
    assert document["base"] is None
    ElementTree.fromstring(names[1].read_text(encoding="utf-8"))
    assert "<svg" in names[0].read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(names[2].read_text(encoding="utf-8"))))
    assert [float(r["cycles"]) for r in rows] == pytest.approx(
        [p["cycles"] for p in document["points"]], rel=1e-4
    )


def test_what_if(traces: dict[str, str], capsys: pytest.CaptureFixture[str]):
    command = ["explore", traces["transpose"], *GPU, "--launches", "0", "--what-if"]
    assert main([*command, "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema("exploration"))
    gains = [each["gain"] for each in document["what_if"]]
    assert gains == sorted(gains, reverse=True)
    assert document["base"]["checked_cycles"] > 0
    assert document["what_if"][0]["checked_gain"] > 0
    assert all(each["checked_cycles"] is None for each in document["what_if"][1:])
    assert main([*command, "--cycle", "none", "--width", "110"]) == 0
    assert "largest gain" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 2),
        (["--sweep", "mshrs"], 2),
        (["--sweep", "no.such.key=3"], 1),
        (["--sweep", "mshrs=many"], 1),
        (["--what-if", "--launches", "900"], 1),
        (["--sweep", "warps=1", "--set", "max_blocks_per_sm=0"], 1),
    ],
)
def test_bad_exploration(
    traces: dict[str, str], capsys: pytest.CaptureFixture[str], options: list[str], code: int
):
    assert main(["explore", traces["scan"], *GPU, *options]) == code
    assert capsys.readouterr().err.startswith("error")


def test_impossible_points_are_left_out(traces: dict[str, str], capsys: pytest.CaptureFixture[str]):
    command = ["explore", traces["transpose"], *GPU, "--sweep", "warps=4,32"]
    assert main([*command, "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema("exploration"))
    assert [p["name"] for p in document["points"]] == ["warps=32"]
    assert [p["name"] for p in document["failed"]] == ["warps=4"]
    assert main(command) == 0
    assert "warps=4 skipped" in capsys.readouterr().out
    assert main(["explore", traces["transpose"], *GPU, "--sweep", "warps=2,4"]) == 1


@pytest.mark.parametrize(
    ("options", "code", "word"),
    [
        (["--what-if", "--gpu", "v100"], 2, "one --gpu only"),
        (["--sweep", "warps=many"], 1, "max_warps_per_sm"),
        (["--sweep", "warps=-1"], 1, "max_warps_per_sm"),
    ],
)
def test_what_cannot_be_explored(
    traces: dict[str, str], capsys: pytest.CaptureFixture[str], options: list[str], code: int,
    word: str,
):  # fmt: skip
    assert main(["explore", traces["scan"], *GPU, *options]) == code
    assert word in capsys.readouterr().err


def test_gpu_is_needed(capsys: pytest.CaptureFixture[str]):
    assert main(["explore", "a.kct", "--what-if"]) == 2
    assert "--gpu" in capsys.readouterr().err


NW = str(ROOT / "kernels" / "nw" / "nw.cl")


def test_a_source_is_explored_without_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """As its static trace is."""
    settings = [*GPU, "--sweep", "mshrs=16,64", "--sweep", "warps=16,32", "--json", "-"]
    assert main(["explore", NW, "--size", "tiny", *settings]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema("exploration"))
    assert any("kernel.toml" in note for note in document["notes"])
    trace = str(tmp_path / "nw.kct")
    assert main(["trace", NW, "--size", "tiny", "-o", trace]) == 0
    capsys.readouterr()
    assert main(["explore", trace, *settings]) == 0
    other = json.loads(capsys.readouterr().out)
    assert [p["cycles"] for p in document["points"]] == [p["cycles"] for p in other["points"]]
    assert main(["explore", NW, "--size", "tiny", "--kernel", "nw_kernel1", *settings]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert 0 < alone["points"][0]["cycles"] < document["points"][0]["cycles"]


def test_what_a_source_does_not_tell_is_said(capsys: pytest.CaptureFixture[str]):
    source = str(ROOT / "kernels" / "bfs" / "bfs.cl")
    command = ["explore", source, "--size", "tiny", *GPU, "--sweep", "warps=32", "--json", "-"]
    assert main(command) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert any("of the segments executed are assumed" in note for note in notes)


@pytest.mark.parametrize(
    ("words", "code", "word"),
    [
        (["nowhere.cl"], 1, "K001"),
        ([NW, "--global", "none("], 2, "--global"),
        ([NW, "--arg", "nothing=3"], 1, "K010"),
        ([NW, "--launches", "0"], 2, "--launches"),
    ],
)
def test_bad_sources(capsys: pytest.CaptureFixture[str], words: list[str], code: int, word: str):
    assert main(["explore", *words, *GPU, "--what-if"]) == code
    assert word in capsys.readouterr().err


def test_settings_are_in_the_heading(traces: dict[str, str], capsys: pytest.CaptureFixture[str]):
    command = ["explore", traces["scan"], *GPU, "--set", "l1.mshr=7", "--sweep", "warps=8"]
    assert main(command) == 0
    assert "gpumech-table7 l1.mshr=7" in capsys.readouterr().out
    assert main([*command, "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"] == ["l1.mshr=7"]


@pytest.mark.slow
def test_png(traces: dict[str, str], tmp_path: Path):
    pytest.importorskip("vl_convert")
    target = tmp_path / "a.png"
    command = ["explore", traces["scan"], *GPU, "--sweep", "warps=8,32", "--cycle", "all"]
    assert main([*command, "--png", str(target)]) == 0
    assert target.read_bytes().startswith(b"\x89PNG\r\n")


def test_png_needs_the_extra(
    traces: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):  # fmt: skip
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    target = tmp_path / "a.png"
    command = ["explore", traces["scan"], *GPU, "--sweep", "warps=8", "--png", str(target)]
    assert main(command) == 1
    error = capsys.readouterr().err
    assert "K013" in error
    assert "pip install" in error
    assert not target.exists()


def test_no_pixels_on_standard_output(traces: dict[str, str], capsys: pytest.CaptureFixture[str]):
    assert main(["explore", traces["scan"], *GPU, "--sweep", "warps=8", "--png", "-"]) == 2
    assert "--png" in capsys.readouterr().err


def test_costs_and_constraints(traces: dict[str, str], tmp_path: Path):
    document, table = tmp_path / "found.json", tmp_path / "found.csv"
    command = ["explore", traces["scan"], *GPU, "--sweep", "warps=8,16,32", "--sweep",
               "l1.mshr=16,64", "--where", "warps * mshr <= 1024", "--cost", "2*warps + mshr",
               "--json", str(document), "--csv", str(table)]  # fmt: skip
    assert main(command) == 0
    found = json.loads(document.read_text())
    jsonschema.validate(found, schema("exploration"))
    cost = {each["name"]: each["cost"] for each in found["points"]}
    time = {each["name"]: each["time_us"] for each in found["points"]}
    assert cost == {
        f"warps={warps} mshr={mshr}": 2 * warps + mshr
        for warps in (8, 16, 32) for mshr in (16, 64) if warps * mshr <= 1024
    }  # fmt: skip
    front = found["pareto_front"]
    assert front == sorted(front, key=lambda name: cost[name])
    for name, own in cost.items():
        better = [f for f in front if cost[f] <= own and time[f] <= time[name]]
        assert better, name
        strictly = [n for n in cost if cost[n] <= own and time[n] < time[name]]
        assert not (name in front and strictly)
    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    assert [float(row["cost"]) for row in rows] == list(cost.values())


@pytest.mark.parametrize(
    "options", [["--cost", "x + 1"], ["--where", "warps > 99"], ["--cost", "__import__('os')"]]
)
def test_costs_of_what_is_not_there(traces: dict[str, str], options: list[str]):
    assert main(["explore", traces["scan"], *GPU, "--sweep", "warps=8,16", *options]) == 2


@pytest.mark.slow
def test_a_search_says_what_it_missed(
    traces: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """And begins where an earlier run was cut off, with the same document."""
    space = ["--sweep", "warps=8,16,24,32,40,48", "--sweep", "mshrs=8,16,32,48,64,96,128",
             "--sweep", "bandwidth=48,96,192,384", "--cost", "warps + mshrs"]  # fmt: skip
    whole, resumed = tmp_path / "whole.json", tmp_path / "resumed.json"
    command = ["explore", traces["scan"], *GPU, *space, "--search", "guided", "--trials", "90",
               "--regret"]  # fmt: skip
    assert main([*command, "--json", str(whole)]) == 0
    assert "regret against all points" in capsys.readouterr().out
    document = json.loads(whole.read_text())
    jsonschema.validate(document, schema("exploration"))
    points = document["points"]
    searched = [p for p in points if p["searched"]]
    assert len(points) == document["search"]["of"] == 168
    assert len(searched) == document["search"]["seen"] <= 90
    lost = min(p["time_us"] for p in searched) / min(p["time_us"] for p in points) - 1
    assert document["search"]["regret"]["fastest"] == pytest.approx(lost)
    assert document["search"]["regret"]["front_most"] < 0.2
    assert sum(p["share_of_variance"] for p in document["parameters"]) <= 1

    real, count = Journal[Any].add, 0

    def add(self: Any, task: str, found: Any) -> None:
        nonlocal count
        count += 1
        if count > 5:
            raise KeyboardInterrupt
        real(self, task, found)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Journal, "add", add)
        assert main([*command, "--json", str(resumed)]) == 130
    kept = Path(f"{resumed}.partial").read_text().splitlines()
    assert len(kept) == 6
    assert main([*command, "--json", str(resumed), "--resume"]) == 0
    assert resumed.read_bytes() == whole.read_bytes()
    assert not Path(f"{resumed}.partial").exists()


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--what-if", "--search", "guided"], "--sweep"),
        (["--sweep", "warps=8,16", "--trials", "5"], "--search"),
        (["--sweep", "warps=8,16", "--search", "random"], "--trials"),
        (["--sweep", "l1.size_bytes=1", "--sweep", "l2.size_bytes=2"], "last part"),
        (["--sweep", "warps=8", "--resume"], "--resume"),
    ],
)
def test_searches_that_cannot_be(
    traces: dict[str, str], capsys: pytest.CaptureFixture[str], options: list[str], word: str
):
    assert main(["explore", traces["scan"], *GPU, *options]) == 2
    assert word in capsys.readouterr().err

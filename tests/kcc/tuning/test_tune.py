"""`kcc tune`: search spaces in all their forms, documents, what is wrong with them."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kcc.cli import main
from kcc.report.plots.render import has_plots
from kcc.tuning import Estimates, EstimatesFirst, prefilter

SOURCE = """\
__kernel void add(__global float *c, __global const float *a, int n)
{
    int i = get_group_id(0) * BX + get_local_id(0);
    for (int k = 0; k < ITEMS; ++k)
        if (i + k * get_global_size(0) < n)
            c[i + k * get_global_size(0)] += a[i];
}
"""
SIZE = 1 << 18
VALUES = {"BX": [32, 64, 2048], "ITEMS": [1, 4]}
T1: dict[str, Any] = {
    "ConfigurationSpace": {
        "TuningParameters": [
            {"Name": "BX", "Type": "int", "Values": "[32, 64, 2048]"},
            {"Name": "ITEMS", "Type": "int", "Values": "[1, 4]"},
        ],
        "Conditions": [{"Parameters": ["BX", "ITEMS"], "Expression": "BX * ITEMS != 128"}],
    },
    "KernelSpecification": {
        "Language": "OpenCL",
        "KernelName": "add",
        "KernelFile": "add.cl",
        "LocalSize": {"X": "BX"},
        "GlobalSize": {"X": "1"},
        "ProblemSize": [SIZE],
        "GridDivX": ["BX", "ITEMS"],
        "Arguments": [
            {"Name": "out", "Type": "float", "MemoryType": "Vector", "Size": "ProblemSize[0]"},
            {"Name": "in", "Type": "float", "MemoryType": "Vector", "Size": SIZE},
            {"Name": "count", "Type": "int32", "MemoryType": "Scalar", "FillValue": SIZE},
        ],
    },
}
LEFT = [(32, 1), (64, 1), (64, 4), (2048, 1), (2048, 4)]
LAUNCH = ("--grid", f"{SIZE}//(BX*ITEMS)", "--block", "BX", "--arg", f"n={SIZE}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "add.cl").write_text(SOURCE)
    (tmp_path / "t1.json").write_text(json.dumps(T1))
    rows = [{"BX": bx, "ITEMS": items} for bx, items in LEFT]
    (tmp_path / "list.json").write_text(json.dumps(rows))
    lines = [f"{bx},{items},a,7.5" for bx, items in LEFT]
    (tmp_path / "list.csv").write_text("\n".join(["BX,ITEMS,who,other", *lines]) + "\n")
    return tmp_path


def tuned(folder: Path, *words: str) -> dict[str, Any]:
    target = folder / "found.json"
    assert main(["tune", *words, "--gpu", "v100", "--json", str(target)]) == 0
    document = json.loads(target.read_text())
    schema = json.loads((files("kcc") / "schemas" / "tuning-1.json").read_text())
    jsonschema.validate(document, schema)
    return document


def times(document: dict[str, Any]) -> dict[tuple[int, ...], float | None]:
    rows = document["configurations"]
    return {tuple(row["configuration"].values()): row["time_us"] for row in rows}


def test_a_configuration_has_the_time_of_kcc_estimate(folder: Path) -> None:
    found = times(tuned(folder, str(folder / "t1.json")))
    assert list(found) == LEFT
    target = folder / "estimate.json"
    asked = ["estimate", str(folder / "add.cl"), "--gpu", "v100", "-D", "BX=64", "-D", "ITEMS=4",
             "--grid", str(SIZE // 256), "--block", "64", "--arg", f"n={SIZE}",
             "--arg", f"c=float[{SIZE}]", "--arg", f"a=float[{SIZE}]"]  # fmt: skip
    assert main([*asked, "--json", str(target)]) == 0
    (same,) = json.loads(target.read_text())["estimates"]
    assert found[64, 4] == pytest.approx(same["time_us"], rel=1e-5)
    assert found[2048, 1] is None  # no GPU has such blocks


def test_the_verdict_names_the_fastest_and_what_limits_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = tuned(folder, str(folder / "t1.json"))
    found = {key: time for key, time in times(document).items() if time is not None}
    best = min(found, key=lambda key: found[key])
    verdict = document["verdict"]
    assert verdict.startswith(f"Fastest: BX={best[0]} ITEMS={best[1]}, ")
    assert "x as fast as the median configuration" in verdict
    assert "; bottleneck: " in verdict
    assert all(each["line"] is None or each["line"] > 0 for each in document["advice"])
    assert main(["tune", str(folder / "t1.json"), "--gpu", "v100"]) == 0
    assert verdict in " ".join(capsys.readouterr().out.split())


def test_every_form_of_a_space_is_the_same(folder: Path) -> None:
    source = str(folder / "add.cl")
    buffers = ("--arg", f"c=float[{SIZE}]", "--arg", f"a=float[{SIZE}]")
    whole = times(tuned(folder, str(folder / "t1.json")))
    for name in ("list.csv", "list.json"):
        document = tuned(folder, str(folder / name), source, *LAUNCH, *buffers)
        assert list(document["parameters"]) == ["BX", "ITEMS"]
        assert times(document) == whole
    sweeps = ("--sweep", "BX=32,64,2048", "--sweep", "ITEMS=1,4", "--where", "BX*ITEMS != 128")
    assert times(tuned(folder, source, *sweeps, *LAUNCH, *buffers)) == whole


def test_what_was_written_is_a_list_again(folder: Path) -> None:
    names = {"--t4": "t4.json", "--cachefile": "cache.json"}
    options = [w for option, name in names.items() for w in (option, str(folder / name))]
    first = tuned(folder, str(folder / "t1.json"), *options)
    for name in names.values():
        again = tuned(folder, str(folder / name), str(folder / "add.cl"), *LAUNCH)
        assert list(times(again)) == list(times(first))


def test_estimates_filter_and_order(folder: Path) -> None:
    targets = ("--t4", str(folder / "t4.json"), "--cachefile", str(folder / "cache.json"))
    found = times(tuned(folder, str(folder / "t1.json"), *targets))
    running = {key: time for key, time in found.items() if time is not None}
    best = min(running, key=lambda key: running[key])
    for name in ("t4.json", "cache.json"):
        estimates = Estimates.read(str(folder / name))
        keep = prefilter(estimates, 1 / len(running))
        kept = [key for key in found if keep({"BX": key[0], "ITEMS": key[1]})]
        assert kept == [best] == [key for key in found if keep(*key)]
        ordered = EstimatesFirst(estimates).ordered([*LEFT, (7, 7)], ["BX", "ITEMS"])
        assert ordered[: len(running)] == sorted(running, key=lambda key: running[key])
        assert ordered[-1] == (7, 7)
        slow = prefilter(estimates, slower=1e9)
        assert [key for key in found if slow(*key)] == list(running)


def test_an_interrupted_search_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from kcc.commands import estimate_sweep

    whole = tuned(folder, str(folder / "t1.json"))
    cache = folder / "cache.json"
    asked = ["tune", str(folder / "t1.json"), "--gpu", "v100", "--cachefile", str(cache)]
    assert main(asked) == 0
    text = cache.read_text()
    cache.unlink()
    real, seen = estimate_sweep.SourceMaker.record, list[None]()

    def record(self: Any, prepared: Any, gpu: Any) -> Any:
        seen.append(None)
        if len(seen) == 2:
            raise KeyboardInterrupt
        return real(self, prepared, gpu)

    with monkeypatch.context() as patch:
        patch.setattr(estimate_sweep.SourceMaker, "record", record)
        assert main(asked) == 130
    assert "--resume continues" in capsys.readouterr().err
    assert not cache.exists()
    assert main([*asked, "--resume"]) == 0
    assert cache.read_text() == text
    assert not cache.with_name("cache.json.partial").exists()
    assert len(whole["configurations"]) == len(LEFT)


def test_a_sample_is_part_of_a_larger_one(folder: Path) -> None:
    small, large = (tuned(folder, str(folder / "t1.json"), "--sample", n) for n in ("2", "4"))
    assert set(times(small)) < set(times(large))
    assert small["configurations_in_space"] == len(LEFT)
    assert "sample" in " ".join(small["notes"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Language": "Vulkan"}, "Vulkan"),
        ({"LocalSize": {"X": "block_x"}}, "block_x is no parameter"),
        ({"GridDivX": ["__import__('os')"]}, "can be called"),
        ({"Arguments": [{"Name": "x"}]}, "Type"),
    ],
)
def test_what_is_no_t1_is_said(
    folder: Path, change: dict[str, Any], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = {**T1["KernelSpecification"], **change}
    (folder / "t1.json").write_text(json.dumps({**T1, "KernelSpecification": kernel}))
    assert main(["tune", str(folder / "t1.json"), "--gpu", "v100"]) == 1
    error = capsys.readouterr().err
    assert "K895" in error
    assert message in error


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "[1]", '{"results": 3}', '{"a": [{}]}', '[{"a": 1e999}]', "\udcff"]
)
def test_what_is_no_list_is_said(
    folder: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "list.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert main(["tune", str(folder / "list.json"), str(folder / "add.cl"), "--gpu", "v100"]) == 1
    assert "K895" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("list.json",), "its kernel is not named"),
        (("add.cl",), "no search space"),
        (("t1.json", "--where", "BX > 5000"), "leaves no configuration"),
        (("t1.json", "--where", "BY > 1"), "BY is no parameter"),
        (("list.json", "add.cl", "add.cl"), "one source at most"),
        (("t1.json", "--resume"), "--resume"),
    ],
)
def test_what_cannot_be_meant_is_bad_usage(
    folder: Path, words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    named = [str(folder / word) if "." in word else word for word in words]
    assert main(["tune", *named, "--gpu", "v100"]) == 2
    assert message in capsys.readouterr().err


def test_the_page_draws_the_space(folder: Path) -> None:
    page = folder / "found.html"
    tuned(folder, str(folder / "t1.json"), "--html", str(page))
    text = page.read_text()
    assert "The fastest configurations" in text
    assert "share of the variance" in text
    drawn = text.count("<svg")
    assert drawn == (2 if has_plots() else 0)

"""`kcc estimate` and `kcc compare` as they are called."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kcc.cli import main
from kcc.report.shared.units import duration, volume
from kcc.sim.estimate.result import limiter_of
from kcc.sim.machine.launch_overhead import GRAPH_US, QUEUED_US, WAITED_US

SAXPY = """__kernel void saxpy(__global const float *x, __global float *y, float a, int n) {
  int i = get_global_id(0);
#ifdef TWICE
  for (int k = 0; k < 64; k++) a = sin(a);
#endif
  if (i < n) y[i] = a * x[i] + y[i];
}
"""

SHARED_ROWS = """__kernel void rows(__global const float *x, __global float *y, int n) {
  int i = get_global_id(0), j = get_global_id(1);
  y[j * n + i] = x[j * n + i] + x[(j + 1) * n + i];
}
"""


def checked(path: Path, kind: str) -> dict[str, Any]:
    document = json.loads(path.read_text())
    schema = json.loads((files("kcc") / "schemas" / f"{kind}-1.json").read_text())
    jsonschema.validate(document, schema)
    return document


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "saxpy.cl"
    path.write_text(SAXPY)
    return path


LAUNCH = ["--global", "1048576", "--local", "256", "--arg", "n=1048576", "--arg", "a=2.0"]


def test_gpus_are_named_apart_or_with_commas(tmp_path: Path) -> None:
    source, found = tmp_path / "k.cl", tmp_path / "k.json"
    source.write_text(SAXPY)
    launch = ["--global", "4096", "--local", "128", "--arg", "n=4096", "--json", str(found)]
    assert main(["estimate", str(source), "--gpu", "v100,a100", "--gpu", "rtx3090", *launch]) == 0
    gpus = [each["gpu"] for each in checked(found, "estimate")["estimates"]]
    assert gpus == ["nvidia-tesla-v100-pcie-16gb", "nvidia-a100-pcie-40gb",
                    "nvidia-geforce-rtx-3090"]  # fmt: skip


def test_text_names_time_and_limiter(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", str(source), "--gpu", "v100", *LAUNCH]) == 0
    out = capsys.readouterr().out
    assert out.startswith("saxpy on nvidia-tesla-v100-pcie-16gb: ")
    assert "warps per SM" in out


def test_all_models_are_side_by_side_with_one_launch_overhead(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "all.json"
    command = ["estimate", str(source), "--gpu", "a40", "--model", "all", "--json", str(target)]
    assert main([*command, *LAUNCH]) == 0
    records = checked(target, "estimate")["estimates"]
    assert [each["model"] for each in records] == ["pipeline", "pipeline-hpca19", "interval"]
    launches = [each["time_us"] - each["kernel_us"] for each in records]
    assert launches == pytest.approx([1.0736] * 3, rel=1e-3)  # 1,868 cycles at 1,740 MHz
    table = capsys.readouterr().out
    for each in records:
        assert each["trusted_for"] in table


def test_json_of_several_gpus(source: Path, tmp_path: Path) -> None:
    target, table = tmp_path / "e.json", tmp_path / "e.csv"
    options = ["--gpu", "v100", "--gpu", "a100", "--json", str(target), "--csv", str(table)]
    assert main(["estimate", str(source), *options, *LAUNCH]) == 0
    document = checked(target, "estimate")
    assert [e["gpu"] for e in document["estimates"]] == [
        "nvidia-tesla-v100-pcie-16gb", "nvidia-a100-pcie-40gb",
    ]  # fmt: skip
    for entry in document["estimates"]:
        assert sum(entry["cpi_stack"].values()) == pytest.approx(entry["cpi"], rel=1e-6)
        assert entry["range_us"][0] < entry["time_us"] < entry["range_us"][1]
    assert len(table.read_text().splitlines()) == 3


def test_a_sweep_gives_each_combination(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "e.json"
    options = ["--gpu", "v100", "--sweep", "A=1,2", "--sweep", "B=3,4", "--json", str(target)]
    assert main(["estimate", str(source), *options, *LAUNCH]) == 0
    macros = [e["configuration"]["macros"] for e in checked(target, "estimate")["estimates"]]
    assert macros == [{"A": a, "B": b} for a in "12" for b in "34"]


def test_equal_runs_give_equal_bytes(source: Path, tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        options = ["--gpu", "v100", "--json", str(tmp_path / name)]
        assert main(["estimate", str(source), *options, *LAUNCH]) == 0
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_compare_fails_above_a_limit(source: Path, tmp_path: Path) -> None:
    before, after, found = (tmp_path / n for n in ("a.json", "b.json", "c.json"))
    common = [str(source), "--gpu", "v100", *LAUNCH]
    assert main(["estimate", *common, "--json", str(before)]) == 0
    assert main(["estimate", *common, "--json", str(after)]) == 0
    assert main(["compare", str(before), str(after), "--fail-above", "5%"]) == 0
    document = json.loads(after.read_text())
    document["estimates"][0]["time_us"] *= 1.06
    after.write_text(json.dumps(document))
    options = ["--fail-above", "5%", "--json", str(found)]
    assert main(["compare", str(before), str(after), *options]) == 1
    assert checked(found, "comparison")["failed"] is True
    assert main(["compare", str(before), str(after), "--fail-above", "0.1"]) == 0


def test_an_unknown_launch_is_k890(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", str(source), "--gpu", "v100"]) == 1
    assert "K890" in capsys.readouterr().err


def test_no_gpu_is_bad_usage(source: Path) -> None:
    assert main(["estimate", str(source)]) == 2


def test_compare_refuses_other_documents(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.json").write_text("{}")
    assert main(["compare", str(tmp_path / "x.json"), str(tmp_path / "x.json")]) == 1
    assert "K891" in capsys.readouterr().err


def test_caches_by_access_with_their_deviation(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "e.json"
    options = ["--gpu", "v100", "--caches", "reuse", "--cache-trials", "3", "--json", str(target)]
    assert main(["estimate", str(source), *options, *LAUNCH]) == 0
    (entry,) = checked(target, "estimate")["estimates"]
    assert {(use["op"], use["cache"]) for use in entry["caches"]} >= {("load", "l1")}
    for use in entry["caches"]:
        assert use["sectors"] > 0
        for name in ("hits", "l2_hits", "dram"):
            assert 0 <= use[name]["mean"] <= 1
            assert use[name]["deviation"] >= 0
    # One trial says nothing of a deviation.
    assert main(["estimate", str(source), "--gpu", "v100", "--json", str(target), *LAUNCH]) == 0
    (entry,) = checked(target, "estimate")["estimates"]
    assert {use["dram"]["deviation"] for use in entry["caches"]} == {None}


def test_what_was_asked_for_stands_in_the_document(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "e.json"
    options = ["--gpu", "v100", "--set", "l2.size_bytes=4194304", "--warm", "--seed", "7"]
    assert main(["estimate", str(source), *options, "--json", str(target), *LAUNCH]) == 0
    document = checked(target, "estimate")
    asked = {"--set": "l2.size_bytes=4194304", "--warm": "given", "--seed": "7"}
    assert document["settings"] == asked
    assert document["estimates"][0]["configuration"]["arguments"] == {"n": 1048576, "a": 2.0}
    assert main(["estimate", str(source), "--gpu", "v100", "--json", str(target), *LAUNCH]) == 0
    assert checked(target, "estimate")["settings"] == {}


def test_a_reduction_that_is_off_has_its_error_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # One SM stands for the seven, whose thread blocks share rows that do not begin at a sector.
    path, target = tmp_path / "rows.cl", tmp_path / "e.json"
    path.write_text(SHARED_ROWS)
    options = ["--gpu", "v100", "--set", "sm_count=7"]
    options += ["--global", "1024,1000", "--local", "256,1", "--arg", "n=1003"]
    times = list[float]()
    for full in ([], ["--cache-in-full", "classes"]):
        assert main(["estimate", str(path), *options, *full, "--json", str(target)]) == 0
        (entry,) = checked(target, "estimate")["estimates"]
        times.append(entry["time_us"])
    errors = entry["reduction_errors"]
    assert errors["off"] == ["classes"]
    assert 0 < abs(errors["l2_read_sectors"]) < 0.002
    # How thread blocks meet moves the time more: one instruction more in each moves it by 3 %.
    assert 0 < abs(errors["time"]) < 0.05
    assert errors["time"] == pytest.approx(times[0] / times[1] - 1, abs=1e-6)
    said = capsys.readouterr().out.splitlines()
    (line,) = [each for each in said if each.startswith("  in full")]
    assert f"time {100 * errors['time']:+.2f} %" in line


def test_reductions_of_the_cache_analysis_can_be_switched_off(source: Path, tmp_path: Path) -> None:
    found = list[dict[str, float]]()
    for number, full in enumerate(([], ["sets"], ["classes"], ["loops"])):
        target = tmp_path / f"{number}.json"
        options = ["--gpu", "v100", "--caches", "reuse", "--json", str(target)]
        options += [o for name in full for o in ("--cache-in-full", name)]
        assert main(["estimate", str(source), *options, *LAUNCH]) == 0
        found.append(checked(target, "estimate")["estimates"][0]["counts"])
    for each in found[1:]:
        for name in ("l2_read_sectors", "dram_read_sectors", "dram_write_sectors"):
            assert each[name] == pytest.approx(found[0][name], rel=0.05)


@pytest.mark.parametrize("given", [("--cache-trials", "0"), ("--seed", "x")])
def test_bad_cache_options_are_refused(source: Path, given: tuple[str, str]) -> None:
    assert main(["estimate", str(source), "--gpu", "v100", *given, *LAUNCH]) == 2


def test_warm_l2_has_what_the_launch_before_left(source: Path, tmp_path: Path) -> None:
    target, found = tmp_path / "e.json", list[dict[str, Any]]()
    for options in ([], ["--warm"]):
        asked = ["--gpu", "a100", "--json", str(target), *options, *LAUNCH]
        assert main(["estimate", str(source), *asked]) == 0
        found.append(checked(target, "estimate")["estimates"][0])
    cold, warm = found
    assert [e["confidence"]["warm_l2"] for e in found] == [False, True]
    assert cold["counts"]["dram_read_sectors"] == 2 * 4 * 2**20 / 32
    assert warm["counts"]["dram_read_sectors"] == warm["counts"]["dram_write_sectors"] == 0
    assert warm["time_us"] < cold["time_us"]


def test_launches_cost_what_the_host_makes_of_them(source: Path, tmp_path: Path) -> None:
    target, found = tmp_path / "e.json", dict[str, Any]()
    for way in ("queued", "graph", "waited"):
        asked = ["--gpu", "a100", "--json", str(target), "--launches", way, *LAUNCH]
        assert main(["estimate", str(source), *asked]) == 0
        found[way] = checked(target, "estimate")["estimates"][0]
        assert found[way]["confidence"]["launches"] == way
    times = {way: each["time_us"] for way, each in found.items()}
    assert times["queued"] - times["graph"] == pytest.approx(QUEUED_US - GRAPH_US, abs=0.01)
    assert times["waited"] - times["queued"] == pytest.approx(WAITED_US - QUEUED_US, abs=0.01)


@pytest.mark.parametrize(
    "option",
    ["--warm", "--caches=footprint", "--seed=3", "--cache-in-full=sets"],
)
def test_the_interval_model_has_cold_caches_of_its_own(source: Path, option: str) -> None:
    options = ["--gpu", "a100", option, "--model", "interval"]
    assert main(["estimate", str(source), *options, *LAUNCH]) == 2


def test_lines_of_included_files_have_their_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    part, whole, target = tmp_path / "part.h", tmp_path / "whole.cl", tmp_path / "e.json"
    part.write_text("float part(float x) {\n  return native_sin(x) / (x + 2.0f);\n}\n")
    whole.write_text(
        '#include "part.h"\nkernel void k(global float *a) {\n'
        "  a[get_global_id(0)] = part(a[get_global_id(0)]);\n}\n"
    )
    asked = ["estimate", str(whole), "--gpu", "v100", "--global", "4096", "--local", "64"]
    assert main([*asked, "--json", str(target)]) == 0
    lines = checked(target, "estimate")["estimates"][0]["lines"]
    files_by_line = {at["line"]: at["file"] for at in lines}
    assert files_by_line[2].endswith("part.h")
    assert files_by_line[3] == str(whole)
    assert main(asked) == 0
    assert "part.h)" in capsys.readouterr().out


ROWS = """__kernel void rows(__global const int *first, __global float *y, int n, int m) {
  int i = get_global_id(0);
  if (i < n) {
    float sum = 0;
    for (int k = 0; k < m; k++)
      sum += y[k * 1024 + i];
    for (int k = first[i]; k < first[i + 1]; k++)
      sum *= 1.5f;
    y[i] = sum;
  }
}
"""


def guesses(tmp_path: Path, *options: str) -> dict[tuple[str, int], dict[str, Any]]:
    source, target = tmp_path / "rows.cl", tmp_path / "rows.json"
    source.write_text(ROWS)
    launch = ["--global", "65536", "--local", "128", "--gpu", "v100", "--json", str(target)]
    assert main(["estimate", str(source), *launch, *options]) == 0
    (entry,) = checked(target, "estimate")["estimates"]
    return {(each["what"], each["line"]): each for each in entry["confidence"]["guesses"]}


def test_guesses_name_what_would_decide_them(tmp_path: Path) -> None:
    found = guesses(tmp_path)
    assert set(found) == {("branch", 3), ("loop", 5), ("loop", 7)}
    assert found["branch", 3]["remedy"] == "--arg n=VALUE"
    assert found["branch", 3]["value"] == 0.5
    assert found["loop", 5]["remedy"] == "--arg m=VALUE"
    assert found["loop", 5]["reason"] == "m has no value"
    assert found["loop", 7]["remedy"] == "--assume loop@7=COUNT"
    assert "first[" in found["loop", 7]["reason"]


def test_no_guess_is_left_where_all_is_said(tmp_path: Path) -> None:
    known = ("--arg", "n=65536", "--arg", "m=40")
    assert set(guesses(tmp_path, *known)) == {("loop", 7)}
    assert not guesses(tmp_path, *known, "--assume", "loop@7=3")


def test_the_report_says_what_to_give(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guesses(tmp_path, "--arg", "n=65536")
    out = capsys.readouterr().out
    assert "assumed     loop at line 5: 16 iterations; m has no value (--arg m=VALUE)" in out


@pytest.mark.parametrize(
    ("sectors", "shown"),
    [(0, "0.0 KB"), (384, "12.3 KB"), (524_288, "16.8 MB"), (3.2e9, "102.4 GB")],
)
def test_volumes_have_a_fitting_unit(sectors: float, shown: str) -> None:
    assert volume(sectors) == shown


@pytest.mark.parametrize(
    ("microseconds", "shown"),
    [(0.5, "0.5 us"), (1234, "1.23 ms"), (2.5e6, "2.5 s"), (3.42e11, "342,000 s")],
)
def test_durations_have_a_fitting_unit(microseconds: float, shown: str) -> None:
    assert duration(microseconds) == shown


def test_what_limits_a_launch() -> None:
    bounds, shares = {"alu": 20.0, "dram_bandwidth": 90.0}, {"dram": 0.5, "issue": 0.1}
    assert limiter_of(bounds, shares | {"launch": 0.4}, 100.0) == "dram_bandwidth"
    assert limiter_of(bounds, {"dram": 0.3, "launch": 0.6}, 100.0) == "latency (launch)"
    assert limiter_of(bounds, shares | {"launch": 0.4}, 200.0) == "latency (dram)"


def test_an_argument_that_no_kernel_has(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", str(source), "--gpu", "v100", "--arg", "nowhere=3"]) == 1
    assert "error[K010]" in capsys.readouterr().err


PITCHED = """__kernel void rows(__global const float *x, __global float *y, int pitch) {
  int i = get_global_id(0), j = get_global_id(1);
  y[j * pitch + i] = x[j * pitch + i] + x[(j + 1) * pitch + i];
}
"""
COLUMNS = """__kernel void columns(__global const float *x, __global float *y, int pitch) {
  int i = get_global_id(0);
  y[i] = x[i * pitch];
}
"""


@pytest.mark.parametrize(
    ("text", "launch", "value"),
    [(PITCHED, ["1024,1024", "32,8"], 1024), (COLUMNS, ["1048576", "256"], 0)],
)
def test_addresses_by_arguments_without_a_value_are_guesses(
    tmp_path: Path, text: str, launch: list[str], value: int
) -> None:
    """Rows are placed as far apart as the launch is wide, not on each other."""
    path, target = tmp_path / "k.cl", tmp_path / "k.json"
    path.write_text(text)
    sizes = ["--global", launch[0], "--local", launch[1], "--gpu", "v100", "--json", str(target)]
    found = list[dict[str, Any]]()
    for more in ([], ["--arg", "pitch=1024"]):
        assert main(["estimate", str(path), *sizes, *more]) == 0
        found += checked(target, "estimate")["estimates"]
    guessed, given = found
    (guess,) = guessed["confidence"]["guesses"]
    assert (guess["what"], guess["line"], guess["value"]) == ("address", 3, value)
    assert guess["remedy"] == "--arg pitch=VALUE"
    assert guessed["confidence"]["accesses_without_addresses"] > 0
    assert guessed["range_us"][1] / guessed["time_us"] > given["range_us"][1] / given["time_us"]
    assert not given["confidence"]["guesses"]
    assert given["confidence"]["accesses_without_addresses"] == 0
    if value == 1024:
        assert guessed["counts"]["dram_read_sectors"] == given["counts"]["dram_read_sectors"]


@pytest.mark.parametrize("value", ["2**31", "-2**31-1", "1.5"])
def test_a_value_that_an_argument_cannot_have(
    source: Path, capsys: pytest.CaptureFixture[str], value: str
) -> None:
    assert main(["estimate", str(source), "--gpu", "v100", *LAUNCH[:4], "--arg", f"n={value}"]) == 1
    assert "error[K026]" in capsys.readouterr().err


def test_a_size_without_a_value_is_named(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["estimate", str(source), "--gpu", "v100", "--global", "16*rows", "--local", "64"]
    assert main(asked) == 1
    message = capsys.readouterr().err
    assert "error[K890]" in message
    assert "'rows' has no value" in message
    assert main([*asked, "--size", "rows=4096"]) == 0


def test_assumptions_without_use_are_warned_of(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In line 6 there is a branch, but which way it goes is known; in line 60 there is nothing."""
    target = tmp_path / "e.json"
    assumed = ["--assume", "branch@6=0.5", "--assume", "loop@60=3", "--json", str(target)]
    assert main(["estimate", str(source), "--gpu", "v100", *LAUNCH, *assumed]) == 0
    messages = [
        "the branch in line 6 is known: the assumption is not used",
        "there is no loop in line 60",
    ]
    out = capsys.readouterr().out
    assert all(f"warning     {text}\n" in out for text in messages)
    (entry,) = checked(target, "estimate")["estimates"]
    assert entry["confidence"]["unused_assumptions"] == messages
    both = ["--gpu", "v100", "--gpu", "a100"]
    assert main(["estimate", str(source), *both, *LAUNCH, *assumed[:4]]) == 0
    out = capsys.readouterr().out
    assert all(f"warning: {text}\n" in out for text in messages)
    unknown = [*LAUNCH[:4], "--assume", "branch@6=0.5", "--json", str(target)]
    assert main(["estimate", str(source), "--gpu", "v100", *unknown]) == 0
    (entry,) = checked(target, "estimate")["estimates"]
    assert entry["confidence"]["unused_assumptions"] == []


def test_documents_of_earlier_versions_can_be_compared(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Keys that were added since are not asked for."""
    target = tmp_path / "e.json"
    assert main(["estimate", str(source), "--gpu", "v100", *LAUNCH, "--json", str(target)]) == 0
    document = json.loads(target.read_text())
    for key in ("spill_doubt", "code_bytes", "instruction_cache_bytes", "guesses", "launches"):
        del document["estimates"][0]["confidence"][key]
    old = tmp_path / "old.json"
    old.write_text(json.dumps(document))
    assert main(["compare", str(old), str(target), "--fail-above", "1%"]) == 0
    assert "1 same" in capsys.readouterr().out

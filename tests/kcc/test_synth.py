"""`kcc synth` as a user calls it."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import kcc
from kcc.cli import main
from kcc.frontend.options import OptLevel
from kcc.opencl.build_options import parse_options
from kcc.stages import profile, proxy_check
from kcc.stages.host import ScriptRun
from kcc.synth.comparison.behaviour import Behaviour, Pair, Simulated, differences

WORKLOAD = str(Path(__file__).parents[2] / "kernels" / "vecadd" / "workload.py")
SOURCE = str(Path(WORKLOAD).with_name("vecadd.cl"))


def test_a_folder_gets_all_languages(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    target = tmp_path / "mini"
    assert main(["synth", WORKLOAD, "--size", "tiny", "-o", str(target)]) == 0
    names = sorted(p.name for p in target.iterdir())
    assert names == ["kernel.cl", "kernel.cu", "kernel.ll", "workload.py"]
    shown = capsys.readouterr().out
    assert "a miniature of 2 kernels in 5 launches" in shown
    assert main(["run", str(target / "workload.py")]) == 0


def test_a_file_has_its_companions_beside_it(tmp_path: Path):
    options = ["--kernel", "vecadd", "--launches", "0", "--reduction", "1"]
    target = tmp_path / "mini.cl"
    assert main(["synth", WORKLOAD, "--size", "tiny", *options, "-o", str(target)]) == 0
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".cl", ".cu", ".ll", ".py"]
    assert main(["run", str(target.with_suffix(".py"))]) == 0


@pytest.mark.parametrize("source", [[WORKLOAD, "--size", "tiny"], [SOURCE, "--static"]])
def test_a_gpu_is_named_without_a_simulation(source: list[str], tmp_path: Path):
    """`--gpu` alone says how large an epoch is."""
    options = ["--kernel", "vecadd", "--gpu", "v100", "-o", str(tmp_path / "mini")]
    launch = ["--global", "1024", "--local", "256"] if "--static" in source else ["--launches", "0"]
    assert main(["synth", *source, *launch, *options]) == 0
    assert (tmp_path / "mini" / "kernel.cl").is_file()


@pytest.mark.slow
def test_verify_shows_both_side_by_side(capsys: pytest.CaptureFixture[str]):
    options = ["--launches", "0", "--verify", "--gpu", "conf1,conf2", "--width", "160"]
    assert main(["synth", WORKLOAD, "--size", "tiny", *options]) == 0
    shown = capsys.readouterr().out
    rows = [line for line in shown.splitlines() if line.startswith("gpgpusim-minibench-conf")]
    assert [row.split()[0][-1] for row in rows] == ["1", "2"]
    assert all("+0.0 %" in row for row in rows)


def test_kernels_without_loops_have_fewer_thread_blocks(capsys: pytest.CaptureFixture[str]):
    """`--reduction auto` divides what can be divided: vecadd's launch has no loop."""
    options = ["--kernel", "vecadd", "--launches", "0", "--gpu", "conf1", "--width", "160"]
    options += ["--reduction", "auto", "--error", "99"]
    assert main(["synth", WORKLOAD, "--size", "tiny", "--verify", *options]) == 0
    assert "thread blocks: 1 of 4, the first ones" in capsys.readouterr().out


def test_each_trial_runs_once(monkeypatch: pytest.MonkeyPatch):
    """What profiles a miniature traces it as well."""
    runs, run = list[str](), proxy_check.run_script

    def counted(path: str, *arguments: Any, **named: Any) -> ScriptRun:
        runs.append(path)
        return run(path, *arguments, **named)

    monkeypatch.setattr(proxy_check, "run_script", counted)
    monkeypatch.setattr(profile, "run_script", counted)
    options = ["--kernel", "vecadd", "--launches", "0", "--gpu", "conf1", "--reduction", "auto"]
    assert main(["synth", WORKLOAD, "--size", "tiny", "--verify", *options, "--error", "99"]) == 0
    assert len(runs) == len(set(runs)) == 2  # without reduction, and one thread block


@pytest.mark.slow
def test_auto_says_that_nothing_is_within_the_bound(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """Comparisons of data are drawn, which takes instructions of its own. What there is is
    written all the same."""
    workload = str(Path(WORKLOAD).parents[1] / "bitonic" / "workload.py")
    options = ["--launches", "0", "--gpu", "conf1", "--reduction", "auto", "--error", "0.1"]
    target = tmp_path / "mini"
    assert main(["synth", workload, "--size", "tiny", *options, "-o", str(target)]) == 1
    assert "error[K953]: no miniature is within 0.1 %" in capsys.readouterr().err
    assert (target / "kernel.cl").exists()


def test_what_a_miniature_lost():
    def behaves(lanes: float, sectors: float) -> Behaviour:
        return Behaviour(100, {}, lanes, sectors, 1.0)

    def simulated(hits: float) -> Simulated:
        return Simulated("g", 1.0, 1.0, 1.0, {"L1": hits}, 1.0)

    original = behaves(0.9, 8.0)
    pair = Pair(simulated(0.19), simulated(0.0))
    assert differences((original, behaves(0.94, 8.3)), [Pair(simulated(0.1), simulated(0.1))]) == []
    assert differences((original, behaves(0.99, 13.0)), [pair]) == [
        "99 % of the lanes are active, not 90 %",
        "13.00 sectors per access, not 8.00",
        "0 % hits in L1 of g, not 19 %",
    ]
    half = replace(original, warp_instructions=53)
    assert differences((original, half), []) == []
    said = ["it executes 53 % of the warp instructions"]
    assert differences((original, half), [], whole=True) == said


def test_auxiliary_instructions_are_no_work():
    original = Simulated("g", 100.0, 300.0, 200.0, {}, 1.0)
    own = Simulated("g", 100.0, 400.0, 300.0, {}, 1.0, auxiliary=103.0)
    assert (own.ipc, own.own_ipc) == (4.0, 2.97)
    assert Pair(original, own).ipc_error == pytest.approx(-0.01)


def test_report_lists_what_is_revealed(capsys: pytest.CaptureFixture[str]):
    options = ["--launches", "0", "--report", "-"]
    assert main(["synth", WORKLOAD, "--size", "tiny", *options]) == 0
    shown = capsys.readouterr().out
    assert "kernel k0" in shown
    assert "fadd float <- " in shown
    assert "vecadd" not in shown


@pytest.mark.slow
def test_report_and_verify_both_on_standard_output(capsys: pytest.CaptureFixture[str]):
    options = ["--launches", "0", "--report", "-", "--verify", "--gpu", "conf1", "--width", "160"]
    assert main(["synth", WORKLOAD, "--size", "tiny", *options]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Everything that the miniature says")
    assert shown.index("kernel k0") < shown.index("a miniature of 1 kernel in 1 launch\n")
    assert "gpgpusim-minibench-conf1" in shown


@pytest.mark.slow
def test_json_says_what_the_report_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    workload = str(Path(WORKLOAD).parents[1] / "bfs" / "workload.py")
    options = ["--launches", "4", "--verify", "--gpu", "conf1", "--json", "-"]
    target = tmp_path / "mini"
    assert main(["synth", workload, "--size", "tiny", *options, "-o", str(target)]) == 0
    text = capsys.readouterr().out
    found = json.loads(text)
    schema = resources.files(kcc).joinpath("schemas/synthesis-1.json").read_text(encoding="utf-8")
    jsonschema.validate(found, json.loads(schema))
    assert found["files"]["cl"] == "kernel.cl"
    (kernel,), (launch,), (pair,) = found["kernels"], found["launches"], found["simulations"]
    (loop,) = kernel["loops"]
    assert (loop["ends"], loop["reduction"]) == ("bound", 8)  # edges of a node, from memory
    own, original = (pair[each]["ipc_without_auxiliary"] for each in ("miniature", "original"))
    assert original == pair["original"]["ipc"]
    assert own < pair["miniature"]["ipc"]
    assert pair["ipc_error"] == pytest.approx(own / original - 1)
    executed = found["behaviour"]["miniature"]["warp_instructions"]
    assert launch["expected"]["warp_instructions"] == executed
    assert not any(word in text for word in ("BFS", "bfs", "g_graph", "cost"))


def test_json_alone_and_report_beside_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    target = tmp_path / "mini.json"
    options = ["--size", "tiny", "--launches", "0", "--json", str(target)]
    assert main(["synth", WORKLOAD, *options]) == 0
    assert json.loads(target.read_text())["files"] == {}
    assert str(target) in capsys.readouterr().out
    assert main(["synth", WORKLOAD, "--json", "-", "--report", "-"]) == 2
    assert "two outputs go to standard output" in capsys.readouterr().err


@pytest.mark.slow
def test_verify_of_a_script_that_prints_and_exits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    script = tmp_path / "script.py"
    script.write_text(
        "import runpy, sys\n"
        "print('once')\n"
        f"runpy.run_path({WORKLOAD!r})['main']('tiny', 0)\n"
        "sys.exit(0)\n"
    )
    target = tmp_path / "mini"
    options = ["-o", str(target), "--verify", "--gpu", "conf1"]
    assert main(["synth", str(script), *options]) == 0
    shown = capsys.readouterr().out
    assert shown.count("once") == 1
    assert " of 5 launches with equal counts" in shown
    assert (target / "kernel.cl").exists()


def test_a_trace_is_no_script(capsys: pytest.CaptureFixture[str]):
    assert main(["synth", "x.kct", "-o", "y.cl"]) == 2
    assert "is a trace" in capsys.readouterr().err


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "-o is missing"),
        (["-o", "x.cl", "--reduction", "3"], "not a power of two"),
        (["-o", "x.cl", "--loop", "a"], "not of the form"),
        (["-o", "x.cl", "--verify"], "--gpu is missing"),
        (["-o", "-"], "a miniature is several files"),
        (["-o", "x.cl", "--error", "nan"], "not a percentage"),
        (["-o", "x.cl", "--error=-5"], "not a percentage"),
        (["-o", "x.cl", "--launches", "x"], "is not a whole number"),
        (["-o", "x.cl", "--loop", "9.9=2", "--size", "tiny"], "there is no loop 9.9"),
        (["-o", "x.cl", "--slice", "2"], "--slice is for --verify and auto"),
        (["-o", "x.cl", "--slice", "auto", "--verify", "--gpu", "v100"], "with --reduction auto"),
        (["-o", "x.cl", "--slice", "32", "--verify", "--gpu", "v100"], "no multiple of 32"),
    ],
)
def test_bad_usage(
    options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["synth", WORKLOAD, *options]) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert not list(tmp_path.iterdir())


def test_nothing_to_make_a_miniature_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    options = ["--size", "tiny", "--launches", "99", "-o", str(tmp_path / "x")]
    assert main(["synth", WORKLOAD, *options]) == 1
    assert "K951" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_target_that_is_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    taken = tmp_path / "x.txt"
    taken.write_text("mine")
    assert main(["synth", WORKLOAD, "--size", "tiny", "-o", str(taken)]) == 2
    assert "neither a folder nor FILE.cl" in " ".join(capsys.readouterr().err.split())
    assert taken.read_text() == "mine"


def test_programs_without_optimisation_keep_their_control_flow():
    assert parse_options(["-cl-opt-disable"]).opt_level is OptLevel.O1
    assert parse_options([]).opt_level is OptLevel.O2


@pytest.mark.slow
def test_a_twin_is_written_and_both_are_simulated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    workload = str(Path(WORKLOAD).parents[1] / "nbody" / "workload.py")
    target, said = tmp_path / "mini", tmp_path / "mini.json"
    options = ["--launches", "0", "--reduction", "8", "--twin", "--verify", "--gpu", "conf1"]
    options += ["-o", str(target), "--json", str(said), "--report", "-", "--width", "160"]
    assert main(["synth", workload, "--size", "tiny", *options]) == 0
    shown = capsys.readouterr().out
    assert shown.count("Everything that the miniature says") == 2
    assert "both say" in shown
    assert main(["run", str(target / "twin" / "workload.py")]) == 0
    found = json.loads(said.read_text())
    schema = resources.files(kcc).joinpath("schemas/synthesis-1.json").read_text(encoding="utf-8")
    jsonschema.validate(found, json.loads(schema))
    reductions = [
        [loop["reduction"] for kernel in each["kernels"] for loop in kernel["loops"]]
        for each in (found, found["twin"])
    ]
    assert reductions == [[8, 1], [4, 1]]  # and that of the iterations which unrolling leaves over
    (pair,) = found["simulations"]
    assert pair["instruction_speedup"] > 2
    # 17.0 % at reduction 8, of the original's instructions (15.1 when it issued 4 % more).
    assert abs(pair["ipc_error"]) < 0.18
    assert abs(pair["miniature"]["ipc"] / pair["original"]["ipc"] - 1) < 0.18


def test_a_part_of_a_gpu_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    said = tmp_path / "mini.json"
    options = ["--launches", "0", "--reduction", "1", "--slice", "2", "--verify", "--gpu", "conf1"]
    options += ["--size", "tiny", "--json", str(said)]
    assert main(["synth", WORKLOAD, *options]) == 0
    settings = ["sm_count=4", "dram.channels=4", "memory_bandwidth_gbs=25.6"]
    shown = " ".join(capsys.readouterr().out.split())
    assert " ".join(f"--set {each}" for each in settings) in shown
    found = json.loads(said.read_text())
    schema = resources.files(kcc).joinpath("schemas/synthesis-1.json").read_text(encoding="utf-8")
    jsonschema.validate(found, json.loads(schema))
    assert found["block_reduction"] == 2
    assert found["simulations"][0]["part_of_gpu"] == settings


@pytest.mark.slow
def test_a_twin_beside_a_file(tmp_path: Path):
    options = ["--launches", "0", "--blocks", "4", "--twin", "--size", "tiny"]
    assert main(["synth", WORKLOAD, *options, "-o", str(tmp_path / "mini.cl")]) == 0
    names = {p.name for p in tmp_path.iterdir()}
    assert {"mini.cl", "mini.py", "mini-twin.cl", "mini-twin.py"} <= names

"""Sweeps of `kcc estimate`: all combinations, processes, journals, configurations that fail."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.cli import main
from kcc.commands import estimate as command
from kcc.commands import estimate_sweep
from kcc.commands.journal import ESTIMATES, NOTHING, Journal, journal_path
from kcc.stages.estimate import MODELS

TILED = """#ifndef TILE
#define TILE 8
#endif
__kernel void column(__global const float *a, __global float *b, int n) {
  __local float tile[TILE * 64];
  int i = get_local_id(0);
  for (int k = 0; k < TILE; k++) tile[k * 64 + i % 64] = a[(get_global_id(0) * TILE + k) % n];
  barrier(CLK_LOCAL_MEM_FENCE);
  b[get_global_id(0)] = tile[(i * TILE) % (TILE * 64)];
}
"""
LAUNCH = ["--global", "65536", "--local", "64", "--arg", "n=65536"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "column.cl"
    path.write_text(TILED)
    return path


def run(source: Path, target: Path, *options: str) -> dict[str, Any]:
    assert main(["estimate", str(source), "--json", str(target), *options]) == 0
    document = json.loads(target.read_text())
    schema = json.loads((files("kcc") / "schemas" / "estimate-1.json").read_text())
    jsonschema.validate(document, schema)
    return document


DEAF = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
"""Some machines start tests deaf to interrupts, and what they start too."""

SWEEP = ("--gpu", "v100", "--sweep", "TILE=4,8,64,512", *LAUNCH)


def test_model_names_of_the_command_line() -> None:
    assert (*MODELS, "interval") == command.MODELS


@pytest.mark.parametrize(
    "sweeps", [["TILE"], ["TILE="], ["TILE=8,,16"], ["TILE=8,8"], ["TILE=8", "TILE=16"], ["2=3"]]
)
def test_what_is_no_sweep(source: Path, sweeps: list[str]) -> None:
    options = [word for sweep in sweeps for word in ("--sweep", sweep)]
    assert main(["estimate", str(source), "--gpu", "v100", *options, *LAUNCH]) == 2


def test_launches_are_swept_with_macros(source: Path, tmp_path: Path) -> None:
    options = ["--gpu", "v100", "--sweep", "TILE=4,8", "--global", "4096", "--global", "8192",
               "--local", "64", "--local", "128", "--arg", "n=4096"]  # fmt: skip
    found = run(source, tmp_path / "a.json", *options)["estimates"]
    places = [e["configuration"] for e in found]
    assert [(p["macros"]["TILE"], p["global_size"][0], p["local_size"][0]) for p in places] == [
        (t, g, w) for t in "48" for g in (4096, 8192) for w in (64, 128)
    ]


def test_what_cannot_run_has_a_reason_everywhere(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, page = tmp_path / "a.csv", tmp_path / "a.html"
    options = [*SWEEP, "--local", "2048", "--local", "100", "--csv", str(table), "--html",
               str(page)]  # fmt: skip
    found = run(source, tmp_path / "a.json", *options)["estimates"]
    reasons = {(e["configuration"]["macros"]["TILE"], *e["configuration"]["local_size"]):
               e["reason"] for e in found}  # fmt: skip
    assert reasons["8", 64] == ""
    assert "shared memory" in reasons["512", 64]
    assert reasons["8", 2048].startswith("K033")
    assert reasons["8", 100].startswith("K032")
    for each in found:
        assert (each["time_us"] is None) == bool(each["reason"])
        assert (each["cpi"] is None) == bool(each["reason"])
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["reason"] for row in rows] == [e["reason"] for e in found]
    assert "K032" in page.read_text()
    assert "K032" in capsys.readouterr().out


def test_stacks_add_up_exactly(source: Path, tmp_path: Path) -> None:
    for each in run(source, tmp_path / "a.json", *SWEEP)["estimates"]:
        if each["cpi"] is not None:
            parts = (Decimal(repr(value)) for value in each["cpi_stack"].values())
            assert sum(parts) == Decimal(repr(each["cpi"]))


@pytest.mark.slow
def test_any_number_of_processes_gives_the_same_bytes(source: Path, tmp_path: Path) -> None:
    for jobs in ("1", "3"):
        outputs = [f"--{kind}={tmp_path / f'{jobs}.{kind}'}" for kind in ("csv", "html")]
        options = [*SWEEP, "--gpu", "a100", "--ablate", "--jobs", jobs, *outputs]
        run(source, tmp_path / f"{jobs}.json", *options)
    for kind in ("json", "csv", "html"):
        first, second = ((tmp_path / f"{jobs}.{kind}").read_bytes() for jobs in "13")
        assert first == second


def test_an_interrupted_sweep_goes_on(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    whole = tmp_path / "whole.json"
    run(source, whole, *SWEEP)
    target = tmp_path / "a.json"
    original, calls = estimate_sweep.record_of, list[int]()

    def interrupted(each: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return original(each)

    monkeypatch.setattr(estimate_sweep, "record_of", interrupted)
    assert main(["estimate", str(source), "--json", str(target), *SWEEP]) == 130
    kept = tmp_path / "a.json.partial"
    assert not target.exists()
    assert "--resume" in capsys.readouterr().err
    assert len(kept.read_text().splitlines()) == 3  # the head and two tasks
    kept.write_text(kept.read_text() + '{"task": 2, "found": [{"pla')  # cut off while writing
    run(source, target, *SWEEP, "--resume")
    assert len(calls) == 5
    assert target.read_bytes() == whole.read_bytes()
    assert not kept.exists()


LONG = ["--gpu", "v100", "--sweep", "TILE=" + ",".join(map(str, range(1, 61))), *LAUNCH]


def begun(source: Path, target: Path, kept: Path) -> subprocess.Popen[str]:
    """A long sweep by two processes, of which something is done, in a group of its own."""
    words = ["estimate", str(source), "--jobs", "2", "--json", str(target), *LONG]
    code = f"import sys; from kcc.cli import main; sys.exit(main({words!r}))"
    process = subprocess.Popen(
        [sys.executable, "-c", DEAF + code], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not (kept.exists() and len(kept.read_text().splitlines()) > 2):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return process


def is_there(group: int) -> bool:
    """Whether a process of the group has not ended."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="process groups are POSIX's")
def test_an_interrupt_of_several_processes_keeps_what_is_done(source: Path, tmp_path: Path) -> None:
    target, kept = tmp_path / "a.json", tmp_path / "a.json.partial"
    process = begun(source, target, kept)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "--resume" in errors
    assert not target.exists()
    found = run(source, target, *LONG, "--resume")["estimates"]
    assert len(found) == 60
    assert not kept.exists()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="process groups are POSIX's")
def test_what_is_killed_leaves_no_processes_behind(source: Path, tmp_path: Path) -> None:
    target, kept = tmp_path / "a.json", tmp_path / "a.json.partial"
    process = begun(source, target, kept)
    process.kill()
    process.communicate(timeout=120)
    deadline = time.monotonic() + 60
    while is_there(process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    done = len(kept.read_text().splitlines()) - 1
    assert done >= 2
    found = run(source, target, *LONG, "--resume")["estimates"]
    assert len(found) == 60


def test_a_journal_of_another_sweep_is_k893(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "a.json"
    with Journal(tmp_path / "a.json.partial", "another", ESTIMATES, resume=False):
        pass
    assert main(["estimate", str(source), "--json", str(target), *SWEEP, "--resume"]) == 1
    assert "K893" in capsys.readouterr().err
    (tmp_path / "a.json.partial").write_text("[]")
    assert main(["estimate", str(source), "--json", str(target), *SWEEP, "--resume"]) == 1
    assert "is not a journal" in capsys.readouterr().err


def test_what_is_no_text_in_a_journal_counts_as_not_there(tmp_path: Path) -> None:
    path = tmp_path / "a.partial"
    with Journal(path, "same", NOTHING, resume=False) as journal:
        for task in range(3):
            journal.add(task, None)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], lines[2].replace(b"task", b"t\xb5sk"), *lines[3:]]))
    with Journal(path, "same", NOTHING, resume=True) as journal:
        assert list(journal.done) == [0]


def test_a_journal_needs_a_file(source: Path, tmp_path: Path) -> None:
    assert journal_path(["-"]) is None
    assert journal_path(["-", str(tmp_path / "x")]) == tmp_path / "x.partial"
    assert main(["estimate", str(source), *SWEEP, "--resume"]) == 2
    with pytest.raises(DiagnosticError):
        Journal(tmp_path / "missing" / "x", "", ESTIMATES, resume=False)


def test_a_source_that_cannot_be_compiled_at_all_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.cl"
    path.write_text("__kernel void k(__global float *a) { a[0] = b; }")
    assert main(["estimate", str(path), "--gpu", "v100", "--gpu", "a100", *LAUNCH]) == 1
    assert capsys.readouterr().err.count("error[") == 1


def test_a_macro_that_breaks_the_source_is_one_configuration(source: Path, tmp_path: Path) -> None:
    options = ["--gpu", "v100", "--sweep", "TILE=8,-1", *LAUNCH]
    good, bad = run(source, tmp_path / "a.json", *options)["estimates"]
    assert good["time_us"]
    assert bad["time_us"] is None
    assert bad["reason"]


def test_a_macro_without_effect_is_warned_of(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "e.html"
    sweeps = ("--gpu", "v100", "--sweep", "TILE=4,8", "--sweep", "TYLE=1,2,3", *LAUNCH)
    assert main(["estimate", str(source), *sweeps, "--html", str(page)]) == 0
    warnings = [line for line in capsys.readouterr().out.splitlines() if "warning" in line]
    assert len(warnings) == 1
    assert warnings[0].startswith("warning: --sweep TYLE: all estimates are the same")
    assert page.read_text().count("--sweep TYLE") == 1
    # Neither a macro that the launch alone uses nor one with a single value.
    launches = ("--sweep", "GROUP=64,128", "-D", "OTHER=1", "--global", "65536", "--local", "GROUP")
    assert main(["estimate", str(source), "--gpu", "v100", *launches, "--arg", "n=65536"]) == 0
    assert "warning" not in capsys.readouterr().out


def test_ablation_ranks_the_configurations(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = run(source, tmp_path / "a.json", *SWEEP, "--ablate")
    found = {each["without"]: each for each in document["ablations"]}
    assert set(found) == {"occupancy", "coalescing", "caches", "conflicts", "latency"}
    assert all(each["configurations"] == 3 for each in found.values())
    assert found["caches"]["median_ratio"] >= 1
    # Warps that wait for no bank meet in another order, which alone moves a time by a percent.
    assert found["conflicts"]["median_ratio"] <= 1.01
    for each in document["estimates"]:
        assert bool(each.get("ablated_us")) == (each["time_us"] is not None)
    assert "Spearman" in capsys.readouterr().out


APART = """
__kernel void k(__global const float *x, __global float *y) {
  int i = get_global_id(0);
  float s = 0;
  for (int k = 0; k < 64; k++) s += x[(i & 31) * STRIDE + k];
  y[i] = s;
}
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("gpu", ["v100", "rtx3090", "gtx1080"])
def test_without_coalescing_lanes_lie_side_by_side(tmp_path: Path, gpu: str) -> None:
    # Words of 32 lanes, 128 bytes apart: in lines of their own, and in the same bank of L1.
    path = tmp_path / "apart.cl"
    path.write_text(APART)
    options = ("--gpu", gpu, "--sweep", "STRIDE=1,32", "--ablate", "--global", "1048576")
    near, far = run(path, tmp_path / "a.json", *options, "--local", "256")["estimates"]
    assert far["time_us"] > 8 * near["time_us"]
    assert far["ablated_us"]["coalescing"] == pytest.approx(
        near["ablated_us"]["coalescing"], rel=0.3
    )


@pytest.mark.slow
def test_every_gpu_has_a_time_or_a_reason(source: Path, tmp_path: Path) -> None:
    found = run(source, tmp_path / "a.json", "--gpu", "all", *LAUNCH)["estimates"]
    assert len(found) > 35
    assert all(each["gpu"].startswith(("amd-", "nvidia-")) for each in found)
    for each in found:
        assert (each["time_us"] is None) == bool(each["reason"])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("model", command.MODELS)
def test_each_model_gives_a_whole_record(source: Path, tmp_path: Path, model: str) -> None:
    document = run(source, tmp_path / "a.json", "--gpu", "v100", "--model", model, *LAUNCH)
    (found,) = document["estimates"]
    assert document["model"] == model
    assert found["configuration"]["global_size"] == [65536]
    assert found["configuration"]["arguments"] == {"n": 65536}
    assert 1 < found["time_us"] < 1000
    parts = (Decimal(repr(value)) for value in found["cpi_stack"].values())
    assert sum(parts) == Decimal(repr(found["cpi"]))
    assert sum(line["share"] for line in found["lines"]) == pytest.approx(1, abs=1e-6)
    assert found["range_us"][0] < found["time_us"] < found["range_us"][1]


def test_interval_analysis_tells_what_cannot_run(source: Path, tmp_path: Path) -> None:
    options = ["--gpu", "v100", "--sweep", "TILE=8,512", "--model", "interval", *LAUNCH]
    good, bad = run(source, tmp_path / "a.json", *options)["estimates"]
    assert good["time_us"]
    assert bad["reason"].startswith("K871")


def test_only_some_models_have_mechanisms_to_switch_off(source: Path) -> None:
    options = ["--gpu", "v100", "--model", "interval", "--ablate", *LAUNCH]
    assert main(["estimate", str(source), *options]) == 2

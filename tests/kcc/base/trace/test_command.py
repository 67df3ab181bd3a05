"""`kcc trace`: files from scripts, and what `--show` says of them."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import kcc
from kcc import cli
from kcc.base.diagnostics import DiagnosticError
from kcc.base.trace.reader import open_trace
from kcc.report.execution.traces import size_text
from kcc.report.execution.warp_path import lanes_text

ROOT = Path(__file__).parents[4]
SAXPY = str(ROOT / "kernels/saxpy/workload.py")
SAMPLE = str(ROOT / "docs/sample.kct")

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trace") / "saxpy.kct"
    assert cli.main(["trace", SAXPY, "--size", "tiny", "-o", str(path)]) == 0
    return path


def numbers(path: Path) -> list[tuple[int, str, bool]]:
    with open_trace(path) as found:
        for launch in found.launches:
            list(launch.batches())
        return [
            (each.launch.number, each.tables.kernel, each.launch.addresses)
            for each in found.launches
        ]


def test_script(trace: Path):
    kernels = ["saxpy", "saxpy_grid_stride"]
    found = numbers(trace)
    assert found == [(n, kernels[n % 2], True) for n in range(len(found))]
    assert len(found) >= 2


def test_equal_bytes_for_any_number_of_workers(tmp_path: Path, trace: Path):
    again = tmp_path / "again.kct"
    assert cli.main(["trace", SAXPY, "--size", "tiny", "-o", str(again), "--workers", "1"]) == 0
    assert again.read_bytes() == trace.read_bytes()


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (["--launches", "0"], [(0, "saxpy", True)]),
        (["--launches", "0-1,99"], [(0, "saxpy", True), (1, "saxpy_grid_stride", True)]),
        (["--launches", "0-1", "--kernel", "saxpy_grid_stride"], [(1, "saxpy_grid_stride", True)]),
        (["--launches", "0", "--blocks-only"], [(0, "saxpy", False)]),
    ],
)
def test_choice(
    tmp_path: Path, options: list[str], wanted: list[tuple[int, str, bool]], capsys: Capture
):
    path = tmp_path / "x.kct"
    assert cli.main(["trace", SAXPY, "--size", "tiny", "-o", str(path), *options]) == 0
    assert numbers(path) == wanted
    said = capsys.readouterr().out
    plural = "es" if len(wanted) > 1 else ""
    assert said.startswith(f"{path}: {len(wanted)} launch{plural}, ")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ([SAXPY], 2, "-o FILE is missing"),
        ([SAXPY, "-o", "-"], 2, "standard output"),
        ([SAXPY, "-o", SAXPY], 2, "overwrite"),
        ([SAXPY, "-o", "x.kct", "--warp", "1"], 2, "go with --show"),
        ([SAXPY, "-o", "x.kct", "--launches", "3-1"], 2, "ends before"),
        ([SAXPY, "-o", "x.kct", "--launches", "x"], 2, "whole number"),
        ([SAMPLE, "-o", "x.kct"], 2, "--show"),
        (["kernel.cl", "-o", "x.kct"], 1, "error[K001]"),
        ([SAXPY, "--size", "tiny", "-o", "x.kct", "--launches", "999"], 1, "error[K767]"),
        ([SAXPY, "--size", "tiny", "-o", "missing/x.kct"], 1, "error[K008]"),
        (["missing.py", "-o", "x.kct"], 1, "error[K001]"),
        (["--show", "missing.kct"], 1, "error[K001]"),
        (["--show", SAXPY], 1, "error[K760]"),
        (["--show", SAMPLE, "-o", "x"], 2, "--show writes no trace"),
        (["--show", SAMPLE, "--json", "-", "--warp", "0"], 2, "--json"),
        (["--show", SAMPLE, "--launch", "9"], 1, "error[K766]"),
        (["--show", SAMPLE, "--kernel", "other"], 1, "error[K766]"),
        (["--show", SAMPLE, "--warp", "2"], 1, "error[K766]"),
        (["--show", SAMPLE, "--block", "2"], 1, "error[K766]"),
    ],
)
def test_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, options: list[str],
    code: int, message: str,
):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert cli.main(["trace", *options]) == code
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


FAILING = """
import numpy as np
import kcc.opencl as cl

SOURCE = "kernel void set(global int *x, int at) { x[at] = 1; }"


def main(size: str, seed: int) -> None:
    context = cl.create_some_context()
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE).build()
    memory = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)
    for at in (0, 99, 1, 99):
        try:
            program.set(queue, (1,), (1,), memory, np.int32(at))
        except Exception:
            pass
"""


def test_launches_that_fail_are_left_out(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text(FAILING)
    path = tmp_path / "x.kct"
    assert cli.main(["trace", str(script), "-o", str(path)]) == 0
    assert [name for _, name, _ in numbers(path)] == ["set", "set"]


def test_script_that_fails_leaves_nothing(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text(FAILING + "    raise ValueError\n")
    assert cli.main(["trace", str(script), "-o", str(tmp_path / "x.kct")]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["script.py"]


def show(capsys: Capture, *options: str) -> str:
    assert cli.main(["trace", "--show", *options]) == 0
    return capsys.readouterr().out


def test_show(trace: Path, capsys: Capture):
    text = show(capsys, str(trace))
    assert "trace of a run of" in text
    assert "warp instructions" in text
    lines = [line.split() for line in text.splitlines()]
    assert any(line[:2] == ["1", "saxpy_grid_stride"] for line in lines)
    only = show(capsys, str(trace), "--kernel", "saxpy")
    assert "saxpy_grid_stride" not in only


def test_path_of_a_warp(capsys: Capture):
    found = show(capsys, SAMPLE, "--launch", "0", "--block", "1", "--warp", "1")
    assert found == PATH


PATH = """\
launch 0: sums, thread block 1 (1, 0, 0), warp 1: 6 segments, 33 warp instructions
  #0 entry: lines 3-4, lanes 0-15, 6 instructions
      | int i = get_global_id(0), l = get_local_id(0);
  #1 cond.true: line 4, lanes 0-9, 4 instructions
      | part[l] = i < n ? in[i] : 0;
      load 4 B, line 4: in+320 .. in+356, 4 bytes apart
  #2 cond.end: lines 4-5, lanes 0-15, 4 instructions
      | part[l] = i < n ? in[i] : 0;
      store 4 B, line 4: part+128 .. part+188, 4 bytes apart
  #2 cond.end (after a barrier): line 6, lanes 0-15, 3 instructions
      | if (l % 4 == 0)
  #3 if.then: lines 6-7, lanes 0-12 by 4, 15 instructions
      | if (l % 4 == 0)
      load 4 B, line 7: part+128 .. part+176, 16 bytes apart
      load 4 B, line 7: part+132 .. part+180, 16 bytes apart
      load 4 B, line 7: part+136 .. part+184, 16 bytes apart
      load 4 B, line 7: part+140 .. part+188, 16 bytes apart
      store 4 B, line 7: out+80 .. out+92, 4 bytes apart
  #4 return: line 8, lanes 0-15, 1 instruction
      | }
"""
"""By hand: work-items 80 to 95, of 90 that have something to read."""


def test_all_warps_of_a_block_and_a_limit(capsys: Capture):
    text = show(capsys, SAMPLE, "--launch", "0", "--block", "0", "--limit", "1")
    assert text.count("launch 0: sums, thread block 0 (0, 0, 0), warp ") == 2
    assert text.count("5 more segments; --limit shows more") == 2


def test_classes_are_shown_as_what_they_stand_for(capsys: Capture):
    run, classes = (
        show(capsys, SAMPLE, "--launch", n, "--block", "1", "--warp", "1") for n in ("0", "2")
    )
    classes = re.sub("; 4 segments assumed|, assumed", "", classes)
    assert classes == run.replace("launch 0", "launch 2", 1)


def test_json(trace: Path, capsys: Capture):
    text = resources.files(kcc).joinpath("schemas/trace-summary-1.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    for path in (SAMPLE, str(trace)):
        found: dict[str, Any] = json.loads(show(capsys, path, "--json", "-"))
        jsonschema.validate(found, schema)
        with open_trace(path) as file:
            assert found["warp_instructions"] == file.totals.warp_instructions
            assert len(found["launches"]) == len(file.launches)


def test_json_beside_the_text(tmp_path: Path, capsys: Capture):
    text = show(capsys, SAMPLE, "--json", str(tmp_path / "x.json"))
    assert "sums" in text
    assert json.loads((tmp_path / "x.json").read_text())["launch_count"] == 3


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path, capsys: Capture):
    script = tmp_path / "odd\x1b[31m.py"
    script.write_text(FAILING)
    path = tmp_path / "x.kct"
    assert cli.main(["trace", str(script), "-o", str(path)]) == 0
    assert "\x1b" not in show(capsys, str(path))


@pytest.mark.parametrize(
    ("mask", "text"),
    [
        (1, "0"), (0xFFFFFFFF, "0-31"), (0b1011, "0-1, 3"), (0x55555555, "0-30 by 2"),
        (1 << 63, "63"), (0b101, "0, 2"), (0x11110, "4-16 by 4"),
    ],
)  # fmt: skip
def test_lanes(mask: int, text: str):
    assert lanes_text(mask) == text


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 bytes"), (999, "999 bytes"), (1000, "1 kB"), (12_345_678, "12.3 MB")]
)
def test_sizes(size: int, text: str):
    assert size_text(size) == text


def test_damage_is_said(tmp_path: Path):
    path = tmp_path / "x.kct"
    path.write_bytes(Path(SAMPLE).read_bytes()[:-1])
    with pytest.raises(DiagnosticError):
        open_trace(path)
    assert cli.main(["trace", "--show", str(path)]) == 1

"""`kcc trace` of a kernel source: what it writes, says and refuses, and what `--show` marks."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kcc import cli
from kcc.base.trace.reader import open_trace
from kcc.tracegen.static import classes

Capture = pytest.CaptureFixture[str]

GUARDED = """kernel void guarded(global int *a, global int *b, int n) {
    int i = get_global_id(0);
    if (i < n && a[i] > 0)
        b[a[i]] = i;
}
"""
LAUNCH = ["--global", "128", "--local", "64", "--arg", "n=128"]
SIZES = ["--arg", "a=int[128]", "--arg", "b=int[128]"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "k.cl"
    path.write_text(GUARDED)
    return path


def traced(source: Path, *options: str) -> Path:
    target = source.parent / "k.kct"
    assert cli.main(["trace", str(source), *LAUNCH, "-o", str(target), *options]) == 0
    return target


def test_what_was_assumed_is_said(source: Path, capsys: Capture):
    traced(source, *SIZES)
    said = capsys.readouterr().out
    assert "0 guarded: 4 warps in 1 class" in said
    assert "assumed: 25.0 % of the 16 segments executed" in said
    assert "line 3: taken by all lanes" in said
    assert "line 4: random addresses in the array" in said


def test_buffers_without_a_size_are_named(source: Path, capsys: Capture):
    traced(source)
    assert "no size is given for a, b" in capsys.readouterr().out


def test_show_marks_what_was_assumed(source: Path, capsys: Capture):
    path = traced(source, *SIZES)
    capsys.readouterr()
    assert cli.main(["trace", "--show", str(path), "--block", "1", "--warp", "1"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith("; 1 segment assumed")
    (marked,) = [line for line in said if line.startswith("  #") and "assumed" in line]
    assert "if.then: lines 3-4, lanes 0-31" in marked
    assert any("load 4 B, line 3: a+384 .. a+508, 4 bytes apart" in line for line in said)


def test_show_counts_what_was_assumed(source: Path, capsys: Capture):
    path = traced(source, *SIZES)
    capsys.readouterr()
    assert cli.main(["trace", "--show", str(path)]) == 0
    assert "25.0 %" in capsys.readouterr().out
    assert cli.main(["trace", "--show", str(path), "--json", "-"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    schema = json.loads((resources.files("kcc") / "schemas/trace-summary-1.json").read_text())
    jsonschema.validate(found, schema)
    (launch,) = found["launches"]
    assert launch["classes"] == 1
    counts = [launch[f"assumed_{what}"] for what in ("segments", "accesses", "events")]
    assert counts == [4, 4, 4]


def test_an_address_alone_may_be_assumed(source: Path, capsys: Capture):
    source.write_text(GUARDED.replace("i < n && a[i] > 0", "i < n"))
    path = traced(source, *SIZES)
    capsys.readouterr()
    assert cli.main(["trace", "--show", str(path), "--warp", "0"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert not [line for line in said if line.startswith("  #") and "assumed" in line]
    (marked,) = [line for line in said if line.endswith(", assumed")]
    assert marked.lstrip().startswith("store 4 B, line 4: b+")


THREE = """kernel void fine(global int *a, int n) { int i = get_global_id(0); if (i < n) a[i] = i; }
kernel void squares(global int *a, int n) { int i = get_global_id(0); a[i * i * n] = 1; }
kernel void read(global int *b) { int i = get_global_id(0); if (b[i] > 4) b[i] = 1; }
"""
LARGE = ["--global", "2**24", "--local", "256", "--arg", "n=10"]


@pytest.mark.usefixtures("few_classes")
def test_a_kernel_that_cannot_be_traced_is_left_out(source: Path, capsys: Capture):
    source.write_text(THREE)
    target = source.parent / "k.kct"
    assert cli.main(["trace", str(source), *LARGE, "-o", str(target)]) == 1
    said = capsys.readouterr()
    assert "error[K852]: nearly every warp of 'squares'" in said.err
    assert f"{target}: 2 launches" in said.out
    with open_trace(target) as trace:
        launches = [(each.launch.number, each.tables.kernel) for each in trace.launches]
    assert launches == [(0, "fine"), (2, "read")]


@pytest.fixture
def few_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A launch that is too much comes sooner."""
    monkeypatch.setattr(classes, "MAX_CLASSES", 100)


@pytest.mark.usefixtures("few_classes")
def test_nothing_is_written_where_no_kernel_can_be_traced(source: Path, capsys: Capture):
    source.write_text(THREE)
    target = source.parent / "k.kct"
    options = ["--kernel", "squares", "-o", str(target)]
    assert cli.main(["trace", str(source), *LARGE, *options]) == 1
    assert "error[K852]" in capsys.readouterr().err
    assert list(source.parent.iterdir()) == [source]


def test_assumptions_that_are_not_used_are_named(source: Path, capsys: Capture):
    source.write_text(THREE)
    target = source.parent / "k.kct"
    assumed = ["branch@3=0.5", "branch@1=0.5", "loop@2=3"]
    options = [word for each in assumed for word in ("--assume", each)]
    launch = ["--global", "256", "--local", "64", "--arg", "n=1"]
    assert cli.main(["trace", str(source), *launch, *options, "-o", str(target)]) == 0
    said = capsys.readouterr().err
    assert "warning[K824]: the branch in line 1 is known" in said
    assert "warning[K823]: there is no loop in line 2" in said
    assert "line 3" not in said


def test_an_argument_that_no_kernel_has(source: Path, capsys: Capture):
    target = source.parent / "k.kct"
    options = ["--arg", "m=1", "-o", str(target)]
    assert cli.main(["trace", str(source), *LAUNCH, *options]) == 1
    assert "error[K010]" in capsys.readouterr().err
    assert not target.exists()


BY_VALUE = """typedef struct { char first; int n; float4 scale; long stride; } shape;
kernel void k(global float *a, shape s, float2 c, int2 at) {
    int i = get_global_id(0);
    for (int j = 0; j < s.n; j++)
        if (c.y > 0.25f && i >= at.y)
            a[i + j * s.stride] = s.scale.x;
}
"""


def test_structs_and_vectors_by_value_are_known(tmp_path: Path, capsys: Capture):
    source, target = tmp_path / "k.cl", tmp_path / "k.kct"
    source.write_text(BY_VALUE)
    given = {
        "a": "float[4096]", "s": "{char 1, int n, float4 1.5, long 64 * n}",
        "c": "{float 1, float 0.5}", "at": "{int 0, int 32}",
    }  # fmt: skip
    options = [word for name, value in given.items() for word in ("--arg", f"{name}={value}")]
    launch = ["--global", "64", "--local", "64", "--size", "n=3"]
    assert cli.main(["trace", str(source), *launch, *options, "-o", str(target)]) == 0
    said = capsys.readouterr().out
    assert "nothing is assumed" in said
    assert "no value" not in said
    assert cli.main(["trace", "--show", str(target), "--warp", "1"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("store 4 B, line 6: a+") == 3
    assert "a+896 .. a+1020" in shown
    assert cli.main(["trace", "--show", str(target), "--warp", "0"]) == 0
    assert "store" not in capsys.readouterr().out


def test_a_struct_that_is_not_laid_out_so_is_not_known(tmp_path: Path, capsys: Capture):
    source, target = tmp_path / "k.cl", tmp_path / "k.kct"
    source.write_text(BY_VALUE)
    launch = ["--global", "64", "--local", "64", "--arg", "s={char 1, int 3}"]
    assert cli.main(["trace", str(source), *launch, "-o", str(target)]) == 0
    assert "no value is given for s, c, at" in capsys.readouterr().out

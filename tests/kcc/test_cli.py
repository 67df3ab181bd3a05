"""The command line, run in process: what is printed where, and the exit codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import kcc
from kcc import cli
from tests.kcc.command_line import SOURCE, Ended, Run, check_bad_input, first_lines

KERNELS = Path(__file__).parents[2] / "kernels"
COMMANDS = cli.COMMANDS


def headings(text: str) -> list[str]:
    """The names of the kernels that a report is about."""
    return re.findall(r"^kernel (\w+) ", text, re.MULTILINE)


# What is asked for


def test_report(run: Run, source: Path):
    ended = run("analyze", source)
    assert (ended.code, ended.err) == (0, "")
    assert headings(ended.out) == ["twice", "zero"]
    assert "a[i] = 2.0f * a[i];" in ended.out
    assert "\x1b" not in ended.out
    assert max(map(len, ended.out.splitlines())) <= 100


def test_report_from_standard_input(run: Run):
    ended = run("analyze", "-", stdin=SOURCE.encode())
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("<stdin>\nOpenCL C")
    assert headings(ended.out) == ["twice", "zero"]


def test_kernels_can_be_chosen(run: Run, source: Path):
    assert headings(run("analyze", source, "--kernel", "zero").out) == ["zero"]
    ended = run("analyze", source, "--kernel", "zero", "--kernel", "twice", "--kernel", "zero")
    assert headings(ended.out) == ["twice", "zero"]


def test_parts_can_be_chosen(run: Run, source: Path):
    brief = run("analyze", source, "--brief").out
    assert "  control flow  " in brief
    assert "Memory accesses" not in brief
    annotated = run("analyze", source, "--annotate").out
    assert "  control flow  " not in annotated
    assert "if (i < n) {" in annotated


def always(_stream: object) -> bool:
    return True


def test_color(run: Run, source: Path, monkeypatch: pytest.MonkeyPatch):
    assert "\x1b[" in run("analyze", source, "--color", "always").out
    assert "\x1b[" not in run("analyze", source, "--color", "never").out
    monkeypatch.setattr("kcc.commands.console.is_terminal", always)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in run("analyze", source).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run("analyze", source).out
    assert "\x1b[" in run("analyze", source, "--color", "always").out


def test_width(run: Run, source: Path):
    assert max(map(len, run("analyze", source, "--width", "60").out.splitlines())) <= 60


def test_json(run: Run, source: Path, tmp_path: Path):
    ended = run("analyze", source, "--json", "-")
    assert (ended.code, ended.err) == (0, "")
    made = json.loads(ended.out)
    assert made["schema"] == "kcc/analysis/1"
    assert made["kcc_version"] == kcc.__version__
    assert [kernel["name"] for kernel in made["kernels"]] == ["twice", "zero"]
    assert made["kernels"][0]["args"][1]["type"] == "int"

    target = tmp_path / "report.json"
    ended = run("analyze", source, "--json", target)
    assert headings(ended.out) == ["twice", "zero"]
    assert json.loads(target.read_text()) == made


def test_dot(run: Run, source: Path, tmp_path: Path):
    ended = run("analyze", source, "--dot", "cfg")
    assert ended.code == 0
    assert ended.out.startswith("digraph cfg {")
    target = tmp_path / "cfg.dot"
    assert run("analyze", source, "--dot", "cfg", "-o", target) == Ended(0, "", "")
    assert target.read_text() == ended.out


@pytest.mark.parametrize("level", ["0", "1", "2"])
def test_emit_ir(run: Run, source: Path, level: str):
    ended = run("analyze", source, "--emit-ir", f"-O{level}")
    assert ended.code == 0
    assert "define spir_kernel void @twice(" in ended.out
    assert ("alloca" in ended.out) == (level == "0")


def test_emit_ir_of_a_kernel_that_does_not_exist(run: Run, source: Path):
    check_bad_input(run("analyze", source, "--emit-ir", "--kernel", "x"), "K005", "'x'")


def test_report_to_a_file(run: Run, source: Path, tmp_path: Path):
    target = tmp_path / "report.txt"
    assert run("analyze", source, "-o", target) == Ended(0, "", "")
    assert headings(target.read_text()) == ["twice", "zero"]


def test_times_go_to_standard_error(run: Run, source: Path):
    ended = run("analyze", source, "--json", "-", "--time")
    assert json.loads(ended.out)
    assert re.search(r"^  frontend +\d+\.\d{3}$", ended.err, re.MULTILINE)
    assert re.search(r"^  loops +\d+\.\d{3}$", ended.err, re.MULTILINE)


def test_warnings_go_to_standard_error(run: Run, tmp_path: Path):
    path = tmp_path / "w.cl"
    path.write_text("#warning made up\n" + SOURCE)
    ended = run("analyze", path, "--brief")
    assert ended.code == 0
    assert headings(ended.out) == ["twice", "zero"]
    assert [line.split(": ")[0] for line in first_lines(ended.err)] == [f"{path}:1:2"]


def test_macros_and_includes(run: Run, tmp_path: Path):
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "a.h").write_text("#define JOIN(x) x ## _k\n#define NAME(x) JOIN(x)\n")
    (tmp_path / "forced.h").write_text("#define TYPE int\n")
    path = tmp_path / "k.cl"
    path.write_text('#include "a.h"\n__kernel void NAME(P)(__global TYPE *a) { a[0] = V W; }\n')
    options = ["-I", tmp_path / "inc", "-include", tmp_path / "forced.h", "-DV=1", "-D", "W= + 2"]
    ended = run("analyze", path, *options, "-D", "P=q", "-DP=r", "--brief")
    assert (ended.code, headings(ended.out)) == (0, ["r_k"])
    assert run("analyze", path, *options, "-DP=q", "-UV", "--brief").code == 1


def test_dialect_options(run: Run, tmp_path: Path):
    path = tmp_path / "k.cl"
    path.write_text("#ifndef __FAST_RELAXED_MATH__\n#error slow\n#endif\n__kernel void k() {}\n")
    fast = ["-cl-fast-relaxed-math", "-cl-std=CL1.2", "-cl-mad-enable", "-cl-denorms-are-zero"]
    assert run("analyze", path, *fast, "--brief").code == 0
    assert run("analyze", path, "--brief").code == 1


# Launches and kernel.toml


def test_a_launch_is_assumed(run: Run, source: Path):
    made = json.loads(run("analyze", source, "--json", "-").out)
    one, two = (kernel["launch"] for kernel in made["kernels"])
    assert one["assumed"]
    assert two["assumed"]
    assert (one["local_size"], two["local_size"]) == (["256"], ["16", "16"])
    assert "assumed" in run("analyze", source, "--brief").out


def test_a_launch_is_given(run: Run, source: Path):
    options = ["--global", "roundup(n, 64)", "--local", "64", "--size", "n=1000"]
    made = json.loads(run("analyze", source, "--kernel", "twice", *options, "--json", "-").out)
    assert made["kernels"][0]["launch"] == {
        "assumed": False,
        "global_size": ["1024"],
        "global_origin": "given",
        "local_size": ["64"],
        "local_origin": "given",
        "given_by": "the command line",
    }
    report = run("analyze", source, "--kernel", "twice", *options).out
    assert "global 1024, local 64 (from the command line)" in report


def test_a_scalar_argument_is_a_name_of_launch_expressions(run: Run, source: Path):
    options = ["--kernel", "twice", "--global", "2*n", "--arg", "n=128", "--json", "-"]
    made = json.loads(run("analyze", source, *options).out)
    assert made["kernels"][0]["launch"]["global_size"] == ["256"]


def test_kernel_toml_beside_the_source(run: Run):
    path = KERNELS / "hotspot" / "hotspot.cl"
    ended = run("analyze", path, "--brief")
    assert f"from {path.parent / 'kernel.toml'}: -D BLOCK_SIZE=16, launches\n" in ended.out
    assert "global 352 x 352, local 16 x 16 (from kernel.toml, size small)" in ended.out
    large = run("analyze", path, "--brief", "--size", "large").out
    assert "global 1376 x 1376, local 16 x 16 (from kernel.toml, size large)" in large


def test_kernel_toml_can_be_ignored(run: Run):
    ended = run("analyze", KERNELS / "hotspot" / "hotspot.cl", "--brief", "--no-toml")
    assert "kernel.toml" not in ended.out
    assert "local 16 x 16 (assumed)" in ended.out


def test_the_command_line_comes_before_kernel_toml(run: Run):
    path = KERNELS / "hotspot" / "hotspot.cl"
    ended = run("analyze", path, "-DBLOCK_SIZE=8", "--brief")
    assert "-D BLOCK_SIZE" not in ended.out
    assert "local 8 x 8" in ended.out
    assert "768 bytes of local memory" in ended.out
    given = run("analyze", path, "--global", "32,32", "--brief").out
    assert "global 32 x 32, local 16 x 16 (from the command line and kernel.toml" in given


# Bad usage: exit code 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["analyze"], "required: FILE"),
        (["frobnicate"], "invalid choice: 'frobnicate'"),
        (["analyze", "a.cl", "b.cl"], "one source file at a time: got a.cl, b.cl"),
        (["analyze", "a.py"], "'a.py' is a host script"),
        (["estimate", "a.kct", "--gpu", "v100"], "'a.kct' is a trace"),
        (["run", "a.kct"], "'a.kct' is a trace"),
        (["analyze", "k.cl", "--frob"], "unrecognized arguments: --frob"),
        (["analyze", "k.cl", "-O7"], "invalid choice: '7'"),
        (["analyze", "k.cl", "-D", "1x"], "'1x' is not a macro name"),
        (["analyze", "k.cl", "-U", "a=b"], "'a=b' is not a macro name"),
        (["analyze", "k.cl", "-cl-std=CL9.0"], "invalid choice: 'CL9.0'"),
        (["analyze", "k.cl", "--width", "wide"], "'wide' is not a number of columns"),
        (["analyze", "k.cl", "--width", "3"], "'3' is not a number of columns"),
        (["analyze", "k.cl", "--brief", "--annotate"], "not allowed with argument"),
        (["analyze", "k.cl", "--dot", "cfg", "--emit-ir"], "not allowed with argument"),
        (["analyze", "k.cl", "--emit-ir", "--json", "x"], "--json has nothing to write"),
        (["analyze", "k.cl", "--dot", "cfg", "--json", "-"], "two outputs go to standard output"),
        (["analyze", "k.cl", "--json", "x", "-o", "x"], "two outputs go to 'x'"),
        (["analyze", "k.cl", "-o", "k.cl"], "would overwrite the source"),
        (["analyze", "k.cl", "--kern", "x"], "unrecognized arguments: --kern"),
        (["analyze", "k.cl", "--global", "4", "--global", "8"], "--global is given 2 times"),
        (["analyze", "k.cl", "--size", "large"], "there is no kernel.toml"),
        (["completion", "tcsh"], "invalid choice: 'tcsh'"),
    ],
)
def test_bad_usage(
    run: Run,
    source: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: Sequence[str],
    message: str,
):
    monkeypatch.chdir(source.parent)
    ended = run(*arguments)
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.startswith("error[K009]: ")
    assert message in ended.err
    assert [path.name for path in source.parent.iterdir()] == ["k.cl"]


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (["--global", "n +"], "--global:1:4: error[K020]"),
        (["--local", "4,4,4,4"], "--local:1:7: error[K031]"),
        (["--arg", "n"], "--arg:1:1: error[K027]"),
        (["--size", "n=1", "--size", "m=2*"], "--size:2:5: error[K020]"),
    ],
)
def test_launch_options_that_cannot_be_read(
    run: Run, source: Path, arguments: Sequence[str], place: str
):
    ended = run("analyze", source, *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(place)
    assert arguments[-1] in ended.err


def test_no_command(run: Run):
    ended = run()
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("usage: kcc")


# Our bugs and interruptions


def break_passes(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(*_arguments: object) -> None:
        raise error

    monkeypatch.setattr("kcc.passes.graph.loops.LoopsPass.run", fail)


def test_a_bug_names_the_stage(run: Run, source: Path, monkeypatch: pytest.MonkeyPatch):
    break_passes(monkeypatch, KeyError("a\nb"))
    ended = run("analyze", source, "--json", source.parent / "x.json")
    assert (ended.code, ended.out) == (3, "")
    assert ended.err.startswith("kcc: internal error in stage 'loops': KeyError: ")
    assert "This is a bug in kcc" in ended.err
    assert "Traceback" not in ended.err
    assert [path.name for path in source.parent.iterdir()] == ["k.cl"]


def test_debug_shows_the_traceback(run: Run, source: Path, monkeypatch: pytest.MonkeyPatch):
    break_passes(monkeypatch, KeyError("x"))
    ended = run("analyze", source, "--debug")
    assert ended.code == 3
    assert "Traceback (most recent call last):" in ended.err
    assert "KeyError: 'x'" in ended.err


def test_exhausted_memory_is_bad_input(run: Run, source: Path, monkeypatch: pytest.MonkeyPatch):
    break_passes(monkeypatch, MemoryError())
    check_bad_input(run("analyze", source), "K007", "stage 'loops'")


def test_interrupted(run: Run, source: Path, monkeypatch: pytest.MonkeyPatch):
    break_passes(monkeypatch, KeyboardInterrupt())
    assert run("analyze", source) == Ended(130, "", "")


# Help, version, completion


def test_version(run: Run):
    assert run("--version") == Ended(0, f"kcc {kcc.__version__}\n", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["-h"],
        ["--help"],
        ["trace", "x.cl", "-h"],
        *([command, "-h"] for command in COMMANDS),
        *(["gpus", command, "-h"] for command in ("list", "show", "check", "diff")),
    ],
)
def test_help(run: Run, arguments: Sequence[str]):
    ended = run(*arguments)
    assert (ended.code, ended.err) == (0, "")
    assert "examples:\n" in ended.out


def test_help_names_every_option(run: Run):
    out = run("analyze", "--help").out
    for option in ("-D", "-U", "-I", "-include", "--kernel", "-O", "--emit-ir", "--json", "--dot"):
        assert re.search(rf"^  {option} ", out, re.MULTILINE), option


@pytest.mark.parametrize(
    ("shell", "mark"),
    [("bash", "complete -"), ("zsh", "#compdef kcc"), ("fish", "complete -c kcc")],
)
def test_completion(run: Run, shell: str, mark: str):
    ended = run("completion", shell)
    assert (ended.code, ended.err) == (0, "")
    assert mark in ended.out
    assert "analyze" in ended.out
    assert "emit-ir" in ended.out


# As a process


def start(*arguments: str, stdout: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-m", "kcc", *arguments]
    environment = os.environ | {"PYTHONPATH": str(KERNELS.parent)}
    return subprocess.Popen(command, env=environment, stdout=stdout, stderr=subprocess.PIPE)


def test_process_ends_with_the_exit_code(source: Path):
    with start("analyze", str(source), "--brief", stdout=subprocess.PIPE) as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert headings(out.decode()) == ["twice", "zero"]
    with start("analyze", str(source), "--frob", stdout=subprocess.PIPE) as process:
        process.communicate(timeout=60)
    assert process.returncode == 2


def test_a_reader_that_goes_away(source: Path):
    reader, writer = os.pipe()
    os.close(reader)
    with start("analyze", str(source), stdout=writer) as process:
        os.close(writer)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (141, b"")

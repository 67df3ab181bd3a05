"""The command line, run in process: what is printed where, and the exit codes."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import kcc
from kcc import cli

KERNELS = Path(__file__).parents[2] / "kernels"

SOURCE = """\
__kernel void twice(__global float *a, int n)
{
    const int i = get_global_id(0);
    if (i < n) {
        a[i] = 2.0f * a[i];
    }
}

__kernel void zero(__global float *b)
{
    b[get_global_id(1)] = 0.0f;
}
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run of kcc ended."""

    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs kcc with the arguments given, and ``stdin`` if given."""

    def run_kcc(*arguments: str | Path, stdin: bytes = b"") -> Ended:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8"))
        code = cli.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    return run_kcc


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "k.cl"
    path.write_text(SOURCE)
    return path


def headings(text: str) -> list[str]:
    """The names of the kernels that a report is about."""
    return re.findall(r"^kernel (\w+) ", text, re.MULTILINE)


def first_lines(err: str) -> list[str]:
    """The lines that begin a message."""
    return [line for line in err.splitlines() if re.search(r"(error|warning)\[K\d{3}\]: ", line)]


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
        (["analyze", "k.cl", "--frob"], "unrecognized arguments: --frob"),
        (["analyze", "k.cl", "-O3"], "invalid choice: '3'"),
        (["analyze", "k.cl", "-D", "1x"], "'1x' is not a macro name"),
        (["analyze", "k.cl", "-U", "a=b"], "'a=b' is not a macro name"),
        (["analyze", "k.cl", "-cl-std=CL3.0"], "invalid choice: 'CL3.0'"),
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


# Bad input: exit code 1


def check_bad_input(ended: Ended, code: str, message: str) -> None:
    assert ended.code == 1
    assert ended.out == ""
    assert f"error[{code}]: " in first_lines(ended.err)[0]
    assert message in ended.err
    assert "Traceback" not in ended.err


BAD_SOURCES = {
    "unknown name": ("__kernel void k(__global int *a) {\n    a[0] = b;\n}", "K3", ":2:12: "),
    "wrong type": (
        "__kernel void k(__global int *a) {\n    a[0] = (float2)(1.0f);\n}",
        "K3",
        ":2:",
    ),
    "address space": (
        "__kernel void k(__global int *a) {\n    __local int *p = a;\n}",
        "K3",
        ":2:",
    ),
    "missing include": ('#include "nowhere.h"\n__kernel void k() {}', "K1", ":1:"),
    "unterminated #if": ("#if 1\n__kernel void k() {}", "K1", ":1:"),
    "#endif alone": ("__kernel void k() {}\n#endif", "K1", ":2:"),
    "unterminated macro call": ("#define F(x) x\n__kernel void k() { F(1; }", "K1", ":2:"),
    "unbalanced braces": ("__kernel void k() { if (1) {", "K2", ":1:"),
    "recursion": ("int f(int x) { return f(x); }\n__kernel void k() { f(3); }", "K", ":1:"),
    "several": (
        "__kernel void k(__global int *a) {\n    a[0] = b;\n    a[1] = c;\n}",
        "K3",
        ":3:12: ",
    ),
}


@pytest.mark.parametrize("case", BAD_SOURCES)
def test_bad_sources(run: Run, tmp_path: Path, case: str):
    text, code, place = BAD_SOURCES[case]
    path, target = tmp_path / "bad.cl", tmp_path / "report.json"
    path.write_text(text)
    ended = run("analyze", path, "--json", target)
    assert ended.code == 1
    assert ended.out == ""
    messages = first_lines(ended.err)
    assert all(f"error[{code}" in line for line in messages)
    assert any(line.startswith(f"{path}{place}") for line in messages)
    assert "Traceback" not in ended.err
    assert not target.exists()


def test_several_errors_in_one_run(run: Run, tmp_path: Path):
    path = tmp_path / "bad.cl"
    path.write_text(BAD_SOURCES["several"][0])
    err = run("analyze", path).err
    assert len(first_lines(err)) == 2
    assert "    2 |     a[0] = b;\n      |            ^\n" in err


def test_no_such_file(run: Run, source: Path):
    check_bad_input(run("analyze", source.parent / "kk.cl"), "K001", f"did you mean '{source}'?")
    check_bad_input(run("analyze", source.parent / "x" / "k.cl"), "K001", "No such file")


def test_a_folder(run: Run, tmp_path: Path):
    check_bad_input(run("analyze", tmp_path), "K001", f"cannot read '{tmp_path}'")


def test_a_file_that_may_not_be_read(run: Run, source: Path, monkeypatch: pytest.MonkeyPatch):
    def deny(*_arguments: object, **_settings: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("kcc.frontend.source_file._open_without_waiting", deny)
    check_bad_input(run("analyze", source), "K001", "Permission denied")


@pytest.mark.parametrize("text", [b"", b" \n\t\n", b"\xef\xbb\xbf"])
def test_an_empty_source(run: Run, tmp_path: Path, text: bytes):
    path = tmp_path / "empty.cl"
    path.write_bytes(text)
    check_bad_input(run("analyze", path), "K003", f"{path}: error")
    check_bad_input(run("analyze", "-", stdin=text), "K003", "<stdin>: error")


def test_a_source_without_a_kernel(run: Run, tmp_path: Path):
    path = tmp_path / "none.cl"
    path.write_text("int f(int x) { return x; }\n")
    check_bad_input(run("analyze", path), "K003", "no kernel")


def test_invalid_utf8(run: Run, tmp_path: Path):
    path = tmp_path / "latin.cl"
    path.write_bytes(b"// a\n// na\xefve\n__kernel void k() {}\n")
    check_bad_input(run("analyze", path), "K002", f"{path}:2:6: error")
    check_bad_input(run("analyze", "-", stdin=b"\xff"), "K002", "<stdin>:1:1: error")


def test_a_huge_source(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("kcc.frontend.source_file.MAX_SOURCE_BYTES", 1000)
    path = tmp_path / "huge.cl"
    path.write_bytes(b"/" * 2000)
    check_bad_input(run("analyze", path), "K004", "larger than")
    check_bad_input(run("analyze", "-", stdin=b"/" * 2000), "K004", "larger than")


@pytest.mark.parametrize(("suffix", "language"), [(".ptx", "PTX"), (".spv", "SPIR-V")])
def test_another_language(run: Run, source: Path, suffix: str, language: str):
    other = source.rename(source.with_suffix(suffix))
    check_bad_input(run("analyze", other), "K012", f"this is {language}")


def test_deep_nesting(run: Run, tmp_path: Path):
    path = tmp_path / "deep.cl"
    deep = "(" * 20_000 + "1" + ")" * 20_000
    path.write_text(f"__kernel void k(__global int *a) {{ a[0] = {deep}; }}\n")
    ended = run("analyze", path)
    assert ended.code == 1
    assert first_lines(ended.err)
    assert "Traceback" not in ended.err


def test_a_kernel_that_does_not_exist(run: Run, source: Path, tmp_path: Path):
    target = tmp_path / "report.json"
    ended = run("analyze", source, "--kernel", "twise", "--kernel", "none", "--json", target)
    check_bad_input(ended, "K005", "did you mean 'twice'?")
    assert "its kernels are twice, zero" in ended.err
    assert not target.exists()


def test_an_argument_that_no_kernel_has(run: Run, source: Path):
    assert run("analyze", source, "--arg", "n=4", "--brief").code == 0
    ended = run("analyze", source, "--arg", "m=4")
    check_bad_input(ended, "K010", "--arg:1:1: error")
    assert "its arguments are a, n, b" in ended.err


def test_a_launch_that_cannot_be(run: Run, source: Path):
    options = ["--kernel", "twice", "--global", "100", "--local", "64"]
    check_bad_input(run("analyze", source, *options), "K032", "--local:1:1: error")


def test_a_broken_kernel_toml(run: Run, source: Path):
    (source.parent / "kernel.toml").write_text('[source]\nfile = "k.cl"\ndefines = 3\n')
    check_bad_input(run("analyze", source), "K037", "kernel.toml:3:")
    assert run("analyze", source, "--no-toml", "--brief").code == 0


def test_options_in_a_kernel_toml(run: Run, source: Path):
    toml = source.parent / "kernel.toml"
    toml.write_text('[source]\nfile = "k.cl"\noptions = ["-cl-mad-enable", "-D", "X=1"]\n')
    ended = run("analyze", source, "--brief")
    assert (ended.code, ended.err) == (0, "")
    assert f"from {toml}: -cl-mad-enable -D X=1" in " ".join(ended.out.split())
    toml.write_text('[source]\nfile = "k.cl"\noptions = ["-cl-frob"]\n')
    check_bad_input(run("analyze", source), "K037", "-cl-frob")


def test_an_output_that_cannot_be_written(run: Run, source: Path, tmp_path: Path):
    target = tmp_path / "no" / "such" / "folder.json"
    check_bad_input(run("analyze", source, "--json", target), "K008", str(target))
    check_bad_input(run("analyze", source, "-o", tmp_path), "K008", str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["k.cl"]


def test_a_front_end_that_is_not_there(run: Run, source: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("kcc.frontend.clang.find.find_clang", lambda: None)
    monkeypatch.setattr(
        "sys.prefix", "/somewhere/else"
    )  # not a clone's .venv: nothing is installed
    check_bad_input(run("analyze", source, "--frontend", "clang"), "K011", "clang")


# Our bugs and interruptions


def break_passes(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(*_arguments: object) -> None:
        raise error

    monkeypatch.setattr("kcc.passes.loops.LoopsPass.run", fail)


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


@pytest.mark.parametrize("arguments", [["-h"], ["--help"], ["analyze", "-h"], ["completion", "-h"]])
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

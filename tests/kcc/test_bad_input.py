"""Bad input ends a command with exit code 1 and a message that says where."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kcc.command_line import Run, check_bad_input, first_lines

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
    path.write_bytes(b"// a\nint na\xefve;\n__kernel void k() {}\n")
    check_bad_input(run("analyze", path), "K002", f"{path}:2:7: error")
    check_bad_input(run("analyze", "-", stdin=b"\xff"), "K002", "<stdin>:1:1: error")


def test_a_huge_source(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("kcc.frontend.source_file.MAX_SOURCE_BYTES", 1000)
    path = tmp_path / "huge.cl"
    path.write_bytes(b"/" * 2000)
    check_bad_input(run("analyze", path), "K004", "larger than")
    check_bad_input(run("analyze", "-", stdin=b"/" * 2000), "K004", "larger than")


@pytest.mark.parametrize(("suffix", "language"), [(".spv", "SPIR-V")])
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
    assert ended.code == 0
    assert first_lines(ended.err) == [ended.err.rstrip("\n")]
    assert "macro 'X'" in ended.err
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

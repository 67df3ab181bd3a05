"""Names that were meant to be others, and sources that are not one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kcc.command_line import Run

SOURCE = """\
#define BASE 4
#ifndef TILE
#define TILE 16
#endif
__kernel void k(__global float *a, int count) { a[get_global_id(0) * TILE * BASE] = count; }
"""

LAUNCH = ("--gpu", "v100", "--global", "64", "--local", "64", "--arg", "count=3")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "k.cl"
    path.write_text(SOURCE)
    return path


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("analyze", "-D", "TIEL=32"), "hint: did you mean 'TILE'?"),
        (("analyze", "-D", "BAES=32"), "hint: did you mean 'BASE'?"),
        (("analyze", "-D", "TILE=8", "-D", "TIEL=32"), "hint: did you mean 'TILE'?"),
        (("analyze", "-D", "BASE=32"), "warning[K130]: macro 'BASE' is redefined differently"),
        (("analyze", "-D", "TILE=8"), ""),
        (("analyze", "-D", "TILE=EIGHT", "-D", "EIGHT=8"), ""),
        (("analyze", "-D", "__OPENCL_VENDOR__"), ""),
        (("estimate", "--sweep", "TIEL=8,16", *LAUNCH), "hint: did you mean 'TILE'?"),
    ],
)
def test_macros(run: Run, path: Path, words: tuple[str, ...], expected: str):
    ended = run(words[0], path, *words[1:])
    assert ended.code == 0
    assert expected in ended.err
    assert ended.err.count("warning[K144]") == ("did you mean" in expected)


def test_macros_of_an_included_file(run: Run, path: Path):
    (path.parent / "sizes.h").write_text("#ifdef WIDTH\n#endif\n")
    path.write_text(f'#include "sizes.h"\n{SOURCE}')
    assert run("analyze", path, "-D", "WIDTH=2").err == ""
    assert "did you mean 'WIDTH'" in run("analyze", path, "-D", "WIDHT=2").err


@pytest.mark.parametrize(
    ("words", "code", "hint"),
    [
        (("analyse", "k.cl"), 2, "did you mean 'analyze'?"),
        (("analyze", "k.cl", "--gobal", "64"), 2, "did you mean '--global'?"),
        (("estimate", "k.cl", "--color", "alwys"), 2, "did you mean 'always'?"),
        (("gpus", "lst"), 2, "did you mean 'list'?"),
        (("analyze", "k.cl", "--arg", "cuont=3"), 1, "did you mean 'count'?"),
        (("analyze", "k.cl", "--kernel", "kk"), 1, "did you mean 'k'?"),
    ],
)
def test_suggestions(
    run: Run, path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], code: int,
    hint: str,
):  # fmt: skip
    monkeypatch.chdir(path.parent)
    ended = run(*words)
    assert ended.code == code
    assert hint in ended.err


@pytest.mark.sampled(4)
@pytest.mark.parametrize("command", ["analyze", "estimate", "trace"])
@pytest.mark.parametrize(
    ("argument", "code", "message", "hint"),
    [
        ("a=flaot[64]", 1, "error[K026]: there is no type 'flaot' for 'a'", "'float'"),
        ("a=float[cuont]", 0, "warning[K028]: 'cuont' in the value of 'a'", "'count'"),
        ("count=TIEL", 0, "warning[K028]: 'TIEL' in the value of 'count'", "'TILE'"),
        ("a=float[count]", 0, "", ""),
    ],
)
def test_words_of_arguments(
    run: Run, path: Path, command: str, argument: str, code: int, message: str, hint: str
):
    more = {"estimate": ("--gpu", "v100"), "trace": ("-o", path.with_suffix(".kct"))}
    launch = ("-D", "TILE=8", "--global", "64", "--local", "64", "--size", "count=3")
    ended = run(command, path, *launch, *more.get(command, ()), "--arg", argument)
    assert ended.code == code, ended.err
    assert message in ended.err
    assert ("hint: did you mean " + hint in ended.err) == bool(message)


def test_types_of_the_source(run: Run, path: Path):
    path.write_text(f"typedef float real;\nstruct pair {{ int x; }};\n{SOURCE}")
    for element in ("real", "pair", "struct pair"):
        assert run("analyze", path, "--arg", f"a={element}[3]").err == ""


def test_comments_in_any_encoding(run: Run, path: Path):
    data = SOURCE.encode()
    path.write_bytes(b'// caf\xe9 "\n' + data + b"/* \xff\xfe\n \xe9 */")
    assert run("analyze", path, "--brief").err == ""
    path.write_bytes(data + b'__constant char c[] = "//\xe9";\n')
    assert run("analyze", path, "--brief").err == ""
    for bad in (b"int caf\xe9;\n", b"/* */ \xff // \xff\n"):
        path.write_bytes(data + bad)
        ended = run("analyze", path)
        assert ended.code == 1
        assert "error[K002]: byte 0x" in ended.err


@pytest.mark.parametrize("name", ["k.cl", "k.cu"])
def test_an_included_file_outside_is_not_quoted(run: Run, tmp_path: Path, name: str):
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret").write_text("password hunter2 {\n#define hunter3(\n")
    kernel = "__kernel void k(__global int *a) { a[0] = 1; }\n"
    source = inside / name
    for way in ("../secret", str(tmp_path / "secret"), "link"):
        if way == "link":
            (inside / "link").symlink_to(tmp_path / "secret")
        source.write_text(f'#include "{way}"\n{kernel}')
        ended = run("analyze", source, "--frontend", "builtin")
        assert ended.code == 1
        assert "outside of the folders given" in ended.err
        assert not any(word in ended.out + ended.err for word in ("password", "hunter"))
    assert "password" in run("analyze", source, "--frontend", "builtin", "-I", tmp_path).err

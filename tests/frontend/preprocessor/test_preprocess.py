"""Directives: inclusion and what can go wrong with it, #error, #pragma, unknown ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kcc.base.diagnostics import Diagnostic, render
from kcc.frontend.options import BuildOptions
from tests.frontend.parsing import found, options, parsed, place, places


def only(text: str, folder: Path, build: BuildOptions | None = None) -> Diagnostic:
    (diagnostic,) = found(text, build, str(folder))
    return diagnostic


def test_a_quoted_file_is_looked_for_beside_its_includer_first(tmp_path: Path) -> None:
    for folder in ("main", "main/sub", "first", "second"):
        (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / "main/a.h").write_text('#include "sub/b.h"\n')
    (tmp_path / "main/sub/b.h").write_text('#include "c.h"\n#include <c.h>\n')
    (tmp_path / "main/sub/c.h").write_text("struct beside { int x; };\n")
    (tmp_path / "first/c.h").write_text("struct in_first { int x; };\n")
    (tmp_path / "second/c.h").write_text("struct in_second { int x; };\n")
    build = options(include_dirs=(str(tmp_path / "first"), str(tmp_path / "second")))
    unit = parsed('#include "a.h"\n', build, str(tmp_path / "main"))
    assert [unit.span(node).file for node in unit.ast.ext] == [
        str(tmp_path / "main/sub/c.h"),
        str(tmp_path / "first/c.h"),
    ]
    assert set(unit.sources) >= {"k.cl", str(tmp_path / "main/a.h")}


def test_an_error_in_an_included_file_shows_the_way_to_it(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text('\n#include "b.h"\n')
    (tmp_path / "b.h").write_text("int x y;\n")
    diagnostic = only('#include "a.h"\n', tmp_path)
    assert str(diagnostic.span) == f"{tmp_path}/b.h:1:6"
    assert [(n.message, str(n.span)) for n in diagnostic.notes] == [
        ("included from here", f"{tmp_path}/a.h:2:2"),
        ("included from here", "k.cl:1:2"),
    ]


def test_a_missing_file_says_where_it_was_looked_for(tmp_path: Path) -> None:
    build = options(include_dirs=("one", "two"))
    diagnostic = only('int x;\n  #include "none.h"\nfoo bar;\n', tmp_path, build)
    assert place(diagnostic) == "K101 2:12"
    assert diagnostic.notes[0].message == f"looked in '{tmp_path}', 'one', 'two'"
    assert "-I" in (diagnostic.hint or "")
    assert "no folder" in only("#include <none.h>\n", tmp_path).notes[0].message


def test_what_cannot_be_included_is_an_error_at_the_include(tmp_path: Path) -> None:
    (tmp_path / "folder.h").mkdir()
    os.mkfifo(tmp_path / "fifo.h")
    assert place(only('\n#include "folder.h"\n', tmp_path)) == "K001 2:10"
    assert place(only('#include "fifo.h"\n', tmp_path)) == "K001 1:10"
    assert place(only('#include "/dev/zero"\n', tmp_path)) == "K001 1:10"
    assert place(only('#include "a\0b"\n', tmp_path)) == "K101 1:10"
    assert place(only(f'#include "{"x" * 5000}"\n', tmp_path)) == "K101 1:10"


def test_bytes_that_are_no_text_are_shown_in_their_file(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_bytes(b"int x;\n \xff\n")
    diagnostic = only('#include "a.h"\n', tmp_path)
    assert place(diagnostic) == "K002 2:2"
    assert [str(note.span) for note in diagnostic.notes] == ["k.cl:1:10"]


@pytest.mark.parametrize("times", [1, 2])
def test_a_file_that_includes_itself_ends_in_an_error(tmp_path: Path, times: int) -> None:
    (tmp_path / "a.h").write_text('#include "a.h"\n' * times)
    assert only('#include "a.h"\n', tmp_path).code == "K103"


def test_once_and_guards(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("#pragma once\nint f(void);\n")
    (tmp_path / "b.h").write_text("#ifndef B\n#define B\nint g(void);\n#endif\n")
    text = '#include "a.h"\n#include "a.h"\n#include "./a.h"\n#include "b.h"\n#include "b.h"\n'
    assert len(parsed(text, folder=str(tmp_path)).ast.ext) == 2


def test_a_group_does_not_reach_over_files(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("#if 1\n")
    (tmp_path / "b.h").write_text("#endif\n")
    said = found('#include "a.h"\n#include "b.h"\n', folder=str(tmp_path))
    assert [(d.code, d.span.file if d.span else "") for d in said] == [
        ("K111", f"{tmp_path}/a.h"),
        ("K112", f"{tmp_path}/b.h"),
    ]


def test_forced_includes_come_after_the_macros_of_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.h").write_text("#ifdef A\ntypedef float real;\n#endif\n")
    build = BuildOptions(options("A").macros, forced_includes=("a.h",))
    assert len(parsed("void f(real x);\n", build).ast.ext) == 2
    missing = BuildOptions(forced_includes=("none.h",))
    (diagnostic,) = found("", missing)
    assert str(diagnostic.span) == "<command line>:1:10"
    assert found("", BuildOptions(forced_includes=('a"b',)))[0].code == "K132"


def test_the_name_of_a_file_may_come_from_a_macro(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("int f(void);\n")
    text = '#define A "a.h"\n#define B <a.h>\n#include A\n#include B\n'
    unit = parsed(text, options(include_dirs=(str(tmp_path),)), str(tmp_path))
    assert len(unit.ast.ext) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#include\n", ["K102 1:2"]),
        ("#include foo\n", ["K102 1:10"]),
        ("#include <foo\n", ["K102 1:10"]),
        ('#include ""\n', ["K102 1:10"]),
        ("#error a 'b\nint x;\n", ["K120 1:2"]),
        ("#warning a\n", ["K121 1:2"]),
        ("#unknown\n", ["K122 1:2"]),
        ('#\n# 12 "a.c" 3\n#line 4\n', []),
        ("#line\n#line x\n", ["K124 1:2", "K124 2:7"]),
        ("int x; # define A\n", ["K201 1:8"]),
        ("\n  /* a\n", ["K140 2:3"]),
        ("#pragma other\n#pragma other\n#pragma\n", ["K142 1:2", "K142 3:2"]),
        ("_Pragma(x) int f(void);\n", ["K141 1:1"]),
        ('_Pragma("other") int f(void);\n', ["K142 1:1"]),
    ],
)
def test_directives_that_go_wrong(text: str, said: list[str]) -> None:
    assert places(text) == said


def test_the_text_of_an_error_is_shown() -> None:
    (diagnostic,) = found("#error  choose  a 'size'  // now\n")
    assert diagnostic.message == "#error choose  a 'size'  // now"


def test_independent_errors_are_found_in_one_run() -> None:
    text = "#if 1 +\n#endif\n#unknown\n#define 1\nint f(int x) { return x }\nfoo g(void);\n"
    assert places(text) == ["K113 1:8", "K122 3:2", "K131 4:9", "K210 5:24", "K211 6:1"]


def test_a_diagnostic_reads_well(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("#define SQUARE(x) (x) * (x\n")
    text = '#include "a.h"\nint f(int y) { return SQUARE(y + 1); }\n'
    (diagnostic,) = found(text, folder=str(tmp_path))
    sources = {"k.cl": text.split("\n"), f"{tmp_path}/a.h": ["#define SQUARE(x) (x) * (x"]}
    assert render(diagnostic, sources) == (
        "k.cl:2:36: error[K210]: expected ')'\n"
        "    2 | int f(int y) { return SQUARE(y + 1); }\n"
        "      |                                    ^\n"
        "k.cl:2:23: note: to match this '('\n"
        "    2 | int f(int y) { return SQUARE(y + 1); }\n"
        "      |                       ^~~~~~\n"
        f"{tmp_path}/a.h:1:25: note: expanded from macro 'SQUARE'\n"
        "    1 | #define SQUARE(x) (x) * (x\n"
        "      |                         ^"
    )


def test_the_time_is_not_read() -> None:
    unit = parsed("constant char *when = __DATE__ __TIME__;\n")
    assert unit.ast.ext

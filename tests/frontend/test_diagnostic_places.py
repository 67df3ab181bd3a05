"""Every diagnostic of preprocessor and parser: a smallest source, and the place that is shown.

Those of the semantic pass are in sema/test_errors.py, clang's (K240 and K241) beside its tests.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.base.diagnostic_codes import CODES
from kcc.frontend.options import BuildOptions, MacroOption
from kcc.frontend.preprocessor import preprocess
from tests.frontend.parsing import found, place, places

MARK = "^"
"""Stands before the place of the diagnostic."""

CASES: list[tuple[str, str]] = [
    ("K101", 'int f(void);\n#include ^"nothing.h"\n'),
    ("K102", "#include ^nothing\n"),
    ("K111", "int f(void);\n  #^if 1\n"),
    ("K112", "#^endif\n"),
    ("K113", "#if 1 +^\n#endif\n"),
    ("K114", "#if 1\n#else\n#^else\n#endif\n"),
    ("K120", "  #^error no\n"),
    ("K121", "#^warning look\n"),
    ("K122", "#^foo\n"),
    ("K123", "#if 1\n#endif ^foo\n"),
    ("K124", "#line ^x\n"),
    ("K130", "#define A 1\n#define ^A 2\n"),
    ("K131", "#define ^1\n"),
    ("K134", "#define A(x) x\nconstant int a = ^A(1, 2);\n"),
    ("K135", "#define A(x) x\nconstant int a = ^A(1;\n"),
    ("K136", "#define A(x, y) x ## y\nconstant int a = ^A(1, +);\n"),
    (
        "K137",
        "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(x)))\nint a = B(^B(B(1)));\n",
    ),
    ("K140", "constant int a = 1; ^/* no end\n"),
    ("K141", "^_Pragma(1)\n"),
    ("K142", "#^pragma foo\n"),
    ("K201", "constant int a = 1 ^@ 2;"),
    ("K202", "constant int a = ^'ab';"),
    ("K203", "constant int a =\n  ^09;"),
    ("K204", "constant int a = ^'\\q';"),
    ("K210", "void f(int n) { n = ^; }"),
    ("K211", "^foo x;"),
    ("K212", "^f(void) {}"),
    ("K213", "void f(void) { ^register int x; }"),
    ("K214", "void f(void) {^"),
    ("K220", "void f(void) ^__attribute__(foo);"),
    ("K221", "void f(void) __attribute__((^foo));"),
    ("K222", "^int;"),
    ("K230", "void f(int n) { n ^?: 1; }"),
]

ELSEWHERE = {"K103", "K132", "K138", "K144", "K240", "K241"}
"""Below, of options (tests/kcc/test_slips.py), and of clang."""


@pytest.mark.parametrize(("code", "marked"), CASES)
def test_place(code: str, marked: str) -> None:
    before, _, after = marked.partition(MARK)
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    assert places(before + after) == [f"{code} {line}:{column}"]


def test_every_code_has_a_case() -> None:
    own = {code for code in CODES if code.startswith(("K1", "K2"))}
    assert {code for code, _ in CASES} | ELSEWHERE == own


def test_a_file_that_includes_itself(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text('\n #include "a.h"\n')
    (diagnostic,) = found('#include "a.h"\n', folder=str(tmp_path))
    assert place(diagnostic) == "K103 2:11"
    assert diagnostic.span is not None
    assert diagnostic.span.file.endswith("a.h")


def test_a_wrong_option_has_no_place() -> None:
    assert places("", BuildOptions(macros=(MacroOption("1", "2"),))) == ["K132"]


def test_more_tokens_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preprocess, "MAX_TOKENS", 5)
    (shown,) = places("int a;\nint b;\nint c;\n")
    assert shown.startswith("K138 ")

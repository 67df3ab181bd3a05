"""Conditions of #if, and the groups they choose."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.frontend.parsing import expanded, found, options, places

TRUE = [
    "1", "1 + 2 * 3 == 7", "(1 ? 2 : 3) == 2", "0 ? 0 : 1", "-1 < 0", "-1 > 0u", "!0", "~0 == -1",
    "7 / 2 == 3", "-7 / 2 == -3", "-7 % 2 == -1", "1 << 4 == 16", "-8 >> 1 == -4", "0x10 == 16",
    "010 == 8", "1 || 1 / 0", "!(0 && 1 / 0)", "1 ? 1 : 1 / 0", "'a' == 97", "'\\n' == 10",
    "'\\377' == -1", "'\\x41' == 65", "18446744073709551615u == -1", "9223372036854775807 > 0",
    "X == 5", "defined X", "defined(X)", "!defined Y", "!defined(Y) && Y == 0", "F(2) == 4",
    "UNKNOWN == 0", "(2 | 1) == 3", "(6 & 3) == 2", "(5 ^ 1) == 4", "5 != 4", "5 >= 5", "4 <= 5",
    "+1", "(0, 1) == 1 || 1", "0x7fffffffffffffff + 1 < 0", "10ul > 9L", "1ull == 1",
]  # fmt: skip

WRONG = [
    ("", 4), (" 1 +", 8), (" (1", 7), (" 1 2", 7), (" 1.0", 5), (' "a"', 5), (" 1 / 0", 7),
    (" 1 % 0", 7), (" foo(1)", 5), (" defined", 12), (" defined(", 13), (" defined(X", 14),
    (" defined 1", 13), (" 1 ? 2", 10), (" )", 5), (" 99999999999999999999", 5), (" 0x", 5),
    (" 'ab'", 5), (" 1 = 1", 7), (" @", 5), (" 09", 5),
]  # fmt: skip


@pytest.mark.parametrize("condition", [c for c in TRUE if "," not in c])
def test_conditions_that_hold(condition: str) -> None:
    text = f"#define F(x) ((x) * 2)\n#if {condition}\nyes\n#else\nno\n#endif\n"
    assert expanded(text, options("X=5")) == "yes"


@pytest.mark.parametrize(("condition", "column"), WRONG)
def test_a_wrong_condition_is_placed(condition: str, column: int) -> None:
    assert places(f"#if{condition}\n#endif\n", options("X=5")) == [f"K113 1:{column}"]


def test_deep_conditions_end_in_an_error() -> None:
    for condition in ("(" * 5000 + "1" + ")" * 5000, "1 ? 1 : " * 5000 + "1"):
        assert [d.code for d in found(f"#if {condition}\n#endif\n")] == ["K113"]
    assert not found(f"#if {'- ' * 5000} 1 {'+ 1' * 5000}\n#endif\n")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("#if 1\na\n#elif 1\nb\n#else\nc\n#endif", "a"),
        ("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif", "b"),
        ("#if 0\na\n#elif 0\nb\n#else\nc\n#endif d", "c"),
        ("#if 0\n#if 1\na\n#else\nb\n#endif\nc\n#else\nd\n#endif", "d"),
        ("#if 1\n#if 0\na\n#else\nb\n#endif\nc\n#else\nd\n#endif", "b c"),
        ("#ifdef X\na\n#endif\n#ifndef X\nb\n#endif", "a"),
        ("#if 0\n' \" @ #error #unknown\n#define A(\n#include\n#endif\na", "a"),
        ("#if 1\na\n#elif 1 / 0 +\nb\n#endif", "a"),
        ("#ifndef G\n#define G\na\n#endif\n#ifndef G\nb\n#endif", "a"),
        ("#define D defined(X)\n#if D\na\n#endif", "a"),
    ],
)
def test_groups(text: str, result: str) -> None:
    assert expanded(text, options("X")) == result


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("__has_builtin(__builtin_amdgcn_sdot4)", False),
        ("__has_builtin(__builtin_nontemporal_load)", True),
        ("!__has_builtin(X) && __has_attribute(reqd_work_group_size)", True),
        ("__has_attribute(__packed__)", True),
        ("__has_attribute(vector_size)", False),
        ("defined(__has_feature) && __has_feature(cxx_rtti)", False),
        ("__has_extension(x) || __has_cpp_attribute(clang::fallthrough)", False),
        ('__has_include(<nothing.h>) || __has_include("nothing.h")', False),
        ("HAS(aligned)", True),
    ],
)
def test_feature_checks_are_answered(condition: str, *, holds: bool) -> None:
    text = f"#define HAS(x) __has_attribute(x)\n#if {condition}\na\n#else\nb\n#endif"
    assert expanded(text, options("X")) == ("a" if holds else "b")


def test_headers_are_found_where_include_finds_them(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("")
    given = replace(options(), include_dirs=(str(tmp_path),))
    assert (
        expanded('#if __has_include("own.h") && !__has_include(<other.h>)\na\n#endif', given) == "a"
    )


def test_a_fall_back_for_feature_checks_is_not_taken() -> None:
    assert (
        expanded("#ifndef __has_builtin\n#define __has_builtin(x) 0\n#else\na\n#endif", options())
        == "a"
    )


@pytest.mark.parametrize("condition", ["__has_builtin", "__has_builtin(x", "__has_builtin()"])
def test_a_malformed_feature_check_is_an_error(condition: str) -> None:
    assert places(f"#if {condition} + (\n#endif\n")[0].startswith("K113")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#if 1\nint x;\n", ["K111 1:2"]),
        ("#if 1\n#else\n", ["K111 1:2"]),
        ("\n#ifdef A\n#ifndef B\n", ["K111 2:2", "K111 3:2"]),
        ("#endif\n", ["K112 1:2"]),
        ("#else\n#elif 1\n", ["K112 1:2", "K112 2:2"]),
        ("#if 1\n#else\n#else\n#endif\n", ["K114 3:2"]),
        ("#if 0\n#else\n#elif 1\n#endif\n", ["K114 3:2"]),
        ("#ifdef\n#endif\n", ["K113 1:2"]),
        ("#ifndef 1\n#endif\n", ["K113 1:9"]),
        ("#ifdef A B\n#else c\n#endif d\n", ["K123 1:10", "K123 2:7", "K123 3:8"]),
    ],
)
def test_unbalanced_groups_are_placed(text: str, said: list[str]) -> None:
    assert places(text) == said


def test_an_open_group_shows_its_else() -> None:
    (diagnostic,) = found("#if 1\n\n#else\n")
    assert [str(note.span) for note in diagnostic.notes] == ["k.cl:3:2"]


def test_the_second_else_shows_the_first_and_the_if() -> None:
    (diagnostic,) = found("#if 1\n#else\n#else\n#endif\n")
    assert [str(note.span) for note in diagnostic.notes] == ["k.cl:2:2", "k.cl:1:2"]

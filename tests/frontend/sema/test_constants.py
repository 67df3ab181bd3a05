"""Values of constant expressions in the tree."""

from __future__ import annotations

import pytest

from kcc.frontend.tree import Constant, VectorLiteral
from tests.frontend.sema.support import analysed, said

PRELUDE = """\
constant int n = 3; constant float h = 0.5f; constant int t[4] = { 1, 2, 3, 4 };
constant struct S { int a; struct { float b[3]; } c; } s = { 1 }; enum { E = 7, F };
"""


def value_of(type_: str, expression: str) -> object:
    """The value that a constant of the type is initialised with."""
    text = f"{PRELUDE}constant {type_} x = {expression};"
    initialiser = next(i for v, i in analysed(text).constants if v.name == "x")
    if isinstance(initialiser, VectorLiteral):
        parts = [part for part in initialiser.parts if isinstance(part, Constant)]
        return tuple(part.value for part in parts)
    assert isinstance(initialiser, Constant)
    return initialiser.value


@pytest.mark.parametrize(
    ("type_", "expression", "expected"),
    [
        ("int", "n * E + F", 29),
        ("int", "n > 2 && h < 1 || 1 / (n - 3)", 1),
        ("int", "n < 2 && 1 / 0", 0),
        ("int", "n ? E : 1 / 0", 7),
        ("int", "!n + !0.0f + ~n + -n", -6),
        ("int", "sizeof(t) / sizeof(t[0]) + sizeof(struct S)", 20),
        ("uint", "-1", 0xFFFFFFFF),
        ("char", "200", -56),
        ("bool", "0.25f", 1),
        ("int", "(char)0x1ff + (uchar)-1", 254),
        ("long", "1u << 31", 2147483648),
        ("long", "(1 << 31) >> 31", -1),
        ("float", "1 / 3", 0.0),
        ("float", "1 / 3.0f", 0.3333333432674408),
        ("double", "0.1f", 0.10000000149011612),
        ("float", "-h * n", -1.5),
        ("int", "&t[3] - t", 3),
        ("int", "&t[3] - (t + 1)", 2),
        ("int", "&t[1] > t", 1),
        ("int", "t + 1 == &t[1]", 1),
        ("int", "t != 0", 1),
        ("bool", "t", 1),
        ("bool", "&s", 1),
        ("long", "(long)(constant char *)40 + 2", 42),
        ("int", "&s.c.b[2] - &s.c.b[0]", 2),
        ("long", "(constant char *)&s.c.b[2] - (constant char *)&s", 12),
        ("long", "(long)&((struct S *)0)->c.b[1]", 8),
        ("int", "(int *)8 - (int *)0 - 1", 1),
        ("float4", "(float4)(1, h, (float2)(n, 2)) * 2", (2.0, 1.0, 6.0, 4.0)),
        ("int4", "(int4)(5) < (int4)(4, 5, 6, 7)", (0, 0, -1, -1)),
        ("int2", "!(float2)(0.0f, 2.0f)", (-1, 0)),
        ("int2", "-(int2)(1, -2)", (-1, 2)),
        ("uchar2", "~(uchar2)(1, 255)", (254, 0)),
        ("int2", "(int2)(0, 5) && (int2)(1, 1)", (0, -1)),
        ("int2", "(int2)(0, 5) || (int2)(0, 0)", (0, -1)),
        ("int2", "(int2)(-1, 1) ? (int2)(3, 4) : (int2)(5, 6)", (3, 6)),
        ("float2", "((float4)(1, 2, 3, 4)).wx", (4.0, 1.0)),
        ("float", "((float4)(1, 2, 3, 4)).hi.y", 4.0),
        ("int", "'a' + '\\n' + '\\x41' + '\\101'", 97 + 10 + 65 + 65),
    ],
)
def test_values(type_: str, expression: str, expected: object) -> None:
    assert value_of(type_, expression) == expected


@pytest.mark.parametrize(
    "expression",
    [
        "t[1]", "s.a", "1 / 0", "n % 0", "(int)1e20f", "&t[0] > &n", "&t[1] - &n", "get_work_dim()",
        "*t", "n++", "(n, 1)", "(int)&t", "h ? 1 : 2", "(int)(uint)-1.5f",
    ],
)  # fmt: skip
def test_not_constant(expression: str) -> None:
    codes = {entry[0] for entry in said(f"{PRELUDE}constant int x = {expression};")}
    assert codes & {"K326", "K353", "K367"}


def test_const_variables_count() -> None:
    text = "void f(int i) { const int n = 4, m = n * 2; int a[m]; switch (i) { case m: ; } }"
    assert said(text) == []
    assert [entry[0] for entry in said("void f(int i) { const int n = i; int a[n]; }")] == ["K312"]
    assert [entry[0] for entry in said("void f(void) { const volatile int n = 1; int a[n]; }")] == [
        "K312"
    ]

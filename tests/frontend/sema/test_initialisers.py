"""Braces, designators, strings and vectors as initialisers (C99 6.7.8)."""

from __future__ import annotations

import pytest

from kcc.frontend.tree import AggregateInit, Constant, Declare, Expr, Initialiser, Splat
from tests.frontend.sema.support import analysed, function

STRUCTS = (
    "struct P { int x; int y; };\nstruct S { int a[3]; int b; struct P p; };\n"
    "union U { int i; float f; };\nstruct A { int k; union { int m; float n; }; };\n"
)

Plain = int | float | str | dict[int, "Plain"]


def plain(initialiser: Initialiser) -> Plain:
    """Nested dicts of numbers; an expression that is not constant is named by its class."""
    if isinstance(initialiser, AggregateInit):
        return {index: plain(part) for index, part in initialiser.elements}
    if isinstance(initialiser, Constant):
        return initialiser.value
    return type(initialiser).__name__


def declared(declaration: str) -> tuple[str, Initialiser]:
    """Type and initialiser of the last variable of a function body."""
    text = f"{STRUCTS}void k(int i, float4 w, struct P q) {{ {declaration} }}"
    body = function(analysed(text), "k").body
    assert body is not None
    statement = body.statements[-1]
    assert isinstance(statement, Declare)
    assert statement.initialiser is not None
    return str(statement.variable.type), statement.initialiser


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("int a[3] = { 1, 2 };", {0: 1, 1: 2}),
        ("int a[2][2] = { 1, 2, 3 };", {0: {0: 1, 1: 2}, 1: {0: 3}}),
        ("int a[2][2] = { { 1 }, { 2, 3 } };", {0: {0: 1}, 1: {0: 2, 1: 3}}),
        ("int a[2][2] = { { 1 }, 2, 3 };", {0: {0: 1}, 1: {0: 2, 1: 3}}),
        ("int a[5] = { [2] = 1, 3, [0] = 4 };", {0: 4, 2: 1, 3: 3}),
        ("int a[2][2] = { [1] = { 5, 6 }, [0][1] = 7 };", {0: {1: 7}, 1: {0: 5, 1: 6}}),
        ("int a[2][3] = { [0][1] = 1, 2, 3, 4 };", {0: {1: 1, 2: 2}, 1: {0: 3, 1: 4}}),
        ("int a[3] = { };", {}),
        ("struct S s = { 1, 2, 3, 4, 5, 6 };",
         {0: {0: 1, 1: 2, 2: 3}, 1: 4, 2: {0: 5, 1: 6}}),
        ("struct S s = { { 1 }, 2, { 3 } };", {0: {0: 1}, 1: 2, 2: {0: 3}}),
        ("struct S s = { .b = 1, { .y = 2 }, .a[1] = 3, 4 };", {0: {1: 3, 2: 4}, 1: 1, 2: {1: 2}}),
        ("struct S s = { .p.y = 1, .p.x = 2 };", {2: {0: 2, 1: 1}}),
        ("struct S s = { { 1, 2, 3 }, 4, q };", {0: {0: 1, 1: 2, 2: 3}, 1: 4, 2: "Load"}),
        ("struct P s[2] = { q, 1, 2 };", {0: "Load", 1: {0: 1, 1: 2}}),
        ("struct P s[2] = { [1] = 7 };", {1: {0: 7}}),
        ("struct P s[2] = { [0].y = 1, 2 };", {0: {1: 1}, 1: {0: 2}}),
        ("union U u = { 1 };", {0: 1}),
        ("union U u = { .f = 2 };", {1: 2.0}),
        ("union U u = { .f = 2, .i = 3 };", {0: 3}),
        ("struct A a = { 1, { 2 } };", {0: 1, 1: {0: 2}}),
        ("struct A a = { 1, 2 };", {0: 1, 1: {0: 2}}),
        ("struct A a = { .n = 3, .k = 4 };", {0: 4, 1: {1: 3.0}}),
        ('char a[4] = "ab";', {0: 97, 1: 98}),
        ('char a[4] = { "ab" };', {0: 97, 1: 98}),
        ('uchar a[2] = "\\xff";', {0: 255}),
        ('char a[2] = "\\xff";', {0: -1}),
        ('char a[2][3] = { "ab", { 99 } };', {0: {0: 97, 1: 98}, 1: {0: 99}}),
        ("float4 a[2] = { w, 1 };", {0: "Load", 1: "Splat"}),
        ("float4 a[2] = { { 1, 2, 3, 4 } };", {0: "VectorLiteral"}),
        ("int a[2] = { i, 1.9f };", {0: "Load", 1: 1}),
    ],
)  # fmt: skip
def test_aggregates(declaration: str, expected: Plain) -> None:
    assert plain(declared(declaration)[1]) == expected


@pytest.mark.parametrize(
    ("declaration", "type_"),
    [
        ("int a[] = { 1, 2, 3 };", "int[3]"),
        ("int a[] = { [9] = 1, 2 };", "int[11]"),
        ("int a[][2] = { 1, 2, 3 };", "int[2][2]"),
        ('char a[] = "abc";', "char[4]"),
        ('char a[] = "a\\0" "b";', "char[4]"),
        ("struct P a[] = { 1, 2, 3 };", "struct P[2]"),
    ],
)
def test_open_lengths(declaration: str, type_: str) -> None:
    assert declared(declaration)[0] == type_


def test_scalars_in_braces() -> None:
    value = declared("int a = { 1 };")[1]
    assert isinstance(value, Constant)


def test_vectors() -> None:
    value = declared("float4 a = { 1, w.xy, i };")[1]
    assert plain(value) == "VectorLiteral"
    value = declared("float4 a = { };")[1]
    assert isinstance(value, Splat)


def test_constants_are_computed() -> None:
    program = analysed(
        "constant int n = 3;\nconstant float a[2] = { n * 2, 1.0f / 3 };\n"
        "constant float4 v = (float4)(1, 2, 3, 4) * 2.0f;\nconstant int *constant p = &n;\n"
        'constant char *constant s[2] = { "a", 0 };\n'
    )
    found = {variable.name: initialiser for variable, initialiser in program.constants}
    assert plain(found["a"]) == {0: 6.0, 1: 0.3333333432674408}
    vector = found["v"]
    assert plain(vector) == "VectorLiteral"
    parts: tuple[Expr, ...] = getattr(vector, "parts", ())
    assert [plain(part) for part in parts] == [2.0, 4.0, 6.0, 8.0]
    assert plain(found["p"]) == "AddressOf"
    assert plain(found["s"]) == {0: "ArrayDecay", 1: 0}

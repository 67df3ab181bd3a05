"""The contract of the parser: places, notes, attributes, pragmas, unrolling."""

from __future__ import annotations

import sys

import pytest
from pycparser import c_ast

from kcc.base.diagnostics import DiagnosticError, DiagnosticSink
from kcc.frontend.options import BuildOptions, SourceText
from kcc.frontend.parser import parse, room_for_recursion
from tests.frontend.parsing import body_of, found, parsed, places, shape


def where(text: str, kind: type[c_ast.Node]) -> list[str]:
    """Line and column of all nodes of a kind in a source."""
    unit = parsed(text)
    result: list[str] = []

    def visit(node: c_ast.Node) -> None:
        if isinstance(node, kind):
            span = unit.span(node)
            result.append(f"{span.line}:{span.column}")
        for _, child in node.children():
            visit(child)

    visit(unit.ast)
    return result


PLACED = """kernel void k(global float *out,
              const int n) {
  int a[2], b = n +
    1;
  if (a[0] < f(b)) { a[1] -= b ? 1 : -2; }
  for (int i = 0; i < 3; ++i) out[i].x = (float)i;
  struct S { int m; } s;
  return;
}
"""


@pytest.mark.parametrize(
    ("kind", "spans"),
    [
        (c_ast.FuncDef, ["1:13"]),
        (c_ast.Decl, ["1:13", "1:29", "2:25", "3:7", "3:13", "6:12", "7:23", "7:18"]),
        (c_ast.BinaryOp, ["3:19", "5:12", "6:21"]),
        (c_ast.Assignment, ["5:27", "6:40"]),
        (c_ast.TernaryOp, ["5:32"]),
        (c_ast.UnaryOp, ["5:38", "6:26"]),
        (c_ast.ArrayRef, ["5:7", "5:22", "6:31"]),
        (c_ast.FuncCall, ["5:14"]),
        (c_ast.StructRef, ["6:31"]),
        (c_ast.Cast, ["6:42"]),
        (c_ast.If, ["5:3"]),
        (c_ast.For, ["6:3"]),
        (c_ast.Return, ["8:3"]),
        (c_ast.Struct, ["7:10"]),
        (c_ast.Compound, ["2:28", "5:20"]),
    ],
)
def test_nodes_are_placed(kind: type[c_ast.Node], spans: list[str]) -> None:
    assert where(PLACED, kind) == spans


def test_nodes_without_a_place_have_that_of_their_first_part() -> None:
    unit = parsed("int f(float *, int);\n")
    (declaration,) = unit.ast.ext
    assert isinstance(declaration, c_ast.Decl)
    assert isinstance(declaration.type, c_ast.FuncDecl)
    assert declaration.type.args is not None
    first = declaration.type.args.params[1]
    assert str(unit.span(first)) == "k.cl:1:16"
    assert str(unit.span(unit.ast)) == "k.cl:1:5"
    assert str(parsed("").span(parsed("").ast)) == "k.cl:1:1"


def test_a_macro_is_placed_at_its_use_and_an_argument_where_it_is_written() -> None:
    text = "#define ADD(a, b) ((a) + (b))\n#define TWICE(x) ADD(x, x)\nint f(int v) {\n"
    unit = parsed(text + "  return TWICE(\n    v);\n}\n")
    (statement,) = body_of(unit)
    assert isinstance(statement, c_ast.Return)
    addition = statement.expr
    assert isinstance(addition, c_ast.BinaryOp)
    assert str(unit.span(addition)) == "k.cl:4:10"
    assert [(n.message, str(n.span)) for n in unit.notes(addition)] == [
        ("expanded from macro 'ADD'", "k.cl:1:24"),
        ("expanded from macro 'TWICE'", "k.cl:2:18"),
    ]
    assert str(unit.span(addition.left)) == "k.cl:5:5"
    assert unit.notes(addition.left) == ()


def attributes(text: str) -> dict[str, list[str]]:
    """The attributes of every node that has some, as text."""
    unit = parsed(text)
    result: dict[str, list[str]] = {}

    def visit(node: c_ast.Node) -> None:
        shown = [
            " ".join([a.name, *(shape(argument) for argument in a.arguments)])
            for a in unit.attributes_of(node)
        ]
        if shown:
            name = getattr(node, "name", None)
            kind = type(node).__name__
            result[kind if isinstance(name, c_ast.Node) else f"{kind} {name}"] = shown
        for _, child in node.children():
            visit(child)

    visit(unit.ast)
    return result


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "kernel __attribute__((reqd_work_group_size(8, 4 * 2, 1))) void k() {}",
            {"Decl k": ["reqd_work_group_size 8 (BinaryOp * 4 2) 1"]},
        ),
        (
            "__attribute__((vec_type_hint(float4))) kernel void __attribute__((noinline)) k() {}",
            {"Decl k": ["vec_type_hint float4", "noinline"]},
        ),
        ("void f() __attribute__((pure));", {"Decl f": ["pure"]}),
        (
            "struct __attribute__((packed)) S { int a __attribute__((aligned(8))), b; };",
            {"Struct S": ["packed"], "Decl a": ["aligned 8"]},
        ),
        (
            "typedef struct { int a; } __attribute__((__packed__, aligned(16))) T;",
            {"Struct None": ["packed", "aligned 16"]},
        ),
        (
            "struct S { __attribute__((aligned(4))) char c, d; };",
            {"Decl c": ["aligned 4"], "Decl d": ["aligned 4"]},
        ),
        (
            "struct S { int a; }; struct S __attribute__((aligned)) s, t __attribute__((unused));",
            {"Decl s": ["aligned"], "Decl t": ["aligned", "unused"]},
        ),
        ("union U { int a; } __attribute__((packed));", {"Union U": ["packed"]}),
        ("enum __attribute__((packed)) E { A };", {"Enum E": ["packed"]}),
        ("typedef float V __attribute__((aligned(8)));", {"Typedef V": ["aligned 8"]}),
        (
            "void f(int a __attribute__((unused)), __attribute__((unused)) int *b);",
            {"Decl a": ["unused"], "Decl b": ["unused"]},
        ),
        (
            "constant int x __attribute__((aligned(sizeof(float4)))) = 1;",
            {"Decl x": ["aligned (UnaryOp sizeof float4)"]},
        ),
        (
            "void f() { int x __attribute__((aligned(8))) = 1, y; }",
            {"Decl x": ["aligned 8"]},
        ),
        ("int * __attribute__((unused)) p;", {"Decl p": ["unused"]}),
        ("void f(void) { __attribute__((unused)) int x; }", {"Decl x": ["unused"]}),
        ("void f() { l: __attribute__((unused)) g(); }", {"FuncCall": ["unused"]}),
        ("int a; __attribute__((unused)) int b;", {"Decl b": ["unused"]}),
        ("int x __attribute__(());", {}),
    ],
)
def test_attributes_belong_to_what_they_stand_at(text: str, expected: dict[str, list[str]]) -> None:
    assert attributes(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("__attribute__(packed) int x;", ["K220 1:1"]),
        ("__attribute__ int x;", ["K220 1:1"]),
        ("__attribute__((aligned(8)) int x;", ["K220 1:1"]),
        ("__attribute__((8)) int x;", ["K220 1:16"]),
        ("__attribute__((aligned 8)) int x;", ["K220 1:16"]),
        ("__attribute__((aligned(8 8))) int x;", ["K210 1:26"]),
        ("__attribute__((aligned(;))) int x;", ["K220 1:1"]),
        ("__attribute__((bogus)) int x;", ["K221 1:16"]),
        ("int x; __attribute__((packed)) ;", ["K221 1:23"]),
    ],
)
def test_malformed_attributes(text: str, said: list[str]) -> None:
    assert places(text) == said


@pytest.mark.parametrize(
    ("pragma", "factor"),
    [
        ("#pragma unroll\n", 0),
        ("#pragma unroll 4\n", 4),
        ("#pragma unroll(2 * N)\n", 6),
        ("#pragma unroll N\n", 3),
        ("#pragma unroll 0\n", 1),
        ("#pragma nounroll\n", 1),
        ("#pragma clang loop unroll(full)\n", 0),
        ("#pragma clang loop unroll(disable)\n", 1),
        ("#pragma clang loop unroll_count(8)\n", 8),
        ("#pragma GCC unroll 5\n", 5),
        ('_Pragma("unroll 7") ', 7),
        ("UNROLL(9) ", 9),
        ("__attribute__((opencl_unroll_hint)) ", 0),
        ("__attribute__((opencl_unroll_hint(4))) ", 4),
        ("__attribute__((opencl_unroll_hint(1))) ", 1),
        ("l: __attribute__((opencl_unroll_hint(4))) ", 4),
        ("#pragma other\n", None),
        ("", None),
    ],
)
@pytest.mark.parametrize("loop", ["for (;;) ;", "while (1) ;", "do ; while (1);"])
def test_unrolling(pragma: str, factor: int | None, loop: str) -> None:
    head = "#define N 3\n#define STR(x) #x\n#define UNROLL(n) _Pragma(STR(unroll n))\n"
    unit = parsed(f"{head}void f() {{\n{pragma}{loop}\n}}\n")
    (statement,) = body_of(unit)
    if isinstance(statement, c_ast.Label):
        statement = statement.stmt
    assert unit.unroll_of(statement) == factor


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n#pragma unroll\nx = 1;", ["K142 2:2"]),
        ("\n#pragma unroll x\nfor (;;) ;", ["K142 2:16"]),
        ("\n#pragma unroll -1\nfor (;;) ;", ["K142 2:16"]),
        ("__attribute__((opencl_unroll_hint(-1))) for (;;) ;", ["K220 1:26"]),
        ("__attribute__((opencl_unroll_hint(4))) x = 1;", ["K221 1:26"]),
    ],
)
def test_unrolling_that_means_nothing(text: str, said: list[str]) -> None:
    assert places(f"void f() {{{text}}}") == said


def test_pragmas_of_the_unit_come_in_order() -> None:
    unit = parsed(
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nvoid f() {\n"
        "  #pragma OPENCL FP_CONTRACT OFF\n}\n#pragma STDC FP_CONTRACT ON\n"
        '_Pragma("OPENCL EXTENSION all : disable")\n'
    )
    assert [(" ".join(p.words), str(p.span)) for p in unit.pragmas] == [
        ("OPENCL EXTENSION cl_khr_fp64 : enable", "k.cl:1:2"),
        ("OPENCL FP_CONTRACT OFF", "k.cl:3:4"),
        ("STDC FP_CONTRACT ON", "k.cl:5:2"),
        ("OPENCL EXTENSION all : disable", "k.cl:6:1"),
    ]


def test_a_pragma_may_stand_anywhere() -> None:
    text = "kernel void k(int a,\n#pragma unroll\n int b) { a = b +\n#pragma x\n 1; }\n"
    assert [d.code for d in found(text)] == ["K142", "K142"]


def test_errors_are_raised_and_the_sink_keeps_all() -> None:
    sink = DiagnosticSink()
    sink.report("K121", "said before")
    with pytest.raises(DiagnosticError) as caught:
        parse(SourceText("a", "int x y; #", "."), BuildOptions(), sink)
    assert [d.code for d in caught.value.diagnostics] == ["K121", "K201"]


def test_the_recursion_limit_is_put_back() -> None:
    before = sys.getrecursionlimit()
    with room_for_recursion():
        assert sys.getrecursionlimit() > before
    assert sys.getrecursionlimit() == before

"""Statements of the tree: conditions, labels, switches, loops, scopes."""

from __future__ import annotations

from kcc.frontend.tree import (
    Block,
    Case,
    Declare,
    Default,
    DoWhile,
    For,
    Function,
    Goto,
    If,
    Label,
    Return,
    Storage,
    Switch,
    While,
)
from kcc.frontend.types import BOOL
from tests.frontend.sema.support import analysed, diagnostics, function, said


def kernel(body: str) -> Function:
    return function(analysed(f"kernel void k(global int *p, int i, float f) {{\n{body}\n}}"), "k")


def body_of(text: str) -> Block:
    block = kernel(text).body
    assert block is not None
    return block


def test_conditions_are_bool() -> None:
    first, second, third, fourth = body_of(
        "if (p) ; while (f) ; do ; while (i); for (; i; ) ;"
    ).statements
    assert isinstance(first, If)
    assert isinstance(second, While)
    assert isinstance(third, DoWhile)
    assert isinstance(fourth, For)
    assert fourth.condition is not None
    for condition in (first.condition, second.condition, third.condition, fourth.condition):
        assert condition.type.type == BOOL


def test_unrolling() -> None:
    first, second, third = body_of(
        "#pragma unroll 4\nfor (;;) break;\n#pragma unroll\nwhile (i) i--;\ndo i--; while (i);"
    ).statements
    assert isinstance(first, For)
    assert first.unroll is not None
    assert first.unroll.count == 4
    assert isinstance(second, While)
    assert second.unroll is not None
    assert second.unroll.count == 0
    assert isinstance(third, DoWhile)
    assert third.unroll is None


def test_switch() -> None:
    (switch,) = body_of(
        "switch ((uchar)i) { int z; case 'a': z = 1; case 2: ; default: i = 2; break; }"
    ).statements
    assert isinstance(switch, Switch)
    assert str(switch.value.type) == "int"
    assert isinstance(switch.body, Block)
    kinds = [type(s).__name__ for s in switch.body.statements]
    assert kinds == ["Declare", "Case", "Case", "Default", "Break"]
    values = [s.value for s in switch.body.statements if isinstance(s, Case)]
    assert values == [97, 2]


def test_case_values_are_wrapped() -> None:
    (switch,) = body_of("switch ((uint)i) { case -1: ; }").statements
    assert isinstance(switch, Switch)
    assert isinstance(switch.body, Block)
    (case,) = switch.body.statements
    assert isinstance(case, Case)
    assert case.value == 0xFFFFFFFF


def test_labels_inside_loops_belong_to_the_switch() -> None:
    (switch,) = body_of(
        "switch (i) { case 0: do { i++; case 1: i--; default: ; } while (i); }"
    ).statements
    assert isinstance(switch, Switch)
    assert isinstance(switch.body, Block)
    (case,) = switch.body.statements
    assert isinstance(case, Case)
    assert isinstance(case.body, DoWhile)
    assert isinstance(case.body.body, Block)
    assert [type(s) for s in case.body.body.statements][1:] == [Case, Default]


def test_goto() -> None:
    jump, label = body_of("goto end; end: i = 1;").statements
    assert isinstance(jump, Goto)
    assert isinstance(label, Label)
    assert jump.name == label.name


def test_return_of_void() -> None:
    text = "void g(void) { }\nvoid f(void) { return g(); }"
    body = function(analysed(text), "f").body
    assert body is not None
    (block,) = body.statements
    assert isinstance(block, Block)
    assert isinstance(block.statements[-1], Return)


def test_storage() -> None:
    text = (
        "constant int c = 1;\n"
        "kernel void k(int i) { local float s[16]; constant int t[2] = { 1, 2 }; int a = i; }"
    )
    program = analysed(text)
    assert [v.name for v, _ in program.constants] == ["c", "t"]
    ((local, owner),) = program.locals
    assert (local.name, owner.name, local.storage) == ("s", "k", Storage.LOCAL)
    body = function(program, "k").body
    assert body is not None
    storages = [s.variable.storage for s in body.statements if isinstance(s, Declare)]
    assert storages == [Storage.LOCAL, Storage.AUTOMATIC]
    assert owner.parameters[0].storage is Storage.PARAMETER


def test_scopes_hide_names() -> None:
    text = (
        "typedef int T;\nenum { N = 3 };\n"
        "void f(int i) { { float i = 1; { int N = i; N++; } } { T T = 1; T++; } int a[N]; }\n"
        "int g(void) { int max = 1, dot = 2; return max + dot; }"
    )
    assert said(text) == []


def test_names_live_until_the_end_of_their_block() -> None:
    assert said("void f(void) { { int a; } a = 1; for (int b = 0; ; ) ; b = 1; }") == [
        ("K301", 1, 27),
        ("K301", 1, 56),
    ]


def test_tags_have_scopes() -> None:
    text = (
        "struct S { int a; };\n"
        "void f(void) { struct S { float b; } s; s.b = 1; { struct S; struct S *p; } }\n"
        "int g(struct S s) { return s.a; }"
    )
    assert said(text) == []


def test_end_of_a_function() -> None:
    end = kernel("i = 1;").end
    assert end is not None
    assert (end.line, end.column) == (3, 1)


def test_missing_returns() -> None:
    silent = (
        "int a(int n) { for (;;) { if (n) return 1; } }\n"
        "int b(int n) { if (n) return 1; else return 2; }\n"
        "int c(int n) { switch (n) { case 1: return 1; default: return 2; } }\n"
        "int d(int n) { while (1) n++; }\n"
        "int e(int n) { do { return n; } while (n); }\n"
        "int f(int n) { goto end; end: return n; }\n"
    )
    assert said(silent) == []
    warned = (
        "int a(int n) { for (;;) { if (n) break; } }\n"
        "int b(int n) { switch (n) { case 1: return 1; } }\n"
        "int c(int n) { while (n) return 1; }\n"
        "int d(int n) { do { if (n) continue; return n; } while (n); }\n"
    )
    assert [d.code for d in diagnostics(warned)] == ["K393"] * 4

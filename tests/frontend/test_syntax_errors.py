"""Syntax errors: message, code and place; several in one run; no consequences reported."""

from __future__ import annotations

import pytest

from tests.frontend.parsing import found, place, places

IN_BODY = [
    # text of a function body that begins in column 1 of line 2, what is said
    ("a = 1", "K210 2:6 expected ';' after the expression"),
    ("int a = 1", "K210 2:10 expected ';' after the declaration"),
    ("return 1", "K210 2:9 expected ';' after 'return'"),
    ("return", "K210 3:1 expected an expression"),
    ("break", "K210 2:6 expected ';' after 'break'"),
    ("do ; while (1)", "K210 2:15 expected ';' after 'do ... while (...)'"),
    ("goto;", "K210 2:5 expected the name of a label after 'goto'"),
    ("a = (1 + 2;", "K210 2:11 expected ')'"),
    ("a[1 = 2;", "K210 2:8 expected ']'"),
    ("f(1, 2;", "K210 2:7 expected ')'"),
    ("f(1 2);", "K210 2:5 expected ')'"),
    ("f(, 1);", "K210 2:3 expected an expression"),
    ("a = ;", "K210 2:5 expected an expression"),
    ("a = 1 + ;", "K210 2:9 expected an expression"),
    ("a = 1 2;", "K210 2:6 expected ';' after the expression"),
    ("a.1;", "K210 2:2 expected ';' after the expression"),
    ("a.;", "K210 2:3 expected the name of a member or vector component"),
    ("a ? 1;", "K210 2:6 expected ':' of the conditional operator"),
    ("int a b;", "K210 2:6 expected ';' after the declaration"),
    ("int 3;", "K210 2:5 expected the name of what is declared"),
    ("foo a;", "K211 2:1 unknown type name 'foo'"),
    ("const foo a;", "K211 2:7 unknown type name 'foo'"),
    ("const a = 1;", "K212 2:7 the type of 'a' is missing"),
    ("int a[3 = 1;", "K210 2:12 expected ']'"),
    ("int a[2] = {1, 2;", "K210 2:17 expected '}'"),
    ("int a[2] = {1 2};", "K210 2:15 expected '}'"),
    ("a = float4(1, 2);", "K210 2:5 expected an expression, but 'float4' is a type"),
    ("if a ;", "K210 2:4 expected '(' after 'if'"),
    ("if (a ;", "K210 2:7 expected ')'"),
    ("while () ;", "K210 2:8 expected an expression"),
    ("for (a; b) ;", "K210 2:10 expected ';' after the condition of 'for'"),
    ("for (a) ;", "K210 2:7 expected ';' after the first part of 'for'"),
    ("for (int i = 0; i < 3; i++; ) ;", "K210 2:27 expected ')'"),
    ("else ;", "K210 2:1 'else' without 'if'"),
    ("if (1) int a;", "K210 2:8 a declaration cannot stand here alone"),
    ("switch (a) { case 1: }", "K210 2:22 expected a statement after a case label"),
    ("switch (a) { case 1: int b; }", "K210 2:22 a declaration cannot follow a case label"),
    ("switch (a) { case 1 b; }", "K210 2:21 expected ':' after the value of a case label"),
    ("switch (a) { default b; }", "K210 2:22 expected ':' after 'default'"),
    ("switch (a) { case 1 ... 3: ; }", "K230 2:21 ranges in a case label are GNU C"),
    ("{ l: }", "K210 2:6 expected a statement after a label"),
    (" void f() { }", "K213 2:11 a function cannot be defined inside of another"),
    ("a ?: b;", "K230 2:3 'a ?: b' is GNU C: OpenCL C needs a value between '?' and ':'"),
    ("a = ({ 1; });", "K230 2:5 statements in an expression are GNU C"),
    ("__typeof__(a) b;", "K230 2:1 '__typeof__' is GNU C, not OpenCL C 1.2"),
    ("_Generic(a, int: 1);", "K230 2:1 '_Generic' is C11, not OpenCL C 1.2"),
    ("pipe int p;", "K210 2:5 expected ';' after the expression"),
    ("typeof b;", "K230 2:1 'typeof' is GNU C, not OpenCL C 1.2"),
    ("(static int)a;", "K213 2:2 'static' cannot stand here"),
    ("struct S { int a }; a;", "K210 2:17 expected ';' after the declaration"),
    ("struct S { foo a; int b; };", "K211 2:12 unknown type name 'foo'"),
    ("struct { int a; };; struct;", "K210 2:21 expected a name or '{'"),
    ("enum { A B };", "K210 2:10 expected '}'"),
    ("enum { };", "K210 2:8 expected a name"),
    (")", "K210 2:1 expected an expression"),
]

OUTSIDE = [
    ("foo f(int a) { return a; }", "K211 1:1 unknown type name 'foo'"),
    ("kernel void k(foo a) {}", "K211 1:15 unknown type name 'foo'"),
    ("kernel void k(global foo *a) {}", "K211 1:22 unknown type name 'foo'"),
    ("kernel void k(int a, ) {}", "K212 1:22 expected a type"),
    ("kernel void k(int a {}", "K210 1:21 expected ')'"),
    ("kernel k(int a) {}", "K212 1:8 the type of 'k' is missing"),
    ("k(int a) {}", "K212 1:1 the type of 'k' is missing"),
    ("void f(a, b) int a; int b; {}", "K211 1:8 unknown type name 'a'"),
    ("void f(...);", "K210 1:8 expected the type of a parameter, or ')'"),
    ("void f(int a) return;", "K210 1:14 expected '{' or ';' after the head of the function"),
    ("void half2(int a) { }", "K210 1:6 'half2' is the name of a type: a function needs another"),
    ("}", "K210 1:1 '}' closes nothing"),
    ("3;", "K210 1:1 expected a declaration"),
    ("x = 3;", "K210 1:1 expected a declaration"),
    ("int x {}", "K210 1:7 expected ';' after the declaration"),
    ("int x = {1, {2}", "K214 1:16 expected '}'"),
    ("void f() { a", "K214 1:13 expected ';' after the expression"),
    ("void f() { if (a", "K214 1:17 expected ')'"),
    ("void f() { a +", "K214 1:15 expected an expression"),
    ("void f(", "K214 1:8 expected a type"),
    ("int", "K214 1:4 expected the name of what is declared"),
    ("struct S {", "K214 1:11 expected '}'"),
    ("struct S { int a; }\nvoid f();", "K210 1:20 expected ';' after the declaration"),
    ('_Static_assert(1, "");', "K230 1:1 '_Static_assert' is C11, not OpenCL C 1.2"),
    ("template <int N> void f();", "K210 1:1 expected a declaration"),
]


@pytest.mark.parametrize(("text", "said"), IN_BODY)
def test_in_a_body_and_on_after_it(text: str, said: str) -> None:
    """Each fault is found alone, and so is another one in the next function."""
    source = f"void f(int a) {{\n{text}\n}}\nvoid g() {{ int b c; }}\n"
    first, second = found(source)
    assert f"{place(first)} {first.message}" == said
    assert place(second) == "K210 4:17"


@pytest.mark.parametrize(("text", "said"), OUTSIDE)
def test_outside_of_bodies(text: str, said: str) -> None:
    (diagnostic,) = found(text)
    assert f"{place(diagnostic)} {diagnostic.message}" == said


def test_a_missing_bracket_shows_its_partner() -> None:
    (diagnostic,) = found("void f() {\n  g((1 + 2);\n  h();\n}\n")
    assert place(diagnostic) == "K210 2:12"
    assert [(n.message, str(n.span)) for n in diagnostic.notes] == [
        ("to match this '('", "k.cl:2:4"),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("int a;\nint b c;\nint d e;\nfoo f;\n", ["K210 2:6", "K210 3:6", "K211 4:1"]),
        ("void f() {\n int a b;\n c = ;\n { d = ; }\n e = 1\n}\n", ["K210 2:7", "K210 3:6",
         "K210 4:8", "K210 5:7"]),
        ("void f() {\n if (a b) { c = ; } else { d }\n for (;;;) e f;\n}\n", ["K210 2:8",
         "K210 2:17", "K210 2:29", "K210 3:9", "K211 3:12"]),
        ("struct S { foo a; int b; bar c; };\n", ["K211 1:12", "K211 1:26"]),
        ("typedef foo T;\nT a;\nvoid f(T b) { T c; }\n", ["K211 1:9"]),
        ("kernel void a() {\n if (x) {\n y = 1;\n}\nkernel void b() { z = ; }\n",
         ["K210 4:2", "K210 5:23"]),
        ("kernel void a() {\n if (x) {\n y = 1;\n}\nvoid b() { z = ; }\nint c d;\n",
         ["K213 5:10", "K210 5:16", "K210 6:6"]),
        ("kernel void a(int x)\n y = 1;\n if (x) { y = 2; }\n return;\n}\nint c d;\n",
         ["K210 1:21", "K210 6:6"]),
        ("void f() { }\n } \nint c d;\n", ["K210 2:2", "K210 3:6"]),
        ("int a\nint b\nint c;\nint d e;\n", ["K210 1:6", "K210 2:6", "K210 4:6"]),
        ("int a[] = {1, 2 3, {4, 5}};\nint c d;\n", ["K210 1:17", "K210 2:6"]),
    ],
)  # fmt: skip
def test_independent_faults_are_found_in_one_run(text: str, said: list[str]) -> None:
    assert places(text) == said


def test_a_fault_in_a_macro_is_told_once() -> None:
    text = "#define BAD(x) f(x +)\nvoid f() {\n  BAD(1);\n  BAD(2);\n  int a b;\n}\n"
    assert places(text) == ["K210 3:3", "K210 5:8"]


def test_too_many_errors_end_the_run() -> None:
    assert len(found("int a b;\n" * 1000)) == 50

"""The trees of statements."""

from __future__ import annotations

import pytest

from tests.frontend.parsing import body, shape


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (";", "(EmptyStatement)"),
        ("{}", "(Compound)"),
        ("{ int a; a; }", "(Compound (Decl a int) a)"),
        ("if (a) b; else c;", "(If a b c)"),
        ("if (a) if (b) c; else d;", "(If a (If b c d))"),
        ("if (a) b; else if (c) d; else if (e) f;", "(If a b (If c d (If e f)))"),
        ("while (a) b;", "(While a b)"),
        ("do a; while (b);", "(DoWhile b a)"),
        ("for (;;) a;", "(For a)"),
        ("for (a; b; c) d;", "(For a b c d)"),
        (
            "for (int i = 0, j = 1; i < j; ++i, --j) ;",
            (
                "(For (DeclList (Decl i int 0) (Decl j int 1)) (BinaryOp < i j) "
                "(ExprList (UnaryOp ++ i) (UnaryOp -- j)) (EmptyStatement))"
            ),
        ),
        ("goto l; l: a;", "(Goto l) (Label l a)"),
        ("break; continue; return; return a;", "(Break) (Continue) (Return) (Return a)"),
        (
            "switch (a) { case 1: b; c; break; case 2 + 1: default: d; }",
            "(Switch a (Compound (Case 1 b c (Break)) (Case (BinaryOp + 2 1)) (Default d)))",
        ),
        (
            "switch (a) { b; case 1: case 2: { case 3: c; } d; }",
            "(Switch a (Compound b (Case 1) (Case 2 (Compound (Case 3 c)) d)))",
        ),
        ("switch (a) case 1: b;", "(Switch a (Case 1 b))"),
        ("switch (a) {}", "(Switch a (Compound))"),
        ("typedef int T; T: a; goto T;", "(Typedef T int) (Label T a) (Goto T)"),
        ("typedef int T; T T;", "(Typedef T int) (Decl T T)"),
    ],
)
def test_statements(text: str, expected: str) -> None:
    assert " ".join(shape(node) for node in body(text)) == expected

"""The trees of expressions."""

from __future__ import annotations

import pytest

from tests.frontend.parsing import body, shape


def tree(expression: str) -> str:
    return " ".join(shape(node) for node in body(expression + ";"))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("a + b * c - d", "(BinaryOp - (BinaryOp + a (BinaryOp * b c)) d)"),
        ("a - b - c", "(BinaryOp - (BinaryOp - a b) c)"),
        ("a << b < c == d", "(BinaryOp == (BinaryOp < (BinaryOp << a b) c) d)"),
        (
            "a & b ^ c | d && e || f",
            "(BinaryOp || (BinaryOp && (BinaryOp | (BinaryOp ^ (BinaryOp & a b) c) d) e) f)",
        ),
        ("a || b && c | d ^ e & f", ("(BinaryOp || a (BinaryOp && b (BinaryOp | c (BinaryOp ^ d "
         "(BinaryOp & e f)))))")),
        ("a * b % c / d", "(BinaryOp / (BinaryOp % (BinaryOp * a b) c) d)"),
        ("(a + b) * c", "(BinaryOp * (BinaryOp + a b) c)"),
        ("a = b += c", "(Assignment = a (Assignment += b c))"),
        ("a ? b : c ? d : e", "(TernaryOp a b (TernaryOp c d e))"),
        ("a ? b, c : d", "(TernaryOp a (ExprList b c) d)"),
        ("a ? b = c : d", "(TernaryOp a (Assignment = b c) d)"),
        ("a, b, c", "(ExprList a b c)"),
        ("-a++", "(UnaryOp - (UnaryOp p++ a))"),
        ("*--a", "(UnaryOp * (UnaryOp -- a))"),
        ("!~+-&*a", "(UnaryOp ! (UnaryOp ~ (UnaryOp + (UnaryOp - (UnaryOp & (UnaryOp * a))))))"),
        ("a[b][c].d->e", "(StructRef -> (StructRef . (ArrayRef (ArrayRef a b) c) d) e)"),
        ("f(a, (b, c))(d)", "(FuncCall (FuncCall f (ExprList a (ExprList b c))) (ExprList d))"),
        ("f()", "(FuncCall f)"),
        ("(int)a + b", "(BinaryOp + (Cast int a) b)"),
        ("(int)(uint)-a", "(Cast int (Cast uint (UnaryOp - a)))"),
        ("(int)a.b[c]", "(Cast int (ArrayRef (StructRef . a b) c))"),
        ("(int)(a, b)", "(Cast int (ExprList a b))"),
        ("(int)(a).b", "(Cast int (StructRef . a b))"),
        ("(global float *)a", "(Cast (PtrDecl global float) a)"),
        ("(struct S *)a", "(Cast (PtrDecl (Struct S)) a)"),
        ("sizeof a + b", "(BinaryOp + (UnaryOp sizeof a) b)"),
        ("sizeof(int) * a", "(BinaryOp * (UnaryOp sizeof int) a)"),
        ("sizeof(a) * b", "(BinaryOp * (UnaryOp sizeof a) b)"),
        ("sizeof(int[4])", "(UnaryOp sizeof (ArrayDecl int 4))"),
        ("sizeof (int){1}", "(UnaryOp sizeof (CompoundLiteral int (InitList 1)))"),
        ("vec_step(float4) + vec_step(a)", ("(BinaryOp + (UnaryOp vec_step float4) "
         "(UnaryOp vec_step a))")),
        ("vec_step", "vec_step"),
        ('"a" "b"', '"ab"'),
        ('"\\1" "2"', '"\\1" "2"'),
        ("1.0f + 2u - 'c'", "(BinaryOp - (BinaryOp + 1.0f 2u) 'c')"),
    ],
)  # fmt: skip
def test_c(expression: str, expected: str) -> None:
    assert tree(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("(float4)(a, b)", "(Cast float4 (ExprList a b))"),
        ("(float4)(a)", "(Cast float4 a)"),
        ("(float4)(a, b).xy", "(StructRef . (Cast float4 (ExprList a b)) xy)"),
        ("(float4)(a).x", "(StructRef . (Cast float4 a) x)"),
        ("(float4)(a, b)[c]", "(ArrayRef (Cast float4 (ExprList a b)) c)"),
        ("-(int2)(a, b).s0", "(UnaryOp - (StructRef . (Cast int2 (ExprList a b)) s0))"),
        ("(float)(float4)(a, b).x", "(Cast float (StructRef . (Cast float4 (ExprList a b)) x))"),
        ("(float4)((a, b))", "(Cast float4 (ExprList (ExprList a b)))"),
        ("(float4)((float2)(a, b), c, d)", ("(Cast float4 (ExprList (Cast float2 (ExprList a b)) "
         "c d))")),
        ("(float4)(a, b) + c", "(BinaryOp + (Cast float4 (ExprList a b)) c)"),
        ("(float4)(float)a", "(Cast float4 (Cast float a))"),
        ("(float4)(float)(a)", "(Cast float4 (Cast float a))"),
        ("(float4)a.xyzw", "(Cast float4 (StructRef . a xyzw))"),
        ("(const float4)(a, b).x", "(StructRef . (Cast const float4 (ExprList a b)) x)"),
        ("(float4){a, b}.x", "(StructRef . (CompoundLiteral float4 (InitList a b)) x)"),
        ("(float4)(a, b) = c", "(Assignment = (Cast float4 (ExprList a b)) c)"),
        ("f((int2)(1, 2), (float4)(3).x)",
         "(FuncCall f (ExprList (Cast int2 (ExprList 1 2)) (StructRef . (Cast float4 3) x)))"),
    ],
)  # fmt: skip
def test_suffixes_belong_to_the_vector_literal(expression: str, expected: str) -> None:
    assert tree(expression) == expected


def test_a_vector_type_may_have_another_name() -> None:
    text = "typedef float4 V; typedef V W; typedef float4 *P; typedef float S; "
    literal, pointer, scalar = body(text + "(W)(a, b).x; (P)(a).x; (S)(a).x;")[4:]
    assert shape(literal) == "(StructRef . (Cast W (ExprList a b)) x)"
    assert shape(pointer) == "(Cast P (StructRef . a x))"
    assert shape(scalar) == "(Cast S (StructRef . a x))"


def test_a_name_may_be_a_type_outside_and_a_variable_inside() -> None:
    inner = "typedef int T; { int T; T * a; (T)(a); } T * a;"
    assert [shape(node) for node in body(inner)] == [
        "(Typedef T int)",
        "(Compound (Decl T int) (BinaryOp * T a) (FuncCall T (ExprList a)))",
        "(Decl a (PtrDecl T))",
    ]
    shadowed = "int uint = 1; uint + 1; for (int float4 = 0; float4 < 2; float4++) ; float4 v;"
    assert [shape(node) for node in body(shadowed)] == [
        "(Decl uint int 1)",
        "(BinaryOp + uint 1)",
        (
            "(For (DeclList (Decl float4 int 0)) (BinaryOp < float4 2) (UnaryOp p++ float4) "
            "(EmptyStatement))"
        ),
        "(Decl v float4)",
    ]

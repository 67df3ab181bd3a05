"""The trees of declarations."""

from __future__ import annotations

import pytest
from pycparser import c_ast

from tests.frontend.parsing import found, parsed, shape


def trees(text: str) -> list[str]:
    return [shape(node) for node in parsed(text).ast.ext]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int a;", "(Decl a int)"),
        ("unsigned long int a;", "(Decl a unsigned long int)"),
        ("const int *volatile a;", "(Decl a (PtrDecl volatile const int))"),
        ("int *a[3];", "(Decl a (ArrayDecl (PtrDecl int) 3))"),
        ("int (*a)[3];", "(Decl a (PtrDecl (ArrayDecl int 3)))"),
        ("int *f(int);", "(Decl f (FuncDecl (ParamList int) (PtrDecl int)))"),
        ("int (f)(void);", "(Decl f (FuncDecl (ParamList void) int))"),
        ("__global int *__constant *a;", "(Decl a (PtrDecl (PtrDecl __constant __global int)))"),
        (
            "const global float * restrict const a;",
            "(Decl a (PtrDecl restrict const const global float))",
        ),
        (
            "void f(read_only image2d_t a, __local float b[2]);",
            (
                "(Decl f (FuncDecl (ParamList (Decl a read_only image2d_t) "
                "(Decl b (ArrayDecl __local float 2))) void))"
            ),
        ),
        ("typedef float4 V;", "(Typedef V float4)"),
        ("typedef int A[2][3];", "(Typedef A (ArrayDecl (ArrayDecl int 3) 2))"),
        ("int a[] = {1, 2,};", "(Decl a (ArrayDecl int) (InitList 1 2))"),
        ("int a[2] = {};", "(Decl a (ArrayDecl int 2) (InitList))"),
        (
            "int a[2] = {[1] = 3, [0] = 4};",
            (
                "(Decl a (ArrayDecl int 2) (InitList (NamedInitializer 3 (ArrayDesignator 1)) "
                "(NamedInitializer 4 (ArrayDesignator 0))))"
            ),
        ),
        ("struct S;", "(Decl - (Struct S))"),
        ("struct {} a;", "(Decl a (Struct -))"),
        (
            "struct S { int a, *b; union { float f; uint u; }; struct S *n; };",
            (
                "(Decl - (Struct S (Decl a int) (Decl b (PtrDecl int)) "
                "(Decl - (Union - (Decl f float) (Decl u uint))) (Decl n (PtrDecl (Struct S)))))"
            ),
        ),
        (
            "enum E { A, B = 2, C, } e;",
            "(Decl e (Enum E (EnumeratorList (Enumerator A) (Enumerator B 2) (Enumerator C))))",
        ),
        ("enum E e;", "(Decl e (Enum E))"),
        ("kernel void k() {}", "(FuncDef (Decl k (FuncDecl void)) (Compound))"),
        (";", ""),
        ("int;", ""),
    ],
)
def test_declarations(text: str, expected: str) -> None:
    assert " ".join(trees(text)) == expected


def test_words_before_a_declaration_are_kept_as_written() -> None:
    unit = parsed("__kernel void k(__global const int *restrict p) {} static inline int f();")
    function, declaration = unit.ast.ext
    assert isinstance(function, c_ast.FuncDef)
    assert isinstance(declaration, c_ast.Decl)
    assert function.decl.funcspec == ["__kernel"]
    assert (declaration.storage, declaration.funcspec) == (["static"], ["inline"])
    assert isinstance(function.decl.type, c_ast.FuncDecl)
    assert function.decl.type.args is not None
    (parameter,) = function.decl.type.args.params
    assert isinstance(parameter, c_ast.Decl)
    assert parameter.quals == ["__global", "const"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("auto int x;", ["K213 1:1"]),
        ("register int x;", ["K213 1:1"]),
        ("struct S { int x : 3; int : 0; };", ["K230 1:20", "K230 1:29"]),
        ("int f(int a, ...);", ["K230 1:14"]),
        ("typedef int T = 3;", ["K213 1:17"]),
        ("int f() = 3;", ["K213 1:11"]),
        ("struct S { static int x; };", ["K213 1:12"]),
        ("int;", ["K222 1:1"]),
        ("typedef float4;", ["K222 1:9"]),
    ],
)
def test_what_opencl_c_has_not(text: str, said: list[str]) -> None:
    shown = [f"{d.code} {d.span.line}:{d.span.column}" for d in found(text) if d.span]
    assert shown == said

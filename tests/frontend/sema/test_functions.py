"""Functions: kernels and what they say of themselves, calls, recursion, overloads."""

from __future__ import annotations

import pytest

from kcc.frontend.tree import Call
from kcc.frontend.types import ImageAccess, VectorType
from tests.frontend.sema.support import analysed, diagnostics, function, last_expression, said


def test_kernel_attributes() -> None:
    text = (
        "enum { N = 8 };\n__attribute__((reqd_work_group_size(N * 2, N, 1)))\n"
        "kernel __attribute__((vec_type_hint(float4), work_group_size_hint(1, 2, 3))) void k(void)"
        " { }"
    )
    attributes = function(analysed(text), "k").attributes
    assert attributes is not None
    assert attributes.required_local_size == (16, 8, 1)
    assert attributes.local_size_hint == (1, 2, 3)
    assert isinstance(attributes.vector_type_hint, VectorType)


def test_parameter_spellings() -> None:
    text = (
        "typedef float real;\ntypedef struct { int a; } Pair;\nstruct S { int a; };\n"
        "kernel void k(global const real *restrict a, constant unsigned int *b, local float4 *c, "
        "unsigned char d, Pair e, struct S f, write_only image2d_t g, image3d_t h, sampler_t i, "
        "global int j[4]) { }"
    )
    attributes = function(analysed(text), "k").attributes
    assert attributes is not None
    assert attributes.parameter_types == (
        "real*", "uint*", "float4*", "uchar", "Pair", "struct S", "image2d_t", "image3d_t",
        "sampler_t", "int*",
    )  # fmt: skip
    access = attributes.parameter_access
    assert access[:6] == (None,) * 6
    assert access[6:8] == (ImageAccess.WRITE_ONLY, ImageAccess.READ_ONLY)


def test_only_kernels_have_attributes() -> None:
    program = analysed("void f(void) { }\nkernel void k(void) { f(); }")
    assert function(program, "f").attributes is None
    assert [f.name for f in program.functions if f.is_kernel] == ["k"]


def test_a_declaration_may_make_a_kernel() -> None:
    program = analysed("kernel void k(global int *a);\nvoid k(global int *a) { local int b; }")
    assert function(program, "k").is_kernel


def test_unused_prototypes_vanish() -> None:
    program = analysed("int g(int);\nfloat h(void), i(void);\nvoid f(void) { }")
    assert [f.name for f in program.functions] == ["f"]


def test_calls_before_the_definition() -> None:
    text = "int g(int);\nkernel void k(void) { g(1); }\nint g(int n) { return n; }"
    tree = last_expression(text)
    assert isinstance(tree, Call)
    assert tree.function.body is not None


def test_kernels_may_be_called() -> None:
    assert said("kernel void g(void) { }\nkernel void k(void) { g(); }") == []


def test_calls_in_sizeof_do_not_count() -> None:
    assert said("int g(int);\nint f(int n) { return sizeof(f(g(n))); }") == []


@pytest.mark.parametrize(
    ("text", "cycle"),
    [
        ("int f(int n) { return f(n); }", "f -> f"),
        (
            "int g(int);\nint f(int n) { return g(n); }\nint g(int n) { return f(n); }",
            "f -> g -> f",
        ),
        (
            "int c(int);\nint b(int n) { return c(n); }\nint c(int n) { return b(n); }",
            "b -> c -> b",
        ),
    ],
)
def test_recursion_names_the_cycle(text: str, cycle: str) -> None:
    (found,) = diagnostics(text)
    assert found.code == "K340"
    assert found.message.endswith(cycle)
    assert len(found.notes) == cycle.count("->") - 1


def test_two_cycles_are_two_errors() -> None:
    text = "int f(int n) { return f(n); }\nint g(int n) { return g(n) + f(n); }"
    assert [entry[0] for entry in said(text)] == ["K340", "K340"]


def test_a_diamond_is_no_cycle() -> None:
    text = (
        "int a(int n) { return n; }\nint b(int n) { return a(n); }\nint c(int n) { return a(n); }\n"
        "int d(int n) { return b(n) + c(n) + a(n); }"
    )
    assert said(text) == []


OVERLOADS = (
    "int __attribute__((overloadable)) g(int a) { return 1; }\n"
    "int __attribute__((overloadable)) g(float a) { return 2; }\n"
    "int __attribute__((overloadable)) g(float4 a) { return 3; }\n"
)


@pytest.mark.parametrize(
    ("argument", "parameter"),
    [("1", "int"), ("'a'", "int"), ("1.0f", "float"), ("(float4)(1)", "float4")],
)
def test_overloads(argument: str, parameter: str) -> None:
    tree = last_expression(f"{OVERLOADS}void k(void) {{ g({argument}); }}")
    assert isinstance(tree, Call)
    assert str(tree.function.type.parameters[0]) == parameter


def test_overloads_have_names_of_their_own() -> None:
    names = [f.name for f in analysed(OVERLOADS).functions]
    assert len(set(names)) == 3


def test_a_built_in_name_with_other_parameters() -> None:
    text = (
        "struct S { int a; };\nint max(struct S a, struct S b) { return 1; }\n"
        "int f(struct S s) { return max(s, s) + max(1, 2); }"
    )
    assert said(text) == []

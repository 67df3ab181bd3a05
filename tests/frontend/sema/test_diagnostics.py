"""What goes with a diagnostic: notes, hints, macros; several in one run and no consequences."""

from __future__ import annotations

import pytest

from kcc.base.diagnostics import MAX_ERRORS, Diagnostic
from kcc.frontend.options import BuildOptions
from tests.frontend.sema.support import diagnostics, in_kernel, said


def only(text: str) -> Diagnostic:
    (found,) = diagnostics(text)
    return found


def test_independent_errors_in_one_run() -> None:
    text = (
        "int g(int a) { return b; }\n"
        "kernel void k(global int *p, int *q) {\n"
        "  int i = nope;\n"
        "  float4 v = p;\n"
        "  p[0] = unknown(i);\n"
        "  goto nowhere;\n"
        "}\n"
    )
    assert said(text) == [
        ("K301", 1, 23), ("K333", 2, 35), ("K301", 3, 11), ("K348", 4, 14), ("K302", 5, 10),
        ("K375", 6, 3),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "body",
    [
        "int a = nope; a = 1; p[a] = a + 1; if (a) i = a;",
        "nope x;",
        "struct nope *a; struct nope b; b.c = 1; b = b;",
        "half a; a = 1; f = a + 1;",
        "int a[nope]; a[0] = 1; i = a[1];",
        "int a[] = nope; a[0] = 1;",
        "i = nope + nope2(i, f);",
        "nope = i;",
        "(float4)(nope, 1, 2);",
        "for (int j = nope; j < 3; j++) p[j] = j;",
        "switch (nope) { case 1: case 1: break; }",
        "max(nope, 1);",
        "struct { int a; } t = { nope }; t.a = 1;",
        "sampler_t t = nope; read_imagef(m, t, (int2)(0));",
    ],
)
def test_one_mistake_is_told_once(body: str) -> None:
    errors = [d for d in diagnostics(in_kernel(body)) if d.severity.value == "error"]
    assert len(errors) == 1 + body.count("nope2")


def test_wrong_functions_are_known() -> None:
    text = "int f(half a) { return 1; }\nhalf g(int a);\nkernel void k(int i) { f(i); g(i); }"
    assert [entry[0] for entry in said(text)] == ["K317", "K317"]


def test_bodies_of_wrong_functions_are_read() -> None:
    assert [entry[0] for entry in said("half f(int a) { return nope; }")] == ["K317", "K301"]


def test_no_more_than_the_limit() -> None:
    text = "void f(void) {\n" + "nope;\n" * 80 + "}"
    assert len(diagnostics(text)) == MAX_ERRORS


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("get_globl_id(0);", "did you mean 'get_global_id'?"),
        ("float value; valeu = 1;", "did you mean 'value'?"),
        ("struct { int width; } t; t.widht = 1;", "did you mean 'width'?"),
        ("goto ende; end: ;", "did you mean 'end'?"),
        ("struct { int a; } t, *u = &t; u.a = 1;", "write '->a'"),
        ("struct { int a; } t; t->a = 1;", "write '.a'"),
        ("int *a = p;", "declare the pointer as '__global int*'"),
        ("w = v;", "write convert_float4() or as_float4()"),
        ("int a = 1; if (v) a = 2;", "use any() or all()"),
        ("local int a = 1;", "assign to it in one work-item, then use a barrier"),
        ("h[0] = 1;", "use vstore_half, or enable the extension cl_khr_fp16"),
        ("i = get_global_id;", "a call is written get_global_id(...)"),
        ("pow(1, 2);", "cast the arguments to one type"),
    ],
)
def test_hints(body: str, hint: str) -> None:
    assert only(in_kernel(body)).hint == hint


def test_hint_for_constants() -> None:
    found = only("const int a = 1;")
    assert found.hint == "write __constant in place of 'const'"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("int f(int);\nfloat f(int a) { return 1; }", 1),
        ("struct S { int a; };\n\nstruct S { int a; };", 1),
        ("constant int a = 1;\nvoid f(void) { a = 2; }", 1),
        ("void f(void) {\n  int a;\n  int a;\n}", 2),
        ("int g(int a) { return a; }\nvoid f(void) { g(); }", 1),
        ("void f(int i) { switch (i) {\n case 1: ;\n case 1: ; } }", 2),
    ],
)
def test_notes_show_the_other_place(text: str, line: int) -> None:
    found = only(text)
    places = [note.span.line for note in found.notes if note.span is not None]
    assert places == [line]


def test_candidates_of_built_ins() -> None:
    found = only(in_kernel("max(p, p);"))
    assert found.code == "K364"
    assert "__global int*" in found.message
    assert found.notes
    assert all(note.message.startswith("candidate: ") for note in found.notes)


def test_macros_are_named() -> None:
    found = only("#define SET(x) x = nope\nvoid f(int a) {\n  SET(a);\n}")
    assert found.span is not None
    assert (found.span.line, found.span.column) == (3, 3)
    assert any("SET" in note.message for note in found.notes)


def test_warnings_do_not_stop() -> None:
    text = in_kernel("global float *a = p; i = 1 / 0;")
    assert [d.code for d in diagnostics(text)] == ["K391", "K396"]


def test_half_with_the_extension() -> None:
    text = (
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
        "half2 f(half a) { half b = a * 2.0h; return (half2)(b, 1); }\n"
        "kernel void k(global half *p, half a) { p[0] = p[1] + f(a).x; p[2]++; }"
    )
    assert said(text) == []


def test_single_precision_constants() -> None:
    options = BuildOptions(single_precision_constant=True)
    text = in_kernel("w = w * 2.0;")
    assert [d.code for d in diagnostics(text)] == ["K347"]
    assert diagnostics(text, options) == []

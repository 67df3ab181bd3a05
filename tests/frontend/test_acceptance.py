"""What the parser takes and refuses, compared with clang (through PoCL) snippet by snippet.

Where the two differ, and why, is the table in tests/frontend/differences.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kcc.base.diagnostics import Severity
from tests.frontend.parsing import found
from tests.pocl import build

if TYPE_CHECKING:
    import pyopencl

KERNEL = "kernel void k(global int *o) {{ {} }}\n"

TAKEN = [
    (
        "__kernel void k(__global float4 *a) { a[0] = (float4)(1.0f, 2.0f, 3.0f, 4.0f);"
        " float x = (float4)(1, 2, 3, 4).x; a[1].xyzw = (float4)(a[0].s0, a[0].hi.y, x, 1).wzyx; }"
    ),
    (
        "typedef float4 real4; kernel void k(global float *a)"
        " { a[0] = (real4)(1.0f).y + (real4)((float2)(1, 2), 3, 4).s3; }"
    ),
    (
        "struct S { int a; union { float f; uint u; }; struct { short x, y; } p; }"
        " __attribute__((packed)); "
        "kernel void k(global int *o) { struct S s; s.u = 3; o[0] = s.p.x; }"
    ),
    (
        "struct __attribute__((packed, aligned(16))) S { char c __attribute__((aligned(8)));"
        " float4 v; }; kernel void k(global struct S *s) { s->v.x = 1; }"
    ),
    (
        "kernel __attribute__((reqd_work_group_size(16, 16, 1))) void k(global int *o) {"
        " __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < 4; ++i) o[i] = i;"
        " __attribute__((opencl_unroll_hint)) while (o[0]) o[0]--; }"
    ),
    (
        "void f(int a) __attribute__((always_inline)); void f(int a) { }"
        " kernel void k(global int *o __attribute__((unused)))"
        " { int x __attribute__((aligned(16))) = 1, y = 2; f(x + y); }"
    ),
    KERNEL.format(
        "int a[3] = { [2] = 5, [0] = 1 }; struct { int x, y; } p = { .y = 1, .x = 2 };"
        " struct T { struct { int z; } in; } t = { .in.z = 3 }; int q[2][2] = { [0][1] = 1 };"
        " o[0] = a[2] + p.x + t.in.z + q[0][1];"
    ),
    (
        "kernel void k(global float *o) { float f = 0x1.8p3f; double d = 0x.8p-1;"
        " o[0] = f + 1e3f + 1.f + .5f + 1.0e-3F + (float)d; }"
    ),
    KERNEL.format("o[0] = 1ul + 2UL + 3lu + 0xffu + 017 + 'a' + '\\n' + '\\x41' + '\\101' + 1ULL;"),
    KERNEL.format(
        "switch (o[0]) { case 1: case 2: o[1] = 1; break; case 3 + 1: { o[1] = 2; }"
        " default: o[1] = 3; }"
    ),
    KERNEL.format(
        "int i = 0; again: if (i < 3) { ++i; goto again; } do { i--; } while (i > 0);"
        " for (;;) { break; } for (int j = 0, n = 3; j < n; j++, n--) continue;"
        " o[0] = i ? 1 : i ? 2 : 3;"
    ),
    KERNEL.format(
        "int a[] = {1, 2, 3,}; o[0] = sizeof(int) + sizeof a + sizeof(a) / sizeof(a[0])"
        " + vec_step(float4) + vec_step(o[0]) + (int[]){1, 2}[0] + sizeof (int){1};"
    ),
    (
        "constant float table[4] = {1, 2, 3, 4}; __constant sampler_t s = CLK_FILTER_NEAREST;"
        " kernel void k(__read_only image2d_t im, write_only image2d_t out)"
        " { write_imagef(out, (int2)(0, 0), read_imagef(im, s, (int2)(1, 2))); }"
    ),
    "enum E { A, B = 5, C, }; typedef enum { X, Y } F;"
    + KERNEL.format("enum E e = B; F f = Y; o[0] = e + f + C;"),
    KERNEL.format('_Pragma("unroll 4") for (int i = 0; i < 4; ++i) o[i] = i;')
    + "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
    KERNEL.format("\n#pragma unroll\nfor (int i = 0; i < 4; ++i) o[i] = i;\n"),
    KERNEL.format('printf("a" "b %d\\n", o[0]);'),
    (
        "kernel void k(global int *restrict o, const global int *volatile p,"
        " __global const float4 * const restrict q) { o[0] = p[0] + (int)q->x; }"
    ),
    "typedef int T; kernel void k(global T *o) { T T = 3; o[0] = T * 2; }",
    "typedef int (T)[3];" + KERNEL.format("T a; a[0] = 1; o[0] = a[0];"),
    "int f(const int a[static 3]) { return a[0]; }" + KERNEL.format("int a[3] = {0}; o[0] = f(a);"),
    KERNEL.format(
        "unsigned x = 3; unsigned char c = 1; signed short int s = 2; long int unsigned l = 4;"
        " long long m = 1; o[0] = x + c + s + l + m;"
    ),
    KERNEL.format("o[0] = (int)(1, 2); o[1] = (1, 2);"),
    KERNEL.format("; ; { } if (o[0]) ; else ; while (0) ;") + ";",
    (
        "typedef struct Node Node; struct Node { int v; global Node *next; };"
        " kernel void k(global Node *n) { n->v = n->next->v; }"
    ),
    (
        "inline float sq(float x) { return x * x; } static inline int h(void);"
        " static inline int h() { return 1; }"
        " kernel void k(global float *o) { o[0] = sq(3) + h(); }"
    ),
    (
        "kernel void k(global int4 *o) { int4 a = (int4)(1), b; b = a == o[0]; b.odd = a.even;"
        " b.lo.x = 1; o[1] = a ? b : a; o[2] = select(a, b, a < b); }"
    ),
    "#if 0\n' unbalanced quote \" and stuff\n#endif\n" + KERNEL.format(""),
    KERNEL.format("int (*p)[3]; int a[2][3] = {{1, 2, 3}, {4, 5, 6}}; p = a; o[0] = p[1][2];"),
    KERNEL.format(
        "size_t i = get_global_id(0); ptrdiff_t d = 1; intptr_t p = 2; uintptr_t q = 3;"
        " bool b = true; o[i] = b ? d + p + q : false;"
    ),
    "void f(int, float4, global int *, int [3], int (*)[2]);" + KERNEL.format(""),
    KERNEL.format("const int x = 1; int const y = 2; const volatile int z = 3; o[0] = x + y + z;"),
    "int; typedef int;" + KERNEL.format("int; struct S { int a; }; struct S s; s.a = 1;"),
    KERNEL.format("if (o[0]) lbl: o[1] = 1; goto lbl;"),
    "extern kernel void k(global int *o);" + KERNEL.format('constant char *s = "\\q";'),
    '#ifdef A B\n#endif foo\n#line 100 "foo.cl"\n# 12 "foo"\n#\n' + KERNEL.format(""),
    "#define A 1\n#define A 2\n#undef A B\n#warning x\n#pragma foo bar\n" + KERNEL.format(""),
]

REFUSED = [
    *map(
        KERNEL.format,
        [
            "o[0] = 1",
            "o[0] = (1 + 2;",
            "o[0 = 1;",
            "int x = ;",
            "foo x = 3;",
            "if o[0] { }",
            "for (int i = 0; i < 3, i++) o[i] = 1;",
            "while () { }",
            "do { } while (1)",
            "else { }",
            "}",
            "int a b;",
            "float4 v = float4(1, 2, 3, 4);",
            "switch (o[0]) { case 1: }",
            "switch (o[0]) { case 1: int x = 1; }",
            "lbl: ",
            "if (1) int x = 3;",
            "o[0] = '';",
            "o[0] = 'a;",
            'printf("abc);',
            "o[0] = 08;",
            "o[0] = 0x;",
            "o[0] = 1.0g;",
            "o[0] = 1f;",
            "o[0] = 12abc;",
            "o[0] = @;",
            "o[0] = a # b;",
            "__typeof__(o[0]) x;",
            "int a[3 ;",
            "int a[2] = {1, 2;",
            "int a[2] = {1 2};",
            "int a[2] = {,};",
            "o[0] = sizeof();",
            "o[0] = sizeof;",
            "o[0] = (float4)();",
            "o[0] = (int)();",
            "o[0] = ();",
            "printf(,);",
            "o[0] = 1 +;",
            "o[0] = 1 ? 2;",
            "o[0] = 1 : 2;",
            ")",
            "]",
            "void f() { }",
            "goto;",
            "goto 1;",
            "return 1",
            "break 1;",
            "o[0].;",
            "o->;",
            "[1];",
            "int *p = &&lbl; lbl: ;",
            "pipe int p;",
            "quad q;",
            "int x : 3;",
            "auto int x;",
            "register int x;",
            "typedef int U = 3;",
            "(static int)3;",
            "enum E { };",
            "enum E { A = };",
            "enum E { A B };",
            "struct;",
            "case 1 ... 3: ;",
        ],
    ),
    "kernel void k(global foo *o) { }",
    "foo f(int a) { return 1; }",
    "kernel void k(global int *o) { o[0] = 1;",
    "kernel void k(global int *o, ) { }",
    "kernel void k(global int *o { }",
    "kernel void k global int *o) { }",
    "kernel k(global int *o) { }",
    "struct S { int a; }\nkernel void k(global int *o) { }",
    "struct { foo a; } s;",
    "struct S { int x : 3; };",
    "struct S { static int x; };",
    "struct S { int x = 3; };",
    "kernel void k(typedef int x) { }",
    "kernel void k(...) { }",
    "int f(int a, ...);",
    "int f() = 3;",
    "int x { }",
    "x;",
    "3;",
    "#if 1\n",
    "#endif\n",
    "#else\n",
    "#if 1\n#else\n#else\n#endif\n",
    "#if (1\n#endif\n",
    "#if 1.0\n#endif\n",
    "#if 1/0\n#endif\n",
    "#if foo(1)\n#endif\n",
    "#ifdef\n#endif\n",
    "#error x\n",
    "#foo\n",
    '#include "nope.h"\n',
    "#include nope\n",
    "#define\n",
    "#define F(\n",
    "#define F(a,a)\n",
    "#define F(a) #b\n",
    "#define F ##\n",
    "#define F(a) a\nconstant int x = F(1, 2);\n",
    "#define F(a) a\nconstant int x = F(1;\n",
    "#define F(a) -##a\nconstant int x = F(1);\n",
    "/* foo",
]

SAMPLE = 9
"""Of so many snippets one is compared with clang, unless --full is given."""


def takes(text: str) -> bool:
    return all(d.severity is Severity.WARNING for d in found(text))


def clang_takes(context: pyopencl.Context, text: str) -> bool:
    import pyopencl

    try:
        build(context, text, "-cl-std=CL1.2")
    except pyopencl.RuntimeError:
        return False
    return True


@pytest.mark.parametrize("text", TAKEN)
def test_taken(text: str) -> None:
    assert takes(text)


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    assert not takes(text)


@pytest.mark.slow
@pytest.mark.pocl
def test_clang_agrees(pocl_context: pyopencl.Context, full: bool) -> None:
    step = 1 if full else SAMPLE
    assert [t for t in TAKEN[::step] if not clang_takes(pocl_context, t)] == []
    assert [t for t in REFUSED[::step] if clang_takes(pocl_context, t)] == []

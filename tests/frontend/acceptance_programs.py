"""More programs whose acceptance is compared: declarations, kernels, statements, literals, macros.

Lines stand after the prelude of acceptance_cases; sources that may upset their neighbours (syntax,
directives, missing definitions) are built alone.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import product

from tests.frontend.acceptance_cases import PRELUDE, Case

TYPES = (
    *[
        "int",
        "float4",
        "half",
        "bool",
        "S",
        "U",
        "image2d_t",
        "sampler_t",
        "event_t",
        "void",
        "size_t",
        "double",
        "int3",
    ],
    *("enum E", "struct Unknown", "global int*", "int*", "local float*", "S*", "void*"),
    *("constant int*", "half*", "global half*", "private int*", "const int", "volatile int*"),
)
SPACES = ("", "global ", "local ", "constant ", "private ", "const ", "static ", "extern ")
DECLARATORS = ("x@", "x@[4]", "x@[]", "x@[-1]", "x@[0]", "x@[2][3]", "*x@", "**x@", "(*x@)[4]")
INITIALISERS = ("", " = 0", " = {0}", " = {1, 2, 3}", " = {{1}, {2}}", " = 1.5f", " = n")


def declarations() -> Iterator[Case]:
    """Variables of functions, of kernels and of the program."""
    for space, type_, name, value in product(SPACES, TYPES, DECLARATORS, INITIALISERS):
        text = f"{space}{type_} {name}{value};"
        yield Case(f"in function: {text}", f"void f@(int n) {{ {text} }}")
        yield Case(f"in kernel: {text}", f"kernel void f@(int n) {{ {text} }}")
        yield Case(f"in block: {text}", f"kernel void f@(int n) {{ if (n) {{ {text} }} }}")
        yield Case(f"in program: {text}", text)


QUALIFIERS = ("", "const ", "restrict ", "volatile ", "read_only ", "write_only ", "read_write ")


def parameters() -> Iterator[Case]:
    for space, type_, qualifier in product(SPACES, TYPES, QUALIFIERS):
        for name in ("x", "x[4]", "x[]", "*x", "* const x", "* restrict x", "**x"):
            text = f"{space}{qualifier}{type_} {name}"
            yield Case(f"kernel parameter: {text}", f"kernel void f@({text}) {{}}")
            yield Case(f"parameter: {text}", f"void f@({text}) {{}}")
    for result, space in product(TYPES, SPACES):
        yield Case(f"kernel result: {result}", f"kernel {result} f@(void) {{ for (;;) ; }}")
        text = f"{space}{result}"
        yield Case(f"result: {text}", f"{text} f@(void) {{ for (;;) ; }}")
        yield Case(f"member: {text}", f"struct s@ {{ {text} m; }};")
        yield Case(f"typedef: {text}", f"typedef {text} t@; void f@(t@ a) {{}}")
        yield Case(f"typed variable: {text}", f"typedef {text} t@; void f@(void) {{ t@ a; }}")


ATTRIBUTES = """\
reqd_work_group_size(8, 8, 1);reqd_work_group_size(8, 8);reqd_work_group_size(0, 1, 1)
reqd_work_group_size;reqd_work_group_size(-1, 1, 1);work_group_size_hint(8, 1, 1)
vec_type_hint(float4);vec_type_hint(int);vec_type_hint(foo);vec_type_hint(S);packed;packed(1)
aligned;aligned(16);aligned(3);aligned(0);aligned(-4);aligned(2, 4);endian(host);endian(device)
opencl_unroll_hint(4);opencl_unroll_hint(0);opencl_unroll_hint;opencl_unroll_hint(-1);noinline
always_inline;unused;foo;foo(1, 2);;aligned(16), packed;reqd_work_group_size(1 + 1, 2, 2)
reqd_work_group_size(n, 1, 1);aligned(sizeof(int));aligned(1.5f);aligned("4");nosvm;mode(DI)
vector_size(16);ext_vector_type(4);reqd_work_group_size(1.0f, 1, 1);vec_type_hint(void)
vec_type_hint(float4, int);vec_type_hint(1);work_group_size_hint(1);const;pure"""
PLACES = (
    "kernel __attribute__(()) void f@(global int* a) {}",
    "__attribute__(()) kernel void f@(global int* a) {}",
    "kernel void __attribute__(()) f@(global int* a) {}",
    "__attribute__(()) void f@(global int* a) {}",
    "void f@(void) { int x __attribute__(()) = 1; }",
    "void f@(void) { local int x __attribute__(()); }",
    "void f@(int n) { __attribute__(()) for (int i = 0; i < n; i++) ; }",
    "void f@(int n) { __attribute__(()) while (n--) ; }",
    "void f@(int n) { __attribute__(()) n = 2; }",
    "void f@(int n __attribute__(())) {}",
    "struct __attribute__(()) s@ { char c; int i; };",
    "struct s@ { char c; int i; } __attribute__(());",
    "struct s@ { char c; int i __attribute__(()); };",
    "typedef int t@ __attribute__(());",
    "typedef struct { char c; int i; } __attribute__(()) t@;",
    "union __attribute__(()) u@ { char c; int i; };",
    "enum __attribute__(()) e@ { A@, B@ };",
    "constant int c@ __attribute__(()) = 3;",
)


def attributes() -> Iterator[Case]:
    for text, place in product(ATTRIBUTES.replace("\n", ";").split(";"), PLACES):
        line = place.replace("(())", f"(({text}))")
        yield Case(f"attribute {line}", line)


LITERALS = """\
0 1 -1 08 07 0x 0xg 0xFF 0xFFFFFFFF 0xFFFFFFFFFFFFFFFF 0x10000000000000000 1u 1U 1l 1L 1ul 1LU 1uL
1lu 1ll 1LL 1ull 1lul 1uu 1f 1.f 1.0f 1.0F .5 .5f 5. 1e5 1e5f 1e+5 1e-5f 1e 1e+ 1.e 0x1p3 0x1.8p1f
0x1.8 0x.8p0 0xp1 1.0h 1.0l 1.0L 1.0lf 1.0ff 1.0d 1e400 1e400f 1e-400 18446744073709551615u
18446744073709551615 18446744073709551616 99999999999999999999 9223372036854775808
'a' '' 'ab' '\\n' '\\q' '\\0' '\\x41' '\\x' '\\777' '\\x100' '\\'' '"' '\\u0041' L'a' u'a' "" "a" "\\n"
"\\q" "a""b" L"a" u8"a" "\\x" "\\xfff" "\\777" 1_000 1'000 0o7 0B1 $ a$ ` 1..2 1.2.3 ...
true false NULL INFINITY NAN M_PI M_PI_F FLT_MAX INT_MAX MAXFLOAT HUGE_VALF CL_VERSION_1_2
__OPENCL_VERSION__ __LINE__ __FILE__ __func__ CLK_LOCAL_MEM_FENCE CLK_NORMALIZED_COORDS_TRUE
__ENDIAN_LITTLE__ __IMAGE_SUPPORT__ FP_ILOGB0 DBL_MAX CHAR_BIT LONG_MIN M_E_H __COUNTER__ nullptr"""


def literals() -> Iterator[Case]:
    for text, place in product(LITERALS.split(), ("{};", "int x = {};", "float4 v = {};")):
        yield _in_kernel(f"literal {place.replace('{}', text)}", place.replace("{}", text))


_UNSAFE = re.compile(r"""['"\\#`]|//|/\*""")


def _in_kernel(key: str, body: str) -> Case:
    """Alone when it could change what stands after it."""
    line = f"kernel void f@(global int* p, int n, S s, int4 v) {{ int x = 0; {body} }}"
    balanced = all(body.count(a) == body.count(b) for a, b in ("()", "[]", "{}"))
    if balanced and "end: }" not in body and not _UNSAFE.search(body):
        return Case(key, line)
    return Case(key, f"{PRELUDE}{line.replace('@', '')}\n", alone=True)


# ruff: noqa: E501 - tables of programs
STATEMENTS = """\
if (n) x = 1; else x = 2;|if (n);|else x = 1;|if n x = 1;|if () x = 1;|while () ;|do x = 1; while (n)
do x = 1; while (n);|do while (n);|for (;;) break;|for (n) ;|for (;) ;|for (int i = 0, j = 1; i < n;) ;
for (int i = 0; ; ) int y;|if (n) int y = 1;|while (n) int y = 1;|break;|continue;|return;|return 1;
switch (n) { case 1: break; default: ; }|switch (n) { case 1: case 1: ; }|switch (n) { case n: ; }
switch (n) { default: ; default: ; }|switch (n) { x = 1; }|switch (n) case 1: x = 2;|case 1: ;
default: ;|switch (1.5f) { }|switch (n) { case 1.5f: ; }|switch (n) { case ONE: ; case 1: ; }
switch (n) { case 1: int y; }|switch (n) { case 1: }|switch (n) { case 1 ? 2 : 3: ; case 'a': ; }
goto end; end: ;|goto end;|end: ; end: ;|goto 1;|end: }|end:|goto end; { end: ; }|end: int y;
{ }|{|}|;|;;|x|x = ;|= 1;|x = 1,;|(x = 1);|((x) = 1);|x = (1;|x = 1);|x[;|x = n[1];|1 = x;|x + ;
int;|int y|int y = ;|int 1y;|int y, y;|int y; { int y; }|int y; float y;|int x;|int n;|int y = y;
int y z;|float int y;|unsigned float y;|short short y;|long long y;|unsigned y;|signed y;|long y;
long int y;|int long unsigned y;|unsigned uint y;|uint int y;|float4 int y;|char char y;|double long y;
register int y;|auto int y;|static int y;|extern int y;|typedef int y; y z;|int y; y z;|inline int y;
const y;|const const int y;|volatile int y;|restrict int y;|int restrict y;|int* restrict y;
struct s { int a; } y; y.a = 1;|struct s { int a; int a; } y;|struct s { }; struct s y;|struct s y;
struct s* y;|struct s { struct s z; };|struct s { struct s* z; };|struct s { int a : 3; };
struct s { int a[]; };|struct s { void a; };|struct s { int a } y;|struct { int; } y;|struct { int a; };
struct { struct { int a; }; } y; y.a = 1;|struct { struct t { int a; }; } y; y.a = 1;|union s { int a; };
enum e { A, B };|enum e { A, A };|enum e { A = 1.5f };|enum e { A = n };|enum e { };|enum e y;
enum { A, B, } y = A;|enum e { A = 1 << 40 };|enum e { A = -1, B = 1u };|enum E y = 1;|struct E y;
enum S y;|S y = {1};|S y = {1, 2, (int4)(0), {1, 2}};|S y = {.a = 1};|S y = {.z = 1};|S y = {[0] = 1};
S y = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};|S y = 1;|S y = {.c[2] = 3};|S y = {.c = {[1] = 3}};
S y = {a: 1};|int y[4] = {1, 2, 3, 4, 5};|int y[4] = {[2] = 1};|int y[4] = {[4] = 1};|int y[] = {};
int y[] = {1, 2};|int y[2] = {.a = 1};|int y[n];|int y[2 + 1];|int y[sizeof(int)];|int y[1.5f];
int y[] = "text";|char y[] = "text";|char y[2] = "text";|char y[5] = {"text"};|uchar y[5] = "text";
int4 y = {1, 2, 3, 4};|int4 y = {1, 2};|int4 y = {1, 2, 3, 4, 5};|int4 y = (int4)(1);
int4 y = (1, 2, 3, 4);|int4 y = (int4){1, 2, 3, 4};|int4 y = (int4)(1, 2);|int4 y = (int4)();
int4 y = (int4)((int2)(1), 3, 4);|float4 y = (float4)(1.0);|int2 y = {(int2)(1, 2)};|int y = {1};
int y = {1, 2};|int y = {};|int y = {{1}};|int* y = {0};|int* y = &x;|global int* y = &x;|int** y = 0;
int* y = p;|global int* y = p;|int y = p;|int y = (int)p;|p = 0;|p = 1;|p = x;|*p = 1;|p++;|p + p;
p - p;|p * 2;|-p;|!p;|~p;|p[0][0];|p == 0;|p == 1;|p < p;|&p;|&*p;|*&p;|&p[1];|&1;|&x;|&(x + 1);|&&x;
&v.x;|&v.xy;|&v.s0;|v.x = 1;|v.xy = v.zw;|v.xx = v.zw;|v.xyz = v;|v.lo.x = 1;|v = 1;|v = v.xyzw.wzyx;
v + 1;|v + 1.5f;|v + x;|v == v;|v && v;|!v;|~v;|v ? 1 : 2;|if (v) ;|v << 1;|v << v;|1 << v;|v % v;
v++;|++v;|v += 1;|v.x++;|v.xy++;|-v;|v[0];|v[0] = 1;|v[x];|v.s0123;|v.s4;|v.q;|v.xs0;|v.length;|v->x;
x.x;|x.a;|x->a;|s.a;|s.z;|s->a;|s.v.x = 1;|s.c[1] = 2;|s = s;|s == s;|s + 1;|!s;|s.v.xy = 1;|&s;|*s;|s();
foo;|foo();|foo(1, 2);|callee();|callee(1);|callee;|x = callee();|f();|x();|callee = 1;|(callee)();
sqrt(1.0f);|sqrt();|sqrt(1.0f, 2.0f);|sqrt(1);|sqrt("a");|max(1, 2);|max(1, 2.0f);|max(v, 1);|dot(v, v);
barrier(CLK_LOCAL_MEM_FENCE);|barrier();|barrier(1.5f);|get_global_id(0);|get_global_id();
get_global_id(v);|atomic_add(p, 1);|atomic_add(&x, 1);|atomic_add(x, 1);|printf("%d", x);|printf(x);
printf();|vload4(0, p);|vload4(0, x);|vstore4(v, 0, p);|vload3(0, p);|vload5(0, p);|as_float(x);
as_float4(v);|as_float2(v);|as_int(1.5f);|as_foo(x);|convert_float4(v);|convert_float2(v);
convert_int_sat(1.5f);|convert_int_rte(1.5f);|convert_foo(x);|select(1, 2, 3);|select(v, v, v);
sizeof(int);|sizeof x;|sizeof(x);|sizeof(void);|sizeof(struct q);|sizeof int;|sizeof callee;|sizeof();
sizeof(int[2]);|sizeof(int[]);|sizeof(S);|sizeof(half);|sizeof(v.xyz);|sizeof(image2d_t);|vec_step(v);
vec_step(int3);|vec_step(S);|(int)1.5f;|(float)x;|(int4)x;|(int4)v;|(float4)v;|(S)s;|(S){1};|(void)x;
(int)s;|(S)1;|(int*)x;|(int*)p;|(global float*)p;|(int[2])x;|(bool)x;|(half)x;|(half)1.0f;|(foo)x;|(int
()x;|(int)(x)(x);|x ? 1 : 2;|x ? 1 : 1.5f;|x ? v : 1;|x ? s : s;|x ? s : 1;|x ? p : 0;|x ? p : 1;
x ? p : p;|x ? p : &x;|x ?: 1;|x ? 1;|x ? : 1;|x ? callee() : callee();|x ? 1 : callee();|x, 1;|1, 2
x = 1, x = 2;|x += 1;|x =+ 1;|x === 1;|x <> 1;|x and 1;|x ** 2;|x // 2|x /* 2|x = 1 /* 2 */;|x <<= 1;
x >>>= 1;|x %= 2;|x %= 2.0f;|x &= 1.0f;|x ^= 1;|x |= v;|v |= x;|x = v;|v = x;|x = s;|s = x;|x += p;
const int y = 1; y = 2;|const int y;|int* const y = 0; y = 0;|const int* y = &x; *y = 1;|x++ ++;|++x++;
local int y; y = 1;|local int y = 1;|constant int y = 1;|constant int y = n;|constant int y;
global int y;|private int y;|local global int y;|local int y[4]; y[0] = 1;|{ local int y; }
{ constant int y = 2; }|constant int y = 1; y = 2;|constant int y = 1; x = y;|local int* y = 0;
local int y; p = &y;|local int y; local int* z = &y;|local S y; y.a = 1;|local float4 y[2]; y[0].x = 1;
int (*y)(int);|int y(int);|int y(int a) { return a; }|void (*y)(void) = callee;|int z();|asm("nop");
typeof(x) y;|__typeof__(x) y;|auto y = 1;|({ 1; });|^{ };|int y = ({ 1; });|case 1 ... 3: ;|_Bool y;
switch (n) { case 1 ... 3: ; }|unsigned long long y;|long double y;|wchar_t y;|_Complex float y;
complex float y;|imaginary y;|quad y;|half2 y;|bool2 y;|float5 y;|float16 y;|double2 y;|size_t2 y;
uchar3 y;|ulong16 y;|event_t y;|sampler_t y = 0;|sampler_t y;|sampler_t y = CLK_FILTER_NEAREST;
const sampler_t y = 1;|constant sampler_t y = 1;|image2d_t y;|image2d_t* y;|sampler_t* y;|event_t* y;
event_t y[2];|sampler_t y[2];|event_t y = 0;|event_t y = 1;|pipe int y;|queue_t y;|atomic_int y;
generic int* y;|__generic int* y;|nullptr;|new;|class;|this;|template;|namespace;|public;|true = 1;
int true;|int get_global_id;|int sqrt = 1;|int float4;|int half;|int kernel;|int global;|int image2d_t;
int size_t;|typedef float float4;|typedef int foo; foo y;|typedef int x; x y;|typedef int;|int typedef y;
typedef int foo[2]; foo y = {1, 2};|typedef int foo = 1;|__kernel int y;|kernel int y;|inline y;
_Static_assert(1, "a");|_Alignas(4) int y;|_Generic(x, int: 1);|__builtin_expect(x, 1);|_Noreturn;
_Atomic int y;|__extension__ int y;|__asm__("");|__real__ x;|__alignof__(x);|_Pragma("unroll") ;
__builtin_astype(x, float);|__func__;|__FUNCTION__;|x = __LINE__;|#;|x = `1`;|\\;|x\\;"""


def statements() -> Iterator[Case]:
    """Statements in a kernel that has the usual variables."""
    for text in STATEMENTS.replace("\n", "|").split("|"):
        yield _in_kernel(f"in kernel {text}", text)


PROGRAMS = """\
kernel void f() {}|kernel void f(void) {}|__kernel void f(int) {}|kernel f() {}|void f() {}|f() {}
kernel void f(int a, int a) {}|kernel void f(a) int a; {}|kernel void f(int a, ...) {}|kernel void f()
kernel void f();|kernel void f() {};|void f(void) {} void f(void) {}|void f(void); void f(void) {}
void f(void); int f(void) { return 1; }|void f(int); void f(float a) {}|void f(int) {}|int f(void) {}
static void f(void) {}|static kernel void f(void) {}|extern void f(void) {}|inline void f(void) {}
inline kernel void f(void) {}|kernel static void f(void) {}|kernel inline int f(void) { return 1; }
kernel void main(void) {}|void main(void) {}|int g(int); kernel void f(void) { g(1); }|int x;|int x = 1;
constant int x = 1;|constant int x;|const int x = 1;|global int x;|local int x;|static int x;
static constant int x = 1;|extern constant int x;|constant int x = y;|constant int x = 1 + 2 * 3;
constant int y = 1; constant int x = y;|constant int a[] = {1, 2};|constant float f = 1;|typedef int t;
constant float4 v = (float4)(1, 2, 3, 4);|constant int4 v = {1, 2, 3, 4};|constant char s[] = "text";
constant char* s = "text";|constant int x = 1; constant int* constant p = &x;|constant int a[2] = {1};
constant int x = sizeof(int);|constant int x = get_work_dim();|constant float x = sqrt(4.0f);|;|;;|}|{
constant sampler_t s = CLK_FILTER_NEAREST;|const sampler_t s = 0;|sampler_t s = 0;|image2d_t i;|event_t e;
struct s { int a; };|struct s { int a; }|struct s;|struct s; struct s { int a; };|union u { int a; };
struct s { int a; }; struct s { int a; };|struct s { int a; }; union s { int a; };|enum e { A }; int A;
enum e { A, B };|enum e { A }; enum e { A };|enum { A }; enum { A };|typedef int t; typedef int t;
typedef int t; typedef float t;|typedef int t; int t(void) { return 1; }|void f(void) {} typedef int f;
void f(void) { f(); }|void f(int n) { if (n) f(n - 1); }|void g(void); void f(void) { g(); } void g() {}
float sqrt(float x) { return x; }|int max(int a, int b) { return a; }|void barrier(int x) {}
int get_global_id(int x) { return x; }|kernel void sqrt(void) {}|kernel void f(read_only int a) {}
kernel void f(read_only image2d_t a) {}|kernel void f(write_only image2d_t a) { a; }|int f, g;
kernel void f(read_only write_only image2d_t a) {}|kernel void f(read_only image2d_t a[2]) {}
kernel void f(global int (*a)[4]) { a[0][0] = 1; }|kernel void f(global int a[4]) { a[0] = 1; }
kernel void f(global int* a, local int* b, constant int* c) { a[0] = b[0] + c[0]; }
kernel void f(global int* a) { a.x = 1; }|kernel void f(int* a) {}|kernel void f(int a[]) {}
kernel void f(constant int* a) { a[0] = 1; }|kernel void f(const global int* a) { a[0] = 1; }
kernel void f(global const int* restrict a) { int x = a[0]; }|kernel void f(half a) {}|kernel void f(bool a) {}
kernel void f(global half* a) { float x = vload_half(0, a); }|kernel void f(global bool* a) {}
kernel void f(struct { int a; } s) {}|kernel void f(size_t a) {}|kernel void f(ptrdiff_t a) {}
kernel void f(void) { return; }|kernel void f(void) { return 1; }|int f(void) { return; }
int f(int a) { return a; } kernel void g(global int* a) { a[0] = f(a[0]); }|kernel kernel void f() {}
kernel void g(void) {} kernel void f(void) { g(); }|int f(int a, int b) { return a } |int f(int a b) {}
#pragma OPENCL EXTENSION cl_khr_fp64 : enable|#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION all : disable|#pragma OPENCL EXTENSION foo : enable|#pragma OPENCL FP_CONTRACT ON
#pragma OPENCL EXTENSION all : enable|#pragma OPENCL EXTENSION cl_khr_fp64|#pragma unroll|#pragma foo bar
#define A 1|#define|#define 1|#define A(|#define A(x) x|#define A(x, x) x|#define A(x, ...) __VA_ARGS__
#define defined|#define A #|#define A(x) #x|#define A(x) #y|#define A ##|#define A(x) x ## 1
#undef|#undef A|#undef 1|#undef __LINE__|#foo|#|#error|#error text|#warning text|#line 7|#line|#line x
#line 7 "x.cl"|#include|#include "nothing.h"|#include <nothing.h>|#include nothing|#include "a" b"""

DIRECTIVES = """\
#if 1^#endif|#if 0^foo bar^#endif|#if^#endif|#if 1|#endif|#else|#elif 1|#if 1^#else^#else^#endif
#if 1^#else^#elif 1^#endif|#if 0^#elif 1^#endif|#if 1^#elif^#endif|#if 0^#elif^#endif|#ifdef A^#endif
#ifdef^#endif|#ifdef 1^#endif|#ifndef A^#endif|#ifdef A B^#endif|#if A^#endif|#if A B^#endif|#if 1 +^#endif
#if (1^#endif|#if 1)^#endif|#if 1 / 0^#endif|#if 1.5^#endif|#if 'a' == 97^#endif|#if "a"^#endif
#if defined A^#endif|#if defined(A)^#endif|#if defined(A^#endif|#if defined^#endif|#if defined 1^#endif
#if 1 ? 2 : 3^#endif|#if 1 ? 2^#endif|#if 1u - 2 > 0^#else^#error no^#endif|#if 1 || 1 / 0^#endif
#if 1, 2^#endif|#if x = 1^#endif|#if 0x10000000000000000^#endif|#if 09^#endif|#if !defined A && !B^#endif
#define A 1^#define A 1|#define A 1^#define A 2|#define A(x) x^constant int a = A(1);
#define A(x) x^constant int a = A();|#define A(x) x^constant int a = A(1, 2);|#define A(x) x^int a = A(1;
#define A(x, y) x + y^constant int a = A(1);|#define A() 1^constant int a = A();|#define A() 1^constant int a = A(1);
#define A(...) __VA_ARGS__^constant int a = A(1);|#define A(x) #x^constant char a[] = A(b c);
#define A(x, y) x ## y^constant int A(a, b) = 1;|#define A(x, y) x ## y^constant int a = A(1, +);
#define A A^constant int A = 1;|#define A B^#define B A^constant int A = 1;|#define A(x) x^constant int A = 1;
#define kernel^void f(void) {}|#define int float^constant int a = 1.5f;|#define A \\^1^constant int a = A;
/* comment^*/|/* comment|// comment \\^foo bar|#if 0^'^#endif|#if 0^#foo^#endif|#if 0^#else foo^#endif
#if 0^#if^#endif^#endif|#ifdef A^#error no^#endif|#define A __LINE__^constant int a = A;|#pragma^
constant int a = __COUNTER__;|constant int a[] = {^1,^2^};|%:define A 1^constant int a = A;|??=define A 1
#define A "^|constant char a[] = "b^c";|constant char a[] = "b\\^c";|constant char a = 'b^';|#define EMPTY^EMPTY"""


def programs() -> Iterator[Case]:
    """Whole sources; ``^`` is a line end."""
    for text in (PROGRAMS + "\n" + DIRECTIVES).replace("\n", "|").split("|"):
        source = text.replace("^", "\n") + "\n"
        if not text.startswith(("{", "/* c", "#if 1|", "int f, g")):
            source += "kernel void last(global int* a) { a[0] = 1; }\n"
        yield Case(f"program {text}", source, alone=True)


_LEAVES = (
    "x",
    "u",
    "1",
    "2.5f",
    "y",
    "v",
    "w",
    "p",
    "p[1]",
    "s.a",
    "s.v",
    "v.x",
    "w.xyz",
    "c",
    "0",
)
_BINARY = [
    "+",
    "-",
    "*",
    "/",
    "%",
    "<<",
    ">>",
    "&",
    "|",
    "^",
    "<",
    ">",
    "<=",
    ">=",
    "==",
    "!=",
    "&&",
    "||",
    "=",
    "+=",
    "&=",
    ",",
]
_WRAPS = ("({})", "-{}", "!{}", "~({})", "*({})", "&({})", "({}).x", "(int4)({})", "(float)({})")
_CALLS = ("max({}, {})", "dot({}, {})", "sqrt({})", "as_int({})", "({}) ? ({}) : ({})", "p[{}]")


def _expression(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(_LEAVES)
    roll = rng.random()
    if roll < 0.5:
        left, right = _expression(rng, depth - 1), _expression(rng, depth - 1)
        return f"({left} {rng.choice(_BINARY)} {right})"
    template = rng.choice(_WRAPS if roll < 0.75 else _CALLS)
    while "{}" in template:
        template = template.replace("{}", _expression(rng, depth - 1), 1)
    return template


def generated(count: int = 6000) -> Iterator[Case]:
    """Functions with random expressions over variables of many types; always the same ones."""
    rng = random.Random(0)
    head = "int x, uint u, float y, int4 v, float4 w, global int* p, S s, char c"
    places = ("{};", "if ({}) ;", "int z = {};", "float4 z = {};", "return {};", "p[0] = {};")
    for number in range(count):
        body = rng.choice(places).replace("{}", _expression(rng, rng.randint(1, 3)))
        yield Case(f"generated {number} {body}", f"int f@({head}) {{ {body} }}")


MORE_FAMILIES = (
    declarations,
    parameters,
    attributes,
    literals,
    statements,
    programs,
    generated,
)

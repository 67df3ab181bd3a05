"""Where our front end and PoCL 3.0 (clang 14) do not accept the same programs, and why.

Each row has an example that a test builds with both, and a pattern over the keys of acceptance
cases (see acceptance_cases), so that any other difference fails. docs/reference/opencl-c.md has
the table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Difference:
    """``example`` is a whole source; ``taken`` says whether kcc takes it (PoCL does otherwise)."""

    title: str
    example: str
    reason: str
    keys: str = "(?!)"
    taken: bool = False

    def covers(self, key: str, *, taken: bool) -> bool:
        return self.taken == taken and re.search(self.keys, key) is not None


def _in_kernel(body: str) -> str:
    parameters = "global int* p, global half* h, read_only image2d_t m, int n, int4 v"
    return f"void callee(void) {{}} kernel void k({parameters}) {{ int x = 0; {body} }}"


_POINTER = r'(\w+ (const )?[\w ]+\*+|array|"text"|function|p)'

DIFFERENCES: tuple[Difference, ...] = (
    Difference(
        "recursion",
        "int f(int n) { return n ? f(n - 1) : 0; } kernel void k(int n) { f(n); }",
        "not in OpenCL C (6.9.i): K340; PoCL does not look",
        r"^program void f\(.*f\(",
    ),
    Difference(
        "a function that is called but not defined",
        "int g(int); kernel void k(int n) { g(n); }",
        "K341: nothing can be linked in; PoCL's compiler leaves it to its linker",
        r"^program int g\(int\); kernel",
    ),
    Difference("`a ?: b`", _in_kernel("n ?: 1;"), "GNU C: K230", r"^in kernel x \? ?: 1"),
    Difference(
        "ranges in case labels",
        _in_kernel("switch (n) { case 1 ... 3: ; }"),
        "GNU C: K230",
        r"case 1 \.\.\. 3",
    ),
    Difference("inline assembly", _in_kernel('__asm__("");'), "GNU C: K230", "^in kernel __asm__"),
    Difference(
        "`__typeof__`, `__extension__`, `__real__`, `__alignof__`",
        _in_kernel("__typeof__(n) y;"),
        "GNU C: K230, K211, K302",
        "__(typeof|extension|real|alignof)__",
    ),
    Difference(
        "statements in expressions",
        _in_kernel("({ 1; });"),
        "GNU C: K230",
        r"^in kernel .*\(\{",
    ),
    Difference("`{name: value}`", _in_kernel("struct { int a; } y = {a: 1};"), "GNU C: K210",
               r"\{a: 1\}"),
    Difference("blocks", _in_kernel("^{ };"), "clang's, OpenCL C 2.0", r"^in kernel \^\{"),
    Difference(
        "clang's own functions",
        _in_kernel("__builtin_expect(n, 1);"),
        "K302: only what the specification names",
        "__builtin_",
    ),
    Difference(
        "C11 and complex numbers",
        _in_kernel('_Static_assert(1, "a");'),
        "OpenCL C 1.2 is C99, without complex numbers: K230",
        "^in kernel (_Static_assert|_Alignas|_Generic|_Complex)",
    ),
    Difference("implicit `int`", "f(void) {} kernel void k(void) {}", "not in C99: K212",
               r"^in kernel const y|^program f\(\)"),
    Difference("parameters in the style of K&R", "void f(a) int a; {} kernel void k(void) {}",
               "obsolescent in C99: K211", r"^program kernel void f\(a\)"),
    Difference("`short short`", _in_kernel("short short y;"), "C99 6.7.2: K311", "short short"),
    Difference("no `;` after the last member", _in_kernel("struct s { int a } y;"),
               "C99 6.7.2.1: K210", r"struct s \{ int a \}"),
    Difference("`0b11`", _in_kernel("x = 0b11;"), "not in C99: K203", r"^literal .*0[bB]1"),
    Difference("`1.0L`", _in_kernel("x = 1.0L;"), "there is no long double: K203", r"1\.0[lL];"),
    Difference("`'ab'`", _in_kernel("x = 'ab';"), "no standard gives its value: K202", "'ab'"),
    Difference("wide characters", _in_kernel("L'a';"), "no `wchar_t`: K202", "^literal .*L['\"]"),
    Difference(
        "integers of more than 64 bits",
        _in_kernel("18446744073709551616;"),
        "C99 6.4.4: K385, K113; PoCL warns and cuts",
        r"0x10000000000000000|18446744073709551616|9999999999999",
    ),
    Difference("trigraphs", "??=define A 1\nkernel void k(void) {}\n",
               "no source has them: K210", r"^program \?\?="),
    Difference(
        "`n += pointer`",
        _in_kernel("n += p;"),
        "C99 6.5.16.2 wants arithmetic types: K344; PoCL warns and converts the sum",
        rf"^assign .* [+]= {_POINTER}$|^in kernel x \+= p",
    ),
    Difference(
        "`++` and `--` of a half in memory",
        _in_kernel("++*h;"),
        "without cl_khr_fp16 a half is for storage only (6.1.1.1): K317",
        r"^unary (--@|\+\+@|@\+\+|@--) \*?.*half",
    ),
    Difference(
        "vectors made of a pointer, a record, an image or an event",
        _in_kernel("(int4)(p);"),
        "6.2.2, 6.1.6: K350, K348; PoCL's compiler ends with a segmentation fault on some",
        rf"^(cast|vector) \((\w+\d)\).*({_POINTER}|image2d_t|event_t|sampler_t|[STU]$)",
    ),
    Difference(
        "`c ? void : value`",
        _in_kernel("n ? 1 : callee();"),
        "C99 6.5.15: K369; PoCL warns",
        r"^conditional (void : |.* : void$)|^in kernel x \? 1 : callee",
    ),
    Difference(
        "`c ? p : q` of a `void*` and a pointer to another address space",
        "kernel void k(global void* p, local int* q, int n) { n ? p : q; }",
        "the address spaces are disjoint (6.5): K351; PoCL looks at the types only",
        r'^conditional .*(\*|array|"text") : .*(\*|array|"text")$',
    ),
    Difference("`printf(1)`", _in_kernel("printf(n);"), "a format is a string literal: K364",
               r"^in kernel printf\(x\)"),
    Difference("a sampler without initialiser", _in_kernel("sampler_t y;"), "6.12.14.1: K389",
               r"^in \w+:? ([a-z]+ )*sampler_t [xy]@?;"),
    Difference(
        "casts to a union",
        "union U { int a; }; kernel void k(int n) { (union U)n; }",
        "GNU C: K350",
        r"^cast \(U\) ",
    ),
    Difference(
        "`vector_size`, `mode`, `address_space`",
        "typedef int f __attribute__((vector_size(16))); kernel void k(f a) {}",
        "attributes of GNU C and clang that make other types: K230",
        r"vector_size|ext_vector_type|mode\(",
    ),
    Difference(
        "attributes in a wrong place",
        _in_kernel("__attribute__((packed)) n = 2;"),
        "taken, with a warning (K221) or none, where they have no effect",
        "^attribute",
        taken=True,
    ),
    Difference(
        "`#pragma unroll` without a loop",
        '#pragma unroll\nkernel void k(void) {}\n',
        "taken: it has no effect",
        '^in kernel _Pragma|^program #pragma unroll',
        taken=True,
    ),
    Difference(
        "`half`, `image2d_t` as names",
        _in_kernel("int half;"),
        "taken: names of types can be hidden like any other",
        "^in kernel int (half|image2d_t);",
        taken=True,
    ),
    Difference("`(callee)()`", _in_kernel("(callee)();"), "taken: parentheses change nothing",
               r"^in kernel \(callee\)", taken=True),
    Difference("`void main()`, no kernel", "void main(void) {} kernel void k(void) {}",
               "taken: only kernels must not be called main", "^program void main", taken=True),
    Difference("a struct of one array without size", _in_kernel("struct s { int a[]; };"),
               "taken: it has no members before the array", r"struct s \{ int a\[\]", taken=True),
    Difference("`v.xx.x = 1`", _in_kernel("v.xx.x = 1;"), "taken: one component is written",
               r"^member int4\.xx \. ", taken=True),
)  # fmt: skip


def listed(key: str, *, taken: bool) -> bool:
    """Whether a difference is in the table; ``taken`` says whether kcc takes the program."""
    return any(row.covers(key, taken=taken) for row in DIFFERENCES)

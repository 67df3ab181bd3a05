"""Programs whose acceptance is compared: a grid over operators, operand types and address spaces.

A case is one line of OpenCL C after :data:`PRELUDE`, or a whole source of its own. Its key says
what it is about ("binary + int4 global int*"); differences are listed by patterns over keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

PRELUDE = """\
typedef struct { int a; float b; int4 v; int c[4]; } S;
typedef struct { int a; float b; } T;
typedef union { int a; float b; } U;
enum E { ONE = 1, TWO };
void callee(void) {}
"""


@dataclass(frozen=True, slots=True)
class Case:
    """``text`` is one line (``alone`` False) or a whole source, without the prelude then."""

    key: str
    text: str
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Operand:
    """A parameter and the expression over it; ``@`` is the parameter's name in both."""

    name: str
    parameter: str
    value: str = "@"

    def declared(self, name: str) -> str:
        return self.parameter.replace("@", name)

    def used(self, name: str) -> str:
        return self.value.replace("@", name)


SCALARS = [
    "bool",
    "char",
    "uchar",
    "short",
    "ushort",
    "int",
    "uint",
    "long",
    "ulong",
    "float",
    "double",
    "size_t",
]
VECTORS = [
    "char4",
    "uchar4",
    "short4",
    "int2",
    "int3",
    "int4",
    "uint4",
    "long4",
    "float2",
    "float4",
    "float8",
    "double4",
]
POINTEES = ["int", "const int", "float", "void", "int4", "S", "int*"]
SPACES = ("global", "local", "constant", "private")
OTHERS = ("S", "T", "U", "enum E", "image2d_t", "sampler_t", "event_t")

VALUES: tuple[Operand, ...] = (
    *(Operand(t, f"{t} @") for t in (*SCALARS, *VECTORS, *OTHERS)),
    Operand("half", "global half* @", "*@"),
    Operand("0", "int @", "0"),
    Operand("1", "int @", "1"),
    Operand("2.5f", "int @", "2.5f"),
    Operand("void", "int @", "(void)0"),
    Operand("function", "int @", "callee"),
    Operand("array", "S @", "@.c"),
    Operand('"text"', "int @", '"text"'),
)
POINTERS = tuple(Operand(f"{s} {p}*", f"{s} {p}* @") for s, p in product(SPACES, POINTEES))
OPERANDS = (*VALUES, *POINTERS)

TARGETS: tuple[Operand, ...] = (
    *(Operand(t, f"{t} @") for t in (*SCALARS, *VECTORS, "S", "U", "enum E")),
    *POINTERS,
    Operand("const int", "const int @"),
    Operand("int* const", "global int* const @"),
    *(
        Operand(f"*{s} {t}", f"{s} {t}* @", "*@")
        for s, t in product(SPACES, ("int", "const int", "float4", "S", "half", "uchar"))
    ),
    *(Operand(f"{s} S.a", f"{s} S* @", "@->a") for s in SPACES),
    *(Operand(f"{s} int[]", f"{s} int* @", "@[1]") for s in SPACES),
    *(Operand(f"int4.{c}", "int4 @", f"@.{c}") for c in ("x", "xy", "xx", "s03", "hi", "odd")),
    Operand("(int4).x", "int4 @", "(@ + @).x"),
    Operand("1", "int @", "1"),
    Operand("sum", "int @", "(@ + 1)"),
    Operand("array", "S @", "@.c"),
    Operand("function", "int @", "callee"),
)

BINARY = [
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
    ",",
]
ASSIGNMENTS = ["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="]
UNARY = ("+@", "-@", "!@", "~@", "++@", "--@", "@++", "@--", "*@", "&@", "sizeof @", "&*@", "**@")
CAST_TYPES = (
    *SCALARS,
    *VECTORS,
    *OTHERS,
    "half",
    "void",
    "int[4]",
    "int(void)",
    *(f"{s} {p}*" for s, p in product(SPACES, POINTEES)),
)
MEMBERS = (
    *[
        "x",
        "y",
        "z",
        "w",
        "xy",
        "xyz",
        "xyzw",
        "xx",
        "wzyx",
        "s0",
        "s3",
        "s4",
        "sA",
        "sf",
        "s0123",
        "S01",
        "s",
        "lo",
        "hi",
        "even",
        "odd",
        "lohi",
    ],
    *[
        "xs0",
        "r",
        "rgba",
        "a",
        "b",
        "v",
        "c",
        "foo",
        "xyzwx",
        "s0s1",
        "X",
        "length",
        "lo.x",
        "hi.lo",
        "x.x",
        "v.x",
        "c[1]",
    ],
)


def function(number: str, operands: Sequence[tuple[Operand, str]], body: str, result: str) -> str:
    """One line: a function over the operands."""
    parameters = ", ".join(operand.declared(name) for operand, name in operands)
    return f"{result} f{number}({parameters or 'void'}) {{ {body} }}"


def expression(key: str, template: str, *operands: Operand, result: str = "void") -> Case:
    """``A``, ``B``, ``C`` in the template stand for the operands."""
    named = list(zip(operands, ("va", "vb", "vc"), strict=False))
    body = template
    for (operand, name), letter in zip(named, "ABC", strict=False):
        body = body.replace(f"${letter}", operand.used(name))
    return Case(key, function("@", named, body, result))


def binary() -> Iterator[Case]:
    for left, op, right in product(OPERANDS, BINARY, OPERANDS):
        key = f"binary {left.name} {op} {right.name}"
        yield expression(key, f"$A {op} $B;", left, right)


def unary() -> Iterator[Case]:
    for operand, op in product((*OPERANDS, *TARGETS), UNARY):
        key = f"unary {op} {operand.name}"
        yield expression(key, op.replace("@", "$A") + ";", operand)


def assignments() -> Iterator[Case]:
    for target, op, value in product(TARGETS, ASSIGNMENTS, OPERANDS):
        key = f"assign {target.name} {op} {value.name}"
        yield expression(key, f"$A {op} $B;", target, value)


_CRASH = re.compile(r"cast \((\w+\d\) void|(float|double)\d\) .*\*)$")
"""PoCL's compiler ends with a segmentation fault on these casts, which are not OpenCL C."""


def casts() -> Iterator[Case]:
    for type_, value in product(CAST_TYPES, OPERANDS):
        if _CRASH.match(f"cast ({type_}) {value.name}"):
            continue
        yield expression(f"cast ({type_}) {value.name}", f"({type_})($A);", value)


def literals_of_vectors() -> Iterator[Case]:
    for type_, left, right in product((*VECTORS, "int", "S"), VALUES, VALUES):
        key = f"vector ({type_})({left.name}, {right.name})"
        yield expression(key, f"({type_})($A, $B);", left, right)


def conversions() -> Iterator[Case]:
    """The same conversion as initialisation, as argument and as result."""
    targets = (*SCALARS, *VECTORS, *OTHERS, *(p.name for p in POINTERS))
    for type_, value in product(targets, OPERANDS):
        tail = f"{type_} = {value.name}"
        yield expression(f"initialise {tail}", f"{type_} x = $A;", value)
        yield expression(f"return {tail}", "return $A;", value, result=type_)
    for type_, value in product(targets, OPERANDS):
        case = expression(f"argument {type_} = {value.name}", "taker@($A);", value)
        yield Case(case.key, f"void taker@({type_} x) {{}} {case.text}")


def conditionals() -> Iterator[Case]:
    for left, right in product(OPERANDS, OPERANDS):
        key = f"conditional {left.name} : {right.name}"
        yield expression(key, "1 ? $A : $B;", left, right)
    for condition in OPERANDS:
        key = f"conditional {condition.name} ?"
        yield expression(key, "$A ? 1 : 2;", condition)
        for name in ("int4", "float4", "char4", "long4", "float2", "int"):
            value = Operand(name, f"{name} @")
            yield expression(f"{key} {name}", "$A ? $B : $B;", condition, value)
            yield expression(f"{key} {name} : 1", "$A ? $B : 1;", condition, value)


def subscripts() -> Iterator[Case]:
    for base, index in product(OPERANDS, OPERANDS):
        yield expression(f"subscript {base.name}[{index.name}]", "$A[$B];", base, index)


def members() -> Iterator[Case]:
    bases = (*OPERANDS, *(o for o in TARGETS if o.name.startswith(("*", "int4."))))
    for base, dot, member in product(bases, (".", "->"), MEMBERS):
        yield expression(f"member {base.name} {dot} {member}", f"$A{dot}{member};", base)
    for base, member, op in product(bases, MEMBERS, ("= 1", "+= 1", "++")):
        key = f"member {base.name} . {member} {op}"
        yield expression(key, f"$A.{member} {op};", base)
    for base, member in product(bases, MEMBERS):
        yield expression(f"member & {base.name} . {member}", f"&$A.{member};", base)


CONDITIONS = (
    "if ($A) ;",
    "while ($A) ;",
    "do ; while ($A);",
    "for (; $A; ) ;",
    "switch ($A) { case 1: ; }",
    "switch (1) { case $A: ; }",
    "$A;",
    "for ($A; ; ) break;",
    "int x[$A];",
    "return $A;",
)


def conditions() -> Iterator[Case]:
    for template, value in product(CONDITIONS, OPERANDS):
        yield expression(f"statement {template} {value.name}", template, value)


FAMILIES = (
    binary,
    unary,
    assignments,
    casts,
    literals_of_vectors,
    conversions,
    conditionals,
    subscripts,
    members,
    conditions,
)

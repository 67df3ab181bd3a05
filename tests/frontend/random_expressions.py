"""Random typed expressions of OpenCL C whose value is defined, for comparison with PoCL.

Signed arithmetic is kept small by remainders, divisors are never zero, floats are exact in every
order of evaluation, and conversions to integers are in range. All else is free: operators, types,
vectors, swizzles, implicit and explicit conversions, shifts by any count.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

INTEGERS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong")
FLOATS = ("float", "double")
SCALARS = (*INTEGERS, *FLOATS)
LANES = (2, 3, 4, 8, 16)
SIGNED_OF = {"char": 1, "short": 2, "int": 4, "long": 8}
SIZES = {
    "char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8,
    "float": 4, "double": 8,
}  # fmt: skip
MASKS = {1: "char", 2: "short", 4: "int", 8: "long"}
"""The element of a vector comparison's result by operand size."""

VARIABLES = 3
"""Values of each kind that a kernel has as variables ``int_0``, ``int_1`` ..."""


def is_signed(kind: str) -> bool:
    return kind in SIGNED_OF or kind in FLOATS


@dataclass(slots=True)
class Expressions:
    """Draws expressions; equal seeds draw equal ones."""

    seed: int
    rng: random.Random = field(init=False)
    temporaries: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    # scalars

    def scalar(self, kind: str, depth: int) -> str:
        """An expression that converts to ``kind`` without leaving its range undefined."""
        if kind in FLOATS:
            return self.floating(kind, depth)
        return self.integer(kind, depth)

    def leaf(self, kind: str) -> str:
        if self.rng.random() < 0.25:
            if kind in FLOATS:
                number = self.rng.randint(-64, 64) / 4
                return f"{number}{'f' if kind == 'float' else ''}"
            number = self.rng.choice((0, 1, 2, 3, 5, 7, 31, 100, 127))
            return f"({kind}){number}" if self.rng.random() < 0.5 else str(number)
        return f"{kind}_{self.rng.randrange(VARIABLES)}"

    def integer(self, kind: str, depth: int) -> str:
        """An integer expression of any integer type: the user converts it to ``kind``."""
        if depth <= 0:
            return self.leaf(kind)
        rules = (
            self.arithmetic, self.division, self.shift, self.bits, self.comparison, self.logical,
            self.conditional, self.conversion, self.from_float, self.unary, self.vector_part,
            self.assignment, self.comma,
        )  # fmt: skip
        return self.rng.choice(rules)(depth - 1)

    def any_integer(self, depth: int) -> str:
        return self.integer(self.rng.choice(INTEGERS), depth)

    def small(self, depth: int) -> str:
        """An integer of magnitude below 100, signed or not."""
        return f"(({self.any_integer(depth)}) % {self.rng.choice((3, 10, 97))})"

    def arithmetic(self, depth: int) -> str:
        op = self.rng.choice("+-*")
        if self.rng.random() < 0.5:
            wide = self.rng.choice(("uint", "ulong"))
            left, right = self.any_integer(depth), self.any_integer(depth)
            return f"(({wide})({left}) {op} ({wide})({right}))"
        return f"({self.small(depth)} {op} {self.small(depth)})"

    def division(self, depth: int) -> str:
        op = self.rng.choice("/%")
        return f"({self.any_integer(depth)} {op} (({self.any_integer(depth)} & 7) + 1))"

    def shift(self, depth: int) -> str:
        op = self.rng.choice(("<<", ">>"))
        left = self.rng.choice(INTEGERS)
        return f"(({left})({self.integer(left, depth)}) {op} {self.any_integer(depth)})"

    def bits(self, depth: int) -> str:
        op = self.rng.choice("&|^")
        return f"({self.any_integer(depth)} {op} {self.any_integer(depth)})"

    def comparison(self, depth: int) -> str:
        op = self.rng.choice(("<", "<=", ">", ">=", "==", "!="))
        one, two = self.rng.choice(SCALARS), self.rng.choice(SCALARS)
        return f"({self.scalar(one, depth)} {op} {self.scalar(two, depth)})"

    def logical(self, depth: int) -> str:
        left, right = (self.scalar(self.rng.choice(SCALARS), depth) for _ in range(2))
        return self.rng.choice(
            (f"({left} && {right})", f"({left} || {right})", f"(!{left})", f"(!!{right})")
        )

    def conditional(self, depth: int) -> str:
        condition = self.any_integer(depth)
        return f"({condition} ? {self.any_integer(depth)} : {self.any_integer(depth)})"

    def conversion(self, depth: int) -> str:
        target = self.rng.choice((*INTEGERS, "bool"))
        return f"(({target})({self.any_integer(depth)}))"

    def from_float(self, depth: int) -> str:
        """Only a plain float is known to be in range, at any depth."""
        del depth
        target = self.rng.choice(("int", "long", "short"))
        return f"(({target})({self.leaf(self.rng.choice(FLOATS))}))"

    def unary(self, depth: int) -> str:
        if self.rng.random() < 0.5:
            return f"(~{self.any_integer(depth)})"
        return f"(-{self.small(depth)})"

    def vector_part(self, depth: int) -> str:
        lanes = self.rng.choice(LANES)
        lane = self.rng.randrange(lanes)
        vector = self.vector(self.rng.choice(INTEGERS), lanes, min(depth, 1))
        return f"({vector}).s{lane:x}"

    def temporary(self, type_: str) -> str:
        """A new variable: none is written twice in one expression."""
        name = f"t_{len(self.temporaries)}"
        self.temporaries.append(f"{type_} {name} = {type_}_0;")
        return name

    def assignment(self, depth: int) -> str:
        match self.rng.randrange(4):
            case 0:
                target = self.temporary(self.rng.choice(INTEGERS))
                return f"({target} = {self.any_integer(depth)})"
            case 1:
                target = self.temporary(self.rng.choice(INTEGERS))
                op = self.rng.choice(("&=", "|=", "^=", ">>=", "<<="))
                return f"({target} {op} {self.any_integer(depth)})"
            case 2:
                target = self.temporary(self.rng.choice(("uint", "ulong", "uchar", "ushort")))
                op = self.rng.choice(("+=", "-=", "*="))
                return f"({target} {op} {self.small(depth)})"
            case _:
                target = self.temporary(self.rng.choice(("uint", "ulong", "uchar", "short")))
                shapes = ("({}++)", "({}--)", "(++{})", "(--{})")
                return self.rng.choice(shapes).format(target)

    def comma(self, depth: int) -> str:
        return f"({self.any_integer(depth)}, {self.any_integer(depth)})"

    # floats: quarters below 2^4, at most two products deep, stay exact in float

    def floating(self, kind: str, depth: int) -> str:
        if depth <= 0:
            return self.leaf(kind)
        left, right = self.leaf(kind), self.leaf(kind)
        match self.rng.randrange(7):
            case 0:
                return f"({left} {self.rng.choice('+-*')} {right})"
            case 1:
                return f"({left} / ({right} * {right} + 1))"
            case 2:
                return f"(({kind}){self.small(min(depth - 1, 1))})"
            case 3:
                condition = self.any_integer(depth - 1)
                return f"({condition} ? {left} : {right})"
            case 4:
                return f"(- {left})"
            case 5:
                other = self.leaf(self.rng.choice(FLOATS))
                return f"({left} + {other})"
            case _:
                lanes = self.rng.choice(LANES)
                vector = self.vector(kind, lanes, 1)
                return f"({vector}).s{self.rng.randrange(lanes):x}"

    # vectors

    def vector(self, kind: str, lanes: int, depth: int) -> str:
        """A vector expression of exactly this type."""
        if depth <= 0:
            return self.vector_leaf(kind, lanes)
        if kind in FLOATS:
            return self.float_vector(kind, lanes, depth - 1)
        return self.integer_vector(kind, lanes, depth - 1)

    def vector_leaf(self, kind: str, lanes: int) -> str:
        name = f"{kind}{lanes}"
        match self.rng.randrange(4):
            case 0:
                return f"({name})({self.leaf(kind)})"
            case 1 if lanes in (4, 8, 16):
                half = f"{kind}{lanes // 2}"
                return f"({name})({half}_0, {half}_0)"
            case 2 if lanes > 2:
                scalars = ", ".join(self.leaf(kind) for _ in range(lanes - 2))
                return f"({name})({scalars}, {kind}2_0)"
            case _:
                return f"{name}_0"

    def swizzled(self, kind: str, lanes: int, depth: int) -> str:
        source = self.rng.choice([n for n in LANES if n >= lanes] or [16])
        picks = "".join(f"{self.rng.randrange(source):x}" for _ in range(lanes))
        return f"({self.vector(kind, source, depth)}).s{picks}"

    def mask(self, kind: str, lanes: int, depth: int) -> str:
        """A comparison or logical operation: lanes of 0 and -1 of the signed type of the size."""
        same = [k for k in SCALARS if MASKS[SIZES[k]] == kind]
        operand = self.rng.choice(same)
        left, right = (self.vector(operand, lanes, depth) for _ in range(2))
        op = self.rng.choice(("<", "<=", ">", ">=", "==", "!=", "&&", "||"))
        return f"({left} {op} {right})" if self.rng.random() < 0.9 else f"(!{left})"

    def integer_vector(self, kind: str, lanes: int, depth: int) -> str:
        left, right = (self.vector(kind, lanes, depth) for _ in range(2))
        choice = self.rng.randrange(10)
        if choice == 0 and kind in SIGNED_OF:
            return self.mask(kind, lanes, depth)
        if choice == 1:
            condition = self.vector(MASKS[SIZES[kind]], lanes, depth)
            return f"({condition} ? {left} : {right})"
        if choice == 2:
            return f"({left} {self.rng.choice(('<<', '>>'))} {right})"
        if choice == 3:
            return f"({left} {self.rng.choice('/%')} (({right} & ({kind})7) + ({kind})1))"
        if choice == 4:
            return f"({self.rng.choice('-~')} {left})"
        if choice == 5:
            return self.swizzled(kind, lanes, depth)
        if choice == 6:
            return f"({left} {self.rng.choice('+-*&|^')} {kind}_{self.rng.randrange(VARIABLES)})"
        if choice == 7:
            return f"({self.temporary(f'{kind}{lanes}')} = {left})"
        return f"({left} {self.rng.choice('+-*&|^')} {right})"

    def float_vector(self, kind: str, lanes: int, depth: int) -> str:
        left, right = (self.vector_leaf(kind, lanes) for _ in range(2))
        match self.rng.randrange(5):
            case 0:
                condition = self.vector(MASKS[SIZES[kind]], lanes, depth)
                return f"({condition} ? {left} : {right})"
            case 1:
                return self.swizzled(kind, lanes, 0)
            case 2:
                return f"(- {left})"
            case 3:
                return f"({left} / ({right} * {right} + 1))"
            case _:
                return f"({left} {self.rng.choice('+-*')} {right})"


@dataclass(frozen=True, slots=True)
class Case:
    """An expression, the type of its result, and the declarations it needs."""

    type: str
    expression: str
    temporaries: tuple[str, ...]


def draw_cases(seed: int, count: int) -> list[Case]:
    """``count`` cases over all types, the same for the same seed."""
    drawn = Expressions(seed)
    cases = list[Case]()
    for _ in range(count):
        kind = drawn.rng.choice(SCALARS)
        depth = drawn.rng.randint(1, 3)
        drawn.temporaries.clear()
        if drawn.rng.random() < 0.4:
            lanes = drawn.rng.choice(LANES)
            type_, expression = f"{kind}{lanes}", drawn.vector(kind, lanes, depth)
        else:
            type_, expression = kind, drawn.scalar(kind, depth)
        cases.append(Case(type_, expression, tuple(drawn.temporaries)))
    return cases


def kernel_source(cases: list[Case]) -> str:
    """One kernel ``k`` that computes every case: first a buffer of inputs for each scalar kind,
    then an output for each case.
    """
    parameters = [f"__global const {kind}* in_{kind}" for kind in SCALARS]
    parameters += [f"__global {case.type}* out_{n}" for n, case in enumerate(cases)]
    lines = ["#pragma OPENCL EXTENSION cl_khr_fp64 : enable", "#pragma OPENCL FP_CONTRACT OFF"]
    lines += [f"__kernel void k({', '.join(parameters)})", "{", "  int gid = get_global_id(0);"]
    for kind in SCALARS:
        for number in range(VARIABLES):
            lines.append(f"  {kind} {kind}_{number} = in_{kind}[gid + {number}];")
        for lanes in LANES:
            parts = ", ".join(f"in_{kind}[gid + {n}]" for n in range(lanes))
            name = f"{kind}{lanes}"
            lines.append(f"  {name} {name}_0 = ({name})({parts});")
    for number, case in enumerate(cases):
        declared = " ".join(case.temporaries)
        lines.append(f"  {{ {declared} {case.type} r = {case.expression};")
        lines.append(f"    out_{number}[gid] = r; }}")
    return "\n".join([*lines, "}", ""])

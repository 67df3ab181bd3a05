"""Expressions of random kernels: every one has a defined value of exactly the type asked for."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.tracegen.program_types import (
    CHAR,
    FLOATS,
    INPUTS,
    INT,
    INTEGERS,
    LANES,
    SHORT,
    SIZES,
    TABLE,
    UCHAR,
    UINT,
    ArrayVariable,
    Function,
    Type,
)

FLOAT_SUFFIXES = {"half": "h", "float": "f", "double": ""}
QUERIES = (
    "get_group_id(0)", "get_num_groups(0)", "get_local_size(0)", "get_global_size(1)",
    "get_work_dim()", "get_global_id(0)", "get_global_id(1)", "get_local_id(2)",
    "get_global_offset(0)",
)  # fmt: skip


@dataclass(slots=True)
class ExpressionWriter:
    """What is known at a place of the source, and the expressions that can stand there."""

    seed: int
    local_size: int
    name: str = "k"
    halves: bool = False
    """Whether to calculate in half precision too."""
    rng: random.Random = field(init=False)
    lines: list[str] = field(default_factory=list[str])
    depth: int = 1
    scopes: list[list[tuple[str, Type]]] = field(default_factory=list[list[tuple[str, Type]]])
    arrays: list[list[ArrayVariable]] = field(default_factory=list[list[ArrayVariable]])
    """By scope, as the variables."""
    functions: list[Function] = field(default_factory=list[Function])
    counter: int = 0
    in_kernel: bool = False
    shared: Type = INT
    """Elements of the array in local memory."""
    locals_ready: bool = False
    """Whether the array in local memory may be read."""

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    # pieces

    def emit(self, line: str) -> None:
        self.lines.append("  " * self.depth + line)

    def new_name(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    @property
    def scalars(self) -> tuple[str, ...]:
        return (*INTEGERS, *FLOATS, "half", "half") if self.halves else (*INTEGERS, *FLOATS)

    def any_type(self) -> Type:
        lanes = self.rng.choice((1, 1, 1, *LANES))
        return Type(self.rng.choice((*self.scalars, "int", "uint", "float")), lanes)

    def variables(self, wanted: Type) -> list[str]:
        return [name for scope in self.scopes for name, type_ in scope if type_ == wanted]

    def open_scope(self, *variables: tuple[str, Type]) -> None:
        self.scopes.append(list(variables))
        self.arrays.append([])

    def close_scope(self) -> None:
        self.scopes.pop()
        self.arrays.pop()

    @contextmanager
    def block(self, head: str) -> Generator[None]:
        """A braced block with a scope of its own."""
        self.emit(head + " {")
        self.depth += 1
        self.open_scope()
        yield
        self.close_scope()
        self.depth -= 1
        self.emit("}")

    # expressions

    def expression(self, type_: Type, depth: int = 3) -> str:
        """A defined expression of exactly that type."""
        if depth <= 0 or self.chance(0.15):
            return self.leaf(type_)
        if type_.lanes > 1 and self.chance(0.3):
            return self.shaped_vector(type_, depth)
        if self.chance(0.12):
            then, other = (self.expression(type_, depth - 1) for _ in range(2))
            return self.typed(type_, f"({self.condition(depth - 1)} ? {then} : {other})")
        if self.chance(0.2):
            return self.converted(type_, depth - 1)
        if called := self.called(type_, depth):
            return called
        return self.floating(type_, depth) if type_.is_float else self.integer(type_, depth)

    def called(self, type_: Type, depth: int) -> str | None:
        """A call of a helper of that type, if there is one that has what it needs."""
        arrays = [a for a in self.known_arrays() if a.element == INT and not a.suffix]
        calls = [f for f in self.functions if f.result == type_ and (arrays or not f.takes_array)]
        if not calls or not self.chance(0.5):
            return None
        function = self.rng.choice(calls)
        given = [self.expression(p, depth - 2) for p in function.parameters]
        if function.takes_array:
            given.insert(0, self.rng.choice(arrays).name)
        return f"{function.name}({', '.join(given)})"

    def known_arrays(self) -> list[ArrayVariable]:
        return [array for scope in self.arrays for array in scope]

    def typed(self, type_: Type, text: str) -> str:
        """Undoes the promotion of small scalars."""
        return f"(({type_}){text})" if type_.lanes == 1 else text

    def leaf(self, type_: Type) -> str:
        known = self.variables(type_)
        if known and self.chance(0.75):
            return self.rng.choice(known)
        wider = [v for n in LANES for v in self.variables(Type(type_.scalar, n)) if n > 1]
        if type_.lanes == 1 and wider and self.chance(0.5):
            return f"{self.rng.choice(wider)}.s{self.rng.randrange(2)}"
        if type_.lanes == 1 and self.chance(0.5):
            return self.memory_read(type_)
        if type_.lanes == 1:
            return self.literal(type_)
        if self.in_kernel and self.chance(0.3) and (loaded := self.vector_read(type_)):
            return loaded
        return f"(({type_})({self.leaf(type_.element)}))"

    def literal(self, type_: Type) -> str:
        if type_.is_float:
            number = self.rng.randint(-400, 400) / 16
            return f"{number}{FLOAT_SUFFIXES[type_.scalar]}"
        if type_.scalar[0] == "u":
            return f"(({type_}){self.rng.choice((0, 1, 2, 3, 7, 31, 100, 255))})"
        return f"(({type_}){self.rng.choice((-128, -3, -1, 0, 1, 2, 5, 17, 127))})"

    def memory_read(self, type_: Type) -> str:
        """A scalar from memory, of the type's family: floats are not made integers."""
        if not self.in_kernel:
            choices = [self.literal(type_)]
        elif type_.is_float:
            choices = [f"fa[{self.index(INPUTS)}]", f"vload_half({self.index(INPUTS)}, ha)"]
        else:
            index = self.index(INPUTS)
            choices = [f"ia[{index}]", f"la[{index}]", self.rng.choice(QUERIES)]
            choices.append(f"{self.name}_table[{self.index(TABLE)}]")
        fitting = [a for a in self.known_arrays() if a.element.is_float == type_.is_float]
        if fitting:
            choices += [self.element(self.rng.choice(fitting))] * 3
        if self.in_kernel and self.locals_ready and self.shared.is_float == type_.is_float:
            place = f"shared[{self.index_expression()} % {self.local_size}u]"
            choices += [place + self.any_lane(self.shared)] * 2
        return f"(({type_}){self.rng.choice(choices)})"

    def element(self, array: ArrayVariable) -> str:
        """A scalar of an array."""
        place = f"{array.name}[{self.index(array.count)}]{array.suffix}"
        return place + self.any_lane(array.element)

    def any_lane(self, type_: Type) -> str:
        return f".s{self.rng.randrange(type_.lanes):x}" if type_.lanes > 1 else ""

    def vector_read(self, type_: Type) -> str | None:
        """A vector of the inputs at once, for the types they have."""
        buffers = {"int": "ia", "ulong": "la", "float": "fa"}
        name = buffers.get(type_.scalar)
        if name is None:
            return None
        index = f"({self.index_expression()}) % {INPUTS // type_.lanes}u"
        if name == "fa" and self.chance(0.4):
            return f"vload_half{type_.lanes}({index}, ha)"
        if type_.lanes != 3 and self.chance(0.4):
            return f"((__global const {type_} *){name})[{index}]"
        return f"vload{type_.lanes}({index}, {name})"

    def index_expression(self) -> str:
        known = self.variables(INT) + self.variables(UINT)
        return f"(uint)({self.rng.choice(known) if known else 3} + {self.rng.randrange(9)}u)"

    def index(self, size: int) -> str:
        return f"({self.index_expression()}) & {size - 1}"

    def condition(self, depth: int) -> str:
        type_ = Type(self.rng.choice(self.scalars))
        first = self.expression(type_, depth)
        match self.rng.randrange(6):
            case 0 if depth > 0:
                return f"({self.condition(depth - 1)} && {self.condition(depth - 1)})"
            case 1 if depth > 0:
                return f"({self.condition(depth - 1)} || {self.condition(depth - 1)})"
            case 2 if depth > 0:
                return f"(!{self.condition(depth - 1)})"
            case 3 if type_.is_float:
                name = self.rng.choice(("isnan", "isinf", "isfinite"))
                return f"({name}({first}) != 0)"
            case _:
                operator = self.rng.choice(("<", "<=", ">", ">=", "==", "!="))
                return f"({first} {operator} {self.expression(type_, depth)})"

    def converted(self, type_: Type, depth: int) -> str:
        source = Type(self.rng.choice(self.scalars), type_.lanes)
        value = self.expression(source, depth)
        if source.is_float and not type_.is_float:
            return self.compared(type_, source, value)
        if not type_.is_float and self.chance(0.3):
            return f"convert_{type_}_sat({value})"
        if type_.lanes == 1 and self.chance(0.5):
            return f"(({type_}){value})"
        return f"convert_{type_}({value})"

    def compared(self, type_: Type, source: Type, value: str) -> str:
        """What stands for a float where an integer is wanted: the float may be anything, so its
        comparison, or its value where that is known to fit."""
        if source.lanes == 1 and self.chance(0.5):
            known = self.variables(source)
            number = self.rng.choice(known) if known else self.literal(source)
            least = "0" if type_.scalar[0] == "u" else "-100"
            inside = f"{number} > ({source}){least} && {number} < ({source})120"
            text = f"({inside}) ? ({type_}){number} : ({type_})({value} > ({source})1)"
            return f"(({type_})({text}))"
        flags = f"({value} > {self.expression(source, 0)})"
        if type_.lanes == 1:
            return f"(({type_}){flags})"
        return f"convert_{type_}({flags})"

    def shaped_vector(self, type_: Type, depth: int) -> str:
        """Built of parts, or picked from a longer one."""
        scalar = Type(type_.scalar)
        letters = "0123456789abcdef"
        source = Type(type_.scalar, self.rng.choice(LANES))
        known = self.variables(source)
        if known and self.chance(0.5):
            picked = "".join(letters[self.rng.randrange(source.lanes)] for _ in range(type_.lanes))
            return f"{self.rng.choice(known)}.s{picked}"
        half = Type(type_.scalar, type_.lanes // 2)
        if type_.lanes in (4, 8, 16) and self.chance(0.4):
            first, second = (self.expression(half, depth - 2) for _ in range(2))
            return f"(({type_})({first}, {second}))"
        if type_.lanes in (2, 4, 8) and self.chance(0.4):
            double = Type(type_.scalar, 2 * type_.lanes)
            part = self.rng.choice(("lo", "hi", "even", "odd"))
            return f"({self.expression(double, depth - 2)}).{part}"
        parts = ", ".join(self.expression(scalar, 0) for _ in range(type_.lanes))
        return f"(({type_})({parts}))"

    def floating(self, type_: Type, depth: int) -> str:
        a, b = (self.expression(type_, depth - 1) for _ in range(2))
        suffix = FLOAT_SUFFIXES[type_.scalar]
        match self.rng.randrange(10):
            case 0 | 1:
                return f"({a} {self.rng.choice('+-')} {b})"
            case 2:
                return f"({a} * {b})"
            case 3:
                return f"({a} / {b})"
            case 4:
                return f"sqrt(fabs({a}))"
            case 5:
                return f"fma({a}, {b}, {self.expression(type_, depth - 2)})"
            case 6:
                name = self.rng.choice(("floor", "ceil", "trunc", "rint", "fabs"))
                return f"{name}({a})"
            case 7:
                return f"(-({a}))"
            case 8:
                return f"copysign({a}, ({type_})({self.literal(type_.element)}))"
            case _:
                return f"({a} * 0.25{suffix} + {self.literal(Type(type_.scalar))})"

    def integer(self, type_: Type, depth: int) -> str:
        a, b = (self.expression(type_, depth - 1) for _ in range(2))
        makers: list[Callable[[Type, str, str], str]] = [
            self.arithmetic, self.arithmetic, self.bitwise, self.shift, self.division,
            self.comparison, self.builtin, self.builtin, self.chosen,
        ]  # fmt: skip
        return self.rng.choice(makers)(type_, a, b)

    def through_unsigned(self, type_: Type, text: Callable[[str, str], str], a: str, b: str) -> str:
        """An operation without signed overflow."""
        if type_.lanes == 1:
            wide = "ulong" if SIZES[type_.scalar] == 8 else "uint"
            return f"(({type_}){text(f'({wide})({a})', f'({wide})({b})')})"
        unsigned = type_.unsigned
        inner = text(f"as_{unsigned}({a})", f"as_{unsigned}({b})")
        return f"as_{type_}({inner})"

    def arithmetic(self, type_: Type, a: str, b: str) -> str:
        operator = self.rng.choice("+-*")
        return self.through_unsigned(type_, lambda x, y: f"({x} {operator} {y})", a, b)

    def bitwise(self, type_: Type, a: str, b: str) -> str:
        return self.typed(type_, f"({a} {self.rng.choice('&|^')} ~{b})")

    def shift(self, type_: Type, a: str, b: str) -> str:
        operator = self.rng.choice(("<<", ">>"))
        if type_.lanes == 1:
            return f"(({type_})({a} {operator} ({b} & {8 * SIZES[type_.scalar] - 1})))"
        return f"({a} {operator} {b})"

    def division(self, type_: Type, a: str, b: str) -> str:
        operator = self.rng.choice("/%")
        one = f"({type_})(1)"
        if type_.is_signed and self.chance(0.5):
            return self.typed(type_, f"(({a} >> {one}) {operator} ({b} | {one}))")
        odd = f"({type_.unsigned})(1)"
        return self.through_unsigned(type_, lambda x, y: f"({x} {operator} ({y} | {odd}))", a, b)

    def comparison(self, type_: Type, a: str, b: str) -> str:
        operator = self.rng.choice(("<", "<=", ">", ">=", "==", "!="))
        if type_.lanes == 1:
            return f"(({type_})({a} {operator} {b}))"
        return f"convert_{type_}({a} {operator} {b})"

    def chosen(self, type_: Type, a: str, b: str) -> str:
        if type_.lanes == 1:
            return f"(({type_})select({a}, {b}, ({type_})({self.condition(0)})))"
        other = Type(type_.scalar, type_.lanes)
        third = self.expression(other, 0)
        if self.chance(0.5):
            return f"select({a}, {b}, {third})"
        return f"bitselect({a}, {b}, {third})"

    def builtin(self, type_: Type, a: str, b: str) -> str:
        one = f"({type_})(1)"
        choices = [
            f"{self.rng.choice(('min', 'max'))}({a}, {b})",
            f"{self.rng.choice(('add_sat', 'sub_sat'))}({a}, {b})",
            f"{self.rng.choice(('hadd', 'rhadd'))}({a}, {b})",
            f"rotate({a}, {b})",
            f"mul_hi({a}, {b})",
            f"clz({a})",
            f"popcount({a})",
            f"clamp({a}, {one}, ({type_})(100))",
            self.reinterpreted(type_, f"abs_diff({a}, {b})"),
            self.reinterpreted(type_, f"abs({a})"),
        ]
        choices += self.rarer_builtins(type_, a, b)
        if type_.lanes > 1:
            floats, ints = Type("float", type_.lanes), Type("int", type_.lanes)
            word = self.rng.choice(("any", "all"))
            choices += [
                f"convert_{type_}(convert_{floats}({a}) > (float)0)",
                f"(({type_})(({type_.scalar}){word}(convert_{ints}({a}))))",
            ]
        return self.rng.choice(choices)

    def rarer_builtins(self, type_: Type, a: str, b: str) -> list[str]:
        """Those that exist for some types only."""
        choices = list[str]()
        if SIZES[type_.scalar] == 4:
            small = f"({type_})(0xffff)"
            name = self.rng.choice(("mul24", "mad24"))
            third = f", {small}" if name == "mad24" else ""
            choices.append(f"{name}(({a}) & ({type_})(0x7f), ({b}) & ({type_})(0xff){third})")
        halves = {"short": CHAR, "int": SHORT, "ushort": UCHAR, "long": INT, "ulong": UINT}
        if type_.scalar in halves:
            high = Type(halves[type_.scalar].scalar, type_.lanes)
            choices.append(f"upsample({self.expression(high, 0)}, {self.leaf(high.unsigned)})")
        if not type_.is_signed:
            choices.append(f"mad_hi({a}, {b}, {self.leaf(type_)})")
        if type_.lanes in (2, 4, 8, 16):
            mask = Type(type_.unsigned.scalar, type_.lanes)
            choices.append(f"shuffle({a}, {self.leaf(mask)})")
            choices.append(f"shuffle2({a}, {b}, {self.leaf(mask)})")
        return choices

    def reinterpreted(self, type_: Type, text: str) -> str:
        return f"(({type_}){text})" if type_.lanes == 1 else f"as_{type_}({text})"

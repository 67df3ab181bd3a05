"""Random kernels of OpenCL C whose every result is defined, so that two implementations must agree.

Signed arithmetic goes through unsigned types, divisors are odd, loops count down from small bounds,
indices are masked, floats use only operations that are rounded correctly, atomics of one place are
of one kind, and barriers stand where all work-items come. A statement is a line or a braced block
of lines of its own, so that :func:`reduce` can drop them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

INTEGERS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong")
FLOATS = ("float", "double")
LANES = (2, 3, 4, 8, 16)
SIZES = {
    "char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8,
    "float": 4, "double": 8,
}  # fmt: skip

INPUTS = 64
"""Elements of each input; the outputs have SLOTS for each work-item, the totals TOTALS."""
SLOTS = 4
TOTALS = 8
PRIVATE = 8
"""Elements of a private array; a power of two, as INPUTS is."""

PARAMETERS = (
    "__global const int *ia, __global const ulong *la, __global const float *fa, "
    "__global ulong *out, __global float *fout, __global uint *totals, __global int *stotals, "
    "const int k0, const uint k1"
)
ATOMICS = ("add", "sub", "and", "or", "xor", "max", "min", "inc")
"""The operation that each place of the totals allows."""

PREAMBLE = """#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
typedef struct { int a; float b; short4 c; uchar d[4]; ulong e; } record;
"""


@dataclass(frozen=True, slots=True)
class Type:
    """A scalar or vector type of OpenCL C."""

    scalar: str
    lanes: int = 1

    def __str__(self) -> str:
        return self.scalar if self.lanes == 1 else f"{self.scalar}{self.lanes}"

    @property
    def is_float(self) -> bool:
        return self.scalar in FLOATS

    @property
    def unsigned(self) -> Type:
        name = self.scalar if self.scalar[0] == "u" else f"u{self.scalar}"
        return Type(name, self.lanes)

    @property
    def is_signed(self) -> bool:
        return not self.is_float and self.scalar[0] != "u"


INT, UINT, ULONG, FLOAT = Type("int"), Type("uint"), Type("ulong"), Type("float")


@dataclass(slots=True)
class Function:
    """A helper that expressions may call."""

    name: str
    result: Type
    parameters: tuple[Type, ...]


@dataclass(slots=True)
class KernelWriter:
    """Draws one kernel, with helpers; equal seeds draw equal ones."""

    seed: int
    local_size: int
    name: str = "k"
    rng: random.Random = field(init=False)
    lines: list[str] = field(default_factory=list[str])
    depth: int = 1
    scopes: list[list[tuple[str, Type]]] = field(default_factory=list[list[tuple[str, Type]]])
    functions: list[Function] = field(default_factory=list[Function])
    counter: int = 0
    in_kernel: bool = False
    uniform: bool = True
    """Whether all work-items of the group come here."""
    loops: int = 0
    breakable: bool = False
    continuable: bool = False
    ended_early: bool = False
    """Whether a work-item may have left the kernel: no barriers from here on."""
    may_return: bool = True
    result: Type | None = None
    arrays: list[str] = field(default_factory=list[str])
    locals_ready: bool = False
    cost: int = 1
    """How often the statement may run: nested loops multiply."""

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

    def any_type(self) -> Type:
        lanes = self.rng.choice((1, 1, 1, *LANES))
        return Type(self.rng.choice((*INTEGERS, *FLOATS, "int", "uint", "float")), lanes)

    def variables(self, wanted: Type) -> list[str]:
        return [name for scope in self.scopes for name, type_ in scope if type_ == wanted]

    @contextmanager
    def block(self, head: str) -> Generator[None]:
        """A braced block with a scope of its own."""
        self.emit(head + " {")
        self.depth += 1
        self.scopes.append([])
        yield
        self.scopes.pop()
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
        calls = [f for f in self.functions if f.result == type_]
        if calls and self.chance(0.5):
            function = self.rng.choice(calls)
            given = ", ".join(self.expression(p, depth - 2) for p in function.parameters)
            return f"{function.name}({given})"
        return self.floating(type_, depth) if type_.is_float else self.integer(type_, depth)

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
        return f"(({type_})({self.leaf(Type(type_.scalar))}))"

    def literal(self, type_: Type) -> str:
        if type_.is_float:
            number = self.rng.randint(-400, 400) / 16
            return f"{number}f" if type_.scalar == "float" else str(number)
        if type_.scalar[0] == "u":
            return f"(({type_}){self.rng.choice((0, 1, 2, 3, 7, 31, 100, 255))})"
        return f"(({type_}){self.rng.choice((-128, -3, -1, 0, 1, 2, 5, 17, 127))})"

    def memory_read(self, type_: Type) -> str:
        index = self.index(INPUTS)
        choices = [f"ia[{index}]", f"la[{index}]"]
        if type_.is_float:
            choices = [f"fa[{index}]"]
        if self.arrays and not type_.is_float:
            choices += [f"{self.rng.choice(self.arrays)}[{self.index(PRIVATE)}]"] * 2
        if self.in_kernel and self.locals_ready and not type_.is_float:
            choices += [f"shared[{self.index_expression()} % {self.local_size}u]"] * 2
        if not self.in_kernel:
            choices = [self.literal(type_)]
        return f"(({type_}){self.rng.choice(choices)})"

    def index_expression(self) -> str:
        known = self.variables(INT) + self.variables(UINT)
        return f"(uint)({self.rng.choice(known) if known else 3} + {self.rng.randrange(9)}u)"

    def index(self, size: int) -> str:
        return f"({self.index_expression()}) & {size - 1}"

    def condition(self, depth: int) -> str:
        type_ = Type(self.rng.choice((*INTEGERS, *FLOATS)))
        first = self.expression(type_, depth)
        match self.rng.randrange(6):
            case 0 if depth > 0:
                return f"({self.condition(depth - 1)} && {self.condition(depth - 1)})"
            case 1 if depth > 0:
                return f"({self.condition(depth - 1)} || {self.condition(depth - 1)})"
            case 2 if depth > 0:
                return f"(!{self.condition(depth - 1)})"
            case _:
                operator = self.rng.choice(("<", "<=", ">", ">=", "==", "!="))
                return f"({first} {operator} {self.expression(type_, depth)})"

    def converted(self, type_: Type, depth: int) -> str:
        source = Type(self.rng.choice((*INTEGERS, *FLOATS)), type_.lanes)
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
        comparison."""
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
        suffix = "f" if type_.scalar == "float" else ""
        match self.rng.randrange(9):
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
        if type_.lanes > 1:
            floats, ints = Type("float", type_.lanes), Type("int", type_.lanes)
            word = self.rng.choice(("any", "all"))
            choices += [
                f"convert_{type_}(convert_{floats}({a}) > (float)0)",
                f"(({type_})(({type_.scalar}){word}(convert_{ints}({a}))))",
            ]
        return self.rng.choice(choices)

    def reinterpreted(self, type_: Type, text: str) -> str:
        return f"(({type_}){text})" if type_.lanes == 1 else f"as_{type_}({text})"

    # statements

    def statements(self, count: int) -> None:
        for _ in range(count):
            self.statement()

    def statement(self) -> None:
        kinds: list[tuple[int, Callable[[], None]]] = [
            (4, self.declare), (5, self.assign), (2, self.assign_element), (2, self.branch),
            (1, self.private_array),
        ]  # fmt: skip
        if self.depth < 4:
            kinds += [(2, self.branch)]
            if self.cost < 40:
                kinds += [(2, self.for_loop), (1, self.while_loop), (1, self.do_loop)]
            kinds += [(1, self.switch)]
        if self.breakable or self.continuable:
            kinds.append((2, self.leave_loop))
        if self.in_kernel:
            kinds += [(2, self.write_out), (1, self.total), (1, self.use_record)]
            if self.uniform and self.loops == 0:
                kinds += [(2, self.exchange), (1, self.count_locally)]
                if self.depth == 1 and not self.ended_early:
                    kinds.append((1, self.loop_with_barriers))
            if self.depth > 1 and self.may_return:
                kinds.append((1, self.leave_kernel))
        elif self.depth > 1:
            kinds.append((1, self.give))
        weights = [w for w, _ in kinds]
        ((_, write),) = self.rng.choices(kinds, weights)
        write()

    def declare(self) -> None:
        type_ = self.any_type()
        value = self.expression(type_)
        name = self.new_name("v")
        self.emit(f"{type_} {name} = {value};")
        self.scopes[-1].append((name, type_))

    def all_variables(self) -> list[tuple[str, Type]]:
        return [v for scope in self.scopes for v in scope if v[0][0] == "v"]

    def assign(self) -> None:
        known = self.all_variables()
        if not known:
            return self.declare()
        name, type_ = self.rng.choice(known)
        self.emit(f"{name} = {self.expression(type_)};")
        return None

    def assign_element(self) -> None:
        known = [v for v in self.all_variables() if v[1].lanes > 1]
        if not known:
            return self.declare()
        name, type_ = self.rng.choice(known)
        if self.chance(0.5):
            lane = self.rng.randrange(type_.lanes)
            self.emit(f"{name}.s{lane:x} = {self.expression(Type(type_.scalar))};")
        else:
            first, second = self.rng.sample(range(type_.lanes), 2)
            self.emit(f"{name}.s{first:x}{second:x} = {self.expression(Type(type_.scalar, 2))};")
        return None

    @contextmanager
    def diverging(self) -> Generator[None]:
        saved = self.uniform
        self.uniform = False
        yield
        self.uniform = saved

    def branch(self) -> None:
        condition = self.condition(2)
        with self.diverging():
            with self.block(f"if ({condition})"):
                self.statements(self.rng.randint(1, 3))
            if self.chance(0.5):
                with self.block("else"):
                    self.statements(self.rng.randint(1, 3))

    @contextmanager
    def loop(self, turns: int) -> Generator[None]:
        saved = self.breakable, self.continuable, self.cost
        self.breakable = self.continuable = True
        self.cost *= turns
        self.loops += 1
        with self.diverging():
            yield
        self.loops -= 1
        self.breakable, self.continuable, self.cost = saved

    def bound(self) -> tuple[str, int]:
        """How often a loop runs: a number, the same for all work-items, or not."""
        turns = self.rng.choice((2, 4, 8)) if self.cost == 1 else 4
        if self.chance(0.2):
            return str(self.rng.randint(1, turns)), turns
        value = "k1" if self.in_kernel and self.chance(0.3) else self.expression(UINT, 1)
        return f"(({value}) & {turns - 1}u)", turns

    def for_loop(self) -> None:
        bound, turns = self.bound()
        name = self.new_name("i")
        with self.loop(turns):
            self.emit(f"for (uint {name} = 0; {name} < {bound}; ++{name}) {{")
            self.depth += 1
            self.scopes.append([(name, UINT)])
            self.statements(self.rng.randint(1, 4))
            self.scopes.pop()
            self.depth -= 1
            self.emit("}")

    def while_loop(self) -> None:
        bound, turns = self.bound()
        name = self.new_name("w")
        self.emit(f"uint {name} = {bound};")
        extra = f" && {self.condition(1)}" if self.chance(0.4) else ""
        with self.loop(turns), self.block(f"while ({name}-- > 0{extra})"):
            self.statements(self.rng.randint(1, 3))

    def do_loop(self) -> None:
        bound, turns = self.bound()
        name = self.new_name("w")
        self.emit(f"uint {name} = {bound};")
        with self.loop(turns):
            self.emit("do {")
            self.depth += 1
            self.scopes.append([])
            self.statements(self.rng.randint(1, 3))
            self.scopes.pop()
            self.depth -= 1
            self.emit(f"}} while ({name}-- > 0);")

    def switch(self) -> None:
        value = self.expression(UINT, 2)
        saved = self.breakable
        with self.diverging(), self.block(f"switch (({value}) & 3u)"):
            self.breakable = True
            for label in self.rng.sample(
                ("case 0:", "case 1:", "case 2:", "case 3:", "default:"), 4
            ):
                with self.block(label):
                    self.statements(self.rng.randint(1, 2))
                    if self.chance(0.7):
                        self.emit("break;")
        self.breakable = saved

    def leave_loop(self) -> None:
        words = ["break"] * self.breakable + ["continue"] * self.continuable
        with self.block(f"if ({self.condition(1)})"):
            self.emit(f"{self.rng.choice(words)};")

    def leave_kernel(self) -> None:
        if self.chance(0.5):
            self.emit(f"if ({self.condition(1)}) return;")
            self.ended_early = True

    def give(self) -> None:
        assert self.result is not None
        value = self.expression(self.result, 1)
        self.emit(f"if ({self.condition(1)}) return {value};")

    def private_array(self) -> None:
        name = self.new_name("p")
        kind = self.rng.choice(INTEGERS)
        i = self.new_name("i")
        value = self.expression(Type(kind), 1)
        self.emit(f"{kind} {name}[{PRIVATE}];")
        self.emit(
            f"for (uint {i} = 0; {i} < {PRIVATE}; ++{i}) {name}[{i}] = {value} ^ ({kind}){i};"
        )
        self.emit(f"{name}[{self.index(PRIVATE)}] = {self.expression(Type(kind), 2)};")
        read = self.new_name("v")
        self.emit(f"{kind} {read} = {name}[{self.index(PRIVATE)}];")
        self.scopes[-1].append((read, Type(kind)))

    def use_record(self) -> None:
        name, read = self.new_name("r"), self.new_name("v")
        self.emit(f"record {name};")
        self.emit(f"{name}.a = {self.expression(INT, 1)}; {name}.b = {self.expression(FLOAT, 1)};")
        self.emit(f"{name}.c = {self.expression(Type('short', 4), 1)};")
        self.emit(f"{name}.e = {self.expression(ULONG, 1)};")
        self.emit(f"for (int z = 0; z < 4; ++z) {name}.d[z] = {self.expression(Type('uchar'), 1)};")
        other = self.new_name("r")
        self.emit(f"record {other} = {name};")
        self.emit(f"if ({self.condition(1)}) {other}.d[{self.index(4)}] = {other}.c.y;")
        self.emit(f"int {read} = {other}.d[{self.index(4)}] ^ {other}.c.x ^ {name}.a;")
        self.scopes[-1].append((read, INT))

    def write_out(self) -> None:
        slot = self.rng.randrange(SLOTS)
        if self.chance(0.3):
            self.emit(f"fout[gid * {SLOTS} + {slot}] = {self.expression(FLOAT)};")
        elif self.chance(0.3):
            self.emit(f"vstore2({self.expression(Type('ulong', 2))}, gid * 2 + {slot // 2}, out);")
        else:
            self.emit(f"out[gid * {SLOTS} + {slot}] += {self.expression(ULONG)};")

    def total(self) -> None:
        place = self.rng.randrange(TOTALS)
        name = ATOMICS[place]
        signed = self.chance(0.5)
        array, kind = ("stotals", INT) if signed else ("totals", UINT)
        given = "" if name == "inc" else f", {self.expression(kind, 2)}"
        self.emit(f"atomic_{name}(&{array}[{place}]{given});")

    def loop_with_barriers(self) -> None:
        """All work-items go round equally often, and none leaves from inside."""
        name = self.new_name("i")
        self.may_return = False
        ready, self.cost = self.locals_ready, 4
        bound = f"((k1 + {self.rng.randrange(4)}u) & 3u)"
        with self.block(f"for (uint {name} = 0; {name} < {bound}; ++{name})"):
            for _ in range(self.rng.randint(1, 2)):
                self.rng.choice((self.exchange, self.count_locally))()
                self.statements(self.rng.randint(1, 2))
        self.locals_ready, self.cost = ready, 1
        self.may_return = True

    def exchange(self) -> None:
        """Local memory written, a barrier, read by others; a barrier before it is used again."""
        if self.ended_early:
            return
        fence = "barrier(CLK_LOCAL_MEM_FENCE);"
        self.emit(fence)
        self.emit(f"shared[lid] = {self.without_locals(INT)};")
        self.emit(fence)
        self.locals_ready = True

    def without_locals(self, type_: Type) -> str:
        """An expression that does not read the array being written."""
        saved, self.locals_ready = self.locals_ready, False
        text = self.expression(type_, 2)
        self.locals_ready = saved
        return text

    def count_locally(self) -> None:
        if self.ended_early:
            return
        name = self.rng.choice(("add", "or", "xor", "max", "min"))
        read = self.new_name("v")
        fence = "barrier(CLK_LOCAL_MEM_FENCE);"
        self.emit(fence)
        self.emit("if (lid < 4) counts[lid] = lid;")
        self.emit(fence)
        with self.block(f"if ({self.condition(1)})"):
            self.emit(f"atomic_{name}(&counts[{self.index(4)}], {self.expression(INT, 1)});")
        self.emit(fence)
        self.emit(f"int {read} = counts[{self.index(4)}];")
        self.scopes[-1].append((read, INT))

    # whole functions

    def helper(self) -> None:
        parameters = tuple(self.any_type() for _ in range(self.rng.randint(1, 3)))
        self.result = self.any_type()
        name = f"{self.name}_f{len(self.functions)}"
        names = [self.new_name("v") for _ in parameters]
        shown = ", ".join(f"{t} {n}" for t, n in zip(parameters, names, strict=True))
        self.lines.append(f"{self.result} {name}({shown}) {{")
        self.scopes = [list(zip(names, parameters, strict=True))]
        self.statements(self.rng.randint(1, 5))
        self.emit(f"return {self.expression(self.result, 2)};")
        self.lines.append("}")
        self.functions.append(Function(name, self.result, parameters))

    def write(self) -> str:
        """The source of the helpers and the kernel."""
        for _ in range(self.rng.randint(0, 2)):
            self.cost = 4
            self.helper()
        self.cost = 1
        self.in_kernel, self.result = True, None
        self.lines.append(f"__kernel void {self.name}({PARAMETERS}) {{")
        self.emit(f"__local int shared[{self.local_size}];")
        self.emit("__local int counts[4];")
        self.emit("const uint gid = get_global_id(0), lid = get_local_id(0);")
        self.scopes = [[("gid", UINT), ("lid", UINT), ("k0", INT), ("k1", UINT)]]
        self.emit(f"int v0 = ia[gid & {INPUTS - 1}]; float v00 = fa[(gid * 7) & {INPUTS - 1}];")
        self.scopes[0] += [("v0", INT), ("v00", FLOAT)]
        self.statements(self.rng.randint(4, 12))
        for slot in range(2):
            self.emit(f"out[gid * {SLOTS} + {slot}] ^= {self.expression(ULONG)};")
        self.emit(f"fout[gid * {SLOTS}] += {self.expression(FLOAT)};")
        self.lines.append("}")
        return "\n".join(self.lines) + "\n"


def write_kernel(seed: int, local_size: int, name: str = "k") -> str:
    """One random kernel with its helpers; :data:`PREAMBLE` goes before all."""
    return KernelWriter(seed, local_size, name).write()


def reduce(source: str, still_fails: Callable[[str], bool]) -> str:
    """Drop lines, braced blocks and the braces around blocks as long as the failure stays."""
    lines = source.splitlines()
    changed = True
    while changed:
        changed = False
        at = len(lines) - 1
        while at >= 0:
            end = at + _extent(lines, at)
            inside = lines[at + 1 : end - 1]
            for kept in ([], inside) if end > at + 1 else ([],):
                shorter = [*lines[:at], *kept, *lines[end:]]
                if still_fails("\n".join(shorter) + "\n"):
                    lines, changed = shorter, True
                    break
            at = min(at, len(lines)) - 1
    return "\n".join(lines) + "\n"


def _extent(lines: list[str], start: int) -> int:
    """Lines from ``start`` to where the brace it opens is closed."""
    depth = 0
    for place in range(start, len(lines)):
        depth += lines[place].count("{") - lines[place].count("}")
        if depth <= 0:
            return place - start + 1
    return 1

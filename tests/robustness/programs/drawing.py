"""Draws whole random programs: statements, and the kernel around them."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.robustness.programs.expressions import INPUTS, LETTERS, ExpressionDrawer
from tests.robustness.programs.tree import Body, Expr, Stmt, lines
from tests.tracegen.program_types import FLOAT, INT, UINT, ULONG, Type

LOCAL_SIZE = 40
"""A full warp of 32 lanes and a partial one."""
SLOTS = 12
"""Results of each work-item."""
TOTALS = 8
LENGTHS = (2, 3, 4, 4, 5, 6, 12)
"""Statements of a program; short ones cost less and are soon reduced."""
SHORT4, UCHAR = Type("short", 4), Type("uchar")

PREAMBLE = """#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#pragma OPENCL FP_CONTRACT OFF
typedef struct { int a; short4 c; uchar d[4]; struct { ulong e; float b; } in; } record;
typedef union { ulong e; uint w[2]; ushort s[4]; uchar b[8]; uchar8 v; } pun;
__constant int table[16] = {1, -7, 99, 0, 31, -1, 64, 12, 255, -128, 3, 8, 1000, -99, 5, 77};
__kernel void k(__global const char *ca, __global const int *ia, __global const ulong *la,
  __global const float *fa, __global ulong *out, __global uint *totals, const int k0, const uint k1)
{
  const uint gid = get_global_id(0), lid = get_local_id(0);
  int turns = 200;
"""
ATOMICS = ("add", "sub", "and", "or", "xor", "max", "min", "inc")
"""The operation that each place of the totals allows, so that their order does not matter."""


@dataclass(slots=True)
class Drawer(ExpressionDrawer):
    """Draws statements. ``turns`` bounds all loops of a work-item together."""

    uniform: bool = True
    """Whether all work-items of a group come here."""
    ended_early: bool = False
    uniform_part: bool = False
    """Inside a loop that all work-items run together: none may leave the kernel from there."""
    loops: int = 0
    in_switch: bool = False
    depth: int = 0
    counter: int = 0
    arrays: list[tuple[str, Type]] = field(default_factory=list[tuple[str, Type]])
    """Private arrays of four."""
    locals: list[str] = field(default_factory=list[str])
    budget: int = 0
    """Statements still to be drawn."""

    def name(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    def body(self, most: int) -> Body:
        """Statements with a scope of their own, in which not all work-items may be."""
        known, arrays, uniform = len(self.variables), len(self.arrays), self.uniform
        self.uniform = False
        self.depth += 1
        found = [s for _ in range(self.rng.randint(1, most)) for s in self.statement()]
        self.depth -= 1
        self.uniform = uniform
        del self.variables[known:], self.arrays[arrays:]
        return tuple(found)

    def statement(self) -> list[Stmt]:
        """One statement, or a few that belong together."""
        self.budget -= 1
        kinds: list[tuple[int, Callable[[], list[Stmt]]]] = [
            (3, self.declare), (6, self.assign), (4, self.assign_lanes), (1, self.private_array),
            (1, self.record), (1, self.union), (1, self.pointer), (1, self.total), (1, self.write),
        ]  # fmt: skip
        if self.depth < 3 and self.budget > 0:
            kinds += [(5, self.branch), (4, self.loop), (2, self.switch)]
        if self.loops or self.in_switch:
            kinds.append((3, self.leave))
        if self.uniform and not self.ended_early:
            kinds += [(2, self.exchange), (1, self.count), (1, self.uniform_loop)]
        elif self.depth and not self.uniform_part:
            kinds.append((1, self.give_up))
        ((_, draw),) = self.rng.choices(kinds, [weight for weight, _ in kinds])
        return draw()

    def declare(self) -> list[Stmt]:
        type_ = self.any_type()
        value, name = self.expression(type_), self.name("v")
        self.variables.append((name, type_))
        return [Stmt((f"{type_} {name} = $0;",), (value,))]

    def assignable(self) -> list[tuple[str, Type]]:
        return [(n, t) for n, t in self.variables if n[0] == "v"]

    def assign(self) -> list[Stmt]:
        if not self.assignable():
            return self.declare()
        name, type_ = self.rng.choice(self.assignable())
        operators = [""] if type_.is_float else ["", "&", "|", "^"]
        if not type_.is_float and not type_.is_signed:
            operators += ["+", "-", "*"]
        return [Stmt((f"{name} {self.rng.choice(operators)}= $0;",), (self.expression(type_),))]

    def assign_lanes(self) -> list[Stmt]:
        vectors = [v for v in self.assignable() if v[1].lanes > 1]
        if not vectors:
            return self.assign()
        name, type_ = self.rng.choice(vectors)
        count = self.rng.choice([n for n in (1, 2, 3, 4) if n <= type_.lanes])
        picked = "".join(LETTERS[n] for n in self.rng.sample(range(type_.lanes), count))
        value = self.expression(Type(type_.scalar, count))
        return [Stmt((f"{name}.s{picked} = $0;",), (value,))]

    def branch(self) -> list[Stmt]:
        condition = self.condition()
        if self.chance(0.4):
            return [Stmt(("if ($0) {", "}"), (condition,), (self.body(3),))]
        heads = ("if ($0) {", "} else {", "}")
        return [Stmt(heads, (condition,), (self.body(2), self.body(2)))]

    @contextmanager
    def looping(self) -> Generator[None]:
        saved = self.in_switch
        self.loops, self.in_switch = self.loops + 1, False
        yield
        self.loops, self.in_switch = self.loops - 1, saved

    def loop(self) -> list[Stmt]:
        """All end: a counter of the loop, and one of the work-item."""
        bound, name = self.index(), self.name("i")
        most = self.rng.choice((1, 3, 7))
        condition = self.condition()
        with self.looping():
            self.variables.append((name, UINT))
            body = self.body(3)
            self.variables.remove((name, UINT))
        match self.rng.randrange(3):
            case 0:
                head = f"for (uint {name} = 0; {name} < ($0 & {most}u) && turns-- > 0; ++{name}) {{"
                return [Stmt((head, "}"), (bound,), (body,))]
            case 1:
                start = f"uint {name} = $0 & {most}u;"
                head = f"while ({name}-- > 0 && turns-- > 0 && ($1)) {{"
                return [Stmt((f"{{ {start} {head}", "} }"), (bound, condition), (body,))]
            case _:
                head = f"{{ uint {name} = $0 & {most}u; do {{"
                tail = f"}} while ({name}-- > 0 && turns-- > 0); }}"
                return [Stmt((head, tail), (bound,), (body,))]

    def leave(self) -> list[Stmt]:
        words = ["break"] if not self.loops else ["break", "continue"]
        return [Stmt((f"if ($0) {self.rng.choice(words)};",), (self.condition(),))]

    def give_up(self) -> list[Stmt]:
        self.ended_early = True
        return [Stmt(("if ($0) return;",), (self.condition(),))]

    def switch(self) -> list[Stmt]:
        """Some cases fall through."""
        value, saved = self.index(), self.in_switch
        self.in_switch = True
        labels = self.rng.sample(("case 0:", "case 1:", "case 2:", "case -1:", "default:"), 3)
        bodies = tuple(self.body(2) for _ in labels)
        self.in_switch = saved
        ends = [self.rng.choice(("} break;", "} break;", "}")) for _ in labels]
        first = f"switch ((int)($0 & 3u) - 1) {{ {labels[0]} {{"
        middle = tuple(f"{e} {next_} {{" for e, next_ in zip(ends, labels[1:], strict=False))
        return [Stmt((first, *middle, f"{ends[-1]} }}"), (value,), bodies)]

    def private_array(self) -> list[Stmt]:
        """Filled, changed at one place, read at another."""
        type_, name, read = self.any_type(), self.name("p"), self.name("v")
        one, two = self.expression(type_, 1), self.expression(type_, 1)
        parts = (one, two, self.index(), self.expression(type_, 1), self.index())
        self.arrays.append((name, type_))
        self.variables.append((read, type_))
        made = f"{type_} {name}[4] = {{$0, $1, $0, $1}};\n{name}[$2 & 3u] = $3;"
        return [Stmt((made + f"\n{type_} {read} = {name}[$4 & 3u];",), parts)]

    def pointer(self) -> list[Stmt]:
        """One of two objects, as a condition says, written and read through a pointer."""
        if self.arrays and self.chance(0.6):
            array, type_ = self.rng.choice(self.arrays)
            pointer, read = self.name("q"), self.name("v")
            parts = (self.index(), self.condition(), self.index(), self.expression(type_, 1))
            text = f"{type_} *{pointer} = {array} + ($0 & 3u); if ($1) {pointer} = {array} + "
            text += f"($2 & 3u);\n*{pointer} = $3;\n{type_} {read} = *{array};"
            self.variables.append((read, type_))
            return [Stmt((text,), parts)]
        pointer, read = self.name("q"), self.name("v")
        parts = (self.index(), self.condition(), self.index(), self.index())
        half = INPUTS // 2 - 1
        text = f"__global const int *{pointer} = ia + ($0 & {half}u); if ($1) {pointer} = ia + "
        text += f"($2 & {half}u);\nint {read} = {pointer}[$3 & {half}u];"
        self.variables.append((read, INT))
        return [Stmt((text,), parts)]

    def record(self) -> list[Stmt]:
        name, other, read = self.name("r"), self.name("r"), self.name("v")
        parts = (
            self.expression(INT, 1), self.expression(SHORT4, 1), self.expression(UCHAR, 1),
            self.expression(ULONG, 1), self.expression(FLOAT, 1), self.condition(), self.index(),
        )  # fmt: skip
        text = f"record {name} = {{$0, $1, {{$2, 1, 2, 3}}, {{$3, $4}}}};\n"
        text += f"record {other} = {name}; if ($5) {{ {other}.d[$6 & 3u] = $2; "
        text += f"{other}.in.e ^= $3; {name} = {other}; }}\n"
        text += f"ulong {read} = {name}.in.e ^ (ulong){name}.c.z ^ {name}.d[$6 & 3u];"
        self.variables.append((read, ULONG))
        return [Stmt((text,), parts)]

    def union(self) -> list[Stmt]:
        """Bytes written one way and read another."""
        name, read = self.name("u"), self.name("v")
        parts = (self.expression(ULONG, 1), self.index(), self.expression(UCHAR, 1),
                 self.index(), self.expression(Type("ushort"), 1))  # fmt: skip
        text = f"pun {name}; {name}.e = $0; {name}.b[$1 & 7u] = $2; {name}.s[$3 & 3u] ^= $4;\n"
        kind, member = self.rng.choice((("uint", "w[$1 & 1u]"), ("uchar8", "v"), ("ulong", "e")))
        lanes = 8 if kind == "uchar8" else 1
        self.variables.append((read, Type("uchar" if lanes == 8 else kind, lanes)))
        return [Stmt((text + f"{kind} {read} = {name}.{member};",), parts)]

    def total(self) -> list[Stmt]:
        place = self.rng.randrange(TOTALS)
        given = "" if ATOMICS[place] == "inc" else ", $0"
        parts = (self.expression(UINT, 1),)
        return [Stmt((f"atomic_{ATOMICS[place]}(&totals[{place}]{given});",), parts)]

    def write(self) -> list[Stmt]:
        """Into the two slots that are not written at the end."""
        value = self.expression(ULONG)
        slot = SLOTS - 1 - self.rng.randrange(2)
        return [Stmt((f"out[gid * {SLOTS} + {slot}] += $0;",), (value,))]

    def exchange(self) -> list[Stmt]:
        """Local memory written by each, a barrier, read by others."""
        type_, name, read = self.any_type(), self.name("s"), self.name("v")
        parts = (self.expression(type_, 1), self.index())
        self.locals.append(f"__local {type_} {name}[{LOCAL_SIZE}];")
        fence = "barrier(CLK_LOCAL_MEM_FENCE);"
        text = f"{fence}\n{name}[lid] = $0;\n{fence}\n{type_} {read} = {name}[$1 % {LOCAL_SIZE}u];"
        self.variables.append((read, type_))
        return [Stmt((text,), parts)]

    def count(self) -> list[Stmt]:
        """Atomics on local memory, for which a part of the work-items comes."""
        name, read = self.name("s"), self.name("v")
        self.locals.append(f"__local int {name}[4];")
        operation = self.rng.choice(("add", "or", "xor", "max", "min"))
        fence = "barrier(CLK_LOCAL_MEM_FENCE);"
        text = f"{fence}\nif (lid < 4) {name}[lid] = lid;\n{fence}\nif ($0) atomic_{operation}"
        text += f"(&{name}[$1 & 3u], $2);\n{fence}\nint {read} = {name}[$3 & 3u];"
        parts = (self.condition(), self.index(), self.expression(INT, 1), self.index())
        self.variables.append((read, INT))
        return [Stmt((text,), parts)]

    def uniform_loop(self) -> list[Stmt]:
        """Barriers in a loop that all work-items run equally often."""
        bound = Expr(UINT, f"((k1 + {self.rng.randrange(4)}u) & 3u)", fixed=True)
        name, known, arrays = self.name("i"), len(self.variables), len(self.arrays)
        saved, self.uniform_part = self.uniform_part, True
        body = (*self.exchange(), *self.body(2))
        self.uniform_part = saved
        del self.variables[known:], self.arrays[arrays:]
        head = f"for (uint {name} = 0; {name} < $0; ++{name}) {{"
        return [Stmt((head, "}"), (bound,), (body,))]


@dataclass(frozen=True, slots=True)
class RandomProgram:
    """A kernel ``k``: what it declares in local memory, and its statements."""

    locals: tuple[str, ...]
    body: Body

    def source(self) -> str:
        declared = [f"  {line}" for line in self.locals]
        return PREAMBLE + "\n".join([*declared, *lines(self.body)]) + "\n}\n"


def draw_program(seed: int, widest: int = 16) -> RandomProgram:
    """The program of a seed."""
    drawer = Drawer(seed, widest)
    drawer.budget = drawer.rng.choice(LENGTHS)
    drawer.variables = [("gid", UINT), ("lid", UINT), ("k0", INT), ("k1", UINT)]
    start = [drawer.declare()[0] for _ in range(3)]
    while drawer.budget > 0:
        start += drawer.statement()
    return RandomProgram(tuple(drawer.locals), (*start, *_results(drawer)))


def _results(drawer: Drawer) -> list[Stmt]:
    """Every lane of the last variables goes into the result; all NaNs are the same."""
    wanted = drawer.assignable()[-(SLOTS - 2) :]
    found = list[Stmt]()
    for slot, (name, type_) in enumerate(wanted):
        value = Expr(ULONG, " ^ ".join(_lane(name, type_, n) for n in range(type_.lanes)))
        found.append(Stmt((f"out[gid * {SLOTS} + {slot}] = $0;",), (value,)))
    return found


def _lane(name: str, type_: Type, lane: int) -> str:
    one = f"{name}.s{LETTERS[lane]}" if type_.lanes > 1 else name
    if type_.is_float:
        bits = "uint" if type_.scalar == "float" else "ulong"
        one = f"(isnan({one}) ? ({bits})1 : as_{bits}({one}))"
    unsigned = one if type_.is_float else f"({Type(type_.scalar).unsigned}){one}"
    return f"rotate((ulong){unsigned}, {lane * 5}UL)"

"""Statements of random kernels. A statement is a line or a braced block of lines of its own, so
that :mod:`tests.tracegen.reducer` can drop them."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.tracegen.program_expressions import ExpressionWriter
from tests.tracegen.program_types import (
    ATOMICS,
    FLOAT,
    FLOATS,
    INT,
    INTEGERS,
    PRIVATE,
    SLOTS,
    TOTALS,
    UINT,
    ULONG,
    ArrayVariable,
    Type,
)

FENCE = "barrier(CLK_LOCAL_MEM_FENCE);"


@dataclass(slots=True)
class StatementWriter(ExpressionWriter):
    """The statements, and what may be said where: loops to leave, barriers all come to."""

    uniform: bool = True
    """Whether all work-items of the group come here."""
    loops: int = 0
    breakable: bool = False
    continuable: bool = False
    exits: list[str] = field(default_factory=list[str])
    """Labels after the loops around this place."""
    ended_early: bool = False
    """Whether a work-item may have left the kernel: no barriers from here on."""
    may_return: bool = True
    result: Type | None = None
    cost: int = 1
    """How often the statement may run: nested loops multiply."""

    def statements(self, count: int) -> None:
        for _ in range(count):
            self.statement()

    def statement(self) -> None:
        kinds: list[tuple[int, Callable[[], None]]] = [
            (4, self.declare), (5, self.assign), (2, self.assign_element), (2, self.branch),
            (1, self.private_array), (1, self.compound), (1, self.store_element),
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
            kinds += [(1, self.use_union), (1, self.write_vector)]
            if self.uniform and self.loops == 0:
                kinds += [(2, self.exchange), (1, self.count_locally)]
                if self.depth <= 2 and not self.ended_early:
                    kinds += [(1, self.loop_with_barriers), (1, self.uniform_branch)]
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

    def compound(self) -> None:
        """Assignment with an operation; those that may overflow on unsigned types only."""
        known = [v for v in self.all_variables() if not v[1].is_float]
        if not known:
            return self.declare()
        name, type_ = self.rng.choice(known)
        free = () if type_.is_signed else ("+", "-")
        if free and type_.lanes == 1 and self.chance(0.3):
            self.emit(f"{name}{self.rng.choice(('++', '--'))};")
        else:
            operator = self.rng.choice(("&", "|", "^", *free))
            self.emit(f"{name} {operator}= {self.expression(type_, 2)};")
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
    def loop(self, trips: int) -> Generator[None]:
        saved = self.breakable, self.continuable, self.cost
        self.breakable = self.continuable = True
        self.cost *= trips
        self.loops += 1
        label = self.new_name("end")
        if self.chance(0.3):
            self.exits.append(label)
        with self.diverging():
            yield
        self.loops -= 1
        if label in self.exits:
            self.exits.remove(label)
            self.emit(f"{label}:;")
        self.breakable, self.continuable, self.cost = saved

    def bound(self) -> tuple[str, int]:
        """How often a loop runs: a number, the same for all work-items, or not."""
        trips = self.rng.choice((2, 4, 8)) if self.cost == 1 else 4
        if self.chance(0.2):
            return str(self.rng.randint(1, trips)), trips
        value = "k1" if self.in_kernel and self.chance(0.3) else self.expression(UINT, 1)
        return f"(({value}) & {trips - 1}u)", trips

    def for_loop(self) -> None:
        bound, trips = self.bound()
        name = self.new_name("i")
        with self.loop(trips):
            self.emit(f"for (uint {name} = 0; {name} < {bound}; ++{name}) {{")
            self.depth += 1
            self.open_scope((name, UINT))
            self.statements(self.rng.randint(1, 4))
            self.close_scope()
            self.depth -= 1
            self.emit("}")

    def while_loop(self) -> None:
        bound, trips = self.bound()
        name = self.new_name("w")
        self.emit(f"uint {name} = {bound};")
        extra = f" && {self.condition(1)}" if self.chance(0.4) else ""
        with self.loop(trips), self.block(f"while ({name}-- > 0{extra})"):
            self.statements(self.rng.randint(1, 3))

    def do_loop(self) -> None:
        bound, trips = self.bound()
        name = self.new_name("w")
        self.emit(f"uint {name} = {bound};")
        with self.loop(trips):
            self.emit("do {")
            self.depth += 1
            self.open_scope()
            self.statements(self.rng.randint(1, 3))
            self.close_scope()
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
        words += [f"goto {label}" for label in self.exits]
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
        """Of scalars, of vectors or of structs, filled by a loop."""
        name, i = self.new_name("p"), self.new_name("i")
        array = ArrayVariable(name, Type(self.rng.choice((*INTEGERS, *FLOATS, "int"))), PRIVATE)
        match self.rng.randrange(6):
            case 0:
                array = ArrayVariable(name, Type(array.element.scalar, 4), PRIVATE)
            case 1:
                array = ArrayVariable(name, INT, PRIVATE, ".pair[1]")
            case 2:
                array = ArrayVariable(name, Type("short", 2), PRIVATE, ".v")
            case _:
                pass
        element = "item" if array.suffix else array.element
        value = self.expression(array.element, 1)
        self.emit(f"{element} {name}[{PRIVATE}];")
        place = f"{name}[{i}]{array.suffix}"
        self.emit(f"for (uint {i} = 0; {i} < {PRIVATE}; ++{i}) {place} = {value};")
        self.arrays[-1].append(array)
        self.write_element(array)
        read, type_ = self.new_name("v"), array.element
        self.emit(f"{type_} {read} = {name}[{self.index(PRIVATE)}]{array.suffix};")
        self.scopes[-1].append((read, type_))

    def store_element(self) -> None:
        known = self.known_arrays()
        if not known:
            return self.private_array()
        return self.write_element(self.rng.choice(known))

    def write_element(self, array: ArrayVariable) -> None:
        place = f"{array.name}[{self.index(array.count)}]{array.suffix}"
        type_ = array.element
        if type_.lanes > 1 and self.chance(0.5):
            place, type_ = place + self.any_lane(type_), type_.element
        self.emit(f"{place} = {self.expression(type_, 2)};")

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

    def use_union(self) -> None:
        """Bytes written one way and read another."""
        name, read = self.new_name("u"), self.new_name("v")
        self.emit(f"pun {name};")
        self.emit(f"{name}.e = {self.expression(ULONG, 2)};")
        self.emit(f"{name}.b[{self.index(8)}] = {self.expression(Type('uchar'), 1)};")
        self.emit(f"{name}.s[{self.index(4)}] ^= {self.expression(Type('ushort'), 1)};")
        self.emit(f"uint {read} = {name}.w[{self.index(2)}];")
        self.scopes[-1].append((read, UINT))

    def write_out(self) -> None:
        slot = self.rng.randrange(SLOTS)
        if self.chance(0.2):
            self.emit(f"vstore_half({self.expression(FLOAT)}, gid * {SLOTS} + {slot}, hout);")
        elif self.chance(0.3):
            self.emit(f"fout[gid * {SLOTS} + {slot}] = {self.expression(FLOAT)};")
        elif self.chance(0.3):
            self.emit(f"vstore2({self.expression(Type('ulong', 2))}, gid * 2 + {slot // 2}, out);")
        else:
            self.emit(f"out[gid * {SLOTS} + {slot}] += {self.expression(ULONG)};")

    def write_vector(self) -> None:
        """Several slots at once."""
        value = Type(*self.rng.choice((("ulong", 3), ("ulong", 4), ("float", 4), ("float", 3))))
        name = "out" if value.scalar == "ulong" else "fout"
        text = self.expression(value, 2)
        if value.lanes == 3:
            self.emit(f"vstore3({text}, 0, {name} + gid * {SLOTS} + 1);")
        elif self.chance(0.4):
            self.emit(f"((__global {value} *){name})[gid] = {text};")
        elif value.scalar == "float" and self.chance(0.5):
            self.emit(f"vstore_half4({text}, gid, hout);")
        else:
            self.emit(f"vstore4({text}, gid, {name});")

    def total(self) -> None:
        place = self.rng.randrange(TOTALS)
        name = ATOMICS[place]
        if self.chance(0.3) and name not in ("inc", "dec"):
            self.emit(f"atom_{name}(&ltotals[{place}], {self.expression(ULONG, 2)});")
            return
        signed = self.chance(0.5)
        array, kind = ("stotals", INT) if signed else ("totals", UINT)
        given = "" if name in ("inc", "dec") else f", {self.expression(kind, 2)}"
        self.emit(f"atomic_{name}(&{array}[{place}]{given});")

    @contextmanager
    def all_together(self, head: str, trips: int) -> Generator[None]:
        """A block that all work-items run equally often, and that none leaves from inside."""
        ready, cost, may_return = self.locals_ready, self.cost, self.may_return
        self.cost, self.may_return = cost * trips, False
        with self.block(head):
            yield
        self.locals_ready, self.cost, self.may_return = ready, cost, may_return

    def loop_with_barriers(self) -> None:
        name = self.new_name("i")
        bound = f"((k1 + {self.rng.randrange(4)}u) & 3u)"
        with self.all_together(f"for (uint {name} = 0; {name} < {bound}; ++{name})", 4):
            for _ in range(self.rng.randint(1, 2)):
                self.rng.choice((self.exchange, self.count_locally))()
                self.statements(self.rng.randint(1, 2))

    def uniform_branch(self) -> None:
        """Barriers where all work-items come, or none."""
        condition = f"((k1 ^ {self.rng.randrange(16)}u) & {self.rng.choice((1, 2, 4))}u)"
        with self.all_together(f"if ({condition})", 1):
            self.exchange()
            self.statements(self.rng.randint(1, 2))
        if self.chance(0.5):
            with self.all_together("else", 1):
                self.count_locally()
                self.statements(1)

    def exchange(self) -> None:
        """Local memory written, a barrier, read by others; a barrier before it is used again."""
        if self.ended_early:
            return
        self.emit(FENCE)
        self.emit(f"shared[lid] = {self.without_locals(self.shared)};")
        self.emit(FENCE)
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
        self.emit(FENCE)
        self.emit("if (lid < 4) counts[lid] = lid;")
        self.emit(FENCE)
        with self.block(f"if ({self.condition(1)})"):
            self.emit(f"atomic_{name}(&counts[{self.index(4)}], {self.expression(INT, 1)});")
        self.emit(FENCE)
        self.emit(f"int {read} = counts[{self.index(4)}];")
        self.scopes[-1].append((read, INT))

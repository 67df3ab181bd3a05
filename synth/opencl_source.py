"""The OpenCL C of a miniature: a label for each block of the DFSG, a line for each instruction.

The text is to be compiled without restructuring (``-cl-opt-disable``; kcc's -O1), as the inline
assembly of Yu et al. (IEEE TC 2015, section 4.2.4) is exempt from the compiler. Lines that stand
for nothing in the original are marked "aux".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import prod

from kcc.frontend.ir.types import (
    I1,
    VOID,
    FloatTy,
    IntTy,
    IrType,
    PtrTy,
    VecTy,
    scalar_of,
)
from kcc.synth.expressions import MULTIPLIER, Expressions
from kcc.synth.liveness import live_statements
from kcc.synth.model import (
    Block,
    Bound,
    Bounded,
    Choice,
    Counted,
    Drawn,
    End,
    Fork,
    Jump,
    Kernel,
    Known,
    Literal,
    Loop,
    LoopControl,
    Miniature,
    Nothing,
    Operand,
    Parameter,
    ParameterKind,
    Refill,
    Result,
    Spread,
    Statement,
)
from kcc.synth.opencl_types import SPACES, number, pointer, signed, spelled

_HEAD = """// A miniature that kcc made: its instructions, addresses and branches are like those of
// another program, its numbers mean nothing. Compile with -cl-opt-disable. "aux" marks what
// drives it.
"""

_FP64 = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"

_INCREMENT = "1013904223u"
"""Of the generator of draws, where no anchor takes its place (Knuth, as the multiplier)."""

_ODD = (2654435769, 1640531527, 2246822519, 3266489917, 668265263, 374761393, 3935559, 805459861)
"""Odd factors without small common relations: the golden ratio's, primes of hash functions."""

_GOLDEN = "2654435769u"
"""2^32 divided by the golden ratio: spreads consecutive numbers evenly (Knuth, TAOCP 3, 6.4)."""


@dataclass(slots=True)
class SourceText:
    """Text, and which access of which kernel stands on which line."""

    lines: list[str] = field(default_factory=list[str])
    accesses: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])

    def add(self, text: str) -> None:
        self.lines += text.split("\n")

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def opencl_source(miniature: Miniature) -> SourceText:
    """The program of a miniature."""
    found = SourceText()
    found.add(_HEAD.rstrip())
    if any(_uses_double(kernel) for kernel in miniature.kernels):
        found.add(_FP64.rstrip())
    for place, kernel in enumerate(miniature.kernels):
        found.add("")
        _Emitter(kernel, miniature.reductions[place], place, found).emit()
    return found


def _uses_double(kernel: Kernel) -> bool:
    return any(
        scalar_of(t) == FloatTy(64)
        for b in kernel.blocks
        for s in b.statements
        for t in (s.type, *s.operand_types)
    )


class _Emitter:
    def __init__(self, kernel: Kernel, factors: Sequence[int], place: int, out: SourceText) -> None:
        self.kernel, self.factors, self.place, self.out = kernel, factors, place, out
        self.statements = {s.number: s for b in kernel.blocks for s in b.statements}
        self.live = live_statements(kernel)
        self.spell = Expressions(self.statements, kernel.moved)
        self.body = list[tuple[str, int]]()
        self.samplers = list[tuple[int, int]]()
        self.draws = set[int]()
        self.fixed = set[int]()
        self.declared = dict[str, list[str]]()
        phis = [s for s in self.statements.values() if s.opcode == "phi"]
        self.incoming: dict[int, list[tuple[Statement, Operand]]] = {}
        for phi in phis:
            if phi.number in self.live:
                for block, value in zip(phi.incoming, phi.operands, strict=True):
                    self.incoming.setdefault(block, []).append((phi, value))
        self.seed = next((p for p in kernel.parameters if p.kind is ParameterKind.SEED), None)

    def emit(self) -> None:
        """The kernel into the text."""
        for shift, loop in self._shifts():
            self.out.add(f"#define {shift} {self._shift(loop)}")
        for block in self.kernel.blocks:
            self._block(block)
        self._prologue()
        for text, access in self.body:
            if access >= 0:
                self.out.accesses[len(self.out.lines) + 1] = (self.place, access)
            self.out.add(text)
        self.out.add("}")

    def _shifts(self) -> list[tuple[str, Loop]]:
        bounded = [x for x in self.kernel.loops if x.control is LoopControl.BOUND]
        return [(self._shift_name(loop.number), loop) for loop in bounded]

    def _shift_name(self, loop: int) -> str:
        return f"SHIFT_{self.kernel.name.upper()}_{loop}"

    def _shift(self, loop: Loop) -> int:
        return self.factors[loop.number].bit_length() - 1

    def _prologue(self) -> None:
        """Everything before the first block: it is known only now what the blocks need."""
        for array in self.kernel.arrays:
            if array.space == 2:
                self.out.add(f"#undef m{array.number}")
                values = ", ".join(str(3 + n % 5) for n in range(min(array.size_bytes // 4, 16)))
                words = -(-array.size_bytes // 4)
                table = self._table(array.number)
                self.out.add(f"__constant uint {table}[{words}] = {{{values}}};")
        if self.kernel.required_local_size:
            sizes = ", ".join(map(str, self.kernel.required_local_size))
            self.out.add(f"__attribute__((reqd_work_group_size({sizes})))")
        inner = ",\n    ".join(_parameter(p) for p in self.kernel.parameters)
        for p in self.kernel.parameters:
            if p.kind is ParameterKind.STRUCT:
                self.out.add(f"typedef struct {{ ulong w[{-(-p.size_bytes // 8)}]; }} "
                             f"{self.kernel.name}_s{p.number};")  # fmt: skip
        inner = inner.replace("STRUCT_", f"{self.kernel.name}_s")
        self.out.add(f"__kernel void {self.kernel.name}(\n    {inner})\n{{")
        for array in self.kernel.arrays:
            if array.space == 3:
                words = -(-array.size_bytes // 8)
                self.out.add(f"    __local ulong m{array.number}[{words}];")
            elif array.space == 2:
                self.out.add(f"#define m{array.number} {self._table(array.number)}")
        for number_, bits in self.samplers:
            self.out.add(f"    const sampler_t v{number_} = {bits};")
        for type_, names in sorted(self.declared.items()):
            for first in range(0, len(names), 12):
                self.out.add(f"    {_declaration(type_, names[first : first + 12])}")
        for p in self.kernel.parameters:
            if p.kind is ParameterKind.STRUCT:
                self.out.add(f"    __private uchar *a{p.number} = (__private uchar *)&w{p.number};")
        self._clear()
        self._seeds()

    def _clear(self) -> None:
        """Write local memory, all threads of the block together."""
        x, y, _ = (*self.kernel.local_size, 1, 1)[:3]
        thread = f"(get_local_id(2) * {y} + get_local_id(1)) * {x} + get_local_id(0)"
        for operand, size in self.kernel.cleared:
            words, place = size // 4, self.spell.operand(operand, PtrTy(3))
            self.out.add(
                f"    for (uint z = {thread}; z < {words}u; z += {prod(self.kernel.local_size)}u)"
                f" ((__local uint *){place})[z] = 0x3f800000u; // aux"
            )
        if self.kernel.cleared:
            self.out.add("    barrier(CLK_LOCAL_MEM_FENCE); // aux")

    def _table(self, array: int) -> str:
        return f"{self.kernel.name}_t{array}"

    def _seeds(self) -> None:
        """Where draws start: threads of a cluster at the same place."""
        assert self.seed is not None or not self.draws
        for cluster in sorted(self.draws):
            shift = cluster.bit_length() - 1
            start = _group(self.kernel) if cluster == 0 else _thread(self.kernel)
            start = f"({start} >> {shift})" if shift > 0 else start
            self.out.add(f"    uint r{cluster} = ({start} + a{self._seed()}) * {_GOLDEN}; // aux")
            if cluster in self.fixed:
                self.out.add(f"    const uint h{cluster} = r{cluster};")

    def _seed(self) -> int:
        assert self.seed is not None
        return self.seed.number

    def _declare(self, type_: IrType, name: str) -> None:
        self.declared.setdefault(spelled(type_), []).append(name)

    def _declare_once(self, type_: IrType, name: str) -> None:
        if name not in self.declared.get(spelled(type_), []):
            self._declare(type_, name)

    def _line(self, text: str, access: int = -1) -> None:
        self.body.append((f"    {text}", access))

    def _aux(self, text: str) -> None:
        self._line(f"{text} // aux")

    def _block(self, block: Block) -> None:
        around = [x.number for x in self.kernel.loops if block.number in x.blocks]
        said = f" // loop {', '.join(map(str, around))}" if around else ""
        self.body.append((f"b{block.number}:;{said}", -1))
        for statement in block.statements:
            if statement.number in self.live:
                self._statement(statement)
        self._leave(block)

    def _statement(self, s: Statement) -> None:
        if s.detail == "__translate_sampler_initializer":
            self.samplers.append((s.number, int(getattr(s.operands[0], "value", 0))))
            return
        if s.type != VOID:
            made = s.operand_types[1] if s.opcode == "cmpxchg" else s.type
            self._declare(made, f"v{s.number}")
        match s.opcode:
            case "phi":
                self._declare(s.type, f"p{s.number}")
                self._line(f"v{s.number} = p{s.number};")
            case "load":
                self._load(s)
            case "store":
                self._store(s)
            case "atomicrmw" | "cmpxchg":
                where = self._where(s, 0)
                self._line(f"v{s.number} = {self.spell.atomic(s, where)};", s.access)
            case "fence":
                self._line("mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);")
            case "insertelement":
                self._insert(s)
            case "call" if s.type == VOID:
                self._line(f"{self.spell.of(s)};")
            case _:
                self._line(f"v{s.number} = {self.spell.of(s)};")
                if s.opcode in ("icmp", "fcmp") and s.type == I1:
                    self._negation(s)

    def _negation(self, s: Statement) -> None:
        """The opposite of a comparison, for those who combine it with another."""
        if not _is_combined(s, self.statements.values()):
            return
        own = [self.spell.operand(o, t) for o, t in zip(s.operands, s.operand_types, strict=True)]
        self._declare(I1, f"n{s.number}")
        self._line(f"n{s.number} = {self.spell.comparison(s, own, inverse=True)};")

    def _insert(self, s: Statement) -> None:
        vector, element = (
            self.spell.operand(o, t)
            for o, t in list(zip(s.operands, s.operand_types, strict=True))[:2]
        )
        lane = s.operands[2]
        value = getattr(lane, "value", 0)
        self._line(f"v{s.number} = {vector}; v{s.number}.s{int(value):x} = {element};")

    def _where(self, s: Statement, place: int) -> str:
        """The address of an access."""
        operand = s.operands[place]
        if not isinstance(operand, Spread):
            return self.spell.operand(operand, s.operand_types[place])
        type_ = s.operand_types[place]
        assert isinstance(type_, PtrTy)
        self._draw(1, operand.anchor, operand.anchor_type)
        base = self.spell.operand(operand.base, type_)
        if not operand.bits:
            return f"{base} + {operand.low_bytes}"
        drawn = f"(r1 >> {32 - operand.bits})"
        space = SPACES[type_.space]
        step = (
            f"({space} uchar (*)[{operand.element_bytes}])({base} + {operand.low_bytes}) + {drawn}"
        )
        name = f"q{s.number}"
        self._declare(type_, name)
        self._aux(f"{name} = ({space} uchar *)({step});")
        return name

    def _draw(self, cluster: int, anchor: Operand, type_: IrType) -> None:
        """The next number of a generator, which takes up the anchor where lanes are on their own;
        lanes that stay together wait for it, but cannot take up what differs between them."""
        self.draws.add(cluster)
        bits = self._bits(anchor, type_)
        if cluster != 1:
            bits = f"{_INCREMENT}{self._wait(anchor, type_)}"
        self._aux(f"r{cluster} = r{cluster} * {MULTIPLIER} + {bits};")

    def _wait(self, anchor: Operand, type_: IrType) -> str:
        """A summand of zero that waits for a value."""
        bits = self._bits(anchor, type_)
        if bits == _INCREMENT:
            return ""
        zero = next(p.number for p in self.kernel.parameters if p.kind is ParameterKind.ZERO)
        return f" + ({bits} & a{zero})"

    def _bits(self, anchor: Operand, type_: IrType) -> str:
        """A value as a whole number of 32 bits."""
        if isinstance(anchor, Nothing) or not isinstance(anchor, Result):
            return _INCREMENT
        text = self.spell.operand(anchor, type_)
        if isinstance(type_, VecTy):
            text, type_ = f"{text}.s0", type_.element
        match type_:
            case FloatTy(32):
                return f"as_uint({text})"
            case FloatTy(64):
                return f"(uint)as_ulong({text})"
            case PtrTy():
                return f"(uint)(ulong){text}"
            case _:
                return f"(uint){text}"

    def _load(self, s: Statement) -> None:
        where = self._where(s, 0)
        space = _space(s, 0)
        volatile = "volatile " if s.number in self.live.unused_loads else ""
        if isinstance(s.type, VecTy) and s.type.element != I1:
            text = f"vload{s.type.lanes}(0, ({space} {spelled(s.type.element)} *)({where}))"
        elif s.type == I1:
            text = f"(bool)*({volatile}{space} uchar *)({where})"
        elif isinstance(s.type, PtrTy):
            text = f"({spelled(s.type)})*({volatile}{space} ulong *)({where})"
        else:
            text = f"*({volatile}{space} {spelled(s.type)} *)({where})"
        self._line(f"v{s.number} = {text};", s.access)

    def _store(self, s: Statement) -> None:
        where, type_ = self._where(s, 1), s.operand_types[0]
        space = _space(s, 1)
        first = s.operands[0]
        if isinstance(first, Refill):
            value = self._refill(first, type_)
        else:
            value = self.spell.operand(first, type_)
        if isinstance(type_, VecTy):
            text = f"vstore{type_.lanes}({value}, 0, ({space} {spelled(type_.element)} *)({where}))"
        elif isinstance(type_, PtrTy):
            text = f"*({space} ulong *)({where}) = (ulong){value}"
        else:
            name = "uchar" if type_ == I1 else spelled(type_)
            text = f"*({space} {name} *)({where}) = {value}"
        self._line(f"{text};", s.access)

    def _refill(self, refill: Refill, type_: IrType) -> str:
        """A number that addresses may be taken from."""
        if not refill.bits:
            return number(refill.least, type_)
        bits = min(refill.bits, 31)
        self._draw(1, refill.anchor, refill.anchor_type)
        return f"({spelled(type_)})(r1 >> {32 - bits}) + {number(refill.least, type_)}"

    def _leave(self, block: Block) -> None:
        """What phis get, how loops start, and where it goes on."""
        for phi, value in self.incoming.get(block.number, ()):
            self._line(f"p{phi.number} = {self.spell.operand(value, phi.type)};")
        for loop in self.kernel.loops:
            if block.number in loop.entries:
                self._enter(loop)
        match block.ending:
            case Jump(target):
                self._go(block, target)
            case Fork(condition, then, otherwise):
                self._line(f"if ({self._condition(condition)}) goto b{then};")
                self._go(block, otherwise)
            case Choice():
                self._choose(block.ending)
            case End():
                self._line("return;")

    def _go(self, block: Block, target: int) -> None:
        if target != block.number + 1:
            self._line(f"goto b{target};")

    def _enter(self, loop: Loop) -> None:
        """Set up the counter or the bound of a loop that is about to be entered."""
        n = loop.number
        if loop.early is not None:
            early = loop.early
            self._draw(early.cluster, Nothing(), IntTy(32))
            trips = f"a{early.trips}[r{early.cluster} >> 26]"
            self._drawn_bound(f"l{n}", early.counter, trips)
        match loop.control:
            case LoopControl.KEPT:
                return
            case LoopControl.COUNT:
                self._declare_once(IntTy(32), f"c{n}")
                self._aux(f"c{n} = 0u;")
            case LoopControl.DRAWN:
                self._draw(loop.cluster, Nothing(), IntTy(32))
                trips = f"a{loop.trips}[r{loop.cluster} >> 26]"
                if loop.bound is not None:
                    self._drawn_bound(f"e{n}", loop.bound, trips)
                    return
                self._declare_once(IntTy(32), f"c{n}")
                self._declare_once(IntTy(32), f"e{n}")
                self._aux(f"e{n} = {trips}; c{n} = 0u;")
            case LoopControl.BOUND:
                self._bound(loop)

    def _drawn_bound(self, name: str, bound: Bound, trips: str) -> None:
        """What the loop's own counter is at the end of its last trip."""
        assert isinstance(bound.start, Result)
        self._declare_once(bound.type, name)
        passed = f"({spelled(bound.type)})({trips} - 1u)"
        if bound.step != Literal(1):
            passed = f"{passed} * {self.spell.operand(bound.step, bound.type)}"
        sign = "+" if bound.rises else "-"
        self._aux(f"{name} = p{bound.start.number} {sign} {passed};")

    def _bound(self, loop: Loop) -> None:
        """A bound that is met after as many trips, divided by the factor, as the original's: at
        least 1 (Yu et al., section 4.2.4, step 4), where there are any."""
        bound, n = loop.bound, loop.number
        assert bound is not None
        assert isinstance(bound.start, Result)
        start = f"p{bound.start.number}"
        self._declare_once(bound.type, f"e{n}")
        self._declare_once(bound.type, f"f{n}")
        step = self.spell.operand(bound.step, bound.type)
        sign = "+" if bound.rises else "-"
        first = f"({start} {sign} {step})" if bound.is_ahead else start
        limit = self.spell.operand(bound.limit, bound.type)
        self._aux(f"f{n} = {_steps(bound, step, first, limit)};")
        shift, one = self._shift_name(n), number(1, bound.type)
        if bound.tests_first:
            some = f"max(f{n} >> {shift}, {one})"
            self._aux(f"f{n} = {_selected(f'f{n} != 0', some, bound.type)};")
        else:
            self._aux(f"f{n} = max((f{n} + {one}) >> {shift}, {one}) - {one};")
        self._aux(f"e{n} = {first} {sign} f{n} * {step};")

    def _condition(self, condition: Known | Drawn | Counted | Bounded) -> str:
        match condition:
            case Known(value):
                return self.spell.operand(value, I1)
            case Drawn():
                return self._drawn(condition)
            case Counted(loop, continues_then, anchor, anchor_type):
                found = self.kernel.loops[loop]
                self._aux(f"c{loop} = c{loop} + 1u{self._wait(anchor, anchor_type)};")
                trips = f"a{found.trips}" if found.control is LoopControl.COUNT else f"e{loop}"
                return f"c{loop} {'<' if continues_then else '>='} {trips}"
            case Bounded(loop, value, type_, continues_then, anchor, anchor_type, early):
                name = f"{'l' if early else 'e'}{loop}"
                sign = "!=" if continues_then else "=="
                waits = self._wait(anchor, anchor_type)
                return f"{self.spell.operand(value, type_)}{waits} {sign} {name}"

    def _drawn(self, condition: Drawn) -> str:
        cluster = condition.cluster
        if condition.fixed:
            return self._fixed(condition)
        self._draw(cluster, condition.anchor, condition.anchor_type)
        return f"r{cluster} < a{condition.rates}"

    def _fixed(self, condition: Drawn) -> str:
        """The threads' numbers, spread evenly, in another order for each branch; it waits for the
        anchor, of which nothing is left."""
        cluster = condition.cluster
        first = cluster not in self.fixed
        self.draws.add(cluster)
        self.fixed.add(cluster)
        place = f"h{cluster}" if first else f"h{cluster} * {_ODD[condition.rates % len(_ODD)]}u"
        waits = self._wait(condition.anchor, condition.anchor_type)
        return f"{place}{waits} < a{condition.rates}"

    def _choose(self, choice: Choice) -> None:
        value = self.spell.operand(choice.value or Nothing(), choice.value_type)
        cases = list(choice.cases)
        if choice.rates:
            self._draw(1, choice.value or Nothing(), choice.value_type)
            value = " + ".join(f"(uint)(r1 >= a{rates})" for rates in choice.rates)
            self._line(f"switch ({value}) {{")
        else:
            self._line(f"switch (({signed(choice.value_type)}){value}) {{")
        for case, target in cases:
            self._line(f"    case {case}: goto b{target};")
        self._line(f"    default: goto b{choice.default};")
        self._line("}")


def _thread(kernel: Kernel) -> str:
    """A number of the thread, neighbours in a warp one apart: equation (1) of the text by way of
    (2), with only the dimensions that there are."""
    if kernel.dimensions == 1:
        return "(uint)get_global_id(0)"
    x, y = (*kernel.local_size, 1)[:2]
    local = f"(uint)get_local_id(1) * {x}u + (uint)get_local_id(0)"
    if kernel.dimensions == 3:
        local = f"(uint)get_local_id(2) * {x * y}u + {local}"
    threads = prod(kernel.local_size)
    return f"({_group(kernel)} * {threads}u + {local})"


def _group(kernel: Kernel) -> str:
    """A number of the thread block."""
    rest = {
        1: "",
        2: " + (uint)get_group_id(1) * 4099u",
        3: " + (uint)get_group_id(1) * 4099u + (uint)get_group_id(2) * 65537u",
    }
    return f"((uint)get_group_id(0){rest[kernel.dimensions]})"


def _steps(bound: Bound, step: str, first: str, limit: str) -> str:
    """How often a loop goes on: the number of steps from ``first`` for which the comparison with
    ``limit`` holds."""
    predicate, type_ = bound.predicate, bound.type
    low, high = (first, limit) if bound.rises else (limit, first)
    if predicate == "ne":
        return _divided(f"({high} - {low})", bound, step)
    includes = predicate.endswith("e")
    size = _constant_step(bound)
    if not size:
        over = f" + {step}" if includes else f" + {step} - {number(1, type_)}"
    else:
        rest = size if includes else size - 1
        over = f" + {number(rest, type_)}" if rest else ""
    cast = signed(type_) if predicate.startswith("s") else spelled(type_)
    holds = f"({cast})({low}) {'<=' if includes else '<'} ({cast})({high})"
    return _selected(holds, _divided(f"({high} - {low}{over})", bound, step), type_)


def _selected(condition: str, value: str, type_: IrType) -> str:
    """A value if a condition holds, else 0, without a branch."""
    return f"select({number(0, type_)}, {value}, ({spelled(type_)})({condition}))"


def _constant_step(bound: Bound) -> int:
    """A step that is a number, 1 or more; 0 for one that is not."""
    match bound.step:
        case Literal(value=int(size)):
            return size
        case _:
            return 0


def _divided(text: str, bound: Bound, step: str) -> str:
    """By the step."""
    size = _constant_step(bound)
    if not size or size & (size - 1):
        return f"{text} / {step}"
    return f"({text} >> {size.bit_length() - 1})" if size > 1 else text


def _is_combined(s: Statement, all_: Iterable[Statement]) -> bool:
    """Whether a truth value is combined with another."""
    return any(
        other.type == I1
        and other.opcode in ("and", "or", "select")
        and Result(s.number) in other.operands
        for other in all_
    )


def _space(s: Statement, place: int) -> str:
    type_ = s.operand_types[place]
    assert isinstance(type_, PtrTy)
    return SPACES[type_.space]


def _parameter(p: Parameter) -> str:
    match p.kind:
        case ParameterKind.BUFFER | ParameterKind.LOCAL:
            return f"{pointer(p.space)}a{p.number}"
        case ParameterKind.STRUCT:
            return f"STRUCT_{p.number} w{p.number}"
        case ParameterKind.IMAGE:
            return f"__{p.access} image2d_t a{p.number}"
        case ParameterKind.SAMPLER:
            return f"sampler_t a{p.number}"
        case ParameterKind.TABLE:
            return f"__constant uint *a{p.number}"
        case ParameterKind.SCALAR:
            return f"{spelled(p.type)} a{p.number}"
        case _:
            return f"uint a{p.number}"


def _declaration(type_: str, names: Sequence[str]) -> str:
    if type_.endswith("*"):
        return f"{type_}{', *'.join(names)};"
    return f"{type_} {', '.join(names)};"

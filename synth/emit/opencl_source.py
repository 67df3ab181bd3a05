"""The OpenCL C of a miniature: a label for each block of the DFSG, a line for each instruction.

The text is to be compiled without restructuring (``-cl-opt-disable``; kcc's -O1), as the inline
assembly of Yu et al. (IEEE TC 2015, section 4.2.4) is exempt from the compiler. Lines that stand
for nothing in the original are marked "aux".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kcc.frontend.ir.types import (
    I1,
    I32,
    VOID,
    FloatTy,
    IntTy,
    IrType,
    PtrTy,
    VecTy,
    scalar_of,
    size_bytes,
)
from kcc.passes.graph.graphs import dominator_tree
from kcc.synth.assembly.liveness import live_statements
from kcc.synth.assembly.model import (
    Block,
    Bounded,
    Choice,
    Counted,
    Drawn,
    End,
    Fork,
    Jump,
    Kernel,
    Known,
    LoopControl,
    Miniature,
    Nothing,
    Operand,
    Refill,
    Spread,
    Statement,
    successors,
)
from kcc.synth.assembly.sharing import ALONE
from kcc.synth.emit.expressions import Expressions
from kcc.synth.emit.opencl_draws import Draws
from kcc.synth.emit.opencl_head import cleared, head
from kcc.synth.emit.opencl_loops import Loops
from kcc.synth.emit.opencl_text import Body, SourceText
from kcc.synth.emit.opencl_types import SPACES, number, signed, spelled

_HEAD = """// A miniature that kcc made: its instructions, addresses and branches are like those of
// another program, its numbers mean nothing. Compile with -cl-opt-disable. "aux" marks what
// drives it.
"""

_FP64 = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"


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
        self.kernel, self.place, self.out = kernel, place, out
        self.statements = {s.number: s for b in kernel.blocks for s in b.statements}
        self.live = live_statements(kernel)
        self.spell = Expressions(self.statements, kernel.moved)
        self.body = Body()
        self.draws = Draws(kernel, self.body, self.spell)
        self.loops = Loops(kernel, factors, self.body, self.spell, self.draws)
        self.samplers = list[tuple[int, int]]()
        self.aligned = dict[str, str]()
        """Names of types that stand where more than their own alignment is promised, and what they
        are: accesses side by side are then one, as in the original."""
        self.drawn = dict[Spread, tuple[str, int]]()
        """Addresses that the block has drawn, with no ``low_bytes``: variable and ``low_bytes``."""
        phis = [s for s in self.statements.values() if s.opcode == "phi"]
        self.incoming: dict[int, list[tuple[Statement, Operand]]] = {}
        for phi in phis:
            if phi.number in self.live:
                for block, value in zip(phi.incoming, phi.operands, strict=True):
                    self.incoming.setdefault(block, []).append((phi, value))

    def emit(self) -> None:
        """The kernel into the text."""
        for block in self.kernel.blocks:
            self._block(block)
        before = (
            *self.loops.shifts(),
            *self.aligned.values(),
            *head(self.kernel, self.body.declared, self.samplers),
            *cleared(self.kernel, self.spell),
        )
        if seeds := list(self.draws.seeds()):
            label = f"b{self._first_draw()}:;"
            place = next(n for n, (t, _) in enumerate(self.body.lines) if t.startswith(label))
            self.body.lines[place + 1 : place + 1] = [(text, -1) for text in seeds]
        for text in before:
            self.out.add(text)
        for text, access in self.body.lines:
            if access >= 0:
                self.out.accesses[len(self.out.lines) + 1] = (self.place, access)
            self.out.add(text)
        self.out.add("}")

    def _first_draw(self) -> int:
        """The block outside loops by which all ways to draws lead: threads that leave before it
        draw nothing."""
        tree = dominator_tree([successors(block.ending) for block in self.kernel.blocks], 0)
        inside = {number for loop in self.kernel.loops for number in loop.blocks}
        block = min(self.draws.blocks)
        while block in inside or not all(tree.dominates(block, b) for b in self.draws.blocks):
            above = tree.parents[block]
            assert above is not None, "the entry is in no loop"
            block = above
        return block

    def _block(self, block: Block) -> None:
        self.draws.block = block.number
        around = [x.number for x in self.kernel.loops if block.number in x.blocks]
        said = f" // loop {', '.join(map(str, around))}" if around else ""
        self.body.label(f"b{block.number}:;{said}")
        self.drawn.clear()
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
            self.body.declare(made, f"v{s.number}")
        match s.opcode:
            case "phi":
                self.body.declare(s.type, f"p{s.number}")
                self.body.line(f"v{s.number} = p{s.number};")
            case "load":
                self._load(s)
            case "store":
                self._store(s)
            case "atomicrmw" | "cmpxchg":
                where = self._where(s, 0)
                self.body.line(f"v{s.number} = {self.spell.atomic(s, where)};", s.access)
            case "fence":
                self.body.line("mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);")
            case "insertelement":
                self._insert(s)
            case "call" if s.type == VOID:
                self.body.line(f"{self.spell.of(s)};")
            case _:
                self.body.line(f"v{s.number} = {self.spell.of(s)};")

    def _insert(self, s: Statement) -> None:
        vector, element = (
            self.spell.operand(o, t)
            for o, t in list(zip(s.operands, s.operand_types, strict=True))[:2]
        )
        lane = s.operands[2]
        value = getattr(lane, "value", 0)
        self.body.line(f"v{s.number} = {vector}; v{s.number}.s{int(value):x} = {element};")

    def _where(self, s: Statement, place: int) -> str:
        """The address of an access."""
        operand = s.operands[place]
        if not isinstance(operand, Spread):
            return self.spell.operand(operand, s.operand_types[place])
        type_ = s.operand_types[place]
        assert isinstance(type_, PtrTy)
        key = replace(operand, low_bytes=0, sharing=ALONE, hot=0)
        if key in self.drawn:  # the block has drawn one of the same: this is as far from it
            name, low_bytes = self.drawn[key]
            apart = operand.low_bytes - low_bytes
            return f"{name} {'-' if apart < 0 else '+'} {abs(apart)}" if apart else name
        bits = self.draws.draw(operand.sharing, operand.anchor, operand.anchor_type)
        base = self.spell.operand(operand.base, type_)
        if operand.count == 1:
            return f"{base} + {operand.low_bytes}"
        name, drawn = f"q{s.number}", f"d{s.number}"
        self.body.declare(I32, drawn)
        self.body.aux(f"{drawn} = {self.draws.one_of(operand, bits)};")
        space = SPACES[type_.space]
        step = (
            f"({space} uchar (*)[{operand.element_bytes}])({base} + {operand.low_bytes}) + {drawn}"
        )
        self.body.declare(type_, name)
        self.body.line(f"{name} = ({space} uchar *)({step});")  # as the original's last step
        self.drawn[key] = name, operand.low_bytes
        return name

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
            text = self._place(s, s.type, f"{volatile}{space}", where, 0)
        self.body.line(f"v{s.number} = {text};", s.access)

    def _place(self, s: Statement, type_: IrType, space: str, where: str, operand: int) -> str:
        """What is accessed, as an object with the alignment that the original promises."""
        name = "uchar" if type_ == I1 else spelled(type_)
        drawn = isinstance(s.operands[operand], Spread)
        if drawn or s.alignment_bytes <= size_bytes(type_):
            return f"*({space} {name} *)({where})"
        own = f"{self.kernel.name}_{name}{s.alignment_bytes}"
        words = f"__attribute__((aligned({s.alignment_bytes}))) {{ {name} v; }}"
        self.aligned[own] = f"typedef struct {words} {own};"
        return f"(({space} {own} *)({where}))->v"

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
            text = f"{self._place(s, type_, space, where, 1)} = {value}"
        self.body.line(f"{text};", s.access)

    def _refill(self, refill: Refill, type_: IrType) -> str:
        """A number that addresses may be taken from."""
        if not refill.bits:
            return number(refill.least, type_)
        bits = min(refill.bits, 31)
        drawn = self.draws.draw(ALONE, refill.anchor, refill.anchor_type)
        return f"({spelled(type_)})({drawn} >> {32 - bits}) + {number(refill.least, type_)}"

    def _leave(self, block: Block) -> None:
        """What phis get, how loops start, and where it goes on."""
        for phi, value in self.incoming.get(block.number, ()):
            self.body.line(f"p{phi.number} = {self.spell.operand(value, phi.type)};")
        for loop in self.kernel.loops:
            if block.number in loop.entries:
                self.loops.enter(loop)
        match block.ending:
            case Jump(target):
                self._go(block, target)
            case Fork(condition, then, otherwise):
                self.body.line(f"if ({self._condition(condition)}) goto b{then};")
                self._go(block, otherwise)
            case Choice():
                self._choose(block.ending)
            case End():
                self.body.line("return;")

    def _go(self, block: Block, target: int) -> None:
        if target != block.number + 1:
            self.body.line(f"goto b{target};")

    def _condition(self, condition: Known | Drawn | Counted | Bounded) -> str:
        match condition:
            case Known(value):
                return self.spell.operand(value, I1)
            case Drawn():
                return self.draws.condition(condition)
            case Counted(loop, continues_then, anchor, anchor_type, stands, early):
                found = self.kernel.loops[loop]
                if not early:
                    self.body.aux(f"c{loop} = c{loop} + 1u;")
                trips = f"a{found.trips}" if found.control is LoopControl.COUNT else f"e{loop}"
                own = self.draws.waited(f"c{loop}", IntTy(32), anchor, anchor_type, stands=stands)
                if early:
                    return f"{own} {'!=' if continues_then else '=='} l{loop}"
                return f"{own} {'<' if continues_then else '>='} {trips}"
            case Bounded(loop, value, type_, continues_then, anchor, anchor_type, stands, early):
                name = f"{'l' if early else 'e'}{loop}"
                sign = "!=" if continues_then else "=="
                own = self.draws.waited(
                    self.spell.operand(value, type_), type_, anchor, anchor_type, stands=stands
                )
                return f"{own} {sign} {name}"

    def _choose(self, choice: Choice) -> None:
        value = self.spell.operand(choice.value or Nothing(), choice.value_type)
        cases = list(choice.cases)
        if choice.rates:
            drawn = self.draws.draw(ALONE, choice.value or Nothing(), choice.value_type)
            value = " + ".join(f"(uint)({drawn} >= a{rates})" for rates in choice.rates)
            self.body.line(f"switch ({value}) {{")
        else:
            self.body.line(f"switch (({signed(choice.value_type)}){value}) {{")
        for case, target in cases:
            self.body.line(f"    case {case}: goto b{target};")
        self.body.line(f"    default: goto b{choice.default};")
        self.body.line("}")


def _space(s: Statement, place: int) -> str:
    type_ = s.operand_types[place]
    assert isinstance(type_, PtrTy)
    return SPACES[type_.space]

"""Draws in a miniature's OpenCL C: generators of numbers, one for each number of lanes that stay
together."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from kcc.frontend.ir.types import FloatTy, IntTy, IrType, PtrTy, VecTy
from kcc.synth.assembly.assemble import GOLDEN
from kcc.synth.assembly.model import (
    Drawn,
    Kernel,
    Nothing,
    Operand,
    ParameterKind,
    Result,
    Spread,
)
from kcc.synth.assembly.sharing import ALONE, LANES, SHARES, WHOLE_BLOCK, Sharing
from kcc.synth.emit.expressions import MULTIPLIER, Expressions
from kcc.synth.emit.opencl_text import AUX, Body

_INCREMENT = "1013904223u"
"""Of the generator of draws, where no anchor takes its place (Knuth, as the multiplier)."""

_ODD = (
    1997795615, 2720141613, 1170375573, 2203859119, 1384565641,
    2070164407, 2488570899, 1223136249,
)  # fmt: skip
"""Factors that take multiples of the golden ratio to those of other numbers whose multiples are
evenly spread too: the periodic continued fractions of (2), (1, 2), (1, 1, 2), (1, 2, 2),
(1, 1, 1, 2), (1, 1, 2, 2), (1, 2, 2, 2), (1, 1, 1, 1, 2), whose partial quotients are small."""


class Draws:
    """What a kernel draws, and where its generators start."""

    def __init__(self, kernel: Kernel, body: Body, spell: Expressions) -> None:
        self.kernel, self.body, self.spell = kernel, body, spell
        self.draws = set[Sharing]()
        self.fixed = set[Sharing]()
        self.groups = set[int]()
        self.block, self.blocks = 0, set[int]()
        """The block that is being written, and those that draw."""
        self.waits = list[str]()

    def draw(
        self, sharing: Sharing, anchor: Operand, type_: IrType, *, stands: bool = False
    ) -> str:
        """The next number of a generator, which takes up the anchor where lanes are on their own;
        lanes that stay together wait for it, but cannot take up what differs between them.
        ``stands``: in place of an instruction of the original. Gives the variable."""
        self.draws.add(sharing)
        self.blocks.add(self.block)
        bits, name = self._bits(anchor, type_), f"r{sharing.name}"
        if sharing == ALONE:
            self._driving(f"{name} = {name} * {MULTIPLIER} + {bits};", stands=stands)
            return name
        self.body.aux(f"{name} = {name} * {MULTIPLIER} + {_INCREMENT};")
        return self.waited(name, IntTy(32), anchor, type_, stands=stands)

    def _driving(self, text: str, *, stands: bool) -> None:
        """A line that drives the miniature, in place of an instruction of the original or not."""
        (self.body.line if stands else self.body.aux)(text)

    def one_of(self, drawn: Spread, bits: str) -> str:
        """The number of an element, of a draw: a shift where that will do. Lanes that draw together
        go to as many elements, side by side from a multiple of their number on. Half of the draws
        may be among fewer, which a bit below those of the number says."""
        lanes = drawn.sharing.lanes
        shift = lanes.bit_length() - 1
        groups = drawn.count >> shift
        if drawn.own is not None:
            many = f"(a{drawn.own.number} >> {shift})" if shift else f"a{drawn.own.number}"
        else:
            many = f"{groups}u"
        if drawn.hot:
            many = f"({many} >> ({bits} >> 15 & 1u) * {drawn.hot}u)"
        if drawn.own is None and not drawn.hot and groups & (groups - 1) == 0:
            text = f"({bits} >> {33 - groups.bit_length()})" if groups > 1 else "0u"
        elif groups <= 1 << 16:
            text = f"(({bits} >> 16) * {many} >> 16)"
        else:
            text = f"mul_hi({bits}, {many})"
        if not shift:
            return text
        self.groups.add(lanes)
        return f"({text} << {shift}) + g{lanes}"

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

    def condition(self, condition: Drawn) -> str:
        """Whether a condition that is drawn holds."""
        if condition.fixed:
            return self._fixed(condition)
        drawn = self.draw(
            condition.sharing, condition.anchor, condition.anchor_type, stands=condition.stands
        )
        return f"{drawn} < a{condition.rates}"

    def _fixed(self, condition: Drawn) -> str:
        """By the threads' numbers; it waits for the anchor, of which nothing is left."""
        place = self.place(condition.sharing, condition.rates)
        own = self.waited(
            place, IntTy(32), condition.anchor, condition.anchor_type, stands=condition.stands
        )
        return f"{own} < a{condition.rates}"

    def waited(
        self, value: str, type_: IrType, anchor: Operand, anchor_type: IrType, *, stands: bool
    ) -> str:
        """A value once another is there: no bits of that are put into it, by one operation of three
        words (LOP3), which takes as long as a comparison does and no pipe that computes on
        floats."""
        bits = self._bits(anchor, anchor_type)
        if bits == _INCREMENT:
            return value
        name = f"w{len(self.waits)}"
        self.waits.append(name)
        self.body.declare(type_, name)
        zero = f"a{self._parameter(ParameterKind.ZERO)}"
        self._driving(f"{name} = {value} | ({bits} & {zero});", stands=stands)
        return name

    def place(self, sharing: Sharing, parameter: int) -> str:
        """The threads' numbers, spread evenly, in another order for each parameter."""
        first = sharing not in self.fixed
        self.fixed.add(sharing)
        self.blocks.add(self.block)
        name = f"h{sharing.name}"
        return name if first else f"{name} * {_ODD[parameter % len(_ODD)]}u"

    def seeds(self) -> Iterator[str]:
        """Where draws start: lanes that draw together at the same place. Evenly spread numbers stay
        as far apart in a generator as they are: half of their bits go into the other half."""
        both = self.draws | self.fixed
        if both - {WHOLE_BLOCK}:
            own = "" if self._has_thread() else AUX
            yield f"    const uint t = {_thread(self.kernel)};{own}"
        for sharing in sorted(both):
            start = _group(self.kernel) if sharing == WHOLE_BLOCK else _draw_of(sharing)
            seed, name = self._parameter(ParameterKind.SEED), f"h{sharing.name}"
            yield f"    const uint {name} = {start} * {GOLDEN}u + a{seed};{AUX}"
            if sharing in self.draws:
                yield f"    uint r{sharing.name} = {name} ^ ({name} >> 16);{AUX}"
        for lanes in sorted(self.groups):
            yield f"    const uint g{lanes} = t & {lanes - 1}u;{AUX}"

    def _has_thread(self) -> bool:
        """Whether the original has the thread's number, too."""
        statements = (s for block in self.kernel.blocks for s in block.statements)
        return self.kernel.dimensions == 1 and any(s.detail == "get_global_id" for s in statements)

    def _parameter(self, kind: ParameterKind) -> int:
        return next(p.number for p in self.kernel.parameters if p.kind is kind)


def _draw_of(sharing: Sharing) -> str:
    """The number of what a lane draws with others. In warps that are finer it is that of half as
    many lanes, in all others an even one of these; which are is told by the warp's number."""
    shift = sharing.lanes.bit_length() - 1
    if not sharing.finer:
        return f"(t >> {shift})" if shift else "t"
    finer = f"(t >> {shift - 1})" if shift > 1 else "t"
    part = f"((t >> {LANES[-1].bit_length() - 1}) * {GOLDEN}u >> {33 - SHARES.bit_length()})"
    return f"({finer} & ~(uint)({part} >= {sharing.finer}u))"


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

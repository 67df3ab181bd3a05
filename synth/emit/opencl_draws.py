"""Draws in a miniature's OpenCL C: generators of numbers, one for each number of lanes that stay
together."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from kcc.frontend.ir.types import FloatTy, IrType, PtrTy, VecTy
from kcc.synth.assembly.assemble import GOLDEN
from kcc.synth.assembly.model import Drawn, Kernel, Nothing, Operand, ParameterKind, Result
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
        self.draws = set[int]()
        self.fixed = set[int]()

    def draw(self, cluster: int, anchor: Operand, type_: IrType) -> None:
        """The next number of a generator, which takes up the anchor where lanes are on their own;
        lanes that stay together wait for it, but cannot take up what differs between them."""
        self.draws.add(cluster)
        bits = self._bits(anchor, type_)
        if cluster != 1:
            bits = f"{_INCREMENT}{self.wait(anchor, type_)}"
        self.body.aux(f"r{cluster} = r{cluster} * {MULTIPLIER} + {bits};")

    def wait(self, anchor: Operand, type_: IrType) -> str:
        """A summand of zero that waits for a value: with the addition one multiply-add."""
        bits = self._bits(anchor, type_)
        if bits == _INCREMENT:
            return ""
        return f" + ({bits} * a{self._parameter(ParameterKind.ZERO)})"

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
        cluster = condition.cluster
        if condition.fixed:
            return self._fixed(condition)
        self.draw(cluster, condition.anchor, condition.anchor_type)
        return f"r{cluster} < a{condition.rates}"

    def _fixed(self, condition: Drawn) -> str:
        """By the threads' numbers; it waits for the anchor, of which nothing is left."""
        place = self.place(condition.cluster, condition.rates)
        waits = self.wait(condition.anchor, condition.anchor_type)
        return f"{place}{waits} < a{condition.rates}"

    def place(self, cluster: int, parameter: int) -> str:
        """The threads' numbers, spread evenly, in another order for each parameter."""
        first = cluster not in self.fixed
        self.draws.add(cluster)
        self.fixed.add(cluster)
        return f"h{cluster}" if first else f"h{cluster} * {_ODD[parameter % len(_ODD)]}u"

    def seeds(self) -> Iterator[str]:
        """Where draws start: threads of a cluster at the same place."""
        for cluster in sorted(self.draws):
            shift = cluster.bit_length() - 1
            start = _group(self.kernel) if cluster == 0 else _thread(self.kernel)
            start = f"({start} >> {shift})" if shift > 0 else start
            seed = self._parameter(ParameterKind.SEED)
            yield f"    uint r{cluster} = {start} * {GOLDEN}u + a{seed};{AUX}"
            if cluster in self.fixed:
                yield f"    const uint h{cluster} = r{cluster};"

    def _parameter(self, kind: ParameterKind) -> int:
        return next(p.number for p in self.kernel.parameters if p.kind is kind)


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

"""What instructions promise not to wrap, and what follows for their extensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import Binary, Phi
from kcc.frontend.ir.opcodes import Flags, Opcode
from kcc.frontend.ir.types import IntTy
from kcc.frontend.ir.values import InstructionRef, Value
from kcc.passes.symbolic.expr import Expr, Node, Number

if TYPE_CHECKING:
    from kcc.passes.symbolic.build import SymbolicValues

MAX_FLAG_DEPTH = 8
"""Operations inside one another whose promises not to wrap are followed."""


@dataclass(frozen=True, slots=True)
class Step:
    """How a variable of ``loop`` goes on in equal steps, and whether no sum wraps, read as
    ``signed`` or as ``unsigned``.
    """

    loop: int
    start: Expr
    step: Expr
    signed: bool
    unsigned: bool


class Promises:
    """Of one kernel; ``steps`` are those known so far, by index of the phi."""

    def __init__(self, values: SymbolicValues) -> None:
        self._values = values
        self.steps: dict[int, Step] = {}

    def extended(
        self, value: Value, block: int, operator: Opcode, type_: IntTy, depth: int = 0
    ) -> Expr:
        """Zext or sext of a value; promises not to wrap let it into sums."""
        node = self._values.scalar(value, block)
        plain = self._values.algebra.convert(operator, node, type_)
        instruction = None
        if isinstance(value, InstructionRef) and value.index < len(
            self._values.function.instructions
        ):
            instruction = self._values.function.instructions[value.index]
        if instruction is None or (
            instruction.block != block and depth == 0 and self._leaves(instruction.block, block)
        ):
            return plain
        if depth > MAX_FLAG_DEPTH or not self._is_conversion(plain):
            return plain
        flag = Flags.NSW if operator is Opcode.SEXT else Flags.NUW
        match instruction:
            case Binary() if flag in instruction.flags:
                return self._extended_binary(instruction, operator, type_, depth) or plain
            case Phi():
                return self._extended_phi(instruction, operator, type_) or plain
            case _:
                return plain

    def _leaves(self, source: int, block: int) -> bool:
        """Whether a value made in one block leaves a loop on the way to another."""
        inner = self._values.loops.innermost[source]
        return inner is not None and block not in self._values.loops.loops[inner].blocks

    def _is_conversion(self, node: Node) -> bool:
        return getattr(node, "operator", None) in (Opcode.SEXT, Opcode.ZEXT)

    def _extended_binary(
        self, instruction: Binary, operator: Opcode, type_: IntTy, depth: int
    ) -> Expr | None:
        sides = [
            self.extended(side, instruction.block, operator, type_, depth + 1)
            for side in instruction.operands
        ]
        match instruction.opcode:
            case Opcode.ADD:
                return self._values.algebra.add(*sides)
            case Opcode.SUB:
                return self._values.algebra.subtract(*sides)
            case Opcode.MUL:
                return self._values.algebra.multiply(*sides)
            case Opcode.SHL if isinstance(sides[1], Number):
                return self._values.algebra.scale(sides[0], 1 << max(sides[1].value, 0))
            case _:
                return None

    def _extended_phi(self, phi: Phi, operator: Opcode, type_: IntTy) -> Expr | None:
        found = self.steps.get(phi.index)
        if found is None:
            return None
        if not (found.signed if operator is Opcode.SEXT else found.unsigned):
            return None
        if operator is Opcode.ZEXT and not isinstance(found.step, Number):
            return None
        wide = self._values.algebra.convert(Opcode.SEXT, found.step, type_)
        counter = self._values.algebra.counter(found.loop, type_)
        first = self._values.algebra.convert(operator, found.start, type_)
        return self._values.algebra.add(first, self._values.algebra.multiply(wide, counter))

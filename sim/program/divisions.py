"""What a division of integers takes: by a constant, by what is one too late, and by anything."""

from __future__ import annotations

from kcc.frontend.ir.instructions import AnyInstruction
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.types import IntTy, scalar_of
from kcc.frontend.ir.values import ConstantInt, ConstantVector
from kcc.sim.machine.costs import BY_CONSTANT, BY_POWER_OF_TWO, Cost, Generation, division_cost
from kcc.sim.program.folding import is_known_late


def division_of(instruction: AnyInstruction, function: Function, generation: Generation) -> Cost:
    """Division by a constant is a multiplication and shifts, by a power of two shifts alone."""
    divisor = instruction.operands[1]
    type_ = scalar_of(instruction.type)
    wide = isinstance(type_, IntTy) and type_.bits > 32
    if isinstance(divisor, ConstantInt):
        is_power = divisor.value > 0 and divisor.value & (divisor.value - 1) == 0
        return (BY_POWER_OF_TWO if is_power else BY_CONSTANT)[wide]
    if isinstance(divisor, ConstantVector):
        return BY_CONSTANT[False]
    late = is_known_late(function.definition(divisor))
    return division_cost(instruction.opcode, generation, is_wide=wide, is_known_late=late)

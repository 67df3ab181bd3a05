"""What a division takes: of integers by a constant, by what is one too late, and by anything; of
floats by a constant."""

from __future__ import annotations

from kcc.frontend.ir.instructions import AnyInstruction
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.types import FloatTy, IntTy, IrType, scalar_of
from kcc.frontend.ir.values import ConstantFloat, ConstantInt, ConstantVector
from kcc.frontend.kernel import Language
from kcc.sim.machine.costs import (
    BY_CONSTANT,
    BY_POWER_OF_TWO,
    BY_TWO,
    SINCE_VOLTA,
    Cost,
    Generation,
    division_cost,
)
from kcc.sim.program.folding import is_known_late


def division_of(instruction: AnyInstruction, function: Function, generation: Generation) -> Cost:
    """Division by a constant is a multiplication and shifts, by a power of two shifts alone."""
    divisor = instruction.operands[1]
    type_ = scalar_of(instruction.type)
    wide = isinstance(type_, IntTy) and type_.bits > 32
    if isinstance(divisor, ConstantInt):
        is_power = divisor.value > 0 and divisor.value & (divisor.value - 1) == 0
        if divisor.value == 2 and not wide and generation in SINCE_VOLTA:
            return BY_TWO
        return (BY_POWER_OF_TWO if is_power else BY_CONSTANT)[wide]
    if isinstance(divisor, ConstantVector):
        return BY_CONSTANT[False]
    late = is_known_late(function.definition(divisor))
    return division_cost(instruction.opcode, generation, is_wide=wide, is_known_late=late)


def is_scaling(instruction: AnyInstruction, language: Language) -> bool:
    """Whether a division of floats by a constant is a product with its reciprocal, as OpenCL lets
    it be (two units off; ptxas 12.9 makes FMUL of div.full)."""
    return (
        language is Language.OPENCL
        and not is_double(instruction)
        and isinstance(instruction.operands[1], ConstantFloat)
    )


def is_double(instruction: AnyInstruction) -> bool:
    """Whether a result has double precision."""
    return _is_double_type(instruction.type)


def has_doubles(instruction: AnyInstruction) -> bool:
    """Whether a result or an operand has double precision."""
    types = (instruction.type, *(each.type for each in instruction.operands))
    return any(map(_is_double_type, types))


def _is_double_type(type_: IrType) -> bool:
    return isinstance(element := scalar_of(type_), FloatTy) and element.bits == 64

"""What a division takes: of integers by a constant, by what is one too late, and by anything; of
floats by a constant."""

from __future__ import annotations

from kcc.frontend.ir.instructions import AnyInstruction
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import FloatTy, IntTy, IrType, scalar_of
from kcc.frontend.ir.values import ConstantFloat, ConstantInt, ConstantVector
from kcc.frontend.kernel import Language
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import (
    BY_CONSTANT,
    BY_POWER_OF_TWO,
    BY_TWO,
    CONVERSIONS,
    SINCE_VOLTA,
    Cost,
    Generation,
    Unit,
    division_cost,
    products_of,
)
from kcc.sim.program.drafts import Draft, Drafts
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


def divide(
    drafts: Drafts, instruction: AnyInstruction, cost: Cost, count: float, needs: list[int],
    line: int, before: int,
) -> int:  # fmt: skip
    """Make the instructions of ``count`` divisions at this cost, those that are the divisor's once
    in the block ``before``; gives the one that has the result."""
    own, steps = dict(cost.beside), cost.steps
    own[cost.unit] = cost.slots - sum(own.values())
    if cost.of_divisor:
        others = cost.slots - cost.of_divisor
        products = products_of(others)
        divisor = {
            Unit.SFU: float(CONVERSIONS), Unit.FMA: own[Unit.FMA] - products,
            cost.unit: own[cost.unit] - others + products,
        }  # fmt: skip
        own = {Unit.FMA: products, cost.unit: others - products}
        key = "divisor", instruction.operands[1], instruction.opcode in _SIGNED, before
        share = cost.of_divisor / cost.slots
        needs = [*needs, drafts.once(
            key, before,
            lambda: _made(
                drafts, instruction, before, divisor, cost.unit, share * cost.steps, line
            ),
        )]  # fmt: skip
        steps *= 1.0 - share
    own = {unit: slots * count for unit, slots in own.items()}
    last = _made(drafts, instruction, instruction.block, own, cost.unit, steps, line)
    last.needs = needs
    return drafts.add(instruction.block, last)


def _made(
    drafts: Drafts, instruction: AnyInstruction, block: int, slots: dict[Unit, float], main: Unit,
    steps: float, line: int,
) -> Draft:  # fmt: skip
    """Instructions by unit in a block; gives those of the ``main`` one, which are to be added."""
    drafted = {
        unit: Draft(
            unit, InstructionClass.INT_DIV, own, steps if unit is main else 1.0, [],
            line=line, instruction=instruction.index,
        )
        for unit, own in slots.items()
    }  # fmt: skip
    for unit, draft in drafted.items():
        if unit is not main:
            drafts.add(block, draft)
    return drafted[main]


_SIGNED = frozenset({Opcode.SDIV, Opcode.SREM})


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

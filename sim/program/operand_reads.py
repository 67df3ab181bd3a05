"""How many registers the instructions of a block read, where no compiler has said so.

An instruction on floats reads each of its operands that is no constant and no argument; of a
multiply-add that is fused, those of the product. Of two in a row with an operand in common the
second finds it in the reuse cache, mostly (:data:`REUSED`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from kcc.frontend.ir.instructions import AnyInstruction, Call
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.values import InstructionRef, Value
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.program.folding import Folding
from kcc.sim.program.operations import MachineOperation

REUSED = 0.55
"""Of the operands that two multiply-adds in a row have in common, the share that is not read again:
in ptxas 12.9's code of 17 matrix products for sm_86 they read 2.43 registers in the mean, where all
of them have one in common with their neighbour."""

OTHERS = 1.25
"""Registers that instructions of all other kinds read, in the mean (the same code, and that of
convolutions: 1.2 to 1.3)."""

_BANKS = 2
_FLOATS = frozenset({InstructionClass.FP32, InstructionClass.FP16})


def block_reads(
    rows: Sequence[MachineOperation], blocks: Sequence[Sequence[int]], function: Function,
    folding: Folding, constants: Collection[int],
) -> tuple[float, ...]:  # fmt: skip
    """By block, registers of a bank that an instruction reads, in the mean; ``constants`` are the
    instructions whose values are operands from constant memory."""
    found = list[float]()
    for block in blocks:
        read = issued = 0.0
        before: frozenset[Value] = frozenset()
        for number in block:
            row = rows[number]
            own = OTHERS
            if row.kind in _FLOATS and row.instruction >= 0:
                instruction = function.instructions[row.instruction]
                registers = frozenset(_registers(instruction, function, folding, constants))
                own = len(registers) - (REUSED if registers & before else 0.0)
                before = registers
            elif row.slots:
                before = frozenset()
            read, issued = read + row.slots * own, issued + row.slots
        found.append(read / issued / _BANKS if issued else 1.0)
    return tuple(found)


def _registers(
    instruction: AnyInstruction, function: Function, folding: Folding, constants: Collection[int]
) -> Iterator[Value]:
    """The values that an instruction on floats reads from registers."""
    operands = instruction.operands
    for operand in operands[:3] if isinstance(instruction, Call) else operands:
        if not isinstance(operand, InstructionRef) or operand.index in constants:
            continue
        made = function.instructions[operand.index]
        if operand.index in folding.fused or made.opcode is Opcode.FNEG:
            yield from _registers(made, function, folding, constants)
        else:
            yield operand

"""Which `or` shares no bit with its constant, where LLVM was not asked to optimise and so does not
say it: of a counter that moves by four, `i | 1` is a sum, and what is linear in it stays so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kcc.frontend.ir.instructions import AnyInstruction, Binary, Cast, Phi, Select
from kcc.frontend.ir.opcodes import Flags, Opcode
from kcc.frontend.ir.types import IntTy
from kcc.frontend.ir.values import ConstantInt, InstructionRef, Value


def with_disjoint(instructions: Sequence[AnyInstruction]) -> Mapping[int, AnyInstruction]:
    """By index, instructions that are to have the flag and do not."""
    asked = [i for i in instructions if _is_plain_or(i)]
    if not asked:
        return {}
    zeros = _low_zeros(instructions)
    return {
        i.index: replace(i, flags=i.flags | Flags.DISJOINT)
        for i in asked
        if _bits_of(i.operands[1]) <= _zeros_of(i.operands[0], zeros)
    }


def _is_plain_or(instruction: AnyInstruction) -> bool:
    return (
        isinstance(instruction, Binary)
        and instruction.opcode is Opcode.OR
        and isinstance(instruction.type, IntTy)
        and instruction.type.bits > 1
        and isinstance(instruction.operands[1], ConstantInt)
        and Flags.DISJOINT not in instruction.flags
    )


def _bits_of(constant: Value) -> int:
    """Up to which bit a constant has ones; all for a negative one."""
    assert isinstance(constant, ConstantInt)
    assert isinstance(constant.type, IntTy)
    return constant.type.bits if constant.value < 0 else constant.value.bit_length()


def _low_zeros(instructions: Sequence[AnyInstruction]) -> list[int]:
    """How many low bits of each integer are 0: as many as there are to begin with, then fewer until
    nothing changes; what uses a value is looked at again as often as it gets fewer, 64 times."""
    zeros = [i.type.bits if isinstance(i.type, IntTy) else 0 for i in instructions]
    users: list[list[int]] = [[] for _ in instructions]
    for instruction in instructions:
        for operand in instruction.operands:
            if isinstance(operand, InstructionRef):
                users[operand.index].append(instruction.index)
    pending = [i.index for i in reversed(instructions)]
    while pending:
        number = pending.pop()
        found = min(_found(instructions[number], zeros), zeros[number]) if zeros[number] else 0
        if found < zeros[number]:
            zeros[number] = found
            pending += users[number]
    return zeros


def _found(instruction: AnyInstruction, zeros: Sequence[int]) -> int:
    own = [_zeros_of(operand, zeros) for operand in instruction.operands]
    match instruction:
        case Phi():
            return min(own)
        case Select():
            return min(own[1:])
        case Cast(opcode=Opcode.TRUNC | Opcode.ZEXT | Opcode.SEXT):
            return own[0]
        case Binary(opcode=Opcode.ADD | Opcode.SUB | Opcode.OR | Opcode.XOR):
            return min(own)
        case Binary(opcode=Opcode.AND):
            return max(own)
        case Binary(opcode=Opcode.MUL):
            return sum(own)
        case Binary(opcode=Opcode.SHL, operands=(_, ConstantInt(value=shift))):
            return own[0] + max(shift, 0)
        case _:
            return 0


def _zeros_of(value: Value, zeros: Sequence[int]) -> int:
    match value:
        case InstructionRef():
            return zeros[value.index]
        case ConstantInt(type=IntTy(bits), value=number):
            return (number & -number).bit_length() - 1 if number else bits
        case _:
            return 0

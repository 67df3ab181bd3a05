"""Integers of 64 bits of which nothing wants the high half: ptxas, which computes the halves by
themselves, leaves the high ones out (LLVM does so only where a value has one use)."""

from __future__ import annotations

from kcc.frontend.ir.instructions import AnyInstruction, Phi, Select
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import IntTy
from kcc.frontend.ir.values import ConstantInt, InstructionRef
from kcc.sim.program.folding import Users

_HALF = 32
_HALVES_APART = frozenset(
    {Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.AND, Opcode.OR, Opcode.XOR, Opcode.SHL}
)
"""Whose low half depends on those of the operands alone."""


def low_halves(function: Function, users: Users) -> frozenset[int]:
    """The instructions of 64 bits whose high half nobody wants."""
    found = {each.index for each in function.instructions if _may_be(each)}
    waiting = list(found)
    while waiting:
        index = waiting.pop()
        if index not in found or all(_wants_low(user, found) for user in users.get(index, ())):
            continue
        found.discard(index)
        operands = function.instructions[index].operands
        waiting += [o.index for o in operands if isinstance(o, InstructionRef) and o.index in found]
    return frozenset(found)


def _bits(each: AnyInstruction) -> int:
    return each.type.bits if isinstance(each.type, IntTy) else 0


def _may_be(each: AnyInstruction) -> bool:
    if _bits(each) != 2 * _HALF:
        return False
    if each.opcode is Opcode.SHL and not isinstance(each.operands[1], ConstantInt):
        return False
    return each.opcode in _HALVES_APART or isinstance(each, Phi | Select)


def _wants_low(user: AnyInstruction, low: set[int]) -> bool:
    """Whether a user wants no more than the low half."""
    if user.opcode is Opcode.TRUNC:
        return _bits(user) <= _HALF
    constant = user.operands[1] if user.opcode in (Opcode.SHL, Opcode.AND) else None
    if isinstance(constant, ConstantInt):
        limit = constant.unsigned
        if limit >= _HALF if user.opcode is Opcode.SHL else limit >> _HALF == 0:
            return True
    return user.index in low

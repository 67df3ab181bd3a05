"""The numbers in a miniature: of the original only those that make addresses and conditions."""

from __future__ import annotations

from kcc.frontend.ir.instructions import (
    AnyInstruction,
    Binary,
    ExtractElement,
    GetElementPtr,
    InsertElement,
)
from kcc.frontend.ir.opcodes import Family, Opcode
from kcc.frontend.ir.types import FloatTy, IrType, VecTy, scalar_of
from kcc.frontend.ir.values import ConstantFloat, ConstantInt, ConstantVector
from kcc.synth.assembly.model import Literal, Role

_SHIFTS = (Opcode.SHL, Opcode.LSHR, Opcode.ASHR)


def literal_of(
    value: ConstantInt | ConstantFloat | ConstantVector, role: Role, place: int,
    user: AnyInstruction | None,
) -> Literal:  # fmt: skip
    """The number to write for a constant at ``place`` among the operands of ``user``: itself where
    it is an index, a stride, a size or the number of a vector's lane; else one of the generator's,
    which keeps the operation from being simplified away."""
    if isinstance(value, ConstantVector):
        own = [literal_of(e, role, place + n, user).value for n, e in enumerate(value.elements)
               if isinstance(e, ConstantInt | ConstantFloat)]  # fmt: skip
        flat = tuple(v for v in own if not isinstance(v, tuple))
        return Literal(flat if len(flat) == value.type.lanes else (0,) * value.type.lanes)
    if isinstance(value, ConstantInt) and _is_kept(role, place, user):
        return Literal(value.value)
    return invented(value.type, (user.index if user else 0) * 3 + place, user)


def _is_kept(role: Role, place: int, user: AnyInstruction | None) -> bool:
    if role is Role.INDEX or user is None or isinstance(user, GetElementPtr):
        return True
    if isinstance(user, ExtractElement):
        return place == 1
    return isinstance(user, InsertElement) and place == 2


def invented(type_: IrType, number: int, user: AnyInstruction | None = None) -> Literal:
    """A number that is neither neutral nor absorbing for any operation."""
    scalar = scalar_of(type_)
    if isinstance(type_, VecTy):
        return Literal(tuple(_scalar(scalar, number + n, user) for n in range(type_.lanes)))
    return Literal(_scalar(scalar, number, user))


def _scalar(type_: IrType, number: int, user: AnyInstruction | None) -> int | float:
    if isinstance(type_, FloatTy):
        return 1.0625 + 0.125 * (number % 7)
    bits = getattr(type_, "bits", 32)
    if bits == 1:
        return number % 2
    if isinstance(user, Binary) and user.opcode in _SHIFTS:
        return 1 + number % 3
    if isinstance(user, Binary) and user.opcode.family is Family.BITWISE:
        return 0x35 + 2 * (number % 7)
    return 3 + 2 * (number % 7)

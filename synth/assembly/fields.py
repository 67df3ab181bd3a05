"""Words that a kernel takes apart: four pixels of a byte in one load, say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcc.frontend.ir.instructions import AnyInstruction, Binary, Cast
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import IntTy, VecTy
from kcc.frontend.ir.values import ConstantInt

Users = Sequence[Sequence[AnyInstruction]]
"""For each instruction those that use its result."""


def field_bytes(load: AnyInstruction, users: Users) -> int:
    """Into fields of how many bytes all users of a loaded integer take it apart; 0 if they use it
    as it is."""
    if not isinstance(load.type, IntTy):
        return 0
    widths = set(_widths(load, users, load.type.bits))
    return max(widths) // 8 if widths and widths <= {8, 16} - {load.type.bits} else 0


def _widths(made: AnyInstruction, users: Users, bits: int) -> Iterator[int]:
    """The bits that are left where a word is used, as far as shifts and masks say."""
    for user in users[made.index]:
        match user:
            case Binary(opcode=Opcode.LSHR, right=ConstantInt(value=shift)) if shift % 8 == 0:
                yield from _widths(user, users, bits - shift)
            case Binary(opcode=Opcode.AND, right=ConstantInt(value=255)):
                yield 8
            case Binary(opcode=Opcode.AND, right=ConstantInt(value=65535)):
                yield 16
            case Cast(opcode=Opcode.TRUNC, type=IntTy(bits=narrow)):
                yield narrow
            case Cast(opcode=Opcode.BITCAST, type=VecTy(element=IntTy(bits=narrow))):
                yield narrow
            case _:
                yield bits

"""Pointers that are constants: an array of the module, and how far into it."""

from __future__ import annotations

from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import ArrayTy, IrType, StructTy, VecTy, field_offsets, size_bytes
from kcc.frontend.ir.values import ConstantExpr, ConstantInt, GlobalRef


def constant_place(value: ConstantExpr) -> tuple[GlobalRef | None, int]:
    """The array and the offset that a constant pointer means."""
    base = value.operands[0]
    offset = 0
    if value.opcode is Opcode.GETELEMENTPTR and value.source_type is not None:
        offset = _offset_bytes(value)
    if isinstance(base, ConstantExpr):
        root, more = constant_place(base)
        return root, offset + more
    return (base, offset) if isinstance(base, GlobalRef) else (None, 0)


def _offset_bytes(value: ConstantExpr) -> int:
    type_: IrType | None = value.source_type
    assert type_ is not None
    offset = 0
    for place, index in enumerate(value.operands[1:]):
        step = index.value if isinstance(index, ConstantInt) else 0
        if place == 0:
            offset += step * size_bytes(type_)
        elif isinstance(type_, StructTy):
            offset += field_offsets(type_)[step]
            type_ = type_.fields[step]
        elif isinstance(type_, ArrayTy | VecTy):
            type_ = type_.element
            offset += step * size_bytes(type_)
    return offset

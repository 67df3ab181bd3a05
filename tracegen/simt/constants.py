"""Constants as wide values, and as bytes of the arena."""

from __future__ import annotations

from kcc.frontend.ir.builder import Value, const_int, zero
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import (
    I64,
    ArrayTy,
    IntTy,
    IrType,
    StructTy,
    VecTy,
    field_offsets,
    size_bytes,
)
from kcc.frontend.ir.values import (
    Constant,
    ConstantAggregate,
    ConstantBytes,
    ConstantExpr,
    ConstantFloat,
    ConstantInt,
    ConstantVector,
    GlobalRef,
    MetadataOperand,
    Poison,
    Undef,
    Zero,
)
from kcc.tracegen.simt.plan import Plan
from kcc.tracegen.simt.wide import parts_of


def constant_parts(value: Constant | MetadataOperand, plan: Plan) -> tuple[Value, ...]:
    """The parts of a constant; what is undefined reads as zero."""
    match value:
        case ConstantInt():
            return (const_int(value.type, value.value),)
        case ConstantFloat():
            return (Value(value.type, str(value)),)
        case ConstantVector() | ConstantAggregate():
            return tuple(p for e in value.elements for p in constant_parts(e, plan))
        case ConstantBytes():
            return tuple(
                const_int(p, b) for p, b in zip(parts_of(value.type), value.data, strict=True)
            )
        case Zero() | Undef() | Poison() | MetadataOperand():
            return tuple(zero(p) for p in parts_of(value.type))
        case GlobalRef() | ConstantExpr():
            number = constant_number(value, plan)
            (part,) = parts_of(value.type)
            return (const_int(part if isinstance(part, IntTy) else I64, number),)


def constant_number(value: Constant, plan: Plan) -> int:
    """The value of an integer or address constant."""
    match value:
        case ConstantInt():
            return value.value
        case GlobalRef():
            return (plan.constants.get(value.name) or plan.locals[value.name]).address
        case Zero() | Undef() | Poison():
            return 0
        case ConstantExpr():
            return _expression(value, plan)
        case _:
            raise AssertionError(f"not a number: {value}")


def _expression(value: ConstantExpr, plan: Plan) -> int:
    numbers = [constant_number(o, plan) for o in value.operands]
    match value.opcode:
        case Opcode.GETELEMENTPTR:
            assert value.source_type is not None
            return numbers[0] + element_offset(value.source_type, numbers[1:])
        case Opcode.ADD:
            return numbers[0] + numbers[1]
        case Opcode.SUB:
            return numbers[0] - numbers[1]
        case Opcode.MUL:
            return numbers[0] * numbers[1]
        case Opcode.XOR:
            return numbers[0] ^ numbers[1]
        case _:
            return numbers[0]


def element_offset(type_: IrType, indices: list[int]) -> int:
    """Byte offset of the element that the indices of a getelementptr select."""
    offset = indices[0] * size_bytes(type_)
    for index in indices[1:]:
        match type_:
            case StructTy(fields):
                offset += field_offsets(type_)[index]
                type_ = fields[index]
            case ArrayTy(_, element) | VecTy(_, element):
                offset += index * size_bytes(element)
                type_ = element
            case _:
                raise AssertionError(f"no elements in {type_}")
    return offset


def constant_bytes(value: Constant, plan: Plan) -> bytes:
    """A constant as it lies in memory (little endian)."""
    match value:
        case ConstantFloat():
            return value.bits.to_bytes(value.type.bits // 8, "little")
        case ConstantBytes():
            return value.data
        case Zero() | Undef() | Poison():
            return bytes(size_bytes(value.type))
        case ConstantVector(type_, elements):
            data = b"".join(constant_bytes(e, plan) for e in elements)
            return data.ljust(size_bytes(type_), b"\0")
        case ConstantAggregate(ArrayTy(), elements):
            return b"".join(constant_bytes(e, plan) for e in elements)
        case ConstantAggregate(StructTy() as type_, elements):
            image = bytearray(size_bytes(type_))
            for offset, element in zip(field_offsets(type_), elements, strict=True):
                data = constant_bytes(element, plan)
                image[offset : offset + len(data)] = data
            return bytes(image)
        case _:
            number = constant_number(value, plan)
            size = size_bytes(value.type)
            return (number & ((1 << (8 * size)) - 1)).to_bytes(size, "little")

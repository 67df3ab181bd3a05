"""How types of the source are laid out: as values in registers and as objects in memory.

The two differ for ``bool`` (i1 in a register, i8 in memory) and for nothing else. A record is a
literal struct whose fields stand where :meth:`RecordType.complete` put them, a union an array of
integers of its alignment, as in the table of the front end's design.
"""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.frontend.ir import types as ir
from kcc.frontend.types import (
    ArrayType,
    EnumType,
    EventType,
    FunctionType,
    ImageType,
    PointerType,
    RecordType,
    SamplerType,
    ScalarKind,
    ScalarType,
    Type,
    VectorType,
    VoidType,
    align_of,
    element_kind,
    size_of,
)

IMAGE_SPACE = 1
"""Images are global memory objects (SPIR 1.2, section 2.1.1)."""
SAMPLER_SPACE = 2
"""Samplers are constant objects, as clang has them for spir64."""


def value_type(type_: Type) -> ir.IrType:
    """The type of a value held in a register."""
    if type_ == ScalarType(ScalarKind.BOOL):
        return ir.I1
    return memory_type(type_)


def memory_type(type_: Type) -> ir.IrType:
    """The type of an object in memory; void has its own."""
    match type_:
        case VoidType():
            return ir.VOID
        case ScalarType(kind):
            return _scalar(kind)
        case EnumType():
            return _scalar(type_.underlying.kind)
        case VectorType(element, lanes):
            return ir.VecTy(lanes, _scalar(element.kind))
        case PointerType(pointee):
            return ir.PtrTy(int(pointee.space))
        case ArrayType(element, length):
            return ir.ArrayTy(length or 0, memory_type(element.type))
        case RecordType():
            return record_layout(type_).type
        case ImageType():
            return ir.PtrTy(IMAGE_SPACE)
        case SamplerType():
            return ir.PtrTy(SAMPLER_SPACE)
        case EventType():
            return ir.PtrTy(0)
        case FunctionType():
            raise ValueError("a function is not an object")


def step_type(type_: Type) -> ir.IrType:
    """A type as large as an object of the given type, to index arrays of such objects with.

    Records are bytes here, which keeps address computations short.
    """
    match type_:
        case VoidType():
            return ir.I8
        case RecordType():
            return ir.ArrayTy(size_of(type_), ir.I8)
        case ArrayType(element, length):
            return ir.ArrayTy(length or 0, step_type(element.type))
        case _:
            return memory_type(type_)


@dataclass(frozen=True, slots=True)
class RecordLayout:
    """A record's struct and where each field of the source stands in it."""

    type: ir.StructTy | ir.ArrayTy
    indices: tuple[int, ...]
    """For each field its index in ``type``; empty for a union."""


def record_layout(record: RecordType) -> RecordLayout:
    """The struct of a complete record; LLVM's own layout is used where it agrees."""
    assert record.fields is not None
    if record.is_union:
        unit = min(record.alignment_bytes, 8)
        return RecordLayout(ir.ArrayTy(record.size_bytes // unit, ir.IntTy(8 * unit)), ())
    fields = tuple(memory_type(f.type.type) for f in record.fields)
    plain = ir.StructTy(fields)
    offsets = tuple(f.offset for f in record.fields)
    same_place = ir.field_offsets(plain) == offsets and ir.size_bytes(plain) == record.size_bytes
    if same_place and ir.align_bytes(plain) <= record.alignment_bytes:
        return RecordLayout(plain, tuple(range(len(fields))))
    return _padded(record, fields)


def _padded(record: RecordType, fields: tuple[ir.IrType, ...]) -> RecordLayout:
    """A packed struct with every gap spelled out as bytes."""
    assert record.fields is not None
    parts, indices, offset = list[ir.IrType](), list[int](), 0
    for field, type_ in zip(record.fields, fields, strict=True):
        if field.offset > offset:
            parts.append(ir.ArrayTy(field.offset - offset, ir.I8))
        indices.append(len(parts))
        parts.append(type_)
        offset = field.offset + ir.size_bytes(type_)
    if record.size_bytes > offset:
        parts.append(ir.ArrayTy(record.size_bytes - offset, ir.I8))
    return RecordLayout(ir.StructTy(tuple(parts), packed=True), tuple(indices))


@dataclass(frozen=True, slots=True)
class Leaf:
    """A part of an aggregate that one instruction can load or store."""

    offset: int
    """Bytes from the start of the aggregate."""
    type: ir.IrType


def is_aggregate(type_: Type) -> bool:
    """Whether objects of the type are copied part by part."""
    return isinstance(type_, (RecordType, ArrayType))


def leaves(type_: Type) -> list[Leaf]:
    """The scalars, vectors and pointers of an aggregate in the order of their addresses.

    Padding is left out; a union counts as the integers that stand for it.
    """
    match type_:
        case RecordType() if type_.is_union:
            return _union_leaves(record_layout(type_).type)
        case RecordType():
            return _record_leaves(type_)
        case ArrayType(element, length):
            size, inner = size_of(element.type), leaves(element.type)
            return [
                Leaf(number * size + leaf.offset, leaf.type)
                for number in range(length or 0)
                for leaf in inner
            ]
        case _:
            return [Leaf(0, memory_type(type_))]


def leaf_count(type_: Type) -> int:
    """How many leaves an aggregate has, without listing them."""
    match type_:
        case RecordType() if type_.is_union:
            layout = record_layout(type_).type
            assert isinstance(layout, ir.ArrayTy)
            return layout.length
        case RecordType():
            return sum(leaf_count(f.type.type) for f in type_.fields or ())
        case ArrayType(element, length):
            return (length or 0) * leaf_count(element.type)
        case _:
            return 1


def _union_leaves(layout: ir.IrType) -> list[Leaf]:
    assert isinstance(layout, ir.ArrayTy)
    size = ir.size_bytes(layout.element)
    return [Leaf(n * size, layout.element) for n in range(layout.length)]


def _record_leaves(record: RecordType) -> list[Leaf]:
    found = list[Leaf]()
    for field in record.fields or ():
        inner = leaves(field.type.type)
        found += [Leaf(field.offset + leaf.offset, leaf.type) for leaf in inner]
    return found


def alignment(type_: Type, extra: int = 0) -> int:
    """The alignment of an object in bytes, with what an attribute asks for."""
    return max(align_of(type_), extra)


def is_signed(type_: Type) -> bool:
    """Whether the integer elements of a scalar, vector or enum are signed."""
    kind = element_kind(type_)
    return kind is not None and kind.signed


def is_floating(type_: Type) -> bool:
    """Whether the elements of a scalar or vector are floating point."""
    kind = element_kind(type_)
    return kind is not None and kind.floating


_SCALARS: dict[ScalarKind, ir.IntTy | ir.FloatTy] = {
    ScalarKind.BOOL: ir.I8,
    ScalarKind.CHAR: ir.I8,
    ScalarKind.UCHAR: ir.I8,
    ScalarKind.SHORT: ir.I16,
    ScalarKind.USHORT: ir.I16,
    ScalarKind.INT: ir.I32,
    ScalarKind.UINT: ir.I32,
    ScalarKind.LONG: ir.I64,
    ScalarKind.ULONG: ir.I64,
    ScalarKind.HALF: ir.HALF,
    ScalarKind.FLOAT: ir.FLOAT,
    ScalarKind.DOUBLE: ir.DOUBLE,
}


def _scalar(kind: ScalarKind) -> ir.IntTy | ir.FloatTy:
    return _SCALARS[kind]

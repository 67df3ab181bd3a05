"""Scalar components of IR types and constants."""

from __future__ import annotations

from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import (
    I64,
    ArrayTy,
    FloatTy,
    IntTy,
    IrType,
    PtrTy,
    StructTy,
    VecTy,
    VoidTy,
    field_offsets,
    size_bytes,
)
from kcc.frontend.ir.values import (
    ArgumentRef,
    Constant,
    ConstantAggregate,
    ConstantBytes,
    ConstantExpr,
    ConstantFloat,
    ConstantInt,
    ConstantVector,
    GlobalRef,
    Poison,
    Undef,
    Zero,
)
from kcc.passes.symbolic.algebra import Algebra
from kcc.passes.symbolic.expr import Expr, Number, ScalarTy, SymbolKind

Components = tuple[Expr, ...]
"""A value of the IR, component by component: one for a scalar, the lanes of a vector, the fields
of a structure."""

MAX_COMPONENTS = 64


def components_of(type_: IrType) -> tuple[ScalarTy, ...]:
    """The types of a value's components; pointers are i64."""
    match type_:
        case IntTy() | FloatTy():
            return (type_,)
        case PtrTy():
            return (I64,)
        case VecTy(lanes, element):
            return components_of(element) * lanes
        case StructTy(fields=fields):
            return tuple(c for item in fields for c in components_of(item))
        case ArrayTy(length, element):
            return components_of(element) * min(length, MAX_COMPONENTS)
        case VoidTy():
            return ()


def component_offsets(type_: IrType) -> tuple[int, ...]:
    """Where the components of a value lie in memory, in bytes."""
    match type_:
        case VecTy(lanes, element) | ArrayTy(lanes, element):
            inner = component_offsets(element)
            step = size_bytes(element)
            return tuple(i * step + o for i in range(min(lanes, MAX_COMPONENTS)) for o in inner)
        case StructTy(fields=fields):
            places = zip(fields, field_offsets(type_), strict=True)
            return tuple(place + o for item, place in places for o in component_offsets(item))
        case VoidTy():
            return ()
        case _:
            return (0,)


def argument(algebra: Algebra, function: Function, value: ArgumentRef) -> Components:
    """The components of a kernel argument: numbers where the launch gives them."""
    known = algebra.known.arguments
    match value.type:
        case PtrTy():
            return (algebra.symbol(SymbolKind.POINTER, value.index),)
        case IntTy(bits) if bits <= 64:
            return (algebra.symbol(SymbolKind.ARGUMENT, value.index, value.type),)
        case FloatTy():
            given = known.get(value.index)
            if isinstance(given, int | float):
                return (float_constant(algebra, given, value.type),)
            return (algebra.symbol(SymbolKind.ARGUMENT, value.index, value.type),)
        case VecTy():
            return tuple(
                algebra.symbol(SymbolKind.ARGUMENT, f"{value.index}.{place}", type_)
                for place, type_ in enumerate(components_of(value.type))
            )
        case _:
            name = function.arguments[value.index].name
            return tuple(
                algebra.opaque(type_, -1 - value.index, place, f"a part of argument {name}")
                for place, type_ in enumerate(components_of(value.type))
            )


def float_constant(algebra: Algebra, value: float, type_: FloatTy) -> Number:
    """A float's node, rounded to its type."""
    import numpy as np

    kind = {16: np.float16, 32: np.float32, 64: np.float64}[type_.bits]
    pattern = {16: np.uint16, 32: np.uint32, 64: np.uint64}[type_.bits]
    return algebra.float_number(int(kind(value).view(pattern)), type_)


def constant(algebra: Algebra, value: Constant) -> Components:
    """The components of a constant."""
    match value:
        case ConstantInt():
            if value.type.bits > 64:
                return _nothing(algebra, value.type, "an integer of more than 64 bits")
            return (algebra.number(value.value, value.type),)
        case ConstantFloat():
            return (algebra.float_number(value.bits, value.type),)
        case ConstantVector() | ConstantAggregate():
            return tuple(c for element in value.elements for c in constant(algebra, element))
        case GlobalRef():
            return (algebra.symbol(SymbolKind.GLOBAL, value.name),)
        case Zero():
            return tuple(_zero(algebra, part) for part in components_of(value.type))
        case ConstantExpr():
            return _expression(algebra, value)
        case ConstantBytes():
            return _nothing(algebra, value.type, "an array of bytes")
        case Undef() | Poison():
            return _nothing(algebra, value.type, "the value is not set")


def _zero(algebra: Algebra, type_: ScalarTy) -> Expr:
    return algebra.number(0, type_) if isinstance(type_, IntTy) else algebra.float_number(0, type_)


def _nothing(algebra: Algebra, type_: IrType, reason: str) -> Components:
    return tuple(
        algebra.opaque(part, -1, place, reason) for place, part in enumerate(components_of(type_))
    )


def _expression(algebra: Algebra, value: ConstantExpr) -> Components:
    parts = [constant(algebra, operand) for operand in value.operands]
    if value.opcode is Opcode.GETELEMENTPTR:
        assert value.source_type is not None
        indices = [part[0] for part in parts[1:]]
        return (element_address(algebra, parts[0][0], value.source_type, indices),)
    is_cast = value.opcode in (
        Opcode.ADDRSPACECAST, Opcode.PTRTOINT, Opcode.INTTOPTR, Opcode.BITCAST,
    )  # fmt: skip
    if is_cast and len(parts[0]) == 1 and components_of(value.type) == (I64,):
        return parts[0]
    return _nothing(algebra, value.type, "a constant expression")


def element_address(algebra: Algebra, base: Expr, source: IrType, indices: list[Expr]) -> Expr:
    """What getelementptr computes, of indices that are i64."""
    terms: list[tuple[Expr, int]] = [(base, 1)]
    type_, constant_bytes = source, 0
    for place, index in enumerate(indices):
        if place == 0:
            terms.append((index, size_bytes(type_)))
        elif isinstance(type_, StructTy):
            assert isinstance(index, Number)
            constant_bytes += field_offsets(type_)[index.value]
            type_ = type_.fields[index.value]
        else:
            assert isinstance(type_, (ArrayTy, VecTy))
            type_ = type_.element
            terms.append((index, size_bytes(type_)))
    return algebra.sum(terms, I64, constant_bytes)

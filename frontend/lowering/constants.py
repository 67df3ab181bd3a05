"""Program-scope objects: ``__constant`` data with their initialisers, ``__local`` arrays."""

from __future__ import annotations

import struct

from kcc.frontend.ir import types as ir
from kcc.frontend.ir.builder import Value, const_float, const_int, const_vector, zero
from kcc.frontend.lowering.context import ModuleContext
from kcc.frontend.lowering.debug import escape
from kcc.frontend.lowering.initialisers import explicit_parts
from kcc.frontend.lowering.layout import alignment, memory_type, record_layout
from kcc.frontend.lowering.places import Memory
from kcc.frontend.sema.constants import Address, Known, evaluate
from kcc.frontend.tree import AggregateInit, Expr, Function, Initialiser, StringLiteral, Variable
from kcc.frontend.types import (
    AddressSpace,
    ArrayType,
    QualType,
    RecordType,
    SamplerType,
    ScalarType,
    Type,
    VectorType,
)

_NOTHING_KNOWN = Known()
"""Initialisers come folded: nothing in them refers to another object's value."""


def declare_constant(ctx: ModuleContext, variable: Variable, initialiser: Initialiser) -> None:
    """Add a ``__constant`` object; a sampler is made where it is used instead."""
    if isinstance(variable.type.type, SamplerType):
        ctx.samplers[variable] = initialiser
        return
    symbol = _declare(ctx, variable, variable.name, AddressSpace.CONSTANT)
    type_, align = memory_type(variable.type.type), ctx.globals[variable].align
    data = constant(ctx, variable.type.type, initialiser)
    ctx.module.globals.append(
        f"@{symbol} = internal addrspace(2) constant {type_} {data.text}, align {align}"
    )


def declare_local(ctx: ModuleContext, variable: Variable, function: Function) -> None:
    """Add a ``__local`` object of a kernel."""
    symbol = _declare(ctx, variable, f"{function.name}.{variable.name}", AddressSpace.LOCAL)
    type_, align = memory_type(variable.type.type), ctx.globals[variable].align
    ctx.module.globals.append(
        f"@{symbol} = internal addrspace(3) global {type_} undef, align {align}"
    )


def _declare(ctx: ModuleContext, variable: Variable, stem: str, space: AddressSpace) -> str:
    symbol = ctx.symbol(stem)
    align = alignment(variable.type.type, variable.alignment_bytes)
    pointer = Value(ir.PtrTy(int(space)), f"@{symbol}")
    ctx.globals[variable] = Memory(variable.type, pointer, align)
    return symbol


def constant(ctx: ModuleContext, type_: Type, initialiser: Initialiser | None) -> Value:
    """A constant of the memory type of ``type_``; None gives zero."""
    to = memory_type(type_)
    match type_:
        case _ if initialiser is None:
            return zero(to)
        case ArrayType(element, length) if isinstance(initialiser, AggregateInit):
            inner = dict(initialiser.elements)
            items = [constant(ctx, element.type, inner.get(n)) for n in range(length or 0)]
            return Value(to, f"[{', '.join(map(str, items))}]")
        case VectorType(element, lanes) if isinstance(initialiser, AggregateInit):
            inner = dict(initialiser.elements)
            assert isinstance(to, ir.VecTy)
            return const_vector(to, [constant(ctx, element, inner.get(n)) for n in range(lanes)])
        case ArrayType(_, length) if isinstance(initialiser, StringLiteral):
            data = initialiser.data[: length or 0].ljust(length or 0, b"\0")
            return Value(to, f'c"{escape(data)}"')
        case RecordType() if type_.is_union:
            assert isinstance(to, ir.ArrayTy)
            return _union(to, _packed(type_, initialiser))
        case RecordType() if isinstance(initialiser, AggregateInit):
            return _record(ctx, type_, dict(initialiser.elements))
        case _:
            assert not isinstance(initialiser, AggregateInit)
            return _scalar(ctx, to, initialiser)


def _record(ctx: ModuleContext, type_: RecordType, fields: dict[int, Initialiser]) -> Value:
    layout = record_layout(type_)
    assert isinstance(layout.type, ir.StructTy)
    parts = [zero(field) for field in layout.type.fields]
    for number, (field, index) in enumerate(zip(type_.fields or (), layout.indices, strict=True)):
        parts[index] = constant(ctx, field.type.type, fields.get(number))
    inner = ", ".join(map(str, parts))
    return Value(layout.type, f"<{{ {inner} }}>" if layout.type.packed else f"{{ {inner} }}")


def _scalar(ctx: ModuleContext, to: ir.IrType, expr: Expr) -> Value:
    found = evaluate(expr, _NOTHING_KNOWN)
    assert found is not None
    match found:
        case Address():
            return _address(ctx, to, found)
        case tuple():
            assert isinstance(to, ir.VecTy)
            return const_vector(to, [_number(to.element, number) for number in found])
        case _:
            return _number(to, found)


def _number(to: ir.IrType, number: float) -> Value:
    if isinstance(to, ir.FloatTy):
        return const_float(to, float(number))
    return const_int(to, int(number))


def _address(ctx: ModuleContext, to: ir.IrType, address: Address) -> Value:
    if address.base is None:
        return Value(to, f"inttoptr (i64 {address.offset} to {to})") if address.offset else zero(to)
    if isinstance(address.base, StringLiteral):
        base = ctx.string(address.base.data).pointer
    else:
        base = ctx.globals[address.base].pointer
    if address.offset:
        return Value(to, f"getelementptr inbounds (i8, {base}, i64 {address.offset})")
    return Value(to, base.text)


# unions


_FORMATS = {2: "<e", 4: "<f", 8: "<d"}


def _packed(type_: RecordType, initialiser: Initialiser) -> bytes:
    """The bytes of a union of numbers."""
    data = bytearray(type_.size_bytes)
    for part in explicit_parts(QualType(type_), initialiser):
        found = evaluate(part.value, _NOTHING_KNOWN)
        numbers = found if isinstance(found, tuple) else (found,)
        element = part.type.type
        scalar = element.element if isinstance(element, VectorType) else element
        assert isinstance(scalar, ScalarType)
        size = scalar.kind.size_bytes
        for lane, number in enumerate(numbers):
            assert isinstance(number, (int, float))
            start = part.offset + lane * size
            data[start : start + size] = _bytes(scalar, number)
    return bytes(data)


def _bytes(type_: ScalarType, number: float) -> bytes:
    size = type_.kind.size_bytes
    if type_.kind.floating:
        return struct.pack(_FORMATS[size], number)
    return (int(number) & ((1 << 8 * size) - 1)).to_bytes(size, "little")


def _union(to: ir.ArrayTy, data: bytes) -> Value:
    size = ir.size_bytes(to.element)
    words = [
        const_int(to.element, int.from_bytes(data[n : n + size], "little"))
        for n in range(0, len(data), size)
    ]
    return Value(to, f"[{', '.join(map(str, words))}]")

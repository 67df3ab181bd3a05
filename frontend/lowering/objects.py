"""Objects: which one an lvalue denotes, and how a new one gets its value."""

from __future__ import annotations

from dataclasses import replace

from kcc.frontend import tree
from kcc.frontend.ir import types as ir
from kcc.frontend.ir.builder import Value, const_int, zero
from kcc.frontend.lowering import places
from kcc.frontend.lowering.context import FunctionContext, pointee_memory, private
from kcc.frontend.lowering.conversions import resize
from kcc.frontend.lowering.initialisers import explicit_parts, implicit_leaves
from kcc.frontend.lowering.layout import is_aggregate, is_signed, leaf_count
from kcc.frontend.lowering.places import Lane, Memory, Place
from kcc.frontend.tree import Expr, Initialiser
from kcc.frontend.types import ArrayType, RecordType, VectorType


def is_lvalue(expr: Expr) -> bool:
    """Whether an expression denotes an object."""
    match expr:
        case tree.Member() | tree.Swizzle() | tree.Element():
            return is_lvalue(expr.base)
        case _:
            return isinstance(expr, tree.LVALUES)


def find(ctx: FunctionContext, expr: Expr) -> Place:
    """The object an lvalue denotes; the value of anything else is put in a private slot."""
    match expr:
        case tree.VariableRef():
            return _tagged(ctx, ctx.variable(expr.variable))
        case tree.Deref():
            return _tagged(ctx, pointee_memory(ctx.value(expr.pointer), expr.type))
        case tree.Member():
            base = ctx.place(expr.base)
            assert isinstance(base, Memory)
            assert isinstance(base.type.type, RecordType)
            assert base.type.type.fields is not None
            ctx.at(expr.span)
            offset = base.type.type.fields[expr.index].offset
            member = places.offset_place(ctx.build, base, offset, expr.type)
            return (
                replace(member, in_union=True) if base.type.type.is_union else _tagged(ctx, member)
            )
        case tree.Swizzle():
            return places.lanes_of(ctx.place(expr.base), expr.lanes, expr.type)
        case tree.Element():
            return _element(ctx, expr)
        case tree.CompoundLiteral():
            memory = ctx.variable(expr.variable)
            initialise(ctx, memory, expr.initialiser)
            return memory
        case tree.StringLiteral():
            return ctx.module.string(expr.data)
        case _ if is_aggregate(expr.type.type):
            return ctx.aggregate(expr)
        case _:
            held = ctx.value(expr)
            memory = ctx.slot(private(expr.type.type), "temporary")
            places.write(ctx.build, memory, held)
            return memory


def _element(ctx: FunctionContext, expr: tree.Element) -> Place:
    base = ctx.place(expr.base)
    if isinstance(base.type.type, VectorType):
        if isinstance(expr.index, tree.Constant):
            return places.lanes_of(base, (int(expr.index.value),), expr.type)
        assert not isinstance(base, Lane)
        return Lane(expr.type, base, index64(ctx, expr.index))
    assert isinstance(base, Memory)
    index = index64(ctx, expr.index)
    ctx.at(expr.span)
    return _tagged(ctx, places.element_place(ctx.build, base, index, expr.type))


def _tagged(ctx: FunctionContext, memory: Memory) -> Memory:
    """The same object, its accesses marked with what they cannot alias."""
    if memory.in_union:
        return memory
    attachment = ctx.module.aliasing.attachment(memory.type)
    return replace(memory, attachment=attachment) if attachment else memory


def index64(ctx: FunctionContext, expr: Expr) -> Value:
    """An index as a 64-bit integer."""
    index = ctx.value(expr)
    ctx.at(expr.span)
    return resize(ctx.build, index, ir.I64, signed=is_signed(expr.type.type))


def initialise(ctx: FunctionContext, target: Memory, initialiser: Initialiser) -> None:
    """Give a new object its value."""
    if not isinstance(initialiser, tree.AggregateInit):
        store(ctx, target, initialiser)
        return
    parts = explicit_parts(target.type, initialiser)
    ctx.at(initialiser.span)
    cleared = leaf_count(target.type.type) > places.LARGEST_COPY_LEAVES
    if cleared:
        places.clear(ctx.build, target)
    else:
        for leaf in implicit_leaves(target.type, parts):
            part = places.offset_place(ctx.build, target, leaf.offset, target.type)
            ctx.build.store(zero(leaf.type), part.pointer, part.align)
    for part in parts:
        if cleared and isinstance(part.value, tree.Constant) and str(part.value.value) == "0":
            continue
        ctx.at(part.value.span)
        where = places.offset_place(ctx.build, target, part.offset, part.type)
        store(ctx, where, part.value)


def store(ctx: FunctionContext, target: Memory, expr: Expr) -> None:
    """Store an expression's value; an aggregate is copied straight from where it lies."""
    if is_aggregate(target.type.type):
        store_aggregate(ctx, target, expr)
        return
    held = ctx.value(expr)
    ctx.at(expr.span)
    places.write(ctx.build, target, held)


def store_aggregate(ctx: FunctionContext, target: Memory, expr: Expr) -> None:
    """Copy an aggregate from where it lies; a string literal may be shorter than its array."""
    if isinstance(expr, tree.StringLiteral):
        _store_string(ctx, target, expr)
        return
    source = ctx.aggregate(expr)
    ctx.at(expr.span)
    places.copy(ctx.build, target, source)


def _store_string(ctx: FunctionContext, target: Memory, expr: tree.StringLiteral) -> None:
    type_ = target.type.type
    assert isinstance(type_, ArrayType)
    ctx.at(expr.span)
    data = expr.data[: type_.length or 0].ljust(type_.length or 0, b"\0")
    for offset, byte in enumerate(data):
        place = places.offset_place(ctx.build, target, offset, type_.element)
        places.write(ctx.build, place, const_int(ir.I8, byte))

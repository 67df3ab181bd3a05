"""Assignments, plain and compound, and ``++`` and ``--``: the target is found once."""

from __future__ import annotations

from kcc.frontend import tree
from kcc.frontend.ir import types as ir
from kcc.frontend.ir.builder import Value, const_int
from kcc.frontend.lowering import arithmetic, places
from kcc.frontend.lowering.arithmetic import Product
from kcc.frontend.lowering.context import FunctionContext
from kcc.frontend.lowering.conversions import convert
from kcc.frontend.lowering.layout import is_floating
from kcc.frontend.lowering.objects import index64, store_aggregate
from kcc.frontend.lowering.operators import combine, moved, operand
from kcc.frontend.lowering.places import Memory
from kcc.frontend.tree import BinaryOp
from kcc.frontend.types import PointerType


def assignment(
    ctx: FunctionContext, expr: tree.Assign | tree.CompoundAssign | tree.Increment
) -> Value:
    """Assign; the value is what the expression gives."""
    match expr:
        case tree.Assign():
            held = ctx.value(expr.value)
            target = ctx.place(expr.target)
            ctx.at(expr.span)
            places.write(ctx.build, target, held)
            return held
        case tree.CompoundAssign():
            return _compound_assign(ctx, expr)
        case tree.Increment():
            target = ctx.place(expr.target)
            ctx.at(expr.span)
            old = places.read(ctx.build, target)
            type_ = expr.type.type
            if isinstance(type_, PointerType):
                new = moved(ctx, old, const_int(ir.I64, expr.delta), type_, negative=False)
            else:
                new = arithmetic.step(ctx.build, old, expr.delta, type_, ctx.rules)
            places.write(ctx.build, target, new)
            return new if expr.prefix else old


def assign_aggregate(ctx: FunctionContext, expr: tree.Assign) -> Memory:
    """Copy an aggregate; where it went."""
    target = ctx.place(expr.target)
    assert isinstance(target, Memory)
    store_aggregate(ctx, target, expr.value)
    return target


def _compound_assign(ctx: FunctionContext, expr: tree.CompoundAssign) -> Value:
    computation, type_ = expr.computation.type, expr.target.type.type
    if isinstance(computation, PointerType):
        index = index64(ctx, expr.value)
        target = ctx.place(expr.target)
        ctx.at(expr.span)
        old = places.read(ctx.build, target)
        negative = expr.op is BinaryOp.SUB
        new = moved(ctx, old, index, computation, negative=negative)
        places.write(ctx.build, target, new)
        return new
    fusible = expr.op in (BinaryOp.ADD, BinaryOp.SUB) and is_floating(computation)
    right = operand(ctx, expr.value) if fusible else ctx.value(expr.value)
    target = ctx.place(expr.target)
    ctx.at(expr.span)
    old = convert(ctx.build, places.read(ctx.build, target), type_, computation)
    if isinstance(right, Product):
        new = combine(ctx, expr.op, old, right, expr.span, computation)
    else:
        new = arithmetic.binary(ctx.build, expr.op, old, right, computation, ctx.rules)
    new = convert(ctx.build, new, computation, type_)
    places.write(ctx.build, target, new)
    return new

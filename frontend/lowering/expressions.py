"""Expressions: :func:`value` computes one, :func:`place` finds an lvalue, :func:`effect` runs one
for what it does, :func:`jump_on` branches on one.

Order of evaluation, where C leaves it open, is clang's: operands from left to right, the right
side of an assignment first.
"""

from __future__ import annotations

from typing import assert_never

from kcc.frontend import tree
from kcc.frontend.builtins.lower import declaration
from kcc.frontend.ir import types as ir
from kcc.frontend.ir.builder import Value, const_float, const_int, zero
from kcc.frontend.lowering import places
from kcc.frontend.lowering.assignments import assign_aggregate, assignment
from kcc.frontend.lowering.conditions import choice, flag
from kcc.frontend.lowering.context import NOTHING, ExpressionRules, FunctionContext, private
from kcc.frontend.lowering.conversions import convert
from kcc.frontend.lowering.layout import is_aggregate, record_layout, value_type
from kcc.frontend.lowering.objects import find, index64, is_lvalue, store_aggregate
from kcc.frontend.lowering.operators import operator, pointer_operator, vector
from kcc.frontend.lowering.places import Memory
from kcc.frontend.tree import Expr
from kcc.frontend.types import BOOL, RecordType, SamplerType, VectorType, VoidType


def value(ctx: FunctionContext, expr: Expr) -> Value:
    """Compute an expression; aggregates come as struct values."""
    match expr:
        case tree.Constant():
            return _constant(expr)
        case tree.Load():
            return _load(ctx, expr)
        case tree.Convert():
            return _convert(ctx, expr)
        case tree.Unary() | tree.Binary() | tree.Logical():
            return operator(ctx, expr)
        case tree.PointerOffset() | tree.PointerDifference():
            return pointer_operator(ctx, expr)
        case tree.Conditional() | tree.VectorSelect():
            return choice(ctx, expr)
        case tree.Assign() | tree.CompoundAssign() | tree.Increment():
            return assignment(ctx, expr)
        case tree.Call() | tree.BuiltinCall():
            return _call(ctx, expr)
        case tree.ArrayDecay() | tree.AddressOf():
            found = ctx.place(expr.operand)
            assert isinstance(found, Memory)
            return found.pointer
        case tree.Splat() | tree.VectorLiteral():
            return vector(ctx, expr)
        case tree.Comma():
            effect(ctx, expr.left)
            return ctx.value(expr.right)
        case tree.Member() | tree.Swizzle() | tree.Element():
            return _part(ctx, expr)
        case tree.VariableRef() | tree.Deref() | tree.CompoundLiteral() | tree.StringLiteral():
            raise AssertionError("the value of an object is a Load")
        case _:
            assert_never(expr)


def effect(ctx: FunctionContext, expr: Expr) -> None:
    """Run an expression whose value nobody wants."""
    match expr:
        case tree.Assign() if is_aggregate(expr.type.type):
            assign_aggregate(ctx, expr)
        case tree.Comma():
            effect(ctx, expr.left)
            effect(ctx, expr.right)
        case tree.Convert() if isinstance(expr.type.type, VoidType):
            effect(ctx, expr.operand)
        case tree.Load() if not expr.operand.type.volatile:
            _find(ctx, expr.operand)
        case _:
            ctx.value(expr)


def _find(ctx: FunctionContext, expr: Expr) -> None:
    """Run the side effects of finding an lvalue."""
    if is_lvalue(expr) and not isinstance(expr, tree.VariableRef):
        ctx.place(expr)
    elif not isinstance(expr, tree.VariableRef):
        ctx.value(expr)


def _constant(expr: tree.Constant) -> Value:
    type_ = value_type(expr.type.type)
    if isinstance(type_, ir.PtrTy):
        return zero(type_)
    if isinstance(type_, ir.FloatTy):
        return const_float(type_, float(expr.value))
    return const_int(type_, int(expr.value))


def _load(ctx: FunctionContext, expr: tree.Load) -> Value:
    operand = expr.operand
    if isinstance(operand, tree.VariableRef):
        sampler = ctx.sampler(operand.variable)
        if sampler is not None:
            assert not isinstance(sampler, tree.AggregateInit)
            return ctx.value(sampler)
    if not is_lvalue(operand):
        return ctx.value(operand)
    found = ctx.place(operand)
    ctx.at(expr.span)
    return places.read(ctx.build, found)


def _part(ctx: FunctionContext, expr: tree.Member | tree.Swizzle | tree.Element) -> Value:
    """A part of something that is not an object, such as a call's result."""
    if is_lvalue(expr):
        return places.read(ctx.build, ctx.place(expr))
    base_type = expr.base.type.type
    match expr:
        case tree.Swizzle():
            base = ctx.value(expr.base)
            ctx.at(expr.span)
            return places.pick(ctx.build, base, expr.lanes)
        case tree.Element() if isinstance(base_type, VectorType):
            base = ctx.value(expr.base)
            return ctx.build.extract_element(base, index64(ctx, expr.index))
        case tree.Member() if isinstance(base_type, RecordType) and not base_type.is_union:
            base = ctx.value(expr.base)
            ctx.at(expr.span)
            index = record_layout(base_type).indices[expr.index]
            held = ctx.build.extract_value(base, _field_type(base_type, expr.index), index)
            return ctx.build.cast("trunc", held, value_type(expr.type.type))
        case _:
            return places.read(ctx.build, ctx.place(expr))


def _field_type(record: RecordType, index: int) -> ir.IrType:
    layout = record_layout(record)
    assert isinstance(layout.type, ir.StructTy)
    return layout.type.fields[layout.indices[index]]


def _convert(ctx: FunctionContext, expr: tree.Convert) -> Value:
    target = expr.type.type
    if isinstance(target, VoidType):
        effect(ctx, expr.operand)
        return NOTHING
    if target == BOOL:
        return flag(ctx, expr.operand)
    held = ctx.value(expr.operand)
    ctx.at(expr.span)
    if isinstance(target, SamplerType) and isinstance(held.type, ir.IntTy):
        return _sampler(ctx, held)
    return convert(ctx.build, held, expr.operand.type.type, target)


def _sampler(ctx: FunctionContext, bits: Value) -> Value:
    symbol = "__translate_sampler_initializer"
    type_ = value_type(SamplerType())
    ctx.module.module.declare(
        symbol, f"declare spir_func {type_} @{symbol}(i32) nounwind willreturn memory(none)"
    )
    return ctx.build.call(symbol, type_, [bits])


# calls


def _call(ctx: FunctionContext, expr: tree.Call | tree.BuiltinCall) -> Value:
    match expr:
        case tree.Call():
            callee = expr.function
            arguments = [_argument(ctx, a, kernel=callee.is_kernel) for a in expr.arguments]
            ctx.at(expr.span)
            convention = "spir_kernel" if callee.is_kernel else "spir_func"
            return ctx.build.call(
                callee.name,
                value_type(expr.type.type),
                arguments,
                convention=convention,
                attributes="alwaysinline" if callee.is_kernel else "",
            )
        case tree.BuiltinCall():
            builtin = expr.builtin
            ctx.module.module.declare(builtin.symbol, declaration(builtin))
            arguments = [ctx.value(a) for a in expr.arguments]
            ctx.at(expr.span)
            result = value_type(builtin.result)
            signature = None
            if builtin.variadic:
                fixed = ", ".join(str(value_type(p.type)) for p in builtin.parameters)
                signature = f"{result} ({fixed}, ...)"
            return ctx.build.call(builtin.symbol, result, arguments, signature=signature)


def _argument(ctx: FunctionContext, expr: Expr, *, kernel: bool) -> Value:
    """An argument; a record goes to a kernel as a copy in memory, to others as a value."""
    type_ = expr.type.type
    if not kernel or not isinstance(type_, RecordType):
        return ctx.value(expr)
    copied = ctx.slot(private(type_), "byval")
    store_aggregate(ctx, copied, expr)
    return places.by_value(copied)


RULES = ExpressionRules(value, find)

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
from kcc.frontend.lowering.conditions import choice, choose_aggregate, flag
from kcc.frontend.lowering.context import NOTHING, ExpressionRules, FunctionContext, private
from kcc.frontend.lowering.conversions import convert
from kcc.frontend.lowering.layout import is_aggregate, value_type
from kcc.frontend.lowering.objects import find, index64, is_lvalue, store_aggregate
from kcc.frontend.lowering.operators import operator, pointer_operator, vector
from kcc.frontend.lowering.places import Memory
from kcc.frontend.tree import Expr
from kcc.frontend.types import BOOL, SamplerType, VectorType, VoidType


def value(ctx: FunctionContext, expr: Expr) -> Value:
    """Compute an expression whose type is not an aggregate."""
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
        case tree.Comma():
            effect(ctx, expr.left)
            effect(ctx, expr.right)
        case tree.Convert() if isinstance(expr.type.type, VoidType):
            effect(ctx, expr.operand)
        case tree.Load() if not expr.operand.type.volatile:
            _find(ctx, expr.operand)
        case _ if is_aggregate(expr.type.type):
            aggregate(ctx, expr)
        case _:
            ctx.value(expr)


def _find(ctx: FunctionContext, expr: Expr) -> None:
    """Run the side effects of finding an lvalue."""
    if is_lvalue(expr):
        ctx.place(expr)
    else:
        effect(ctx, expr)


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
    if isinstance(expr, tree.Member) or not isinstance(expr.base.type.type, VectorType):
        return places.read(ctx.build, ctx.place(expr))
    base = ctx.value(expr.base)
    if isinstance(expr, tree.Element):
        return ctx.build.extract_element(base, index64(ctx, expr.index))
    ctx.at(expr.span)
    return places.pick(ctx.build, base, expr.lanes)


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
    """A sampler of its constant, as clang makes one for SPIR."""
    symbol = "__translate_sampler_initializer"
    type_ = value_type(SamplerType())
    ctx.module.module.declare(
        symbol, f"declare spir_func {type_} @{symbol}(i32) nounwind willreturn memory(none)"
    )
    return ctx.build.call(symbol, type_, [bits])


# calls


def _call(ctx: FunctionContext, expr: tree.Call | tree.BuiltinCall) -> Value:
    match expr:
        case tree.Call() if is_aggregate(expr.type.type):
            _call_for_aggregate(ctx, expr)
            return NOTHING
        case tree.Call():
            return _call_function(ctx, expr, None)
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


def _call_function(ctx: FunctionContext, expr: tree.Call, result: Memory | None) -> Value:
    """Call a function of the source; ``result`` is where an aggregate result goes."""
    arguments = [_argument(ctx, a) for a in expr.arguments]
    ctx.at(expr.span)
    symbol = ctx.module.callee(expr.function)
    if result is not None:
        return ctx.build.call(symbol, ir.VOID, [result.pointer, *arguments])
    return ctx.build.call(symbol, value_type(expr.type.type), arguments)


def _call_for_aggregate(ctx: FunctionContext, expr: tree.Call) -> Memory:
    result = ctx.slot(private(expr.type.type), "result")
    _call_function(ctx, expr, result)
    return result


def _argument(ctx: FunctionContext, expr: Expr) -> Value:
    """An argument; of an aggregate the address of a copy."""
    if not is_aggregate(expr.type.type):
        return ctx.value(expr)
    copied = ctx.slot(private(expr.type.type), "argument")
    store_aggregate(ctx, copied, expr)
    return copied.pointer


# aggregates are never values of the IR: they lie somewhere


def aggregate(ctx: FunctionContext, expr: Expr) -> Memory:
    """Where the value of an aggregate lies."""
    match expr:
        case tree.Load() | tree.Convert():
            return aggregate(ctx, expr.operand)
        case tree.Call():
            return _call_for_aggregate(ctx, expr)
        case tree.Conditional():
            return choose_aggregate(ctx, expr)
        case tree.Assign():
            return assign_aggregate(ctx, expr)
        case tree.Comma():
            effect(ctx, expr.left)
            return aggregate(ctx, expr.right)
        case _:
            assert is_lvalue(expr) or isinstance(expr, tree.Member)
            found = find(ctx, expr)
            assert isinstance(found, Memory)
            return found


RULES = ExpressionRules(value, find, aggregate)

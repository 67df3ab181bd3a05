"""Operators of the typed tree, their operands evaluated from left to right."""

from __future__ import annotations

from kcc.base.diagnostics import Span
from kcc.frontend import tree
from kcc.frontend.ir import types as ir
from kcc.frontend.ir.builder import Value, const_int, const_vector, poison, zero
from kcc.frontend.lowering import arithmetic
from kcc.frontend.lowering.arithmetic import Product
from kcc.frontend.lowering.conditions import comparison, flag
from kcc.frontend.lowering.context import FunctionContext
from kcc.frontend.lowering.conversions import truth
from kcc.frontend.lowering.layout import is_floating, step_type, value_type
from kcc.frontend.lowering.objects import index64
from kcc.frontend.tree import BinaryOp, Expr, LogicalOp, UnaryOp
from kcc.frontend.types import PointerType, Type, VectorType


def operator(ctx: FunctionContext, expr: tree.Unary | tree.Binary | tree.Logical) -> Value:
    """The value of an operator's expression."""
    type_ = expr.type.type
    match expr:
        case tree.Logical() if isinstance(type_, VectorType):
            left, right = ctx.value(expr.left), ctx.value(expr.right)
            ctx.at(expr.span)
            opcode = "and" if expr.op is LogicalOp.AND else "or"
            flags = ctx.build.binary(opcode, truth(ctx.build, left), truth(ctx.build, right))
            return arithmetic.lanes_mask(ctx.build, flags, type_)
        case tree.Unary(op=UnaryOp.LOGICAL_NOT) if isinstance(type_, VectorType):
            operand = ctx.value(expr.operand)
            ctx.at(expr.span)
            opcode = ("fcmp", "oeq") if is_floating(expr.operand.type.type) else ("icmp", "eq")
            flags = ctx.build.compare(*opcode, operand, zero(operand.type))
            return arithmetic.lanes_mask(ctx.build, flags, type_)
        case tree.Logical() | tree.Unary(op=UnaryOp.LOGICAL_NOT):
            held = flag(ctx, expr)
            ctx.at(expr.span)
            return arithmetic.lanes_mask(ctx.build, held, type_)
        case tree.Unary():
            operand = ctx.value(expr.operand)
            ctx.at(expr.span)
            return arithmetic.unary(ctx.build, expr.op, operand, type_, ctx.rules)
        case tree.Binary() if expr.op.is_comparison:
            held = comparison(ctx, expr)
            return arithmetic.lanes_mask(ctx.build, held, type_)
        case tree.Binary():
            return _arithmetic(ctx, expr)


def operand(ctx: FunctionContext, expr: Expr) -> Value | Product:
    """An operand of + or -, a product of floats not yet multiplied."""
    inner, negative = expr, False
    if isinstance(expr, tree.Unary) and expr.op is UnaryOp.NEG:
        inner, negative = expr.operand, True
    if (
        isinstance(inner, tree.Binary)
        and inner.op is BinaryOp.MUL
        and is_floating(inner.type.type)
        and ctx.contraction.at(inner.span)
    ):
        left, right = ctx.value(inner.left), ctx.value(inner.right)
        return Product(left, right, negative, inner.span)
    return ctx.value(expr)


def _computed(ctx: FunctionContext, operand: Value | Product, type_: Type) -> Value:
    """The value of an operand that was held back without need."""
    if isinstance(operand, Value):
        return operand
    ctx.at(operand.span)
    product = ctx.build.binary("fmul", operand.left, operand.right, ctx.rules.flags)
    if operand.negative:
        product = arithmetic.unary(ctx.build, UnaryOp.NEG, product, type_, ctx.rules)
    return product


def _arithmetic(ctx: FunctionContext, expr: tree.Binary) -> Value:
    type_ = expr.type.type
    if expr.op not in (BinaryOp.ADD, BinaryOp.SUB) or not is_floating(type_):
        left, right = ctx.value(expr.left), ctx.value(expr.right)
        ctx.at(expr.span)
        return arithmetic.binary(ctx.build, expr.op, left, right, type_, ctx.rules)
    left, right = operand(ctx, expr.left), operand(ctx, expr.right)
    return combine(ctx, expr.op, left, right, expr.span, type_)


def combine(
    ctx: FunctionContext,
    op: BinaryOp,
    left: Value | Product,
    right: Value | Product,
    span: Span,
    type_: Type,
) -> Value:
    """A sum or difference; of two products the left one is fused."""
    if isinstance(left, Product):
        addend = _computed(ctx, right, type_)
        ctx.at(span)
        if op is BinaryOp.SUB:
            addend = ctx.build.negate_float(addend, ctx.rules.flags)
        return arithmetic.fused(ctx.build, left, addend, negate=left.negative, rules=ctx.rules)
    ctx.at(span)
    if isinstance(right, Product):
        negate = right.negative != (op is BinaryOp.SUB)
        return arithmetic.fused(ctx.build, right, left, negate=negate, rules=ctx.rules)
    return arithmetic.binary(ctx.build, op, left, right, type_, ctx.rules)


def pointer_operator(
    ctx: FunctionContext, expr: tree.PointerOffset | tree.PointerDifference
) -> Value:
    """Pointer arithmetic, in elements."""
    match expr:
        case tree.PointerOffset():
            pointer = ctx.value(expr.pointer)
            index = index64(ctx, expr.index)
            ctx.at(expr.span)
            return moved(ctx, pointer, index, expr.type.type, negative=expr.negative)
        case tree.PointerDifference():
            left, right = ctx.value(expr.left), ctx.value(expr.right)
            ctx.at(expr.span)
            left = ctx.build.cast("ptrtoint", left, ir.I64)
            right = ctx.build.cast("ptrtoint", right, ir.I64)
            distance = ctx.build.binary("sub", left, right)
            size = const_int(ir.I64, ir.size_bytes(_step(expr.left.type.type)))
            if size.text == "1":
                return distance
            return ctx.build.binary("sdiv", distance, size, "exact")


def _step(pointer: Type) -> ir.IrType:
    assert isinstance(pointer, PointerType)
    return step_type(pointer.pointee.type)


def moved(
    ctx: FunctionContext, pointer: Value, index: Value, type_: Type, *, negative: bool
) -> Value:
    """A pointer of type ``type_``, ``index`` elements on (or back)."""
    if negative and index.text.isdecimal():
        index = const_int(ir.I64, -int(index.text))
    elif negative:
        index = ctx.build.binary("sub", const_int(ir.I64, 0), index)
    return ctx.build.gep(_step(type_), pointer, [index])


def vector(ctx: FunctionContext, expr: tree.VectorLiteral | tree.Splat) -> Value:
    """A vector of the parts given, or of one scalar."""
    type_ = value_type(expr.type.type)
    assert isinstance(type_, ir.VecTy)
    if isinstance(expr, tree.Splat):
        scalar = ctx.value(expr.operand)
        ctx.at(expr.span)
        return ctx.build.splat(scalar, type_.lanes)
    parts = [ctx.value(part) for part in expr.parts]
    ctx.at(expr.span)
    lanes = list[Value]()
    for part in parts:
        if isinstance(part.type, ir.VecTy):
            lanes += [ctx.build.extract_element(part, n) for n in range(part.type.lanes)]
        else:
            lanes.append(part)
    assert len(lanes) == type_.lanes
    if not any(lane.text.startswith("%") for lane in lanes):
        return const_vector(type_, lanes)
    whole = poison(type_)
    for number, lane in enumerate(lanes):
        whole = ctx.build.insert_element(whole, lane, number)
    return whole

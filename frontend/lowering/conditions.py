"""Conditions: truth values as i1, branches on them, and ``?:``."""

from __future__ import annotations

from collections.abc import Callable

from kcc.frontend import tree
from kcc.frontend.ir import types as ir
from kcc.frontend.ir.builder import Value, const_int, zero
from kcc.frontend.lowering import arithmetic
from kcc.frontend.lowering.context import NOTHING, FunctionContext, private
from kcc.frontend.lowering.conversions import truth
from kcc.frontend.lowering.layout import is_aggregate, value_type
from kcc.frontend.lowering.objects import store
from kcc.frontend.lowering.places import Memory
from kcc.frontend.tree import BinaryOp, Expr, LogicalOp, Storage, UnaryOp
from kcc.frontend.types import BOOL, VectorType, VoidType


def flag(ctx: FunctionContext, expr: Expr) -> Value:
    """Whether a scalar expression is not zero, as i1."""
    match expr:
        case tree.Constant():
            return const_int(ir.I1, int(expr.value != 0))
        case tree.Convert() if expr.type.type == BOOL:
            return flag(ctx, expr.operand)
        case tree.Convert() if _is_flag(expr.operand) and expr.type.type != BOOL:
            return flag(ctx, expr.operand)
        case tree.Binary() if expr.op.is_comparison:
            return comparison(ctx, expr)
        case tree.Unary(op=UnaryOp.LOGICAL_NOT):
            held = flag(ctx, expr.operand)
            ctx.at(expr.span)
            return ctx.build.binary("xor", held, const_int(ir.I1, 1))
        case tree.Logical():
            return _logical(ctx, expr)
        case tree.Binary() if expr.op in _BITWISE and _are_truths(expr.left, expr.right):
            left, right = flag(ctx, expr.left), flag(ctx, expr.right)
            ctx.at(expr.span)
            return ctx.build.binary(_BITWISE[expr.op], left, right)
        case tree.Conditional() if _are_truths(expr.then, expr.otherwise) and (
            _is_simple(expr.then) and _is_simple(expr.otherwise)
        ):
            condition = flag(ctx, expr.condition)
            then, otherwise = flag(ctx, expr.then), flag(ctx, expr.otherwise)
            ctx.at(expr.span)
            return ctx.build.select(condition, then, otherwise)
        case _:
            held = ctx.value(expr)
            ctx.at(expr.span)
            return truth(ctx.build, held)


_BITWISE = {BinaryOp.AND: "and", BinaryOp.OR: "or", BinaryOp.XOR: "xor"}


def _are_truths(*exprs: Expr) -> bool:
    """Whether integers are truth values that the usual conversions made ints of: what operates on
    them bit by bit is then an operation on truth values."""
    return all(
        (isinstance(e, tree.Constant) and e.value in (0, 1))
        or _is_flag(e)
        or (isinstance(e, tree.Convert) and _is_boolean(e.operand))
        for e in exprs
    )


def _is_boolean(expr: Expr) -> bool:
    return _is_flag(expr) or expr.type.type == BOOL


def _is_flag(expr: Expr) -> bool:
    """Whether an expression is 0 or 1 by its form, so that a conversion keeps its truth."""
    match expr:
        case tree.Binary():
            return expr.op.is_comparison and not isinstance(expr.type.type, VectorType)
        case tree.Unary(op=UnaryOp.LOGICAL_NOT) | tree.Logical():
            return not isinstance(expr.type.type, VectorType)
        case tree.Convert():
            return expr.type.type == BOOL
        case _:
            return False


def _logical(ctx: FunctionContext, expr: tree.Logical) -> Value:
    """``a && b`` as a value: ``b`` is evaluated in a block of its own."""
    stem = "land" if expr.op is LogicalOp.AND else "lor"
    build = ctx.build
    right_label, end = build.new_label(f"{stem}.rhs"), build.new_label(f"{stem}.end")
    left = flag(ctx, expr.left)
    ctx.at(expr.span)
    left_end = build.current
    assert left_end is not None
    labels = (right_label, end) if expr.op is LogicalOp.AND else (end, right_label)
    build.branch_if(left, *labels)
    build.position_at(right_label)
    right = flag(ctx, expr.right)
    ctx.at(expr.span)
    right_end = build.current
    assert right_end is not None
    build.branch(end)
    build.position_at(end)
    known = const_int(ir.I1, int(expr.op is LogicalOp.OR))
    return build.phi(ir.I1, [(known, left_end), (right, right_end)])


def jump_on(ctx: FunctionContext, expr: Expr, then: str, otherwise: str) -> None:
    """Branch to one of two blocks; each operand of ``&&`` and ``||`` is a branch of its own."""
    match expr:
        case tree.Convert() if expr.type.type == BOOL or _is_flag(expr.operand):
            jump_on(ctx, expr.operand, then, otherwise)
        case tree.Unary(op=UnaryOp.LOGICAL_NOT):
            jump_on(ctx, expr.operand, otherwise, then)
        case tree.Logical():
            both = expr.op is LogicalOp.AND
            middle = ctx.build.new_label("land.lhs.true" if both else "lor.lhs.false")
            first = (middle, otherwise) if both else (then, middle)
            jump_on(ctx, expr.left, *first)
            ctx.build.position_at(middle)
            jump_on(ctx, expr.right, then, otherwise)
        case tree.Constant():
            ctx.at(expr.span)
            ctx.build.branch(then if expr.value != 0 else otherwise)
        case _:
            held = flag(ctx, expr)
            ctx.at(expr.span)
            ctx.build.branch_if(held, then, otherwise)


def comparison(ctx: FunctionContext, expr: tree.Binary) -> Value:
    """A comparison as i1, lane by lane on vectors."""
    left, right = ctx.value(expr.left), ctx.value(expr.right)
    ctx.at(expr.span)
    operand_type = expr.left.type.type
    return arithmetic.binary(ctx.build, expr.op, left, right, operand_type, ctx.rules)


# choices


def choice(ctx: FunctionContext, expr: tree.Conditional | tree.VectorSelect) -> Value:
    """``?:``, with one side evaluated or, on vectors, both."""
    match expr:
        case tree.VectorSelect():
            condition = ctx.value(expr.condition)
            then, otherwise = ctx.value(expr.then), ctx.value(expr.otherwise)
            ctx.at(expr.span)
            below = ctx.build.compare("icmp", "slt", condition, zero(condition.type))
            return ctx.build.select(below, then, otherwise)
        case tree.Conditional() if _is_simple(expr.then) and _is_simple(expr.otherwise):
            condition = flag(ctx, expr.condition)
            then, otherwise = ctx.value(expr.then), ctx.value(expr.otherwise)
            if then.type == ir.VOID:
                return NOTHING
            ctx.at(expr.span)
            return ctx.build.select(condition, then, otherwise)
        case tree.Conditional():
            return _conditional(ctx, expr)


def _is_simple(expr: Expr) -> bool:
    """Whether both sides of ``?:`` may be computed and one selected, as clang chooses: constants
    and private variables, converted or negated or not.
    """
    match expr:
        case tree.Constant():
            return True
        case tree.Load(operand=tree.VariableRef(variable=variable)):
            private_ = variable.storage in (Storage.AUTOMATIC, Storage.PARAMETER)
            return private_ and not variable.type.volatile and not is_aggregate(expr.type.type)
        case tree.Unary(op=UnaryOp.NEG) | tree.Convert() | tree.Swizzle() | tree.Splat():
            inner = expr.base if isinstance(expr, tree.Swizzle) else expr.operand
            return _is_simple(inner)
        case _:
            return False


def _conditional(ctx: FunctionContext, expr: tree.Conditional) -> Value:
    incoming = list[tuple[Value, str]]()

    def side(chosen: Expr) -> None:
        held = ctx.value(chosen)
        assert ctx.build.current is not None
        incoming.append((held, ctx.build.current))

    _diamond(ctx, expr, side)
    if isinstance(expr.type.type, VoidType):
        return NOTHING
    return ctx.build.phi(value_type(expr.type.type), incoming)


def choose_aggregate(ctx: FunctionContext, expr: tree.Conditional) -> Memory:
    """``?:`` on aggregates: where the copy of the chosen one lies."""
    held = ctx.slot(private(expr.type.type), "cond")
    _diamond(ctx, expr, lambda chosen: store(ctx, held, chosen))
    return held


def _diamond(ctx: FunctionContext, expr: tree.Conditional, side: Callable[[Expr], None]) -> None:
    """Run one side or the other, and continue after both."""
    build = ctx.build
    then, otherwise, end = (build.new_label(f"cond.{n}") for n in ("true", "false", "end"))
    jump_on(ctx, expr.condition, then, otherwise)
    for label, chosen in ((then, expr.then), (otherwise, expr.otherwise)):
        build.position_at(label)
        side(chosen)
        ctx.at(expr.span)
        build.branch(end)
    build.position_at(end)

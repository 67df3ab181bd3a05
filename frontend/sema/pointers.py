"""Pointers as operands: sums, differences, comparisons, arms of the conditional operator."""

from __future__ import annotations

from kcc.frontend.sema.context import Context, Node
from kcc.frontend.sema.conversions import is_null, to_index
from kcc.frontend.sema.values import convert, null_pointer, value_type
from kcc.frontend.tree import Binary, BinaryOp, Expr, PointerDifference, PointerOffset
from kcc.frontend.types import (
    INT,
    PTRDIFF_T,
    VOID,
    FunctionType,
    PointerType,
    QualType,
    Type,
    VoidType,
    is_complete,
    is_integer,
)

_EQUALITY = (BinaryOp.EQ, BinaryOp.NE)


def apply_pointer(
    context: Context, op: BinaryOp, left: Expr, right: Expr, node: Node
) -> Expr | None:
    """``left op right`` where at least one is a pointer."""
    first, second = left.type.type, right.type.type
    if op.is_comparison:
        return _compare(context, op, left, right, node)
    if op is BinaryOp.ADD and is_integer(first):
        left, right, first, second = right, left, second, first
    if op in (BinaryOp.ADD, BinaryOp.SUB) and isinstance(first, PointerType):
        if is_integer(second):
            return offset_pointer(context, left, right, node, negative=op is BinaryOp.SUB)
        if op is BinaryOp.SUB and isinstance(second, PointerType):
            return _difference(context, left, right, node)
    return _invalid(context, op, left.type.type, right.type.type, node)


def _invalid(context: Context, op: BinaryOp, first: Type, second: Type, node: Node) -> None:
    context.report("K344", f"'{op.value}' does not take '{first}' and '{second}'", node)


def offset_pointer(
    context: Context, pointer: Expr, index: Expr, node: Node, *, negative: bool
) -> Expr | None:
    """``pointer + index``; void counts in bytes, as GNU C does."""
    if not steps(context, pointer, node):
        return None
    return PointerOffset(pointer.type, context.span(node), pointer, to_index(index), negative)


def steps(context: Context, pointer: Expr, node: Node) -> bool:
    """Whether a pointer can be moved by elements; reports where it cannot."""
    type_ = pointer.type.type
    assert isinstance(type_, PointerType)
    pointee = type_.pointee.type
    if is_complete(pointee) or isinstance(pointee, VoidType):
        return True
    what = "a function" if isinstance(pointee, FunctionType) else f"incomplete type '{pointee}'"
    context.report("K310", f"arithmetic on a pointer to {what}", node)
    return False


def _difference(context: Context, left: Expr, right: Expr, node: Node) -> Expr | None:
    first, second = left.type.type, right.type.type
    assert isinstance(first, PointerType)
    assert isinstance(second, PointerType)
    if first.pointee.space is not second.pointee.space:
        _report_distinct(context, "subtracting", first, second, node)
        return None
    if first.pointee.type != second.pointee.type:
        return _invalid(context, BinaryOp.SUB, first, second, node)
    if not steps(context, left, node):
        return None
    return PointerDifference(value_type(PTRDIFF_T), context.span(node), left, right)


def _report_distinct(context: Context, doing: str, first: Type, second: Type, node: Node) -> None:
    message = f"{doing} pointers into different address spaces: '{first}' and '{second}'"
    context.report("K351", message, node)


def _compare(context: Context, op: BinaryOp, left: Expr, right: Expr, node: Node) -> Expr | None:
    first, second = left.type.type, right.type.type
    if isinstance(first, PointerType) and isinstance(second, PointerType):
        pair = _comparable(context, left, right, node)
    elif isinstance(first, PointerType) and is_integer(second):
        pair = _with_integer(context, left, right, node)
    elif isinstance(second, PointerType) and is_integer(first):
        swapped = _with_integer(context, right, left, node)
        pair = (swapped[1], swapped[0])
    else:
        return _invalid(context, op, first, second, node)
    if pair is None:
        return None
    return Binary(value_type(INT), context.span(node), op, *pair)


def _comparable(context: Context, left: Expr, right: Expr, node: Node) -> tuple[Expr, Expr] | None:
    first, second = left.type.type, right.type.type
    assert isinstance(first, PointerType)
    assert isinstance(second, PointerType)
    if is_null(context, left):
        return null_pointer(left, second), right
    if is_null(context, right):
        return left, null_pointer(right, first)
    if first.pointee.space is not second.pointee.space:
        _report_distinct(context, "comparing", first, second, node)
        return None
    if not _alike(first, second):
        message = f"comparing pointers of different types: '{first}' and '{second}'"
        context.report("K395", message, node)
    return left, convert(right, first)


def _with_integer(context: Context, pointer: Expr, integer: Expr, node: Node) -> tuple[Expr, Expr]:
    type_ = pointer.type.type
    assert isinstance(type_, PointerType)
    if is_null(context, integer):
        return pointer, null_pointer(integer, type_)
    message = f"comparing a pointer '{type_}' with an integer '{integer.type.type}'"
    context.report("K395", message, node)
    return pointer, convert(integer, type_)


def _alike(first: PointerType, second: PointerType) -> bool:
    a, b = first.pointee.type, second.pointee.type
    return a == b or isinstance(a, VoidType) or isinstance(b, VoidType)


def common_pointers(
    context: Context, then: Expr, otherwise: Expr, node: Node
) -> tuple[Expr, Expr] | None:
    """Both arms of ``?:`` as one pointer type (C99 6.5.15)."""
    first, second = then.type.type, otherwise.type.type
    if isinstance(first, PointerType) and is_null(context, otherwise):
        return then, null_pointer(otherwise, first)
    if isinstance(second, PointerType) and is_null(context, then):
        return null_pointer(then, second), otherwise
    if isinstance(first, PointerType) and isinstance(second, PointerType):
        return _join(context, then, otherwise, node)
    for pointer, other in ((first, second), (second, first)):
        if isinstance(pointer, PointerType) and is_integer(other):
            message = f"'?:' joins a pointer '{pointer}' and an integer '{other}'"
            context.report("K395", message, node)
            return convert(then, pointer), convert(otherwise, pointer)
    context.report("K369", f"'?:' does not join '{first}' and '{second}'", node)
    return None


def _join(context: Context, then: Expr, otherwise: Expr, node: Node) -> tuple[Expr, Expr] | None:
    first, second = then.type.type, otherwise.type.type
    assert isinstance(first, PointerType)
    assert isinstance(second, PointerType)
    a, b = first.pointee, second.pointee
    if a.space is not b.space:
        _report_distinct(context, "'?:' joins", first, second, node)
        return None
    pointee = a.type
    if a.type != b.type:
        if not _alike(first, second):
            message = f"'?:' joins pointers of different types: '{first}' and '{second}'"
            context.report("K395", message, node)
        pointee = VOID
    target = PointerType(
        QualType(pointee, a.space, const=a.const or b.const, volatile=a.volatile or b.volatile)
    )
    return convert(then, target), convert(otherwise, target)

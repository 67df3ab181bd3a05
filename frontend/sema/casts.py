"""Explicit conversions: casts and vector literals (OpenCL C 1.2, sections 6.1.6 and 6.2)."""

from __future__ import annotations

from pycparser import c_ast

from kcc.frontend.sema.assignments import discard
from kcc.frontend.sema.constants import evaluate
from kcc.frontend.sema.context import Context, Node
from kcc.frontend.sema.conversions import (
    conversion_hint,
    report_spaces,
    spaces_differ,
    to_value,
)
from kcc.frontend.sema.dispatch import declared_type, expression, rvalue
from kcc.frontend.sema.values import arithmetic_kind, convert, splat, value_type
from kcc.frontend.tree import Comma, Constant, Expr, VectorLiteral
from kcc.frontend.types import (
    BOOL,
    EnumType,
    EventType,
    ImageType,
    PointerType,
    QualType,
    RecordType,
    SamplerType,
    ScalarType,
    Type,
    VectorType,
    VoidType,
    is_integer,
    size_of,
)


def cast(context: Context, node: c_ast.Cast) -> Expr | None:
    """``(type) expression`` and ``(vector)(a, b, ...)``."""
    target = declared_type(context, node.to_type)
    if isinstance(node.expr, c_ast.ExprList) and (
        target is None or isinstance(target.type, VectorType)
    ):
        parts = [rvalue(context, part) for part in node.expr.exprs]
        if target is None or not isinstance(target.type, VectorType):
            return None
        return vector_literal(context, target.type, parts, node.expr.exprs, node)
    operand = expression(context, node.expr)
    if operand is None or target is None:
        return None
    if isinstance(target.type, VoidType):
        dropped = discard(context, operand, node.expr)
        return None if dropped is None else convert(dropped, target.type, implicit=False)
    value = to_value(context, operand, node.expr)
    return None if value is None else convert_explicitly(context, value, target.type, node)


def convert_explicitly(context: Context, value: Expr, target: Type, node: Node) -> Expr | None:
    """The rules of casts; reports a conversion that does not exist."""
    source = value.type.type
    if isinstance(source, VoidType):
        context.report("K370", "a void expression has no value to use", node)
        return None
    if context.is_half_storage(target):
        hint = "keep the value in a float, or enable the extension cl_khr_fp16"
        context.report("K317", "there are no values of type half", node, hint=hint)
        return None
    match target:
        case ScalarType() | EnumType():
            return _to_scalar(context, value, target, node)
        case VectorType():
            return _to_vector(context, value, target, node)
        case PointerType():
            return _to_pointer(context, value, target, node)
        case RecordType() if source == target:
            return value
        case EventType() if is_integer(source) and evaluate(value, context.known) == 0:
            return Constant(value_type(target), value.span, 0)
        case _:
            return _invalid(context, source, target, node)


def _invalid(
    context: Context, source: Type, target: Type, node: Node, hint: str | None = None
) -> None:
    context.report("K350", f"'{source}' cannot be cast to '{target}'", node, hint=hint)


def _to_scalar(
    context: Context, value: Expr, target: ScalarType | EnumType, node: Node
) -> Expr | None:
    source = value.type.type
    if arithmetic_kind(source) is not None:
        return convert(value, target, implicit=False)
    if isinstance(source, PointerType) and is_integer(target):
        if size_of(target) < size_of(source) and target != BOOL:
            message = f"a pointer '{source}' is cut to the smaller type '{target}'"
            context.report("K390", message, node)
        return convert(value, target, implicit=False)
    hint = "pick a component, such as .x" if isinstance(source, VectorType) else None
    return _invalid(context, source, target, node, hint)


def _to_vector(context: Context, value: Expr, target: VectorType, node: Node) -> Expr | None:
    source = value.type.type
    if source == target:
        return value
    if arithmetic_kind(source) is not None:
        return splat(value, target, implicit=False)
    hint = conversion_hint(source, target) if isinstance(source, VectorType) else None
    return _invalid(context, source, target, node, hint)


def _to_pointer(context: Context, value: Expr, target: PointerType, node: Node) -> Expr | None:
    source = value.type.type
    if is_integer(source):
        constant = evaluate(value, context.known)
        if constant == 0:
            return Constant(QualType(target), value.span, 0)
        return convert(value, target, implicit=False)
    if not isinstance(source, PointerType):
        return _invalid(context, source, target, node)
    if spaces_differ(source, target) and source.pointee.space is not target.pointee.space:
        report_spaces(context, source, target, node)
        return None
    if isinstance(value, Constant):
        return Constant(QualType(target), value.span, value.value)
    return convert(value, target, implicit=False)


# vector literals


def vector_literal(
    context: Context,
    target: VectorType,
    parts: list[Expr | None],
    nodes: list[c_ast.Node],
    node: Node,
) -> Expr | None:
    """Parts one after another; a single scalar fills every lane."""
    given = [part for part in parts if part is not None]
    if len(given) < len(parts):
        return None
    if len(given) == 1 and not isinstance(given[0].type.type, VectorType):
        return convert_explicitly(context, given[0], target, node)
    placed = list[Expr]()
    for part, part_node in zip(given, nodes, strict=True):
        lane = lane_part(context, part, target, part_node)
        if lane is None:
            return None
        placed.append(lane)
    count = sum(_lanes(part) for part in placed)
    if count != target.lanes:
        message = f"a literal of '{target}' needs {target.lanes} components, here are {count}"
        context.report("K366", message, node)
        return None
    return VectorLiteral(value_type(target), context.span(node), tuple(placed))


def lane_part(context: Context, part: Expr, target: VectorType, node: Node) -> Expr | None:
    """One part of a vector literal, in the element type; vectors must have it already."""
    type_ = part.type.type
    if isinstance(type_, VectorType):
        if type_.element == target.element:
            return part
        message = f"a part of type '{type_}' does not go into a '{target}'"
        hint = f"write convert_{target.element}{type_.lanes}()"
        context.report("K346", message, node, hint=hint)
        return None
    if arithmetic_kind(type_) is not None:
        return convert(part, target.element)
    context.report("K348", f"a value of type '{type_}' does not go into a '{target}'", node)
    return None


def _lanes(part: Expr) -> int:
    type_ = part.type.type
    return type_.lanes if isinstance(type_, VectorType) else 1


def comma(context: Context, node: c_ast.ExprList) -> Expr | None:
    """``a, b``: the value of the last."""
    result: Expr | None = None
    for position, part in enumerate(node.exprs):
        last = position == len(node.exprs) - 1
        operand = expression(context, part)
        value = to_value(context, operand, part) if last else discard(context, operand, part)
        if value is not None and isinstance(value.type.type, (ImageType, SamplerType)):
            context.report("K345", f"',' does not take '{value.type.type}'", part)
            value = None
        if value is None:
            for rest in node.exprs[position + 1 :]:
                expression(context, rest)
            return None
        result = value if result is None else Comma(value.type, context.span(node), result, value)
    return result

"""Subscripts, members and components: the expressions that designate parts of objects."""

from __future__ import annotations

from pycparser import c_ast

from kcc.base.diagnostics import Note
from kcc.frontend.sema.constants import evaluate
from kcc.frontend.sema.context import Context, Node
from kcc.frontend.sema.conversions import materialise, to_index, to_value
from kcc.frontend.sema.dispatch import expression, rvalue
from kcc.frontend.sema.pointers import steps
from kcc.frontend.sema.suggestions import did_you_mean
from kcc.frontend.sema.swizzles import BadComponents, is_colour, lanes_of
from kcc.frontend.sema.values import is_lvalue, value_type, vector_of
from kcc.frontend.tree import Deref, Element, Expr, Member, PointerOffset, Swizzle
from kcc.frontend.types import (
    AddressSpace,
    ArrayType,
    Field,
    PointerType,
    QualType,
    RecordType,
    Type,
    VectorType,
    is_integer,
)

# subscripts


def subscript(context: Context, node: c_ast.ArrayRef) -> Expr | None:
    """``a[i]`` of an array, a pointer or a vector; C also has ``i[a]``, not for vectors."""
    base, index = expression(context, node.name), rvalue(context, node.subscript)
    if base is None or index is None:
        return None
    if is_integer(base.type.type) and isinstance(index.type.type, PointerType):
        swapped = to_value(context, base, node)
        if swapped is None:
            return None
        base, index = index, swapped
    if not isinstance(base.type.type, (ArrayType, PointerType, VectorType)):
        message = f"'{base.type.type}' has no elements: it is no array, pointer or vector"
        context.report("K357", message, node)
        return None
    if not is_integer(index.type.type):
        message = f"a subscript is an integer, not '{index.type.type}'"
        context.report("K358", message, node.subscript)
        return None
    return _element(context, base, index, node)


def _element(context: Context, base: Expr, index: Expr, node: c_ast.ArrayRef) -> Expr | None:
    type_ = base.type.type
    span = context.span(node)
    if isinstance(type_, ArrayType):
        _check_bounds(context, type_.length, index, node)
        place = base if is_lvalue(base) else materialise(base)
        return Element(type_.element, span, place, to_index(index))
    if isinstance(type_, VectorType):
        _check_bounds(context, type_.lanes, index, node)
        return Element(_part_type(base, type_.element), span, base, to_index(index))
    pointer = to_value(context, base, node)
    if pointer is None:
        return None
    assert isinstance(type_, PointerType)
    if not steps(context, pointer, node):
        return None
    moved = PointerOffset(pointer.type, span, pointer, to_index(index), negative=False)
    return Deref(type_.pointee, span, moved)


def _part_type(base: Expr, part: Type) -> QualType:
    """The type of a part of an object: it shares address space and qualifiers."""
    if not is_lvalue(base):
        return value_type(part)
    whole = base.type
    return QualType(part, whole.space, const=whole.const, volatile=whole.volatile)


def _check_bounds(context: Context, length: int | None, index: Expr, node: c_ast.ArrayRef) -> None:
    value = evaluate(index, context.known) if length else None
    if isinstance(value, int) and length is not None and not 0 <= value < length:
        message = f"element {value} is outside of an array of {length}"
        context.report("K398", message, node.subscript)


# members and components


def member(context: Context, node: c_ast.StructRef) -> Expr | None:
    """``a.b`` and ``p->b``: members of records, components of vectors."""
    base = expression(context, node.name)
    if base is None:
        return None
    if node.type == "->":
        arrow = _before_arrow(context, base, node)
        if arrow is None:
            return None
        base = arrow
    type_ = base.type.type
    if isinstance(type_, VectorType):
        return _components(context, base, type_, node)
    if isinstance(type_, RecordType):
        return _record_member(context, base, type_, node)
    if isinstance(type_, PointerType) and isinstance(type_.pointee.type, (RecordType, VectorType)):
        hint = f"write '->{node.field.name}'"
        context.report("K361", f"'{type_}' is a pointer", node.field, hint=hint)
        return None
    message = f"'{type_}' has no members: it is no struct, union or vector"
    context.report("K360", message, node.field)
    return None


def _before_arrow(context: Context, base: Expr, node: c_ast.StructRef) -> Expr | None:
    pointer = to_value(context, base, node)
    if pointer is None:
        return None
    type_ = pointer.type.type
    if isinstance(type_, PointerType):
        return Deref(type_.pointee, context.span(node), pointer)
    hint = None
    if isinstance(type_, (RecordType, VectorType)):
        hint = f"write '.{node.field.name}'"
    context.report("K361", f"'{type_}' is no pointer", node.field, hint=hint)
    return None


def _record_member(
    context: Context, base: Expr, record: RecordType, node: c_ast.StructRef
) -> Expr | None:
    name = node.field.name
    if record.fields is None:
        context.report("K310", f"'{record}' is declared but not defined", node.field)
        return None
    path = find_member(record, name)
    if path is None:
        names = member_names(record)
        hint = did_you_mean(name, names)
        context.report("K309", f"'{record}' has no member '{name}'", node.field, hint=hint)
        return None
    for index in path:
        base = member_of(base, index, node, context)
    return base


def member_of(base: Expr, index: int, node: Node, context: Context) -> Member:
    """Field ``index`` of a record."""
    record = base.type.type
    assert isinstance(record, RecordType)
    assert record.fields is not None
    return Member(_member_type(base, record.fields[index]), context.span(node), base, index)


def _member_type(base: Expr, field: Field) -> QualType:
    if not is_lvalue(base):
        return QualType(field.type.type)
    return inherit(field.type, base.type)


def inherit(type_: QualType, whole: QualType) -> QualType:
    """The type of a member of an object: the object's address space, both their qualifiers."""
    inner = type_.type
    if isinstance(inner, ArrayType):
        inner = ArrayType(inherit(inner.element, whole), inner.length)
    elif whole.space is AddressSpace.PRIVATE and not whole.const and not whole.volatile:
        return type_
    return QualType(
        inner,
        whole.space,
        const=type_.const or whole.const,
        volatile=type_.volatile or whole.volatile,
        restrict=type_.restrict,
    )


def find_member(record: RecordType, name: str) -> tuple[int, ...] | None:
    """The indices that lead to a member, through anonymous records."""
    for index, field in enumerate(record.fields or ()):
        if field.name == name:
            return (index,)
        if field.name is None and isinstance(field.type.type, RecordType):
            inner = find_member(field.type.type, name)
            if inner is not None:
                return (index, *inner)
    return None


def member_names(record: RecordType) -> list[str]:
    """The names of all members, those of anonymous records included."""
    names = list[str]()
    for field in record.fields or ():
        if field.name is not None:
            names.append(field.name)
        elif isinstance(field.type.type, RecordType):
            names += member_names(field.type.type)
    return names


def _components(
    context: Context, base: Expr, vector: VectorType, node: c_ast.StructRef
) -> Expr | None:
    name = node.field.name
    try:
        lanes = lanes_of(name, vector.lanes)
    except BadComponents as fault:
        notes = [Note(f"the vector has the type '{vector}'")]
        context.report("K354", f"'.{name}': {fault}", node.field, notes=notes)
        return None
    if is_colour(name):
        context.report("K406", f"'.{name}' came with OpenCL C 3.0", node.field)
    part = vector.element if len(lanes) == 1 else vector_of(vector.element, len(lanes))
    type_ = _part_type(base, part)
    if isinstance(base, Swizzle):
        lanes = tuple(base.lanes[lane] if lane < len(base.lanes) else 3 for lane in lanes)
        base = base.base
    return Swizzle(type_, context.span(node), base, lanes)

"""Constant expressions: the value of a typed expression, where it has one before run time.

A value is a number, a tuple of numbers for a vector, or an :class:`Address` for a pointer.
Variables that are const (or ``__constant``) with a constant scalar initialiser count as constants
too, as they do in clang.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

from kcc.base.records import dataclass
from kcc.frontend.sema.numbers import Number, combine, convert_number, wrap
from kcc.frontend.tree import (
    AddressOf,
    AggregateInit,
    ArrayDecay,
    Binary,
    BinaryOp,
    CompoundLiteral,
    Conditional,
    Constant,
    Convert,
    Deref,
    Element,
    Expr,
    Initialiser,
    Load,
    Logical,
    LogicalOp,
    Member,
    PointerDifference,
    PointerOffset,
    Splat,
    StringLiteral,
    Swizzle,
    Unary,
    UnaryOp,
    Variable,
    VariableRef,
    VectorLiteral,
    VectorSelect,
)
from kcc.frontend.types import (
    ArrayType,
    PointerType,
    QualType,
    RecordType,
    ScalarKind,
    ScalarType,
    Type,
    VectorType,
    element_kind,
    is_complete,
    size_of,
)


@dataclass(frozen=True, slots=True)
class Address:
    """A byte offset from an object; ``base`` None is the null pointer (or a plain number)."""

    base: Variable | StringLiteral | None
    offset: int


Value = Number | tuple[Number, ...] | Address


@dataclass(slots=True, eq=False)
class Known:
    """Values of constant variables, by identity."""

    values: dict[Variable, Value] = field(default_factory=dict["Variable", "Value"])


def evaluate(expression: Expr, known: Known) -> Value | None:
    """The value of an expression, None when it has none before run time."""
    rule = _RULES.get(type(expression))
    return None if rule is None else rule(expression, known)


def evaluate_integer(expression: Expr, known: Known) -> int | None:
    """The value of an expression of integer type."""
    value = evaluate(expression, known)
    return value if isinstance(value, int) else None


def fold_initialiser(initialiser: Initialiser, known: Known) -> Initialiser | None:
    """The initialiser with every number computed; None when a part is not constant.

    Leaves become :class:`Constant`, :class:`VectorLiteral` of constants, or an address: null,
    or ``AddressOf`` / ``ArrayDecay`` of a variable or string below ``Convert`` and
    ``PointerOffset`` by a constant number of bytes.
    """
    if isinstance(initialiser, AggregateInit):
        folded = list[tuple[int, Initialiser]]()
        for index, part in initialiser.elements:
            value = fold_initialiser(part, known)
            if value is None:
                return None
            folded.append((index, value))
        return AggregateInit(initialiser.type, initialiser.span, tuple(folded))
    if isinstance(initialiser, Load) and isinstance(initialiser.operand, CompoundLiteral):
        return fold_initialiser(initialiser.operand.initialiser, known)
    value = evaluate(initialiser, known)
    return None if value is None else _materialise(initialiser, value)


def _materialise(expression: Expr, value: Value) -> Expr | None:
    """An expression that is nothing but a value."""
    type_, span = expression.type, expression.span
    if isinstance(value, tuple):
        assert isinstance(type_.type, VectorType)
        element = QualType(type_.type.element)
        return VectorLiteral(type_, span, tuple(Constant(element, span, v) for v in value))
    if not isinstance(value, Address):
        return Constant(type_, span, value)
    if value.base is None:
        return Constant(type_, span, value.offset)
    return expression if isinstance(type_.type, PointerType) else None


# values of lvalue kind: the address of an object


def address_of(expression: Expr, known: Known) -> Address | None:
    """The address of an lvalue, relative to its object."""
    match expression:
        case VariableRef(variable=variable):
            return Address(variable, 0)
        case StringLiteral():
            return Address(expression, 0)
        case Deref(pointer=pointer):
            value = evaluate(pointer, known)
            return value if isinstance(value, Address) else None
        case Member(base=base, index=index):
            place = address_of(base, known)
            record = base.type.type
            if place is None or not isinstance(record, RecordType) or record.fields is None:
                return None
            return Address(place.base, place.offset + record.fields[index].offset)
        case Element(base=base, index=index):
            return _offset(address_of(base, known), evaluate(index, known), expression.type.type)
        case _:
            return None


def _offset(place: Address | None, index: Value | None, element: Type) -> Address | None:
    if place is None or not isinstance(index, int):
        return None
    size = size_of(element) if is_complete(element) else 1
    return Address(place.base, place.offset + index * size)


# rules, one for each kind of expression


def _constant(expression: Constant, known: Known) -> Value | None:
    del known
    if isinstance(expression.type.type, PointerType):
        return Address(None, int(expression.value))
    return expression.value


def _load(expression: Load, known: Known) -> Value | None:
    operand = expression.operand
    if isinstance(operand, VariableRef):
        return known.values.get(operand.variable)
    return None


def _string(expression: ArrayDecay | AddressOf, known: Known) -> Value | None:
    return address_of(expression.operand, known)


def _pointer_offset(expression: PointerOffset, known: Known) -> Value | None:
    place, index = evaluate(expression.pointer, known), evaluate(expression.index, known)
    pointer = expression.type.type
    if not isinstance(place, Address) or not isinstance(pointer, PointerType):
        return None
    if isinstance(index, int) and expression.negative:
        index = -index
    return _offset(place, index, pointer.pointee.type)


def _pointer_difference(expression: PointerDifference, known: Known) -> Value | None:
    left, right = evaluate(expression.left, known), evaluate(expression.right, known)
    pointer = expression.left.type.type
    if not (isinstance(left, Address) and isinstance(right, Address)) or left.base != right.base:
        return None
    assert isinstance(pointer, PointerType)
    size = size_of(pointer.pointee.type) if is_complete(pointer.pointee.type) else 1
    return None if size == 0 else (left.offset - right.offset) // size


def _convert(expression: Convert, known: Known) -> Value | None:
    value = evaluate(expression.operand, known)
    if value is None:
        return None
    source, target = expression.operand.type.type, expression.type.type
    if isinstance(value, Address):
        return _convert_address(value, target)
    if isinstance(target, PointerType):
        return Address(None, value) if isinstance(value, int) else None
    from_kind, to_kind = element_kind(source), element_kind(target)
    if from_kind is None or to_kind is None:
        return None
    if not isinstance(value, tuple):
        return convert_number(value, from_kind, to_kind)
    lanes = [convert_number(v, from_kind, to_kind) for v in value]
    return _all(lanes)


def _convert_address(value: Address, target: Type) -> Value | None:
    if isinstance(target, PointerType):
        return value
    if isinstance(target, ScalarType) and target.kind is ScalarKind.BOOL:
        return int(value.base is not None or value.offset != 0)
    kind = element_kind(target)
    if value.base is None and kind is not None and not kind.floating:
        return wrap(kind, value.offset)
    return None


def _splat(expression: Splat, known: Known) -> Value | None:
    value = evaluate(expression.operand, known)
    type_ = expression.type.type
    if not isinstance(value, (int, float)) or not isinstance(type_, VectorType):
        return None
    return (value,) * type_.lanes


def _vector_literal(expression: VectorLiteral, known: Known) -> Value | None:
    lanes = list[Number]()
    for part in expression.parts:
        value = evaluate(part, known)
        if isinstance(value, tuple):
            lanes += value
        elif isinstance(value, (int, float)):
            lanes.append(value)
        else:
            return None
    return tuple(lanes)


def _swizzle(expression: Swizzle, known: Known) -> Value | None:
    value = evaluate(expression.base, known)
    if not isinstance(value, tuple) or max(expression.lanes) >= len(value):
        return None
    if len(expression.lanes) == 1:
        return value[expression.lanes[0]]
    return tuple(value[lane] for lane in expression.lanes)


def _unary(expression: Unary, known: Known) -> Value | None:
    value = evaluate(expression.operand, known)
    kind = element_kind(expression.operand.type.type)
    if kind is None or value is None or isinstance(value, Address):
        return None
    if isinstance(value, tuple):
        truth = -1
        return tuple(_unary_number(expression.op, kind, v, truth) for v in value)
    return _unary_number(expression.op, kind, value, 1)


def _unary_number(op: UnaryOp, kind: ScalarKind, value: Number, truth: int) -> Number:
    match op:
        case UnaryOp.NEG:
            return -value if isinstance(value, float) else wrap(kind, -value)
        case UnaryOp.BIT_NOT:
            return wrap(kind, ~int(value))
        case UnaryOp.LOGICAL_NOT:
            return 0 if value else truth


def _binary(expression: Binary, known: Known) -> Value | None:
    left, right = evaluate(expression.left, known), evaluate(expression.right, known)
    if left is None or right is None:
        return None
    if isinstance(left, Address) or isinstance(right, Address):
        return _compare_addresses(expression, left, right)
    kind = element_kind(expression.left.type.type)
    if kind is None:
        return None
    if isinstance(left, (int, float)):
        return combine(expression.op, kind, left, right) if not isinstance(right, tuple) else None
    if not isinstance(right, tuple):
        return None
    sign = -1 if expression.op.is_comparison else 1
    lanes = [combine(expression.op, kind, a, b) for a, b in zip(left, right, strict=True)]
    return _all([None if lane is None else sign * lane for lane in lanes])


def _compare_addresses(expression: Binary, left: Value, right: Value) -> Value | None:
    if not isinstance(left, Address) or not isinstance(right, Address):
        return None
    if left.base != right.base:
        nulls = Address(None, 0) in (left, right)
        unequal = {BinaryOp.EQ: 0, BinaryOp.NE: 1}
        return unequal.get(expression.op) if nulls else None
    return combine(expression.op, ScalarKind.LONG, left.offset, right.offset)


def _all(lanes: list[Number | None]) -> tuple[Number, ...] | None:
    known = [lane for lane in lanes if lane is not None]
    return tuple(known) if len(known) == len(lanes) else None


def _logical(expression: Logical, known: Known) -> Value | None:
    left = evaluate(expression.left, known)
    if isinstance(left, int):
        if bool(left) is (expression.op is LogicalOp.OR):
            return int(bool(left))
        right = evaluate(expression.right, known)
        return int(bool(right)) if isinstance(right, int) else None
    right = evaluate(expression.right, known)
    if not isinstance(left, tuple) or not isinstance(right, tuple):
        return None
    if expression.op is LogicalOp.OR:
        return tuple(-int(bool(a) or bool(b)) for a, b in zip(left, right, strict=True))
    return tuple(-int(bool(a) and bool(b)) for a, b in zip(left, right, strict=True))


def _conditional(expression: Conditional, known: Known) -> Value | None:
    condition = evaluate(expression.condition, known)
    if not isinstance(condition, int):
        return None
    return evaluate(expression.then if condition else expression.otherwise, known)


def _vector_select(expression: VectorSelect, known: Known) -> Value | None:
    condition = evaluate(expression.condition, known)
    then, otherwise = evaluate(expression.then, known), evaluate(expression.otherwise, known)
    kind = element_kind(expression.condition.type.type)
    if not isinstance(condition, tuple) or kind is None:
        return None
    if not isinstance(then, tuple) or not isinstance(otherwise, tuple):
        return None
    top = 1 << (kind.size_bytes * 8 - 1)
    return tuple(
        a if int(c) & top else b for c, a, b in zip(condition, then, otherwise, strict=True)
    )


_RULES: dict[type, Callable[[Any, Known], Value | None]] = {
    Constant: _constant,
    Load: _load,
    ArrayDecay: _string,
    AddressOf: _string,
    PointerOffset: _pointer_offset,
    PointerDifference: _pointer_difference,
    Convert: _convert,
    Splat: _splat,
    VectorLiteral: _vector_literal,
    Swizzle: _swizzle,
    Unary: _unary,
    Binary: _binary,
    Logical: _logical,
    Conditional: _conditional,
    VectorSelect: _vector_select,
}


def array_element(type_: ArrayType) -> Type:
    """The innermost element type of an array."""
    inner: Type = type_
    while isinstance(inner, ArrayType):
        inner = inner.element.type
    return inner

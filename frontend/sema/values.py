"""Small facts about typed expressions, and the nodes that conversions are made of."""

from __future__ import annotations

from kcc.frontend.sema.numbers import convert_number
from kcc.frontend.tree import (
    CompoundLiteral,
    Constant,
    Convert,
    Deref,
    Element,
    Expr,
    Member,
    Splat,
    StringLiteral,
    Swizzle,
    Unary,
    UnaryOp,
    VariableRef,
)
from kcc.frontend.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LONG,
    SHORT,
    UCHAR,
    UINT,
    ULONG,
    USHORT,
    VECTOR_LANES,
    VOID,
    WIDEST_LANES,
    AddressSpace,
    ArrayType,
    EnumType,
    ImageType,
    PointerType,
    QualType,
    RecordType,
    SamplerType,
    ScalarKind,
    ScalarType,
    Type,
    VectorType,
)

_NAMED = (
    BOOL, CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, HALF, FLOAT, DOUBLE,
)  # fmt: skip

SCALARS = {type_.kind: type_ for type_ in _NAMED}

VECTORS = {
    (kind, lanes): VectorType(SCALARS[kind], lanes)
    for kind in ScalarKind
    if kind is not ScalarKind.BOOL
    for lanes in (*VECTOR_LANES, WIDEST_LANES)
}

_VALUE_TYPES = {
    id(type_): QualType(type_) for type_ in (*SCALARS.values(), *VECTORS.values(), VOID)
}
"""By identity: these types live as long as the module."""


def value_type(type_: Type) -> QualType:
    """The type as that of a value: unqualified and private."""
    return _VALUE_TYPES.get(id(type_)) or QualType(type_)


def vector_of(element: ScalarType, lanes: int) -> VectorType:
    """The vector type, always the same object."""
    return VECTORS[element.kind, lanes]


def array_of(element: QualType, length: int | None) -> QualType:
    """An array object: it has the qualifiers and the address space of its elements."""
    return QualType(
        ArrayType(element, length), element.space, const=element.const, volatile=element.volatile
    )


_PARTS = (Member, Swizzle, Element)

_OBJECTS = frozenset({VariableRef, Deref, CompoundLiteral, StringLiteral})


def is_lvalue(expression: Expr) -> bool:
    """Whether an expression designates an object."""
    while isinstance(expression, _PARTS):
        expression = expression.base
    return type(expression) in _OBJECTS


def is_scalar(type_: Type) -> bool:
    """Arithmetic or pointer: what has a truth value."""
    return isinstance(type_, (ScalarType, EnumType, PointerType))


def is_opaque(type_: Type) -> bool:
    """Images and samplers: only parameters may have them."""
    return isinstance(type_, (ImageType, SamplerType))


def arithmetic_kind(type_: Type) -> ScalarKind | None:
    """The kind of a scalar or enum; None for vectors and everything else."""
    if isinstance(type_, ScalarType):
        return type_.kind
    return type_.underlying.kind if isinstance(type_, EnumType) else None


def is_integer_vector(type_: Type) -> bool:
    """Whether a type is a vector of integers."""
    return isinstance(type_, VectorType) and not type_.element.kind.floating


def convert(expression: Expr, target: Type, *, implicit: bool = True) -> Expr:
    """A conversion between scalars, between vectors of equal lanes or between pointers; numbers
    are converted at once.
    """
    source = expression.type.type
    if source is target or source == target:
        return expression
    if isinstance(expression, Constant) and isinstance(target, ScalarType):
        kind = arithmetic_kind(source)
        value = None if kind is None else convert_number(expression.value, kind, target.kind)
        if value is not None:
            return Constant(value_type(target), expression.span, value)
    return Convert(value_type(target), expression.span, expression, implicit)


def splat(expression: Expr, target: VectorType, *, implicit: bool = True) -> Expr:
    """A scalar in every lane. True becomes -1 (OpenCL C 1.2, section 6.2.2)."""
    if arithmetic_kind(expression.type.type) is ScalarKind.BOOL:
        number = convert(expression, INT)
        expression = Unary(number.type, number.span, UnaryOp.NEG, number)
    element = convert(expression, target.element, implicit=implicit)
    return Splat(value_type(target), expression.span, element)


def to_bool(expression: Expr) -> Expr:
    """The truth value of a scalar: comparisons and the like lose no time as int."""
    return convert(expression, BOOL)


def null_pointer(expression: Expr, target: PointerType) -> Constant:
    """The null pointer of a type, in the place of an expression."""
    return Constant(QualType(target), expression.span, 0)


def is_const_object(type_: QualType) -> bool:
    """Whether the object, or a member of it, must not be written."""
    if type_.const or type_.space is AddressSpace.CONSTANT:
        return True
    match type_.type:
        case RecordType(fields=fields) if fields is not None:
            return any(is_const_object(field.type) for field in fields)
        case ArrayType(element, _):
            return is_const_object(element)
        case _:
            return False

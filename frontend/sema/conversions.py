"""Implicit conversions: lvalues to values, usual arithmetic conversions, as if by assignment.

OpenCL C 1.2, section 6.2; C99 6.3. Where C leaves a choice, clang's.
"""

from __future__ import annotations

from enum import Enum

from kcc.frontend.sema.constants import evaluate
from kcc.frontend.sema.context import Context, Node
from kcc.frontend.sema.values import (
    SCALARS,
    arithmetic_kind,
    convert,
    is_lvalue,
    null_pointer,
    splat,
    value_type,
)
from kcc.frontend.tree import (
    ArrayDecay,
    CompoundLiteral,
    Constant,
    Deref,
    Expr,
    Load,
    Storage,
    Variable,
)
from kcc.frontend.types import (
    BOOL,
    INT,
    AddressSpace,
    ArrayType,
    EnumType,
    EventType,
    ImageType,
    PointerType,
    QualType,
    SamplerType,
    ScalarKind,
    ScalarType,
    Type,
    VectorType,
    VoidType,
    is_complete,
    is_integer,
    size_of,
)


class Purpose(Enum):
    """What a value is converted for; the value begins the message."""

    ASSIGN = "cannot assign"
    INITIALISE = "cannot initialise"
    PASS = "cannot pass"
    RETURN = "cannot return"


_TO = {
    Purpose.ASSIGN: "to an object of type",
    Purpose.INITIALISE: "an object of type",
    Purpose.PASS: "to a parameter of type",
    Purpose.RETURN: "from a function with result",
}


# lvalues to values


def to_value(context: Context, expression: Expr | None, node: Node) -> Expr | None:
    """The value of an expression: loads an lvalue, turns an array into a pointer (C99 6.3.2.1)."""
    if expression is None:
        return None
    type_ = expression.type.type
    if isinstance(type_, ArrayType):
        place = expression if is_lvalue(expression) else materialise(expression)
        return ArrayDecay(QualType(PointerType(type_.element)), expression.span, place)
    if isinstance(expression, Deref) and isinstance(type_, VoidType):
        return convert(expression.pointer, type_, implicit=False)
    if not is_lvalue(expression) or isinstance(type_, VoidType):
        return expression
    if context.is_half_storage(type_):
        hint = "use vload_half, or enable the extension cl_khr_fp16"
        context.report("K317", "a half cannot be read directly", node, hint=hint)
        return None
    if not is_complete(type_):
        context.report("K310", f"the type '{type_}' is incomplete", node)
        return None
    return Load(value_type(type_), expression.span, expression)


def materialise(expression: Expr) -> Expr:
    """An unnamed object with this value, for a value that needs an address."""
    type_ = QualType(expression.type.type)
    variable = Variable(".temporary", type_, Storage.AUTOMATIC, expression.span)
    return CompoundLiteral(type_, expression.span, variable, expression)


# arithmetic


def promoted_kind(kind: ScalarKind) -> ScalarKind:
    """Integer promotion (C99 6.3.1.1)."""
    return ScalarKind.INT if kind.rank < ScalarKind.INT.rank else kind


def common_kind(left: ScalarKind, right: ScalarKind) -> ScalarKind:
    """The usual arithmetic conversions (C99 6.3.1.8)."""
    return wider_kind(promoted_kind(left), promoted_kind(right))


def wider_kind(left: ScalarKind, right: ScalarKind) -> ScalarKind:
    """The usual arithmetic conversions without promotion: the higher rank, unsigned in a tie."""
    if left.rank == right.rank:
        return right if left.signed else left
    return left if left.rank > right.rank else right


def promote(expression: Expr) -> Expr:
    """An arithmetic value after integer promotion."""
    kind = arithmetic_kind(expression.type.type)
    assert kind is not None
    return convert(expression, SCALARS[promoted_kind(kind)])


def fits_vector(scalar: ScalarKind, element: ScalarKind) -> bool:
    """Whether a scalar operand widens to a vector beside it (section 6.2.6): its rank must not
    be higher than that of the elements. As in clang, unsigned ranks above signed.
    """
    if element.floating:
        return not scalar.floating or scalar.rank <= element.rank
    return not scalar.floating and _order(scalar) <= _order(element)


def _order(kind: ScalarKind) -> tuple[int, bool]:
    return kind.rank, not kind.signed


def vector_operands(
    context: Context, left: Expr, right: Expr, node: Node
) -> tuple[Expr, Expr] | None:
    """Both operands as vectors of one type, when one is a vector; reports what does not fit."""
    first, second = left.type.type, right.type.type
    if isinstance(first, VectorType) and isinstance(second, VectorType):
        if first == second:
            return left, right
        message = f"vectors of different types, '{first}' and '{second}', are not converted"
        context.report("K346", message, node, hint=conversion_hint(second, first))
        return None
    if isinstance(first, VectorType):
        widened = _widen(context, right, first, node)
        return None if widened is None else (left, widened)
    assert isinstance(second, VectorType)
    widened = _widen(context, left, second, node)
    return None if widened is None else (widened, right)


def conversion_hint(source: VectorType, target: VectorType) -> str | None:
    """Which functions make one vector type of the other."""
    same_size = size_of(source) == size_of(target)
    if source.lanes == target.lanes:
        return f"write convert_{target}()" + f" or as_{target}()" * same_size
    return f"write as_{target}()" if same_size else None


def _widen(context: Context, scalar: Expr, vector: VectorType, node: Node) -> Expr | None:
    kind = arithmetic_kind(scalar.type.type)
    if kind is None:
        message = f"invalid operands: '{vector}' and '{scalar.type.type}'"
        context.report("K344", message, node)
        return None
    if not fits_vector(kind, vector.element.kind):
        source = scalar.type.type
        message = f"the scalar type '{source}' has a higher rank than the elements of '{vector}'"
        hint = f"convert it: ({vector.element})"
        if isinstance(scalar, Constant) and vector.element.kind is ScalarKind.FLOAT:
            hint = "a constant of type float ends in f"
        context.report("K347", message, node, hint=hint)
        return None
    return splat(scalar, vector)


# as if by assignment


def assign(
    context: Context, value: Expr, target: Type, node: Node, purpose: Purpose
) -> Expr | None:
    """``value`` converted to ``target`` as assignment does (C99 6.5.16.1, OpenCL C 6.2)."""
    source = value.type.type
    if source == target and not isinstance(source, (VoidType, ImageType)):
        return value
    match target:
        case ScalarType() | EnumType():
            converted = _assign_scalar(context, value, target, node)
        case VectorType():
            converted = _assign_vector(context, value, target, node)
            if converted is None and isinstance(source, VectorType):
                return None
        case PointerType():
            return _assign_pointer(context, value, target, node, purpose)
        case ImageType():
            converted = value if source == target else None
        case EventType():
            zero = purpose is not Purpose.ASSIGN and is_zero(context, value)
            converted = Constant(QualType(target), value.span, 0) if zero else None
        case SamplerType():
            converted = _sampler_value(context, value, target)
        case _:
            converted = None
    if converted is None:
        report_mismatch(context, source, target, node, purpose)
    return converted


def _sampler_value(context: Context, value: Expr, target: SamplerType) -> Expr | None:
    """A sampler from an integer constant."""
    bits = evaluate(value, context.known) if is_integer(value.type.type) else None
    if not isinstance(bits, int):
        return None
    return convert(Constant(value_type(INT), value.span, bits), target)


def report_mismatch(
    context: Context, source: Type, target: Type, node: Node, purpose: Purpose
) -> None:
    """Report a value that does not become ``target`` as if by assignment."""
    if isinstance(source, VoidType):
        context.report("K370", "a void expression has no value to use", node)
        return
    if purpose is Purpose.INITIALISE:
        message = f"cannot initialise an object of type '{target}' with a value of type '{source}'"
    else:
        message = f"{purpose.value} a value of type '{source}' {_TO[purpose]} '{target}'"
    context.report("K348", message, node)


def _assign_scalar(
    context: Context, value: Expr, target: ScalarType | EnumType, node: Node
) -> Expr | None:
    source = value.type.type
    if isinstance(source, (ScalarType, EnumType)):
        return convert(value, target)
    if not isinstance(source, PointerType) or not is_integer(target):
        return None
    if target != BOOL:
        context.report("K390", f"a pointer '{source}' becomes an integer '{target}'", node)
    return convert(value, target)


def _assign_vector(context: Context, value: Expr, target: VectorType, node: Node) -> Expr | None:
    source = value.type.type
    if isinstance(source, (ScalarType, EnumType)):
        return splat(value, target)
    if isinstance(source, VectorType):
        message = f"vectors of different types, '{target}' and '{source}', are not converted"
        context.report("K346", message, node, hint=conversion_hint(source, target))
    return None


def is_zero(context: Context, value: Expr) -> bool:
    """Whether a value is an integer constant expression 0."""
    return is_integer(value.type.type) and evaluate(value, context.known) == 0


def is_null(context: Context, value: Expr) -> bool:
    """Whether a value is a null pointer constant: 0, or (void*)0 (C99 6.3.2.3)."""
    if is_zero(context, value):
        return True
    if not isinstance(value, Constant) or value.value != 0:
        return False
    match value.type.type:
        case PointerType(QualType(VoidType(), AddressSpace.PRIVATE)):
            return True
        case _:
            return False


def _assign_pointer(
    context: Context, value: Expr, target: PointerType, node: Node, purpose: Purpose
) -> Expr | None:
    source = value.type.type
    if is_null(context, value):
        return null_pointer(value, target)
    if is_integer(source):
        context.report("K390", f"an integer '{source}' becomes a pointer '{target}'", node)
        return convert(value, target)
    if not isinstance(source, PointerType):
        report_mismatch(context, source, target, node, purpose)
        return None
    if spaces_differ(source, target):
        report_spaces(context, source, target, node)
        return None
    _warn_of_pointees(context, source.pointee, target.pointee, node)
    return convert(value, target)


def spaces_differ(source: PointerType, target: PointerType) -> bool:
    """Whether a conversion would change the address space of a pointer or of one it points to."""
    a, b = source.pointee, target.pointee
    while a.space is b.space:
        if not isinstance(a.type, PointerType) or not isinstance(b.type, PointerType):
            return False
        a, b = a.type.pointee, b.type.pointee
    return True


def report_spaces(context: Context, source: PointerType, target: PointerType, node: Node) -> None:
    """The one mistake of OpenCL newcomers: a pointer into another address space."""
    here, there = source.pointee.space, target.pointee.space
    message = f"'{source}' cannot become '{target}': a pointer keeps its address space"
    hint = None
    if here is not there and there is AddressSpace.PRIVATE:
        hint = f"declare the pointer as '__{here.name.lower()} {target}'"
    elif here is not there:
        hint = f"the data is in the {here.name.lower()} address space, not {there.name.lower()}"
    context.report("K349", message, node, hint=hint)


def _warn_of_pointees(context: Context, source: QualType, target: QualType, node: Node) -> None:
    voids = isinstance(source.type, VoidType) or isinstance(target.type, VoidType)
    if source.type != target.type and not voids and not _same_array(source.type, target.type):
        message = f"incompatible pointer types: '{source}*' becomes '{target}*'"
        context.report("K391", message, node)
    elif (source.const and not target.const) or (source.volatile and not target.volatile):
        dropped = "const" if source.const and not target.const else "volatile"
        context.report("K392", f"'{dropped}' is lost: '{source}*' becomes '{target}*'", node)


def _same_array(source: Type, target: Type) -> bool:
    """Arrays are compatible when one has no length (C99 6.7.5.2)."""
    if not isinstance(source, ArrayType) or not isinstance(target, ArrayType):
        return False
    lengths = source.length == target.length or None in (source.length, target.length)
    return lengths and source.element.type == target.element.type


def truth(context: Context, value: Expr | None, node: Node, where: str) -> Expr | None:
    """A scalar as a condition, of type bool."""
    if value is None:
        return None
    type_ = value.type.type
    if isinstance(type_, (ScalarType, EnumType, PointerType)):
        return convert(value, BOOL)
    if isinstance(type_, VoidType):
        context.report("K370", "a void expression has no value to use", node)
        return None
    hint = "use any() or all()" if isinstance(type_, VectorType) else None
    context.report("K367", f"{where} must be a scalar, not '{type_}'", node, hint=hint)
    return None


def to_index(expression: Expr) -> Expr:
    """An integer as a 64-bit index: long, or ulong when it is unsigned."""
    kind = arithmetic_kind(expression.type.type)
    assert kind is not None
    signed = kind.signed or kind is ScalarKind.BOOL
    return convert(expression, SCALARS[ScalarKind.LONG if signed else ScalarKind.ULONG])


def default_argument(expression: Expr) -> Expr:
    """Default argument promotions, for what stands after ``...`` (C99 6.5.2.2)."""
    kind = arithmetic_kind(expression.type.type)
    if kind is None:
        return expression
    if kind in (ScalarKind.FLOAT, ScalarKind.HALF):
        return convert(expression, SCALARS[ScalarKind.DOUBLE])
    return promote(expression)

"""Operators on values: arithmetic, comparisons, logic, the conditional operator.

OpenCL C 1.2, section 6.3, letters as there.
"""

from __future__ import annotations

from pycparser import c_ast

from kcc.frontend.sema import pointers
from kcc.frontend.sema.constants import evaluate
from kcc.frontend.sema.context import Context, Node
from kcc.frontend.sema.conversions import (
    common_kind,
    promote,
    truth,
    vector_operands,
    wider_kind,
)
from kcc.frontend.sema.dispatch import rvalue
from kcc.frontend.sema.values import (
    SCALARS,
    arithmetic_kind,
    convert,
    is_integer_vector,
    is_scalar,
    splat,
    to_bool,
    value_type,
    vector_of,
)
from kcc.frontend.tree import (
    Binary,
    BinaryOp,
    Conditional,
    Constant,
    Expr,
    Logical,
    LogicalOp,
    Unary,
    UnaryOp,
    VectorSelect,
)
from kcc.frontend.types import (
    INT,
    PointerType,
    QualType,
    RecordType,
    ScalarKind,
    Type,
    VectorType,
    VoidType,
    signed_of,
    size_of,
)

BINARY_OPS = {op.value: op for op in BinaryOp}
LOGICAL_OPS = {op.value: op for op in LogicalOp}
UNARY_OPS = {op.value: op for op in UnaryOp}

_INTEGERS_ONLY = frozenset({BinaryOp.REM, BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR})
_SHIFTS = frozenset({BinaryOp.SHL, BinaryOp.SHR})
_SUMS = frozenset({BinaryOp.ADD, BinaryOp.SUB})


def binary(context: Context, node: c_ast.BinaryOp) -> Expr | None:
    """A chain of binary operators, which leans to the left, without recursion along it."""
    chain = [node]
    while isinstance(chain[-1].left, c_ast.BinaryOp):
        chain.append(chain[-1].left)
    left = rvalue(context, chain[-1].left)
    for link in reversed(chain):
        right = rvalue(context, link.right)
        if left is None or right is None:
            left = None
        elif link.op in LOGICAL_OPS:
            left = _logical(context, LOGICAL_OPS[link.op], left, right, link)
        else:
            left = apply_binary(context, BINARY_OPS[link.op], left, right, link)
    return left


def apply_binary(
    context: Context, op: BinaryOp, left: Expr, right: Expr, node: Node
) -> Expr | None:
    """``left op right`` on values; reports operands that do not go together."""
    first, second = left.type.type, right.type.type
    if isinstance(first, PointerType) or isinstance(second, PointerType):
        return pointers.apply_pointer(context, op, left, right, node)
    if op in _SHIFTS:
        return _shift(context, op, left, right, node)
    if isinstance(first, VectorType) or isinstance(second, VectorType):
        return _vector_binary(context, op, left, right, node)
    kinds = arithmetic_kind(first), arithmetic_kind(second)
    if kinds[0] is None or kinds[1] is None:
        return invalid_operands(context, op.value, first, second, node)
    kind = common_kind(kinds[0], kinds[1])
    if kind.floating and op in _INTEGERS_ONLY:
        return invalid_operands(context, op.value, first, second, node)
    common = SCALARS[kind]
    left, right = convert(left, common), convert(right, common)
    if op in (BinaryOp.DIV, BinaryOp.REM) and not kind.floating:
        _warn_of_zero(context, right, node)
    type_ = value_type(INT if op.is_comparison else common)
    return Binary(type_, context.span(node), op, left, right)


def invalid_operands(context: Context, op: str, first: Type, second: Type, node: Node) -> None:
    """Report a binary operator whose operands do not go together."""
    if isinstance(first, VoidType) or isinstance(second, VoidType):
        context.report("K370", "a void expression has no value to use", node)
        return
    context.report("K344", f"'{op}' does not take '{first}' and '{second}'", node)


def _warn_of_zero(context: Context, divisor: Expr, node: Node) -> None:
    if isinstance(divisor, Constant) and divisor.value == 0:
        context.report("K396", "division by zero is undefined", node)


def _vector_binary(
    context: Context, op: BinaryOp, left: Expr, right: Expr, node: Node
) -> Expr | None:
    """Element by element; comparisons give 0 and -1 in signed lanes (6.3.d, 6.3.e)."""
    first, second = left.type.type, right.type.type
    if op in _INTEGERS_ONLY and (_is_floating(first) or _is_floating(second)):
        return invalid_operands(context, op.value, first, second, node)
    operands = vector_operands(context, left, right, node)
    if operands is None:
        return None
    left, right = operands
    type_ = left.type
    if op.is_comparison:
        type_ = value_type(truth_vector(left.type.type))
    return Binary(type_, context.span(node), op, left, right)


def truth_vector(type_: Type) -> VectorType:
    """The vector type that a comparison of such vectors gives."""
    assert isinstance(type_, VectorType)
    return vector_of(signed_of(type_.element.kind), type_.lanes)


def _is_floating(type_: Type) -> bool:
    if isinstance(type_, VectorType):
        return type_.element.kind.floating
    kind = arithmetic_kind(type_)
    return kind is not None and kind.floating


def _shift(context: Context, op: BinaryOp, left: Expr, right: Expr, node: Node) -> Expr | None:
    """6.3.j: the result has the (promoted) type of the left operand; only the low bits of the
    count matter, so that converting it to that type loses nothing.
    """
    first, second = left.type.type, right.type.type
    integers = [is_integer_vector(t) or _is_integer_scalar(t) for t in (first, second)]
    if not all(integers):
        return invalid_operands(context, op.value, first, second, node)
    if isinstance(second, VectorType):
        if not isinstance(first, VectorType) or first.lanes != second.lanes:
            message = f"the shift count is a vector '{second}', but what is shifted is '{first}'"
            context.report("K344", message, node)
            return None
        return Binary(left.type, context.span(node), op, left, convert(right, first))
    if isinstance(first, VectorType):
        count = splat(convert(promote(right), first.element), first)
        return Binary(left.type, context.span(node), op, left, count)
    left = promote(left)
    count = convert(promote(right), left.type.type)
    _warn_of_count(context, left, right, node)
    return Binary(left.type, context.span(node), op, left, count)


def _is_integer_scalar(type_: Type) -> bool:
    kind = arithmetic_kind(type_)
    return kind is not None and not kind.floating


def _warn_of_count(context: Context, left: Expr, right: Expr, node: Node) -> None:
    if not isinstance(right, Constant):
        return
    bits = size_of(left.type.type) * 8
    if not 0 <= right.value < bits:
        message = f"a shift by {right.value} of {bits} bits counts as {int(right.value) % bits}"
        context.report("K396", message, node)


# logic


def _logical(context: Context, op: LogicalOp, left: Expr, right: Expr, node: Node) -> Expr | None:
    """6.3.g: short-circuit on scalars, element by element on vectors."""
    first, second = left.type.type, right.type.type
    if isinstance(first, VectorType) or isinstance(second, VectorType):
        operands = vector_operands(context, left, right, node)
        if operands is None:
            return None
        type_ = value_type(truth_vector(operands[0].type.type))
        return Logical(type_, context.span(node), op, *operands)
    if not is_scalar(first) or not is_scalar(second):
        return invalid_operands(context, op.value, first, second, node)
    return Logical(value_type(INT), context.span(node), op, to_bool(left), to_bool(right))


# unary


def apply_unary(context: Context, op: str, operand: Expr, node: Node) -> Expr | None:
    """``+ - ~ !`` on a value."""
    type_ = operand.type.type
    span = context.span(node)
    if op == "!":
        if isinstance(type_, VectorType):
            return Unary(value_type(truth_vector(type_)), span, UnaryOp.LOGICAL_NOT, operand)
        if is_scalar(type_):
            return Unary(value_type(INT), span, UnaryOp.LOGICAL_NOT, to_bool(operand))
    elif isinstance(type_, VectorType):
        if op == "+":
            return operand
        if op == "-" or not type_.element.kind.floating:
            return Unary(operand.type, span, UNARY_OPS[op], operand)
    else:
        kind = arithmetic_kind(type_)
        if kind is not None and (op != "~" or not kind.floating):
            return _unary_scalar(op, promote(operand), context, node)
    if isinstance(type_, VoidType):
        context.report("K370", "a void expression has no value to use", node)
    else:
        context.report("K345", f"'{op}' does not take '{type_}'", node)
    return None


def _unary_scalar(op: str, operand: Expr, context: Context, node: Node) -> Expr:
    if op == "+":
        return operand
    result = Unary(operand.type, context.span(node), UNARY_OPS[op], operand)
    if isinstance(operand, Constant):
        value = evaluate(result, context.known)
        assert isinstance(value, (int, float))
        return Constant(operand.type, context.span(node), value)
    return result


# the conditional operator


def conditional(context: Context, node: c_ast.TernaryOp) -> Expr | None:
    """6.3.i."""
    condition = rvalue(context, node.cond)
    then, otherwise = rvalue(context, node.iftrue), rvalue(context, node.iffalse)
    if condition is None or then is None or otherwise is None:
        return None
    if isinstance(condition.type.type, VectorType):
        return _vector_select(context, condition, then, otherwise, node)
    if _is_floating(condition.type.type):
        message = f"the condition of '?:' cannot be floating-point: '{condition.type.type}'"
        context.report("K367", message, node.cond, hint="compare it with 0")
        return None
    chosen = truth(context, condition, node.cond, "the condition of '?:'")
    arms = _common_arms(context, then, otherwise, node)
    if chosen is None or arms is None:
        return None
    return Conditional(arms[0].type, context.span(node), chosen, *arms)


def _common_arms(
    context: Context, then: Expr, otherwise: Expr, node: Node
) -> tuple[Expr, Expr] | None:
    """Both arms with one type (C99 6.5.15)."""
    first, second = then.type.type, otherwise.type.type
    kinds = arithmetic_kind(first), arithmetic_kind(second)
    if kinds[0] is not None and kinds[1] is not None:
        common = SCALARS[common_kind(kinds[0], kinds[1])]
        return convert(then, common), convert(otherwise, common)
    if isinstance(first, VectorType) or isinstance(second, VectorType):
        if _meets_vector(first) and _meets_vector(second):
            return vector_operands(context, then, otherwise, node)
    elif isinstance(first, PointerType) or isinstance(second, PointerType):
        return pointers.common_pointers(context, then, otherwise, node)
    elif first == second and isinstance(first, (VoidType, RecordType)):
        return then, otherwise
    incompatible_arms(context, first, second, node)
    return None


def _meets_vector(type_: Type) -> bool:
    return isinstance(type_, VectorType) or arithmetic_kind(type_) is not None


def incompatible_arms(context: Context, first: Type, second: Type, node: Node) -> None:
    """Report the arms of a conditional operator."""
    context.report("K369", f"'?:' does not join '{first}' and '{second}'", node)


def _vector_select(
    context: Context, condition: Expr, then: Expr, otherwise: Expr, node: Node
) -> Expr | None:
    """A vector condition picks lane by lane, on the sign bit."""
    chooser = condition.type.type
    assert isinstance(chooser, VectorType)
    if chooser.element.kind.floating:
        message = f"a vector condition has integer lanes, not '{chooser}'"
        context.report("K367", message, node, hint="compare it with 0")
        return None
    first, second = then.type.type, otherwise.type.type
    if not _meets_vector(first) or not _meets_vector(second):
        incompatible_arms(context, first, second, node)
        return None
    arms = _lane_arms(context, chooser, then, otherwise, node)
    if arms is None:
        return None
    type_ = arms[0].type.type
    assert isinstance(type_, VectorType)
    same_size = type_.element.kind.size_bytes == chooser.element.kind.size_bytes
    if type_.lanes != chooser.lanes or not same_size:
        message = f"a condition '{chooser}' cannot choose lanes of '{type_}'"
        hint = "lanes must agree in number and size"
        context.report("K368", message, node, hint=hint)
        return None
    return VectorSelect(QualType(type_), context.span(node), condition, *arms)


def _lane_arms(
    context: Context, chooser: VectorType, then: Expr, otherwise: Expr, node: Node
) -> tuple[Expr, Expr] | None:
    first, second = then.type.type, otherwise.type.type
    if isinstance(first, VectorType) or isinstance(second, VectorType):
        return vector_operands(context, then, otherwise, node)
    kinds = arithmetic_kind(first), arithmetic_kind(second)
    assert kinds[0] is not None
    assert kinds[1] is not None
    # No promotion here, so that a char4 may choose between chars.
    kind = wider_kind(kinds[0], kinds[1])
    if kind is ScalarKind.BOOL:
        kind = ScalarKind.CHAR
    target = vector_of(SCALARS[kind], chooser.lanes)
    return splat(convert(then, target.element), target), splat(
        convert(otherwise, target.element), target
    )

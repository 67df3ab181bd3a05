"""Expressions of launch sizes and arguments: the tree, its text form and its exact evaluation.

Whole numbers are exact and `/` of whole numbers is an exact fraction, so `ceil(n / 256)` is right
for every n. `//` and `%` round down as in Python; a comparison is 1 or 0. A tree comes from
:mod:`kcc.base.launch_language`; its nodes compare by content and not by place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from enum import Enum
from fractions import Fraction
from typing import NoReturn, TypeAlias, assert_never

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.base.records import dataclass

MAX_BITS = 1024
"""Numerators and denominators stay below 2**1024, where the range of a double ends."""

NOWHERE = Span("", 0)
"""The place of an expression that was not read from a text."""

Value: TypeAlias = int | Fraction | float
"""A value: a fraction is never whole, a float never infinite or NaN."""


class Operator(Enum):
    """The binary operators, as written."""

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    FLOOR_DIVIDE = "//"
    REMAINDER = "%"
    POWER = "**"
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="
    EQUAL = "=="
    NOT_EQUAL = "!="


class Function(Enum):
    """The functions, as written."""

    MIN = "min"
    MAX = "max"
    CEIL = "ceil"
    FLOOR = "floor"
    ROUNDUP = "roundup"
    LOG2 = "log2"


@dataclass(frozen=True, slots=True)
class Number:
    """A literal: not negative, and not a fraction (which is a quotient of two literals)."""

    value: int | float
    at: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Name:
    """A free name: a size, a scalar argument or a macro."""

    name: str
    at: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Negation:
    """`-operand`."""

    operand: Expression
    at: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """`left operator right`."""

    operator: Operator
    left: Expression
    right: Expression
    at: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    """`function(arguments)`; the number of arguments fits the function."""

    function: Function
    arguments: tuple[Expression, ...]
    at: Span = field(default=NOWHERE, compare=False, repr=False)


Expression: TypeAlias = Number | Name | Negation | Binary | Call


class _NoValueError(Exception):
    """An operation has no value for these operands; the text says why."""


class _TooLargeError(Exception):
    """A value is beyond :data:`MAX_BITS` or the range of a double."""


def children(expression: Expression) -> tuple[Expression, ...]:
    """The operands of a node, in the order of the text."""
    match expression:
        case Number() | Name():
            return ()
        case Negation(operand):
            return (operand,)
        case Binary(_, left, right):
            return (left, right)
        case Call(_, arguments):
            return arguments
        case _:
            assert_never(expression)


def walk(expression: Expression) -> Iterator[Expression]:
    """All nodes, a node before its operands, in the order of the text."""
    pending = [expression]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(children(node)))


def free_names(expression: Expression) -> frozenset[str]:
    """The names whose values the expression needs."""
    return frozenset(node.name for node in walk(expression) if isinstance(node, Name))


def literal(value: Value, at: Span = NOWHERE) -> Expression:
    """The expression of a value, in the form in which the parser would give it."""
    if value < 0:
        return Negation(literal(-value, at), at)
    if isinstance(value, Fraction):
        numerator, denominator = Number(value.numerator, at), Number(value.denominator, at)
        return Binary(Operator.DIVIDE, numerator, denominator, at)
    return Number(value, at)


# --- text -------------------------------------------------------------------------------------

_SUM, _PRODUCT, _UNARY, _POWER, _ATOM = range(2, 7)
_COMPARISON = 1

_PRECEDENCE: dict[Operator, int] = {
    Operator.ADD: _SUM,
    Operator.SUBTRACT: _SUM,
    Operator.MULTIPLY: _PRODUCT,
    Operator.DIVIDE: _PRODUCT,
    Operator.FLOOR_DIVIDE: _PRODUCT,
    Operator.REMAINDER: _PRODUCT,
    Operator.POWER: _POWER,
    Operator.LESS: _COMPARISON,
    Operator.LESS_EQUAL: _COMPARISON,
    Operator.GREATER: _COMPARISON,
    Operator.GREATER_EQUAL: _COMPARISON,
    Operator.EQUAL: _COMPARISON,
    Operator.NOT_EQUAL: _COMPARISON,
}


def format_expression(expression: Expression) -> str:
    """The text of an expression with no more parentheses than needed; parses to an equal tree."""
    return _text(expression, _COMPARISON)


def _text(expression: Expression, weakest: int) -> str:
    """The text, in parentheses where it binds weaker than ``weakest``."""
    match expression:
        case Number(value):
            text, precedence = repr(value), _ATOM
        case Name(name):
            text, precedence = name, _ATOM
        case Negation(operand):
            text, precedence = "-" + _text(operand, _UNARY), _UNARY
        case Binary(sign, left, right):
            precedence = _PRECEDENCE[sign]
            first, second = _operand_precedences(precedence)
            text = f"{_text(left, first)} {sign.value} {_text(right, second)}"
        case Call(function, arguments):
            inside = ", ".join(_text(argument, _COMPARISON) for argument in arguments)
            text, precedence = f"{function.value}({inside})", _ATOM
        case _:
            assert_never(expression)
    return f"({text})" if precedence < weakest else text


def _operand_precedences(precedence: int) -> tuple[int, int]:
    """How strongly the operands must bind: comparisons do not chain, powers group to the right."""
    if precedence == _COMPARISON:
        return _SUM, _SUM
    if precedence == _POWER:
        return _ATOM, _UNARY
    return precedence, precedence + 1


# --- evaluation -------------------------------------------------------------------------------


def evaluate(expression: Expression, names: Mapping[str, Value]) -> Value:
    """The value of an expression.

    :raises DiagnosticError: K022 for every name without a value, K023 where an operation has no
        value (division by zero, log2 of zero), K024 where a value is too large.
    """
    missing = [n for n in walk(expression) if isinstance(n, Name) and n.name not in names]
    if missing:
        first_uses = {name.name: name for name in reversed(missing)}
        raise DiagnosticError(_no_value(name, names) for name in reversed(first_uses.values()))
    return _evaluate(expression, names)


def simplify(expression: Expression, names: Mapping[str, Value]) -> Expression:
    """The expression with known names and all operations on known values carried out.

    :raises DiagnosticError: as :func:`evaluate`, but for names without a value.
    """
    if free_names(expression) <= names.keys():
        return literal(_evaluate(expression, names), expression.at)
    match expression:
        case Number() | Name():
            return expression
        case Negation(operand, at):
            return Negation(simplify(operand, names), at)
        case Binary(sign, left, right, at):
            return Binary(sign, simplify(left, names), simplify(right, names), at)
        case Call(function, arguments, at):
            return Call(function, tuple(simplify(a, names) for a in arguments), at)
        case _:
            assert_never(expression)


def _no_value(name: Name, names: Mapping[str, Value]) -> Diagnostic:
    from difflib import get_close_matches

    near = get_close_matches(name.name, names, n=1)
    if near:
        hint = f"did you mean '{near[0]}'?"
    elif names:
        hint = "known names: " + ", ".join(sorted(names)[:12])
    else:
        hint = f"give it one with --size {name.name}=... or -D {name.name}=..."
    return Diagnostic("K022", f"'{name.name}' has no value", name.at, hint=hint)


def _evaluate(expression: Expression, names: Mapping[str, Value]) -> Value:
    match expression:
        case Number(value):
            return value
        case Name(name):
            return _carry_out(_same, (names[name],), expression.at)
        case Negation(operand):
            return 0 - _evaluate(operand, names)  # so that -(0.0) is no negative zero
        case Binary(sign, left, right):
            both = (_evaluate(left, names), _evaluate(right, names))
            return _carry_out(_OPERATIONS[sign], both, expression.at)
        case Call(function, arguments):
            values = tuple(_evaluate(argument, names) for argument in arguments)
            return _carry_out(_FUNCTIONS[function].apply, values, expression.at)
        case _:
            assert_never(expression)


def _carry_out(operation: Callable[..., Value], operands: tuple[Value, ...], at: Span) -> Value:
    """The normalised result of one operation; its failures as diagnostics at a place."""
    try:
        return _normalised(operation(*operands))
    except ZeroDivisionError:
        _fail("K023", "division by zero", at)
    except _NoValueError as error:
        _fail("K023", str(error), at)
    except (OverflowError, _TooLargeError):
        _fail("K024", f"this value is too large (the limit is 2**{MAX_BITS})", at)


def _fail(code: str, message: str, at: Span) -> NoReturn:
    raise DiagnosticError([Diagnostic(code, message, at)]) from None


def _normalised(value: Value) -> Value:
    """Whole fractions become ints; what is too large or no number is refused."""
    if isinstance(value, float):
        if math.isnan(value):
            raise _NoValueError("the result is not a number")
        if math.isinf(value):
            raise _TooLargeError
        return value + 0.0  # -0.0 becomes 0.0
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise _TooLargeError
    return int(value) if value.denominator == 1 else value


def _same(value: Value) -> Value:
    return value


def _divide(left: Value, right: Value) -> Value:
    if isinstance(left, float) or isinstance(right, float):
        return left / right
    return Fraction(left) / Fraction(right)


def _power(base: Value, exponent: Value) -> Value:
    """`base ** exponent`: exact for a whole exponent, never larger than the limit on the way."""
    if isinstance(base, float) or not isinstance(exponent, int):
        if base < 0 and exponent != int(exponent):
            raise _NoValueError("a negative number has no power with a fractional exponent")
        return float(base) ** float(exponent)
    larger = max(abs(base.numerator), base.denominator)
    if (larger.bit_length() - 1) * abs(exponent) > MAX_BITS:
        raise _TooLargeError
    return Fraction(base) ** exponent


def _round_up(value: Value, multiple: Value) -> Value:
    if multiple <= 0:
        raise _NoValueError("roundup needs a positive multiple")
    return -(-value // multiple) * multiple


def _log2(value: Value) -> Value:
    """The logarithm to base two: whole for powers of two that are no floats."""
    if value <= 0:
        raise _NoValueError("log2 needs a positive value")
    if isinstance(value, float):
        return math.log2(value)
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if value == Fraction(2) ** exponent:
        return exponent
    return math.log2(value.numerator) - math.log2(value.denominator)


_OPERATIONS: dict[Operator, Callable[[Value, Value], Value]] = {
    Operator.ADD: lambda left, right: left + right,
    Operator.SUBTRACT: lambda left, right: left - right,
    Operator.MULTIPLY: lambda left, right: left * right,
    Operator.DIVIDE: _divide,
    Operator.FLOOR_DIVIDE: lambda left, right: left // right,
    Operator.REMAINDER: lambda left, right: left % right,
    Operator.POWER: _power,
    Operator.LESS: lambda left, right: int(left < right),
    Operator.LESS_EQUAL: lambda left, right: int(left <= right),
    Operator.GREATER: lambda left, right: int(left > right),
    Operator.GREATER_EQUAL: lambda left, right: int(left >= right),
    Operator.EQUAL: lambda left, right: int(left == right),
    Operator.NOT_EQUAL: lambda left, right: int(left != right),
}


@dataclass(frozen=True, slots=True)
class _FunctionRow:
    """How many arguments a function takes (``most`` None: any number), and what it does."""

    least: int
    most: int | None
    apply: Callable[..., Value]


_FUNCTIONS: dict[Function, _FunctionRow] = {
    Function.MIN: _FunctionRow(2, None, min),
    Function.MAX: _FunctionRow(2, None, max),
    Function.CEIL: _FunctionRow(1, 1, math.ceil),
    Function.FLOOR: _FunctionRow(1, 1, math.floor),
    Function.ROUNDUP: _FunctionRow(2, 2, _round_up),
    Function.LOG2: _FunctionRow(1, 1, _log2),
}


def argument_counts(function: Function) -> tuple[int, int | None]:
    """The least and the largest number of arguments (None: any number)."""
    row = _FUNCTIONS[function]
    return row.least, row.most

"""Exact arithmetic of OpenCL's scalar types: wrap-around integers, correctly rounded floats.

A value is an ``int`` for integer kinds and bool, and a ``float`` (always representable in its
kind) for floating kinds. Functions give None where C leaves the result undefined.
"""

from __future__ import annotations

import math
import struct
from fractions import Fraction

from kcc.frontend.tree import BinaryOp
from kcc.frontend.types import ScalarKind

Number = int | float

_FORMATS = {ScalarKind.HALF: "<e", ScalarKind.FLOAT: "<f", ScalarKind.DOUBLE: "<d"}

_PRECISION = {ScalarKind.HALF: 11, ScalarKind.FLOAT: 24, ScalarKind.DOUBLE: 53}
"""Significand bits, the hidden one included (IEEE 754-2008, table 3.5)."""

_MIN_EXPONENT = {ScalarKind.HALF: -24, ScalarKind.FLOAT: -149, ScalarKind.DOUBLE: -1074}
"""Exponent of the smallest subnormal."""


def wrap(kind: ScalarKind, value: int) -> int:
    """An integer reduced to the range of an integer kind (two's complement)."""
    if kind is ScalarKind.BOOL:
        return int(value != 0)
    bits = kind.size_bytes * 8
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind.signed and value >> (bits - 1) else value


def in_range(kind: ScalarKind, value: int) -> bool:
    """Whether an integer kind holds a value."""
    return wrap(kind, value) == value


def round_float(kind: ScalarKind, value: float) -> float:
    """A double rounded to a floating kind, to nearest even; overflow gives an infinity."""
    if kind is ScalarKind.DOUBLE:
        return value
    layout = _FORMATS[kind]
    try:
        return float(struct.unpack(layout, struct.pack(layout, value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def round_fraction(kind: ScalarKind, value: Fraction) -> float:
    """An exact value rounded once to a floating kind, to nearest even."""
    if not value:
        return 0.0
    sign, magnitude = (1.0 if value > 0 else -1.0), abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    last_bit = max(exponent - _PRECISION[kind] + 1, _MIN_EXPONENT[kind])
    units = round(magnitude / Fraction(2) ** last_bit)
    try:
        rounded = math.ldexp(units, last_bit)
    except OverflowError:
        rounded = math.inf
    return sign * round_float(kind, rounded)


def convert_number(value: Number, source: ScalarKind, target: ScalarKind) -> Number | None:
    """A conversion between scalar kinds; None for a float outside the range of an integer."""
    if target is ScalarKind.BOOL:
        return int(value != 0)
    if isinstance(value, int):
        return round_fraction(target, Fraction(value)) if target.floating else wrap(target, value)
    if target.floating:
        return value if target is source else round_float(target, value)
    if not math.isfinite(value):
        return None
    whole = math.trunc(value)
    return whole if in_range(target, whole) else None


def combine(op: BinaryOp, kind: ScalarKind, left: Number, right: Number) -> Number | None:
    """``left op right`` of one kind; comparisons give 0 or 1. None for a division by zero of
    integers (and its overflow), and for an operation that the kind does not have.
    """
    if op.is_comparison:
        return _compare(op, left, right)
    if isinstance(left, int) and isinstance(right, int):
        result = _combine_integers(op, kind, left, right)
        return None if result is None else wrap(kind, result)
    result = _combine_floats(op, float(left), float(right))
    return None if result is None else round_float(kind, result)


def _compare(op: BinaryOp, left: Number, right: Number) -> int:
    match op:
        case BinaryOp.EQ:
            return int(left == right)
        case BinaryOp.NE:
            return int(left != right)
        case BinaryOp.LT:
            return int(left < right)
        case BinaryOp.LE:
            return int(left <= right)
        case BinaryOp.GT:
            return int(left > right)
        case _:
            return int(left >= right)


def _combine_integers(op: BinaryOp, kind: ScalarKind, left: int, right: int) -> int | None:
    match op:
        case BinaryOp.ADD:
            return left + right
        case BinaryOp.SUB:
            return left - right
        case BinaryOp.MUL:
            return left * right
        case BinaryOp.DIV | BinaryOp.REM:
            return _divide(op, kind, left, right)
        case BinaryOp.SHL:
            return left << shift_amount(kind, right)
        case BinaryOp.SHR:
            return left >> shift_amount(kind, right)
        case BinaryOp.AND:
            return left & right
        case BinaryOp.OR:
            return left | right
        case BinaryOp.XOR:
            return left ^ right
        case _:
            return None


def shift_amount(kind: ScalarKind, amount: int) -> int:
    """The low bits of a shift count that matter (OpenCL C 1.2, section 6.3.j)."""
    return amount & (kind.size_bytes * 8 - 1)


def _divide(op: BinaryOp, kind: ScalarKind, left: int, right: int) -> int | None:
    """Division truncates towards zero (C99 6.5.5)."""
    if right == 0:
        return None
    quotient = abs(left) // abs(right)
    if (left < 0) != (right < 0):
        quotient = -quotient
    if not in_range(kind, quotient):
        return None
    return quotient if op is BinaryOp.DIV else left - quotient * right


def _combine_floats(op: BinaryOp, left: float, right: float) -> float | None:
    """In double: rounding the result once more to float or half changes nothing, because double
    has more than twice their precision plus two bits (Figueroa 1995).
    """
    match op:
        case BinaryOp.ADD:
            return left + right
        case BinaryOp.SUB:
            return left - right
        case BinaryOp.MUL:
            return left * right
        case BinaryOp.DIV:
            return _divide_floats(left, right)
        case _:
            return None


def _divide_floats(left: float, right: float) -> float:
    if right:
        return left / right
    if not left or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)

"""Conversions by exact rational arithmetic, as OpenCL C 1.2, section 6.2.3, defines them."""

from __future__ import annotations

import math
from fractions import Fraction

from kcc.frontend.types import ScalarKind

_FORMATS = {2: (11, -14, 15), 4: (24, -126, 127), 8: (53, -1022, 1023)}
"""Bits of the significand, smallest and largest exponent of a normal number, by bytes."""


def convert(
    value: float | Fraction, target: ScalarKind, rounding: str, *, saturate: bool
) -> float | int | None:
    """The value in the target type; None where the specification leaves the result open. A fraction
    is converted to floating types only."""
    if target.floating:
        return _to_float(value, target, rounding or "rte")
    assert not isinstance(value, Fraction)
    return _to_integer(value, target, rounding, saturate=saturate)


def _to_integer(value: float, target: ScalarKind, rounding: str, *, saturate: bool) -> int | None:
    bits = 8 * target.size_bytes
    low = -(1 << (bits - 1)) if target.signed else 0
    high = (1 << (bits - target.signed)) - 1
    if isinstance(value, int):
        if saturate:
            return min(max(value, low), high)
        return (value - low) % (1 << bits) + low
    if math.isnan(value):
        return 0 if saturate else None
    if math.isinf(value):
        return (high if value > 0 else low) if saturate else None
    whole = _round(Fraction(value), rounding or "rtz")
    if saturate:
        return min(max(whole, low), high)
    return whole if low <= whole <= high else None


def _round(value: Fraction, rounding: str) -> int:
    match rounding:
        case "rte":
            return round(value)
        case "rtz":
            return math.trunc(value)
        case "rtp":
            return math.ceil(value)
        case _:
            return math.floor(value)


def _to_float(value: float | Fraction, target: ScalarKind, rounding: str) -> float:
    if isinstance(value, float) and (math.isnan(value) or math.isinf(value) or not value):
        return value
    exact = Fraction(value)
    if not exact:
        return 0.0
    sign = -1 if exact < 0 else 1
    precision, lowest, highest = _FORMATS[target.size_bytes]
    exponent = max(_exponent(abs(exact)), lowest)
    quantum = Fraction(2) ** (exponent - precision + 1)
    rounded = _round(exact / quantum, rounding) * quantum
    limit = Fraction(2) ** (highest + 1)
    if abs(rounded) >= limit:
        inwards = rounding in ("rtz", "rtp" if exact < 0 else "rtn")
        top = limit - Fraction(2) ** (highest - precision + 1)
        return sign * (float(top) if inwards else math.inf)
    return sign * float(abs(rounded))


def _exponent(value: Fraction) -> int:
    """The e with 2**e <= value < 2**(e + 1)."""
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if Fraction(2) ** guess <= value else guess - 1

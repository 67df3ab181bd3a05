"""Values of built-in functions by exact arithmetic on Python's numbers, after OpenCL C 1.2,
sections 6.12.2 to 6.12.12: who is right where the definitions and PoCL differ.

Every function takes the row's arguments as lists of lanes. Where the specification leaves a lane
open it is None.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.types import ScalarKind
from tests.frontend.builtins.conversion_reference import convert
from tests.frontend.builtins.values import DTYPES, Array, Results, kind_of, lanes_of, stored_type

mpmath: Any = import_module("mpmath")  # has no types
Lane = Any
Lanes = Sequence[Any]
T = TypeVar("T")
_OfTwo = Callable[[ScalarKind, float, float], T]
"""An int, a float, or None where the specification leaves the value open."""

INT_MIN, INT_MAX = -(2**31), 2**31 - 1
DIGITS = 400
"""Bits of mpmath's numbers: far more than a double's, so that rounding twice does no harm."""


def by_exact(builtin: ResolvedBuiltin, inputs: Sequence[Array], ours: Results) -> Results:
    """What the function gives for each row; lanes left open are taken from ``ours``."""
    rows = [_row(builtin, [a[i].tolist() for a in inputs]) for i in range(len(inputs[0]))]
    returned = _filled([first for first, _ in rows], ours.returned)
    target = stored_type(builtin)
    if target is None or ours.stored is None:
        return Results(returned, None)
    return Results(returned, _filled([second for _, second in rows], ours.stored))


def _filled(rows: list[list[Lane]], ours: Array) -> Array:
    found = ours.copy()
    for i, row in enumerate(rows):
        for lane, value in enumerate(row):
            if value is not None:
                found[i, lane] = value
    return found


def _row(builtin: ResolvedBuiltin, arguments: list[list[Lane]]) -> tuple[list[Lane], list[Lane]]:
    """Lanes of the result, and of what is stored (empty if nothing is)."""
    name, lanes = builtin.name, lanes_of(builtin.result)
    kind = kind_of(builtin.parameters[0].type)
    if name in WHOLE:
        given = [a[: lanes_of(p.type)] for a, p in zip(arguments, builtin.parameters, strict=True)]
        return WHOLE[name](kind, *given), []
    spread = [a if len(a) > 1 else a * lanes for a in arguments]
    columns = list(zip(*spread, strict=False))[:lanes]
    if name in STORING:
        pairs = [STORING[name](kind, *column) for column in columns]
        return [first for first, _ in pairs], [second for _, second in pairs]
    result = kind_of(builtin.result)
    if name in PREDICATES:
        true = -1 if lanes > 1 else 1
        return [true * PREDICATES[name](kind, *column) for column in columns], []
    if name == "select":
        mask = kind_of(builtin.parameters[2].type)
        return [_selected(mask, column, scalar=lanes == 1) for column in columns], []
    table = REALS if kind.floating else INTEGERS
    return [table[name](result if name == "upsample" else kind, *column) for column in columns], []


def _selected(mask: ScalarKind, column: tuple[Lane, ...], *, scalar: bool) -> Lane:
    """By the mask's highest bit, a scalar one by whether it is zero."""
    first, second, chosen = column
    return second if (bool(chosen) if scalar else _high_bit(mask, [chosen])[0]) else first


def _wrapped(value: int, kind: ScalarKind) -> Lane:
    return convert(value, kind, "", saturate=False)


def _saturated(value: int, kind: ScalarKind) -> Lane:
    return convert(value, kind, "", saturate=True)


def _bits(kind: ScalarKind) -> int:
    return 8 * kind.size_bytes


def _unsigned(value: int, kind: ScalarKind) -> int:
    return value % (1 << _bits(kind))


def _clamped(_: ScalarKind, x: Lane, low: Lane, high: Lane) -> Lane:
    return None if low > high or any(v != v for v in (x, low, high)) else min(max(x, low), high)  # noqa: PLR0124


def _rotated(k: ScalarKind, x: int, n: int) -> Lane:
    bits, value = _bits(k), _unsigned(x, k)
    return _wrapped(value << n % bits | value >> (bits - n % bits), k)


def _in_24(k: ScalarKind, *values: int) -> bool:
    low, high = (-(1 << 23), 1 << 23) if k.signed else (0, 1 << 24)
    return all(low <= v < high for v in values)


def _high(k: ScalarKind, x: int, y: int) -> int:
    return (x * y) >> _bits(k)


_OTHER_INTEGERS: dict[str, Callable[..., Lane]] = {
    "clamp": _clamped,
    "rotate": _rotated,
}
_OF_ONE_INTEGER: dict[str, Callable[[ScalarKind, int], Lane]] = {
    "abs": lambda _, x: abs(x),
    "clz": lambda k, x: _bits(k) - _unsigned(x, k).bit_length(),
    "popcount": lambda k, x: _unsigned(x, k).bit_count(),
    "nan": lambda _, __: math.nan,
}
_OF_TWO_INTEGERS: dict[str, Callable[[ScalarKind, int, int], Lane]] = {
    "abs_diff": lambda _, x, y: abs(x - y),
    "add_sat": lambda k, x, y: _saturated(x + y, k),
    "sub_sat": lambda k, x, y: _saturated(x - y, k),
    "mul_hi": lambda k, x, y: _wrapped(_high(k, x, y), k),
    "mul24": lambda k, x, y: _wrapped(x * y, k) if _in_24(k, x, y) else None,
    "hadd": lambda _, x, y: (x + y) >> 1,
    "rhadd": lambda _, x, y: (x + y + 1) >> 1,
    "max": lambda _, x, y: max(x, y),
    "min": lambda _, x, y: min(x, y),
    "upsample": lambda k, high, low: _wrapped((high << _bits(k) // 2) + low, k),
}
_OF_THREE_INTEGERS: dict[str, Callable[[ScalarKind, int, int, int], Lane]] = {
    "mad_sat": lambda k, x, y, z: _saturated(x * y + z, k),
    "mad_hi": lambda k, x, y, z: _wrapped(_high(k, x, y) + z, k),
    "mad24": lambda k, x, y, z: _wrapped(x * y + z, k) if _in_24(k, x, y) else None,
    "bitselect": lambda _, a, b, c: (a & ~c) | (b & c),
}
INTEGERS: dict[str, Callable[..., Lane]] = {
    **_OTHER_INTEGERS,
    **_OF_ONE_INTEGER,
    **_OF_TWO_INTEGERS,
    **_OF_THREE_INTEGERS,
}


def _rounded(exact: Fraction, kind: ScalarKind, sign: float = 1.0) -> float:
    """The nearest number of the kind; ``sign`` is a zero's."""
    found = convert(exact, kind, "rte", saturate=False)
    return math.copysign(0.0, sign) if not exact else float(found or 0.0 * (1 if exact > 0 else -1))


def _whole(round_: Callable[[Fraction], int]) -> Callable[..., float]:
    def apply(_: ScalarKind, x: float) -> float:
        return math.copysign(float(round_(Fraction(x))), x) if math.isfinite(x) else x

    return apply


def _away(x: Fraction) -> int:
    return math.floor(x + Fraction(1, 2)) if x >= 0 else -math.floor(Fraction(1, 2) - x)


def _fma(k: ScalarKind, x: float, y: float, z: float) -> float:
    if not (math.isfinite(x) and math.isfinite(y)):
        return x * y + z
    if not math.isfinite(z):
        return z
    product, sign = Fraction(x) * Fraction(y), math.copysign(1, x) * math.copysign(1, y)
    both_negative = sign < 0 and math.copysign(1, z) < 0
    return _rounded(
        product + Fraction(z), k, -1.0 if both_negative and not product + Fraction(z) else 1.0
    )


def _sum(k: ScalarKind, x: float, y: float) -> float:
    return _fma(k, 1.0, x, y)


def _fdim(k: ScalarKind, x: float, y: float) -> float:
    if math.isnan(x) or math.isnan(y):
        return math.nan
    return _sum(k, x, -y) if x > y else 0.0


def _number(choose: Callable[[float, float], float]) -> _OfTwo[float]:
    """Of a NaN and a number the number."""
    return lambda _, x, y: y if math.isnan(x) else x if math.isnan(y) else choose(x, y)


def _magnitude(choose: Callable[[float, float], float]) -> Callable[..., float]:
    def apply(k: ScalarKind, x: float, y: float) -> float:
        if not abs(x) < abs(y) and not abs(y) < abs(x):
            return _number(choose)(k, x, y)
        return x if choose(abs(x), abs(y)) == abs(x) else y

    return apply


def _exponent(x: float) -> float:
    if math.isnan(x) or not x:
        return x or -math.inf
    return math.inf if math.isinf(x) else math.frexp(x)[1] - 1


def _ilogb(_: ScalarKind, x: float) -> int:
    if not x:
        return INT_MIN
    return int(_exponent(x)) if math.isfinite(x) else INT_MAX


def _ldexp(k: ScalarKind, x: float, n: int) -> float:
    power = Fraction(2) ** min(max(n, -5000), 5000)
    return _rounded(Fraction(x) * power, k, x) if math.isfinite(x) and x else x


def _next(k: ScalarKind, x: float, y: float) -> float:
    with np.errstate(all="ignore"):
        return y if x == y else float(np.nextafter(DTYPES[k](x), DTYPES[k](y)))


def _real(exact: Any, k: ScalarKind) -> float:
    """A number of mpmath's rounded to the kind."""
    sign, mantissa, exponent, _ = mpmath.mpf(exact)._mpf_
    return _rounded((-1) ** sign * mantissa * Fraction(2) ** exponent, k)


def _sqrt(k: ScalarKind, x: float) -> float:
    if x < 0 or math.isnan(x):
        return math.nan
    with mpmath.workprec(DIGITS):
        return _real(mpmath.sqrt(x), k) if x and math.isfinite(x) else x


def _scaled(factor: Callable[[], Any]) -> Callable[..., float]:
    """The factor in the type, times the argument."""

    def apply(k: ScalarKind, x: float) -> float:
        with mpmath.workprec(DIGITS):
            first = _real(factor(), k)
        if not math.isfinite(x):
            return x
        return _rounded(Fraction(first) * Fraction(x), k, x)

    return apply


def _sign(_: ScalarKind, x: float) -> float:
    return 0.0 if math.isnan(x) else math.copysign(1.0, x) if x else x


def _smoothstep(k: ScalarKind, low: float, high: float, x: float) -> Lane:
    if not low < high:
        return None  # undefined (6.12.4)
    t = min(
        max((Fraction(x) - Fraction(low)) / (Fraction(high) - Fraction(low)), Fraction(0)),
        Fraction(1),
    )
    return _rounded(t * t * (3 - 2 * t), k)


def _mix(k: ScalarKind, x: float, y: float, a: float) -> float:
    return _rounded(Fraction(x) + (Fraction(y) - Fraction(x)) * Fraction(a), k)


def _ordered(compare: Callable[[float, float], bool]) -> _OfTwo[bool]:
    return lambda _, x, y: compare(x, y)


def _patterns(kind: ScalarKind, *values: float) -> list[int]:
    unsigned = np.dtype(f"u{kind.size_bytes}")
    return [int(np.array(v, DTYPES[kind]).view(unsigned)) for v in values]


def _bitselect(k: ScalarKind, *values: float) -> float:
    a, b, c = _patterns(k, *values)
    chosen = np.array((a & ~c) | (b & c), np.dtype(f"u{k.size_bytes}"))
    return float(chosen.view(DTYPES[k]))


def _unless_nan(choose: Callable[[float, float], float]) -> _OfTwo[Lane]:
    return lambda _, x, y: None if math.isnan(x) or math.isnan(y) else choose(x, y)


_OTHER_REALS: dict[str, Callable[..., Lane]] = {
    "ceil": _whole(math.ceil),
    "floor": _whole(math.floor),
    "trunc": _whole(math.trunc),
    "rint": _whole(round),
    "round": _whole(_away),
    "fdim": _fdim,
    "fma": _fma,
    "mad": _fma,
    "fmax": _number(max),
    "fmin": _number(min),
    "maxmag": _magnitude(max),
    "minmag": _magnitude(min),
    "max": _unless_nan(max),
    "min": _unless_nan(min),
    "clamp": _clamped,
    "ilogb": _ilogb,
    "ldexp": _ldexp,
    "nextafter": _next,
    "sqrt": _sqrt,
    "sign": _sign,
    "degrees": _scaled(lambda: 180 / mpmath.pi),
    "radians": _scaled(lambda: mpmath.pi / 180),
    "mix": _mix,
    "smoothstep": _smoothstep,
    "bitselect": _bitselect,
}
_OF_ONE_REAL: dict[str, Callable[[ScalarKind, float], Lane]] = {
    "fabs": lambda _, x: abs(x),
    "logb": lambda _, x: _exponent(x),
}
_OF_TWO_REALS: dict[str, Callable[[ScalarKind, float, float], Lane]] = {
    "copysign": lambda _, x, y: math.copysign(x, y),
    "step": lambda _, edge, x: float(not x < edge),
}
REALS: dict[str, Callable[..., Lane]] = {**_OTHER_REALS, **_OF_ONE_REAL, **_OF_TWO_REALS}

_COMPARISONS: dict[str, Callable[..., bool]] = {
    "isequal": _ordered(operator.eq),
    "isnotequal": _ordered(operator.ne),
    "isgreater": _ordered(operator.gt),
    "isgreaterequal": _ordered(operator.ge),
    "isless": _ordered(operator.lt),
    "islessequal": _ordered(operator.le),
}
_OF_ONE_NUMBER: dict[str, Callable[[ScalarKind, float], bool]] = {
    "isfinite": lambda _, x: math.isfinite(x),
    "isinf": lambda _, x: math.isinf(x),
    "isnan": lambda _, x: math.isnan(x),
    "signbit": lambda _, x: math.copysign(1, x) < 0,
    "isnormal": lambda k, x: float(np.finfo(DTYPES[k]).smallest_normal) <= abs(x) < math.inf,
}
_OF_TWO_NUMBERS: dict[str, Callable[[ScalarKind, float, float], bool]] = {
    "islessgreater": lambda _, x, y: x < y or x > y,
    "isordered": lambda _, x, y: not (math.isnan(x) or math.isnan(y)),
    "isunordered": lambda _, x, y: math.isnan(x) or math.isnan(y),
}
PREDICATES: dict[str, Callable[..., bool]] = {**_COMPARISONS, **_OF_ONE_NUMBER, **_OF_TWO_NUMBERS}


def _fract(k: ScalarKind, x: float) -> tuple[Lane, Lane]:
    if not math.isfinite(x):
        return (x if math.isnan(x) else math.copysign(0.0, x)), x
    below = Fraction(1) - Fraction(float(np.finfo(DTYPES[k]).epsneg))
    rest = Fraction(x) - math.floor(x)
    return min(_rounded(rest, k, x), float(below)), REALS["floor"](k, x)


def _frexp(_: ScalarKind, x: float) -> tuple[Lane, Lane]:
    return math.frexp(x) if math.isfinite(x) else (x, None)


def _modf(_: ScalarKind, x: float) -> tuple[Lane, Lane]:
    if math.isnan(x) or math.isinf(x):
        return (x if math.isnan(x) else math.copysign(0.0, x)), x
    rest, whole = math.modf(x)
    return math.copysign(rest, x), math.copysign(whole, x)


def _remquo(k: ScalarKind, x: float, y: float) -> tuple[Lane, Lane]:
    if math.isnan(x) or math.isnan(y) or math.isinf(x) or not y:
        return math.nan, None
    if math.isinf(y):
        return x, 0
    whole = round(Fraction(x) / Fraction(y))
    rest = _rounded(Fraction(x) - whole * Fraction(y), k, x)
    return rest, abs(whole) % 128 * (-1 if whole < 0 else 1)


def _sincos(k: ScalarKind, x: float) -> tuple[Lane, Lane]:
    with mpmath.workprec(DIGITS):
        return _real(mpmath.sin(x), k), _real(mpmath.cos(x), k)


def _lgamma_r(k: ScalarKind, x: float) -> tuple[Lane, Lane]:
    with mpmath.workprec(DIGITS):
        if x <= 0 and x == math.floor(x):
            return math.inf, None
        gamma = mpmath.gamma(x)
        return _real(mpmath.log(abs(gamma)), k), int(mpmath.sign(gamma))


STORING: dict[str, Callable[..., tuple[Lane, Lane]]] = {
    "fract": _fract, "frexp": _frexp, "modf": _modf, "remquo": _remquo, "sincos": _sincos,
    "lgamma_r": _lgamma_r,
}  # fmt: skip
"""Functions with a second result, which they store."""


def _length(k: ScalarKind, square: Fraction) -> Any:
    with mpmath.workprec(DIGITS):
        return mpmath.sqrt(mpmath.mpf(square.numerator) / square.denominator)


def _dot(x: Sequence[float], y: Sequence[float]) -> Fraction:
    return sum((Fraction(a) * Fraction(b) for a, b in zip(x, y, strict=True)), Fraction())


def _norm(k: ScalarKind, x: Sequence[float]) -> list[Lane]:
    return [_real(_length(k, _dot(x, x)), k)]


def _distance(k: ScalarKind, x: Sequence[float], y: Sequence[float]) -> list[Lane]:
    apart = [Fraction(a) - Fraction(b) for a, b in zip(x, y, strict=True)]
    return [_real(_length(k, sum((d * d for d in apart), Fraction())), k)]


def _normalized(k: ScalarKind, x: Sequence[float]) -> list[Lane]:
    length = _length(k, _dot(x, x))
    with mpmath.workprec(DIGITS):
        return [_real(mpmath.mpf(a) / length, k) if length else a for a in x]


def _cross(k: ScalarKind, x: Sequence[float], y: Sequence[float]) -> list[Lane]:
    a, b = [Fraction(v) for v in x], [Fraction(v) for v in y]
    cyclic = ((1, 2), (2, 0), (0, 1))
    found: list[Lane] = [_rounded(a[i] * b[j] - a[j] * b[i], k) for i, j in cyclic]
    return found + [0.0] * (len(x) == 4)


def _high_bit(kind: ScalarKind, values: Sequence[int]) -> list[bool]:
    return [bool(_unsigned(v, kind) >> (_bits(kind) - 1)) for v in values]


_GEOMETRIC: dict[str, Callable[..., list[Lane]]] = {
    "cross": _cross,
    "length": _norm,
    "fast_length": _norm,
    "distance": _distance,
    "fast_distance": _distance,
    "normalize": _normalized,
    "fast_normalize": _normalized,
}
_OF_ONE_VECTOR: dict[str, Callable[[ScalarKind, Lanes], list[Lane]]] = {
    "all": lambda k, x: [int(all(_high_bit(k, x)))],
    "any": lambda k, x: [int(any(_high_bit(k, x)))],
}
_OF_TWO_VECTORS: dict[str, Callable[[ScalarKind, Lanes, Lanes], list[Lane]]] = {
    "dot": lambda k, x, y: [_rounded(_dot(x, y), k)],
    "shuffle": lambda _, x, mask: [x[m % len(x)] for m in mask],
}
_OF_THREE_VECTORS: dict[str, Callable[[ScalarKind, Lanes, Lanes, Lanes], list[Lane]]] = {
    "shuffle2": lambda _, x, y, mask: [[*x, *y][m % (2 * len(x))] for m in mask],
}
WHOLE: dict[str, Callable[..., list[Lane]]] = {
    **_GEOMETRIC,
    **_OF_ONE_VECTOR,
    **_OF_TWO_VECTORS,
    **_OF_THREE_VECTORS,
}
"""Functions of whole vectors."""

"""Definitions of the geometric functions (OpenCL C 1.2, section 6.12.5).

length, distance and normalize scale by a power of two where a square would leave the range, as
section 7.5.1 asks; the fast_ functions do not. Sums are chains of fused multiply-adds.
"""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.frontend.builtins.emitter import Emitter, bits_of, with_lanes
from kcc.frontend.builtins.lower_float import element_type, fused, through_float
from kcc.frontend.ir.builder import Value, zero
from kcc.frontend.ir.types import FLOAT, scalar_of
from kcc.frontend.types import FLOAT as FLOAT_TYPE


@dataclass(frozen=True, slots=True)
class _Scaling:
    """Powers of two: above ``high`` multiply by ``down``, below ``low`` by ``up``.

    Then the squares of four components that are within a significand of the largest one neither
    overflow nor underflow.
    """

    high: int
    down: int
    low: int
    up: int


_SCALINGS = {32: _Scaling(62, -66, -50, 100), 64: _Scaling(510, -514, -450, 600)}


def _dot(e: Emitter) -> Value:
    if bits_of(e.result) == 16:
        return through_float(e)
    return sum_of_products(e, e.args[0], e.args[1])


def sum_of_products(e: Emitter, x: Value, y: Value) -> Value:
    """The scalar product of two vectors."""
    (first, *rest) = zip(e.lanes(x), e.lanes(y), strict=True)
    total = e.build.binary("fmul", *first)
    for a, b in rest:
        total = fused(e, a, b, total)
    return total


def _cross(e: Emitter) -> Value:
    b = e.build
    x, y = (b.shuffle(a, None, [0, 1, 2]) for a in e.args)
    turned = [b.shuffle(v, None, order) for v in (x, y) for order in ([1, 2, 0], [2, 0, 1])]
    x_once, x_twice, y_once, y_twice = turned
    product = b.binary("fmul", x_twice, y_once)
    result = fused(e, x_once, y_twice, b.negate_float(product))
    if result.type == e.result:
        return result
    return b.shuffle(result, zero(result.type), [0, 1, 2, 3])


def _largest(e: Emitter, x: Value) -> Value:
    """The largest magnitude of the components."""
    first, *rest = e.lanes(e.intrinsic("fabs", x))
    for lane in rest:
        first = e.intrinsic("maxnum", first, lane)
    return first


def _powers(e: Emitter, largest: Value, sign: int) -> Value:
    """The power of two to multiply with before the squares (sign 1) or after the root (-1)."""
    b, s = e.build, _SCALINGS[bits_of(largest.type)]
    large = b.compare("fcmp", "ogt", largest, e.number(largest.type, 2.0**s.high))
    small = b.compare("fcmp", "olt", largest, e.number(largest.type, 2.0**s.low))
    up = b.select(small, e.number(largest.type, 2.0 ** (sign * s.up)), e.number(largest.type, 1.0))
    return b.select(large, e.number(largest.type, 2.0 ** (sign * s.down)), up)


def length_of(e: Emitter, x: Value) -> Value:
    """The Euclidean norm of a float or double vector."""
    if x.type == scalar_of(x.type):
        return e.intrinsic("fabs", x)
    largest = _largest(e, x)
    scaled = e.build.binary("fmul", x, e.splat_to(_powers(e, largest, 1), x.type))
    root = e.intrinsic("sqrt", sum_of_products(e, scaled, scaled))
    return e.build.binary("fmul", root, _powers(e, largest, -1))


def _length(e: Emitter) -> Value:
    return through_float(e) if bits_of(e.result) == 16 else length_of(e, e.args[0])


def _distance(e: Emitter) -> Value:
    if bits_of(e.result) == 16:
        return through_float(e)
    return length_of(e, e.build.binary("fsub", e.args[0], e.args[1]))


def _normalize(e: Emitter) -> Value:
    """X over its length; zero is itself; infinite components count as 1, the others beside as 0."""
    if bits_of(e.result) == 16:
        return through_float(e)
    b, x = e.build, e.args[0]
    largest = _largest(e, x)
    infinity = e.number(x.type, float("inf"))
    infinite = b.compare("fcmp", "oeq", e.intrinsic("fabs", x), infinity)
    unit = e.intrinsic("copysign", e.number(x.type, 1.0), x)
    replaced = b.select(infinite, unit, b.binary("fmul", x, e.number(x.type, 0.0)))
    scaled = b.binary("fmul", x, e.splat_to(_powers(e, largest, 1), x.type))
    unbounded = b.compare("fcmp", "oeq", largest, e.number(largest.type, float("inf")))
    scaled = b.select(unbounded, replaced, scaled)
    square = sum_of_products(e, scaled, scaled)
    inverse = e.call("rsqrt", [element_type(e)], [square])
    result = b.binary("fmul", scaled, e.splat_to(inverse, x.type))
    is_zero = b.compare("fcmp", "oeq", square, e.number(square.type, 0.0))
    return b.select(is_zero, x, result)


def _fast_length(e: Emitter) -> Value:
    square = sum_of_products(e, e.args[0], e.args[0])
    return e.call("half_sqrt", [FLOAT_TYPE], [square])


def _fast_distance(e: Emitter) -> Value:
    difference = e.build.binary("fsub", e.args[0], e.args[1])
    return e.call("half_sqrt", [FLOAT_TYPE], [sum_of_products(e, difference, difference)])


def _fast_normalize(e: Emitter) -> Value:
    """X * half_rsqrt(dot(x, x)); where that square is below the normal numbers, x."""
    b, x = e.build, e.args[0]
    square = sum_of_products(e, x, x)
    inverse = e.call("half_rsqrt", [FLOAT_TYPE], [square])
    result = b.binary("fmul", x, e.splat_to(inverse, with_lanes(FLOAT, x.type)))
    small = b.compare("fcmp", "olt", square, e.number(square.type, 2.0**-126))
    return b.select(small, x, result)


LOWERINGS = {
    "cross": _cross,
    "distance": _distance,
    "dot": _dot,
    "fast_distance": _fast_distance,
    "fast_length": _fast_length,
    "fast_normalize": _fast_normalize,
    "length": _length,
    "normalize": _normalize,
}

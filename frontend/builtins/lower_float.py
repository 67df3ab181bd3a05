"""Definitions of the math and common functions that are simple arithmetic (6.12.2, 6.12.4)."""

from __future__ import annotations

import math
from collections.abc import Callable

from kcc.frontend.builtins.emitter import Emitter, integer_like
from kcc.frontend.builtins.lower_relational import is_infinite, is_nan, is_negative
from kcc.frontend.ir.builder import Value
from kcc.frontend.types import DOUBLE, FLOAT, HALF, ScalarType, VectorType, with_element

_BELOW_ONE = {HALF: 1 - 2.0**-11, FLOAT: 1 - 2.0**-24, DOUBLE: 1 - 2.0**-53}
"""The largest number below one: what fract gives at most."""


def _intrinsic(stem: str) -> Callable[[Emitter], Value]:
    def lower(e: Emitter) -> Value:
        return e.intrinsic(stem, *(e.splat_to(a, e.result) for a in e.args))

    return lower


def fused(e: Emitter, x: Value, y: Value, z: Value) -> Value:
    """X * y + z, rounded once."""
    return e.intrinsic("fma", x, y, z)


def element_type(e: Emitter) -> ScalarType:
    """The element type of the first parameter."""
    return ScalarType(e.kind(0))


def _clamp(e: Emitter) -> Value:
    x, low, high = (e.splat_to(a, e.result) for a in e.args)
    return e.intrinsic("minnum", e.intrinsic("maxnum", x, low), high)


def _degrees(e: Emitter) -> Value:
    return e.build.binary("fmul", e.args[0], e.number(e.result, 180 / math.pi))


def _radians(e: Emitter) -> Value:
    return e.build.binary("fmul", e.args[0], e.number(e.result, math.pi / 180))


def _sign(e: Emitter) -> Value:
    b, x = e.build, e.args[0]
    zero = e.number(x.type, 0.0)
    above = b.select(b.compare("fcmp", "ogt", x, zero), e.number(x.type, 1.0), x)
    either = b.select(b.compare("fcmp", "olt", x, zero), e.number(x.type, -1.0), above)
    return b.select(is_nan(e, x), zero, either)


def _mix(e: Emitter) -> Value:
    x, y, weight = (e.splat_to(a, e.result) for a in e.args)
    return fused(e, e.build.binary("fsub", y, x), weight, x)


def _step(e: Emitter) -> Value:
    edge, x = (e.splat_to(a, e.result) for a in e.args)
    below = e.build.compare("fcmp", "olt", x, edge)
    return e.build.select(below, e.number(e.result, 0.0), e.number(e.result, 1.0))


def _smoothstep(e: Emitter) -> Value:
    """T * t * (3 - 2 t), t the position between the edges clamped to 0..1."""
    b = e.build
    low, high, x = (e.splat_to(a, e.result) for a in e.args)
    zero, one = e.number(e.result, 0.0), e.number(e.result, 1.0)
    t = b.binary("fdiv", b.binary("fsub", x, low), b.binary("fsub", high, low))
    t = e.intrinsic("minnum", e.intrinsic("maxnum", t, zero), one)
    factor = fused(e, e.number(e.result, -2.0), t, e.number(e.result, 3.0))
    return b.binary("fmul", b.binary("fmul", t, t), factor)


def _fdim(e: Emitter) -> Value:
    x, y = e.args
    difference = e.build.binary("fsub", x, y)
    return e.build.select(e.build.compare("fcmp", "ole", x, y), e.number(e.result, 0.0), difference)


def _by_magnitude(predicate: str, tie: str) -> Callable[[Emitter], Value]:
    """Maxmag and minmag: the operand of larger or smaller magnitude, else fmax or fmin."""

    def lower(e: Emitter) -> Value:
        b, (x, y) = e.build, e.args
        of_x, of_y = e.intrinsic("fabs", x), e.intrinsic("fabs", y)
        second = b.select(b.compare("fcmp", predicate, of_y, of_x), y, e.intrinsic(tie, x, y))
        return b.select(b.compare("fcmp", predicate, of_x, of_y), x, second)

    return lower


def _fract(e: Emitter) -> Value:
    """X - floor(x), below one even where the difference rounds up; of infinity, zero."""
    b, (x, pointer) = e.build, e.args
    whole = e.intrinsic("floor", x)
    e.store_result(whole, pointer)
    rest = b.binary("fsub", x, whole)
    limit = e.number(x.type, _BELOW_ONE[element_type(e)])
    rest = b.select(b.compare("fcmp", "ogt", rest, limit), limit, rest)
    zero = e.number(x.type, 0.0)
    return e.intrinsic("copysign", b.select(is_infinite(e, x), zero, rest), _fract_sign(e, x, rest))


def _fract_sign(e: Emitter, x: Value, rest: Value) -> Value:
    """A zero keeps the sign of the operand; everything else is positive."""
    zero = e.number(x.type, 0.0)
    return e.build.select(e.build.compare("fcmp", "ogt", rest, zero), rest, x)


def _modf(e: Emitter) -> Value:
    """The fraction with the sign of the operand; of infinity, zero."""
    b, (x, pointer) = e.build, e.args
    whole = e.intrinsic("trunc", x)
    e.store_result(whole, pointer)
    rest = b.select(is_infinite(e, x), e.number(x.type, 0.0), b.binary("fsub", x, whole))
    return e.intrinsic("copysign", rest, x)


def _sincos(e: Emitter) -> Value:
    type_ = e.builtin.parameters[0].type
    e.store_result(e.call("cos", [type_], [e.args[0]]), e.args[1])
    return e.call("sin", [type_], [e.args[0]])


def _lgamma_r(e: Emitter) -> Value:
    """Gamma is negative below zero where floor(x) is odd, so that half of it is no integer."""
    b, (x, pointer) = e.build, e.args
    whole = e.intrinsic("floor", x)
    half = b.binary("fmul", whole, e.number(x.type, 0.5))
    odd = b.compare("fcmp", "one", e.intrinsic("floor", half), half)
    between = b.compare("fcmp", "one", x, whole)
    minus_zero = b.compare("fcmp", "oeq", x, e.number(x.type, 0.0))
    sign = b.binary("or", b.binary("and", odd, between), minus_zero)
    negative = b.binary("and", is_negative(e, x), sign)
    counts = e.pointee_type(1)
    e.store_result(b.select(negative, e.integer(counts, -1), e.integer(counts, 1)), pointer)
    return e.call("lgamma", [e.builtin.parameters[0].type], [x])


def _remquo(e: Emitter) -> Value:
    """Low seven bits of the quotient, with its sign, from the remainder modulo 128 times y.

    That remainder is exact, at most 64 |y|, and has the same quotient modulo 128; where 128 |y|
    overflows the quotient is below 256 by itself.
    """
    b, (x, y, pointer) = e.build, e.args
    type_ = e.builtin.parameters[0].type
    result = e.call("remainder", [type_, type_], [x, y])
    size_x, size_y = e.intrinsic("fabs", x), e.intrinsic("fabs", y)
    modulus = b.binary("fmul", size_y, e.number(x.type, 128.0))
    near = e.call("remainder", [type_, type_], [size_x, modulus])
    rest = e.call("remainder", [type_, type_], [size_x, size_y])
    quotient = b.binary("fsub", b.binary("fdiv", near, size_y), b.binary("fdiv", rest, size_y))
    counts = e.pointee_type(2)
    whole = e.to_signed(e.intrinsic("rint", quotient), counts)
    low = b.binary("and", whole, e.integer(counts, 127))
    bits = integer_like(x.type)
    signs = b.binary("xor", b.cast("bitcast", x, bits), b.cast("bitcast", y, bits))
    opposite = b.compare("icmp", "slt", signs, e.integer(bits, 0))
    negated = b.binary("sub", e.integer(counts, 0), low)
    e.store_result(b.select(opposite, negated, low), pointer)
    return result


def through_float(e: Emitter) -> Value:
    """A function of halves by that of floats, rounded to half in the end."""
    wide = [
        with_element(p.type, FLOAT) if _is_half(p.type) else p.type for p in e.builtin.parameters
    ]
    values = [
        e.widen_half(a) if _is_half(p.type) else a
        for a, p in zip(e.args, e.builtin.parameters, strict=True)
    ]
    result = e.call(e.builtin.name, wide, values)
    return e.build.cast("fptrunc", result, e.result) if _is_half(e.builtin.result) else result


def _is_half(type_: object) -> bool:
    return type_ == HALF or (isinstance(type_, VectorType) and type_.element == HALF)


LOWERINGS = {
    "ceil": _intrinsic("ceil"),
    "clamp": _clamp,
    "copysign": _intrinsic("copysign"),
    "degrees": _degrees,
    "fabs": _intrinsic("fabs"),
    "fdim": _fdim,
    "floor": _intrinsic("floor"),
    "fma": _intrinsic("fma"),
    "fmax": _intrinsic("maxnum"),
    "fmin": _intrinsic("minnum"),
    "fract": _fract,
    "lgamma_r": _lgamma_r,
    # OpenCL leaves the accuracy of mad open; GPUs have one instruction for both.
    "mad": _intrinsic("fma"),
    "max": _intrinsic("maxnum"),
    "maxmag": _by_magnitude("ogt", "maxnum"),
    "min": _intrinsic("minnum"),
    "minmag": _by_magnitude("olt", "minnum"),
    "mix": _mix,
    "modf": _modf,
    "radians": _radians,
    "remquo": _remquo,
    "rint": _intrinsic("rint"),
    "round": _intrinsic("round"),
    "sign": _sign,
    "sincos": _sincos,
    "smoothstep": _smoothstep,
    "sqrt": _intrinsic("sqrt"),
    "step": _step,
    "trunc": _intrinsic("trunc"),
}

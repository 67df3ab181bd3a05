"""Definitions of the relational functions (OpenCL C 1.2, section 6.12.6)."""

from __future__ import annotations

from collections.abc import Callable

from kcc.frontend.builtins.emitter import Emitter, bits_of, integer_like
from kcc.frontend.ir.builder import Value
from kcc.frontend.ir.types import IntTy, VecTy, scalar_of

_FRACTION_BITS = {16: 10, 32: 23, 64: 52}
"""Stored bits of the significand by width (IEEE 754, table 3.5)."""


def exponent_mask(bits: int) -> int:
    """The exponent field of a floating-point number of the given width, all ones: infinity."""
    return (1 << (bits - 1)) - (1 << _FRACTION_BITS[bits])


def is_infinite(e: Emitter, x: Value) -> Value:
    """i1 by lane."""
    return e.build.compare("fcmp", "oeq", e.intrinsic("fabs", x), e.number(x.type, float("inf")))


def is_nan(e: Emitter, x: Value) -> Value:
    """i1 by lane."""
    return e.build.compare("fcmp", "uno", x, x)


def is_finite(e: Emitter, x: Value) -> Value:
    """i1 by lane."""
    return e.build.compare("fcmp", "olt", e.intrinsic("fabs", x), e.number(x.type, float("inf")))


def is_negative(e: Emitter, x: Value) -> Value:
    """The sign bit of floating-point or integer numbers, i1 by lane."""
    bits = e.build.cast("bitcast", x, integer_like(x.type))
    return e.build.compare("icmp", "slt", bits, e.integer(bits.type, 0))


def _compare(predicate: str) -> Callable[[Emitter], Value]:
    def lower(e: Emitter) -> Value:
        return e.truth(e.build.compare("fcmp", predicate, e.args[0], e.args[1]))

    return lower


def _classify(test: Callable[[Emitter, Value], Value]) -> Callable[[Emitter], Value]:
    def lower(e: Emitter) -> Value:
        return e.truth(test(e, e.args[0]))

    return lower


def _is_normal(e: Emitter, x: Value) -> Value:
    """The exponent field is neither all zeros nor all ones."""
    bits = bits_of(x.type)
    magnitude = e.build.binary(
        "and", e.build.cast("bitcast", x, integer_like(x.type)),
        e.integer(integer_like(x.type), exponent_mask(bits)),
    )  # fmt: skip
    step = 1 << _FRACTION_BITS[bits]
    from_smallest = e.build.binary("sub", magnitude, e.integer(magnitude.type, step))
    span = e.integer(magnitude.type, exponent_mask(bits) - step)
    return e.build.compare("icmp", "ult", from_smallest, span)


def _any(e: Emitter) -> Value:
    return _reduce_signs(e, "or")


def _all(e: Emitter) -> Value:
    return _reduce_signs(e, "and")


def _reduce_signs(e: Emitter, opcode: str) -> Value:
    """Combine the most significant bits of all lanes: of one word, combined first."""
    first, *rest = e.lanes(e.args[0])
    for lane in rest:
        first = e.build.binary(opcode, first, lane)
    return e.build.cast("zext", is_negative(e, first), e.result)


def _bitselect(e: Emitter) -> Value:
    """Bits of the second operand where the third has ones, else of the first."""
    b, integers = e.build, integer_like(e.result)
    x, y, mask = (b.cast("bitcast", a, integers) for a in e.args)
    changed = b.binary("and", b.binary("xor", x, y), mask)
    return b.cast("bitcast", b.binary("xor", x, changed), e.result)


def _select(e: Emitter) -> Value:
    """By the most significant bit in a vector, by being other than zero in a scalar."""
    otherwise, then, condition = e.args
    if isinstance(condition.type, VecTy):
        chosen = is_negative(e, condition)
    else:
        assert isinstance(scalar_of(condition.type), IntTy)
        chosen = e.build.compare("icmp", "ne", condition, e.integer(condition.type, 0))
    return e.build.select(chosen, then, otherwise)


LOWERINGS = {
    "all": _all,
    "any": _any,
    "bitselect": _bitselect,
    "isequal": _compare("oeq"),
    "isfinite": _classify(is_finite),
    "isgreater": _compare("ogt"),
    "isgreaterequal": _compare("oge"),
    "isinf": _classify(is_infinite),
    "isless": _compare("olt"),
    "islessequal": _compare("ole"),
    "islessgreater": _compare("one"),
    "isnan": _classify(is_nan),
    "isnormal": _classify(_is_normal),
    "isnotequal": _compare("une"),
    "isordered": _compare("ord"),
    "isunordered": _compare("uno"),
    "select": _select,
    "signbit": _classify(is_negative),
}

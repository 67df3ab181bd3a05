"""Definitions of the integer functions (OpenCL C 1.2, section 6.12.3)."""

from __future__ import annotations

from kcc.frontend.builtins.emitter import Emitter, bits_of, with_lanes
from kcc.frontend.builtins.table_dot import DOT_PRODUCTS
from kcc.frontend.ir.builder import Value, const_int
from kcc.frontend.ir.types import I1, IntTy, VecTy


def _abs(e: Emitter) -> Value:
    return e.intrinsic("abs", e.args[0], const_int(I1, 0)) if e.signed() else e.args[0]


def _abs_diff(e: Emitter) -> Value:
    return e.build.binary("sub", _maximum(e), _minimum(e))


def _add_sat(e: Emitter) -> Value:
    return e.intrinsic("sadd.sat" if e.signed() else "uadd.sat", *e.args)


def _sub_sat(e: Emitter) -> Value:
    return e.intrinsic("ssub.sat" if e.signed() else "usub.sat", *e.args)


def _clz(e: Emitter) -> Value:
    return e.intrinsic("ctlz", e.args[0], const_int(I1, 0))


def _popcount(e: Emitter) -> Value:
    return e.intrinsic("ctpop", e.args[0])


def _halve(e: Emitter, *, up: bool) -> Value:
    """The mean rounded down, (x & y) + ((x ^ y) >> 1), or up, (x | y) - ((x ^ y) >> 1)."""
    x, y = e.args
    shift = "ashr" if e.signed() else "lshr"
    differing = e.build.binary("xor", x, y)
    half = e.build.binary(shift, differing, e.integer(x.type, 1))
    common = e.build.binary("or" if up else "and", x, y)
    return e.build.binary("sub" if up else "add", common, half)


def _hadd(e: Emitter) -> Value:
    return _halve(e, up=False)


def _rhadd(e: Emitter) -> Value:
    return _halve(e, up=True)


def _maximum(e: Emitter) -> Value:
    return maximum(e, e.args[0], e.splat_to(e.args[1], e.args[0].type), signed=e.signed())


def _minimum(e: Emitter) -> Value:
    return minimum(e, e.args[0], e.splat_to(e.args[1], e.args[0].type), signed=e.signed())


def maximum(e: Emitter, x: Value, y: Value, *, signed: bool) -> Value:
    """The larger of two integers."""
    return e.intrinsic("smax" if signed else "umax", x, y)


def minimum(e: Emitter, x: Value, y: Value, *, signed: bool) -> Value:
    """The smaller of two integers."""
    return e.intrinsic("smin" if signed else "umin", x, y)


def _clamp(e: Emitter) -> Value:
    x, low, high = e.args[0], *(e.splat_to(a, e.args[0].type) for a in e.args[1:])
    return minimum(e, maximum(e, x, low, signed=e.signed()), high, signed=e.signed())


def _rotate(e: Emitter) -> Value:
    x, amount = e.args
    return e.intrinsic("fshl", x, x, amount)


def _mul_hi(e: Emitter) -> Value:
    return multiply_high(e, e.args[0], e.args[1], signed=e.signed())


def multiply_high(e: Emitter, x: Value, y: Value, *, signed: bool) -> Value:
    """The upper half of the product; for 64 bits from products of 32-bit halves."""
    bits = bits_of(x.type)
    if bits == 64:
        return _multiply_high_64(e, x, y, signed=signed)
    wide = with_lanes(IntTy(2 * bits), x.type)
    extend = "sext" if signed else "zext"
    product = e.build.binary("mul", e.build.cast(extend, x, wide), e.build.cast(extend, y, wide))
    high = e.build.binary("lshr", product, e.integer(wide, bits))
    return e.build.cast("trunc", high, x.type)


def _multiply_high_64(e: Emitter, x: Value, y: Value, *, signed: bool) -> Value:
    """Schoolbook multiplication; a signed factor below zero counts 2**64 too much as unsigned."""
    b, type_ = e.build, x.type
    low_mask, shift = e.integer(type_, 0xFFFFFFFF), e.integer(type_, 32)
    x0, x1 = b.binary("and", x, low_mask), b.binary("lshr", x, shift)
    y0, y1 = b.binary("and", y, low_mask), b.binary("lshr", y, shift)
    low = b.binary("lshr", b.binary("mul", x0, y0), shift)
    middle = b.binary("add", b.binary("mul", x1, y0), low)
    carried = b.binary("add", b.binary("mul", x0, y1), b.binary("and", middle, low_mask))
    high = b.binary("add", b.binary("mul", x1, y1), b.binary("lshr", middle, shift))
    high = b.binary("add", high, b.binary("lshr", carried, shift))
    if not signed:
        return high
    sign = e.integer(type_, 63)
    too_much = b.binary("and", b.binary("ashr", x, sign), y)
    high = b.binary("sub", high, too_much)
    return b.binary("sub", high, b.binary("and", b.binary("ashr", y, sign), x))


def _mad_hi(e: Emitter) -> Value:
    return e.build.binary("add", _mul_hi(e), e.args[2])


def _mad_sat(e: Emitter) -> Value:
    return _mad_sat_64(e) if bits_of(e.result) == 64 else _mad_sat_narrow(e)


def _mad_sat_narrow(e: Emitter) -> Value:
    """In twice the width nothing overflows; then saturate."""
    bits, signed = bits_of(e.result), e.signed()
    wide = with_lanes(IntTy(2 * bits), e.result)
    x, y, z = (e.build.cast("sext" if signed else "zext", a, wide) for a in e.args)
    total = e.build.binary("add", e.build.binary("mul", x, y), z)
    if signed:
        total = maximum(e, total, e.integer(wide, -(1 << (bits - 1))), signed=True)
    top = (1 << (bits - signed)) - 1
    return e.build.cast("trunc", minimum(e, total, e.integer(wide, top), signed=signed), e.result)


def _mad_sat_64(e: Emitter) -> Value:
    """The sum in two words of 64 bits: the lower word, and whether the upper one is its sign."""
    b, (x, y, z), type_ = e.build, e.args, e.result
    low = b.binary("add", b.binary("mul", x, y), z)
    carry = b.cast("zext", b.compare("icmp", "ult", low, z), type_)
    high = b.binary("add", _mul_hi(e), carry)
    if not e.signed():
        fits = b.compare("icmp", "eq", high, e.integer(type_, 0))
        return b.select(fits, low, e.integer(type_, -1))
    sign = e.integer(type_, 63)
    high = b.binary("add", high, b.binary("ashr", z, sign))
    fits = b.compare("icmp", "eq", high, b.binary("ashr", low, sign))
    limit = b.binary("xor", b.binary("ashr", high, sign), e.integer(type_, (1 << 63) - 1))
    return b.select(fits, low, limit)


def _mul24(e: Emitter) -> Value:
    """Operands outside 24 bits give an implementation-defined result: here the plain product."""
    return e.build.binary("mul", e.args[0], e.args[1])


def _mad24(e: Emitter) -> Value:
    return e.build.binary("add", _mul24(e), e.args[2])


def _upsample(e: Emitter) -> Value:
    """The first operand above the second."""
    high = e.build.cast("zext", e.args[0], e.result)
    low = e.build.cast("zext", e.args[1], e.result)
    shift = e.integer(e.result, bits_of(e.args[0].type))
    return e.build.binary("or", e.build.binary("shl", high, shift), low)


def _dot(e: Emitter) -> Value:
    """The sum of four products, and with a third operand that is added, saturating
    (cl_khr_integer_dot_product)."""
    packed = "4x8packed" in e.builtin.name
    signs = _packed_signs(e.builtin.name) if packed else (e.signed(0), e.signed(1))
    total = e.integer(e.result, 0)
    columns = [_bytes(e, value, packed=packed) for value in e.args[:2]]
    for pair in zip(*columns, strict=True):
        left, right = (
            e.build.cast("sext" if signed else "zext", value, e.result)
            for value, signed in zip(pair, signs, strict=True)
        )
        total = e.build.binary("add", total, e.build.binary("mul", left, right))
    if len(e.args) == 2:
        return total
    return e.intrinsic("sadd.sat" if any(signs) else "uadd.sat", total, e.args[2])


def _packed_signs(name: str) -> tuple[bool, bool]:
    """From ``..._4x8packed_us_int``."""
    letters = name.partition("packed_")[2]
    return letters[0] == "s", letters[1] == "s"


def _bytes(e: Emitter, value: Value, *, packed: bool) -> list[Value]:
    return e.lanes(e.build.cast("bitcast", value, VecTy(4, IntTy(8))) if packed else value)


LOWERINGS = {
    **dict.fromkeys(DOT_PRODUCTS, _dot),
    "abs": _abs,
    "abs_diff": _abs_diff,
    "add_sat": _add_sat,
    "clamp": _clamp,
    "clz": _clz,
    "hadd": _hadd,
    "mad24": _mad24,
    "mad_hi": _mad_hi,
    "mad_sat": _mad_sat,
    "max": _maximum,
    "min": _minimum,
    "mul24": _mul24,
    "mul_hi": _mul_hi,
    "popcount": _popcount,
    "rhadd": _rhadd,
    "rotate": _rotate,
    "sub_sat": _sub_sat,
    "upsample": _upsample,
}

"""Definitions of convert_T and as_T (OpenCL C 1.2, sections 6.2.3 and 6.2.4).

Conversions to integers saturate whether or not the name ends in ``_sat``: out of range the result
of the others is implementation-defined for a floating-point operand, and GPUs clamp it in the same
instruction; for an integer operand they keep the low bits.
"""

from __future__ import annotations

from kcc.frontend.builtins.emitter import Emitter, bits_of, integer_like, type_suffix, with_lanes
from kcc.frontend.builtins.lower_integer import maximum, minimum
from kcc.frontend.ir.builder import Value, const_int
from kcc.frontend.ir.types import FLOAT, I1, FloatTy, IntTy, IrType, VecTy, scalar_of
from kcc.frontend.types import ScalarKind, element_kind

_TO_INTEGER = {"rte": "rint", "rtp": "ceil", "rtn": "floor"}
"""Roundings to an integral value by intrinsic; towards zero is what the conversion does itself."""

_PRECISION = {16: 11, 32: 24, 64: 53}
"""Bits of the significand by width of a floating-point type (IEEE 754, table 3.5)."""

_HALF_MAX = 65504
"""The largest finite half (IEEE 754, binary16)."""


def convert(e: Emitter) -> Value:
    """convert_T[_sat][_rtX]."""
    rounding = e.builtin.name[-3:] if e.builtin.name[-4:-2] == "_r" else ""
    target = element_kind(e.builtin.result)
    assert target is not None
    source, value = e.kind(0), e.args[0]
    if source.floating and target.floating:
        return convert_float(e, value, e.result, rounding)
    if source.floating:
        return _float_to_integer(e, value, target, rounding)
    if target.floating:
        return _integer_to_float(e, value, source, rounding)
    if "_sat" in e.builtin.name:
        return _saturate(e, value, source, target)
    return e.resize(value, e.result, signed=source.signed)


def reinterpret(e: Emitter) -> Value:
    """as_T: the same bits; a vector of 3 has the size of one of 4, whose last lane is undefined."""
    value, to = e.args[0], e.result
    from_lanes = value.type.lanes if isinstance(value.type, VecTy) else 1
    to_lanes = to.lanes if isinstance(to, VecTy) else 1
    if from_lanes == 3 and to_lanes != 3:
        value = e.build.shuffle(value, None, [0, 1, 2, None])
    if to_lanes == 3 and from_lanes != 3:
        element = scalar_of(to)
        assert isinstance(element, (IntTy, FloatTy))
        whole = e.build.cast("bitcast", value, VecTy(4, element))
        return e.build.shuffle(whole, None, [0, 1, 2])
    return e.build.cast("bitcast", value, to)


def _saturate(e: Emitter, value: Value, source: ScalarKind, target: ScalarKind) -> Value:
    """Clamp to the range of the target as far as the source exceeds it, then resize."""
    low, high = _range(target)
    source_low, source_high = _range(source)
    if source_low < low:
        value = maximum(e, value, e.integer(value.type, low), signed=True)
    if source_high > high:
        value = minimum(e, value, e.integer(value.type, high), signed=source.signed)
    return e.resize(value, e.result, signed=source.signed)


def _range(kind: ScalarKind) -> tuple[int, int]:
    bits = 8 * kind.size_bytes
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if kind.signed else (0, (1 << bits) - 1)


def _float_to_integer(e: Emitter, value: Value, target: ScalarKind, rounding: str) -> Value:
    if rounding in _TO_INTEGER:
        value = e.intrinsic(_TO_INTEGER[rounding], value)
    stem = "fptosi.sat" if target.signed else "fptoui.sat"
    suffix = f"{type_suffix(e.result)}.{type_suffix(value.type)}"
    return e.intrinsic(stem, value, result=e.result, suffix=suffix)


def convert_float(e: Emitter, value: Value, to: IrType, rounding: str) -> Value:
    """Between floating-point types; narrowing with any rounding mode, exactly."""
    if bits_of(value.type) <= bits_of(to):
        return e.build.cast("fpext", value, to)
    far = bits_of(value.type) == 64 and bits_of(to) == 16
    nearest = e.build.cast("fptrunc", _to_odd(e, value) if far else value, to)
    if rounding in ("", "rte"):
        return nearest
    return _step(e, value, nearest, rounding)


def _to_odd(e: Emitter, value: Value) -> Value:
    """Doubles as floats, rounded so that rounding again to half is as if it were done once.

    What is not exact goes to the neighbour with an odd significand (Boldo and Melquiond, IEEE
    Transactions on Computers 57(4), 2008). GPUs and hosts lack a direct instruction.
    """
    b, single = e.build, with_lanes(FLOAT, value.type)
    integers = integer_like(single)
    nearest = b.cast("fptrunc", value, single)
    bits = b.cast("bitcast", _step(e, value, nearest, "rtz"), integers)
    inexact = b.compare("fcmp", "one", b.cast("fpext", nearest, value.type), value)
    odd = b.binary("or", bits, b.cast("zext", inexact, integers))
    return b.cast("bitcast", odd, single)


def _step(e: Emitter, exact: Value, nearest: Value, rounding: str) -> Value:
    """Move the nearest value to its neighbour where it lies on the wrong side of the exact one.

    Neighbours of one sign differ by one in their bits, infinity included.
    """
    b = e.build
    integers = integer_like(nearest.type)
    bits = b.cast("bitcast", nearest, integers)
    back = b.cast("fpext", nearest, exact.type)
    one, zero = e.integer(integers, 1), e.integer(integers, 0)
    inwards = b.binary("sub", bits, one)
    if rounding == "rtz":
        wide, exact = e.intrinsic("fabs", back), e.intrinsic("fabs", exact)
        wrong, moved = b.compare("fcmp", "ogt", wide, exact), inwards
    else:
        outwards = b.binary("add", bits, one)
        negative = b.compare("icmp", "slt", bits, zero)
        up = rounding == "rtp"
        wrong = b.compare("fcmp", "olt" if up else "ogt", back, exact)
        moved = b.select(negative, *((inwards, outwards) if up else (outwards, inwards)))
    return b.cast("bitcast", b.select(wrong, moved, bits), nearest.type)


def _integer_to_float(e: Emitter, value: Value, source: ScalarKind, rounding: str) -> Value:
    width = bits_of(value.type) - source.signed
    fits = width <= _PRECISION[bits_of(e.result)]
    if rounding in ("", "rte") or fits:
        if bits_of(e.result) == 16 and not fits:
            return _integer_to_half(e, value, source)
        return e.build.cast("sitofp" if source.signed else "uitofp", value, e.result)
    return _round_integer(e, value, source, rounding)


def _integer_to_half(e: Emitter, value: Value, source: ScalarKind) -> Value:
    """To nearest in one rounding; what is beyond the halves is clamped first, where floats are
    exact.
    """
    limit = 1 << 17
    if bits_of(value.type) > 18:
        value = minimum(e, value, e.integer(value.type, limit), signed=source.signed)
        if source.signed:
            value = maximum(e, value, e.integer(value.type, -limit), signed=True)
    single = with_lanes(FLOAT, value.type)
    exact = e.build.cast("sitofp" if source.signed else "uitofp", value, single)
    return e.build.cast("fptrunc", exact, e.result)


def _round_integer(e: Emitter, value: Value, source: ScalarKind, rounding: str) -> Value:
    """Directed rounding: shift the excess bits out, round the rest up where asked, scale back."""
    b, type_, bits = e.build, value.type, bits_of(value.type)
    zero, one = e.integer(type_, 0), e.integer(type_, 1)
    negative = b.compare("icmp", "slt", value, zero) if source.signed else None
    magnitude = b.select(negative, b.binary("sub", zero, value), value) if negative else value
    if bits_of(e.result) == 16:
        magnitude = _clamp_to_half(e, magnitude, negative, rounding)
    leading = e.intrinsic("ctlz", magnitude, const_int(I1, 0))
    precision = _PRECISION[bits_of(e.result)]
    excess = b.binary("sub", e.integer(type_, bits - precision), leading)
    excess = maximum(e, excess, zero, signed=True)
    kept = b.binary("lshr", magnitude, excess)
    if rounding != "rtz":
        lost = b.compare("icmp", "ne", b.binary("shl", kept, excess), magnitude)
        upwards = b.binary("add", kept, b.cast("zext", lost, type_))
        if negative:
            kept = b.select(negative, *((kept, upwards) if rounding == "rtp" else (upwards, kept)))
        elif rounding == "rtp":
            kept = upwards
    result = _scaled(e, kept, b.binary("shl", one, excess))
    return b.select(negative, b.negate_float(result), result) if negative else result


def _clamp_to_half(e: Emitter, magnitude: Value, negative: Value | None, rounding: str) -> Value:
    """What is rounded towards zero ends at the largest finite half, not at infinity."""
    limited = minimum(e, magnitude, e.integer(magnitude.type, _HALF_MAX), signed=False)
    if rounding == "rtz" or (negative is None and rounding == "rtn"):
        return limited
    if negative is None:
        return magnitude
    below, above = (limited, magnitude) if rounding == "rtp" else (magnitude, limited)
    return e.build.select(negative, below, above)


def _scaled(e: Emitter, significand: Value, scale: Value) -> Value:
    """Significand * scale, exact but for what is beyond the halves, which becomes infinite."""
    b, half = e.build, bits_of(e.result) == 16
    compute = with_lanes(FLOAT, e.result) if half else e.result
    first, second = (b.cast("uitofp", v, compute) for v in (significand, scale))
    return b.cast("fptrunc", b.binary("fmul", first, second), e.result)

"""Definitions of the math functions that take a number apart (OpenCL C 1.2, section 6.12.2)."""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.frontend.builtins.emitter import Emitter, bits_of, integer_like, with_lanes
from kcc.frontend.builtins.lower_float import through_float
from kcc.frontend.builtins.lower_integer import maximum, minimum
from kcc.frontend.builtins.lower_relational import is_infinite, is_nan
from kcc.frontend.ir.builder import Value
from kcc.frontend.ir.types import I32, IrType

_INT_MAX = (1 << 31) - 1
_INT_MIN = -(1 << 31)


@dataclass(frozen=True, slots=True)
class _Format:
    """A binary format of IEEE 754 (table 3.5): width, stored significand bits, exponent bias."""

    bits: int
    fraction: int
    bias: int

    @property
    def sign(self) -> int:
        return 1 << (self.bits - 1)

    @property
    def infinity(self) -> int:
        return self.sign - (1 << self.fraction)


_FORMATS = {16: _Format(16, 10, 15), 32: _Format(32, 23, 127), 64: _Format(64, 52, 1023)}


@dataclass(frozen=True, slots=True)
class _Parts:
    """Bits of a number scaled to be normal, its exponent (as ``int``), and where that is not so."""

    bits: Value
    exponent: Value
    zero: Value
    special: Value
    """Infinite or not a number."""


def _format(type_: IrType) -> _Format:
    return _FORMATS[bits_of(type_)]


def _take_apart(e: Emitter, x: Value) -> _Parts:
    """The exponent e of x = m * 2**e, 1 <= m < 2, subnormal numbers included."""
    b, f = e.build, _format(x.type)
    integers = integer_like(x.type)
    magnitude = e.intrinsic("fabs", x)
    small = b.compare("fcmp", "olt", magnitude, e.number(x.type, 2.0 ** (1 - f.bias)))
    scaled = b.binary("fmul", x, e.number(x.type, 2.0 ** (f.fraction + 1)))
    bits = b.cast("bitcast", b.select(small, scaled, x), integers)
    field = b.binary("and", bits, e.integer(integers, f.infinity))
    counts = with_lanes(I32, x.type)
    biased = b.binary("lshr", field, e.integer(integers, f.fraction))
    biased = e.resize(biased, counts, signed=False)
    offset = b.select(small, e.integer(counts, f.bias + f.fraction + 1), e.integer(counts, f.bias))
    return _Parts(
        bits,
        b.binary("sub", biased, offset),
        b.compare("fcmp", "oeq", x, e.number(x.type, 0.0)),
        b.binary("or", is_infinite(e, x), is_nan(e, x)),
    )


def _frexp(e: Emitter) -> Value:
    """A significand in 0.5..1 and an exponent; zero, infinity and NaN are their own, with 0."""
    b, (x, pointer) = e.build, e.args
    parts, f = _take_apart(e, x), _format(x.type)
    itself = b.binary("or", parts.zero, parts.special)
    exponent = b.binary("add", parts.exponent, e.integer(parts.exponent.type, 1))
    e.store_result(b.select(itself, e.integer(exponent.type, 0), exponent), pointer)
    rest = b.binary("and", parts.bits, e.integer(parts.bits.type, ~f.infinity))
    half = e.integer(parts.bits.type, (f.bias - 1) << f.fraction)
    significand = b.cast("bitcast", b.binary("or", rest, half), x.type)
    return b.select(itself, x, significand)


def _ilogb(e: Emitter) -> Value:
    """FP_ILOGB0 is INT_MIN, FP_ILOGBNAN and the exponent of infinity are INT_MAX."""
    b, parts = e.build, _take_apart(e, e.args[0])
    exponent = b.select(parts.special, e.integer(e.result, _INT_MAX), parts.exponent)
    return b.select(parts.zero, e.integer(e.result, _INT_MIN), exponent)


def _logb(e: Emitter) -> Value:
    b, x = e.build, e.args[0]
    parts = _take_apart(e, x)
    exponent = b.cast("sitofp", parts.exponent, e.result)
    exponent = b.select(parts.special, b.binary("fmul", x, x), exponent)
    return b.select(parts.zero, e.number(e.result, float("-inf")), exponent)


def _ldexp(e: Emitter) -> Value:
    """Two steps by the largest power (or by one that keeps all bits), then the rest, so that a
    subnormal result is rounded once.
    """
    if bits_of(e.result) == 16:
        return through_float(e)
    b, f = e.build, _format(e.result)
    counts = with_lanes(I32, e.result)
    x, n = e.args[0], e.splat_to(e.args[1], counts)
    top, bottom = f.bias, 1 - f.bias
    keep = bottom + f.fraction + 1
    for _ in range(2):
        large = b.compare("icmp", "sgt", n, e.integer(counts, top))
        small = b.compare("icmp", "slt", n, e.integer(counts, bottom))
        factor = b.select(small, e.number(x.type, 2.0**keep), e.number(x.type, 1.0))
        x = b.binary("fmul", x, b.select(large, e.number(x.type, 2.0**top), factor))
        moved = b.select(small, e.integer(counts, keep), e.integer(counts, 0))
        n = b.binary("sub", n, b.select(large, e.integer(counts, top), moved))
    n = minimum(e, n, e.integer(counts, top), signed=True)
    n = maximum(e, n, e.integer(counts, bottom), signed=True)
    biased = b.binary("add", n, e.integer(counts, f.bias))
    wide = e.resize(biased, integer_like(x.type), signed=False)
    power = b.binary("shl", wide, e.integer(wide.type, f.fraction))
    return b.binary("fmul", x, b.cast("bitcast", power, x.type))


def _nan(e: Emitter) -> Value:
    """A quiet NaN with the given payload."""
    b, f = e.build, _format(e.result)
    payload = b.binary("and", e.args[0], e.integer(e.args[0].type, (1 << (f.fraction - 1)) - 1))
    quiet = e.integer(payload.type, f.infinity | 1 << (f.fraction - 1))
    return b.cast("bitcast", b.binary("or", payload, quiet), e.result)


def _nextafter(e: Emitter) -> Value:
    """One step in the integer order of the bits, away from zero or towards it."""
    b, (x, y) = e.build, e.args
    integers = integer_like(x.type)
    bits, zero = b.cast("bitcast", x, integers), e.number(x.type, 0.0)
    one = e.integer(integers, 1)
    outwards = b.compare(
        "icmp", "eq", b.compare("fcmp", "olt", x, y), b.compare("fcmp", "ogt", x, zero)
    )
    moved = b.select(outwards, b.binary("add", bits, one), b.binary("sub", bits, one))
    sign = b.binary(
        "and", b.cast("bitcast", y, integers), e.integer(integers, _format(x.type).sign)
    )
    moved = b.select(b.compare("fcmp", "oeq", x, zero), b.binary("or", sign, one), moved)
    result = b.select(b.compare("fcmp", "oeq", x, y), y, b.cast("bitcast", moved, x.type))
    return b.select(b.compare("fcmp", "uno", x, y), b.binary("fadd", x, y), result)


LOWERINGS = {
    "frexp": _frexp,
    "ilogb": _ilogb,
    "ldexp": _ldexp,
    "logb": _logb,
    "nan": _nan,
    "nextafter": _nextafter,
}

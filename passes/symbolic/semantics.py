"""Operations on arrays of machine values, one element per work-item.

An integer of n bits is an array of uint64 with values below 2**n, a float one of its own type.
Arrays have one element per row, or a single one that stands for all rows. What happens where C has
undefined behaviour is what kcc's execution does: sums wrap, shift counts are taken modulo the
width, conversions to integers saturate. Division by zero has no value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.frontend.ir.opcodes import FloatPredicate, IntPredicate, Opcode
from kcc.frontend.ir.types import FloatTy
from kcc.passes.symbolic.expr import ScalarTy
from kcc.passes.symbolic.first_hit import iterations

Array = NDArray[Any]
Mask = NDArray[np.bool_]

U64, I64 = np.uint64, np.int64

DTYPES: dict[int, type[np.floating[Any]]] = {16: np.float16, 32: np.float32, 64: np.float64}
PATTERNS: dict[int, type[np.unsignedinteger[Any]]] = {16: np.uint16, 32: np.uint32, 64: np.uint64}


def dtype_of(type_: ScalarTy) -> type[np.generic]:
    """The element type of arrays that hold values of a type."""
    return DTYPES[type_.bits] if isinstance(type_, FloatTy) else U64


def constant(value: int, type_: ScalarTy) -> Array:
    """An array of one element from the fields of a ``Number``."""
    if isinstance(type_, FloatTy):
        return np.array([value], PATTERNS[type_.bits]).view(DTYPES[type_.bits])
    return np.array([value & ((1 << type_.bits) - 1)], U64)


def wrap(values: Array, bits: int) -> Array:
    """The remainder modulo 2**bits."""
    return values if bits == 64 else values & U64((1 << bits) - 1)


def signed(values: Array, bits: int) -> NDArray[np.int64]:
    """The signed reading (of one bit: 0 or -1)."""
    if bits == 64:
        return values.view(I64)
    shift = I64(64 - bits)
    return (values.view(I64) << shift) >> shift


def unsigned(values: NDArray[np.int64], bits: int) -> Array:
    """From the signed reading back."""
    return wrap(values.view(U64), bits)


def combination(parts: Sequence[tuple[Array, int]], start: int, bits: int) -> Array:
    """A sum with coefficients."""
    total = np.array([start & (2**64 - 1)], U64)
    for values, coefficient in parts:
        if coefficient == 1:
            total = total + values
        else:
            total = total + values * U64(coefficient & (2**64 - 1))
    return wrap(total, bits)


def product(factors: Sequence[Array], bits: int) -> Array:
    """A product of integers."""
    total = factors[0]
    for factor in factors[1:]:
        total = total * factor
    return wrap(total, bits)


def _divide(operator: Opcode, bits: int, a: Array, b: Array) -> Array:
    if operator in (Opcode.UDIV, Opcode.UREM):
        safe = np.where(b == 0, U64(1), b)
        return a // safe if operator is Opcode.UDIV else a % safe
    x, y = signed(a, bits), signed(b, bits)
    ax, ay = _magnitude(x), np.where(y == 0, U64(1), _magnitude(y))
    if operator is Opcode.SDIV:
        size = ax // ay
        return wrap(np.where((x < 0) != (y < 0), U64(0) - size, size), bits)
    rest = ax % ay
    return wrap(np.where(x < 0, U64(0) - rest, rest), bits)


def _magnitude(values: NDArray[np.int64]) -> Array:
    return np.where(values < 0, U64(0) - values.view(U64), values.view(U64))


def _shift(operator: Opcode, bits: int, a: Array, b: Array) -> Array:
    count = b & U64(bits - 1) if bits & (bits - 1) == 0 else b % U64(bits)
    match operator:
        case Opcode.SHL:
            return wrap(a << count, bits)
        case Opcode.LSHR:
            return a >> count
        case _:
            return unsigned(signed(a, bits) >> count.view(I64), bits)


def compare(predicate: IntPredicate, bits: int, a: Array, b: Array) -> Mask:
    """Icmp."""
    x, y = (signed(a, bits), signed(b, bits)) if predicate.value[0] == "s" else (a, b)
    match predicate.value[-2:]:
        case "eq":
            return x == y
        case "ne":
            return x != y
        case "gt":
            return x > y
        case "ge":
            return x >= y
        case "lt":
            return x < y
        case _:
            return x <= y


def compare_floats(predicate: FloatPredicate, a: Array, b: Array) -> Mask:
    """Fcmp."""
    unordered: Mask = np.isnan(a) | np.isnan(b)
    match predicate:
        case FloatPredicate.ORD:
            return ~unordered
        case FloatPredicate.UNO:
            return unordered
        case FloatPredicate.TRUE | FloatPredicate.FALSE:
            return np.full(unordered.shape, predicate is FloatPredicate.TRUE)
        case _:
            relation: Mask = {
                "eq": np.equal, "ne": np.not_equal, "gt": np.greater, "ge": np.greater_equal,
                "lt": np.less, "le": np.less_equal,
            }[predicate.value[1:]](a, b)  # fmt: skip
            return relation | unordered if predicate.value[0] == "u" else relation & ~unordered


def _repeated(step: Callable[[Array], Array], start: Array, times: Array) -> Array:
    """``step`` done so often; what 64 steps have not changed to a rest stays."""
    value, count = start, np.minimum(times, U64(64))
    for k in range(int(count.max(initial=0))):
        value = np.where(U64(k) < count, step(value), value)
    return value


def _power(bits: int, base: Array, exponent: Array) -> Array:
    result, square, left = np.array([1], U64), base, exponent
    while left.any():
        result = np.where(left & U64(1) != 0, result * square, result)
        square = square * square
        left = left >> U64(1)
    return wrap(result, bits)


def _choose(k: Array) -> Array:
    odd = k & U64(1) != 0
    half = k >> U64(1)
    return np.where(odd, k * half, half * (k - U64(1)))


def _extreme(name: str, bits: int, a: Array, b: Array) -> Array:
    if name[0] == "u":
        return np.maximum(a, b) if name == "umax" else np.minimum(a, b)
    x, y = signed(a, bits), signed(b, bits)
    return unsigned(np.maximum(x, y) if name == "smax" else np.minimum(x, y), bits)


def _saturating(name: str, bits: int, a: Array, b: Array) -> Array | None:
    if bits > 32:
        return None
    x, y = (signed(a, bits), signed(b, bits)) if name[0] == "s" else (a.view(I64), b.view(I64))
    exact = x + y if "add" in name else x - y
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if name[0] == "s" else (0, 2**bits - 1)
    return unsigned(np.clip(exact, low, high), bits)


def _funnel(name: str, bits: int, a: Array, b: Array, amount: Array) -> Array:
    count = amount % U64(bits)
    if name == "fshr":
        count = (U64(bits) - count) % U64(bits)
        whole = amount % U64(bits) == 0
    else:
        whole = np.zeros(count.shape, np.bool_)
    rest = np.where(count == 0, U64(0), b >> ((U64(bits) - count) % U64(bits)))
    return np.where(whole, b, wrap((a << count) | rest, bits))


def _ones(bits: int, a: Array, name: str) -> Array:
    match name:
        case "ctpop":
            return np.bitwise_count(a).astype(U64)
        case "cttz":
            low = a & (U64(0) - a)
            return np.where(a == 0, U64(bits), np.bitwise_count(low - U64(1)).astype(U64))
        case _:
            filled = a
            for shift in (1, 2, 4, 8, 16, 32):
                filled = filled | (filled >> U64(shift))
            return U64(bits) - np.bitwise_count(filled).astype(U64)


def _reversed(bits: int, a: Array, group: int) -> Array:
    """Groups of so many bits in reverse order."""
    for shift in (1, 2, 4, 8, 16, 32):
        if shift >= group:
            low = U64(((1 << 64) - 1) // ((1 << shift) + 1))
            a = ((a & low) << U64(shift)) | ((a >> U64(shift)) & low)
    return a >> U64(64 - bits)


def _counted(
    predicate: IntPredicate, bits: int, start: Array, step: Array, bound: Array
) -> tuple[Array, Mask]:
    """The operator ``iterations``, and where it has a value.

    As :func:`iterations` for all rows at once, which settles those whose sequence hits on its first
    way round; what is left goes there, each different row once.
    """
    half, last = U64((1 << (bits - 1)) if predicate.value[0] == "s" else 0), U64((1 << bits) - 1)
    begin, edge = wrap(start + half, bits), wrap(bound + half, bits)
    stride = np.minimum(step, wrap(U64(0) - step, bits))
    low, high, possible = _outside(predicate.value[-2:], edge, last)
    near, far = wrap(low - begin, bits), wrap(high - begin, bits)
    at_once = possible & ((near > far) | (near == 0) | ((low == 0) & (high == last)))
    down = stride != step
    near, far = np.where(down, U64(0) - far, near), np.where(down, U64(0) - near, far)
    near, far = wrap(near, bits), wrap(far, bits)
    safe = np.maximum(stride, U64(1))
    count = (near - U64(1)) // safe + U64(1)
    beyond = (safe - near % safe) % safe
    first = (stride != 0) & (beyond <= far - near)
    never = ~possible | (~at_once & (stride == 0))
    counts = np.where(at_once | never, U64(0), count)
    ends = ~never
    left = np.flatnonzero(ends & ~at_once & ~first)
    if left.size:
        rows = [signed(np.broadcast_to(v, ends.shape)[left], bits) for v in (start, step, bound)]
        table, places = np.unique(np.stack(rows), axis=1, return_inverse=True)
        found = [iterations(predicate, bits, *column) for column in table.T.tolist()]
        counts[left] = np.array([k or 0 for k in found], U64)[places.reshape(-1)]
        ends[left] = np.array([k is not None for k in found], np.bool_)[places.reshape(-1)]
    return counts, ends


def _outside(relation: str, edge: Array, last: np.uint64) -> tuple[Array, Array, Mask]:
    """Between which values a relation to ``edge`` does not hold, and where there are any."""
    zero, anywhere = np.zeros_like(edge), np.ones(edge.shape, np.bool_)
    match relation:
        case "lt":
            return edge, zero + last, anywhere
        case "le":
            return edge + U64(1), zero + last, edge != last
        case "gt":
            return zero, edge, anywhere
        case "ge":
            return zero, edge - U64(1), edge != 0
        case "ne":
            return edge, edge, anywhere
        case _:
            return edge + U64(1), edge - U64(1), anywhere


def integer(  # noqa: C901, PLR0911, PLR0912 -- one case per operator
    operator: Opcode | str,
    bits: int,
    operands: Sequence[Array],
    detail: IntPredicate | FloatPredicate | None,
) -> tuple[Array, Mask | None] | None:
    """An operation on integers of ``bits`` bits, and where it has a value (None: everywhere).

    Gives None for an operator that is not one of integers.
    """
    a = operands[0]
    b = operands[1] if len(operands) > 1 else a
    match operator:
        case Opcode.UDIV | Opcode.SDIV | Opcode.UREM | Opcode.SREM:
            return _divide(operator, bits, a, b), b != 0
        case Opcode.SHL | Opcode.LSHR | Opcode.ASHR:
            return _shift(operator, bits, a, b), None
        case Opcode.AND:
            return a & b, None
        case Opcode.OR:
            return a | b, None
        case Opcode.XOR:
            return a ^ b, None
        case Opcode.MUL:
            return wrap(a * b, bits), None
        case "not":
            return a ^ U64(1), None
        case "smax" | "smin" | "umax" | "umin":
            return _extreme(operator, bits, a, b), None
        case "abs":
            return wrap(_magnitude(signed(a, bits)), bits), None
        case "power":
            return _power(bits, a, b), None
        case "choose2":
            return _choose(a), None
        case "divpow":
            return _repeated(lambda v: v // b, a, operands[2]), b != 0
        case "sdivpow":
            return _repeated(lambda v: _divide(Opcode.SDIV, bits, v, b), a, operands[2]), b != 0
        case "ashrmul":
            return _repeated(lambda v: _shift(Opcode.ASHR, bits, v, b), a, operands[2]), None
        case "iterations":
            assert isinstance(detail, IntPredicate)
            return _counted(detail, bits, a, b, operands[2])
        case "sadd.sat" | "ssub.sat" | "uadd.sat" | "usub.sat":
            found = _saturating(operator, bits, a, b)
            return None if found is None else (found, None)
        case "fshl" | "fshr":
            return _funnel(operator, bits, a, b, operands[2]), None
        case "ctpop" | "ctlz" | "cttz":
            return _ones(bits, a, operator), None
        case "bitreverse" | "bswap":
            return _reversed(bits, a, 1 if operator == "bitreverse" else 8), None
        case _:
            return None


def convert(operator: Opcode | str, source: ScalarTy, target: ScalarTy, a: Array) -> Array | None:
    """A conversion; None for an operator that is none."""
    bits = target.bits
    match operator:
        case Opcode.TRUNC:
            return wrap(a, bits)
        case Opcode.ZEXT:
            return a
        case Opcode.SEXT:
            return unsigned(signed(a, source.bits), bits)
        case Opcode.FPTRUNC | Opcode.FPEXT:
            return a.astype(DTYPES[bits])
        case Opcode.UITOFP:
            return a.astype(DTYPES[bits])
        case Opcode.SITOFP:
            return signed(a, source.bits).astype(DTYPES[bits])
        case Opcode.FPTOSI | "fptosi.sat":
            return _to_integer(a, bits, low=-(1 << (bits - 1)), high=(1 << (bits - 1)) - 1)
        case Opcode.FPTOUI | "fptoui.sat":
            return _to_integer(a, bits, low=0, high=(1 << bits) - 1)
        case Opcode.BITCAST if isinstance(target, FloatTy):
            return a.astype(PATTERNS[bits]).view(DTYPES[bits])
        case Opcode.BITCAST:
            return a.view(PATTERNS[bits]).astype(U64)
        case _:
            return None


def _to_integer(a: Array, bits: int, *, low: int, high: int) -> Array:
    """Towards zero, the nearest that fits, and 0 for what is not a number."""
    wide = np.trunc(np.where(np.isnan(a), a.dtype.type(0), a)).astype(np.float64)
    inside = (wide >= float(low)) & (wide <= float(high)) & (wide < 2.0**63)
    result = np.where(inside, wide, 0.0).astype(I64).view(U64)
    if high >= 2**63:
        large = (wide >= 2.0**63) & (wide < 2.0**64)
        result = np.where(large, (np.where(large, wide, 2.0**63) - 2.0**63).astype(U64)
                          + U64(2**63), result)  # fmt: skip
        above = wide >= 2.0**64
    else:
        above = wide >= float(high) if high < 2**53 else wide >= 2.0 ** (bits - 1)
    result = np.where(above, U64(high), result)
    return wrap(np.where(wide < float(low), U64(low & (2**64 - 1)), result), bits)


def floating(  # noqa: C901, PLR0911, PLR0912 -- one case per operator
    operator: Opcode | str, type_: FloatTy, operands: Sequence[Array]
) -> Array | None:
    """An operation on floats; None for an operator whose last digit is not the same everywhere."""
    a = operands[0]
    b = operands[1] if len(operands) > 1 else a
    match operator:
        case Opcode.FADD:
            return a + b
        case Opcode.FSUB:
            return a - b
        case Opcode.FMUL:
            return a * b
        case Opcode.FDIV:
            return a / b
        case Opcode.FREM:
            return np.fmod(a, b)
        case Opcode.FNEG:
            return -a
        case "fabs":
            return np.abs(a)
        case "floor":
            return np.floor(a)
        case "ceil":
            return np.ceil(a)
        case "trunc":
            return np.trunc(a)
        case "rint" | "nearbyint" | "roundeven":
            return np.rint(a)
        case "round":
            wide = np.abs(a.astype(np.float64))
            away = np.where(wide < 2.0**52, np.floor(wide + 0.5), wide)
            return np.copysign(away, a).astype(a.dtype)
        case "sqrt":
            return np.sqrt(a)
        case "copysign":
            return np.copysign(a, b)
        case "minnum":
            return np.fmin(a, b)
        case "maxnum":
            return np.fmax(a, b)
        case "minimum":
            return np.minimum(a, b)
        case "maximum":
            return np.maximum(a, b)
        case "fma" | "fmuladd":
            return fused(type_, a, b, operands[2])
        case _:
            return None


_WHOLE = 1 << 24
"""Up to here all integers are floats of 32 bits."""


def exact_where(
    operator: Opcode | str, type_: FloatTy, operands: Sequence[Array]
) -> tuple[Array, Mask] | None:
    """A math function, and where its result is the same on all devices: logarithms of powers of
    two, powers of integers that are small integers; None for the others."""
    if not isinstance(operator, str) or type_.bits < 32 or not operator.endswith("()"):
        return None
    values = [each.astype(np.float64) for each in operands]
    with np.errstate(all="ignore"):
        match operator.removesuffix("()").removeprefix("native_").removeprefix("half_"):
            case "log2":
                fraction, exponent = np.frexp(values[0])
                found, known = exponent - 1.0, fraction == 0.5
            case "exp2":
                found, known = _small_powers(np.array([2.0]), values[0])
            case "pow" | "powr" | "pown":
                found, known = _small_powers(*np.broadcast_arrays(*values))
            case _:
                return None
    return np.where(known, found, 0.0).astype(DTYPES[type_.bits]), known


def _small_powers(base: Array, exponent: Array) -> tuple[Array, Mask]:
    found = np.power(base, exponent)
    whole = (base == np.rint(base)) & (exponent == np.rint(exponent)) & (base > 0)
    return found, whole & (exponent >= 0) & (found < _WHOLE)


def fused(type_: FloatTy, a: Array, b: Array, c: Array) -> Array:
    """``a * b + c`` rounded once.

    Narrow types: the product is exact in double, the sum is rounded to odd there (Boldo and
    Melquiond, "When double rounding is odd", 2005), so that rounding again is right.
    """
    if type_.bits == 64:
        return _fused_double(*np.broadcast_arrays(a, b, c))
    x, y = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
    total = x + y
    part = total - x
    error = (x - (total - part)) + (y - part)
    bits = total.view(U64)
    inexact = np.isfinite(total) & np.isfinite(error) & (error != 0) & (bits & U64(1) == 0)
    towards = np.where((error > 0) == (total > 0), bits + U64(1), bits - U64(1))
    return np.where(inexact, towards, bits).view(np.float64).astype(DTYPES[type_.bits])


def _fused_double(a: Array, b: Array, c: Array) -> Array:
    result = a * b + c
    plain = np.isfinite(a) & np.isfinite(b) & np.isfinite(c)
    for place in np.flatnonzero(plain):
        x, y, z = (Fraction(float(v[place])) for v in (a, b, c))
        exact = x * y + z
        if exact:
            try:
                result[place] = float(exact)
            except OverflowError:
                result[place] = np.inf if exact > 0 else -np.inf
    return result

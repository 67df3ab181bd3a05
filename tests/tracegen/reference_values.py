"""What the operations of the dialect compute, on one work-item's values, plainly.

An integer or pointer is a Python int without sign below 2**bits; a float a Python float that its
type can hold; a vector, array or struct a list. What is undefined reads as zero.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from kcc.frontend.ir.opcodes import FloatPredicate, IntPredicate, Opcode
from kcc.frontend.ir.types import (
    ArrayTy,
    FloatTy,
    IntTy,
    IrType,
    PtrTy,
    StructTy,
    VecTy,
    VoidTy,
    field_offsets,
    size_bytes,
)

Data = Any
"""An int, a float or a list of them."""

_CODES = {16: "<e", 32: "<f", 64: "<d"}
_PRECISION = {16: (11, -24), 32: (24, -149), 64: (53, -1074)}
"""Significant bits, and the exponent of the least number above zero."""


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def wrap(value: int, bits: int) -> int:
    return value & ((1 << bits) - 1)


def float_bits(value: float, bits: int) -> int:
    return int.from_bytes(struct.pack(_CODES[bits], value), "little")


def float_of(pattern: int, bits: int) -> float:
    (value,) = struct.unpack(_CODES[bits], pattern.to_bytes(bits // 8, "little"))
    return value


def narrow(value: float, bits: int) -> float:
    """A double rounded to a float type."""
    if bits == 64 or not math.isfinite(value):
        return value
    result = nearest(Fraction(value), bits)
    return math.copysign(result, value)


def nearest(value: Fraction, bits: int) -> float:
    """The number of a float type next to an exact value, ties to even."""
    if value == 0:
        return 0.0
    digits, lowest = _PRECISION[bits]
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length() - 1
    while size >= Fraction(2) ** (exponent + 1):
        exponent += 1
    step = Fraction(2) ** max(exponent - digits + 1, lowest)
    rounded = round(size / step) * step
    largest = {16: 65504.0, 32: float(np.finfo(np.float32).max), 64: float(np.finfo(float).max)}
    result = math.inf if rounded > Fraction(largest[bits]) else float(rounded)
    return -result if value < 0 else result


def encode(type_: IrType, value: Data) -> bytes:
    """The bytes a value takes in memory."""
    match type_:
        case IntTy(bits):
            return value.to_bytes(-(-bits // 8), "little")
        case PtrTy():
            return value.to_bytes(8, "little")
        case FloatTy(bits):
            return struct.pack(_CODES[bits], value)
        case VecTy(_, element) | ArrayTy(_, element):
            assert element != IntTy(1)
            return b"".join(encode(element, v) for v in value)
        case StructTy(fields):
            data = bytearray(size_bytes(type_))
            for item, place, part in zip(fields, field_offsets(type_), value, strict=True):
                own = encode(item, part)
                data[place : place + len(own)] = own
            return bytes(data)
        case VoidTy():
            raise AssertionError("void in memory")


def decode(type_: IrType, data: bytes) -> Data:
    """A value from its bytes (as many as :func:`stored_bytes` says)."""
    match type_:
        case IntTy(bits):
            return wrap(int.from_bytes(data[: -(-bits // 8)], "little"), bits)
        case PtrTy():
            return int.from_bytes(data[:8], "little")
        case FloatTy(bits):
            return struct.unpack(_CODES[bits], data[: bits // 8])[0]
        case VecTy(count, element) | ArrayTy(count, element):
            step = size_bytes(element)
            return [decode(element, data[i * step :]) for i in range(count)]
        case StructTy(fields):
            places = zip(fields, field_offsets(type_), strict=True)
            return [decode(f, data[o:]) for f, o in places]
        case VoidTy():
            raise AssertionError("void in memory")


def stored_bytes(type_: IrType) -> int:
    """Bytes a load or store of the type touches: of vectors the elements only."""
    match type_:
        case IntTy(bits):
            return -(-bits // 8)
        case VecTy(count, element):
            return count * size_bytes(element)
        case _:
            return size_bytes(type_)


def nothing(type_: IrType) -> Data:
    """Zero of a type."""
    match type_:
        case FloatTy():
            return 0.0
        case VecTy(count, element) | ArrayTy(count, element):
            return [nothing(element) for _ in range(count)]
        case StructTy(fields):
            return [nothing(f) for f in fields]
        case _:
            return 0


def elementwise(type_: IrType, operation: Callable[..., Data], *operands: Data) -> Data:
    """Apply an operation on scalars to scalars or, for a vector type, element by element."""
    if isinstance(type_, VecTy):
        return [operation(*row) for row in zip(*operands, strict=True)]
    return operation(*operands)


def each(type_: IrType, operation: Callable[[Data], Data], value: Data) -> Data:
    """:func:`elementwise` with one operand."""
    return elementwise(type_, operation, value)


def pairwise(type_: IrType, operation: Callable[[Data, Data], Data], a: Data, b: Data) -> Data:
    """:func:`elementwise` with two operands."""
    return elementwise(type_, operation, a, b)


def element_of(type_: IrType) -> IrType:
    return type_.element if isinstance(type_, VecTy) else type_


# arithmetic


def binary(opcode: Opcode, type_: IrType, a: Data, b: Data) -> Data:
    """Binary arithmetic on scalars of ``type_``."""
    if isinstance(type_, FloatTy):
        return _float_binary(opcode, type_.bits, a, b)
    assert isinstance(type_, IntTy)
    return wrap(_integer_binary(opcode, type_.bits, a, b), type_.bits)


def _quotient(a: int, b: int) -> int:
    """Division that drops the fraction."""
    size = abs(a) // abs(b)
    return -size if (a < 0) != (b < 0) else size


_INTEGER_OPERATIONS: dict[Opcode, Callable[[int, int], int]] = {
    Opcode.ADD: lambda a, b: a + b,
    Opcode.SUB: lambda a, b: a - b,
    Opcode.MUL: lambda a, b: a * b,
    Opcode.UDIV: lambda a, b: a // b,
    Opcode.UREM: lambda a, b: a % b,
    Opcode.AND: lambda a, b: a & b,
    Opcode.OR: lambda a, b: a | b,
    Opcode.XOR: lambda a, b: a ^ b,
}


def _integer_binary(opcode: Opcode, bits: int, a: int, b: int) -> int:
    if opcode in _INTEGER_OPERATIONS:
        return _INTEGER_OPERATIONS[opcode](a, b)
    sa, sb = signed(a, bits), signed(b, bits)
    match opcode:
        case Opcode.SDIV:
            return _quotient(sa, sb)
        case Opcode.SREM:
            return sa - sb * _quotient(sa, sb)
        case Opcode.SHL:
            return a << b if b < bits else 0
        case Opcode.LSHR:
            return a >> b if b < bits else 0
        case Opcode.ASHR:
            return sa >> b if b < bits else 0
        case _:
            raise AssertionError(opcode)


def _float_binary(opcode: Opcode, bits: int, a: float, b: float) -> float:
    """A double's result rounded again is the correctly rounded float: 53 >= 2 * 24 + 2."""
    x, y = np.float64(a), np.float64(b)
    with np.errstate(all="ignore"):
        match opcode:
            case Opcode.FADD:
                result = x + y
            case Opcode.FSUB:
                result = x - y
            case Opcode.FMUL:
                result = x * y
            case Opcode.FDIV:
                result = x / y
            case Opcode.FREM:
                result = np.fmod(x, y)
            case _:
                raise AssertionError(opcode)
    return narrow(float(result), bits)


def fma(bits: int, a: float, b: float, c: float) -> float:
    """``a * b + c`` rounded once."""
    if not all(map(math.isfinite, (a, b, c))):
        with np.errstate(all="ignore"):
            return float(np.float64(a) * np.float64(b) + np.float64(c))
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c if a * b == 0 else 0.0
    return nearest(exact, bits)


def compare_integers(predicate: IntPredicate, bits: int, a: int, b: int) -> int:
    if predicate.value[0] == "s":
        a, b = signed(a, bits), signed(b, bits)
    match predicate.value[-2:]:
        case "eq":
            return int(a == b)
        case "ne":
            return int(a != b)
        case "gt":
            return int(a > b)
        case "ge":
            return int(a >= b)
        case "lt":
            return int(a < b)
        case _:
            return int(a <= b)


def compare_floats(predicate: FloatPredicate, a: float, b: float) -> int:
    unordered = math.isnan(a) or math.isnan(b)
    match predicate:
        case FloatPredicate.FALSE:
            return 0
        case FloatPredicate.TRUE:
            return 1
        case FloatPredicate.ORD:
            return int(not unordered)
        case FloatPredicate.UNO:
            return int(unordered)
        case _:
            if unordered:
                return int(predicate.value[0] == "u")
            relations = {"eq": a == b, "ne": a != b, "gt": a > b, "ge": a >= b, "lt": a < b}
            return int(relations.get(predicate.value[1:], a <= b))


def cast(opcode: Opcode, source: IrType, target: IrType, value: Data) -> Data:
    """A conversion of a scalar, bitcast left out."""
    bits = target.bits if isinstance(target, (IntTy, FloatTy)) else 64
    match opcode:
        case Opcode.TRUNC | Opcode.ZEXT | Opcode.PTRTOINT | Opcode.INTTOPTR | Opcode.PTRTOADDR:
            return wrap(value, bits)
        case Opcode.SEXT:
            assert isinstance(source, IntTy)
            return wrap(signed(value, source.bits), bits)
        case Opcode.ADDRSPACECAST:
            return value
        case Opcode.FPTRUNC:
            return narrow(value, bits)
        case Opcode.FPEXT:
            return value
        case Opcode.UITOFP:
            return nearest(Fraction(value), bits)
        case Opcode.SITOFP:
            assert isinstance(source, IntTy)
            return nearest(Fraction(signed(value, source.bits)), bits)
        case Opcode.FPTOUI | Opcode.FPTOSI:
            return wrap(int(value), bits) if math.isfinite(value) else 0
        case _:
            raise AssertionError(opcode)


# intrinsics


def _saturated(value: int, bits: int, *, is_signed: bool) -> int:
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed else (0, (1 << bits) - 1)
    return wrap(min(max(value, low), high), bits)


def _to_integer_saturated(value: float, bits: int, *, is_signed: bool) -> int:
    if math.isnan(value):
        return 0
    if math.isinf(value):
        value = math.copysign(2.0**70, value)
    return _saturated(int(value), bits, is_signed=is_signed)


def _funnel(a: int, b: int, amount: int, bits: int, *, left: bool) -> int:
    both, count = a << bits | b, amount % bits
    return wrap(both >> (bits - count) if left else both >> count, bits)


_FLOAT_INTRINSICS: dict[str, Callable[[float], float]] = {
    "fabs": abs,
    "floor": lambda x: float(np.floor(x)),
    "ceil": lambda x: float(np.ceil(x)),
    "trunc": lambda x: float(np.trunc(x)),
    "rint": lambda x: float(np.rint(x)),
    "nearbyint": lambda x: float(np.rint(x)),
    "roundeven": lambda x: float(np.rint(x)),
    "round": lambda x: math.copysign(float(np.floor(abs(x) + 0.5)), x) if abs(x) < 2**52 else x,
    "canonicalize": lambda x: x,
}

Values = Sequence[int]

_INTEGER_INTRINSICS: dict[str, Callable[[int, Values], int]] = {
    "abs": lambda n, v: abs(signed(v[0], n)),
    "smax": lambda n, v: max(signed(x, n) for x in v),
    "smin": lambda n, v: min(signed(x, n) for x in v),
    "umax": lambda _, v: max(v),
    "umin": lambda _, v: min(v),
    "sadd.sat": lambda n, v: _saturated(signed(v[0], n) + signed(v[1], n), n, is_signed=True),
    "ssub.sat": lambda n, v: _saturated(signed(v[0], n) - signed(v[1], n), n, is_signed=True),
    "uadd.sat": lambda n, v: _saturated(v[0] + v[1], n, is_signed=False),
    "usub.sat": lambda n, v: _saturated(v[0] - v[1], n, is_signed=False),
    "ushl.sat": lambda n, v: _saturated(v[0] << v[1] % n, n, is_signed=False),
    "sshl.sat": lambda n, v: _saturated(signed(v[0], n) << v[1] % n, n, is_signed=True),
    "fshl": lambda n, v: _funnel(v[0], v[1], v[2], n, left=True),
    "fshr": lambda n, v: _funnel(v[0], v[1], v[2], n, left=False),
    "ctpop": lambda _, v: v[0].bit_count(),
    "ctlz": lambda n, v: n - v[0].bit_length(),
    "cttz": lambda n, v: (v[0] & -v[0]).bit_length() - 1 if v[0] else n,
    "bswap": lambda n, v: int.from_bytes(v[0].to_bytes(n // 8, "little"), "big"),
    "bitreverse": lambda n, v: int(f"{v[0]:0{n}b}"[::-1], 2),
}

_OVERFLOWING: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
}

_REDUCTIONS = {
    "add": Opcode.ADD, "mul": Opcode.MUL, "and": Opcode.AND, "or": Opcode.OR, "xor": Opcode.XOR,
    "fadd": Opcode.FADD, "fmul": Opcode.FMUL,
}  # fmt: skip


def intrinsic(name: str, result: IrType, types: list[IrType], operands: list[Data]) -> Data:
    """A call of ``llvm.name.*``; ``name`` has no types at its end."""
    if name.endswith(".with.overflow"):
        return _with_overflow(name, types[0], operands)
    if name.startswith("vector.reduce."):
        return _reduce(name.removeprefix("vector.reduce."), result, types, operands)
    if name == "vector.reverse":
        return operands[0][::-1]
    if name in ("vector.insert", "vector.extract"):
        first = int(operands[-1])
        if name == "vector.insert":
            end = first + len(operands[1])
        else:
            assert isinstance(result, VecTy)
            end = first + result.lanes
        vector = operands[0]
        if name == "vector.extract":
            return vector[first:end]
        return vector[:first] + operands[1] + vector[end:]
    if name in ("expect", "expect.with.probability", "ssa.copy", "arithmetic.fence"):
        return operands[0]
    scalar = element_of(result)
    if name in ("abs", "ctlz", "cttz"):
        types, operands = types[:1], operands[:1]
    if name in ("scmp", "ucmp"):
        source = element_of(types[0])
        assert isinstance(source, IntTy)
        return elementwise(result, _sign_of_difference(name, source.bits, scalar), *operands)
    if name == "is.fpclass":
        flags = operands[1]
        return each(types[0], lambda x: _is_class(x, flags), operands[0])

    def one(*values: Data) -> Data:
        return _scalar_intrinsic(name, scalar, element_of(types[-1]), values)

    return elementwise(result, one, *operands)


def _sign_of_difference(name: str, bits: int, result: IrType) -> Callable[[int, int], int]:
    """-1, 0 or 1 as a number of the result's type."""
    assert isinstance(result, IntTy)
    width = result.bits

    def one(a: int, b: int) -> int:
        if name == "scmp":
            a, b = signed(a, bits), signed(b, bits)
        return wrap((a > b) - (a < b), width)

    return one


def _scalar_intrinsic(name: str, result: IrType, last: IrType, values: tuple[Data, ...]) -> Data:
    assert isinstance(result, (IntTy, FloatTy))
    bits = result.bits
    if name in _INTEGER_INTRINSICS:
        return wrap(_INTEGER_INTRINSICS[name](bits, values), bits)
    if name in _FLOAT_INTRINSICS:
        return _FLOAT_INTRINSICS[name](values[0])
    match name:
        case "fma" | "fmuladd":
            return fma(bits, *values)
        case "sqrt":
            with np.errstate(all="ignore"):
                return narrow(float(np.sqrt(np.float64(values[0]))), bits)
        case "copysign":
            return math.copysign(*values)
        case "minnum" | "minimumnum":
            return float(np.fmin(*values))
        case "maxnum" | "maximumnum":
            return float(np.fmax(*values))
        case "minimum":
            return float(np.minimum(*values))
        case "maximum":
            return float(np.maximum(*values))
        case "fptosi.sat" | "fptoui.sat":
            return _to_integer_saturated(values[0], bits, is_signed=name == "fptosi.sat")
        case "ldexp":
            assert isinstance(last, IntTy)
            power = min(max(signed(values[1], last.bits), -3000), 3000)
            if not math.isfinite(values[0]) or values[0] == 0:
                return values[0]
            return nearest(Fraction(values[0]) * Fraction(2) ** power, bits)
        case _:
            raise AssertionError(f"no intrinsic {name}")


def _with_overflow(name: str, type_: IrType, operands: list[Data]) -> Data:
    kind, scalar = name.split(".", maxsplit=1)[0], element_of(type_)
    assert isinstance(scalar, IntTy)
    bits = scalar.bits

    def one(a: int, b: int) -> tuple[int, int]:
        if kind[0] == "s":
            a, b = signed(a, bits), signed(b, bits)
        exact = _OVERFLOWING[kind[1:]](a, b)
        back = wrap(exact, bits)
        return back, int((signed(back, bits) if kind[0] == "s" else back) != exact)

    pairs = elementwise(type_, one, *operands)
    if isinstance(type_, VecTy):
        return [[p[0] for p in pairs], [p[1] for p in pairs]]
    return list(pairs)


def _reduce(kind: str, result: IrType, types: list[IrType], operands: list[Data]) -> Data:
    values = list(operands[-1])
    if len(operands) == 2:
        values.insert(0, operands[0])
    total = values[0]
    for value in values[1:]:
        if kind in _REDUCTIONS:
            total = binary(_REDUCTIONS[kind], result, total, value)
        else:
            name = {"fmaximum": "maximum", "fminimum": "minimum"}.get(kind, kind)
            name = {"fmax": "maxnum", "fmin": "minnum"}.get(name, name)
            total = _scalar_intrinsic(name, result, types[-1], (total, value))
    return total


def _is_class(value: float, flags: int) -> int:
    """``llvm.is.fpclass``; bit 0 signalling NaN, 1 quiet NaN, 2 -inf, 3 -normal, 4 -subnormal,
    5 -0, 6 +0, 7 +subnormal, 8 +normal, 9 +inf. Subnormals are told for float by size."""
    if math.isnan(value):
        return int(flags & 3 != 0)
    negative = math.copysign(1.0, value) < 0
    if math.isinf(value):
        place = 2 if negative else 9
    elif value == 0:
        place = 5 if negative else 6
    elif abs(value) < 2.0**-126:
        place = 4 if negative else 7
    else:
        place = 3 if negative else 8
    return flags >> place & 1

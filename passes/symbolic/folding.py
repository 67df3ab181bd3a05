"""Integer operations on constants, exactly as the machine does them."""

from __future__ import annotations

from collections.abc import Sequence

from kcc.frontend.ir.opcodes import FloatPredicate, IntPredicate, Opcode
from kcc.frontend.ir.types import IntTy
from kcc.passes.symbolic.first_hit import iterations


def wrap(value: int, bits: int) -> int:
    """The signed reading of a number modulo 2**bits (0 or 1 for one bit)."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if bits > 1 and value >> (bits - 1) else value


def unsigned(value: int, bits: int) -> int:
    """The unsigned reading of a signed one."""
    return value & ((1 << bits) - 1)


def compare(predicate: IntPredicate, bits: int, a: int, b: int) -> bool:
    """Icmp on signed readings."""
    word = predicate.value
    if word[0] == "u":
        a, b = unsigned(a, bits), unsigned(b, bits)
    match word[-2:]:
        case "eq":
            return a == b
        case "ne":
            return a != b
        case "gt":
            return a > b
        case "ge":
            return a >= b
        case "lt":
            return a < b
        case _:
            return a <= b


def fold(
    operator: Opcode | str,
    type_: IntTy,
    source: IntTy,
    values: Sequence[int],
    detail: IntPredicate | FloatPredicate | None,
) -> int | None:
    """The result of an integer operation on signed readings of type ``source``.

    None where it is undefined (division by zero) or the operator is not one of integers.
    """
    bits = source.bits
    if isinstance(detail, IntPredicate) and operator is Opcode.ICMP:
        return int(compare(detail, bits, values[0], values[1]))
    result = _fold(operator, bits, values, detail)
    return None if result is None else wrap(result, type_.bits)


def _fold(  # noqa: C901, PLR0911, PLR0912 -- one case per operator
    operator: Opcode | str,
    bits: int,
    values: Sequence[int],
    detail: IntPredicate | FloatPredicate | None,
) -> int | None:
    a = values[0]
    b = values[1] if len(values) > 1 else 0
    ua, ub = unsigned(a, bits), unsigned(b, bits)
    match operator:
        case Opcode.UDIV:
            return ua // ub if ub else None
        case Opcode.UREM:
            return ua % ub if ub else None
        case Opcode.SDIV:
            return quotient(a, b) if b else None
        case Opcode.SREM:
            return a - b * quotient(a, b) if b else None
        case Opcode.SHL:
            return a << (ub % bits)
        case Opcode.LSHR:
            return ua >> (ub % bits)
        case Opcode.ASHR:
            return a >> (ub % bits)
        case Opcode.AND:
            return a & b
        case Opcode.OR:
            return a | b
        case Opcode.XOR:
            return a ^ b
        case Opcode.TRUNC | Opcode.SEXT:
            return a
        case Opcode.ZEXT:
            return ua
        case Opcode.SELECT:
            return values[1] if a & 1 else values[2]
        case "smax":
            return max(a, b)
        case "smin":
            return min(a, b)
        case "umax":
            return max(ua, ub)
        case "umin":
            return min(ua, ub)
        case "abs":
            return abs(a)
        case "power":
            return pow(a, ub, 1 << bits)
        case "choose2":
            return ua * (ua - 1) // 2
        case "divpow":
            return ua // ub ** min(unsigned(values[2], bits), bits) if ub else None
        case "sdivpow":
            return quotient(a, b ** min(unsigned(values[2], bits), bits)) if b else None
        case "ashrmul":
            return a >> min(b * unsigned(values[2], bits), bits - 1)
        case "iterations":
            assert isinstance(detail, IntPredicate)
            return iterations(detail, bits, a, b, values[2])
        case _:
            return None


def quotient(a: int, b: int) -> int:
    """Division that drops the fraction."""
    size = abs(a) // abs(b)
    return -size if (a < 0) != (b < 0) else size

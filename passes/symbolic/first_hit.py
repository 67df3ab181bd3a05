"""When an arithmetic sequence modulo a power of two first enters an interval.

This gives the trip count of every loop whose counter goes in equal steps and is compared with a
constant value, whatever wraps around.
"""

from __future__ import annotations

from kcc.frontend.ir.opcodes import IntPredicate


def first_hit(start: int, step: int, modulus: int, low: int, high: int) -> int | None:
    """The least k >= 0 with ``low <= (start + k * step) % modulus <= high``, None if there is none.

    ``0 <= low <= high < modulus``. Takes O(log modulus) steps.
    """
    low, high = low - start, high - start
    if high - low + 1 >= modulus:
        return 0
    low %= modulus
    high %= modulus
    if low > high or low == 0:
        return 0
    return _least(step % modulus, modulus, low, high)


def _least(step: int, modulus: int, low: int, high: int) -> int | None:
    """The least k >= 0 with ``low <= k * step % modulus <= high``; 0 < low <= high < modulus.

    If no multiple of ``step`` below ``modulus`` hits, the one that does has gone round j times:
    j is the least with ``low <= k * step - j * modulus <= high`` for some k, which is the same
    question modulo ``step``.
    """
    if step == 0:
        return None
    if 2 * step > modulus:
        step, low, high = modulus - step, modulus - high, modulus - low
    k = -(-low // step)
    if k * step <= high:
        return k
    rounds = _least(-modulus % step, step, low % step, high % step)
    if rounds is None:
        return None
    return -(-(low + modulus * rounds) // step)


def iterations(predicate: IntPredicate, bits: int, start: int, step: int, bound: int) -> int | None:
    """How often ``start + k * step`` (k = 0, 1 ...), modulo 2**bits, stands in the relation to
    ``bound`` before it does not for the first time; None if it always does. Numbers are signed
    readings.
    """
    modulus, half = 1 << bits, 1 << (bits - 1)
    shift = half if predicate.value[0] == "s" else 0
    edge = (bound + shift) % modulus
    match predicate.value[-2:]:
        case "lt":
            outside = (edge, modulus - 1)
        case "le":
            outside = (edge + 1, modulus - 1)
        case "gt":
            outside = (0, edge)
        case "ge":
            outside = (0, edge - 1)
        case "ne":
            outside = (edge, edge)
        case _:
            if (start + shift) % modulus != edge:
                return 0
            return 1 if step % modulus else None
    if outside[0] > outside[1]:
        return None
    return first_hit((start + shift) % modulus, step, modulus, *outside)

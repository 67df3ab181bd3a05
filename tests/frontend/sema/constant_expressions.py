"""Random constant expressions over all scalar types."""

from __future__ import annotations

import random

INTEGERS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong")
FLOATS = ("float", "double")
LITERALS = (
    "0", "1", "7", "100", "255", "-1", "-128", "65535", "2147483647", "3000000000u",
    "0x7fffffffffff",
    "0xffffffffffffffffUL", "1L", "3u", "'a'", "0.5", "1.5f", "3.0", "1e10f", "0.1f", "0.1",
    "1e-40f",
    "123456789.0f", "16777217", "-2.5",
)  # fmt: skip


def expression(rng: random.Random, depth: int) -> str:
    """An expression; integer operators have integer operands, divisors are not zero."""
    if depth == 0:
        return rng.choice(LITERALS)
    match rng.randrange(8):
        case 0:
            return f"({rng.choice((*INTEGERS, *FLOATS))})({bounded(rng, depth - 1)})"
        case 1:
            return (
                f"({expression(rng, depth - 1)} {rng.choice('+-*')} {expression(rng, depth - 1)})"
            )
        case 2:
            op = rng.choice(("<", "<=", ">", ">=", "==", "!=", "&&", "||"))
            return f"({expression(rng, depth - 1)} {op} {expression(rng, depth - 1)})"
        case 3:
            op = rng.choice(("&", "|", "^"))
            return f"({integer(rng, depth - 1)} {op} {integer(rng, depth - 1)})"
        case 4:
            return f"({integer(rng, depth - 1)} {rng.choice(('<<', '>>'))} {rng.randrange(8)})"
        case 5:
            divisor = rng.choice(("3", "7u", "-5", "11L", "2.5f", "0.3"))
            return f"({expression(rng, depth - 1)} / {divisor})"
        case 6:
            return (
                f"({expression(rng, depth - 1)} > 1 ? {expression(rng, depth - 1)}"
                f" : {expression(rng, depth - 1)})"
            )
        case _:
            return f"({rng.choice('-+!')} {expression(rng, depth - 1)})"


def integer(rng: random.Random, depth: int) -> str:
    """An expression of integer type."""
    return f"({rng.choice(INTEGERS)})({bounded(rng, depth)})"


def bounded(rng: random.Random, depth: int) -> str:
    """A number that every type can take: floats outside of an integer's range have no value."""
    return f"(({expression(rng, depth)}) > 0 ? 17.75 : {rng.choice(('3.5f', '0.25'))})"

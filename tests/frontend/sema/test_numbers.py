"""Arithmetic of constants against NumPy's types."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcc.frontend.sema.literals import parse_float
from kcc.frontend.sema.numbers import combine, convert_number, round_float, round_fraction, wrap
from kcc.frontend.tree import BinaryOp
from kcc.frontend.types import ScalarKind

INTEGERS: dict[ScalarKind, type[np.integer]] = {
    ScalarKind.CHAR: np.int8, ScalarKind.UCHAR: np.uint8, ScalarKind.SHORT: np.int16,
    ScalarKind.USHORT: np.uint16, ScalarKind.INT: np.int32, ScalarKind.UINT: np.uint32,
    ScalarKind.LONG: np.int64, ScalarKind.ULONG: np.uint64,
}  # fmt: skip
FLOATS: dict[ScalarKind, type[np.floating]] = {
    ScalarKind.HALF: np.float16, ScalarKind.FLOAT: np.float32, ScalarKind.DOUBLE: np.float64,
}  # fmt: skip

integers = st.sampled_from(list(INTEGERS))
floats = st.sampled_from(list(FLOATS))
wide = st.integers(-(2**63), 2**64 - 1)


def same(left: float, right: float) -> bool:
    """Equal, signs of zero and NaN included."""
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    return left == right and math.copysign(1, left) == math.copysign(1, right)


@given(integers, wide)
def test_wrap(kind: ScalarKind, value: int) -> None:
    expected = np.array(value & (2**64 - 1), np.uint64).astype(INTEGERS[kind])
    assert wrap(kind, value) == int(expected)


@given(floats, st.floats())
def test_round(kind: ScalarKind, value: float) -> None:
    with np.errstate(over="ignore"):
        assert same(round_float(kind, value), float(FLOATS[kind](value)))


@given(floats, wide)
def test_integers_to_floats_round_once(kind: ScalarKind, value: int) -> None:
    dtype = np.uint64 if value >= 0 else np.int64
    with np.errstate(over="ignore"):
        expected = float(np.array(value, dtype).astype(FLOATS[kind]))
    if kind is ScalarKind.HALF:  # NumPy goes through float
        exact = round_fraction(kind, Fraction(value))
        assert exact == math.inf or abs(exact - value) <= abs(expected - value)
    else:
        assert convert_number(value, ScalarKind.LONG, kind) == expected


@given(floats, st.fractions())
def test_nearest_fraction(kind: ScalarKind, value: Fraction) -> None:
    found = round_fraction(kind, value)
    assert math.isinf(found) or found == float(FLOATS[kind](found))
    if math.isinf(found):
        return
    error = abs(Fraction(found) - value)
    for toward in (math.inf, -math.inf):
        with np.errstate(over="ignore"):
            neighbour = float(np.nextafter(FLOATS[kind](found), FLOATS[kind](toward)))
        if math.isfinite(neighbour):
            assert error <= abs(Fraction(neighbour) - value)


@given(integers, st.sampled_from(["ADD", "SUB", "MUL", "XOR"]), wide, wide)
def test_integer_arithmetic(kind: ScalarKind, name: str, left: int, right: int) -> None:
    op = BinaryOp[name]
    a, b = wrap(kind, left), wrap(kind, right)
    with np.errstate(over="ignore"):
        x, y = np.array(a, INTEGERS[kind]), np.array(b, INTEGERS[kind])
        expected = {
            BinaryOp.ADD: x + y, BinaryOp.SUB: x - y, BinaryOp.MUL: x * y, BinaryOp.XOR: x ^ y,
        }[op]  # fmt: skip
    assert combine(op, kind, a, b) == int(expected)


@given(floats, st.sampled_from([BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.DIV]),
       st.floats(width=16), st.floats(width=16))  # fmt: skip
def test_float_arithmetic(kind: ScalarKind, op: BinaryOp, left: float, right: float) -> None:
    with np.errstate(all="ignore"):
        x, y = FLOATS[kind](left), FLOATS[kind](right)
        expected = {
            BinaryOp.ADD: x + y, BinaryOp.SUB: x - y, BinaryOp.MUL: x * y, BinaryOp.DIV: x / y,
        }[op]  # fmt: skip
    found = combine(op, kind, left, right)
    assert found is not None
    assert same(float(found), float(expected))


@pytest.mark.parametrize(
    ("op", "left", "right", "expected"),
    [
        (BinaryOp.DIV, -7, 2, -3),
        (BinaryOp.REM, -7, 2, -1),
        (BinaryOp.REM, 7, -2, 1),
        (BinaryOp.DIV, 1, 0, None),
        (BinaryOp.REM, 1, 0, None),
        (BinaryOp.DIV, -(2**31), -1, None),
        (BinaryOp.SHL, 1, 33, 2),
        (BinaryOp.SHL, 1, -1, -(2**31)),
        (BinaryOp.SHR, -8, 1, -4),
        (BinaryOp.LT, -1, 0, 1),
        (BinaryOp.AND, -1, 6, 6),
        (BinaryOp.OR, 1, 6, 7),
    ],
)
def test_integers(op: BinaryOp, left: int, right: int, expected: int | None) -> None:
    assert combine(op, ScalarKind.INT, left, right) == expected


def test_no_value() -> None:
    assert convert_number(3e9, ScalarKind.DOUBLE, ScalarKind.INT) is None
    assert convert_number(-1.0, ScalarKind.DOUBLE, ScalarKind.UINT) is None
    assert convert_number(math.nan, ScalarKind.FLOAT, ScalarKind.INT) is None
    assert convert_number(math.nan, ScalarKind.FLOAT, ScalarKind.BOOL) == 1
    assert convert_number(-0.9, ScalarKind.FLOAT, ScalarKind.UINT) == 0
    assert combine(BinaryOp.REM, ScalarKind.FLOAT, 1.0, 2.0) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0x1p3", 8.0), ("0x1.8p1", 3.0), ("0x.8p0", 0.5), ("0x0p5", 0.0), ("0x1p5000", math.inf),
        ("0x1p-5000", 0.0), ("0x1.fffffep127", 3.4028234663852886e38), ("0x1.ffffffp127", math.inf),
        ("0x1p-149", 1.401298464324817e-45), ("0x1p-151", 0.0), ("1e39", math.inf), ("1e-60", 0.0),
        ("16777217", 16777216.0), ("0.1", 0.10000000149011612),
        # a little above the middle of two floats: rounding through double would round down
        ("1.00000005960464477539062500001", 1.0000001192092896),
        ("1.000000059604644775390625", 1.0),
    ],
)  # fmt: skip
def test_float_literals(text: str, expected: float) -> None:
    assert parse_float(text, ScalarKind.FLOAT) == expected

"""Conversions against exact rational arithmetic, reinterpretations against the bytes."""

from __future__ import annotations

import math
import random

import numpy as np

from kcc.frontend.builtins.overloads import overloads_of
from kcc.frontend.builtins.resolve import resolve
from kcc.frontend.builtins.rows import ALL_KINDS
from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.types import FLOAT, INT, SHORT, ScalarKind, ScalarType, Type, VectorType
from tests.frontend.builtins.conversion_reference import convert
from tests.frontend.builtins.host_values import by_definition
from tests.frontend.builtins.values import DTYPES, arguments, gentype, kind_of, lanes_of

ROUNDINGS = ("", "_rte", "_rtz", "_rtp", "_rtn")


def conversions(lanes: int) -> list[ResolvedBuiltin]:
    """Every conversion between types of so many lanes."""
    found = list[ResolvedBuiltin]()
    for target in ALL_KINDS:
        for saturation in ("", "_sat")[: 1 if target.floating else 2]:
            for rounding in ROUNDINGS:
                found += overloads_of(f"convert_{gentype(target, lanes)}{saturation}{rounding}")
    return found


def test_there_are_as_many_as_the_specification_says() -> None:
    """11 types to 3 floating and 8 integer types, these with and without _sat, 5 roundings."""
    assert len(conversions(1)) == len(conversions(3)) == 11 * 5 * (3 + 2 * 8)


def test_conversions_are_exact(*, full: bool) -> None:
    """Scalars on many values, a sample of vectors (whose code is the same, lane by lane)."""
    functions = conversions(1)
    if not full:
        functions = random.Random(2).sample(functions, 100)
    functions += random.Random(3).sample(conversions(2) + conversions(3) + conversions(8), 20)
    count = 200
    inputs = [arguments(f, count) for f in functions]
    for function, given, found in zip(
        functions, inputs, by_definition(functions, inputs), strict=True
    ):
        lanes = lanes_of(function.result)
        values = given[0][:, :lanes].ravel().tolist()
        own = found.returned.ravel().tolist()
        wrong = [
            (function.symbol, value, result)
            for value, result in zip(values, own, strict=True)
            if not _is_right(function, value, result)
        ]
        assert wrong == []


def _is_right(function: ResolvedBuiltin, value: float, own: float) -> bool:
    target, name = kind_of(function.result), function.name
    rounding = name[-3:] if name[-4:-2] == "_r" else ""
    expected = convert(value, target, rounding, saturate="_sat" in name)
    if expected is None:
        return True
    if math.isnan(expected):
        return math.isnan(own)
    return own == expected and math.copysign(1, own) == math.copysign(1, expected)


def test_the_reference_by_hand() -> None:
    """Values that follow from the formats alone."""
    cases: list[tuple[float, ScalarKind, str, bool, float]] = [
        (2.5, ScalarKind.INT, "rte", False, 2),
        (-2.5, ScalarKind.INT, "", False, -2),
        (-2.1, ScalarKind.INT, "rtn", False, -3),
        (300.0, ScalarKind.UCHAR, "", True, 255),
        (300, ScalarKind.UCHAR, "", False, 44),
        (-1, ScalarKind.ULONG, "", False, 2**64 - 1),
        (-1, ScalarKind.ULONG, "", True, 0),
        (2**24 + 1, ScalarKind.FLOAT, "", False, 2.0**24),
        (2**24 + 1, ScalarKind.FLOAT, "rtp", False, 2.0**24 + 2),
        (65519.0, ScalarKind.HALF, "", False, 65504.0),
        (65520.0, ScalarKind.HALF, "", False, math.inf),
        (65520.0, ScalarKind.HALF, "rtz", False, 65504.0),
        (1e-8, ScalarKind.HALF, "rtp", False, 2.0**-24),
        (2**64 - 1, ScalarKind.FLOAT, "rtz", False, 2.0**64 - 2.0**40),
    ]
    for value, target, rounding, saturate, expected in cases:
        assert convert(value, target, rounding, saturate=saturate) == expected


def test_the_reference_rounds_as_the_host_does() -> None:
    chance = np.random.default_rng(4)
    values = chance.integers(0, 1 << 63, 3000, np.uint64).view(np.float64)
    for kind in (ScalarKind.FLOAT, ScalarKind.HALF):
        with np.errstate(all="ignore"):
            expected = values.astype(DTYPES[kind]).tolist()
        own = [convert(v, kind, "", saturate=False) for v in values.tolist()]
        assert np.array_equal(np.array(own), np.array(expected), equal_nan=True)


def test_reinterpretation_keeps_the_bytes() -> None:
    pairs: list[tuple[Type, Type]] = [
        (FLOAT, INT),
        (INT, FLOAT),
        (VectorType(FLOAT, 4), VectorType(SHORT, 8)),
        (VectorType(SHORT, 8), VectorType(INT, 4)),
        (VectorType(INT, 3), VectorType(FLOAT, 3)),
        (VectorType(INT, 4), VectorType(FLOAT, 3)),
        (VectorType(INT, 3), VectorType(FLOAT, 4)),
        (VectorType(SHORT, 4), ScalarType(ScalarKind.DOUBLE)),
    ]
    functions = [resolve(f"as_{target}", [source]) for source, target in pairs]
    chosen = [f for f in functions if isinstance(f, ResolvedBuiltin)]
    assert len(chosen) == len(pairs)
    inputs = [arguments(f, 50) for f in chosen]
    for function, given, found in zip(chosen, inputs, by_definition(chosen, inputs), strict=True):
        defined = 3 if "3" in function.symbol else lanes_of(function.result)
        shown = given[0].view(found.returned.dtype)[:, :defined]
        assert shown.tobytes() == found.returned[:, :defined].tobytes()

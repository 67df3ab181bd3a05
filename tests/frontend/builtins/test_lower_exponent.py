"""Taking numbers apart, against Python's and numpy's answers, for all widths."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from kcc.frontend.builtins.resolve import resolve
from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.types import (
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    UINT,
    ULONG,
    USHORT,
    PointerType,
    QualType,
    ScalarType,
    Type,
)
from tests.frontend.builtins.host_values import by_definition
from tests.frontend.builtins.values import Array, arguments, empty

TYPES = [HALF, FLOAT, DOUBLE]
COUNT = 2000


def _function(name: str, *types: Type) -> ResolvedBuiltin:
    found = resolve(name, types)
    assert isinstance(found, ResolvedBuiltin)
    return found


def _run(function: ResolvedBuiltin) -> tuple[list[Array], Array, Any]:
    inputs = arguments(function, COUNT)
    (found,) = by_definition([function], [inputs])
    stored = None if found.stored is None else found.stored[:, 0]
    return [a[:, 0] for a in inputs], found.returned[:, 0], stored


@pytest.mark.parametrize("type_", TYPES)
def test_frexp(type_: ScalarType) -> None:
    (x,), significand, exponent = _run(_function("frexp", type_, PointerType(QualType(INT))))
    expected, powers = np.frexp(x)
    finite = np.isfinite(x)
    assert np.array_equal(significand, expected, equal_nan=True)
    assert np.array_equal(exponent[finite], powers[finite])
    assert not exponent[~finite].any()


@pytest.mark.parametrize("type_", TYPES)
def test_ilogb_and_logb(type_: ScalarType) -> None:
    (x,), exponent, _ = _run(_function("ilogb", type_))
    _, real, _ = _run(_function("logb", type_))
    for value, whole, power in zip(x.tolist(), exponent.tolist(), real.tolist(), strict=True):
        if value == 0:
            assert (whole, power) == (-(2**31), -math.inf)
        elif math.isfinite(value):
            assert whole == power == math.frexp(value)[1] - 1
        else:
            assert whole == 2**31 - 1
            assert math.isnan(power) if math.isnan(value) else power == math.inf


@pytest.mark.parametrize("type_", TYPES)
def test_ldexp(type_: ScalarType) -> None:
    (x, n), result, _ = _run(_function("ldexp", type_, INT))
    with np.errstate(all="ignore"):
        if type_ == HALF:
            expected = np.ldexp(x.astype(np.float64), np.clip(n, -200, 200)).astype(np.float16)
        else:
            expected = np.ldexp(x, n)
    assert np.array_equal(result, expected, equal_nan=True)


@pytest.mark.parametrize("type_", TYPES)
def test_nextafter(type_: ScalarType) -> None:
    (x, y), result, _ = _run(_function("nextafter", type_, type_))
    with np.errstate(all="ignore"):
        expected = np.nextafter(x, y)
    assert np.array_equal(result, expected, equal_nan=True)
    # Of two equal zeros C gives the second, numpy the first for halves.
    numbers = ~np.isnan(expected) & (x != y)
    assert np.array_equal(np.signbit(result)[numbers], np.signbit(expected)[numbers])


@pytest.mark.parametrize(
    ("type_", "quiet"), [(USHORT, 0x7E00), (UINT, 0x7FC00000), (ULONG, 0x7FF8 << 48)]
)
def test_nan_carries_its_payload(type_: ScalarType, quiet: int) -> None:
    function = _function("nan", type_)
    codes = empty(type_, 3)
    codes[:, 0] = [0, 5, 2 ** (8 * type_.kind.size_bytes) - 1]
    (found,) = by_definition([function], [[codes]])
    bits = found.returned[:, 0].view(codes.dtype)
    low = quiet & -quiet
    assert bits.tolist() == [quiet, quiet | 5, quiet | (low - 1)]

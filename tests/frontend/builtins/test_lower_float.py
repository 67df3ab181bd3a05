"""Functions of halves against the same functions of floats, and facts of section 7.5.1."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from kcc.frontend.builtins.resolve import resolve
from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.types import FLOAT, HALF, INT, PointerType, QualType, ScalarType, Type, VectorType
from tests.frontend.builtins.host_values import by_definition
from tests.frontend.builtins.values import Array, arguments, edges, empty

EXACT = (
    "ceil copysign fabs fdim floor fmax fmin maxmag minmag rint round sign sqrt step trunc logb "
    "ilogb isequal isnotequal isgreater isless isfinite isinf isnan isordered signbit max min"
)
"""Their float results, rounded to half, are right: each is exact or, for sqrt and fdim, computed
with more than twice the bits."""


def _function(name: str, *types: Type) -> ResolvedBuiltin:
    found = resolve(name, types)
    assert isinstance(found, ResolvedBuiltin), (name, types)
    return found


def _overload(name: str, element: Type) -> ResolvedBuiltin:
    two = resolve(name, [element, element])
    return two if isinstance(two, ResolvedBuiltin) else _function(name, element)


@pytest.mark.parametrize("name", EXACT.split())
def test_halves_agree_with_floats(name: str) -> None:
    half, single = _overload(name, HALF), _overload(name, FLOAT)
    inputs = arguments(half, 2000)
    wide = [np.ascontiguousarray(a.astype(np.float32)) for a in inputs]
    (own,), (expected,) = by_definition([half], [inputs]), by_definition([single], [wide])
    with np.errstate(over="ignore"):
        rounded = expected.returned.astype(own.returned.dtype)
    kept = np.ones(len(rounded), bool)
    if name in ("max", "min", "sign"):
        kept = ~np.any([np.isnan(a[:, 0]) for a in inputs], axis=0)
    assert np.array_equal(own.returned[kept], rounded[kept], equal_nan=rounded.dtype.kind == "f")


def _apply(name: str, values: list[Any], *types: Type) -> tuple[list[float], list[float]]:
    """Results and stored values of a function of scalars; ``values`` are rows of arguments."""
    function = _function(name, *types)
    columns = list[Array]()
    for position, type_ in enumerate(t for t in types if not isinstance(t, PointerType)):
        column = empty(type_, len(values))
        column[:, 0] = [row[position] for row in values]
        columns.append(column)
    (found,) = by_definition([function], [columns])
    stored: list[float] = [] if found.stored is None else found.stored[:, 0].tolist()
    return found.returned[:, 0].tolist(), stored


@pytest.mark.parametrize("type_", [HALF, FLOAT])
def test_fract_at_its_edges(type_: ScalarType) -> None:
    """Section 7.5.1: below one always, and zeros and infinities keep their sign."""
    tiny = -(2.0**-24)
    rows = [(x,) for x in (-0.0, 0.0, math.inf, -math.inf, tiny, -1.5, 2.25)]
    result, whole = _apply("fract", rows, type_, PointerType(QualType(type_)))
    below = {HALF: 1 - 2.0**-11, FLOAT: 1 - 2.0**-24}[type_]
    assert result == [0, 0, 0, 0, below, 0.5, 0.25]
    assert [math.copysign(1, r) for r in result[:4]] == [-1, 1, 1, -1]
    assert whole == [0, 0, math.inf, -math.inf, -1, -2, 2]


def test_modf_at_its_edges() -> None:
    rows = [(x,) for x in (-0.0, math.inf, -math.inf, -1.5)]
    result, whole = _apply("modf", rows, FLOAT, PointerType(QualType(FLOAT)))
    assert result == [0, 0, 0, -0.5]
    assert [math.copysign(1, r) for r in result] == [-1, 1, -1, -1]
    assert whole == [0, math.inf, -math.inf, -1]


def test_remquo_against_exact_arithmetic() -> None:
    """The remainder, and the low seven bits of the quotient with its sign."""
    from fractions import Fraction

    chance = np.random.default_rng(8)
    rows = [
        (float(x), float(y))
        for x, y in (chance.normal(size=(500, 2)) * [1000, 3]).astype(np.float32)
    ]
    rows += [(5.0, 2.0), (7.0, 2.0), (-7.0, 2.0), (3e38, 1e38), (2.0**60, 3.0), (1e-45, 2.0)]
    result, quotient = _apply("remquo", rows, FLOAT, FLOAT, PointerType(QualType(INT)))
    for (x, y), remainder, low in zip(rows, result, quotient, strict=True):
        x, y = float(np.float32(x)), float(np.float32(y))
        exact = round(Fraction(x) / Fraction(y))
        assert remainder == float(Fraction(x) - exact * Fraction(y))
        assert low == int(math.copysign(abs(exact) % 128, exact))


def test_gamma_knows_its_sign() -> None:
    rows = [(x,) for x in (0.5, -0.5, -1.5, -2.5, -0.0, 0.0, 3.0)]
    _, sign = _apply("lgamma_r", rows, FLOAT, PointerType(QualType(INT)))
    assert sign == [1, -1, 1, -1, -1, 1, 1]


def test_edges_hold_what_matters() -> None:
    values = edges(VectorType(HALF, 2).element.kind)
    assert np.isnan(values).any()
    assert np.isinf(values).any()
    assert (values == 2.0**-24).any()

"""Values of every definition that is a function of values, against exact arithmetic and PoCL."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from kcc.frontend.builtins.lower import is_lowered
from kcc.frontend.builtins.overloads import names, overloads_of, rows_of
from kcc.frontend.builtins.primitives import PRIMITIVES
from kcc.frontend.builtins.rows import Section
from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.types import AddressSpace, PointerType, ScalarKind
from tests.frontend.builtins.exact_values import by_exact
from tests.frontend.builtins.host_values import by_definition
from tests.frontend.builtins.pocl_values import by_pocl
from tests.frontend.builtins.values import (
    Array,
    Results,
    arguments,
    kind_of,
    lanes_of,
    moderate_arguments,
    pointee,
)

APPLICATIONS = 1500
BATCH_LANES = 80
"""Functions share a kernel up to so many lanes of results; PoCL takes long over larger kernels."""

SECTIONS = {
    Section.MATH, Section.INTEGER, Section.COMMON, Section.GEOMETRIC, Section.RELATIONAL,
    Section.MISCELLANEOUS,
}  # fmt: skip

ROUNDED = {
    "cross", "distance", "dot", "fast_distance", "fast_length", "fast_normalize", "length", "mad",
    "mix", "normalize", "smoothstep",
}  # fmt: skip
"""Fused here, perhaps not there: compared on moderate arguments, within a few ulp of the largest
product."""

FROM_LIBRARY = {"lgamma_r", "sincos"}
"""Call primitives, for which another library stands in: 4 ulp of one or of the result, on moderate
arguments (PoCL's vector sine is wrong for tiny arguments beside huge ones)."""

EITHER_ZERO = {"clamp", "fmax", "fmin", "fract", "max", "maxmag", "min", "minmag"}
"""The sign of a zero among equal zeros is open; of fract(-0) it is minus (7.5.1), in PoCL plus."""

OPEN_FOR_NAN = {"clamp", "ilogb", "max", "min"}
"""Undefined for NaN (6.12.4); ilogb gives FP_ILOGBNAN, which PoCL defines otherwise."""

WRONG_IN_LONG_VECTORS = {"frexp"}
"""PoCL gives wrong exponents for 8 and 16 doubles, such as -47 for 32768 beside subnormals."""

SLOW_TO_COMPILE = {"lgamma_r", "remquo", "sincos"}
"""PoCL takes minutes over long vectors of these, which are calls by lane; over others, seconds."""


def comparable() -> list[ResolvedBuiltin]:
    """Lowered functions of values, of types that PoCL has; pointers are private."""
    found = [o for n in names() if rows_of(n)[0].section in SECTIONS for o in overloads_of(n)]
    return [o for o in found if is_lowered(o.symbol) and o.name not in PRIMITIVES and _known(o)]


def _known(builtin: ResolvedBuiltin) -> bool:
    for type_ in [builtin.result, *(p.type for p in builtin.parameters)]:
        if isinstance(type_, PointerType) and type_.pointee.space is not AddressSpace.PRIVATE:
            return False
        if kind_of(pointee(type_) or type_) is ScalarKind.HALF:
            return False
    return builtin.name != "nan" or kind_of(builtin.result) is not ScalarKind.HALF


def _inputs(builtin: ResolvedBuiltin) -> list[Array]:
    if builtin.name in ROUNDED | FROM_LIBRARY:
        return moderate_arguments(builtin, APPLICATIONS)
    return arguments(builtin, APPLICATIONS)


def wrong_rows(builtin: ResolvedBuiltin, inputs: list[Array], ours: Array, theirs: Array) -> Any:
    """Which applications differ by more than they may."""
    if ours.dtype.kind != "f":
        wrong = ours != theirs
    elif builtin.name in ROUNDED:
        wrong = ~_close(inputs, ours, theirs)
    elif builtin.name in FROM_LIBRARY:
        wrong = np.abs(ours - theirs) > 4 * np.spacing(np.maximum(np.abs(theirs), 1))
    else:
        same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
        signs = np.signbit(ours) == np.signbit(theirs)
        wrong = ~(same & (signs | np.isnan(ours) | (builtin.name in EITHER_ZERO)))
    rows = wrong.any(axis=1)
    if builtin.name in OPEN_FOR_NAN:
        floats = [a for a in inputs if a.dtype.kind == "f"]
        rows &= ~np.any([np.isnan(a).any(axis=1) for a in floats], axis=0) if floats else True
    return np.flatnonzero(rows)


def _close(inputs: list[Array], ours: Array, theirs: Array) -> Array:
    largest = np.max([np.abs(a).max(axis=1) for a in inputs], axis=0)[:, None]
    scale = np.maximum(np.abs(theirs), np.maximum(largest, 1) ** 2)
    if np.abs(theirs).max() <= 1.0001:
        scale = np.ones_like(scale)
    return np.abs(ours - theirs) <= 8 * np.finfo(ours.dtype).eps * scale


EXACT_ROWS = 24
"""Applications of each function that are compared with exact arithmetic."""


def test_definitions_compute_what_exact_arithmetic_gives(*, full: bool) -> None:
    functions = [f for f in comparable() if full or lanes_of(f.result) <= 4]
    if not full:
        functions = random.Random(7).sample(functions, 160)
    wrong = list[object]()
    for batch in _batches(functions):
        inputs = [[a[:: APPLICATIONS // EXACT_ROWS] for a in _inputs(f)] for f in batch]
        inputs = [[np.ascontiguousarray(a) for a in arrays] for arrays in inputs]
        for function, given, own in zip(batch, inputs, by_definition(batch, inputs), strict=True):
            wrong += _unlike_exact(function, given, own)
    assert wrong == []


@pytest.mark.pocl
def test_definitions_compute_what_pocl_computes(
    pocl_context: Any, record_property: Any, *, full: bool
) -> None:
    """Where they differ exact arithmetic decides: what PoCL computes rests on the processor."""
    functions = comparable()
    assert len(functions) > 2000
    chance = random.Random(5)
    short = [f for f in functions if lanes_of(f.result) <= 4]
    left_out = SLOW_TO_COMPILE | WRONG_IN_LONG_VECTORS
    long = [f for f in functions if lanes_of(f.result) > 4 and f.name not in left_out]
    functions = [*short, *chance.sample(long, 300)] if full else chance.sample(short, 40)
    wrong, of_pocl = list[object](), list[object]()
    for batch in _batches(functions):
        inputs = [_inputs(f) for f in batch]
        ours, theirs = by_definition(batch, inputs), by_pocl(pocl_context, batch, inputs)
        for function, given, own, other in zip(batch, inputs, ours, theirs, strict=True):
            rows = _differing(function, given, own, other)
            if not len(rows):
                continue
            some = [np.ascontiguousarray(a[rows]) for a in given]
            own = Results(own.returned[rows], None if own.stored is None else own.stored[rows])
            found = _unlike_exact(function, some, own)
            wrong += found
            of_pocl += [] if found else [(function.symbol, len(rows))]
    record_property("PoCL differs from exact arithmetic", of_pocl)
    assert wrong == []
    assert len(of_pocl) <= len(functions) // 10, of_pocl  # else nothing was compared


def _batches(functions: list[ResolvedBuiltin]) -> Iterator[list[ResolvedBuiltin]]:
    batch, lanes = list[ResolvedBuiltin](), 0
    for function in functions:
        batch.append(function)
        lanes += lanes_of(function.result)
        if lanes >= BATCH_LANES:
            yield batch
            batch, lanes = [], 0
    if batch:
        yield batch


def _differing(
    function: ResolvedBuiltin, inputs: list[Array], ours: Results, theirs: Results
) -> Array:
    """The first applications in which a result differs."""
    rows = set(wrong_rows(function, inputs, ours.returned, theirs.returned).tolist())
    if ours.stored is not None and theirs.stored is not None:
        rows |= set(wrong_rows(function, inputs, ours.stored, theirs.stored).tolist())
    return np.array(sorted(rows)[:EXACT_ROWS], np.int64)


def _unlike_exact(function: ResolvedBuiltin, inputs: list[Array], ours: Results) -> list[object]:
    """The first application that exact arithmetic gives another value for."""
    exact = by_exact(function, inputs, ours)
    rows = _differing(function, inputs, ours, exact)
    return [
        (function.symbol, [a[r].tolist() for a in inputs], *(_told(v, r) for v in (ours, exact)))
        for r in rows[:1]
    ]


def _told(results: Results, row: int) -> list[object]:
    return [v[row].tolist() for v in (results.returned, results.stored) if v is not None]

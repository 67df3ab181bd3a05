"""The overloads of a built-in function by its name, expanded from the table on first use."""

from __future__ import annotations

import re
from functools import cache

from kcc.frontend.builtins import (
    table_arithmetic,
    table_dot,
    table_images,
    table_lanes,
    table_memory,
)
from kcc.frontend.builtins.mangle import mangle
from kcc.frontend.builtins.notation import TYPE_NAMES, expand, split_signature
from kcc.frontend.builtins.rows import ALL_KINDS, Row, Section
from kcc.frontend.builtins.signatures import Effect, ResolvedBuiltin
from kcc.frontend.types import QualType, ScalarType, VectorType, element_kind

ROWS = (
    table_arithmetic.ROWS
    + table_dot.ROWS
    + table_memory.ROWS
    + table_lanes.ROWS
    + table_images.ROWS
)
"""The whole table but for the conversions, whose names are made of types."""

_CONVERT = re.compile(r"convert_([a-z]+\d*)(_sat)?(_rt[ezpn])?")
_AS = re.compile(r"as_([a-z]+\d*)")


def _by_name() -> dict[str, list[Row]]:
    index: dict[str, list[Row]] = {}
    for row in ROWS:
        for name in row.names.split():
            index.setdefault(name, []).append(row)
    return index


_INDEX = _by_name()


def names() -> tuple[str, ...]:
    """All names of the table, sorted; convert_ and as_ functions are not among them."""
    return tuple(sorted(_INDEX))


def rows_of(name: str) -> tuple[Row, ...]:
    """The rows in which a function stands; empty for what is not a built-in function."""
    if name in _INDEX:
        return tuple(_INDEX[name])
    conversion = _conversion_row(name)
    return (conversion,) if conversion else ()


def reinterpreted_type(name: str) -> ScalarType | VectorType | None:
    """The result of an ``as_type`` function; None for every other name."""
    found = _AS.fullmatch(name)
    return _arithmetic_type(found[1]) if found else None


@cache
def overloads_of(name: str) -> tuple[ResolvedBuiltin, ...]:
    """Every overload of a function, in the order of the table. None for as_type functions."""
    found = dict[str, ResolvedBuiltin]()
    for row in rows_of(name):
        for overload in _expand_row(name, row):
            found.setdefault(overload.symbol, overload)
    return tuple(found.values())


def _expand_row(name: str, row: Row) -> list[ResolvedBuiltin]:
    result, parameters, variadic = split_signature(row.signature)
    overloads = list[ResolvedBuiltin]()
    for space in row.spaces:
        for kind in row.kinds:
            for lanes in row.lanes:
                types = tuple(expand(p, kind, lanes, space) for p in parameters)
                symbol = mangle(name, (t.type for t in types), variadic=variadic)
                value = expand(result, kind, lanes, space).type
                overloads.append(ResolvedBuiltin(name, symbol, value, types, row.effect, variadic))
    return overloads


def _conversion_row(name: str) -> Row | None:
    """convert_T[_sat][_rtX]: from every type with the lanes of T; no _sat to a floating type."""
    found = _CONVERT.fullmatch(name)
    target = _arithmetic_type(found[1]) if found else None
    if found is None or target is None or (_is_floating(target) and found[2]):
        return None
    lanes = target.lanes if isinstance(target, VectorType) else 1
    return Row(Section.CONVERSIONS, name, f"{target}(G)", ALL_KINDS, (lanes,))


def _arithmetic_type(name: str) -> ScalarType | VectorType | None:
    type_ = TYPE_NAMES.get(name)
    if not isinstance(type_, (ScalarType, VectorType)) or name in _NOT_NAMED:
        return None
    return type_


_NOT_NAMED = ("bool", "size_t", "ptrdiff_t")
"""Types that are not part of the name of a conversion."""


def _is_floating(type_: ScalarType | VectorType) -> bool:
    kind = element_kind(type_)
    return kind is not None and kind.floating


_SYMBOL = re.compile(r"_Z(\d+)(.*)", re.DOTALL)


@cache
def overload_of_symbol(symbol: str) -> ResolvedBuiltin | None:
    """The overload with a mangled name; None for what is not a built-in function."""
    name = name_of_symbol(symbol)
    if name is None:
        return None
    target = reinterpreted_type(name)
    if target is None:
        return _symbols(name).get(symbol)
    for source in TYPE_NAMES.values():
        if isinstance(source, (ScalarType, VectorType)) and mangle(name, (source,)) == symbol:
            return ResolvedBuiltin(name, symbol, target, (QualType(source),), Effect.PURE)
    return None


def name_of_symbol(symbol: str) -> str | None:
    """The name in a mangled name, whether or not it is that of a built-in function."""
    found = _SYMBOL.fullmatch(symbol)
    if found is None:
        return symbol if symbol in _INDEX and _INDEX[symbol][0].section is Section.PRINTF else None
    length = int(found[1])
    return found[2][:length] if len(found[2]) > length else None


@cache
def _symbols(name: str) -> dict[str, ResolvedBuiltin]:
    return {overload.symbol: overload for overload in overloads_of(name)}

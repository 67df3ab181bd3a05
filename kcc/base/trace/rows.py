"""Frozen dataclasses as JSON objects and back, with every value checked.

A row is a dataclass whose fields are ``int``, ``float``, ``str``, ``bool``, another row, a union of
these and None, a tuple of them (of any length: ``tuple[X, ...]``; of a fixed one: ``tuple[X, Y]``),
or a mapping of texts to them. Numbers are finite; an integer may stand for a ``float`` and stays
one. Keys that a row does not know are ignored, so that later versions may add some.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypeVar, cast

Json = Any
"""What :mod:`json` makes of a text."""

R = TypeVar("R")

INT_LIMIT = 1 << 63
"""Integers have 64 bits with their sign, so that they fit numpy's."""


class RowError(ValueError):
    """A JSON value that is no such row; the message says where and why."""


def to_json(row: object) -> Json:
    """A row as what :mod:`json` writes."""
    if dataclasses.is_dataclass(row):
        return {f.name: to_json(getattr(row, f.name)) for f in dataclasses.fields(row)}
    if isinstance(row, tuple):
        return [to_json(item) for item in cast(tuple[object, ...], row)]
    return row


def from_json(kind: type[R], value: Json, where: str = "") -> R:
    """The row of type ``kind`` that a JSON value stands for; raises :class:`RowError`."""
    return cast(R, _read(kind, value, where or kind.__name__))


def _read(kind: Any, value: Json, where: str) -> object:
    origin = typing.get_origin(kind)
    if origin is types.UnionType:
        return _read_union(typing.get_args(kind), value, where)
    if origin is tuple:
        return _read_tuple(typing.get_args(kind), value, where)
    if origin is Mapping:
        (_, inner), given = typing.get_args(kind), _object(value, where)
        return {name: _read(inner, item, f"{where}.{name}") for name, item in given.items()}
    if kind in (int, float, str, bool):
        return _read_value(kind, value, where)
    return _read_row(kind, value, where)


def _read_union(kinds: tuple[Any, ...], value: Json, where: str) -> object:
    """The first that the value is of; the last one's error where it is of none."""
    if value is None and type(None) in kinds:
        return None
    *others, last = (kind for kind in kinds if kind is not type(None))
    for kind in others:
        try:
            return _read(kind, value, where)
        except RowError:
            continue
    return _read(last, value, where)


def _read_value(kind: Any, value: Json, where: str) -> object:
    if type(value) is not kind and (kind, type(value)) != (float, int):
        raise RowError(f"{where}: {kind.__name__} expected")
    if type(value) is int and not -INT_LIMIT <= value < INT_LIMIT:
        raise RowError(f"{where}: the number is too large")
    if type(value) is float and not math.isfinite(value):
        raise RowError(f"{where}: a finite number expected")
    return value


def _object(value: Json, where: str) -> Mapping[str, Json]:
    if not isinstance(value, Mapping):
        raise RowError(f"{where}: an object expected")
    return cast(Mapping[str, Json], value)


def _read_row(kind: Any, value: Json, where: str) -> object:
    given = _object(value, where)
    fields = dict[str, object]()
    for name, (type_, has_default) in _fields(kind).items():
        if name in given:
            fields[name] = _read(type_, given[name], f"{where}.{name}")
        elif not has_default:
            raise RowError(f"{where}: '{name}' is missing")
    try:
        return kind(**fields)
    except ValueError as error:
        raise RowError(f"{where}: {error}") from error


def _read_tuple(kinds: tuple[Any, ...], value: Json, where: str) -> tuple[object, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise RowError(f"{where}: a list expected")
    items = cast(Sequence[Json], value)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple([_read(kinds[0], item, f"{where}[{i}]") for i, item in enumerate(items)])
    if len(items) != len(kinds):
        raise RowError(f"{where}: {len(kinds)} values expected")
    pairs = enumerate(zip(kinds, items, strict=True))
    return tuple(_read(kind, item, f"{where}[{i}]") for i, (kind, item) in pairs)


def refuse_constant(word: str) -> float:
    """For ``parse_constant`` of :func:`json.loads`: kcc writes neither NaN nor infinity."""
    raise ValueError(word)


@cache
def _fields(kind: Any) -> dict[str, tuple[Any, bool]]:
    """For each field its type and whether it may be left out."""
    hints = typing.get_type_hints(kind)
    missing = dataclasses.MISSING
    return {
        f.name: (hints[f.name], f.default is not missing or f.default_factory is not missing)
        for f in dataclasses.fields(kind)
    }

"""Frozen dataclasses as JSON objects and back, with every value checked.

A row is a dataclass whose fields are ``int``, ``float``, ``str``, ``bool``, another row, an
optional one of these, or a tuple of them (of any length: ``tuple[X, ...]``; of a fixed one:
``tuple[X, Y]``). Keys that a row does not know are ignored, so that later versions may add some.
"""

from __future__ import annotations

import dataclasses
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
        if value is None:
            return None
        (kind,) = (k for k in typing.get_args(kind) if k is not type(None))
        return _read(kind, value, where)
    if origin is tuple:
        return _read_tuple(typing.get_args(kind), value, where)
    if kind is float and type(value) is int:
        value = float(value) if abs(value) < INT_LIMIT else None
    if kind in (int, float, str, bool):
        if type(value) is not kind:
            raise RowError(f"{where}: {kind.__name__} expected")
        if kind is int and not -INT_LIMIT <= cast(int, value) < INT_LIMIT:
            raise RowError(f"{where}: the number is too large")
        return value
    return _read_row(kind, value, where)


def _read_row(kind: Any, value: Json, where: str) -> object:
    if not isinstance(value, Mapping):
        raise RowError(f"{where}: an object expected")
    given = cast(Mapping[str, Json], value)
    fields = dict[str, object]()
    for name, (type_, has_default) in _fields(kind).items():
        if name in given:
            fields[name] = _read(type_, given[name], f"{where}.{name}")
        elif not has_default:
            raise RowError(f"{where}: '{name}' is missing")
    return kind(**fields)


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


@cache
def _fields(kind: Any) -> dict[str, tuple[Any, bool]]:
    """For each field its type and whether it may be left out."""
    hints = typing.get_type_hints(kind)
    missing = dataclasses.MISSING
    return {
        f.name: (hints[f.name], f.default is not missing or f.default_factory is not missing)
        for f in dataclasses.fields(kind)
    }

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
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
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
    try:
        return cast(R, _reader(kind)(value))
    except _WrongValue as error:
        place = (where or kind.__name__) + "".join(reversed(error.path))
        raise RowError(f"{place}: {error}") from error


class _WrongValue(Exception):
    """What is wrong with a value; ``path`` is where it stands in those around it, inside out."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.path = list[str]()


Reader = Callable[[Json], object]
"""Gives what a JSON value stands for; raises :class:`_WrongValue`."""


@cache
def _reader(kind: Any) -> Reader:
    origin, kinds = typing.get_origin(kind), typing.get_args(kind)
    if origin is types.UnionType:
        return _union(kinds)
    if origin is tuple:
        return _each(kinds[0]) if len(kinds) == 2 and kinds[1] is Ellipsis else _fixed(kinds)
    if origin is Mapping:
        return _mapping(kinds[1])
    if kind in (int, float, str, bool):
        return _value(kind)
    return _row(kind)


def _union(kinds: tuple[Any, ...]) -> Reader:
    """The first that a value is of; the last one's error where it is of none."""
    optional = type(None) in kinds
    *others, last = (_reader(kind) for kind in kinds if kind is not type(None))

    def read(value: Json) -> object:
        if value is None and optional:
            return None
        for other in others:
            with suppress(_WrongValue):
                return other(value)
        return last(value)

    return read


def _value(kind: type) -> Reader:
    def read(value: Json) -> object:
        own = type(cast(object, value))
        if own is not kind and (kind is not float or own is not int):
            raise _WrongValue(f"{kind.__name__} expected")
        if own is int and not -INT_LIMIT <= value < INT_LIMIT:
            raise _WrongValue("the number is too large")
        if own is float and not math.isfinite(value):
            raise _WrongValue("a finite number expected")
        return value

    return read


def _object(value: Json) -> Mapping[str, Json]:
    if not isinstance(value, Mapping):
        raise _WrongValue("an object expected")
    return cast(Mapping[str, Json], value)


def _mapping(kind: Any) -> Reader:
    inner = _reader(kind)

    def read(value: Json) -> object:
        return {name: _inside(inner, item, f".{name}") for name, item in _object(value).items()}

    return read


def _inside(reader: Reader, value: Json, place: str) -> object:
    try:
        return reader(value)
    except _WrongValue as error:
        error.path.append(place)
        raise


def _row(kind: Any) -> Reader:
    def read(value: Json) -> object:
        given, fields = _object(value), dict[str, object]()
        name = ""
        try:
            for name, reader, has_default in _fields(kind):
                if name in given:
                    fields[name] = reader(given[name])
                elif not has_default:
                    break
            else:
                return kind(**fields)
        except _WrongValue as error:
            error.path.append(f".{name}")
            raise
        except ValueError as error:
            raise _WrongValue(str(error)) from error
        raise _WrongValue(f"'{name}' is missing")

    return read


def _list(value: Json) -> Sequence[Json]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise _WrongValue("a list expected")
    return cast(Sequence[Json], value)


def _each(kind: Any) -> Reader:
    """A tuple of any length."""
    inner = _reader(kind)

    def read(value: Json) -> object:
        items, found = _list(value), list[object]()
        try:
            for item in items:
                found.append(inner(item))
        except _WrongValue as error:
            error.path.append(f"[{len(found)}]")
            raise
        return tuple(found)

    return read


def _fixed(kinds: tuple[Any, ...]) -> Reader:
    """A tuple with a type for each place."""
    readers = [_reader(kind) for kind in kinds]

    def read(value: Json) -> object:
        items = _list(value)
        if len(items) != len(readers):
            raise _WrongValue(f"{len(readers)} values expected")
        pairs = enumerate(zip(readers, items, strict=True))
        return tuple([_inside(reader, item, f"[{i}]") for i, (reader, item) in pairs])

    return read


def refuse_constant(word: str) -> float:
    """For ``parse_constant`` of :func:`json.loads`: kcc writes neither NaN nor infinity."""
    raise ValueError(word)


@cache
def _fields(kind: Any) -> tuple[tuple[str, Reader, bool], ...]:
    """For each field how it is read and whether it may be left out."""
    hints = typing.get_type_hints(kind)
    missing = dataclasses.MISSING
    return tuple(
        (
            f.name, _reader(hints[f.name]),
            f.default is not missing or f.default_factory is not missing,
        )
        for f in dataclasses.fields(kind)
    )  # fmt: skip

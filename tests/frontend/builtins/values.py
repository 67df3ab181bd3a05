"""Inputs and results of lowered built-in functions, shared by those who compute them.

Every function is applied to the same arrays of inputs, one element of the gentype at a time; what
it stores through a private pointer is a second result.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.frontend.builtins.notation import gentype
from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.types import PointerType, ScalarKind, Type, VectorType, element_kind

Array = NDArray[Any]

DTYPES: dict[ScalarKind, Any] = {
    ScalarKind.CHAR: np.int8, ScalarKind.UCHAR: np.uint8, ScalarKind.SHORT: np.int16,
    ScalarKind.USHORT: np.uint16, ScalarKind.INT: np.int32, ScalarKind.UINT: np.uint32,
    ScalarKind.LONG: np.int64, ScalarKind.ULONG: np.uint64, ScalarKind.HALF: np.float16,
    ScalarKind.FLOAT: np.float32, ScalarKind.DOUBLE: np.float64,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Results:
    """Arrays of elements: one row per application, one column per lane (3 of 4 for vectors of 3).

    ``stored`` is what went through the pointer parameter, if there is one.
    """

    returned: Array
    stored: Array | None


def lanes_of(type_: Type) -> int:
    return type_.lanes if isinstance(type_, VectorType) else 1


def room_of(type_: Type) -> int:
    """Elements a value takes in memory."""
    return 4 if lanes_of(type_) == 3 else lanes_of(type_)


def kind_of(type_: Type) -> ScalarKind:
    kind = element_kind(type_)
    assert kind is not None
    return kind


def pointee(type_: Type) -> Type | None:
    """What a pointer points to; None for a value."""
    return type_.pointee.type if isinstance(type_, PointerType) else None


def empty(type_: Type, count: int) -> Array:
    """Zeros at an address aligned for every type."""
    dtype = np.dtype(DTYPES[kind_of(type_)])
    room = count * room_of(type_)
    raw = np.zeros(room * dtype.itemsize + 128, np.uint8)
    start = -raw.ctypes.data % 128
    return raw[start : start + room * dtype.itemsize].view(dtype).reshape(count, room_of(type_))


def trimmed(array: Array, type_: Type) -> Array:
    return array[:, : lanes_of(type_)]


def stored_type(builtin: ResolvedBuiltin) -> Type | None:
    """What a function stores through its pointer parameter, if it has one."""
    return next((t for p in builtin.parameters if (t := pointee(p.type))), None)


def edges(kind: ScalarKind) -> Array:
    """Values at which functions of a kind tend to go wrong."""
    if not kind.floating:
        info = np.iinfo(DTYPES[kind])
        low, high = int(info.min), int(info.max)
        near = {0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 100, high, high - 1, high // 2}
        near |= {high // 3, low, low + 1, low // 2, -1, -2, -8, -100}
        return np.array(sorted(v for v in near if low <= v <= high), DTYPES[kind])
    info = np.finfo(DTYPES[kind])
    small, tiny = float(info.smallest_subnormal), float(info.smallest_normal)
    top, one = float(info.max), float(info.eps)
    values = [0.0, 1.0, 0.5, 1.5, 2.0, 2.5, 3.0, 0.25, 0.3, 10.0, 127.5, 128.0, 255.0, 256.0, 1e3]
    values += [32767.5, 32768.0, small, 3 * small, tiny, tiny - small, tiny * 1.5, top, top / 2]
    values += [1 - one / 2, 1 + one, 1 / one, 0.5 - one / 4, float("inf"), float("nan")]
    if kind is not ScalarKind.HALF:
        values += [2.0**31, 2.0**31 - 128, 2.0**32, 2.0**63, 2.0**64, 65504.0, 65520.0, 1e6, 1e20]
    return np.array(values + [-v for v in values], DTYPES[kind])


def random_values(kind: ScalarKind, count: int, chance: np.random.Generator) -> Array:
    """Half of them of any bits, half of moderate size."""
    dtype = np.dtype(DTYPES[kind])
    bits = chance.integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype)
    if kind.floating:
        moderate = (chance.normal(size=count) * 4).astype(dtype)
    else:
        moderate = chance.integers(0, 60, count).astype(dtype)
    return np.where(chance.random(count) < 0.5, bits, moderate)


@cache
def pool(kind: ScalarKind, position: int, lanes: int, count: int) -> Array:
    """Arguments at one position: edges against edges first, then random values."""
    room = room_of(gentype(kind, lanes))
    chance = np.random.default_rng([position, list(ScalarKind).index(kind), lanes])
    values = random_values(kind, count * room, chance)
    special = edges(kind)
    stride = (1, len(special), 7)[position]
    grid = np.arange(min(count * room, 3 * len(special) ** 2))
    places = (grid // stride) % len(special)
    chosen = chance.permutation(count * room)[: len(grid)] if lanes > 1 else grid
    values[np.sort(chosen)] = special[places]
    return np.ascontiguousarray(values.reshape(count, room))


def arguments(builtin: ResolvedBuiltin, count: int) -> list[Array]:
    """Arrays for the parameters of a function that are no pointers."""
    values = [p.type for p in builtin.parameters if pointee(p.type) is None]
    return [pool(kind_of(t), n, lanes_of(t), count) for n, t in enumerate(values)]


@cache
def _moderate_pool(kind: ScalarKind, position: int, lanes: int, count: int) -> Array:
    """Numbers of moderate size only, positions apart from each other."""
    chance = np.random.default_rng([position, list(ScalarKind).index(kind), lanes, 1])
    values = chance.normal(size=(count, room_of(gentype(kind, lanes)))) * 4 + 3 * position
    return np.ascontiguousarray(values.astype(DTYPES[kind]))


def moderate_arguments(builtin: ResolvedBuiltin, count: int) -> list[Array]:
    """As :func:`arguments`, without special values."""
    values = [p.type for p in builtin.parameters if pointee(p.type) is None]
    return [_moderate_pool(kind_of(t), n, lanes_of(t), count) for n, t in enumerate(values)]

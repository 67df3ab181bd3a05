"""Contents of constant variables, byte by byte."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.frontend.ir.types import (
    ArrayTy,
    FloatTy,
    IntTy,
    StructTy,
    VecTy,
    field_offsets,
    size_bytes,
)
from kcc.frontend.ir.values import (
    Constant,
    ConstantAggregate,
    ConstantBytes,
    ConstantFloat,
    ConstantInt,
    ConstantVector,
    Zero,
)


def contents(value: Constant) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """The bytes of an initialiser, and which of them are known."""
    size = size_bytes(value.type)
    data, known = np.zeros(size, np.uint8), np.zeros(size, np.bool_)
    _write(value, 0, data, known)
    return data, known


def _write(value: Constant, place: int, data: NDArray[np.uint8], known: NDArray[np.bool_]) -> None:
    raw: bytes | None = None
    match value:
        case ConstantInt():
            raw = value.unsigned.to_bytes(size_bytes(value.type), "little")
        case ConstantFloat():
            raw = value.bits.to_bytes(value.type.bits // 8, "little")
        case ConstantBytes():
            raw = value.data
        case Zero():
            raw = bytes(size_bytes(value.type))
        case ConstantVector(type=VecTy(_, element)):
            for number, part in enumerate(value.elements):
                _write(part, place + number * size_bytes(element), data, known)
        case ConstantAggregate():
            for part, offset in zip(value.elements, _offsets(value), strict=True):
                _write(part, place + offset, data, known)
        case _:
            pass
    if raw is not None:
        data[place : place + len(raw)] = np.frombuffer(raw, np.uint8)
        known[place : place + len(raw)] = True


def _offsets(value: ConstantAggregate) -> tuple[int, ...]:
    match value.type:
        case StructTy():
            return field_offsets(value.type)
        case ArrayTy(length, element):
            step = size_bytes(element)
            return tuple(range(0, length * step, step))


def gather(
    data: NDArray[np.uint8], known: NDArray[np.bool_], offsets: NDArray[np.int64],
    type_: IntTy | FloatTy,
) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:  # fmt: skip
    """The bits of the values at byte offsets, and where there are any."""
    size = size_bytes(type_)
    inside = (offsets >= 0) & (offsets + size <= len(data))
    safe = np.where(inside, offsets, 0)
    bits, valid = np.zeros(offsets.shape, np.uint64), inside
    for byte in range(size if len(data) >= size else 0):
        bits |= data[safe + byte].astype(np.uint64) << np.uint64(8 * byte)
        valid = valid & known[safe + byte]
    return bits, valid

"""The work-items that symbolic values are evaluated for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.passes.symbolic.expr import SymbolKind
from kcc.passes.symbolic.ranges import Known

Key = tuple[SymbolKind, int | str]


@dataclass(frozen=True, slots=True)
class Lanes:
    """``count`` rows, mostly work-items, and what symbols stand for in each.

    ``symbols`` maps kind and index to an int64 array (a float one for float arguments) of
    ``count`` elements, or of one that all rows share. ``weights``: how many each row stands for,
    where they are a sample; None: as many as any other. ``shape``: the rows are all combinations
    along so many axes, the last one the fastest, and arrays of symbols can be broadcast to it.
    """

    count: int
    symbols: Mapping[Key, NDArray[Any]] = field(default_factory=dict[Key, NDArray[Any]])
    weights: NDArray[np.float64] | None = None
    shape: tuple[int, ...] = ()

    def mean(self, values: NDArray[Any]) -> float:
        """The mean of a value (by row, or of one that all rows share) over what rows stand for."""
        if self.weights is None or len(values) == 1:
            return float(values.mean(dtype=np.float64))
        return float(np.average(values, weights=self.weights))

    def given(self, symbols: Mapping[Key, NDArray[Any]]) -> Lanes:
        """The same rows with more symbols."""
        return replace(self, symbols={**self.symbols, **symbols})

    def at(self, iterations: Mapping[int, NDArray[np.int64] | int]) -> Lanes:
        """The same rows in given iterations of loops (by loop id)."""
        return self.given(
            {
                (SymbolKind.COUNTER, loop): np.atleast_1d(np.asarray(k, np.int64))
                for loop, k in iterations.items()
            }
        )


def work_items(known: Known, groups: NDArray[np.int64], items: NDArray[np.int64]) -> Lanes:
    """Work-items by the number of their group in the launch and their own in the group, first
    dimension fastest; ``groups`` and ``items`` have equal length.

    :param known: a launch with a local size; without a global size, ids of groups and in the
        launch are not given.
    """
    assert known.local_size is not None
    local = (*known.local_size, 1, 1)[:3]
    symbols: dict[Key, NDArray[Any]] = {}
    inside, outside = items, groups
    for dimension in range(3):
        inside, own = _divided(inside, local[dimension])
        symbols[SymbolKind.LOCAL_ID, dimension] = own
        whole = _size(known.global_size, dimension)
        if whole is not None:
            count = max(whole // local[dimension], 1)
            outside, group = _divided(outside, count)
            first = group * local[dimension] + known.offset[dimension]
            symbols[SymbolKind.GROUP_ID, dimension] = group
            symbols[SymbolKind.GLOBAL_ID, dimension] = first + own
    symbols[SymbolKind.LANE, 0] = _divided(items, known.warp)[1]
    symbols.update(launch_symbols(known))
    return Lanes(len(items), symbols)


def _divided(numbers: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Quotients and remainders; those of a power of two, as most sizes are, without divisions."""
    if size == 1:
        return numbers, np.zeros_like(numbers)
    if size & (size - 1) == 0:
        return numbers >> (size.bit_length() - 1), numbers & (size - 1)
    return numbers // size, numbers % size


def launch_symbols(known: Known) -> dict[Key, NDArray[Any]]:
    """The symbols that are the same for a whole launch: sizes and scalar arguments."""
    found: dict[Key, NDArray[Any]] = {}
    for dimension in range(3):
        local, whole = _size(known.local_size, dimension), _size(known.global_size, dimension)
        if local is not None:
            found[SymbolKind.LOCAL_SIZE, dimension] = np.array([local])
        if whole is not None:
            found[SymbolKind.GLOBAL_SIZE, dimension] = np.array([whole])
        if local is not None and whole is not None:
            found[SymbolKind.NUM_GROUPS, dimension] = np.array([max(whole // local, 1)])
        found[SymbolKind.GLOBAL_OFFSET, dimension] = np.array([known.offset[dimension]])
    if known.dimensions is not None:
        found[SymbolKind.WORK_DIM, 0] = np.array([known.dimensions])
    for index, value in known.arguments.items():
        if isinstance(value, tuple):
            for place, part in enumerate(value):
                found[SymbolKind.ARGUMENT, f"{index}.{place}"] = _number(part)
        else:
            found[SymbolKind.ARGUMENT, index] = _number(value)
    return found


def _number(value: float) -> NDArray[Any]:
    """One argument, integers in their signed reading."""
    if isinstance(value, int):
        return np.array([value - (1 << 64) if value >= 1 << 63 else value], np.int64)
    return np.array([value], np.float64)


def all_work_items(known: Known) -> Lanes:
    """Every work-item of a launch, group by group."""
    assert known.global_size is not None
    assert known.local_size is not None
    first = one_group(known).symbols
    symbols, shape = dict(first), (math.prod(known.local_size),)
    for dimension in range(3):
        size = _size(known.local_size, dimension) or 1
        groups = np.arange(first[SymbolKind.NUM_GROUPS, dimension][0], dtype=np.int64)
        group = groups.reshape(-1, *[1] * (dimension + 1))
        symbols[SymbolKind.GROUP_ID, dimension] = group
        symbols[SymbolKind.GLOBAL_ID, dimension] = (
            first[SymbolKind.GLOBAL_ID, dimension] + group * size
        )
        shape = (len(groups), *shape)
    return Lanes(math.prod(shape), symbols, shape=shape)


def one_group(known: Known, group: int = 0) -> Lanes:
    """The work-items of one group."""
    assert known.local_size is not None
    size = math.prod(known.local_size)
    return work_items(known, np.full(size, group), np.arange(size, dtype=np.int64))


def _size(sizes: tuple[int, ...] | None, dimension: int) -> int | None:
    if sizes is None:
        return None
    return sizes[dimension] if dimension < len(sizes) else 1

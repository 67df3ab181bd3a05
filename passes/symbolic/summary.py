"""What a value is over all work-items of a launch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.passes.symbolic.affine import depends_on
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.evaluate import Evaluator
from kcc.passes.symbolic.expr import Node, SymbolKind
from kcc.passes.symbolic.lanes import Key, Lanes, launch_symbols
from kcc.passes.symbolic.ranges import Known

MAX_LANES = 1 << 17
"""Combinations of ids that are looked at; of more, a sample is."""

_IDS = (SymbolKind.GLOBAL_ID, SymbolKind.LOCAL_ID, SymbolKind.GROUP_ID)


@dataclass(frozen=True, slots=True)
class Summary:
    """``values`` are what an integer node is for each combination of ids it depends on, all
    equally frequent; ``sampled``: for some of them only.
    """

    values: NDArray[np.int64]
    sampled: bool


@dataclass(frozen=True, slots=True)
class Unsettled:
    """No summary: the values of some work-items are not known. ``exhausted``: for want of time."""

    exhausted: bool
    missing: bool
    """A symbol has no value: the launch is not known."""


def summary(values: SymbolicValues, node: Node) -> Summary | Unsettled:
    """An integer node (signed reading) over all work-items."""
    known = values.algebra.known
    needed = {key for key in depends_on(values, node) if key[0] is not SymbolKind.COUNTER}
    found = launch_lanes(known, needed)
    if found is None:
        return Unsettled(exhausted=False, missing=True)
    lanes, sampled = found
    evaluate = Evaluator(values, lanes)
    data, sure = evaluate.integers(node)
    if not sure.all():
        return Unsettled(exhausted=evaluate.exhausted, missing=False)
    return Summary(data, sampled)


def launch_lanes(known: Known, needed: set[Key]) -> tuple[Lanes, bool] | None:
    """A row for each combination of the ids among ``needed``, and whether they are a sample; None
    where the launch does not give a symbol that is needed.
    """
    symbols = launch_symbols(known)
    ids = {key for key in needed if key[0] in _IDS or key[0] is SymbolKind.LANE}
    if any(key not in symbols and key[0] is not SymbolKind.COUNTER for key in needed - ids):
        return None
    if not ids:
        return Lanes(1, symbols), False
    if not known.launched:
        return _local_lanes(known, ids, symbols)
    axes = _axes(known, ids)
    total = math.prod(len(axis) for axis in axes)
    sampled = total > MAX_LANES
    numbers = _sample(total) if sampled else np.arange(total, dtype=np.int64)
    return Lanes(len(numbers), {**symbols, **_ids(known, axes, numbers)}), sampled


def _local_lanes(
    known: Known, ids: set[Key], symbols: dict[Key, NDArray[Any]]
) -> tuple[Lanes, bool] | None:
    """Without a global size: what depends on local ids alone."""
    if known.local_size is None or any(key[0] is not SymbolKind.LOCAL_ID for key in ids):
        return None
    launch = Known(known.local_size, known.local_size, known.arguments, known.offset)
    axes = _axes(launch, ids)
    numbers = np.arange(math.prod(len(axis) for axis in axes), dtype=np.int64)
    return Lanes(len(numbers), {**symbols, **_ids(launch, axes, numbers)}), False


def _axes(known: Known, ids: set[Key]) -> list[NDArray[np.int64]]:
    """Per dimension, the global ids (from 0) that together show all that is asked for."""
    assert known.global_size is not None
    assert known.local_size is not None
    axes = list[NDArray[np.int64]]()
    for dimension, (whole, part) in enumerate(
        zip(known.global_size, known.local_size, strict=True)
    ):
        kinds = {kind for kind, index in ids if index == dimension}
        if any(kind is SymbolKind.LANE for kind, _ in ids):
            kinds.add(SymbolKind.LOCAL_ID)
        if SymbolKind.GLOBAL_ID in kinds or len(kinds) > 1:
            axes.append(np.arange(whole, dtype=np.int64))
        elif SymbolKind.GROUP_ID in kinds:
            axes.append(np.arange(0, whole, part, dtype=np.int64))
        elif SymbolKind.LOCAL_ID in kinds:
            axes.append(np.arange(part, dtype=np.int64))
        else:
            axes.append(np.zeros(1, np.int64))
    return axes


def _sample(total: int) -> NDArray[np.int64]:
    """The first and last rows, and others evenly between them."""
    edge = MAX_LANES // 4
    middle = np.linspace(edge, total - edge, MAX_LANES // 2, endpoint=False).astype(np.int64)
    return np.concatenate([np.arange(edge), middle, np.arange(total - edge, total)])


def _ids(
    known: Known, axes: list[NDArray[np.int64]], numbers: NDArray[np.int64]
) -> dict[Key, NDArray[Any]]:
    assert known.local_size is not None
    found: dict[Key, NDArray[Any]] = {}
    rest, lane, stride = numbers, np.zeros(len(numbers), np.int64), 1
    for dimension in range(3):
        if dimension < len(axes):
            axis, size = axes[dimension], known.local_size[dimension]
            place = axis[rest % len(axis)]
            rest = rest // len(axis)
        else:
            place, size = np.zeros(1, np.int64), 1
        found[SymbolKind.LOCAL_ID, dimension] = place % size
        found[SymbolKind.GROUP_ID, dimension] = place // size
        found[SymbolKind.GLOBAL_ID, dimension] = place + known.offset[dimension]
        lane = lane + place % size * stride
        stride *= size
    found[SymbolKind.LANE, 0] = lane % 32
    return found

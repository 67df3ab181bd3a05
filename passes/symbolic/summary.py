"""What a value is over all work-items of a launch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.passes.symbolic.affine import depends_on
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.evaluate import Evaluator
from kcc.passes.symbolic.expr import Node, SymbolKind
from kcc.passes.symbolic.lanes import Key, Lanes, launch_symbols
from kcc.passes.symbolic.ranges import Known

MAX_LANES = 1 << 16
"""Combinations of ids that are looked at; of more, a sample is."""

MAX_ELEMENTS = 1 << 24
"""Combinations times nodes of a kernel that values are kept for (128 MiB)."""

MIN_LANES = 1 << 10
"""A sample of fewer would miss what happens at the edges of a launch."""

_IDS = (SymbolKind.GLOBAL_ID, SymbolKind.LOCAL_ID, SymbolKind.GROUP_ID)


@dataclass(frozen=True, slots=True)
class Summary:
    """The least, the greatest and the mean of an integer node over all work-items.

    ``sampled``: only some of them were looked at. The mean is then theirs; least and greatest are
    limits that the node's interval gives, and ``tight`` says that the sample reaches both.
    """

    least: int
    greatest: int
    mean: float
    sampled: bool
    tight: bool = True


@dataclass(frozen=True, slots=True)
class Unsettled:
    """No summary: the values of some work-items are not known. ``exhausted``: for want of time."""

    exhausted: bool
    missing: bool
    """A symbol has no value: the launch is not known."""


class _Evaluators(dict[tuple[frozenset[Key], int], tuple[Evaluator, bool] | None]):
    """Those in use for a kernel, by the symbols that their rows differ in."""


def evaluator_for(
    values: SymbolicValues, nodes: Sequence[Node], most: int = MAX_LANES
) -> tuple[Evaluator, Lanes, bool] | None:
    """An evaluator for nodes over the launch, its rows (one for each combination of the ids the
    nodes depend on), and whether they are a sample, ``most`` at most; None where a symbol has no
    value.
    """
    needed = frozenset(
        key
        for node in nodes
        for key in depends_on(values, node)
        if key[0] is not SymbolKind.COUNTER
    )
    known = values.kept(_Evaluators)
    most = max(MIN_LANES, min(most, MAX_ELEMENTS // max(values.algebra.size, 1)))
    key = (needed, most)
    if key not in known:
        found = launch_lanes(values.algebra.known, set(needed), most)
        known[key] = None if found is None else (Evaluator(values, found[0]), found[1])
    kept = known[key]
    if kept is None:
        return None
    kept[0].expect(nodes)
    return kept[0], kept[0].lanes, kept[1]


def expect(values: SymbolicValues, nodes: Iterable[Node], most: int = MAX_LANES) -> None:
    """Say which nodes will be asked for, one by one: loops that several of them need are then
    simulated once for all.
    """
    for node in nodes:
        evaluator_for(values, [node], most)


def summary(values: SymbolicValues, node: Node) -> Summary | Unsettled:
    """An integer node (signed reading) over all work-items."""
    found = evaluator_for(values, [node])
    if found is None:
        return Unsettled(exhausted=False, missing=True)
    evaluate, lanes, sampled = found
    data, sure = evaluate.integers(node)
    if evaluate.exhausted and lanes.count > MIN_LANES:
        fewer = evaluator_for(values, [node], MIN_LANES)
        assert fewer is not None
        evaluate, lanes, sampled = fewer
        data, sure = evaluate.integers(node)
    if not sure.all():
        return Unsettled(exhausted=evaluate.exhausted, missing=False)
    least, greatest, mean = int(data.min()), int(data.max()), lanes.mean(data)
    if not sampled:
        return Summary(least, greatest, mean, sampled=False)
    low, high = values.algebra.interval(node)
    return Summary(low, high, mean, sampled=True, tight=(low, high) == (least, greatest))


def launch_lanes(known: Known, needed: set[Key], most: int) -> tuple[Lanes, bool] | None:
    """A row for each combination of the ids among ``needed`` (of more than ``most`` a sample, and
    whether it is one); None where the launch does not give a symbol that is needed.
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
    total = math.prod(count for count, _ in axes)
    sampled = total > most
    if not sampled:
        numbers = np.arange(total, dtype=np.int64)
        return Lanes(total, {**symbols, **_ids(known, axes, numbers)}), False
    numbers, weights = _sample(total, most)
    return Lanes(len(numbers), {**symbols, **_ids(known, axes, numbers)}, weights), True


def _local_lanes(
    known: Known, ids: set[Key], symbols: dict[Key, NDArray[Any]]
) -> tuple[Lanes, bool] | None:
    """Without a global size: what depends on local ids alone."""
    if known.local_size is None or any(key[0] is not SymbolKind.LOCAL_ID for key in ids):
        return None
    launch = replace(known, global_size=known.local_size, structures={})
    axes = _axes(launch, ids)
    numbers = np.arange(math.prod(count for count, _ in axes), dtype=np.int64)
    return Lanes(len(numbers), {**symbols, **_ids(launch, axes, numbers)}), False


def _axes(known: Known, ids: set[Key]) -> list[tuple[int, int]]:
    """Per dimension, the ids in the launch (from 0) that together show all that is asked for: how
    many, and how far apart.
    """
    assert known.global_size is not None
    assert known.local_size is not None
    axes = list[tuple[int, int]]()
    for dimension, (whole, part) in enumerate(
        zip(known.global_size, known.local_size, strict=False)
    ):
        kinds = {kind for kind, index in ids if index == dimension}
        if any(kind is SymbolKind.LANE for kind, _ in ids):
            kinds.add(SymbolKind.LOCAL_ID)
        if SymbolKind.GLOBAL_ID in kinds or len(kinds) > 1:
            axes.append((whole, 1))
        elif SymbolKind.GROUP_ID in kinds:
            axes.append((max(whole // part, 1), part))
        else:
            axes.append((part if SymbolKind.LOCAL_ID in kinds else 1, 1))
    return axes


def _sample(total: int, count: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The first and last rows, others evenly between them, and how many each stands for."""
    edge = count // 4
    middle = np.linspace(edge, total - edge, count // 2, endpoint=False).astype(np.int64)
    rows = np.concatenate([np.arange(edge), middle, np.arange(total - edge, total)])
    weights = np.ones(len(rows))
    weights[edge : edge + len(middle)] = (total - 2 * edge) / len(middle)
    return rows, weights


def _ids(
    known: Known, axes: list[tuple[int, int]], numbers: NDArray[np.int64]
) -> dict[Key, NDArray[Any]]:
    assert known.local_size is not None
    found: dict[Key, NDArray[Any]] = {}
    rest, lane, stride = numbers, np.zeros(len(numbers), np.int64), 1
    for dimension in range(3):
        if dimension < len(axes):
            (count, step), size = axes[dimension], known.local_size[dimension]
            place = rest % count * step
            rest = rest // count
        else:
            place, size = np.zeros(1, np.int64), 1
        found[SymbolKind.LOCAL_ID, dimension] = place % size
        found[SymbolKind.GROUP_ID, dimension] = place // size
        found[SymbolKind.GLOBAL_ID, dimension] = place + known.offset[dimension]
        lane = lane + place % size * stride
        stride *= size
    found[SymbolKind.LANE, 0] = lane % known.warp
    return found

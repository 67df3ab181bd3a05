"""Structures that kernel.toml cannot describe: graphs, sparse matrices, trees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.kernels.references import graphs

Ints = NDArray[np.int32]


def random_starts(rows: int, entries: int, longest: int, rng: np.random.Generator) -> Ints:
    """Offsets, one more than rows, of `entries` entries in uneven rows of at most `longest`."""
    lengths = np.zeros(rows, np.int64)
    weights = rng.exponential(size=rows)
    weights[rng.random(rows) < 0.05] = 0.0  # some rows stay empty
    rest = entries
    while rest:
        open_rows = np.where(lengths < longest, weights, 0.0)
        lengths += rng.multinomial(rest, open_rows / open_rows.sum())
        lengths = np.minimum(lengths, longest)
        rest = entries - int(lengths.sum())
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)


def random_targets(starts: Ints, columns: int, rng: np.random.Generator) -> Ints:
    """A column or target node for each entry, ascending and without repeats within a row."""
    rows: Iterable[int] = np.diff(starts).tolist()
    parts: list[Ints] = [
        np.sort(rng.permutation(columns)[:length]).astype(np.int32) for length in rows
    ]
    return np.concatenate(parts)


def btree(keys: Ints, order: int) -> NDArray[Any]:
    """The nodes of a B+ tree over ascending keys, half full, the root first."""
    half = order // 2
    unused = np.iinfo(np.int32).max
    lowest = np.iinfo(np.int32).min

    def level_of(firsts: Ints, targets: Ints, *, leaf: bool) -> NDArray[Any]:
        nodes: NDArray[Any] = np.zeros(-(-firsts.size // half), graphs.knode(order))
        nodes["keys"] = unused
        nodes["is_leaf"] = leaf
        for node, start in zip(nodes, range(0, firsts.size, half), strict=True):
            part = firsts[start : start + half]
            node["keys"][: part.size] = part
            node["indices"][: part.size] = targets[start : start + half]
            node["num_keys"] = part.size
        return nodes

    levels = [level_of(keys, np.arange(keys.size, dtype=np.int32), leaf=True)]
    while levels[0].size > 1:
        firsts = levels[0]["keys"][:, 0].copy()
        firsts[0] = lowest
        levels.insert(0, level_of(firsts, np.arange(firsts.size, dtype=np.int32), leaf=False))
    base = 0
    for level in levels[:-1]:
        base += level.size
        level["indices"] += base
    nodes = np.concatenate(levels)
    nodes["location"] = np.arange(nodes.size)
    return nodes


def symmetric_graph(nodes: int, edges: int, rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
    """Starts, targets and distinct weights of a graph whose `edges` are stored at both ends."""
    a, b = rng.integers(0, nodes, edges // 2), rng.integers(0, nodes - 1, edges // 2)
    b = np.where(b >= a, b + 1, b)  # no loops
    weight = rng.permutation(edges // 2) + 1
    source, target, weights = np.append(a, b), np.append(b, a), np.append(weight, weight)
    order = np.argsort(source, kind="stable")
    starts = np.searchsorted(source[order], np.arange(nodes + 1))
    return (
        starts.astype(np.int32),
        target[order].astype(np.int32),
        weights[order].astype(np.int32),
    )

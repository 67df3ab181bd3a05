"""Graphs, sparse matrices and trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Bytes = NDArray[np.int8]


def edge_sources(starts: Ints) -> Ints:
    """The source node of every edge of compressed adjacency lists."""
    return np.repeat(np.arange(starts.size - 1, dtype=np.int32), np.diff(starts))


def node_pairs(starts: Ints) -> Ints:
    """First edge and number of edges of every node, alternately."""
    pairs = np.empty(2 * (starts.size - 1), np.int32)
    pairs[::2] = starts[:-1]
    pairs[1::2] = np.diff(starts)
    return pairs


def bfs_expand(
    starts: Ints, edges: Ints, mask: Bytes, visited: Bytes, cost: Ints
) -> tuple[Bytes, Ints]:
    """The nodes found from the frontier `mask`, and the costs with theirs."""
    source = edge_sources(starts)
    found = (mask[source] != 0) & (visited[edges] == 0)
    updating = np.zeros_like(mask)
    updating[edges[found]] = 1
    out = cost.copy()
    out[edges[found]] = cost[source[found]] + 1
    return updating, out


def bfs_levels(starts: Ints, edges: Ints, root: int) -> Ints:
    """The distance of every node from the root in edges, -1 where there is no path."""
    cost = np.full(starts.size - 1, -1, np.int32)
    cost[root] = 0
    mask = (cost == 0).astype(np.int8)
    while mask.any():
        mask, cost = bfs_expand(starts, edges, mask, (cost >= 0).astype(np.int8), cost)
    return cost


def spmv_csr(val: Floats, vec: Floats, cols: Ints, starts: Ints) -> Floats:
    """The product of a matrix in compressed rows with a vector."""
    products = val.astype(np.float64) * vec[cols]
    out = np.bincount(edge_sources(starts), products, starts.size - 1)
    return out.astype(np.float32)


def ellpack_from_csr(
    val: Floats, cols: Ints, starts: Ints, width: int
) -> tuple[Floats, Ints, Ints]:
    """Values and columns in `width` column-major padded columns, and the row lengths."""
    rows = edge_sources(starts)
    place = np.arange(val.size) - starts[rows]
    ell_val = np.zeros((width, starts.size - 1), np.float32)
    ell_cols = np.zeros((width, starts.size - 1), np.int32)
    ell_val[place, rows] = val
    ell_cols[place, rows] = cols
    lengths: NDArray[Any] = np.diff(starts).astype(np.int32)
    return ell_val.ravel(), ell_cols.ravel(), lengths


def knode(order: int) -> np.dtype[Any]:
    """A node of the B+ tree, as C lays it out."""
    return np.dtype(
        [
            ("location", np.int32),
            ("indices", np.int32, order + 1),
            ("keys", np.int32, order + 1),
            ("is_leaf", np.int32),
            ("num_keys", np.int32),
        ]
    )


def find_records(keys: Ints, wanted: Ints) -> Ints:
    """The record of every wanted key among the ascending keys, -1 where there is none."""
    place = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
    return np.where(keys[place] == wanted, place, -1).astype(np.int32)


def sssp_offers(
    starts: Ints, targets: Ints, weights: Ints, distance: Ints, frontier: NDArray[Any]
) -> Ints:
    """The best distances that the frontier offers, no worse than those there are."""
    source = edge_sources(starts)
    active = frontier[source] != 0
    length = np.where(active, distance[source], 0) + weights
    offer = distance.copy()
    np.minimum.at(offer, targets[active], length[active].astype(np.int32))
    return offer


NO_EDGE = np.iinfo(np.int32).max


def lightest_edges(starts: Ints, targets: Ints, weights: Ints, root: Ints) -> Ints:
    """The lightest weight that leaves each component, at its root."""
    own, other = root[edge_sources(starts)], root[targets]
    lightest = np.full(root.size, NO_EDGE, np.int32)
    leaving = own != other
    np.minimum.at(lightest, own[leaving], weights[leaving])
    return lightest


def partners(starts: Ints, targets: Ints, weights: Ints, root: Ints, lightest: Ints) -> Ints:
    """The component at the other end of each component's lightest edge, else itself."""
    own, other = root[edge_sources(starts)], root[targets]
    chosen = (own != other) & (weights == lightest[own])
    partner = np.arange(root.size, dtype=np.int32)
    partner[own[chosen]] = other[chosen]
    return partner


def hooked(root: Ints, lightest: Ints, partner: Ints) -> tuple[Ints, int, int]:
    """Roots after joining, the weight of the edges used, and their number."""
    node = np.arange(root.size)
    stays = (lightest[partner] == lightest) & (node < partner)
    joins = (lightest != NO_EDGE) & ~stays
    out = np.where(joins, partner, root).astype(np.int32)
    return out, int(lightest[joins].sum()), int(joins.sum())


def flattened(root: Ints) -> Ints:
    """The end of every chain of roots."""
    while (root[root] != root).any():
        root = root[root]
    return root

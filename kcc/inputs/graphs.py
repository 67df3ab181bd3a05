"""Undirected graphs in compressed adjacency lists, of four shapes.

All generators take (nodes, edges, rng), so that one can stand for another. ``edges`` counts both
directions and says how dense the graph shall be; the number made is near it, not equal, because
edges that repeat are dropped. With ``connected`` (the default) a few edges are added that leave one
component.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.inputs.seeds import Seed, generator

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph whose every edge is stored at both its ends.

    Node i has the neighbours ``targets[starts[i]:starts[i + 1]]``, ascending, each once and never
    itself. ``weights`` belong to the entries of ``targets``, equal at both ends of an edge; empty
    until :func:`with_weights`. All int32, ``starts`` of nodes + 1.
    """

    starts: Ints
    targets: Ints
    weights: Ints

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return self.starts.size - 1

    @property
    def degrees(self) -> Ints:
        """The number of neighbours of every node."""
        return np.diff(self.starts)

    @property
    def sources(self) -> Ints:
        """The node that each entry of ``targets`` is a neighbour of."""
        return np.repeat(np.arange(self.nodes, dtype=np.int32), self.degrees)


def grid_graph(nodes: int, edges: int, rng: Seed, *, connected: bool = True) -> Graph:
    """A rectangle of nodes, numbered row by row, linked to 4 neighbours, or to 8 if `edges` is at
    least 7 per node. One seed is like another: `rng` goes unused, and so does `connected`."""
    del rng, connected
    width = max(1, math.isqrt(max(nodes - 1, 0)) + 1)
    node = np.arange(nodes)
    column = node % width
    pairs: list[tuple[Longs, Longs]] = []
    steps = [(0, 1), (1, 0)] + ([(1, 1), (1, -1)] if edges >= 7 * nodes else [])
    for down, right in steps:
        other = node + down * width + right
        inside = (column + right >= 0) & (column + right < width) & (other < nodes)
        pairs.append((node[inside], other[inside]))
    return _from_pairs(nodes, pairs)


def uniform_graph(nodes: int, edges: int, rng: Seed, *, connected: bool = True) -> Graph:
    """Every pair of nodes is as likely as every other: degrees are near their mean, and nothing is
    far from anything."""
    rng = generator(rng)
    a = rng.integers(0, nodes, edges // 2)
    b = rng.integers(0, nodes, edges // 2)
    return _finish(nodes, [(a, b)], connected=connected)


def power_law_graph(
    nodes: int, edges: int, rng: Seed, *, skew: int = 2, connected: bool = True
) -> Graph:
    """Degrees follow a power law, as in social networks (Chung and Lu, Connected components in
    random graphs with given expected degree sequences, 2002).

    The expected degree of the i-th node is proportional to i ** -(1 - 1 / skew), so that degree d
    has a frequency near d ** -(2 + 1 / (skew - 1)): exponent 3 for skew 2, 2.5 for skew 3. The
    largest degree is near edges / nodes ** (1 / skew). Node numbers are shuffled.
    """
    rng = generator(rng)
    names = rng.permutation(nodes)

    def ends() -> Longs:
        # By multiplication alone, so that every platform draws the same.
        drawn = rng.random(edges // 2)
        rank = np.full(edges // 2, float(nodes))
        for _ in range(skew):
            rank *= drawn
        return names[rank.astype(np.int64)]

    a = ends()
    return _finish(nodes, [(a, ends())], connected=connected)


def road_graph(nodes: int, edges: int, rng: Seed, *, connected: bool = True) -> Graph:
    """Places on a plane, one at random in each unit square, linked if they are near: degrees small
    and uneven, paths long, neighbours close in number, like a map of roads.

    Places are near if their distance is at most sqrt(edges / (pi nodes)), which makes the mean
    degree about edges / nodes; at most 2, the distance that is searched.
    """
    rng = generator(rng)
    width = max(1, math.isqrt(max(nodes - 1, 0)) + 1)
    node = np.arange(nodes)
    column = node % width
    x, y = column + rng.random(nodes), node // width + rng.random(nodes)
    reach = min(4.0, edges / (math.pi * nodes))
    pairs: list[tuple[Longs, Longs]] = []
    for down in range(3):
        for right in range(-2 if down else 1, 3):
            other = node + down * width + right
            inside = (column + right >= 0) & (column + right < width) & (other < nodes)
            a, b = node[inside], other[inside]
            near = (x[a] - x[b]) ** 2 + (y[a] - y[b]) ** 2 <= reach
            pairs.append((a[near], b[near]))
    return _finish(nodes, pairs, connected=connected)


def with_weights(graph: Graph, rng: Seed, *, largest: int = 100, distinct: bool = False) -> Graph:
    """The same graph with weights from 1 to `largest`, or, if `distinct`, with every edge's own
    from 1 to their number, in random order."""
    rng = generator(rng)
    source = graph.sources
    first = source < graph.targets  # of the two entries of an edge
    count = int(first.sum())
    drawn = rng.permutation(count) + 1 if distinct else rng.integers(1, largest + 1, count)
    weights = np.empty(graph.targets.size, np.int32)
    weights[first] = drawn
    # The other entries, in the order of the first ones: by source, and by target within it.
    second = np.flatnonzero(~first)
    order = np.argsort(graph.targets[second], kind="stable")
    weights[second[order]] = drawn
    return replace(graph, weights=weights)


def _finish(nodes: int, pairs: list[tuple[Longs, Longs]], *, connected: bool) -> Graph:
    """The graph of these edges, if need be made connected."""
    graph = _from_pairs(nodes, pairs)
    if not connected:
        return graph
    component = _components(graph)
    # Each component's lowest node is linked to the node before it, which is in a component with a
    # lower one: so all hang together, and neighbours in number stay neighbours.
    lowest = np.flatnonzero(component == np.arange(nodes))[1:]
    return _from_pairs(nodes, [*pairs, (lowest, lowest - 1)]) if lowest.size else graph


def _from_pairs(nodes: int, pairs: list[tuple[Longs, Longs]]) -> Graph:
    """The graph of edges given once each, in any order; loops and repeats are dropped."""
    a = np.concatenate([pair[0] for pair in pairs])
    b = np.concatenate([pair[1] for pair in pairs])
    proper = a != b
    a, b = a[proper], b[proper]
    keys = np.concatenate([a * nodes + b, b * nodes + a])
    keys.sort()
    if keys.size:
        keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
    source, target = keys // nodes, keys % nodes
    starts = np.zeros(nodes + 1, np.int64)
    np.cumsum(np.bincount(source, minlength=nodes), out=starts[1:])
    return Graph(starts.astype(np.int32), target.astype(np.int32), np.zeros(0, np.int32))


def _components(graph: Graph) -> Longs:
    """The lowest node of every node's component."""
    label = np.arange(graph.nodes)
    source, target = graph.sources, graph.targets
    while True:
        a, b = label[source], label[target]
        low, high = np.minimum(a, b), np.maximum(a, b)
        apart = low != high
        if not apart.any():
            return label
        source, target = source[apart], target[apart]
        # Roots all: any of a root's lower neighbours will do, and the lowest root stays.
        label[high[apart]] = low[apart]
        while (label[label] != label).any():
            label = label[label]

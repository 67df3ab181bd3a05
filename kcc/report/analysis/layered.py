"""A layered drawing of a directed graph: places for boxes and ways for edges, from top to bottom.

Sugiyama, Tagawa and Toda's method (IEEE Transactions on Systems, Man, and Cybernetics 1981) in its
simplest form: ranks by longest paths, invisible boxes where an edge passes a rank, a few sweeps
that put boxes at the mean place of their neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from kcc.base.records import dataclass

GAP_X = 26.0
GAP_Y = 44.0
SWEEPS = 6
_PASSING = 10.0
"""Width of an invisible box."""


@dataclass(frozen=True, slots=True)
class Box:
    """A box by its centre."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Drawing:
    """``boxes`` by node; ``ways`` by edge: points from the box it leaves to the box it enters.
    Edges that go up or back to their own node have no way here."""

    boxes: Mapping[int, Box]
    ways: Mapping[tuple[int, int], tuple[tuple[float, float], ...]]
    width: float
    height: float


def draw(
    sizes: Mapping[int, tuple[float, float]], edges: Sequence[tuple[int, int]], root: int
) -> Drawing:
    """The drawing of nodes of the given width and height; ``root`` comes first."""
    down = _downward(sizes, edges, root)
    ranks = _ranks(sizes, down)
    layers, links, passing = _layers(sizes, down, ranks)
    _order(layers, links)
    widths = {node: size[0] for node, size in sizes.items()} | dict.fromkeys(passing, _PASSING)
    xs = _spread(layers, links, widths)
    heights = [
        max((sizes[node][1] for node in layer if node in sizes), default=0) for layer in layers
    ]
    ys, y = list[float](), 0.0
    for height in heights:
        ys.append(y + height / 2)
        y += height + GAP_Y
    boxes = {node: Box(xs[node], ys[ranks[node]], *size) for node, size in sizes.items()}
    ways = dict[tuple[int, int], tuple[tuple[float, float], ...]]()
    for edge, chain in _chains(down, ranks, passing).items():
        first, last = boxes[edge[0]], boxes[edge[1]]
        between = [(xs[each], ys[ranks[edge[0]] + 1 + i]) for i, each in enumerate(chain)]
        start, end = (first.x, first.y + first.height / 2), (last.x, last.y - last.height / 2)
        ways[edge] = (start, *between, end)
    width = max((xs[n] + widths[n] / 2 for layer in layers for n in layer), default=0)
    return Drawing(boxes, ways, width, max(y - GAP_Y, 0))


def _downward(
    nodes: Mapping[int, object], edges: Sequence[tuple[int, int]], root: int
) -> list[tuple[int, int]]:
    """The edges that do not close a cycle, found by depth-first search."""
    after = dict[int, list[int]]()
    for source, target in edges:
        after.setdefault(source, []).append(target)
    state, found = dict[int, int](), list[tuple[int, int]]()
    for start in (root, *nodes):
        if start in state or start not in nodes:
            continue
        state[start] = 1
        stack = [(start, iter(after.get(start, ())))]
        while stack:
            node, rest = stack[-1]
            target = next(rest, None)
            if target is None:
                state[node] = 2
                stack.pop()
            elif state.get(target) != 1:
                found.append((node, target))
                if target not in state:
                    state[target] = 1
                    stack.append((target, iter(after.get(target, ()))))
    return list(dict.fromkeys(found))


def _ranks(nodes: Mapping[int, object], down: Sequence[tuple[int, int]]) -> dict[int, int]:
    """How many edges the longest way to each node has."""
    after, open_edges = dict[int, list[int]](), dict.fromkeys(nodes, 0)
    for source, target in down:
        after.setdefault(source, []).append(target)
        open_edges[target] += 1
    ranks, ready = (
        dict.fromkeys(nodes, 0),
        [node for node, count in open_edges.items() if not count],
    )
    while ready:
        node = ready.pop()
        for target in after.get(node, ()):
            ranks[target] = max(ranks[target], ranks[node] + 1)
            open_edges[target] -= 1
            if not open_edges[target]:
                ready.append(target)
    return ranks


Links = dict[int, list[int]]
"""Neighbours in the layers above and below."""


def _layers(
    sizes: Mapping[int, object], down: Sequence[tuple[int, int]], ranks: Mapping[int, int]
) -> tuple[list[list[int]], Links, dict[int, tuple[int, int]]]:
    """Nodes by rank with invisible ones, negative numbers, in between; which edge they are of."""
    layers: list[list[int]] = [[] for _ in range(max(ranks.values(), default=-1) + 1)]
    for node in sizes:
        layers[ranks[node]].append(node)
    links, passing = dict[int, list[int]](), dict[int, tuple[int, int]]()
    for source, target in down:
        before = source
        for rank in range(ranks[source] + 1, ranks[target]):
            number = -1 - len(passing)
            passing[number] = (source, target)
            layers[rank].append(number)
            links.setdefault(before, []).append(number)
            links.setdefault(number, []).append(before)
            before = number
        links.setdefault(before, []).append(target)
        links.setdefault(target, []).append(before)
    return layers, links, passing


def _chains(
    down: Sequence[tuple[int, int]],
    ranks: Mapping[int, int],
    passing: Mapping[int, tuple[int, int]],
) -> dict[tuple[int, int], list[int]]:
    """The invisible nodes of each edge, from top to bottom."""
    chains: dict[tuple[int, int], list[int]] = {edge: [] for edge in down}
    for number, edge in passing.items():
        chains[edge].append(number)
    assert all(len(c) == max(ranks[e[1]] - ranks[e[0]] - 1, 0) for e, c in chains.items())
    return chains


def _order(layers: list[list[int]], links: Links) -> None:
    """Sort each layer by the mean place of the neighbours in the one above, then below."""
    for sweep in range(SWEEPS):
        turned = layers if sweep % 2 == 0 else layers[::-1]
        for before, layer in pairwise(turned):
            at = {node: place for place, node in enumerate(before)}
            own = {node: place for place, node in enumerate(layer)}
            layer.sort(key=lambda n, at=at, own=own: _mean(n, at, links, own[n]))


def _mean(node: int, at: Mapping[int, float], links: Links, default: float) -> float:
    near = [at[each] for each in links.get(node, ()) if each in at]
    return sum(near) / len(near) if near else default


def _spread(
    layers: Sequence[Sequence[int]], links: Links, widths: Mapping[int, float]
) -> dict[int, float]:
    """Centres of the nodes: near those of their neighbours, apart from those beside them."""
    xs = dict[int, float]()
    for layer in layers:
        wanted = [_mean(node, xs, links, 0.0) for node in layer]
        xs |= _apart(layer, wanted, widths)
    for layer in reversed(layers):
        wanted = [_mean(node, xs, links, xs[node]) for node in layer]
        xs |= _apart(layer, wanted, widths)
    left = min((xs[node] - widths[node] / 2 for node in xs), default=0)
    return {node: x - left for node, x in xs.items()}


def _apart(
    layer: Sequence[int], wanted: Sequence[float], widths: Mapping[int, float]
) -> dict[int, float]:
    """Places in the order of the layer, pushed apart to the right, then all moved back."""
    places, right = list[float](), float("-inf")
    for node, x in zip(layer, wanted, strict=True):
        places.append(max(x, right + widths[node] / 2))
        right = places[-1] + widths[node] / 2 + GAP_X
    if not places:
        return {}
    shift = sum(w - p for w, p in zip(wanted, places, strict=True)) / len(places)
    return {node: place + shift for node, place in zip(layer, places, strict=True)}

"""Algorithms on directed graphs whose nodes are 0, 1, 2 ... and whose edges are rows of targets.

Written here because importing a graph library costs more than a whole analysis; the tests compare
with networkx.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from kcc.base.records import dataclass

Rows = Sequence[Sequence[int]]


def reverse_postorder(successors: Rows, root: int) -> list[int]:
    """The nodes reachable from ``root``, each after its predecessors but for cycles."""
    order, seen = list[int](), {root}
    stack = [(root, iter(successors[root]))]
    while stack:
        node, targets = stack[-1]
        for target in targets:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(successors[target])))
                break
        else:
            stack.pop()
            order.append(node)
    order.reverse()
    return order


def transposed(successors: Rows) -> list[list[int]]:
    """The same edges the other way round."""
    rows: list[list[int]] = [[] for _ in successors]
    for source, targets in enumerate(successors):
        for target in targets:
            rows[target].append(source)
    return rows


def loop_body(
    predecessors: Rows, header: int, latches: Iterable[int], within: Container[int]
) -> set[int]:
    """The nodes of a natural loop: those ``within`` from which a latch is reached without passing
    the header."""
    body, pending = {header}, list(latches)
    while pending:
        node = pending.pop()
        if node not in body:
            body.add(node)
            pending += [p for p in predecessors[node] if p in within]
    return body


@dataclass(frozen=True, slots=True)
class DominatorTree:
    """Who dominates whom among the nodes reachable from ``root``.

    ``parents[n]`` is the immediate dominator of n, None for the root and for what cannot be
    reached. ``_entered`` and ``_left`` number the visits of a walk over the tree.
    """

    root: int
    parents: tuple[int | None, ...]
    _entered: tuple[int, ...]
    _left: tuple[int, ...]

    def dominates(self, node: int, other: int) -> bool:
        """Whether every way to ``other`` passes ``node`` (a node dominates itself)."""
        return (
            0 <= self._entered[node] <= self._entered[other]
            and self._left[other] <= self._left[node]
        )

    def reaches(self, node: int) -> bool:
        """Whether the root reaches ``node``."""
        return self._entered[node] >= 0


def dominator_tree(successors: Rows, root: int) -> DominatorTree:
    """Immediate dominators by iteration (Cooper, Harvey, Kennedy, "A Simple, Fast Dominance
    Algorithm", 2001).
    """
    order = reverse_postorder(successors, root)
    rank = {node: number for number, node in enumerate(order)}
    predecessors = transposed(successors)
    parents: list[int | None] = [None] * len(successors)
    parents[root] = root
    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            known = [p for p in predecessors[node] if p in rank and parents[p] is not None]
            meet = known[0]
            for other in known[1:]:
                meet = _nearest_common(meet, other, parents, rank)
            if parents[node] != meet:
                parents[node] = meet
                changed = True
    parents[root] = None
    return _numbered(root, parents, order)


def _nearest_common(
    left: int, right: int, parents: Sequence[int | None], rank: dict[int, int]
) -> int:
    while left != right:
        if rank[left] < rank[right]:
            left, right = right, left
        above = parents[left]
        assert above is not None
        left = above
    return left


def _numbered(root: int, parents: Sequence[int | None], order: Iterable[int]) -> DominatorTree:
    children: list[list[int]] = [[] for _ in parents]
    for node in order:
        parent = parents[node]
        if parent is not None:
            children[parent].append(node)
    entered, left, clock = [-1] * len(parents), [-1] * len(parents), 0
    stack = [(root, False)]
    while stack:
        node, done = stack.pop()
        clock += 1
        if done:
            left[node] = clock
        else:
            entered[node] = clock
            stack.append((node, True))
            stack += [(child, False) for child in children[node]]
    return DominatorTree(root, tuple(parents), tuple(entered), tuple(left))


def strong_components(successors: Rows, nodes: Iterable[int]) -> list[list[int]]:
    """The strongly connected components among ``nodes``, each after those it leads to.

    Tarjan, "Depth-First Search and Linear Graph Algorithms", SIAM Journal on Computing, 1972.
    """
    allowed = set(nodes)
    index, low = dict[int, int](), dict[int, int]()
    open_nodes, is_open, components = list[int](), set[int](), list[list[int]]()
    for start in sorted(allowed):
        if start in index:
            continue
        walk = [(start, iter(successors[start]))]
        index[start] = low[start] = len(index)
        open_nodes.append(start)
        is_open.add(start)
        while walk:
            node, targets = walk[-1]
            for target in targets:
                if target not in allowed:
                    continue
                if target not in index:
                    index[target] = low[target] = len(index)
                    open_nodes.append(target)
                    is_open.add(target)
                    walk.append((target, iter(successors[target])))
                    break
                if target in is_open:
                    low[node] = min(low[node], index[target])
            else:
                walk.pop()
                if walk:
                    above = walk[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == index[node]:
                    component = _closed(node, open_nodes)
                    is_open.difference_update(component)
                    components.append(component)
    return components


def _closed(node: int, open_nodes: list[int]) -> list[int]:
    component = list[int]()
    while True:
        component.append(open_nodes.pop())
        if component[-1] == node:
            return sorted(component)

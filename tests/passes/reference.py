"""Slow, obvious definitions on graphs, for comparison."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Rows = Sequence[Sequence[int]]


def reached(graph: Rows, start: int, without: Iterable[int] = ()) -> set[int]:
    """What can be reached from ``start`` (itself too) when some nodes are taken away."""
    removed = set(without)
    found, pending = set[int](), [start]
    while pending:
        node = pending.pop()
        if node not in found and node not in removed:
            found.add(node)
            pending += graph[node]
    return found


def dominates(graph: Rows, root: int, node: int, other: int) -> bool:
    """Without ``node`` there is no way from ``root`` to ``other``."""
    return other in reached(graph, root) and other not in reached(graph, root, [node])


def on_a_cycle_with(graph: Rows, node: int) -> set[int]:
    """The nodes that ``node`` reaches by at least one edge and that reach it again."""
    after = {n for target in graph[node] for n in reached(graph, target)}
    return {n for n in after if node in reached(graph, n)}

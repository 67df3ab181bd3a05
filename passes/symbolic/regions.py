"""The acyclic skeleton of each loop's body, and of the whole kernel, with inner loops collapsed.

A *level* is a loop's id, or None for the kernel itself. Its nodes are the blocks whose innermost
loop it is, and for each loop directly inside it that loop's header, which stands for all of it.
"""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.frontend.ir.model import Function
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.graph.dominance import Dominators
from kcc.passes.graph.graphs import DominatorTree, dominator_tree, reverse_postorder, transposed
from kcc.passes.graph.loops import Loops

Level = int | None


@dataclass(frozen=True, slots=True)
class Way:
    """An edge of the control-flow graph, from block ``source`` to block ``target``, that leads
    from ``node`` of a level elsewhere.
    """

    source: int
    target: int
    node: int


@dataclass(frozen=True, slots=True)
class Region:
    """A level. ``order`` has its nodes in topological order, ``root`` first; ``entering[n]`` are
    the ways from other nodes of the level to n, ``leaving`` those out of the loop, ``back`` those
    to its header. ``after`` is the post-dominator tree of the level, in which every way back or
    out leads to its root.
    """

    level: Level
    root: int
    order: tuple[int, ...]
    entering: dict[int, tuple[Way, ...]]
    leaving: tuple[Way, ...]
    back: tuple[Way, ...]
    after: DominatorTree
    stays: DominatorTree
    """The same if no way leads out of the loop."""


class Regions:
    """The levels of one kernel."""

    def __init__(
        self, function: Function, flow: ControlFlow, dominators: Dominators, loops: Loops
    ) -> None:
        self._function, self._flow = function, flow
        self._dominators, self._loops = dominators, loops
        self._regions: dict[Level, Region] = {}
        self.irreducible = frozenset(b for r in loops.irreducible for b in r.blocks)

    def __getitem__(self, level: Level) -> Region:
        if level not in self._regions:
            self._regions[level] = self._region(level)
        return self._regions[level]

    def level_of(self, block: int) -> Level:
        """The level whose node a block is itself."""
        return self._loops.innermost[block]

    def node(self, block: int, level: Level) -> int | None:
        """The node of a level that a block belongs to; None if it lies outside."""
        inner = self._loops.innermost[block]
        node = block
        while inner != level:
            if inner is None:
                return None
            node = self._loops.loops[inner].header
            inner = self._loops.loops[inner].parent
        return node

    def dominator(self, node: int, level: Level) -> int:
        """The node of the level that a node of it, not the root, has as immediate dominator."""
        above = self._dominators.immediate(node)
        assert above is not None
        found = self.node(above, level)
        assert found is not None
        return found

    def _region(self, level: Level) -> Region:
        root = 0 if level is None else self._loops.loops[level].header
        blocks = [b for b in self._flow.order if self.node(b, level) is not None]
        nodes = [b for b in blocks if self.node(b, level) == b]
        entering: dict[int, list[Way]] = {node: [] for node in nodes}
        leaving, back = list[Way](), list[Way]()
        for block in blocks:
            node = self.node(block, level)
            assert node is not None
            for target in self._function.blocks[block].successors:
                to = self.node(target, level)
                way = Way(block, target, node)
                if to is None:
                    leaving.append(way)
                elif target == root:
                    back.append(way)
                elif to != node:
                    entering[to].append(way)
        return Region(
            level,
            root,
            tuple(_ordered(nodes, entering, root)),
            {node: tuple(ways) for node, ways in entering.items()},
            tuple(leaving),
            tuple(back),
            _after(nodes, entering, {w.node for w in (*leaving, *back)}),
            _after(nodes, entering, {w.node for w in back} or {w.node for w in leaving}),
        )


def _ordered(nodes: list[int], entering: dict[int, list[Way]], root: int) -> list[int]:
    size = max(nodes) + 1
    rows: list[list[int]] = [[] for _ in range(size)]
    for node, ways in entering.items():
        for way in ways:
            rows[way.node].append(node)
    return reverse_postorder(rows, root)


def _after(nodes: list[int], entering: dict[int, list[Way]], ends: set[int]) -> DominatorTree:
    """Post-dominators; the virtual end has the number after the last node's."""
    end = max(nodes) + 1
    rows: list[list[int]] = [[] for _ in range(end + 1)]
    for node, ways in entering.items():
        for way in ways:
            rows[way.node].append(node)
    for node in nodes:
        if node in ends or not rows[node]:
            rows[node].append(end)
    return dominator_tree(transposed(rows), end)

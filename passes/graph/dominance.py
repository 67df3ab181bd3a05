"""Dominators and post-dominators of the blocks of a kernel."""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import Unreachable
from kcc.frontend.ir.model import Block
from kcc.frontend.kernel import Kernel
from kcc.passes.facts import Facts
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.graph.graphs import DominatorTree, dominator_tree, strong_components, transposed


@dataclass(frozen=True, slots=True)
class Dominators:
    """The dominator tree of the blocks, rooted at the entry."""

    tree: DominatorTree

    def immediate(self, block: int) -> int | None:
        """None for the entry and for blocks that cannot be reached."""
        return self.tree.parents[block]

    def dominates(self, block: int, other: int) -> bool:
        """Whether every way from the entry to ``other`` passes ``block`` (itself counts)."""
        return self.tree.dominates(block, other)


@dataclass(frozen=True, slots=True)
class PostDominators:
    """The post-dominator tree of the reachable blocks, rooted at a virtual exit.

    The virtual exit, whose number is the number of blocks, follows every block that ends the
    kernel. Ways that can only end in ``unreachable`` are never taken and count as if they were not
    there, except among the blocks on them. A cycle that nothing leaves has an edge to it too, from
    its last block in reverse postorder: so blocks within it post-dominate each other as if the
    cycle ended there.
    """

    tree: DominatorTree

    @property
    def exit(self) -> int:
        """The number of the virtual exit."""
        return self.tree.root

    def immediate(self, block: int) -> int | None:
        """The block where all ways from ``block`` first reconverge, None if that is the exit."""
        parent = self.tree.parents[block]
        return None if parent == self.tree.root else parent

    def postdominates(self, block: int, other: int) -> bool:
        """Whether every way from ``other`` to the exit passes ``block`` (itself counts)."""
        return self.tree.dominates(block, other)


@dataclass(frozen=True, slots=True)
class DominatorsPass:
    """Gives :class:`Dominators`."""

    name: str = "dominators"
    requires: tuple[type, ...] = ()

    def run(self, kernel: Kernel, facts: Facts) -> Dominators:  # noqa: ARG002 -- requires none
        successors = [b.successors for b in kernel.function.blocks]
        return Dominators(dominator_tree(successors, 0))


@dataclass(frozen=True, slots=True)
class PostDominatorsPass:
    """Gives :class:`PostDominators`."""

    name: str = "post-dominators"
    requires: tuple[type, ...] = (ControlFlow,)

    def run(self, kernel: Kernel, facts: Facts) -> PostDominators:
        flow = facts[ControlFlow]
        count = len(kernel.function.blocks)
        successors: list[list[int]] = [[] for _ in range(count + 1)]
        blocks = kernel.function.blocks
        doomed = _doomed(blocks)
        for block in flow.order:
            targets = blocks[block].successors
            successors[block] = [t for t in targets if block in doomed or t not in doomed]
        for block in (*flow.exits, *_endless(successors, flow.order)):
            successors[block].append(count)
        return PostDominators(dominator_tree(transposed(successors), count))


def _doomed(blocks: tuple[Block, ...]) -> set[int]:
    """Blocks from which every way ends in ``unreachable``."""
    doomed = {b.index for b in blocks if isinstance(b.terminator, Unreachable)}
    pending = [p for b in doomed for p in blocks[b].predecessors]
    while pending:
        block = blocks[pending.pop()]
        if block.index not in doomed and all(s in doomed for s in block.successors):
            doomed.add(block.index)
            pending += block.predecessors
    return doomed


def _endless(successors: list[list[int]], order: tuple[int, ...]) -> list[int]:
    """The last block, in reverse postorder, of every cycle that nothing leaves."""
    rank = {block: number for number, block in enumerate(order)}
    last = list[int]()
    for component in strong_components(successors, order):
        inside = set(component)
        leaves = any(target not in inside for block in component for target in successors[block])
        ends = any(not successors[block] for block in component)
        if not leaves and not ends:
            last.append(max(component, key=rank.__getitem__))
    return last

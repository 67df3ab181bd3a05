"""The trace of a warp by Algorithms 1 to 3 of Wang et al. (HPCA 2019, section III-B.2), as printed.

The loop-based bidirectional branch search walks the control-flow graph: from the end of the trace
first along back edges whose target is not visited over, then along the nearest other edges, with a
stack of the headers of paths that are still to be walked. Blocks of which the branch is missed are
masked and removed at the end. Where the listing leaves something open, this is what is taken:

* ``unvisitedCount`` of a block starts at its bounds, innermost level first. Line 11 of Algorithm 2
  resets the levels inside the one that is counted down; the text says so too.
* "Closest" is by the number of edges on a shortest path of forward edges.
* A loop whose condition stands at its head is left from there: the bound of the head is one more
  than that of the body, as kcc counts executions.
* A walk that comes to no end, since a counter is never reset, is cut at :data:`MOST` blocks, and
  says so; one whose stack is empty before the exit ends there.

kcc's own traces (:mod:`kcc.sim.flow.sequences`) order blocks by the region tree instead.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import field
from math import ceil

import numpy as np

from kcc.base.records import dataclass
from kcc.frontend.kernel import Kernel
from kcc.passes.facts import Facts
from kcc.passes.graph.loops import Loops
from kcc.sim.flow.launch_flow import Flow, WarpClass, block_warps
from kcc.sim.flow.sequences import Traces
from kcc.sim.flow.warp_classes import assigned_traces
from kcc.sim.program.operations import MachineProgram

MOST = 200_000
"""Blocks of a trace; table IV's longest has 52,387 instructions."""


@dataclass(slots=True)
class Block:
    """Listing 1, as far as the algorithms read it: bounds and what is unvisited of each loop level,
    the innermost first; whether the warp misses its branch."""

    bounds: list[int]
    unvisited: list[int]
    missed: bool
    visited: bool = False


@dataclass(slots=True)
class PrintedTrace:
    """The blocks of a trace in order, whether its walk reached the kernel's exit, and how many of
    its steps were taken from the stack."""

    blocks: list[int] = field(default_factory=list[int])
    complete: bool = False
    popped: int = 0


class BranchSearch:
    """One walk over a graph; ``forward`` and ``back``: successors along the two sets of edges."""

    def __init__(
        self, forward: Sequence[Sequence[int]], back: Sequence[Sequence[int]],
        blocks: Sequence[Block], most: int = MOST,
    ) -> None:  # fmt: skip
        self.forward, self.back, self.blocks, self.most = forward, back, blocks, most
        self.stack = list[int]()
        self.distances = [_distances(forward, n) for n in range(len(forward))]
        self.sources = {n for n, targets in enumerate(back) if targets}

    def walk(self) -> PrintedTrace:
        """Algorithm 1."""
        found, at = PrintedTrace(), 0
        mask = list[bool]()
        while len(mask) < self.most:
            mask.append(self._update(at))
            found.blocks.append(at)
            if not self.forward[at] and not self.back[at]:
                found.complete = True
                break
            after = self._successor(at, found)
            if after is None:
                break
            at = after
        found.blocks = [block for block, kept in zip(found.blocks, mask, strict=True) if kept]
        return found

    def _update(self, at: int) -> bool:
        """Algorithm 2: count the visit; whether the block stays in the trace."""
        own = self.blocks[at]
        level = next((n for n, left in enumerate(own.unvisited) if left), None)
        if level is None:
            own.visited = True
        else:
            for inner in range(level):
                own.unvisited[inner] = own.bounds[inner]
            if level:
                own.unvisited[level] -= 1
            own.unvisited[0] -= 1
        return not own.missed

    def _successor(self, at: int, found: PrintedTrace) -> int | None:
        """Algorithm 3."""
        again = self._by_back_edge(at)
        if again is not None:
            return again
        if self.forward[at]:
            return self._by_forward_edge(at, found)
        return self._pop(found)

    def _by_back_edge(self, at: int) -> int | None:
        """Lines 2 to 15."""
        open_ = [n for n in self.back[at] if self._is_open(n)]
        if at in open_:
            return at
        reaching = [n for n in open_ if at in self.distances[n]]
        return min(reaching, key=lambda n: self.distances[n][at], default=None)

    def _is_open(self, block: int) -> bool:
        own = self.blocks[block]
        return own.unvisited[0] % max(own.bounds[0], 1) != 0

    def _by_forward_edge(self, at: int, found: PrintedTrace) -> int:
        """Lines 16 to 36."""
        targets = self.forward[at]
        nearest = [
            n for n in targets
            if not any(other != n and n in self.distances[other] for other in targets)
        ]  # fmt: skip
        turning = [n for n in nearest if n in self.sources]
        chosen = (turning or nearest)[0]
        if self.stack and self.stack[-1] != chosen and chosen in self.distances[self.stack[-1]]:
            found.popped += 1
            return self.stack.pop()
        self.stack += [n for n in nearest if n != chosen and n not in self.stack]
        return chosen

    def _pop(self, found: PrintedTrace) -> int | None:
        """Lines 37 and 38."""
        if not self.stack:
            return None
        found.popped += 1
        return self.stack.pop()


def _distances(forward: Sequence[Sequence[int]], start: int) -> dict[int, int]:
    """Edges from a block to those that forward edges lead to, itself included."""
    found, queue = {start: 0}, deque([start])
    while queue:
        at = queue.popleft()
        for after in forward[at]:
            if after not in found:
                found[after] = found[at] + 1
                queue.append(after)
    return found


def printed_trace(kernel: Kernel, facts: Facts, flow: Flow, most: int = MOST) -> PrintedTrace:
    """Of the warps of a flow. A block that no warp of it executes is missed."""
    loops, function = facts[Loops], kernel.function
    forward, back, blocks = list[list[int]](), list[list[int]](), list[Block]()
    for number, block in enumerate(function.blocks):
        ways = list(dict.fromkeys(block.successors))
        back.append([n for n in ways if loops.is_back_edge(number, n)])
        forward.append([n for n in ways if not loops.is_back_edge(number, n)])
        bounds = [max(ceil(flow.trips[loop.id] - 1e-9), 1) for loop in loops.around(number)] or [1]
        missed = flow.executions[number] <= 0
        blocks.append(Block(bounds, list(bounds), missed))
    return BranchSearch(forward, back, blocks, most).walk()


def printed_traces(kernel: Kernel, facts: Facts, flow: Flow, program: MachineProgram) -> Traces:
    """One trace for each class of warps."""
    classes = flow.classes or (WarpClass(tuple(range(block_warps(facts))), flow),)
    starts, operations = [0], list[int]()
    for each in classes:
        for block in printed_trace(kernel, facts, each.flow).blocks:
            operations += program.blocks[block]
        starts.append(len(operations))
    taken = assigned_traces(tuple(each.places for each in classes), (1,) * len(classes))
    return Traces(np.array(starts, np.int32), np.array(operations, np.int32), taken)

"""How many lanes and warps take the sides of branches that memory decides.

What the user assumes of a line (`--assume branch@LINE=0.3`) is the share of the lanes for which the
condition, as written, is true; static traces deal lanes out by the same rule. Where lanes of a warp
part, the warp executes both sides, each with some of its lanes. A loop whose iterations are assumed
(`--assume loop@LINE=3`) is entered: the test before it, which compilers put there where they test
at the end, is no guess any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from kcc.base.assumptions import Assumptions
from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import CondBranch
from kcc.frontend.kernel import Kernel
from kcc.passes.control.assumed_trips import assumed_iterations
from kcc.passes.control.assumption_use import warn_unused
from kcc.passes.control.divergence import Divergence
from kcc.passes.control.trip_counts import TripCounts, TripKind
from kcc.passes.facts import Facts
from kcc.passes.graph.branch_sense import true_way
from kcc.passes.graph.branches import Branches
from kcc.passes.graph.dominance import Dominators
from kcc.passes.graph.loops import Loops
from kcc.passes.symbolic.build import SymbolicValues

ASSUMED_SHARE = 0.5
"""Of a branch that memory decides, where nothing is assumed by the user: of its lanes, and where
all lanes of a warp go one way of its warps."""

DIVERGENT_WARPS = 0.7
"""Of the warps of such a branch, the share that goes a way with some of its lanes where it is
divergent: 0.71 in the mean over twenty of kernels/ (with the data of their workloads,
`kcc profile`), 0.64 of the lanes."""


@dataclass(frozen=True, slots=True)
class EdgeShare:
    """Of the executions of a branch by warps, the share that goes this way with some of its lanes,
    and of the lanes in all executions the share that does."""

    warps: float
    lanes: float


@dataclass(frozen=True, slots=True)
class AssumedShares:
    """``edges`` by the blocks they lead from and to; ``divergent``: blocks that end in a divergent
    branch."""

    edges: Mapping[tuple[int, int], EdgeShare]
    divergent: frozenset[int] = frozenset()

    def otherwise(self, block: int) -> EdgeShare:
        """The share that takes each side of any other branch that memory decides."""
        warps = DIVERGENT_WARPS if block in self.divergent else ASSUMED_SHARE
        return EdgeShare(warps, ASSUMED_SHARE)


@dataclass(frozen=True, slots=True)
class AssumedSharesPass:
    """Gives :class:`AssumedShares`. ``shares`` and ``trips`` are the user's, by line of the branch
    and of the loop."""

    shares: Mapping[int, float]
    trips: Mapping[int, int]
    name: str = "assumed shares"
    requires: tuple[type, ...] = (Branches, Divergence, Dominators, Loops, SymbolicValues)

    def run(self, kernel: Kernel, facts: Facts) -> AssumedShares:
        edges = dict[tuple[int, int], EdgeShare]()
        divergence = facts[Divergence].branches
        trips = assumed_iterations(kernel.function, facts[Loops], self.trips)
        warp = facts[SymbolicValues].algebra.known.warp
        for branch, divided in zip(facts[Branches].branches, divergence, strict=True):
            line = branch.location.line if branch.location else 0
            entered = _guard(kernel, facts, branch.block, line, trips)
            if entered is not None and line not in self.shares:
                edges.update(_sides(kernel, branch.block, *entered))
                continue
            instruction = kernel.function.instructions[branch.instruction]
            if line not in self.shares or not isinstance(instruction, CondBranch):
                continue
            true = self.shares[line]
            ways = (instruction.then, instruction.otherwise)
            shares = (true, 1.0 - true)
            if true_way(kernel.function, instruction):
                shares = (1.0 - true, true)
            for target, share in zip(ways, shares, strict=True):
                apart = divided.uniformity.is_divergent
                warps = min(1.0, share * warp) if apart else share
                edges[(branch.block, target)] = EdgeShare(warps, share)
        both = zip(facts[Branches].branches, divergence, strict=True)
        apart = frozenset(b.block for b, each in both if each.uniformity.is_divergent)
        return AssumedShares(edges, apart)


def unused_in(
    assumptions: Assumptions, kernels: Iterable[tuple[Facts, AbstractSet[int]]]
) -> tuple[str, ...]:
    """What is wrong with assumptions that none of the kernels has use for, in words; of each kernel
    its facts, and the blocks whose executions are not known without assumptions."""
    seen, used = set[str](), set[str]()
    for facts, guessed in kernels:
        for loop, trip in zip(facts[Loops].loops, facts[TripCounts].trips, strict=True):
            seen.add(f"loop@{loop.line}")
            if trip.kind is TripKind.ASSUMED:
                used.add(f"loop@{loop.line}")
        shared = {block for block, way in facts[AssumedShares].edges if way in guessed}
        for branch in facts[Branches].branches:
            line = branch.location.line if branch.location else 0
            seen.add(f"branch@{line}")
            if branch.block in shared:
                used.add(f"branch@{line}")
    return tuple(each.message for each in warn_unused(assumptions, seen, used))


def _guard(
    kernel: Kernel, facts: Facts, block: int, line: int, trips: Mapping[int, int]
) -> tuple[int, float] | None:
    """Where a branch goes to enter loops whose iterations are assumed in its line, and whether it
    does; None unless it decides on that: no loop is entered where both of its sides reconverge, as
    they do between the iterations left over by unrolling and the unrolled loop."""
    loops, blocks = facts[Loops], kernel.function.blocks
    dominates = facts[Dominators].dominates
    for way in blocks[block].successors:
        if any(each != block and not dominates(way, each) for each in blocks[way].predecessors):
            continue
        entered = [
            trips[loop.id] for loop in loops.loops
            if loop.line == line and loop.id in trips and block not in loop.blocks
            and dominates(way, loop.header)
        ]  # fmt: skip
        if entered:
            return way, float(any(entered))
    return None


def _sides(
    kernel: Kernel, block: int, entered: int, share: float
) -> dict[tuple[int, int], EdgeShare]:
    found = dict[tuple[int, int], EdgeShare]()
    for way in kernel.function.blocks[block].successors:
        part = share if way == entered else 1.0 - share
        found[block, way] = EdgeShare(part, part)
    return found

"""When the lanes of a launch execute an access, as a symbolic condition."""

from __future__ import annotations

from collections.abc import Mapping

from kcc.base.records import dataclass
from kcc.frontend.ir.opcodes import IntPredicate
from kcc.frontend.kernel import Kernel
from kcc.passes.control.divergence import Divergence
from kcc.passes.control.trip_counts import TripCounts, TripKind
from kcc.passes.facts import Facts
from kcc.passes.graph.branches import Branches
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Expr, Number
from kcc.passes.symbolic.reasons import needs_a_run

FEW = 1 << 10
"""Iterations that are looked at though only the interval of their number is known."""


@dataclass(frozen=True, slots=True)
class Activity:
    """A work-item executes a block in those iterations (counters of the loops around it, from 0 to
    ``counts`` - 1) in which ``condition`` (i1) is true."""

    condition: Expr
    counts: Mapping[int, int]

    @property
    def never(self) -> bool:
        """Whether nobody does."""
        nobody = isinstance(self.condition, Number) and not self.condition.value
        return nobody or 0 in self.counts.values()


def activity(values: SymbolicValues, trips: TripCounts, block: int) -> Activity | None:
    """When a block is executed; None if memory decides, or how often a loop runs is not known."""
    algebra, paths = values.algebra, values.paths
    conditions, counts = list[Expr](), dict[int, int]()
    inner: int | None = None
    for loop in values.loops.around(block):
        node = block if inner is None else values.loops.loops[inner].header
        comes_last = may_come_last(values, loop.id, node)
        staying = not comes_last
        conditions.append(
            paths.condition(block, staying=staying)
            if inner is None
            else paths.entered(inner, staying=staying)
        )
        ends = values.back_edges(loop.id)
        if isinstance(ends, Number):
            counts[loop.id] = max(ends.value + comes_last, 0)
        else:
            trip = trips.trips[loop.id]
            # A header that ends the loop runs once more than its body, which is counted. The
            # counter is known to be at most ``high``: the comparison may rely on that.
            high = algebra.interval(ends)[1]
            sampled = trip.kind is TripKind.BOUND and trip.total_mean is not None
            if needs_a_run(values, ends) or (high > FEW and (trip.greatest is None or sampled)):
                return None
            most = high + 1 if trip.greatest is None or sampled else trip.greatest + 1
            counts[loop.id] = max(min(most, high + comes_last), 0)
            predicate = IntPredicate.SLE if comes_last else IntPredicate.SLT
            conditions.append(algebra.compare(predicate, algebra.counter(loop.id), ends))
        inner = loop.id
    conditions.append(paths.condition(block) if inner is None else paths.entered(inner))
    found = algebra.conjunction(conditions)
    return None if needs_a_run(values, found) else Activity(found, counts)


def may_come_last(values: SymbolicValues, loop: int, node: int) -> bool:
    """Whether control may come to a node of a loop's level in the iteration in which it leaves."""
    region = values.regions[loop]
    reached = {node}
    for other in region.order:
        if any(way.node in reached for way in region.entering[other]):
            reached.add(other)
    return any(way.node in reached for way in region.leaving)


def split_blocks(kernel: Kernel, facts: Facts) -> frozenset[int]:
    """Blocks to which the lanes of a warp that diverge at a branch may come one group after
    another, before they reconverge: one iteration can then be more than one execution."""
    found, branches = set[int](), facts[Branches].branches
    for branch, divided in zip(branches, facts[Divergence].branches, strict=True):
        if not divided.uniformity.is_divergent:
            continue
        seen = set[int]()
        for start in dict.fromkeys(kernel.function.blocks[branch.block].successors):
            reached = _reached(kernel, start, divided.reconvergence)
            found |= seen & reached
            seen |= reached
    return frozenset(found)


def _reached(kernel: Kernel, start: int, stop: int | None) -> set[int]:
    """The blocks that control may come to from ``start`` before ``stop``."""
    found, pending = set[int](), [start]
    while pending:
        block = pending.pop()
        if block != stop and block not in found:
            found.add(block)
            pending += kernel.function.blocks[block].successors
    return found

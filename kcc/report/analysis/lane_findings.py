"""Warps that run with few active lanes, and the branch that parts them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kcc.base.records import dataclass
from kcc.frontend.kernel import Kernel
from kcc.passes.access.activity import activity
from kcc.passes.access.activity_shares import ActivityShares
from kcc.passes.access.warp_addresses import Warps
from kcc.passes.control.divergence import Divergence
from kcc.passes.control.flow_counts import FlowCounts
from kcc.passes.control.trip_counts import TripCounts
from kcc.passes.facts import Facts
from kcc.passes.graph.branches import Branches
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.graph.dominance import Dominators
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Number
from kcc.report.analysis.model import Finding, Severity

FEW = 0.5
"""Share of active lanes below which warps are half empty."""


@dataclass(frozen=True, slots=True)
class _Executed:
    """Instructions of a block over the launch: by threads, and the lanes of the warps that execute
    it."""

    block: int
    threads: float
    lanes: float


def inactive_lanes(kernel: Kernel, facts: Facts) -> Iterator[Finding]:
    """A finding where fewer than half of the lanes are active, in the mean over all instructions
    whose executions are known; nothing where the launch is not known."""
    executed = list(_executed(kernel, facts))
    lanes = math.fsum(each.lanes for each in executed)
    threads = math.fsum(each.threads for each in executed)
    if not lanes or threads >= FEW * lanes:
        return
    most = max(executed, key=lambda each: each.lanes - each.threads)
    line = _branch_line(facts, most.block)
    warp = facts[SymbolicValues].algebra.known.warp
    few = warp * most.threads / most.lanes
    message = (
        f"{few:.3g} of {warp} lanes are active behind this branch, "
        f"{warp * threads / lanes:.3g} in the mean of all instructions"
    )
    fix = "let neighbouring threads take the same side"
    yield Finding(
        Severity.WARNING, (line,) if line else (), message, fix=fix, code="inactive-lanes"
    )


def _executed(kernel: Kernel, facts: Facts) -> Iterator[_Executed]:
    known, values = facts[SymbolicValues].algebra.known, facts[SymbolicValues]
    if known.global_size is None or known.local_size is None:
        return
    items, threads = math.prod(known.global_size), math.prod(known.local_size)
    warps = items // threads * -(-threads // known.warp)
    shares = ActivityShares(values, Warps.shares_taking)
    for block in sorted(facts[ControlFlow].reachable):
        active = activity(values, facts[TripCounts], block)
        count = facts[FlowCounts].blocks[block]
        if active is None or active.never or count is None:
            continue
        by_threads = count.executions or (count.mean or 0.0) * items
        share = 1.0
        if not isinstance(active.condition, Number):
            found = shares.of(active)
            if found is None:
                continue
            share = float(found.by_place.mean())
        by_warps = warps * share * math.prod(active.counts.values())
        size = len(kernel.function.blocks[block].instructions)
        if by_threads and by_warps:
            yield _Executed(block, size * by_threads, size * by_warps * known.warp)


def _branch_line(facts: Facts, block: int) -> int:
    """The line of the nearest divergent branch before a block, 0 if there is none."""
    divergent = {
        branch.block: branch.location.line
        for branch, divided in zip(
            facts[Branches].branches, facts[Divergence].branches, strict=True
        )
        if divided.uniformity.is_divergent and branch.location is not None
    }
    at = facts[Dominators].immediate(block)
    while at is not None and at not in divergent:
        at = facts[Dominators].immediate(at)
    return 0 if at is None else divergent[at]

"""How often warps execute each block of the program.

Counts come from the conditions under which lanes execute a block, over the whole launch: a warp
executes it if one of its lanes does. Where memory decides, a share is assumed and counted as such.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kcc.frontend.kernel import Kernel
from kcc.passes.access.activity import Activity, activity
from kcc.passes.access.activity_shares import ActivityShares
from kcc.passes.access.warp_addresses import WARP, TakingShares, Warps
from kcc.passes.control.flow_counts import FlowCounts
from kcc.passes.control.trip_counts import TripCounts
from kcc.passes.facts import Facts
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.graph.dominance import Dominators
from kcc.passes.graph.loops import Loop, Loops
from kcc.passes.memory.memory_accesses import MemoryAccesses
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Number
from kcc.sim.flow.assumed_shares import AssumedShares, EdgeShare
from kcc.sim.flow.warp_classes import alike_warps

ASSUMED_SHARE = 0.5
"""Of a branch that memory decides, where nothing is assumed by the user."""

ASSUMED_TRIPS = 16.0
"""Iterations of a loop of which nothing is known; the report marks it."""


@dataclass(frozen=True, slots=True)
class Flow:
    """``executions[b]``: of block b, by warps, over the launch. ``entries``, ``trips``: of loops,
    by id: how often warps enter them, and iterations of the header per entry. ``assumed`` are the
    blocks whose count is a guess. ``lanes[b]`` is the share of a warp's lanes that are active in
    block b, ``block_of`` the block of each access. ``classes`` are those of a thread block's warps
    that differ, none where all are alike."""

    warps: int
    executions: tuple[float, ...]
    entries: tuple[float, ...]
    trips: tuple[float, ...]
    assumed: frozenset[int]
    lanes: tuple[float, ...]
    block_of: tuple[int, ...]
    classes: tuple[WarpClass, ...] = ()


@dataclass(frozen=True, slots=True)
class WarpClass:
    """Warps of a thread block that do the same, by their ``places`` in it, and the flow of these
    warps of all thread blocks."""

    places: tuple[int, ...]
    flow: Flow


class _Shares:
    """In which share of the executions warps take part in blocks of the program."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._shares = ActivityShares(facts[SymbolicValues], Warps.shares_taking)
        self._activity = dict[int, Activity | None]()

    def activity(self, block: int) -> Activity | None:
        """When a block is executed."""
        if block not in self._activity:
            values, trips = self.facts[SymbolicValues], self.facts[TripCounts]
            self._activity[block] = activity(values, trips, block)
        return self._activity[block]

    def of(self, active: Activity) -> TakingShares | None:
        """Of a condition that is no number."""
        return self._shares.of(active)


def flow_of(kernel: Kernel, facts: Facts) -> Flow:
    """The flow of a kernel whose launch is known."""
    known = facts[SymbolicValues].algebra.known
    assert known.global_size is not None
    assert known.local_size is not None
    groups = math.prod(
        whole // part for whole, part in zip(known.global_size, known.local_size, strict=True)
    )
    places = block_warps(facts)
    shares = _Shares(facts)
    flow = _flow(kernel, facts, shares, groups * places, None)
    alike = alike_warps(_by_place(shares, flow, places))
    if len(alike) == 1:
        return flow
    classes = (WarpClass(p, _flow(kernel, facts, shares, groups * len(p), p)) for p in alike)
    return replace(flow, classes=tuple(classes))


def _by_place(shares: _Shares, flow: Flow, places: int) -> NDArray[np.float64]:
    """Executions of the blocks of which they are known, by the warps of a thread block."""
    found = [np.zeros(places)]
    for block, executions in enumerate(flow.executions):
        active = shares.activity(block) if executions and block not in flow.assumed else None
        if active is None or isinstance(active.condition, Number):
            continue
        share = shares.of(active)
        if share is not None:
            found.append(share.by_place * math.prod(active.counts.values()))
    return np.array(found)


def _flow(
    kernel: Kernel, facts: Facts, shares: _Shares, warps: int, places: tuple[int, ...] | None
) -> Flow:
    """The flow of so many warps: of those in some places of their thread blocks, or of all."""
    executions, work = [0.0] * len(kernel.function.blocks), [0.0] * len(kernel.function.blocks)
    assumed = set[int]()
    for block in forward(kernel):
        if block not in facts[ControlFlow].reachable:
            continue
        found = _counted(shares, block, warps, places)
        if found is None:
            assumed.add(block)
            executions[block], work[block] = _guessed(kernel, facts, block, executions, work, warps)
        else:
            executions[block] = found
            work[block] = found * _known_lanes(facts, block, found)
    entries, trips = _loops(kernel, facts, executions)
    lanes = tuple(min(1.0, w / e) if e else 1.0 for w, e in zip(work, executions, strict=True))
    block_of = tuple(access.block for access in facts[MemoryAccesses].accesses)
    return Flow(warps, tuple(executions), entries, trips, frozenset(assumed), lanes, block_of)


def block_warps(facts: Facts) -> int:
    """Warps of a thread block."""
    local = facts[SymbolicValues].algebra.known.local_size
    assert local is not None
    return -(-math.prod(local) // WARP)


def _known_lanes(facts: Facts, block: int, executions: float) -> float:
    """The share of a warp's lanes that take part in a block, 1 where it is not known."""
    count = facts[FlowCounts].blocks[block]
    if count is None or not count.executions or not executions:
        return 1.0
    return min(1.0, count.executions / (executions * WARP))


def forward(kernel: Kernel) -> list[int]:
    """Blocks so that all but back edges lead forward."""
    seen, order = set[int](), list[int]()
    stack: list[tuple[int, int]] = [(0, 0)]
    seen.add(0)
    while stack:
        block, place = stack.pop()
        successors = kernel.function.blocks[block].successors
        if place < len(successors):
            stack.append((block, place + 1))
            if successors[place] not in seen:
                seen.add(successors[place])
                stack.append((successors[place], 0))
        else:
            order.append(block)
    return order[::-1]


def _counted(
    shares: _Shares, block: int, warps: int, places: tuple[int, ...] | None
) -> float | None:
    active = shares.activity(block)
    if active is None:
        return None
    if active.never:
        return 0.0
    whole = float(warps) * math.prod(active.counts.values())
    if isinstance(active.condition, Number):
        return whole
    share = shares.of(active)
    if share is None:
        return None
    return whole * (share.mean if places is None else float(share.by_place[list(places)].mean()))


def _guessed(
    kernel: Kernel, facts: Facts, block: int, executions: list[float], work: list[float], warps: int
) -> tuple[float, float]:
    """Executions by warps, and the same counted in whole warps of lanes, from the blocks before:
    all of a jump, a share of a branch; loops run as often as is assumed."""
    loops = facts[Loops]
    total = lanes = float(warps) if block == 0 else 0.0
    for before in kernel.function.blocks[block].predecessors:
        if loops.is_back_edge(before, block):
            continue
        share = _edge_share(kernel, facts, before, block)
        total += executions[before] * share.warps
        lanes += work[before] * share.lanes
    inner = loops.innermost[block]
    if inner is not None and loops.loops[inner].header == block:
        times = _assumed_trips(facts, loops.loops[inner])
        return total * times, lanes * times
    before = facts[Dominators].immediate(block)
    if before is not None and loops.innermost[before] == inner:
        # Lanes that parted meet again: a block runs no more often than one that always leads to it.
        return min(total, executions[before]), min(lanes, work[before])
    return total, min(lanes, total)


def _edge_share(kernel: Kernel, facts: Facts, before: int, block: int) -> EdgeShare:
    """How much of a block's executions goes on to one that follows it."""
    given = facts[AssumedShares].edges.get((before, block))
    if given is not None:
        return given
    loops = facts[Loops]
    inner = loops.innermost[before]
    if inner is not None and block not in loops.loops[inner].blocks:
        part = 1.0 / _assumed_trips(facts, loops.loops[inner])
        return EdgeShare(part, part)
    ways = set(kernel.function.blocks[before].successors)
    stays = [w for w in ways if loops.innermost[w] == inner]
    part = ASSUMED_SHARE if len(stays) > 1 else 1.0
    return EdgeShare(part, part)


def _assumed_trips(facts: Facts, loop: Loop) -> float:
    trips = facts[TripCounts].trips
    trip, around = trips[loop.id], None if loop.parent is None else trips[loop.parent]
    if trip.total_mean is not None and (around is None or around.total_mean):
        # Of a sample of the work-items: the bounds of a large launch say little.
        return max(trip.total_mean / (1.0 if around is None else around.total_mean or 1.0), 1.0)
    if trip.greatest is not None and trip.least is not None:
        return max((trip.greatest + trip.least) / 2, 1.0)
    return ASSUMED_TRIPS


def _loops(
    kernel: Kernel, facts: Facts, executions: list[float]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    entries, trips = list[float](), list[float]()
    for loop in facts[Loops].loops:
        outside = [p for p in kernel.function.blocks[loop.header].predecessors
                   if p not in loop.blocks]  # fmt: skip
        header = executions[loop.header]
        entered = min(sum(executions[p] for p in outside), header)
        entries.append(entered)
        trips.append(header / entered if entered else 0.0)
    return tuple(entries), tuple(trips)

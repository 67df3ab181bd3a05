"""How often warps execute each block of the program.

Counts come from the conditions under which lanes execute a block, over the whole launch: a warp
executes it if one of its lanes does. Where memory decides, a share is assumed and counted as such.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import CondBranch
from kcc.frontend.kernel import Kernel
from kcc.passes.access.activity import Activity, activity
from kcc.passes.access.activity_shares import ActivityShares
from kcc.passes.access.taking import Region, TakingShares
from kcc.passes.access.warp_addresses import Warps
from kcc.passes.control.assumed_trips import copies
from kcc.passes.control.flow_counts import FlowCounts
from kcc.passes.control.trip_counts import TripCounts, TripKind
from kcc.passes.facts import Facts
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.graph.dominance import Dominators
from kcc.passes.graph.loops import Loop, Loops
from kcc.passes.memory.memory_accesses import MemoryAccesses
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Number
from kcc.passes.symbolic.reasons import needs_a_run
from kcc.passes.symbolic.summary import Summary, summary
from kcc.sim.flow.assumed_shares import AssumedShares, EdgeShare
from kcc.sim.flow.block_classes import alike_blocks, box_of, middle_of
from kcc.sim.flow.retries import retries
from kcc.sim.flow.warp_classes import alike_warps

ASSUMED_TRIPS = 16.0
"""Iterations of a loop of which nothing is known, and which no compare-and-exchange ends
(:mod:`kcc.sim.flow.retries`); the report marks both."""


@dataclass(frozen=True, slots=True)
class Flow:
    """``executions[b]``: of block b, by warps, over the launch. ``entries``, ``trips``: of loops,
    by id: how often warps enter them, and iterations of the header per entry. ``assumed`` are the
    blocks whose count is a guess. ``lanes[b]`` is the share of a warp's lanes that are active in
    block b, ``block_of`` the block of each access. ``classes`` are those of a thread block's warps
    that differ, none where all are alike; ``blocks`` those of the thread blocks. A warp has
    ``width`` lanes."""

    warps: int
    executions: tuple[float, ...]
    entries: tuple[float, ...]
    trips: tuple[float, ...]
    assumed: frozenset[int]
    lanes: tuple[float, ...]
    block_of: tuple[int, ...]
    classes: tuple[WarpClass, ...] = ()
    blocks: tuple[BlockClass, ...] = ()
    width: int = 32


@dataclass(frozen=True, slots=True)
class WarpClass:
    """Warps of a thread block that do the same, by their ``places`` in it, and the flow of these
    warps of all thread blocks."""

    places: tuple[int, ...]
    flow: Flow


@dataclass(frozen=True, slots=True)
class BlockClass:
    """Thread blocks that do the same, and their flow: that of a launch of them alone. ``grid`` are
    those in x, y and z, if they are a grid themselves; ``middle`` are the numbers of one."""

    region: Region
    grid: tuple[int, int, int] | None
    middle: tuple[int, int, int]
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
        """Of a condition that is not a number."""
        return self._shares.of(active)

    def above(self, block: int) -> TakingShares | None:
        """Of a block, or of the nearest one that always comes before it and of which it is known;
        None if nothing parts the warps there."""
        at: int | None = block
        while at is not None:
            active = self.activity(at)
            if active is not None and isinstance(active.condition, Number):
                return None
            found = None if active is None else self.of(active)
            if found is not None:
                return found
            at = self.facts[Dominators].immediate(at)
        return None


@dataclass(frozen=True, slots=True)
class _Part:
    """Some of the warps of a launch: those in some ``places`` of their thread blocks (None: all)
    of the thread blocks of a ``region`` (None: all)."""

    warps: int
    places: tuple[int, ...] | None
    region: Region | None

    def share(self, taking: TakingShares) -> float:
        """In which share of the executions they take part, in the mean."""
        by_place = taking.by_place if self.region is None else taking.over(self.region)
        return float((by_place if self.places is None else by_place[list(self.places)]).mean())


def flow_of(kernel: Kernel, facts: Facts) -> Flow:
    """The flow of a kernel whose launch is known."""
    grid, shares = grid_of(facts), _Shares(facts)
    whole = _of_region(kernel, facts, shares, math.prod(grid), None)
    regions = _alike_blocks(kernel, shares, whole, grid)
    if not regions:
        return whole
    classes = tuple(
        BlockClass(
            region, box_of(region, grid), middle_of(region, grid),
            _of_region(kernel, facts, shares, region.blocks, region, whole.lanes),
        )
        for region in regions
    )  # fmt: skip
    return replace(whole, blocks=classes)


def grid_of(facts: Facts) -> tuple[int, int, int]:
    """Thread blocks in x, y and z of a launch that is known."""
    known = facts[SymbolicValues].algebra.known
    assert known.global_size is not None
    assert known.local_size is not None
    groups = [w // p for w, p in zip(known.global_size, known.local_size, strict=True)]
    x, y, z = (*groups, 1, 1)[:3]
    return x, y, z


def _of_region(
    kernel: Kernel, facts: Facts, shares: _Shares, groups: int, region: Region | None,
    lanes: tuple[float, ...] | None = None,
) -> Flow:  # fmt: skip
    """The flow of the thread blocks of a region, with the classes of their warps."""
    places = block_warps(facts)
    flow = _flow(kernel, facts, shares, _Part(groups * places, None, region), lanes)
    alike = alike_warps(_by_place(shares, flow, places, region))
    if len(alike) == 1:
        return flow
    parts = [_Part(groups * len(own), own, region) for own in alike]
    classes = (
        WarpClass(own, _flow(kernel, facts, shares, part, flow.lanes))
        for own, part in zip(alike, parts, strict=True)
    )
    return replace(flow, classes=tuple(classes))


def _alike_blocks(
    kernel: Kernel, shares: _Shares, flow: Flow, grid: tuple[int, int, int]
) -> tuple[Region, ...]:
    """Thread blocks in classes by the instructions that they execute."""
    alike, parts = 0.0, dict[int, tuple[TakingShares, float]]()
    for block, executions in enumerate(flow.executions):
        work = len(kernel.function.blocks[block].instructions) * executions
        taking = shares.above(block) if work else None
        if taking is None:
            alike += work
        else:
            _, before = parts.get(id(taking), (taking, 0.0))
            parts[id(taking)] = taking, before + work
    return alike_blocks(tuple(parts.values()), alike, grid)


def _by_place(
    shares: _Shares, flow: Flow, places: int, region: Region | None
) -> NDArray[np.float64]:
    """Executions of the blocks of which they are known, by the warps of a thread block."""
    found = [np.zeros(places)]
    for block, executions in enumerate(flow.executions):
        active = shares.activity(block) if executions and block not in flow.assumed else None
        if active is None or isinstance(active.condition, Number):
            continue
        share = shares.of(active)
        if share is not None:
            by_place = share.by_place if region is None else share.over(region)
            found.append(by_place * math.prod(active.counts.values()))
    return np.array(found)


def _flow(
    kernel: Kernel, facts: Facts, shares: _Shares, part: _Part, known: tuple[float, ...] | None
) -> Flow:
    """The flow of some warps; ``known`` are the lanes that take part, of all warps where these are
    not."""
    executions, work = [0.0] * len(kernel.function.blocks), [0.0] * len(kernel.function.blocks)
    assumed = set[int]()
    for block in forward(kernel):
        if block not in facts[ControlFlow].reachable:
            continue
        found = _counted(shares, block, part)
        if found is None:
            assumed.add(block)
            executions[block], work[block] = _guessed(
                kernel, facts, shares, block, executions, work, part.warps
            )
        else:
            executions[block] = found
            lanes = _known_lanes(facts, block, found) if known is None else known[block]
            work[block] = found * lanes
    entries, trips = _loops(kernel, facts, executions)
    lanes = tuple(min(1.0, w / e) if e else 1.0 for w, e in zip(work, executions, strict=True))
    block_of = tuple(access.block for access in facts[MemoryAccesses].accesses)
    return Flow(
        part.warps, tuple(executions), entries, trips, frozenset(assumed), lanes, block_of,
        width=warp_of(facts),
    )  # fmt: skip


def warp_of(facts: Facts) -> int:
    """Lanes of a warp."""
    return facts[SymbolicValues].algebra.known.warp


def block_warps(facts: Facts) -> int:
    """Warps of a thread block."""
    local = facts[SymbolicValues].algebra.known.local_size
    assert local is not None
    return -(-math.prod(local) // warp_of(facts))


def _known_lanes(facts: Facts, block: int, executions: float) -> float:
    """The share of a warp's lanes that take part in a block, 1 where it is not known."""
    count, size = facts[FlowCounts].blocks[block], facts[SymbolicValues].algebra.known.global_size
    if count is None or size is None or not executions:
        return 1.0
    threads = count.executions or (count.mean or 0.0) * math.prod(size)
    return min(1.0, threads / (executions * warp_of(facts))) if threads else 1.0


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


def _counted(shares: _Shares, block: int, part: _Part) -> float | None:
    active = shares.activity(block)
    if active is None:
        return None
    if active.never:
        return 0.0
    whole = float(part.warps) * math.prod(active.counts.values())
    if isinstance(active.condition, Number):
        return whole
    share = shares.of(active)
    return None if share is None else whole * part.share(share)


def _guessed(
    kernel: Kernel, facts: Facts, shares: _Shares, block: int, executions: list[float],
    work: list[float], warps: int,
) -> tuple[float, float]:  # fmt: skip
    """Executions by warps, and the same counted in whole warps of lanes, from the blocks before:
    all of a jump, a share of a branch; loops run as often as is assumed."""
    loops = facts[Loops]
    total = lanes = float(warps) if block == 0 else 0.0
    for before in kernel.function.blocks[block].predecessors:
        if loops.is_back_edge(before, block):
            continue
        share = _edge_share(kernel, facts, shares, before, block)
        total += executions[before] * share.warps
        lanes += work[before] * share.lanes
    inner = loops.innermost[block]
    if inner is not None and loops.loops[inner].header == block:
        times = _assumed_trips(kernel, facts, loops.loops[inner])
        return total * times, lanes * times
    before = facts[Dominators].immediate(block)
    if before is not None and loops.innermost[before] == inner:
        # Lanes that parted reconverge: a block runs no more often than one that always leads to it.
        return min(total, executions[before]), min(lanes, work[before])
    return total, min(lanes, total)


def _edge_share(
    kernel: Kernel, facts: Facts, shares: _Shares, before: int, block: int
) -> EdgeShare:
    """How much of a block's executions goes on to one that follows it."""
    given = facts[AssumedShares].edges.get((before, block))
    if given is not None:
        return given
    known = _known_share(kernel, facts, shares, before, block)
    if known is not None:
        return known
    loops = facts[Loops]
    ways = kernel.function.blocks[before].successors
    into_copies = [way for way in ways if _enters_copies(kernel, facts, before, way)]
    if into_copies:
        part = float(block in into_copies)
        return EdgeShare(part, part)
    inner = loops.innermost[before]
    if inner is not None and block not in loops.loops[inner].blocks:
        part = 1.0 / _assumed_trips(kernel, facts, loops.loops[inner])
        return EdgeShare(part, part)
    stays = [w for w in set(ways) if loops.innermost[w] == inner]
    return facts[AssumedShares].otherwise(before) if len(stays) > 1 else EdgeShare(1.0, 1.0)


def _enters_copies(kernel: Kernel, facts: Facts, before: int, block: int) -> bool:
    """Whether a way leads to a loop that was unrolled, and past that of the iterations left over:
    so many are assumed that some are run together."""
    loops, dominates = facts[Loops], facts[Dominators].dominates
    if len(kernel.function.blocks[block].predecessors) > 1:
        return False
    reached = [
        copies(kernel.function, loops, loop) for loop in loops.loops
        if before not in loop.blocks and dominates(block, loop.header)
        and loop.parent == loops.innermost[before]
    ]  # fmt: skip
    return len(reached) == 1 and reached[0][0] > 1


def _known_share(
    kernel: Kernel, facts: Facts, shares: _Shares, before: int, block: int
) -> EdgeShare | None:
    """That of a branch which memory does not decide, though it does decide who comes to it: as if
    all work-items came. None where it may differ from one iteration to the next."""
    branch, values = kernel.function.blocks[before].terminator, facts[SymbolicValues]
    if not isinstance(branch, CondBranch) or branch.then == branch.otherwise:
        return None
    condition = values.scalar(branch.condition, before)
    if block != branch.then:
        condition = values.algebra.negation(condition)
    if isinstance(condition, Number):
        return EdgeShare(float(bool(condition.value)), float(bool(condition.value)))
    if values.varying(condition) or needs_a_run(values, condition):
        return None
    taking = shares.of(Activity(condition, {}))
    if taking is None:
        return None
    lanes = summary(values, condition)
    mean = abs(lanes.mean) if isinstance(lanes, Summary) else taking.mean
    return EdgeShare(taking.mean, min(mean, taking.mean))


def _assumed_trips(kernel: Kernel, facts: Facts, loop: Loop) -> float:
    trips = facts[TripCounts].trips
    trip, around = trips[loop.id], None if loop.parent is None else trips[loop.parent]
    if trip.total_mean is not None and (around is None or around.total_mean):
        # Of a sample of the work-items: the bounds of a large launch say little.
        return max(trip.total_mean / (1.0 if around is None else around.total_mean or 1.0), 1.0)
    if trip.open_mean is not None and (around is None or around.open_mean):
        found = trip.open_mean / (1.0 if around is None else around.open_mean or 1.0)
        return max(found / 2 if trip.kind is TripKind.BOUND else found, 1.0)
    own, most = copies(kernel.function, facts[Loops], loop)
    if own < most:  # those that are left over where so many are unrolled
        return most / own / 2
    if trip.greatest is not None and trip.least is not None:
        return max((trip.greatest + trip.least) / 2, 1.0)
    return retries(kernel, facts, loop) or max(ASSUMED_TRIPS / own, 1.0)


def _left(kernel: Kernel, loop: Loop, executions: list[float]) -> float:
    """How often warps leave a loop, where it has exits of its own: as often as they enter it. That
    before it may be executed more often, where it also leads elsewhere."""
    ways = {
        way for block in loop.blocks for way in kernel.function.blocks[block].successors
        if way not in loop.blocks
    }  # fmt: skip
    own = all(set(kernel.function.blocks[way].predecessors) <= set(loop.blocks) for way in ways)
    return sum(executions[way] for way in ways) if own and ways else math.inf


def _loops(
    kernel: Kernel, facts: Facts, executions: list[float]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    entries, trips = list[float](), list[float]()
    for loop in facts[Loops].loops:
        outside = [p for p in kernel.function.blocks[loop.header].predecessors
                   if p not in loop.blocks]  # fmt: skip
        header = executions[loop.header]
        entered = min(sum(executions[p] for p in outside), header, _left(kernel, loop, executions))
        entries.append(entered)
        trips.append(header / entered if entered else 0.0)
    return tuple(entries), tuple(trips)

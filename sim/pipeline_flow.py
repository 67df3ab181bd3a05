"""How often warps execute each block, and the sequence of operations that one warp issues.

Counts come from the conditions under which lanes execute a block, over the whole launch: a warp
executes it if one of its lanes does. Where memory decides, a share is assumed and counted as such.
A long trace is cut: outer loops run a few iterations, and time is extrapolated over operations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from kcc.frontend.kernel import Kernel
from kcc.passes.access_activity import Activity, activity
from kcc.passes.activity_shares import ActivityShares
from kcc.passes.control_flow import ControlFlow
from kcc.passes.dominance import Dominators
from kcc.passes.facts import Facts
from kcc.passes.flow_counts import FlowCounts
from kcc.passes.loops import Loop, Loops
from kcc.passes.memory_accesses import MemoryAccesses
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Number
from kcc.passes.trip_counts import TripCounts
from kcc.passes.warp_addresses import WARP, TakingShares, Warps
from kcc.sim.assumed_shares import AssumedShares, EdgeShare
from kcc.sim.machine_operations import MachineProgram
from kcc.sim.warp_classes import alike_warps, turns

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
    places = _block_warps(facts)
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
    for block in _forward(kernel):
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


def _known_lanes(facts: Facts, block: int, executions: float) -> float:
    """The share of a warp's lanes that take part in a block, 1 where it is not known."""
    count = facts[FlowCounts].blocks[block]
    if count is None or not count.executions or not executions:
        return 1.0
    return min(1.0, count.executions / (executions * WARP))


def _forward(kernel: Kernel) -> list[int]:
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


# the trace

MOST_OPERATIONS = 5000
"""Of a trace before it is cut: some 10 ms on one core with all warps of an SM."""

LONGEST = 50_000
"""Of a trace in which only outer loops are cut, so that inner ones keep their weight."""

FEWEST = 8
"""Iterations that a loop keeps at least: what the middle ones take differs by a few percent from
what it is in the long run, of 4 by up to 16 (ten configurations of gemm, 64 iterations)."""

VARIANTS = 8
"""Traces that warps share where they do not all do the same."""

RARE = 0.5 / VARIANTS
"""What a smaller share of the warps does is in none of them."""


@dataclass(frozen=True, slots=True)
class Traces:
    """``trace[starts[v]:starts[v + 1]]`` are the operations of variant v; ``taken[n, w]`` is the
    variant of warp w of thread blocks n, n + len(taken) ... ``inside[l]`` are the operations of a
    loop that is cut."""

    starts: NDArray[np.int32]
    trace: NDArray[np.int32]
    taken: NDArray[np.int32]
    inside: Mapping[int, NDArray[np.bool_]] = field(default_factory=dict[int, NDArray[np.bool_]])


@dataclass(slots=True)
class _Walk:
    kernel: Kernel
    loops: Loops
    flow: Flow
    program: MachineProgram
    order: list[int]
    caps: Mapping[int, float]
    credit: dict[tuple[str, int], float]
    offset: float
    found: list[int]
    passed: dict[int, list[tuple[int, int]]]
    """Of loops that are cut: where they begin and end in what was found."""
    rare: bool = False
    """Whether what few warps do is done, however few."""

    def region(self, inner: int | None, base: float) -> None:
        """What happens once inside a loop (None: the kernel); ``base``: how often that is."""
        loops = self.loops
        for block in self.order:
            around = loops.innermost[block]
            if around == inner:
                self.take(block, self.flow.executions[block] / base if base else 0.0)
                continue
            child = self._child(block, inner)
            if child is not None and child.header == block:
                share = self.flow.entries[child.id] / base if base else 0.0
                times = self._whole(("loop", child.id), min(share, 1.0))
                for _ in range(times):
                    self.loop(child)

    def _child(self, block: int, inner: int | None) -> Loop | None:
        """The loop directly inside ``inner`` that a block is in."""
        for loop in self.loops.around(block):
            if loop.parent == inner:
                return loop
        return None

    def loop(self, loop: Loop) -> None:
        trips = min(self.flow.trips[loop.id], self.caps.get(loop.id, math.inf))
        times, first = self._whole(("trips", loop.id), trips), len(self.found)
        for _ in range(times):
            self.region(loop.id, self.flow.executions[loop.header])
        if loop.id in self.caps:
            self.passed.setdefault(loop.id, []).append((first, len(self.found)))

    def take(self, block: int, share: float) -> None:
        for _ in range(self._whole(("block", block), min(share, 1.0))):
            self.found.extend(self.program.blocks[block])

    def _whole(self, key: tuple[str, int], share: float) -> int:
        """A share as a number of times that is right in the mean."""
        if self.rare and 0.0 < share < RARE:
            return 1
        total = self.credit.get(key, self.offset) + share
        whole = math.floor(total + 1e-9)
        self.credit[key] = total - whole
        return whole


def traces_of(
    kernel: Kernel, facts: Facts, flow: Flow, program: MachineProgram, caps: Mapping[int, float]
) -> Traces:
    """The traces of warps, with loops cut to ``caps`` iterations."""
    classes = flow.classes or (WarpClass(tuple(range(_block_warps(facts))), flow),)
    starts, rows, variants = [0], list[int](), list[int]()
    passed: dict[int, list[tuple[int, int]]] = {loop: [] for loop in caps}
    for each in classes:
        own = _own_caps(caps, flow, each.flow)
        sure = _is_whole(each.flow, facts, own)
        variants.append(1 if sure else VARIANTS)
        for variant in range(variants[-1]):
            walk = _Walk(
                kernel, facts[Loops], each.flow, program, _forward(kernel), own, {},
                0.0 if sure else (variant + 0.5) / VARIANTS, [], {},
            )  # fmt: skip
            walk.region(None, float(each.flow.warps))
            for loop, parts in walk.passed.items():
                passed[loop] += [(len(rows) + first, len(rows) + end) for first, end in parts]
            rows += walk.found
            starts.append(len(rows))
    inside = {loop: np.zeros(len(rows), np.bool_) for loop in caps}
    for loop, parts in passed.items():
        for first, end in parts:
            inside[loop][first:end] = True
    taken = turns(tuple(each.places for each in classes), tuple(variants))
    return Traces(np.array(starts, np.int32), np.array(rows, np.int32), taken, inside)


def _block_warps(facts: Facts) -> int:
    local = facts[SymbolicValues].algebra.known.local_size
    assert local is not None
    return -(-math.prod(local) // WARP)


def _own_caps(caps: Mapping[int, float], flow: Flow, own: Flow) -> Mapping[int, float]:
    """Of some warps, which run the same part of their iterations as all of them in the mean."""
    return caps if flow is own else {
        loop: cap * own.trips[loop] / flow.trips[loop] for loop, cap in caps.items()
    }  # fmt: skip


def _is_whole(flow: Flow, facts: Facts, caps: Mapping[int, float]) -> bool:
    loops = facts[Loops]
    bases = [
        flow.warps if inner is None else flow.executions[loops.loops[inner].header]
        for inner in loops.innermost
    ]
    shares = [e / b if b else 0.0 for e, b in zip(flow.executions, bases, strict=True)]
    trips = [min(t, caps.get(i, math.inf)) for i, t in enumerate(flow.trips)]
    entered = [
        e
        / (
            flow.warps
            if loop.parent is None
            else flow.executions[loops.loops[loop.parent].header] or 1
        )
        for e, loop in zip(flow.entries, loops.loops, strict=True)
    ]
    return all(abs(v - round(v)) < 1e-9 for v in (*shares, *trips, *entered))


@dataclass(frozen=True, slots=True)
class CutLoop:
    """A loop around no other's body of which the trace has only some ``iterations`` (by a warp in
    all), and ``missing`` are those that the whole program has beyond the trace."""

    loop: int
    iterations: float
    missing: float


@dataclass(frozen=True, slots=True)
class CutInside:
    """A cut loop, most of all one inside others: a trace with about half as many iterations of it,
    and how many ``times`` what the trace has more than that it lacks. The program comes to the loop
    ``around`` times as often as the trace, of which the outermost loop has the part ``outermost``.
    """

    loop: int
    shorter: Traces
    times: float
    around: float
    outermost: float


@dataclass(frozen=True, slots=True)
class Traced:
    """The trace of a kernel, and what it lacks of each loop that was cut. ``slowest`` is the trace
    of a warp that does all that few warps do (the work-item that adds up the sums of others), None
    where there is nothing of the kind: a launch takes no less than that warp alone."""

    traces: Traces
    cuts: tuple[CutLoop, ...]
    inside: tuple[CutInside, ...]
    slowest: Traces | None = None


def traced(kernel: Kernel, facts: Facts, flow: Flow, program: MachineProgram) -> Traced:
    """The trace of a kernel, cut where it is too long: time then goes on by what one more iteration
    of each cut loop costs."""
    caps = _caps(flow, program, facts)
    base = traces_of(kernel, facts, flow, program, caps)
    scale, cuts, inside = _scale(flow, facts, caps), list[CutLoop](), list[CutInside]()
    for loop_id, cap in caps.items():
        trips = flow.trips[loop_id]
        parent = facts[Loops].loops[loop_id].parent
        if parent is None:
            entries = flow.entries[loop_id] / flow.warps
            cuts.append(CutLoop(loop_id, entries * cap, entries * (trips - cap)))
            continue
        half = cap // 2
        shorter = traces_of(kernel, facts, flow, program, {**caps, loop_id: half})
        times, around = (trips - cap) / (cap - half), 1.0 / scale[parent]
        *_, root = facts[Loops].around(facts[Loops].loops[loop_id].header)
        outermost = 1.0 / scale[root.id]
        inside.append(CutInside(loop_id, shorter, times, around, outermost))
    slowest = _slowest(kernel, facts, flow, program, caps)
    return Traced(base, tuple(cuts), tuple(inside), slowest)


def shortened(
    kernel: Kernel, facts: Facts, flow: Flow, program: MachineProgram, cut: CutLoop
) -> CutInside:
    """What there is of a loop inside others, of one that is not."""
    caps = _caps(flow, program, facts)
    cap, half = caps[cut.loop], caps[cut.loop] // 2
    shorter = traces_of(kernel, facts, flow, program, {**caps, cut.loop: half})
    return CutInside(cut.loop, shorter, (flow.trips[cut.loop] - cap) / (cap - half), 1.0, 1.0)


def lengthened(
    kernel: Kernel, facts: Facts, flow: Flow, program: MachineProgram, cut: CutLoop
) -> tuple[Traces, float]:
    """The cut trace with up to twice as many iterations of a loop, and how many times these
    additional ones it lacks."""
    caps = _caps(flow, program, facts)
    cap, trips = caps[cut.loop], flow.trips[cut.loop]
    longer = min(2.0 * cap, trips)
    traces = traces_of(kernel, facts, flow, program, {**caps, cut.loop: longer})
    return traces, (trips - cap) / (longer - cap)


def _slowest(
    kernel: Kernel, facts: Facts, flow: Flow, program: MachineProgram, caps: Mapping[int, float]
) -> Traces | None:
    if not any(0.0 < e < RARE * flow.warps for e in flow.executions):
        return None
    walk = _Walk(
        kernel, facts[Loops], flow, program, _forward(kernel), caps, {}, 0.5, [], {}, rare=True
    )
    walk.region(None, float(flow.warps))
    ends, alone = np.array([0, len(walk.found)], np.int32), np.zeros((1, 1), np.int32)
    return Traces(ends, np.array(walk.found, np.int32), alone)


def _scale(flow: Flow, facts: Facts, caps: Mapping[int, float]) -> dict[int | None, float]:
    """By loop, the share of its body's executions that a cut trace has."""
    scale = dict[int | None, float]({None: 1.0})
    for loop in facts[Loops].loops:
        trips = flow.trips[loop.id]
        own = min(trips, caps.get(loop.id, math.inf)) / trips if trips else 0.0
        scale[loop.id] = scale[loop.parent] * own
    return scale


def _caps(flow: Flow, program: MachineProgram, facts: Facts) -> dict[int, float]:
    """How many iterations of which loops a trace has at most. The longest loop is halved until the
    trace is short; outer loops first, inner ones only where it is very long."""
    loops, innermost = facts[Loops].loops, facts[Loops].innermost
    caps = dict[int, float]()

    def lengths() -> dict[int | None, float]:
        scale, found = _scale(flow, facts, caps), dict[int | None, float]()
        for block, operations in enumerate(program.blocks):
            inner = innermost[block]
            length = flow.executions[block] / flow.warps * scale[inner] * len(operations)
            for each in (None, *(loop.id for loop in facts[Loops].around(block))):
                found[each] = found.get(each, 0.0) + length
        return found

    for depth in range(1, max((loop.depth for loop in loops), default=0) + 1):
        while True:
            length = lengths()
            if length[None] <= MOST_OPERATIONS:
                return caps
            iterations = {
                loop.id: min(flow.trips[loop.id], caps.get(loop.id, math.inf))
                for loop in loops if loop.depth == depth
            }  # fmt: skip
            able = [i for i, n in iterations.items() if n > FEWEST and i in length]
            if not able:
                break
            longest = max(able, key=lambda i: length[i])
            if length[longest] * 2 < MOST_OPERATIONS and depth > 1:
                break
            caps[longest] = max(float(FEWEST), iterations[longest] // 2)
        if length[None] <= LONGEST:
            return caps
    return caps

"""The sequences of operations that warps issue.

A long trace is cut: outer loops run a few iterations, and time is extrapolated over operations.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.frontend.kernel import Kernel
from kcc.passes.facts import Facts
from kcc.passes.graph.loops import Loop, Loops
from kcc.sim.flow.launch_flow import Flow, WarpClass, block_warps, forward
from kcc.sim.flow.warp_classes import assigned_traces
from kcc.sim.program.operations import MachineProgram

MOST_OPERATIONS = 5000
"""Of a trace before it is cut: some 10 ms on one core with all warps of an SM."""

LONGEST = 50_000
"""Of a trace in which only outer loops are cut, so that inner ones keep their weight."""

FEWEST = 8
"""Iterations that a loop keeps at least, rounds where it is unrolled: what the middle ones take
differs by a few percent from what it is in the long run, of 4 by up to 16 (ten configurations of
gemm, 64 iterations)."""

VARIANTS = 8
"""Traces that warps share where they do not all do the same."""

RARE = 0.5 / VARIANTS
"""What a smaller share of the warps does is in none of them."""


@dataclass(frozen=True, slots=True)
class Traces:
    """``trace[starts[v]:starts[v + 1]]`` are the operations of variant v; ``taken[n, w]`` is the
    variant of warp w of thread blocks n, n + len(taken) ... ``inside[l]`` are the operations of a
    loop that is cut. Where thread blocks differ, ``of_classes`` is ``taken`` of each class."""

    starts: NDArray[np.int32]
    trace: NDArray[np.int32]
    taken: NDArray[np.int32]
    inside: Mapping[int, NDArray[np.bool_]] = field(default_factory=dict[int, NDArray[np.bool_]])
    of_classes: tuple[NDArray[np.int32], ...] = ()

    def in_order(self, classes: Sequence[int]) -> Traces:
        """The same for thread blocks of these classes, one after another."""
        if not self.of_classes:
            return self
        seen, rows = [0] * len(self.of_classes), list[NDArray[np.int32]]()
        for each in classes:
            own = self.of_classes[each]
            rows.append(own[seen[each] % len(own)])
            seen[each] += 1
        return replace(self, taken=np.array(rows))


@dataclass(slots=True)
class _TraceBuilder:
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
    steps: dict[int | None, list[tuple[int, Loop | None]]] = field(
        default_factory=dict[int | None, "list[tuple[int, Loop | None]]"]
    )

    def region(self, inner: int | None, base: float) -> None:
        """What happens once inside a loop (None: the kernel); ``base``: how often that is."""
        steps = self.steps.get(inner)
        if steps is None:
            steps = self.steps[inner] = list(self._steps(inner))
        for block, child in steps:
            if child is None:
                self.take(block, self.flow.executions[block] / base if base else 0.0)
                continue
            share = self.flow.entries[child.id] / base if base else 0.0
            for _ in range(self._whole(("loop", child.id), min(share, 1.0))):
                self.loop(child)

    def _steps(self, inner: int | None) -> Iterator[tuple[int, Loop | None]]:
        """In order: blocks of a loop that are in no other inside it, and those others at their
        headers."""
        for block in self.order:
            if self.loops.innermost[block] == inner:
                yield block, None
                continue
            child = next((e for e in self.loops.around(block) if e.parent == inner), None)
            if child is not None and child.header == block:
                yield block, child

    def loop(self, loop: Loop) -> None:
        trips = min(self.flow.trips[loop.id], self.caps.get(loop.id, math.inf))
        times, first = self._whole(("trips", loop.id), trips), len(self.found)
        together, operations = self.program.rounds.blocks.get(loop.header, (times + 1, ()))
        for _ in range(times % together):
            self.region(loop.id, self.flow.executions[loop.header])
        self.found.extend(operations * (times // together))
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
    made = _Made([0], [], {loop: [] for loop in caps})
    alike = [each.flow for each in flow.blocks] or [flow]
    taken = [_taken(kernel, facts, flow, own, program, caps, made) for own in alike]
    inside = {loop: np.zeros(len(made.rows), np.bool_) for loop in caps}
    for loop, parts in made.passed.items():
        for first, end in parts:
            inside[loop][first:end] = True
    return Traces(
        np.array(made.starts, np.int32), np.array(made.rows, np.int32), taken[0], inside,
        tuple(taken) if flow.blocks else (),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Made:
    """Where traces end and the operations of all of them, and of loops that are cut where they
    begin and end there."""

    starts: list[int]
    rows: list[int]
    passed: dict[int, list[tuple[int, int]]]


def _taken(
    kernel: Kernel, facts: Facts, whole: Flow, flow: Flow, program: MachineProgram,
    caps: Mapping[int, float], made: _Made,
) -> NDArray[np.int32]:  # fmt: skip
    """The variants that warps take of thread blocks that are alike; their traces are added."""
    classes = flow.classes or (WarpClass(tuple(range(block_warps(facts))), flow),)
    before, variants = len(made.starts) - 1, list[int]()
    for each in classes:
        own = _own_caps(caps, whole, each.flow)
        sure = _is_whole(each.flow, facts, own)
        variants.append(1 if sure else VARIANTS)
        for variant in range(variants[-1]):
            builder = _TraceBuilder(
                kernel, facts[Loops], each.flow, program, forward(kernel), own, {},
                0.0 if sure else (variant + 0.5) / VARIANTS, [], {},
            )  # fmt: skip
            builder.region(None, float(each.flow.warps))
            for loop, parts in builder.passed.items():
                first = len(made.rows)
                made.passed[loop] += [(first + begin, first + end) for begin, end in parts]
            made.rows.extend(builder.found)
            made.starts.append(len(made.rows))
    return before + assigned_traces(tuple(each.places for each in classes), tuple(variants))


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
    builder = _TraceBuilder(
        kernel, facts[Loops], flow, program, forward(kernel), caps, {}, 0.5, [], {}, rare=True
    )
    builder.region(None, float(flow.warps))
    ends, alone = np.array([0, len(builder.found)], np.int32), np.zeros((1, 1), np.int32)
    return Traces(ends, np.array(builder.found, np.int32), alone)


def _scale(flow: Flow, facts: Facts, caps: Mapping[int, float]) -> dict[int | None, float]:
    """By loop, the share of its body's executions that a cut trace has."""
    scale = dict[int | None, float]({None: 1.0})
    for loop in facts[Loops].loops:
        trips = flow.trips[loop.id]
        own = min(trips, caps.get(loop.id, math.inf)) / trips if trips else 0.0
        scale[loop.id] = scale[loop.parent] * own
    return scale


def _caps(flow: Flow, program: MachineProgram, facts: Facts) -> dict[int, float]:
    """How many iterations of which loops a trace has at most. The longest loops are halved until
    the trace is short; outer loops first, inner ones only where it is very long."""
    loops, innermost = facts[Loops].loops, facts[Loops].innermost
    caps = dict[int, float]()
    rounds = [program.rounds.blocks.get(loop.header, (1, ()))[0] for loop in loops]
    fewest = [float(FEWEST * together) for together in rounds]

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
            able = [i for i, n in iterations.items() if n > fewest[i] and i in length]
            if not able:
                break
            longest = max(length[i] for i in able)
            if longest * 2 < MOST_OPERATIONS and depth > 1:
                break
            # All long ones alike: thread blocks in one of them overlap with those in another.
            for each in (i for i in able if length[i] * 4 >= longest):
                whole = 2.0 * rounds[each]
                caps[each] = max(fewest[each], iterations[each] // 2 // whole * whole)
        if length[None] <= LONGEST:
            return caps
    return caps

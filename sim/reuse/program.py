"""The accesses of a kernel as a program for the reuse-distance analysis: in the order in which a
warp comes to them, with their addresses, the lanes that take part, and the loops around them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kcc.frontend.types import AddressSpace
from kcc.passes.access_activity import Activity, activity
from kcc.passes.control_flow import ControlFlow
from kcc.passes.facts import Facts
from kcc.passes.loops import Loop, Loops
from kcc.passes.memory_accesses import MemoryAccesses
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Number, SymbolKind
from kcc.passes.symbolic.lanes import Key
from kcc.passes.trip_counts import TripCounts
from kcc.passes.warp_addresses import OBJECT_DISTANCE, WARP, Warps
from kcc.sim.cache_analysis import LINE, SECTOR, Stream
from kcc.sim.machine_operations import MachineProgram, Memory
from kcc.sim.pipeline_flow import Flow
from kcc.sim.reuse.layout import Code, Kind, Op

Ints = NDArray[np.int64]

SHORT_PERIOD = 8
"""Iterations of a period at least, where only then a line is used up."""

MOST_MASKS = 64
"""Iterations for which the lanes that take part are computed; in later ones as in the last."""

MOST_MASKED_TRIPS = 32
"""Iterations of a loop that are told apart by their lanes."""


@dataclass(frozen=True, slots=True)
class ReuseProgram:
    """``code`` for the native part; ``accesses[a]`` is the id of its access number a. ``lines`` are
    those that all warps of the launch ask for."""

    code: Code
    accesses: tuple[int, ...]
    grid: tuple[int, int, int]
    warps: int
    lines: float


def reuse_program(
    facts: Facts, flow: Flow, program: MachineProgram, streams: Sequence[Stream],
    grid: tuple[int, int, int],
) -> ReuseProgram:  # fmt: skip
    """The program of those ``streams`` whose addresses are known, but for local memory."""
    kept = [s for s in streams if s.rows is not None and not s.is_local]
    return _Builder(facts, flow, program, kept, grid).build()


class _Builder:
    def __init__(
        self, facts: Facts, flow: Flow, program: MachineProgram, streams: Sequence[Stream],
        grid: tuple[int, int, int],
    ) -> None:  # fmt: skip
        self.facts, self.flow, self.program = facts, flow, program
        self.streams, self.grid = streams, grid
        self.number = {stream.access: i for i, stream in enumerate(streams)}
        self.loops = facts[Loops]
        self.wanted = self._loops_with_accesses()
        self.lanes = _LaneMasks(facts, grid)
        self.active = {flow.block_of[s.access]: None for s in streams}
        self.ops = list[tuple[int, int, int]]()
        self.trips = dict[int, list[int | None]]()
        """Of each loop, what is known of its trips by its accesses."""

    def _loops_with_accesses(self) -> frozenset[int]:
        found = set[int]()
        for stream in self.streams:
            found |= {loop.id for loop in self.loops.around(self.flow.block_of[stream.access])}
        return frozenset(found)

    def build(self) -> ReuseProgram:
        self._region(None)
        count, loops = len(self.streams), len(self.loops.loops)
        accesses, rows = np.zeros((count, 6), np.int64), list[Ints]()
        groups, moves = np.zeros((count, 3), np.int64), np.zeros((count, loops), np.int64)
        shares, masks = np.ones(count), list[Ints]()
        steps, caps = np.zeros((count, loops), np.int64), np.zeros((count, loops), np.int64)
        places = {name: i for i, name in enumerate(dict.fromkeys(s.array for s in self.streams))}
        first = first_mask = 0
        for i, stream in enumerate(self.streams):
            assert stream.rows is not None
            block = self.flow.block_of[stream.access]
            inner = self.loops.innermost[block]
            rows.append(stream.rows + (places[stream.array] + 1) * OBJECT_DISTANCE)
            lanes = self._masks(stream, block)
            for loop in self.loops.around(block):
                self.trips.setdefault(loop.id, []).append(lanes.trips.get(loop.id))
            masks.append(lanes.masks)
            accesses[i] = (
                first, stream.size_bytes, self._kind(stream), first_mask,
                -1 if inner is None else inner,
                inner is not None and stream.loops.get(inner, 0) % (LINE // SHORT_PERIOD) != 0,
            )  # fmt: skip
            first, first_mask = first + len(stream.rows), first_mask + len(lanes.masks)
            groups[i] = stream.groups
            for loop, coefficient in stream.loops.items():
                moves[i, loop] = coefficient
            for loop, (step, cap) in lanes.places.items():
                steps[i, loop], caps[i, loop] = step, cap
            shares[i] = lanes.share
        width = max((r.shape[1] for r in rows), default=1)
        empty = np.zeros((0, width), np.int64)
        warps = len(rows[0]) if rows else 1
        code = Code(
            np.array(self.ops or np.zeros((0, 3)), np.int64).reshape(-1, 3),
            self._loop_rows(moves), accesses, groups, moves, shares, self._entered(),
            np.concatenate([empty, *rows]),
            np.concatenate([np.zeros((0, warps), np.int64), *masks]), steps, caps,
        )  # fmt: skip
        asked = sum(
            s.executions * s.lines for s in self.streams if self._kind(s) is not Kind.CONSTANT
        )
        return ReuseProgram(code, tuple(s.access for s in self.streams), self.grid, warps, asked)

    # what happens in which order

    def _region(self, inner: int | None) -> None:
        for block in self.facts[ControlFlow].order:
            if self.loops.innermost[block] == inner:
                self._block(block)
                continue
            child = self._child(block, inner)
            if child is not None and child.header == block and child.id in self.wanted:
                start = len(self.ops)
                self.ops.append((Op.LOOP, child.id, 0))
                self._region(child.id)
                self.ops[start] = (Op.LOOP, child.id, len(self.ops))
                self.ops.append((Op.END, child.id, start))

    def _child(self, block: int, inner: int | None) -> Loop | None:
        return next((o for o in self.loops.around(block) if o.parent == inner), None)

    def _block(self, block: int) -> None:
        for place in self.program.blocks[block]:
            operation = self.program.operations[place]
            if operation.memory is Memory.BARRIER:
                self.ops.append((Op.BARRIER, 0, 0))
            elif operation.access in self.number:
                self.ops.append((Op.ACCESS, self.number[operation.access], 0))

    def _loop_rows(self, moves: Ints) -> Ints:
        found = np.zeros((len(self.loops.loops), 3), np.int64)
        for loop in self.loops.loops:
            known = [trips for trips in self.trips.get(loop.id, ()) if trips is not None]
            trips = max(round(self.flow.trips[loop.id]), 1)
            if known and len(known) == len(self.trips[loop.id]):
                trips = max(known)
            steps = [int(c) for c in moves[:, loop.id]]
            sectors, lines = (size // math.gcd(*steps, size) for size in (SECTOR, LINE))
            period = max(sectors, min(lines, SHORT_PERIOD))
            found[loop.id] = (trips, period, -1 if loop.parent is None else loop.parent)
        return found

    def _entered(self) -> NDArray[np.float64]:
        found = np.ones(len(self.loops.loops))
        for loop in self.loops.loops:
            around = self.flow.warps if loop.parent is None else (
                self.flow.executions[self.loops.loops[loop.parent].header])  # fmt: skip
            found[loop.id] = self.flow.entries[loop.id] / around if around else 0.0
        return found

    # lanes

    def _kind(self, stream: Stream) -> Kind:
        access = self.facts[MemoryAccesses].accesses[stream.access]
        if access.space is AddressSpace.CONSTANT:
            return Kind.CONSTANT
        return Kind.LOAD if stream.is_load else Kind.STORE

    def _masks(self, stream: Stream, block: int) -> _Lanes:
        assert stream.rows is not None
        inner = self.loops.innermost[block]
        base = self.flow.warps if inner is None else (
            self.flow.executions[self.loops.loops[inner].header])  # fmt: skip
        share = min(1.0, self.flow.executions[block] / base) if base else 0.0
        return self.lanes.of(block, stream.rows.shape, share, self.flow.lanes[block])


@dataclass(frozen=True, slots=True)
class _Lanes:
    """``masks[m, warp]`` as bits; ``places[loop]``: by how much an iteration moves m, and the last
    iteration told apart. ``share``: how often all of that happens. ``trips[loop]``: iterations in
    which a lane may take part, of loops of which each is told apart or all are alike."""

    masks: Ints
    places: Mapping[int, tuple[int, int]]
    share: float
    trips: Mapping[int, int]


class _LaneMasks:
    """Finds the lanes that execute a block, in a thread block from the middle of the launch."""

    def __init__(self, facts: Facts, grid: tuple[int, int, int]) -> None:
        self.values, self.trips, self.loops = (
            facts[SymbolicValues], facts[TripCounts], facts[Loops],
        )  # fmt: skip
        self.middle: dict[Key, int] = {
            (SymbolKind.GROUP_ID, d): extent // 2 for d, extent in enumerate(grid)
        }
        self.kept = dict[int, _Lanes | None]()

    def of(self, block: int, shape: tuple[int, int], share: float, lanes: float) -> _Lanes:
        """Of a block whose accesses have rows of ``shape``; where its condition is not known, the
        first lanes, as many as take part in the mean, in a ``share`` of the executions."""
        if block not in self.kept:
            self.kept[block] = self._computed(block, shape)
        found = self.kept[block]
        if found is not None:
            return found
        width = max(1, round(shape[1] * lanes))
        return _Lanes(np.full((1, shape[0]), (1 << width) - 1, np.int64), {}, share, {})

    def _computed(self, block: int, shape: tuple[int, int]) -> _Lanes | None:
        active = activity(self.values, self.trips, block)
        if active is None:
            return None
        everyone = _bits(self._exists(shape))
        if isinstance(active.condition, Number):
            return _Lanes(everyone[None], {}, 1.0, active.counts)
        warps = Warps(self.values, active.counts)
        if warps.unknown(active.condition):
            return None
        places, counts = self._places(warps, active)
        rows = list[Ints]()
        for iteration in np.ndindex(*counts):
            counters: dict[Key, int] = {
                (SymbolKind.COUNTER, loop): k for loop, k in zip(places, iteration, strict=True)
            }
            taken = warps.first_block(active.condition, self.middle | counters)
            if taken is None:
                return None
            rows.append(_bits((taken != 0) & self._exists(shape)))
        if not any(row.any() for row in rows):
            return None
        trips = {
            loop: count for loop, count in active.counts.items()
            if loop not in places or places[loop][1] == count - 1
        }  # fmt: skip
        return _Lanes(np.array(rows), places, 1.0, trips)

    def _places(
        self, warps: Warps, active: Activity
    ) -> tuple[dict[int, tuple[int, int]], list[int]]:
        """The loops whose iterations are told apart, and how many of each."""
        loops = [
            int(index) for kind, index in warps.moving([active.condition])
            if kind is SymbolKind.COUNTER and index in active.counts
        ]  # fmt: skip
        counts = list[int]()
        for loop in loops:
            room = MOST_MASKS // max(math.prod(counts), 1)
            counts.append(max(1, min(active.counts[loop], room, MOST_MASKED_TRIPS)))
        places, step = dict[int, tuple[int, int]](), 1
        for loop, count in zip(reversed(loops), reversed(counts), strict=True):
            places[loop] = (step, count - 1)
            step *= count
        return {loop: places[loop] for loop in loops}, counts

    def _exists(self, shape: tuple[int, int]) -> NDArray[np.bool_]:
        """Lanes that exist: the last warp of a thread block may not be full."""
        size = math.prod(self.values.algebra.known.local_size or (1,))
        return np.arange(shape[0] * shape[1]).reshape(shape) < size


def _bits(lanes: NDArray[np.bool_]) -> Ints:
    """Lanes of each warp as bits."""
    powers = np.int64(1) << np.arange(min(lanes.shape[1], WARP), dtype=np.int64)
    return (lanes * powers).sum(axis=1)

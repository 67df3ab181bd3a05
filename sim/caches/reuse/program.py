"""The accesses of a kernel as a program for the reuse-distance analysis: in the order in which a
warp comes to them, with their addresses, the lanes that take part, and the loops around them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.frontend.types import AddressSpace
from kcc.passes.access.activity import Activity, activity
from kcc.passes.access.warp_addresses import OBJECT_DISTANCE, Warps
from kcc.passes.control.trip_counts import TripCounts
from kcc.passes.facts import Facts
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.graph.loops import Loop, Loops
from kcc.passes.memory.memory_accesses import MemoryAccesses
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Number, SymbolKind
from kcc.passes.symbolic.lanes import Key
from kcc.sim.caches.reuse.layout import Code, Kind, Op
from kcc.sim.caches.reuse.local_memory import is_local, key_of, local_accesses
from kcc.sim.caches.streams import LINE, SECTOR, Stream
from kcc.sim.flow.launch_flow import Flow
from kcc.sim.program.operations import MachineProgram, Memory

Ints = NDArray[np.int64]

SHORT_PERIOD = 8
"""Iterations of a period at least, where only then a line is used up."""

MOST_MASKS = 64
"""Iterations for which the lanes that take part are computed; in later ones as in the last."""

MOST_PLACES = 64
"""Thread blocks on an SM at most, which decides where the local memory of the next SM begins."""

MOST_MASKED_TRIPS = 32
"""Iterations of a loop that are told apart by their lanes."""


@dataclass(frozen=True, slots=True)
class ReuseProgram:
    """``code`` for the native part; ``accesses[a]`` is the key of its access number a
    (:func:`kcc.sim.caches.reuse.local_memory.key_of`). ``lines`` are those that all warps of the
    launch ask for, ``executions`` those of the accesses by all warps. ``assumed``: whether memory
    decides when or how often warps come to some of them."""

    code: Code
    accesses: tuple[int, ...]
    grid: tuple[int, int, int]
    warps: int
    lines: float
    executions: float
    assumed: bool = False


def local_bytes(program: ReuseProgram) -> int:
    """What a warp touches of its local memory, all iterations of all loops together."""
    code, trips = program.code, program.code.loops[:, 0]
    found = list[tuple[int, int]]()
    for number, groups in enumerate(code.groups):
        if is_local(groups):
            row = code.rows[code.accesses[number, 0]] + code.accesses[number, 6]
            moved = code.moves[number, : len(trips)] * np.maximum(trips - 1, 0)
            first, end = int(row.min()), int(row.max() + code.accesses[number, 1])
            found.append((first + int(moved[moved < 0].sum()), end + int(moved[moved > 0].sum())))
    total, last = 0, 0
    for first, end in sorted(found):
        total += max(end - max(first, last), 0)
        last = max(last, end)
    return total


def reuse_program(
    facts: Facts, flow: Flow, program: MachineProgram, streams: Sequence[Stream],
    grid: tuple[int, int, int], places: tuple[int, int, int],
    middle: tuple[int, int, int] | None = None,
) -> ReuseProgram:  # fmt: skip
    """The program of those ``streams`` whose addresses are known, but for shared memory, and of
    what a work-item has in local memory. The thread block in the ``middle`` says which lanes take
    part; None: that of the grid."""
    kept = [s for s in streams if s.rows is not None and not s.is_local]
    x, y, z = grid
    middle = middle or (x // 2, y // 2, z // 2)
    return _Builder(facts, flow, program, kept, middle, places).build()


@dataclass(frozen=True, slots=True)
class _Item:
    """An operation of the program: ``rows[warp, lane]`` are addresses of the first thread block,
    ``offset_bytes`` further; ``groups`` as in :class:`kcc.sim.caches.reuse.layout.Code`."""

    key: int
    block: int
    kind: Kind
    size_bytes: int
    rows: Ints
    offset_bytes: int
    groups: tuple[int, ...]
    loops: Mapping[int, int]


class _Builder:
    def __init__(
        self, facts: Facts, flow: Flow, program: MachineProgram, streams: Sequence[Stream],
        middle: tuple[int, int, int], places: tuple[int, int, int],
    ) -> None:  # fmt: skip
        self.facts, self.flow, self.program = facts, flow, program
        self.streams, self.grid = streams, places
        self.loops = facts[Loops]
        self.items = [*self._global(), *self._local()]
        self.number = {item.key: i for i, item in enumerate(self.items)}
        self.wanted = frozenset(o.id for i in self.items for o in self.loops.around(i.block))
        self.lanes = _LaneMasks(facts, middle)
        self.ops = list[tuple[int, int, int]]()
        self.trips = dict[int, list[int | None]]()
        """Of each loop, what is known of its trips by its accesses."""

    def _global(self) -> Iterator[_Item]:
        arrays = {name: i for i, name in enumerate(dict.fromkeys(s.array for s in self.streams))}
        for stream in self.streams:
            assert stream.rows is not None
            rows = stream.rows + (arrays[stream.array] + 1) * OBJECT_DISTANCE
            yield _Item(
                stream.access, self.flow.block_of[stream.access], self._kind(stream),
                stream.size_bytes, rows, 0, (*stream.groups, 0, 0), stream.loops,
            )  # fmt: skip

    def _local(self) -> Iterator[_Item]:
        """Operations on local memory, which lies after all arrays."""
        size = self.facts[SymbolicValues].algebra.known.local_size or (1,)
        width = self.flow.width
        warps = -(-math.prod(size) // width)
        of_warp = width * self.program.private_bytes
        start = (len({s.array for s in self.streams}) + 1) * OBJECT_DISTANCE
        groups = (0, 0, 0, warps * of_warp, MOST_PLACES * warps * of_warp)
        made = dict[int, Ints]()
        for each in local_accesses(self.program, self.facts):
            if each.size_bytes not in made:
                lanes = np.arange(min(width, math.prod(size)), dtype=np.int64) * each.size_bytes
                own = np.arange(warps, dtype=np.int64) * of_warp
                made[each.size_bytes] = start + own[:, None] + lanes[None]
            kind = Kind.LOAD if each.is_load else Kind.LOCAL_STORE
            loops = {loop: width * moved for loop, moved in each.loops.items()}
            yield _Item(
                each.key, each.block, kind, each.size_bytes, made[each.size_bytes],
                width * each.offset_bytes, groups, loops,
            )  # fmt: skip

    def build(self) -> ReuseProgram:
        self._region(None)
        count, loops = len(self.items), len(self.loops.loops)
        accesses, rows = np.zeros((count, 7), np.int64), dict[int, tuple[int, Ints]]()
        groups, moves = np.zeros((count, 5), np.int64), np.zeros((count, loops), np.int64)
        shares, masks = np.ones(count), list[Ints]()
        steps, caps = np.zeros((count, loops), np.int64), np.zeros((count, loops), np.int64)
        first = first_mask = 0
        for i, item in enumerate(self.items):
            inner = self.loops.innermost[item.block]
            lanes = self._masks(item)
            for loop in self.loops.around(item.block):
                self.trips.setdefault(loop.id, []).append(lanes.trips.get(loop.id))
            masks.append(lanes.masks)
            if id(item.rows) not in rows:
                rows[id(item.rows)] = first, item.rows
                first += len(item.rows)
            accesses[i] = (
                rows[id(item.rows)][0], item.size_bytes, item.kind, first_mask,
                -1 if inner is None else inner,
                inner is not None and item.loops.get(inner, 0) % (LINE // SHORT_PERIOD) != 0,
                item.offset_bytes,
            )  # fmt: skip
            first_mask += len(lanes.masks)
            groups[i] = item.groups
            for loop, coefficient in item.loops.items():
                moves[i, loop] = coefficient
            for loop, (step, cap) in lanes.places.items():
                steps[i, loop], caps[i, loop] = step, cap
            shares[i] = lanes.share
        every = [each for _, each in rows.values()]
        width = max((r.shape[1] for r in every), default=1)
        empty = np.zeros((0, width), np.int64)
        warps = len(every[0]) if every else 1
        code = Code(
            np.array(self.ops or np.zeros((0, 3)), np.int64).reshape(-1, 3),
            self._loop_rows(moves), accesses, groups, moves, shares, self._entered(),
            np.concatenate([empty, *every]),
            np.concatenate([np.zeros((0, warps), np.int64), *masks]), steps, caps,
        )  # fmt: skip
        return ReuseProgram(
            code, tuple(item.key for item in self.items), self.grid, warps, self._lines(),
            sum(self.flow.executions[item.block] for item in self.items),
            any(item.block in self.flow.assumed for item in self.items),
        )  # fmt: skip

    def _lines(self) -> float:
        """The lines that all warps of the launch ask for."""
        known = sum(
            s.executions * s.lines for s in self.streams if self._kind(s) is not Kind.CONSTANT
        )
        local = (i for i in self.items if is_local(i.groups))
        of_word = 4 * self.flow.width / LINE
        return known + of_word * sum(
            self.flow.executions[i.block] * max(i.size_bytes // 4, 1) for i in local
        )

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
        """A warp goes on from one access to the next while it needs nothing that it waits for."""
        before, waited_for = None, set[int]()
        for place in self.program.blocks[block]:
            operation = self.program.operations[place]
            if waited_for.intersection(operation.needs):
                before, waited_for = None, set[int]()
            if operation.memory is Memory.BARRIER:
                self.ops.append((Op.BARRIER, 0, 0))
                before = None
                continue
            key = key_of(operation.access, place)
            if key in self.number:
                if before is not None:
                    self.ops[before] = (*self.ops[before][:2], 1)
                before = len(self.ops)
                self.ops.append((Op.ACCESS, self.number[key], 0))
                waited_for.add(place)

    def _loop_rows(self, moves: Ints) -> Ints:
        found = np.zeros((len(self.loops.loops), 4), np.int64)
        own = {loop for item in self.items if is_local(item.groups) for loop in item.loops}
        for loop in self.loops.loops:
            known = [trips for trips in self.trips.get(loop.id, ()) if trips is not None]
            trips = max(round(self.flow.trips[loop.id]), 1)
            if known and len(known) == len(self.trips[loop.id]):
                trips = max(known)
            steps = [int(c) for c in moves[:, loop.id]]
            sectors, lines = (size // math.gcd(*steps, size) for size in (SECTOR, LINE))
            period = max(sectors, min(lines, SHORT_PERIOD))
            parent = -1 if loop.parent is None else loop.parent
            found[loop.id] = (trips, period, parent, loop.id in own)
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

    def _masks(self, item: _Item) -> _Lanes:
        block = item.block
        inner = self.loops.innermost[block]
        base = self.flow.warps if inner is None else (
            self.flow.executions[self.loops.loops[inner].header])  # fmt: skip
        share = min(1.0, self.flow.executions[block] / base) if base else 0.0
        shape = (item.rows.shape[0], item.rows.shape[1])
        return self.lanes.of(block, shape, share, self.flow.lanes[block])


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

    def __init__(self, facts: Facts, middle: tuple[int, int, int]) -> None:
        self.values, self.trips, self.loops = (
            facts[SymbolicValues], facts[TripCounts], facts[Loops],
        )  # fmt: skip
        self.middle: dict[Key, int] = {
            (SymbolKind.GROUP_ID, d): place for d, place in enumerate(middle)
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
        first = _bits(np.arange(shape[1])[None] < width)
        return _Lanes(np.broadcast_to(first, (1, shape[0])), {}, share, {})

    def _computed(self, block: int, shape: tuple[int, int]) -> _Lanes | None:
        active = activity(self.values, self.trips, block)
        if active is None:
            return None
        everyone = _bits(self._exists(shape))
        if isinstance(active.condition, Number):
            masks = everyone if active.condition.value else np.zeros_like(everyone)
            return _Lanes(masks[None], {}, 1.0, active.counts)
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
        loops = sorted(
            int(index) for kind, index in warps.moving([active.condition])
            if kind is SymbolKind.COUNTER and index in active.counts
        )  # fmt: skip
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
    powers = np.int64(1) << np.arange(lanes.shape[1], dtype=np.int64)
    return (lanes * powers).sum(axis=1)

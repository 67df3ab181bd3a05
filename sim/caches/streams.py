"""The accesses of a kernel as streams: which addresses its warps ask for, by thread block and
iteration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.frontend.ir.types import IntTy, size_bytes
from kcc.frontend.kernel import Kernel
from kcc.frontend.types import AddressSpace
from kcc.passes.access.activity import activity
from kcc.passes.access.patterns import AccessStudy, Split
from kcc.passes.access.warp_addresses import Warps
from kcc.passes.control.trip_counts import TripCounts
from kcc.passes.facts import Facts
from kcc.passes.graph.loops import Loops
from kcc.passes.memory.access_facts import MemoryShape
from kcc.passes.memory.arrays import Array
from kcc.passes.memory.memory_accesses import AccessOp, MemoryAccess, MemoryAccesses, is_bulk_copy
from kcc.passes.memory.warp_cost import bank_passes
from kcc.passes.symbolic.affine import unwrapped
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Expr, Loaded, Node, Sum, SymbolKind
from kcc.passes.symbolic.lanes import Key
from kcc.passes.symbolic.nodes import base_of
from kcc.passes.symbolic.reasons import needs_a_run
from kcc.passes.unknown import Unknown
from kcc.sim.caches.access_costs import (
    LINE,
    SECTOR,
    Costs,
    addresses_of,
    bulk_costs,
    costs_of,
    shifts_of,
)
from kcc.sim.caches.index_arrays import Pieces, as_indexed, indices_of
from kcc.sim.caches.reach import array_sizes, reach_of
from kcc.sim.caches.row_traversals import Member, Step, Traversal, step_of, traversals_of
from kcc.sim.caches.unknown_factors import loaded_by_all, placed_at, power_inside, with_fills
from kcc.sim.flow.folded_grid import period_of
from kcc.sim.flow.launch_flow import Flow, grid_of
from kcc.sim.flow.open_arguments import open_arguments, placed
from kcc.sim.program.atomics import have_one_address, is_joined

Ints = NDArray[np.int64]

INDIRECT_SHARE = 0.5
"""Sectors for each lane of an access through an index that memory holds, where nothing is known:
between one for each lane and fully coalesced."""

INDIRECT_PASSES = 2.0
"""Through the banks of shared memory, of a load or store through such an index: between one, and
what it takes at random."""

INDIRECT_ATOMIC_PASSES = 3.53
"""The same of an atomic operation, whose lanes wait for each other at one word as well: the fullest
of 32 banks if each of 32 lanes takes one at random, in the mean."""

NOTHING: Mapping[str, int] = MappingProxyType({})
MOST_WARPS = 8


@dataclass(frozen=True, slots=True)
class Stream:
    """The addresses of one access: ``rows[warp, lane]`` in bytes for the first thread block and
    iteration, plus ``groups[d]`` times the number of the thread block in dimension d and
    ``loops[i]`` times the iteration of loop i. ``rows`` is None where they are not known."""

    access: int
    array: str
    is_load: bool
    size_bytes: int
    executions: float
    lanes: float
    rows: Ints | None
    groups: tuple[int, int, int]
    loops: Mapping[int, int]
    sectors: float
    lines: float
    passes: float
    is_local: bool = False
    bank_passes: float = 1.0
    period: tuple[int, int] | None = None
    """Where steps in x differ within so many thread blocks and from those to the next: how many,
    and bytes from those to the next."""
    traversal: Traversal | None = None
    """How lanes go on whose beginning is not known."""

    @property
    def is_uniform(self) -> bool:
        """Whether all work-items of a thread block have the same address."""
        return self.rows is not None and bool((self.rows == self.rows.flat[0]).all())

    assumed: bool = False
    """Whether they rest on an argument that nobody gave (:mod:`kcc.sim.flow.open_arguments`)."""
    is_atomic: bool = False
    joined: bool = False
    """Whether the lanes of a warp do an atomic operation together."""
    indirect: bool = False
    """Whether memory decides where lanes go, and nothing is known of it."""
    array_bytes: int | None = None
    """Of the array, where that is given."""
    once: float = 1.0
    """The share of the sectors asked of it that it has."""
    width: int = 32
    """Lanes of a warp."""

    @property
    def full_sectors(self) -> float:
        """Those that the bytes of all lanes of a warp fill."""
        return self.size_bytes * self.width / SECTOR


FoundBefore = dict[tuple[int, int], Stream]
"""Streams by their access and the bytes that a lane moves, but those where memory decides."""


def streams_of(
    kernel: Kernel, facts: Facts, flow: Flow, banks: int, widths: Mapping[int, int],
    array_bytes: Mapping[str, int] = NOTHING, found_before: FoundBefore | None = None,
) -> tuple[Stream, ...]:  # fmt: skip
    """The addresses of the accesses in ``widths``, but private ones. That says how many bytes a
    lane moves in each: more than in the source where neighbours were made one access; those that
    became part of another one are not in it. ``array_bytes`` are the sizes of arrays, where given.
    ``found_before`` of the same launch, which this adds to."""
    reader = _Reader(kernel, facts, flow, banks, array_bytes, found_before)
    streams = [
        reader.stream(access, widths[access.id])
        for access in facts[MemoryAccesses].accesses
        if access.space is not AddressSpace.PRIVATE and access.id in widths
    ]
    traversals = traversals_of(reader.steps, reader.members)
    accesses = facts[MemoryAccesses].accesses
    apart = AddressSpace.LOCAL, AddressSpace.CONSTANT
    unknown = {s.array for s in streams if s.rows is None and accesses[s.access].space not in apart}
    sizes = dict(array_sizes(reader.study, accesses, frozenset(unknown - array_bytes.keys())))
    sizes |= array_bytes
    found = list[Stream]()
    for each in streams:
        stream = replace(each, traversal=traversals.get(each.access))
        if each.array in unknown and each.rows is None:  # constants come another way
            reach = reach_of(reader.study, accesses[each.access])
            own = bounded(stream, None if reach is None else reach[1] - reach[0])
            stream = replace(own, array_bytes=None)  # others may reach other parts of the array
        found.append(bounded(stream, sizes.get(each.array)))
    asked = dict[str, float]()
    for each in found:
        if each.rows is None and each.is_load:
            asked[each.array] = asked.get(each.array, 0.0) + each.executions * each.sectors
    return tuple(
        each if each.array_bytes is None
        else replace(each, once=_share(each.array_bytes / SECTOR, asked.get(each.array, 0.0)))
        for each in found
    )  # fmt: skip


def _share(part: float, whole: float) -> float:
    return min(part / whole, 1.0) if whole else 1.0


def bounded(stream: Stream, array_bytes: int | None) -> Stream:
    """A stream to an array of a known size: lanes that go anywhere in it touch no more of it, in
    the mean, than as many that are drawn."""
    if not array_bytes or stream.is_local:
        return stream
    if stream.rows is not None:
        return replace(stream, array_bytes=array_bytes)
    wanted = stream.width * stream.lanes
    sectors, lines = (_drawn(wanted, -(-array_bytes // piece)) for piece in (SECTOR, LINE))
    return replace(
        stream, array_bytes=array_bytes, sectors=min(stream.sectors, sectors),
        lines=min(stream.lines, lines), passes=min(stream.passes, lines),
    )  # fmt: skip


def _drawn(lanes: float, pieces: int) -> float:
    """How many different ones of so many pieces lanes draw, in the mean; one at least."""
    return max(pieces * (1.0 - (1.0 - 1.0 / pieces) ** lanes), 1.0)


class _Reader:
    """Computes addresses; those that differ by a constant only once."""

    def __init__(
        self, kernel: Kernel, facts: Facts, flow: Flow, banks: int, array_bytes: Mapping[str, int],
        found_before: FoundBefore | None,
    ) -> None:  # fmt: skip
        self.found: FoundBefore = {} if found_before is None else found_before
        self.array_bytes = array_bytes
        self.study = AccessStudy(kernel, facts, MemoryShape())
        self.instructions = kernel.function.instructions
        self.values, self.flow, self.banks = facts[SymbolicValues], flow, banks
        self.warps = Warps(self.values, {})
        self.by_block = dict[int, Warps]()
        self.rows = dict[object, Ints | None]()
        self.splits = dict[object, Split | Unknown]()
        self.costs = dict[object, Costs]()
        self.moves = dict[object, dict[Key, int]]()
        self.periods = dict[object, tuple[int, int] | None]()
        self.loops, self.facts = facts[Loops], facts
        self.by_value = {
            a.index for a in kernel.function.arguments if a.attributes.byval is not None
        }  # fmt: skip
        self.steps = dict[int, Step]()  # of accesses whose rows are not known, by access
        self.members = dict[int, Member]()  # of those without steps
        self.own_powers = dict[int, int | None]()
        self.pieces = dict[tuple[str, frozenset[Node]], int]()
        self.powers = dict[tuple[str, frozenset[str]], int]()
        self.arrays = {
            a.instruction: a.array.name
            for a in facts[MemoryAccesses].accesses if isinstance(a.array, Array)
        }  # fmt: skip
        self.own_rows = set[int]()  # loads whose lanes read a row of their own, or by such a row

    def address(self, access: MemoryAccess) -> tuple[Expr, bool]:
        """The address of an access, and whether an argument that nobody gave had to be assumed; one
        whose lanes lie apart by such an argument is left as it is."""
        found = self._certain_or_likely(access)
        missing = open_arguments(self.values, self.warps, found)
        if not missing:
            inside = self._inside(access, found)
            return (found, False) if inside is None else (self._likely(inside), True)
        one, other = (placed(self.values, found, missing, times) for times in (1, 3))
        return (one, True) if self.are_alike(access, one, other) else (found, False)

    def _certain_or_likely(self, access: MemoryAccess) -> Expr:
        """The address; where lanes cannot be told apart for what is added to their number before
        that is extended (`in[sample + shift]`, of 32 bits), as if no sum wrapped: in an array of
        less than 4 GiB nothing else is inside."""
        found = with_fills(self.values, self.study.address(access))
        if not isinstance(self.split(access, found)[0], Unknown):
            return found
        likely = self._likely(found)
        known = likely is not found and not isinstance(self.split(access, likely)[0], Unknown)
        return likely if known else found

    def _likely(self, address: Expr) -> Expr:
        return unwrapped(self.study.values, address)

    def _inside(self, access: MemoryAccess, address: Expr) -> Expr | None:
        """The address of lanes that lie apart by what memory holds, so that the launch stays in an
        array of a known size. Whatever reads that array by numbers of the same other one (as the
        copies of an unrolled loop do, of which the last comes nearest to the end) says how large
        those can be."""
        own = self._power(access, address)
        if own is None or not isinstance(access.array, Array):
            return None
        key = (access.array.name, self._sources(address))
        if key not in self.powers:
            alike = (
                (other, self.study.address(other))
                for other in self.facts[MemoryAccesses].accesses
                if isinstance(other.array, Array) and other.array.name == access.array.name
            )
            powers = (self._power(o, a) for o, a in alike if self._sources(a) == key[1])
            self.powers[key] = min((each for each in powers if each is not None), default=own)
        loaded = loaded_by_all(self.values, self.study.judge, address)
        return placed_at(self.values, address, loaded, min(own, self.powers[key]) - 1)

    def _sources(self, address: Expr) -> frozenset[str]:
        """The arrays that an address has numbers of."""
        loaded = loaded_by_all(self.values, self.study.judge, address)
        return frozenset(self.arrays.get(each.instruction, "") for each in loaded)

    def _power(self, access: MemoryAccess, address: Expr) -> int | None:
        """How large a power of two what memory holds can be, by one access."""
        if access.id not in self.own_powers:
            self.own_powers[access.id] = self._power_of(access, address)
        return self.own_powers[access.id]

    def _power_of(self, access: MemoryAccess, address: Expr) -> int | None:
        size = self.array_bytes.get(access.array.name) if isinstance(access.array, Array) else None
        if size is None or not isinstance(self.split(access, address)[0], Unknown):
            return None
        loaded = loaded_by_all(self.values, self.study.judge, address)
        active = activity(self.values, self.facts[TripCounts], access.block)
        if active is None or not loaded:
            return None
        last, warps = self._last_block(access.block), Warps(self.values, active.counts)

        def end_of(key: Key) -> int:
            kind, index = key
            if kind is SymbolKind.GROUP_ID and isinstance(index, int):
                return last[index]
            return (warps.extent(key) or 1) - 1

        def span(each: Expr) -> tuple[int, int] | None:
            ends = {key: end_of(key) for key in warps.moving([each])}
            first, end = warps.first_block(each), warps.first_block(each, ends)
            if first is None or end is None:
                return None
            return int(min(first.min(), end.min())), int(max(first.max(), end.max()))

        return power_inside(self.values, address, loaded, span, size)

    def _last_block(self, block: int) -> tuple[int, int, int]:
        """The numbers of the last thread block that executes a block of the program as most do."""
        most = max(self.flow.blocks, key=lambda c: c.flow.executions[block], default=None)
        if most is not None and most.grid is None:
            return most.middle
        x, y, z = (most and most.grid) or grid_of(self.facts)
        return max(x - 2, 0), max(y - 2, 0), max(z - 2, 0)

    def are_alike(self, access: MemoryAccess, *addresses: Expr) -> bool:
        """Whether lanes are as far from each other at one of two addresses as at the other."""
        rows = list[Ints]()
        for address in addresses:
            split, _, place = self.split(access, address)
            found = None if isinstance(split, Unknown) else self.addresses(split, place)
            if found is None:
                return False
            rows.append(found - found[:, :1])
        return bool((rows[0] == rows[1]).all())

    def split(self, access: MemoryAccess, address: Expr) -> tuple[Split | Unknown, int, object]:
        """The parts of an address without its constant, the constant, and a key for the former."""
        if access.block not in self.by_block:
            counts = self.study.iterations(access.block).counts
            self.by_block[access.block] = Warps(self.values, counts)
        constant = address.constant if isinstance(address, Sum) else 0
        bare = address
        if isinstance(address, Sum) and constant:
            assert isinstance(address.type, IntTy)
            bare = self.study.algebra.sum(list(address.terms), address.type, 0)
        key = (access.block, bare)
        if key not in self.splits:
            self.splits[key] = self.study.split(self.by_block[access.block], bare, None)
        return self.splits[key], constant, key

    def addresses(self, split: Split, key: object) -> Ints | None:
        """Those of all warps of the first thread block, without the constant."""
        if key not in self.rows:
            self.rows[key] = self.warps.first_block(split.core)
        return self.rows[key]

    def moved(self, split: Split, rows: Ints, place: object) -> dict[Key, int]:
        """By how much thread blocks and iterations move an address that is no sum of their
        numbers in form: from its values at 0 and 1."""
        if place not in self.moves:
            found = dict[Key, int]()
            for key in sorted(self.warps.moving([split.core]) - set(split.linear), key=str):
                other = self.warps.first_block(split.core, {key: 1})
                if other is not None:
                    found[key] = int(np.median(other - rows))
            self.moves[place] = found
        return self.moves[place]

    def period(self, split: Split, rows: Ints, place: object) -> tuple[int, int] | None:
        """That of thread blocks in x, by which an address moves that is no sum in form."""
        key: Key = (SymbolKind.GROUP_ID, 0)
        if key not in self.moved(split, rows, place):
            return None
        if place not in self.periods:

            def offset(block: int) -> int | None:
                other = self.warps.first_block(split.core, {key: block})
                moved = None if other is None else other - rows
                return None if moved is None or (moved != moved[0, 0]).any() else int(moved[0, 0])

            self.periods[place] = period_of(offset, self.warps.extent(key) or 1)
        return self.periods[place]

    def places(self, access: MemoryAccess, split: Split, place: object, size: int) -> _Places:
        """Where the lanes of an access go that move ``size`` bytes each."""
        rows = self.addresses(split, place)
        groups, loops = _coefficients(split.linear)
        if rows is None or access.space is AddressSpace.LOCAL:
            return _Places(rows, groups, loops)
        more, inner = _coefficients(self.moved(split, rows, place))
        groups = [a + b for a, b in zip(groups, more, strict=True)]
        loops |= inner
        apart, span = self.placed_by_struct(split), int(rows.max() - rows.min()) + size
        span += sum(abs(c) * max(round(self.flow.trips[i]) - 1, 0) for i, c in loops.items())
        for dimension in apart:  # one behind the other, as far as anybody knows
            groups[dimension] += -(-span // LINE) * LINE
            span = groups[dimension] * (self.warps.extent(_group(dimension)) or 1)
        return _Places(rows, groups, loops, self.period(split, rows, place), bool(apart))

    def as_indexed(
        self, access: MemoryAccess, address: Expr, split: Split, size: int
    ) -> tuple[Expr, bool] | None:
        """The address of an access with what arrays of indices likely hold
        (:mod:`kcc.sim.caches.index_arrays`)."""
        array, indices = access.array, indices_of(self.warps, split)
        if not indices or not isinstance(array, Array) or access.space is AddressSpace.LOCAL:
            return None
        key = (array.name, indices)
        if key not in self.pieces:
            accesses = (a for a in self.facts[MemoryAccesses].accesses if a.array == array)
            reached = [self.reached(each, indices) for each in accesses]
            first = min(each[0] for each in reached if each)
            self.pieces[key] = max(each[1] for each in reached if each) - first
        pieces = Pieces(size, self.pieces[key], self.array_bytes.get(array.name))
        made = as_indexed(self.values, self.warps, address, split, pieces)
        return None if made is None else (self._likely(made[0]), made[1])

    def reached(self, access: MemoryAccess, indices: frozenset[Node]) -> tuple[int, int] | None:
        """From where to where the lanes of an access go by one number of each of ``indices``; None
        where others move them."""
        split, constant, place = self.split(access, self.address(access)[0])
        if isinstance(split, Unknown) or indices_of(self.warps, split) != indices:
            return None
        assert isinstance(access.element_bytes, int)
        found = self.places(access, split, place, access.element_bytes)
        if found.rows is None:
            return None
        rows = found.rows[:1] if (found.rows == found.rows[:1]).all() else found.rows
        moved = [c * max(round(self.flow.trips[i]) - 1, 0) for i, c in found.loops.items()]
        first = int(rows.min()) + sum(min(each, 0) for each in moved)
        end = int(rows.max()) + access.element_bytes + sum(max(each, 0) for each in moved)
        return first + constant, end + constant

    def placed_by_struct(self, split: Split) -> list[int]:
        """The dimensions of thread blocks whose numbers an address has only times what a struct by
        value holds that nobody gave: a stride, or a size."""
        held = [term for term, _ in split.loose if self._is_of_struct(term)]
        moved = self.warps.moving(held)
        return [d for d in range(3) if _group(d) in moved and _group(d) not in split.linear]

    def _is_of_struct(self, term: Node) -> bool:
        causes = self.values.causes(term)
        bases = [
            base_of(each.address) if isinstance(each, Loaded) and each.address else None
            for each in causes
        ]  # fmt: skip
        return bool(bases) and all(
            base is not None and base.kind is SymbolKind.POINTER and base.index in self.by_value
            for base in bases
        )

    def constants(self, access: MemoryAccess, size: int, lanes: float) -> float | None:
        """How many different constants so many lanes draw in the mean from a variable of the
        module; None from what else there is."""
        array = access.array
        if not isinstance(array, Array) or array.symbol not in self.values.module.globals:
            return None
        whole = size_bytes(self.values.module.globals[str(array.symbol)].type)
        return _drawn(lanes, max(whole // size, 1))

    def lie_apart(self, access: MemoryAccess, address: Expr, size: int) -> bool:
        """Whether the lanes of an access whose place memory decides have nothing to do with each
        other: each walks along a row of its own, or reads what such a row holds the index of."""
        address = self._likely(address)
        _, constant, place = self.split(access, address)
        step = step_of(self.values, self.loops, access.block, address, place)
        if step is not None:
            line = self.loops.loops[step.loop].line
            rows = [loop.id for loop in self.loops.loops if loop.line == line]
            apart = step.bytes * sum(self.flow.trips[loop] for loop in rows) >= SECTOR
            if access.space is not AddressSpace.LOCAL:
                self.steps[access.id] = step
        else:
            causes = self.values.causes(address) if self.own_rows else ()
            apart = not self.own_rows.isdisjoint(cause.instruction for cause in causes)
        if access.op is AccessOp.LOAD:
            if apart:
                self.own_rows.add(access.instruction)
            if step is None and access.space is not AddressSpace.LOCAL:
                self.members[access.id] = Member(place, constant, size)
        return apart

    def passes_by_lanes(
        self, access: MemoryAccess, split: Split, size: int, first: float, rows: Ints
    ) -> float:
        """Wavefronts of an access to shared memory in the mean over its executions, each by the
        lanes that take part in it, where that is known; ``first`` are those of all lanes, which
        go to ``rows``, in the first iteration."""
        moved = self.warps.moving([split.core])
        alike = all(kind is not SymbolKind.COUNTER for kind, _ in moved)
        if alike and (self.flow.lanes[access.block] >= 1.0 or first <= 1.0):
            return first
        from kcc.passes.access.measure import Place

        address = self.study.address(access)
        inside = (address.constant if isinstance(address, Sum) else 0) % size
        begin = self.study.algebra.plus(address, -inside) if inside else address
        loops = tuple(self.values.loops.around(access.block))
        shape = replace(self.study.shape, banks=self.banks)
        place = Place(begin, size, access.space, shape, loops)
        done = self.study.executions(access.block, place)
        if done is None or not done.count:
            return first
        plain, _ = bank_passes(rows, size, None, banks=self.banks)
        found = done.bank_passes / done.count * first / float(plain.mean())
        return min(found, first) if alike else found

    def stream(self, access: MemoryAccess, width: int) -> Stream:
        """The addresses of one access that moves ``width`` bytes a lane."""
        key = access.id, width
        if key not in self.found:
            made = _stream(access, self, width)
            if made.indirect:  # what other accesses are decides with it
                return made
            self.found[key] = made
        return self.found[key]


def _stream(access: MemoryAccess, reader: _Reader, size: int) -> Stream:
    flow = reader.flow
    executions = flow.executions[access.block]
    array = access.array.name if isinstance(access.array, Array) else f"access {access.id}"
    address, assumed = reader.address(access)
    split, constant, place = reader.split(access, address)
    if isinstance(access.element_bytes, int) and size > access.element_bytes:
        constant &= -size
    found, anywhere, again = _Places(None, [0, 0, 0], {}), list[int](), False
    if not isinstance(split, Unknown):
        anywhere = [moved for term, moved in split.loose if needs_a_run(reader.values, term)]
        found = reader.places(access, split, place, size)
        indexed = reader.as_indexed(access, address, split, size)
        if indexed is not None:
            likely, constant, own = reader.split(access, indexed[0])
            if not isinstance(likely, Unknown):
                found, place, again = reader.places(access, likely, own, size), own, indexed[1]
    rows, groups, loops, period = found.rows, found.groups, found.loops, found.period
    assumed = assumed or found.assumed
    lanes, local = flow.lanes[access.block], access.space is AddressSpace.LOCAL
    bulk = is_bulk_copy(reader.instructions[access.instruction])
    if rows is None and bulk:
        own = bulk_costs(size, local)
        return Stream(
            access.id, array, access.op is AccessOp.LOAD, size, executions, lanes, None, (0, 0, 0),
            {}, own.sectors, own.lines, own.passes, local, width=flow.width,
        )  # fmt: skip
    is_atomic = access.op is AccessOp.ATOMIC
    if rows is None:
        apart = reader.lie_apart(access, address, size)
        sectors = (flow.width if apart and not local else INDIRECT_SHARE * flow.width) * lanes
        passes = INDIRECT_ATOMIC_PASSES if is_atomic else INDIRECT_PASSES
        wanted = flow.width * lanes
        apart = reader.constants(access, size, wanted) or INDIRECT_SHARE * wanted
        return Stream(
            access.id, array, access.op is AccessOp.LOAD, size, executions, lanes, None, (0, 0, 0),
            {}, sectors, sectors, passes if local else sectors, local,
            apart if access.space is AddressSpace.CONSTANT else 1.0,
            is_atomic=is_atomic, indirect=True, width=flow.width,
        )  # fmt: skip
    shifts = shifts_of((*groups, *loops.values(), *anywhere), evenly=bool(anywhere))
    alone = local and is_atomic
    atomic = reader.instructions[access.instruction]
    joined = is_atomic and is_joined(atomic)
    joined = joined and have_one_address(reader.values.address(atomic, access.pointer))
    alone = alone and not joined
    key = (place, constant % LINE, size, local, alone, bulk)
    if bulk:
        reader.costs[key] = bulk_costs(size, local)
    elif key not in reader.costs:
        relative = rows[:MOST_WARPS] + constant
        relative = relative - (relative.min() & -LINE)
        reader.costs[key] = costs_of(relative, shifts, size, local, reader.banks, alone=alone)
    costs = reader.costs[key]
    if local and not alone and not bulk and isinstance(split, Split):
        passes = reader.passes_by_lanes(access, split, size, costs.passes, rows[:MOST_WARPS])
        costs = replace(costs, passes=passes)
    share = 1.0 if bulk else max(lanes, 1.0 / rows.shape[1])
    if access.space is AddressSpace.CONSTANT:
        costs = replace(costs, bank_passes=addresses_of(rows))
    rows = None if again else rows if local else rows + constant
    return Stream(
        access.id, array, access.op is AccessOp.LOAD, size, executions, lanes, rows,
        (groups[0], groups[1], groups[2]), loops, max(1.0, costs.sectors * share),
        max(1.0, costs.lines * share),
        max(1.0, costs.passes if local and not alone else costs.passes * share), local,
        max(1.0, costs.bank_passes * share), period, assumed=assumed, is_atomic=is_atomic,
        joined=joined, width=flow.width,
    )  # fmt: skip


def _group(dimension: int) -> Key:
    return SymbolKind.GROUP_ID, dimension


def _coefficients(terms: Mapping[Key, int]) -> tuple[list[int], dict[int, int]]:
    groups, loops = [0, 0, 0], dict[int, int]()
    for (kind, index), coefficient in terms.items():
        assert isinstance(index, int)
        if kind is SymbolKind.COUNTER:
            loops[index] = coefficient
        else:
            groups[index] += coefficient
    return groups, loops


@dataclass(frozen=True, slots=True)
class _Places:
    """As in :class:`Stream`, without the constant of the address."""

    rows: Ints | None
    groups: list[int]
    loops: dict[int, int]
    period: tuple[int, int] | None = None
    assumed: bool = False

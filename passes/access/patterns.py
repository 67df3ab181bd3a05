"""Access patterns: how the addresses of a warp's lanes lie to each other, and what that costs.

Addresses are computed for every lane (:mod:`kcc.passes.access.warp_addresses`), costs counted on
them (:mod:`kcc.passes.memory.warp_cost`). Buffers, local arrays and constants begin at multiples of
256 bytes, as in kcc's own executions; warps are consecutive work-items of a thread block, 32 if
the launch does not say otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING

from kcc.base.records import dataclass
from kcc.frontend.ir.opcodes import IntPredicate
from kcc.frontend.ir.types import I64, IntTy
from kcc.frontend.kernel import Kernel
from kcc.frontend.types import AddressSpace
from kcc.passes.access.activity import Activity, activity, may_come_last, split_blocks
from kcc.passes.control.divergence import Divergence, Judge
from kcc.passes.control.trip_counts import TripCount, TripCounts, TripKind
from kcc.passes.facts import Facts
from kcc.passes.memory.access_facts import (
    AccessKind,
    AccessPattern,
    AccessPatterns,
    Executions,
    Footprint,
    MemoryShape,
)
from kcc.passes.memory.memory_accesses import MemoryAccess, MemoryAccesses
from kcc.passes.symbolic.affine import Key
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Expr, Node, Number, Sum, Symbol, SymbolKind, constant_of
from kcc.passes.symbolic.nodes import base_of
from kcc.passes.symbolic.reasons import needs_a_run, reason_for
from kcc.passes.symbolic.text import text
from kcc.passes.unknown import Unknown

if TYPE_CHECKING:
    from kcc.passes.access.measure import Place
    from kcc.passes.access.warp_addresses import Warps

_NUMBERS = frozenset({SymbolKind.GROUP_ID, SymbolKind.GLOBAL_ID, SymbolKind.COUNTER})


@dataclass(frozen=True, slots=True)
class AccessPatternsPass:
    """Gives :class:`AccessPatterns`."""

    shape: MemoryShape = field(default_factory=MemoryShape)
    name: str = "access patterns"
    requires: tuple[type, ...] = (MemoryAccesses, SymbolicValues, TripCounts, Divergence)

    def run(self, kernel: Kernel, facts: Facts) -> AccessPatterns:
        accesses = facts[MemoryAccesses].accesses
        if not accesses:
            return AccessPatterns((), self.shape)
        study = AccessStudy(kernel, facts, self.shape)
        found = (study.with_requests(access, study.pattern(access)) for access in accesses)
        return AccessPatterns(tuple(found), self.shape)


@dataclass(frozen=True, slots=True)
class Iterations:
    """Which iterations of the loops around an access are looked at: ``counts[loop]`` of each whose
    number is known; ``doubtful`` are those loops for which it is a bound. ``mask`` (i1): whether a
    work-item comes to an iteration, where that differs; None where it does not."""

    counts: Mapping[int, int]
    doubtful: frozenset[int]
    mask: Expr | None


@dataclass(frozen=True, slots=True)
class Split:
    """An address, less that of its object. ``core`` has to be computed; ``linear`` are
    coefficients of numbers of thread blocks and iterations that it does not depend on, and of
    which it is computed with 0; ``loose`` are coefficients of what is not known, but the same for
    all lanes of a warp."""

    core: Expr
    linear: Mapping[Key, int]
    loose: tuple[tuple[Node, int], ...]


class AccessStudy:
    """Finds the patterns of the accesses of one kernel."""

    def __init__(self, kernel: Kernel, facts: Facts, shape: MemoryShape) -> None:
        self.facts, self.shape = facts, shape
        self.values = facts[SymbolicValues]
        self.algebra = self.values.algebra
        self.judge = Judge(kernel, facts)
        self.parted = split_blocks(kernel, facts)
        self._heavy = set[Node]()
        self._warps = dict[tuple[object, ...], "Warps"]()
        self._iterations = dict[tuple[int | None, bool], Iterations]()
        self._counted = dict[tuple[object, ...], Executions | None]()
        self._footprints = dict[tuple[object, ...], Footprint]()

    def pattern(self, access: MemoryAccess) -> AccessPattern:
        """The pattern of an access."""
        address = self.address(access)
        shown = self._text(access, address)
        size = access.element_bytes
        if isinstance(size, Unknown):
            return _unknown(access, shown, size.reason)
        if self.algebra.known.local_size is None:
            return _unknown(access, shown, "the local size is not known")
        from kcc.passes.access.likely_lanes import likely_lanes
        from kcc.passes.access.measure import Place, measured

        iterations = self.iterations(access.block)
        warps = self.warps(iterations.counts)
        split = self.split(warps, address, iterations.mask)
        likely = ""
        if isinstance(split, Unknown):
            found = likely_lanes(self, warps, address)
            if found is not None:
                likely = f"as if no index wraps around: {split.reason}"
                address, split = found
        if isinstance(split, Unknown):
            kind = AccessKind.INDIRECT if self._is_indirect(address) else AccessKind.UNKNOWN
            return AccessPattern(access.id, kind, shown, reason=split.reason)
        each = self.shape.pass_bytes
        pattern = AccessPattern(
            access.id, AccessKind.UNKNOWN, shown, pass_bytes=each,
            sector_bytes=self.shape.sector_bytes, warp=warps.warp,
        )  # fmt: skip
        loops = tuple(self.values.loops.around(access.block))
        place = Place(address, size, access.space, self.shape, loops)
        found = measured(pattern, place, warps, split, iterations)
        if likely:
            found = replace(found, exact=False, reason=found.reason or likely)
        return self.over_launch(access, place, found, split, warps)

    def over_launch(
        self, access: MemoryAccess, place: Place, found: AccessPattern, split: Split, warps: Warps
    ) -> AccessPattern:
        """With what the access does in the whole launch."""
        from kcc.passes.access import over_launch as launch

        if access.space is AddressSpace.PRIVATE:
            return found
        found = self.with_executions(access, place, found)
        active = self.activity(access.block)
        exact = warps if active is None else self.warps(active.counts)
        key = (place, active and (active.condition, *sorted(active.counts.items())))
        if key not in self._footprints:
            self._footprints[key] = launch.footprint(place, exact, active)
        lines = found.lines
        width = min(exact.size, exact.warp)
        return replace(
            found,
            footprint=self._footprints[key],
            lanes_per_line=width / lines.mean if lines and lines.mean else None,
            warps_per_line=launch.warps_per_line(place, warps, split) if lines else None,
            loops=launch.loop_reuse(place, warps, split),
        )

    def with_executions(
        self, access: MemoryAccess, place: Place, found: AccessPattern
    ) -> AccessPattern:
        """With how often the launch executes it, and what that costs."""
        done = self.executions(access.block, place)
        return replace(found, executions=done, requests=done.count if done else None)

    def executions(self, block: int, place: Place) -> Executions | None:
        """All executions of an access, counted once for those that are alike."""
        active = self.activity(block)
        if active is None or block in self.parted:
            return None
        key = (place, active.condition, *sorted(active.counts.items()))
        if key not in self._counted:
            self._counted[key] = self._count(place, active)
        return self._counted[key]

    def _count(self, place: Place, active: Activity) -> Executions | None:
        from kcc.passes.access import over_launch as launch

        warps = self.warps(active.counts)
        if warps.unknown(active.condition):
            return None
        apart = self.split(warps, place.address, active.condition)
        if isinstance(apart, Unknown):
            return None
        return launch.executions(place, warps, apart, active)

    def activity(self, block: int) -> Activity | None:
        """When a block is executed, where that is known."""
        return activity(self.values, self.facts[TripCounts], block)

    def with_requests(self, access: MemoryAccess, found: AccessPattern) -> AccessPattern:
        """With how often warps come to it, which is known of addresses that are not."""
        if found.requests is not None or self.algebra.known.local_size is None:
            return found
        from kcc.passes.access.measure import Place

        nowhere, loops = self.algebra.sum([], I64, 0), self.values.loops.around(access.block)
        place = Place(nowhere, 1, AddressSpace.GLOBAL, self.shape, tuple(loops))
        done = self.executions(access.block, place)
        return replace(found, requests=done.count if done else None)

    def warps(self, counts: Mapping[int, int], order: tuple[int, int, int] = (0, 1, 2)) -> Warps:
        """The warps of the launch in so many iterations of loops."""
        from kcc.passes.access.warp_addresses import Warps

        key = (order, *sorted(counts.items()))
        if key not in self._warps:
            self._warps[key] = Warps(self.values, counts, order, self._heavy)
        return self._warps[key]

    def address(self, access: MemoryAccess) -> Expr:
        """The address of an access, less that of the object it is in, if there is only one."""
        instruction = self.values.function.instructions[access.instruction]
        address = self.values.address(instruction, access.pointer)
        base = base_of(address)
        return address if base is None else self.algebra.subtract(address, base)

    # iterations

    def iterations(self, block: int) -> Iterations:
        """Those in which a block may run."""
        innermost = self.values.loops.innermost[block]
        key = (innermost, innermost is not None and may_come_last(self.values, innermost, block))
        if key not in self._iterations:
            self._iterations[key] = self._find_iterations(block)
        return self._iterations[key]

    def _find_iterations(self, block: int) -> Iterations:
        counts, doubtful, conditions = dict[int, int](), set[int](), list[Expr]()
        values, algebra, node = self.values, self.algebra, block
        for loop in values.loops.around(block):
            trip = self.facts[TripCounts].trips[loop.id]
            last = may_come_last(values, loop.id, node)
            node = loop.header
            if trip.greatest is None or trip.count is None or _is_sampled(trip):
                continue
            # The body is counted in the iteration in which the loop is left, the block may not be.
            count = algebra.plus(values.back_edges(loop.id), int(last))
            beside = algebra.subtract(count, trip.count)
            most = min(trip.greatest, algebra.interval(trip.count)[1])
            more = beside.value if isinstance(beside, Number) else 1
            counts[loop.id] = max(most + more, 1)
            if needs_a_run(values, values.body_count(loop.id)):
                doubtful.add(loop.id)
            elif trip.least != trip.greatest or not isinstance(beside, Number):
                counter = algebra.counter(loop.id)
                conditions.append(algebra.compare(IntPredicate.SLT, counter, count))
        mask = self.algebra.conjunction(conditions) if conditions else None
        return Iterations(counts, frozenset(doubtful), mask)

    # the split

    def split(
        self, warps: Warps, address: Expr, mask: Node | None, also: Collection[Key] = ()
    ) -> Split | Unknown:
        """The parts of an address; a reason where lanes differ in what is not known. What ``mask``
        depends on is computed with the core, and so are the numbers ``also``."""
        from kcc.passes.access.warp_addresses import as_terms

        numbers, loose, rest = list[tuple[Symbol, int]](), list[tuple[Node, int]](), list[Node]()
        parts = list[tuple[Node, int]]()
        for term, coefficient in as_terms(address):
            if isinstance(term, Symbol) and term.kind in _NUMBERS:
                numbers.append((term, coefficient))
            elif needs_a_run(self.values, term) or warps.unknown(term):
                if self.judge.uniformity(term).is_divergent:
                    return Unknown(self._why(warps, term))
                loose.append((term, coefficient))
            else:
                rest.append(term)
                parts.append((term, coefficient))
        computed = rest if mask is None else [*rest, mask]
        fixed = warps.moving(computed) | set(also)
        linear = dict[Key, int]()
        for symbol, coefficient in numbers:
            assert isinstance(symbol.index, int)
            is_counter = symbol.kind is SymbolKind.COUNTER
            key = (symbol.kind if is_counter else SymbolKind.GROUP_ID, symbol.index)
            size = 1
            if symbol.kind is SymbolKind.GLOBAL_ID:
                size = warps.local[symbol.index]
            if key in fixed or symbol.kind is SymbolKind.GLOBAL_ID:
                parts.append((symbol, coefficient))
            if key not in fixed:
                linear[key] = linear.get(key, 0) + coefficient * size
        constant = constant_of(address)
        return Split(self.algebra.sum(parts, I64, constant), linear, tuple(loose))

    def _is_indirect(self, address: Node) -> bool:
        return needs_a_run(self.values, address)

    def _why(self, warps: Warps, term: Node) -> str:
        """Why lanes cannot be told apart."""
        reason = reason_for(self.values, term)
        if reason:
            return reason
        shown = text(self.values, term, 60)
        missing = warps.unknown(term)
        missing = {key for key in missing if key[0] not in _NUMBERS} or missing
        names = sorted({self._name(key) for key in missing})
        return f"the distance between lanes depends on {', '.join(names)} ({shown})"

    def _name(self, key: Key) -> str:
        kind, index = key
        if kind is SymbolKind.COUNTER:
            assert isinstance(index, int)
            line = self.values.loops.loops[index].line
            return f"the iterations of the loop in line {line}"
        return text(self.values, self.algebra.symbol(kind, index))

    def _text(self, access: MemoryAccess, offset: Expr) -> str:
        """The address in elements, or in bytes where it is not a number of elements."""
        size = access.element_bytes
        terms, constant = ((offset, 1),), 0
        if isinstance(offset, Sum):
            terms, constant = offset.terms, offset.constant
        even = isinstance(size, int) and not any(
            c % size for c in (constant, *(c for _, c in terms))
        )
        if not even or not isinstance(size, int) or not size:
            return f"{text(self.values, offset)} bytes"
        assert isinstance(offset.type, IntTy)
        scaled = self.algebra.sum([(t, c // size) for t, c in terms], offset.type, constant // size)
        return text(self.values, scaled)


def _unknown(access: MemoryAccess, shown: str, reason: str) -> AccessPattern:
    return AccessPattern(access.id, AccessKind.UNKNOWN, shown, reason=reason)


def _is_sampled(trip: TripCount) -> bool:
    """Whether the greatest count is that of a sample of work-items, and so no bound."""
    sampled = trip.kind is TripKind.BOUND and trip.total_mean is not None
    return sampled and not isinstance(trip.count, Number)

"""What an access would cost if its array, or the launch, were laid out otherwise: the gain of a
change, computed like the cost it is to avoid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from kcc.base.records import dataclass
from kcc.frontend.ir.types import I64, ArrayTy, size_bytes
from kcc.frontend.kernel import Kernel
from kcc.passes.access.patterns import AccessStudy, Split
from kcc.passes.control.divergence import Uniformity
from kcc.passes.facts import Facts
from kcc.passes.memory.access_facts import AccessKind, AccessPattern, AccessPatterns
from kcc.passes.memory.arrays import Array, ArrayKind
from kcc.passes.memory.memory_accesses import MemoryAccess, MemoryAccesses
from kcc.passes.symbolic.expr import Expr, Node, Symbol, SymbolKind, constant_of
from kcc.passes.symbolic.reasons import needs_a_run
from kcc.passes.unknown import Unknown

if TYPE_CHECKING:
    from kcc.passes.memory.warp_cost import Ints


_LANES = ((SymbolKind.LOCAL_ID, 0), (SymbolKind.GLOBAL_ID, 0))
_DISTANCES = (
    SymbolKind.LOCAL_ID, SymbolKind.GLOBAL_ID, SymbolKind.GROUP_ID, SymbolKind.COUNTER,
)  # fmt: skip
"""Symbols whose coefficients are distances between lanes, thread blocks and iterations."""


@dataclass(frozen=True, slots=True)
class Padded:
    """``extra`` bytes after each row of ``row_bytes``."""

    row_bytes: int
    extra: int


@dataclass(frozen=True, slots=True)
class Transposed:
    """Columns where there were rows: an array of ``rows`` rows of ``row_bytes``, whose elements
    have ``element_bytes``."""

    row_bytes: int
    rows: int
    element_bytes: int


@dataclass(frozen=True, slots=True)
class Vectorised:
    """``width`` elements that follow each other are moved by one access: what it costs stands for
    ``width`` accesses."""

    width: int


@dataclass(frozen=True, slots=True)
class Swapped:
    """Work-items that follow each other differ in the second dimension: the first two dimensions
    of all ids, and of the launch, in the place of each other."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """What a thread block, a row or an iteration comes to begins ``shift`` bytes later, at a
    multiple of ``unit`` bytes: distances between them are rounded up to such multiples."""

    shift: int
    unit: int


Change = Padded | Transposed | Vectorised | Swapped | Aligned
Relocation = Padded | Transposed | Vectorised


@dataclass(frozen=True, slots=True)
class Repair:
    """A change to an array and what all accesses to it cost, before and after it: sums over
    ``accesses`` (ids) of executions times cycles of the banks (local memory) or sectors; where
    executions are not known, of one execution of each access."""

    array: Array
    change: Change
    accesses: tuple[int, ...]
    before: float
    after: float
    over_launch: bool


class WhatIf:
    """Answers for one kernel. The facts must hold :class:`AccessPatterns`."""

    def __init__(self, kernel: Kernel, facts: Facts) -> None:
        self.facts, self.patterns = facts, facts[AccessPatterns].patterns
        self.study = AccessStudy(kernel, facts, facts[AccessPatterns].shape)
        self._found = dict[tuple[int, Change], AccessPattern | Unknown]()

    def pattern(self, access: MemoryAccess, change: Change) -> AccessPattern | Unknown:
        """The pattern an access would have: kind, stride and costs."""
        key = (access.id, change)
        if key not in self._found:
            self._found[key] = self._pattern(access, change)
        return self._found[key]

    def _pattern(self, access: MemoryAccess, change: Change) -> AccessPattern | Unknown:
        size, study = access.element_bytes, self.study
        if isinstance(size, Unknown):
            return size
        if study.algebra.known.local_size is None:
            return Unknown("the local size is not known")
        from kcc.passes.access.measure import Place, measured

        iterations = study.iterations(access.block)
        order = (1, 0, 2) if isinstance(change, Swapped) else (0, 1, 2)
        warps = study.warps(iterations.counts, order)
        address = study.address(access)
        if isinstance(change, Aligned):
            address = self._aligned(address, change)
            if isinstance(address, Unknown):
                return address
        split = study.split(warps, address, iterations.mask)
        if isinstance(split, Unknown):
            return split
        loops = tuple(study.values.loops.around(access.block))
        place = Place(address, size, access.space, study.shape, loops)
        known = self.patterns[access.id]
        pattern = AccessPattern(
            access.id, AccessKind.UNKNOWN, known.text, pass_bytes=known.pass_bytes,
            sector_bytes=known.sector_bytes, warp=known.warp,
        )  # fmt: skip
        if isinstance(change, Swapped):
            if any(study.judge.uniformity(t).rank > Uniformity.BLOCK.rank for t, _ in split.loose):
                return Unknown(self.patterns[access.id].reason)
            return measured(pattern, place, warps, split, iterations)
        if split.loose:
            return Unknown(self.patterns[access.id].reason)
        if isinstance(change, Aligned):
            found = measured(pattern, place, warps, split, iterations)
            return study.with_executions(access, place, found)
        if isinstance(change, Vectorised):
            size *= change.width
        unit = size if isinstance(change, Vectorised) else change.row_bytes
        odd = {key for key, coefficient in split.linear.items() if coefficient % unit}
        split = study.split(warps, address, iterations.mask, odd)
        assert isinstance(split, Split)
        after = _row_after(change, size)
        linear = {key: c // unit * after for key, c in split.linear.items()}
        return measured(
            pattern, replace(place, size=size), warps, Split(split.core, linear, ()), iterations,
            lambda offsets: relocated(offsets, change, size),
        )  # fmt: skip

    def together(self, accesses: Sequence[MemoryAccess]) -> tuple[float, float] | None:
        """The sectors that one warp touches by some accesses of one block: of each alone, added,
        and of all together; means over the first thread block in the first iterations. None where
        addresses are not known."""
        import numpy as np

        from kcc.passes.memory.warp_cost import pieces_touched

        study, (block, *others) = self.study, {access.block for access in accesses}
        if others or study.algebra.known.local_size is None:
            return None
        warps, rows = study.warps(study.iterations(block).counts), list["Ints"]()
        for access in accesses:
            address = study.address(access)
            if needs_a_run(study.values, address) or warps.unknown(address):
                return None
            found = warps.first_block(address)
            if found is None or not isinstance(access.element_bytes, int):
                return None
            rows.append(found)
        size, sector = accesses[0].element_bytes, study.shape.sector_bytes
        assert isinstance(size, int)
        alone = sum(pieces_touched(row, size, sector, None).mean() for row in rows)
        both = pieces_touched(np.concatenate(rows, axis=1), size, sector, None).mean()
        return float(alone), float(both)

    def _aligned(self, address: Expr, change: Aligned) -> Expr | Unknown:
        """The address after the change; a reason where it has parts that no distance says."""
        from kcc.passes.access.warp_addresses import as_terms

        parts = list[tuple[Node, int]]()
        for term, coefficient in as_terms(address):
            if not isinstance(term, Symbol) or term.kind not in _DISTANCES:
                return Unknown(f"what lane 0 comes to depends on {term}")
            if (term.kind, term.index) not in _LANES:
                length = -(-abs(coefficient) // change.unit) * change.unit
                coefficient = length if coefficient > 0 else -length
            parts.append((term, coefficient))
        constant = constant_of(address)
        return self.study.algebra.sum(parts, I64, constant + change.shift)

    def repair(self, array: Array, change: Change) -> Repair | Unknown:
        """What a change would do to all accesses to an array."""
        before = after = 0.0
        own = [a for a in self.facts[MemoryAccesses].accesses if a.array == array]
        counted = all(self.patterns[a.id].executions is not None for a in own)
        for access in own:
            old = self.patterns[access.id]
            new = self.pattern(access, change)
            if isinstance(new, Unknown):
                return new
            cost, better = cost_of(old), cost_of(new)
            if cost is None or better is None:
                return Unknown(f"what '{old.text}' costs is not known")
            ran = old.executions
            often = ran.count if counted and ran is not None else 1
            before += often * cost
            after += often * better
        ids = tuple(access.id for access in own)
        return Repair(array, change, ids, before, after, counted)

    def alignment(self, access: MemoryAccess, unit: int) -> Repair | None:
        """The change by which what an access comes to begins at multiples of ``unit`` bytes, for
        all accesses to its array; None if that is not known, or saves nothing."""
        address = self.study.address(access)
        if not isinstance(access.array, Array):
            return None
        constant = constant_of(address)
        found = self.repair(access.array, Aligned(-constant % unit, unit))
        return None if isinstance(found, Unknown) or found.after >= found.before else found

    def best_padding(self, array: Array) -> Repair | None:
        """The padding of rows that saves most in accesses to an array; of equal ones the smallest.
        None if none saves anything."""
        best: Repair | None = None
        for row_bytes, element in self._rows(array):
            for extra in (1, 2, 3, 4, 8):
                found = self.repair(array, Padded(row_bytes, extra * element))
                if isinstance(found, Unknown) or found.after >= found.before:
                    continue
                if best is None or found.after < best.after:
                    best = found
        return best

    def _rows(self, array: Array) -> list[tuple[int, int]]:
        """Lengths that rows may have, and bytes of an element: from the array's type, else from
        the distances between lanes."""
        found = dict[tuple[int, int], None]()
        variable = self.facts.module.globals.get(str(array.symbol))
        own = [a for a in self.facts[MemoryAccesses].accesses if a.array == array]
        sizes = [a.element_bytes for a in own if isinstance(a.element_bytes, int)]
        least = min(sizes, default=0)
        if not least:
            return []
        if array.kind is ArrayKind.GLOBAL and variable is not None:
            inner = variable.type
            while isinstance(inner, ArrayTy) and isinstance(inner.element, ArrayTy):
                inner = inner.element
                found[size_bytes(inner), least] = None
        for access in own:
            pattern = self.patterns[access.id]
            for distance in (pattern.stride_bytes, pattern.run_stride_bytes):
                if distance and abs(distance) > least and abs(distance) % least == 0:
                    found[abs(distance), least] = None
        return list(found)


def cost_of(pattern: AccessPattern) -> float | None:
    """Cycles of the banks of accesses to local memory, sectors of others: the mean of one
    execution."""
    spread = pattern.bank_passes or pattern.sectors
    return None if spread is None or pattern.sampled else spread.mean


def relocated(offsets: Ints, change: Relocation, size: int) -> Ints:
    """Where the bytes at ``offsets`` of an array are after a change."""
    match change:
        case Padded(row_bytes, extra):
            return offsets + offsets // row_bytes * extra
        case Transposed(row_bytes, rows, element):
            row, inside = offsets // row_bytes, offsets % row_bytes
            column, rest = inside // element, inside % element
            return (column * rows + row) * element + rest
        case Vectorised():
            return offsets // size * size
        case _:
            assert_never(change)


def _row_after(change: Relocation, size: int) -> int:
    """How far apart two neighbouring rows begin."""
    match change:
        case Padded(row_bytes, extra):
            return row_bytes + extra
        case Transposed(element_bytes=element):
            return element
        case Vectorised():
            return size
        case _:
            assert_never(change)

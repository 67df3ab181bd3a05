"""What would remove a cost: changes of layout tried out, and the one that gains most in words.

Nothing is proposed that was not analysed again: :mod:`kcc.passes.access.what_if` computes what the
accesses would cost, all those to the array or, where work-items change places, all of the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kcc.base.records import dataclass
from kcc.base.terms import WORDS
from kcc.frontend.kernel import Kernel
from kcc.frontend.types import AddressSpace
from kcc.passes.facts import Facts
from kcc.passes.memory.access_facts import AccessPattern, AccessPatterns
from kcc.passes.memory.arrays import Array, ArrayKind
from kcc.passes.memory.memory_accesses import MemoryAccess, MemoryAccesses
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.unknown import Unknown
from kcc.report.analysis.costs import Costly, request_cost, sectors
from kcc.report.analysis.model import CostUnit
from kcc.report.shared.words import percent

if TYPE_CHECKING:
    from kcc.passes.access.what_if import Change, WhatIf

MAX_TRIED = 8
"""Findings that fixes are looked for, the most expensive first: each takes tens of milliseconds."""

MAX_ACCESSES = 48
"""Accesses to an array, or of a kernel, that are analysed again for one change."""

LEAST_GAIN = 0.1
"""The share of the cost that a change has to save."""

SHARED_SECTORS = 0.75
"""Accesses share sectors where they touch at most so many of those that each alone touches."""

MOST_LEFT = 0.5
"""The share of the excess sectors that may be left when rows start with a sector."""

WIDTHS = (2, 4)
"""Elements that one access may move."""


@dataclass(frozen=True, slots=True)
class _Fix:
    """A change in words: ``share`` of the cost of everything it touches remains, and ``each`` is
    what one of the finding's accesses then costs."""

    words: str
    share: float
    each: float
    left: int | None = None
    """Excess sectors of the launch after the change, which the words are then a subject for."""


class Fixes:
    """Looks for fixes in one kernel."""

    def __init__(self, kernel: Kernel, facts: Facts) -> None:
        from kcc.passes.access.what_if import WhatIf

        self._facts = facts
        self._kernel = kernel
        self._what_if: WhatIf = WhatIf(kernel, facts)
        self._known = facts[SymbolicValues].algebra.known

    def shared(self, group: Costly) -> str:
        """What several accesses of an array have in common: sectors that the first brings in and
        the others find in L1."""
        if group.cost.unit is not CostUnit.SECTORS or not 1 < len(group.accesses) <= MAX_ACCESSES:
            return ""
        found = self._what_if.together(group.accesses)
        if found is None or found[1] > SHARED_SECTORS * found[0]:
            return ""
        return f"; together they touch {sectors(found[1])}, which they share in L1"

    def fix(self, group: Costly) -> str:
        """The best fix for a finding with its gain; empty if none is known."""
        array = group.accesses[0].array
        if not isinstance(array, Array) or len(self._accesses_of(array)) > MAX_ACCESSES:
            return ""
        # Of equal ones the first: what changes less of a program stands before what changes more.
        best = min(self._candidates(group, array), key=lambda fix: fix.share, default=None)
        if best is None or best.share > 1 - LEAST_GAIN:
            return ""
        before, after = f"{group.cost.spent:.3g}", f"{best.each:.3g}"
        if group.cost.unit is CostUnit.BANK_PASSES:
            left = "no bank conflicts" if after == "1" else f"{after}-way instead of {before}-way"
            return f"{best.words}: {left}"
        if best.left is not None and group.cost.total:
            gone = percent(group.cost.total - best.left, group.cost.total)
            return f"{best.words} removes {f'{gone} of them' if best.left else 'them'}"
        return f"{best.words}: {sectors(best.each)} per request instead of {before}"

    def _candidates(self, group: Costly, array: Array) -> Iterator[_Fix]:
        if group.cost.unit is CostUnit.BANK_PASSES:
            yield from self._padded(group, array)
        else:
            yield from self._vectorised(group, array)
            yield from self._aligned(group, array)
            yield from self._transposed(group, array)
        yield from self._swapped(group)

    def _padded(self, group: Costly, array: Array) -> Iterator[_Fix]:
        """Rows made longer, by the elements that all accesses to the array gain most from."""
        from kcc.passes.access.what_if import Padded

        found = self._what_if.best_padding(array)
        if found is None or not isinstance(found.change, Padded):
            return
        each, change = self._each(group, found.change), found.change
        size = group.accesses[0].element_bytes
        if each is not None and isinstance(size, int):
            row, longer = change.row_bytes // size, (change.row_bytes + change.extra) // size
            words = f"pad rows of {row} elements to {longer}"
            yield _Fix(words, found.after / found.before, each)

    def _vectorised(self, group: Costly, array: Array) -> Iterator[_Fix]:
        """One access for several contiguous ones, the lanes apart by all of them."""
        from kcc.passes.access.what_if import Vectorised

        size, stride = group.accesses[0].element_bytes, group.pattern.stride_bytes
        for width in WIDTHS:
            if isinstance(size, int) and stride == width * size and len(group.accesses) >= width:
                each = self._each(group, Vectorised(width))
                if each is not None:
                    words = f"{width} scalar accesses of {array.name} as one of {stride} bytes"
                    share = each / width / group.cost.spent
                    yield _Fix(words, share, each / width)

    def _aligned(self, group: Costly, array: Array) -> Iterator[_Fix]:
        """Thread blocks and rows that begin with a sector, where that leaves the ideal."""
        size = group.accesses[0].element_bytes
        ideal = group.cost.spent - group.cost.excess
        sector = self._what_if.study.shape.sector_bytes
        if not isinstance(size, int) or sector % size:
            return
        found = self._what_if.alignment(group.accesses[0], sector)
        if found is None:
            return
        left, each = 0, 0.0
        for access in group.accesses:
            new = self._what_if.pattern(access, found.change)
            cost = None if isinstance(new, Unknown) else request_cost(size, new)
            if cost is None or cost.total is None or cost.spent > ideal:
                return
            left, each = left + cost.total, cost.spent
        if left > MOST_LEFT * (group.cost.total or 0):
            return
        block = WORDS[self._kernel.language.value].block
        words = (
            f"starting each {block}'s rows at a multiple of {sector // size}"
            f" {self._elements(array)}"
        )
        yield _Fix(words, found.after / found.before, each, left)

    def _elements(self, array: Array) -> str:
        """What the elements of an array are called: "floats"."""
        if array.kind is ArrayKind.ARGUMENT and isinstance(array.symbol, int):
            name = self._kernel.arguments[array.symbol].type.rstrip("*")
            if name.isidentifier():
                return f"{name}s"
        return "elements"

    def _transposed(self, group: Costly, array: Array) -> Iterator[_Fix]:
        """Columns in the place of rows, which are as long as lanes are apart."""
        from kcc.passes.access.what_if import Transposed

        size, stride = group.accesses[0].element_bytes, group.pattern.stride_bytes
        launched = self._known.global_size
        if not isinstance(size, int) or stride is None or launched is None:
            return
        if stride <= size or stride % size:
            return
        change = Transposed(stride, launched[0], size)
        repair = self._what_if.repair(array, change)
        each = self._each(group, change)
        if isinstance(repair, Unknown) or each is None or not repair.before:
            return
        tile = ""
        if group.accesses[0].space is AddressSpace.GLOBAL:
            shared = WORDS[self._kernel.language.value].shared_memory
            tile = f", or stage a tile of it in {shared}"
        words = f"transpose {array.name} (rows of {stride} bytes){tile}"
        yield _Fix(words, repair.after / repair.before, each)

    def _swapped(self, group: Costly) -> Iterator[_Fix]:
        """The first two dimensions of all ids exchanged."""
        from kcc.passes.access.what_if import Swapped

        local = self._known.local_size
        accesses = self._facts[MemoryAccesses].accesses
        if local is None or len(local) < 2 or local[1] == 1 or len(accesses) > MAX_ACCESSES:
            return
        before = after = 0.0
        for access in accesses:
            if access.space is AddressSpace.PRIVATE:
                continue
            old = self._facts[AccessPatterns].patterns[access.id]
            new = self._what_if.pattern(access, Swapped())
            costs = _mean(old), None if isinstance(new, Unknown) else _mean(new)
            if costs[0] is None or costs[1] is None:
                return
            often = old.executions.count if old.executions is not None else 1
            before, after = before + often * costs[0], after + often * costs[1]
        each = self._each(group, Swapped())
        if each is not None and before:
            thread = WORDS[self._kernel.language.value].thread
            words = f"exchange the {thread} ids of dimensions 0 and 1"
            yield _Fix(words, after / before, each)

    def _each(self, group: Costly, change: Change) -> float | None:
        """What the first access of a finding costs after a change."""
        found = self._what_if.pattern(group.accesses[0], change)
        return None if isinstance(found, Unknown) else _mean(found)

    def _accesses_of(self, array: Array) -> Sequence[MemoryAccess]:
        return [a for a in self._facts[MemoryAccesses].accesses if a.array == array]


def _mean(pattern: AccessPattern) -> float | None:
    spread = pattern.bank_passes or pattern.sectors
    return None if spread is None or pattern.sampled else spread.mean

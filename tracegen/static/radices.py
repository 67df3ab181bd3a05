"""Into which digits the numbers of thread blocks and warps are split.

With 256 work-items to a thread block, ``a[i / 4096]`` goes up every 16 thread blocks, and
``a[i % 4096]`` begins anew as often: with the digits ``x % 16`` and ``x / 16`` both grow evenly.
Here the divisions and remainders of a kernel are looked through for such numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import I1
from kcc.passes.symbolic.algebra import reachable
from kcc.passes.symbolic.evaluate import Evaluator
from kcc.passes.symbolic.expr import Node, Number, Operation, Sum, Symbol
from kcc.tracegen.static.geometry import Geometry
from kcc.tracegen.static.growths import DIVISIONS, EXTREMES, REMAINDERS, plain_operands

MAX_SPLITS = 3
"""Of one number. What more divisions ask for goes unevenly, which costs classes."""

MAX_BITS = 62
"""Numbers beyond have no place among signed ones of 64 bits."""

BEGINNING_ANEW = REMAINDERS | {Opcode.AND}
"""What grows as its first operand does for a while, and not on the average."""

Growth = tuple[Fraction, ...]
"""What is added to a value per step of each coordinate, on the average."""


def choose_radices(geometry: Geometry, roots: Iterable[Node], launch: Evaluator) -> Geometry:
    """The geometry with digits for all that ``roots`` are computed with; ``launch`` evaluates what
    all work-items share.
    """
    search = _Search(geometry, launch)
    for node in reachable(roots):
        search.look_at(node)
    return geometry.split(search.radices())


class _Search:
    def __init__(self, geometry: Geometry, launch: Evaluator) -> None:
        self._launch = launch
        self._limits, self._count = geometry.places.limits, geometry.count
        self._apart = geometry.apart
        self._highest = {last - 1 for last in geometry.places.first[1:]}
        self._symbols = {
            key: tuple(Fraction(g) for g in row) for key, row in geometry.growth.items()
        }
        self._nothing = (Fraction(0),) * self._count
        self._growth: dict[Node, Growth | None] = {}
        self._wanted = [set[int]() for _ in range(self._count)]

    def look_at(self, node: Node) -> None:
        """A node whose operands were looked at."""
        self._growth[node] = self._grown(node)

    def _grown(self, node: Node) -> Growth | None:
        rows = [self._growth.get(o) for o in plain_operands(node)]
        match node:
            case Number():
                return self._nothing
            case Symbol():
                return self._truth(node, self._symbols.get((node.kind, node.index), self._nothing))
            case Sum(terms=terms):
                return self._added(rows, terms)
            case Operation(operator=Opcode.ZEXT | Opcode.SEXT | Opcode.TRUNC) if rows[0]:
                return self._truth(node, rows[0])
            case Operation(operator=Opcode.AND | Opcode.OR | Opcode.XOR) if node.type != I1:
                return self._masked(node, rows)
            case Operation(operator=Opcode() as operator) if (
                operator in DIVISIONS or operator in REMAINDERS
            ) and rows[0]:
                return self._divided(node, rows[0])
            case Operation(operator=Opcode.SELECT):
                return rows[1]
            case Operation(operator=str() as name) if name in EXTREMES:
                return rows[0] if rows[0] and any(rows[0]) else rows[1]
            case _:
                return None

    def _truth(self, node: Node, growth: Growth) -> Growth:
        """A truth value is the lowest bit: it comes round after an even number."""
        if node.type != I1:
            return growth
        self._want(_over(growth, 2))
        return self._nothing

    def _added(
        self, rows: Sequence[Growth | None], terms: Sequence[tuple[Node, int]]
    ) -> Growth | None:
        """What is left of ``x - x % m`` where ``x % m`` grows as ``x`` is what is added when that
        begins anew."""
        total, lasting = list(self._nothing), list(self._nothing)
        for row, (term, factor) in zip(rows, terms, strict=True):
            if row is None:
                return None
            total = [t + r * factor for t, r in zip(total, row, strict=True)]
            if not (isinstance(term, Operation) and term.operator in BEGINNING_ANEW):
                lasting = [t + r * factor for t, r in zip(lasting, row, strict=True)]
        return tuple(total if any(total) else lasting)

    def _divided(self, node: Operation, growth: Growth) -> Growth | None:
        """A remainder grows as what it is of, until it begins anew."""
        divisor = self._shared(node.operands[1])
        if divisor is None:
            return None
        if node.operator in (Opcode.LSHR, Opcode.ASHR):
            divisor = 1 << divisor if 0 <= divisor < MAX_BITS else 0
        parts = _over(growth, abs(divisor)) if divisor else growth
        self._want(parts)
        return growth if node.operator in REMAINDERS else parts

    def _masked(self, node: Operation, rows: Sequence[Growth | None]) -> Growth | None:
        """Digits begin at the lowest bit of a mask, or of those that it takes out, and above the
        highest one. What is masked grows as the number does, until it begins anew; bits that are
        set or turned leave that as it is.
        """
        growth, mask = rows[0], node.operands[1]
        if not any(growth or ()):
            growth, mask = rows[1], node.operands[0]
        bits = self._shared(mask)
        if growth is None or bits is None:
            return None
        bits = ~bits if bits < 0 else bits
        self._want(_over(growth, max(bits & -bits, 1)))
        self._want(_over(growth, 1 << bits.bit_length()))
        return growth

    def _shared(self, node: Node) -> int | None:
        """What a node is, if it is the same in the whole launch and not 0."""
        data, known = self._launch.integers(node)
        return int(data[0]) or None if known[0] else None

    def _want(self, parts: Growth) -> None:
        """Split coordinates such that parts are whole numbers per step of the higher digit."""
        for wanted, part in zip(self._wanted, parts, strict=True):
            if part.denominator > 1:
                wanted.add(part.denominator)

    def radices(self) -> list[list[int]]:
        """For each coordinate the radices of the digits that it is split into; the highest has
        none."""
        return [
            _chain(sorted(wanted), limit, divides=place not in self._highest)
            if place not in self._apart
            else []
            for place, (wanted, limit) in enumerate(zip(self._wanted, self._limits, strict=True))
        ]


def _over(growth: Growth, divisor: int) -> Growth:
    return tuple(g / divisor for g in growth)


def _chain(moduli: Sequence[int], limit: int, *, divides: bool) -> list[int]:
    """Radices whose products are multiples of the moduli, as far as these are below ``limit``, or
    divide it."""
    found, whole = list[int](), 1
    for modulus in moduli:
        wanted = math.lcm(whole, modulus)
        fits = limit % wanted == 0 if divides else wanted < limit
        if wanted > whole and wanted != limit and fits and len(found) < MAX_SPLITS:
            found.append(wanted // whole)
            whole = wanted
    return found

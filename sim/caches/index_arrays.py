"""What arrays of indices likely hold, where all lanes of a warp read the same of them.

In `data[row_start[row] + lane]` each warp has a row of its own, of which nobody knows before a run
where it begins. Rows are taken to lie one behind the other in their order, as those of a sparse
matrix in compressed rows do, packed so that all stay inside an array of a known size. A number of a
row of a known length (`table[index[token] * columns + lane]`) is taken to be that of its place in
the array of indices: no row is read twice. Where the array has fewer rows some are, and which ones
cannot be said.
"""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import I64, IntTy, size_bytes
from kcc.passes.access.patterns import Split
from kcc.passes.access.warp_addresses import Warps
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Expr, Loaded, Node, Operation, SymbolKind
from kcc.passes.symbolic.nodes import base_of
from kcc.passes.symbolic.reasons import needs_a_run

MOST_PIECES = 1 << 40
"""Indices of an array; where there may be more, nothing is known of how many there are."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """An access whose lanes move ``size_bytes`` each, ``each`` bytes by one index, in an array of
    ``array_bytes`` (None: not known)."""

    size_bytes: int
    each: int
    array_bytes: int | None


def indices_of(warps: Warps, split: Split) -> frozenset[Node]:
    """What an address has of memory that differs between thread blocks, but not in a warp."""
    return frozenset(
        _extended(term) for term, _ in split.loose
        if needs_a_run(warps.values, term)
        and any(kind is SymbolKind.GROUP_ID for kind, _ in warps.moving([term]))
    )  # fmt: skip


def as_indexed(
    values: SymbolicValues, warps: Warps, address: Expr, split: Split, pieces: Pieces
) -> tuple[Expr, bool] | None:
    """The address with the indices that memory likely holds, and whether some of them must be the
    same; None where no index differs between thread blocks, or where it is cannot be said."""
    held, again, indices = dict[Node, Node](), False, indices_of(warps, split)
    for term, coefficient in split.loose:
        loaded = _extended(term)
        if loaded not in indices:
            continue
        number = _number(values, loaded) if isinstance(loaded, Loaded) else None
        if number is None:
            return None
        count = values.algebra.interval(number)[1] + 1
        if not 0 < count < MOST_PIECES:
            return None
        length = 1
        if abs(coefficient) > pieces.size_bytes:
            asked = count * abs(coefficient)
            again = again or (pieces.array_bytes is not None and asked > pieces.array_bytes)
        else:
            room = pieces.each if pieces.array_bytes is None else pieces.array_bytes // count
            length = max(min(pieces.each, room) // pieces.size_bytes, 1)
        held[loaded] = _as(values, values.algebra.scale(number, length), loaded)
    return (values.algebra.substitute(address, held), again) if held else None


def _number(values: SymbolicValues, loaded: Loaded) -> Expr | None:
    """Which element of its array is loaded; None where only a run says it."""
    base = None if loaded.address is None else base_of(loaded.address)
    if base is None or loaded.address is None or not isinstance(loaded.type, IntTy):
        return None
    algebra = values.algebra
    place = algebra.subtract(loaded.address, base)
    if needs_a_run(values, place):
        return None
    bytes_each = algebra.number(size_bytes(loaded.type))
    return algebra.plus(algebra.operation(Opcode.UDIV, I64, [place, bytes_each]), loaded.component)


def _as(values: SymbolicValues, number: Expr, loaded: Node) -> Expr:
    """A number as the type of what is loaded."""
    assert isinstance(loaded.type, IntTy)
    if loaded.type == I64:
        return number
    return values.algebra.convert(Opcode.TRUNC, number, loaded.type)


def _extended(node: Node) -> Node:
    """A node without the extensions around it."""
    while isinstance(node, Operation) and node.operator in (Opcode.SEXT, Opcode.ZEXT):
        node = node.operands[0]
    return node

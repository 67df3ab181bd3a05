"""Values row by row, and which of them are known."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.frontend.ir.types import FloatTy
from kcc.passes.symbolic import semantics
from kcc.passes.symbolic.expr import Node, Symbol
from kcc.passes.symbolic.semantics import U64, Array, Mask


@dataclass(frozen=True, slots=True)
class Evaluated:
    """``data`` as :mod:`semantics` has it; ``known`` is None where every row is known. Both have
    one element per row, or one for all rows; where a row is not known its data means nothing.
    """

    data: Array
    known: Mask | None = None

    def is_known(self, count: int) -> Mask:
        """Row by row."""
        return np.ones(count, np.bool_) if self.known is None else spread(self.known, count)

    def rows(self, count: int) -> Array:
        """The data, row by row."""
        return spread(self.data, count)

    @property
    def all_known(self) -> bool:
        return self.known is None or bool(self.known.all())


def spread(values: Array, count: int) -> Array:
    """One element for each of ``count`` rows."""
    return values if len(values) == count else np.full(count, values[0], values.dtype)


def nothing(node: Node) -> Evaluated:
    """No row is known."""
    return Evaluated(np.zeros(1, semantics.dtype_of(node.type)), np.zeros(1, np.bool_))


def as_type(given: Array, symbol: Symbol, known: Mask | None) -> Evaluated:
    """A symbol's numbers as values of its type."""
    if isinstance(symbol.type, FloatTy):
        return Evaluated(given.astype(semantics.DTYPES[symbol.type.bits]), known)
    return Evaluated(semantics.wrap(given.astype(np.int64).view(U64), symbol.type.bits), known)


def both_known(first: Mask | None, second: Mask | None) -> Mask | None:
    """Where both are known; None stands for everywhere."""
    if first is None or second is None:
        return second if first is None else first
    return first & second


def all_known_in(parts: Iterable[Evaluated]) -> Mask | None:
    """Where all values are known; None where that is everywhere."""
    known: Mask | None = None
    for part in parts:
        known = both_known(known, part.known)
    return known


def known_where(data: Array, valid: Mask | None, parts: Iterable[Evaluated]) -> Evaluated:
    """Values where they are valid, None for everywhere, and all that they are made of is known."""
    known = all_known_in(parts)
    if valid is not None and not valid.all():
        known = both_known(known, valid)
    return Evaluated(data, known)


def selected(operands: list[Evaluated]) -> Evaluated:
    """Condition (i1), what it chooses, and what else."""
    condition, then, otherwise = operands
    chosen = condition.data != 0
    data = np.where(chosen, then.data, otherwise.data)
    if condition.known is None and then.known is None and otherwise.known is None:
        return Evaluated(data)
    yes = np.ones(1, np.bool_)
    known = np.where(chosen, yes if then.known is None else then.known,
                     yes if otherwise.known is None else otherwise.known)  # fmt: skip
    if condition.known is not None:
        known = known & condition.known
    return Evaluated(data, known)


def logical(operands: list[Evaluated], *, absorbing: int) -> Evaluated:
    """And, or: one absorbing operand decides, whatever the others are."""
    decided: Mask = np.zeros(1, np.bool_)
    known: Mask | None = None
    for operand in operands:
        here = operand.data == absorbing
        decided = decided | (here if operand.known is None else here & operand.known)
        known = both_known(known, operand.known)
    data = decided if absorbing else ~decided
    return Evaluated(data.astype(U64), None if known is None else known | decided)


def taken(value: Evaluated, rows: NDArray[np.int64] | None) -> Evaluated:
    """Some rows of a value; None stands for all."""
    if rows is None:
        return value
    data = value.data if len(value.data) == 1 else value.data[rows]
    known = value.known
    if known is not None and len(known) > 1:
        known = known[rows]
    return Evaluated(data, known)


def along(value: Evaluated, shape: tuple[int, ...]) -> Evaluated:
    """A value whose rows are all combinations along some axes, as arrays with these axes; one that
    all rows share stays as it is."""

    def laid(values: Array) -> Array:
        return values if values.size == 1 else values.reshape(shape)

    return Evaluated(laid(value.data), None if value.known is None else laid(value.known))


def in_rows(value: Evaluated, shape: tuple[int, ...]) -> Evaluated:
    """Row by row what :func:`along` gave, or was made of it, for all combinations of ``shape``;
    without one it is so already."""
    if not shape:
        return value

    def flat(values: Array) -> Array:
        one = values.size == 1
        return values.reshape(-1) if one else np.broadcast_to(values, shape).reshape(-1)

    return Evaluated(flat(value.data), None if value.known is None else flat(value.known))


def shrunk(value: Evaluated) -> Evaluated:
    """One element where all rows are alike."""
    data, known = value.data, value.known
    if len(data) > 1 and known is None and (data == data[0]).all():
        return Evaluated(data[:1])
    return value

"""One object for each distinct node of a kernel; leaves."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Any

from kcc.frontend.ir.types import I64, FloatTy, IntTy
from kcc.passes.symbolic.expr import (
    BASE_KINDS,
    Expr,
    Loaded,
    Node,
    Number,
    Opaque,
    Recurrence,
    ScalarTy,
    Sum,
    Symbol,
    SymbolKind,
    Table,
    operands_of,
)
from kcc.passes.symbolic.folding import wrap
from kcc.passes.symbolic.intervals import Intervals
from kcc.passes.symbolic.ranges import Interval, Known


class Nodes:
    """The nodes of one kernel. ``known`` is what is known of the launch; ranges come from it."""

    def __init__(self, known: Known | None = None) -> None:
        self.known = known or Known()
        self._made: dict[Any, Expr] = {}
        self.intervals = Intervals(self.known)

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return len(self._made)

    def _make(self, kind: Callable[..., Any], type_: ScalarTy, *fields: Any) -> Any:
        key = (kind, type_, *fields)
        node = self._made.get(key)
        if node is None:
            node = self._made[key] = kind(len(self._made), type_, *fields)
        return node

    def number(self, value: int, type_: IntTy = I64) -> Number:
        """An integer constant."""
        return self._make(Number, type_, wrap(value, type_.bits))

    def float_number(self, bits: int, type_: FloatTy) -> Number:
        """A float constant by its bits."""
        return self._make(Number, type_, bits)

    def symbol(self, kind: SymbolKind, index: int | str, type_: ScalarTy = I64) -> Expr:
        """A symbol, or its value where the launch gives it."""
        if isinstance(type_, IntTy):
            interval = self.intervals.symbol(kind, index)
            if interval is not None and interval[0] == interval[1]:
                return self.number(interval[0], type_)
        return self._make(Symbol, type_, kind, index)

    def counter(self, loop: int, type_: IntTy = I64) -> Expr:
        """The counter of a loop."""
        return self.symbol(SymbolKind.COUNTER, loop, type_)

    def loaded(
        self, type_: ScalarTy, instruction: int, component: int, address: Node | None
    ) -> Loaded:
        return self._make(Loaded, type_, instruction, component, address)

    def table(self, type_: ScalarTy, variable: str, offset: Node) -> Table:
        return self._make(Table, type_, variable, offset)

    def recurrence(self, type_: ScalarTy, loop: int, phi: int, component: int) -> Recurrence:
        return self._make(Recurrence, type_, loop, phi, component)

    def opaque(self, type_: ScalarTy, instruction: int, component: int, reason: str) -> Opaque:
        return self._make(Opaque, type_, instruction, component, reason)

    def interval(self, node: Node) -> Interval:
        """Where the signed reading of an integer node lies."""
        return self.intervals.of(node)


def reachable(roots: Iterable[Node], stop: Container[Node] = ()) -> list[Node]:
    """The nodes that others are made from, themselves too, operands first; not past ``stop``, which
    should be a set or a mapping."""
    seen, pending = set[Node](), list(roots)
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            if node not in stop:
                pending += [each for each in operands_of(node) if each not in seen]
    return sorted(seen, key=lambda node: node.id)


def int_type(node: Node) -> IntTy:
    """The type of an integer node."""
    assert isinstance(node.type, IntTy)
    return node.type


def base_of(address: Node) -> Symbol | None:
    """The object an address points into: the only base among its terms, with coefficient 1."""
    if isinstance(address, Symbol):
        return address if address.kind in BASE_KINDS else None
    if not isinstance(address, Sum):
        return None
    bases = [
        (term, c) for term, c in address.terms
        if isinstance(term, Symbol) and term.kind in BASE_KINDS
    ]  # fmt: skip
    return bases[0][0] if len(bases) == 1 and bases[0][1] == 1 else None

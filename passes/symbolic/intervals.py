"""Where the values of integer nodes lie."""

from __future__ import annotations

from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import I1, IntTy
from kcc.passes.symbolic.expr import (
    First,
    Node,
    Number,
    Operation,
    Product,
    Sum,
    Symbol,
    SymbolKind,
    Total,
)
from kcc.passes.symbolic.ranges import Interval, Known, fits, full, symbol_interval

MAX_DEPTH = 60
"""Nodes inside one another that are looked into; what is further in can be anything."""

_COUNTER = (0, 2**62)
"""Iterations of a loop that runs for as long as anybody can wait."""


class Intervals:
    """Intervals of the nodes of one algebra, each found once."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._found: dict[Node, Interval] = {}
        self._counters: dict[int, Interval] = {}
        self._depth = 0
        self.generation = 0
        """Grows when intervals that were given before may be wider than they had to be."""

    def bound_counter(self, loop: int, highest: int) -> None:
        """A loop's back edges are taken ``highest`` times at most per entry."""
        self._counters[loop] = (0, max(highest, 0))
        self._found.clear()
        self.generation += 1

    def symbol(self, kind: SymbolKind, index: int | str) -> Interval | None:
        """The interval of a symbol before it is cut to a type; None where it can be anything."""
        if kind is SymbolKind.COUNTER:
            assert isinstance(index, int)
            return self._counters.get(index, _COUNTER)
        if kind is SymbolKind.ARGUMENT:
            if not isinstance(index, int):
                return None
            value = self._known.arguments.get(index)
            return (value, value) if isinstance(value, int) else None
        return symbol_interval(kind, index, self._known) if isinstance(index, int) else None

    def of(self, node: Node) -> Interval:
        """The interval of the signed reading of an integer node."""
        assert isinstance(node.type, IntTy)
        found = self._found.get(node)
        if found is None:
            if self._depth > MAX_DEPTH:
                return full(node.type)
            self._depth += 1
            exact = self.exact(node)
            self._depth -= 1
            found = self._found[node] = exact if fits(exact, node.type) else full(node.type)
        return found

    def exact(self, node: Node) -> Interval:
        """The interval as if nothing in the node itself wrapped (its operands may)."""
        type_ = node.type
        assert isinstance(type_, IntTy)
        match node:
            case Number(value=value):
                return (value, value)
            case Symbol(kind=kind, index=index):
                return self.symbol(kind, index) or full(type_)
            case Sum(constant=constant, terms=terms):
                low = high = constant
                for term, coefficient in terms:
                    ends = [bound * coefficient for bound in self.of(term)]
                    low, high = low + min(ends), high + max(ends)
                return (low, high)
            case Product(factors=factors):
                interval = (1, 1)
                for factor in factors:
                    interval = _times(interval, self.of(factor))
                return interval
            case Operation():
                return self._operation(node, type_)
            case First():
                return self._counters.get(node.loop, _COUNTER)
            case Total():
                return (-1, _COUNTER[1])
            case _:
                return full(type_)

    def _operation(self, node: Operation, type_: IntTy) -> Interval:
        if type_ == I1 or not all(isinstance(o.type, IntTy) for o in node.operands):
            return full(type_)
        inner = [self.of(operand) for operand in node.operands]
        match node.operator:
            case Opcode.SELECT:
                return _around(inner[1], inner[2])
            case Opcode.SEXT | Opcode.ZEXT | Opcode.TRUNC:
                return _converted(node, inner[0])
            case Opcode.UDIV | Opcode.UREM | Opcode.AND | Opcode.SDIV | Opcode.SREM:
                return _divided(node.operator, inner[0], inner[1], type_)
            case Opcode.OR | Opcode.XOR if min(inner)[0] >= 0:
                return (0, (1 << max(high for _, high in inner).bit_length()) - 1)
            case Opcode.LSHR | Opcode.ASHR if inner[0][0] >= 0:
                return (0, inner[0][1])
            case "smax" | "smin":
                chosen = max if node.operator == "smax" else min
                return (chosen(inner[0][0], inner[1][0]), chosen(inner[0][1], inner[1][1]))
            case "umin" if any(low >= 0 for low, _ in inner):
                return (0, min(high for low, high in inner if low >= 0))
            case "divpow" | "ashrmul" if inner[0][0] >= 0:
                return (0, inner[0][1])
            case "iterations":
                return (0, (1 << type_.bits - 1) - 1) if type_.bits == 64 else full(type_)
            case "ctpop" | "ctlz" | "cttz":
                return (0, 64)
            case _:
                return full(type_)


def _around(first: Interval, second: Interval) -> Interval:
    return (min(first[0], second[0]), max(first[1], second[1]))


def _times(first: Interval, second: Interval) -> Interval:
    ends = [a * b for a in first for b in second]
    return (min(ends), max(ends))


def _converted(node: Operation, inner: Interval) -> Interval:
    source, target = node.operands[0].type, node.type
    assert isinstance(source, IntTy)
    assert isinstance(target, IntTy)
    if node.operator is Opcode.TRUNC:
        return inner if fits(inner, target) else full(target)
    if node.operator is Opcode.ZEXT and inner[0] < 0:
        return (0, (1 << source.bits) - 1)
    if source == I1 and node.operator is Opcode.SEXT:
        return (-1, 0)
    return inner


def _divided(operator: Opcode, left: Interval, right: Interval, type_: IntTy) -> Interval:
    if operator is Opcode.AND:
        highs = [high for low, high in (left, right) if low >= 0]
        return (0, min(highs)) if highs else full(type_)
    if operator in (Opcode.UDIV, Opcode.UREM):
        if right[0] <= 0:
            return (0, left[1]) if left[0] >= 0 else full(type_)
        if operator is Opcode.UREM:
            return (0, min(right[1] - 1, left[1]) if left[0] >= 0 else right[1] - 1)
        if left[0] >= 0:
            return (left[0] // right[1], left[1] // right[0])
        return (0, ((1 << type_.bits) - 1) // right[0])
    if operator is Opcode.SREM and right[0] > 0:
        highest = right[1] - 1
        return (0 if left[0] >= 0 else -highest, highest if left[1] > 0 else 0)
    if operator is Opcode.SDIV and right[0] > 0:
        return (min(left[0], 0), max(left[1], 0))
    return full(type_)

"""By how much values grow from warp to warp, and within which limits they do.

A value's *growth* is a row of numbers for each row of lanes: what is added to it per step of each
coordinate (:class:`kcc.tracegen.static.geometry.Geometry`). It is found as derivatives are in
forward mode, next to the value itself. Where a value does not grow evenly
(comparisons, divisions, conversions, choices), limits are put down within which it does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.frontend.ir.opcodes import IntPredicate, Opcode
from kcc.frontend.ir.types import I1, FloatTy, IntTy
from kcc.passes.symbolic.evaluate import Evaluator
from kcc.passes.symbolic.expr import (
    Final,
    First,
    Node,
    Operation,
    Product,
    Recurrence,
    Sum,
    Symbol,
    Table,
    Total,
)
from kcc.tracegen.static.growths import DIVISIONS, EXTREMES, REMAINDERS, Growths, zero_test
from kcc.tracegen.static.limits import Ints, Limit
from kcc.tracegen.static.regions import FAR

_SIGNED = frozenset({Opcode.SDIV, Opcode.SREM, Opcode.ASHR, Opcode.SEXT})
_OF_ALL: dict[Opcode | str, int] = {Opcode.AND: 0, Opcode.OR: 1, Opcode.XOR: 1}
_OF_MASKED: dict[Opcode | str, int] = {Opcode.AND: 1, Opcode.OR: -1, Opcode.XOR: -2}
"""How often a number, and the bits of it that are in the mask, are in the result."""


class Shifts:
    """The growth of values, row by row, with their limits, next to an :class:`Evaluator`."""

    def __init__(self, growths: Growths, evaluate: Evaluator) -> None:
        self._growths, self._evaluate, self._none = growths, evaluate, growths.none
        self._found: dict[Node, Ints] = {}
        self._limits: dict[Node, list[Limit]] = {}

    def of(self, node: Node) -> Ints:
        """The growth of an integer node: a row of lanes each, or one row where it is the
        same in all."""
        if not self._growths.moves(node):
            return self._none
        for each in self._growths.parts(node):
            if each not in self._found:
                self._limits[each] = []
                self._found[each] = self._grown(each)
                self._take_over(each)
        return self._found[node]

    def _take_over(self, node: Node) -> None:
        """The limits of floats a node is computed from, where the node is known: a float that does
        not change anything that is known may change."""
        limits = {
            id(limit): limit
            for operand in self._growths.operands(node)
            if isinstance(operand.type, FloatTy)
            for limit in self._limits.get(operand, ())
        }
        if limits:
            known = self._known(node)
            self._limits[node] += [replace(x, sure=x.sure & known) for x in limits.values()]

    def limits(self, node: Node) -> list[Limit]:
        """All limits within which a node grows as :meth:`of` says."""
        if not self._growths.moves(node):
            return []
        self.of(node)
        parts = [p for p in self._growths.parts(node) if not isinstance(p.type, FloatTy)]
        return [limit for each in parts for limit in self._limits[each]]

    def _integers(self, node: Node, *, signed: bool = True) -> tuple[Ints, NDArray[np.bool_]]:
        data, known = self._evaluate.integers(node)
        assert isinstance(node.type, IntTy)
        if not signed and 1 < node.type.bits < 64:
            data = data & ((1 << node.type.bits) - 1)
        return data, known

    def _get(self, node: Node) -> Ints:
        return self._found.get(node, self._none)

    def _limit(self, node: Node, key: Ints, low: Ints, high: Ints, sure: NDArray[np.bool_]) -> None:
        if key.any():
            self._limits[node].append(Limit(key, low, high, sure))

    def _fix(self, node: Node, operand: Node) -> None:
        """The operand must stay what it is, where the node is known."""
        key = self._get(operand)
        if key.any():
            zero = np.zeros(1, np.int64)
            self._limit(node, key, zero, zero, self._known(node))

    def _known(self, node: Node) -> NDArray[np.bool_]:
        found = self._evaluate(node).known
        return np.ones(1, np.bool_) if found is None else found

    def _in_range(self, node: Node, operand: Node, *, signed: bool) -> None:
        """The operand must not wrap around."""
        assert isinstance(operand.type, IntTy)
        key = self._get(operand)
        if not key.any():
            return
        data, sure = self._integers(operand, signed=signed)
        bits = operand.type.bits
        if bits == 64:
            low, high = (-FAR if signed else 0), FAR
            odd = (data < low) | (data > high)
            limit = np.where(odd, 0, low - data), np.where(odd, 0, high - data)
        else:
            low = -(1 << (bits - 1)) if signed else 0
            limit = low - data, low + (1 << bits) - 1 - data
        self._limit(node, key, *limit, sure)

    def _grown(self, node: Node) -> Ints:
        """The growth of a node whose operands have theirs; a truth value must not change."""
        growth = self._growth(node)
        if node.type != I1:
            return growth
        odd = growth % 2
        if odd.any():
            zero = np.zeros(1, np.int64)
            self._limit(node, odd, zero, zero, np.ones(1, np.bool_))
        return self._none

    def _growth(self, node: Node) -> Ints:
        match node:
            case Symbol():
                return self._growths.of_symbol((node.kind, node.index))
            case Sum(terms=terms):
                total = self._none
                for term, factor in terms:
                    total = total + self._get(term) * np.int64(_wrapped(factor))
                return total
            case Product(factors=factors):
                return self._product(node, factors)
            case Operation():
                return self._operation(node)
            case Table(offset=offset):
                self._fix(node, offset)
            case First() | Final() | Total() | Recurrence():
                self._fix_symbols(node)
            case _:
                pass
        return self._none

    def _fix_symbols(self, node: Node) -> None:
        """All that a loop is computed from must stay as it is, where its result is known."""
        zero, sure = np.zeros(1, np.int64), self._known(node)
        for each in self._growths.operands(node):
            self._limit(node, self._get(each), zero, zero, sure)

    def _product(self, node: Node, factors: tuple[Node, ...]) -> Ints:
        moving = [f for f in factors if self._get(f).any()]
        if len(moving) != 1:
            for factor in moving:
                self._fix(node, factor)
            return self._none
        (growing,) = moving
        times = np.ones(1, np.int64)
        for factor in factors:
            if factor is not growing:
                data, known = self._integers(factor)
                times = times * np.where(known, data, 0)
        return self._get(growing) * times[:, None]

    def _operation(self, node: Operation) -> Ints:
        operator, operands = node.operator, node.operands
        if not any(self._get(o).any() for o in zero_test(node) or operands):
            return self._none
        match operator:
            case Opcode.ICMP:
                self._compare(node)
                return self._none
            case Opcode.TRUNC:
                return self._get(operands[0])
            case Opcode.ZEXT | Opcode.SEXT:
                self._in_range(node, operands[0], signed=operator in _SIGNED)
                return self._get(operands[0])
            case Opcode.SELECT:
                data, _ = self._integers(operands[0])
                chosen = (data != 0)[:, None]
                return _same(np.where(chosen, self._get(operands[1]), self._get(operands[2])))
            case str() if operator in EXTREMES:
                return self._extreme(node, IntPredicate(EXTREMES[operator]))
            case Opcode.AND | Opcode.OR | Opcode.XOR if node.type != I1:
                return self._mask(node)
            case Opcode() if operator in DIVISIONS or operator in REMAINDERS:
                if node.type != I1:
                    return self._divide(node)
            case _:
                pass
        for operand in operands:
            self._fix(node, operand)
        return self._none

    def _compare(self, node: Operation) -> None:
        assert isinstance(node.detail, IntPredicate)
        first, second = node.operands
        tested = zero_test(node)
        if tested:
            self._any_set(node, tested)
        else:
            self._ordered(node, node.detail, first, second)

    def _any_set(self, node: Operation, tested: tuple[Node, ...]) -> None:
        """Whether one of several is not 0: the first that is not stays so, or all stay 0."""
        read = [self._integers(each) for each in tested]
        count = max(len(data) for data, _ in read)
        open_ = np.ones(count, np.bool_)
        none = ~np.any([np.broadcast_to(data != 0, count) for data, _ in read], axis=0)
        for each, (data, sure) in zip(tested, read, strict=True):
            here = open_ & (data != 0)
            zero = np.where(data == 0, 0, 2 * FAR)
            low = np.where(data > 0, 1 - data, np.where(data < 0, -2 * FAR, -zero))
            high = np.where(data < 0, -1 - data, zero)
            self._in_range(node, each, signed=True)
            self._limit(node, self._get(each), low, high, sure & (here | none))
            open_ = open_ & ~here

    def _ordered(
        self, node: Operation, predicate: IntPredicate, first: Node, second: Node
    ) -> NDArray[np.bool_]:
        """Limits within which two values keep their relation, which is given back."""
        word = predicate.value
        signed = word[0] == "s" or word in ("eq", "ne")
        assert isinstance(first.type, IntTy)
        (a, sure_a), (b, sure_b) = (self._integers(o, signed=signed) for o in (first, second))
        for operand in (first, second):
            self._in_range(node, operand, signed=signed)
        key, sure = self._get(first) - self._get(second), sure_a & sure_b
        if first.type.bits == 64:
            sane = (abs(a) < FAR) & (abs(b) < FAR) & (signed | ((a >= 0) & (b >= 0)))
        else:
            sane = np.ones(1, np.bool_)
        apart = np.where(sane, a - b, 0)
        match word[-2:]:
            case "eq" | "ne":
                low = np.where(apart > 0, 1 - apart, np.where(apart == 0, 0, -2 * FAR))
                high = np.where(apart < 0, -1 - apart, np.where(apart == 0, 0, 2 * FAR))
                holds = (apart == 0) == (word == "eq")
            case "lt" | "ge":
                less = apart < 0
                low, high = np.where(less, -2 * FAR, -apart), np.where(less, -1 - apart, 2 * FAR)
                holds = less == (word[-2:] == "lt")
            case _:
                more = apart > 0
                low, high = np.where(more, 1 - apart, -2 * FAR), np.where(more, 2 * FAR, -apart)
                holds = more == (word[-2:] == "gt")
        self._limit(node, key, np.where(sane, low, 0), np.where(sane, high, 0), sure)
        return holds

    def _extreme(self, node: Operation, predicate: IntPredicate) -> Ints:
        first, second = node.operands
        holds = self._ordered(node, predicate, first, second)
        return _same(np.where(holds[:, None], self._get(first), self._get(second)))

    def _divide(self, node: Operation) -> Ints:
        """Divisions, remainders and shifts by what does not grow."""
        first, second = node.operands
        key = self._get(first)
        divisor = self._divisors(node)
        if self._get(second).any() or not divisor.all():
            self._fix(node, first)
            self._fix(node, second)
            return self._none
        even = (key % divisor[:, None] == 0).all(axis=0)
        whole, part = np.where(even, key, 0), np.where(even, 0, key)
        signed = node.operator in _SIGNED
        data, sure = self._integers(first, signed=signed)
        self._in_range(node, first, signed=signed)
        if _truncates(node):
            negative = data < 0
            low = np.where(negative, -2 * FAR, -data)
            high = np.where(negative, -1 - data, 2 * FAR)
            self._limit(node, key, low, high, sure)
        rest = np.fmod(data, divisor)
        if node.operator is Opcode.ASHR:
            rest = data % divisor
        self._limit(node, part, *_within(rest, divisor, _truncates(node) & (data < 0)), sure)
        if node.operator in REMAINDERS:
            return part
        sign = np.ones(1, np.int64)
        if node.operator is Opcode.SDIV:
            sign = np.where(self._integers(second)[0] < 0, -1, 1)
        return _same(whole // divisor[:, None] * sign[:, None])

    def _mask(self, node: Operation) -> Ints:
        """And, or, exclusive or with a mask: ``x & ~m`` is ``x - (x & m)``, ``x | m`` is
        ``x + m - (x & m)``, ``x ^ m`` is ``x + m - 2 * (x & m)``."""
        first, second = node.operands
        if not self._get(first).any():
            first, second = second, first
        if self._get(second).any() or not self._integers(second)[1].all():
            self._fix(node, first)
            self._fix(node, second)
            return self._none
        key, mask = self._get(first), self._integers(second)[0]
        masked = self._masked(node, first, np.where(mask < 0, ~mask, mask))
        masked = np.where((mask < 0)[:, None], key - masked, masked)
        return _same(key * _OF_ALL[node.operator] + masked * _OF_MASKED[node.operator])

    def _masked(self, node: Operation, number: Node, mask: Ints) -> Ints:
        """By how much the bits of a number grow that are in a mask, which is not negative. Where
        they are side by side they are a remainder, rounded down; else they must stay as they are.
        """
        key, (data, sure) = self._get(number), self._integers(number)
        low, high = np.maximum(mask & -mask, 1), _above(mask)
        below = np.where(key % low[:, None] == 0, 0, key)
        rest = data & (low - 1)
        self._limit(node, below, -rest, low - 1 - rest, sure)
        outside = (key % np.maximum(high, 1)[:, None] == 0) & (high > 0)[:, None]
        inside = np.where(outside | (mask == 0)[:, None], 0, key - below)
        joined, part = mask == high - low, data & mask
        least, most = np.where(joined, -part, 0), np.where(joined, mask - part, 0)
        self._limit(node, inside, least, most, sure)
        return np.where(joined[:, None], inside, 0)

    def _divisors(self, node: Operation) -> Ints:
        """What an operand is divided by, row by row; 0 where that is none."""
        assert isinstance(node.type, IntTy)
        found, known = self._integers(node.operands[1])
        data: Ints = found * known.astype(np.int64)
        match node.operator:
            case Opcode.LSHR | Opcode.ASHR:
                fine = (data >= 0) & (data < 62)
                steps: Ints = np.int64(1) << np.where(fine, data, 0)
                return steps * fine.astype(np.int64)
            case _:
                return abs(data)


def _truncates(node: Operation) -> bool:
    """Whether a division rounds to 0."""
    return node.operator in (Opcode.SDIV, Opcode.SREM)


def _within(rest: Ints, divisor: Ints, negative: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """How far a remainder may grow: to either end of what it can be without a carry. That of a
    negative number is 0 or negative."""
    low = np.where(negative, 1 - divisor - rest, -rest)
    high = np.where(negative, -rest, divisor - 1 - rest)
    return low, high


def _above(mask: Ints) -> Ints:
    """The bit above the highest one of masks; 0 for those that are not positive."""
    found = mask.copy()
    for shift in (1, 2, 4, 8, 16, 32):
        found |= found >> shift
    return np.where(mask > 0, found + 1, 0)


def _same(rows: NDArray[Any]) -> Ints:
    """One row where all are the same."""
    return rows[:1] if len(rows) > 1 and (rows == rows[0]).all() else rows


def _wrapped(number: int) -> int:
    """The signed 64-bit reading."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)

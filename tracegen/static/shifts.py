"""By how much values grow from warp to warp, and within which limits they do.

A value's *growth* is a row of four numbers for each row of lanes: what is added to it per step in
x, y, z and from warp to warp (:class:`kcc.tracegen.static.geometry.Geometry`). It is found as
derivatives are in forward mode, next to the value itself. Where a value does not grow evenly
(comparisons, divisions, conversions, choices), limits are put down within which it does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.frontend.ir.opcodes import IntPredicate, Opcode
from kcc.frontend.ir.types import I1, IntTy
from kcc.passes.symbolic.affine import depends_on
from kcc.passes.symbolic.algebra import reachable
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.evaluate import Evaluator
from kcc.passes.symbolic.expr import (
    Final,
    First,
    Node,
    Number,
    Operation,
    Product,
    Recurrence,
    Sum,
    Symbol,
    Table,
    Total,
    operands_of,
)
from kcc.passes.symbolic.lanes import Key
from kcc.tracegen.static.geometry import MAX_REMAINDERS, SIDES, Geometry
from kcc.tracegen.static.regions import FAR, Limits, Place

Ints = NDArray[np.int64]

Growth = tuple[Fraction, Fraction, Fraction, Fraction]

NOTHING: Growth = (Fraction(0), Fraction(0), Fraction(0), Fraction(0))

NONE: Ints = np.zeros((1, SIDES), np.int64)

_DIVISIONS = frozenset({Opcode.UDIV, Opcode.SDIV, Opcode.LSHR, Opcode.ASHR})
_REMAINDERS = frozenset({Opcode.UREM, Opcode.SREM, Opcode.AND})
_SIGNED = frozenset({Opcode.SDIV, Opcode.SREM, Opcode.ASHR, Opcode.SEXT})
_EXTREMES = {"smin": "slt", "smax": "sgt", "umin": "ult", "umax": "ugt"}


@dataclass(frozen=True, slots=True, eq=False)
class Limit:
    """For each row (or one for all): ``low <= key . apart <= high``; not for rows that are not
    ``sure``."""

    key: Ints
    low: Ints
    high: Ints
    sure: NDArray[np.bool_]


class Growths:
    """What of the values of a kernel grows, for one launch; shared by all warps."""

    def __init__(self, values: SymbolicValues, geometry: Geometry) -> None:
        self.values, self.geometry = values, geometry
        self._moving: dict[Node, bool] = {}
        self._symbols: dict[Key, Ints] = {}
        self._parts: dict[Node, list[Node]] = {}
        self._set_symbols()

    def _set_symbols(self) -> None:
        self._symbols = {
            key: np.array([[int(g * p) for g, p in zip(row, self.geometry.periods, strict=True)]])
            for key, row in self.geometry.growth().items()
        }

    def of_symbol(self, kind_and_index: Key) -> Ints:
        """The growth of a symbol."""
        return self._symbols.get(kind_and_index, NONE)

    def moves(self, node: Node) -> bool:
        """Whether a node may differ between warps."""
        found = self._moving.get(node)
        if found is None:
            keys = depends_on(self.values, node)
            found = self._moving[node] = any(bool(self.of_symbol(k).any()) for k in keys)
        return found

    def parts(self, node: Node) -> list[Node]:
        """The nodes a node is computed from that may differ between warps, operands first; not
        those inside of loops.
        """
        found = self._parts.get(node)
        if found is None:
            seen, pending = set[Node](), [node]
            while pending:
                each = pending.pop()
                if each not in seen and self.moves(each):
                    seen.add(each)
                    pending += _zero_test(each) or self.operands(each)
            found = self._parts[node] = self._ordered(seen)
        return found

    def _ordered(self, nodes: set[Node]) -> list[Node]:
        """Operands first. Ids ascend, but for the variables of loops."""
        done, found = set[Node](), list[Node]()
        for root in sorted(nodes, key=lambda each: each.id):
            pending = [(root, False)]
            while pending:
                each, ready = pending.pop()
                if ready:
                    found.append(each)
                elif each not in done and each in nodes:
                    done.add(each)
                    pending.append((each, True))
                    pending += [(o, False) for o in _zero_test(each) or self.operands(each)]
        return found

    def operands(self, node: Node) -> tuple[Node, ...]:
        """What a node is computed from; of what is found by going through a loop, that which the
        loop does not change.
        """
        match node:
            case First(loop=loop) | Final(loop=loop) | Total(loop=loop) | Recurrence(loop=loop):
                return self._unchanged(node, loop)
            case _:
                return _operands(node)

    def _unchanged(self, node: Node, loop: int) -> tuple[Node, ...]:
        inside, seen = {loop}, dict[Node, bool]()
        pending = self._inner(node)
        while pending:
            each = pending.pop()
            if each in seen:
                continue
            seen[each] = not (self.values.varying(each) & inside)
            if not seen[each]:
                if isinstance(each, First | Final | Total | Recurrence):
                    inside.add(each.loop)
                pending += self._inner(each)
        return tuple(each for each, unchanged in seen.items() if unchanged)

    def _inner(self, node: Node) -> list[Node]:
        if isinstance(node, Recurrence):
            variable = self.values.variable(node)
            return [variable.start, variable.step]
        return list(operands_of(node))

    def choose_periods(self, roots: Iterable[Node], launch: Evaluator) -> None:
        """Lengthen the geometry's steps until divisions and remainders that ``roots`` are computed
        with go evenly. ``launch`` evaluates what all work-items share.
        """
        periods = list(self.geometry.periods)
        growth: dict[Node, Growth | None] = {}
        symbols = self.geometry.growth()
        none = Fraction(0)
        for node in reachable(roots):
            rows = [growth.get(o) for o in _operands(node)]
            match node:
                case Number():
                    growth[node] = NOTHING
                case Symbol():
                    own = symbols.get((node.kind, node.index), NOTHING)
                    if node.type == I1:
                        _lengthen(periods, tuple(g / 2 for g in own), self.geometry.sizes)
                    growth[node] = NOTHING if node.type == I1 else own
                case Sum(terms=terms):
                    growth[node] = _added(rows, [c for _, c in terms])
                case Operation(operator=Opcode.TRUNC) if node.type == I1 and rows[0] is not None:
                    _lengthen(periods, tuple(g / 2 for g in rows[0]), self.geometry.sizes)
                    growth[node] = NOTHING
                case Operation(operator=Opcode.ZEXT | Opcode.SEXT | Opcode.TRUNC):
                    growth[node] = rows[0]
                case Operation(operator=Opcode() as operator) if (
                    operator in _DIVISIONS or operator in _REMAINDERS
                ) and rows[0] is not None:
                    divisor = self._divisor(node, launch)
                    if divisor is not None:
                        parts = tuple(g / divisor for g in rows[0])
                        even = _lengthen(periods, parts, self.geometry.sizes)
                        is_rest = operator in _REMAINDERS
                        growth[node] = _four(
                            tuple(
                                (none if e else g) if is_rest else (part if e else none)
                                for e, g, part in zip(even, rows[0], parts, strict=True)
                            )
                        )
                case Operation(operator=Opcode.OR | Opcode.XOR) if rows[0] is not None:
                    other = node.operands[-1]
                    if isinstance(other, Number) and 0 < other.value < 1 << 16:
                        step = 1 << other.value.bit_length()
                        _lengthen(periods, tuple(g / step for g in rows[0]), self.geometry.sizes)
                        growth[node] = rows[0]
                case Operation(operator=Opcode.SELECT):
                    growth[node] = rows[1]
                case Operation(operator=str() as name) if name in _EXTREMES:
                    growth[node] = rows[0] if rows[0] and any(rows[0]) else rows[1]
                case _:
                    pass
        x, y, z, w = periods
        self.geometry = self.geometry.with_periods((x, y, z, w))
        self._set_symbols()

    def _divisor(self, node: Operation, launch: Evaluator) -> int | None:
        """The number that an operand is divided by, if it is the same in the whole launch."""
        data, known = launch.integers(node.operands[1])
        value = int(data[0])
        if not known[0] or value == 0:
            return None
        match node.operator:
            case Opcode.LSHR | Opcode.ASHR:
                return 1 << value if 0 <= value < 62 else None
            case Opcode.AND:
                return 1 << value.bit_length() if value > 0 else value & -value
            case _:
                return abs(value)


def _four(parts: tuple[Fraction, ...]) -> Growth:
    x, y, z, w = parts
    return (x, y, z, w)


def _added(rows: list[Growth | None], factors: list[int]) -> Growth | None:
    total = [Fraction(0)] * SIDES
    for row, factor in zip(rows, factors, strict=True):
        if row is None:
            return None
        total = [t + r * factor for t, r in zip(total, row, strict=True)]
    return _four(tuple(total))


def _lengthen(periods: list[int], parts: tuple[Fraction, ...], sizes: Place) -> list[bool]:
    """Periods such that parts become whole; says which do. A part stays as it is where it comes
    to a whole number less often in all than there would be remainders, or where these would be
    too many.
    """
    even = list[bool]()
    for side, (part, size) in enumerate(zip(parts, sizes, strict=True)):
        period = periods[side] * (part * periods[side]).denominator
        wanted = [*periods[:side], period, *periods[side + 1 :]]
        remainders = math.prod(min(p, s) for p, s in zip(wanted, sizes, strict=True))
        fine = period == periods[side] or (
            period <= max(abs(part) * size, 1) and remainders <= MAX_REMAINDERS
        )
        if fine:
            periods[side] = period
        even.append(fine)
    return even


class Shifts:
    """The growth of values, row by row, with their limits, next to an :class:`Evaluator`."""

    def __init__(self, growths: Growths, evaluate: Evaluator) -> None:
        self._growths, self._evaluate = growths, evaluate
        self._found: dict[Node, Ints] = {}
        self._limits: dict[Node, list[Limit]] = {}

    def of(self, node: Node) -> Ints:
        """The growth of an integer node: (rows, 4), or (1, 4) where it is the same in all."""
        if not self._growths.moves(node):
            return NONE
        for each in self._growths.parts(node):
            if each not in self._found:
                self._limits[each] = []
                self._found[each] = self._grown(each)
        return self._found[node]

    def limits(self, node: Node) -> list[Limit]:
        """All limits within which a node grows as :meth:`of` says."""
        if not self._growths.moves(node):
            return []
        self.of(node)
        return [limit for each in self._growths.parts(node) for limit in self._limits[each]]

    def _integers(self, node: Node, *, signed: bool = True) -> tuple[Ints, NDArray[np.bool_]]:
        data, known = self._evaluate.integers(node)
        assert isinstance(node.type, IntTy)
        if not signed and 1 < node.type.bits < 64:
            data = data & ((1 << node.type.bits) - 1)
        return data, known

    def _get(self, node: Node) -> Ints:
        return self._found.get(node, NONE)

    def _limit(self, node: Node, key: Ints, low: Ints, high: Ints, sure: NDArray[np.bool_]) -> None:
        if key.any():
            self._limits[node].append(Limit(key, low, high, sure))

    def _fix(self, node: Node, operand: Node) -> None:
        """The operand must stay what it is."""
        zero = np.zeros(1, np.int64)
        self._limit(node, self._get(operand), zero, zero, np.ones(1, np.bool_))

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
        if (growth % 2).any():
            zero = np.zeros(1, np.int64)
            self._limit(node, growth, zero, zero, np.ones(1, np.bool_))
        return NONE

    def _growth(self, node: Node) -> Ints:
        match node:
            case Symbol():
                return self._growths.of_symbol((node.kind, node.index))
            case Sum(terms=terms):
                total = NONE
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
        return NONE

    def _fix_symbols(self, node: Node) -> None:
        """All that a loop is computed from must stay as it is, where its result is known."""
        zero, found = np.zeros(1, np.int64), self._evaluate(node)
        sure = np.ones(1, np.bool_) if found.known is None else found.known
        for each in self._growths.operands(node):
            self._limit(node, self._get(each), zero, zero, sure)

    def _product(self, node: Node, factors: tuple[Node, ...]) -> Ints:
        moving = [f for f in factors if self._get(f).any()]
        if len(moving) != 1:
            for factor in moving:
                self._fix(node, factor)
            return NONE
        (growing,) = moving
        times = np.ones(1, np.int64)
        for factor in factors:
            if factor is not growing:
                data, known = self._integers(factor)
                times = times * np.where(known, data, 0)
        return self._get(growing) * times[:, None]

    def _operation(self, node: Operation) -> Ints:
        operator, operands = node.operator, node.operands
        if not any(self._get(o).any() for o in _zero_test(node) or operands):
            return NONE
        match operator:
            case Opcode.ICMP:
                self._compare(node)
                return NONE
            case Opcode.TRUNC:
                return self._get(operands[0])
            case Opcode.ZEXT | Opcode.SEXT:
                self._in_range(node, operands[0], signed=operator in _SIGNED)
                return self._get(operands[0])
            case Opcode.SELECT:
                data, _ = self._integers(operands[0])
                chosen = (data != 0)[:, None]
                return _same(np.where(chosen, self._get(operands[1]), self._get(operands[2])))
            case str() if operator in _EXTREMES:
                return self._extreme(node, IntPredicate(_EXTREMES[operator]))
            case Opcode() if operator in _DIVISIONS or operator in _REMAINDERS:
                if node.type != I1:
                    return self._divide(node)
            case Opcode.OR | Opcode.XOR if node.type != I1:
                return self._join(node)
            case _:
                pass
        for operand in operands:
            self._fix(node, operand)
        return NONE

    def _compare(self, node: Operation) -> None:
        assert isinstance(node.detail, IntPredicate)
        first, second = node.operands
        tested = _zero_test(node)
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
        """Divisions, remainders, shifts and masks by what does not grow."""
        first, second = node.operands
        key = self._get(first)
        divisor = self._divisors(node)
        if self._get(second).any() or not divisor.all():
            self._fix(node, first)
            self._fix(node, second)
            return NONE
        even = (key % divisor[:, None] == 0).all(axis=0)
        whole, part = np.where(even, key, 0), np.where(even, 0, key)
        signed = node.operator in _SIGNED
        data, sure = self._integers(first, signed=signed)
        if node.operator is Opcode.AND:
            return self._masked(node, whole, part, divisor)
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
        if node.operator in _REMAINDERS:
            return part
        sign = np.ones(1, np.int64)
        if node.operator is Opcode.SDIV:
            sign = np.where(self._integers(second)[0] < 0, -1, 1)
        return _same(whole // divisor[:, None] * sign[:, None])

    def _masked(self, node: Operation, whole: Ints, part: Ints, divisor: Ints) -> Ints:
        """And with a mask: of the lowest bits it is a remainder, of all but these the rest."""
        data, sure = self._integers(node.operands[0])
        mask = int(self._integers(node.operands[1])[0][0])
        rest = data & (divisor - 1)
        self._limit(node, part, *_within(rest, divisor, np.zeros(1, np.bool_)), sure)
        if mask < 0:
            return whole
        if mask & (mask + 1) and part.any():
            self._fix_key(node, part)
            return NONE
        return part

    def _fix_key(self, node: Operation, key: Ints) -> None:
        zero = np.zeros(1, np.int64)
        self._limit(node, key, zero, zero, np.ones(1, np.bool_))

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
            case Opcode.AND:
                return _first([_mask_step(m) for m in np.unique(data).tolist()], data)
            case _:
                return abs(data)

    def _join(self, node: Operation) -> Ints:
        """Or, exclusive or: with a number below what the other grows by, as a sum."""
        first, second = node.operands
        if self._get(first).any() and not self._get(second).any():
            key, data = self._get(first), self._integers(second)
        else:
            key, data = self._get(second), self._integers(first)
        number, known = data
        high = int(number.max(initial=0))
        both = self._get(first).any() and self._get(second).any()
        fits = known.all() and number.min(initial=0) >= 0 and high < 1 << 32
        if both or not fits or (key % (1 << high.bit_length())).any():
            self._fix(node, first)
            self._fix(node, second)
            return NONE
        return key


def _truncates(node: Operation) -> bool:
    """Whether a division rounds to 0."""
    return node.operator in (Opcode.SDIV, Opcode.SREM)


def _within(rest: Ints, divisor: Ints, negative: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """How far a remainder may grow: to either end of what it can be without a carry. That of a
    negative number is 0 or negative."""
    low = np.where(negative, 1 - divisor - rest, -rest)
    high = np.where(negative, -rest, divisor - 1 - rest)
    return low, high


def _zero_test(node: Node) -> tuple[Node, ...]:
    """Of a comparison of `or`-ed numbers with 0, the numbers; of others nothing."""
    match node:
        case Operation(
            operator=Opcode.ICMP,
            detail=IntPredicate.EQ | IntPredicate.NE,
            operands=(Operation(operator=Opcode.OR) as both, Number(value=0)),
        ):
            found, pending = list[Node](), [*both.operands]
            while pending:
                each = pending.pop()
                if isinstance(each, Operation) and each.operator is Opcode.OR:
                    pending += each.operands
                else:
                    found.append(each)
            return tuple(found)
        case _:
            return ()


def _mask_step(mask: int) -> int:
    """What an operand of `and` must grow by a multiple of, for the result to grow evenly."""
    if mask > 0:
        return 1 << mask.bit_length() if mask.bit_length() < 62 else 0
    step = mask & -mask
    return step if mask == -step else 0


def _first(steps: list[int], data: Ints) -> Ints:
    """One step for all rows, 0 if masks differ."""
    if len(steps) != 1:
        return np.zeros(1, np.int64)
    return np.full(1 if len(data) == 1 else len(data), steps[0], np.int64)


def _same(rows: NDArray[Any]) -> Ints:
    """One row where all are the same."""
    return rows[:1] if len(rows) > 1 and (rows == rows[0]).all() else rows


def _wrapped(number: int) -> int:
    """The signed 64-bit reading."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def _operands(node: Node) -> tuple[Node, ...]:
    match node:
        case Sum(terms=terms):
            return tuple(term for term, _ in terms)
        case Product(factors=factors):
            return factors
        case Operation(operands=operands):
            return operands
        case Table(offset=offset):
            return (offset,)
        case _:
            return ()


class Gathered:
    """Limits of the rows that were used, put down in :class:`Limits`."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits

    def add(self, limit: Limit, used: NDArray[np.bool_]) -> None:
        """A limit for the rows that are ``used``."""
        rows = len(used)
        use = used & np.broadcast_to(limit.sure, rows)
        if not use.any():
            return
        low = np.broadcast_to(limit.low, rows)[use]
        high = np.broadcast_to(limit.high, rows)[use]
        if len(limit.key) == 1:
            self._require(limit.key[0], low, high)
            return
        keys = limit.key[use]
        for key in np.unique(keys, axis=0):
            own = (keys == key).all(axis=1)
            self._require(key, low[own], high[own])

    def _require(self, key: Ints, low: Ints, high: Ints) -> None:
        x, y, z, w = key.tolist()
        self.limits.require((x, y, z, w), int(low.max()), int(high.min()))

    def equal(self, rows: Ints) -> None:
        """Rows of growth that must come to the same."""
        for other in np.unique(rows - rows[0], axis=0).tolist():
            x, y, z, w = other
            self.limits.require((x, y, z, w), 0, 0)

"""Closed forms: of variables of loops, and of the iteration in which a loop ends."""

from __future__ import annotations

from collections.abc import Callable

from kcc.frontend.ir.opcodes import IntPredicate, Opcode
from kcc.frontend.ir.types import I1, I64, IntTy
from kcc.passes.symbolic.algebra import Algebra
from kcc.passes.symbolic.expr import (
    Expr,
    First,
    Node,
    Number,
    Operation,
    Product,
    Recurrence,
    Sum,
    Symbol,
    SymbolKind,
)
from kcc.passes.symbolic.ranges import fits
from kcc.passes.symbolic.truths import INVERSE, SWAPPED

Varies = Callable[[Node, int], bool]
"""Whether a node differs between the iterations of a loop."""


def is_counter(node: Node, loop: int) -> bool:
    """Whether a node is the counter of a loop."""
    return isinstance(node, Symbol) and node.kind is SymbolKind.COUNTER and node.index == loop


def linear_in(
    algebra: Algebra, node: Node, variable: Callable[[Node], bool], varies: Callable[[Node], bool]
) -> tuple[Expr, Expr] | None:
    """``(a, b)`` with ``node == a * variable + b``, where neither varies; else None."""
    type_ = node.type
    assert isinstance(type_, IntTy)
    if variable(node):
        return algebra.number(1, type_), algebra.number(0, type_)
    if not varies(node):
        return algebra.number(0, type_), node  # type: ignore[return-value]
    match node:
        case Sum(constant=constant, terms=terms):
            parts = [(linear_in(algebra, term, variable, varies), c) for term, c in terms]
            factors, rests = list[tuple[Node, int]](), list[tuple[Node, int]]()
            for part, coefficient in parts:
                if part is None:
                    return None
                factors.append((part[0], coefficient))
                rests.append((part[1], coefficient))
            return algebra.sum(factors, type_), algebra.sum(rests, type_, constant)
        case Product(factors=own):
            moving = [f for f in own if varies(f)]
            if len(moving) != 1 or not variable(moving[0]):
                return None
            scale: Expr = algebra.number(1, type_)
            for factor in own:
                if factor is not moving[0]:
                    scale = algebra.multiply(scale, factor)
            return scale, algebra.number(0, type_)
        case _:
            return None


def close(
    algebra: Algebra, start: Node, step: Node, own: Recurrence, varies: Varies
) -> Expr | None:
    """The closed form of a variable that starts as ``start`` and goes on as ``step``, a node of
    ``own``, the variable itself; None if there is none.
    """
    loop, type_ = own.loop, own.type
    if step is own:
        return start  # type: ignore[return-value]
    if not isinstance(type_, IntTy) or type_ == I1:
        return None
    counter = algebra.counter(loop, type_)
    linear = linear_in(
        algebra, step, lambda n: n is own, lambda n: n is own or varies(n, loop)
    ) or _polynomial(algebra, step, own)
    if linear is not None:
        factor, rest = linear
        if isinstance(factor, Number) and factor.value == 1:
            return _summed(algebra, start, rest, loop, varies)
        if isinstance(factor, Number) and isinstance(rest, Number) and rest.value == 0:
            if factor.value == 0:
                return None
            grown = algebra.operation("power", type_, [factor, counter])
            return algebra.multiply(start, grown)
        return None
    return _shifted(algebra, start, step, own, counter)


def _polynomial(algebra: Algebra, step: Node, own: Recurrence) -> tuple[Expr, Expr] | None:
    """``own`` plus what is itself linear in the counter."""
    if not isinstance(step, Sum) or (own, 1) not in step.terms:
        return None
    assert isinstance(own.type, IntTy)
    rest = algebra.sum([(t, c) for t, c in step.terms if t is not own], own.type, step.constant)
    return algebra.number(1, own.type), rest


def _summed(algebra: Algebra, start: Node, rest: Node, loop: int, varies: Varies) -> Expr | None:
    """``start`` plus ``rest`` of the iterations so far."""
    type_ = start.type
    assert isinstance(type_, IntTy)
    counter = algebra.counter(loop, type_)
    parts = linear_in(algebra, rest, lambda n: is_counter(n, loop), lambda n: varies(n, loop))
    if parts is None:
        return None
    slope, base = parts
    total = algebra.add(start, algebra.multiply(base, counter))
    if isinstance(slope, Number) and slope.value == 0:
        return total
    pairs = algebra.convert(
        Opcode.TRUNC, algebra.operation("choose2", I64, [algebra.counter(loop)]), type_
    )
    return algebra.add(total, algebra.multiply(slope, pairs))


def _shifted(
    algebra: Algebra, start: Node, step: Node, own: Recurrence, counter: Node
) -> Expr | None:
    """Divisions and shifts by the same constant in every iteration."""
    if not isinstance(step, Operation) or len(step.operands) != 2:
        return None
    base, by = step.operands
    if base is not own or not isinstance(by, Number) or by.value < 1:
        return None
    match step.operator:
        case Opcode.UDIV:
            return algebra.operation("divpow", own.type, [start, by, counter])
        case Opcode.SDIV:
            return algebra.operation("sdivpow", own.type, [start, by, counter])
        case Opcode.ASHR:
            return algebra.operation("ashrmul", own.type, [start, by, counter])
        case _:
            return None


class Endings:
    """The iteration in which a condition first holds, in closed form where there is one.

    ``steady`` has nodes that are known not to wrap as signed numbers while their loop runs.
    """

    def __init__(self, algebra: Algebra, varies: Varies, steady: set[Node]) -> None:
        self._algebra, self._varies, self._steady = algebra, varies, steady

    def first(self, loop: int, condition: Node) -> Expr:
        """The least k at which the condition is true (i64); see :class:`First`."""
        return self._first(loop, condition, {})

    def _first(self, loop: int, condition: Node, found: dict[Node, Expr]) -> Expr:
        """``found``: parts that were looked at before, which a condition may have many times."""
        if condition not in found:
            found[condition] = self._sought(loop, condition, found)
        return found[condition]

    def _sought(self, loop: int, condition: Node, known: dict[Node, Expr]) -> Expr:
        algebra = self._algebra
        if not self._varies(condition, loop):
            return algebra.first(loop, condition)
        if isinstance(condition, Operation):
            if condition.operator == "not":
                found = self._not_all(loop, condition.operands[0], known)
                if found is not None:
                    return found
            elif condition.operator is Opcode.OR:
                fixed = [part for part in condition.operands if not self._varies(part, loop)]
                if fixed:
                    moving = [part for part in condition.operands if part not in fixed]
                    rest = self._first(loop, algebra.disjunction(moving), known)
                    return algebra.select(algebra.disjunction(fixed), algebra.number(0), rest)
                ends = [self._first(loop, part, known) for part in condition.operands]
                if not any(isinstance(end, First) or _may_be_endless(end) for end in ends):
                    least: Expr = ends[0]
                    for end in ends[1:]:
                        least = algebra.operation("smin", I64, [least, end])
                    return least
            elif condition.operator is Opcode.ICMP:
                found = self._compared(loop, condition)
                if found is not None:
                    return found
        return algebra.first(loop, condition)

    def _not_all(self, loop: int, condition: Node, known: dict[Node, Expr]) -> Expr | None:
        """Where the first of several conditions fails (`i < n && j < m`); None without a closed
        form."""
        if not isinstance(condition, Operation) or condition.operator is not Opcode.AND:
            return None
        failing = [self._algebra.negation(part) for part in condition.operands]
        found = self._first(loop, self._algebra.disjunction(failing), known)
        return None if isinstance(found, First) else found

    def _compared(self, loop: int, condition: Operation) -> Expr | None:
        assert isinstance(condition.detail, IntPredicate)
        predicate = INVERSE[condition.detail]
        left, right = condition.operands
        if self._varies(right, loop):
            if self._varies(left, loop):
                return self._both(loop, predicate, left, right)
            left, right, predicate = right, left, SWAPPED[predicate]
        return self._against(loop, predicate, left, right, exact=False)

    def _both(self, loop: int, predicate: IntPredicate, left: Node, right: Node) -> Expr | None:
        """Two moving sides: their difference against zero, if it does not wrap."""
        algebra = self._algebra
        difference = algebra.subtract(left, right)
        zero = algebra.number(0, _int(left))
        if predicate in (IntPredicate.EQ, IntPredicate.NE):
            return self._against(loop, predicate, difference, zero, exact=False)
        first, second = algebra.interval(left), algebra.interval(right)
        span = (first[0] - second[1], first[1] - second[0])
        unsigned = predicate.value[0] == "u"
        if not fits(span, _int(left)) or (unsigned and (first[0] < 0 or second[0] < 0)):
            return None
        signed = IntPredicate(f"s{predicate.value[1:]}")
        return self._against(loop, signed, difference, zero, exact=True)

    def _against(
        self, loop: int, predicate: IntPredicate, left: Node, right: Node, *, exact: bool
    ) -> Expr | None:
        """``left`` goes in equal steps while it stands in the relation to ``right``."""
        algebra = self._algebra
        parts = linear_in(
            algebra, left, lambda n: is_counter(n, loop), lambda n: self._varies(n, loop)
        )
        if parts is None:
            return None
        step, start = parts
        if isinstance(step, Number):
            simple = self._simple(predicate, (left, start), step.value, right, exact=exact)
            if simple is not None:
                return simple
        count = algebra.operation("iterations", _int(left), [start, step, right], predicate)
        return algebra.convert(Opcode.ZEXT, count, I64)

    def _simple(
        self,
        predicate: IntPredicate,
        moving: tuple[Node, Node],
        step: int,
        bound: Node,
        *,
        exact: bool,
    ) -> Expr | None:
        """The distance over the step, rounded up, where nothing wraps."""
        algebra, (left, start) = self._algebra, moving
        type_, word = _int(left), predicate.value
        if word == "ne" and step in (1, -1):
            distance = algebra.sum([(bound, step), (start, -step)], type_)
            return algebra.convert(Opcode.ZEXT, distance, I64)
        if word in ("eq", "ne") or (word[1] == "l") != (step > 0):
            return None
        low, high = algebra.interval(bound)
        unsigned = word[0] == "u"
        if unsigned and (low < 0 or algebra.interval(start)[0] < 0):
            return self._unit(word, start, step, bound)
        size = abs(step) - (word[-1] == "t")
        limit = (1 << (type_.bits - 1)) - 1
        runs_over = (
            high + size > limit if step > 0 else low - size < (0 if unsigned else -limit - 1)
        )
        if runs_over and not (exact or (not unsigned and left in self._steady)):
            return self._unit(word, start, step, bound)
        sign = 1 if step > 0 else -1
        apart = None if unsigned else self._apart(bound, start)
        if apart is None:
            terms = [(self._wide(bound), sign), (self._wide(start), -sign)]
        else:
            terms = [(self._wide(apart), sign)]
        distance = algebra.sum(terms, I64, abs(step) - (word[-1] == "t"))
        if not fits(algebra.intervals.exact(distance), I64):
            return self._unit(word, start, step, bound)
        positive = algebra.operation("smax", I64, [distance, algebra.number(0)])
        return algebra.operation(Opcode.UDIV, I64, [positive, algebra.number(abs(step))])

    def _unit(self, word: str, start: Node, step: int, bound: Node) -> Expr | None:
        """One by one up (down) to a bound: that is met before anything wraps."""
        algebra, type_ = self._algebra, _int(start)
        if word[1:] not in ("lt", "gt") or step not in (1, -1):
            return None
        name = f"{word[0]}{'max' if step > 0 else 'min'}"
        met = bound
        if not (word == "ult" and isinstance(start, Number) and start.value == 0):
            met = algebra.operation(name, type_, [bound, start])
        distance = algebra.sum([(met, step), (start, -step)], type_)
        return algebra.convert(Opcode.ZEXT, distance, I64)

    def _apart(self, bound: Node, start: Node) -> Expr | None:
        """``bound`` less ``start`` where both count from one unknown number (`i = begin + lane` to
        `begin + 96`) and neither wraps, so that the number is in neither end; else None."""
        if not all(not isinstance(n, Sum) or n in self._steady for n in (bound, start)):
            return None
        difference = self._algebra.subtract(bound, start)
        left = _terms(bound) + _terms(start)
        if _terms(difference) >= left or not fits(
            self._algebra.intervals.exact(difference), _int(bound)
        ):
            return None
        return difference

    def _wide(self, node: Node) -> Expr:
        return self._algebra.convert(Opcode.SEXT, node, I64)


def _may_be_endless(node: Node) -> bool:
    """Whether a count may stand for a loop that does not end."""
    while isinstance(node, Operation) and node.operator is Opcode.ZEXT:
        node = node.operands[0]
    return isinstance(node, Operation) and node.operator == "iterations"


def _terms(node: Node) -> int:
    """Of how many unknown numbers a node is the sum."""
    match node:
        case Number():
            return 0
        case Sum():
            return len(node.terms)
        case _:
            return 1


def _int(node: Node) -> IntTy:
    assert isinstance(node.type, IntTy)
    return node.type

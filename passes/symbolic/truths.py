"""Truth values: comparisons that ranges may decide, conjunctions and disjunctions."""

from __future__ import annotations

from collections.abc import Iterable

from kcc.frontend.ir.opcodes import IntPredicate, Opcode
from kcc.frontend.ir.types import I1
from kcc.passes.symbolic.expr import Expr, Node, Number, Operation
from kcc.passes.symbolic.folding import fold
from kcc.passes.symbolic.nodes import int_type
from kcc.passes.symbolic.ranges import Interval
from kcc.passes.symbolic.sums import Sums

MAX_OPERANDS = 24
"""Operands of a conjunction or disjunction that are still flattened into one."""

INVERSE = {
    IntPredicate.EQ: IntPredicate.NE, IntPredicate.NE: IntPredicate.EQ,
    IntPredicate.UGT: IntPredicate.ULE, IntPredicate.ULE: IntPredicate.UGT,
    IntPredicate.UGE: IntPredicate.ULT, IntPredicate.ULT: IntPredicate.UGE,
    IntPredicate.SGT: IntPredicate.SLE, IntPredicate.SLE: IntPredicate.SGT,
    IntPredicate.SGE: IntPredicate.SLT, IntPredicate.SLT: IntPredicate.SGE,
}  # fmt: skip

SWAPPED = {
    IntPredicate.EQ: IntPredicate.EQ, IntPredicate.NE: IntPredicate.NE,
    IntPredicate.UGT: IntPredicate.ULT, IntPredicate.ULT: IntPredicate.UGT,
    IntPredicate.UGE: IntPredicate.ULE, IntPredicate.ULE: IntPredicate.UGE,
    IntPredicate.SGT: IntPredicate.SLT, IntPredicate.SLT: IntPredicate.SGT,
    IntPredicate.SGE: IntPredicate.SLE, IntPredicate.SLE: IntPredicate.SGE,
}  # fmt: skip

_UNSIGNED = {
    IntPredicate.UGT: IntPredicate.SGT, IntPredicate.UGE: IntPredicate.SGE,
    IntPredicate.ULT: IntPredicate.SLT, IntPredicate.ULE: IntPredicate.SLE,
}  # fmt: skip


class Truths(Sums):
    """Adds nodes of type i1 to :class:`Sums`."""

    def true(self) -> Number:
        return self.number(1, I1)

    def false(self) -> Number:
        return self.number(0, I1)

    def negation(self, node: Node) -> Expr:
        """Not, of an i1."""
        match node:
            case Number(value=value):
                return self.number(1 - value, I1)
            case Operation(operator=Opcode.ICMP, operands=operands, detail=IntPredicate() as p):
                return self._make(Operation, I1, Opcode.ICMP, operands, INVERSE[p])
            case Operation(operator="not", operands=(inner,)):
                return inner  # type: ignore[return-value]
            case _:
                return self._make(Operation, I1, "not", (node,), None)

    def conjunction(self, nodes: Iterable[Node]) -> Expr:
        return self._logical(Opcode.AND, nodes)

    def disjunction(self, nodes: Iterable[Node]) -> Expr:
        return self._logical(Opcode.OR, nodes)

    def _logical(self, operator: Opcode, nodes: Iterable[Node]) -> Expr:
        absorbing = 0 if operator is Opcode.AND else 1
        parts = dict[Node, None]()
        for node in nodes:
            inner = (node,)
            if isinstance(node, Operation) and node.operator is operator:
                inner = node.operands if len(node.operands) <= MAX_OPERANDS else inner
            for part in inner:
                if not isinstance(part, Number):
                    parts[part] = None
                elif part.value == absorbing:
                    return self.number(absorbing, I1)
        if any(self.negation(part) in parts for part in parts):
            return self.number(absorbing, I1)
        if operator is Opcode.OR:
            common = self._common(list(parts))
            if common is not None:
                return common
        kept = self._absorb(operator, list(parts))
        if len(kept) < 2:
            return kept[0] if kept else self.number(1 - absorbing, I1)  # type: ignore[return-value]
        ordered = tuple(sorted(kept, key=lambda node: node.id))
        return self._make(Operation, I1, operator, ordered, None)

    def _absorb(self, operator: Opcode, parts: list[Node]) -> list[Node]:
        """Without those that others imply: ``a or (a and b)`` is a."""
        other = Opcode.OR if operator is Opcode.AND else Opcode.AND
        plain = set(parts)
        return [
            part
            for part in parts
            if not (
                isinstance(part, Operation)
                and part.operator is other
                and any(inner in plain for inner in part.operands)
            )
        ]

    def _common(self, parts: list[Node]) -> Expr | None:
        """``(p and c) or (p and not c)`` is p; ``(p and c) or (not p)`` is ``c or not p``."""
        if len(parts) != 2:
            return None
        first, second = (_conjuncts(part) for part in parts)
        shared = [node for node in first if node in second]
        rest = [[node for node in own if node not in shared] for own in (first, second)]
        if not shared:
            for one, other in ((first, second), (second, first)):
                if len(one) == 1 and self.negation(one[0]) in other and len(other) > 1:
                    inverse = self.negation(one[0])
                    left = self.conjunction([n for n in other if n is not inverse])
                    return self.disjunction([one[0], left])
            return None
        inner = self.disjunction([self.conjunction(rest[0]), self.conjunction(rest[1])])
        return self.conjunction([*shared, inner])

    def compare(self, predicate: IntPredicate, left: Node, right: Node) -> Expr:
        """Icmp."""
        if left is right:
            return self.number(int(predicate.value[-1] in "qe" and predicate.value != "ne"), I1)
        type_ = int_type(left)
        if (found := self.apart(left, right)) is not None:
            return self.compare(_UNSIGNED.get(predicate, predicate), *found[1])
        if isinstance(left, Number) and isinstance(right, Number):
            folded = fold(Opcode.ICMP, I1, type_, [left.value, right.value], predicate)
            assert folded is not None
            return self.number(folded, I1)
        if isinstance(left, Number):
            return self.compare(SWAPPED[predicate], right, left)
        first, second = self.interval(left), self.interval(right)
        if predicate in _UNSIGNED and first[0] >= 0 and second[0] >= 0:
            predicate = _UNSIGNED[predicate]
        if type_ == I1 and isinstance(right, Number) and predicate.value in ("eq", "ne"):
            same = (predicate is IntPredicate.EQ) == bool(right.value)
            return left if same else self.negation(left)  # type: ignore[return-value]
        decided = _decide(predicate, first, second)
        if decided is not None:
            return self.number(int(decided), I1)
        if isinstance(left, Operation) and left.operator in (Opcode.ZEXT, Opcode.SEXT):
            narrow = self._compare_extended(predicate, left, right)
            if narrow is not None:
                return narrow
        if _is_zero(right) and predicate in (IntPredicate.UGT, IntPredicate.ULE):
            predicate = IntPredicate.NE if predicate is IntPredicate.UGT else IntPredicate.EQ
        return self._make(Operation, I1, Opcode.ICMP, (left, right), predicate)

    def _compare_extended(
        self, predicate: IntPredicate, left: Operation, right: Node
    ) -> Expr | None:
        """A comparison of what was extended, in its own type."""
        (inner,) = left.operands
        source, is_zero = int_type(inner), _is_zero(right)
        if source == I1 and is_zero and left.operator is Opcode.ZEXT:
            if predicate in (IntPredicate.NE, IntPredicate.UGT, IntPredicate.SGT):
                return inner  # type: ignore[return-value]
            if predicate is IntPredicate.EQ:
                return self.negation(inner)
        if source == I1:
            return None
        if isinstance(right, Operation) and right.operator is left.operator:
            other: Node = right.operands[0]
            if other.type != source:
                return None
        elif isinstance(right, Number):
            unsigned = left.operator is Opcode.ZEXT
            limit = 1 << (source.bits - (not unsigned))
            if not (0 if unsigned else -limit) <= right.value < limit:
                return None
            other = self.number(right.value, source)
        else:
            return None
        if predicate.value[0] == "s" and left.operator is Opcode.ZEXT:
            predicate = IntPredicate(f"u{predicate.value[1:]}")
        elif predicate.value[0] == "u" and left.operator is Opcode.SEXT:
            return None
        return self.compare(predicate, inner, other)


def _conjuncts(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Operation) and node.operator is Opcode.AND:
        return node.operands
    return (node,)


def _is_zero(node: Node) -> bool:
    return isinstance(node, Number) and node.value == 0


def _decide(predicate: IntPredicate, first: Interval, second: Interval) -> bool | None:
    """What intervals say of a signed comparison."""
    match predicate:
        case IntPredicate.EQ | IntPredicate.NE:
            if first[1] < second[0] or second[1] < first[0]:
                return predicate is IntPredicate.NE
            return None
        case IntPredicate.SLT | IntPredicate.SGE:
            if first[1] < second[0]:
                return predicate is IntPredicate.SLT
            if first[0] >= second[1]:
                return predicate is IntPredicate.SGE
            return None
        case IntPredicate.SLE | IntPredicate.SGT:
            if first[1] <= second[0]:
                return predicate is IntPredicate.SLE
            if first[0] > second[1]:
                return predicate is IntPredicate.SGT
            return None
        case _:
            return None

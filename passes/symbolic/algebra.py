"""Makes nodes: equal values that are made in equal ways are one object.

Constructors simplify as far as is cheap and always right: constants are folded, sums of products
are in normal form, conversions that ranges show to lose nothing disappear.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kcc.frontend.ir.opcodes import FloatPredicate, IntPredicate, Opcode
from kcc.frontend.ir.types import I1, I64, FloatTy, IntTy
from kcc.passes.symbolic.expr import (
    Expr,
    Final,
    First,
    Fold,
    Loaded,
    Node,
    Number,
    Opaque,
    Operation,
    Product,
    Recurrence,
    ScalarTy,
    Sum,
    Symbol,
    SymbolKind,
    Table,
    Total,
    operands_of,
)
from kcc.passes.symbolic.folding import fold, wrap
from kcc.passes.symbolic.intervals import Intervals
from kcc.passes.symbolic.ranges import Interval, Known, fits

MAX_TERMS = 24
"""Terms of a product of two sums that is still multiplied out."""

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

_COMMUTES = frozenset({"smax", "smin", "umax", "umin", "choose2"})


class Algebra:
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

    # leaves

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

    # sums and products

    def sum(self, terms: Iterable[tuple[Node, int]], type_: IntTy, constant: int = 0) -> Expr:
        """The sum of nodes with coefficients."""
        parts: dict[Node, int] = defaultdict(int)
        for node, coefficient in terms:
            match node:
                case Number(value=value):
                    constant += value * coefficient
                case Sum(constant=inner, terms=inner_terms):
                    constant += inner * coefficient
                    for term, own in inner_terms:
                        parts[term] += own * coefficient
                case _:
                    parts[node] += coefficient
        bits = type_.bits
        wrapped = {node: wrap(c, bits) for node, c in parts.items()}
        kept = {node: c for node, c in wrapped.items() if c}
        constant = wrap(constant, bits)
        self._fold_ids(kept, type_)
        if not kept:
            return self.number(constant, type_)
        if len(kept) == 1 and constant == 0:
            ((node, coefficient),) = kept.items()
            if coefficient == 1:
                return node  # type: ignore[return-value]
        ordered = tuple(sorted(kept.items(), key=lambda item: item[0].id))
        return self._make(Sum, type_, constant, ordered)

    def _fold_ids(self, terms: dict[Node, int], type_: IntTy) -> None:
        """``group_id * local_size + local_id`` is the global id (of a launch without offset)."""
        for node, coefficient in list(terms.items()):
            if not (isinstance(node, Symbol) and node.kind is SymbolKind.LOCAL_ID):
                continue
            dimension = node.index
            assert isinstance(dimension, int)
            group = self.symbol(SymbolKind.GROUP_ID, dimension, type_)
            size = self.symbol(SymbolKind.LOCAL_SIZE, dimension, type_)
            base = self.multiply(group, size)
            factor = 1
            if isinstance(base, Sum) and len(base.terms) == 1 and not base.constant:
                ((base, factor),) = base.terms
            if base in terms and terms[base] == wrap(coefficient * factor, type_.bits):
                del terms[node], terms[base]
                whole = self._make(Symbol, type_, SymbolKind.GLOBAL_ID, dimension)
                terms[whole] = wrap(terms.get(whole, 0) + coefficient, type_.bits)
                if not terms[whole]:
                    del terms[whole]

    def add(self, left: Node, right: Node) -> Expr:
        return self.sum([(left, 1), (right, 1)], _int(left))

    def subtract(self, left: Node, right: Node) -> Expr:
        return self.sum([(left, 1), (right, -1)], _int(left))

    def scale(self, node: Node, factor: int) -> Expr:
        return self.sum([(node, factor)], _int(node))

    def plus(self, node: Node, constant: int) -> Expr:
        return self.sum([(node, 1)], _int(node), constant)

    def multiply(self, left: Node, right: Node) -> Expr:
        """The product, multiplied out unless that is long."""
        type_ = _int(left)
        if isinstance(left, Number):
            return self.scale(right, left.value)
        if isinstance(right, Number):
            return self.scale(left, right.value)
        first, second = _linear(left), _linear(right)
        if len(first) * len(second) > MAX_TERMS:
            return self._product([left, right], type_)
        terms = list[tuple[Node, int]]()
        constant = 0
        for a, m in first:
            for b, n in second:
                if a is None and b is None:
                    constant += m * n
                else:
                    factors = [*_factors(a), *_factors(b)]
                    terms.append((self._product(factors, type_), m * n))
        return self.sum(terms, type_, constant)

    def _product(self, factors: list[Node], type_: IntTy) -> Expr:
        if len(factors) == 1:
            return factors[0]  # type: ignore[return-value]
        return self._make(Product, type_, tuple(sorted(factors, key=lambda node: node.id)))

    # truth values

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
        type_ = _int(left)
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
        source, is_zero = _int(inner), _is_zero(right)
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

    # the rest

    def operation(
        self,
        operator: Opcode | str,
        type_: ScalarTy,
        operands: Sequence[Node],
        detail: IntPredicate | FloatPredicate | None = None,
    ) -> Expr:
        """Any operation, brought into the form that this algebra gives it."""
        if isinstance(type_, IntTy) and all(isinstance(o.type, IntTy) for o in operands):
            return self._integer(operator, type_, operands, detail)
        match operator:
            case Opcode.SELECT:
                return self.select(*operands)
            case Opcode.FCMP if detail is FloatPredicate.TRUE:
                return self.true()
            case Opcode.FCMP if detail is FloatPredicate.FALSE:
                return self.false()
            case _:
                return self._make(Operation, type_, operator, tuple(operands), detail)

    def _integer(  # noqa: PLR0911 -- one case per operator
        self,
        operator: Opcode | str,
        type_: IntTy,
        operands: Sequence[Node],
        detail: IntPredicate | FloatPredicate | None,
    ) -> Expr:
        if operands and all(isinstance(o, Number) for o in operands):
            values = [o.value for o in operands if isinstance(o, Number)]
            folded = fold(operator, type_, _int(operands[-1]), values, detail)
            if folded is not None:
                return self.number(folded, type_)
        match operator:
            case Opcode.ADD:
                return self.add(*operands)
            case Opcode.SUB:
                return self.subtract(*operands)
            case Opcode.MUL if type_ != I1:
                return self.multiply(*operands)
            case Opcode.UDIV | Opcode.UREM | Opcode.SDIV | Opcode.SREM:
                return self._divide(operator, type_, *operands)
            case Opcode.SHL | Opcode.LSHR | Opcode.ASHR:
                return self._shift(operator, type_, *operands)
            case Opcode.AND | Opcode.OR | Opcode.XOR:
                return self._bitwise(operator, type_, *operands)
            case Opcode.ICMP:
                assert isinstance(detail, IntPredicate)
                return self.compare(detail, *operands)
            case Opcode.SELECT:
                return self.select(*operands)
            case Opcode.TRUNC | Opcode.ZEXT | Opcode.SEXT:
                return self.convert(operator, operands[0], type_)
            case "smax" | "smin" | "umax" | "umin":
                return self._extreme(operator, type_, *operands)
            case "not":
                return self.negation(operands[0])
            case _:
                return self._make(Operation, type_, operator, tuple(operands), detail)

    def select(self, condition: Node, then: Node, otherwise: Node) -> Expr:
        """``then`` where the condition (i1) is true."""
        if isinstance(condition, Number):
            return then if condition.value else otherwise  # type: ignore[return-value]
        if then is otherwise:
            return then  # type: ignore[return-value]
        if then.type == I1:
            inverse = self.negation(condition)
            return self.disjunction(
                [self.conjunction([condition, then]), self.conjunction([inverse, otherwise])]
            )
        if isinstance(condition, Operation):
            if condition.operator == "not":
                return self.select(condition.operands[0], otherwise, then)
            found = self._as_extreme(condition, then, otherwise)
            if found is not None:
                return found
        operands = (condition, then, otherwise)
        return self._make(Operation, then.type, Opcode.SELECT, operands, None)

    def _as_extreme(self, condition: Operation, then: Node, otherwise: Node) -> Expr | None:
        if condition.operator is not Opcode.ICMP or set(condition.operands) != {then, otherwise}:
            return None
        word = condition.detail.value if condition.detail else "eq"
        if word in ("eq", "ne"):
            return None
        larger = (word[1] == "g") == (condition.operands[0] is then)
        name = f"{word[0]}{'max' if larger else 'min'}"
        return self.operation(name, _int(then), [then, otherwise])

    def convert(self, operator: Opcode, node: Node, type_: IntTy) -> Expr:
        """trunc, zext or sext."""
        if node.type == type_:
            return node  # type: ignore[return-value]
        if operator is Opcode.TRUNC:
            return self._truncate(node, type_)
        return self._extend(operator, node, type_)

    def _truncate(self, node: Node, type_: IntTy) -> Expr:
        match node:
            case Number(value=value):
                return self.number(value, type_)
            case Symbol(kind=kind, index=index):
                return self.symbol(kind, index, type_)
            case Sum(constant=constant, terms=terms):
                parts = [(self._truncate(term, type_), c) for term, c in terms]
                return self.sum(parts, type_, constant)
            case Product(factors=factors):
                result: Expr = self.number(1, type_)
                for factor in factors:
                    result = self.multiply(result, self._truncate(factor, type_))
                return result
            case Operation(operator=Opcode.ZEXT | Opcode.SEXT | Opcode.TRUNC as how):
                (inner,) = node.operands
                if how is Opcode.TRUNC or _int(inner).bits >= type_.bits:
                    return self.convert(Opcode.TRUNC, inner, type_)
                return self.convert(how, inner, type_)
            case Operation(operator=Opcode.SELECT, operands=(c, a, b)):
                if isinstance(a, Number) or isinstance(b, Number):
                    return self.select(c, self._truncate(a, type_), self._truncate(b, type_))
            case _:
                pass
        return self._make(Operation, type_, Opcode.TRUNC, (node,), None)

    def _extend(self, operator: Opcode, node: Node, type_: IntTy) -> Expr:
        low, _ = self.interval(node)
        source = _int(node)
        if low >= 0 and source != I1:
            # A number that is not negative extends the same in both ways.
            spread = self._spread(node, type_)
            if spread is not None:
                return spread
            operator = Opcode.ZEXT
        elif operator is Opcode.SEXT and source != I1:
            spread = self._spread(node, type_)
            if spread is not None:
                return spread
        if isinstance(node, Number):
            value = node.value if operator is Opcode.SEXT and source != I1 else None
            if value is None:
                value = node.value & ((1 << source.bits) - 1)
                value = -value if operator is Opcode.SEXT else value
            return self.number(value, type_)
        if isinstance(node, Operation):
            inner = node.operands[0]
            if node.operator is Opcode.ZEXT or node.operator is operator:
                if node.operator in (Opcode.ZEXT, Opcode.SEXT):
                    return self.convert(node.operator, inner, type_)
            elif (
                node.operator is Opcode.TRUNC
                and inner.type == type_
                and fits(self.interval(inner), source)
                and (operator is Opcode.SEXT or self.interval(inner)[0] >= 0)
            ):
                return inner  # type: ignore[return-value]
        return self._make(Operation, type_, operator, (node,), None)

    def _spread(self, node: Node, type_: IntTy) -> Expr | None:
        """The signed extension of a node of which ranges show that nothing in it wraps."""
        source = _int(node)
        match node:
            case Number(value=value):
                return self.number(value, type_)
            case Symbol(kind=kind, index=index):
                interval = self.intervals.symbol(kind, index)
                if interval is not None and fits(interval, source):
                    return self.symbol(kind, index, type_)
                return None
            case Sum(constant=constant, terms=terms):
                if not fits(self.intervals.exact(node), source):
                    return None
                parts = [(self._extend(Opcode.SEXT, term, type_), c) for term, c in terms]
                return self.sum(parts, type_, constant)
            case Product(factors=factors):
                if not fits(self.intervals.exact(node), source):
                    return None
                result: Expr = self.number(1, type_)
                for factor in factors:
                    result = self.multiply(result, self._extend(Opcode.SEXT, factor, type_))
                return result
            case Operation(operator="smin" | "smax" as name, operands=(a, b)):
                wide = [self._extend(Opcode.SEXT, o, type_) for o in (a, b)]
                return self.operation(name, type_, wide)
            case Operation(operator=Opcode.UDIV | Opcode.UREM as name, operands=(a, b)):
                if self.interval(a)[0] < 0 or self.interval(b)[0] < 0:
                    return None
                wide = [self._extend(Opcode.SEXT, o, type_) for o in (a, b)]
                return self.operation(name, type_, wide)
            case _:
                return None

    def _divide(self, operator: Opcode, type_: IntTy, left: Node, right: Node) -> Expr:
        first, second = self.interval(left), self.interval(right)
        if first[0] >= 0 and second[0] >= 0:
            operator = {Opcode.SDIV: Opcode.UDIV, Opcode.SREM: Opcode.UREM}.get(operator, operator)
        is_remainder = operator in (Opcode.UREM, Opcode.SREM)
        if isinstance(right, Number) and right.value == 1 and type_ != I1:
            return self.number(0, type_) if is_remainder else left  # type: ignore[return-value]
        if operator in (Opcode.UDIV, Opcode.UREM) and first[0] >= 0 and first[1] < second[0]:
            return left if is_remainder else self.number(0, type_)  # type: ignore[return-value]
        if isinstance(right, Number) and right.value > 1:
            divided = self._divide_sum(operator, type_, left, right.value)
            if divided is not None:
                return divided
            inner = _constant_divisor(left) if operator is Opcode.UDIV else None
            both = 0 if inner is None else inner[1] * right.value
            if inner is not None and fits((both, both), type_):
                return self._divide(operator, type_, inner[0], self.number(both, type_))
        return self._make(Operation, type_, operator, (left, right), None)

    def _divide_sum(self, operator: Opcode, type_: IntTy, left: Node, by: int) -> Expr | None:
        """Parts of a sum that the divisor divides come out of the division."""
        if operator not in (Opcode.UDIV, Opcode.UREM) or not isinstance(left, Sum):
            return None
        if not fits(self.intervals.exact(left), type_) or self.interval(left)[0] < 0:
            return None
        whole = [(term, c // by) for term, c in left.terms if c % by == 0]
        rest = [(term, c) for term, c in left.terms if c % by]
        if not whole:
            return None
        quotient, constant = divmod(left.constant, by)
        remaining = self.sum(rest, type_, constant)
        interval = self.interval(remaining)
        if not interval[0] >= 0 or (rest and not fits(self.intervals.exact(remaining), type_)):
            return None
        inner = self._divide(operator, type_, remaining, self.number(by, type_))
        if operator is Opcode.UREM:
            return inner
        return self.add(self.sum(whole, type_, quotient), inner)

    def _shift(self, operator: Opcode, type_: IntTy, left: Node, right: Node) -> Expr:
        if isinstance(right, Number) and type_ != I1:
            count = right.value % type_.bits
            if count == 0:
                return left  # type: ignore[return-value]
            if operator is Opcode.SHL:
                return self.scale(left, 1 << count)
            if count < type_.bits - 1:
                power = self.number(1 << count, type_)
                if operator is Opcode.LSHR or self.interval(left)[0] >= 0:
                    return self._divide(Opcode.UDIV, type_, left, power)
        return self._make(Operation, type_, operator, (left, right), None)

    def _bitwise(self, operator: Opcode, type_: IntTy, left: Node, right: Node) -> Expr:
        if type_ == I1 and operator is not Opcode.XOR:
            return self._logical(operator, [left, right])
        if isinstance(left, Number):
            left, right = right, left
        if left is right:
            return self.number(0, type_) if operator is Opcode.XOR else left  # type: ignore[return-value]
        if isinstance(right, Number):
            if type_ == I1:
                return self.negation(left) if right.value else left  # type: ignore[return-value]
            value = right.value
            if value == 0:
                return right if operator is Opcode.AND else left  # type: ignore[return-value]
            if value == -1 and operator is Opcode.AND:
                return left  # type: ignore[return-value]
            if value == -1 and operator is Opcode.XOR:
                return self.sum([(left, -1)], type_, -1)
            is_low_bits = value > 0 and value & (value + 1) == 0
            if operator is Opcode.AND and is_low_bits and value + 1 < 1 << (type_.bits - 1):
                return self._divide(Opcode.UREM, type_, left, self.number(value + 1, type_))
        operands = tuple(sorted((left, right), key=lambda node: node.id))
        return self._make(Operation, type_, operator, operands, None)

    def _extreme(self, name: str, type_: IntTy, left: Node, right: Node) -> Expr:
        if left is right:
            return left  # type: ignore[return-value]
        first, second = self.interval(left), self.interval(right)
        if name[0] == "u" and first[0] >= 0 and second[0] >= 0:
            name = f"s{name[1:]}"
        if name[0] == "s":
            if first[1] <= second[0]:
                return left if name == "smin" else right  # type: ignore[return-value]
            if second[1] <= first[0]:
                return right if name == "smin" else left  # type: ignore[return-value]
        operands = tuple(sorted((left, right), key=lambda node: node.id))
        return self._make(Operation, type_, name, operands, None)

    # what loops do

    def first(self, loop: int, condition: Node) -> Expr:
        """See :class:`First`; i64."""
        if isinstance(condition, Number) and condition.value:
            return self.number(0)
        return self._make(First, I64, loop, condition)

    def final(self, loop: int, at: Node, value: Node) -> Expr:
        """See :class:`Final`; ``value`` does vary in the loop, and not through its counter only."""
        return self._make(Final, value.type, loop, at, value)

    def total(self, loop: int, count: Node, value: Node, fold: Fold = Fold.SUM) -> Expr:
        """See :class:`Total`; i64."""
        return self._make(Total, I64, loop, count, value, fold)

    def interval(self, node: Node) -> Interval:
        """Where the signed reading of an integer node lies."""
        return self.intervals.of(node)

    def substitute(self, node: Node, values: dict[Node, Node]) -> Expr:
        """The node with others in the place of some of its leaves."""
        done: dict[Node, Node] = dict(values)
        for each in reachable([node], stop=values):
            if each not in done:
                done[each] = self.rebuilt(each, done)
        return done[node]  # type: ignore[return-value]

    def rebuilt(self, node: Node, done: dict[Node, Node]) -> Node:
        """A node with its operands replaced."""
        operands = operands_of(node)
        if all(done[o] is o for o in operands):
            return node
        match node:
            case Sum(type=IntTy() as type_, constant=constant, terms=terms):
                return self.sum([(done[t], c) for t, c in terms], type_, constant)
            case Product(type=IntTy() as type_, factors=factors):
                result: Expr = self.number(1, type_)
                for factor in factors:
                    result = self.multiply(result, done[factor])
                return result
            case Operation(operator=Opcode.AND | Opcode.OR as operator) if node.type == I1:
                return self._logical(operator, [done[o] for o in operands])
            case Operation(operator=operator, detail=detail):
                return self.operation(operator, node.type, [done[o] for o in operands], detail)
            case Loaded(instruction=instruction, component=component, address=address):
                assert address is not None
                return self.loaded(node.type, instruction, component, done[address])
            case Table(variable=variable, offset=offset):
                return self.table(node.type, variable, done[offset])
            case First(loop=loop, condition=condition):
                return self.first(loop, done[condition])
            case Final(loop=loop, at=at, value=value):
                return self.final(loop, done[at], done[value])
            case Total(loop=loop, count=count, value=value, fold=fold):
                return self.total(loop, done[count], done[value], fold)
            case _:
                return node


def reachable(roots: Iterable[Node], stop: Iterable[Node] = ()) -> list[Node]:
    """The nodes that others are made from, themselves too, operands first; not past ``stop``."""
    halt = set(stop)
    seen, pending = set[Node](), list(roots)
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            if node not in halt:
                pending += operands_of(node)
    return sorted(seen, key=lambda node: node.id)


def _int(node: Node) -> IntTy:
    assert isinstance(node.type, IntTy)
    return node.type


def _linear(node: Node) -> list[tuple[Node | None, int]]:
    """The terms of a node, its constant with None."""
    if isinstance(node, Sum):
        terms: list[tuple[Node | None, int]] = list(node.terms)
        return [*terms, (None, node.constant)] if node.constant else terms
    return [(node, 1)]


def _factors(node: Node | None) -> tuple[Node, ...]:
    if node is None:
        return ()
    return node.factors if isinstance(node, Product) else (node,)


def _conjuncts(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Operation) and node.operator is Opcode.AND:
        return node.operands
    return (node,)


def _constant_divisor(node: Node) -> tuple[Node, int] | None:
    """Of an unsigned division by a positive constant the two sides."""
    match node:
        case Operation(operator=Opcode.UDIV, operands=(left, Number(value=value))) if value > 0:
            return left, value
        case _:
            return None


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

"""Makes nodes: equal values that are made in equal ways are one object.

Constructors simplify as far as is cheap and always right: constants are folded, sums of products
are in normal form, conversions that ranges show to lose nothing disappear.
"""

from __future__ import annotations

from collections.abc import Sequence

from kcc.frontend.ir.opcodes import FloatPredicate, IntPredicate, Opcode
from kcc.frontend.ir.types import I1, I64, IntTy
from kcc.passes.symbolic.expr import (
    Expr,
    Final,
    First,
    Fold,
    Loaded,
    Node,
    Number,
    Operation,
    Product,
    ScalarTy,
    Sum,
    Symbol,
    SymbolKind,
    Table,
    Total,
    operands_of,
)
from kcc.passes.symbolic.folding import fold
from kcc.passes.symbolic.nodes import int_type, reachable
from kcc.passes.symbolic.ranges import Known, fits
from kcc.passes.symbolic.truths import Truths

MAX_NESTED = 60
"""Nodes inside one another that a conversion is carried into; around what is further in it stays
as it is."""

ARRAY_BYTES = 256
"""Arrays that a kernel is given begin at multiples of it: those of cudaMalloc do at least (CUDA C++
Programming Guide, Device Memory Accesses), and kcc's own (`OBJECT_ALIGNMENT` of tracegen)."""


class Algebra(Truths):
    """All nodes of one kernel: any operation, conversions, divisions, and what loops do."""

    def __init__(self, known: Known | None = None) -> None:
        super().__init__(known)
        self._converted: dict[tuple[Opcode, Node, IntTy], Expr] = {}
        self._converted_with = 0
        """The generation of the intervals that the conversions rest on."""
        self._nested = 0

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
            folded = fold(operator, type_, int_type(operands[-1]), values, detail)
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
        if (apart := self.apart(then, otherwise)) is not None:
            return self.add(apart[0], self.select(condition, *apart[1]))
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
        return self.operation(name, int_type(then), [then, otherwise])

    def convert(self, operator: Opcode, node: Node, type_: IntTy) -> Expr:
        """trunc, zext or sext."""
        if node.type == type_:
            return node  # type: ignore[return-value]
        if self._converted_with != self.intervals.generation:
            self._converted.clear()
            self._converted_with = self.intervals.generation
        found = self._converted.get((operator, node, type_))
        if found is None:
            self._nested += 1
            if self._nested > MAX_NESTED:
                found = self._make(Operation, type_, operator, (node,), None)
            elif operator is Opcode.TRUNC:
                found = self._truncate(node, type_)
            else:
                found = self._extend(operator, node, type_)
            self._nested -= 1
            self._converted[operator, node, type_] = found
        return found

    def _truncate(self, node: Node, type_: IntTy) -> Expr:
        match node:
            case Number(value=value):
                return self.number(value, type_)
            case Symbol(kind=kind, index=index):
                return self.symbol(kind, index, type_)
            case Sum(constant=constant, terms=terms):
                parts = [(self.convert(Opcode.TRUNC, term, type_), c) for term, c in terms]
                return self.sum(parts, type_, constant)
            case Product(factors=factors):
                result: Expr = self.number(1, type_)
                for factor in factors:
                    result = self.multiply(result, self.convert(Opcode.TRUNC, factor, type_))
                return result
            case Operation(operator=Opcode.ZEXT | Opcode.SEXT | Opcode.TRUNC as how):
                (inner,) = node.operands
                if how is Opcode.TRUNC or int_type(inner).bits >= type_.bits:
                    return self.convert(Opcode.TRUNC, inner, type_)
                return self.convert(how, inner, type_)
            case Operation(operator=Opcode.SELECT, operands=(c, a, b)):
                if isinstance(a, Number) or isinstance(b, Number):
                    sides = (self.convert(Opcode.TRUNC, side, type_) for side in (a, b))
                    return self.select(c, *sides)
            case _:
                pass
        return self._make(Operation, type_, Opcode.TRUNC, (node,), None)

    def _extend(self, operator: Opcode, node: Node, type_: IntTy) -> Expr:
        low, _ = self.interval(node)
        source = int_type(node)
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
        source = int_type(node)
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
                parts = [(self.convert(Opcode.SEXT, term, type_), c) for term, c in terms]
                return self.sum(parts, type_, constant)
            case Product(factors=factors):
                if not fits(self.intervals.exact(node), source):
                    return None
                result: Expr = self.number(1, type_)
                for factor in factors:
                    result = self.multiply(result, self.convert(Opcode.SEXT, factor, type_))
                return result
            case Operation(operator="smin" | "smax" as name, operands=(a, b)):
                wide = [self.convert(Opcode.SEXT, o, type_) for o in (a, b)]
                return self.operation(name, type_, wide)
            case Operation(operator=Opcode.UDIV | Opcode.UREM as name, operands=(a, b)):
                if self.interval(a)[0] < 0 or self.interval(b)[0] < 0:
                    return None
                wide = [self.convert(Opcode.SEXT, o, type_) for o in (a, b)]
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
            if operator is Opcode.UREM and right.value & (right.value - 1) == 0:
                low = self._low_part(left, type_, right.value)
                if low is not left:
                    return self._divide(operator, type_, low, right)
            divided = self._divide_sum(operator, type_, left, right.value)
            if divided is not None:
                return divided
            inner = _constant_divisor(left) if operator is Opcode.UDIV else None
            both = 0 if inner is None else inner[1] * right.value
            if inner is not None and fits((both, both), type_):
                return self._divide(operator, type_, inner[0], self.number(both, type_))
        return self._make(Operation, type_, operator, (left, right), None)

    def _low_part(self, left: Node, type_: IntTy, power: int) -> Node:
        """What has the same remainder by a power of two: without what the power divides, as which
        counts where an array begins."""
        constant, terms = 0, ((left, 1),)
        if isinstance(left, Sum):
            constant, terms = left.constant, left.terms
        rest = [
            (term, c) for term, c in terms
            if c % power and not (power <= ARRAY_BYTES and _is_array(term))
        ]  # fmt: skip
        if len(rest) == len(terms) and 0 <= constant < power:
            return left
        return self.sum(rest, type_, constant % power)

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
        if (apart := self.apart(left, right)) is not None:
            return self.add(apart[0], self._extreme(f"s{name[1:]}", type_, *apart[1]))
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

    def substitute(self, node: Node, values: dict[Node, Node]) -> Expr:
        """The node with others in the place of some of its leaves."""
        return self.substituted(node, dict(values))

    def substituted(self, node: Node, done: dict[Node, Node]) -> Expr:
        """The same where ``done`` has what other nodes became, and is given what more do."""
        for each in reachable([node], stop=done):
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


def _is_array(node: Node) -> bool:
    return isinstance(node, Symbol) and node.kind is SymbolKind.POINTER


def _constant_divisor(node: Node) -> tuple[Node, int] | None:
    """Of an unsigned division by a positive constant the two sides."""
    match node:
        case Operation(operator=Opcode.UDIV, operands=(left, Number(value=value))) if value > 0:
            return left, value
        case _:
            return None

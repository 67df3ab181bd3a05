"""Sums of products in normal form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from kcc.frontend.ir.types import IntTy
from kcc.passes.symbolic.expr import Expr, Node, Number, Product, Sum, Symbol, SymbolKind
from kcc.passes.symbolic.folding import wrap
from kcc.passes.symbolic.nodes import Nodes, base_of, int_type
from kcc.passes.symbolic.ranges import Known

MAX_TERMS = 24
"""Terms of a product of two sums that is still multiplied out."""


class Sums(Nodes):
    """Adds linear arithmetic and products to :class:`Nodes`."""

    def __init__(self, known: Known | None = None) -> None:
        super().__init__(known)
        self.visited = 0
        """Terms of all sums that were made: what a kernel's values take."""
        self._first_ids: dict[tuple[int, int], tuple[Node, int]] = {}

    def sum(self, terms: Iterable[tuple[Node, int]], type_: IntTy, constant: int = 0) -> Expr:
        """The sum of nodes with coefficients."""
        parts: dict[Node, int] = defaultdict(int)
        for node, coefficient in terms:
            if isinstance(node, Sum):
                constant += node.constant * coefficient
                for term, own in node.terms:
                    parts[term] += own * coefficient
            elif isinstance(node, Number):
                constant += node.value * coefficient
            else:
                parts[node] += coefficient
        self.visited += len(parts)
        bits = type_.bits
        kept = {node: wrapped for node, c in parts.items() if (wrapped := wrap(c, bits))}
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

    def apart(self, *addresses: Node) -> tuple[Symbol, list[Expr]] | None:
        """The object that all addresses point into, and how far each is from where it begins; None
        where they do not. An object does not wrap around, so that nothing else tells them apart."""
        bases = {base_of(each) for each in addresses}
        base = bases.pop()
        if base is None or bases:
            return None
        return base, [self.sum([(each, 1), (base, -1)], int_type(each)) for each in addresses]

    def _fold_ids(self, terms: dict[Node, int], type_: IntTy) -> None:
        """``group_id * local_size + local_id`` is the global id (of a launch without offset)."""
        for node, coefficient in list(terms.items()):
            if not (isinstance(node, Symbol) and node.kind is SymbolKind.LOCAL_ID):
                continue
            dimension = node.index
            assert isinstance(dimension, int)
            base, factor = self._first_id(dimension, type_)
            if base in terms and terms[base] == wrap(coefficient * factor, type_.bits):
                del terms[node], terms[base]
                whole = self._make(Symbol, type_, SymbolKind.GLOBAL_ID, dimension)
                terms[whole] = wrap(terms.get(whole, 0) + coefficient, type_.bits)
                if not terms[whole]:
                    del terms[whole]

    def _first_id(self, dimension: int, type_: IntTy) -> tuple[Node, int]:
        """``group_id * local_size`` as a term of a sum, and its coefficient."""
        found = self._first_ids.get((dimension, type_.bits))
        if found is None:
            group = self.symbol(SymbolKind.GROUP_ID, dimension, type_)
            size = self.symbol(SymbolKind.LOCAL_SIZE, dimension, type_)
            found = self.multiply(group, size), 1
            if isinstance(found[0], Sum) and len(found[0].terms) == 1 and not found[0].constant:
                (found,) = found[0].terms
            self._first_ids[dimension, type_.bits] = found
        return found

    def add(self, left: Node, right: Node) -> Expr:
        return self.sum([(left, 1), (right, 1)], int_type(left))

    def subtract(self, left: Node, right: Node) -> Expr:
        return self.sum([(left, 1), (right, -1)], int_type(left))

    def scale(self, node: Node, factor: int) -> Expr:
        return self.sum([(node, factor)], int_type(node))

    def plus(self, node: Node, constant: int) -> Expr:
        return self.sum([(node, 1)], int_type(node), constant)

    def multiply(self, left: Node, right: Node) -> Expr:
        """The product, multiplied out unless that is long."""
        type_ = int_type(left)
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

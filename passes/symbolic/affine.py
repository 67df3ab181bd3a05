"""Affine readings of symbolic values: coefficients of symbols, strides across lanes."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kcc.base.records import dataclass
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import IntTy
from kcc.passes.symbolic.algebra import Algebra
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import (
    ID_KINDS,
    Expr,
    Node,
    Operation,
    Product,
    Recurrence,
    ScalarTy,
    Sum,
    Symbol,
    SymbolKind,
    operands_of,
)
from kcc.passes.symbolic.nodes import reachable
from kcc.passes.symbolic.reasons import needs_a_run

Key = tuple[SymbolKind, int | str]


@dataclass(frozen=True, slots=True)
class Affine:
    """``rest`` plus the sum of coefficient * symbol. Coefficients are numbers, ``rest`` and the
    coefficients in ``symbolic`` are nodes without any of the symbols asked for.
    """

    coefficients: Mapping[Key, int]
    symbolic: Mapping[Key, Expr]
    rest: Expr

    def coefficient(self, kind: SymbolKind, index: int | str = 0) -> int | None:
        """The factor of a symbol: 0 where it does not occur, None where it is not a number."""
        if (kind, index) in self.symbolic:
            return None
        return self.coefficients.get((kind, index), 0)


ID_SYMBOLS = frozenset((kind, d) for kind in ID_KINDS for d in range(3))
"""All ids in all dimensions."""


def affine(algebra: Algebra, node: Node, symbols: Collection[Key] | None = None) -> Affine | None:
    """A node as an affine form in symbols, None if it is not one.

    :param symbols: kinds and indices of the variables; None for all symbols that occur but
        addresses, sizes and arguments: ids and loop counters.
    """
    if not isinstance(node.type, IntTy):
        return None
    wanted = _Wanted(symbols)
    numbers: dict[Key, int] = {}
    products: dict[Key, list[tuple[Node, int]]] = {}
    rest = list[tuple[Node, int]]()
    terms = node.terms if isinstance(node, Sum) else ((node, 1),)
    constant = node.constant if isinstance(node, Sum) else 0
    for term, coefficient in terms:
        if not wanted.within(term):
            rest.append((term, coefficient))
        elif isinstance(term, Symbol):
            key = (term.kind, term.index)
            numbers[key] = numbers.get(key, 0) + coefficient
        elif isinstance(term, Product):
            moving = [f for f in term.factors if wanted.within(f)]
            if len(moving) != 1 or not isinstance(moving[0], Symbol):
                return None
            others: Expr = algebra.number(1, node.type)
            for factor in term.factors:
                if factor is not moving[0]:
                    others = algebra.multiply(others, factor)
            key = (moving[0].kind, moving[0].index)
            products.setdefault(key, []).append((others, coefficient))
        else:
            return None
    symbolic = {
        key: algebra.sum([*row, (algebra.number(numbers.pop(key, 0), node.type), 1)], node.type)
        for key, row in products.items()
    }
    return Affine(numbers, symbolic, algebra.sum(rest, node.type, constant))


def unwrapped(values: SymbolicValues, node: Node) -> Expr:
    """A node as if no extension in it were of a number that wrapped: for the look of an access
    where the launch is not known. What it says is likely, not certain.
    """
    return values.kept(_Unwrapped).of(values.algebra, node)


class _Unwrapped:
    """Nodes with their extensions carried inwards; each is rebuilt once, however many addresses are
    made from it."""

    def __init__(self) -> None:
        self._done: dict[Node, Node] = {}
        self._spreads: dict[tuple[Opcode, Node, ScalarTy], Expr] = {}

    def of(self, algebra: Algebra, node: Node) -> Expr:
        if node not in self._done:
            spread = _Spread(algebra, self._spreads)
            for each in reachable([node], stop=self._done):
                if each in self._done:
                    continue
                rebuilt = algebra.rebuilt(each, self._done)
                if isinstance(rebuilt, Operation) and rebuilt.operator in (
                    Opcode.ZEXT, Opcode.SEXT,
                ):  # fmt: skip
                    rebuilt = spread(rebuilt.operator, rebuilt.operands[0], rebuilt.type)
                self._done[each] = rebuilt
        return self._done[node]  # type: ignore[return-value]


class _Spread:
    """Extensions carried into sums and products, each once."""

    def __init__(self, algebra: Algebra, done: dict[tuple[Opcode, Node, ScalarTy], Expr]) -> None:
        self._algebra, self._done = algebra, done

    def __call__(self, operator: Opcode, node: Node, type_: ScalarTy) -> Expr:
        key = (operator, node, type_)
        if key not in self._done:
            self._done[key] = self._made(operator, node, type_)
        return self._done[key]

    def _made(self, operator: Opcode, node: Node, type_: ScalarTy) -> Expr:
        assert isinstance(type_, IntTy)
        algebra = self._algebra
        match node:
            case Sum(constant=constant, terms=terms):
                parts = [(self(operator, term, type_), c) for term, c in terms]
                return algebra.sum(parts, type_, constant)
            case Product(factors=factors):
                result: Expr = algebra.number(1, type_)
                for factor in factors:
                    result = algebra.multiply(result, self(operator, factor, type_))
                return result
            case Symbol(kind=SymbolKind.ARGUMENT):
                return algebra.convert(operator, node, type_)
            case Symbol(kind=kind, index=index):
                return algebra.symbol(kind, index, type_)
            case _:
                return algebra.convert(operator, node, type_)


class _Wanted:
    """Whether nodes contain symbols of a set."""

    def __init__(self, symbols: Collection[Key] | None) -> None:
        self._symbols = None if symbols is None else frozenset(symbols)
        self._found: dict[Node, bool] = {}

    def within(self, node: Node) -> bool:
        for each in reachable([node], stop=self._found):
            if each not in self._found:
                self._found[each] = self._is_one(each) or any(
                    self._found[o] for o in operands_of(each)
                )
        return self._found[node]

    def _is_one(self, node: Node) -> bool:
        if isinstance(node, Recurrence) and self._symbols is None:
            return True
        if not isinstance(node, Symbol):
            return False
        if self._symbols is None:
            return node.kind in ID_KINDS or node.kind is SymbolKind.COUNTER
        return (node.kind, node.index) in self._symbols


def lane_stride(values: SymbolicValues, node: Node) -> int | None:
    """By how much an integer node grows from one lane to the next in the first dimension; None
    where that is not a number, or differs from lane to lane.

    Lanes that follow each other in a warp differ in the first local id alone as long as they are
    in one row of the thread block: it is the caller's to see whether rows fill warps.
    """
    symbols = {
        (SymbolKind.GLOBAL_ID, 0), (SymbolKind.LOCAL_ID, 0), (SymbolKind.LANE, 0),
    }  # fmt: skip
    found = affine(values.algebra, node, symbols)
    if found is None or found.symbolic or _hides_ids(values, found.rest):
        return None
    return sum(found.coefficients.values())


def _hides_ids(values: SymbolicValues, node: Node) -> bool:
    """Whether a node may differ between lanes through memory or a loop's variable."""
    return needs_a_run(values, node) or any(
        isinstance(each, Recurrence) for each in reachable([node])
    )


def depends_on(values: SymbolicValues, node: Node) -> frozenset[Key]:
    """The symbols a node depends on, through loops' variables too; (LANE, 0) stands in for
    nothing else.
    """
    return frozenset((each.kind, each.index) for each in symbols_of(values, node))


def symbols_of(values: SymbolicValues, node: Node) -> frozenset[Symbol]:
    """The same, as they stand in it."""
    leaves = values.kept(_Leaves)
    found, variables = set[Symbol](), set[Recurrence]()
    pending = [node]
    while pending:
        symbols, inside = leaves.of(pending.pop())
        found |= symbols
        for each in inside - variables:
            variable = values.variable(each)
            pending += [variable.start, variable.step]
        variables |= inside
    return frozenset(found)


class _Leaves:
    """The symbols and the variables of loops that nodes are made from; each node is visited once,
    however many of those made from it are asked for."""

    def __init__(self) -> None:
        self._found: dict[Node, tuple[frozenset[Symbol], frozenset[Recurrence]]] = {}

    def of(self, node: Node) -> tuple[frozenset[Symbol], frozenset[Recurrence]]:
        if node not in self._found:
            for each in reachable([node], stop=self._found):
                if each not in self._found:
                    self._found[each] = self._made(each)
        return self._found[node]

    def _made(self, node: Node) -> tuple[frozenset[Symbol], frozenset[Recurrence]]:
        if isinstance(node, Symbol):
            return frozenset({node}), frozenset()
        if isinstance(node, Recurrence):
            return frozenset(), frozenset({node})
        rows = list({self._found[operand] for operand in operands_of(node)})
        if len(rows) == 1:
            return rows[0]
        symbols = frozenset[Symbol]().union(*(symbols for symbols, _ in rows))
        return symbols, frozenset[Recurrence]().union(*(inside for _, inside in rows))

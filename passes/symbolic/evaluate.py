"""What symbolic values are for given work-items, exactly as the machine computes them.

Rows are evaluated together. What has no closed form is simulated, iteration by iteration, for all
rows at once. A row's value is unknown where it depends on memory, on a function whose last digit
differs between devices, or on a symbol that is not given.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kcc.frontend.ir.opcodes import FloatPredicate, IntPredicate, Opcode
from kcc.frontend.ir.types import I1, FloatTy, IntTy
from kcc.passes.symbolic import semantics
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.data import contents, gather
from kcc.passes.symbolic.expr import (
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
    Sum,
    Symbol,
    SymbolKind,
    Table,
    Total,
)
from kcc.passes.symbolic.lanes import Lanes
from kcc.passes.symbolic.semantics import U64, Array, Mask

MAX_WORK = 20_000_000
"""Operations on elements of one evaluation (about a second): beyond, what is left is unknown."""

OVERHEAD = 300
"""An operation on few elements takes as long as one on so many (measured: about 3 us on arrays of
up to 1,000 elements, 1 ns per further element)."""

MAX_ROWS = 1 << 20
"""Rows that a sum over iterations is spread over at a time."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """``data`` as :mod:`semantics` has it; ``known`` is None where every row is known. Both have
    one element per row, or one for all rows; where a row is not known its data means nothing.
    """

    data: Array
    known: Mask | None = None

    def is_known(self, count: int) -> Mask:
        """Row by row."""
        return np.full(count, True) if self.known is None else _spread(self.known, count)

    def rows(self, count: int) -> Array:
        """The data, row by row."""
        return _spread(self.data, count)

    @property
    def all_known(self) -> bool:
        return self.known is None or bool(self.known.all())


_FOLDS: dict[Fold, np.ufunc] = {
    Fold.SUM: np.add,
    Fold.LEAST: np.minimum,
    Fold.GREATEST: np.maximum,
}


class WorkLimitError(Exception):
    """An evaluation takes too long."""


@dataclass(slots=True)
class _Frame:
    """An iteration of ``loop`` for some rows of ``parent``; the outermost has neither."""

    size: int
    parent: _Frame | None = None
    loop: int = -1
    rows: NDArray[np.int64] | None = None
    """Rows of the parent; None for all of them, in order."""
    counter: Evaluated | None = None
    states: dict[Recurrence, Evaluated] = field(default_factory=dict[Recurrence, Evaluated])
    fixed: dict[Node, Evaluated] = field(default_factory=dict[Node, Evaluated])
    memo: dict[Node, Evaluated] = field(default_factory=dict[Node, Evaluated])


class Evaluator:
    """Evaluates the values of one kernel for some work-items."""

    def __init__(self, values: SymbolicValues, lanes: Lanes, *, work: int = MAX_WORK) -> None:
        self._values, self._lanes = values, lanes
        self._top = _Frame(lanes.count)
        self._left = work
        self._orders: dict[Node, list[Node]] = {}
        self._needs: dict[Node, tuple[Recurrence, ...]] = {}
        self._tables: dict[str, tuple[NDArray[np.uint8], Mask]] = {}

    def __call__(self, node: Node) -> Evaluated:
        """The value of a node in each row.

        What takes more than the work allowed is unknown in all rows.
        """
        with np.errstate(all="ignore"):
            try:
                return self._get(self._top, node)
            except WorkLimitError:
                return _nothing(node)

    @property
    def exhausted(self) -> bool:
        """Whether something was given up because it takes too long."""
        return self._left < 0

    def integers(self, node: Node) -> tuple[NDArray[np.int64], Mask]:
        """The signed reading (0 or 1 for i1) of an integer node, and where it is known, row by
        row.
        """
        assert isinstance(node.type, IntTy)
        found, count = self(node), self._lanes.count
        data = found.data if node.type == I1 else semantics.signed(found.data, node.type.bits)
        return _spread(data, count).astype(np.int64, copy=False), found.is_known(count)

    # frames

    def _get(self, frame: _Frame, node: Node) -> Evaluated:
        found = frame.memo.get(node) or frame.fixed.get(node)
        if found is not None:
            return found
        if frame.parent is not None and frame.loop not in self._values.varying(node):
            found = _taken(self._get(frame.parent, node), frame.rows)
            frame.fixed[node] = found
            return found
        for each in self._order(node):
            if each not in frame.memo:
                outer = frame.parent is not None
                if not (outer and frame.loop not in self._values.varying(each)):
                    frame.memo[each] = self._computed(frame, each)
        return frame.memo[node]

    def _order(self, node: Node) -> list[Node]:
        """A node and what it is computed from, operands first, bodies of loops left out."""
        found = self._orders.get(node)
        if found is None:
            seen, pending = set[Node](), [node]
            while pending:
                each = pending.pop()
                if each not in seen:
                    seen.add(each)
                    pending += _operands(each)
            found = self._orders[node] = sorted(seen, key=lambda each: each.id)
        return found

    def _spend(self, size: int) -> None:
        self._left -= size + OVERHEAD
        if self._left < 0:
            raise WorkLimitError

    def _computed(self, frame: _Frame, node: Node) -> Evaluated:
        self._spend(frame.size)
        match node:
            case Number():
                return Evaluated(semantics.constant(node.value, node.type))
            case Symbol():
                return self._symbol(frame, node)
            case Sum(type=IntTy(bits)):
                parts = [(self._get(frame, term), c) for term, c in node.terms]
                data = semantics.combination([(p.data, c) for p, c in parts], node.constant, bits)
                return Evaluated(data, _both(p for p, _ in parts))
            case Product(type=IntTy(bits)):
                factors = [self._get(frame, factor) for factor in node.factors]
                data = semantics.product([f.data for f in factors], bits)
                return Evaluated(data, _both(factors))
            case Operation():
                return self._operation(frame, node)
            case Table():
                return self._table(frame, node)
            case Recurrence():
                return frame.states.get(node) or _nothing(node)
            case First():
                return self._first(frame, node)
            case Final():
                return self._final(frame, node)
            case Total():
                return self._total(frame, node)
            case _:
                return _nothing(node)

    def _symbol(self, frame: _Frame, symbol: Symbol) -> Evaluated:
        if frame.counter is not None and symbol.kind is SymbolKind.COUNTER:
            return _as_type(frame.counter.data.view(np.int64), symbol, frame.counter.known)
        given = self._lanes.symbols.get((symbol.kind, symbol.index))
        return _nothing(symbol) if given is None else _as_type(given, symbol, None)

    def _operation(self, frame: _Frame, node: Operation) -> Evaluated:
        operands = [self._get(frame, operand) for operand in node.operands]
        data = [operand.data for operand in operands]
        match node.operator:
            case Opcode.SELECT:
                return _selected(operands)
            case Opcode.AND | Opcode.OR if node.type == I1:
                return _logical(operands, absorbing=int(node.operator is Opcode.OR))
            case Opcode.ICMP:
                assert isinstance(node.detail, IntPredicate)
                result = semantics.compare(node.detail, node.operands[0].type.bits, *data)
                return Evaluated(result.astype(U64), _both(operands))
            case Opcode.FCMP:
                assert isinstance(node.detail, FloatPredicate)
                result = semantics.compare_floats(node.detail, *data)
                return Evaluated(result.astype(U64), _both(operands))
            case _:
                return self._plain(node, operands)

    def _plain(self, node: Operation, operands: list[Evaluated]) -> Evaluated:
        data = [operand.data for operand in operands]
        source = node.operands[0].type
        converted = semantics.convert(node.operator, source, node.type, data[0])
        if converted is not None:
            return Evaluated(converted, _both(operands))
        if isinstance(node.type, FloatTy):
            result = semantics.floating(node.operator, node.type, data)
            return _nothing(node) if result is None else Evaluated(result, _both(operands))
        if isinstance(source, FloatTy):
            return _nothing(node)
        found = semantics.integer(node.operator, source.bits, data, node.detail)
        if found is None:
            return _nothing(node)
        result, valid = found
        known = _both(operands)
        if valid is not None and not valid.all():
            known = valid if known is None else known & valid
        return Evaluated(result, known)

    def _table(self, frame: _Frame, node: Table) -> Evaluated:
        if node.variable not in self._tables:
            initialiser = self._values.module.globals[node.variable].initialiser
            assert initialiser is not None
            self._tables[node.variable] = contents(initialiser)
        offset = self._get(frame, node.offset)
        bits, valid = gather(*self._tables[node.variable], offset.data.view(np.int64), node.type)
        known = valid if offset.known is None else valid & offset.known
        if isinstance(node.type, FloatTy):
            bits = bits.astype(semantics.PATTERNS[node.type.bits])
            return Evaluated(bits.view(semantics.DTYPES[node.type.bits]), known)
        return Evaluated(semantics.wrap(bits, node.type.bits), known)

    # loops

    def _recurrences(self, loop: int, nodes: Iterable[Node]) -> tuple[Recurrence, ...]:
        """The variables of a loop that nodes depend on, directly or through each other."""
        found, pending = dict[Recurrence, None](), list(nodes)
        for node in pending:
            if node not in self._needs:
                self._needs[node] = tuple(
                    each for each in _inside(node) if isinstance(each, Recurrence)
                )
            for each in self._needs[node]:
                if each.loop == loop and each not in found:
                    found[each] = None
                    pending.append(self._values.variable(each).step)
                elif each.loop != loop and self._values.varies(each, loop) and each not in found:
                    # A variable of a loop inside: how it starts may depend on this one's.
                    found[each] = None
                    variable = self._values.variable(each)
                    pending += [variable.start, variable.step]
        return tuple(each for each in found if each.loop == loop)

    def _enter(self, frame: _Frame, loop: int, needed: tuple[Recurrence, ...]) -> _Frame:
        """The first iteration of a loop for all rows of a frame."""
        child = _Frame(frame.size, frame, loop)
        child.counter = Evaluated(np.zeros(1, U64))
        for each in needed:
            child.states[each] = self._get(frame, self._values.variable(each).start)
        return child

    def _advance(self, frame: _Frame, number: int) -> None:
        """To the next iteration."""
        news = {e: self._get(frame, self._values.variable(e).step) for e in frame.states}
        frame.states = news
        frame.counter = Evaluated(np.array([number], U64))
        frame.memo = {}

    def _first(self, frame: _Frame, node: First) -> Evaluated:
        needed = self._recurrences(node.loop, [node.condition])
        child = self._enter(frame, node.loop, needed)
        result = np.zeros(frame.size, U64)
        known = np.zeros(frame.size, np.bool_)
        rows = np.arange(frame.size)
        number = 0
        while len(rows):
            here = self._get(child, node.condition)
            data, sure = here.rows(child.size), here.is_known(child.size)
            ends = sure & (data != 0)
            result[rows[ends]] = number
            known[rows[ends]] = True
            stays = sure & (data == 0)
            if not stays.all():
                if number == 0 and ends.all() and len(here.data) == 1:
                    return Evaluated(np.zeros(1, U64))
                rows = rows[stays]
                _keep(child, np.flatnonzero(stays))
            if not len(rows) or (not needed and self._same_forever(node)):
                break
            number += 1
            self._advance(child, number)
            self._spend(0)
        return _shrunk(Evaluated(result, None if known.all() else known))

    def _same_forever(self, node: First) -> bool:
        return not self._values.varies(node.condition, node.loop)

    def _final(self, frame: _Frame, node: Final) -> Evaluated:
        at = self._get(frame, node.at)
        needed = self._recurrences(node.loop, [node.value])
        if not needed:
            child = _Frame(frame.size, frame, node.loop)
            child.counter = at
            found = self._get(child, node.value)
            return Evaluated(found.data, _and(found.known, at.known))
        child = self._enter(frame, node.loop, needed)
        result = np.zeros(frame.size, semantics.dtype_of(node.type))
        known = np.zeros(frame.size, np.bool_)
        rows = np.flatnonzero(at.is_known(frame.size))
        ends = at.rows(frame.size)
        if len(rows) < frame.size:
            _keep(child, rows)
        number = 0
        while len(rows):
            here = ends[rows] == number
            if here.any():
                value = self._get(child, node.value)
                result[rows[here]] = value.rows(child.size)[here]
                known[rows[here]] = value.is_known(child.size)[here]
                rows = rows[~here]
                _keep(child, np.flatnonzero(~here))
            if len(rows):
                number += 1
                self._advance(child, number)
                self._spend(0)
        return _shrunk(Evaluated(result, None if known.all() else known))

    def _total(self, frame: _Frame, node: Total) -> Evaluated:
        count = self._get(frame, node.count)
        needed = self._recurrences(node.loop, [node.value])
        if not needed:
            return self._spread_total(frame, node, count)
        child = self._enter(frame, node.loop, needed)
        result = np.full(frame.size, node.fold.nothing, np.int64)
        known = np.array(count.is_known(frame.size))
        ends = count.rows(frame.size)
        rows = np.flatnonzero(known & (ends > 0))
        if len(rows) < frame.size:
            _keep(child, rows)
        number = 0
        while len(rows):
            value = self._get(child, node.value)
            data = value.rows(child.size).view(np.int64)
            result[rows] = _FOLDS[node.fold](result[rows], data)
            known[rows] &= value.is_known(child.size)
            number += 1
            stays = (ends[rows] > number) & known[rows]
            if not stays.all():
                rows = rows[stays]
                _keep(child, np.flatnonzero(stays))
            if len(rows):
                self._advance(child, number)
                self._spend(0)
        return _shrunk(Evaluated(result.view(U64), None if known.all() else known))

    def _spread_total(self, frame: _Frame, node: Total, count: Evaluated) -> Evaluated:
        """All iterations of all rows at once, some rows at a time."""
        known = count.is_known(frame.size)
        counts = np.where(known, count.rows(frame.size), U64(0)).astype(np.int64)
        if counts.sum(dtype=np.float64) * 2 > max(self._left, 0):
            raise WorkLimitError
        result = np.full(frame.size, node.fold.nothing, np.int64)
        fine, ends, start = np.array(known), np.cumsum(counts), 0
        while start < frame.size:
            done = ends[start - 1] if start else 0
            stop = max(int(np.searchsorted(ends, done + MAX_ROWS, "right")), start + 1)
            rows = np.repeat(np.arange(start, stop), counts[start:stop])
            firsts = (ends - counts)[rows] - done
            child = _Frame(len(rows), frame, node.loop, rows)
            child.counter = Evaluated((np.arange(len(rows)) - firsts).astype(U64))
            if len(rows):
                value = self._get(child, node.value)
                data, sure = value.rows(len(rows)).view(np.int64), value.is_known(len(rows))
                _FOLDS[node.fold].at(result, rows, data)
                np.logical_and.at(fine, rows, sure)
            start = stop
        return _shrunk(Evaluated(result.view(U64), None if fine.all() else fine))


def _operands(node: Node) -> tuple[Node, ...]:
    match node:
        case First():
            return ()
        case Final(at=at):
            return (at,)
        case Total(count=count):
            return (count,)
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


def _inside(node: Node) -> list[Node]:
    """A node and all it depends on, but for addresses of loads."""
    seen, pending = dict[Node, None](), [node]
    while pending:
        each = pending.pop()
        if each not in seen:
            seen[each] = None
            match each:
                case First(condition=condition):
                    pending.append(condition)
                case Final(at=at, value=value):
                    pending += [at, value]
                case Total(count=count, value=value):
                    pending += [count, value]
                case Loaded() | Opaque():
                    pass
                case _:
                    pending += _operands(each)
    return list(seen)


def _spread(values: Array, count: int) -> Array:
    return values if len(values) == count else np.full(count, values[0], values.dtype)


def _nothing(node: Node) -> Evaluated:
    return Evaluated(np.zeros(1, semantics.dtype_of(node.type)), np.zeros(1, np.bool_))


def _as_type(given: Array, symbol: Symbol, known: Mask | None) -> Evaluated:
    """A symbol's numbers as values of its type."""
    if isinstance(symbol.type, FloatTy):
        return Evaluated(given.astype(semantics.DTYPES[symbol.type.bits]), known)
    return Evaluated(semantics.wrap(given.astype(np.int64).view(U64), symbol.type.bits), known)


def _and(first: Mask | None, second: Mask | None) -> Mask | None:
    if first is None or second is None:
        return second if first is None else first
    return first & second


def _both(parts: Iterable[Evaluated]) -> Mask | None:
    known: Mask | None = None
    for part in parts:
        known = _and(known, part.known)
    return known


def _selected(operands: list[Evaluated]) -> Evaluated:
    condition, then, otherwise = operands
    chosen = condition.data != 0
    data = np.where(chosen, then.data, otherwise.data)
    if condition.known is None and then.known is None and otherwise.known is None:
        return Evaluated(data)
    yes = np.ones(1, np.bool_)
    known = np.where(chosen, yes if then.known is None else then.known,
                     yes if otherwise.known is None else otherwise.known)  # fmt: skip
    if condition.known is not None:
        known = known & condition.known
    return Evaluated(data, known)


def _logical(operands: list[Evaluated], *, absorbing: int) -> Evaluated:
    """And, or: one absorbing operand decides, whatever the others are."""
    decided: Mask = np.zeros(1, np.bool_)
    known: Mask | None = None
    for operand in operands:
        here = operand.data == absorbing
        decided = decided | (here if operand.known is None else here & operand.known)
        known = _and(known, operand.known)
    data = decided if absorbing else ~decided
    return Evaluated(data.astype(U64), None if known is None else known | decided)


def _taken(value: Evaluated, rows: NDArray[np.int64] | None) -> Evaluated:
    if rows is None:
        return value
    data = value.data if len(value.data) == 1 else value.data[rows]
    known = value.known
    if known is not None and len(known) > 1:
        known = known[rows]
    return Evaluated(data, known)


def _keep(frame: _Frame, rows: NDArray[np.int64]) -> None:
    """Go on with some rows of a frame."""
    frame.rows = rows if frame.rows is None else frame.rows[rows]
    frame.size = len(rows)
    frame.states = {each: _taken(value, rows) for each, value in frame.states.items()}
    frame.memo = {each: _taken(value, rows) for each, value in frame.memo.items()}
    frame.fixed = {each: _taken(value, rows) for each, value in frame.fixed.items()}
    if frame.counter is not None:
        frame.counter = _taken(frame.counter, rows)


def _shrunk(value: Evaluated) -> Evaluated:
    """One element where all rows are alike."""
    data, known = value.data, value.known
    if len(data) > 1 and known is None and (data == data[0]).all():
        return Evaluated(data[:1])
    return value

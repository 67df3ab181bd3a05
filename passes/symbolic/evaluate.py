"""What symbolic values are for given work-items, exactly as the machine computes them.

Rows are evaluated together. What has no closed form is simulated, iteration by iteration, for all
rows at once. A row's value is unknown where it depends on memory, on a function whose last digit
differs between devices, or on a symbol that is not given.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from kcc.frontend.ir.opcodes import FloatPredicate, IntPredicate, Opcode
from kcc.frontend.ir.types import I1, FloatTy, IntTy
from kcc.passes.symbolic import semantics
from kcc.passes.symbolic.budget import MAX_WORK
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.data import contents, gather
from kcc.passes.symbolic.dependencies import computed_from, depended_on, settled_first
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
    SymbolKind,
    Table,
    Total,
)
from kcc.passes.symbolic.frames import FOLDS, Frame, Results, keep, merged, part_of
from kcc.passes.symbolic.lanes import Lanes
from kcc.passes.symbolic.nodes import reachable
from kcc.passes.symbolic.reasons import everything
from kcc.passes.symbolic.rows import (
    Evaluated,
    all_known_in,
    along,
    as_type,
    both_known,
    in_rows,
    known_where,
    logical,
    nothing,
    selected,
    shrunk,
    spread,
    taken,
)
from kcc.passes.symbolic.semantics import U64, Mask

OVERHEAD = 300
"""An operation on few elements takes as long as one on so many (measured: about 3 us on arrays of
up to 1,000 elements, 1 ns per further element)."""

MAX_ROWS = 1 << 16
"""Rows that a sum over iterations is spread over at a time."""


class WorkLimitError(Exception):
    """An evaluation takes too long."""


class _Looping(dict[Node, bool]):
    """Whether loops are simulated for a node of the kernel, or may be."""


class _Needs(dict[Node, tuple[Recurrence, ...]]):
    """The variables of loops that a node of the kernel depends on."""


class _Searches(dict[Node, frozenset[Node]]):
    """The ends of loops that a node of the kernel depends on."""


class _Tables(dict[str, tuple[NDArray[np.uint8], Mask]]):
    """The contents of constant arrays of the kernel."""


class Evaluator:
    """Evaluates the values of one kernel for some work-items. One that is ``alone`` takes nothing
    of what all others share: who uses it has a budget."""

    def __init__(
        self, values: SymbolicValues, lanes: Lanes, *, work: int = MAX_WORK, alone: bool = False
    ) -> None:
        self._alone, self._taken = alone, [0]
        self._values, self.lanes = values, lanes
        self._top = Frame(lanes.count, shape=lanes.shape)
        self._faces, self._shapes = {lanes.shape: self._top}, dict[Node, tuple[int, ...]]()
        self._left = self._work = work
        self._exhausted = False
        self._expected: set[Node] = set()
        self._observers: dict[tuple[int, Node], list[Final | Total]] = {}
        self._orders: dict[Node, list[Node]] = {}
        self._looping, self._needs = values.kept(_Looping), values.kept(_Needs)
        self._searches, self._tables = values.kept(_Searches), values.kept(_Tables)
        self._too_long = set[tuple[int, Node]]()
        self._sought = list[Node]()

    def __call__(self, node: Node) -> Evaluated:
        """The value of a node in each row.

        What takes more than the work allowed, or what is left of that for all values of the
        kernel, is unknown in all rows.
        """
        most = self._work if self._alone else min(self._work, self._values.work_left)
        self._left, self._exhausted = most, most <= 0
        if self._exhausted:
            return nothing(node)
        self.expect([node])
        with np.errstate(all="ignore"):
            try:
                return self._get(self._top, node)
            except WorkLimitError:
                self._exhausted = True
                return nothing(node)
            finally:
                taken = most - max(self._left, 0)
                self._taken[0] += taken
                if not self._alone:
                    self._values.work_left -= taken

    def expect(self, nodes: Iterable[Node]) -> None:
        """Say which nodes will be asked for: loops that several of them need are simulated once
        for all.
        """
        pending = [node for node in nodes if node not in self._expected]
        while pending:
            for each in reachable([pending.pop()], stop=self._expected):
                if each in self._expected:
                    continue
                self._expected.add(each)
                match each:
                    case Final(loop=loop, at=end) | Total(loop=loop, count=end):
                        self._observers.setdefault((loop, end), []).append(each)
                    case Recurrence():
                        variable = self._values.variable(each)
                        pending += [variable.start, variable.step]
                    case _:
                        pass

    @property
    def taken(self) -> int:
        """The work that this evaluator and those made by :meth:`again` have taken so far."""
        return self._taken[0]

    @property
    def exhausted(self) -> bool:
        """Whether the last value was given up because it takes too long."""
        return self._exhausted

    def integers(self, node: Node) -> tuple[NDArray[np.int64], Mask]:
        """The signed reading (0 or 1 for i1) of an integer node, and where it is known, row by
        row.
        """
        assert isinstance(node.type, IntTy)
        found, count = self(node), self.lanes.count
        data = found.data if node.type == I1 else semantics.signed(found.data, node.type.bits)
        return spread(data, count).astype(np.int64, copy=False), found.is_known(count)

    def preset(self, node: Node, value: Evaluated) -> None:
        """Say what a recurrence is in each row, in the iteration that the rows stand for."""
        self._top.memo[node] = value

    def again(self, lanes: Lanes) -> Evaluator:
        """An evaluator for other rows, of which the same nodes are expected."""
        other = Evaluator(self._values, lanes, work=self._work, alone=self._alone)
        other._expected, other._observers = self._expected, self._observers
        other._orders = self._orders
        other._taken = self._taken
        return other

    # frames

    def _get(self, frame: Frame, node: Node) -> Evaluated:
        found = self._ready(frame, node)
        if found is not None:
            return found
        if frame.parent is not None and frame.loop not in self._values.varying(node):
            found = frame.fixed[node] = self._outer(frame, frame.parent, node)
            return found
        face = self._face(frame, node)
        if face is not frame:
            self._spend(frame.size)
            value = along(self._get(face, node), face.shape)
            found = frame.memo[node] = in_rows(value, frame.shape)
            return found
        for each in self._missing(frame, node) if frame.parent is None else self._order(node):
            inner = frame.parent is None or frame.loop in self._values.varying(each)
            if inner and self._ready(frame, each) is None:
                value = self._computed(frame, each)
                frame.memo[each] = value
        return frame.memo[node]

    def _outer(self, frame: Frame, parent: Frame, node: Node) -> Evaluated:
        """A value that a loop does not change. What has loops in it is computed only for the rows
        that have come here: for others those may not end.
        """
        rows = frame.rows
        if rows is None or node in parent.memo or not self._has_loops(node):
            return taken(self._get(parent, node), rows)
        wanted = np.zeros(parent.size, np.bool_)
        wanted[rows] = True
        if wanted.all():
            return taken(self._get(parent, node), rows)
        found = parent.partly.get(node)
        missing = wanted if found is None else wanted & ~found.done
        if missing.any():
            part = self._side(parent, missing.tobytes(), np.flatnonzero(missing))
            parent.partly[node] = found = merged(found, missing, self._get(part, node))
        assert found is not None
        return taken(found.value, rows)

    def _side(self, frame: Frame, key: Hashable, places: NDArray[np.int64]) -> Frame:
        """Some rows of a frame, with what was computed for them before in this iteration."""
        if key not in frame.parts:
            frame.parts[key] = part_of(frame, places)
        return frame.parts[key]

    def _ready(self, frame: Frame, node: Node) -> Evaluated | None:
        """A value that is there already, in the frame or in the one it is a part of."""
        found = frame.memo.get(node) or frame.fixed.get(node)
        if found is None and frame.origin is not None:
            source, rows = frame.origin
            is_leaf = isinstance(node, Number | Symbol | Recurrence)
            ready = self._get(source, node) if is_leaf else self._ready(source, node)
            if ready is not None:
                found = frame.memo[node] = taken(ready, rows)
        return found

    def _missing(self, frame: Frame, node: Node) -> list[Node]:
        """What of :meth:`_order` is not there yet: values outside loops are computed once, however
        many others are made from them."""
        seen, pending = set[Node](), [node]
        while pending:
            each = pending.pop()
            here = each not in seen and self._face(frame, each) is frame
            if here and self._ready(frame, each) is None:
                seen.add(each)
                pending += self._first_operands(each)
        return sorted(seen, key=lambda each: each.id)

    def _face(self, frame: Frame, node: Node) -> Frame:
        """The frame that a node is computed in: where rows are combinations along axes, that of
        the axes it depends on, which has few rows. Loops are gone through for all rows at once."""
        if not frame.shape or self._has_loops(node):
            return frame
        if node not in self._shapes:
            ones = (1,) * len(frame.shape)
            for each in settled_first(node, self._shapes):
                parts = [self._shapes[operand] for operand in computed_from(each)]
                if isinstance(each, Symbol):
                    parts = [np.shape(self.lanes.symbols.get((each.kind, each.index), 0))]
                self._shapes[each] = np.broadcast_shapes(ones, *parts)
        shape = self._shapes[node]
        if shape not in self._faces:
            self._faces[shape] = Frame(math.prod(shape), shape=shape)
        return self._faces[shape]

    def _order(self, node: Node) -> list[Node]:
        """A node and what it is computed from, operands first, bodies of loops left out."""
        found = self._orders.get(node)
        if found is None:
            seen, pending = set[Node](), [node]
            while pending:
                each = pending.pop()
                if each not in seen:
                    seen.add(each)
                    pending += self._first_operands(each)
            found = self._orders[node] = sorted(seen, key=lambda each: each.id)
        return found

    def _first_operands(self, node: Node) -> tuple[Node, ...]:
        """The operands that a node needs in each row."""
        return node.operands[:1] if self._is_lazy(node) else computed_from(node)

    def _is_lazy(self, node: Node) -> TypeGuard[Operation]:
        """Whether a choice has sides with loops in them, which are computed only where chosen."""
        return (
            isinstance(node, Operation)
            and node.operator is Opcode.SELECT
            and any(map(self._has_loops, node.operands[1:]))
        )

    def _has_loops(self, node: Node) -> bool:
        """Whether loops are simulated for a node, or may be."""
        if node not in self._looping:
            for each in settled_first(node, self._looping):
                self._looping[each] = isinstance(each, First | Final | Total) or any(
                    self._looping[operand] for operand in computed_from(each)
                )
        return self._looping[node]

    def _spend(self, size: int) -> None:
        self._left -= size + OVERHEAD
        if self._left < 0:
            raise WorkLimitError

    def _computed(  # noqa: PLR0911 -- one case per kind of node
        self, frame: Frame, node: Node
    ) -> Evaluated:
        self._spend(frame.size)
        match node:
            case Number():
                return Evaluated(semantics.constant(node.value, node.type))
            case Symbol():
                return self._symbol(frame, node)
            case Sum(type=IntTy(bits)):
                parts = self._broadcast(frame, [term for term, _ in node.terms])
                scaled = [(p.data, c) for p, (_, c) in zip(parts, node.terms, strict=True)]
                data = semantics.combination(scaled, node.constant, bits)
                return in_rows(Evaluated(data, all_known_in(parts)), frame.shape)
            case Product(type=IntTy(bits)):
                factors = [self._get(frame, factor) for factor in node.factors]
                data = semantics.product([f.data for f in factors], bits)
                return Evaluated(data, all_known_in(factors))
            case Operation():
                return (
                    self._lazy(frame, node) if self._is_lazy(node) else self._operation(frame, node)
                )
            case Table():
                return self._table(frame, node)
            case Recurrence():
                return frame.states.get(node) or nothing(node)
            case First():
                return self._simulated(frame, node.loop, node, node)
            case Final():
                if not self._recurrences(node.loop, [node.value]):
                    return self._at(frame, node)
                return self._simulated(frame, node.loop, node.at, node)
            case Total():
                if not self._recurrences(node.loop, [node.value]):
                    return self._spread_total(frame, node, self._get(frame, node.count))
                return self._simulated(frame, node.loop, node.count, node)
            case _:
                return nothing(node)

    def _broadcast(self, frame: Frame, nodes: Iterable[Node]) -> list[Evaluated]:
        """Values for operations element by element: where rows are combinations along axes, each
        along those that it depends on, and what is made of them is for :func:`in_rows`."""
        if not frame.shape:
            return [self._get(frame, node) for node in nodes]
        faces = [(node, self._face(frame, node)) for node in nodes]
        return [along(self._get(face, node), face.shape) for node, face in faces]

    def _symbol(self, frame: Frame, symbol: Symbol) -> Evaluated:
        if frame.counter is not None and symbol.kind is SymbolKind.COUNTER:
            return as_type(frame.counter.data.view(np.int64), symbol, frame.counter.known)
        given = self.lanes.symbols.get((symbol.kind, symbol.index))
        return nothing(symbol) if given is None else as_type(given.reshape(-1), symbol, None)

    def _operation(self, frame: Frame, node: Operation) -> Evaluated:
        operands = self._broadcast(frame, node.operands)
        data = [operand.data for operand in operands]
        match node.operator:
            case Opcode.SELECT:
                found = selected(operands)
            case Opcode.AND | Opcode.OR if node.type == I1:
                found = logical(operands, absorbing=int(node.operator is Opcode.OR))
            case Opcode.ICMP:
                assert isinstance(node.detail, IntPredicate)
                result = semantics.compare(node.detail, node.operands[0].type.bits, *data)
                found = Evaluated(result.astype(U64), all_known_in(operands))
            case Opcode.FCMP:
                assert isinstance(node.detail, FloatPredicate)
                result = semantics.compare_floats(node.detail, *data)
                found = Evaluated(result.astype(U64), all_known_in(operands))
            case _:
                return self._plain(node, [self._get(frame, each) for each in node.operands])
        return in_rows(found, frame.shape)

    def _plain(self, node: Operation, operands: list[Evaluated]) -> Evaluated:
        data = [operand.data for operand in operands]
        source = node.operands[0].type
        converted = semantics.convert(node.operator, source, node.type, data[0])
        if converted is not None:
            return Evaluated(converted, all_known_in(operands))
        if isinstance(node.type, FloatTy):
            result = semantics.floating(node.operator, node.type, data)
            if result is not None:
                return Evaluated(result, all_known_in(operands))
            exact = semantics.exact_where(node.operator, node.type, data)
            return nothing(node) if exact is None else known_where(*exact, operands)
        if isinstance(source, FloatTy):
            return nothing(node)
        found = semantics.integer(node.operator, source.bits, data, node.detail)
        return nothing(node) if found is None else known_where(*found, operands)

    def _table(self, frame: Frame, node: Table) -> Evaluated:
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
                    each for each in depended_on(node) if isinstance(each, Recurrence)
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

    def _enter(self, frame: Frame, loop: int, needed: tuple[Recurrence, ...]) -> Frame:
        """The first iteration of a loop for all rows of a frame."""
        child = Frame(frame.size, frame, loop)
        child.counter = Evaluated(np.zeros(1, U64))
        for each in needed:
            child.states[each] = self._get(frame, self._values.variable(each).start)
        return child

    def _advance(self, frame: Frame, number: int) -> None:
        """To the next iteration."""
        news = {e: self._get(frame, self._values.variable(e).step) for e in frame.states}
        frame.states = news
        frame.counter = Evaluated(np.array([number], U64))
        frame.memo, frame.parts, frame.partly = {}, {}, {}

    def _lazy(self, frame: Frame, node: Operation) -> Evaluated:
        """A choice, each side computed for the rows that choose it."""
        condition = self._get(frame, node.operands[0])
        sure, chosen = condition.is_known(frame.size), condition.rows(frame.size) != 0
        data = np.zeros(frame.size, semantics.dtype_of(node.type))
        known = np.zeros(frame.size, np.bool_)
        for side, rows in ((1, sure & chosen), (2, sure & ~chosen)):
            if rows.all():
                return self._get(frame, node.operands[side])
            if rows.any():
                places = np.flatnonzero(rows)
                part = self._side(frame, (node.operands[0], side), places)
                value = self._get(part, node.operands[side])
                data[places] = value.rows(len(places))
                known[places] = value.is_known(len(places))
        return Evaluated(data, None if known.all() else known)

    def _at(self, frame: Frame, node: Final) -> Evaluated:
        """A value that varies with the counter alone, in the last iteration."""
        at = self._get(frame, node.at)
        child = Frame(frame.size, frame, node.loop)
        child.counter = at
        found = self._get(child, node.value)
        return Evaluated(found.data, both_known(found.known, at.known))

    def _home(self, frame: Frame, node: Node) -> Frame:
        """The frame in which a node is computed."""
        while frame.parent is not None and frame.loop not in self._values.varying(node):
            frame = frame.parent
        return frame

    def _simulated(self, frame: Frame, loop: int, end: Node, asked: Node) -> Evaluated:
        """Iteration by iteration, up to number ``end``, which may be what is searched for.

        All that is wanted of the loop is computed together and put down in the frame. A loop that
        takes most of the work allowed, and more, is not tried again.
        """
        before = self._left
        if end is asked:
            self._sought.append(end)
        try:
            if (loop, end) in self._too_long:
                raise WorkLimitError
            return self._simulate(frame, loop, end, asked)
        except WorkLimitError:
            if before - self._left > self._work // 2:
                self._too_long.add((loop, end))
            raise
        finally:
            if end is asked:
                self._sought.pop()

    def _must_wait(self, node: Node) -> bool:
        """Whether a node depends on the end of a loop that is being searched for."""
        found = self._searches.get(node)
        if found is None:
            inside = everything(self._values, node)
            found = frozenset(each for each in inside if isinstance(each, First))
            self._searches[node] = found
        return not found.isdisjoint(self._sought)

    def _simulate(self, frame: Frame, loop: int, end: Node, asked: Node) -> Evaluated:
        watchers = [
            each
            for each in self._observers.get((loop, end), [])
            if each not in frame.memo and self._home(frame, each) is frame
            if self._recurrences(loop, [each.value]) or end is asked
            if not self._must_wait(each.value)
        ]
        if asked is not end and asked not in watchers:
            assert isinstance(asked, Final | Total)
            watchers.append(asked)
        run = Results(frame.size, watchers)
        search = end if end is asked and isinstance(end, First) else None
        roots = [watcher.value for watcher in watchers]
        if search is not None:
            roots.append(search.condition)
        needed = self._recurrences(loop, roots)
        ends = None if search is not None else self._get(frame, end)
        child = self._enter(frame, loop, needed)
        rows, number = np.arange(frame.size), 0
        varying = search is None or self._values.varies(search.condition, loop)
        limits = np.zeros(0, np.int64)
        if ends is not None:
            limits = ends.rows(frame.size).view(np.int64)
            rows = np.flatnonzero(ends.is_known(frame.size) & (limits >= 0))
            if len(rows) < frame.size:
                keep(child, rows)
        while len(rows):
            if search is not None:
                here = self._get(child, search.condition)
                data, sure = here.rows(child.size), here.is_known(child.size)
                over, stays = sure & (data != 0), sure & (data == 0)
                run.found[rows[over]], run.sure[rows[over]] = number, True
            else:
                over = limits[rows] == number
                stays = ~over
            if over.any():
                self._record(run, child, rows, np.flatnonzero(over))
            if not stays.all():
                rows = rows[stays]
                keep(child, np.flatnonzero(stays))
            if not len(rows) or (search is not None and not varying):
                break
            for watcher in watchers:
                if isinstance(watcher, Total):
                    run.add(watcher, rows, self._get(child, watcher.value))
            number += 1
            self._advance(child, number)
            self._spend(0)
        if search is not None:
            frame.memo[search] = shrunk(Evaluated(run.found, None if run.sure.all() else run.sure))
        frame.memo.update(run.results())
        return frame.memo[asked]

    def _record(
        self, run: Results, child: Frame, rows: NDArray[np.int64], places: NDArray[np.int64]
    ) -> None:
        """The last iteration of some rows."""
        finals = [watcher for watcher in run.watchers if isinstance(watcher, Final)]
        part = child if len(places) == child.size else part_of(child, places)
        for watcher in finals:
            value = self._get(part, watcher.value)
            run.data[watcher][rows[places]] = value.rows(part.size)
            run.known[watcher][rows[places]] = value.is_known(part.size)
        run.finished(rows[places])

    def _spread_total(self, frame: Frame, node: Total, count: Evaluated) -> Evaluated:
        """All iterations of all rows at once, some rows at a time."""
        known = count.is_known(frame.size)
        counts = np.where(known, count.rows(frame.size), U64(0)).astype(np.int64)
        if counts.sum(dtype=np.float64) * 2 > max(self._left, 0):
            raise WorkLimitError
        result = np.full(frame.size, node.fold.nothing, np.int64)
        fine, ends, start = np.array(known), np.cumsum(counts), 0
        begins = ends - counts
        while start < frame.size:
            done = int(begins[start])
            stop = max(int(np.searchsorted(ends, done + MAX_ROWS, "right")), start + 1)
            rows = np.repeat(np.arange(start, stop), counts[start:stop])
            child = Frame(len(rows), frame, node.loop, rows)
            child.counter = Evaluated((np.arange(len(rows)) - (begins[rows] - done)).astype(U64))
            if len(rows):
                value = self._get(child, node.value)
                some = start + np.flatnonzero(counts[start:stop])
                data, firsts = value.rows(len(rows)).view(np.int64), begins[some] - done
                result[some] = FOLDS[node.fold].reduceat(data, firsts)
                if value.known is not None:
                    fine[some] &= np.logical_and.reduceat(value.is_known(len(rows)), firsts)
            start = stop
        return shrunk(Evaluated(result.view(U64), None if fine.all() else fine))

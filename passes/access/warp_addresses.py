"""The addresses of warps, from symbolic values: those of the lanes of all warps of a launch, in all
iterations, told apart only where they differ in more than a shift.

An address is split into a part whose value has to be computed for each warp of a thread block (and
for those thread blocks and iterations that it depends on), and into terms "coefficient times
number of the thread block or iteration", which move all lanes together. Costs depend on such a
shift only through its remainder by a small period, so that its values need not be enumerated.

Import this lazily: it needs numpy.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import Alloca
from kcc.frontend.ir.types import I64
from kcc.passes.access.distinct import unique_values
from kcc.passes.access.taking import TakingShares, refined, segments, weights_of
from kcc.passes.memory.warp_cost import Ints, Mask
from kcc.passes.symbolic.affine import depends_on
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.evaluate import Evaluator
from kcc.passes.symbolic.expr import (
    BASE_KINDS,
    Node,
    Number,
    Recurrence,
    Sum,
    Symbol,
    SymbolKind,
)
from kcc.passes.symbolic.lanes import Key, Lanes, launch_symbols
from kcc.passes.symbolic.reasons import everything

MAX_ROWS = 1 << 18
"""Lanes whose addresses are computed for one access; of more, a sample is."""

MAX_SHARE_ROWS = 1 << 16
"""The same where only a share of warps is wanted, whose sample is weighted."""

MOST_SIMULATED = 1 << 10
"""Iterations of a loop that are gone through one by one. Of more these stand for all: what is
decided by a counter that wraps round comes again."""

MAX_ASKED = 32
"""Nodes that one evaluator is asked for before it is thrown away with all its intermediate
values, which take up to 2 MiB each."""

MAX_KEPT = 4
"""Evaluators that are kept: questions about one access alternate between few sets of rows."""

MAX_FIRSTS = 12
"""The same of those that look at one thread block in one iteration, which hold little."""

_HASH = np.uint64(0x9E3779B97F4A7C15)
"""An odd factor without pattern: 2**64 divided by the golden ratio (Knuth, "The Art of Computer
Programming", volume 3, section 6.4)."""

OBJECT_DISTANCE = 1 << 36
"""Bytes from one object to the next in the addresses computed here."""

_GLOBAL, _GROUP, _LOCAL = SymbolKind.GLOBAL_ID, SymbolKind.GROUP_ID, SymbolKind.LOCAL_ID


@dataclass(frozen=True, slots=True)
class Shifts:
    """By how much (modulo the period) lanes move together, and how often; ``weights`` is None
    where that is not known."""

    values: Ints
    weights: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class WarpRows:
    """``addresses[i, lane]`` in bytes, but for a shift, of one warp in one execution; ``weights``
    how often that row occurs. ``active``: the lanes that take part, None for all. ``missing``: some
    rows are left out since they cannot be computed. ``sampled``: for too many."""

    addresses: Ints
    active: Mask | None
    weights: Ints
    missing: bool
    sampled: bool


class Warps:
    """The warps of the launch that ``values`` were made for, which has a local size.

    ``counts`` gives for each loop how many iterations are looked at; loops that are not in it
    run for an unknown number of them. ``order``: the dimensions in which work-items follow one
    another, the fastest first. ``heavy``: nodes that take too long, which are added to.
    """

    def __init__(
        self,
        values: SymbolicValues,
        counts: Mapping[int, int],
        order: tuple[int, int, int] = (0, 1, 2),
        heavy: set[Node] | None = None,
    ) -> None:
        self.values, self.known, self.order = values, values.algebra.known, order
        self.warp = self.known.warp
        assert self.known.local_size is not None
        self.local: tuple[int, ...] = (*self.known.local_size, 1, 1)[:3]
        self.size = math.prod(self.local)
        self.counts = counts
        self.given = launch_symbols(self.known)
        self._dependences: dict[Node, frozenset[Key]] = {}
        self._recurring: dict[Node, frozenset[int]] = {}
        self._kept: dict[tuple[int, *tuple[Key, ...]], tuple[Evaluator, int]] = {}
        self._firsts: dict[tuple[tuple[Key, int], ...], tuple[Evaluator, int]] = {}
        self._heavy = set[Node]() if heavy is None else heavy

    @property
    def full_only(self) -> bool:
        """Whether there are full warps in a thread block."""
        return self.size >= self.warp

    def groups(self, dimension: int) -> int | None:
        """Thread blocks in a dimension."""
        found = self.given.get((SymbolKind.NUM_GROUPS, dimension))
        return None if found is None else int(found[0])

    def needs(self, node: Node) -> frozenset[Key]:
        """The symbols a node depends on, addresses of objects left out, and counters of loops that
        have ended; of a variable without a closed form the counter of its loop."""
        if node not in self._dependences:
            loops = self.values.varying(node)
            self._dependences[node] = self._simulated(node) | frozenset(
                (kind, index)
                for kind, index in depends_on(self.values, node)
                if kind not in BASE_KINDS and (kind is not SymbolKind.COUNTER or index in loops)
            )
        return self._dependences[node]

    def _simulated(self, node: Node) -> frozenset[Key]:
        """The counters of loops whose iterations are gone through one by one to know a node."""
        loops = self._loops_of(node) & set(self.values.varying(node))
        return frozenset((SymbolKind.COUNTER, loop) for loop in loops)

    def _loops_of(self, node: Node) -> frozenset[int]:
        """The loops whose variables without a closed form a node depends on."""
        if not self.values.loops.loops:
            return frozenset()
        if node not in self._recurring:
            self._recurring[node] = frozenset(
                e.loop for e in everything(self.values, node) if isinstance(e, Recurrence)
            )
        return self._recurring[node]

    def moving(self, nodes: Iterable[Node]) -> set[Key]:
        """The numbers of thread blocks, and the counters, that nodes depend on."""
        found = set[Key]()
        for node in nodes:
            for kind, index in self.needs(node):
                if kind in (_GLOBAL, _GROUP):
                    found.add((_GROUP, index))
                elif kind is SymbolKind.COUNTER:
                    found.add((kind, index))
        return found

    def extent(self, key: Key) -> int | None:
        """How many values a number of thread blocks, or a counter, has."""
        kind, index = key
        assert isinstance(index, int)
        return self.groups(index) if kind is _GROUP else self.counts.get(index)

    def unknown(self, node: Node) -> set[Key]:
        """What a node depends on that has no value."""
        found = set[Key]()
        for key in self.needs(node):
            kind, index = key
            if kind in (_LOCAL, SymbolKind.LANE):
                continue
            if kind in (_GLOBAL, _GROUP):
                if self.groups(index) is None:  # type: ignore[arg-type]
                    found.add(key)
            elif kind is SymbolKind.COUNTER:
                if self.extent(key) is None:
                    found.add(key)
            elif key not in self.given:
                found.add(key)
        return found

    def shifts(self, terms: Mapping[Key, int], free: int, period: int) -> Shifts:
        """The remainders, by ``period``, of the sum of coefficient times number of thread block
        or iteration, plus any multiple of ``free`` (a divisor of the period, or the period)."""
        weights = np.zeros(period, object)
        weights[0] = 1
        certain = free == period
        for key, coefficient in terms.items():
            extent = self.extent(key)
            step = math.gcd(coefficient, period)
            if extent is None:
                free = math.gcd(free, step)
                certain = False
                continue
            distinct = period // step
            spread = np.zeros(period, object)
            for k in range(min(distinct, extent)):
                often = extent // distinct + (k < extent % distinct)
                spread += often * np.roll(weights, k * coefficient % period)
            weights = spread
        if not certain:
            moved = np.zeros(period, object)
            for shift in range(0, period, free):
                moved += np.roll(weights, shift)
            weights = moved
        values = np.flatnonzero(weights).astype(np.int64)
        found = tuple(int(weight) for weight in weights[values])
        return Shifts(values, found if certain else None)

    def rows(
        self, node: Node, mask: Node | None, zero: Iterable[Key] = (), *,
        whole: bool = True, every_lane: bool = True, period: int | None = None,
        relocate: Callable[[Ints], Ints] | None = None,
    ) -> WarpRows | None:  # fmt: skip
        """The addresses of all warps in all executions that differ in more than the number of a
        thread block or iteration in ``zero``, which are held at 0; None if none can be computed.

        ``mask`` (i1) says which lanes take part; executions without any are left out. With
        ``every_lane`` then all lanes take part in those that are left, with ``whole`` warps that
        are not full are left out if there are full ones. With ``period`` rows that are equal,
        or differ by a multiple of it, are merged into one. ``relocate`` gives the addresses that
        are meant instead of those of the node.
        """
        nodes = [node] if mask is None else [node, mask]
        if not self._heavy.isdisjoint(nodes):
            return None
        keys = sorted(self.moving(nodes) - set(zero), key=str)
        axes, sampled = self._axes(keys, MAX_ROWS)
        combinations = math.prod(len(axis) for axis in axes)
        evaluate = self._evaluator(keys, axes, combinations)
        wanted = [self._bound(each) for each in nodes]
        evaluate.expect(wanted)
        data, known = evaluate.integers(wanted[0])
        if evaluate.exhausted:
            self._heavy.add(node)
            del self._kept[combinations, *keys]  # it answers nothing any more
            return None
        if relocate is not None:
            data = relocate(data)
        data, known = data.reshape(combinations, -1), known.reshape(combinations, -1)
        taking = None
        if mask is not None:
            found, sure = evaluate.integers(wanted[1])
            taking = (found != 0).reshape(combinations, -1)
            if evaluate.exhausted:
                self._heavy.add(mask)
                del self._kept[combinations, *keys]
            if not sure.all():
                return None
        return self._by_warp(data, known, taking, _Choice(whole, every_lane, period, sampled))

    def shares_taking(self, condition: Node) -> TakingShares | None:
        """The share of the executions by warps of the launch in which a condition (i1) holds for
        some lane, by thread blocks and warps; None if memory decides, or it takes too long to
        compute. Of many thread blocks or iterations those are looked at where it changes."""
        if condition in self._heavy or self.unknown(condition):
            return None
        keys = sorted(self.moving([condition]), key=str)
        simulated = self._simulated(condition)
        extents = [
            min(self.extent(key) or 1, MOST_SIMULATED if key in simulated else sys.maxsize)
            for key in keys
        ]
        own = {SymbolKind.LOCAL_ID, SymbolKind.GLOBAL_ID, SymbolKind.LANE}
        size = self.size if any(kind in own for kind, _ in self.needs(condition)) else 1
        base, _ = _sampled(extents, MAX_SHARE_ROWS // size)

        def holds(axes: list[Ints]) -> Mask | None:
            whole = all(own is first for own, first in zip(axes, base, strict=True))
            return self._taken(condition, keys, axes, size, keep=whole and size == self.size)

        found = refined(list(base), holds, max(MAX_SHARE_ROWS // size, 1))
        return None if found is None else self._by_segment(keys, extents, *found)

    def _by_segment(
        self, keys: list[Key], extents: list[int], axes: list[Ints], taken: Mask
    ) -> TakingShares:
        """From what warps do in each combination of numbers, the shares over the iterations."""
        shares = np.repeat(taken.astype(np.float64), -(-self._warps // taken.shape[-1]), axis=-1)
        for place in reversed(range(len(keys))):
            if keys[place][0] is not _GROUP:
                weights = weights_of(axes[place], extents[place])
                shares = np.average(shares, axis=len(keys) - 1 - place, weights=weights)
                keys, axes = keys[:place] + keys[place + 1 :], axes[:place] + axes[place + 1 :]
                extents = extents[:place] + extents[place + 1 :]
        # Keys are in order, so that the number in z, if it is one of them, is the first dimension.
        dimensions = {int(index): place for place, (_, index) in enumerate(keys)}
        shape = [len(axes[dimensions[d]]) if d in dimensions else 1 for d in (2, 1, 0)]
        shares, starts, grid = shares.reshape(*shape, -1), list[Ints](), list[int]()
        for d in range(3):
            axis = axes[dimensions[d]] if d in dimensions else np.zeros(1, np.int64)
            own, chosen = segments(axis, np.moveaxis(shares, 2 - d, 0))
            shares = np.take(shares, chosen, axis=2 - d)
            starts.append(own)
            grid.append(extents[dimensions[d]] if d in dimensions else 1)
        x, y, z = starts
        return TakingShares((x, y, z), (grid[0], grid[1], grid[2]), shares)

    @property
    def _warps(self) -> int:
        """Warps of a thread block."""
        return -(-self.size // self.warp)

    def _taken(
        self, condition: Node, keys: list[Key], axes: list[Ints], size: int, *, keep: bool
    ) -> Mask | None:
        """For each combination of the numbers that a condition depends on (the first one the
        fastest) the warps of a thread block in which it holds for some lane; one for all where
        only one work-item is looked at."""
        combinations = math.prod(len(axis) for axis in axes)
        if keep:
            evaluate = self._evaluator(keys, axes, combinations)
        else:
            evaluate = Evaluator(self.values, self._lanes(keys, axes, combinations, size))
        holds, known = evaluate.integers(self._bound(condition))
        if evaluate.exhausted:
            self._heavy.add(condition)
            self._kept.pop((combinations, *keys), None)
        if not known.all():
            return None
        holds = np.broadcast_to(holds, combinations * size)
        width = min(self.warp, size)
        lanes = np.pad((holds != 0).reshape(combinations, -1), ((0, 0), (0, -size % width)))
        return cast("Mask", lanes.reshape(combinations, -1, width).any(axis=2))

    def first_block(self, node: Node, at: Mapping[Key, int] | None = None) -> Ints | None:
        """The addresses of all warps of the first thread block, in the first iterations (but for
        the numbers of thread blocks and iterations in ``at``); lanes that do not exist go where
        the last one goes. None if some are not known."""
        places = dict(at or {})
        key = tuple(places.items())
        evaluate, asked = self._firsts.pop(key, (None, 0))
        if evaluate is None or asked >= MAX_ASKED:
            if len(self._firsts) >= MAX_FIRSTS:
                del self._firsts[next(iter(self._firsts))]
            axes = [np.array([value], np.int64) for value in places.values()]
            evaluate, asked = Evaluator(self.values, self._lanes(list(places), axes, 1)), 0
        self._firsts[key] = evaluate, asked + 1
        data, known = evaluate.integers(self._bound(node))
        width = min(self.warp, self.size)
        padded = np.pad(data, (0, -self.size % width), mode="edge")
        return padded.reshape(-1, width) if known.all() else None

    def _axes(self, keys: list[Key], most: int) -> tuple[list[Ints], bool]:
        """Per number that varies the values that are looked at, and whether they are a sample."""
        return _sampled([self.extent(key) or 1 for key in keys], most // self.size)

    def _evaluator(self, keys: list[Key], axes: list[Ints], combinations: int) -> Evaluator:
        """One for several questions about the same work-items, for what they have in common; it
        keeps all values of all nodes, and so not for too many."""
        known = (combinations, *keys)
        evaluate, asked = self._kept.pop(known, (None, 0))
        if evaluate is None or asked >= MAX_ASKED:
            if len(self._kept) >= MAX_KEPT:  # the one that was asked longest ago
                del self._kept[next(iter(self._kept))]
            evaluate, asked = Evaluator(self.values, self._lanes(keys, axes, combinations)), 0
        self._kept[known] = evaluate, asked + 1
        return evaluate

    def _lanes(
        self, keys: list[Key], axes: list[Ints], combinations: int, size: int | None = None
    ) -> Lanes:
        """A row for each work-item of a thread block (or so many of them) in each combination, the
        first key the fastest of those."""
        symbols: dict[Key, NDArray[Any]] = dict(self.given)
        size = size or self.size
        inside = items = np.arange(size, dtype=np.int64)
        moved = dict[Key, Ints]()
        for place, (key, axis) in enumerate(zip(keys, axes, strict=True), start=1):
            moved[key] = axis.reshape(-1, *[1] * place)
        for dimension in self.order:
            extent = self.local[dimension]
            own = inside % extent
            inside = inside // extent
            group = moved.get((_GROUP, dimension), np.zeros(1, np.int64))
            symbols[_LOCAL, dimension] = own
            symbols[_GROUP, dimension] = group
            symbols[_GLOBAL, dimension] = group * extent + own + self.known.offset[dimension]
        symbols[SymbolKind.LANE, 0] = items % self.warp
        for loop in self.values.loops.loops:
            key = (SymbolKind.COUNTER, loop.id)
            symbols[key] = moved.get(key, np.zeros(1, np.int64))
        shape = (*map(len, reversed(axes)), size) if keys else ()
        return Lanes(combinations * size, {**symbols, **self._bases}, shape=shape)

    @cached_property
    def _bases(self) -> dict[Key, NDArray[Any]]:
        """Addresses for objects, far apart and aligned: buffers, local arrays and constants begin
        at multiples of 256 bytes (:data:`kcc.tracegen.simt.layout.OBJECT_ALIGNMENT`)."""
        found = dict[Key, NDArray[Any]]()
        keys: list[Key] = [
            (SymbolKind.POINTER, each.index) for each in self.values.function.arguments
        ]
        keys += [(SymbolKind.GLOBAL, name) for name in self.values.module.globals]
        keys += [
            (SymbolKind.PRIVATE, each.index)
            for each in self.values.function.instructions
            if isinstance(each, Alloca)
        ]
        for number, key in enumerate(keys):
            found[key] = np.array([(number + 1) * OBJECT_DISTANCE], np.int64)
        return found

    def _bound(self, node: Node) -> Node:
        """The node with variables of loops that have no closed form computed up to the iteration
        that the counters say."""
        algebra = self.values.algebra
        loops = self.values.loops.loops
        for loop in sorted(self._loops_of(node), key=lambda each: -loops[each].depth):
            if self.values.varies(node, loop):
                node = algebra.final(loop, algebra.counter(loop), node)
        return node

    def _by_warp(
        self, data: Ints, known: Mask, taking: Mask | None, choice: _Choice
    ) -> WarpRows | None:
        """From work-items of a thread block to lanes of warps."""
        width = min(self.warp, self.size)
        exists = np.ones_like(data, np.bool_)
        left = -self.size % width
        if choice.whole and left and self.full_only:
            end = self.size - self.size % width
            data, known, exists = data[:, :end], known[:, :end], exists[:, :end]
            taking = None if taking is None else taking[:, :end]
        elif left:
            pad = ((0, 0), (0, left))
            data, known = np.pad(data, pad, mode="edge"), np.pad(known, pad, mode="edge")
            exists = np.pad(exists, pad)
            taking = None if taking is None else np.pad(taking, pad)
        rows = data.reshape(-1, width)
        active = exists.reshape(-1, width)
        sure = known.reshape(-1, width)
        kept = np.ones(len(rows), np.bool_)
        if taking is not None:
            wanted = taking.reshape(-1, width) & active
            kept = wanted.any(axis=1)
            active = active if choice.every_lane else wanted
        fine = (sure | ~active).all(axis=1)
        missing = bool((kept & ~fine).any())
        kept &= fine
        if missing and not kept.any():
            return None
        return _merged(rows[kept], active[kept], missing, choice)


@dataclass(frozen=True, slots=True)
class _Choice:
    """See :meth:`Warps.rows`."""

    whole: bool
    every_lane: bool
    period: int | None
    sampled: bool


def _merged(rows: Ints, active: Mask, missing: bool, choice: _Choice) -> WarpRows:
    """Equal rows once each."""
    if choice.period is not None and len(rows):
        least = np.where(active, rows, np.iinfo(np.int64).max).min(axis=1)
        rows = rows - (least & -choice.period)[:, None]
    rows = np.where(active, rows, 0)
    everyone = bool(active.all())
    if choice.period is None:
        own = np.ones(len(rows), np.int64)
        return WarpRows(rows, None if everyone else active, own, missing, choice.sampled)
    first, weights = _distinct(rows, active)
    lanes = None if everyone else active[first]
    return WarpRows(rows[first], lanes, weights, missing, choice.sampled)


def _distinct(rows: Ints, active: Mask) -> tuple[Ints, Ints]:
    """Of equal rows the place of the first, and their number: found by a hash, which is checked."""
    width, bits = rows.shape[1], np.packbits(active, axis=1)
    factors = np.arange(1, width + bits.shape[1] + 1, dtype=np.uint64) * _HASH
    left, right = factors[:width], factors[width:]
    hashes = ((rows.view(np.uint64) ^ left) * left).sum(axis=1)
    hashes += (bits * right).sum(axis=1)
    hashes ^= hashes >> np.uint64(29)
    _, first, own, weights = np.unique(
        hashes, return_index=True, return_inverse=True, return_counts=True
    )
    same = (rows == rows[first[own]]) & (active == active[first[own]])
    if not same.all():
        keys = np.concatenate([rows, active.astype(np.int64)], axis=1)
        _, first, weights = np.unique(keys, axis=0, return_index=True, return_counts=True)
    return first.astype(np.int64), weights.astype(np.int64)


def _sampled(extents: list[int], most: int) -> tuple[list[Ints], bool]:
    """Numbers below each of some extents, the first and the last among them, so that there are no
    more combinations than ``most``, and whether they are a sample."""
    kept = list(extents)
    while math.prod(kept) > most and max(kept, default=1) > 2:
        largest = kept.index(max(kept))
        kept[largest] = max(kept[largest] // 2, 2)
    axes = [
        unique_values(np.linspace(0, extent - 1, some).astype(np.int64))
        for extent, some in zip(extents, kept, strict=True)
    ]
    return axes, kept != extents


def as_terms(node: Node) -> list[tuple[Node, int]]:
    """A sum's terms and their coefficients, its constant left out."""
    if isinstance(node, Number):
        return []
    return list(node.terms) if isinstance(node, Sum) else [(node, 1)]


def is_number_of(node: Node, kinds: frozenset[SymbolKind]) -> bool:
    """Whether a node is a symbol of one of some kinds, as an i64."""
    return isinstance(node, Symbol) and node.kind in kinds and node.type == I64

"""The values of one warp where it stands: evaluated for some iterations ahead at a time.

A *window* is some consecutive iterations of a loop, in all lanes, while the loops around it stand
still. Each value that is asked for is evaluated for a whole window at once: a *sheet*, one row of
lanes per iteration. Lanes may stand in different iterations. Variables of loops without a closed
form are carried along, one iteration after another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.frontend.ir.types import I1, IntTy
from kcc.passes.symbolic import semantics
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.evaluate import Evaluated, Evaluator
from kcc.passes.symbolic.expr import Node, Recurrence
from kcc.passes.symbolic.lanes import Key, Lanes
from kcc.passes.symbolic.reasons import everything, needs_a_run
from kcc.tracegen.static.growths import Growths
from kcc.tracegen.static.limits import Gathered, Ints, Limit
from kcc.tracegen.static.shifts import Shifts

FIRST_ITERATIONS = 8
MOST_ITERATIONS = 512
"""Of a window: numpy takes as long for 8 rows of 32 lanes as for one, and twice that for 32."""


@dataclass(slots=True, eq=False)
class Sheet:
    """What one node is: a row per iteration of the window. ``truth`` has it as masks for a
    condition. ``used`` collects the lanes of each row that were looked at.
    """

    data: Ints
    known: list[int]
    truth: list[int] | None
    growth: Ints
    limits: list[Limit]
    used: list[int]


@dataclass(slots=True, eq=False)
class _Window:
    loop: int | None
    base: Ints
    rows: int
    evaluate: Evaluator
    shifts: Shifts
    single: bool
    sheets: dict[Node, Sheet] = field(default_factory=dict[Node, Sheet])
    version: int = -1
    place: int | None = 0
    """The row that all active lanes are in; None if they are in several."""
    places: Ints = field(default_factory=lambda: np.zeros(0, np.int64))


@dataclass(frozen=True, slots=True)
class Reading:
    """A node for the active lanes: its values, the lanes in which they are known, how it grows
    (one row, or one per lane); for a condition the lanes in which it holds."""

    data: Ints
    known: int
    growth: Ints
    truth: int


class Variables:
    """The variables without closed form that conditions and addresses of a kernel need, by loop."""

    def __init__(self, values: SymbolicValues, roots: Iterable[Node]) -> None:
        self.values = values
        self.of_loop: dict[int, list[Recurrence]] = {}
        self._of_node: dict[Node, bool] = {}
        for root in dict.fromkeys(roots):
            for each in everything(values, root):
                if isinstance(each, Recurrence) and not needs_a_run(values, each):
                    own = self.of_loop.setdefault(each.loop, [])
                    if each not in own:
                        own.append(each)

    def needs(self, node: Node) -> bool:
        """Whether a node depends on such variables."""
        found = self._of_node.get(node)
        if found is None:
            found = any(isinstance(e, Recurrence) for e in everything(self.values, node))
            self._of_node[node] = found
        return found


class WarpValues:
    """What the values of a kernel are for one warp, as it goes along.

    ``symbols`` are those of the launch and of the lanes.
    """

    def __init__(
        self,
        growths: Growths,
        variables: Variables,
        template: Evaluator,
        symbols: Mapping[Key, NDArray[np.int64]],
        gathered: Gathered,
    ) -> None:
        self.growths, self.values = growths, growths.values
        self.width = growths.geometry.width
        self._variables, self._template = variables, template
        self._symbols, self._gathered = symbols, gathered
        loops = self.values.loops.loops
        self._inside = {loop.id: _descendants(self.values, loop.id) for loop in loops}
        self.counters = {loop.id: np.zeros(self.width, np.int64) for loop in loops}
        self._states: dict[Recurrence, Evaluated] = {}
        self._windows: dict[tuple[int | None, bool], _Window] = {}
        self._expected = {loop.id: FIRST_ITERATIONS for loop in loops}
        self._routes: dict[tuple[Node, tuple[int, ...]], tuple[int | None, bool]] = {}
        self.mask, self.active = 0, np.zeros(self.width, np.bool_)
        self.sheets = 0
        """How many were made."""
        self._version = 0
        self._arrays: dict[int, NDArray[np.bool_]] = {}

    # where the warp stands

    def stand(self, mask: int) -> None:
        """These lanes are active from now on."""
        if mask != self.mask:
            self.mask, self.active = mask, self.lanes_of(mask)
            self._version += 1

    def lanes_of(self, mask: int) -> NDArray[np.bool_]:
        """A mask as an array."""
        found = self._arrays.get(mask)
        if found is None:
            found = np.array([mask >> i & 1 for i in range(self.width)], np.bool_)
            self._arrays[mask] = found
        return found

    def enter(self, loop: int, lanes: int, chain: tuple[int, ...]) -> None:
        """Lanes come to a loop from outside; ``chain`` are the loops around the loop."""
        news = {
            each: self._read(self._values_of(each, start=True), chain)
            for each in self._variables.of_loop.get(loop, ())
        }
        own = self.lanes_of(lanes)
        self._expected[loop] = min(
            max(int(self.counters[loop][own].max()) + 2, FIRST_ITERATIONS), MOST_ITERATIONS
        )
        self._move(loop, np.where(own, 0, self.counters[loop]), news, own)
        window = self._windows.pop((loop, False), None)
        if window is not None:
            self._retire(window)

    def repeat(self, loop: int, lanes: int, chain: tuple[int, ...]) -> None:
        """Lanes take a back edge of a loop; ``chain`` includes it."""
        news = {
            each: self._read(self._values_of(each, start=False), chain)
            for each in self._variables.of_loop.get(loop, ())
        }
        own = self.lanes_of(lanes)
        self._move(loop, self.counters[loop] + own, news, own)

    def _values_of(self, variable: Recurrence, *, start: bool) -> Node:
        found = self.values.variable(variable)
        return found.start if start else found.step

    def _move(
        self, loop: int, counter: Ints, news: dict[Recurrence, Evaluated], lanes: NDArray[np.bool_]
    ) -> None:
        for each, value in news.items():
            self._states[each] = _merged(self._states.get(each), value, lanes, self.width)
        self.counters[loop] = counter
        self._version += 1
        for key in [(inner, s) for inner in self._inside[loop] for s in (False, True)]:
            window = self._windows.pop(key, None)
            if window is not None:
                self._retire(window)
        single = self._windows.pop((loop, True), None)
        if single is not None:
            self._retire(single)

    # values

    def read(self, node: Node, chain: tuple[int, ...]) -> Reading:
        """A node for the active lanes; ``chain`` are the loops around, outermost first."""
        window = self._window_for(node, chain)
        sheet = self._sheet(window, node)
        if window.place is not None:
            row = window.place
            sheet.used[row] |= self.mask
            growth = sheet.growth
            if len(growth) > 1:
                growth = growth[row * self.width : (row + 1) * self.width]
            truth = sheet.truth[row] if sheet.truth is not None else 0
            return Reading(sheet.data[row], sheet.known[row], growth, truth)
        return self._ragged(window, sheet)

    def _ragged(self, window: _Window, sheet: Sheet) -> Reading:
        """The same where lanes are in different iterations."""
        lanes = np.arange(self.width)
        places = np.where(self.active, window.places, 0)
        known, truth = 0, 0
        for row in map(int, np.unique(places[self.active])):
            own = self.active & (places == row)
            (mask,) = masks_of(own[None])
            sheet.used[row] |= mask
            known |= sheet.known[row] & mask
            if sheet.truth is not None:
                truth |= sheet.truth[row] & mask
        growth = sheet.growth
        if len(growth) > 1:
            growth = growth[places * self.width + lanes]
        return Reading(sheet.data[places, lanes], known, growth, truth)

    def _read(self, node: Node, chain: tuple[int, ...]) -> Evaluated:
        """A node as evaluated, for all lanes, of a single iteration."""
        window = self._window(chain[-1] if chain else None, single=True)
        return window.evaluate(node)

    def _window_for(self, node: Node, chain: tuple[int, ...]) -> _Window:
        route = self._routes.get((node, chain))
        if route is None:
            varying = self.values.varying(node)
            inner = [loop for loop in chain if loop in varying]
            single = self._variables.needs(node)
            if single:
                route = (chain[-1] if chain else None), True
            else:
                route = (inner[-1] if inner else None), False
            self._routes[node, chain] = route
        return self._window(route[0], single=route[1])

    def _window(self, loop: int | None, *, single: bool) -> _Window:
        key = (loop, single)
        window = self._windows.get(key)
        if window is not None and (window.version == self._version or self._place(window)):
            return window
        if window is not None:
            self._retire(window)
        rows = 1
        if loop is not None and not single:
            rows = self._expected[loop]
            if window is not None:
                rows = min(2 * window.rows, MOST_ITERATIONS)
        window = self._windows[key] = self._new(loop, rows, single=single)
        placed = self._place(window)
        assert placed
        return window

    def _place(self, window: _Window) -> bool:
        """Find the rows in which the active lanes are; whether they are in the window."""
        window.version = self._version
        if window.loop is None or window.single:
            window.place = 0
            return True
        places = self.counters[window.loop] - window.base
        own = places[self.active]
        low, high = int(own.min()), int(own.max())
        if low < 0 or high >= window.rows:
            return False
        window.place = low if low == high else None
        window.places = places
        return True

    def _new(self, loop: int | None, rows: int, *, single: bool) -> _Window:
        symbols = {
            key: np.tile(column, rows) if len(column) > 1 and rows > 1 else column
            for key, column in self._symbols.items()
        }
        lanes = Lanes(rows * self.width, symbols)
        counters: dict[int, Ints | int] = {}
        for each, counter in self.counters.items():
            counters[each] = np.tile(counter, rows) if rows > 1 else counter
        base = np.zeros(self.width, np.int64)
        if loop is not None and not single:
            least = int(self.counters[loop][self.active].min())
            base = np.full(self.width, least)
            counters[loop] = np.repeat(np.arange(least, least + rows), self.width)
        evaluate = self._template.again(lanes.at(counters))
        if single:
            for variable, state in self._states.items():
                evaluate.preset(variable, state)
        shifts = Shifts(self.growths, evaluate)
        return _Window(loop, base, rows, evaluate, shifts, single)

    def _sheet(self, window: _Window, node: Node) -> Sheet:
        sheet = window.sheets.get(node)
        if sheet is None:
            found, count = window.evaluate(node), window.rows * self.width
            shape = window.rows, self.width
            known = masks_of(found.is_known(count).reshape(shape))
            truth = None
            if node.type == I1:
                data = found.rows(count).astype(np.int64)
                truth = masks_of((data != 0).reshape(shape))
            else:
                assert isinstance(node.type, IntTy)
                data = semantics.signed(found.rows(count), node.type.bits)
            growth, limits = self.growths.none, list[Limit]()
            if self.growths.moves(node):
                growth, limits = window.shifts.of(node), window.shifts.limits(node)
            sheet = Sheet(data.reshape(shape), known, truth, growth, limits, [0] * window.rows)
            window.sheets[node] = sheet
            self.sheets += 1
        return sheet

    # limits

    def finish(self) -> None:
        """The warp has ended: put down the limits of all that was looked at."""
        for window in self._windows.values():
            self._retire(window)
        self._windows.clear()

    def _retire(self, window: _Window) -> None:
        for sheet in window.sheets.values():
            if not sheet.limits:
                continue
            used = np.concatenate([self.lanes_of(mask) for mask in sheet.used])
            for limit in sheet.limits:
                self._gathered.add(limit, used)


def _merged(
    old: Evaluated | None, new: Evaluated, lanes: NDArray[np.bool_], width: int
) -> Evaluated:
    data, known = new.rows(width), new.is_known(width)
    if old is not None:
        data = np.where(lanes, data, old.rows(width))
        known = np.where(lanes, known, old.is_known(width))
    return Evaluated(data, None if known.all() else known)


def masks_of(rows: NDArray[np.bool_]) -> list[int]:
    """Each row of lanes as a mask."""
    packed = np.packbits(rows, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


def _descendants(values: SymbolicValues, loop: int) -> Sequence[int]:
    found, pending = list[int](), list(values.loops.loops[loop].children)
    while pending:
        each = pending.pop()
        found.append(each)
        pending += values.loops.loops[each].children
    return found

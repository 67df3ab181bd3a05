"""One warp, from the start of a kernel to its end.

This is Wang et al., section III-B, algorithm 1: candidate blocks are appended to the trace one
after another; algorithm 2 marks what is a branch miss (here: lanes whose mask is 0) by warp
(lines 15 and 16) and by iteration of loops (line 17); algorithm 3 chooses the successor: along a
back edge while the loop is not visited over (lines 1 to 15), else along another edge, of which the
remaining ones go to the node stack (lines 16 to 36), else from the node stack (lines 37 to 39).

The text keeps a block name in the node stack and visits both sides of each branch of a warp; here
an entry has the lanes as well, and where they meet others, as the engine has it
(:mod:`kcc.tracegen.simt.warp`): so masks and order are those of a run.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.tracegen.simt.analysis import EXIT
from kcc.tracegen.simt.plan import Object
from kcc.tracegen.static.dealing import Dealer
from kcc.tracegen.static.decisions import Decider
from kcc.tracegen.static.limits import Gathered, Ints
from kcc.tracegen.static.program import StaticProgram, Stop, Touch
from kcc.tracegen.static.record import Recorder
from kcc.tracegen.static.regions import Limits, Place
from kcc.tracegen.static.scatter import Lanes, Loose, in_parts, place, scatter
from kcc.tracegen.static.windows import WarpValues

NOWHERE = -2
"""No block: neither one nor the end of the kernel."""

SHEET_STEPS, SCATTER_STEPS = 5, 3
"""Blocks of the program that a sheet of values (:mod:`kcc.tracegen.static.windows`) and an access
whose addresses are put down at random count as: 20 us a block, 0.1 ms a sheet and an access
(mutants of kernels in which memory decides)."""

STEP_WORK = 1_000
"""Operations on elements of evaluations (:mod:`kcc.passes.symbolic.evaluate`) that count as one."""

SALT = 1009
"""Accesses between what two warps scatter: a prime, so that they do not fall in step."""


@dataclass(slots=True)
class _Entry:
    """Lanes on the node stack: where they go on and meet others; whether that they are there is
    assumed, and at which block that is over."""

    block: int
    mask: int
    reconvergence: int
    doubt: bool
    release: int


class WarpTracer:
    """Walks one warp; the trace is in ``record``, the limits of its class in ``limits``."""

    def __init__(
        self, program: StaticProgram, place: Place, limits: Limits, dealer: Dealer
    ) -> None:
        self.program, self.limits = program, limits
        self.record = Recorder(program.tables, program.kernel.name)
        self._gathered = Gathered(limits)
        lanes, exists = program.geometry.lanes(place)
        self.values = WarpValues(
            program.growths,
            program.variables,
            program.template,
            {**program.symbols, **lanes},
            self._gathered,
        )
        self.decider, self._dealer = Decider(program, dealer), dealer
        self._mask = int(sum(1 << i for i in np.flatnonzero(exists).tolist()))
        self._block, self._reconvergence = 0, NOWHERE
        self._doubt, self._release = False, NOWHERE
        self._stack = list[_Entry]()
        linear = zip(program.geometry.linear, place, strict=True)
        self._number = sum(weight * number for weight, number in linear)
        self._scatters, self._taken = 0, program.template.taken

    def run(self) -> None:
        """To the end of the kernel."""
        stops = self.program.stops
        while self._block != EXIT or self._stack:
            if self._block in (EXIT, self._reconvergence):
                self._pop()
                continue
            if self._block == self._release:
                self._doubt, self._release = False, NOWHERE
            self.values.stand(self._mask)
            stop = stops[self._block]
            self._execute(stop)
            self._leave(stop)
            work = self.program.template.taken - self._taken
            self.record.check(
                SHEET_STEPS * self.values.sheets + SCATTER_STEPS * self._scatters
                + work // STEP_WORK
            )  # fmt: skip
        self.values.finish()

    def _pop(self) -> None:
        entry = self._stack.pop()
        self._block, self._mask, self._reconvergence = entry.block, entry.mask, entry.reconvergence
        self._doubt, self._release = entry.doubt, entry.release

    def _execute(self, stop: Stop) -> None:
        for number, touches in stop.segments:
            self.record.segment(number, self._mask, len(touches), assumed=self._doubt)
            for touch in touches:
                self._touch(touch, stop.chain)

    def _touch(self, touch: Touch, chain: tuple[int, ...]) -> None:
        found = self.values.read(touch.address, chain)
        unknown = self._mask & ~found.known
        addresses, growth = found.data, found.growth
        if unknown:
            line = self.program.tables.instructions[
                self.program.tables.accesses[touch.number].instruction
            ].line
            self.decider.notes[line, "random addresses in the array"] = None
            loose = self.values.lanes_of(unknown)
            self._scatters += 1
            here, spread = self._scattered(touch, loose, chain)
            addresses = np.where(loose, here, addresses)
            growth = np.where(loose[:, None], spread, growth)
        assumed = self._doubt or unknown != 0
        self.record.access(touch.number, addresses, self._row(growth), assumed=assumed)

    def _scattered(
        self, touch: Touch, unknown: NDArray[np.bool_], chain: tuple[int, ...]
    ) -> tuple[Ints, Ints]:
        """Addresses for lanes in which they are not known, and how they grow."""
        program, width = self.program, self.program.geometry.width
        if touch.inside is None:
            return np.zeros(width, np.int64), program.growths.none
        parts = np.arange(width)
        sectors = program.observed and program.observed.sectors.get(touch.number)
        if sectors:
            (count,) = self._dealer.draw(("sectors", touch.number), sectors)
            parts = in_parts(unknown, count)
        seed = (self.record.accesses + self._number * SALT) * width
        if touch.loose is not None and not sectors:
            placed = self._placed(touch, touch.loose, touch.inside, chain, seed + parts)
            if placed is not None:
                return placed
        return scatter(
            touch.inside, touch.element_bytes, program.geometry, self._number, seed, parts
        )

    def _placed(
        self, touch: Touch, loose: Loose, array: Object, chain: tuple[int, ...], drawn: Ints
    ) -> tuple[Ints, Ints] | None:
        """The same where what is not known moves what is: what lanes read from one address is the
        same for them."""
        known = self.values.read(loose.known, chain)
        if self._mask & ~known.known:
            return None
        redrawn = np.ones(self.program.geometry.count, np.bool_)
        read = [self.values.read(each, chain) for each in loose.read_at]
        if read and not any(self._mask & ~each.known for each in read):
            drawn = sum((each.data * (2 * n + 1) for n, each in enumerate(read)), 0 * drawn)
            redrawn = np.any([(each.growth != 0).any(axis=0) for each in read], axis=0)
        active = self.values.lanes_of(self._mask)
        first = int(np.argmax(active))
        bytes_in = np.where(active, known.data, known.data[first]) - array.address
        grows = known.growth
        if len(grows) > 1:
            grows = np.where(active[:, None], grows, grows[first])
        return place(
            array, touch.element_bytes, self.program.geometry, self._number, loose,
            Lanes(bytes_in, grows, drawn, redrawn),
        )  # fmt: skip

    def _row(self, growth: Ints) -> int:
        """The number of the row of bytes per step of each coordinate: of one for all lanes, or of
        one for each where they differ."""
        if len(growth) > 1:
            active = self.values.lanes_of(self._mask)
            first = growth[int(np.argmax(active))]
            growth = np.where(active[:, None], growth, first)
            if (growth == first).all():
                growth = growth[:1]
        return self.record.row(growth)

    # leaving a block

    def _leave(self, stop: Stop) -> None:
        if not stop.ways.targets:
            self._block = EXIT
            return
        if stop.ways.condition is None:
            self._go(stop.ways.targets[0], self._mask)
            return
        found = self.values.read(stop.ways.condition, stop.chain)
        if stop.ways.cases:
            self._keep(found.growth, self._mask & found.known)
        masks, assumed = self.decider.decide(
            self._block, stop, found, self._mask, self.values.counters
        )
        for target, lanes in zip(stop.ways.targets, masks, strict=True):
            if lanes == self._mask:
                if assumed and not self._doubt:
                    self._doubt, self._release = True, stop.reconvergence
                self._go(target, lanes)
                return
        self._part(stop, masks, assumed=assumed)

    def _keep(self, growth: Ints, lanes: int) -> None:
        """What a switch looks at must stay as it is."""
        if lanes and growth.any():
            rows = growth if len(growth) == 1 else growth[self.values.lanes_of(lanes)]
            for key in np.unique(rows, axis=0).tolist():
                self.limits.require(tuple(key), 0, 0)

    def _go(self, target: int, lanes: int) -> None:
        self._follow(self._block, target, lanes)
        self._block = target

    def _follow(self, source: int, target: int, lanes: int) -> None:
        """Lanes take an edge: loops begin, or go on."""
        stops, loops = self.program.stops, self.program.values.loops.loops
        chain = stops[target].chain
        if chain and loops[chain[-1]].header == target:
            if chain[-1] in stops[source].chain:
                self.values.repeat(chain[-1], lanes, chain)
            else:
                self.values.enter(chain[-1], lanes, chain[:-1])
                self.decider.enter(chain[-1], lanes)

    def _part(self, stop: Stop, masks: list[int], *, assumed: bool) -> None:
        """The warp diverges, the first lanes first."""
        source, reconvergence = self._block, stop.reconvergence
        ways = list(zip(stop.ways.targets, masks, strict=True))
        for target, lanes in ways:
            if lanes:
                self._follow(source, target, lanes)
        if reconvergence not in (EXIT, self._reconvergence):
            self._push(reconvergence, self._mask, self._reconvergence, self._doubt, self._release)
        doubt = self._doubt or assumed
        inner = [(target, lanes) for target, lanes in ways if target != reconvergence]
        for target, lanes in reversed(inner):
            if lanes:
                self._push(target, lanes, reconvergence, doubt, NOWHERE)
        self._pop()

    def _push(self, block: int, mask: int, reconvergence: int, doubt: bool, release: int) -> None:
        self._stack.append(_Entry(block, mask, reconvergence, doubt, release))

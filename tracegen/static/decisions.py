"""Which way lanes go: what is known is so, for the rest there are rules.

Rules, in this order (Wang et al., section III-B.1, takes every branch that memory decides): what
``--assume`` says of the branch's line; what a profile has observed; a loop goes on as long as
another way out of it is known, else for as many iterations as ``--assume`` says of its line, else
one; of a branch around code the code is executed; of two sides lanes with even numbers take the
first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from kcc.passes.graph.loops import Loop
from kcc.tracegen.static.dealing import Dealer, lanes_in
from kcc.tracegen.static.limits import Ints
from kcc.tracegen.static.observed import Draws, Observed
from kcc.tracegen.static.program import StaticProgram, Stop
from kcc.tracegen.static.windows import Reading, masks_of

ASSUMED_TRIPS = 1
"""Of a loop of which nothing is known: the least with which its body is in the trace."""

EVEN_LANES = 0x5555_5555_5555_5555


class Decider:
    """Decides for one warp; keeps what shares of lanes have been dealt out. What a profile has
    observed is dealt out over all warps by the ``dealer``."""

    def __init__(self, program: StaticProgram, dealer: Dealer) -> None:
        self._program, self._dealer = program, dealer
        self._drawn: dict[int, int] = {}
        self._trips_of: dict[int, Ints] = {}
        self._dealt: dict[int, tuple[int, int]] = {}
        self._undecided: dict[int, set[int]] = {}
        self.notes: dict[tuple[int, str], None] = {}
        """Lines with what was assumed there."""
        self.used = set[str]()
        """What of the user's assumptions was needed: ``loop@LINE``, ``branch@LINE``."""

    def decide(
        self, block: int, stop: Stop, found: Reading, mask: int, counters: Mapping[int, Ints]
    ) -> tuple[list[int], bool]:
        """The lanes for each target of a block, and whether any of it is assumed."""
        unknown = mask & ~found.known
        if not stop.divergent and mask & found.known:
            unknown = 0
        count = len(stop.ways.targets)
        masks = [0] * count
        sure = mask & ~unknown
        if sure:
            masks = self._known(stop, found, sure)
            if not stop.divergent:
                masks = [mask if lanes & -lanes == sure & -sure else 0 for lanes in masks]
        if unknown:
            guessed = self._guess(block, stop, unknown, counters)
            masks = [a | b for a, b in zip(masks, guessed, strict=True)]
        return masks, unknown != 0

    def _known(self, stop: Stop, found: Reading, lanes: int) -> list[int]:
        if not stop.ways.cases:
            return [lanes & found.truth, lanes & ~found.truth]
        masks = [0] * len(stop.ways.targets)
        values = found.data.tolist()
        cases = dict(reversed(stop.ways.cases[:-1]))
        default = stop.ways.cases[-1][1]
        for lane, value in enumerate(values):
            if lanes >> lane & 1:
                masks[cases.get(value, default)] |= 1 << lane
        return masks

    def _guess(self, block: int, stop: Stop, lanes: int, counters: Mapping[int, Ints]) -> list[int]:
        """Lanes of which it is not known where they go."""
        targets, assumed = stop.ways.targets, self._program.assumptions
        if stop.ways.line in assumed.branches:
            given = assumed.branches[stop.ways.line]
            self.used.add(f"branch@{stop.ways.line}")
            self._note(stop, f"true for {given:g} of the lanes, as given")
            share = self._dealt_out(block, stop, lanes, given)
            other = -1 if stop.ways.true == 0 else 0
            masks = [0] * len(targets)
            masks[stop.ways.true], masks[other] = share, lanes & ~share
            return masks
        observed = self._as_observed(block, stop, lanes, counters)
        if observed is not None:
            return observed
        staying = self._staying(block, stop, lanes, counters)
        if staying is not None:
            return staying
        if stop.reconvergence in targets and len(targets) == 2:
            self._note(stop, "taken by all lanes")
            return [0 if target == stop.reconvergence else lanes for target in targets]
        if not stop.divergent:
            self._note(stop, "the first side is taken")
            return [lanes, *[0] * (len(targets) - 1)]
        self._note(stop, "all sides are taken, by lanes in turn")
        if len(targets) == 2:
            return [lanes & EVEN_LANES, lanes & ~EVEN_LANES]
        masks = [0] * len(targets)
        for lane in range(self._program.geometry.width):
            if lanes >> lane & 1:
                masks[lane % len(targets)] |= 1 << lane
        return masks

    def enter(self, loop: int, lanes: int) -> None:
        """Lanes come to a loop from outside: they draw again how long they stay."""
        self._drawn[loop] = self._drawn.get(loop, 0) & ~lanes

    def _as_observed(
        self, block: int, stop: Stop, lanes: int, counters: Mapping[int, Ints]
    ) -> list[int] | None:
        """As a profile has it; None where it says nothing, or the user says it of the loop."""
        observed = self._program.observed
        if observed is None:
            return None
        number, inside = self._left_here(stop)
        if number is not None:
            loop = self._program.values.loops.loops[number]
            if loop.line in self._program.assumptions.loops:
                return None
            draws = observed.trips.get(loop.header)
            if draws is not None:
                self._note(stop, f"{draws.mean:.3g} iterations, as in the profile")
                left = self._drawn_trips(draws, number, lanes, counters[number])
                leave = self._leaving(observed, block, loop, left)
                return _split(inside, lanes & ~leave, leave)
        ways = [observed.ways.get((block, target)) for target in stop.ways.targets]
        known = [way for way in ways if way is not None]
        if len(known) < len(ways):
            return None
        share = known[stop.ways.true].share
        self._note(stop, f"true for {share:.3g} of the lanes, as in the profile")
        if stop.divergent:
            return self._dealer.lanes(block, known, lanes)
        chosen = self._dealer.choose(block, [way.share for way in known])
        return [lanes if place == chosen else 0 for place in range(len(ways))]

    def _drawn_trips(self, draws: Draws, number: int, lanes: int, counter: Ints) -> Ints:
        """How many more iterations of a loop each lane does, by what it drew when it entered it."""
        trips = self._trips_of.setdefault(number, np.zeros(len(counter), np.int64))
        new = lanes_in(lanes & ~self._drawn.get(number, 0))
        groups = min(draws.groups, len(new))
        drawn = self._dealer.draw(number, draws, groups) if new else []
        for place, lane in enumerate(new):
            trips[lane] = drawn[place * groups // len(new)]
        self._drawn[number] = self._drawn.get(number, 0) | lanes
        left = trips - 1 - counter
        return np.where(self._lanes_of(lanes), left, 1)

    def _leaving(self, observed: Observed, block: int, loop: Loop, left: Ints) -> int:
        """The lanes that leave a loop at a block in their last iteration; of several ways out each
        has its share. At the latest they leave one iteration later."""
        (last, late) = masks_of(np.stack([left == 0, left < 0]))
        exits = {
            each: sum(
                observed.lanes.get((each, target), 0)
                for target in self._program.stops[each].ways.targets
                if target not in loop.blocks
            )
            for each in loop.exiting
            if each >= block
        }
        share = exits.get(block, 0) / max(sum(exits.values()), 1)
        if share == 1:
            return last | late
        chosen = [
            lane
            for lane in lanes_in(last)
            if self._dealer.choose((block, "leave"), (share, 1 - share)) == 0
        ]
        return late | sum(1 << lane for lane in chosen)

    def _lanes_of(self, mask: int) -> NDArray[np.bool_]:
        width = self._program.geometry.width
        return np.array([mask >> lane & 1 for lane in range(width)], np.bool_)

    def _dealt_out(self, block: int, stop: Stop, lanes: int, share: float) -> int:
        """A share of lanes, such that over all executions it is as near as can be."""
        seen, taken = self._dealt.get(block, (0, 0))
        seen += lanes.bit_count() if stop.divergent else 1
        wanted = math.floor(seen * share + 0.5) - taken
        self._dealt[block] = seen, taken + wanted
        if not stop.divergent:
            return lanes if wanted else 0
        found = 0
        for lane in range(self._program.geometry.width):
            if lanes >> lane & 1 and wanted:
                found |= 1 << lane
                wanted -= 1
        return found

    def _staying(
        self, block: int, stop: Stop, lanes: int, counters: Mapping[int, Ints]
    ) -> list[int] | None:
        """At a way out of a loop; None elsewhere."""
        number, inside = self._left_here(stop)
        if number is None:
            return None
        undecided = self._undecided.setdefault(number, set())
        undecided.add(block)
        stay = lanes
        if undecided >= set(self._program.values.loops.loops[number].exiting):
            stay = self._trips(stop, block, number, lanes, counters[number])
        else:
            self._note(stop, "the loop is not left here")
        return _split(inside, stay, lanes & ~stay)

    def _left_here(self, stop: Stop) -> tuple[int | None, list[bool]]:
        """The innermost loop that some ways lead out of and others do not, and which stay."""
        for number in reversed(stop.chain):
            blocks = self._program.values.loops.loops[number].blocks
            inside = [target in blocks for target in stop.ways.targets]
            if not all(inside):
                return (number if any(inside) else None), inside
        return None, []

    def _trips(self, stop: Stop, block: int, number: int, lanes: int, counter: Ints) -> int:
        """The lanes that have not come to the number of iterations assumed."""
        loop = self._program.values.loops.loops[number]
        trips = self._program.assumptions.loops.get(loop.line or 0, ASSUMED_TRIPS)
        self.used.add(f"loop@{loop.line}")
        times = "once" if trips == 1 else f"{trips} times"
        self._note(stop, f"the loop's body runs {times}")
        tested_first = block == loop.header and block not in loop.latches
        limit = trips if tested_first else trips - 1
        stay = 0
        for lane, count in enumerate(counter.tolist()):
            if lanes >> lane & 1 and count < limit:
                stay |= 1 << lane
        return stay

    def _note(self, stop: Stop, what: str) -> None:
        self.notes[stop.ways.line, what] = None


def _split(inside: list[bool], stay: int, leave: int) -> list[int]:
    """Lanes to the first target inside and the first outside."""
    masks = [0] * len(inside)
    masks[inside.index(True)] |= stay
    masks[inside.index(False)] |= leave
    return masks

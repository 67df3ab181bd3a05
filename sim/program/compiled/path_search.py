"""The path of a warp through machine code, from the segments of the trace that it executed.

The cheapest path, by Dijkstra's algorithm over pairs of a machine block and a place in the warp's
segments: a block takes the segments that it stands for where these are next; what it stands for
and is not next costs what that is to be believed, and so does a segment that no block takes.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from kcc.base.records import dataclass
from kcc.frontend.machine_code.graph import MachineGraph
from kcc.passes.graph.graphs import dominator_tree, transposed
from kcc.sim.program.compiled.lowering import WEAK
from kcc.sim.program.compiled.marks import Marks

AHEAD = 64
"""Segments that are looked ahead before half of the path there is taken: the search then takes time
in proportion to the path."""

SLOW_WAY = 1e-7
"""What an instruction costs beside a segment: decides only where the segments do not."""

GUARDED = 1e-3
"""What it costs that no lane executes what stands under a predicate."""

OTHER_SIDE = 1e-4
"""What it costs to go from one side of a branch to the other, as warps do that diverge."""


@dataclass(frozen=True, slots=True)
class Step:
    """A machine block that a warp executes. ``taken`` are the places, among its segments, of those
    that the block stands for."""

    block: int
    taken: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CodePath:
    """``misfit`` is what contradicts the code, as a share of what the segments are believed."""

    steps: tuple[Step, ...]
    misfit: float


_Place = tuple[int, int]
"""A machine block, and the place of the next segment."""


class PathSearch:
    """Finds the paths of a kernel's warps."""

    def __init__(self, graph: MachineGraph, marks: Marks) -> None:
        self.graph, self.marks = graph, marks
        self.successors = [list(own) for own in _followers(graph)]
        rows = graph.code.instructions
        self.lengths = [SLOW_WAY * (block.end - block.first) for block in graph.blocks]
        self.ends = [
            not after or rows[block.end - 1].opcode.startswith("EXIT")
            for block, after in zip(graph.blocks, self.successors, strict=True)
        ]

    def path(self, segments: Sequence[int]) -> CodePath | None:
        """The path of a warp that executed these; None where none ends."""
        weights = self.marks.weights
        places = [n for n, segment in enumerate(segments) if weights[segment]]
        events = [segments[n] for n in places]
        steps, off, at = list[Step](), 0.0, (0, 0)
        while True:
            found = self._search(events, at)
            if found is None:
                return None
            way, ended = found
            for last, (block, place, skips) in enumerate(way):
                if not ended and place - at[1] >= AHEAD // 2:
                    at = block, place
                    break
                if skips:
                    off += weights[events[place]]
                    continue
                taken, after, missed = self._taken(block, events, place)
                steps.append(Step(block, tuple(places[each] for each in taken)))
                off += missed
                if ended and last == len(way) - 1:
                    off += sum(weights[each] for each in events[after:])
            if ended:
                break
        whole = sum(weights[each] for each in events)
        return CodePath(tuple(steps), off / whole if whole else 0.0)

    def _search(
        self, events: Sequence[int], start: _Place
    ) -> tuple[list[tuple[int, int, bool]], bool] | None:
        """The cheapest path from a place to one that is far ahead, or to the end, and whether it is
        that: places, and whether the next segment is passed over there or the block executed."""
        weights = self.marks.weights
        best: dict[_Place, float] = {start: 0.0}
        before = dict[_Place, tuple[_Place, bool]]()
        heap: list[tuple[float, int, int]] = [(0.0, -start[1], start[0])]  # block or ~end
        while heap:
            cost, back, block = heapq.heappop(heap)
            place = -back
            if block < 0 or place - start[1] >= AHEAD:
                at = (~block if block < 0 else block), place
                way = [(*at, False)]
                while at in before:
                    at, skips = before[at]
                    way.append((*at, skips))
                return way[::-1], block < 0
            if cost > best[block, place]:
                continue
            _, after, missed = self._taken(block, events, place)
            ahead = cost + missed + self.lengths[block]
            if self.ends[block] and len(events) - after < AHEAD:
                left = sum(weights[each] for each in events[after:])
                heapq.heappush(heap, (ahead + left, back, ~block))
            nexts = [((way, after), ahead + extra, False) for way, extra in self.successors[block]]
            if place < len(events):
                nexts.append(((block, place + 1), cost + weights[events[place]], True))
            for to, price, skips in nexts:
                if price < best.get(to, float("inf")):
                    best[to], before[to] = price, ((block, place), skips)
                    heapq.heappush(heap, (price, -to[1], to[0]))
        return None

    def _taken(self, block: int, events: Sequence[int], place: int) -> tuple[list[int], int, float]:
        """The places of the next segments that a block stands for, the place after them, and what
        the others cost that it stands for, and those that are passed over as little believed."""
        needs, weights = self.marks.needs[block], self.marks.weights
        missing = {need.segment: need.count for need in needs}
        taken, at, cost = list[int](), place, 0.0
        passed, price = place, 0.0
        while missing and passed < len(events):
            segment = events[passed]
            passed += 1
            if missing.get(segment):
                missing[segment] -= 1
                taken.append(passed - 1)
                at, cost, price = passed, cost + price, 0.0
            elif weights[segment] > WEAK:
                break
            else:
                price += weights[segment]
        for need in needs:
            count = missing[need.segment]
            if count:
                each = GUARDED if need.guarded else self.marks.weights[need.segment]
                cost += count * min(each, self.marks.weights[need.segment])
        return taken, at, cost


def _followers(graph: MachineGraph) -> Iterator[list[tuple[int, float]]]:
    """The blocks that may follow each, with what that costs: those that control goes to, and after
    one side of a branch the other."""
    successors = _successors(graph)
    found: list[dict[int, float]] = [dict.fromkeys(own, 0.0) for own in successors]
    if not graph.code.is_amd:  # whose code has both sides one after another
        for sides, join in zip(successors, _joins(graph, successors), strict=True):
            for side in sides if len(sides) > 1 else ():
                inside = _between(successors, side, join)
                for last in inside:
                    after = successors[last]
                    if join in after or (join < 0 and not after):
                        for other in sides:
                            if other not in inside and other != join:
                                found[last].setdefault(other, OTHER_SIDE)
    return (list(own.items()) for own in found)


def _successors(graph: MachineGraph) -> list[list[int]]:
    """The blocks that control goes to from each: through functions that are called, and to where a
    call does not come back from, which is a jump."""
    found = [list(block.successors) for block in graph.blocks]
    for number, block in enumerate(graph.blocks):
        last = graph.code.instructions[block.end - 1]
        for entry in block.calls:
            returning = [
                each for each in _between([b.successors for b in graph.blocks], entry, -1)
                if graph.code.instructions[graph.blocks[each].end - 1].opcode.startswith("RET")
            ]  # fmt: skip
            for each in returning:
                found[each] += block.successors
            if returning and not last.predicate:
                found[number] = []
            found[number].append(entry)
    return [list(dict.fromkeys(own)) for own in found]


def _between(successors: Sequence[Sequence[int]], first: int, join: int) -> set[int]:
    """The blocks from one on that come before another."""
    found, left = set[int](), [first]
    while left:
        block = left.pop()
        if block != join and block not in found:
            found.add(block)
            left += successors[block]
    return found


def _joins(graph: MachineGraph, successors: Sequence[Sequence[int]]) -> list[int]:
    """By block, where all paths from it meet, -1 for the end."""
    end = len(graph.blocks)
    rows = [list(own) or [end] for own in successors]
    for number, block in enumerate(graph.blocks):
        if graph.code.instructions[block.end - 1].opcode.startswith("EXIT"):
            rows[number] = [*successors[number], end]
    parents = dominator_tree(transposed([*rows, []]), end).parents
    return [-1 if p is None or p == end else p for p in parents[:end]]

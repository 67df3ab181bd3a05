"""Gives values registers by a linear scan, so that what an instruction of a trace waits for is what
it depends on.

Lifetimes come from the liveness of values over blocks; a phi and the values it takes on share a
register where their lifetimes do not meet, elsewhere a move is added: at the end of the block
before, or, where that block has several successors, on the way. After Poletto and Sarkar, "Linear
Scan Register Allocation" (TOPLAS 1999); of the free registers the one that was free longest is
taken, so that few instructions wait for a register to be written twice.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable

from kcc.base.records import dataclass
from kcc.base.trace.tables import TraceTables
from kcc.sim.accelsim.lowering import Lowered, PhiValue

REGISTERS = 255
"""R0 to R254; R255 is RZ."""

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Move:
    """A value of a phi is made of another."""

    to: int
    of: int


@dataclass(frozen=True, slots=True)
class Allocation:
    """``register`` of each value. ``tails`` are the moves at the end of blocks, ``edges`` those on
    the way from one block to another, in the order in which they are right. ``words`` is how many
    32-bit registers are in use at most: values of 64 bits, which have one name here, take two.
    ``shared`` values got a register that was still needed: the kernel needs more than there
    are."""

    register: tuple[int, ...]
    tails: dict[int, tuple[Move, ...]]
    edges: dict[tuple[int, int], tuple[Move, ...]]
    words: int
    shared: int


def allocate(tables: TraceTables, lowered: Lowered) -> Allocation:
    """Registers of all values of a kernel."""
    ranges = _lifetimes(tables, lowered)
    groups = _Groups(ranges)
    moves = dict[tuple[int, int], list[Move]]()
    for phi in lowered.phis:
        for block, value in phi.incoming.items():
            if not groups.join(phi.value, value):
                moves.setdefault((block, phi.block), []).append(Move(phi.value, value))
    lifetimes = groups.lifetimes()
    of_group, count, shared = _scan(lifetimes)
    register = tuple(of_group[groups.root(v)] for v in range(len(lowered.words)))
    tails, edges = dict[int, tuple[Move, ...]](), dict[tuple[int, int], tuple[Move, ...]]()
    spare = count
    for (before, block), own in moves.items():
        ordered, needs_spare = _ordered(own, register, len(lowered.words))
        count = max(count, spare + needs_spare)
        if len(tables.blocks[before].successors) > 1:
            edges[before, block] = ordered
        else:
            tails[before] = ordered
    words = min(max(count, _most_words(lifetimes, lowered.words)), REGISTERS)
    return Allocation((*register, min(spare, REGISTERS - 1)), tails, edges, words, shared)


def _most_words(lifetimes: dict[int, Range], words: list[int]) -> int:
    """Registers in use at the place where they are most."""
    events = list[tuple[int, int, int]]()
    for value, (first, last) in lifetimes.items():
        events += [(first, 1, words[value]), (last, 0, -words[value])]
    most = now = 0
    for _, _, change in sorted(events):
        now += change
        most = max(most, now)
    return most


def _ordered(
    moves: list[Move], register: tuple[int, ...], spare: int
) -> tuple[tuple[Move, ...], bool]:
    """Moves that happen at once, one after another: none overwrites what a later one reads; a
    circle of them goes by the value ``spare``. Also whether that is needed."""
    waiting = [m for m in moves if register[m.to] != register[m.of]]
    found, needs_spare = list[Move](), False
    while waiting:
        read = [register[m.of] for m in waiting if m.of != spare]
        free = next((m for m in waiting if read.count(register[m.to]) == 0), None)
        if free is None:
            first = waiting[0]
            needs_spare = True
            found.append(Move(spare, first.of))
            waiting[0] = Move(first.to, spare)
            continue
        found.append(free)
        waiting.remove(free)
    return tuple(found), needs_spare


def _lifetimes(tables: TraceTables, lowered: Lowered) -> list[dict[int, Range]]:
    """Of each value, by block, the places from where it is made to where it is last read."""
    spans, made, used = _places(tables, lowered)
    phis = dict[int, list[PhiValue]]()
    for phi in lowered.phis:
        phis.setdefault(phi.block, []).append(phi)
    leaving = _leaving(tables, lowered.phis, made, used)
    found: list[dict[int, Range]] = [{} for _ in range(len(lowered.words))]
    for block, (start, end) in enumerate(spans):
        own_phis = {phi.value for phi in phis.get(block, ())}
        for value in made[block].keys() | used[block].keys() | leaving[block] | own_phis:
            is_made = value in made[block]
            first = made[block][value] if is_made else start
            last = end if value in leaving[block] else used[block].get(value, first)
            found[value][block] = (first, max(first, last))
    return found


def _places(
    tables: TraceTables, lowered: Lowered
) -> tuple[list[Range], list[dict[int, int]], list[dict[int, int]]]:
    """Where each block begins and ends; where in it values are made and last read. An instruction
    reads at an even place and writes after it, so that it may write what it read last."""
    blocks = len(tables.blocks)
    spans: list[Range] = [(0, 0)] * blocks
    made: list[dict[int, int]] = [{} for _ in range(blocks)]
    used: list[dict[int, int]] = [{} for _ in range(blocks)]
    place = 0
    for number, segment in enumerate(tables.segments):
        block = segment.block
        if number == tables.blocks[block].first_segment:
            spans[block] = (place, place)
            place += 2
        for draft in lowered.segments[number]:
            for value in draft.of:
                used[block][value] = place
            if draft.to >= 0:
                made[block][draft.to] = place + 1
            place += 2
        spans[block] = (spans[block][0], place)
        place += 2
    return spans, made, used


def _leaving(
    tables: TraceTables, phis: Iterable[PhiValue], made: list[dict[int, int]],
    used: list[dict[int, int]],
) -> list[set[int]]:  # fmt: skip
    """The values that are live at the end of each block."""
    blocks = len(tables.blocks)
    before: list[list[int]] = [[] for _ in range(blocks)]
    for number, block in enumerate(tables.blocks):
        for successor in block.successors:
            before[successor].append(number)
    leaving: list[set[int]] = [set() for _ in range(blocks)]
    entering = [set(own) - _made_first(own, made[n]) for n, own in enumerate(used)]
    for phi in phis:
        entering[phi.block].discard(phi.value)
        made[phi.block].setdefault(phi.value, -1)
        for block, value in phi.incoming.items():
            leaving[block].add(value)
    for number in range(blocks):
        entering[number] |= leaving[number] - made[number].keys()
    waiting = deque(range(blocks))
    while waiting:
        block = waiting.pop()
        for previous in before[block]:
            fresh = entering[block] - leaving[previous]
            if fresh:
                leaving[previous] |= fresh
                entering[previous] |= fresh - made[previous].keys()
                waiting.append(previous)
    for own in made:
        for value in [v for v, place in own.items() if place < 0]:
            del own[value]
    return leaving


def _made_first(used: dict[int, int], made: dict[int, int]) -> set[int]:
    """Values that a block makes; all its reads of them come later, but for those of phis."""
    return used.keys() & made.keys()


class _Groups:
    """Values that share a register, with where they live."""

    def __init__(self, ranges: list[dict[int, Range]]) -> None:
        self.parent = list(range(len(ranges)))
        self.ranges = [{block: [own] for block, own in each.items()} for each in ranges]  # of roots

    def root(self, value: int) -> int:
        while self.parent[value] != value:
            self.parent[value] = self.parent[self.parent[value]]
            value = self.parent[value]
        return value

    def join(self, first: int, second: int) -> bool:
        """Put two values together unless they live at the same time."""
        a, b = self.root(first), self.root(second)
        if a == b:
            return True
        if len(self.ranges[a]) < len(self.ranges[b]):
            a, b = b, a
        if any(
            _meet(own, other)
            for block, others in self.ranges[b].items()
            for own in self.ranges[a].get(block, ())
            for other in others
        ):
            return False
        for block, others in self.ranges[b].items():
            self.ranges[a].setdefault(block, []).extend(others)
        self.parent[b] = a
        return True

    def lifetimes(self) -> dict[int, Range]:
        """Of each group, from the first place to the last."""
        found = dict[int, Range]()
        for value, parent in enumerate(self.parent):
            if value == parent:
                own = [r for ranges in self.ranges[value].values() for r in ranges]
                first = min((r[0] for r in own), default=0)
                found[value] = (first, max((r[1] for r in own), default=first))
        return found


def _meet(a: Range, b: Range) -> bool:
    return (a[0] < b[1] and b[0] < a[1]) or a[0] == b[0]


def _scan(lifetimes: dict[int, Range]) -> tuple[dict[int, int], int, int]:
    """A register for each lifetime, their number, and how many took one that was in use."""
    register, active = dict[int, int](), list[tuple[int, int]]()
    free, count, shared = deque[int](), 0, 0
    for value, (first, last) in sorted(lifetimes.items(), key=lambda each: (each[1], each[0])):
        while active and active[0][0] < first:
            free.append(heapq.heappop(active)[1])
        if free:
            own = free.popleft()
        elif count < REGISTERS:
            own, count = count, count + 1
        else:
            shared += 1
            own = heapq.heappop(active)[1]
        register[value] = own
        heapq.heappush(active, (last, own))
    return register, count, shared

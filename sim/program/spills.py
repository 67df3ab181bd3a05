"""What does not fit the registers: which values leave them for memory, and when they come back.

Whenever there is no room, the value that is wanted last leaves (Belady, IBM Systems Journal 5(2),
1966), to be read back at each use that finds it away, as allocators that split live ranges do; it
is written only if memory does not hold it yet. What was loaded from shared memory, and not stored
to since, is loaded from there again: where sums and tiles of convolutions take more than 255
registers, a 2080 Ti counts more shared loads, hardly any of local memory. A loop is looked at once
it has settled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from heapq import heappop, heappush

from kcc.base.records import dataclass
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import Unit
from kcc.sim.program.operations import MachineOperation, Memory

AHEAD = 24
"""Operations before its use at which a value is asked back, as long as L1 takes to give it."""

_NEVER = 1 << 60


@dataclass(frozen=True, slots=True)
class Spilled:
    """A block with what comes and goes, and how many words of memory that takes."""

    block: tuple[int, ...]
    words: int


def with_spills(
    rows: list[MachineOperation], part: Sequence[int], words: Sequence[int],
    live_out: frozenset[int], room: int, *, repeats: bool, place: int = 0,
) -> Spilled:  # fmt: skip
    """A block whose values have ``room`` registers; what it needs besides is added to ``rows``, in
    local memory from byte ``place`` on.
    ``words[n]`` are the registers of the result of operation n, ``live_out`` are the results wanted
    after the block; ``repeats``: whether that is the block again."""
    values = _Values(rows, part, words, live_out, repeats)
    registers = _Registers(values, room)
    moves = [list(registers.through()) for _ in range(2 if repeats else 1)][-1]
    places, end = _places(moves, values, place)
    return Spilled(_merged(rows, part, words, moves, places), (end - place) // 4)


def spilled_once(
    rows: list[MachineOperation], part: Sequence[int], source: Sequence[int], words: Sequence[int],
    excess: int, place: int,
) -> Spilled:  # fmt: skip
    """A block left so much in the order of its ``source`` that ``excess`` registers too many
    are wanted at once: those that live longest there are written once and read back once, in local
    memory from byte ``place`` on."""
    last = {need: at for at, number in enumerate(source) for need in rows[number].needs}
    life = {n: last[n] - at for at, n in enumerate(source) if n in last and words[n] == 1}
    away = sorted(life, key=lambda n: -life[n])[:excess]
    places = {value: place + 4 * i for i, value in enumerate(sorted(away))}
    after = {need: at for at, number in enumerate(part) for need in rows[number].needs}
    moves = [_Move(at + 1, n, is_load=False) for at, n in enumerate(part) if n in places]
    moves += [_Move(after[value], value, is_load=True) for value in places]
    return Spilled(_merged(rows, part, words, moves, places), len(places))


@dataclass(frozen=True, slots=True)
class _Move:
    """Before the operation at ``place`` a value goes to memory, or comes back for it."""

    place: int
    value: int
    is_load: bool


class _Values:
    """When each value is wanted."""

    def __init__(
        self, rows: Sequence[MachineOperation], part: Sequence[int], words: Sequence[int],
        live_out: frozenset[int], repeats: bool,
    ) -> None:  # fmt: skip
        self.part, self.words, self.live_out, self.repeats = part, words, live_out, repeats
        inside = set(part)
        self.needs = [
            [
                n for n in rows[number].needs
                if words[n] and (n in inside or rows[n].kind is not InstructionClass.ADDRESS)
            ]
            for number in part
        ]  # fmt: skip
        self.uses = dict[int, list[int]]()
        for place, needs in enumerate(self.needs):
            for value in needs:
                self.uses.setdefault(value, []).append(place)
        self.made = {number: place for place, number in enumerate(part)}
        self.entering = {v for v, uses in self.uses.items() if uses[0] <= self.made.get(v, _NEVER)}
        self.entering |= {v for v in live_out if words[v] and v not in self.made}
        self.renewable = _renewable(rows, part)
        self._seen = dict.fromkeys(self.uses, 0)

    def restart(self) -> None:
        """The block runs anew."""
        self._seen = dict.fromkeys(self.uses, 0)

    def next_use(self, value: int, place: int) -> int:
        """The first place after this one at which a value is wanted before it is made anew."""
        uses, seen = self.uses.get(value, ()), self._seen.get(value, 0)
        while seen < len(uses) and uses[seen] <= place:
            seen += 1
        if uses:
            self._seen[value] = seen
        made = self.made.get(value, -1)
        if seen < len(uses) and (place >= made or uses[seen] <= made):
            return uses[seen]
        if value not in self.live_out or place < made:
            return _NEVER
        end = len(self.part)
        return end + uses[0] if self.repeats and uses else 2 * end


@dataclass(slots=True)
class _Registers:
    values: _Values
    room: int
    inside: dict[int, int] = field(default_factory=dict[int, int])
    """By value in a register, when it is wanted next."""
    stored: set[int] = field(default_factory=set[int])
    """Values of which memory has a copy."""
    heap: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    taken: int = 0

    def through(self) -> Iterator[_Move]:
        """The moves of one execution of the block."""
        values = self.values
        values.restart()
        if not self.stored and not self.inside:
            for value in values.entering:
                self._enter(value, -1)
        self._renew()
        for place, number in enumerate(values.part):
            needs = values.needs[place]
            for value in needs:
                if value not in self.inside:
                    self._enter(value, place)
                    yield _Move(place, value, is_load=True)
            for value in needs:
                self._use(value, place)
            if values.words[number]:
                self.stored.discard(number)
                self._enter(number, place)
            yield from self._make_room(place)

    def _renew(self) -> None:
        """Uses count from the start of the block again."""
        self.heap.clear()
        for value in list(self.inside):
            self._use(value, -1)

    def _enter(self, value: int, place: int) -> None:
        if value not in self.inside:
            self.taken += self.values.words[value]
        self.inside[value] = 0
        self._use(value, place)

    def _use(self, value: int, place: int) -> None:
        """Note when a value is wanted again; it leaves if it never is."""
        if value not in self.inside:
            return
        after = self.values.next_use(value, place)
        if after == _NEVER:
            del self.inside[value]
            self.taken -= self.values.words[value]
            return
        self.inside[value] = after
        heappush(self.heap, (-after, value))

    def _make_room(self, place: int) -> Iterator[_Move]:
        while self.taken > self.room and self.heap:
            after, value = heappop(self.heap)
            if self.inside.get(value) != -after:
                continue
            del self.inside[value]
            self.taken -= self.values.words[value]
            if value not in self.stored and value not in self.values.renewable:
                self.stored.add(value)
                yield _Move(place + 1, value, is_load=False)


def _renewable(rows: Sequence[MachineOperation], part: Sequence[int]) -> frozenset[int]:
    """The results of loads from shared memory after which the block does not store to it."""
    found = set[int]()
    for number in part:
        memory = rows[number].memory
        if memory in (Memory.SHARED_STORE, Memory.SHARED_ATOMIC, Memory.BARRIER):
            found.clear()
        elif memory is Memory.SHARED_LOAD:
            found.add(number)
    return frozenset(found)


def _places(moves: Sequence[_Move], values: _Values, place: int) -> tuple[dict[int, int], int]:
    """The bytes of local memory at which values lie that are moved there, from ``place`` on, and
    where they end; values that are not away at one time share them. What is loaded anew has
    none."""
    found, end = dict[int, int](), place
    free = dict[int, list[tuple[int, int, int]]]()
    """By words: from where on, to where a place is free, and the place."""
    for absence in sorted(_absences(moves, values), key=lambda a: (not a.comes_round, a.first)):
        width = values.words[absence.value]
        own = free.setdefault(width, [])
        fits = [f for f in own if f[0] < absence.first and absence.last < f[1]]
        if fits and not absence.comes_round:
            chosen = min(fits, key=lambda f: f[1])
            own.remove(chosen)
            _, until, found[absence.value] = chosen
            own.append((absence.last, until, chosen[2]))
            continue
        found[absence.value], end = end, end + 4 * width
        if absence.comes_round:
            own.append((absence.last, absence.first, found[absence.value]))
        else:
            own.append((absence.last, _NEVER, found[absence.value]))
    return found, end


@dataclass(frozen=True, slots=True)
class _Absence:
    """A value is in memory from operation ``first`` of a block to ``last``; or, where it
    ``comes_round``, from ``first`` to the end and from the start to ``last``."""

    value: int
    first: int
    last: int
    comes_round: bool


def _absences(moves: Sequence[_Move], values: _Values) -> Iterator[_Absence]:
    """When values are in memory that are not loaded anew."""
    early, store, late = dict[int, int](), dict[int, int](), dict[int, int]()
    for move in moves:
        if not move.is_load:
            store.setdefault(move.value, move.place)
        elif move.value in store:
            late[move.value] = move.place
        else:
            early[move.value] = move.place
    end = len(values.part)
    for value in dict.fromkeys(m.value for m in moves if m.value not in values.renewable):
        if value in early:
            yield _Absence(value, store.get(value, -1), early[value], comes_round=True)
        else:
            last = late.get(value, end if value in values.live_out else store[value])
            yield _Absence(value, store[value], last, comes_round=False)


def _merged(
    rows: list[MachineOperation], part: Sequence[int], words: Sequence[int],
    moves: Sequence[_Move], places: Mapping[int, int],
) -> tuple[int, ...]:  # fmt: skip
    """The block with its moves: stores where they are due, loads ahead of that."""
    before: list[list[int]] = [[] for _ in range(len(part) + 1)]
    for move in moves:
        user = part[min(move.place, len(part) - 1)]
        if move.value not in places:
            rows.append(rows[move.value])
        else:
            new = _operation(words[move.value], rows[user].line, is_load=move.is_load)
            rows.append(replace(new, place=places[move.value]))
        if move.is_load:
            rows[user] = replace(rows[user], needs=(*rows[user].needs, len(rows) - 1))
        before[max(move.place - AHEAD, 0) if move.is_load else move.place].append(len(rows) - 1)
    found = list[int]()
    for place, number in enumerate(part):
        found += [*before[place], number]
    return (*found, *before[-1])


def _operation(words: int, line: int, *, is_load: bool) -> MachineOperation:
    kind, memory = (
        (InstructionClass.LOAD_PRIVATE, Memory.PRIVATE)
        if is_load
        else (InstructionClass.STORE_PRIVATE, Memory.PRIVATE_STORE)
    )
    return MachineOperation(
        Unit.MEMORY, kind, float(-(-words // 4)), 1.0, (), memory, -1, 4 * words, line, -1
    )

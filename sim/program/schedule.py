"""In which order a block's operations are issued, and what does not fit the registers.

First an order in which values are used up soon, for registers' sake; then, within a window of it,
whatever need not wait goes ahead of what would, for time's sake.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush

from kcc.base.records import dataclass
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import Unit
from kcc.sim.program.operations import KEPT_AFTER, LOADS, WALLS, MachineOperation, Memory
from kcc.sim.program.registers import pressure

WINDOW = 64
"""Operations among which the next one is chosen: how far a compiler looks ahead, and so how many
values more than necessary may live at once. Halved while they do not fit the registers."""

LATENCY = {Memory.SHARED_LOAD: 24, Memory.GLOBAL_LOAD: 64, Memory.IMAGE: 64, Memory.PRIVATE: 24,
           Memory.CONSTANT_LOAD: 8, Memory.SHUFFLE: 24}  # fmt: skip
"""Cycles after which a compiler expects a value: those of Turing (global memory: no more than the
window can hide)."""

UNIT_LATENCY = {Unit.SFU: 18, Unit.FP64: 16}
"""Likewise of arithmetic, else :data:`ARITHMETIC_LATENCY`."""

ARITHMETIC_LATENCY = 4


@dataclass(frozen=True, slots=True)
class Schedule:
    """The operations of each block in order; ``taken`` are the registers that values take in each,
    at most at once."""

    blocks: tuple[tuple[int, ...], ...]
    taken: tuple[int, ...]


def schedule(
    rows: Sequence[MachineOperation], blocks: Sequence[Sequence[int]], words: Sequence[int],
    live_out: Sequence[frozenset[int]], room: int,
) -> Schedule:  # fmt: skip
    """Order the blocks of a program; ``words[n]`` is how many registers the result of operation n
    takes, ``live_out[b]`` are the results live out of b, ``room`` the registers there are."""
    found = [
        _within(rows, _by_parts(rows, block, _ordered), words, live, room)
        for block, live in zip(blocks, live_out, strict=True)
    ]
    return Schedule(tuple(order for order, _ in found), tuple(taken for _, taken in found))


def least_waiting(rows: Sequence[MachineOperation], block: Sequence[int]) -> tuple[int, ...]:
    """The operations of a block in an order in which a warp waits little, however many registers
    that takes."""
    return _by_parts(rows, block, lambda r, p: _interleaved(r, p, WINDOW))


def _within(
    rows: Sequence[MachineOperation], part: tuple[int, ...], words: Sequence[int],
    live_out: frozenset[int], room: int,
) -> tuple[tuple[int, ...], int]:  # fmt: skip
    """The order with the widest window whose values fit, and how many registers they take; else
    the one that takes the fewest."""
    window = WINDOW
    while window >= 8:
        wide = _by_parts(rows, part, lambda r, p, w=window: _interleaved(r, p, w))
        taken = pressure(rows, wide, words, live_out)
        if taken <= room:
            return wide, taken
        window //= 2
    return part, pressure(rows, part, words, live_out)


def _by_parts(
    rows: Sequence[MachineOperation], block: Sequence[int],
    order: Callable[[Sequence[MachineOperation], list[int]], list[int]],
) -> tuple[int, ...]:  # fmt: skip
    """Order the parts of a block between barriers and waits: nothing moves across one."""
    parts: list[list[int]] = [[]]
    for number in block:
        parts[-1].append(number)
        if rows[number].memory in WALLS:
            parts.append([])
    return tuple(n for part in parts for n in order(rows, part))


def _ordered(rows: Sequence[MachineOperation], part: list[int]) -> list[int]:
    """An order that keeps few values."""
    inside = {number: place for place, number in enumerate(part)}
    users: list[list[int]] = [[] for _ in part]
    needs: list[list[int]] = [[] for _ in part]
    for place, number in enumerate(part):
        for need in dict.fromkeys(rows[number].needs):
            before = inside.get(need)
            if before is not None and before < place:
                users[before].append(place)
                needs[place].append(before)
    return [part[place] for place in _frugal(rows, part, users, needs)]


def _frugal(
    rows: Sequence[MachineOperation], part: list[int], users: list[list[int]],
    needs: list[list[int]],
) -> list[int]:  # fmt: skip
    """Places in an order in which values are used up as soon as they are there: what is no load
    or address first, then the first load or address all of whose users can follow at once, else
    the first."""
    heavy = [rows[n].memory in LOADS or rows[n].kind is InstructionClass.ADDRESS for n in part]
    last = len(part) - 1 if part and rows[part[-1]].unit is Unit.CONTROL else -1
    waiting, done = [len(each) for each in needs], [False] * len(part)
    held = [sum(waiting[user] > 1 for user in after) for after in users]
    """Users that wait for something else as well."""
    start = [p for p in range(len(part)) if not waiting[p] and p != last]
    now, loads = [p for p in start if not heavy[p]], [p for p in start if heavy[p]]
    used_up = [p for p in loads if not held[p]]
    found = list[int]()
    while queue := now or used_up or loads:
        place = heappop(queue)
        if done[place]:
            continue
        done[place] = True
        found.append(place)
        for user in users[place]:
            waiting[user] -= 1
            if waiting[user] == 1:
                left = next(need for need in needs[user] if not done[need])
                held[left] -= 1
                if heavy[left] and not (held[left] or waiting[left]):
                    heappush(used_up, left)
            elif not waiting[user] and user != last:
                heappush(loads if heavy[user] else now, user)
                if heavy[user] and not held[user]:
                    heappush(used_up, user)
    return [*found, last] if last >= 0 else found


def _interleaved(rows: Sequence[MachineOperation], part: list[int], window: int) -> list[int]:
    """The operations in an order in which a warp waits little: always the first one of the window
    whose operands are there by then, else the one whose are there first."""
    users, waiting = _before(rows, part)
    ready = [0.0] * len(part)
    later = [(0.0, place) for place in range(len(part)) if not waiting[place]]
    now, open_, found = list[int](), list[int](), list[int]()
    done, first, clock = [False] * len(part), 0, 0.0
    heapify(later)
    while len(found) < len(part):
        while first < len(part) and done[first]:
            first += 1
        while open_ and open_[0] < first + window:
            place = heappop(open_)
            heappush(later, (ready[place], place))
        while later and (later[0][0] <= clock or not now):
            at, place = heappop(later)
            if place >= first + window:
                heappush(open_, place)
                continue
            clock = max(clock, at)
            heappush(now, place)
        place = heappop(now)
        done[place] = True
        found.append(part[place])
        row = rows[part[place]]
        clock += row.slots
        for user, is_value in users[place]:
            if is_value:
                ready[user] = max(ready[user], clock + _expected(row))
            waiting[user] -= 1
            if not waiting[user]:
                heappush(later, (ready[user], user))
    return found


def _expected(row: MachineOperation) -> float:
    """Cycles after its issue at which a compiler expects the result of an operation."""
    if row.memory in LOADS:
        return LATENCY[row.memory]
    return UNIT_LATENCY.get(row.unit, ARITHMETIC_LATENCY) * row.steps


def _before(
    rows: Sequence[MachineOperation], part: list[int]
) -> tuple[list[list[tuple[int, bool]]], list[int]]:
    """What has to follow each operation, and whether for its value; how many each has to follow.
    Loads stay after stores to their memory, stores after both; the last one stays last."""
    inside = {number: place for place, number in enumerate(part)}
    users: list[list[tuple[int, bool]]] = [[] for _ in part]
    waiting = [0] * len(part)
    store, loads = dict[Memory, int](), dict[Memory, list[int]]()

    def follow(place: int, before: int, *, is_value: bool) -> None:
        users[before].append((place, is_value))
        waiting[place] += 1

    for place, number in enumerate(part):
        row = rows[number]
        for need in dict.fromkeys(row.needs):
            before = inside.get(need)
            if before is not None and before < place:
                follow(place, before, is_value=True)
        kept = KEPT_AFTER.get(row.memory, row.memory)
        if row.memory in LOADS or row.memory in KEPT_AFTER:
            if kept in store:
                follow(place, store[kept], is_value=False)
            if row.memory in LOADS:
                loads.setdefault(kept, []).append(place)
                continue
            for load in loads.pop(kept, ()):
                follow(place, load, is_value=False)
            store[kept] = place
    last = len(part) - 1
    if part and rows[part[-1]].unit is Unit.CONTROL:
        for place in range(last):
            if not users[place]:
                follow(last, place, is_value=False)
    return users, waiting

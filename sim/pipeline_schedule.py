"""In which order a block's operations are issued, and how many values live at once in it.

Values are used up soon, as compilers do for registers' sake; loads then go ahead of their users by
about their latency.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence

from kcc.passes.instruction_classes import InstructionClass
from kcc.sim.machine_costs import Unit
from kcc.sim.machine_operations import KEPT_BEHIND, LOADS, MachineOperation, Memory

AHEAD = {Memory.SHARED_LOAD: 24, Memory.GLOBAL_LOAD: 64, Memory.IMAGE: 64, Memory.PRIVATE: 16,
         Memory.CONSTANT_LOAD: 12}  # fmt: skip
"""How many operations a load is moved ahead of where its value is first needed: about its latency
over what other warps issue meanwhile, bounded by registers."""

CANDIDATES = 1024
"""Loads that are compared when the next one is chosen."""


def scheduled(rows: Sequence[MachineOperation], block: list[int]) -> tuple[int, ...]:
    """The operations of a block, those first that the most has to wait for; nothing moves across a
    barrier, and stores keep their order."""
    parts: list[list[int]] = [[]]
    for number in block:
        parts[-1].append(number)
        if rows[number].memory is Memory.BARRIER:
            parts.append([])
    return tuple(n for part in parts for n in _ordered(rows, part))


def _ordered(rows: Sequence[MachineOperation], part: list[int]) -> list[int]:
    """An order that keeps few values, with loads moved ahead of it."""
    inside = {number: place for place, number in enumerate(part)}
    users: list[list[int]] = [[] for _ in part]
    waiting = [0] * len(part)
    for place, number in enumerate(part):
        for need in dict.fromkeys(rows[number].needs):
            before = inside.get(need)
            if before is not None and before < place:
                users[before].append(place)
                waiting[place] += 1
    frugal = _frugal(rows, part, users, waiting)
    return _moved_ahead(rows, [part[place] for place in frugal])


def _frugal(
    rows: Sequence[MachineOperation], part: list[int], users: list[list[int]], waiting: list[int]
) -> list[int]:
    """Places in an order in which values are used up as soon as they are there: what is no load
    first, then the first load all of whose users can follow at once."""
    heavy = [rows[n].memory in LOADS for n in part]
    last = len(part) - 1 if part and rows[part[-1]].unit is Unit.CONTROL else -1
    now = [p for p in range(len(part)) if not waiting[p] and not heavy[p] and p != last]
    loads = [p for p in range(len(part)) if not waiting[p] and heavy[p]]
    found = list[int]()
    while now or loads:
        if now:
            place = now.pop(0)
        else:
            place = _best_load(loads, users, waiting)
            loads.remove(place)
        found.append(place)
        for user in users[place]:
            waiting[user] -= 1
            if not waiting[user] and user != last:
                insort(loads if heavy[user] else now, user)
    return [*found, last] if last >= 0 else found


def _best_load(loads: list[int], users: list[list[int]], waiting: list[int]) -> int:
    for place in loads[:CANDIDATES]:
        if all(waiting[user] == 1 for user in users[place]):
            return place
    return loads[0]


def _moved_ahead(rows: Sequence[MachineOperation], order: list[int]) -> list[int]:
    key, barrier = dict[int, float](), dict[Memory, float]()
    for place, number in enumerate(order):
        row = rows[number]
        earliest = max((key[n] for n in row.needs if n in key), default=-1.0) + 1e-6
        ahead = AHEAD.get(row.memory, 0)
        if row.kind is InstructionClass.ADDRESS or (row.unit is Unit.ALU and row.slots <= 2):
            ahead = AHEAD[Memory.GLOBAL_LOAD] + 8
        if row.memory in LOADS:
            earliest = max(earliest, barrier.get(row.memory, -1.0) + 1e-6)
        key[number] = max(place - ahead, earliest) if ahead else float(place)
        if row.memory in KEPT_BEHIND:
            barrier[KEPT_BEHIND[row.memory]] = float(place)
    return sorted(order, key=lambda number: key[number])


def block_pressure(
    rows: Sequence[MachineOperation], order: Sequence[Sequence[int]], words: Sequence[int]
) -> list[int]:
    """The most values alive at once in each block; those that other blocks read live through it
    all. ``words[n]`` is how many registers the result of operation n takes."""
    outside = set[int]()
    home = {number: block for block, part in enumerate(order) for number in part}
    for number, row in enumerate(rows):
        outside |= {n for n in row.needs if home[n] != home[number] or n >= number}
    through = sum(words[n] for n in outside)
    return [through + _alive(rows, part, words, outside) for part in order]


def _alive(
    rows: Sequence[MachineOperation], part: Sequence[int], words: Sequence[int], outside: set[int]
) -> int:
    """The most values alive at once that only this block reads."""
    last = {n: place for place, number in enumerate(part) for n in rows[number].needs}
    alive, most, ends = 0, 0, dict[int, int]()
    for place, number in enumerate(part):
        alive -= ends.pop(place, 0)
        if number in last and number not in outside and last[number] > place:
            alive += words[number]
            ends[last[number]] = ends.get(last[number], 0) + words[number]
        most = max(most, alive)
    return most


def spilled(
    rows: list[MachineOperation], order: Sequence[tuple[int, ...]], need: Sequence[int], room: int
) -> tuple[list[tuple[int, ...]], int]:
    """The blocks with loads and stores for what does not fit ``room`` registers, and the words that
    are spilled: each execution of a block brings every such word in once and out once. The new
    operations are added to ``rows``."""
    found, most = list[tuple[int, ...]](), 0
    for part, words in zip(order, need, strict=True):
        excess = min(max(words - room, 0), len(part))
        most = max(most, excess)
        if not excess:
            found.append(part)
            continue
        spread = list[int]()
        step = len(part) / excess
        for place, number in enumerate(part):
            while len(spread) - place < 2 * excess and len(spread) - place <= 2 * place / step:
                rows += _spill(rows[number].line)
                spread += [len(rows) - 2, len(rows) - 1]
            spread.append(number)
        found.append(tuple(spread))
    return found, most


def _spill(line: int) -> list[MachineOperation]:
    """A word that is read back and written again."""
    kinds = (
        (InstructionClass.LOAD_PRIVATE, Memory.PRIVATE),
        (InstructionClass.STORE_PRIVATE, Memory.PRIVATE_STORE),
    )
    return [
        MachineOperation(Unit.MEMORY, kind, 1.0, 1.0, (), memory, -1, 4, line, -1)
        for kind, memory in kinds
    ]

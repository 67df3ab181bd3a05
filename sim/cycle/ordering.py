"""The order in which a compiler would issue a kernel's instructions.

LLVM's IR has each load beside its use; a GPU's compiler puts loads ahead of what can go on without
them, as far as it looks, so that they wait together. Within a segment the rules are those of
:mod:`kcc.sim.program.schedule`, with the results a compiler expects of the newest architecture;
that the registers suffice is taken for granted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.decode import TraceBatch
from kcc.base.trace.tables import TracedAccessTable, TracedInstruction, TraceTables
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.cycle.layout import Kind
from kcc.sim.cycle.program import MEMORY_KINDS
from kcc.sim.machine.costs import Generation, Unit, cost_of
from kcc.sim.program.operations import MachineOperation, Memory
from kcc.sim.program.schedule import least_waiting

_MEMORIES: Mapping[Kind, Memory] = {
    Kind.GLOBAL_LOAD: Memory.GLOBAL_LOAD, Kind.GLOBAL_STORE: Memory.GLOBAL_STORE,
    Kind.GLOBAL_ATOMIC: Memory.GLOBAL_ATOMIC, Kind.LOCAL_LOAD: Memory.SHARED_LOAD,
    Kind.LOCAL_STORE: Memory.SHARED_STORE, Kind.LOCAL_ATOMIC: Memory.SHARED_ATOMIC,
    Kind.CONSTANT_LOAD: Memory.CONSTANT_LOAD,
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """Tables with the instructions of each segment in the order of a compiler. ``moved`` is by how
    much the row of each access lies after its place in a batch of the trace."""

    tables: TraceTables
    moved: NDArray[np.int64]

    def batch(self, batch: TraceBatch) -> TraceBatch:
        """A batch of the trace, with accesses in the order of the tables."""
        if not self.moved.any() or not len(batch.access):
            return batch
        rows = np.arange(len(batch.access)) + self.moved[batch.access]
        return replace(batch, addresses=batch.addresses[rows])


def ordered(tables: TraceTables) -> Ordered:
    """The tables of a kernel in the order in which a compiler would issue it."""
    rows, order = _operations(tables), list[int]()
    for segment in tables.segments:
        own = range(segment.first, segment.end)
        phis = [n for n in own if tables.instructions[n].opcode == "phi"]
        order += phis
        order += least_waiting(rows, _sorted(rows, own[len(phis) :]))
    place = {old: new for new, old in enumerate(order)}
    accesses = [tables.instructions[n].access for n in order if tables.instructions[n].access >= 0]
    number = {old: new for new, old in enumerate(accesses)}
    instructions = tuple(_renumbered(tables.instructions[n], place, number) for n in order)
    changed = replace(
        tables,
        instructions=instructions,
        accesses=tuple(
            replace(tables.accesses[old], instruction=place[tables.accesses[old].instruction])
            for old in accesses
        ),
        segments=tuple(
            replace(s, barrier=place[s.barrier] if s.barrier >= 0 else -1) for s in tables.segments
        ),
    )
    return Ordered(changed, np.array(accesses, np.int64) - np.arange(len(accesses)))


def _renumbered(
    instruction: TracedInstruction, place: Mapping[int, int], number: Mapping[int, int]
) -> TracedInstruction:
    operands = tuple(place[o] if o >= 0 else o for o in instruction.operands)
    access = number[instruction.access] if instruction.access >= 0 else -1
    return replace(instruction, operands=operands, access=access)


def _sorted(rows: Sequence[MachineOperation], own: range) -> list[int]:
    """Instructions after those they need, else in their order."""
    waiting = [sum(need in own for need in rows[n].needs) for n in own]
    users: list[list[int]] = [[] for _ in own]
    for number in own:
        for need in rows[number].needs:
            if need in own:
                users[need - own.start].append(number)
    ready = [n for n in own if not waiting[n - own.start]]
    found = list[int]()
    while ready:
        number = heappop(ready)
        found.append(number)
        for user in users[number - own.start]:
            waiting[user - own.start] -= 1
            if not waiting[user - own.start]:
                heappush(ready, user)
    return found


def _operations(tables: TraceTables) -> Sequence[MachineOperation]:
    """Each waits for what it reads, and what a loop makes of a variable for those that read the
    variable before: so that both can be one register, without a move."""
    rows = [_operation(tables, n) for n in range(len(tables.instructions))]
    readers = dict[int, list[int]]()
    for number, row in enumerate(rows):
        for need in row.needs:
            readers.setdefault(need, []).append(number)
    for phi, each in enumerate(tables.instructions):
        for made in each.operands if each.opcode == "phi" else ():
            if made >= 0 and tables.instructions[made].opcode != "phi":
                first = _readers_before(rows, tables.instructions, made, readers.get(phi, ()))
                rows[made] = replace(rows[made], needs=(*rows[made].needs, *first))
    return rows


def _readers_before(
    rows: Sequence[MachineOperation], instructions: Sequence[TracedInstruction], made: int,
    readers: Sequence[int],
) -> list[int]:  # fmt: skip
    """Those in the segment of ``made`` that can go ahead of it."""
    segment = instructions[made].segment
    found = list[int]()
    for reader in readers:
        if reader == made or instructions[reader].segment != segment:
            continue
        if instructions[reader].opcode != "phi" and not _depends(rows, instructions, reader, made):
            found.append(reader)
    return found


def _depends(
    rows: Sequence[MachineOperation], instructions: Sequence[TracedInstruction], number: int,
    on: int,
) -> bool:  # fmt: skip
    """Whether an instruction waits for another one of its segment."""
    left, seen = [number], {number}
    while left:
        for need in rows[left.pop()].needs:
            if need == on:
                return True
            same = instructions[need].segment == instructions[on].segment
            if same and need not in seen and instructions[need].opcode != "phi":
                seen.add(need)
                left.append(need)
    return False


def _operation(tables: TraceTables, number: int) -> MachineOperation:
    """What a compiler knows of an instruction when it orders it."""
    each = tables.instructions[number]
    classes = [(InstructionClass(name), count) for name, count in each.classes]
    kind = classes[0][0] if classes else InstructionClass.MOVE
    needs = tuple(o for o in each.operands if o >= 0)
    memory, unit, slots, steps = Memory.NONE, Unit.ALU, 0.0, 0.0
    if each.access >= 0:
        access = tables.accesses[each.access]
        memory, unit, slots, steps = _memory(access), Unit.MEMORY, 1, 1
    else:
        costs = [(n, c) for k, n in classes if (c := cost_of(k, Generation.VOLTA)) is not None]
        if costs:
            unit, steps = costs[0][1].unit, costs[0][1].steps
            slots = sum(count * cost.slots for count, cost in costs)
    if kind in (InstructionClass.BARRIER, InstructionClass.FENCE):
        memory = Memory.BARRIER
    elif kind is InstructionClass.IMAGE:
        memory = Memory.IMAGE
    elif kind is InstructionClass.SHUFFLE:
        memory = Memory.SHUFFLE
    return MachineOperation(unit, kind, slots, steps, needs, memory, -1, 0, 0, number)


def _memory(access: TracedAccessTable) -> Memory:
    """Private memory is a work-item's own: its stores part no other loads."""
    if access.memory == "private":
        return Memory.PRIVATE if access.operation == "load" else Memory.PRIVATE_STORE
    return _MEMORIES[MEMORY_KINDS[access.operation, access.memory]]

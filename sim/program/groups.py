"""What a warp waits for that goes on by itself: asynchronous copies and matrix products, in groups.

PTX ISA, "Asynchronous copy" and "wgmma.commit_group": a thread puts what it began into a group, and
waits until no more than so many of the youngest groups are outstanding. A group is an operation
that makes no code: its result is there when all that was begun before it is, and nothing waits for
it where it stands. Groups are numbered by age: with each new one all others become one older, from
operation to operation, so that who leaves N outstanding waits for the one of age N, of whatever
iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kcc.frontend.ir.instructions import COPIES, COPYING, AnyInstruction, Call, Fence, awaited
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import Unit
from kcc.sim.program.operations import MachineOperation, Memory


def with_groups(
    rows: Sequence[MachineOperation],
    blocks: Sequence[Sequence[int]],
    instructions: Sequence[AnyInstruction],
) -> tuple[list[MachineOperation], list[list[int]]]:
    """The operations and blocks with groups; those of fences for copies and products wait for
    what they name, and for no other memory."""
    found, placed = list(rows), [list(block) for block in blocks]
    waits = [(n, wait) for n, row in enumerate(rows) if (wait := _wait(row, instructions))]
    for kind in dict.fromkeys(of for _, (of, _) in waits):
        begun = tuple(n for n, row in enumerate(rows) if _is_begun(row, instructions, kind))
        own = {n: left for n, (of, left) in waits if of == kind}
        if kind == COPIES:
            found = [_past_registers(row, begun) for row in found]
            for number in begun:
                found[number] = replace(found[number], copied=True)
        depth = 1 + max((left for left in own.values() if left is not None), default=-1)
        ages = range(len(found), len(found) + depth)
        for age, number in enumerate(ages):
            needs = (number - 1,) if age else begun
            found.append(
                MachineOperation(
                    Unit.CONTROL,
                    InstructionClass.FENCE,
                    0.0,
                    0.0,
                    needs,
                    Memory.GROUP,
                    -1,
                    0,
                    0,
                    -1,
                )
            )
        for number, left in own.items():
            needs = () if left is None else begun if left < 0 else (ages[left],)
            own_needs = tuple(dict.fromkeys((*rows[number].needs, *needs)))
            found[number] = replace(rows[number], needs=own_needs, memory=Memory.WAIT)
            if left is None:
                block = next(b for b in placed if number in b)
                after = block.index(number) + 1
                block[after:after] = reversed(ages)
    return found, placed


def _wait(
    row: MachineOperation, instructions: Sequence[AnyInstruction]
) -> tuple[str, int | None] | None:
    own = instructions[row.instruction] if row.instruction >= 0 else None
    return awaited(own.scope) if isinstance(own, Fence) else None


def _past_registers(row: MachineOperation, begun: tuple[int, ...]) -> MachineOperation:
    """A store that writes what a copy loaded does not wait for it: the copy does."""
    if row.memory is not Memory.SHARED_STORE or not set(begun) & set(row.needs):
        return row
    return replace(row, needs=tuple(n for n in row.needs if n not in begun))


def _is_begun(row: MachineOperation, instructions: Sequence[AnyInstruction], kind: str) -> bool:
    """Whether an operation goes on by itself."""
    if kind != COPIES:
        return row.product is not None
    if row.memory is not Memory.GLOBAL_LOAD or row.instruction < 0:
        return False
    own = instructions[row.instruction]
    return isinstance(own, Call) or own.name.startswith(COPYING)

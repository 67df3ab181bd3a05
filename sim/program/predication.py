"""Short pieces of code under a condition: issued by all warps, under a predicate, with no branch.

ptxas 12.9 leaves out the branch around a short block that meets what follows at one place, also
with loads and stores in it; not around atomic operations and calls, and not where nothing follows
but the end of the program (EXIT under a predicate skips such a block).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kcc.frontend.ir.instructions import AnyInstruction, Call, CondBranch
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import Opcode
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import Unit
from kcc.sim.program.drafts import Draft, Drafts
from kcc.sim.program.operations import Memory

MOST_INSTRUCTIONS = 15
"""Of the IR, in a block that is predicated: of 218 blocks of kernels/ with up to so many ptxas 12.9
predicates 197 for sm_80, of 30 with more 4."""

_BRANCHED = frozenset(
    {Opcode.SDIV, Opcode.UDIV, Opcode.SREM, Opcode.UREM, Opcode.FDIV, Opcode.FREM,
     Opcode.ATOMICRMW, Opcode.CMPXCHG, Opcode.FENCE}
)  # fmt: skip


def predicated(function: Function) -> Mapping[int, int]:
    """By block that is predicated, the one whose branch is left out for it."""
    found = dict[int, int]()
    for head in function.blocks:
        if isinstance(head.instructions[-1], CondBranch):
            found |= dict.fromkeys(_sides(function, head.index), head.index)
    return found


def _sides(function: Function, head: int) -> Iterator[int]:
    ways, blocks = set(function.blocks[head].successors), function.blocks
    sides = [
        each for each in sorted(ways)
        if set(blocks[each].predecessors) == {head} and len(blocks[each].successors) == 1
    ]  # fmt: skip
    ends = {blocks[each].successors[0] for each in sides} | (ways - set(sides))
    if not sides or len(ways) != 2 or len(ends) != 1:
        return
    (end,) = ends
    is_last = not blocks[end].successors and len(blocks[end].instructions) == 1
    if end > head and not is_last and all(
        len(blocks[each].instructions) <= MOST_INSTRUCTIONS
        and all(map(_may_be_predicated, blocks[each].instructions))
        for each in sides
    ):  # fmt: skip
        yield from sides


def _may_be_predicated(instruction: AnyInstruction) -> bool:
    if isinstance(instruction, Call):
        return instruction.is_intrinsic
    return instruction.opcode not in _BRANCHED


def predicate(
    function: Function, drafts: Drafts, sides: Mapping[int, int], executions: Sequence[float]
) -> dict[int, tuple[int, int]]:
    """Leave the branches around predicated blocks (``sides``, with the block that each is issued
    in) out. What is left in these takes slots of warps too that have no lane there; gives the
    operations that do where ``executions`` does not say how often each block runs."""
    rows, blocks = drafts.rows, drafts.blocks
    found = dict[int, tuple[int, int]]()
    for side, head in sides.items():
        left = _hoist(rows, blocks, head, side)
        branch = function.blocks[head].instructions[-1]
        for number in blocks[head]:
            if rows[number].instruction == branch.index:
                rows[number].slots = 0.0
        if not left:
            continue
        line = branch.location.line if branch.location else 0
        idle = Draft(Unit.CONTROL, InstructionClass.MOVE, left, 1.0, [], line=line)
        rows.append(idle)
        if not executions:
            found[side] = head, len(rows) - 1
        elif executions[head]:
            idle.slots *= max(1.0 - executions[side] / executions[head], 0.0)
            blocks[head].insert(0, len(rows) - 1)
    return found


def _hoist(rows: Sequence[Draft], blocks: list[list[int]], head: int, side: int) -> float:
    """Put what a predicated block computes before the end of the block above it: all warps issue
    it. Accesses stay, with what waits for them, and are made by lanes that take the way; gives how
    many slots they have."""
    here, moved, stay = set(blocks[side]), dict[int, None](), list[int]()
    for number in blocks[side]:
        row = rows[number]
        waits = any(need in here and need not in moved for need in row.needs)
        if waits or row.memory is not Memory.NONE or row.unit is Unit.CONTROL:
            stay.append(number)
        else:
            moved[number] = None
    end = len(blocks[head])
    while end and rows[blocks[head][end - 1]].unit is Unit.CONTROL:
        end -= 1
    blocks[head][end:end] = moved
    blocks[side][:] = stay
    return sum(rows[number].slots for number in stay)

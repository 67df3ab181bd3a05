"""Moves that values of different ways take into one register: constants that a phi takes, and what
a loop carries while the value of the iteration before is still wanted (ptxas 12.9: MOV, IMAD.MOV,
HFMA2.MMA)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from kcc.frontend.ir.instructions import AnyInstruction, Binary, Phi
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import I1, size_bytes
from kcc.frontend.ir.values import ConstantFloat, ConstantInt, InstructionRef, Poison, Undef, Value
from kcc.passes.graph.loops import Loop, Loops
from kcc.sim.program.drafts import Drafts, constant_move


def move_into_phis(
    function: Function, loops: Loops, drafts: Drafts, users: Mapping[int, Sequence[AnyInstruction]]
) -> None:
    """Put a move for each word of such a value at the end of the block that it comes from."""
    headers = {loop.header: loop for loop in loops.loops}
    for block in function.blocks:
        loop = headers.get(block.index)
        for phi in block.instructions:
            if not isinstance(phi, Phi):
                break
            if phi.type == I1:
                continue
            for value, source in zip(phi.operands, phi.incoming, strict=True):
                back = loop if loop is not None and source in loop.blocks else None
                is_constant = not isinstance(value, InstructionRef | Poison | Undef)
                if is_constant or (back and _is_kept(function, back, phi, value, users)):
                    _move(drafts, source, phi, value, is_shared=back is not None)


def _move(drafts: Drafts, block: int, phi: Phi, value: Value, *, is_shared: bool) -> None:
    """A move a word; two of zero are one (CS2R)."""
    is_zero = isinstance(value, ConstantInt | ConstantFloat) and value.value == 0
    draft = constant_move(phi.location.line if phi.location else 0)
    words = 8 if is_zero else 4
    draft.slots = float(-(-size_bytes(phi.type) // words))
    draft.overhead = is_shared
    drafts.add(block, draft)
    own = drafts.blocks[block]
    own.insert(0, own.pop())


def _is_kept(
    function: Function, loop: Loop, phi: Phi, value: Value,
    users: Mapping[int, Sequence[AnyInstruction]],
) -> bool:  # fmt: skip
    """Whether what a loop carries into a phi cannot have its register."""
    if not isinstance(value, InstructionRef):
        return False
    made = function.instructions[value.index]
    if isinstance(made, Phi):
        return made.index != phi.index and made.block == loop.header
    if isinstance(made, Binary) and made.opcode in (Opcode.ADD, Opcode.SUB) and any(
        isinstance(o, InstructionRef) and o.index == phi.index for o in made.operands
    ):  # fmt: skip
        return False  # Who wants the number before takes one less.
    later, resting = _after(function, made.block, loop), _resting_on(made, users)
    return any(
        place in later or (place == made.block and (is_end or user.index in resting))
        for user in users.get(phi.index, ())
        for place, is_end in _places(user, phi)
    )  # fmt: skip


def _places(user: AnyInstruction, phi: Phi) -> Iterator[tuple[int, bool]]:
    """The blocks where an instruction wants a phi's value, and whether at their ends."""
    if not isinstance(user, Phi):
        yield user.block, False
        return
    for value, source in zip(user.operands, user.incoming, strict=True):
        if isinstance(value, InstructionRef) and value.index == phi.index:
            yield source, True


def _resting_on(
    made: AnyInstruction, users: Mapping[int, Sequence[AnyInstruction]]
) -> Collection[int]:
    """The instructions of a block that rest on one of it: no order has them before it."""
    found, waiting = set[int](), [made.index]
    while waiting:
        for user in users.get(waiting.pop(), ()):
            if user.block == made.block and user.index not in found and not isinstance(user, Phi):
                found.add(user.index)
                waiting.append(user.index)
    return found


def _after(function: Function, block: int, loop: Loop) -> Collection[int]:
    """The blocks that may run after one, in the same iteration or when the loop is left."""
    found, waiting = set[int](), [block]
    while waiting:
        for after in function.blocks[waiting.pop()].successors:
            if after != loop.header and after not in found:
                found.add(after)
                waiting.append(after)
    return found

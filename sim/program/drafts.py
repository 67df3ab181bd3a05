"""The machine operations of a kernel while its program is being made."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from kcc.base.records import dataclass
from kcc.frontend.builtins.matrix import MatrixProduct
from kcc.frontend.ir.instructions import AnyInstruction, Phi
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.values import InstructionRef, Value
from kcc.passes.graph.dominance import Dominators
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import Unit
from kcc.sim.program.operations import MachineOperation, Memory


@dataclass(slots=True)
class Draft:
    """A :class:`~kcc.sim.program.operations.MachineOperation` that may still change;
    ``overhead`` is whether iterations that are unrolled share it."""

    unit: Unit
    kind: InstructionClass
    slots: float
    steps: float
    needs: list[int]
    memory: Memory = Memory.NONE
    access: int = -1
    bytes: int = 0
    line: int = 0
    instruction: int = -1
    overhead: bool = False
    parts: tuple[int, ...] = ()
    every: int = 1
    whole: float = 0.0
    has_doubles: bool = False
    product: MatrixProduct | None = None
    joined: bool = False

    def frozen(self) -> MachineOperation:
        """The operation as it is now."""
        return MachineOperation(
            self.unit, self.kind, self.slots, self.steps, tuple(self.needs), self.memory,
            self.access, self.bytes, self.line, self.instruction, -1, self.parts, self.every,
            self.whole, self.has_doubles, self.product, self.joined,
        )  # fmt: skip


class Drafts:
    """All operations, by number, and those of each block of the IR. Without ``dominators`` what any
    block computes is there in all. ``issued_in`` says which blocks' operations all warps of another
    block issue."""

    def __init__(
        self, blocks: int, dominators: Dominators | None, issued_in: Mapping[int, int]
    ) -> None:
        self.rows = list[Draft]()
        self.blocks: list[list[int]] = [[] for _ in range(blocks)]
        self.result = dict[int, tuple[int, ...]]()
        """By instruction, the operations that its value comes from."""
        self._dominators, self._issued_in = dominators, issued_in
        self._made = dict[object, list[tuple[int, int]]]()

    def add(self, block: int, draft: Draft) -> int:
        """Put an operation after the others of a block; gives its number."""
        self.rows.append(draft)
        number = len(self.rows) - 1
        self.blocks[block].append(number)
        return number

    def once(self, key: object, block: int, draft: Callable[[], Draft]) -> int:
        """The operation that makes the value ``key``, where none has before a block."""
        place = self._issued_in.get(block, block)
        for at, number in self._made.get(key, ()):
            if self._dominators is None or self._dominators.dominates(at, place):
                return number
        number = self.add(block, draft())
        self._made.setdefault(key, []).append((place, number))
        return number

    def needs(self, operands: Iterable[Value]) -> list[int]:
        """The operations that operands come from."""
        found = dict[int, None]()
        for operand in operands:
            if isinstance(operand, InstructionRef):
                found |= dict.fromkeys(self.result.get(operand.index, ()))
        return list(found)


def constant_move(line: int) -> Draft:
    """A constant that is brought into a register for a line of the source."""
    return Draft(Unit.EITHER, InstructionClass.MOVE, 1.0, 1.0, [], line=line)


def close_phis(
    function: Function, drafts: Drafts, users: Mapping[int, Sequence[AnyInstruction]],
    made_by: Mapping[int, int],
) -> None:  # fmt: skip
    """Values that a loop carries: who reads the phi waits for the one of the iteration before too.
    ``made_by`` are the operations of instructions that others do, too."""
    by_instruction = dict[int, list[int]]()
    for number, draft in enumerate(drafts.rows):
        by_instruction.setdefault(draft.instruction, []).append(number)
    for index, number in made_by.items():
        by_instruction.setdefault(index, []).append(number)
    for phi in function.instructions:
        if not isinstance(phi, Phi):
            continue
        more = drafts.needs(phi.operands)
        for reader in _readers(phi, users, by_instruction.keys()):
            for number in by_instruction[reader]:
                needs = drafts.rows[number].needs
                needs += [m for m in more if m not in needs]


def _readers(
    phi: Phi, users: Mapping[int, Sequence[AnyInstruction]], costly: Collection[int]
) -> Iterable[int]:
    """The ``costly`` instructions that read a phi, also through others, which only rename."""
    seen, found = {phi.index}, [phi.index]
    while found:
        for user in users.get(found.pop(), ()):
            if user.index in seen:
                continue
            seen.add(user.index)
            if user.index in costly:
                yield user.index
            elif not isinstance(user, Phi):
                found.append(user.index)

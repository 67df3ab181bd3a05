"""Variables that only additions of unchanging values change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kcc.frontend.ir.instructions import AnyInstruction, Binary, Call, Cast, Phi
from kcc.frontend.ir.opcodes import Flags, Opcode
from kcc.frontend.ir.types import VOID, IntTy
from kcc.frontend.ir.values import InstructionRef, MetadataOperand, Value
from kcc.passes.graph.loops import Loop
from kcc.passes.symbolic.expr import Expr
from kcc.passes.symbolic.operands import Components, components_of
from kcc.passes.symbolic.promises import MAX_FLAG_DEPTH
from kcc.passes.symbolic.promote import Promoted

if TYPE_CHECKING:
    from kcc.passes.symbolic.build import SymbolicValues


class Additions:
    """Finds them in one kernel. ``now`` makes the value of an instruction before its turn."""

    def __init__(
        self,
        values: SymbolicValues,
        promoted: Promoted,
        now: Callable[[AnyInstruction], Components],
    ) -> None:
        self._values, self._promoted, self._now = values, promoted, now

    def in_loop(self, phi: Phi, loop: Loop) -> tuple[Expr, bool, bool] | None:
        """What an iteration adds to a phi of the loop's header, and whether no sum wraps (signed,
        unsigned); None if it does anything else, or not always the same.
        """
        chains = {
            self._chain(value, phi, loop)
            for value, block in zip(phi.operands, phi.incoming, strict=True)
            if block in loop.blocks
        }
        return chains.pop() if len(chains) == 1 else None

    def _chain(self, value: Value, phi: Phi, loop: Loop) -> tuple[Expr, bool, bool] | None:
        """What is added to a phi on the way to a value, and whether no sum wraps (signed,
        unsigned); None if anything else happens.
        """
        total: Expr | None = None
        signed = unsigned = True
        for _ in range(MAX_FLAG_DEPTH):
            if not isinstance(value, InstructionRef):
                return None
            if value.index in self._promoted.loads:
                value = self._promoted.loads[value.index]
                continue
            if value.index == phi.index:
                zero = self._values.algebra.number(0, components_of(phi.type)[0])  # type: ignore[arg-type]
                return (total or zero, signed, unsigned)
            if value.index >= len(self._values.function.instructions):
                return None
            found = self._added(self._values.function.instructions[value.index], loop)
            if found is None:
                return None
            value, step, flags = found
            signed &= Flags.NSW in flags
            unsigned &= Flags.NUW in flags
            total = step if total is None else self._values.algebra.add(total, step)
        return None

    def _added(self, instruction: AnyInstruction, loop: Loop) -> tuple[Value, Expr, Flags] | None:
        """An addition of what the loop does not change: to what, how much."""
        if not isinstance(instruction, Binary) or not isinstance(instruction.type, IntTy):
            return None
        left, right = instruction.left, instruction.right
        match instruction.opcode:
            case Opcode.ADD:
                if self._constant_in(right, loop):
                    return left, self._values.scalar(right), instruction.flags
                if self._constant_in(left, loop):
                    return right, self._values.scalar(left), instruction.flags
            case Opcode.SUB if self._constant_in(right, loop):
                step = self._values.algebra.scale(self._values.scalar(right), -1)
                return left, step, instruction.flags
            case _:
                pass
        return None

    def _outside(self, value: Value, loop: Loop) -> bool:
        if not isinstance(value, InstructionRef):
            return not isinstance(value, MetadataOperand)
        if value.index in self._promoted.loads:
            return self._outside(self._promoted.loads[value.index], loop)
        return self._values.block_of(value.index) not in loop.blocks

    def _constant_in(self, value: Value, loop: Loop, depth: int = 0) -> bool:
        """Whether the same value comes in every iteration; if so it is made now."""
        if self._outside(value, loop):
            return True
        if not isinstance(value, InstructionRef) or depth > MAX_FLAG_DEPTH:
            return False
        if value.index >= len(self._values.function.instructions):
            return False
        instruction = self._values.function.instructions[value.index]
        plain = isinstance(instruction, Binary | Cast | Call) and instruction.type != VOID
        if not plain or instruction.index in self._promoted.loads:
            return False
        if not all(self._constant_in(o, loop, depth + 1) for o in instruction.operands):
            return False
        return not any(self._values.varies(part, loop.id) for part in self._now(instruction))

"""How large code is, by hand."""

from __future__ import annotations

from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import Generation, Unit
from kcc.sim.program.code_size import code_bytes, code_slots
from kcc.sim.program.operations import MachineOperation, MachineProgram, Memory


def operation(slots: float, every: int = 1, whole: float = 0.0) -> MachineOperation:
    return MachineOperation(
        Unit.ALU, InstructionClass.ADDRESS, slots, 1.0, (), Memory.NONE, -1, 0, 1, -1,
        every=every, whole=whole,
    )  # fmt: skip


def test_a_loop_stands_as_often_as_its_iterations_were_joined() -> None:
    """Two instructions before it, and of four iterations three each (one operation is two) and one
    that they share."""
    operations = (operation(1), operation(1), operation(1), operation(2), operation(0.25, 4, 1.0))
    program = MachineProgram(operations, ((0, 1), (2, 3, 4), ()), 8, 0)
    assert code_slots(program) == 2 + 4 * 3 + 1
    assert code_bytes(program, Generation.VOLTA) == 16 * 15
    assert code_bytes(program, Generation.MAXWELL) == 8 * 15

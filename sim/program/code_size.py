"""How large a kernel's machine code is."""

from __future__ import annotations

from collections.abc import Sequence

from kcc.sim.machine.costs import SINCE_VOLTA, Generation
from kcc.sim.program.operations import MachineOperation, MachineProgram

INSTRUCTION_BYTES = dict.fromkeys(SINCE_VOLTA, 16)
"""Of a machine instruction with what the compiler tells the schedulers; 8 before (Jia et al.,
"Dissecting the NVIDIA Volta GPU architecture via microbenchmarking", 2018, section 2)."""


def code_bytes(program: MachineProgram, generation: Generation) -> float:
    """The bytes of the code of a program."""
    return code_slots(program) * INSTRUCTION_BYTES.get(generation, 8)


def code_slots(program: MachineProgram) -> float:
    """The machine instructions of its code: of each block once, of one that is a loop whose
    iterations were joined as often as they were, but for what they share."""
    return sum(_slots([program.operations[number] for number in block]) for block in program.blocks)


def _slots(block: Sequence[MachineOperation]) -> float:
    times = max((each.every for each in block), default=1)
    return sum(each.at_once if each.every > 1 else times * each.slots for each in block)

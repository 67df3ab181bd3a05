"""How large a kernel's machine code is."""

from __future__ import annotations

from kcc.sim.machine.costs import Generation
from kcc.sim.program.operations import MachineProgram

INSTRUCTION_BYTES = {Generation.VOLTA: 16}
"""Of a machine instruction with what the compiler tells the schedulers; 8 before (Jia et al.,
"Dissecting the NVIDIA Volta GPU architecture via microbenchmarking", 2018, section 2)."""


def code_bytes(program: MachineProgram, generation: Generation) -> float:
    """The bytes of the operations of a program, each block once."""
    slots = sum(program.operations[n].slots for block in program.blocks for n in block)
    return slots * INSTRUCTION_BYTES.get(generation, 8)

"""Which registers each instruction of SASS reads from the register file.

An operand that the instruction before it of the same warp left in the reuse cache (its control
bits say so, by operand) is not read again (Jia, Maggioni, Staiger and Scarpazza, "Dissecting the
NVIDIA Volta GPU Architecture via Microbenchmarking", 2018, section 2.2; Huerta et al., "Dissecting
and Modeling the Architecture of Modern GPU Cores", MICRO 2025, section 5.3). Registers of even
numbers lie in one bank, those of odd numbers in the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from kcc.frontend.machine_code.model import MachineInstruction
from kcc.frontend.machine_code.registers import source_registers

Banks = tuple[int, int]


def operand_reads(instructions: Sequence[MachineInstruction]) -> list[Banks]:
    """By instruction, registers that it reads of each bank; of code without control bits all."""
    found, kept = list[Banks](), dict[int, str]()
    for each in instructions:
        sources = source_registers(each.opcode, each.operands)
        read = dict.fromkeys(
            register
            for place, own in enumerate(sources)
            for register in own if kept.get(place) != register
        )  # fmt: skip
        odd = sum(int(register[1:]) & 1 for register in read)
        found.append((len(read) - odd, odd))
        reuse = each.control.reuse if each.control is not None else 0
        kept = {place: own[0] for place, own in enumerate(sources) if own and reuse >> place & 1}
    return found

"""Registers that SASS reads, counted by hand: banks, and what the reuse cache has."""

from __future__ import annotations

import pytest

from kcc.frontend.machine_code.control_bits import decode
from kcc.frontend.machine_code.model import MachineInstruction, Pipe
from kcc.frontend.machine_code.operand_reads import operand_reads


def line(opcode: str, operands: str, reuse: int = 0) -> MachineInstruction:
    return MachineInstruction(
        0, opcode, operands, "", 0, Pipe.FMA, (), (), control=decode(reuse << 17)
    )


@pytest.mark.parametrize(
    ("opcode", "operands", "even", "odd"),
    [
        ("FFMA", "R16, R8, R16, -R11", 2, 1),
        ("FFMA", "R17, R9, R17, -R10", 1, 2),
        ("FFMA", "R0, R2, R2, R4", 2, 0),  # one register twice is read once
        ("FFMA", "R0, R2, c[0x0][0x160], RZ", 1, 0),
        ("FADD", "R5, R3, 1", 0, 1),
        ("IMAD.WIDE", "R4, R2, R7, c[0x0][0x160]", 1, 1),
        ("IMAD.WIDE", "R4, R2, R7, R8", 2, 2),  # the sum is two registers
        ("DFMA", "R4, R2, R6, R8", 3, 3),
        ("LDG.E", "R3, [R4.64]", 1, 1),
        ("STS.64", "[R1], R6", 1, 2),
        ("MOV", "R3, UR4", 0, 0),
        ("ISETP.GE.AND", "P0, PT, R3, R4, PT", 1, 1),
    ],
)
def test_banks_are_of_even_and_odd_numbers(opcode: str, operands: str, even: int, odd: int):
    assert operand_reads([line(opcode, operands)]) == [(even, odd)]


def test_what_stays_in_the_reuse_cache_is_not_read_again():
    code = [
        line("FFMA", "R0, R8, R12, R0", reuse=1),
        line("FFMA", "R2, R8, R13, R2", reuse=1),  # R8 stays
        line("FFMA", "R4, R9, R8, R4"),  # R8 is another operand now
        line("FFMA", "R6, R9, R14, R6"),  # nothing was kept
    ]
    assert operand_reads(code) == [(3, 0), (1, 1), (2, 1), (2, 1)]

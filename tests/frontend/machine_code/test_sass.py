"""Reading disassembly: lines as nvdisasm writes them, typed here."""

from __future__ import annotations

import pytest

from kcc.frontend.machine_code.control_bits import decode, volta_control
from kcc.frontend.machine_code.model import Pipe, Space
from kcc.frontend.machine_code.numbering import UNKNOWN_LINE
from kcc.frontend.machine_code.registers import registers_of
from kcc.frontend.machine_code.sass import read_sass

VOLTA = f"""
	.section	.text.k,"ax",@progbits
.text.k:
        /*0000*/                   MOV R1, c[0x0][0x28] ;         /* 0x00000a0000017a02 */
                                                                  /* 0x000fe20000000f00 */
	//## File "/ir", line 7
        /*0010*/                   S2R R0, SR_TID.X ;             /* 0x0000000000007919 */
                                                                  /* 0x000e220000002500 */
.L_x_0:
	//## File "/ir", line {UNKNOWN_LINE}
        /*0020*/              @!P0 LDG.E.64 R2, [R4.64+0x8] ;     /* 0x0000080004027981 */
                                                                  /* 0x000ea8000c1e1b00 */
	//## File "/ir", line 9 inlined at "/ir", line 12
	//## File "/ir", line 12
        /*0030*/               @P0 BRA `(.L_x_0) ;                /* 0x0000000000000947 */
                                                                  /* 0x000fea0003800000 */
        /*0040*/                   EXIT ;                         /* 0x000000000000794d */
                                                                  /* 0x000fea0003800000 */
.L_x_1:
        /*0050*/                   BRA `(.L_x_1);                 /* 0xfffffff000007947 */
                                                                  /* 0x000fc0000383ffff */
        /*0060*/                   NOP;                           /* 0x0000000000007918 */
                                                                  /* 0x000fc00000000000 */
"""

MAXWELL = """
	.section	.text.k,"ax",@progbits
.text.k:
                                                                  /* 0x001fd842fec20ff1 */
        /*0008*/                   MOV R1, c[0x0][0x20] ;         /* 0x4c98078000870001 */
        /*0010*/         {         IADD R2.CC, R8, R3 ;           /* 0x4c10800005470802 */
        /*0018*/                   LDG.E R4, [R4]         }
                                                                  /* 0xeed4200000070404 */
                                                                  /* 0x001f9800f62007f2 */
        /*0028*/                   EXIT ;                         /* 0xe30000000007000f */
"""


def test_instructions_know_where_they_came_from():
    listing = read_sass(VOLTA)["k"]
    assert [i.number for i in listing.instructions] == [0, 7, 0, 9, 9]
    assert listing.labels[".L_x_0"] == 2
    load, branch = listing.instructions[2:4]
    assert (load.space, load.bytes, load.is_load, load.is_store) == (Space.GLOBAL, 8, True, False)
    assert (load.made, load.used) == (("R2", "R3"), ("R4", "R5", "P0"))
    assert load.text == "@!P0 LDG.E.64 R2, [R4.64+0x8]"
    assert (branch.target, branch.ends) == (".L_x_0", False)
    assert listing.instructions[-1].opcode == "EXIT"


def test_control_bits_of_volta():
    # The three encodings that machine-readable sources agree on (Jia et al., 2018).
    assert volta_control(0x000FE400078E00FF).stall_cycles == 2
    s2r = volta_control(0x000E220000002500)
    assert (s2r.stall_cycles, s2r.write_barrier, s2r.read_barrier) == (1, 0, None)
    assert read_sass(VOLTA)["k"].instructions[1].control == s2r


def test_control_words_of_maxwell_and_pairs():
    listing = read_sass(MAXWELL)["k"]
    assert [i.opcode for i in listing.instructions] == ["MOV", "IADD", "LDG.E", "EXIT"]
    assert [i.is_paired for i in listing.instructions] == [False, False, True, False]
    bits = 0x001FD842FEC20FF1
    controls = [i.control for i in listing.instructions]
    assert controls[:3] == [decode(bits), decode(bits >> 21), decode(bits >> 42)]
    assert controls[3] == decode(0x001F9800F62007F2)


@pytest.mark.parametrize(
    ("opcode", "operands", "made", "used"),
    [
        ("IADD3", "R12, P0, R10, 0x8, RZ", ("R12", "P0"), ("R10",)),
        ("ISETP.GE.AND", "P0, PT, R8, 0x1, P2", ("P0",), ("R8", "P2")),
        ("IMAD.WIDE", "R2, R9, 0x4, R2", ("R2", "R3"), ("R9", "R2", "R3")),
        ("STG.E.64", "[R4.64], R10", (), ("R4", "R5", "R10", "R11")),
        ("STS", "[R16+0x400], R29", (), ("R16", "R29")),
        ("DFMA", "R2, R4, R6, -R8", ("R2", "R3"), ("R4", "R5", "R6", "R7", "R8", "R9")),
        ("ATOMG.E.ADD", "PT, R2, [R4.64], R6", ("R2",), ("R4", "R5", "R6")),
        ("LDS.128", "R4, [R37+0x20]", ("R4", "R5", "R6", "R7"), ("R37",)),
        ("ULDC.64", "UR4, c[0x0][0x118]", ("UR4", "UR5"), ()),
        ("LOP3.LUT", "P0, R3, R4, 0x3, RZ, 0xc0, !PT", ("P0", "R3"), ("R4",)),
        ("BAR.SYNC", "0x0", (), ()),
    ],
)
def test_registers(opcode: str, operands: str, made: tuple[str, ...], used: tuple[str, ...]):
    assert registers_of(opcode, operands) == (made, used)


def test_pipes():
    pipes = [i.pipe for i in read_sass(VOLTA)["k"].instructions]
    assert pipes == [Pipe.ALU, Pipe.SPECIAL, Pipe.MEMORY, Pipe.CONTROL, Pipe.CONTROL]

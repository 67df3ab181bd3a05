"""Blocks, edges and live registers of machine code, by hand."""

from __future__ import annotations

from kcc.frontend.machine_code.graph import MachineGraph
from kcc.frontend.machine_code.model import MachineCode
from kcc.frontend.machine_code.sass import read_sass


def code_of(lines: str) -> MachineCode:
    """Code of instructions, a line each; what ends with a colon is a label."""
    text, address = ['	.section	.text.k,"ax"'], 0
    for line in lines.strip().splitlines():
        if line.strip().endswith(":"):
            text.append(line.strip())
        else:
            text.append(f"        /*{address:04x}*/ {line.strip()} ; /* 0x{0:016x} */")
            address += 16
    listing = read_sass("\n".join(text))["k"]
    return MachineCode(
        "k", "ptxas 0 (sm_80)", 8, 0, 0, 0, 0, 0, address, tuple(listing.instructions),
        listing.labels,
    )  # fmt: skip


LOOP = """
MOV R0, RZ
ISETP.GE.AND P0, PT, R0, c[0x0][0x160], PT
@P0 EXIT
.L_1:
LDG.E R2, [R4.64]
IADD3 R0, R0, R2, RZ
ISETP.LT.AND P0, PT, R0, c[0x0][0x160], PT
@P0 BRA `(.L_1)
STG.E [R4.64], R0
EXIT
"""


def test_a_loop():
    graph = MachineGraph(code_of(LOOP))
    assert [(b.first, b.end, b.successors) for b in graph.blocks] == [
        (0, 3, (1,)),
        (3, 7, (1, 2)),
        (7, 9, ()),
    ]
    assert graph.block_of == (0, 0, 0, 1, 1, 1, 1, 2, 2)


def test_live_registers():
    # R4 and R5 all the time; R0 from its first value on; R2 between load and sum.
    assert MachineGraph(code_of(LOOP)).live_words == (2, 3, 3, 3, 4, 3, 3, 3, 0)


def test_regions_before_volta():
    graph = MachineGraph(
        code_of("""
            SSY `(.L_2)
            @P0 BRA `(.L_1)
            MOV R0, RZ
            SYNC
            .L_1:
            MOV R1, RZ
            SYNC
            .L_2:
            EXIT""")
    )
    assert [b.successors for b in graph.blocks] == [(2, 1), (3,), (3,), ()]


def test_conditional_jumps_that_have_no_predicate():
    graph = MachineGraph(code_of("MOV R0, RZ\nBRA.DIV UR4, `(.L_1)\nEXIT\n.L_1:\nEXIT"))
    assert graph.blocks[0].successors == (2, 1)

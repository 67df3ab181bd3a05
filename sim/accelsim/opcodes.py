"""What SASS opcodes do, by the part before their first dot.

The names are those of the instruction set tables of NVIDIA's CUDA Binary Utilities (Kepler to
Hopper). Which pipeline executes an opcode follows Accel-Sim's reading of its binary versions 60 to
86, which its published streams were made with: integer multiplication on the integer pipes,
comparisons with the kind of number they compare. Conversions run where the throughput table of the
CUDA C++ Programming Guide has them, at 16 lanes. Tensor operations count as one fused
multiply-add: GPU files say nothing about tensor cores.
"""

from __future__ import annotations

import re
from enum import Enum

from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import Unit

_C = InstructionClass

Pipe = tuple[Unit, InstructionClass]


class Access(Enum):
    """What a memory instruction does, as traces name operations and address spaces."""

    LOAD = ("load", "global")
    STORE = ("store", "global")
    ATOMIC = ("atomic", "global")
    GENERIC_LOAD = ("load", "generic")
    GENERIC_STORE = ("store", "generic")
    SHARED_LOAD = ("load", "local")
    SHARED_STORE = ("store", "local")
    SHARED_ATOMIC = ("atomic", "local")
    CONSTANT = ("load", "constant")
    STACK_LOAD = ("load", "private")
    STACK_STORE = ("store", "private")

    @property
    def operation(self) -> str:
        return self.value[0]

    @property
    def space(self) -> str:
        return self.value[1]


def _rows(pipe: Pipe, names: str) -> dict[str, Pipe]:
    return dict.fromkeys(names.split(), pipe)


PIPES: dict[str, Pipe] = {
    **_rows((Unit.FMA, _C.FP32), "FADD FADD32I FMUL FMUL32I FFMA FFMA32I FMNMX FMNMX3 FSET FSETP"
            " FSEL FCMP FCHK FSWZ FSWZADD FADD2 FMUL2 FFMA2"),
    **_rows((Unit.FMA, _C.FP16), "HADD2 HADD2_32I HMUL2 HMUL2_32I HFMA2 HFMA2_32I HSET2 HSETP2"
            " HMNMX2 HFMA2_MMA"),
    **_rows((Unit.FMA, _C.FP32), "HMMA IMMA BMMA HGMMA IGMMA BGMMA QGMMA"),
    **_rows((Unit.FP64, _C.FP64), "DADD DMUL DFMA DMNMX DSET DSETP DMMA"),
    **_rows((Unit.SFU, _C.SPECIAL), "MUFU RRO"),
    **_rows((Unit.SFU, _C.CONVERT), "F2F F2I I2F I2I FRND F2FP I2FP I2IP F2IP UF2FP"),
    **_rows((Unit.ALU, _C.INT), "IADD IADD3 IADD32I ISUB VIADD VIADDMNMX VIMNMX VIMNMX3 IMNMX IABS"
            " ICMP ISET ISETP LEA ISCADD ISCADD32I IDP IDP4A ISAD VABSDIFF VABSDIFF4 VADD VMNMX"
            " UIADD3 UISETP ULEA UCLEA UIMNMX UVIADD UVIMNMX REDUX CREDUX"),
    **_rows((Unit.ALU, _C.LOGIC), "LOP LOP3 LOP32I SHF SHL SHR FLO POPC BREV BMSK SGXT BFE BFI PRMT"
            " ULOP ULOP3 ULOP32I USHF USHL USHR UFLO UPOPC UBREV UBMSK USGXT UPRMT"),
    **_rows((Unit.ALU, _C.INT_MUL), "IMAD IMAD32I IMUL IMUL32I IMADSP XMAD UIMAD"),
    **_rows((Unit.ALU, _C.MOVE), "MOV MOV32I MOVM MOVM16 SEL S2R S2UR CS2R CS2UR SHFL VOTE VOTEU"
            " VOTE_VTG MATCH PLOP3 PSET PSETP CSET CSETP CSMTEST P2R R2P R2UR R2B B2R UMOV USEL"
            " UPLOP3 UPSETP UP2UR UR2UP R2UP ULDC NOP GETLMEMBASE SETLMEMBASE SETCTAID LEPC"
            " QSPC PMTRIG CCTL CCTLL CCTLT DEPBAR LDGDEPBAR ELECT PREEXIT ACQBULK"),
    **_rows((Unit.CONTROL, _C.BRANCH), "BRA BRX BRXU JMP JMX JMXU CALL CAL JCAL RET PRET EXIT PEXIT"
            " SSY SYNC BSSY BSYNC BREAK BRK PBK CONT PCNT BMOV BPT KILL RTT RPCMOV LONGJMP PLONGJMP"
            " WARPSYNC YIELD NANOSLEEP WARPGROUP"),
    **_rows((Unit.CONTROL, _C.BARRIER), "BAR"),
    **_rows((Unit.CONTROL, _C.FENCE), "MEMBAR ERRBAR FENCE"),
    **_rows((Unit.MEMORY, _C.IMAGE), "TEX TEXS TLD TLDS TLD4 TLD4S TXQ TXD TXA TMML SULD SUST"
            " SUATOM SURED SUQUERY"),
}  # fmt: skip
"""The pipeline of what has no address of its own (or none that is traced)."""

ACCESSES: dict[str, Access] = {
    "LDG": Access.LOAD, "LDGSTS": Access.LOAD, "LDU": Access.LOAD, "STG": Access.STORE,
    "ATOMG": Access.ATOMIC, "ATOM": Access.ATOMIC, "RED": Access.ATOMIC, "REDG": Access.ATOMIC,
    "ATOMGS": Access.ATOMIC,
    "LD": Access.GENERIC_LOAD, "ST": Access.GENERIC_STORE,
    "LDS": Access.SHARED_LOAD, "LDSM": Access.SHARED_LOAD, "STS": Access.SHARED_STORE,
    "STSM": Access.SHARED_STORE, "ATOMS": Access.SHARED_ATOMIC,
    "LDC": Access.CONSTANT, "LDL": Access.STACK_LOAD, "STL": Access.STACK_STORE,
}  # fmt: skip
"""Memory instructions. A copy from global to shared memory (LDGSTS) counts as its load."""

NO_REGISTERS = frozenset({"R255", "RZ", "URZ", "PT", "UPT", "!PT", "!UPT"})
"""Operands that nothing has to be waited for."""

MATRIX_BYTES = 16
"""What each lane's address stands for in LDSM and STSM: a row of an 8x8 matrix of 16-bit
numbers."""


def stem_of(opcode: str) -> str:
    """The part that tables know: without a predicate in front and modifiers after."""
    return opcode.partition(".")[0]


def is_known(opcode: str) -> bool:
    """Whether an opcode is in one of the tables."""
    stem = stem_of(opcode)
    return stem in PIPES or stem in ACCESSES


def pipe_of(opcode: str) -> Pipe:
    """Where an instruction without addresses runs; one that is not known is an integer
    operation."""
    return PIPES.get(stem_of(opcode), (Unit.ALU, _C.INT))


def access_of(opcode: str) -> Access:
    """What an instruction with addresses does; one that is not known loads from global memory."""
    return ACCESSES.get(stem_of(opcode), Access.LOAD)


def bytes_of(opcode: str) -> int:
    """What one lane moves: the first suffix of digits, or U or S and digits, says how many bits;
    without one it is 4 bytes."""
    stem, *suffixes = opcode.split(".")
    if stem in ("LDSM", "STSM"):
        return MATRIX_BYTES
    for part in suffixes:
        found = re.fullmatch(r"[US]?(\d{1,4})", part)
        if found:
            return max(int(found[1]) // 8, 1)
    return 4

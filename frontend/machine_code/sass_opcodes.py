"""What NVIDIA's machine instructions are: pipe, memory, results.

Opcodes are those of NVIDIA's "CUDA Binary Utilities", chapter "Instruction Set Reference", pipes
those of its "Nsight Compute", section "Pipelines" (metrics decoder).
"""

from __future__ import annotations

from kcc.frontend.machine_code.model import Pipe, Space

_PIPES: dict[Pipe, str] = {
    Pipe.FMA: "FADD FADD32I FMUL FMUL32I FFMA FFMA32I FSWZADD FSWZ FCHK HADD2 HADD2_32I HFMA2 "
    "HFMA2_32I HMUL2 HMUL2_32I IMAD IMAD32I IMUL IMUL32I XMAD IMADSP IDP IDP4A",
    Pipe.ALU: "IADD IADD32I IADD3 IABS IMNMX LOP LOP32I LOP3 LEA SHF SHL SHR SEL PRMT MOV MOV32I "
    "ISCADD ISCADD32I BFE BFI BMSK SGXT FMNMX FSEL FSET FSETP FCMP ISET ISETP ICMP ISAD VABSDIFF "
    "VABSDIFF4 P2R R2P PLOP3 PSETP PSET CSET CSETP LEPC CS2R HSET2 HSETP2 HMNMX2 VADD VMNMX "
    "VSET VSETP VSHL VSHR VMAD VIADD VIADDMNMX VIMNMX VIMNMX3 VHMNMX FMNMX3 R2B B2R VOTE",
    Pipe.FP64: "DADD DMUL DFMA DSETP DSET DMNMX",
    Pipe.SPECIAL: "MUFU F2F F2I I2F I2I FRND RRO POPC FLO BREV F2FP F2IP I2IP I2FP S2R",
    Pipe.TENSOR: "HMMA IMMA DMMA BMMA QMMA HGMMA IGMMA QGMMA BGMMA WARPGROUP",
    Pipe.MEMORY: "LD LDC LDG LDL LDS LDSM LDGSTS ST STG STL STS STSM ATOM ATOMG ATOMS RED REDG "
    "REDS TEX TEXS TLD TLDS TLD4 TLD4S TXQ TXD TMML SULD SUST SUATOM SURED SHFL MATCH REDUX "
    "LDU CCTL CCTLL LDGDEPBAR UBLKCP UTMALDG UTMASTG ALD AST ISBERD OUT PIXLD",
    Pipe.CONTROL: "BRA BRX BRXU JMP JMX CAL CALL RET EXIT KILL BRK CONT PBK PCNT SSY SYNC BSSY "
    "BSYNC BREAK BMOV WARPSYNC YIELD NANOSLEEP NOP BAR MEMBAR ERRBAR DEPBAR FENCE "
    "RPCMOV PRET BPT RTT SYNCS ELECT ENDCOLLECTIVE COLLECTIVE PREEXIT ACQBULK WARPGROUPSET "
    "CGAERRBAR UCGABAR_ARV UCGABAR_WAIT",
}  # fmt: skip

PIPE_OF = {opcode: pipe for pipe, opcodes in _PIPES.items() for opcode in opcodes.split()}

SPACE_OF = {
    "LDG": Space.GLOBAL, "STG": Space.GLOBAL, "LD": Space.GLOBAL, "ST": Space.GLOBAL,
    "ATOM": Space.GLOBAL, "ATOMG": Space.GLOBAL, "RED": Space.GLOBAL, "REDG": Space.GLOBAL,
    "LDGSTS": Space.GLOBAL, "LDU": Space.GLOBAL,
    "LDS": Space.SHARED, "STS": Space.SHARED, "ATOMS": Space.SHARED, "REDS": Space.SHARED,
    "LDSM": Space.SHARED, "STSM": Space.SHARED,
    "LDL": Space.LOCAL, "STL": Space.LOCAL, "LDC": Space.CONSTANT, "ULDC": Space.CONSTANT,
    "TEX": Space.TEXTURE, "TEXS": Space.TEXTURE, "TLD": Space.TEXTURE, "TLDS": Space.TEXTURE,
    "TLD4": Space.TEXTURE, "TLD4S": Space.TEXTURE, "SULD": Space.TEXTURE, "SUST": Space.TEXTURE,
}  # fmt: skip

ATOMICS = frozenset({"ATOM", "ATOMG", "ATOMS", "RED", "REDG", "REDS", "SUATOM", "SURED"})
STORES = frozenset({"ST", "STG", "STL", "STS", "STSM", "SUST"}) | ATOMICS
WITHOUT_RESULT = STORES - {"ATOM", "ATOMG", "ATOMS", "SUATOM"}
JUMPS = frozenset({"BRA", "JMP", "BRX", "CAL", "CALL", "SSY", "PBK", "PCNT", "BSSY"})
BRANCHES = frozenset({"BRA", "JMP", "BRX"})
PREDICATE_ONLY = frozenset({"ISETP", "FSETP", "DSETP", "HSETP2", "PSETP", "CSETP", "VSETP", "PLOP3",
                            "R2P", "FCHK"})  # fmt: skip
"""Whose results are predicates alone."""

_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}


def base(opcode: str) -> str:
    """The operation without its modifiers."""
    return opcode.partition(".")[0]


def pipe_of(opcode: str) -> Pipe:
    """The pipe of an opcode; what is not known counts as ALU, the uniform datapath by its U."""
    name = base(opcode)
    found = PIPE_OF.get(name)
    if found is None:
        return Pipe.UNIFORM if name.startswith("U") or name in ("S2UR", "R2UR") else Pipe.ALU
    return found


def access_bytes(opcode: str) -> int:
    """What a lane of a memory instruction moves."""
    return next((_BYTES[part] for part in opcode.split(".")[1:] if part in _BYTES), 4)


def result_words(opcode: str) -> int:
    """Registers of a result."""
    name, *modifiers = opcode.split(".")
    if name in SPACE_OF or name in ATOMICS:
        return max(1, access_bytes(opcode) // 4)
    if name in ("DADD", "DMUL", "DFMA", "DMNMX", "CS2R") and "32" not in modifiers:
        return 2
    if name == "IMAD" and "WIDE" in modifiers:
        return 2
    first = next((m for m in modifiers if m not in ("FTZ", "RN", "TRUNC", "U32", "S32")), "")
    return 2 if name in ("F2F", "I2F") and first == "F64" else 1

"""Opcodes of the dialect and the closed sets their details are drawn from.

Every enum's ``value`` (of :class:`Opcode`: its ``word``) is LLVM's spelling (LLVM language
reference, release 22).
"""

from __future__ import annotations

from enum import Enum, Flag, auto


class Family(Enum):
    """What kind of operation an opcode is."""

    TERMINATOR = "terminator"
    INTEGER = "integer"
    FLOAT = "float"
    BITWISE = "bitwise"
    COMPARISON = "comparison"
    CONVERSION = "conversion"
    VECTOR = "vector"
    AGGREGATE = "aggregate"
    MEMORY = "memory"
    ATOMIC = "atomic"
    OTHER = "other"


class Opcode(Enum):
    """One row per opcode: LLVM's word, its family, whether it commutes."""

    RET = ("ret", Family.TERMINATOR)
    BR = ("br", Family.TERMINATOR)
    SWITCH = ("switch", Family.TERMINATOR)
    UNREACHABLE = ("unreachable", Family.TERMINATOR)

    ADD = ("add", Family.INTEGER, True)
    SUB = ("sub", Family.INTEGER)
    MUL = ("mul", Family.INTEGER, True)
    UDIV = ("udiv", Family.INTEGER)
    SDIV = ("sdiv", Family.INTEGER)
    UREM = ("urem", Family.INTEGER)
    SREM = ("srem", Family.INTEGER)

    FNEG = ("fneg", Family.FLOAT)
    FADD = ("fadd", Family.FLOAT, True)
    FSUB = ("fsub", Family.FLOAT)
    FMUL = ("fmul", Family.FLOAT, True)
    FDIV = ("fdiv", Family.FLOAT)
    FREM = ("frem", Family.FLOAT)

    SHL = ("shl", Family.BITWISE)
    LSHR = ("lshr", Family.BITWISE)
    ASHR = ("ashr", Family.BITWISE)
    AND = ("and", Family.BITWISE, True)
    OR = ("or", Family.BITWISE, True)
    XOR = ("xor", Family.BITWISE, True)

    ICMP = ("icmp", Family.COMPARISON)
    FCMP = ("fcmp", Family.COMPARISON)

    TRUNC = ("trunc", Family.CONVERSION)
    ZEXT = ("zext", Family.CONVERSION)
    SEXT = ("sext", Family.CONVERSION)
    FPTRUNC = ("fptrunc", Family.CONVERSION)
    FPEXT = ("fpext", Family.CONVERSION)
    FPTOUI = ("fptoui", Family.CONVERSION)
    FPTOSI = ("fptosi", Family.CONVERSION)
    UITOFP = ("uitofp", Family.CONVERSION)
    SITOFP = ("sitofp", Family.CONVERSION)
    PTRTOINT = ("ptrtoint", Family.CONVERSION)
    PTRTOADDR = ("ptrtoaddr", Family.CONVERSION)
    INTTOPTR = ("inttoptr", Family.CONVERSION)
    BITCAST = ("bitcast", Family.CONVERSION)
    ADDRSPACECAST = ("addrspacecast", Family.CONVERSION)

    EXTRACTELEMENT = ("extractelement", Family.VECTOR)
    INSERTELEMENT = ("insertelement", Family.VECTOR)
    SHUFFLEVECTOR = ("shufflevector", Family.VECTOR)
    EXTRACTVALUE = ("extractvalue", Family.AGGREGATE)
    INSERTVALUE = ("insertvalue", Family.AGGREGATE)

    ALLOCA = ("alloca", Family.MEMORY)
    LOAD = ("load", Family.MEMORY)
    STORE = ("store", Family.MEMORY)
    GETELEMENTPTR = ("getelementptr", Family.MEMORY)
    ATOMICRMW = ("atomicrmw", Family.ATOMIC)
    CMPXCHG = ("cmpxchg", Family.ATOMIC)
    FENCE = ("fence", Family.ATOMIC)

    PHI = ("phi", Family.OTHER)
    SELECT = ("select", Family.OTHER)
    FREEZE = ("freeze", Family.OTHER)
    CALL = ("call", Family.OTHER)

    def __init__(self, word: str, family: Family, commutes: bool = False) -> None:
        self.word = word
        self.family = family
        self.commutes = commutes


class Flags(Flag):
    """Promises and licences of an instruction (poison-generating and fast-math flags)."""

    NONE = 0
    NUW = auto()
    NSW = auto()
    EXACT = auto()
    DISJOINT = auto()
    NNEG = auto()
    SAMESIGN = auto()
    INBOUNDS = auto()
    NUSW = auto()
    REASSOC = auto()
    NNAN = auto()
    NINF = auto()
    NSZ = auto()
    ARCP = auto()
    CONTRACT = auto()
    AFN = auto()
    FAST = REASSOC | NNAN | NINF | NSZ | ARCP | CONTRACT | AFN


FLAG_WORDS: dict[str, Flags] = {
    "inbounds": Flags.INBOUNDS,
    "nusw": Flags.NUSW,
    "nuw": Flags.NUW,
    "nsw": Flags.NSW,
    "exact": Flags.EXACT,
    "disjoint": Flags.DISJOINT,
    "nneg": Flags.NNEG,
    "samesign": Flags.SAMESIGN,
    "reassoc": Flags.REASSOC,
    "nnan": Flags.NNAN,
    "ninf": Flags.NINF,
    "nsz": Flags.NSZ,
    "arcp": Flags.ARCP,
    "contract": Flags.CONTRACT,
    "afn": Flags.AFN,
    "fast": Flags.FAST,
}
"""LLVM's words for flags in the order it prints them; ``fast`` is all of the fast-math ones."""


class IntPredicate(Enum):
    """Predicates of icmp; also used on pointers."""

    EQ = "eq"
    NE = "ne"
    UGT = "ugt"
    UGE = "uge"
    ULT = "ult"
    ULE = "ule"
    SGT = "sgt"
    SGE = "sge"
    SLT = "slt"
    SLE = "sle"


class FloatPredicate(Enum):
    """Predicates of fcmp: o... is false on a NaN operand, u... is true on one."""

    FALSE = "false"
    OEQ = "oeq"
    OGT = "ogt"
    OGE = "oge"
    OLT = "olt"
    OLE = "ole"
    ONE = "one"
    ORD = "ord"
    UEQ = "ueq"
    UGT = "ugt"
    UGE = "uge"
    ULT = "ult"
    ULE = "ule"
    UNE = "une"
    UNO = "uno"
    TRUE = "true"


class AtomicOperation(Enum):
    """Operations of atomicrmw."""

    XCHG = "xchg"
    ADD = "add"
    SUB = "sub"
    AND = "and"
    NAND = "nand"
    OR = "or"
    XOR = "xor"
    MAX = "max"
    MIN = "min"
    UMAX = "umax"
    UMIN = "umin"
    FADD = "fadd"
    FSUB = "fsub"
    FMAX = "fmax"
    FMIN = "fmin"
    FMAXIMUM = "fmaximum"
    FMINIMUM = "fminimum"
    UINC_WRAP = "uinc_wrap"
    UDEC_WRAP = "udec_wrap"
    USUB_COND = "usub_cond"
    USUB_SAT = "usub_sat"


class Ordering(Enum):
    """Memory orderings of atomic accesses and fences."""

    UNORDERED = "unordered"
    MONOTONIC = "monotonic"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"
    SEQ_CST = "seq_cst"

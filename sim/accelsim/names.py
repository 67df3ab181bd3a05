"""Which SASS an operation of the IR is written as.

Each name runs, as :mod:`kcc.sim.accelsim.opcodes` reads it, on the pipeline that the machine-cost
table (:mod:`kcc.sim.machine.costs`) has for the operation, but for two that Accel-Sim puts
elsewhere: integer multiplication on the integer pipes, comparisons of floats on those of floats.
All names stand in the instruction set tables of NVIDIA's CUDA Binary Utilities for each of the
architectures here. Operations of several instructions (division, functions of libdevice) repeat
one name of their main pipeline: how many there are is what the table knows.
"""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.base.trace.tables import TracedAccessTable, TracedInstruction
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import Unit


@dataclass(frozen=True, slots=True)
class Architecture:
    """``binary_version`` as Accel-Sim knows it; ``gpu`` is one of the architecture, whose costs
    count."""

    binary_version: int
    gpu: str


ARCHITECTURES = {
    "sm_60": Architecture(60, "nvidia-tesla-p100-sxm2"),
    "sm_61": Architecture(61, "nvidia-geforce-gtx-1080"),
    "sm_70": Architecture(70, "nvidia-tesla-v100-pcie-16gb"),
    "sm_75": Architecture(75, "nvidia-geforce-rtx-2080-ti"),
    "sm_80": Architecture(80, "nvidia-a100-pcie-40gb"),
    "sm_86": Architecture(86, "nvidia-geforce-rtx-3070"),
}
"""The binary versions that Accel-Sim has tables of opcodes for, Kepler's apart."""

DEFAULT_ARCHITECTURE = "sm_70"

_OPCODES = {
    "add": "IADD3", "sub": "IADD3", "mul": "IMAD", "and": "LOP3.LUT", "or": "LOP3.LUT",
    "xor": "LOP3.LUT", "shl": "SHF.L.U32", "lshr": "SHF.R.U32.HI", "ashr": "SHF.R.S32.HI",
    "icmp": "ISETP", "select": "SEL", "fadd": "FADD", "fsub": "FADD", "fneg": "FADD",
    "fmul": "FMUL", "frem": "FFMA", "fdiv": "FFMA", "sdiv": "IADD3", "udiv": "IADD3",
    "srem": "IADD3", "urem": "IADD3", "getelementptr": "LEA", "sitofp": "I2F", "uitofp": "I2F.U32",
    "fptosi": "F2I.TRUNC.NTZ", "fptoui": "F2I.U32.TRUNC.NTZ", "fpext": "F2F.F64.F32",
    "fptrunc": "F2F.F32.F64", "br": "BRA", "switch": "BRX", "ret": "EXIT", "fcmp": "FSETP",
}  # fmt: skip
"""By the IR's opcode."""

_CALLS = {
    "fmuladd": "FFMA", "fma": "FFMA", "mad": "FFMA", "fmin": "FMNMX", "fmax": "FMNMX",
    "minnum": "FMNMX", "maxnum": "FMNMX", "smin": "IMNMX", "smax": "IMNMX", "umin": "IMNMX.U32",
    "umax": "IMNMX.U32", "abs": "IABS", "popcount": "POPC", "ctpop": "POPC", "clz": "FLO.U32",
    "ctlz": "FLO.U32", "cttz": "FLO.U32", "bitreverse": "BREV", "fshl": "SHF.L.W.U32",
    "fshr": "SHF.R.W.U32", "floor": "FRND.FLOOR", "ceil": "FRND.CEIL", "trunc": "FRND.TRUNC",
    "rint": "FRND", "sin": "MUFU.SIN", "cos": "MUFU.COS", "exp": "MUFU.EX2", "log": "MUFU.LG2",
    "rsqrt": "MUFU.RSQ", "sqrt": "MUFU.RSQ", "mul24": "IMAD", "mad24": "IMAD",
}  # fmt: skip
"""By a word in the name of the function that is called."""

_UNITS = {
    Unit.ALU: "IADD3", Unit.FMA: "FFMA", Unit.FP64: "DFMA", Unit.SFU: "MUFU.RCP",
    Unit.CONTROL: "BRA", Unit.MEMORY: "TEX.LL", Unit.TENSOR: "HMMA.16816.F32",
}  # fmt: skip
"""Where nothing more exact is known."""

_STEMS = {
    Unit.ALU: frozenset({"IADD3", "LOP3", "SHF", "ISETP", "SEL", "LEA", "IMNMX", "IABS", "POPC",
                         "FLO", "BREV", "FSETP"}),
    Unit.FMA: frozenset({"IMAD", "FADD", "FMUL", "FFMA", "FMNMX", "HADD2", "HMUL2", "HFMA2"}),
    Unit.FP64: frozenset({"DADD", "DMUL", "DFMA", "DSETP"}),
    Unit.SFU: frozenset({"MUFU", "I2F", "F2I", "F2F", "FRND"}),
    Unit.CONTROL: frozenset({"BRA", "BRX", "EXIT"}),
    Unit.MEMORY: frozenset[str](),
    Unit.TENSOR: frozenset({"HMMA", "IMMA", "DMMA", "BMMA"}),
}  # fmt: skip
"""Names that may be taken where a unit executes an operation."""

_CLASSES = {
    InstructionClass.WORK_ITEM: "S2R", InstructionClass.BARRIER: "BAR.SYNC",
    InstructionClass.FENCE: "MEMBAR.SC.GPU", InstructionClass.CALL: "CALL.REL.NOINC",
    InstructionClass.IMAGE: "TEX.LL", InstructionClass.SHUFFLE: "SHFL.IDX",
}  # fmt: skip

_DOUBLE = {"FADD": "DADD", "FMUL": "DMUL", "FFMA": "DFMA", "FSETP": "DSETP"}
_HALF = {"FADD": "HADD2", "FMUL": "HMUL2", "FFMA": "HFMA2"}

_PREDICATES = {
    "eq": "EQ", "ne": "NE", "slt": "LT", "sle": "LE", "sgt": "GT", "sge": "GE", "ult": "LT.U32",
    "ule": "LE.U32", "ugt": "GT.U32", "uge": "GE.U32", "oeq": "EQ", "one": "NE", "olt": "LT",
    "ole": "LE", "ogt": "GT", "oge": "GE", "ord": "NUM", "uno": "NAN", "ueq": "EQU", "une": "NEU",
}  # fmt: skip

_WIDTHS = {1: ".U8", 2: ".U16", 4: "", 8: ".64", 16: ".128"}

_ATOMICS = {
    "xchg": "EXCH", "add": "ADD", "sub": "ADD", "and": "AND", "or": "OR", "xor": "XOR",
    "max": "MAX.S32", "min": "MIN.S32", "umax": "MAX", "umin": "MIN", "fadd": "ADD.F32.FTZ.RN",
    "uinc_wrap": "INC", "udec_wrap": "DEC",
}  # fmt: skip

_ACCESSES = {
    ("load", "global"): "LDG.E", ("store", "global"): "STG.E", ("load", "generic"): "LD.E",
    ("store", "generic"): "ST.E", ("load", "local"): "LDS", ("store", "local"): "STS",
    ("load", "private"): "LDL", ("store", "private"): "STL", ("load", "constant"): "LDC",
    ("store", "constant"): "STG.E",
}  # fmt: skip


def piece_sizes(size: int) -> list[int]:
    """The instructions that an access of so many bytes takes: 16 bytes at most, powers of two."""
    found = list[int]()
    while size > 0:
        piece = next(width for width in (16, 8, 4, 2, 1) if width <= size)
        found.append(piece)
        size -= piece
    return found


def access_name(
    access: TracedAccessTable, instruction: TracedInstruction, size: int, *, is_read: bool
) -> str:
    """The name of an access of ``size`` bytes; ``is_read`` says whether anything uses what an
    atomic operation gives."""
    if access.operation != "atomic":
        return _ACCESSES[access.operation, access.memory] + _WIDTHS[size]
    what = _ATOMICS.get(instruction.detail, "CAS" if not instruction.detail else "EXCH")
    width = ".64" if size == 8 else ""
    if access.space == "local":
        return f"ATOMS.{what}{width}"
    if access.space == "generic":
        return f"ATOM.E.{what}{width}.STRONG.GPU"
    return f"{'ATOMG' if is_read else 'RED'}.E.{what}{width}.STRONG.GPU"


def operation_name(
    instruction: TracedInstruction, unit: Unit, kind: InstructionClass, binary_version: int
) -> str:
    """The name of what an operation other than an access is on its main pipeline."""
    if kind in _CLASSES:
        return _CLASSES[kind]
    if kind is InstructionClass.INT_MUL and binary_version < 70:
        return "XMAD"
    name = _OPCODES.get(instruction.opcode) or _call(instruction)
    name = _DOUBLE.get(name, name) if unit is Unit.FP64 else name
    if kind is InstructionClass.FP16:
        name = _HALF.get(name, name)
    if name.partition(".")[0] not in _STEMS[unit]:
        return _UNITS[unit]
    if instruction.opcode in ("icmp", "fcmp"):
        return f"{name}.{_PREDICATES.get(instruction.detail, 'NE')}.AND"
    return name


def _call(instruction: TracedInstruction) -> str:
    for word, name in _CALLS.items():
        if word in instruction.detail:
            return name
    return ""

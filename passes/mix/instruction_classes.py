"""Which class of work an instruction is for a GPU: one closed list, and what belongs where.

Classes follow the units of a streaming multiprocessor (NVIDIA, CUDA C++ Programming Guide,
"Arithmetic Instructions", table of throughputs by kind of instruction): operations that share a
rate on every listed GPU share a class. What a class costs on a given GPU is said elsewhere.
"""

from __future__ import annotations

from enum import Enum

from kcc.frontend.builtins.primitives import PrimitiveClass
from kcc.frontend.ir.opcodes import Opcode


class InstructionClass(Enum):
    """The classes, in the order of reports. "Narrow" is at most 32 bits, "wide" is more."""

    INT = "int"
    """Narrow integer addition, minimum, maximum, absolute value."""
    INT_MUL = "int_mul"
    """Narrow integer multiplication."""
    INT_DIV = "int_div"
    """Integer division and remainder of any width: a routine on every GPU."""
    INT64 = "int64"
    """Wide addition, logic, shifts: two or more narrow instructions."""
    INT64_MUL = "int64_mul"
    """Wide multiplication."""
    LOGIC = "logic"
    """Narrow bit operations and shifts, counting of bits, truth values."""
    FP16 = "fp16"
    """Half-precision addition, multiplication, fused multiply-add, minimum, maximum, sign."""
    FP32 = "fp32"
    """The same in single precision."""
    FP64 = "fp64"
    """The same in double precision."""
    FP_DIV = "fp_div"
    """Floating-point division and remainder of any precision."""
    SPECIAL = "special"
    """Functions of the special function unit: square root, native_ and half_ functions."""
    MATH = "math"
    """Functions that are routines: sin, exp, pow ... in full precision."""
    CONVERT = "convert"
    """Between integer and floating point, between precisions, rounding to integral values."""
    COMPARE = "compare"
    """Comparisons of integers, floats and pointers."""
    SELECT = "select"
    """The choice of one of two values."""
    MOVE = "move"
    """Changes of type or place within registers: integer widths, bit casts, vector lanes. Also
    shuffles and votes between the lanes of a warp, too rare in kernels to need a class."""
    PHI = "phi"
    """The value a join of control flow gives: a move on some ways at most."""
    ADDRESS = "address"
    """getelementptr: often folded into the access."""
    LOAD_PRIVATE = "load_private"
    LOAD_GLOBAL = "load_global"
    LOAD_CONSTANT = "load_constant"
    LOAD_LOCAL = "load_local"
    LOAD_GENERIC = "load_generic"
    STORE_PRIVATE = "store_private"
    STORE_GLOBAL = "store_global"
    STORE_LOCAL = "store_local"
    STORE_GENERIC = "store_generic"
    ATOMIC_GLOBAL = "atomic_global"
    ATOMIC_LOCAL = "atomic_local"
    ATOMIC_GENERIC = "atomic_generic"
    """Atomics in any space but global and local."""
    TENSOR = "tensor"
    """Matrix products of a warp: tensor cores."""
    IMAGE = "image"
    """Reads, writes and queries of images; samplers."""
    BARRIER = "barrier"
    FENCE = "fence"
    SHUFFLE = "shuffle"
    """Values that lanes of a warp give each other."""
    WORK_ITEM = "work_item"
    """Ids and sizes: reads of special registers."""
    BRANCH = "branch"
    """Jumps, conditional branches, switches, the end of the kernel."""
    CALL = "call"
    """Calls that were not inlined, printf."""


_C = InstructionClass

OPCODE_CLASSES: dict[Opcode, InstructionClass] = {
    Opcode.ADD: _C.INT, Opcode.SUB: _C.INT, Opcode.MUL: _C.INT_MUL,
    Opcode.UDIV: _C.INT_DIV, Opcode.SDIV: _C.INT_DIV, Opcode.UREM: _C.INT_DIV,
    Opcode.SREM: _C.INT_DIV,
    Opcode.SHL: _C.LOGIC, Opcode.LSHR: _C.LOGIC, Opcode.ASHR: _C.LOGIC,
    Opcode.AND: _C.LOGIC, Opcode.OR: _C.LOGIC, Opcode.XOR: _C.LOGIC,
    Opcode.FNEG: _C.FP32, Opcode.FADD: _C.FP32, Opcode.FSUB: _C.FP32, Opcode.FMUL: _C.FP32,
    Opcode.FDIV: _C.FP_DIV, Opcode.FREM: _C.FP_DIV,
    Opcode.ICMP: _C.COMPARE, Opcode.FCMP: _C.COMPARE,
    Opcode.TRUNC: _C.MOVE, Opcode.ZEXT: _C.MOVE, Opcode.SEXT: _C.MOVE,
    Opcode.FPTRUNC: _C.CONVERT, Opcode.FPEXT: _C.CONVERT, Opcode.FPTOUI: _C.CONVERT,
    Opcode.FPTOSI: _C.CONVERT, Opcode.UITOFP: _C.CONVERT, Opcode.SITOFP: _C.CONVERT,
    Opcode.PTRTOINT: _C.MOVE, Opcode.PTRTOADDR: _C.MOVE, Opcode.INTTOPTR: _C.MOVE,
    Opcode.BITCAST: _C.MOVE, Opcode.ADDRSPACECAST: _C.MOVE,
    Opcode.EXTRACTELEMENT: _C.MOVE, Opcode.INSERTELEMENT: _C.MOVE,
    Opcode.SHUFFLEVECTOR: _C.MOVE, Opcode.EXTRACTVALUE: _C.MOVE, Opcode.INSERTVALUE: _C.MOVE,
    Opcode.FREEZE: _C.MOVE,
    Opcode.PHI: _C.PHI, Opcode.SELECT: _C.SELECT, Opcode.GETELEMENTPTR: _C.ADDRESS,
    Opcode.FENCE: _C.FENCE,
    Opcode.RET: _C.BRANCH, Opcode.BR: _C.BRANCH, Opcode.SWITCH: _C.BRANCH,
}  # fmt: skip
"""The class on narrow integers and single precision; loads, stores, atomics and calls depend on
more than the opcode. What is in no table makes no code: alloca, unreachable."""

INTRINSIC_CLASSES: dict[str, InstructionClass | None] = {
    "abs": _C.INT, "smax": _C.INT, "smin": _C.INT, "umax": _C.INT, "umin": _C.INT,
    "sadd.sat": _C.INT, "ssub.sat": _C.INT, "uadd.sat": _C.INT, "usub.sat": _C.INT,
    "sadd.with.overflow": _C.INT, "ssub.with.overflow": _C.INT,
    "uadd.with.overflow": _C.INT, "usub.with.overflow": _C.INT,
    "scmp": _C.INT, "ucmp": _C.INT,
    "smul.with.overflow": _C.INT_MUL, "umul.with.overflow": _C.INT_MUL,
    "ctlz": _C.LOGIC, "cttz": _C.LOGIC, "ctpop": _C.LOGIC, "fshl": _C.LOGIC, "fshr": _C.LOGIC,
    "bswap": _C.LOGIC, "bitreverse": _C.LOGIC,
    "fma": _C.FP32, "fmuladd": _C.FP32, "minnum": _C.FP32, "maxnum": _C.FP32,
    "minimum": _C.FP32, "maximum": _C.FP32, "minimumnum": _C.FP32, "maximumnum": _C.FP32,
    "fabs": _C.FP32, "copysign": _C.FP32, "canonicalize": _C.FP32, "ldexp": _C.FP32,
    "ceil": _C.CONVERT, "floor": _C.CONVERT, "rint": _C.CONVERT, "nearbyint": _C.CONVERT,
    "round": _C.CONVERT, "roundeven": _C.CONVERT, "trunc": _C.CONVERT,
    "fptosi.sat": _C.CONVERT, "fptoui.sat": _C.CONVERT,
    "sqrt": _C.SPECIAL,
    "exp": _C.MATH, "exp2": _C.MATH, "exp10": _C.MATH, "log": _C.MATH, "log2": _C.MATH,
    "log10": _C.MATH, "sin": _C.MATH, "cos": _C.MATH, "tan": _C.MATH, "pow": _C.MATH,
    "powi": _C.MATH,
    "is.fpclass": _C.COMPARE,
    "vector.insert": _C.MOVE, "vector.extract": _C.MOVE,
    "vector.reduce.add": _C.INT, "vector.reduce.mul": _C.INT_MUL,
    "vector.reduce.smax": _C.INT, "vector.reduce.smin": _C.INT,
    "vector.reduce.umax": _C.INT, "vector.reduce.umin": _C.INT,
    "vector.reduce.and": _C.LOGIC, "vector.reduce.or": _C.LOGIC, "vector.reduce.xor": _C.LOGIC,
    "vector.reduce.fadd": _C.FP32, "vector.reduce.fmul": _C.FP32,
    "vector.reduce.fmax": _C.FP32, "vector.reduce.fmin": _C.FP32,
    "assume": None, "expect": None, "sideeffect": None, "donothing": None,
    "lifetime.start": None, "lifetime.end": None, "invariant.start": None, "invariant.end": None,
    "experimental.noalias.scope.decl": None,
}  # fmt: skip
"""LLVM intrinsics without ``llvm.`` and the types, like the opcodes on narrow integers and
single precision; None makes no code. memcpy and its like are accesses."""

PRIMITIVE_CLASSES: dict[PrimitiveClass, InstructionClass] = {
    PrimitiveClass.WORK_ITEM: _C.WORK_ITEM,
    PrimitiveClass.SUBGROUP: _C.WORK_ITEM,
    PrimitiveClass.BARRIER: _C.BARRIER,
    PrimitiveClass.VOTE: _C.BARRIER,
    PrimitiveClass.SHUFFLE: _C.SHUFFLE,
    PrimitiveClass.BALLOT: _C.LOGIC,
    PrimitiveClass.LANES: _C.MOVE,
    PrimitiveClass.SPECIAL: _C.SPECIAL,
    PrimitiveClass.MATH: _C.MATH,
    PrimitiveClass.IMAGE_READ: _C.IMAGE,
    PrimitiveClass.IMAGE_WRITE: _C.IMAGE,
    PrimitiveClass.IMAGE_QUERY: _C.IMAGE,
    PrimitiveClass.SAMPLER: _C.IMAGE,
    PrimitiveClass.PRINTF: _C.CALL,
    PrimitiveClass.MATRIX: _C.TENSOR,
}
"""Built-in functions that stay calls."""

WIDE: dict[InstructionClass, InstructionClass] = {
    _C.INT: _C.INT64,
    _C.LOGIC: _C.INT64,
    _C.INT_MUL: _C.INT64_MUL,
}
"""What a class becomes on integers of more than 32 bits."""

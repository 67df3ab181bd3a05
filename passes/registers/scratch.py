"""Registers that a long operation needs for itself while it runs.

Mathematics and divisions are sequences of instructions with values of their own. The table was
measured: a kernel ``b[i] = f(a[i])`` through ptxas of CUDA 12.9 for sm_70 and sm_90, libdevice's
functions. What its count is more than the estimate of the kernel without ``f`` is the row here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kcc.frontend.builtins.primitives import PrimitiveClass, primitive_of
from kcc.frontend.ir.instructions import AnyInstruction, Binary, Call
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import DOUBLE, I32, I64, IrType, scalar_of
from kcc.frontend.ir.values import ConstantInt

FLOAT_SCRATCH: Mapping[str, int] = MappingProxyType(
    {
        "acos": 4, "atan": 4, "atan2": 10, "cbrt": 6, "cos": 10, "cospi": 8, "erf": 4, "exp": 5,
        "exp2": 4, "fmod": 5, "hypot": 5, "lgamma": 6, "log": 5, "log2": 5, "pow": 9, "pown": 9,
        "powr": 9, "rootn": 9, "rsqrt": 4, "sin": 10, "sinh": 4, "sinpi": 8, "sqrt": 4, "tan": 10,
        "tanh": 6, "tgamma": 10,
    }
)  # fmt: skip

DOUBLE_SCRATCH: Mapping[str, int] = MappingProxyType(
    {
        "acos": 12, "atan": 4, "atan2": 18, "cbrt": 12, "cos": 17, "cospi": 20, "erf": 8,
        "exp": 4, "exp2": 4, "fmod": 7, "hypot": 10, "lgamma": 20, "log": 12, "log2": 12,
        "pow": 19, "pown": 19, "powr": 19, "rootn": 19, "rsqrt": 4, "sin": 17, "sinh": 19,
        "sinpi": 20, "sqrt": 9, "tan": 16, "tanh": 9, "tgamma": 20,
    }
)  # fmt: skip

FLOAT_DEFAULT, DOUBLE_DEFAULT = 6, 16
"""For functions that were not measured: the median of those that were."""

DIVISION_SCRATCH: Mapping[IrType, int] = MappingProxyType({I32: 8, I64: 14, DOUBLE: 14})
"""Integer division and remainder by a value that is not constant; division of doubles."""

_INTEGER_DIVISIONS = frozenset({Opcode.UDIV, Opcode.SDIV, Opcode.UREM, Opcode.SREM})


def scratch_units(instruction: AnyInstruction) -> int:
    """The registers beyond operands and result; 0 for what is one instruction or nearly so."""
    match instruction:
        case Call():
            return _call_scratch(instruction)
        case Binary() if instruction.opcode in _INTEGER_DIVISIONS:
            constant = isinstance(instruction.right, ConstantInt)
            return 0 if constant else DIVISION_SCRATCH.get(scalar_of(instruction.type), 0)
        case Binary() if instruction.opcode is Opcode.FDIV:
            return DIVISION_SCRATCH.get(scalar_of(instruction.type), 0)
        case _:
            return 0


def _call_scratch(call: Call) -> int:
    if call.is_intrinsic:
        is_root = call.callee.startswith("llvm.sqrt") and scalar_of(call.type) == DOUBLE
        return DOUBLE_SCRATCH["sqrt"] if is_root else 0
    primitive = primitive_of(call.callee)
    if primitive is None or primitive.primitive_class is not PrimitiveClass.MATH:
        return 0
    if scalar_of(call.type) == DOUBLE:
        return DOUBLE_SCRATCH.get(primitive.name, DOUBLE_DEFAULT)
    return FLOAT_SCRATCH.get(primitive.name, FLOAT_DEFAULT)

"""Operators on values (OpenCL C 1.2, section 6.3).

Signed scalar ``+ - *`` carry ``nsw`` as clang's do: C leaves overflow undefined, and the loop
analyses need it. Shift counts are taken modulo the width (section 6.3.j).
"""

from __future__ import annotations

from kcc.base.diagnostics import Span
from kcc.base.records import dataclass
from kcc.frontend.ir import types as ir
from kcc.frontend.ir.builder import FunctionBuilder, Value, const_float, const_int, zero
from kcc.frontend.lowering.conversions import suffix, truth
from kcc.frontend.lowering.layout import is_floating, is_signed, value_type
from kcc.frontend.tree import BinaryOp, UnaryOp
from kcc.frontend.types import Type, VectorType


@dataclass(frozen=True, slots=True)
class FloatRules:
    """How floating-point operators may be changed, as LLVM's fast-math flags."""

    flags: str = ""


def binary(
    build: FunctionBuilder, op: BinaryOp, left: Value, right: Value, type_: Type, rules: FloatRules
) -> Value:
    """``left op right`` on operands of ``type_``; a comparison gives i1 (per lane)."""
    if op.is_comparison:
        return _compare(build, op, left, right, type_, rules)
    if is_floating(type_):
        return build.binary(_FLOAT[op], left, right, rules.flags)
    signed = is_signed(type_)
    match op:
        case BinaryOp.ADD | BinaryOp.SUB | BinaryOp.MUL:
            flags = "nsw" if signed and _promoted(left.type) else ""
            return build.binary(_INTEGER[op], left, right, flags)
        case BinaryOp.DIV:
            return build.binary("sdiv" if signed else "udiv", left, right)
        case BinaryOp.REM:
            return build.binary("srem" if signed else "urem", left, right)
        case BinaryOp.SHL:
            return build.binary("shl", left, _masked(build, right))
        case BinaryOp.SHR:
            return build.binary("ashr" if signed else "lshr", left, _masked(build, right))
        case _:
            return build.binary(_INTEGER[op], left, right)


def _promoted(type_: ir.IrType) -> bool:
    """Whether the usual conversions leave the type alone: a narrower one wraps, a vector too."""
    return isinstance(type_, ir.IntTy) and type_.bits >= 32


@dataclass(frozen=True, slots=True)
class Product:
    """A product of floats that has not been computed: it may become part of a fused
    multiply-add.
    """

    left: Value
    right: Value
    negative: bool
    span: Span


def fused(
    build: FunctionBuilder, product: Product, addend: Value, *, negate: bool, rules: FloatRules
) -> Value:
    """``product + addend``, or ``-product + addend``; fused or not as suits the target."""
    left = build.negate_float(product.left, rules.flags) if negate else product.left
    operands = ", ".join(map(str, (left, product.right, addend)))
    words = " ".join(w for w in ("call", rules.flags, str(addend.type)) if w)
    return build.value(addend.type, f"{words} @llvm.fmuladd.{suffix(addend.type)}({operands})")


def unary(
    build: FunctionBuilder, op: UnaryOp, operand: Value, type_: Type, rules: FloatRules
) -> Value:
    """NEG or BIT_NOT of an operand of ``type_``."""
    if op is UnaryOp.BIT_NOT:
        return build.binary("xor", operand, const_int(operand.type, -1))
    if is_floating(type_):
        return build.negate_float(operand, rules.flags)
    nsw = is_signed(type_) and _promoted(operand.type)
    return build.binary("sub", zero(operand.type), operand, "nsw" if nsw else "")


def step(build: FunctionBuilder, value: Value, delta: int, type_: Type, rules: FloatRules) -> Value:
    """``value`` plus 1 or -1."""
    if is_floating(type_):
        return build.binary("fadd", value, const_float(value.type, float(delta)), rules.flags)
    if value.type == ir.I1:
        return truth(build, _stepped_bool(build, value, delta))
    nsw = is_signed(type_) and _promoted(value.type)
    return build.binary("add", value, const_int(value.type, delta), "nsw" if nsw else "")


def _stepped_bool(build: FunctionBuilder, value: Value, delta: int) -> Value:
    return build.binary("add", build.cast("zext", value, ir.I32), const_int(ir.I32, delta))


def lanes_mask(build: FunctionBuilder, flags: Value, type_: Type) -> Value:
    """i1 lanes as the 0 and -1 lanes of an integer vector, or i1 as the integer 0 or 1."""
    opcode = "sext" if isinstance(type_, VectorType) else "zext"
    return build.cast(opcode, flags, value_type(type_))


def _compare(
    build: FunctionBuilder, op: BinaryOp, left: Value, right: Value, type_: Type, rules: FloatRules
) -> Value:
    if is_floating(type_):
        opcode = f"fcmp {rules.flags}" if rules.flags else "fcmp"
        return build.compare(opcode, _ORDERED[op], left, right)
    signed = is_signed(type_)
    return build.compare("icmp", (_SIGNED if signed else _UNSIGNED)[op], left, right)


def _masked(build: FunctionBuilder, count: Value) -> Value:
    scalar = ir.scalar_of(count.type)
    assert isinstance(scalar, ir.IntTy)
    mask = scalar.bits - 1
    if count.text.isdecimal():
        return const_int(count.type, int(count.text) & mask)
    return build.binary("and", count, const_int(count.type, mask))


_FLOAT = {
    BinaryOp.ADD: "fadd",
    BinaryOp.SUB: "fsub",
    BinaryOp.MUL: "fmul",
    BinaryOp.DIV: "fdiv",
}

_INTEGER = {
    BinaryOp.ADD: "add",
    BinaryOp.SUB: "sub",
    BinaryOp.MUL: "mul",
    BinaryOp.AND: "and",
    BinaryOp.OR: "or",
    BinaryOp.XOR: "xor",
}

_ORDERED = {
    BinaryOp.EQ: "oeq",
    BinaryOp.NE: "une",
    BinaryOp.LT: "olt",
    BinaryOp.LE: "ole",
    BinaryOp.GT: "ogt",
    BinaryOp.GE: "oge",
}
"""Comparisons with NaN are false, but for ``!=`` (section 6.3.d, IEEE 754)."""

_SIGNED = {
    BinaryOp.EQ: "eq",
    BinaryOp.NE: "ne",
    BinaryOp.LT: "slt",
    BinaryOp.LE: "sle",
    BinaryOp.GT: "sgt",
    BinaryOp.GE: "sge",
}

_UNSIGNED = {
    BinaryOp.EQ: "eq",
    BinaryOp.NE: "ne",
    BinaryOp.LT: "ult",
    BinaryOp.LE: "ule",
    BinaryOp.GT: "ugt",
    BinaryOp.GE: "uge",
}

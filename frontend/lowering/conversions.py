"""Conversions between types (OpenCL C 1.2, section 6.2), value to value.

Floating point to integer saturates and takes NaN to 0: OpenCL leaves what is out of range to the
implementation, and this is what GPUs do (PTX ISA, instruction ``cvt``); LLVM's plain ``fptosi``
would make such values poison.
"""

from __future__ import annotations

from kcc.frontend.ir import types as ir
from kcc.frontend.ir.builder import FunctionBuilder, Value, const_int, zero
from kcc.frontend.lowering.layout import is_floating, is_signed, value_type
from kcc.frontend.types import BOOL, EventType, PointerType, Type, element_kind


def convert(build: FunctionBuilder, value: Value, source: Type, target: Type) -> Value:
    """``value`` of type ``source`` as ``target``; see :class:`kcc.frontend.tree.Convert`."""
    to = value_type(target)
    if target == BOOL:
        return truth(build, value)
    if isinstance(target, (PointerType, EventType)):
        return _to_pointer(build, value, source, to)
    if isinstance(value.type, ir.PtrTy):
        return build.cast("ptrtoint", value, to)
    if element_kind(target) is None:
        return value
    if is_floating(source):
        return _from_float(build, value, target, to)
    if is_floating(target):
        opcode = "sitofp" if is_signed(source) else "uitofp"
        return build.cast(opcode, value, to)
    return resize(build, value, to, signed=is_signed(source))


def truth(build: FunctionBuilder, value: Value) -> Value:
    """Whether a scalar (or each lane) differs from zero; NaN does."""
    if value.type == ir.I1:
        return value
    if isinstance(ir.scalar_of(value.type), ir.FloatTy):
        return build.compare("fcmp", "une", value, zero(value.type))
    return build.compare("icmp", "ne", value, zero(value.type))


def resize(build: FunctionBuilder, value: Value, to: ir.IrType, *, signed: bool) -> Value:
    """An integer (vector) of another width: cut off, or extended by sign or zero."""
    before, after = _bits(value.type), _bits(to)
    if before == after:
        return value
    if after < before:
        return _constant(value, to) or build.cast("trunc", value, to)
    return _constant(value, to) or build.cast("sext" if signed else "zext", value, to)


def _constant(value: Value, to: ir.IrType) -> Value | None:
    """The same conversion of a written constant; only non-negative ones extend either way."""
    if isinstance(to, ir.IntTy) and value.text.isdecimal():
        return const_int(to, int(value.text))
    return None


def _to_pointer(build: FunctionBuilder, value: Value, source: Type, to: ir.IrType) -> Value:
    if isinstance(value.type, ir.PtrTy):
        return build.cast("addrspacecast", value, to)
    if value.text == "0":
        return zero(to)
    wide = resize(build, value, ir.I64, signed=is_signed(source))
    return build.cast("inttoptr", wide, to)


def _from_float(build: FunctionBuilder, value: Value, target: Type, to: ir.IrType) -> Value:
    if is_floating(target):
        opcode = "fpext" if _bits(to) > _bits(value.type) else "fptrunc"
        return build.cast(opcode, value, to)
    name = "fptosi" if is_signed(target) else "fptoui"
    return build.intrinsic(f"llvm.{name}.sat.{suffix(to)}.{suffix(value.type)}", to, [value])


def suffix(type_: ir.IrType) -> str:
    """How a type is spelled in the name of an overloaded intrinsic: ``v4f32``, ``i64``."""
    match type_:
        case ir.VecTy(lanes, element):
            return f"v{lanes}{suffix(element)}"
        case ir.FloatTy(bits):
            return f"f{bits}"
        case _:
            return str(type_)


def _bits(type_: ir.IrType) -> int:
    scalar = ir.scalar_of(type_)
    assert isinstance(scalar, (ir.IntTy, ir.FloatTy))
    return scalar.bits

"""The class of an instruction, and how many lanes it counts for."""

from __future__ import annotations

from functools import cache

from kcc.frontend.builtins.primitives import primitive_of
from kcc.frontend.ir.instructions import (
    AnyInstruction,
    AtomicRmw,
    Call,
    CompareExchange,
    InsertElement,
    Instruction,
    Load,
    Store,
)
from kcc.frontend.ir.types import FloatTy, IntTy, IrType, PtrTy, VecTy, scalar_of
from kcc.frontend.ir.values import Value
from kcc.frontend.types import AddressSpace
from kcc.passes.mix.instruction_classes import (
    INTRINSIC_CLASSES,
    OPCODE_CLASSES,
    PRIMITIVE_CLASSES,
    WIDE,
    InstructionClass,
)

_FLOAT_CLASSES = {
    16: InstructionClass.FP16,
    32: InstructionClass.FP32,
    64: InstructionClass.FP64,
}

_LOADS = {
    AddressSpace.PRIVATE: InstructionClass.LOAD_PRIVATE,
    AddressSpace.GLOBAL: InstructionClass.LOAD_GLOBAL,
    AddressSpace.CONSTANT: InstructionClass.LOAD_CONSTANT,
    AddressSpace.LOCAL: InstructionClass.LOAD_LOCAL,
}
_STORES = {
    AddressSpace.PRIVATE: InstructionClass.STORE_PRIVATE,
    AddressSpace.GLOBAL: InstructionClass.STORE_GLOBAL,
    AddressSpace.LOCAL: InstructionClass.STORE_LOCAL,
}
_ATOMICS = {
    AddressSpace.GLOBAL: InstructionClass.ATOMIC_GLOBAL,
    AddressSpace.LOCAL: InstructionClass.ATOMIC_LOCAL,
}

_BLOCK_MOVES = frozenset({"memcpy", "memcpy.inline", "memmove", "memset", "memset.inline"})

_LANE_BY_LANE = frozenset({InstructionClass.SPECIAL, InstructionClass.MATH})
"""Built-in functions that work on one lane at a time."""

Counted = tuple[InstructionClass, int]
"""A class, and how often a work-item does its operation when it executes the instruction."""


def classify(instruction: AnyInstruction) -> tuple[Counted, ...]:
    """What one execution of an instruction counts as: nothing, one class, or (memcpy) two.

    An operation on vectors counts once per lane, a memory access once whatever its width.
    """
    match instruction:
        case Load():
            return ((load_class(space_of(instruction.pointer)), 1),)
        case Store():
            return ((store_class(space_of(instruction.pointer)), 1),)
        case AtomicRmw() | CompareExchange():
            space = space_of(instruction.pointer)
            return ((_ATOMICS.get(space, InstructionClass.ATOMIC_GENERIC), 1),)
        case Call():
            return _call(instruction)
        case _:
            found = OPCODE_CLASSES.get(instruction.opcode)
            return ((_refined(found, instruction), _lanes(instruction)),) if found else ()


def space_of(pointer: Value) -> AddressSpace:
    """The address space a pointer points into; generic for numbers the dialect does not have."""
    type_ = scalar_of(pointer.type)
    if isinstance(type_, PtrTy) and type_.space <= AddressSpace.GENERIC:
        return AddressSpace(type_.space)
    return AddressSpace.GENERIC


def load_class(space: AddressSpace) -> InstructionClass:
    """The class of a load from a space."""
    return _LOADS.get(space, InstructionClass.LOAD_GENERIC)


def store_class(space: AddressSpace) -> InstructionClass:
    """The class of a store to a space; constant memory cannot be written."""
    return _STORES.get(space, InstructionClass.STORE_GENERIC)


@cache
def intrinsic_stem(callee: str) -> str | None:
    """The name of an LLVM intrinsic without ``llvm.`` and types; None for one not known here."""
    stem = callee.removeprefix("llvm.")
    while stem:
        if stem in INTRINSIC_CLASSES or stem in _BLOCK_MOVES:
            return stem
        stem = stem.rpartition(".")[0]
    return None


@cache
def primitive_class(callee: str) -> InstructionClass | None:
    """The class of a built-in function that stays a call, by its symbol."""
    primitive = primitive_of(callee)
    return PRIMITIVE_CLASSES[primitive.primitive_class] if primitive else None


def _call(call: Call) -> tuple[Counted, ...]:
    if not call.is_intrinsic:
        found = primitive_class(call.callee) or InstructionClass.CALL
        return ((found, _width(call.type) if found in _LANE_BY_LANE else 1),)
    stem = intrinsic_stem(call.callee)
    if stem is None:
        return ((InstructionClass.CALL, 1),)
    if stem in _BLOCK_MOVES:
        return _block_move(call, stem)
    found = INTRINSIC_CLASSES[stem]
    return ((_refined(found, call), _lanes(call)),) if found else ()


def _block_move(call: Call, stem: str) -> tuple[Counted, ...]:
    stored = (store_class(space_of(call.operands[0])), 1)
    if stem.startswith("memset"):
        return (stored,)
    return ((load_class(space_of(call.operands[1])), 1), stored)


def _refined(found: InstructionClass, instruction: Instruction) -> InstructionClass:
    """The class on the width of the operands."""
    type_ = scalar_of(_computed_type(instruction))
    match type_:
        case IntTy(bits) if bits > 32:
            return WIDE.get(found, found)
        case FloatTy(bits) if found is InstructionClass.FP32:
            return _FLOAT_CLASSES[bits]
        case _:
            return found


def _computed_type(instruction: Instruction) -> IrType:
    """The type an instruction computes on: that of its first operand, if it has any."""
    return instruction.operands[0].type if instruction.operands else instruction.type


def _lanes(instruction: Instruction) -> int:
    """The lanes of the result: an insertion writes one of them, a reduction combines those of
    its operand.
    """
    match instruction:
        case InsertElement():
            return 1
        case Call() if instruction.callee.startswith("llvm.vector.reduce."):
            return _width(_computed_type(instruction))
        case _:
            return _width(instruction.type)


def _width(type_: IrType) -> int:
    return type_.lanes if isinstance(type_, VecTy) else 1

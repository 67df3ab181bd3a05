"""What single instructions compute in the slow interpreter, from their operands' values."""

from __future__ import annotations

import re

from kcc.frontend.ir.instructions import (
    Binary,
    ExtractElement,
    FloatCompare,
    InsertElement,
    IntCompare,
    Select,
    ShuffleVector,
    Unary,
)
from kcc.frontend.ir.opcodes import AtomicOperation, Opcode
from kcc.frontend.ir.types import IntTy, IrType, VecTy
from tests.tracegen import reference_values as ops
from tests.tracegen.reference_values import Data


def computed(
    instruction: Binary | Unary | IntCompare | FloatCompare | Select, given: list[Data]
) -> Data:
    type_, scalar = instruction.type, ops.element_of(instruction.type)
    match instruction:
        case Binary():
            return ops.pairwise(
                type_, lambda a, b: ops.binary(instruction.opcode, scalar, a, b), given[0], given[1]
            )
        case Unary() if instruction.opcode is Opcode.FREEZE:
            return given[0]
        case Unary():
            return ops.each(type_, lambda a: -a, given[0])
        case IntCompare():
            source = ops.element_of(instruction.left.type)
            bits = source.bits if isinstance(source, IntTy) else 64
            return ops.pairwise(
                type_,
                lambda a, b: ops.compare_integers(instruction.predicate, bits, a, b),
                given[0],
                given[1],
            )
        case FloatCompare():
            return ops.pairwise(
                type_,
                lambda a, b: ops.compare_floats(instruction.predicate, a, b),
                given[0],
                given[1],
            )
        case Select():
            if isinstance(given[0], list):
                return [a if c else b for c, a, b in zip(*given, strict=True)]
            return given[1] if given[0] else given[2]


def rearranged(
    instruction: ExtractElement | InsertElement | ShuffleVector, given: list[Data]
) -> Data:
    none = ops.nothing(ops.element_of(instruction.type))
    match instruction:
        case ExtractElement():
            return given[0][given[1]] if given[1] < len(given[0]) else none
        case InsertElement():
            return [given[1] if i == given[2] else v for i, v in enumerate(given[0])]
        case ShuffleVector():
            both = given[0] + given[1]
            return [none if m is None else both[m] for m in instruction.mask]


def intrinsic_name(callee: str) -> str:
    """Without ``llvm.`` and the types at the end."""
    return re.sub(r"(\.(v\d+)?(i|f|p)\d+)+$", "", callee.removeprefix("llvm."))


def replaced(value: Data, indices: tuple[int, ...], new: Data) -> Data:
    if not indices:
        return new
    first, *rest = indices
    return [replaced(v, tuple(rest), new) if i == first else v for i, v in enumerate(value)]


def bitcast(source: IrType, target: IrType, value: Data) -> Data:
    if IntTy(1) in (ops.element_of(source), ops.element_of(target)):
        number = value
        if isinstance(source, VecTy):
            number = sum(int(value[i]) << i for i in range(source.lanes))
        if isinstance(target, VecTy):
            return [number >> i & 1 for i in range(target.lanes)]
        return number
    return ops.decode(target, ops.encode(source, value))


_ATOMICS = {
    AtomicOperation.ADD: Opcode.ADD, AtomicOperation.SUB: Opcode.SUB,
    AtomicOperation.AND: Opcode.AND, AtomicOperation.OR: Opcode.OR,
    AtomicOperation.XOR: Opcode.XOR, AtomicOperation.FADD: Opcode.FADD,
}  # fmt: skip


def atomic(operation: AtomicOperation, type_: IrType, old: Data, value: Data) -> Data:
    if operation in _ATOMICS:
        return ops.binary(_ATOMICS[operation], type_, old, value)
    if operation is AtomicOperation.XCHG:
        return value
    name = operation.value if operation.value[0] == "u" else f"s{operation.value}"
    return ops.intrinsic(name, type_, [type_, type_], [old, value])

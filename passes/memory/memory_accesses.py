"""Memory accesses: which instruction touches which array, and how much of it."""

from __future__ import annotations

from enum import Enum

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import (
    AnyInstruction,
    AtomicRmw,
    Call,
    CompareExchange,
    DebugLocation,
    Load,
    Store,
)
from kcc.frontend.ir.types import IrType, VecTy, size_bytes
from kcc.frontend.ir.values import ConstantInt, Value
from kcc.frontend.kernel import Kernel
from kcc.frontend.types import AddressSpace
from kcc.passes.facts import Facts
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.memory.arrays import Array, ArrayFinder
from kcc.passes.mix.classify import intrinsic_stem, space_of
from kcc.passes.unknown import Unknown


class AccessOp(Enum):
    """What an access does."""

    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"


@dataclass(frozen=True, slots=True)
class MemoryAccess:
    """An access by the instruction ``instruction`` of block ``block``.

    ``element_bytes`` is what one work-item moves in one execution (12 for a vector of three
    floats). ``space`` is that of the array where the pointer itself is generic. ``pointer`` is
    the address.
    """

    id: int
    instruction: int
    block: int
    op: AccessOp
    array: Array | Unknown
    space: AddressSpace
    element_bytes: int | Unknown
    pointer: Value
    volatile: bool
    location: DebugLocation | None


@dataclass(frozen=True, slots=True)
class MemoryAccesses:
    """The accesses of the reachable blocks in their order."""

    accesses: tuple[MemoryAccess, ...]


@dataclass(frozen=True, slots=True)
class MemoryAccessesPass:
    """Gives :class:`MemoryAccesses`. Accesses of built-in functions that stay calls (images,
    printf) are not among them.
    """

    name: str = "memory accesses"
    requires: tuple[type, ...] = (ControlFlow,)

    def run(self, kernel: Kernel, facts: Facts) -> MemoryAccesses:
        reachable = facts[ControlFlow].reachable
        finder = ArrayFinder(kernel)
        found = list[MemoryAccess]()
        for instruction in kernel.function.instructions:
            if instruction.block not in reachable:
                continue
            for touch in _touches(instruction):
                array = finder.array(touch.pointer)
                found.append(_access(len(found), instruction, touch, array))
        return MemoryAccesses(tuple(found))


@dataclass(frozen=True, slots=True)
class _Touch:
    op: AccessOp
    pointer: Value
    element_bytes: int | Unknown
    volatile: bool


def _touches(instruction: AnyInstruction) -> tuple[_Touch, ...]:
    match instruction:
        case Load():
            moved = moved_bytes(instruction.type)
            return (_Touch(AccessOp.LOAD, instruction.pointer, moved, instruction.volatile),)
        case Store():
            moved = moved_bytes(instruction.value.type)
            return (_Touch(AccessOp.STORE, instruction.pointer, moved, instruction.volatile),)
        case AtomicRmw():
            moved = moved_bytes(instruction.type)
            return (_Touch(AccessOp.ATOMIC, instruction.pointer, moved, instruction.volatile),)
        case CompareExchange():
            moved = moved_bytes(instruction.new.type)
            return (_Touch(AccessOp.ATOMIC, instruction.pointer, moved, instruction.volatile),)
        case Call():
            return _block_move(instruction)
        case _:
            return ()


def _block_move(call: Call) -> tuple[_Touch, ...]:
    """memcpy, memmove and memset."""
    stem = intrinsic_stem(call.callee) if call.is_intrinsic else None
    if stem is None or not stem.startswith("mem"):
        return ()
    target, source, length = call.operands[:3]
    moved = length.value if isinstance(length, ConstantInt) else Unknown("the length varies")
    stored = _Touch(AccessOp.STORE, target, moved, volatile=False)
    if stem.startswith("memset"):
        return (stored,)
    return (_Touch(AccessOp.LOAD, source, moved, volatile=False), stored)


def is_bulk_copy(instruction: AnyInstruction) -> bool:
    """Whether it is a copy that the hardware makes on its own, past registers: more than the 16
    bytes that an instruction moves for a lane (PTX ISA, cp.async.bulk)."""
    if (
        not isinstance(instruction, Call)
        or len(instruction.operands) < 4
        or not _block_move(instruction)
    ):
        return False
    length, own = instruction.operands[2:4]
    whole = isinstance(length, ConstantInt) and length.value > 16
    return whole and isinstance(own, ConstantInt) and own.value != 0


def moved_bytes(type_: IrType) -> int:
    """How many bytes a load or store of a type moves: of a vector, its elements alone."""
    if isinstance(type_, VecTy):
        return type_.lanes * size_bytes(type_.element)
    return size_bytes(type_)


def _access(
    number: int, instruction: AnyInstruction, touch: _Touch, array: Array | Unknown
) -> MemoryAccess:
    space = space_of(touch.pointer)
    if space is AddressSpace.GENERIC and isinstance(array, Array):
        space = array.space
    return MemoryAccess(
        id=number,
        instruction=instruction.index,
        block=instruction.block,
        op=touch.op,
        array=array,
        space=space,
        element_bytes=touch.element_bytes,
        pointer=touch.pointer,
        volatile=touch.volatile,
        location=instruction.location,
    )

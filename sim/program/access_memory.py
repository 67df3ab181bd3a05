"""Which memory an access goes to.

Where constant memory lies that a kernel gets by a pointer is not known to the compiler, so that no
other instruction reads it as an operand.
"""

from __future__ import annotations

from kcc.frontend.kernel import Kernel
from kcc.frontend.types import AddressSpace
from kcc.passes.memory.arrays import Array, ArrayKind
from kcc.passes.memory.memory_accesses import AccessOp, MemoryAccess
from kcc.sim.machine.costs import Generation
from kcc.sim.program.operations import Memory

MOST_IN_BANK = 2
"""Arguments in constant memory up to which ptxas 12.9 loads from it by LDC, a word at once; of more
it makes LDG.CONSTANT, as wide as of global memory (sm_52, 75 and 80, with one to five)."""


def is_passed_constant(touch: MemoryAccess) -> bool:
    """Whether an access is to constant memory that came as an argument."""
    array = touch.array
    is_argument = isinstance(array, Array) and array.kind is ArrayKind.ARGUMENT
    return touch.space is AddressSpace.CONSTANT and is_argument


def is_by_value(touch: MemoryAccess) -> bool:
    """Whether an access is to an argument that was passed by value, which lies in the constant
    bank."""
    array = touch.array
    is_argument = isinstance(array, Array) and array.kind is ArrayKind.ARGUMENT
    return touch.space is AddressSpace.PRIVATE and is_argument


def memory_of(
    kernel: Kernel, touch: MemoryAccess, generation: Generation, *, by_pointer: bool
) -> Memory:
    """What an access does to memory; constant memory that came ``by_pointer`` is loaded as global
    memory that nobody writes where ptxas does so, since Hopper always."""
    match touch.space:
        case AddressSpace.LOCAL:
            names = (Memory.SHARED_LOAD, Memory.SHARED_STORE, Memory.SHARED_ATOMIC)
        case AddressSpace.CONSTANT:
            passed = sum(each.address_space is AddressSpace.CONSTANT for each in kernel.arguments)
            through_l1 = generation is Generation.HOPPER or passed > MOST_IN_BANK
            return Memory.GLOBAL_LOAD if by_pointer and through_l1 else Memory.CONSTANT_LOAD
        case AddressSpace.PRIVATE:
            names = (Memory.PRIVATE, Memory.PRIVATE_STORE, Memory.PRIVATE_STORE)
        case _:
            names = (Memory.GLOBAL_LOAD, Memory.GLOBAL_STORE, Memory.GLOBAL_ATOMIC)
    return names[(AccessOp.LOAD, AccessOp.STORE, AccessOp.ATOMIC).index(touch.op)]

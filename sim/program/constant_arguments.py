"""Constant memory that a kernel gets by a pointer: which instructions load from it.

Where it lies is not known to the compiler, so that no other instruction reads it as an operand.
"""

from __future__ import annotations

from kcc.frontend.kernel import Kernel
from kcc.frontend.types import AddressSpace
from kcc.passes.memory.arrays import Array, ArrayKind
from kcc.passes.memory.memory_accesses import MemoryAccess
from kcc.sim.machine.costs import Generation

MOST_IN_BANK = 2
"""Arguments in constant memory up to which ptxas 12.9 loads from it by LDC, a word at once; of more
it makes LDG.CONSTANT, as wide as of global memory (sm_52, 75 and 80, with one to five)."""


def is_passed_constant(touch: MemoryAccess) -> bool:
    """Whether an access is to constant memory that came as an argument."""
    array = touch.array
    is_argument = isinstance(array, Array) and array.kind is ArrayKind.ARGUMENT
    return touch.space is AddressSpace.CONSTANT and is_argument


def through_l1(kernel: Kernel, generation: Generation) -> bool:
    """Whether it is loaded as global memory that nobody writes: since Hopper always."""
    passed = sum(each.address_space is AddressSpace.CONSTANT for each in kernel.arguments)
    return generation is Generation.HOPPER or passed > MOST_IN_BANK

"""How many instructions an access is: none moves more than 16 bytes of a lane, or more of global
memory than its alignment."""

from __future__ import annotations

from collections.abc import Mapping

from kcc.frontend.ir.instructions import AnyInstruction, Call, Load, Store
from kcc.frontend.ir.types import VecTy, size_bytes
from kcc.frontend.types import AddressSpace
from kcc.passes.memory.memory_accesses import MemoryAccess
from kcc.sim.program.operations import Memory
from kcc.sim.program.wanted_lanes import Lanes

WIDEST = 16
"""Bytes of a lane that one instruction moves at most."""

WORD = 4
"""Bytes that LDC brings of constant memory of which nobody knows where it lies."""

BESIDE_COPY = 3
"""What stands for the store of a copy past registers: LDGSTS does both, and beside it are so many
loads of shared memory that no lane does (ptxas 12.9 for sm_80, 86, 89 and 90)."""

_FAR = frozenset({AddressSpace.GLOBAL, AddressSpace.GENERIC, AddressSpace.CONSTANT})


def pieces_of(
    instruction: AnyInstruction, touch: MemoryAccess, size: int, memory: Memory,
    wanted: Mapping[int, Lanes] | None,
) -> int:  # fmt: skip
    """The instructions that an access of ``size`` bytes is. A vector of which nobody knows that it
    is aligned (OpenCL's ``vload4``) is loaded and stored by what is, of its lanes those that
    are ``wanted`` (ptxas 12.9; None for other compilers); in shared memory ptxas finds the
    alignment itself."""
    if memory is Memory.CONSTANT_LOAD:
        return max(1, -(-size // WORD))
    if isinstance(instruction, Call) and memory is Memory.SHARED_STORE:
        return BESIDE_COPY
    whole = max(1, -(-size // WIDEST))
    if wanted is None or not isinstance(instruction, Load | Store) or touch.space not in _FAR:
        return whole
    value = instruction.type if isinstance(instruction, Load) else instruction.operands[0].type
    if not isinstance(value, VecTy) or instruction.alignment_bytes >= min(size, WIDEST):
        return whole
    element = size_bytes(value.element)
    count = len(wanted.get(instruction.index, range(value.lanes)))
    return max(1, -(-count * element // max(instruction.alignment_bytes, element)))

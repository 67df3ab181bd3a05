"""Accesses that a compiler makes one of."""

from __future__ import annotations

import pytest

from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import OptLevel
from kcc.passes.memory.joined import joined_accesses
from kcc.passes.memory.memory_accesses import AccessOp, MemoryAccess, MemoryAccesses
from kcc.passes.symbolic.build import SymbolicValues
from tests.frontend.clang.sources import cuda, facts_of

POINTS = """
struct __align__(ALIGNED) P { float x, y, z, w; };
__global__ void k(P *a) {
  P *p = a + blockIdx.x * blockDim.x + threadIdx.x;
  float x = p->x, y = p->y, z = p->z, w = p->w;
  p->x = w; p->y = x; p->z = y; p->w = z;
}
"""


def found(unit: CompiledUnit, op: AccessOp) -> list[tuple[int, int]]:
    """How many accesses are joined to how many bytes."""
    kernel, facts = facts_of(unit)["k"]
    by_instruction = dict[int, list[MemoryAccess]]()
    for access in facts[MemoryAccesses].accesses:
        by_instruction.setdefault(access.instruction, []).append(access)
    joined = dict[int, tuple[int, int]]()
    for block in kernel.function.blocks:
        for each in joined_accesses(
            block.instructions, by_instruction, facts[SymbolicValues].address, op
        ).values():
            joined[each.instructions[0]] = len(each.accesses), each.bytes
    return list(joined.values())


@pytest.mark.parametrize(
    ("aligned", "wanted"), [("16", [(4, 16)]), ("8", [(2, 8), (2, 8)]), ("4", [])]
)
def test_members_of_a_struct_are_joined_as_it_is_aligned(
    aligned: str, wanted: list[tuple[int, int]]
) -> None:
    unit = cuda(POINTS.replace("ALIGNED", aligned), OptLevel.O2)
    assert found(unit, AccessOp.LOAD) == wanted
    assert found(unit, AccessOp.STORE) == wanted

"""Accesses to local memory for the reuse-distance analysis: private arrays that do not lie in
registers, and what was spilled.

Words of a work-item lie a line apart, those of a warp's lanes side by side (NVIDIA: CUDA C++
Programming Guide, "Local Memory"). The memory belongs to the place of a work-item on its SM, not to
the work-item: a thread block finds the lines that another one left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kcc.base.records import dataclass
from kcc.frontend.types import AddressSpace
from kcc.passes.facts import Facts
from kcc.passes.memory.memory_accesses import MemoryAccess, MemoryAccesses
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Symbol, SymbolKind
from kcc.passes.symbolic.places import flattened
from kcc.sim.program.operations import MachineProgram, Memory

WORD = 4


@dataclass(frozen=True, slots=True)
class LocalAccess:
    """An operation on local memory: ``offset_bytes`` in the memory of a work-item, moved by so many
    bytes with an iteration of each of ``loops``. ``key`` is what :func:`key_of` says."""

    key: int
    block: int
    size_bytes: int
    is_load: bool
    offset_bytes: int
    loops: Mapping[int, int]


def is_local(groups: Sequence[int]) -> bool:
    """Whether what moves an access (:class:`kcc.sim.caches.reuse.layout.Code`) is that of local
    memory."""
    return groups[4] != 0


def key_of(access: int, operation: int) -> int:
    """A number for an operation on memory: the id of its access, below -1 for what has none."""
    return access if access >= 0 else -2 - operation


def local_accesses(program: MachineProgram, facts: Facts) -> Iterator[LocalAccess]:
    """The operations on local memory whose places are known, in order."""
    accesses, values = facts[MemoryAccesses].accesses, facts[SymbolicValues]
    for block, part in enumerate(program.blocks):
        for number in part:
            row = program.operations[number]
            if row.memory not in (Memory.PRIVATE, Memory.PRIVATE_STORE):
                continue
            place: tuple[int, Mapping[int, int]] | None = (row.place, {})
            if row.access >= 0:
                place = _place(values, accesses[row.access], program.array_places)
            if place is not None and place[0] >= 0:
                yield LocalAccess(
                    key_of(row.access, number), block, row.bytes, row.memory is Memory.PRIVATE,
                    *place,
                )  # fmt: skip


def _place(
    values: SymbolicValues, access: MemoryAccess, arrays: Mapping[int, int]
) -> tuple[int, Mapping[int, int]] | None:
    """Where an access to a private array is, and by how much each loop moves it; None where lanes
    differ, or memory decides."""
    if access.space is not AddressSpace.PRIVATE:
        return None
    instruction = values.kernel.function.instructions[access.instruction]
    terms, offset = flattened(values.address(instruction, access.pointer))
    loops = dict[int, int]()
    for term, coefficient in terms:
        if not isinstance(term, Symbol):
            return None
        match term.kind:
            case SymbolKind.PRIVATE if coefficient == 1 and term.index in arrays:
                offset += arrays[int(term.index)]
            case SymbolKind.COUNTER:
                loops[int(term.index)] = coefficient
            case _:
                return None
    return offset, loops

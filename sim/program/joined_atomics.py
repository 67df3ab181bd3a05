"""Which atomic operations the lanes of a warp do together."""

from __future__ import annotations

from kcc.frontend.ir.instructions import AnyInstruction, AtomicRmw
from kcc.frontend.ir.opcodes import AtomicOperation
from kcc.passes.symbolic.expr import ID_KINDS, Node, Symbol, SymbolKind
from kcc.passes.symbolic.places import flattened

_O = AtomicOperation
JOINED = frozenset({_O.ADD, _O.SUB, _O.AND, _O.OR, _O.XOR, _O.MAX, _O.MIN, _O.UMAX, _O.UMIN})
"""Where all work-items have one address, compilers let the lanes of a warp add up integers first,
and one of them do the operation (nvcc 13, in global and in shared memory, for compute capabilities
7.5 and 8.6); values of floating point, exchanges and what compares are done lane by lane."""


def is_joined(instruction: AnyInstruction) -> bool:
    """Whether lanes with one address do this among themselves first."""
    return isinstance(instruction, AtomicRmw) and instruction.operation in JOINED


OF_A_LANE = ID_KINDS - {SymbolKind.GROUP_ID} | {SymbolKind.COUNTER}
"""What may differ between the lanes of a warp: iterations, where they left a loop."""


def have_one_address(address: Node) -> bool:
    """Whether all lanes of a warp are known to have the same address."""
    return all(
        isinstance(term, Symbol) and term.kind not in OF_A_LANE for term, _ in flattened(address)[0]
    )

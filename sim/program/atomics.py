"""Which atomic operations the lanes of a warp do together, which are loops that compare and swap,
and what stands beside them."""

from __future__ import annotations

from collections.abc import Sequence

from kcc.frontend.ir.instructions import (
    AnyInstruction,
    AtomicRmw,
    CompareExchange,
    Load,
    Store,
)
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import AtomicOperation
from kcc.frontend.ir.types import FloatTy, size_bytes
from kcc.frontend.types import AddressSpace
from kcc.passes.graph.loops import Loops
from kcc.passes.memory.memory_accesses import MemoryAccess
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.passes.symbolic.expr import ID_KINDS, Node, Symbol, SymbolKind
from kcc.passes.symbolic.places import flattened
from kcc.sim.flow.divergent_branches import RECONVERGENCE_SLOTS
from kcc.sim.machine.costs import Unit
from kcc.sim.program.drafts import Draft, Drafts
from kcc.sim.program.operations import Memory

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


_WORD = 4
_SWAPS = frozenset({_O.XCHG})
_LOAD_STEPS = 6.0
"""A load from shared memory, in latencies of additions: 24 cycles of Turing."""

OF_JOINING = ((Unit.CONTROL, 2.0), (Unit.ALU, 1.0), (Unit.SFU, 1.0))
"""Beside an operation that the lanes of a warp do together: which of them are there (VOTEU), the
first (UFLO), whether this is that one (ISETP), and how many or what they have together (POPC,
REDUX): ptxas 12.9, sm_80."""

OF_JOINED_VALUE = ((Unit.ALU, 1.0), (Unit.SFU, 2.0), (Unit.FMA, 1.0))
"""And where the old value is wanted: the lanes before this one (LOP3, POPC), what the first one got
(SHFL), the sum."""


def is_swapped(instruction: AnyInstruction, touch: MemoryAccess) -> bool:
    """Whether ptxas makes a loop of a load and a swap: in shared memory of sums of floats, and of
    all integers of 64 bits but an exchange (ptxas 12.9)."""
    if not isinstance(instruction, AtomicRmw) or touch.space is not AddressSpace.LOCAL:
        return False
    type_ = instruction.value.type
    is_native = size_bytes(type_) == _WORD and not isinstance(type_, FloatTy)
    return not is_native and instruction.operation not in _SWAPS


def before_swap(
    drafts: Drafts, instruction: AnyInstruction, needs: Sequence[int], line: int
) -> int:
    """The load of such a loop (LDS, BSSY before it), and the new value, which is given."""
    type_, block = instruction.operands[1].type, instruction.block
    words = float(-(-size_bytes(type_) // _WORD))
    load = Draft(Unit.MEMORY, InstructionClass.MOVE, 1.0, _LOAD_STEPS, list(needs), line=line)
    loaded = drafts.add(block, load)
    wide = words > 1
    if isinstance(type_, FloatTy):
        unit, kind = (
            (Unit.FP64, InstructionClass.FP64) if wide else (Unit.FMA, InstructionClass.FP32)
        )
        slots = 1.0
    else:
        unit, kind, slots = Unit.ALU, InstructionClass.INT, words
    new = Draft(unit, kind, slots, slots, [loaded, *needs], line=line)
    new.instruction = load.instruction = instruction.index
    return drafts.add(block, new)


def after_swap(drafts: Drafts, instruction: AnyInstruction, swap: int, line: int) -> None:
    """Whether nobody came between (ISETP a word), the branch back, and BSSY and BSYNC."""
    words = float(-(-size_bytes(instruction.operands[1].type) // _WORD))
    test = Draft(Unit.ALU, InstructionClass.COMPARE, words, words, [swap], line=line)
    again = Draft(
        Unit.CONTROL, InstructionClass.BRANCH, 1.0 + RECONVERGENCE_SLOTS, 1.0,
        [drafts.add(instruction.block, test)], line=line,
    )  # fmt: skip
    test.instruction = again.instruction = instruction.index
    drafts.add(instruction.block, again)


def beside_joined(
    drafts: Drafts, instruction: AnyInstruction, touch: MemoryAccess, line: int, *, is_wanted: bool
) -> None:
    """What lanes do that join an operation on global memory; in shared memory the unit there does
    it (ATOMS.POPC.INC), and a maximum whose old value is wanted each lane does by itself."""
    if touch.space is AddressSpace.LOCAL or not isinstance(instruction, AtomicRmw):
        return
    sums = instruction.operation in (_O.ADD, _O.SUB)
    if is_wanted and not sums:
        return
    for unit, slots in (*OF_JOINING, *(OF_JOINED_VALUE if is_wanted else ())):
        draft = Draft(unit, InstructionClass.INT, slots, 1.0, [], line=line)
        draft.instruction = instruction.index
        drafts.add(instruction.block, draft)


def let_others_run(drafts: Drafts, function: Function, loops: Loops) -> None:
    """A YIELD in each iteration of an innermost loop with atomic or volatile accesses and no
    barrier, in which lanes may wait for each other (ptxas 12.9 since sm_70, 48 of 50 loops)."""
    for loop in loops.loops:
        own = [i for b in loop.blocks for i in function.blocks[b].instructions]
        has_barrier = any(
            drafts.rows[n].memory is Memory.BARRIER for b in loop.blocks for n in drafts.blocks[b]
        )
        if loop.children or has_barrier or not any(map(_may_wait, own)):
            continue
        draft = Draft(Unit.CONTROL, InstructionClass.MOVE, 1.0, 1.0, [])
        drafts.add(loop.header, draft)
        drafts.blocks[loop.header].insert(0, drafts.blocks[loop.header].pop())


def _may_wait(each: AnyInstruction) -> bool:
    is_volatile = isinstance(each, Load | Store) and (each.volatile or each.ordering is not None)
    return is_volatile or isinstance(each, AtomicRmw | CompareExchange)

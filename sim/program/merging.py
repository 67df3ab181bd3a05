"""Accesses that a compiler does not make: loads of an address it has just loaded, and those that
are part of a wider load of neighbours (LLVM's load-store vectoriser); in shared memory, loads of
what was just stored, and stores that are overwritten (ptxas, which knows of two places of an array
at a constant distance that they are apart)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import (
    AnyInstruction,
    Call,
    Cast,
    GetElementPtr,
    Load,
    Store,
)
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import Flags, Opcode
from kcc.frontend.ir.types import ArrayTy, VecTy, size_bytes
from kcc.frontend.ir.values import ConstantExpr, ConstantInt, GlobalRef, Value
from kcc.frontend.types import AddressSpace
from kcc.passes.memory.arrays import Array
from kcc.passes.memory.memory_accesses import AccessOp, MemoryAccess
from kcc.passes.mix.classify import classify
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.passes.symbolic.expr import Node, Symbol, SymbolKind
from kcc.passes.symbolic.places import Iteration, Terms, where_of
from kcc.sim.program.folding import function_name

Where = tuple[Terms, int]
"""An address: terms with coefficients, and a constant."""

Place = tuple[AddressSpace, Where, int]
"""An address space, an address, and how many bytes."""


@dataclass(slots=True)
class LoadMerging:
    """The loads of the block so far, by what they load; a store or a barrier makes them stale."""

    function: Function
    shared_alignment: Mapping[int | str, int]
    """Bytes to which each array of shared memory is taken to be aligned: as far as that loads of
    words from it are joined whatever their own type (:func:`shared_alignments`)."""
    exact: dict[Place, int] = field(default_factory=dict[Place, int])
    pieces: dict[Place, int] = field(default_factory=dict[Place, int])
    block: int = -1
    ends: dict[int, frozenset[Place]] = field(default_factory=dict[int, frozenset[Place]])
    """What was loaded at the end of each block."""
    before: frozenset[Place] = frozenset()
    """What was loaded at the end of the only block that leads to this one."""
    by_ptxas: bool = False
    stored: dict[Place, int] = field(default_factory=dict[Place, int])
    """The stores to shared memory of the block so far whose values are still there."""
    unread: set[Place] = field(default_factory=set[Place])
    """Those of which nobody may have loaded anything."""

    def pass_by(self, instruction: AnyInstruction) -> None:
        """After a barrier, of a warp's lanes too, and after a fence everything may be different."""
        kinds = {kind for kind, _ in classify(instruction)}
        of_warp = isinstance(instruction, Call) and function_name(instruction) == _OF_WARP
        if of_warp or kinds & {InstructionClass.BARRIER, InstructionClass.FENCE}:
            self.forget()

    def forget(self) -> None:
        """Nothing is known."""
        self.exact.clear()
        self.pieces.clear()
        self.stored.clear()
        self.unread.clear()
        self.before = frozenset()

    def find(self, block: int, touch: MemoryAccess, address: Node) -> tuple[int, int] | None:
        """The operation that has loaded a value already, or can with more bytes, and how many
        bytes more; call it for every access, in order: it sees stores."""
        if self.block != block:
            self._enter(block)
        place = self._place(touch, address)
        if touch.op is not AccessOp.LOAD:
            if touch.space is AddressSpace.GENERIC:
                self.stored.clear()
            self.exact = {k: n for k, n in self.exact.items() if _apart(k, touch, place)}
            self.pieces = {k: n for k, n in self.pieces.items() if _apart(k, touch, place)}
            self.stored = {k: n for k, n in self.stored.items() if _apart(k, touch, place)}
            self.before = frozenset(k for k in self.before if _apart(k, touch, place))
            self.unread &= self.stored.keys()
            return None
        if touch.space is AddressSpace.GENERIC:
            self.unread.clear()
        self.unread = {k for k in self.unread if _apart(k, touch, place)}
        if touch.volatile or not isinstance(touch.element_bytes, int):
            return None
        size, where = touch.element_bytes, where_of(address)
        same = self.exact.get((touch.space, where, size))
        if same is not None:
            return same, 0
        for piece in _pieces(touch, where, size):
            if piece in self.pieces:
                self.exact[(touch.space, where, size)] = self.pieces[piece]
                return self.pieces[piece], size
        return None

    def _place(self, touch: MemoryAccess, address: Node) -> Place | None:
        """Where an access to shared memory is; None where that is not known, or of no matter."""
        size = touch.element_bytes
        if not self.by_ptxas or touch.space is not AddressSpace.LOCAL or touch.volatile:
            return None
        if touch.op is AccessOp.ATOMIC or not isinstance(size, int):
            return None
        return touch.space, where_of(address), size

    def store_of(self, block: int, touch: MemoryAccess, address: Node) -> int | None:
        """The store of the block that has put there what a load wants, or a store puts there anew
        before anybody has read it."""
        place = self._place(touch, address)
        if block != self.block or place is None:
            return None
        if touch.op is AccessOp.LOAD or place in self.unread:
            return self.stored.get(place)
        return None

    def keep_store(self, touch: MemoryAccess, address: Node, number: int) -> None:
        """Remember a store that was made."""
        if (place := self._place(touch, address)) is not None:
            self.stored[place] = number
            self.unread.add(place)

    def _is_aligned(self, piece: Place, where: Where, alignment: int, pointer: Value) -> bool:
        """Whether a piece, of which a load with this alignment is a part, is known to be aligned:
        by what the type of its first load says or, in an array of shared memory of which the
        assembler knows the place, by its index. LLVM makes words of fours that are read by the
        element, the first of which keeps their alignment."""
        _, (_, start), width = piece
        if start == where[1] and alignment >= width:
            return True
        return width <= self._known_alignment(pointer)

    def _known_alignment(self, pointer: Value) -> int:
        """The alignment of a place in an array of shared memory, by its index without constants: by
        what the program says, not by what is known of the launch."""
        known = _MOST_MULTIPLE
        while isinstance(step := self.function.definition(pointer), GetElementPtr | Cast):
            pointer = step.operands[0]
            if isinstance(step, GetElementPtr):
                known = min([known, *_strides(self.function, step)])
        if isinstance(pointer, ConstantExpr):
            pointer = next((o for o in pointer.operands if isinstance(o, GlobalRef)), pointer)
        name = pointer.name if isinstance(pointer, GlobalRef) else ""
        return min(known, self.shared_alignment.get(name, 1))

    def alignment(self, touch: MemoryAccess, address: Node) -> int:
        """What ptxas knows of the alignment of an access to shared memory beside its type."""
        if not self.by_ptxas or touch.space is not AddressSpace.LOCAL:
            return 1
        _, constant = where_of(address)
        known = self._known_alignment(touch.pointer)
        return min(known, constant & -constant) if constant else known

    def _enter(self, block: int) -> None:
        self.ends[self.block] = frozenset(self.exact) | self.before
        self.forget()
        self.block = block
        leading = self.function.blocks[block].predecessors
        if len(leading) == 1:
            self.before = self.ends.get(leading[0], frozenset())

    def is_sunk(self, touch: MemoryAccess, address: Node) -> bool:
        """Whether a load repeats one of the block before: LLVM moves a sum that only one side of a
        branch stores after the branch, with loads that the other sums have done already."""
        if touch.op is not AccessOp.LOAD or touch.volatile:
            return False
        size = touch.element_bytes
        return isinstance(size, int) and (touch.space, where_of(address), size) in self.before

    def keep(
        self, touch: MemoryAccess, address: Node, size: int, alignment: int, number: int
    ) -> None:
        """Remember a load that was made, with the alignment that the IR gives it."""
        where = where_of(address)
        self.exact[(touch.space, where, size)] = number
        for piece in _pieces(touch, where, size):
            if self._is_aligned(piece, where, alignment, touch.pointer):
                self.pieces[piece] = number
                break


def _apart(known: Place, touch: MemoryAccess, place: Place | None) -> bool:
    """Whether an access leaves a place alone: in other memory, in shared memory also another array
    and another constant beside the same index."""
    if known[0] is not touch.space or place is None:
        return known[0] is not touch.space
    (terms, start), (others, other) = known[1], place[1]
    if terms == others:
        return start + known[2] <= other or other + place[2] <= start
    own, their = _arrays(terms), _arrays(others)
    return len(own) == len(their) == 1 and own != their


def _arrays(terms: Terms) -> frozenset[Node | Iteration]:
    return frozenset(t for t, _ in terms if isinstance(t, Symbol) and t.kind is SymbolKind.GLOBAL)


_OF_WARP = "sub_group_barrier"

MOST_JOINED = 16
"""Bytes of the widest load."""


def shared_alignments(
    function: Function, accesses: Mapping[int, Iterable[MemoryAccess]], *, is_opencl: bool
) -> Mapping[int | str, int]:
    """The alignment of each array of shared memory, by the accesses of each instruction.

    ptxas 13 joins loads of four neighbours with what nvcc or clang give it. OpenCL's driver of the
    gemm tables goes by types, of the array and of those used before it: on both GPUs single words
    of B take what pairs do where A lies before it as pairs or fours, and 9 to 12 cycles more (for 8
    words) where A lies there as single words or not at all; pairs of A do not gain by fours of B.
    """
    found, most = dict[int | str, int](), 1 if is_opencl else MOST_JOINED
    for index, touches in accesses.items():
        instruction = function.instructions[index]
        if not isinstance(instruction, Load | Store):
            continue
        for touch in touches:
            if touch.space is AddressSpace.LOCAL and isinstance(touch.array, Array):
                before = found.get(touch.array.symbol, most)
                alignment = min(instruction.alignment_bytes, MOST_JOINED)
                found[touch.array.symbol] = max(before, alignment)
                most = max(most, found[touch.array.symbol])
    return found


def _strides(function: Function, step: GetElementPtr) -> Iterator[int]:
    """By how many bytes an address moves at least with each index that is no constant."""
    type_ = step.source_type
    for number, index in enumerate(step.indices):
        if number:
            if not isinstance(type_, ArrayTy | VecTy):
                return  # Fields of structures are chosen by constants.
            type_ = type_.element
        if not isinstance(index, ConstantInt):
            yield _power(size_bytes(type_)) * _multiple_of(function, index, frozenset())


def _multiple_of(function: Function, value: Value, open_: frozenset[int]) -> int:
    """A power of two, 1,024 at most, that a number without constants that are added to it is known
    to be a multiple of; phis that are ``open_`` of any."""
    if isinstance(value, ConstantInt):
        return _power(value.value)
    made = function.definition(value)
    if made is None or len(open_) > _DEEPEST:
        return 1
    if made.index in open_:
        return _MOST_MULTIPLE
    inside = open_ | {made.index}

    def of(operand: Value) -> int:
        return _multiple_of(function, operand, inside)

    operands = made.operands
    match made.opcode:
        case Opcode.ADD | Opcode.SUB | Opcode.OR:
            is_apart = made.opcode is not Opcode.OR or Flags.DISJOINT in made.flags
            parts = [o for o in operands if not (is_apart and isinstance(o, ConstantInt))]
            found = min(map(of, parts), default=_MOST_MULTIPLE)
        case Opcode.MUL if isinstance(operands[1], ConstantInt):
            found = of(operands[0]) * _power(operands[1].value)
        case Opcode.SHL if isinstance(operands[1], ConstantInt):
            found = of(operands[0]) << min(operands[1].unsigned, 10)
        case Opcode.AND if isinstance(operands[1], ConstantInt):
            found = _power(operands[1].value)
        case Opcode.SEXT | Opcode.ZEXT | Opcode.TRUNC:
            found = of(operands[0])
        case Opcode.PHI:
            found = min(map(of, operands))
        case _:
            found = 1
    return min(found, _MOST_MULTIPLE)


def _power(number: int) -> int:
    """The largest power of two that divides a number."""
    return min(number & -number or _MOST_MULTIPLE, _MOST_MULTIPLE)


_DEEPEST = 32
_MOST_MULTIPLE = 1024


def _pieces(touch: MemoryAccess, where: Where, size: int) -> tuple[Place, ...]:
    """The pieces of 16 bytes and less that a load of 1, 2, 4 or 8 may be part of."""
    if size not in (1, 2, 4, 8) or touch.space not in (AddressSpace.LOCAL, AddressSpace.GLOBAL):
        return ()
    terms, constant = where
    return tuple((touch.space, (terms, constant // p * p), p) for p in (16, 8, 4, 2) if p > size)

"""From a kernel's IR to what a warp issues: machine operations with units, latencies, dependences.

What stands between IR and machine code is decided here, as a GPU's compiler would:

* Address arithmetic folds into accesses. Accesses whose addresses differ by a constant share one
  address; an address that moves by a constant with a loop costs an addition per iteration, one
  that does not is computed outside the loop.
* A multiplication whose only user is an addition is a fused multiply-add; negation and absolute
  value are modifiers; truth values are predicates.
* Small innermost loops are unrolled, so that their own overhead is shared by several iterations.
* Within a block operations are ordered so that values are used up soon; loads then go ahead.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from kcc.frontend.builtins.primitives import primitive_of
from kcc.frontend.ir.instructions import (
    AnyInstruction,
    Binary,
    Branch,
    Call,
    Cast,
    CondBranch,
    GetElementPtr,
    IntCompare,
    Phi,
    Switch,
)
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import Flags, Opcode
from kcc.frontend.ir.types import VOID, FloatTy, IntTy, PtrTy, scalar_of, size_bytes
from kcc.frontend.ir.values import ConstantInt, ConstantVector, InstructionRef, Value
from kcc.frontend.kernel import Kernel
from kcc.frontend.types import AddressSpace
from kcc.passes.classify import classify, intrinsic_stem
from kcc.passes.control_flow import ControlFlow
from kcc.passes.facts import Facts
from kcc.passes.instruction_classes import InstructionClass
from kcc.passes.loops import Loops
from kcc.passes.memory_accesses import AccessOp, MemoryAccess, MemoryAccesses
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import BASE_KINDS, Expr, Number, Sum, Symbol
from kcc.sim.machine_costs import FP64_FUNCTIONS, FUNCTIONS, Generation, Unit, cost_of


class Memory(IntEnum):
    """What an operation does to memory."""

    NONE = 0
    SHARED_LOAD = 1
    SHARED_STORE = 2
    GLOBAL_LOAD = 3
    GLOBAL_STORE = 4
    CONSTANT_LOAD = 5
    PRIVATE = 6
    SHARED_ATOMIC = 7
    GLOBAL_ATOMIC = 8
    BARRIER = 9
    IMAGE = 10
    PRIVATE_STORE = 11


@dataclass(frozen=True, slots=True)
class MachineOperation:
    """``slots`` warp instructions on ``unit``; the result is there ``steps`` latencies of ``kind``
    after issue. ``needs`` are operations of the program whose results it waits for. ``access`` is
    the id of the memory access, -1 for none; ``bytes`` what a lane moves. ``instruction`` is the
    IR's, -1 for what has none."""

    unit: Unit
    kind: InstructionClass
    slots: float
    steps: float
    needs: tuple[int, ...]
    memory: Memory
    access: int
    bytes: int
    line: int
    instruction: int


@dataclass(frozen=True, slots=True)
class MachineProgram:
    """``blocks[b]`` are the operations of basic block b in the order in which they are issued."""

    operations: tuple[MachineOperation, ...]
    blocks: tuple[tuple[int, ...], ...]
    registers: int
    """Values of 32 bits that live at once, at most, in this order of operations."""


UNROLL_LIMIT = 8
UNROLL_SIZE = 150
"""Innermost loops are unrolled up to 8 times while they have no more than 150 operations: LLVM's
NVPTX target lets loops be unrolled at run time by up to 8; the size is such that the branches
counted on a 2080 Ti over Coulomb sums (7 for 64 iterations) come out best."""

FULL_UNROLL_SIZE = 1000
"""Operations up to which a loop with a constant trip count is unrolled wholly (nvcc's default
threshold is not published; LLVM's NVPTX target takes 300 times bonuses for folded constants)."""

_AFFINE = frozenset({Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.SHL, Opcode.OR})
_FREE_CASTS = frozenset(
    {Opcode.ZEXT, Opcode.SEXT, Opcode.TRUNC, Opcode.PTRTOINT, Opcode.INTTOPTR, Opcode.BITCAST,
     Opcode.ADDRSPACECAST}
)  # fmt: skip
_FREE_CALLS = frozenset({"fabs", "copysign", "canonicalize"})
_CONSTANT_QUERIES = frozenset(
    {"get_local_size", "get_num_groups", "get_global_size", "get_global_offset", "get_work_dim"}
)
_SHORT = frozenset({AddressSpace.LOCAL, AddressSpace.PRIVATE})


@dataclass(slots=True)
class _Draft:
    unit: Unit
    kind: InstructionClass
    slots: float
    steps: float
    needs: list[int]
    memory: Memory = Memory.NONE
    access: int = -1
    bytes: int = 0
    line: int = 0
    instruction: int = -1
    overhead: bool = False


@dataclass(slots=True)
class _State:
    drafts: list[_Draft] = field(default_factory=list[_Draft])
    blocks: list[list[int]] = field(default_factory=list[list[int]])
    result: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])
    """By instruction, the operations that its value comes from."""


def machine_program(kernel: Kernel, facts: Facts, generation: Generation) -> MachineProgram:
    """The program of a kernel at -O2."""
    return _Lowering(kernel, facts, generation).run()


class _Lowering:
    def __init__(self, kernel: Kernel, facts: Facts, generation: Generation) -> None:
        self.function: Function = kernel.function
        self.facts, self.generation = facts, generation
        self.values = facts[SymbolicValues]
        self.loops = facts[Loops]
        self.accesses: dict[int, list[MemoryAccess]] = {}
        for access in facts[MemoryAccesses].accesses:
            self.accesses.setdefault(access.instruction, []).append(access)
        self.users = _users(self.function)
        self.folded = self._address_arithmetic()
        self.fused = self._fused()
        self.state = _State()
        self.groups: dict[object, int] = {}
        self.loaded: dict[tuple[AddressSpace, Expr, int], int] = {}
        self.wide: dict[tuple[AddressSpace, Expr, int], int] = {}
        self.load_block = -1

    def run(self) -> MachineProgram:
        state, reachable = self.state, self.facts[ControlFlow].reachable
        state.blocks = [[] for _ in self.function.blocks]
        for block in self.function.blocks:
            if block.index in reachable:
                for instruction in (*block.instructions, block.terminator):
                    self._lower(instruction)
        self._close_phis()
        self._share_overhead()
        rows = [_frozen(draft) for draft in state.drafts]
        order = [_scheduled(rows, block) for block in state.blocks]
        return MachineProgram(tuple(rows), tuple(order), self._pressure(rows, order))

    def _pressure(self, rows: list[MachineOperation], order: list[tuple[int, ...]]) -> int:
        """The most values alive at once in a block, those that other blocks read through it all."""
        outside = set[int]()
        home = {number: block for block, part in enumerate(order) for number in part}
        for number, row in enumerate(rows):
            outside |= {n for n in row.needs if home[n] != home[number] or n >= number}
        words = [self._words(row) for row in rows]
        through = sum(words[n] for n in outside)
        most = 0
        for part in order:
            last = {n: place for place, number in enumerate(part) for n in rows[number].needs}
            alive, ends = 0, dict[int, int]()
            for place, number in enumerate(part):
                alive -= ends.pop(place, 0)
                if number in last and number not in outside and last[number] > place:
                    alive += words[number]
                    ends[last[number]] = ends.get(last[number], 0) + words[number]
                most = max(most, alive)
        return most + through

    def _words(self, row: MachineOperation) -> int:
        if row.kind is InstructionClass.COMPARE or row.slots == 0:
            return 0
        if row.kind is InstructionClass.ADDRESS:
            return 1 if row.slots <= 1 else 2
        if row.instruction < 0:
            return 1
        type_ = self.function.instructions[row.instruction].type
        if row.memory in _LOADS and row.bytes > 4:
            return row.bytes // 4
        return 0 if type_ == VOID else -(-size_bytes(type_) // 4)

    # what costs nothing

    def _address_arithmetic(self) -> frozenset[int]:
        """Instructions that are only there for addresses, and linear."""
        folded = {i.index for i in self.function.instructions if _may_fold(i)}
        changed = True
        while changed:
            changed = False
            for index in list(folded):
                for user in self.users.get(index, ()):
                    if user.index in folded or self._is_address_only(index, user):
                        continue
                    folded.discard(index)
                    changed = True
                    break
        return frozenset(folded)

    def _is_address_only(self, index: int, user: AnyInstruction) -> bool:
        """Whether an access uses a value as its address, and only so."""
        touches = self.accesses.get(user.index)
        if not touches:
            return False
        pointers = {t.pointer.index for t in touches if isinstance(t.pointer, InstructionRef)}
        others = [o for o in user.operands if isinstance(o, InstructionRef) and o.index == index]
        return index in pointers and len(others) == 1

    def _fused(self) -> frozenset[int]:
        """Multiplications that become part of an addition."""
        found = set[int]()
        taken = set[int]()
        for each in self.function.instructions:
            if each.opcode is not Opcode.FMUL:
                continue
            users = self.users.get(each.index, [])
            if len(users) != 1 or Flags.CONTRACT not in each.flags:
                continue
            user = next(iter(users))
            if user.opcode in (Opcode.FADD, Opcode.FSUB) and user.index not in taken:
                taken.add(user.index)
                found.add(each.index)
        return frozenset(found)

    # one instruction

    def _lower(self, instruction: AnyInstruction) -> None:
        state = self.state
        touches = self.accesses.get(instruction.index)
        if touches:
            made = tuple(self._access(instruction, touch) for touch in touches)
            state.result[instruction.index] = made
            return
        needs = self._needs(instruction.operands)
        if (
            isinstance(instruction, Phi)
            or instruction.index in self.folded
            or self._free(instruction)
        ):
            state.result[instruction.index] = tuple(needs)
            return
        operations = tuple(self._operations(instruction, needs))
        state.result[instruction.index] = operations or tuple(needs)

    def _free(self, instruction: AnyInstruction) -> bool:
        type_ = scalar_of(instruction.type)
        if instruction.index in self.fused or instruction.opcode is Opcode.FNEG:
            return True
        if isinstance(type_, IntTy) and type_.bits == 1 and isinstance(instruction, Binary):
            return True
        if isinstance(instruction, Call):
            stem = intrinsic_stem(instruction.callee) if instruction.is_intrinsic else None
            name = _function_name(instruction)
            return stem in _FREE_CALLS or name in _CONSTANT_QUERIES
        return isinstance(instruction, Branch) or self._is_free_compare(instruction)

    def _is_free_compare(self, instruction: AnyInstruction) -> bool:
        """Minimum and maximum are one instruction: the comparison before a select of the same."""
        users = self.users.get(instruction.index, ())
        if not isinstance(instruction, IntCompare) or len(users) != 1:
            return False
        (user,) = users
        return user.opcode is Opcode.SELECT and set(user.operands[1:]) == set(instruction.operands)

    def _operations(self, instruction: AnyInstruction, needs: list[int]) -> Iterable[int]:
        for kind, count in classify(instruction):
            cost = cost_of(kind, self.generation)
            if cost is None:
                continue
            slots, steps, unit = cost.slots, cost.steps, cost.unit
            if isinstance(instruction, Call):
                named = FUNCTIONS.get(_function_name(instruction))
                if named is not None:
                    unit, slots, steps = named.unit, named.slots, named.steps
                if _is_double(instruction) and kind in (
                    InstructionClass.MATH, InstructionClass.SPECIAL,
                ):  # fmt: skip
                    unit, slots, steps = Unit.FP64, slots * FP64_FUNCTIONS, steps * FP64_FUNCTIONS
            elif kind is InstructionClass.FP_DIV and _is_double(instruction):
                unit, slots, steps = Unit.FP64, 12, 12
            elif kind is InstructionClass.INT_DIV:
                slots, steps = _division(instruction, slots, steps)
            if slots * count <= 0:
                continue
            memory = Memory.NONE
            if kind is InstructionClass.BARRIER:
                memory = Memory.BARRIER
                self.loaded, self.wide = {}, {}
            elif kind is InstructionClass.IMAGE:
                memory = Memory.IMAGE
            draft = _Draft(
                unit, kind, slots * count, steps, list(needs), memory,
                line=_line(instruction), instruction=instruction.index,
            )  # fmt: skip
            draft.overhead = self._is_overhead(instruction)
            yield self._add(instruction.block, draft)

    def _add(self, block: int, draft: _Draft) -> int:
        self.state.drafts.append(draft)
        number = len(self.state.drafts) - 1
        self.state.blocks[block].append(number)
        return number

    def _access(self, instruction: AnyInstruction, touch: MemoryAccess) -> int:
        same = self._known_load(instruction, touch)
        if same is not None:
            return same
        pointers = {id(touch.pointer)}
        needs = self._needs(o for o in instruction.operands if id(o) not in pointers)
        needs += self._address(instruction, touch)
        size = touch.element_bytes if isinstance(touch.element_bytes, int) else 4
        memory = _memory_of(touch)
        pieces = max(1, -(-size // 16)) if memory is not Memory.CONSTANT_LOAD else 1
        kind = classify(instruction)[0][0]
        if touch.space is AddressSpace.PRIVATE and self._in_registers(instruction, touch):
            draft = _Draft(Unit.ALU, kind, 0.0, 0.0, needs, Memory.NONE, touch.id, size)
        elif memory is Memory.CONSTANT_LOAD and self._is_uniform(instruction, touch):
            # Read as an operand of the instruction that wants it, out of the constant bank.
            draft = _Draft(Unit.ALU, kind, 0.0, 0.0, needs, Memory.NONE, touch.id, size)
        else:
            draft = _Draft(Unit.MEMORY, kind, float(pieces), 1.0, needs, memory, touch.id, size)
        draft.line, draft.instruction = _line(instruction), instruction.index
        number = self._add(instruction.block, draft)
        if touch.op is AccessOp.LOAD and not touch.volatile:
            address = self.values.address(instruction, touch.pointer)
            self.loaded[(touch.space, address, size)] = number
            wide = self._wide(touch, address, size)
            if wide is not None:
                self.wide[wide] = number
        return number

    def _wide(
        self, touch: MemoryAccess, address: Expr, size: int
    ) -> tuple[AddressSpace, Expr, int] | None:
        """The aligned piece of 8 or 16 bytes that a load of 4 or 8 lies in, if it always does:
        LLVM's load-store vectoriser makes one load of those in the same piece."""
        if size not in (4, 8) or touch.space not in (AddressSpace.LOCAL, AddressSpace.GLOBAL):
            return None
        terms = address.terms if isinstance(address, Sum) else ((address, 1),)
        constant = address.constant if isinstance(address, Sum) else 0
        steps = [c for t, c in terms if not (isinstance(t, Symbol) and t.kind in BASE_KINDS)]
        piece = next((p for p in (16, 8) if p > size and all(c % p == 0 for c in steps)), None)
        if piece is None:
            return None
        assert isinstance(address.type, IntTy)
        rounded = self.values.algebra.sum(list(terms), address.type, constant // piece * piece)
        return touch.space, rounded, piece

    def _known_load(self, instruction: AnyInstruction, touch: MemoryAccess) -> int | None:
        """The load of the same address in the block before, if nothing was stored since: compilers
        see that where addresses are sums of the same terms."""
        if self.load_block != instruction.block:
            self.loaded, self.wide, self.load_block = {}, {}, instruction.block
        if touch.op is not AccessOp.LOAD:
            self.loaded = {k: n for k, n in self.loaded.items() if k[0] is not touch.space}
            self.wide = {k: n for k, n in self.wide.items() if k[0] is not touch.space}
            return None
        if touch.volatile or not isinstance(touch.element_bytes, int):
            return None
        address = self.values.address(instruction, touch.pointer)
        same = self.loaded.get((touch.space, address, touch.element_bytes))
        if same is not None:
            return same
        wide = self._wide(touch, address, touch.element_bytes)
        if wide is None or wide not in self.wide:
            return None
        number = self.wide[wide]
        whole = self.state.drafts[number].bytes + touch.element_bytes
        self.state.drafts[number].bytes = 8 if whole <= 8 else 16
        self.loaded[(touch.space, address, touch.element_bytes)] = number
        return number

    def _in_registers(self, instruction: AnyInstruction, touch: MemoryAccess) -> bool:
        """Whether a private array becomes registers: its places are constants once the loops
        around are unrolled, which compilers do where they can."""
        if touch.volatile:
            return False
        address = self.values.address(instruction, touch.pointer)
        terms = address.terms if isinstance(address, Sum) else ((address, 1),)
        kinds = {t.kind.name if isinstance(t, Symbol) else "" for t, _ in terms}
        return kinds <= {"PRIVATE", "COUNTER"} and all(
            self._is_unrolled(each) for each in self.values.varying(address)
        )

    def _is_unrolled(self, loop: int) -> bool:
        """Whether a compiler unrolls a loop wholly; one that was unrolled in part stays."""
        trips = self.values.back_edges(loop)
        if not isinstance(trips, Number) or self.loops.loops[loop].unroll == 1:
            return False
        blocks = self.loops.loops[loop].blocks
        size = sum(len(self.function.blocks[b].instructions) for b in blocks)
        return (trips.value + 1) * size <= FULL_UNROLL_SIZE

    def _is_uniform(self, instruction: AnyInstruction, touch: MemoryAccess) -> bool:
        address = self.values.address(instruction, touch.pointer)
        terms = address.terms if isinstance(address, Sum) else ((address, 1),)
        return not self.values.varying(address) and all(
            isinstance(term, Symbol) and term.kind.name in ("GLOBAL", "POINTER")
            for term, _ in terms
        )

    def _address(self, instruction: AnyInstruction, touch: MemoryAccess) -> list[int]:
        """What an access waits for to have its address; makes the operations that compute it."""
        address = self.values.address(instruction, touch.pointer)
        terms = frozenset(address.terms if isinstance(address, Sum) else ((address, 1),))
        roots = self._needs([touch.pointer])
        varying = self.values.varying(address)
        inner = self.loops.innermost[instruction.block]
        home = next(
            (each.id for each in self.loops.around(instruction.block) if each.id in varying), None
        )
        symbols = [t for t, _ in terms if not isinstance(t, Symbol)]
        if (
            not varying
            and all(
                t.kind.name in ("GLOBAL", "POINTER", "PRIVATE")
                for t, _ in terms
                if isinstance(t, Symbol)
            )
            and not symbols
        ):
            return roots
        wide = 1.0 if touch.space in _SHORT else 2.0
        key = (terms, home if symbols else ("linear", home), instruction.block if symbols else -1)
        if key not in self.groups:
            block = self._place(instruction.block, home)
            draft = _Draft(Unit.ALU, InstructionClass.ADDRESS, wide, 1.0, list(roots))
            draft.overhead = not symbols and home is not None
            draft.line = _line(instruction)
            self.groups[key] = self._add(block, draft)
        made = self.groups[key]
        return [made, *roots] if home == inner else [made]

    def _place(self, block: int, home: int | None) -> int:
        """Where an address is computed: in the block of its access, or before the loops it does
        not change in."""
        if home is None:
            return 0
        if self.loops.innermost[block] == home:
            return block
        return self.loops.loops[home].header

    def _needs(self, operands: Iterable[Value]) -> list[int]:
        found = dict[int, None]()
        for operand in operands:
            if isinstance(operand, InstructionRef):
                for each in self.state.result.get(operand.index, ()):
                    found[each] = None
        return list(found)[:8]

    def _close_phis(self) -> None:
        """Values that come round a loop: who reads the phi waits for the one of the iteration
        before too."""
        late = dict[int, list[int]]()
        for each in self.function.instructions:
            if isinstance(each, Phi):
                for user in self.users.get(each.index, ()):
                    late.setdefault(user.index, []).append(each.index)
        by_instruction = dict[int, list[int]]()
        for number, draft in enumerate(self.state.drafts):
            by_instruction.setdefault(draft.instruction, []).append(number)
        for user, phis in late.items():
            for phi in phis:
                source = self.function.instructions[phi]
                more = self._needs(source.operands)
                for number in by_instruction.get(user, ()):
                    needs = self.state.drafts[number].needs
                    needs += [m for m in more if m not in needs]

    # loops' own work

    def _is_overhead(self, instruction: AnyInstruction) -> bool:
        """Whether an instruction counts or tests the iterations of its loop."""
        inner = self.loops.innermost[instruction.block]
        if inner is None:
            return False
        loop = self.loops.loops[inner]
        if isinstance(instruction, CondBranch | Switch):
            return instruction.block in loop.exiting
        if isinstance(instruction, IntCompare):
            users = self.users.get(instruction.index, ())
            return all(isinstance(u, CondBranch) and u.block in loop.exiting for u in users)
        if isinstance(instruction, Binary) and instruction.opcode in (Opcode.ADD, Opcode.SUB):
            phis = {
                o.index for o in instruction.operands
                if isinstance(o, InstructionRef)
                and isinstance(self.function.instructions[o.index], Phi)
            }  # fmt: skip
            constant = any(isinstance(o, ConstantInt) for o in instruction.operands)
            back = any(u.index in phis for u in self.users.get(instruction.index, ()))
            return constant and back
        return False

    def _share_overhead(self) -> None:
        for loop in self.loops.loops:
            if loop.children or loop.unroll == 1:
                continue
            own = [self.state.drafts[n] for b in loop.blocks for n in self.state.blocks[b]]
            if any(draft.memory is Memory.BARRIER for draft in own):
                continue
            size = sum(draft.slots for draft in own)
            times = 1
            while times < UNROLL_LIMIT and 2 * times * size <= UNROLL_SIZE:
                times *= 2
            trips = self.values.back_edges(loop.id)
            if isinstance(trips, Number) and self._is_unrolled(loop.id):
                times = max(times, trips.value + 1)
            for draft in own:
                if draft.overhead:
                    draft.slots /= times


def _may_fold(instruction: AnyInstruction) -> bool:
    if isinstance(instruction, GetElementPtr):
        return True
    type_ = scalar_of(instruction.type)
    if isinstance(instruction, Phi):
        return isinstance(type_, PtrTy | IntTy)
    if not isinstance(type_, IntTy | PtrTy):
        return False
    return instruction.opcode in _AFFINE or (
        isinstance(instruction, Cast) and instruction.opcode in _FREE_CASTS
    )


def _users(function: Function) -> Mapping[int, list[AnyInstruction]]:
    found = dict[int, list[AnyInstruction]]()
    for each in function.instructions:
        for operand in each.operands:
            if isinstance(operand, InstructionRef):
                found.setdefault(operand.index, []).append(each)
    return found


def _function_name(call: Call) -> str:
    if call.is_intrinsic:
        return intrinsic_stem(call.callee) or ""
    primitive = primitive_of(call.callee)
    return primitive.name if primitive else ""


def _is_double(instruction: AnyInstruction) -> bool:
    type_ = scalar_of(instruction.type)
    return isinstance(type_, FloatTy) and type_.bits == 64


def _division(instruction: AnyInstruction, slots: float, steps: float) -> tuple[float, float]:
    """Division by a constant is a multiplication and shifts, by a power of two shifts alone."""
    divisor = instruction.operands[1]
    type_ = scalar_of(instruction.type)
    wide = isinstance(type_, IntTy) and type_.bits > 32
    if isinstance(divisor, ConstantInt):
        if divisor.value > 0 and divisor.value & (divisor.value - 1) == 0:
            return (8.0, 6.0) if wide else (3.0, 3.0)
        return (14.0, 8.0) if wide else (4.0, 4.0)
    if isinstance(divisor, ConstantVector):
        return 4.0, 4.0
    return (70.0, 60.0) if wide else (slots, steps)


def _memory_of(touch: MemoryAccess) -> Memory:
    match touch.space:
        case AddressSpace.LOCAL:
            names = (Memory.SHARED_LOAD, Memory.SHARED_STORE, Memory.SHARED_ATOMIC)
        case AddressSpace.CONSTANT:
            names = (Memory.CONSTANT_LOAD, Memory.CONSTANT_LOAD, Memory.CONSTANT_LOAD)
        case AddressSpace.PRIVATE:
            names = (Memory.PRIVATE, Memory.PRIVATE_STORE, Memory.PRIVATE_STORE)
        case _:
            names = (Memory.GLOBAL_LOAD, Memory.GLOBAL_STORE, Memory.GLOBAL_ATOMIC)
    return names[(AccessOp.LOAD, AccessOp.STORE, AccessOp.ATOMIC).index(touch.op)]


def _line(instruction: AnyInstruction) -> int:
    return instruction.location.line if instruction.location else 0


def _frozen(draft: _Draft) -> MachineOperation:
    return MachineOperation(
        draft.unit, draft.kind, draft.slots, draft.steps, tuple(draft.needs), draft.memory,
        draft.access, draft.bytes, draft.line, draft.instruction,
    )  # fmt: skip


def _scheduled(rows: list[MachineOperation], block: list[int]) -> tuple[int, ...]:
    """The operations of a block, those first that the most has to wait for; nothing moves across a
    barrier, and stores keep their order."""
    parts: list[list[int]] = [[]]
    for number in block:
        parts[-1].append(number)
        if rows[number].memory is Memory.BARRIER:
            parts.append([])
    return tuple(n for part in parts for n in _ordered(rows, part))


_LOADS = frozenset(
    {Memory.SHARED_LOAD, Memory.GLOBAL_LOAD, Memory.CONSTANT_LOAD, Memory.PRIVATE, Memory.IMAGE}
)
_STORES = {
    Memory.SHARED_STORE: Memory.SHARED_LOAD,
    Memory.GLOBAL_STORE: Memory.GLOBAL_LOAD,
    Memory.PRIVATE_STORE: Memory.PRIVATE,
    Memory.SHARED_ATOMIC: Memory.SHARED_LOAD,
    Memory.GLOBAL_ATOMIC: Memory.GLOBAL_LOAD,
}
"""Loads that a store keeps behind it."""

AHEAD = {Memory.SHARED_LOAD: 24, Memory.GLOBAL_LOAD: 64, Memory.IMAGE: 64, Memory.PRIVATE: 16,
         Memory.CONSTANT_LOAD: 12}  # fmt: skip
"""How many operations a load is moved ahead of where its value is first needed: about its latency
over what other warps issue meanwhile, bounded by registers."""

CANDIDATES = 1024
"""Loads that are compared when the next one is chosen."""


def _ordered(rows: list[MachineOperation], part: list[int]) -> list[int]:
    """An order that keeps few values, with loads moved ahead of it."""
    inside = {number: place for place, number in enumerate(part)}
    users: list[list[int]] = [[] for _ in part]
    waiting = [0] * len(part)
    for place, number in enumerate(part):
        for need in dict.fromkeys(rows[number].needs):
            before = inside.get(need)
            if before is not None and before < place:
                users[before].append(place)
                waiting[place] += 1
    frugal = _frugal(rows, part, users, waiting)
    return _moved_ahead(rows, [part[place] for place in frugal])


def _frugal(
    rows: list[MachineOperation], part: list[int], users: list[list[int]], waiting: list[int]
) -> list[int]:
    """Places in an order in which values are used up as soon as they are there: what is no load
    first, then the first load all of whose users can follow at once."""
    heavy = [rows[n].memory in _LOADS for n in part]
    last = len(part) - 1 if part and rows[part[-1]].unit is Unit.CONTROL else -1
    now = [p for p in range(len(part)) if not waiting[p] and not heavy[p] and p != last]
    loads = [p for p in range(len(part)) if not waiting[p] and heavy[p]]
    found = list[int]()
    while now or loads:
        if now:
            place = now.pop(0)
        else:
            place = _best_load(loads, users, waiting)
            loads.remove(place)
        found.append(place)
        for user in users[place]:
            waiting[user] -= 1
            if not waiting[user] and user != last:
                insort(loads if heavy[user] else now, user)
    return [*found, last] if last >= 0 else found


def _best_load(loads: list[int], users: list[list[int]], waiting: list[int]) -> int:
    for place in loads[:CANDIDATES]:
        if all(waiting[user] == 1 for user in users[place]):
            return place
    return loads[0]


def _moved_ahead(rows: list[MachineOperation], order: list[int]) -> list[int]:
    key, barrier = dict[int, float](), dict[Memory, float]()
    for place, number in enumerate(order):
        row = rows[number]
        earliest = max((key[n] for n in row.needs if n in key), default=-1.0) + 1e-6
        ahead = AHEAD.get(row.memory, 0)
        if row.kind is InstructionClass.ADDRESS or (row.unit is Unit.ALU and row.slots <= 2):
            ahead = AHEAD[Memory.GLOBAL_LOAD] + 8
        if row.memory in _LOADS:
            earliest = max(earliest, barrier.get(row.memory, -1.0) + 1e-6)
        key[number] = max(place - ahead, earliest) if ahead else float(place)
        if row.memory in _STORES:
            barrier[_STORES[row.memory]] = float(place)
    return sorted(order, key=lambda number: key[number])

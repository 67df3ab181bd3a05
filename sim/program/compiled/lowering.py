"""From machine code to a machine program over the blocks of the IR.

An operation stands for all copies of a machine instruction that come from one instruction of the
IR; its slots are how many of them a warp issues per execution of the block. What a compiler moved
out of a block stands in the block that is executed as often as where it went.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from kcc.base.records import dataclass
from kcc.frontend.builtins.matrix import matrix_product
from kcc.frontend.builtins.primitives import PrimitiveClass, primitive_of
from kcc.frontend.ir.instructions import AnyInstruction, Call, Cast, ExtractElement
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import FloatTy, IrType, VecTy, scalar_of
from kcc.frontend.ir.values import InstructionRef
from kcc.frontend.kernel import Kernel
from kcc.frontend.machine_code.graph import MachineGraph
from kcc.frontend.machine_code.model import MachineCode, MachineInstruction, Pipe, Space
from kcc.frontend.machine_code.numbering import Numbers
from kcc.frontend.machine_code.operand_reads import operand_reads
from kcc.frontend.machine_code.uses import sources_of
from kcc.frontend.types import AddressSpace
from kcc.passes.facts import Facts
from kcc.passes.memory.memory_accesses import AccessOp, MemoryAccess, MemoryAccesses
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.flow.divergent_branches import BRANCH_STEPS, diverging_blocks
from kcc.sim.machine.costs import Unit
from kcc.sim.program.compiled.counts import Evidence, MachineCounts, machine_counts
from kcc.sim.program.groups import with_groups
from kcc.sim.program.operations import MachineOperation, MachineProgram, Memory

FITS = 0.1
"""The misfit up to which the compiler's code is taken: beyond it what it unrolled and moved is not
understood."""

SURE, LIKELY, WEAK = 1.0, 0.05, 0.001
"""Weights of evidence: of accesses to memory and barriers, which compilers neither repeat nor drop
where they have to be made; of floating-point additions and products, which they may; and of all
else, which they move, repeat and make several instructions of."""

BARRIERS = ("BAR", "s_barrier")
IMAGES = ((PrimitiveClass.IMAGE_READ, False), (PrimitiveClass.IMAGE_WRITE, True))
"""What accesses images, and whether it stores."""

NEAR = 4.0
"""A machine instruction stands in its own block of the IR if it runs within this factor as often;
else it was moved, and stands where others of its machine block do."""

WHOLE, MOST_EVERY = 0.05, 64
"""How near to one in so many iterations an operation is issued that unrolled ones share, and what
compilers unroll at most."""

_UNITS = {
    Pipe.FMA: (Unit.FMA, InstructionClass.FP32),
    Pipe.ALU: (Unit.ALU, InstructionClass.INT),
    Pipe.FP64: (Unit.FP64, InstructionClass.FP64),
    Pipe.SPECIAL: (Unit.SFU, InstructionClass.SPECIAL),
    Pipe.TENSOR: (Unit.FMA, InstructionClass.FP16),
    Pipe.UNIFORM: (Unit.CONTROL, InstructionClass.MOVE),
    Pipe.CONTROL: (Unit.CONTROL, InstructionClass.BRANCH),
    Pipe.MEMORY: (Unit.MEMORY, InstructionClass.MOVE),
}
"""Uniform instructions take issue slots like those of control, and no unit of the lanes."""

_LOADS = {
    Space.GLOBAL: (Memory.GLOBAL_LOAD, InstructionClass.LOAD_GLOBAL),
    Space.SHARED: (Memory.SHARED_LOAD, InstructionClass.LOAD_LOCAL),
    Space.LOCAL: (Memory.PRIVATE, InstructionClass.LOAD_PRIVATE),
    Space.CONSTANT: (Memory.CONSTANT_LOAD, InstructionClass.LOAD_CONSTANT),
    Space.TEXTURE: (Memory.IMAGE, InstructionClass.IMAGE),
}
_STORES = {
    Space.GLOBAL: (Memory.GLOBAL_STORE, InstructionClass.STORE_GLOBAL),
    Space.SHARED: (Memory.SHARED_STORE, InstructionClass.STORE_LOCAL),
    Space.LOCAL: (Memory.PRIVATE_STORE, InstructionClass.STORE_PRIVATE),
    Space.TEXTURE: (Memory.IMAGE, InstructionClass.IMAGE),
}
_ATOMICS = {
    Space.GLOBAL: (Memory.GLOBAL_ATOMIC, InstructionClass.ATOMIC_GLOBAL),
    Space.SHARED: (Memory.SHARED_ATOMIC, InstructionClass.ATOMIC_LOCAL),
}
_STACK = re.compile(r"\[R1\+0x(?P<hex>[0-9a-f]+)\]|\boffset:(?P<decimal>\d+)")
"""Where a spilled value lies: as ptxas and as LLVM's AMDGPU back end write it."""
FLOATS = frozenset({Opcode.FADD, Opcode.FSUB, Opcode.FMUL})
FLOAT_CODE = re.compile(r"[FDH](?:ADD|MUL|FMA)|v_\w*_f(?:16|32|64)")
"""Opcodes of the same arithmetic."""

NEVER = "!PT"
"""The predicate of the loads that stand beside a copy past registers (LDGSTS) and that no lane
does (:data:`kcc.sim.program.pieces.BESIDE_COPY`): they stand for its store."""

_PACKED = re.compile(r"H(?:ADD|MUL|FMA)2|v_pk_")
"""Opcodes that do two lanes at once."""

_HALVES = frozenset({"HADD2", "HFMA2", "HMUL2", "HMNMX2"})
_CONVERSIONS = ("F2F", "F2I", "I2F", "FRND")


def unit_and_kind(each: MachineInstruction) -> tuple[Unit, InstructionClass]:
    """Where an instruction executes, and what its latency is that of."""
    unit, kind = _UNITS[each.pipe]
    name = each.opcode.split(".")[0]
    if is_barrier(each):
        kind = InstructionClass.BARRIER
    elif each.pipe is Pipe.MEMORY:
        pass
    elif name.endswith("SETP") or name.startswith("v_cmp"):
        kind = InstructionClass.COMPARE
    elif name in _CONVERSIONS:
        kind = InstructionClass.CONVERT
    elif unit is Unit.FMA and name == "IMAD":
        kind = InstructionClass.INT_MUL
    elif unit is Unit.FMA and name in _HALVES:
        kind = InstructionClass.FP16
    return unit, kind


def is_barrier(each: MachineInstruction) -> bool:
    """Whether the warps of a thread block wait for each other there."""
    return each.opcode.split(".")[0] in BARRIERS


def is_atomic(each: MachineInstruction) -> bool:
    """Whether it changes memory in one step."""
    return each.opcode.startswith(("ATOM", "RED")) or "atomic" in each.opcode


def memory_of(each: MachineInstruction, *, is_access: bool) -> tuple[Memory, InstructionClass, int]:
    """What a memory instruction does, and the byte of local memory that it spills to, -1 for one
    that makes an access of the IR."""
    if each.space is None:
        return Memory.SHUFFLE, InstructionClass.SHUFFLE, -1
    table = _ATOMICS if is_atomic(each) else _STORES if each.is_store else _LOADS
    memory, kind = table.get(each.space, (Memory.GLOBAL_LOAD, InstructionClass.LOAD_GENERIC))
    place = _stack_place(each.operands) if each.space is Space.LOCAL and not is_access else -1
    return memory, kind, place


def _stack_place(operands: str) -> int:
    """The byte of a work-item's memory that an instruction begins at; 0 where it says nothing."""
    match = _STACK.search(operands)
    if match is None:
        return 0
    return int(match["hex"], 16) if match["hex"] else int(match["decimal"])


@dataclass(frozen=True, slots=True)
class CompiledProgram:
    """The program, and how well its counts fit what the IR executes. ``unattributed`` is the share
    of warp instructions that the compiler gives no origin of."""

    program: MachineProgram
    misfit: float
    unattributed: float


def compiled_program(
    kernel: Kernel, facts: Facts, code: MachineCode, numbers: Numbers,
    executions: Sequence[float], warps: float,
) -> CompiledProgram | None:  # fmt: skip
    """The program of a compiler's code; ``executions[b]`` are those of block b of the IR by
    ``warps`` warps. None where the code is not understood."""
    if not code.instructions or not warps:
        return None
    shares = tuple(each / warps for each in executions)
    return _Compiled(kernel, facts, code, numbers, shares).made()


@dataclass(slots=True)
class _Group:
    """Copies of one machine instruction in one block of the IR."""

    block: int
    index: int | None
    members: list[int] = field(default_factory=list[int])
    slots: float = 0.0
    bytes: int = 0
    """Of all its members together, where they are pieces of one access; else 0."""


class _Compiled:
    def __init__(
        self, kernel: Kernel, facts: Facts, code: MachineCode, numbers: Numbers,
        shares: Sequence[float],
    ) -> None:  # fmt: skip
        self.kernel, self.facts, self.code, self.shares = kernel, facts, code, shares
        self.rows = kernel.function.instructions
        self.graph = MachineGraph(code)
        self.copies = dict[int, tuple[int, ...]]()
        """Instructions of the IR that are one for the compiler, by the most frequent of them."""
        self.index = [self._index(numbers, each.number) for each in code.instructions]
        self.pieces = dict[int, int]()
        """By instruction of the IR, in how many pieces its access is made."""
        self.joined = set[int]()
        """Instructions of the IR whose access was joined with others to several wide ones."""
        self.idle = dict[int, float]()
        """By block, slots of accesses whose predicate no lane has true."""
        self.accesses = dict[int, list[MemoryAccess]]()
        for access in facts[MemoryAccesses].accesses:
            self.accesses.setdefault(access.instruction, []).append(access)
        self.index = list(map(self._loaded, code.instructions, self.index))
        self.moved = dict[int, list[int]]()
        """By instruction of the IR, the bytes of its machine instructions that move any."""
        for each, index in zip(code.instructions, self.index, strict=True):
            if index is not None and each.bytes:
                self.moved.setdefault(index, []).append(each.bytes)

    def _loaded(self, each: MachineInstruction, index: int | None) -> int | None:
        """What a machine instruction came from; for a load that has the number of what extends it,
        or takes it to lanes, the load of the IR."""
        at: int | None = index
        while at is not None and each.space in (Space.GLOBAL, Space.SHARED) and not each.is_store:
            row = self.rows[at]
            if at in self.accesses:
                return at
            operand = row.operands[0] if isinstance(row, Cast | ExtractElement) else None
            at = operand.index if isinstance(operand, InstructionRef) else None
        return index

    def _index(self, numbers: Numbers, number: int) -> int | None:
        """The instruction of the IR that has a number, of copies the one that runs most often."""
        own = self.code.copies.get(number, (number,))
        found = [i for n in own if (i := numbers.index(self.kernel.symbol, n)) is not None]
        if not found:
            return None
        most = max(found, key=lambda index: self.shares[self.rows[index].block])
        if len(found) > 1:
            self.copies[most] = tuple(found)
        return most

    def _times(self, index: int) -> float:
        """How often a warp executes an instruction of the IR and its copies."""
        return sum(self.shares[self.rows[i].block] for i in self.copies.get(index, (index,)))

    def made(self) -> CompiledProgram | None:
        found = machine_counts(self.graph, [*self._evidence(), *self._images()])
        if found is None or found.misfit > FITS:
            return None
        groups = self._groups(found)
        program = self._program(groups)
        issued = [found.blocks[s] for s in self.graph.block_of]
        lost = sum(t for t, i in zip(issued, self.index, strict=True) if i is None)
        return CompiledProgram(program, found.misfit, lost / max(sum(issued), 1e-9))

    # evidence

    def _images(self) -> Iterator[Evidence]:
        """What all reads of images say together, and all writes: ptxas gives some of them the line
        of another (sm_90)."""
        for kind, is_store in IMAGES:
            calls = [row for row in self.rows if _class_of(row) is kind]
            made = [
                place for place, each in enumerate(self.code.instructions)
                if each.space is Space.TEXTURE and each.is_store == is_store
                and self.index[place] not in self.accesses
            ]  # fmt: skip
            if calls and made:
                blocks = Counter(self.graph.block_of[place] for place in made)
                guarded = any(self.code.instructions[place].predicate for place in made)
                executions = sum(self.shares[row.block] for row in calls)
                yield Evidence(blocks, executions, SURE, at_least=guarded)

    def _evidence(self) -> Iterator[Evidence]:
        """What each instruction of the IR says that machine instructions came from: of its opcodes
        the one with the fewest copies stands for it."""
        copies, guarded = dict[int, dict[str, Counter[int]]](), dict[int, dict[str, Counter[int]]]()
        for place, (each, index) in enumerate(zip(self.code.instructions, self.index, strict=True)):
            if index is None or (index in self.accesses and not self._is_access(place)):
                continue
            for found in (copies, guarded) if each.predicate else (copies,):
                by_name = found.setdefault(index, {}).setdefault(each.opcode, Counter())
                by_name[self.graph.block_of[place]] += 1
        for index, by_name in copies.items():
            weight = self._weight(index, by_name)
            if weight < SURE and isinstance(self.rows[index], Call) and not _is_even(by_name):
                continue  # a function that a library has: which of its ways was taken is not known
            if weight == LIKELY:  # what counts iterations may have its number too
                own = {name: n for name, n in by_name.items() if FLOAT_CODE.match(name)}
                by_name = own or by_name
            name, blocks = min(by_name.items(), key=lambda own: own[1].total())
            names = [name]
            if weight == SURE:
                names = [n for n in by_name if index in self.accesses or n.startswith(BARRIERS)]
                blocks = sum((by_name[n] for n in names), Counter[int]())
            if weight == SURE:
                pieces = self._pieces(index, blocks)
            else:
                pieces = lanes_of(self.rows[index].type, name, blocks)
                if pieces == 1 < blocks.total() and isinstance(self.rows[index].type, VecTy):
                    weight = WEAK  # of how many lanes these are copies is not known
            self.pieces[index] = pieces
            executions = self._times(index) * pieces
            under = sum((guarded.get(index, {}).get(n, Counter()) for n in names), Counter[int]())
            yield Evidence(blocks, executions, weight, at_least=bool(under))
            if under and (others := blocks - under):
                yield Evidence(others, executions, weight, at_most=True)

    def _is_access(self, place: int) -> bool:
        """Whether a machine instruction makes its access of the IR: what is spilled has the number
        of the instruction whose value it is."""
        space = self.code.instructions[place].space
        if self.code.instructions[place].predicate == NEVER:
            return False
        if space is Space.LOCAL:
            return self._touch(place, self.index[place]) is not None
        own = self.accesses.get(self.index[place] or 0, ())
        if any(t.op is AccessOp.ATOMIC for t in own) and not is_atomic(
            self.code.instructions[place]
        ):
            return False  # the load of a loop that compares and swaps
        return space in (Space.GLOBAL, Space.SHARED)

    def _weight(self, index: int, by_name: Mapping[str, Counter[int]]) -> float:
        """How much the copies of an instruction of the IR are to be believed."""
        row = self.rows[index]
        if index in self.accesses or any(name.startswith(BARRIERS) for name in by_name):
            return SURE
        is_float = row.opcode in FLOATS and isinstance(scalar_of(row.type), FloatTy)
        return LIKELY if is_float else WEAK

    def _pieces(self, index: int, blocks: Mapping[int, int]) -> int:
        """In how many pieces an access is made: one that is wider than its alignment lets it be,
        or several that were joined and go by the number of the first. What ptxas joins it may have
        unrolled as well: its copies share the executions."""
        touches = self.accesses.get(index, ())
        wanted = next((t.element_bytes for t in touches if isinstance(t.element_bytes, int)), 0)
        moved = self.moved.get(index, ())
        least = min(blocks.values())
        if not moved or least == 1:
            return 1
        if max(moved) > wanted and self.code.is_amd and len(blocks) == 1:
            self.joined.add(index)
            return least
        return 1 if max(moved) >= wanted else min(least, -(-wanted // max(moved)))

    # blocks

    def _groups(self, found: MachineCounts) -> list[_Group]:
        homes = [self._home(s, found) for s in range(len(self.graph.blocks))]
        groups = dict[tuple[int, int, str, int], _Group]()
        for place, each in enumerate(self.code.instructions):
            machine_block = self.graph.block_of[place]
            times = found.blocks[machine_block]
            if times <= 0:
                continue
            for index, part in self._parts(self.index[place]):
                own = homes[machine_block] if index is None else self.rows[index].block
                is_access = self._touch(place, index) is not None
                is_spill = each.space is Space.LOCAL and not is_access
                if is_spill or not self._is_near(own, times * part, is_access=is_access):
                    own = homes[machine_block]
                where = _stack_place(each.operands) if is_spill else -1
                is_joined = is_access and self.index[place] in self.joined
                kind = "" if is_joined else each.opcode
                key = (own, -1 - machine_block if index is None else index, kind, where)
                group = groups.setdefault(key, _Group(own, index))
                group.members.append(place)
                group.slots += times * part / self.shares[own]
                group.bytes += each.bytes if is_joined else 0
        for group in groups.values():
            self._set_idle_aside(group, homes)
        return list(groups.values())

    def _parts(self, index: int | None) -> Iterator[tuple[int | None, float]]:
        """The copies of an instruction of the IR, and the share of executions that each has."""
        copies = () if index is None else self.copies.get(index, ())
        if not copies or index is None or not self._times(index):
            yield index, 1.0
            return
        for each in copies:
            share = self.shares[self.rows[each].block]
            if share:
                yield each, share / self._times(index)

    def _set_idle_aside(self, group: _Group, homes: Sequence[int]) -> None:
        """An access under a predicate goes to memory as often as the IR says; where no lane has it
        true it only takes its slot."""
        first = group.members[0]
        touch = self._touch(first, group.index)
        if touch is None or not self.code.instructions[first].predicate:
            return
        idle = group.slots - self.pieces.get(self.index[first] or 0, 1)
        home = homes[self.graph.block_of[first]]
        if idle > 0 and self.shares[home]:
            group.slots -= idle
            more = idle * self.shares[group.block] / self.shares[home]
            self.idle[home] = self.idle.get(home, 0.0) + more

    def _is_near(self, block: int, times: float, *, is_access: bool) -> bool:
        share = self.shares[block]
        if not share:
            return False
        return is_access or (share / 64 <= times <= NEAR * share)

    def _home(self, machine_block: int, found: MachineCounts) -> int:
        """The block of the IR that stands for a machine block: of those that its instructions come
        from, the one with the nearest count and the most instructions; else any with that."""
        block, times = self.graph.blocks[machine_block], found.blocks[machine_block]
        votes = Counter(
            self.rows[i].block for i in self.index[block.first : block.end] if i is not None
        )
        votes = Counter({b: n for b, n in votes.items() if self.shares[b]})
        if not votes:
            votes = Counter({b: 1 for b, share in enumerate(self.shares) if share})
        return max(votes, key=lambda b: (-_apart(self.shares[b], times), votes[b], -b))

    # operations

    def _program(self, groups: list[_Group]) -> MachineProgram:
        order = sorted(range(len(groups)), key=lambda n: self._place(groups[n]))
        number = {n: position for position, n in enumerate(order)}
        at = [-1] * len(self.code.instructions)
        for n, group in enumerate(groups):
            for place in group.members:
                at[place] = number[n]
        sources = sources_of(self.graph)
        operations = list[MachineOperation]()
        blocks: list[list[int]] = [[] for _ in self.kernel.function.blocks]
        for position, n in enumerate(order):
            group = groups[n]
            needs = Counter([
                made for place in group.members for s in sources[place] if (made := at[s]) >= 0
            ])  # fmt: skip
            chain = needs.pop(position, 0) / max(len(group.members), 1)
            most = sorted(needs, key=needs.__getitem__, reverse=True)[:8]
            operation = self._operation(group, tuple(most))
            if chain:
                operation = replace(operation, needs=(*operation.needs, position))
            operations.append(operation)
            blocks[group.block].append(position)
        for block, slots in self.idle.items():
            blocks[block].insert(0, len(operations))
            operations.append(
                MachineOperation(
                    Unit.CONTROL, InstructionClass.MOVE, slots, 1.0, (), Memory.NONE, -1, 0, 0, -1
                )
            )
        self._charge_divergence(operations, blocks)
        operations, blocks = with_groups(operations, blocks, self.rows)
        return MachineProgram(
            tuple(operations), tuple(map(tuple, blocks)), self.code.registers,
            self.code.stack_bytes, reads=self._reads(groups),
        )  # fmt: skip

    def _reads(self, groups: Sequence[_Group]) -> tuple[float, ...]:
        """Of the registers of a block's instructions those in the bank that gives more of them."""
        if self.code.is_amd:
            return ()
        reads = operand_reads(self.code.instructions)
        slots, banks = [0.0] * len(self.shares), [[0.0, 0.0] for _ in self.shares]
        for group in groups:
            each = group.slots / len(group.members)
            slots[group.block] += group.slots
            for place in group.members:
                for bank, count in enumerate(reads[place]):
                    banks[group.block][bank] += each * count
        return tuple(
            max(own) / issued if issued else 1.0
            for own, issued in zip(banks, slots, strict=True)
        )  # fmt: skip

    def _place(self, group: _Group) -> tuple[int, int]:
        """Where an operation stands in its block: as in the machine block that has most of it."""
        counts = Counter(self.graph.block_of[p] for p in group.members)
        most = max(counts, key=lambda s: (counts[s], -s))
        return group.block, next(p for p in group.members if self.graph.block_of[p] == most)

    def _operation(self, group: _Group, needs: tuple[int, ...]) -> MachineOperation:
        each, index = self.code.instructions[group.members[0]], group.index
        unit, kind = unit_and_kind(each)
        memory, access, place = Memory.NONE, -1, -1
        if is_barrier(each):
            memory = Memory.BARRIER
        elif each.pipe is Pipe.MEMORY:
            touch = self._touch(group.members[0], index)
            access = -1 if touch is None else touch.id
            memory, kind, place = memory_of(each, is_access=touch is not None)
            if each.predicate == NEVER and touch is not None:
                memory = Memory.SHARED_STORE
        if memory is Memory.CONSTANT_LOAD and access < 0:
            unit, memory = Unit.CONTROL, Memory.NONE
        every = self._every(group) if memory is Memory.NONE else 1
        whole = group.slots * every if every > 1 else 0.0
        row = None if index is None else self.rows[index]
        line = row.location.line if row is not None and row.location else 0
        product = None
        if each.pipe is Pipe.TENSOR and isinstance(row, Call):
            product = matrix_product(row.callee)
        return MachineOperation(
            unit, kind, group.slots, 1.0, needs, memory, access, group.bytes or each.bytes, line,
            -1 if index is None else index, place, every=every, whole=whole,
            has_doubles=".F64" in each.opcode, product=product,
        )  # fmt: skip

    def _every(self, group: _Group) -> int:
        """Of how many iterations of a loop that the compiler unrolled an operation is issued once;
        1 where that is not plain."""
        if self.shares[group.block] <= 1.0 or group.slots >= 1.0:
            return 1
        every = round(1.0 / group.slots)
        return every if abs(every * group.slots - 1.0) <= WHOLE and every <= MOST_EVERY else 1

    def _touch(self, place: int, index: int | None) -> MemoryAccess | None:
        """The access that an instruction of the IR makes by a machine instruction."""
        each = self.code.instructions[place]
        if index is None or each.space is None:
            return None
        wanted = (
            AccessOp.ATOMIC if is_atomic(each)
            else AccessOp.STORE if each.is_store or each.predicate == NEVER else AccessOp.LOAD
        )  # fmt: skip
        spaces = _SPACES.get(each.space, ())
        return next(
            (t for t in self.accesses.get(index, ()) if t.op is wanted and t.space in spaces), None
        )

    def _charge_divergence(
        self, operations: list[MachineOperation], blocks: list[list[int]]
    ) -> None:
        """Make what follows a branch that may diverge wait for it."""
        parts, _ = diverging_blocks(self.kernel, self.facts, [len(block) for block in blocks])
        for block in parts:
            jumps = [n for n in blocks[block] if operations[n].kind is InstructionClass.BRANCH]
            if not jumps:
                continue
            branch = jumps[-1]
            operations[branch] = replace(operations[branch], steps=BRANCH_STEPS)
            for way in self.kernel.function.blocks[block].successors:
                if blocks[way]:
                    first = operations[blocks[way][0]]
                    operations[blocks[way][0]] = replace(first, needs=(*first.needs, branch))


_SPACES = {
    Space.GLOBAL: (AddressSpace.GLOBAL, AddressSpace.GENERIC, AddressSpace.CONSTANT),
    Space.SHARED: (AddressSpace.LOCAL,),
    Space.LOCAL: (AddressSpace.PRIVATE,),
    Space.CONSTANT: (AddressSpace.CONSTANT, AddressSpace.GLOBAL),
    Space.TEXTURE: (AddressSpace.GLOBAL,),
}
"""Where the accesses of the IR may go that a machine instruction makes."""


def _class_of(row: AnyInstruction) -> PrimitiveClass | None:
    """What is called, if a primitive is."""
    primitive = primitive_of(row.callee) if isinstance(row, Call) else None
    return None if primitive is None else primitive.primitive_class


def _is_even(by_name: Mapping[str, Counter[int]]) -> bool:
    """Whether all blocks that have copies have the same opcodes."""
    blocks = {block for own in by_name.values() for block in own}
    return all(own.keys() == blocks for own in by_name.values())


def lanes_of(type_: IrType, name: str, copies: Mapping[int, int]) -> int:
    """How many machine instructions of an opcode do the lanes of a vector once; 1 where they do
    not come in such a number, as some lanes are not needed or were computed elsewhere."""
    if not isinstance(type_, VecTy):
        return 1
    lanes = type_.lanes
    each = lanes // 2 if _PACKED.match(name) and lanes % 2 == 0 else lanes
    return each if all(n % each == 0 for n in copies.values()) else 1


def _apart(share: float, times: float) -> float:
    """By what factor two counts differ, both over one."""
    if not share or not times:
        return float("inf")
    return max(share / times, times / share)

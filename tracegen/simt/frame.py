"""The frame of the function being written: operands, slots, checks and how they fail."""

from __future__ import annotations

from dataclasses import field

from kcc.base.records import dataclass
from kcc.frontend.ir.builder import Value, const_int
from kcc.frontend.ir.instructions import AnyInstruction
from kcc.frontend.ir.types import I1, I8, I64, FloatTy, IntTy, VecTy
from kcc.frontend.ir.values import ArgumentRef, InstructionRef
from kcc.frontend.ir.values import Value as Operand
from kcc.tracegen.simt.constants import constant_parts
from kcc.tracegen.simt.layout import FaultKind, Worker
from kcc.tracegen.simt.memory import HOST_POINTER, Helpers
from kcc.tracegen.simt.notes import note_fault
from kcc.tracegen.simt.plan import Plan, Slot
from kcc.tracegen.simt.wide import Wide, Writer, memory_parts, parts_of, slot_alignment

WORKER_RECORD = Value(HOST_POINTER, "%worker")
WARP_STATE = Value(HOST_POINTER, "%state")
NOTHING = Value(HOST_POINTER, "null")
"""Stands for what is set before it is used."""


@dataclass(slots=True)
class WarpFrame(Writer):
    """State of the function being written; ``values`` are the results of the current segment and
    what was loaded from slots in it; arguments have negative numbers."""

    plan: Plan
    helpers: Helpers
    trace_blocks: bool = False
    trace_addresses: bool = False
    block: int = 0
    values: dict[int, Wide] = field(default_factory=dict[int, Wide])
    worker: Value = WORKER_RECORD
    state: Value = WARP_STATE
    mask: Value = NOTHING
    bases: dict[int, Value] = field(default_factory=dict[int, Value])
    """Host address of each address space's window, less its first virtual address."""
    counts: Value = NOTHING
    arguments: Value = NOTHING
    objects: Value = NOTHING
    local_ids: Value = NOTHING
    math: set[str] = field(default_factory=set[str])
    """Symbols of the math primitives that the function calls."""
    precise: bool = False
    """Whether reads of what was never written are looked for (see ``shadow``)."""
    watched: bool = False
    """Whether the kernel watches every value (see ``undefined``): the shadow is its own."""
    local_shadow: Value = NOTHING
    arena_shadow: Value = NOTHING
    shadows: dict[int, list[Value]] = field(default_factory=dict[int, list[Value]])
    """The shadow of what loads of the current segment gave that is only copied."""
    recorded: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    """Where faults are found: instruction and block of the generated code."""
    ranges: dict[tuple[int, int], Value] = field(default_factory=dict[tuple[int, int], Value])
    """Of the current segment: by argument, first address (key 0) and size (1) of its object, and
    limits for accesses of n bytes (-n)."""
    _flags: Value | None = None

    def write_bases(self) -> None:
        """Load what stays the same while the warp runs: host bases of the windows."""
        arena = self.load_word(self.worker, Worker.ARENA, HOST_POINTER)
        local = self.load_word(self.worker, Worker.LOCAL, HOST_POINTER)
        private = self.load_word(self.worker, Worker.PRIVATE, HOST_POINTER)
        self.bases = {0: private, 1: arena, 2: arena, 3: local}
        if self.precise:
            apart = self.load_word(self.worker, Worker.LOCAL_SHADOW)
            self.local_shadow = self.code.gep(I8, local, [apart], inbounds=False)
        if self.watched:
            apart = self.load_word(self.worker, Worker.ARENA_SHADOW)
            self.arena_shadow = self.code.gep(I8, arena, [apart], inbounds=False)
        self.counts = self.load_word(self.worker, Worker.COUNTS, HOST_POINTER)
        self.arguments = self.load_word(self.worker, Worker.ARGUMENTS, HOST_POINTER)
        self.objects = self.load_word(self.worker, Worker.OBJECTS, HOST_POINTER)
        self.local_ids = self.load_word(self.worker, Worker.LOCAL_IDS, HOST_POINTER)

    # operands and slots

    def operand(self, value: Operand) -> Wide:
        """An operand as seen from the current block."""
        match value:
            case InstructionRef():
                return self._result(value.index)
            case ArgumentRef():
                return self._argument(value)
            case _:
                return Wide(constant_parts(value, self.plan))

    def _argument(self, value: ArgumentRef) -> Wide:
        place = -1 - value.index
        if place not in self.values:
            self.values[place] = self._read_argument(value)
        return self.values[place]

    def _read_argument(self, value: ArgumentRef) -> Wide:
        argument = self.plan.function.arguments[value.index]
        offset = self.plan.argument_offsets[value.index]
        copy = self.plan.private_arguments.get(value.index)
        if copy is not None:
            return Wide((const_int(I64, copy.address),))
        if argument.attributes.byval is not None:
            return Wide((self.load_word(self.objects, 2 * value.index),))
        parts = list[Value]()
        for part, place in memory_parts(value.type):
            pointer = self.code.gep(I8, self.arguments, [const_int(I64, offset + place)])
            parts.append(self.code.load(part, pointer, 1))
        wanted = parts_of(value.type)
        return Wide(
            tuple(
                self.code.cast("trunc", p, w) if w == I1 else p
                for p, w in zip(parts, wanted, strict=True)
            )
        )

    def _result(self, index: int) -> Wide:
        home = self.plan.function.instructions[index].block
        outside = self.plan.flow.leaves_cycle(home, self.block)
        if index in self.plan.allocas:
            return Wide((const_int(I64, self.plan.allocas[index].address),))
        if index not in self.values:
            slot = self.plan.slots[index]
            if outside and index in self.plan.escape_slots:
                slot = self.plan.escape_slots[index]
            self.values[index] = self._read_slot(index, slot)
        return self.values[index]

    def _read_slot(self, index: int, slot: Slot) -> Wide:
        parts = list[Value]()
        types = parts_of(self.plan.function.instructions[index].type)
        for part, offset in zip(types, slot.offsets, strict=True):
            pointer = self._slot_pointer(offset)
            if part == I1 and slot.uniform:
                parts.append(self.code.cast("trunc", self.code.load(I8, pointer, 1), I1))
            elif part == I1:
                parts.append(self.flags(self.code.load(self.mask_type, pointer, 8)))
            elif slot.uniform:
                parts.append(self.code.load(part, pointer, 8))
            else:
                aligned = slot_alignment(part, self.width, uniform=False)
                parts.append(self.code.load(self.vector_type(part), pointer, aligned))
        return Wide(tuple(parts))

    def _slot_pointer(self, offset: int) -> Value:
        return self.code.gep(I8, self.state, [const_int(I64, offset)])

    def write_slot(self, index: int, value: Wide, lanes: Value) -> None:
        """Store a result in its slots; where other lanes still need theirs, only in ``lanes``."""
        keep = index in self.plan.flow.kept
        slot = self.plan.slots[index]
        if slot.uniform:
            for part, offset in zip(value.parts, slot.offsets, strict=True):
                stored = self.code.cast("zext", part, I8) if part.type == I1 else part
                self.code.store(stored, self._slot_pointer(offset), 1 if part.type == I1 else 8)
            if index not in self.plan.escape_slots:
                return
            slot = self.plan.escape_slots[index]
        for part, offset in zip(value.parts, slot.offsets, strict=True):
            self._write_lanes(self.lanes(part), self._slot_pointer(offset), lanes if keep else None)

    def _write_lanes(self, vector: Value, pointer: Value, keep_outside: Value | None) -> None:
        assert isinstance(vector.type, VecTy)
        part = vector.type.element
        assert isinstance(part, (IntTy, FloatTy))
        aligned = slot_alignment(part, self.width, uniform=False)
        if part == I1:
            bits = self.bits(vector)
            if keep_outside is not None:
                old = self.code.load(self.mask_type, pointer, aligned)
                outside = self.code.binary("xor", keep_outside, self.full_mask)
                kept = self.code.binary("and", old, outside)
                bits = self.code.binary("or", kept, self.code.binary("and", bits, keep_outside))
            self.code.store(bits, pointer, aligned)
            return
        if keep_outside is not None:
            old = self.code.load(vector.type, pointer, aligned)
            vector = self.code.select(self.flags(keep_outside), vector, old)
        self.code.store(vector, pointer, aligned)

    def active(self) -> Value:
        """The mask of the segment as a vector of i1."""
        if self._flags is None:
            self._flags = self.flags(self.mask)
        return self._flags

    def forget_flags(self) -> None:
        """The mask has changed."""
        self._flags = None

    # faults

    def fail_if(
        self,
        condition: Value,
        kind: FaultKind,
        instruction: AnyInstruction,
        lanes: Value,
        addresses: Value | None,
    ) -> None:
        """Stop with a fault when ``condition`` (i1) holds; ``lanes`` are those to blame."""
        bad, fine = self.code.new_label("bad"), self.code.new_label("fine")
        self.code.branch_if(condition, bad, fine)
        self.code.position_at(bad)
        self.fault(kind, instruction, lanes, addresses)
        self.code.position_at(fine)

    def fail_recorded(self, condition: Value, instruction: AnyInstruction) -> None:
        """Stop when ``condition`` (i1) holds; a helper has recorded the rest of the fault."""
        fine = self.code.new_label("fine")
        self.recorded.append((instruction.index, self.here))
        self.code.branch_if(condition, "fault.recorded", fine)
        self.code.position_at(fine)

    def fail_lanes(
        self, kind: FaultKind, instruction: AnyInstruction, lanes: Value, addresses: Value | None
    ) -> None:
        """Stop with a fault when the mask ``lanes`` has any lane."""
        self.fail_if(self.any_lane(lanes), kind, instruction, lanes, addresses)

    def fault(
        self, kind: FaultKind, instruction: AnyInstruction, lanes: Value, addresses: Value | None
    ) -> None:
        """Leave the function with a fault record."""
        none = const_int(I64, 0) if addresses is None else addresses
        note_fault(self, self.helpers.made, self.worker, kind, lanes, none)
        self.recorded.append((instruction.index, self.here))
        self.code.branch("fault.recorded")

    def write_recorded(self) -> None:
        """The block to which all faults lead: which instruction it was depends on the way."""
        if self.recorded:
            self.code.position_at("fault.recorded")
            ways = [(const_int(I64, index), label) for index, label in self.recorded]
            self.store_word(self.code.phi(I64, ways), self.worker, Worker.FAULT_INSTRUCTION)
            self.code.branch("fault")

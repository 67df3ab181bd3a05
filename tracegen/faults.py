"""What a kernel did wrong, as a message that names place, work-item, array and offset."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kcc.diagnostics import Diagnostic, Note, Span
from kcc.frontend.ir.instructions import AnyInstruction, AtomicRmw, CompareExchange, Load, Store
from kcc.frontend.ir.types import size_bytes
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.tracegen.arena import Arena
from kcc.tracegen.simt.access import find_roots
from kcc.frontend.ir.values import ArgumentRef, GlobalRef, InstructionRef
from kcc.tracegen.simt.layout import LOCAL_BASE, FaultKind
from kcc.tracegen.simt.plan import Object, Plan


@dataclass(frozen=True, slots=True)
class Fault:
    """The engine's fault record with what is needed to explain it."""

    kind: FaultKind
    instruction: int
    lane: int
    warp: int
    block: int
    address: int
    unit: CompiledUnit
    kernel: Kernel
    plan: Plan
    arena: Arena
    local_objects: tuple[Object, ...]
    local_ids: NDArray[np.int32]
    blocks: tuple[int, int, int]
    local_size: tuple[int, int, int]
    offset: tuple[int, int, int]

    @property
    def static_instruction(self) -> AnyInstruction:
        """The instruction; for faults of the schedule the record has a resume point."""
        if self.kind in (FaultKind.BARRIER_MISMATCH, FaultKind.BARRIER_ABANDONED):
            number = self.instruction - len(self.plan.function.blocks)
            return self.plan.function.instructions[self.plan.barriers[number]]
        return self.plan.function.instructions[self.instruction]

    @property
    def global_id(self) -> tuple[int, int, int]:
        nx, ny, _ = self.blocks
        group = (self.block % nx, self.block // nx % ny, self.block // (nx * ny))
        local = self.local_ids[self.warp, :, self.lane]
        x, y, z = (
            g * s + int(l) + o
            for g, s, l, o in zip(group, self.local_size, local, self.offset, strict=True)
        )
        return (x, y, z)


_CODES = {
    FaultKind.OUT_OF_BOUNDS: "K711",
    FaultKind.MISALIGNED: "K712",
    FaultKind.CONSTANT_WRITE: "K713",
    FaultKind.UNINITIALISED: "K714",
    FaultKind.BARRIER_DIVERGENCE: "K715",
    FaultKind.BARRIER_MISMATCH: "K715",
    FaultKind.BARRIER_ABANDONED: "K715",
    FaultKind.DIVISION_BY_ZERO: "K716",
    FaultKind.BUDGET: "K717",
    FaultKind.STOPPED: "K718",
    FaultKind.READ_ONLY: "K719",
    FaultKind.UNREACHABLE: "K720",
    FaultKind.IMAGE_BOUNDS: "K711",
}


def explain(fault: Fault) -> Diagnostic:
    """The diagnostic of a fault."""
    instruction = fault.static_instruction
    span = _span(fault, instruction)
    where = f"kernel '{fault.kernel.name}', global id {fault.global_id}"
    message = f"{_what(fault, instruction)} ({where})"
    return Diagnostic(_CODES[fault.kind], message, span, _notes(instruction), _hint(fault))


def _what(fault: Fault, instruction: AnyInstruction) -> str:
    match fault.kind:
        case FaultKind.OUT_OF_BOUNDS:
            return f"{_verb(instruction)} outside {_place(fault, instruction)}"
        case FaultKind.MISALIGNED:
            return f"misaligned {_verb(instruction)} of {_place(fault, instruction)}"
        case FaultKind.CONSTANT_WRITE:
            return f"write to constant memory: {_place(fault, instruction)}"
        case FaultKind.UNINITIALISED:
            return f"read of memory that was never written: {_place(fault, instruction)}"
        case FaultKind.BARRIER_DIVERGENCE:
            return "barrier reached by some work-items of a warp while others are elsewhere"
        case FaultKind.BARRIER_MISMATCH:
            return "work-items of a work-group wait at different barriers"
        case FaultKind.BARRIER_ABANDONED:
            return "barrier reached by some work-items of a work-group while others have ended"
        case FaultKind.DIVISION_BY_ZERO:
            return f"integer division by zero in '{instruction.opcode.word}'"
        case FaultKind.BUDGET:
            return "the loop does not end within the budget of instructions"
        case FaultKind.STOPPED:
            return "stopped on request"
        case FaultKind.READ_ONLY:
            return "write to a read-only image"
        case FaultKind.IMAGE_BOUNDS:
            return "write outside an image"
        case FaultKind.UNREACHABLE | FaultKind.NONE:
            return "control reached a place that the compiler proved impossible"


def _verb(instruction: AnyInstruction) -> str:
    match instruction:
        case Load():
            return "read"
        case Store():
            return "write"
        case _:
            return "atomic access"


def _place(fault: Fault, instruction: AnyInstruction) -> str:
    item = _object(fault, instruction)
    if item is None:
        return f"any array (address 0x{fault.address:x})"
    size = _access_size(instruction)
    offset = fault.address - item.address
    return f"'{item.name}' at byte offset {offset} ({size} bytes; the array has {item.size_bytes})"


def _access_size(instruction: AnyInstruction) -> int:
    match instruction:
        case Store() | AtomicRmw():
            return size_bytes(instruction.value.type)
        case CompareExchange():
            return size_bytes(instruction.new.type)
        case _:
            return size_bytes(instruction.type)


def _object(fault: Fault, instruction: AnyInstruction) -> Object | None:
    """The object the access was made for if the pointer says so, else the one it hit."""
    plan = fault.plan
    if isinstance(instruction, (Load, Store, AtomicRmw, CompareExchange)):
        roots = find_roots(plan, instruction.pointer)
        if len(roots) == 1:
            (root,) = roots
            match root:
                case ArgumentRef():
                    mine = fault.arena.buffers[root.index]
                    names = {o.name: o for o in fault.local_objects}
                    return mine or names.get(fault.kernel.arguments[root.index].name)
                case GlobalRef():
                    return plan.constants.get(root.name) or plan.locals.get(root.name)
                case InstructionRef():
                    return plan.allocas.get(root.index)
                case _:
                    pass
    everything = (*plan.allocas.values(), *plan.locals.values(), *fault.local_objects)
    if fault.address >= LOCAL_BASE:
        inside = [o for o in everything if o.address <= fault.address < o.address + o.size_bytes]
        return inside[0] if inside else None
    return fault.arena.find(fault.address)


def _span(fault: Fault, instruction: AnyInstruction) -> Span:
    place = instruction.location
    if place is None:
        return fault.kernel.span
    return Span(place.file, place.line, place.column)


def _notes(instruction: AnyInstruction) -> tuple[Note, ...]:
    """Where the function was called from, for inlined code."""
    notes = list[Note]()
    place = instruction.location
    while place is not None and place.inlined_at is not None:
        outer = place.inlined_at
        notes.append(Note(f"in '{place.function}', called from here", Span(outer.file, outer.line, outer.column)))
        place = outer
    return tuple(notes)


def _hint(fault: Fault) -> str | None:
    match fault.kind:
        case FaultKind.BUDGET:
            return (
                "a lock that one lane of a warp waits for while another lane of the same warp holds "
                "it never comes free; otherwise raise the budget"
            )
        case FaultKind.BARRIER_DIVERGENCE | FaultKind.BARRIER_ABANDONED:
            return "every work-item of the work-group must execute the same barriers"
        case _:
            return None



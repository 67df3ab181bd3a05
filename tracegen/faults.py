"""What a kernel did wrong, as a message that names place, work-item, array and offset."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.base.diagnostics import Diagnostic, Note, Span
from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import (
    AnyInstruction,
    AtomicRmw,
    Call,
    CompareExchange,
    Load,
    Store,
)
from kcc.frontend.ir.types import size_bytes
from kcc.frontend.ir.values import ArgumentRef, GlobalRef, InstructionRef
from kcc.frontend.ir.values import Value as Operand
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.tracegen.arena import Arena
from kcc.tracegen.simt.layout import LOCAL_BASE, FaultKind
from kcc.tracegen.simt.plan import Object, Plan
from kcc.tracegen.simt.target import find_roots


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
            g * s + int(own) + o
            for g, s, own, o in zip(group, self.local_size, local, self.offset, strict=True)
        )
        return (x, y, z)


MESSAGES = {
    FaultKind.OUT_OF_BOUNDS: ("K711", "{verb} outside {place}"),
    FaultKind.IMAGE_BOUNDS: ("K711", "write outside an image"),
    FaultKind.MISALIGNED: ("K712", "misaligned {verb} of {place}"),
    FaultKind.CONSTANT_WRITE: ("K713", "write to constant memory: {place}"),
    FaultKind.UNINITIALISED: ("K714", "read of memory that was never written: {place}"),
    FaultKind.UNDEFINED: ("K714", "a value that was never set {use}"),
    FaultKind.BARRIER_DIVERGENCE: (
        "K715", "barrier reached by some work-items of a warp while others are elsewhere",
    ),
    FaultKind.BARRIER_MISMATCH: ("K715", "work-items of a work-group wait at different barriers"),
    FaultKind.BARRIER_ABANDONED: (
        "K715", "barrier reached by some work-items of a work-group while others have ended",
    ),
    FaultKind.DIVISION_BY_ZERO: ("K716", "integer division by zero in '{opcode}'"),
    FaultKind.BUDGET: ("K717", "the loop does not end within the budget of instructions"),
    FaultKind.STOPPED: ("K718", "stopped on request"),
    FaultKind.UNREACHABLE: ("K720", "control reached a place that cannot be reached"),
}  # fmt: skip
"""Code and message of each kind of fault."""

USES = {
    "branch": "decides a branch",
    "address": "is part of an address",
    "stored": "is written to global memory",
    "atomic": "is used by an atomic operation",
    "argument": "is passed to a function of the work-group, an image or printf",
}
"""What a value that was never set is used for, by the end of the name of the call that looks."""


def explain(fault: Fault) -> Diagnostic:
    """The diagnostic of a fault."""
    instruction = fault.static_instruction
    code, text = MESSAGES[fault.kind]
    place = _place(fault, instruction) if "{place}" in text else ""
    callee = instruction.callee if isinstance(instruction, Call) else ""
    what = text.format(
        verb=_verb(instruction), place=place, opcode=instruction.opcode.word,
        use=USES.get(callee.rpartition(".")[2], ""),
    )  # fmt: skip
    where = f"kernel '{fault.kernel.name}', global id {fault.global_id}"
    span = _span(fault, instruction)
    return Diagnostic(code, f"{what} ({where})", span, _notes(instruction), _hint(fault))


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
        known = _known_object(fault, roots.pop()) if len(roots) == 1 else None
        if known is not None:
            return known
    copies = plan.private_arguments.values()
    everything = (*plan.allocas.values(), *copies, *plan.locals.values(), *fault.local_objects)
    if fault.address >= LOCAL_BASE:
        inside = [o for o in everything if o.address <= fault.address < o.address + o.size_bytes]
        return inside[0] if inside else None
    return fault.arena.find(fault.address)


def _known_object(fault: Fault, root: Operand) -> Object | None:
    """The object of an argument, global or alloca."""
    plan = fault.plan
    match root:
        case ArgumentRef():
            names = {o.name: o for o in fault.local_objects}
            copy = plan.private_arguments.get(root.index)
            own = fault.arena.buffers[root.index]
            return copy or own or names.get(fault.kernel.arguments[root.index].name)
        case GlobalRef():
            return plan.constants.get(root.name) or plan.locals.get(root.name)
        case InstructionRef():
            return plan.allocas.get(root.index)
        case _:
            return None


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
        notes.append(
            Note(
                f"in '{place.function}', called from here",
                Span(outer.file, outer.line, outer.column),
            )
        )
        place = outer
    return tuple(notes)


def _hint(fault: Fault) -> str | None:
    match fault.kind:
        case FaultKind.BUDGET:
            return (
                "a lock that one lane of a warp waits for while another lane of the same warp "
                "holds it never comes free; if the loop does end, give it more instructions with "
                "--budget N"
            )
        case FaultKind.BARRIER_DIVERGENCE | FaultKind.BARRIER_ABANDONED:
            return "every work-item of the work-group must execute the same barriers"
        case _:
            return None

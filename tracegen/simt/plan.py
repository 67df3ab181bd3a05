"""How a kernel's warps are laid out in memory: slots, private and local objects, resume points.

A block is cut into *segments* at its barriers. A value that is used in another segment than its
own lives in a slot of the warp's state; so does every phi. A value that is uniform inside a
divergent loop but used outside has two slots: a scalar for the inside, lanes for the outside.
"""

from __future__ import annotations

from collections.abc import Mapping

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import (
    Alloca,
    AnyInstruction,
    AtomicRmw,
    Call,
    CompareExchange,
    GetElementPtr,
    Load,
    Phi,
    Store,
)
from kcc.frontend.ir.model import Function, Global, Module
from kcc.frontend.ir.types import align_bytes, size_bytes
from kcc.frontend.ir.values import (
    ArgumentRef,
    ConstantAggregate,
    ConstantExpr,
    ConstantInt,
    ConstantVector,
    GlobalRef,
    InstructionRef,
)
from kcc.tracegen.simt.analysis import WarpFlow
from kcc.tracegen.simt.layout import (
    ARENA_BASE,
    LOCAL_BASE,
    MARGIN_BYTES,
    OBJECT_ALIGNMENT,
    PRIVATE_BASE,
    STACK_WORDS,
    State,
)
from kcc.tracegen.simt.wide import parts_of, slot_alignment, slot_bytes

VOTES = {
    "_Z14work_group_alli": "and",
    "_Z14work_group_anyi": "or",
    "_Z21work_group_reduce_addi": "add",
}
"""Barriers that give a value, and how the warps' shares make it."""

BARRIERS = frozenset({"_Z7barrierj", *VOTES})
"""Calls at which the warps of a thread block wait for one another."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a value lives in the warp's state: byte offset of each part."""

    offsets: tuple[int, ...]
    uniform: bool


@dataclass(frozen=True, slots=True)
class Object:
    """A named piece of virtual memory whose place is known when the kernel is compiled."""

    name: str
    address: int
    size_bytes: int
    space: int


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything the generated code and the Python side must agree on for one kernel."""

    module: Module
    function: Function
    flow: WarpFlow
    width: int
    segment_of: tuple[int, ...]
    """For each instruction the number of its segment, counted through the function."""
    first_segment: tuple[int, ...]
    """For each block its first segment."""
    barriers: tuple[int, ...]
    """Instructions that are barriers; barrier i resumes at point ``len(blocks) + i``."""
    slots: Mapping[int, Slot]
    escape_slots: Mapping[int, Slot]
    stack_offset: int
    state_bytes: int
    argument_offsets: tuple[int, ...]
    argument_bytes: int
    allocas: Mapping[int, Object]
    private_arguments: Mapping[int, Object]
    """Structs by value that each work-item needs a copy of: all that are not only read."""
    private_bytes: int
    """Of one lane, a multiple of 16."""
    locals: Mapping[str, Object]
    local_bytes: int
    open_ended: tuple[str, ...]
    """Local arrays without a size of their own: CUDA's ``extern __shared__``."""
    constants: Mapping[str, Object]
    constant_bytes: int
    accesses: tuple[int, ...]
    """Instructions that touch memory, in order: what a trace's memory records stand for."""


def plan_kernel(
    module: Module, function: Function, flow: WarpFlow, width: int, dynamic_local_bytes: int = 0
) -> Plan:
    """Lay out ``function`` for warps of ``width`` lanes. The local arrays whose size the launch
    gives all begin at the same place, as in CUDA, and have ``dynamic_local_bytes``."""
    segment_of, first_segment, barriers = _segments(function)
    slots, escapes, end = _slots(function, flow, width, segment_of)
    stack_entries = width + len(set(flow.reconvergence.values())) + 2
    stack_offset = end
    state_bytes = _round_up(end + stack_entries * STACK_WORDS * 8, 64)
    allocas, copies, private_bytes = _private_objects(function)
    used = _used_globals(module, function)
    local = [g for g in used if g.space == 3]
    open_ended = [g.name for g in local if g.initialiser is None]
    local_objects, local_bytes = _place([g for g in local if g.initialiser is not None], LOCAL_BASE)
    if open_ended:
        start = _round_up(local_bytes, OBJECT_ALIGNMENT)
        local_bytes = start + dynamic_local_bytes + 16
        for name in open_ended:
            local_objects[name] = Object(name, LOCAL_BASE + start, dynamic_local_bytes, 3)
    constants, constant_bytes = _place([g for g in used if g.space != 3], ARENA_BASE)
    offsets, position = list[int](), 0
    for argument in function.arguments:
        type_ = argument.attributes.byval or argument.type
        position = _round_up(position, max(8, align_bytes(type_)))
        offsets.append(position)
        position += _round_up(size_bytes(type_), 8)
    touching = (Load, Store, AtomicRmw, CompareExchange)
    accesses = [i.index for i in function.instructions if isinstance(i, touching)]
    return Plan(
        module, function, flow, width, segment_of, first_segment, barriers, slots, escapes,
        stack_offset, state_bytes, tuple(offsets), position, allocas, copies, private_bytes,
        local_objects, local_bytes, tuple(open_ended), constants, constant_bytes, tuple(accesses),
    )  # fmt: skip


def is_barrier(instruction: AnyInstruction) -> bool:
    """Whether warps wait here for the others of their thread block."""
    return isinstance(instruction, Call) and instruction.callee in BARRIERS


def _segments(function: Function) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    segment_of, first, barriers, number = list[int](), list[int](), list[int](), 0
    for block in function.blocks:
        first.append(number)
        for instruction in block.instructions:
            segment_of.append(number)
            if is_barrier(instruction):
                barriers.append(instruction.index)
                number += 1
        number += 1
    return tuple(segment_of), tuple(first), tuple(barriers)


def _slots(
    function: Function, flow: WarpFlow, width: int, segment_of: tuple[int, ...]
) -> tuple[dict[int, Slot], dict[int, Slot], int]:
    """Slots of all values that need one; gives the first free byte too."""
    needed = {p.index for b in function.blocks for p in b.phis}
    for instruction in function.instructions:
        for place, value in enumerate(instruction.operands):
            if isinstance(value, InstructionRef) and _crosses(
                function, instruction, place, value, segment_of
            ):
                needed.add(value.index)
    position = int(State.SIZE) * 8
    slots, escapes = dict[int, Slot](), dict[int, Slot]()
    for index in sorted(needed):
        instruction = function.instructions[index]
        if isinstance(instruction, Alloca):
            continue
        uniform = index not in flow.varying
        slots[index], position = _slot(instruction, width, position, uniform=uniform)
        if uniform and index in flow.kept:
            escapes[index], position = _slot(instruction, width, position, uniform=False)
    return slots, escapes, _round_up(position, 64)


def _crosses(
    function: Function,
    user: AnyInstruction,
    place: int,
    value: InstructionRef,
    segment_of: tuple[int, ...],
) -> bool:
    """Whether a use lies in another segment than the definition."""
    if isinstance(user, Phi):
        last = function.blocks[user.incoming[place]].terminator.index
        return segment_of[last] != segment_of[value.index]
    return segment_of[user.index] != segment_of[value.index]


def _slot(
    instruction: AnyInstruction, width: int, position: int, *, uniform: bool
) -> tuple[Slot, int]:
    offsets = list[int]()
    for part in parts_of(instruction.type):
        position = _round_up(position, slot_alignment(part, width, uniform=uniform))
        offsets.append(position)
        position += slot_bytes(part, width, uniform=uniform)
    return Slot(tuple(offsets), uniform), position


def _private_objects(
    function: Function,
) -> tuple[dict[int, Object], dict[int, Object], int]:
    """Where allocas and copies of structs by value lie, and the bytes they take in all."""
    allocas, copies, position = dict[int, Object](), dict[int, Object](), 16
    for instruction in function.instructions:
        if isinstance(instruction, Alloca):
            count = instruction.count.value if isinstance(instruction.count, ConstantInt) else 1
            size = size_bytes(instruction.allocated_type) * count
            position = _round_up(position, max(4, instruction.alignment_bytes))
            item = Object(instruction.name, PRIVATE_BASE + position, size, 0)
            allocas[instruction.index] = item
            position += _round_up(size, 4) + 16
    read_only = only_read(function)
    for argument in function.arguments:
        attributes = argument.attributes
        if attributes.byval is not None and argument.index not in read_only:
            size = size_bytes(attributes.byval)
            position = _round_up(position, max(4, attributes.alignment_bytes or 16))
            copies[argument.index] = Object(argument.name, PRIVATE_BASE + position, size, 0)
            position += _round_up(size, 4) + 16
    return allocas, copies, _round_up(position, 16) if allocas or copies else 0


def only_read(function: Function) -> set[int]:
    """Arguments whose address serves for nothing but loads."""
    pointers, escaped = dict[int, int](), set[int]()
    for instruction in function.instructions:
        for place, operand in enumerate(instruction.operands):
            root = None
            if isinstance(operand, ArgumentRef):
                root = operand.index
            elif isinstance(operand, InstructionRef):
                root = pointers.get(operand.index)
            if root is None or isinstance(instruction, Load):
                continue
            if isinstance(instruction, GetElementPtr) and place == 0:
                pointers[instruction.index] = root
            else:
                escaped.add(root)
    return {a.index for a in function.arguments} - escaped


def _place(objects: list[Global], base: int) -> tuple[dict[str, Object], int]:
    placed, position = dict[str, Object](), MARGIN_BYTES
    for item in objects:
        position = _round_up(position, max(OBJECT_ALIGNMENT, item.alignment_bytes))
        size = size_bytes(item.type)
        placed[item.name] = Object(item.name, base + position, size, item.space)
        position += size + 16
    return placed, position


def _used_globals(module: Module, function: Function) -> list[Global]:
    """Those that instructions name, and those whose addresses stand in the contents of others."""
    waiting = {name for i in function.instructions for o in i.operands for name in global_names(o)}
    names = set[str]()
    while waiting:
        names |= waiting
        inside = [module.globals[name].initialiser for name in waiting if name in module.globals]
        waiting = {name for each in inside for name in global_names(each)} - names
    return [g for g in module.globals.values() if g.name in names]


def global_names(value: object) -> set[str]:
    """Names of the globals a constant mentions."""
    match value:
        case GlobalRef():
            return {value.name}
        case ConstantExpr():
            return {n for o in value.operands for n in global_names(o)}
        case ConstantVector() | ConstantAggregate():
            return {n for e in value.elements for n in global_names(e)}
        case _:
            return set()


def _round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple

"""The static tables of a kernel's trace, made from the engine's plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kcc.base.trace.tables import (
    CONSTANT,
    Segment,
    StaticArray,
    TracedAccessTable,
    TracedArgument,
    TracedBlockTable,
    TracedInstruction,
    TraceTables,
)
from kcc.frontend.ir.instructions import (
    AnyInstruction,
    AtomicRmw,
    Call,
    CompareExchange,
    FloatCompare,
    IntCompare,
    Load,
    Phi,
    Store,
)
from kcc.frontend.ir.types import VOID, size_bytes
from kcc.frontend.ir.values import ArgumentRef, InstructionRef, Value
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.frontend.one_kernel import cut_out
from kcc.frontend.types import AddressSpace
from kcc.passes.memory.arrays import Array, ArrayFinder, ArrayKind
from kcc.passes.mix.classify import classify, space_of
from kcc.tracegen.simt.explicit import explicit_memory
from kcc.tracegen.simt.inlined import inlined
from kcc.tracegen.simt.plan import Object, Plan, is_barrier
from kcc.tracegen.simt.wide import access_bytes


def tables_of(plan: Plan, kernel: Kernel, unit: CompiledUnit) -> TraceTables:
    """The tables of ``kernel`` of ``unit``, which ``plan`` was made of."""
    function = plan.function
    unit, kernel = explicit_memory(*inlined(unit, kernel))
    kernel = replace(kernel, function=function)
    files = _files(function.instructions)
    local, private = (
        plan.locals.values(),
        (*plan.allocas.values(), *plan.private_arguments.values()),
    )
    objects = (*plan.constants.values(), *local, *private)
    return TraceTables(
        kernel=kernel.name,
        source=unit.name,
        level=unit.opt_level.value,
        width=plan.width,
        arguments=tuple(
            TracedArgument(a.name, a.type, _word(a.address_space)) for a in kernel.arguments
        ),
        files=files,
        texts=tuple(_text(unit.sources, name) for name in files),
        blocks=tuple(_blocks(plan)),
        segments=tuple(_segments(plan)),
        instructions=tuple(_instructions(plan, files)),
        accesses=tuple(_accesses(plan, kernel)),
        arrays=tuple(_array(o) for o in objects),
        local_bytes=sum(o.size_bytes for o in local),
        private_bytes=sum(o.size_bytes for o in private),
        ir=cut_out(unit.ir, kernel.symbol),
        symbol=kernel.symbol,
        language=kernel.language.value,
    )


def _files(instructions: Iterable[AnyInstruction]) -> tuple[str, ...]:
    """The files instructions come from, in the order of their first."""
    return tuple(dict.fromkeys(i.location.file for i in instructions if i.location))


def _text(sources: Mapping[str, Sequence[str]], name: str) -> str:
    return "\n".join(sources.get(name, ()))


def _blocks(plan: Plan) -> Iterable[TracedBlockTable]:
    for block in plan.function.blocks:
        own = block.instructions
        lines = (i.location.line for i in own if i.location)
        yield TracedBlockTable(
            label=block.label,
            line=next(lines, 0),
            first=own[0].index,
            end=own[-1].index + 1,
            counted=_counted(own),
            first_segment=plan.first_segment[block.index],
            successors=block.successors,
            reconvergence=plan.flow.reconvergence.get(block.index),
        )


def _segments(plan: Plan) -> Iterable[Segment]:
    by_segment: list[list[AnyInstruction]] = [[] for _ in range(max(plan.segment_of) + 1)]
    for instruction in plan.function.instructions:
        by_segment[plan.segment_of[instruction.index]].append(instruction)
    touching, done = frozenset(plan.accesses), 0
    for own in by_segment:
        accesses = sum(i.index in touching for i in own)
        last = own[-1]
        yield Segment(
            block=last.block,
            first=own[0].index,
            end=last.index + 1,
            counted=_counted(own),
            first_access=done,
            end_access=done + accesses,
            barrier=last.index if is_barrier(last) else -1,
        )
        done += accesses


def _counted(instructions: Iterable[AnyInstruction]) -> int:
    return sum(not isinstance(i, Phi) for i in instructions)


def _instructions(plan: Plan, files: tuple[str, ...]) -> Iterable[TracedInstruction]:
    access_of = {index: number for number, index in enumerate(plan.accesses)}
    for instruction in plan.function.instructions:
        place, type_ = instruction.location, instruction.type
        yield TracedInstruction(
            block=instruction.block,
            segment=plan.segment_of[instruction.index],
            opcode=instruction.opcode.word,
            detail=_detail(instruction),
            classes=tuple((found.value, times) for found, times in classify(instruction)),
            type=str(type_),
            result_bytes=0 if type_ == VOID else size_bytes(type_),
            operands=tuple(_operand(o) for o in instruction.operands),
            incoming=instruction.incoming if isinstance(instruction, Phi) else (),
            access=access_of.get(instruction.index, -1),
            file=files.index(place.file) if place else -1,
            line=place.line if place else 0,
            column=place.column if place else 0,
        )


def _operand(value: Value) -> int:
    match value:
        case InstructionRef():
            return value.index
        case ArgumentRef():
            return -1 - value.index
        case _:
            return CONSTANT


def _detail(instruction: AnyInstruction) -> str:
    """What the opcode leaves open."""
    match instruction:
        case Call():
            return instruction.callee
        case AtomicRmw():
            return instruction.operation.value
        case IntCompare() | FloatCompare():
            return instruction.predicate.value
        case _:
            return ""


def _accesses(plan: Plan, kernel: Kernel) -> Iterable[TracedAccessTable]:
    finder = ArrayFinder(kernel)
    for index in plan.accesses:
        instruction = plan.function.instructions[index]
        match instruction:
            case Load():
                operation, type_ = "load", instruction.type
            case Store():
                operation, type_ = "store", instruction.value.type
            case AtomicRmw():
                operation, type_ = "atomic", instruction.value.type
            case CompareExchange():
                operation, type_ = "atomic", instruction.new.type
            case _:
                raise AssertionError(f"instruction {index} touches no memory")
        array = finder.array(instruction.pointer)
        space = space_of(instruction.pointer)
        found = array if isinstance(array, Array) else None
        if found is not None and space is AddressSpace.GENERIC:
            space = found.space
        is_argument = found is not None and found.kind is ArrayKind.ARGUMENT
        yield TracedAccessTable(
            instruction=index,
            operation=operation,
            space=_word(space),
            element_bytes=access_bytes(type_),
            array=found.name if found else "",
            argument=int(found.symbol) if found and is_argument else -1,
        )


def _array(item: Object) -> StaticArray:
    return StaticArray(item.name, _word(AddressSpace(item.space)), item.address, item.size_bytes)


def _word(space: AddressSpace) -> str:
    return space.name.lower()

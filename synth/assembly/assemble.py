"""From what is known of an original to its miniature."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import TypeVar

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.gpu.description import GpuDescription
from kcc.base.profile.merge import merge
from kcc.base.records import dataclass
from kcc.frontend.builtins.matrix import MATRICES
from kcc.frontend.ir.instructions import Call
from kcc.frontend.ir.types import IntTy, PtrTy
from kcc.frontend.ir.values import ArgumentRef, GlobalRef, InstructionRef, Value
from kcc.passes.registers.counts import estimate_registers
from kcc.synth.assembly import control
from kcc.synth.assembly.build import Built, Original, build_kernel
from kcc.synth.assembly.literals import invented
from kcc.synth.assembly.model import (
    ArgumentValue,
    BufferValue,
    ImageValue,
    Input,
    Launch,
    LocalValue,
    Miniature,
    Parameter,
    ParameterKind,
    Place,
    ScalarValue,
    StructValue,
    TableValue,
)
from kcc.synth.assembly.parameters import CutOf, RateOf, SpanOf, TripsOf
from kcc.synth.assembly.placement import Buffers
from kcc.synth.assembly.trips import Table, leaving
from kcc.synth.original.coarse import rounded, truncated
from kcc.synth.original.contents import slack_bytes
from kcc.synth.original.keys import Redraw, is_telling
from kcc.synth.original.observed import KernelFacts, LaunchFacts, anchor_of, pointer_of
from kcc.synth.original.roles import struct_place
from kcc.synth.reduction.spans import Span
from kcc.synth.reduction.thread_blocks import Cut, resident_blocks
from kcc.synth.reduction.thread_blocks import cuts as cuts_of

T = TypeVar("T")

FULL_RATE = (1 << 32) - 1

MOST_DRAWN = (1 << 32) - 1
"""Elements among which an address is drawn: a draw has 32 bits."""

GOLDEN = 2654435769
"""2^32 divided by the golden ratio: spreads consecutive numbers evenly (Knuth, TAOCP 3, 6.4).
Draws start at ``number of the thread * GOLDEN + seed``."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is asked for: ``factors`` by which trips are divided, for each loop of each kernel;
    ``drawn`` accesses (kernel, instruction) whose addresses are to be drawn whatever their
    contents."""

    factors: tuple[tuple[int, ...], ...]
    drawn: frozenset[tuple[int, int]] = frozenset()
    seed: int = 0
    cleared: frozenset[int] = frozenset()
    """Kernels whose local memory is to be written before they begin."""
    undecided: frozenset[int] = frozenset()
    """Kernels whose conditions on data are all to be drawn, whatever decides them."""
    blocks: int = 1
    """By how much the thread blocks of every launch are divided."""
    gpus: tuple[GpuDescription, ...] = ()
    """Of the largest of these the resident thread blocks are an epoch."""
    is_strict: bool = False
    """Rates and trips are told to a few bits."""


def assemble(
    kernels: Sequence[KernelFacts], launches: Sequence[LaunchFacts], wishes: Wishes
) -> Miniature:
    """The miniature.

    :raises DiagnosticError: K950 for a kernel with something that no miniature can have.
    """
    kernels = [
        facts.without_contents() if number in wishes.undecided else facts
        for number, facts in enumerate(kernels)
    ]
    for facts in kernels:
        _check_matrices(facts)
    built, redraw = list[Built](), Redraw(wishes.seed)
    cuts = {x: _cuts(kernels[x.kernel], x, wishes) for x in launches}
    for number, facts in enumerate(kernels):
        own = [x for x in launches if x.kernel == number]
        kept = tuple(cuts[x] for x in own)
        original = _original(facts, own, wishes, number, kept, redraw)
        made = build_kernel(original, f"k{number}", wishes.factors[number])
        if number in wishes.cleared:
            made = replace(made, kernel=replace(made.kernel, cleared=_local_memory(made, own)))
        built.append(made)
    buffers = _placed(launches)
    rows = tuple(
        _launch(kernels[x.kernel], built[x.kernel], x, buffers, wishes, cuts[x], redraw)
        for x in launches
    )
    sizes = buffers.sizes_bytes
    return Miniature(tuple(b.kernel for b in built), rows, sizes, wishes.factors, wishes.seed)


def _check_matrices(facts: KernelFacts) -> None:
    for instruction in facts.function.instructions:
        if isinstance(instruction, Call) and instruction.callee.startswith(MATRICES):
            message = f"kernel '{facts.kernel.name}' has matrix instructions, which OpenCL C lacks"
            raise DiagnosticError([Diagnostic("K950", message, facts.kernel.span)])


def _local_memory(
    built: Built, launches: Sequence[LaunchFacts]
) -> tuple[tuple[Input | Place, int], ...]:
    """All local memory of a kernel, with the bytes that every launch has of it."""
    found = list[tuple[Input | Place, int]]()
    for array in built.kernel.arrays:
        if array.space == 3:
            found.append((Place(array.number), array.size_bytes))
    for parameter, source in zip(built.kernel.parameters, built.sources, strict=True):
        if parameter.kind is ParameterKind.LOCAL:
            sizes = [
                b.size_bytes for x in launches for b in x.launch.buffers if b.argument == source
            ]
            found.append((Input(parameter.number), min(sizes)))
    return tuple(found)


def _original(
    facts: KernelFacts, launches: Sequence[LaunchFacts], wishes: Wishes, number: int,
    kept: tuple[tuple[Cut, ...], ...], redraw: Redraw,
) -> Original:  # fmt: skip
    forced = {instruction for kernel, instruction in wishes.drawn if kernel == number}
    spans = dict[int, Span]()
    for instruction in sorted(facts.drawn | forced):
        span = _span(facts, launches, instruction, is_strict=wishes.is_strict)
        if span is not None:
            spans[instruction] = span
    return Original(
        kernel=facts.kernel,
        function=facts.function,
        module=facts.module,
        info=facts.info,
        roles=facts.roles,
        profile=merge([x.profile for x in launches]),
        launches=tuple(x.profile for x in launches),
        spans=spans,
        refills={store: _limits(launches, argument) for store, argument in facts.refilled.items()},
        access_of=facts.access_of,
        meets=facts.meets,
        keys=facts.keys,
        codes=_codes(facts, launches),
        redraw=redraw,
        cuts=kept,
    )


def _codes(facts: KernelFacts, launches: Sequence[LaunchFacts]) -> dict[tuple[int, int], int]:
    """What stands for the constants that data are compared with, by instruction and operand: the
    same in all launches."""
    found = dict[tuple[int, int], int]()
    codings = facts.codings(launches[0].launch) if launches else {}
    for argument, own in facts.keys.compared.items():
        for i, place, value in own.constants:
            number = own.number(facts.function, i, place, value)
            found[i, place] = codings[argument].code(number)
    return found


def _cuts(facts: KernelFacts, found: LaunchFacts, wishes: Wishes) -> tuple[Cut, ...]:
    """What a launch keeps of its grid."""
    said = found.launch
    if wishes.blocks == 1:
        return tuple(Cut(n, n) for n in said.blocks[: len(said.global_size)])
    resident = 0
    if wishes.gpus:
        registers = estimate_registers(facts.function).count
        threads = prod(said.local_size)
        resident = resident_blocks(wishes.gpus, threads, registers, said.local_bytes)
    blocks = said.blocks[: len(said.global_size)]
    return cuts_of(blocks, wishes.blocks, found.profile.per_block, resident)


def _limits(launches: Sequence[LaunchFacts], argument: int) -> tuple[int, int]:
    """The least and the largest value that an array of indices has in every launch."""
    own = [x.fills[argument] for x in launches if x.fills.get(argument)]
    if not own:
        return 0, 0
    least = max(min(fill.least for fill in fills) for fills in own)
    return least, max(least, min(max(fill.most for fill in fills) for fills in own))


def _span(
    facts: KernelFacts, launches: Sequence[LaunchFacts], instruction: int, *, is_strict: bool
) -> Span | None:
    """Where an access with a drawn address goes in every launch. The last element that is touched
    is one: among how many it is drawn is told to a few bits, strictly to one."""
    base = _root(facts, instruction)
    access = facts.access_of.get(instruction)
    if base is None or access is None:
        return None
    size = facts.info.accesses[access].bytes
    low = min((x.spans[access][0] for x in launches if access in x.spans), default=0)
    counts = list[tuple[int, int]]()
    for x in launches:
        _, last = x.spans.get(access, (low, low))
        count = min((last - low) // size + 1, MOST_DRAWN)
        told = 1 << count.bit_length() - 1 if is_strict else truncated(count)
        counts.append((x.launch.number, told))
    return Span(base, anchor_of(facts, instruction), low, tuple(counts), size)


def _root(facts: KernelFacts, instruction: int) -> Value | None:
    """The array that an address begins with."""
    value = pointer_of(facts.function.instructions[instruction])
    seen = set[Value]()
    while isinstance(value, InstructionRef) and value not in seen:
        seen.add(value)
        made = facts.function.instructions[value.index]
        pointers = [o for o in made.operands if isinstance(o.type, PtrTy)]
        if not pointers:
            return None
        value = next((p for p in pointers if p not in seen), pointers[0])
    return value if isinstance(value, ArgumentRef | GlobalRef) else None


NO_BUFFER = (1 << 64, 64)
"""The place of what stands in for a buffer that a launch was not given: after all others."""


def _placed(launches: Sequence[LaunchFacts]) -> Buffers:
    """The buffers of all launches; with room for addresses beyond, if there may be any."""
    own = [
        (b.address, b.size_bytes)
        for x in launches
        for b in x.launch.buffers
        if b.space in ("global", "constant")
    ]
    has_fills = any(x.fills for x in launches)
    slack = {place: slack_bytes(place[1]) for place in own} if has_fills else {}
    return Buffers([*own, NO_BUFFER], slack)


def _launch(
    facts: KernelFacts, built: Built, found: LaunchFacts, buffers: Buffers, wishes: Wishes,
    cuts: tuple[Cut, ...], redraw: Redraw,
) -> Launch:  # fmt: skip
    values = tuple(
        _moving(parameter, cuts[source.dimension], source, found)
        if isinstance(source, CutOf)
        else _value(facts, parameter, source, found, buffers, wishes, redraw)
        for parameter, source in zip(built.kernel.parameters, built.sources, strict=True)
    )
    said = found.launch
    if any(said.offset):
        raise DiagnosticError([Diagnostic("K950", "a launch has a global offset")])
    size = tuple(
        own * cut.kept if cut.kept < cut.total else whole
        for own, cut, whole in zip(said.local_size, cuts, said.global_size, strict=True)
    )
    return Launch(said.number, found.kernel, size, said.local_size, values)


def _moving(parameter: Parameter, cut: Cut, source: CutOf, found: LaunchFacts) -> ScalarValue:
    """How a query is to be moved: in work-items or in thread blocks."""
    unit = found.launch.local_size[source.dimension] if source.by_items else 1
    match parameter.kind:
        case ParameterKind.FIRST:
            return ScalarValue(cut.first * unit)
        case ParameterKind.SKIP:
            return ScalarValue(cut.skip * unit)
        case ParameterKind.TOTAL:
            return ScalarValue(cut.total * unit)
        case _:
            return ScalarValue(cut.shift)


def _value(
    facts: KernelFacts, parameter: Parameter, source: object, found: LaunchFacts,
    buffers: Buffers, wishes: Wishes, redraw: Redraw,
) -> ArgumentValue:  # fmt: skip
    told = rounded if wishes.is_strict else int
    match source:
        case RateOf(block, targets, factor):
            rate = min(sum(control.rate(found.profile, block, t) for t in set(targets)), 1.0)
            share = round(_scaled(facts, rate, block, targets, factor) * FULL_RATE)
            return ScalarValue(min(told(share), FULL_RATE))
        case TripsOf(loop, factor, halves, early, rest):
            count = found.profile.loops[loop]
            if parameter.kind is ParameterKind.TRIPS:
                return ScalarValue(max(1, count.most // factor))
            table = Table.of(count, factor, halves=halves)
            if early:
                table = table.early(leaving(found.profile, loop, early), rest=rest)
            return TableValue(tuple(map(told, table.by_draw)))
        case SpanOf(counts):
            return ScalarValue(dict(counts)[found.launch.number])
        case int():
            return _argument(facts, parameter, source, found, buffers, redraw)
        case _:
            is_seed = parameter.kind is ParameterKind.SEED
            return ScalarValue(wishes.seed * GOLDEN % (1 << 32) if is_seed else 0)


def _scaled(
    facts: KernelFacts, rate: float, block: int, targets: Sequence[int], factor: int
) -> float:
    """The rate of a way out of a loop that has fewer trips by ``factor``: as many leave it that
    way as of the original."""
    loop = facts.info.blocks[block].loop
    if factor == 1 or loop is None:
        return rate
    leaves = all(t not in facts.info.loops[loop].blocks for t in targets)
    return 1 - (1 - rate) ** factor if leaves else rate**factor


def _argument(
    facts: KernelFacts,
    parameter: Parameter,
    argument: int,
    found: LaunchFacts,
    buffers: Buffers,
    redraw: Redraw,
) -> ArgumentValue:
    match parameter.kind:
        case ParameterKind.BUFFER:
            own = next((b for b in found.launch.buffers if b.argument == argument), None)
            if own is None:
                return BufferValue(buffers.number(NO_BUFFER), ())
            fills = found.fills.get(argument, ())
            return BufferValue(buffers.number((own.address, own.size_bytes)), fills)
        case ParameterKind.LOCAL:
            own = next((b for b in found.launch.buffers if b.argument == argument), None)
            return LocalValue(_there(own, argument).size_bytes)
        case ParameterKind.STRUCT:
            return StructValue(
                _words(facts, argument, parameter.size_bytes, _data(found, argument))
            )
        case ParameterKind.IMAGE:
            return ImageValue(_there(found.images.get(argument), argument))
        case ParameterKind.SAMPLER:
            return ScalarValue(0)
        case _:
            return _scalar(facts, parameter, argument, found, redraw)


def _data(found: LaunchFacts, argument: int) -> bytes:
    data = (bytes.fromhex(s.data) for s in found.launch.scalars if s.argument == argument)
    return _there(next(data, None), argument)


def _there(found: T | None, argument: int) -> T:
    """What a launch says of an argument."""
    if found is None:
        message = f"the profile has no value of argument {argument} of a launch"
        raise DiagnosticError([Diagnostic("K952", message)])
    return found


def _scalar(
    facts: KernelFacts, parameter: Parameter, argument: int, found: LaunchFacts, redraw: Redraw
) -> ScalarValue:
    """A size keeps its value, keys have others; anything else is a number of the generator's."""
    data = _data(found, argument)
    if argument not in facts.roles.scalars or not isinstance(parameter.type, IntTy):
        return ScalarValue(invented(parameter.type, argument).value)
    value = int.from_bytes(data, "little")
    for buffer, own in facts.keys.compared.items():
        if argument in own.scalars:
            number = int.from_bytes(data, "little", signed=not own.is_unsigned)
            return ScalarValue(facts.codings(found.launch)[buffer].code(number))
    bits = facts.keys.mixing.get(argument)
    if bits is not None and is_telling(value, bits):
        return ScalarValue(redraw.of(value, parameter.type.bits))
    return ScalarValue(value)


def _words(facts: KernelFacts, argument: int, size: int, data: bytes) -> tuple[int, ...]:
    """A struct's words of 4 bytes: sizes keep their values, the others are 1.5 as floats."""
    words = [struct.unpack("<I", struct.pack("<f", 1.5))[0]] * (-(-size // 8) * 2)
    for index in facts.roles.struct_loads:
        load = facts.function.instructions[index]
        place = struct_place(facts.function, load.operands[0])
        if place is None or place[0] != argument or index not in _needed(facts):
            continue
        width = max(getattr(load.type, "bits", 32) // 32, 1)
        for word in range(place[1] // 4, place[1] // 4 + width):
            words[word] = int.from_bytes(data[word * 4 : word * 4 + 4], "little")
    return tuple(words)


def _needed(facts: KernelFacts) -> frozenset[int]:
    """Loads from structs that addresses or conditions are made of."""
    return facts.roles.leaves & facts.roles.struct_loads

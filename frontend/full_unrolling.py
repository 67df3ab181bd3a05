"""Short loops, which NVIDIA's compiler unrolls fully, and further than LLVM's NVPTX does; and those
over private arrays on AMD's GPUs.

Loops of our own through NVRTC 12.9 (compute capability 8.6): the most that is fully unrolled, and
the next that was tried and is not. Operations are those of an iteration, without the element of the
array's load and store, where it has them:

=======================================  ==========================================
trips                                    operations
=======================================  ==========================================
9, 19, 32 of a private array             176, 178; 82, 84; 48, 50
8 of 8, 4 of 16, 16 of 4; 16 of 8        22, 24; 10, 12
4, 8, 12, 16, 24, 32 with loads          64, 80; 32, 40; 24, 28; 16, 20; 12, 14; 8, 10
32, 48 products of two shared arrays     1, and 1 of 64 is not
8, 16, 24, 32, 48, 64 of arithmetic      48, 56; 24, 28; 16, 20; 12, 14; 8, 10; 6, 7
=======================================  ==========================================

So a loop over a private array has up to 1,602 to 1,620 instructions (an array whose indices are
constants lies in registers), one with other accesses about 300, as LLVM's NVPTX target says, one
without any fewer than 400. Unlike LLVM's, these leave out what addresses and counters take. OpenCL
C goes through the same compiler.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcc.frontend.ir.instructions import (
    Alloca,
    AtomicRmw,
    Binary,
    Branch,
    Call,
    CompareExchange,
    CondBranch,
    ExtractElement,
    GetElementPtr,
    InsertElement,
    Instruction,
    Load,
    Phi,
    Store,
)
from kcc.frontend.ir.model import Function, Module
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import IntTy
from kcc.frontend.ir.values import ConstantInt, InstructionRef
from kcc.frontend.metadata_nodes import Place, free_number, places_of
from kcc.frontend.options import Costs
from kcc.frontend.partial_unrolling import counter_of, tests_made, trip_count

PRIVATE, WITH_ACCESSES, ARITHMETIC = 1610, 300, 399
"""Instructions of all copies: of a loop over a private array, of one with other accesses, and of
one without any."""

AMD_PRIVATE = 2700
"""The first of these in LLVM for AMD's GPUs (AMDGPUTargetTransformInfo.cpp,
``amdgpu-unroll-threshold-private``). It takes arrays for private by their address space, which a
module of ours does not have yet; all else it decides itself."""

OF_THE_COUNTER = 3
"""Instructions of an iteration that are gone with the counter: its sum, comparison and branch."""

_FREE = (Phi, GetElementPtr, Alloca)
_WIDTHS = frozenset({Opcode.SEXT, Opcode.ZEXT, Opcode.TRUNC, Opcode.BITCAST})

_LOOP = re.compile(r"^(!\d+) = distinct !\{\1, (!\d+)([^}\n]*)\}", re.MULTILINE)
_ASKED = re.compile(r'^(!\d+) = (?:distinct )?!\{!"llvm\.loop\.unroll\.', re.MULTILINE)
_REFERENCE = re.compile(r"!\d+")


def short_loops(module: Module, costs: Costs) -> frozenset[Place]:
    """The loops of an optimised module, by the places of their keywords, that are there still and
    which the GPU's compiler unrolls fully: all of a place, which LLVM may have copied or taken
    apart."""
    found = dict[Place, bool]()
    for function in module.functions.values():
        for place, is_short in _loops(function, costs):
            found[place] = found.get(place, True) and is_short
    return frozenset(place for place, is_short in found.items() if is_short)


def outer_loops(module: Module) -> frozenset[Place]:
    """The loops of a module, by the places of their keywords, that hold other loops."""
    return frozenset(
        _place(outer)
        for function in module.functions.values()
        for outer, inside in _bodies(function).items()
        if any(latch.block in inside and _place(latch) != _place(outer)
               for latch in _latches(function))
    )  # fmt: skip


def fully_unrolled(text: str, loops: frozenset[Place]) -> str:
    """A module that is not optimised yet, in which loops at these places are to be unrolled; as it
    is where it says of none of them where it stands."""
    return _marked(text, loops, "llvm.loop.unroll.full")


def left_as_they_are(text: str, loops: frozenset[Place]) -> str:
    """Likewise one in which loops at these places are not to be unrolled."""
    return _marked(text, loops, "llvm.loop.unroll.disable")


def _marked(text: str, loops: frozenset[Place], wish: str) -> str:
    if not loops:
        return text
    places = places_of(text)
    asked = set(_ASKED.findall(text))
    node = f"!{free_number(text)}"

    def marked(match: re.Match[str]) -> str:
        if places.get(match[2]) not in loops or asked & set(_REFERENCE.findall(match[3])):
            return match[0]
        return match[0][:-1] + f", {node}}}"

    found = _LOOP.sub(marked, text)
    if found == text:
        return text
    return found.rstrip("\n") + f'\n{node} = !{{!"{wish}"}}\n'


def _loops(function: Function, costs: Costs) -> Iterator[tuple[Place, bool]]:
    for latch in _latches(function):
        yield _place(latch), _is_short(function, latch, costs)


def _latches(function: Function) -> Iterator[Branch | CondBranch]:
    """The branches that say where the keyword of their loop stands."""
    for block in function.blocks:
        latch = block.terminator
        if isinstance(latch, Branch | CondBranch) and latch.loop and latch.loop.start:
            yield latch


def _place(latch: Branch | CondBranch) -> Place:
    """Where the keyword stands of the loop that a branch is the latch of."""
    assert latch.loop is not None
    assert latch.loop.start is not None
    return latch.loop.start.line, latch.loop.start.column


def _bodies(function: Function) -> dict[Branch | CondBranch, frozenset[int]]:
    """The blocks of each loop. From the other way that its latch takes, which does not lead into
    it, the latch is reached from nowhere but the entry."""
    found = dict[Branch | CondBranch, frozenset[int]]()
    for latch in _latches(function):
        targets = latch.targets if isinstance(latch, CondBranch) else (latch.target,)
        for header in targets:
            inside = _blocks(function, header, latch.block)
            if 0 not in inside:
                found[latch] = inside
    return found


def _is_short(function: Function, marked: Branch | CondBranch, costs: Costs) -> bool:
    counted = _counted(function, marked)
    if counted is None or counted[0] < 2:
        return False
    trips, counter, inside = counted
    body: list[Instruction] = [
        each for block in sorted(inside) for each in function.blocks[block].instructions
    ]
    size = sum(map(_counts, body)) - OF_THE_COUNTER
    return size * trips <= _most(function, counter, body, costs)


def _counted(
    function: Function, marked: Branch | CondBranch
) -> tuple[int, Phi, frozenset[int]] | None:
    """The trip count of a loop, its counter and its blocks: by the branch that has its place or,
    where LLVM has unrolled it in part, by the copy in the middle in which it ends."""
    if isinstance(marked, CondBranch):
        counted = trip_count(function, marked)
        if counted is not None:
            return *counted, _blocks(function, counted[1].block, marked.block)
        counter = counter_of(function, marked)
        if counter is None:
            return None
        header, leaving = counter.block, marked
        latches = [b for b, v in zip(counter.incoming, counter.operands, strict=True)
                   if not isinstance(v, ConstantInt)]  # fmt: skip
        if len(latches) != 1:
            return None
        latch = latches[0]
        inside = _blocks(function, header, latch)
    else:
        header, latch = marked.target, marked.block
        inside = _blocks(function, header, latch)
        ways = [
            end for number in inside
            if isinstance(end := function.blocks[number].terminator, CondBranch)
            and not inside.issuperset(end.targets)
        ]  # fmt: skip
        counter = counter_of(function, ways[0]) if len(ways) == 1 else None
        if counter is None or counter.block != header:
            return None
        leaving = ways[0]
    if leaving.block not in inside:
        return None
    count = tests_made(function, leaving, counter, latch, goes_on=leaving.then in inside)
    return None if count is None else (count, counter, inside)


def _counts(instruction: Instruction) -> bool:
    return not isinstance(instruction, _FREE) and instruction.opcode not in _WIDTHS


def _most(function: Function, counter: Phi, body: list[Instruction], costs: Costs) -> int:
    """Instructions that all copies of a loop may have."""
    is_amd = costs is Costs.AMD
    if _picks_elements(function, counter, body):
        return AMD_PRIVATE if is_amd else PRIVATE
    if is_amd:
        return 0
    return WITH_ACCESSES if any(map(_accesses, body)) else ARITHMETIC


def _accesses(instruction: Instruction) -> bool:
    if isinstance(instruction, Call):
        return not instruction.is_intrinsic
    return isinstance(instruction, Load | Store | AtomicRmw | CompareExchange)


def _blocks(function: Function, header: int, latch: int) -> frozenset[int]:
    """The blocks from which the latch is reached without the header."""
    inside, work = {header}, [latch]
    while work:
        block = work.pop()
        if block not in inside:
            inside.add(block)
            work += function.blocks[block].predecessors
    return frozenset(inside)


def _picks_elements(function: Function, counter: Phi, body: list[Instruction]) -> bool:
    """Whether the body loads or stores elements of a private array, or of a vector that LLVM has
    made of one, by an index of the counter."""
    of_counter = {
        phi.index
        for phi in function.blocks[counter.block].phis
        if _moves_by_constants(function, phi)
    }
    for each in body:
        operands = (function.definition(operand) for operand in each.operands)
        if not isinstance(each, Phi) and any(
            o is not None and o.index in of_counter for o in operands
        ):
            of_counter.add(each.index)
    lanes = (each.lane for each in body if isinstance(each, ExtractElement | InsertElement))
    if any(isinstance(lane, InstructionRef) and lane.index in of_counter for lane in lanes):
        return True
    return any(
        isinstance(pointer, GetElementPtr)
        and pointer.index in of_counter
        and _is_private(function, pointer)
        for each in body
        if isinstance(each, Load | Store)
        for pointer in (function.definition(each.pointer),)
    )


def _moves_by_constants(function: Function, phi: Phi) -> bool:
    made = (function.definition(each) for each in phi.operands)
    return isinstance(phi.type, IntTy) and all(
        isinstance(operand, ConstantInt)
        or (
            isinstance(step, Binary)
            and isinstance(step.right, ConstantInt)
            and function.definition(step.left) is phi
        )
        for operand, step in zip(phi.operands, made, strict=True)
    )


def _is_private(function: Function, pointer: Instruction) -> bool:
    base: Instruction | None = pointer
    while isinstance(base, GetElementPtr):
        base = function.definition(base.base)
    return isinstance(base, Alloca)

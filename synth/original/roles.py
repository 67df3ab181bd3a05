"""Which instructions of a kernel make addresses and conditions, and which of these are decided by
ids, sizes and loop counters alone.

Yu et al. (IEEE TC 2015, sections 4.1.4 and 4.1.5) clone an access whose address is an affine
expression of the thread's id. Here the whole integer arithmetic of an address or a condition
is kept, loop counters and remainders too; what is loaded in between is data, whose contents
:mod:`kcc.synth.original.contents` describes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcc.base.records import dataclass
from kcc.frontend.builtins.demangle import demangle
from kcc.frontend.ir.instructions import (
    AnyInstruction,
    AtomicRmw,
    Binary,
    Call,
    Cast,
    CompareExchange,
    CondBranch,
    ExtractElement,
    FloatCompare,
    GetElementPtr,
    InsertElement,
    IntCompare,
    Load,
    Phi,
    Select,
    ShuffleVector,
    Store,
    Switch,
    Unary,
)
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.types import FloatTy, IrType, PtrTy, scalar_of
from kcc.frontend.ir.values import ArgumentRef, InstructionRef, Value

_ARITHMETIC = (
    Binary, Unary, Cast, IntCompare, Select, Phi, GetElementPtr, ExtractElement, InsertElement,
    ShuffleVector,
)  # fmt: skip

_WORK_ITEM = frozenset(
    {
        "get_global_id", "get_local_id", "get_group_id", "get_global_size", "get_local_size",
        "get_num_groups", "get_global_offset", "get_work_dim", "get_global_linear_id",
        "get_local_linear_id", "get_enqueued_local_size", "get_sub_group_local_id",
        "get_sub_group_size", "get_sub_group_id", "get_num_sub_groups", "get_image_width",
        "get_image_height", "get_image_depth", "get_image_dim",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Roles:
    """By index of the function's instructions.

    ``known`` are decided by ids, sizes and counters, ``decided`` by these and by what the kernel
    finds in memory; ``index`` make addresses or decided conditions; ``leaves`` are the loads that
    such an address waits for, ``deciding`` those that such a condition does; ``scalars`` the
    arguments whose values ``index`` uses, ``struct_loads`` the loads from structs by value.
    """

    known: frozenset[int]
    decided: frozenset[int]
    deciding: frozenset[int]
    index: frozenset[int]
    leaves: frozenset[int]
    scalars: frozenset[int]
    struct_loads: frozenset[int]

    def is_known(self, value: Value) -> bool:
        """Whether a value is decided by ids, sizes and counters."""
        match value:
            case InstructionRef():
                return value.index in self.known
            case ArgumentRef():
                return not _is_float(value.type)
            case _:
                return True

    def is_decided(self, value: Value) -> bool:
        """Whether a value is decided by these and by what the kernel finds in memory."""
        return self.is_known(value) or (
            isinstance(value, InstructionRef) and value.index in self.decided
        )


def roles_of(
    function: Function, steady: frozenset[int] = frozenset(), unwanted: frozenset[int] = frozenset()
) -> Roles:
    """The roles of a kernel's instructions; ``steady`` are loads of what was in memory before the
    launch, ``unwanted`` instructions that decide nothing in the miniature."""
    structs = frozenset(_struct_loads(function))
    known = _known(function, structs)
    decided = _known(function, structs, steady, unwanted) if steady else known
    index, leaves, scalars = _reached(function, _roots(function, decided))
    conditions = (v for v in _conditions(function) if _is_ref_known(v, decided))
    _, deciding, _ = _reached(function, conditions)
    return Roles(known, decided, deciding & steady, index, leaves, scalars, structs)


def _reached(
    function: Function, roots: Iterable[Value]
) -> tuple[frozenset[int], frozenset[int], frozenset[int]]:
    """The arithmetic that values are made by, the loads it begins with, and the arguments."""
    index, leaves, scalars = set[int](), set[int](), set[int]()
    pending = list(roots)
    seen = set[Value](pending)
    while pending:
        value = pending.pop()
        if isinstance(value, ArgumentRef):
            scalars.add(value.index)
            continue
        if not isinstance(value, InstructionRef):
            continue
        made = function.instructions[value.index]
        if not (_is_arithmetic(made) or _compares_loads(function, made)):
            if isinstance(made, Load | AtomicRmw):
                leaves.add(value.index)
            continue
        index.add(value.index)
        fresh = [o for o in made.operands if o not in seen]
        pending += fresh
        seen.update(fresh)
    return frozenset(index), frozenset(leaves), frozenset(scalars)


def _conditions(function: Function) -> Iterator[Value]:
    for instruction in function.instructions:
        match instruction:
            case CondBranch():
                yield instruction.condition
            case Switch():
                yield instruction.value
            case _:
                pass


def _roots(function: Function, known: frozenset[int]) -> Iterator[Value]:
    """What addresses and known conditions are made of."""
    for instruction in function.instructions:
        match instruction:
            case Load() | Store() | AtomicRmw() | CompareExchange():
                yield instruction.pointer
            case CondBranch():
                if _is_ref_known(instruction.condition, known):
                    yield instruction.condition
            case Switch():
                if _is_ref_known(instruction.value, known):
                    yield instruction.value
            case Call() if work_item_query(instruction.callee):
                yield from instruction.operands
            case _:
                pass


def _is_ref_known(value: Value, known: frozenset[int]) -> bool:
    return not isinstance(value, InstructionRef) or value.index in known


def _known(
    function: Function, structs: frozenset[int], steady: frozenset[int] = frozenset(),
    unwanted: frozenset[int] = frozenset(),
) -> frozenset[int]:  # fmt: skip
    """The largest set of integer instructions that depend on nothing but each other, ids, sizes,
    constants and ``steady`` loads: all that could be in it, without those that something else
    reaches."""
    given = structs | steady
    found = {
        i.index
        for i in function.instructions
        if _could_be_known(i) or i.index in given or _compares_loads(function, i)
    } - unwanted
    while True:
        out = {n for n in found - structs if not _operands_known(function.instructions[n], found)}
        if not out:
            return frozenset(found)
        found -= out


def _could_be_known(instruction: AnyInstruction) -> bool:
    if isinstance(instruction, Call):
        return work_item_query(instruction.callee) or _is_integer_intrinsic(instruction)
    return _is_arithmetic(instruction) and not any(_is_float(o.type) for o in instruction.operands)


def _compares_loads(function: Function, instruction: AnyInstruction) -> bool:
    """Whether floats are compared as they are found in memory. What is computed of them first is
    not looked at: its constants would have to be kept."""
    if not isinstance(instruction, FloatCompare):
        return False
    return all(isinstance(function.definition(o), Load) for o in instruction.operands)


def _operands_known(instruction: AnyInstruction, found: Iterable[int]) -> bool:
    return all(o.index in found for o in instruction.operands if isinstance(o, InstructionRef))


def _is_arithmetic(instruction: AnyInstruction) -> bool:
    """Integer arithmetic, comparisons, moves and choices."""
    if isinstance(instruction, Call):
        return _is_integer_intrinsic(instruction)
    return isinstance(instruction, _ARITHMETIC) and not _is_float(instruction.type)


def _is_integer_intrinsic(call: Call) -> bool:
    if not call.is_intrinsic or _is_float(call.type):
        return False
    return not any(_is_float(o.type) for o in call.operands) and str(call.type) != "void"


def work_item_query(callee: str) -> bool:
    """Whether a function gives an id or a size, of the launch or of an image."""
    known = demangle(callee)
    return (known.name if known else callee) in _WORK_ITEM


def _is_float(type_: IrType) -> bool:
    return isinstance(scalar_of(type_), FloatTy)


def _struct_loads(function: Function) -> Iterator[int]:
    """Integer loads from structs by value at a fixed place: sizes of the launch."""
    for instruction in function.instructions:
        if isinstance(instruction, Load) and not _is_float(instruction.type):
            place = struct_place(function, instruction.pointer)
            if place is not None and not isinstance(instruction.type, PtrTy):
                yield instruction.index


def struct_place(function: Function, pointer: Value) -> tuple[int, int] | None:
    """The argument and the offset in bytes that a pointer into a struct by value means, if both
    are fixed."""
    from kcc.frontend.ir.types import size_bytes
    from kcc.frontend.ir.values import ConstantInt

    offset = 0
    while True:
        match pointer:
            case ArgumentRef():
                byval = function.arguments[pointer.index].attributes.byval is not None
                return (pointer.index, offset) if byval else None
            case InstructionRef():
                made = function.instructions[pointer.index]
                if not isinstance(made, GetElementPtr) or len(made.indices) != 1:
                    return None
                (step,) = made.indices
                if not isinstance(step, ConstantInt):
                    return None
                offset += step.value * size_bytes(made.source_type)
                pointer = made.base
            case _:
                return None

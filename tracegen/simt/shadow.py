"""Reads of local and private memory that was never written.

Such memory is filled with a pattern first (``poison``). A load that gives nothing but that in some
lane raises a flag, and the launch is repeated with a *shadow*: a second copy of the memory,
filled alike, where stores put zeros, so that what still holds the pattern was never written.

A load counts only when none of its bytes was written, since vectors may have elements that nobody
uses; not when it serves to replace some elements; and not when it only copies from one private or
local place to another (by memcpy to any), as the members of a struct that nobody uses are: then
the shadow is copied.
"""

from __future__ import annotations

from functools import lru_cache

from kcc.base.records import dataclass
from kcc.frontend.ir.builder import Value, const_int, zero
from kcc.frontend.ir.instructions import AnyInstruction, InsertElement, Load, ShuffleVector, Store
from kcc.frontend.ir.model import Function, users
from kcc.frontend.ir.types import PtrTy, StructTy
from kcc.frontend.ir.values import InstructionRef, Poison, Undef
from kcc.tracegen.simt.explicit import PREFIX
from kcc.tracegen.simt.frame import WarpFrame
from kcc.tracegen.simt.layout import PRIVATE_BASE, FaultKind
from kcc.tracegen.simt.memory import Shape
from kcc.tracegen.simt.poison import all_poison, raise_flag
from kcc.tracegen.simt.private import PrivateWords
from kcc.tracegen.simt.target import Target


def watch(
    frame: WarpFrame, instruction: AnyInstruction, target: Target, found: list[Value]
) -> None:
    """Raise the flag when a lane has read nothing but the pattern."""
    if frame.precise or not is_watched(frame, instruction, target):
        return
    raise_flag(frame, frame.worker, frame.mask, found)


def check(
    frame: WarpFrame, instruction: AnyInstruction, address: Value, shape: Shape, target: Target
) -> None:
    """In a precise program, stop where a lane reads what was never written. The address has been
    checked."""
    if not frame.precise or frame.watched:
        return
    if instruction.index in _uses_of(frame.plan.function).copied:
        frame.shadows[instruction.index] = load(frame, address, shape, target)
    if not is_watched(frame, instruction, target):
        return
    poisoned = all_poison(frame, load(frame, address, shape, target))
    lanes = frame.code.binary("and", frame.bits(frame.lanes(poisoned)), frame.mask)
    frame.fail_lanes(FaultKind.UNINITIALISED, instruction, lanes, address)


def mark(
    frame: WarpFrame, instruction: AnyInstruction, address: Value, shape: Shape, target: Target
) -> None:
    """In a precise program, note what a store writes."""
    if not frame.precise or frame.watched or target.space not in (0, 3):
        return
    values = [zero(frame.vector_type(p)) for p, _ in shape.parts]
    if isinstance(instruction, Store) and isinstance(instruction.value, InstructionRef):
        values = frame.shadows.get(instruction.value.index, values)
    store(frame, address, shape, target, values)


def load(frame: WarpFrame, address: Value, shape: Shape, target: Target) -> list[Value]:
    """The shadow of what a load would give: zero for memory that has none."""
    if target.space not in (0, 3):
        return [zero(frame.vector_type(p)) for p, _ in shape.parts]
    if target.space == 0:
        words = _private(frame, address)
        return [words.load(part, byte) for part, byte in shape.parts]
    helper = frame.helpers.load(shape)
    return call_helper(frame, frame.local_shadow, helper, address, target, [])[:-1]


def store(
    frame: WarpFrame, address: Value, shape: Shape, target: Target, values: list[Value]
) -> None:
    """Write to the shadow, if the memory has one."""
    if target.space == 0:
        words = _private(frame, address)
        for (part, byte), value in zip(shape.parts, values, strict=True):
            words.store(part, byte, value)
    elif target.space == 3:
        helper = frame.helpers.store(shape)
        call_helper(frame, frame.local_shadow, helper, address, target, values)


def _private(frame: WarpFrame, address: Value) -> PrivateWords:
    start = PRIVATE_BASE - frame.plan.private_bytes
    return PrivateWords(frame, frame.code.binary("sub", address, const_int(address.type, start)))


def call_helper(
    frame: WarpFrame,
    base: Value,
    helper: tuple[str, StructTy],
    address: Value,
    target: Target,
    values: list[Value],
) -> list[Value]:
    """Move data of a shadow, which begins at ``base``; the last result says nothing, since the
    access itself has been checked."""
    name, result = helper
    arguments = [
        frame.worker, base, frame.lanes(address), frame.mask, target.low,
        target.limit, *values,
    ]  # fmt: skip
    answer = frame.code.call(name, result, arguments, convention="")
    fields = result.fields
    return [frame.code.extract_value(answer, t, i) for i, t in enumerate(fields)]


def is_watched(frame: WarpFrame, instruction: AnyInstruction, target: Target) -> bool:
    """Whether it matters that what a load gives was written."""
    uses = _uses_of(frame.plan.function)
    if instruction.name.startswith(PREFIX):
        return False
    return target.space in (0, 3) and instruction.index not in uses.blended | uses.copied


@dataclass(frozen=True, slots=True)
class _Uses:
    """Loads that read nothing that matters."""

    blended: frozenset[int]
    """Of vectors of which only some elements are kept, beside new ones."""
    copied: frozenset[int]
    """Stored in private or local memory and not used otherwise."""


@lru_cache(maxsize=4)
def _uses_of(function: Function) -> _Uses:
    uses = users(function)
    blended, copied = set[int](), set[int]()
    for load_ in function.instructions:
        if not isinstance(load_, Load) or not uses[load_.index]:
            continue
        if all(_replaces(u, load_.index) for u in uses[load_.index]):
            blended.add(load_.index)
        if all(isinstance(u, Store) and _is_private(u) for u in uses[load_.index]):
            copied.add(load_.index)
    return _Uses(frozenset(blended), frozenset(copied))


def _is_private(store_: Store) -> bool:
    type_ = store_.pointer.type
    return isinstance(type_, PtrTy) and type_.space in (0, 3)


def _replaces(user: AnyInstruction, vector: int) -> bool:
    if isinstance(user, InsertElement):
        first = user.vector
        return isinstance(first, InstructionRef) and first.index == vector
    other = (Undef, Poison)
    return isinstance(user, ShuffleVector) and not any(isinstance(o, other) for o in user.operands)

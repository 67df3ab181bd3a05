"""Which lanes of vectors somebody wants: a compiler computes no others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kcc.frontend.ir.instructions import (
    Alloca,
    AnyInstruction,
    AtomicRmw,
    Binary,
    Call,
    Cast,
    CompareExchange,
    ExtractElement,
    FloatCompare,
    InsertElement,
    IntCompare,
    Phi,
    Select,
    ShuffleVector,
    Unary,
)
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.types import VOID, IrType, VecTy
from kcc.frontend.ir.values import ConstantInt, InstructionRef, Value
from kcc.passes.mix.classify import classify
from kcc.passes.mix.instruction_classes import InstructionClass

Lanes = frozenset[int]

_C = InstructionClass
_ARITHMETIC = frozenset(
    {_C.INT, _C.INT_MUL, _C.INT_DIV, _C.INT64, _C.INT64_MUL, _C.LOGIC, _C.FP16, _C.FP32, _C.FP64,
     _C.FP_DIV, _C.SPECIAL, _C.MATH, _C.CONVERT, _C.COMPARE, _C.SELECT, _C.MOVE}
)  # fmt: skip
"""Calls of these classes only make a value."""

_LANE_BY_LANE = (Binary, Unary, Cast, IntCompare, FloatCompare, Select, Phi)


def wanted_lanes(function: Function) -> Mapping[int, Lanes]:
    """The lanes that are wanted of each value of which somebody wants not all, by the instruction
    that makes it: of a scalar, as of a vector, none where it goes into lanes that nobody wants."""
    if not any(isinstance(each.type, VecTy) for each in function.instructions):
        return {}
    found = {each.index: set[int]() for each in function.instructions}
    waiting = [each for each in function.instructions if _is_for_itself(each)]
    for each in waiting:
        found[each.index] |= _all(each.type)
    while waiting:
        user = waiting.pop()
        for value, lanes in _asked(user, frozenset(found[user.index])):
            if isinstance(value, InstructionRef) and not lanes <= found[value.index]:
                found[value.index] |= lanes
                waiting.append(function.instructions[value.index])
    return {
        index: frozenset(lanes) for index, lanes in found.items()
        if frozenset(lanes) != _all(function.instructions[index].type)
    }  # fmt: skip


def _is_for_itself(each: AnyInstruction) -> bool:
    """Whether an instruction does something beside making a value."""
    if isinstance(each, Call):
        return any(kind not in _ARITHMETIC for kind, _ in classify(each)) or each.type == VOID
    return each.type == VOID or isinstance(each, AtomicRmw | CompareExchange | Alloca)


def _asked(user: AnyInstruction, wanted: Lanes) -> Iterator[tuple[Value, Lanes]]:
    """The vectors that an instruction takes, with the lanes that it wants of each to make those of
    its own that are ``wanted``."""
    match user:
        case ExtractElement() if isinstance(user.lane, ConstantInt):
            yield user.vector, frozenset({user.lane.unsigned})
        case InsertElement() if isinstance(user.lane, ConstantInt):
            yield user.vector, wanted - {user.lane.unsigned}
            if user.lane.unsigned in wanted:
                yield user.element, _all(user.element.type)
        case ShuffleVector():
            count = _count(user.left.type)
            taken = {lane for i in wanted if (lane := user.mask[i]) is not None}
            yield user.left, frozenset(lane for lane in taken if lane < count)
            yield user.right, frozenset(lane - count for lane in taken if lane >= count)
        case _:
            alone = isinstance(user.type, VecTy) and _is_lane_by_lane(user)
            for value in user.operands:
                like = alone and _count(value.type) == _count(user.type)
                yield value, wanted if like else _all(value.type)


def _is_lane_by_lane(user: AnyInstruction) -> bool:
    """Whether each lane of the result comes from the same lane of the operands alone."""
    if isinstance(user, Call):
        return any(count == _count(user.type) for _, count in classify(user))
    return isinstance(user, _LANE_BY_LANE)


def _count(type_: IrType) -> int:
    """Lanes of a vector; of all else one."""
    return type_.lanes if isinstance(type_, VecTy) else 1


def _all(type_: IrType) -> Lanes:
    return frozenset(range(_count(type_)))

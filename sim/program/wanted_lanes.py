"""Which lanes of vectors somebody wants: a compiler computes no others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kcc.frontend.ir.instructions import (
    AnyInstruction,
    Binary,
    Call,
    Cast,
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
from kcc.frontend.ir.types import VecTy
from kcc.frontend.ir.values import ConstantInt, InstructionRef, Value
from kcc.passes.mix.classify import classify

Lanes = frozenset[int]

_LANE_BY_LANE = (Binary, Unary, Cast, IntCompare, FloatCompare, Select, Phi)


def wanted_lanes(function: Function) -> Mapping[int, Lanes]:
    """The lanes that are wanted of each vector, by the instruction that makes it; those of a vector
    that nobody takes, or only whole, are not among them."""
    found = {
        each.index: set[int]() for each in function.instructions if isinstance(each.type, VecTy)
    }
    waiting = list(function.instructions) if found else []
    while waiting:
        user = waiting.pop()
        for value, lanes in _asked(user, frozenset(found.get(user.index, ()))):
            if isinstance(value, InstructionRef) and not lanes <= found[value.index]:
                found[value.index] |= lanes
                waiting.append(function.instructions[value.index])
    return {
        index: frozenset(lanes) for index, lanes in found.items()
        if 0 < len(lanes) < _count(function.instructions[index].type)
    }  # fmt: skip


def _asked(user: AnyInstruction, wanted: Lanes) -> Iterator[tuple[Value, Lanes]]:
    """The vectors that an instruction takes, with the lanes that it wants of each to make those of
    its own that are ``wanted``."""
    match user:
        case ExtractElement() if isinstance(user.lane, ConstantInt):
            yield user.vector, frozenset({user.lane.unsigned})
        case InsertElement() if isinstance(user.lane, ConstantInt):
            yield user.vector, wanted - {user.lane.unsigned}
        case ShuffleVector():
            count = _count(user.left.type)
            taken = {lane for i in wanted if (lane := user.mask[i]) is not None}
            yield user.left, frozenset(lane for lane in taken if lane < count)
            yield user.right, frozenset(lane - count for lane in taken if lane >= count)
        case _:
            own = _count(user.type)
            for value in user.operands:
                if count := _count(value.type):
                    alone = count == own and _is_lane_by_lane(user)
                    yield value, wanted if alone else frozenset(range(count))


def _is_lane_by_lane(user: AnyInstruction) -> bool:
    """Whether each lane of the result comes from the same lane of the operands alone."""
    if isinstance(user, Call):
        return any(count == _count(user.type) for _, count in classify(user))
    return isinstance(user, _LANE_BY_LANE)


def _count(type_: object) -> int:
    """Lanes of a vector; 0 of all else."""
    return type_.lanes if isinstance(type_, VecTy) else 0

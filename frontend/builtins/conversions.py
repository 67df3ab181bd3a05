"""How well an argument fits a parameter: implicit conversion sequences and their order.

The order is that of C++ overload resolution ([over.ics.rank]) with the additions clang makes for
overloadable functions in C and for OpenCL: a scalar widens to a vector, and pointers that C would
merely warn about are a last resort.
"""

from __future__ import annotations

from enum import Enum, IntEnum

from kcc.base.records import dataclass
from kcc.frontend.types import (
    EnumType,
    EventType,
    PointerType,
    QualType,
    SamplerType,
    ScalarKind,
    ScalarType,
    Type,
    VectorType,
    VoidType,
    is_arithmetic,
)


class Rank(IntEnum):
    """Categories of conversions, best first."""

    EXACT = 0
    PROMOTION = 1
    CONVERSION = 2
    WIDENING = 3
    """Scalar to vector."""
    C_ONLY = 4
    """What C assigns without a remark and C++ does not, such as ``void*`` to ``int*``."""
    INCOMPATIBLE = 5
    """Pointers to different types in one address space, or qualifiers dropped."""


class Order(Enum):
    """How one conversion compares with another."""

    BETTER = "better"
    WORSE = "worse"
    EQUAL = "equal"


@dataclass(frozen=True, slots=True)
class Fit:
    """A conversion; ``qualifies`` when an exact match only adds qualifiers to a pointee."""

    rank: Rank
    qualifies: bool = False


_IDENTITY = Fit(Rank.EXACT)

_PROMOTED = {
    ScalarKind.BOOL: ScalarKind.INT,
    ScalarKind.CHAR: ScalarKind.INT,
    ScalarKind.UCHAR: ScalarKind.INT,
    ScalarKind.SHORT: ScalarKind.INT,
    ScalarKind.USHORT: ScalarKind.INT,
    ScalarKind.FLOAT: ScalarKind.DOUBLE,
}


def fit(argument: Type, parameter: Type, constant: int | None) -> Fit | None:
    """How an argument of type ``argument`` becomes ``parameter``; None when it cannot.

    ``constant`` is the value of an integer constant expression, else None: zero may become a null
    pointer or an event, any value a sampler.
    """
    if argument == parameter:
        return _IDENTITY
    match parameter:
        case ScalarType(kind):
            return _fit_scalar(argument, kind)
        case VectorType():
            return Fit(Rank.WIDENING) if is_arithmetic(argument) else None
        case PointerType(pointee):
            return _fit_pointer(argument, pointee, constant)
        case SamplerType():
            return Fit(Rank.CONVERSION) if constant is not None else None
        case EventType():
            return Fit(Rank.EXACT, qualifies=True) if constant == 0 else None
        case _:
            return None


def compare(first: Fit, second: Fit) -> Order:
    """Which of two conversions of one argument is better."""
    if first.rank != second.rank:
        return Order.BETTER if first.rank < second.rank else Order.WORSE
    if first.qualifies != second.qualifies:
        return Order.WORSE if first.qualifies else Order.BETTER
    return Order.EQUAL


def _fit_scalar(argument: Type, kind: ScalarKind) -> Fit | None:
    match argument:
        case ScalarType(source):
            promoted = _PROMOTED.get(source) is kind
        case EnumType():
            promoted = argument.underlying.kind is kind
        case _:
            return None
    return Fit(Rank.PROMOTION if promoted else Rank.CONVERSION)


def _fit_pointer(argument: Type, to: QualType, constant: int | None) -> Fit | None:
    if constant == 0:
        return Fit(Rank.CONVERSION)
    if not isinstance(argument, PointerType) or argument.pointee.space is not to.space:
        return None
    source = argument.pointee
    keeps = (to.const or not source.const) and (to.volatile or not source.volatile)
    if source.type == to.type:
        return Fit(Rank.EXACT, qualifies=True) if keeps else Fit(Rank.INCOMPATIBLE)
    if isinstance(to.type, VoidType):
        return Fit(Rank.CONVERSION) if keeps else Fit(Rank.INCOMPATIBLE)
    if isinstance(source.type, VoidType) and keeps:
        return Fit(Rank.C_ONLY)
    return Fit(Rank.INCOMPATIBLE)

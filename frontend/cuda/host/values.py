"""What expressions of host code give, and the arithmetic of C on it."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from kcc.base.records import dataclass

Extents = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Unknown:
    """No value; ``names`` are those that it comes from."""

    names: frozenset[str] = frozenset()


@dataclass(slots=True)
class Array:
    """Elements that are all there, of so many bytes (0: not known)."""

    elements: list[Value]
    element_bytes: int = 0


@dataclass(slots=True)
class Record:
    """Of a struct or class of this name, the members that were set."""

    members: dict[str, Value] = field(default_factory=dict[str, "Value"])
    type: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A variable, member or element: where an address points, or what a reference is."""

    holder: Any
    key: Any
    is_reference: bool = False


Value = int | float | str | Extents | Unknown | Array | Record | Place

_INTEGERS = (
    "char short int long unsigned signed size_t ssize_t uint ushort uchar ulong int8_t int16_t "
    "int32_t int64_t uint8_t uint16_t uint32_t uint64_t ptrdiff_t uintptr_t"
)
INTEGERS = frozenset(_INTEGERS.split())
FLOATS = frozenset({"float", "double"})
BYTES: Mapping[str, int] = {
    "char": 1, "bool": 1, "uchar": 1, "int8_t": 1, "uint8_t": 1, "short": 2, "ushort": 2,
    "half": 2, "__half": 2, "int16_t": 2, "uint16_t": 2, "int": 4, "unsigned": 4, "uint": 4,
    "float": 4, "int32_t": 4, "uint32_t": 4, "long": 8, "ulong": 8, "size_t": 8, "double": 8,
    "int64_t": 8, "uint64_t": 8, "float2": 8, "int2": 8, "float3": 12, "float4": 16, "int4": 16,
    "double2": 16, "uchar4": 4, "half2": 4, "short4": 8,
}  # fmt: skip

_MOST_BITS = 64
"""Beyond which an integer has no value."""


_Function = Callable[..., Any]


def _rounding(function: Callable[[float], int]) -> _Function:
    def rounded(value: float) -> float:
        return float(function(value))

    return rounded


def _nearest(value: float) -> int:
    return math.floor(value + 0.5)


_LEAST: Any = min
_MOST: Any = max
FUNCTIONS: Mapping[str, _Function] = {
    "min": _LEAST, "max": _MOST, "fmin": _LEAST, "fmax": _MOST, "fminf": _LEAST, "fmaxf": _MOST,
    "ceil": _rounding(math.ceil), "ceilf": _rounding(math.ceil),
    "floor": _rounding(math.floor), "floorf": _rounding(math.floor),
    "round": _rounding(_nearest), "sqrt": math.sqrt, "sqrtf": math.sqrt, "log2": math.log2,
    "log2f": math.log2, "log": math.log, "log10": math.log10, "exp": math.exp, "pow": math.pow,
    "powf": math.pow, "abs": abs, "fabs": abs, "labs": abs,
}  # fmt: skip

READERS: Mapping[str, bool] = {
    "atoi": False, "atol": False, "atoll": False, "strtol": False, "strtoul": False,
    "strtoll": False, "strtoull": False, "stoi": False, "stol": False, "stoul": False,
    "stoll": False, "stoull": False, "atof": True, "strtod": True, "strtof": True, "stod": True,
    "stof": True,
}  # fmt: skip
"""What reads a number from a text, and whether it is a real one."""

_ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "<": operator.lt, ">": operator.gt,
    "<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_BITS: Mapping[str, Callable[[int, int], int]] = {
    "<<": int.__lshift__, ">>": int.__rshift__, "&": int.__and__, "|": int.__or__,
    "^": int.__xor__,
}  # fmt: skip
_NUMBER = re.compile(r"\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")


def number_in(text: str, *, real: bool) -> int | float | Unknown:
    """The number at the begin of a text, as atoi and atof read it."""
    match = _NUMBER.match(text)
    if match is None:
        return Unknown()
    return float(match[0]) if real else int(float(match[0]))


def names_of(*values: Value) -> frozenset[str]:
    """The names that unknown ones of several values come from."""
    return frozenset(name for v in values if isinstance(v, Unknown) for name in v.names)


def computed(sign: str, left: Value, right: Value) -> Value:
    """``left sign right`` of C."""
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        if isinstance(left, str) and isinstance(right, str) and sign in ("==", "!="):
            return int((left == right) == (sign == "=="))
        return Unknown(names_of(left, right))
    try:
        found = _computed(sign, left, right)
    except (ArithmeticError, ValueError):
        return Unknown()
    if isinstance(found, int) and abs(found).bit_length() > _MOST_BITS:
        return Unknown()
    return found


def _computed(sign: str, left: float, right: float) -> int | float:
    if sign in _ARITHMETIC:
        found = _ARITHMETIC[sign](left, right)
        return int(found) if isinstance(found, bool) else found
    if sign in _BITS:
        if sign == "<<" and not 0 <= right < _MOST_BITS:
            raise ValueError
        return _BITS[sign](int(left), int(right))
    if isinstance(left, int) and isinstance(right, int):
        size = abs(left) // abs(right)
        quotient = size if (left < 0) == (right < 0) else -size
        return quotient if sign == "/" else left - quotient * right
    return left / right if sign == "/" else math.fmod(left, right)


def converted(value: Value, type_: str) -> Value:
    """A value as a type has it."""
    words = set(type_.split())
    if type_ == "dim3" and isinstance(value, int | float):
        return max(int(value), 0), 1, 1
    if not isinstance(value, int | float) or not words:
        return value
    if "bool" in words:
        return int(value != 0)
    if not math.isfinite(value):
        return Unknown()
    if words & FLOATS:
        return float(value)
    return int(value) if words & INTEGERS else value


def bytes_of(type_: str) -> int:
    """Of a type by its name, 0 where it is not known."""
    words = type_.split()
    return next((BYTES[w] for w in reversed(words) if w in BYTES and w != "unsigned"), (
        4 if "unsigned" in words else 0
    ))  # fmt: skip


def truth(value: Value) -> bool | None:
    """Whether a condition holds; None where that is not known."""
    if isinstance(value, int | float):
        return value != 0
    return True if isinstance(value, str | Array | Record | Place) else None


def extents_of(parts: Sequence[Value]) -> Value:
    """A dim3 of its parts."""
    if len(parts) == 1 and isinstance(parts[0], tuple):
        return parts[0]
    numbers = [int(p) for p in parts if isinstance(p, int | float)]
    if len(numbers) != len(parts) or len(parts) > 3:
        return Unknown(names_of(*parts))
    found = [*numbers, 1, 1, 1]
    return found[0], found[1], found[2]


def as_extents(value: Value) -> Value:
    """A size of a launch as a dim3."""
    if isinstance(value, Array):
        return extents_of(value.elements)
    return (int(value), 1, 1) if isinstance(value, int | float) else value


def with_axis(old: Extents, axis: int, value: Value) -> Value:
    """A dim3 with another extent in a dimension."""
    if not isinstance(value, int | float):
        return Unknown(names_of(value))
    found = list(old)
    found[axis] = int(value)
    return found[0], found[1], found[2]

"""What a kernel's arguments are given as: scalars, buffers, images, samplers, structs by value.

The values are those of `--arg NAME=VALUE` and of the `[args]` tables of a kernel.toml; they come
from :func:`kcc.base.launch_language.parse_argument`. Sizes and contents are expressions still.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias, assert_never

from kcc.base.diagnostics import Span
from kcc.base.expressions import (
    NOWHERE,
    Expression,
    Value,
    evaluate,
    format_expression,
    free_names,
)
from kcc.base.records import dataclass

SCALAR_BYTES: dict[str, int] = {
    # OpenCL C 1.2, section 6.1.1; size_t and its like on a 64-bit device.
    "char": 1,
    "uchar": 1,
    "short": 2,
    "ushort": 2,
    "half": 2,
    "int": 4,
    "uint": 4,
    "float": 4,
    "long": 8,
    "ulong": 8,
    "double": 8,
    "size_t": 8,
    "ptrdiff_t": 8,
    "intptr_t": 8,
    "uintptr_t": 8,
}

BFLOAT16 = "bfloat16"
"""An element of buffers that OpenCL C has no name for."""

VECTOR_WIDTHS: dict[str, int] = {"2": 2, "3": 4, "4": 4, "8": 8, "16": 16}
"""Suffix of a vector type: scalars it takes in memory (OpenCL C 1.2, sections 6.1.2 and 6.1.5)."""

UNSIGNED: dict[str, str] = {"char": "uchar", "short": "ushort", "int": "uint", "long": "ulong"}


@dataclass(frozen=True, slots=True)
class Fill:
    """Every element has the value."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Iota:
    """Element i has the value i."""


@dataclass(frozen=True, slots=True)
class Uniform:
    """Uniform in [low, high); whole numbers for integer types. The seed is that of the run."""

    low: Expression
    high: Expression


@dataclass(frozen=True, slots=True)
class Random:
    """From this seed: uniform in [0, 1), or over all values of an integer type."""

    seed: Expression


@dataclass(frozen=True, slots=True)
class FromFile:
    """The contents of a file in NumPy's .npy format."""

    path: str


Initialiser: TypeAlias = Fill | Iota | Uniform | Random | FromFile


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar argument."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Buffer:
    """A buffer of ``count`` elements, or the size of a `__local` pointer; zeros without contents.

    ``element`` is a type as OpenCL C spells it (`uint`, not `unsigned int`), `struct NAME` or the
    name of a typedef.
    """

    element: str
    count: Expression
    contents: Initialiser | None = None
    extents: tuple[Expression, ...] = ()
    """Of an array of several dimensions, outermost first; ``count`` is their product."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image: `image2d(RGBA, UNORM_INT8)[width, height]`; zeros without contents.

    ``channel_order`` and ``channel_type`` are OpenCL's constants without their `CL_`; ``extents``
    has one number per dimension.
    """

    channel_order: str
    channel_type: str
    extents: tuple[Expression, ...]
    contents: Initialiser | None = None


@dataclass(frozen=True, slots=True)
class Sampler:
    """A sampler, in OpenCL's words: `sampler(clamp_to_edge, nearest, unnormalized)`."""

    addressing: str
    filtering: str
    normalized: bool


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a struct by value."""

    element: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Structure:
    """A struct by value, its members in order, laid out as in C."""

    members: tuple[Member, ...]


ArgumentValue: TypeAlias = Scalar | Buffer | Image | Sampler | Structure


@dataclass(frozen=True, slots=True)
class Argument:
    """What one argument of a kernel is given; ``at`` is the place of its name."""

    name: str
    value: ArgumentValue
    at: Span = field(default=NOWHERE, compare=False, repr=False)


def element_bytes(element: str) -> int | None:
    """The size in memory of a scalar or vector type of OpenCL C, or of bfloat16; None for structs
    and typedefs."""
    if element == BFLOAT16:
        return 2
    scalar = element.rstrip("0123456789")
    width = element[len(scalar) :]
    if scalar not in SCALAR_BYTES:
        return None
    if not width:
        return SCALAR_BYTES[scalar]
    if scalar.endswith("_t") or width not in VECTOR_WIDTHS:
        return None
    return SCALAR_BYTES[scalar] * VECTOR_WIDTHS[width]


def fits_scalar(type_: str, number: Value) -> bool:
    """Whether an argument of a scalar type of OpenCL C can have a value; any can of other types."""
    size = SCALAR_BYTES.get(type_)
    if size is None or type_ in ("half", "float", "double"):
        return True
    bits, is_signed = 8 * size, type_[0] != "u" and type_ != "size_t"
    low = -(1 << (bits - 1)) if is_signed else 0
    return number == int(number) and low <= number < low + (1 << bits)


def expressions(value: ArgumentValue) -> tuple[Expression, ...]:
    """All expressions in an argument's value, in the order of the text."""
    match value:
        case Scalar(expression):
            return (expression,)
        case Buffer(_, count, contents, _):
            return (count, *_initialiser_expressions(contents))
        case Image(_, _, extents, contents):
            return (*extents, *_initialiser_expressions(contents))
        case Sampler():
            return ()
        case Structure(members):
            return tuple(member.value for member in members)
        case _:
            assert_never(value)


def _initialiser_expressions(contents: Initialiser | None) -> tuple[Expression, ...]:
    match contents:
        case None | Iota() | FromFile():
            return ()
        case Fill(value):
            return (value,)
        case Uniform(low, high):
            return (low, high)
        case Random(seed):
            return (seed,)
        case _:
            assert_never(contents)


def format_argument(value: ArgumentValue) -> str:
    """The text of an argument's value; parses to an equal value."""
    match value:
        case Scalar(expression):
            return format_expression(expression)
        case Buffer(element, count, contents, extents):
            inside = ", ".join(map(format_expression, extents or (count,)))
            return f"{element}[{inside}]{_format_initialiser(contents)}"
        case Image(order, channel_type, extents, contents):
            inside = ", ".join(format_expression(extent) for extent in extents)
            kind = f"image{len(extents)}d({order}, {channel_type})"
            return f"{kind}[{inside}]{_format_initialiser(contents)}"
        case Sampler(addressing, filtering, normalized):
            coordinates = "normalized" if normalized else "unnormalized"
            return f"sampler({addressing}, {filtering}, {coordinates})"
        case Structure(members):
            inside = ", ".join(f"{m.element} {format_expression(m.value)}" for m in members)
            return f"{{{inside}}}"
        case _:
            assert_never(value)


def _format_initialiser(contents: Initialiser | None) -> str:
    match contents:
        case None:
            return ""
        case Fill(value):
            return f"=fill({format_expression(value)})"
        case Iota():
            return "=iota"
        case Uniform(low, high):
            return f"=uniform({format_expression(low)}, {format_expression(high)})"
        case Random(seed):
            return f"=random({format_expression(seed)})"
        case FromFile(path):
            quote = '"' if "'" in path else "'"
            return f"=file({quote}{path}{quote})"
        case _:
            assert_never(contents)


# Structs and vectors by value

_FORMATS: dict[str, str] = {
    "char": "b", "uchar": "B", "short": "h", "ushort": "H", "half": "e", "int": "i", "uint": "I",
    "float": "f", "long": "q", "ulong": "Q", "double": "d", "size_t": "Q", "ptrdiff_t": "q",
    "intptr_t": "q", "uintptr_t": "Q",
}  # fmt: skip
"""Of the scalars in :data:`SCALAR_BYTES`, in the letters of :mod:`struct`."""


def structure_bytes(structure: Structure, names: Mapping[str, Value]) -> bytes | None:
    """A struct by value as C lays it out; None where a member's type or value is not known. A
    vector member has its number in each component."""
    data, largest = bytearray(), 1
    for member in structure.members:
        size = element_bytes(member.element)
        number = _member_number(member, names)
        if size is None or number is None or member.element == BFLOAT16:
            return None
        scalar = member.element.rstrip("0123456789") if size > 0 else ""
        data += bytes(-len(data) % size)
        try:
            data += struct.pack(f"<{_FORMATS[scalar]}", number) * (size // SCALAR_BYTES[scalar])
        except (struct.error, OverflowError):
            return None
        largest = max(largest, size)
    return bytes(data) + bytes(-len(data) % largest)


def structure_numbers(
    structure: Structure, names: Mapping[str, Value]
) -> tuple[int | float, ...] | None:
    """A vector by value, written as a struct of its components; None where one is not known."""
    numbers = [_member_number(member, names) for member in structure.members]
    known = tuple(number for number in numbers if number is not None)
    return known if len(known) == len(numbers) else None


def _member_number(member: Member, names: Mapping[str, Value]) -> int | float | None:
    """A member's value, whole where its type is."""
    if not free_names(member.value) <= names.keys():
        return None
    value = evaluate(member.value, names)
    scalar = member.element.rstrip("0123456789")
    return float(value) if scalar in ("half", "float", "double") else int(value)

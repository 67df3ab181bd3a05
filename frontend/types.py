"""The type system of OpenCL C 1.2: scalars, vectors, pointers, arrays, records, functions.

Types are immutable values, compared by structure, but for records and enums, which are compared
by identity (C 6.2.7). A :class:`QualType` is a type with its qualifiers and the address space of
the object it describes (OpenCL C 1.2, section 6.5). Sizes and alignments follow section 6.1.5.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum, IntEnum

from kcc.base.records import dataclass


class AddressSpace(IntEnum):
    """Address spaces with their SPIR numbers (SPIR 1.2, section 2.2)."""

    PRIVATE = 0
    GLOBAL = 1
    CONSTANT = 2
    LOCAL = 3
    GENERIC = 4


class ScalarKind(Enum):
    """Scalar types: spelling, size in bytes, whether signed, whether floating point.

    size_t, ptrdiff_t, intptr_t and uintptr_t are names for ulong and long (64-bit device).
    """

    BOOL = ("bool", 1, False, False)
    CHAR = ("char", 1, True, False)
    UCHAR = ("uchar", 1, False, False)
    SHORT = ("short", 2, True, False)
    USHORT = ("ushort", 2, False, False)
    INT = ("int", 4, True, False)
    UINT = ("uint", 4, False, False)
    LONG = ("long", 8, True, False)
    ULONG = ("ulong", 8, False, False)
    HALF = ("half", 2, True, True)
    FLOAT = ("float", 4, True, True)
    DOUBLE = ("double", 8, True, True)

    def __init__(self, spelling: str, size_bytes: int, signed: bool, floating: bool) -> None:
        self.spelling = spelling
        self.size_bytes = size_bytes
        self.signed = signed
        self.floating = floating
        self.rank: int = 0 if spelling == "bool" else size_bytes.bit_length() + 4 * floating
        """Integer conversion rank (C99 6.3.1.1), continued through the floating kinds."""

    # Members are compared by identity; Enum's own hash is a Python function and slow.
    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True)
class VoidType:
    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True, slots=True)
class ScalarType:
    kind: ScalarKind

    def __str__(self) -> str:
        return self.kind.spelling


@dataclass(frozen=True, slots=True)
class VectorType:
    """``lanes`` is 2, 3, 4, 8 or 16; a vector of 3 takes the room of a vector of 4."""

    element: ScalarType
    lanes: int

    def __str__(self) -> str:
        return f"{self.element}{self.lanes}"


@dataclass(frozen=True, slots=True)
class PointerType:
    """``pointee.space`` is the address space pointed to."""

    pointee: QualType

    def __str__(self) -> str:
        return f"{self.pointee}*"


@dataclass(frozen=True, slots=True)
class ArrayType:
    """``length`` is None for ``T x[]``; the element carries the qualifiers."""

    element: QualType
    length: int | None

    def __str__(self) -> str:
        dimensions, inner = "", self
        while True:
            dimensions += f"[{'' if inner.length is None else inner.length}]"
            if not isinstance(inner.element.type, ArrayType):
                return f"{inner.element}{dimensions}"
            inner = inner.element.type


@dataclass(frozen=True, slots=True)
class Field:
    """A member of a record. ``name`` is None for an anonymous struct or union member."""

    name: str | None
    type: QualType
    offset: int
    """Byte offset from the start of the record."""


@dataclass(slots=True, eq=False)
class RecordType:
    """A struct or union; incomplete until ``complete`` is called once."""

    tag: str
    """The tag, or a made-up name such as ``anonymous.3``."""
    is_union: bool
    fields: tuple[Field, ...] | None = None
    size_bytes: int = 0
    alignment_bytes: int = 1
    packed: bool = False

    def __str__(self) -> str:
        return f"{'union' if self.is_union else 'struct'} {self.tag}"

    def complete(
        self, members: list[tuple[str | None, QualType, int]], *, packed: bool, align: int
    ) -> None:
        """Lay the members out: name, type, alignment in bytes (0 for that of the type)."""
        offset, alignment, placed, size = 0, max(align, 1), list[Field](), 0
        for name, type_, asked in members:
            member_align = asked or (1 if packed else align_of(type_.type))
            offset = 0 if self.is_union else _round_up(offset, member_align)
            placed.append(Field(name, type_, offset))
            alignment = max(alignment, member_align)
            offset += size_of(type_.type)
            size = max(size, offset)
        self.fields = tuple(placed)
        self.packed = packed
        self.alignment_bytes = alignment
        self.size_bytes = _round_up(size, alignment)


@dataclass(slots=True, eq=False)
class EnumType:
    """An enumeration; its objects are ``uint``, or ``int`` when a value is negative (64 bits where
    a value needs them), as clang has it. Enumerators are ``int`` where all fit in it."""

    tag: str
    underlying: ScalarType = field(default_factory=lambda: INT)

    def __str__(self) -> str:
        return f"enum {self.tag}"


@dataclass(frozen=True, slots=True)
class FunctionType:
    result: Type
    parameters: tuple[QualType, ...]
    variadic: bool = False

    def __str__(self) -> str:
        shown = [str(p) for p in self.parameters] + (["..."] if self.variadic else [])
        return f"{self.result} ({', '.join(shown) or 'void'})"


class ImageKind(Enum):
    """Image types of OpenCL C 1.2, section 6.1.3: spelling and coordinate components."""

    IMAGE1D = ("image1d_t", 1)
    IMAGE1D_BUFFER = ("image1d_buffer_t", 1)
    IMAGE1D_ARRAY = ("image1d_array_t", 2)
    IMAGE2D = ("image2d_t", 2)
    IMAGE2D_ARRAY = ("image2d_array_t", 3)
    IMAGE3D = ("image3d_t", 3)

    def __init__(self, spelling: str, coordinates: int) -> None:
        self.spelling = spelling
        self.coordinates = coordinates


class ImageAccess(Enum):
    """How a kernel may touch an image; the values are the spellings in mangled names."""

    READ_ONLY = "ro"
    WRITE_ONLY = "wo"
    READ_WRITE = "rw"


@dataclass(frozen=True, slots=True)
class ImageType:
    kind: ImageKind
    access: ImageAccess = ImageAccess.READ_ONLY

    def __str__(self) -> str:
        return self.kind.spelling


@dataclass(frozen=True, slots=True)
class SamplerType:
    def __str__(self) -> str:
        return "sampler_t"


@dataclass(frozen=True, slots=True)
class EventType:
    def __str__(self) -> str:
        return "event_t"


Type = (
    VoidType | ScalarType | VectorType | PointerType | ArrayType | RecordType | EnumType
    | FunctionType | ImageType | SamplerType | EventType
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class QualType:
    """A type with qualifiers; ``space`` is where the object lives."""

    type: Type
    space: AddressSpace = AddressSpace.PRIVATE
    const: bool = False
    volatile: bool = False
    restrict: bool = False
    read_only: bool = False
    """Read by CUDA's ``__ldg``."""

    def __str__(self) -> str:
        words = ["" if self.space is AddressSpace.PRIVATE else f"__{self.space.name.lower()}"]
        words += ["const" * self.const, "volatile" * self.volatile, str(self.type)]
        return " ".join(w for w in words if w)

    @property
    def unqualified(self) -> QualType:
        """The same type as a value: no qualifiers, private."""
        return QualType(self.type)


VOID = VoidType()
BOOL = ScalarType(ScalarKind.BOOL)
CHAR = ScalarType(ScalarKind.CHAR)
UCHAR = ScalarType(ScalarKind.UCHAR)
SHORT = ScalarType(ScalarKind.SHORT)
USHORT = ScalarType(ScalarKind.USHORT)
INT = ScalarType(ScalarKind.INT)
UINT = ScalarType(ScalarKind.UINT)
LONG = ScalarType(ScalarKind.LONG)
ULONG = ScalarType(ScalarKind.ULONG)
HALF = ScalarType(ScalarKind.HALF)
FLOAT = ScalarType(ScalarKind.FLOAT)
DOUBLE = ScalarType(ScalarKind.DOUBLE)
SIZE_T = ULONG
PTRDIFF_T = LONG
SAMPLER = SamplerType()
EVENT = EventType()

VECTOR_LANES = (2, 3, 4, 8, 16)
"""OpenCL C 1.2, section 6.1.2."""

WIDEST_LANES = 32
"""Of ``ext_vector_type`` and cl_qcom_extra_vector_types."""

POINTER_BYTES = 8


def size_of(type_: Type) -> int:
    """Size in bytes; raises ValueError for a type without one (void, incomplete, function)."""
    match type_:
        case ScalarType(kind):
            return kind.size_bytes
        case VectorType(element, lanes):
            return element.kind.size_bytes * (4 if lanes == 3 else lanes)
        case PointerType() | ImageType() | SamplerType() | EventType():
            return POINTER_BYTES
        case ArrayType(element, length) if length is not None:
            return size_of(element.type) * length
        case RecordType() if type_.fields is not None:
            return type_.size_bytes
        case EnumType():
            return size_of(type_.underlying)
        case _:
            raise ValueError(f"'{type_}' has no size")


def align_of(type_: Type) -> int:
    """Alignment in bytes; vectors are aligned to their size (section 6.1.5)."""
    match type_:
        case ArrayType(element, _):
            return align_of(element.type)
        case RecordType():
            return type_.alignment_bytes
        case _:
            return size_of(type_)


def is_complete(type_: Type) -> bool:
    """Whether the type has a size."""
    match type_:
        case VoidType() | FunctionType():
            return False
        case ArrayType(element, length):
            return length is not None and is_complete(element.type)
        case RecordType():
            return type_.fields is not None
        case _:
            return True


def element_kind(type_: Type) -> ScalarKind | None:
    """The scalar kind of a scalar, vector or enum; None for every other type."""
    match type_:
        case ScalarType(kind) | VectorType(ScalarType(kind)):
            return kind
        case EnumType():
            return type_.underlying.kind
        case _:
            return None


def is_integer(type_: Type) -> bool:
    """Integer scalar (bool included) or enum."""
    kind = element_kind(type_)
    return not isinstance(type_, VectorType) and kind is not None and not kind.floating


def is_arithmetic(type_: Type) -> bool:
    """Scalar or enum: what C calls an arithmetic type."""
    return isinstance(type_, (ScalarType, EnumType))


def with_element(type_: Type, element: ScalarType) -> ScalarType | VectorType:
    """The type with the same number of lanes and another element."""
    return VectorType(element, type_.lanes) if isinstance(type_, VectorType) else element


def signed_of(kind: ScalarKind) -> ScalarType:
    """The signed integer type of the same size: what vector comparisons give (section 6.3.d)."""
    return {1: CHAR, 2: SHORT, 4: INT, 8: LONG}[kind.size_bytes]


def _round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple

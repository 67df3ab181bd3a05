"""Types of the canonical LLVM IR dialect; ``str`` of a type is its LLVM spelling."""

from __future__ import annotations

from kcc.base.records import dataclass

TRIPLE = "spir64-unknown-unknown"

DATA_LAYOUT = (
    "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
)
"""The layout clang 22 gives the spir64 target; pointers are 64 bits in every address space.
It names no native integer widths, so that LLVM does not widen 32-bit arithmetic to 64 bits."""


@dataclass(frozen=True, slots=True)
class VoidTy:
    """The type of what gives no value."""

    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True, slots=True)
class IntTy:
    """An integer of any width, neither signed nor unsigned."""

    bits: int

    def __str__(self) -> str:
        return f"i{self.bits}"


@dataclass(frozen=True, slots=True)
class FloatTy:
    """``bits`` is 16, 32 or 64."""

    bits: int

    def __str__(self) -> str:
        return {16: "half", 32: "float", 64: "double"}[self.bits]


@dataclass(frozen=True, slots=True)
class PtrTy:
    """An opaque pointer into an address space."""

    space: int = 0

    def __str__(self) -> str:
        return f"ptr addrspace({self.space})" if self.space else "ptr"


@dataclass(frozen=True, slots=True)
class VecTy:
    """A vector of scalars."""

    lanes: int
    element: IntTy | FloatTy | PtrTy

    def __str__(self) -> str:
        return f"<{self.lanes} x {self.element}>"


@dataclass(frozen=True, slots=True)
class ArrayTy:
    """An array in memory, or as a value."""

    length: int
    element: IrType

    def __str__(self) -> str:
        return f"[{self.length} x {self.element}]"


@dataclass(frozen=True, slots=True)
class StructTy:
    """A literal struct; named structs are expanded where they are read."""

    fields: tuple[IrType, ...]
    packed: bool = False

    def __str__(self) -> str:
        inner = ", ".join(str(f) for f in self.fields)
        return f"<{{ {inner} }}>" if self.packed else f"{{ {inner} }}"


IrType = VoidTy | IntTy | FloatTy | PtrTy | VecTy | ArrayTy | StructTy

VOID = VoidTy()
I1 = IntTy(1)
I8 = IntTy(8)
I16 = IntTy(16)
I32 = IntTy(32)
I64 = IntTy(64)
HALF = FloatTy(16)
FLOAT = FloatTy(32)
DOUBLE = FloatTy(64)


def scalar_of(type_: IrType) -> IrType:
    """The element type of a vector, else the type itself."""
    return type_.element if isinstance(type_, VecTy) else type_


def size_bytes(type_: IrType) -> int:
    """Allocation size in bytes (padding included) under :data:`DATA_LAYOUT`."""
    match type_:
        case IntTy(bits) | FloatTy(bits):
            return max(1, 1 << ((bits + 7) // 8 - 1).bit_length())
        case PtrTy():
            return 8
        case VecTy(lanes, element):
            if element == I1:
                return max(1, 1 << (-(-lanes // 8) - 1).bit_length())
            return (1 << (lanes - 1).bit_length()) * size_bytes(element)
        case ArrayTy(length, element):
            return length * size_bytes(element)
        case StructTy():
            return _end(type_)
        case VoidTy():
            raise ValueError("void has no size")


def align_bytes(type_: IrType) -> int:
    """ABI alignment in bytes under :data:`DATA_LAYOUT`."""
    match type_:
        case ArrayTy(_, element):
            return align_bytes(element)
        case StructTy(fields, packed):
            return 1 if packed else max((align_bytes(f) for f in fields), default=1)
        case _:
            return size_bytes(type_)


def field_offsets(type_: StructTy) -> tuple[int, ...]:
    """Byte offset of each field of a struct."""
    offsets, offset = list[int](), 0
    for item in type_.fields:
        align = 1 if type_.packed else align_bytes(item)
        offset = -(-offset // align) * align
        offsets.append(offset)
        offset += size_bytes(item)
    return tuple(offsets)


def _end(type_: StructTy) -> int:
    if not type_.fields:
        return 0
    end = field_offsets(type_)[-1] + size_bytes(type_.fields[-1])
    align = align_bytes(type_)
    return -(-end // align) * align

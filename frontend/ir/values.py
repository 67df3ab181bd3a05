"""Operands of the dialect: a closed union of references and constants.

``str`` of a value is how LLVM spells it without its type. All of them are immutable and compare
by structure, so they serve as keys.
"""

from __future__ import annotations

import struct

from kcc.base.records import dataclass
from kcc.frontend.ir.opcodes import FLAG_WORDS, Flags, Opcode
from kcc.frontend.ir.types import (
    I1,
    ArrayTy,
    FloatTy,
    IntTy,
    IrType,
    PtrTy,
    StructTy,
    VecTy,
    VoidTy,
)


@dataclass(frozen=True, slots=True)
class InstructionRef:
    """The result of instruction ``index`` of the same function."""

    type: IrType
    index: int
    name: str

    def __str__(self) -> str:
        return local_name(self.name)


@dataclass(frozen=True, slots=True)
class ArgumentRef:
    """Argument ``index`` of the function."""

    type: IrType
    index: int
    name: str

    def __str__(self) -> str:
        return local_name(self.name)


@dataclass(frozen=True, slots=True)
class GlobalRef:
    """The address of a global variable or a function."""

    type: PtrTy
    name: str

    def __str__(self) -> str:
        return f"@{quoted_name(self.name)}"


@dataclass(frozen=True, slots=True)
class ConstantInt:
    """An integer: ``value`` is the signed reading of its bits, but 0 or 1 for i1."""

    type: IntTy
    value: int

    @property
    def unsigned(self) -> int:
        return self.value & ((1 << self.type.bits) - 1)

    def __str__(self) -> str:
        if self.type == I1:
            return "true" if self.value else "false"
        return str(self.value)


@dataclass(frozen=True, slots=True)
class ConstantFloat:
    """A floating-point number; ``bits`` is its IEEE 754 pattern in the width of the type, so
    that NaN payloads and the sign of zero are kept.
    """

    type: FloatTy
    bits: int

    @property
    def value(self) -> float:
        width, code = {16: (2, "<e"), 32: (4, "<f"), 64: (8, "<d")}[self.type.bits]
        (value,) = struct.unpack(code, self.bits.to_bytes(width, "little"))
        return value

    def __str__(self) -> str:
        if self.type.bits == 16:
            return f"0xH{self.bits:04X}"
        decimal = f"{self.value:.6e}"
        if "n" not in decimal and float(decimal) == self.value:
            return decimal
        return f"0x{self.bits if self.type.bits == 64 else _widened(self.bits):016X}"


@dataclass(frozen=True, slots=True)
class ConstantVector:
    """Every vector constant that is not undef or poison as a whole (zeros and splats too)."""

    type: VecTy
    elements: tuple[Constant, ...]

    def __str__(self) -> str:
        first = self.elements[0]
        if any(e != first for e in self.elements):
            return "<" + ", ".join(f"{e.type} {e}" for e in self.elements) + ">"
        is_zero = str(first) in ("0", "false", "null", "0xH0000", "0.000000e+00")
        return "zeroinitializer" if is_zero else f"splat ({first.type} {first})"


@dataclass(frozen=True, slots=True)
class ConstantAggregate:
    """An array or struct, element by element."""

    type: ArrayTy | StructTy
    elements: tuple[Constant, ...]

    def __str__(self) -> str:
        inner = ", ".join(f"{e.type} {e}" for e in self.elements)
        if isinstance(self.type, ArrayTy):
            return f"[{inner}]"
        return f"<{{ {inner} }}>" if self.type.packed else f"{{ {inner} }}"


@dataclass(frozen=True, slots=True)
class ConstantBytes:
    """An array of i8 (``c"..."``)."""

    type: ArrayTy
    data: bytes

    def __str__(self) -> str:
        shown = "".join(
            chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in self.data
        )
        return f'c"{shown}"'


@dataclass(frozen=True, slots=True)
class Zero:
    """``null`` for a pointer, ``zeroinitializer`` for an array or struct."""

    type: PtrTy | ArrayTy | StructTy

    def __str__(self) -> str:
        return "null" if isinstance(self.type, PtrTy) else "zeroinitializer"


@dataclass(frozen=True, slots=True)
class Undef:
    """Any value, chosen anew at each use."""

    type: IrType

    def __str__(self) -> str:
        return "undef"


@dataclass(frozen=True, slots=True)
class Poison:
    """A value that nothing may depend on."""

    type: IrType

    def __str__(self) -> str:
        return "poison"


@dataclass(frozen=True, slots=True)
class ConstantExpr:
    """An operation on constants. ``source_type`` is the element type of a getelementptr, else
    None; casts convert to ``type``.
    """

    type: IrType
    opcode: Opcode
    operands: tuple[Constant, ...]
    source_type: IrType | None
    flags: Flags

    def __str__(self) -> str:
        words = " ".join([self.opcode.word, *flag_words(self.flags)])
        inner = ", ".join(f"{o.type} {o}" for o in self.operands)
        if self.source_type is not None:
            return f"{words} ({self.source_type}, {inner})"
        cast = len(self.operands) == 1
        return f"{words} ({inner} to {self.type})" if cast else f"{words} ({inner})"


@dataclass(frozen=True, slots=True)
class MetadataOperand:
    """An argument of metadata type (``llvm.experimental.noalias.scope.decl`` takes one); its
    ``type`` is void for want of one that describes it.
    """

    type: VoidTy
    text: str

    def __str__(self) -> str:
        return self.text


Constant = (
    ConstantInt | ConstantFloat | ConstantVector | ConstantAggregate | ConstantBytes
    | ConstantExpr | GlobalRef | Zero | Undef | Poison
)  # fmt: skip

Value = InstructionRef | ArgumentRef | Constant | MetadataOperand


def _widened(bits: int) -> int:
    """The pattern of a float as a double; done on the bits for NaNs, to keep their payload."""
    sign, exponent, mantissa = bits >> 31, bits >> 23 & 0xFF, bits & 0x7FFFFF
    if exponent == 0xFF:
        return sign << 63 | 0x7FF << 52 | mantissa << 29
    (value,) = struct.unpack("<f", bits.to_bytes(4, "little"))
    return int.from_bytes(struct.pack("<d", value), "little")


def flag_words(flags: Flags) -> list[str]:
    """The words LLVM prints for a set of flags."""
    if not flags:
        return []
    if Flags.FAST in flags:
        return ["fast"]
    return [w for w, f in FLAG_WORDS.items() if f in flags and f is not Flags.FAST]


def quoted_name(name: str) -> str:
    """A name without its sigil, in quotes where LLVM needs them."""
    if name and not name[0].isdigit() and all(c.isalnum() or c in "-$._" for c in name):
        return name
    return (
        '"'
        + "".join(c if c.isprintable() and c not in '"\\' else f"\\{ord(c):02X}" for c in name)
        + '"'
    )


def local_name(name: str) -> str:
    """A local value as LLVM spells it; a number is an unnamed value."""
    return f"%{name}" if name.isdigit() else f"%{quoted_name(name)}"

"""Constants in LLVM's text."""

from __future__ import annotations

import struct

from kcc.frontend.ir.opcodes import FLAG_WORDS, Flags, Opcode
from kcc.frontend.ir.reader.tokens import accept, expect, plain_name, unescaped, unknown
from kcc.frontend.ir.reader.types import TypeReader
from kcc.frontend.ir.types import I1, ArrayTy, FloatTy, IntTy, IrType, PtrTy, StructTy, VecTy
from kcc.frontend.ir.values import (
    Constant,
    ConstantAggregate,
    ConstantBytes,
    ConstantExpr,
    ConstantFloat,
    ConstantInt,
    ConstantVector,
    GlobalRef,
    Poison,
    Undef,
    Zero,
)

CASTS: dict[str, Opcode] = {
    o.word: o
    for o in (
        Opcode.TRUNC, Opcode.PTRTOINT, Opcode.PTRTOADDR, Opcode.INTTOPTR, Opcode.BITCAST,
        Opcode.ADDRSPACECAST,
    )
}  # fmt: skip
BINARIES: dict[str, Opcode] = {o.word: o for o in (Opcode.ADD, Opcode.SUB, Opcode.XOR)}
"""The operations that LLVM 22 still has as constant expressions, with getelementptr."""

VALUE_WORDS = frozenset(
    {"true", "false", "null", "undef", "poison", "zeroinitializer", "splat", "getelementptr"}
    | {"asm", "none", "blockaddress", "dso_local_equivalent", "no_cfi"}
    | set(CASTS)
    | set(BINARIES)
)
"""Words a value can begin with; between a type and its value any other word is an attribute."""


class ConstantReader:
    """Reads constants of given types; equal integers and floats are one object."""

    def __init__(self, types: TypeReader) -> None:
        self._types = types
        self._scalars: dict[tuple[IrType, str], Constant] = {}

    def typed(self, tokens: list[str]) -> Constant:
        """A type and a constant of it."""
        type_ = self._types.read(tokens)
        return self.read(type_, tokens)

    def read(self, type_: IrType, tokens: list[str]) -> Constant:
        """The constant of type ``type_`` that comes next."""
        return self.from_token(type_, tokens.pop(), tokens)

    def from_token(self, type_: IrType, token: str, tokens: list[str]) -> Constant:
        """As :meth:`read`, with the first token taken already."""
        found = self._scalars.get((type_, token))
        if found is None:
            found = self._build(type_, token, tokens)
            if isinstance(found, (ConstantInt, ConstantFloat)):
                self._scalars[type_, token] = found
        return found

    def _build(self, type_: IrType, token: str, tokens: list[str]) -> Constant:
        if token in ("undef", "poison"):
            return Undef(type_) if token == "undef" else Poison(type_)
        match type_:
            case IntTy():
                built = _integer(type_, token)
            case FloatTy():
                built = _float(type_, token)
            case PtrTy():
                built = _pointer(type_, token)
            case VecTy():
                built = self._vector(type_, token, tokens)
            case ArrayTy() | StructTy():
                built = self._aggregate(type_, token, tokens)
            case _:
                built = None
        if built is None:
            built = self._expression(type_, token, tokens)
        if built is None:
            raise unknown(f"'{token}' is not a known constant of type {type_}")
        return built

    def _vector(self, type_: VecTy, token: str, tokens: list[str]) -> Constant | None:
        if token == "zeroinitializer":
            return ConstantVector(type_, (zero_of(type_.element),) * type_.lanes)
        if token == "splat":
            expect(tokens, "(")
            element = self.typed(tokens)
            expect(tokens, ")")
            return ConstantVector(type_, (element,) * type_.lanes)
        if token == "<":
            return ConstantVector(type_, self._elements(tokens, ">"))
        return None

    def _aggregate(
        self, type_: ArrayTy | StructTy, token: str, tokens: list[str]
    ) -> Constant | None:
        if token == "zeroinitializer":
            return Zero(type_)
        if token[0] == "c" and isinstance(type_, ArrayTy):
            return ConstantBytes(type_, unescaped(token[2:-1]))
        if token == "<" and accept(tokens, "{"):
            elements = self._elements(tokens, "}")
            expect(tokens, ">")
            return ConstantAggregate(type_, elements)
        if token in ("[", "{"):
            return ConstantAggregate(type_, self._elements(tokens, "]" if token == "[" else "}"))
        return None

    def _elements(self, tokens: list[str], close: str) -> tuple[Constant, ...]:
        elements = list[Constant]()
        while not accept(tokens, close):
            elements.append(self.typed(tokens))
            accept(tokens, ",")
        return tuple(elements)

    def _expression(self, type_: IrType, token: str, tokens: list[str]) -> Constant | None:
        opcode = CASTS.get(token) or BINARIES.get(token)
        if opcode is None and token != Opcode.GETELEMENTPTR.word:
            return None
        flags = Flags.NONE
        while tokens[-1] != "(":
            flags |= _constant_flag(tokens)
        tokens.pop()
        if opcode is None:
            source = self._types.read(tokens)
            expect(tokens, ",")
            operands = self._elements(tokens, ")")
            return ConstantExpr(type_, Opcode.GETELEMENTPTR, operands, source, flags)
        if token in BINARIES:
            return ConstantExpr(type_, opcode, self._elements(tokens, ")"), None, flags)
        operand = self.typed(tokens)
        expect(tokens, "to")
        self._types.read(tokens)
        expect(tokens, ")")
        return ConstantExpr(type_, opcode, (operand,), None, flags)


def _constant_flag(tokens: list[str]) -> Flags:
    """A flag of a constant expression. ``inrange`` limits how far offsets may go: no flag."""
    word = tokens.pop()
    if word == "inrange":
        while tokens.pop() != ")":
            pass
        return Flags.NONE
    if word not in FLAG_WORDS:
        raise unknown(f"'{word}' is not a known flag of a constant expression")
    return FLAG_WORDS[word]


def zero_of(type_: IntTy | FloatTy | PtrTy) -> Constant:
    """The zero of a scalar type."""
    match type_:
        case IntTy():
            return ConstantInt(type_, 0)
        case FloatTy():
            return ConstantFloat(type_, 0)
        case PtrTy():
            return Zero(type_)


def _integer(type_: IntTy, token: str) -> Constant | None:
    if token in ("true", "false"):
        return ConstantInt(type_, int(token == "true"))
    if not token.lstrip("-").isdecimal():
        return None
    bits = int(token) & ((1 << type_.bits) - 1)
    negative = type_ != I1 and bits >> (type_.bits - 1)
    return ConstantInt(type_, bits - (1 << type_.bits) if negative else bits)


def _pointer(type_: PtrTy, token: str) -> Constant | None:
    if token[0] == "@":
        return GlobalRef(type_, plain_name(token))
    return Zero(type_) if token == "null" else None


def _float(type_: FloatTy, token: str) -> Constant | None:
    if token.startswith("0xH"):
        return ConstantFloat(type_, int(token[3:], 16))
    if token.startswith("0x") and token[2:3] not in "KLMR":
        return ConstantFloat(type_, _narrowed(int(token, 0), type_.bits))
    if not token.lstrip("-")[:1].isdecimal():
        return None
    (bits,) = struct.unpack("<Q", struct.pack("<d", float(token)))
    return ConstantFloat(type_, _narrowed(bits, type_.bits))


def _narrowed(bits: int, width: int) -> int:
    """A double's pattern in the width of a type that holds its value; NaNs keep their payload."""
    if width == 64:
        return bits
    if bits >> 52 & 0x7FF == 0x7FF and bits & ((1 << 52) - 1):
        mantissa, exponent = (23, 0xFF) if width == 32 else (10, 0x1F)
        payload = bits >> (52 - mantissa) & ((1 << mantissa) - 1)
        return (bits >> 63) << (width - 1) | exponent << mantissa | payload
    (value,) = struct.unpack("<d", struct.pack("<Q", bits))
    return int.from_bytes(struct.pack("<f" if width == 32 else "<e", value), "little")

"""Types in LLVM's text."""

from __future__ import annotations

import re

from kcc.frontend.ir.reader.tokens import Unreadable, accept, expect, plain_string
from kcc.frontend.ir.types import (
    DOUBLE,
    FLOAT,
    HALF,
    VOID,
    ArrayTy,
    FloatTy,
    IntTy,
    IrType,
    PtrTy,
    StructTy,
    VecTy,
)

_INTEGER = re.compile(r"i(\d+)\Z")
_POINTER = re.compile(r"ptr addrspace\((\d+)\)\Z")
_SEQUENCE = re.compile(r"[<[](\d+) x ([^]>]+)[]>]\Z")

TARGET_TYPES: dict[str, PtrTy] = {
    "spirv.Image": PtrTy(1),
    "spirv.Sampler": PtrTy(2),
    "spirv.Event": PtrTy(0),
}
"""Opaque types of clang for spir64 as the pointers of SPIR 1.2 (section 2.1.3 and table 2.7)."""


class TypeReader:
    """Reads types; ``named`` holds the tokens after each ``%name = type``, last first."""

    def __init__(self, named: dict[str, list[str]]) -> None:
        self._named = named
        self._known: dict[str, IrType] = {
            "void": VOID, "half": HALF, "float": FLOAT, "double": DOUBLE, "ptr": PtrTy(0),
            "i1": IntTy(1), "i8": IntTy(8), "i16": IntTy(16), "i32": IntTy(32), "i64": IntTy(64),
        }  # fmt: skip

    def starts(self, token: str) -> bool:
        """Whether a type can begin with the token (and neither attribute nor value can)."""
        return (
            token in self._known
            or token in ("{", "<", "[", "target")
            or (self._simple(token) is not None or token in self._named)
        )

    def read(self, tokens: list[str]) -> IrType:
        """The type that comes next."""
        token = tokens.pop()
        found = self._known.get(token)
        return found if found is not None else self._build(token, tokens)

    def _build(self, token: str, tokens: list[str]) -> IrType:
        simple = self._simple(token)
        if simple is not None:
            return simple
        match token:
            case "{":
                return StructTy(self._fields(tokens))
            case "[":
                length = int(tokens.pop())
                expect(tokens, "x")
                element = self.read(tokens)
                expect(tokens, "]")
                return ArrayTy(length, element)
            case "<" if accept(tokens, "{"):
                fields = self._fields(tokens)
                expect(tokens, ">")
                return StructTy(fields, packed=True)
            case "target":
                return _target_type(tokens)
            case _ if token in self._named:
                return self._expanded(token)
            case _:
                raise Unreadable("K552", f"type '{token}' is not known")

    def _simple(self, token: str) -> IrType | None:
        """The type that is one token, which is remembered."""
        found: IrType | None = None
        if match := _INTEGER.match(token):
            found = IntTy(int(match[1]))
        elif match := _POINTER.match(token):
            found = PtrTy(int(match[1]))
        elif match := _SEQUENCE.match(token):
            found = self._sequence(token, int(match[1]), match[2])
        if found is not None:
            self._known[token] = found
        return found

    def _sequence(self, token: str, length: int, inner: str) -> IrType | None:
        element = self._known.get(inner) or self._simple(inner)
        if element is None:
            raise Unreadable("K552", f"type '{inner}' is not known")
        if token[0] == "[":
            return ArrayTy(length, element)
        if not isinstance(element, (IntTy, FloatTy, PtrTy)):
            raise Unreadable("K552", f"type '{token}' is not known")
        return VecTy(length, element)

    def _fields(self, tokens: list[str]) -> tuple[IrType, ...]:
        fields = list[IrType]()
        while not accept(tokens, "}"):
            fields.append(self.read(tokens))
            accept(tokens, ",")
        return tuple(fields)

    def _expanded(self, name: str) -> IrType:
        if self._named[name][-1] == "opaque":
            raise Unreadable("K552", f"type '{name}' has no known content")
        type_ = self.read(list(self._named[name]))
        self._known[name] = type_
        return type_


def _target_type(tokens: list[str]) -> PtrTy:
    expect(tokens, "(")
    name = plain_string(tokens.pop())
    while tokens.pop() != ")":
        pass
    if name not in TARGET_TYPES:
        raise Unreadable("K552", f"type '{name}' is not known")
    return TARGET_TYPES[name]

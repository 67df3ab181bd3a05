"""From the mangled name of an OpenCL function back to its name and parameter types.

The inverse of :mod:`kcc.frontend.builtins.mangle`; it also reads names of functions that are not
built in, as far as their parameters are scalars, vectors, pointers, images, samplers and events.
"""

from __future__ import annotations

from dataclasses import field
from typing import TypeVar

from kcc.base.records import dataclass
from kcc.frontend.builtins.mangle import EVENT_NAME, IMAGE_NAMES, SAMPLER_NAME, SCALAR_CODES
from kcc.frontend.types import (
    EVENT,
    SAMPLER,
    VECTOR_LANES,
    VOID,
    AddressSpace,
    ImageAccess,
    ImageType,
    PointerType,
    QualType,
    ScalarType,
    Type,
    VectorType,
)

_KINDS = {code: kind for kind, code in SCALAR_CODES.items()}

_NAMED: dict[str, Type] = {
    SAMPLER_NAME: SAMPLER,
    EVENT_NAME: EVENT,
    **{
        f"{name}_{access.value}": ImageType(kind, access)
        for kind, name in IMAGE_NAMES.items()
        for access in ImageAccess
    },
}

_SPACES = {f"AS{int(space)}": space for space in AddressSpace}


_MAX_LENGTH = 300
"""No name of a function with such parameters comes near; bounds the recursion."""


@dataclass(frozen=True, slots=True)
class Demangled:
    """A function's name and the types of its parameters, without their own qualifiers."""

    name: str
    parameters: tuple[Type, ...]


def demangle(symbol: str) -> Demangled | None:
    """What a mangled name says; None where it is not one, or has types no built-in takes."""
    if not symbol.startswith("_Z") or not symbol.isascii() or len(symbol) > _MAX_LENGTH:
        return None
    reader = _Reader(symbol, 2)
    try:
        name = reader.source_name()
        parameters = list[Type]()
        while reader.place < len(symbol):
            parameters.append(reader.type().type)
    except _Malformed:
        return None
    if parameters == [VOID]:
        parameters.clear()
    return None if VOID in parameters else Demangled(name, tuple(parameters))


class _Malformed(Exception):
    """The text is not one of the names read here."""


@dataclass(slots=True)
class _Reader:
    """A place in a symbol, and the components before it that may be referred to."""

    text: str
    place: int
    components: list[QualType] = field(default_factory=list[QualType])

    def source_name(self) -> str:
        start = self.place
        while self.text[self.place : self.place + 1].isdigit():
            self.place += 1
        if start == self.place:
            raise _Malformed
        return self._take(int(self.text[start : self.place]))

    def type(self) -> QualType:
        head = self.text[self.place : self.place + 1]
        if head == "S":
            return self._substitution()
        if head.isdigit():
            return self._remember(QualType(_lookup(_NAMED, self.source_name())))
        if head == "P":
            self.place += 1
            return self._remember(QualType(PointerType(self.type())))
        if head in ("U", "V", "K"):
            return self._remember(self._qualified())
        if self.text.startswith("Dv", self.place):
            return self._remember(QualType(self._vector()))
        return QualType(VOID if self._skip("v") else self._scalar())

    def _qualified(self) -> QualType:
        """Address space, volatile, const, then an unqualified type."""
        space = AddressSpace.PRIVATE
        if self._skip("U"):
            space = _lookup(_SPACES, self.source_name())
        volatile, const = self._skip("V"), self._skip("K")
        inner = self.type()
        if inner != inner.unqualified:
            raise _Malformed
        return QualType(inner.type, space, const=const, volatile=volatile)

    def _vector(self) -> VectorType:
        self._take(2)
        end = self.text.find("_", self.place)
        lanes = self.text[self.place : end]
        if lanes not in {str(n) for n in VECTOR_LANES}:
            raise _Malformed
        self.place = end + 1
        return VectorType(self._scalar(), int(lanes))

    def _scalar(self) -> ScalarType:
        code = self._take(2 if self.text.startswith("D", self.place) else 1)
        return ScalarType(_lookup(_KINDS, code))

    def _substitution(self) -> QualType:
        """``S_`` is the first component, ``S0_`` the second, in base 36."""
        end = self.text.find("_", self.place)
        digits = self.text[self.place + 1 : end]
        if end < 0 or not (digits == "" or (digits.isalnum() and digits.upper() == digits)):
            raise _Malformed
        number = int(digits, 36) + 1 if digits else 0
        if number >= len(self.components):
            raise _Malformed
        self.place = end + 1
        return self.components[number]

    def _remember(self, type_: QualType) -> QualType:
        self.components.append(type_)
        return type_

    def _skip(self, text: str) -> bool:
        found = self.text.startswith(text, self.place)
        self.place += len(text) * found
        return found

    def _take(self, count: int) -> str:
        taken = self.text[self.place : self.place + count]
        if len(taken) != count:
            raise _Malformed
        self.place += count
        return taken


_V = TypeVar("_V")


def _lookup(table: dict[str, _V], key: str) -> _V:
    if key not in table:
        raise _Malformed
    return table[key]

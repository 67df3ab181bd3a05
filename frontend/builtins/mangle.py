"""Itanium C++ ABI names of built-in functions, as clang writes them for spir64.

Itanium C++ ABI, section 5.1: encoding ``_Z <length> <name> <parameter types>`` with
substitutions (5.1.10); address spaces are the vendor qualifier ``U3AS<n>``, images, samplers and
events are named types.
"""

from __future__ import annotations

from collections.abc import Iterable

from kcc.frontend.types import (
    AddressSpace,
    EventType,
    ImageKind,
    ImageType,
    PointerType,
    QualType,
    SamplerType,
    ScalarKind,
    ScalarType,
    Type,
    VectorType,
    VoidType,
)

SCALAR_CODES = {
    ScalarKind.BOOL: "b",
    ScalarKind.CHAR: "c",
    ScalarKind.UCHAR: "h",
    ScalarKind.SHORT: "s",
    ScalarKind.USHORT: "t",
    ScalarKind.INT: "i",
    ScalarKind.UINT: "j",
    ScalarKind.LONG: "l",
    ScalarKind.ULONG: "m",
    ScalarKind.HALF: "Dh",
    ScalarKind.FLOAT: "f",
    ScalarKind.DOUBLE: "d",
}
"""Section 5.1.5, <builtin-type>; long is 64 bits wide on the device."""

IMAGE_NAMES = {
    ImageKind.IMAGE1D: "ocl_image1d",
    ImageKind.IMAGE1D_BUFFER: "ocl_image1d_buffer",
    ImageKind.IMAGE1D_ARRAY: "ocl_image1d_array",
    ImageKind.IMAGE2D: "ocl_image2d",
    ImageKind.IMAGE2D_ARRAY: "ocl_image2d_array",
    ImageKind.IMAGE3D: "ocl_image3d",
}
"""Followed by ``_`` and the access (ro, wo, rw)."""

SAMPLER_NAME = "ocl_sampler"
EVENT_NAME = "ocl_event"

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def mangle(name: str, parameters: Iterable[Type], *, variadic: bool = False) -> str:
    """The symbol of the function ``name`` with parameters of the given (unqualified) types.

    A variadic function (printf) is a C function and keeps its name.
    """
    if variadic:
        return name
    mangler = _Mangler()
    codes = "".join(mangler.type(p) for p in parameters)
    return f"_Z{len(name)}{name}{codes or 'v'}"


class _Mangler:
    """Remembers the components seen so far, which later ones refer to."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}
        """Full code of a component to its substitution."""

    def type(self, type_: Type) -> str:
        match type_:
            case VoidType():
                return "v"
            case ScalarType(kind):
                return SCALAR_CODES[kind]
            case VectorType(element, lanes):
                code = f"Dv{lanes}_{SCALAR_CODES[element.kind]}"
                return self._component(code, code)
            case PointerType(pointee):
                return self._component(_full_code(type_), "P", pointee)
            case ImageType(kind, access):
                return self._named(f"{IMAGE_NAMES[kind]}_{access.value}")
            case SamplerType():
                return self._named(SAMPLER_NAME)
            case EventType():
                return self._named(EVENT_NAME)
            case _:
                raise ValueError(f"no built-in function takes a '{type_}'")

    def _named(self, name: str) -> str:
        code = f"{len(name)}{name}"
        return self._component(code, code)

    def _component(self, full: str, head: str, inner: QualType | None = None) -> str:
        """The substitution if the component was seen, else its code; remembers it."""
        if full in self._seen:
            return self._seen[full]
        code = head if inner is None else head + self._qualified(inner)
        self._seen[full] = f"S{_sequence(len(self._seen))}_"
        return code

    def _qualified(self, type_: QualType) -> str:
        qualifiers = _qualifiers(type_)
        if not qualifiers:
            return self.type(type_.type)
        full = qualifiers + _full_code(type_.type)
        if full in self._seen:
            return self._seen[full]
        code = qualifiers + self.type(type_.type)
        self._seen[full] = f"S{_sequence(len(self._seen))}_"
        return code


def _qualifiers(type_: QualType) -> str:
    space = "" if type_.space is AddressSpace.PRIVATE else f"U3AS{int(type_.space)}"
    return space + "V" * type_.volatile + "K" * type_.const


def _full_code(type_: Type) -> str:
    """The code without substitutions: what identifies a component."""
    match type_:
        case PointerType(pointee):
            return "P" + _qualifiers(pointee) + _full_code(pointee.type)
        case _:
            return _Mangler().type(type_)


def _sequence(number: int) -> str:
    """The middle of the substitution that stands for component ``number`` (from 0)."""
    if number == 0:
        return ""
    number -= 1
    digits = ""
    while True:
        digits = _DIGITS[number % 36] + digits
        number //= 36
        if not number:
            return digits

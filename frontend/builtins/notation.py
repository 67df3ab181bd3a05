"""The notation in which the table of built-in functions writes types, and its expansion.

A type is an optional address space, optional qualifiers, a base and an optional ``*``, for example
``G``, ``size_t`` or ``@ const S*``. The base is the name of a type or one of these letters, which
stand for types made from the row's gentype (element ``kind``, ``lanes``, 1 for a scalar):

====== ============================================================================
``G``  the gentype itself
``S``  its element
``U``  the unsigned integers of the same width and number of lanes
``I``  the signed integers of the same width and number of lanes
``N``  ``int`` with the same number of lanes
``R``  what a relational function gives: ``int`` for a scalar, ``I`` for a vector
``W``  the integers of twice the width, of the same signedness
====== ============================================================================

``@`` stands for each of the row's address spaces in turn.
"""

from __future__ import annotations

from functools import cache

from kcc.frontend.types import (
    BOOL,
    EVENT,
    INT,
    PTRDIFF_T,
    SAMPLER,
    SIZE_T,
    VECTOR_LANES,
    VOID,
    AddressSpace,
    ImageAccess,
    ImageKind,
    ImageType,
    PointerType,
    QualType,
    ScalarKind,
    ScalarType,
    Type,
    VectorType,
    signed_of,
)

_SPACES = {
    "global": AddressSpace.GLOBAL,
    "local": AddressSpace.LOCAL,
    "constant": AddressSpace.CONSTANT,
    "private": AddressSpace.PRIVATE,
}

_UNSIGNED = {
    1: ScalarType(ScalarKind.UCHAR),
    2: ScalarType(ScalarKind.USHORT),
    4: ScalarType(ScalarKind.UINT),
    8: ScalarType(ScalarKind.ULONG),
}

SCALARS = {kind.spelling: ScalarType(kind) for kind in ScalarKind}
"""The scalar types by their name."""


def _type_names() -> dict[str, Type]:
    names: dict[str, Type] = {
        "void": VOID, "size_t": SIZE_T, "ptrdiff_t": PTRDIFF_T, "sampler_t": SAMPLER,
        "event_t": EVENT, **SCALARS,
    }  # fmt: skip
    for spelling, scalar in SCALARS.items():
        if scalar != BOOL:
            names |= {f"{spelling}{n}": VectorType(scalar, n) for n in VECTOR_LANES}
    for image in ImageKind:
        names |= {
            f"{access.value}:{image.spelling}": ImageType(image, access) for access in ImageAccess
        }
    return names


TYPE_NAMES = _type_names()
"""Every type a row may name; images are written with their access, as ``ro:image2d_t``."""


def gentype(kind: ScalarKind, lanes: int) -> ScalarType | VectorType:
    """The scalar for one lane, else the vector."""
    return ScalarType(kind) if lanes == 1 else VectorType(ScalarType(kind), lanes)


def unsigned_of(kind: ScalarKind) -> ScalarType:
    """The unsigned integer type of the same size."""
    return _UNSIGNED[kind.size_bytes]


def _wider_of(kind: ScalarKind) -> ScalarType:
    by_size = _UNSIGNED if not kind.signed else {s: signed_of(t.kind) for s, t in _UNSIGNED.items()}
    return by_size[2 * kind.size_bytes]


def _base(text: str, kind: ScalarKind, lanes: int) -> Type:
    match text:
        case "G":
            return gentype(kind, lanes)
        case "S":
            return ScalarType(kind)
        case "U":
            return gentype(unsigned_of(kind).kind, lanes)
        case "I":
            return gentype(signed_of(kind).kind, lanes)
        case "N":
            return gentype(ScalarKind.INT, lanes)
        case "R":
            return INT if lanes == 1 else gentype(signed_of(kind).kind, lanes)
        case "W":
            return gentype(_wider_of(kind).kind, lanes)
        case _:
            return TYPE_NAMES[text]


@cache
def expand(text: str, kind: ScalarKind, lanes: int, space: AddressSpace) -> QualType:
    """The type that ``text`` stands for in a row whose letters have the given meaning."""
    words = text.replace("*", " *").split()
    if words[-1] != "*":
        return QualType(_base(words[0], kind, lanes))
    *qualifiers, base, _ = words
    where = AddressSpace.PRIVATE
    for word in qualifiers:
        where = space if word == "@" else _SPACES.get(word, where)
    pointee = QualType(
        _base(base, kind, lanes),
        where,
        const="const" in qualifiers,
        volatile="volatile" in qualifiers,
    )
    return QualType(PointerType(pointee))


@cache
def split_signature(text: str) -> tuple[str, tuple[str, ...], bool]:
    """``R(A, B, ...)`` as the result, the parameters and whether it ends in an ellipsis."""
    result, _, rest = text.partition("(")
    parameters = [p.strip() for p in rest.rstrip(")").split(",") if p.strip()]
    variadic = bool(parameters) and parameters[-1] == "..."
    return result.strip(), tuple(parameters[: -1 if variadic else None]), variadic

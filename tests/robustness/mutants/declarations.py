"""Types, constants and declarations of the typed tree as OpenCL C."""

from __future__ import annotations

import math

from kcc.frontend.types import (
    AddressSpace,
    ArrayType,
    EnumType,
    ImageAccess,
    ImageType,
    PointerType,
    QualType,
    RecordType,
    ScalarKind,
    ScalarType,
    Type,
    align_of,
)

ACCESS = {
    ImageAccess.READ_ONLY: "read_only",
    ImageAccess.WRITE_ONLY: "write_only",
    ImageAccess.READ_WRITE: "read_write",
}

SUFFIXES = {
    ScalarKind.UINT: "u", ScalarKind.LONG: "L", ScalarKind.ULONG: "UL", ScalarKind.FLOAT: "f",
}  # fmt: skip


def type_name(type_: Type) -> str:
    """A type without qualifiers, as a cast spells it."""
    return declared(QualType(type_), "")


def declared(type_: QualType, name: str) -> str:
    """The declaration of a name, from the inside out."""
    match type_.type:
        case PointerType(pointee):
            words = ["*", *(w for w in ("const", "volatile", "restrict") if getattr(type_, w))]
            if type_.space is not AddressSpace.PRIVATE:
                words.append(f"__{type_.space.name.lower()}")
            inner = " ".join(words) + (" " if len(words) > 1 and name else "") + name
            if isinstance(pointee.type, ArrayType):
                inner = f"({inner})"
            return declared(pointee, inner)
        case ArrayType(element, length):
            return declared(element, f"{name}[{'' if length is None else length}]")
        case _:
            pass
    words = list[str]()
    if type_.space is not AddressSpace.PRIVATE:
        words.append(f"__{type_.space.name.lower()}")
    words += [word for word in ("const", "volatile") if getattr(type_, word)]
    words += [base_name(type_.type), name]
    return " ".join(word for word in words if word)


def base_name(type_: Type) -> str:
    """The name of a type that is neither pointer nor array; enumerations by their integers."""
    if isinstance(type_, RecordType):
        return f"{'union' if type_.is_union else 'struct'} {tag(type_)}"
    if isinstance(type_, ImageType):
        return f"{ACCESS[type_.access]} {type_}"
    return base_name(type_.underlying) if isinstance(type_, EnumType) else str(type_)


def tag(record: RecordType) -> str:
    """A tag of its own for each record, since scopes are gone."""
    return f"{record.tag.replace('.', '_')}_at{id(record)}"


def constant(type_: Type, value: float) -> str:
    """A scalar constant of exactly that type."""
    match type_:
        case PointerType():
            return f"(({type_name(type_)}){int(value)})"
        case EnumType(underlying=inner):
            return constant(inner, value)
        case ScalarType(kind) if kind.floating:
            return _floating(kind, float(value))
        case ScalarType(kind):
            return _integer(kind, int(value))
        case _:
            return str(value)


def _integer(kind: ScalarKind, value: int) -> str:
    suffix = SUFFIXES.get(kind, "")
    lowest = -(1 << (8 * kind.size_bytes - 1))
    text = f"({value + 1}{suffix} - 1)" if value == lowest else f"{value}{suffix}"
    if kind in (ScalarKind.INT, ScalarKind.UINT, ScalarKind.LONG, ScalarKind.ULONG):
        return text if value >= 0 else f"({text})"
    return f"(({kind.spelling}){text})"


def _floating(kind: ScalarKind, value: float) -> str:
    if math.isnan(value):
        return f"(({kind.spelling})NAN)"
    if math.isinf(value):
        return f"(({kind.spelling}){'-' if value < 0 else ''}INFINITY)"
    text = value.hex() + SUFFIXES.get(kind, "")
    return f"(({kind.spelling}){text})" if kind is ScalarKind.HALF else f"({text})"


def record_definition(record: RecordType) -> str:
    """A record with its fields, packed or aligned as it was."""
    fields = record.fields or ()
    members = "".join(
        f" {declared(f.type, f'anonymous_{n}' if f.name is None else f.name)};"
        for n, f in enumerate(fields)
    )
    natural = max((align_of(f.type.type) for f in fields), default=1)
    marks = " __attribute__((packed))" * record.packed
    if record.alignment_bytes > natural:
        marks += f" __attribute__((aligned({record.alignment_bytes})))"
    return f"{base_name(record)} {{{members} }}{marks};"

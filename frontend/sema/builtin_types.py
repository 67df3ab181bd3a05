"""The names of built-in types (OpenCL C 1.2, sections 6.1.1 to 6.1.3)."""

from __future__ import annotations

from kcc.frontend.sema.values import SCALARS, VECTORS
from kcc.frontend.types import (
    EVENT,
    PTRDIFF_T,
    SAMPLER,
    SIZE_T,
    VECTOR_LANES,
    VOID,
    WIDEST_LANES,
    ImageKind,
    ImageType,
    ScalarKind,
    Type,
)

_SPELLINGS: dict[ScalarKind, tuple[str, ...]] = {
    ScalarKind.BOOL: ("bool", "_Bool"),
    ScalarKind.CHAR: ("char", "char signed"),
    ScalarKind.UCHAR: ("uchar", "char unsigned"),
    ScalarKind.SHORT: ("short", "int short", "short signed", "int short signed"),
    ScalarKind.USHORT: ("ushort", "short unsigned", "int short unsigned"),
    ScalarKind.INT: ("int", "signed", "int signed"),
    ScalarKind.UINT: ("uint", "unsigned", "int unsigned"),
    ScalarKind.LONG: ("long", "int long", "long signed", "int long signed"),
    ScalarKind.ULONG: ("ulong", "long unsigned", "int long unsigned"),
    ScalarKind.HALF: ("half",),
    ScalarKind.FLOAT: ("float",),
    ScalarKind.DOUBLE: ("double", "double long"),
}
"""Type specifiers in alphabetical order (C99 6.7.2, OpenCL C 1.2 section 6.1.1)."""


def _builtin_names() -> dict[str, Type]:
    table: dict[str, Type] = {
        "void": VOID,
        "size_t": SIZE_T,
        "uintptr_t": SIZE_T,
        "ptrdiff_t": PTRDIFF_T,
        "intptr_t": PTRDIFF_T,
        "sampler_t": SAMPLER,
        "event_t": EVENT,
        "cl_mem_fence_flags": SCALARS[ScalarKind.UINT],
    }
    for kind, spellings in _SPELLINGS.items():
        table |= dict.fromkeys(spellings, SCALARS[kind])
        if kind is not ScalarKind.BOOL:
            table |= {f"{kind.spelling}{n}": VECTORS[kind, n] for n in VECTOR_LANES}
    for kind in (ScalarKind.FLOAT, ScalarKind.HALF):
        table[f"{kind.spelling}{WIDEST_LANES}"] = VECTORS[kind, WIDEST_LANES]
    table |= {kind.spelling: ImageType(kind) for kind in ImageKind}
    return table


BUILTIN_TYPES = _builtin_names()

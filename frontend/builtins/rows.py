"""What a row of the table of built-in functions is, and the sets of types rows range over."""

from __future__ import annotations

from enum import Enum

from kcc.base.records import dataclass
from kcc.frontend.builtins.signatures import Effect
from kcc.frontend.types import AddressSpace, ScalarKind


class Section(Enum):
    """Sections of the OpenCL C 1.2 specification (number, title)."""

    CONVERSIONS = ("6.2.3", "Explicit conversions")
    REINTERPRETATION = ("6.2.4", "Reinterpreting types")
    WORK_ITEM = ("6.12.1", "Work-item functions")
    MATH = ("6.12.2", "Math functions")
    INTEGER = ("6.12.3", "Integer functions")
    COMMON = ("6.12.4", "Common functions")
    GEOMETRIC = ("6.12.5", "Geometric functions")
    RELATIONAL = ("6.12.6", "Relational functions")
    VECTOR_DATA = ("6.12.7", "Vector data load and store functions")
    SYNCHRONISATION = ("6.12.8", "Synchronisation and fence functions")
    ASYNC_COPY = ("6.12.10", "Async copy and prefetch functions")
    ATOMIC = ("6.12.11", "Atomic functions")
    MISCELLANEOUS = ("6.12.12", "Miscellaneous vector functions")
    PRINTF = ("6.12.13", "printf")
    IMAGE = ("6.12.14", "Image functions")
    DOT_PRODUCT = ("cl_khr_integer_dot_product", "Integer dot products")
    SUBGROUP = ("cl_khr_subgroups", "Sub-group and work-group functions")

    def __init__(self, number: str, title: str) -> None:
        self.number = number
        self.title = title


HALF = (ScalarKind.HALF,)
FLOAT = (ScalarKind.FLOAT,)
DOUBLE = (ScalarKind.DOUBLE,)
FLOATS = (ScalarKind.FLOAT, ScalarKind.DOUBLE, ScalarKind.HALF)
SIGNED = (ScalarKind.CHAR, ScalarKind.SHORT, ScalarKind.INT, ScalarKind.LONG)
UNSIGNED = (ScalarKind.UCHAR, ScalarKind.USHORT, ScalarKind.UINT, ScalarKind.ULONG)
INTEGERS = SIGNED + UNSIGNED
INT32 = (ScalarKind.INT, ScalarKind.UINT)
INT64 = (ScalarKind.LONG, ScalarKind.ULONG)
ALL_KINDS = INTEGERS + FLOATS

SCALAR = (1,)
VECTORS = (2, 3, 4, 8, 16)
GENTYPE = (1, *VECTORS)

WRITABLE = (AddressSpace.GLOBAL, AddressSpace.LOCAL, AddressSpace.PRIVATE)
READABLE = (*WRITABLE, AddressSpace.CONSTANT)
SHARED = (AddressSpace.GLOBAL, AddressSpace.LOCAL)


@dataclass(frozen=True, slots=True)
class Row:
    """Functions with one shape: a signature for every kind, number of lanes and address space.

    ``signature`` is in the notation of :mod:`kcc.frontend.builtins.notation`.
    """

    section: Section
    names: str
    """Separated by blanks."""
    signature: str
    kinds: tuple[ScalarKind, ...] = FLOAT
    lanes: tuple[int, ...] = SCALAR
    spaces: tuple[AddressSpace, ...] = (AddressSpace.PRIVATE,)
    effect: Effect = Effect.PURE

"""Intervals of the signed reading of integer nodes, and of the symbols a launch gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from kcc.base.records import dataclass
from kcc.frontend.ir.types import IntTy
from kcc.passes.symbolic.expr import SymbolKind

ArgumentValue = int | float | tuple[int | float, ...]

Interval = tuple[int, int]
"""Least and greatest value, both included."""

MAX_GROUP_ITEMS = 1024
"""Work-items of a group: see :data:`kcc.base.launch.MAX_LOCAL_SIZE`."""

MAX_EXTENT = 2**31 - 1
"""Work-items in one dimension of a launch that is not known. No GPU takes more blocks than this
in a dimension (CUDA C++ Programming Guide, technical specifications per compute capability), and
kernels read ids into ``int``. A launch that is known is taken as it is."""


def full(type_: IntTy) -> Interval:
    """All values of a type; i1 is 0 or 1."""
    if type_.bits == 1:
        return (0, 1)
    return (-(1 << (type_.bits - 1)), (1 << (type_.bits - 1)) - 1)


def fits(interval: Interval, type_: IntTy) -> bool:
    """Whether all values are signed readings of a type."""
    low, high = full(type_)
    return low <= interval[0] and interval[1] <= high


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a launch before it: sizes by dimension and scalar arguments by index.

    Sizes are whole tuples or None; integer arguments are numbers in the signed or unsigned
    reading, floats are numbers, vectors are tuples of such. ``offset`` is the
    global offset, which kcc's launches have not. ``structures`` has the bytes of structs by value
    that the kernel only reads; ``filled`` is the one value of all elements of buffers of integers
    that it only reads, which only addresses take for granted. ``warp`` is how many work-items go
    in step: a warp of NVIDIA's, a wavefront of AMD's (32 or 64).
    """

    global_size: tuple[int, ...] | None = None
    local_size: tuple[int, ...] | None = None
    arguments: Mapping[int, ArgumentValue] = field(default_factory=dict[int, ArgumentValue])
    offset: tuple[int, ...] = (0, 0, 0)
    structures: Mapping[int, bytes] = field(default_factory=dict[int, bytes])
    warp: int = 32
    filled: Mapping[int, int] = field(default_factory=dict[int, int])

    @property
    def dimensions(self) -> int | None:
        sizes = self.global_size or self.local_size
        return len(sizes) if sizes else None

    @property
    def launched(self) -> bool:
        """Whether both sizes are known."""
        return self.global_size is not None and self.local_size is not None


def is_given(kind: SymbolKind, index: int | str, known: Known) -> bool:
    """Whether a launch says what a symbol is in each of its work-items."""
    match kind:
        case SymbolKind.ARGUMENT:
            number = index if isinstance(index, int) else int(index.partition(".")[0])
            return number in known.arguments
        case SymbolKind.LOCAL_ID | SymbolKind.LOCAL_SIZE | SymbolKind.LANE:
            return known.local_size is not None
        case SymbolKind.GLOBAL_SIZE:
            return known.global_size is not None
        case SymbolKind.WORK_DIM:
            return known.dimensions is not None
        case SymbolKind.COUNTER | SymbolKind.GLOBAL_OFFSET:
            return True
        case SymbolKind.POINTER | SymbolKind.GLOBAL | SymbolKind.PRIVATE:
            return False
        case _:
            return known.launched


def symbol_interval(kind: SymbolKind, index: int, known: Known) -> Interval | None:
    """What a work-item function can give, None where it can give anything."""
    whole = _size(known.global_size, index)
    part = _size(known.local_size, index)
    extent = MAX_EXTENT if whole is None else whole
    items = MAX_GROUP_ITEMS if part is None else part
    groups = extent if whole is None or part is None else max(whole // part, 1)
    offset = known.offset[index] if index < len(known.offset) else 0
    match kind:
        case SymbolKind.LOCAL_ID:
            return (0, items - 1)
        case SymbolKind.GROUP_ID:
            return (0, groups - 1)
        case SymbolKind.GLOBAL_ID:
            return (offset, offset + extent - 1)
        case SymbolKind.LOCAL_SIZE:
            return (1 if part is None else part, items)
        case SymbolKind.GLOBAL_SIZE:
            return (1 if whole is None else whole, extent)
        case SymbolKind.NUM_GROUPS:
            return (1 if whole is None or part is None else groups, groups)
        case SymbolKind.GLOBAL_OFFSET:
            return (offset, offset)
        case SymbolKind.WORK_DIM:
            return (known.dimensions or 1, known.dimensions or 3)
        case SymbolKind.LANE:
            return (0, 63)
        case _:
            return None


def _size(sizes: tuple[int, ...] | None, dimension: int) -> int | None:
    """The size in a dimension; dimensions that a launch has not count 1."""
    if sizes is None:
        return None
    return sizes[dimension] if dimension < len(sizes) else 1

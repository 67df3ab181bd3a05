"""The part of ``pyopencl.tools`` that scripts use: allocators and memory pools, which here only
allocate."""

from __future__ import annotations

from typing import Any

from kcc.opencl.constants import mem_flags
from kcc.opencl.events import CommandQueue, Context
from kcc.opencl.memory import Buffer
from kcc.opencl.missing import missing


class DeferredAllocator:
    """Makes buffers in a context."""

    def __init__(self, context: Context, flags: int = mem_flags.READ_WRITE) -> None:
        self._context, self._flags = context, flags

    def __call__(self, size: int) -> Buffer:
        return Buffer(self._context, self._flags, size)


class ImmediateAllocator(DeferredAllocator):
    """Makes buffers in the context of a queue."""

    def __init__(self, queue: CommandQueue, flags: int = mem_flags.READ_WRITE) -> None:
        super().__init__(queue.context, flags)


class MemoryPool:
    """Makes buffers; what is released is free at once."""

    def __init__(self, allocator: DeferredAllocator, leading_bits_in_bin_id: int = 4) -> None:
        self._allocator = allocator

    def __call__(self, size: int) -> Buffer:
        return self._allocator(size)

    allocate = __call__

    def free_held(self) -> None:
        """Nothing is held."""

    def stop_holding(self) -> None:
        """Nothing is held."""


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise missing(f"tools.{name}", ["ImmediateAllocator", "DeferredAllocator", "MemoryPool"])

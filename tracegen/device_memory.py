"""Memory in which buffers stay from launch to launch.

A :class:`DeviceMemory` is one reservation of host memory. Its start holds what a single launch
brings along (constants, structs by value); after it :meth:`DeviceMemory.allocate` places buffers.
A launch that is given the memory uses the arrays that lie in it where they are: nothing is copied,
and a buffer has the same virtual address in every launch.
"""

from __future__ import annotations

import mmap
import sys
from bisect import insort

import numpy as np
from numpy.typing import NDArray

from kcc.tracegen.simt.layout import (
    ARENA_BASE,
    LOCAL_BASE,
    MARGIN_BYTES,
    OBJECT_ALIGNMENT,
    REDZONE_BYTES,
)

Bytes = NDArray[np.uint8]

LAUNCH_BYTES = 64 << 20
"""Address space for the constants and structs of one launch: larger than any source kcc reads."""

CAPACITY_BYTES = 16 << 30
"""What is reserved where the host allows it; only pages that are touched take memory."""

PAGE_BYTES = mmap.PAGESIZE

_NO_RESERVE = 0x4000 if sys.platform == "linux" else 0
"""MAP_NORESERVE of Linux; Python has the name from 3.13 on."""


class DeviceMemory:
    """Buffers that outlive launches. What is allocated is zero. ``watched`` memory has a shadow: a
    byte for each of its bytes, with bits that are 1 where nothing was set."""

    def __init__(self, capacity_bytes: int = CAPACITY_BYTES, *, watched: bool = False) -> None:
        self._map = _reserve(min(capacity_bytes, LOCAL_BASE - ARENA_BASE))
        self.memory: Bytes = np.frombuffer(self._map, np.uint8)
        self._base = _address(self.memory)
        self._free = [(LAUNCH_BYTES, len(self.memory) - MARGIN_BYTES - LAUNCH_BYTES)]
        """Start and length of the free pieces, in order; no two touch."""
        self._taken = dict[int, int]()
        self.constants_of: object = None
        """Whose constants lie at the start (a plan): they need not be written again."""
        self._shadow: Bytes | None = None
        if watched:
            self._shadow = np.frombuffer(_reserve(len(self.memory)), np.uint8)
            if len(self._shadow) < len(self.memory):
                raise MemoryError("no address space for the shadow of device memory")

    @property
    def shadow_distance(self) -> int:
        """Bytes from a byte to its shadow; 0 without one."""
        return 0 if self._shadow is None else _address(self._shadow) - self._base

    def note_copy(self, target: Bytes, source: Bytes | None = None) -> None:
        """Bytes of the memory were set: to those of ``source``, which may lie in it too."""
        shadow = self._shadow_of(target)
        if shadow is not None:
            copied = None if source is None else self._shadow_of(source)
            shadow[...] = 0 if copied is None else copied

    def _shadow_of(self, data: Bytes) -> Bytes | None:
        """The shadow of bytes that lie in the memory, with their shape and strides."""
        offset = _address(data) - self._base
        if self._shadow is None or not 0 <= offset < len(self.memory):
            return None
        return np.ndarray(data.shape, np.uint8, self._shadow, offset, data.strides)

    def allocate(self, size_bytes: int) -> Bytes:
        """Memory for a buffer, at a multiple of :data:`OBJECT_ALIGNMENT` bytes.

        Raises MemoryError when no free piece is large enough.
        """
        room = -(-size_bytes // OBJECT_ALIGNMENT) * OBJECT_ALIGNMENT + REDZONE_BYTES
        for place, (start, length) in enumerate(self._free):
            if length >= room:
                rest = [(start + room, length - room)] if length > room else []
                self._free[place : place + 1] = rest
                self._taken[start] = room
                if self._shadow is not None:
                    self._shadow[start : start + size_bytes] = 0xFF
                return self.memory[start : start + size_bytes]
        raise MemoryError(f"{size_bytes} bytes of device memory")

    def release(self, data: Bytes) -> None:
        """Give back what :meth:`allocate` gave."""
        start = _address(data) - self._base
        length = self._taken.pop(start)
        self._zero(start, length)
        insort(self._free, (start, length))
        place = self._free.index((start, length))
        around = self._free[max(place - 1, 0) : place + 2]
        self._free[max(place - 1, 0) : place + 2] = _merge(around)

    def offset_of(self, data: NDArray[np.generic]) -> int | None:
        """How far into the memory a contiguous array lies; None if it lies elsewhere."""
        offset = _address(data) - self._base
        return offset if 0 <= offset <= len(self.memory) - data.nbytes else None

    def _zero(self, start: int, length: int) -> None:
        """Zero a piece; whole pages go back to the host, which gives zeroed ones when needed."""
        end = start + length
        first = -(-start // PAGE_BYTES) * PAGE_BYTES
        last = end // PAGE_BYTES * PAGE_BYTES
        if sys.platform != "linux" or first >= last:
            self.memory[start:end] = 0
            return
        self.memory[start:first] = 0
        self.memory[last:end] = 0
        self._map.madvise(mmap.MADV_DONTNEED, first, last - first)


def _address(data: NDArray[np.generic]) -> int:
    """Where an array begins; ``data.ctypes`` is slower, and not there when Python ends."""
    address: int = data.__array_interface__["data"][0]
    return address


def _merge(pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Neighbouring free pieces, those that touch as one."""
    merged = list[tuple[int, int]]()
    for start, length in pieces:
        if merged and sum(merged[-1]) == start:
            first, before = merged.pop()
            start, length = first, before + length
        merged.append((start, length))
    return merged


def _reserve(capacity: int) -> mmap.mmap:
    """The largest reservation the host allows, halving from ``capacity``."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
    while capacity > 2 * LAUNCH_BYTES:
        try:
            return mmap.mmap(-1, capacity, flags=flags)
        except (OSError, ValueError, OverflowError):
            capacity //= 2
    raise MemoryError("no address space for device memory")

"""Shared virtual memory: device memory that the host sees where it lies, without copies.

Host and kernels share one address space here, so that what is mapped and what is not makes no
difference. Memory of the host itself (fine-grained system SVM) is not visible to kernels.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from kcc.opencl.constants import command_type, mem_flags, status_code, svm_mem_flags
from kcc.opencl.errors import failure
from kcc.opencl.events import NS_PER_COPIED_BYTE, CommandQueue, Context, Event, WaitList
from kcc.opencl.memory import Buffer, MemoryObjectHolder, host_bytes
from kcc.tracegen.device_memory import Bytes


class SVMPointer(ABC):
    """Memory that kernels and the host share."""

    size: int

    @property
    @abstractmethod
    def buf(self) -> Bytes:
        """Its bytes."""

    @property
    def svm_ptr(self) -> int:
        return self.buf.ctypes.data

    def holder(self, context: Context) -> MemoryObjectHolder:
        """What a kernel is given; raises LogicError for memory of the host."""
        if context.session.memory.offset_of(self.buf) is None:
            what = "it is no shared virtual memory: allocate it with csvm_empty or SVMAllocator"
            raise failure("clSetKernelArgSVMPointer", status_code.INVALID_ARG_VALUE, what)
        return _Seen(context, self.buf)

    def map(
        self, queue: CommandQueue, *, flags: int, is_blocking: bool = True,
        wait_for: WaitList = None, size: int | None = None,
    ) -> SVMMap:  # fmt: skip
        """The bytes for the host, until the map is released."""
        return self._mapped(queue, self.buf[:size], wait_for)

    def map_ro(self, queue: CommandQueue, **options: Any) -> SVMMap:
        return self.map(queue, flags=1, **options)

    def map_rw(self, queue: CommandQueue, **options: Any) -> SVMMap:
        return self.map(queue, flags=3, **options)

    def as_buffer(
        self, ctx: Context, *, flags: int | None = None, size: int | None = None
    ) -> MemoryObjectHolder:
        """A memory object of the same bytes."""
        return self.holder(ctx)

    def _mapped(self, queue: CommandQueue, array: NDArray[Any], wait_for: WaitList) -> SVMMap:
        event = queue.enqueue(command_type.SVM_MAP, lambda: 0, wait_for)
        return SVMMap(array, queue, event)


class _Seen(MemoryObjectHolder):
    """Shared memory as an argument; it is freed by who allocated it."""

    def __init__(self, context: Context, data: Bytes) -> None:
        super().__init__(context, mem_flags.READ_WRITE, None)
        self._data, self.size = data, len(data)


class SVMAllocation(SVMPointer):
    """Shared memory of its own."""

    def __init__(
        self, context: Context, size: int, alignment: int = 0, flags: int = 1,
        _interface: dict[str, Any] | None = None, queue: CommandQueue | None = None,
    ) -> None:  # fmt: skip
        if flags & ~sum(set(svm_mem_flags.names().values())):
            raise failure("clSVMAlloc", status_code.INVALID_VALUE)
        self.context, self.size, self._queue = context, size, queue
        self._buffer: Buffer | None = Buffer(context, mem_flags.READ_WRITE, max(size, 1))
        self.__array_interface__ = {
            "version": 3, "shape": (size,), "typestr": "|u1", "strides": None,
            **(_interface or {}), "data": (self.svm_ptr, False),
        }  # fmt: skip

    @property
    def buf(self) -> Bytes:
        if self._buffer is None:
            raise failure("SVMAllocation", status_code.INVALID_VALUE, "it was released before")
        return self._buffer.data[: self.size]

    def holder(self, context: Context) -> MemoryObjectHolder:
        self.buf  # noqa: B018 -- raises if it was released
        assert self._buffer is not None
        return self._buffer

    def release(self) -> None:
        """Give the memory back; using it from now on is an error."""
        if self._buffer is None:
            raise failure("clSVMFree", status_code.INVALID_VALUE, "it was released before")
        self._buffer.release()
        self._buffer = None

    def enqueue_release(
        self, queue: CommandQueue | None = None, wait_for: WaitList = None
    ) -> Event:
        """The same, as a command."""
        chosen = queue or self._queue or CommandQueue(self.context)

        def work() -> int:
            self.release()
            return 0

        return chosen.enqueue(command_type.SVM_FREE, work, wait_for)

    def bind_to_queue(self, queue: CommandQueue) -> None:
        self._queue = queue

    def unbind_from_queue(self) -> None:
        self._queue = None


class SVM(SVMPointer):
    """An array in shared memory, as an argument."""

    def __init__(self, mem: Any) -> None:
        self.mem = mem
        self.size = len(self.buf)

    @property
    def buf(self) -> Bytes:
        return host_bytes(self.mem)

    def map(
        self, queue: CommandQueue, *, flags: int, is_blocking: bool = True,
        wait_for: WaitList = None, size: int | None = None,
    ) -> SVMMap:  # fmt: skip
        """The array itself."""
        return self._mapped(queue, self.mem, wait_for)


class SVMMap:
    """Shared memory that the host uses; as a context it gives the array."""

    def __init__(self, array: NDArray[Any], queue: CommandQueue, event: Event) -> None:
        self.array, self.queue, self.event = array, queue, event

    def release(self, queue: CommandQueue | None = None, wait_for: WaitList = None) -> Event:
        return (queue or self.queue).enqueue(command_type.SVM_UNMAP, lambda: 0, wait_for)

    def __enter__(self) -> NDArray[Any]:
        return self.array

    def __exit__(self, *_raised: object) -> None:
        self.release()


class SVMAllocator:
    """Makes allocations in a context."""

    def __init__(
        self, context: Context, alignment: int = 0, flags: int = 1,
        queue: CommandQueue | None = None,
    ) -> None:  # fmt: skip
        self._context, self._alignment, self._flags = context, alignment, flags
        self._queue = queue

    def __call__(self, size: int) -> SVMAllocation:
        return SVMAllocation(self._context, size, self._alignment, self._flags, queue=self._queue)


class SVMPool:
    """Makes allocations; what is released is free at once."""

    def __init__(self, allocator: SVMAllocator, leading_bits_in_bin_id: int = 4) -> None:
        self._allocator = allocator

    def __call__(self, size: int) -> SVMAllocation:
        return self._allocator(size)

    allocate = __call__

    def free_held(self) -> None:
        """Nothing is held."""

    def stop_holding(self) -> None:
        """Nothing is held."""


def svm_empty(
    ctx: Context, flags: int, shape: int | tuple[int, ...], dtype: Any, order: str = "C",
    alignment: int | None = None, queue: CommandQueue | None = None,
) -> NDArray[Any]:  # fmt: skip
    """An array in shared memory, whose contents do not matter."""
    kind: np.dtype[Any] = np.dtype(dtype)
    sides = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    like = cast("NDArray[Any]", np.empty(0, kind)).__array_interface__
    strides = np.lib.stride_tricks.as_strided(np.empty(1, kind), sides).strides
    steps, step = list(strides), kind.itemsize
    for axis in reversed(range(len(sides))) if order in "cC" else range(len(sides)):
        steps[axis], step = step, step * sides[axis]
    interface = {
        "shape": sides,
        "strides": tuple(steps),
        "typestr": like["typestr"],
        "descr": like["descr"],
    }
    size = math.prod(sides) * kind.itemsize
    made = SVMAllocation(ctx, size, alignment or 0, flags, interface, queue)
    return np.asarray(made)


def svm_empty_like(
    ctx: Context, flags: int, ary: NDArray[Any], alignment: int | None = None
) -> NDArray[Any]:
    """One of the same shape and type."""
    order = "C" if ary.flags.c_contiguous else "F"
    return svm_empty(ctx, flags, ary.shape, ary.dtype, order, alignment)


_FINE = svm_mem_flags.READ_WRITE | svm_mem_flags.SVM_FINE_GRAIN_BUFFER


def csvm_empty(ctx: Context, shape: Any, dtype: Any, *given: Any, **named: Any) -> NDArray[Any]:
    """:func:`svm_empty` of a coarse-grained buffer."""
    return svm_empty(ctx, svm_mem_flags.READ_WRITE, shape, dtype, *given, **named)


def csvm_empty_like(ctx: Context, ary: NDArray[Any], alignment: int | None = None) -> NDArray[Any]:
    """:func:`svm_empty_like` of a coarse-grained buffer."""
    return svm_empty_like(ctx, svm_mem_flags.READ_WRITE, ary, alignment)


def fsvm_empty(ctx: Context, shape: Any, dtype: Any, *given: Any, **named: Any) -> NDArray[Any]:
    """:func:`svm_empty` of a fine-grained buffer."""
    return svm_empty(ctx, _FINE, shape, dtype, *given, **named)


def fsvm_empty_like(ctx: Context, ary: NDArray[Any], alignment: int | None = None) -> NDArray[Any]:
    """:func:`svm_empty_like` of a fine-grained buffer."""
    return svm_empty_like(ctx, _FINE, ary, alignment)


def copy_svm(
    queue: CommandQueue, dest: Any, src: Any, *, byte_count: int | None = None,
    is_blocking: bool = True, wait_for: WaitList = None, src_offset: int = 0, dst_offset: int = 0,
) -> Event:  # fmt: skip
    """Between shared memory and shared memory or the host."""
    if src_offset or dst_offset:
        raise ValueError("src_offset and dst_offset must be 0")
    target = dest.buf if isinstance(dest, SVMPointer) else host_bytes(dest, writable=True)
    source = src.buf if isinstance(src, SVMPointer) else host_bytes(src)
    count = min(len(target), len(source)) if byte_count is None else byte_count
    if count > min(len(target), len(source)):
        raise failure("clEnqueueSVMMemcpy", status_code.INVALID_VALUE)

    def work() -> int:
        target[:count] = source[:count]
        queue.context.session.memory.note_copy(target[:count], source[:count])
        return int(count * NS_PER_COPIED_BYTE)

    return queue.enqueue(command_type.SVM_MEMCPY, work, wait_for)


def enqueue_svm_memfill(
    queue: CommandQueue, dest: SVMPointer, pattern: Any, byte_count: int | None = None,
    wait_for: WaitList = None,
) -> Event:  # fmt: skip
    """Fill shared memory with a pattern."""
    data, piece = dest.buf[:byte_count], host_bytes(pattern)
    if not len(piece) or len(data) % len(piece):
        raise failure("clEnqueueSVMMemFill", status_code.INVALID_VALUE)

    def work() -> int:
        data[...] = np.tile(piece, len(data) // len(piece))
        queue.context.session.memory.note_copy(data)
        return int(len(data) * NS_PER_COPIED_BYTE)

    return queue.enqueue(command_type.SVM_MEMFILL, work, wait_for)


def enqueue_svm_migrate_mem(
    queue: CommandQueue, svms: Sequence[SVMPointer], flags: int, wait_for: WaitList = None
) -> Event:
    """Nothing: the memory is where it is."""
    return queue.enqueue(command_type.SVM_MIGRATE_MEM, lambda: 0, wait_for)


__all__ = [
    "SVM",
    "SVMAllocation",
    "SVMAllocator",
    "SVMMap",
    "SVMPointer",
    "SVMPool",
    "csvm_empty",
    "csvm_empty_like",
    "enqueue_svm_memfill",
    "enqueue_svm_migrate_mem",
    "fsvm_empty",
    "fsvm_empty_like",
    "svm_empty",
    "svm_empty_like",
]

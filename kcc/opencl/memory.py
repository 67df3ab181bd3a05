"""Buffers, sub-buffers, local memory and maps."""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from kcc.opencl.constants import mem_flags, mem_info, mem_object_type, status_code
from kcc.opencl.device import BASE_ALIGN_BYTES, MAX_ALLOC_BYTES
from kcc.opencl.errors import failure
from kcc.opencl.events import CommandQueue, Context, Event, WaitList
from kcc.opencl.info import Informed
from kcc.tracegen.device_memory import Bytes, DeviceMemory
from kcc.tracegen.execute import KernelArgument

_ACCESS = mem_flags.READ_WRITE | mem_flags.WRITE_ONLY | mem_flags.READ_ONLY
_HOST_ACCESS = mem_flags.HOST_WRITE_ONLY | mem_flags.HOST_READ_ONLY | mem_flags.HOST_NO_ACCESS


def host_bytes(value: Any, *, writable: bool = False) -> Bytes:
    """The bytes of an object with a buffer interface, in place; it must be contiguous."""
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(cast("NDArray[Any]", value))
        if not (array.flags.c_contiguous or array.flags.f_contiguous):
            raise ValueError("ndarray is not contiguous")
        if writable and not array.flags.writeable:
            raise ValueError("assignment destination is read-only")
        flat = array.reshape(-1, order="A")
        return flat.view(np.uint8) if flat.dtype.itemsize else np.empty(0, np.uint8)
    view = memoryview(value)
    if writable and view.readonly:
        raise BufferError("object is not writable")
    return np.frombuffer(view, np.uint8)


class MemoryObjectHolder(Informed):
    """Anything that lives in device memory. ``data`` is its bytes where they are."""

    _infos, _info_routine = mem_info, "clGetMemObjectInfo"
    reference_count = 1
    type: int
    context: Context
    flags: int
    size: int
    offset = 0
    associated_memobject: MemoryObjectHolder | None = None

    def __init__(self, context: Context, flags: int, hostbuf: Any) -> None:
        self.context, self.flags = context, check_flags(flags)
        self.map_count = 0
        self._data: Bytes | None = None
        self._memory: DeviceMemory | None = None
        self.hostbuf = hostbuf if flags & mem_flags.USE_HOST_PTR else None
        self._host: Bytes | None = None

    @property
    def int_ptr(self) -> int:
        return self.data.ctypes.data

    @property
    def data(self) -> Bytes:
        """The bytes; raises LogicError when they have been released."""
        if self._data is None:
            raise failure(
                "clEnqueue", status_code.INVALID_MEM_OBJECT, "the memory object was released"
            )
        return self._data

    @property
    def host_ptr(self) -> int:
        return 0 if self._host is None else self._host.ctypes.data

    def take_host_changes(self) -> None:
        """With USE_HOST_PTR the program's own array is the memory: fetch what it holds."""
        if self._host is not None:
            self.data[: len(self._host)] = self._host
            self.context.session.memory.note_copy(self.data[: len(self._host)])

    def give_host_changes(self) -> None:
        """With USE_HOST_PTR: show in the program's array what the device wrote."""
        if self._host is not None:
            self._host[:] = self.data[: len(self._host)]

    def release(self) -> None:
        """Give the memory back; using the object from now on is an error."""
        if self._data is None:
            raise failure("MemoryObject.free", status_code.INVALID_VALUE, "it was released before")
        self._free()

    def get_host_array(
        self, shape: tuple[int, ...] | int, dtype: Any, order: str = "C"
    ) -> NDArray[Any]:
        """The host array of a memory object made with USE_HOST_PTR."""
        if self._host is None:
            raise failure("MemoryObject.get_host_array", status_code.INVALID_VALUE)
        return cast("NDArray[Any]", np.ndarray(shape, dtype, self._host, order=order))  # type: ignore[call-overload]

    def as_argument(self) -> KernelArgument:
        """What a kernel is given."""
        return self.data

    def _place(self, size: int, routine: str) -> None:
        """Take device memory."""
        memory = self.context.session.memory
        try:
            self._data = memory.allocate(size)
        except MemoryError:
            code = status_code.MEM_OBJECT_ALLOCATION_FAILURE
            raise failure(routine, code, f"{size} bytes") from None
        self._memory = memory

    def _free(self) -> None:
        data, self._data = self._data, None
        if data is not None and self._memory is not None:
            self._memory.release(data)

    def __del__(self) -> None:
        if "_data" in self.__dict__:
            self._free()


class MemoryObject(MemoryObjectHolder):
    """A memory object that the program made."""


class Buffer(MemoryObject):
    """Bytes in device memory."""

    def __init__(self, context: Context, flags: int, size: int = 0, hostbuf: Any = None) -> None:
        super().__init__(context, flags, hostbuf)
        self.type = mem_object_type.BUFFER
        source = check_host(flags, hostbuf, "create_buffer")
        if source is not None and not size:
            size = len(source)
        if source is not None and size > len(source):
            raise failure(
                "Buffer",
                status_code.INVALID_VALUE,
                "specified size is greater than host buffer size",
            )
        self.size = size
        if not 0 < size <= MAX_ALLOC_BYTES:
            raise failure("create_buffer", status_code.INVALID_BUFFER_SIZE)
        self._place(size, "create_buffer")
        if source is not None:
            self.data[:] = source[:size]
            context.session.memory.note_copy(self.data)
        if flags & mem_flags.USE_HOST_PTR:
            self._host = host_bytes(hostbuf, writable=True)[:size]

    def get_sub_region(self, origin: int, size: int, flags: int = 0) -> Buffer:
        """A buffer that is a part of this one: writes through either are seen by the other."""
        return _SubBuffer(self, origin, size, flags)

    def unaligned_sub_region(self, origin: int, size: int) -> Buffer:
        """The same at an alignment that only another implementation has (not PyOpenCL's)."""
        return _SubBuffer(self, origin, size, 0, align_bytes=1)

    def __getitem__(self, part: slice) -> Buffer:
        routine = "Buffer.__getitem__"
        if not isinstance(cast("object", part), slice):
            raise failure(routine, status_code.INVALID_VALUE, "a slice is wanted")
        start, stop, step = part.indices(self.size)
        if step != 1 or stop <= start:
            raise failure(routine, status_code.INVALID_VALUE, "a slice has step 1 and is not empty")
        return self.get_sub_region(start, stop - start)


class _SubBuffer(Buffer):
    """A part of a buffer."""

    def __init__(
        self, parent: Buffer, origin: int, size: int, flags: int, *,
        align_bytes: int = BASE_ALIGN_BYTES,
    ) -> None:  # fmt: skip
        MemoryObjectHolder.__init__(self, parent.context, flags or parent.flags, None)
        self.type = mem_object_type.BUFFER
        if isinstance(parent, _SubBuffer):
            raise failure("clCreateSubBuffer", status_code.INVALID_MEM_OBJECT)
        if flags & (mem_flags.USE_HOST_PTR | mem_flags.ALLOC_HOST_PTR | mem_flags.COPY_HOST_PTR):
            raise failure("clCreateSubBuffer", status_code.INVALID_VALUE)
        if size <= 0:
            raise failure("clCreateSubBuffer", status_code.INVALID_BUFFER_SIZE)
        if not 0 <= origin <= parent.size - size:
            raise failure("clCreateSubBuffer", status_code.INVALID_VALUE)
        if origin % align_bytes:
            raise failure("clCreateSubBuffer", status_code.MISALIGNED_SUB_BUFFER_OFFSET)
        self.associated_memobject = parent
        self.size, self.offset = size, origin
        self._data = parent.data[origin : origin + size]

    @property
    def data(self) -> Bytes:
        parent = self.associated_memobject
        assert parent is not None
        parent.data  # noqa: B018 -- raises if the parent was released
        return super().data

    def take_host_changes(self) -> None:
        assert self.associated_memobject is not None
        self.associated_memobject.take_host_changes()

    def give_host_changes(self) -> None:
        assert self.associated_memobject is not None
        self.associated_memobject.give_host_changes()


class LocalMemory:
    """The argument for a ``__local`` pointer: bytes of each work-group."""

    def __init__(self, size: int) -> None:
        self.size = int(size)


class MemoryMap:
    """A part of a memory object that the host may use; the base of the array it is seen through."""

    def __init__(self, queue: CommandQueue, owner: MemoryObjectHolder, array: NDArray[Any]) -> None:
        self._queue, self._owner = queue, owner
        self._array: NDArray[Any] | None = array
        self.__array_interface__ = array.__array_interface__
        owner.map_count += 1

    def release(self, queue: CommandQueue | None = None, wait_for: WaitList = None) -> Event:
        """Unmap: what was written is the device's from now on."""
        from kcc.opencl.constants import command_type

        if self._array is None:
            raise failure("MemoryMap.release", status_code.INVALID_VALUE, "it was released before")
        self._array = None
        self._owner.map_count -= 1

        def work() -> int:
            self._owner.take_host_changes()
            return 0

        return (queue or self._queue).enqueue(command_type.UNMAP_MEM_OBJECT, work, wait_for)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.release()

    def __del__(self) -> None:
        if self.__dict__.get("_array") is not None:
            self.release()


def check_flags(flags: int) -> int:
    """Flags that may stand together; raises LogicError INVALID_VALUE."""
    known = sum(set(mem_flags.names().values()))
    access = (flags & _ACCESS).bit_count() > 1
    host_access = (flags & _HOST_ACCESS).bit_count() > 1
    host_memory = flags & mem_flags.USE_HOST_PTR and flags & (
        mem_flags.ALLOC_HOST_PTR | mem_flags.COPY_HOST_PTR
    )
    if flags & ~known or access or host_access or host_memory:
        raise failure("create_buffer", status_code.INVALID_VALUE)
    return flags if flags & _ACCESS else flags | mem_flags.READ_WRITE


def check_host(flags: int, hostbuf: Any, routine: str) -> Bytes | None:
    """The bytes the memory begins with, if any."""
    wants = flags & (mem_flags.USE_HOST_PTR | mem_flags.COPY_HOST_PTR)
    if hostbuf is None:
        if wants:
            raise failure(routine, status_code.INVALID_HOST_PTR)
        return None
    if not wants:
        import warnings

        warnings.warn("'hostbuf' was passed, but no memory flags to make use of it.", stacklevel=3)
        raise failure(routine, status_code.INVALID_HOST_PTR)
    return host_bytes(hostbuf, writable=bool(flags & mem_flags.USE_HOST_PTR))

"""Copies between host and device and within the device, fills and maps.

Everything is brought to one shape: bytes as slices, rows and bytes of a row, with an origin in
each. numpy copies overlapping ranges of bytes as if through a buffer of its own, so only what
OpenCL forbids is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from kcc.opencl.constants import command_type, map_flags, status_code
from kcc.opencl.errors import failure
from kcc.opencl.events import (
    NS_PER_COPIED_BYTE,
    CommandQueue,
    Event,
    NannyEvent,
    WaitList,
)
from kcc.opencl.memory import Buffer, MemoryMap, MemoryObjectHolder, host_bytes

Bytes = NDArray[np.uint8]
Triple = tuple[int, int, int]


def submit(
    queue: CommandQueue,
    kind: int,
    target: Bytes,
    source: Bytes,
    *,
    reads: MemoryObjectHolder | None = None,
    writes: MemoryObjectHolder | None = None,
    ward: object = None,
    is_blocking: bool = False,
    wait_for: WaitList = None,
) -> Event:
    """Enqueue the copy of ``source`` into ``target``, which have one shape."""

    def work() -> int:
        for each in (reads, writes):
            if each is not None:
                each.take_host_changes()
        target[...] = source
        queue.context.session.memory.note_copy(target, source)
        if writes is not None:
            writes.give_host_changes()
        return int(target.size * NS_PER_COPIED_BYTE)

    event = None
    if ward is not None:
        event = NannyEvent(queue.context, queue, kind)
        event.ward = ward
    event = queue.enqueue(kind, work, wait_for, event)
    if is_blocking:
        event.wait()
    return event


def read_buffer(
    queue: CommandQueue,
    mem: MemoryObjectHolder,
    hostbuf: Any,
    src_offset: int = 0,
    wait_for: WaitList = None,
    is_blocking: bool = True,
) -> Event:
    """A part of a buffer as large as the host's."""
    target = host_bytes(hostbuf, writable=True)
    source = _part(mem, src_offset, len(target), "clEnqueueReadBuffer")
    return submit(
        queue, command_type.READ_BUFFER, target, source,
        reads=mem, ward=hostbuf, is_blocking=is_blocking, wait_for=wait_for,
    )  # fmt: skip


def write_buffer(
    queue: CommandQueue,
    mem: MemoryObjectHolder,
    hostbuf: Any,
    dst_offset: int = 0,
    wait_for: WaitList = None,
    is_blocking: bool = True,
) -> Event:
    """The counterpart of :func:`read_buffer`."""
    source = host_bytes(hostbuf)
    target = _part(mem, dst_offset, len(source), "clEnqueueWriteBuffer")
    return submit(
        queue, command_type.WRITE_BUFFER, target, source,
        writes=mem, ward=hostbuf, is_blocking=is_blocking, wait_for=wait_for,
    )  # fmt: skip


def copy_buffer(
    queue: CommandQueue,
    src: MemoryObjectHolder,
    dst: MemoryObjectHolder,
    byte_count: int = -1,
    src_offset: int = 0,
    dst_offset: int = 0,
    wait_for: WaitList = None,
) -> Event:
    """From buffer to buffer; without a count as much as both hold."""
    routine = "clEnqueueCopyBuffer"
    count = min(src.size - src_offset, dst.size - dst_offset) if byte_count < 0 else byte_count
    source, target = _part(src, src_offset, count, routine), _part(dst, dst_offset, count, routine)
    if np.shares_memory(source, target):
        raise failure(routine, status_code.MEM_COPY_OVERLAP)
    kind = command_type.COPY_BUFFER
    return submit(queue, kind, target, source, reads=src, writes=dst, wait_for=wait_for)


def read_buffer_rect(
    queue: CommandQueue,
    mem: MemoryObjectHolder,
    hostbuf: Any,
    buffer_origin: Sequence[int],
    host_origin: Sequence[int],
    region: Sequence[int],
    buffer_pitches: Sequence[int] | None = None,
    host_pitches: Sequence[int] | None = None,
    wait_for: WaitList = None,
    is_blocking: bool = True,
) -> Event:
    """A box of a buffer into a box of a host array; x, origins, pitches and regions in bytes."""
    routine = "clEnqueueReadBufferRect"
    source = box(mem.data, buffer_origin, region, buffer_pitches, routine)
    target = box(host_bytes(hostbuf, writable=True), host_origin, region, host_pitches, routine)
    return submit(
        queue, command_type.READ_BUFFER_RECT, target, source,
        reads=mem, ward=hostbuf, is_blocking=is_blocking, wait_for=wait_for,
    )  # fmt: skip


def write_buffer_rect(
    queue: CommandQueue,
    mem: MemoryObjectHolder,
    hostbuf: Any,
    buffer_origin: Sequence[int],
    host_origin: Sequence[int],
    region: Sequence[int],
    buffer_pitches: Sequence[int] | None = None,
    host_pitches: Sequence[int] | None = None,
    wait_for: WaitList = None,
    is_blocking: bool = True,
) -> Event:
    """The counterpart of :func:`read_buffer_rect`."""
    routine = "clEnqueueWriteBufferRect"
    target = box(mem.data, buffer_origin, region, buffer_pitches, routine)
    source = box(host_bytes(hostbuf), host_origin, region, host_pitches, routine)
    return submit(
        queue, command_type.WRITE_BUFFER_RECT, target, source,
        writes=mem, ward=hostbuf, is_blocking=is_blocking, wait_for=wait_for,
    )  # fmt: skip


def copy_buffer_rect(
    queue: CommandQueue,
    src: MemoryObjectHolder,
    dst: MemoryObjectHolder,
    src_origin: Sequence[int],
    dst_origin: Sequence[int],
    region: Sequence[int],
    src_pitches: Sequence[int] | None = None,
    dst_pitches: Sequence[int] | None = None,
    wait_for: WaitList = None,
) -> Event:
    """A box of a buffer into a box of another."""
    routine = "clEnqueueCopyBufferRect"
    source = box(src.data, src_origin, region, src_pitches, routine)
    target = box(dst.data, dst_origin, region, dst_pitches, routine)
    if np.shares_memory(source, target):
        raise failure(routine, status_code.MEM_COPY_OVERLAP)
    kind = command_type.COPY_BUFFER_RECT
    return submit(queue, kind, target, source, reads=src, writes=dst, wait_for=wait_for)


def enqueue_fill_buffer(
    queue: CommandQueue,
    mem: MemoryObjectHolder,
    pattern: Any,
    offset: int,
    size: int,
    wait_for: WaitList = None,
) -> Event:
    """Fill a part of a buffer with repetitions of ``pattern``, of 1, 2, 4 ... 128 bytes."""
    routine, data = "clEnqueueFillBuffer", host_bytes(pattern).copy()
    target = _part(mem, offset, size, routine)
    length = len(data)
    if length not in (1, 2, 4, 8, 16, 32, 64, 128) or offset % length or size % length:
        raise failure(routine, status_code.INVALID_VALUE)
    rows = target.reshape(-1, length)
    source = np.broadcast_to(data, rows.shape)
    return submit(queue, command_type.FILL_BUFFER, rows, source, writes=mem, wait_for=wait_for)


def enqueue_fill(
    queue: CommandQueue,
    dest: MemoryObjectHolder,
    pattern: Any,
    size: int,
    *,
    offset: int = 0,
    wait_for: WaitList = None,
) -> Event:
    """As :func:`enqueue_fill_buffer`."""
    return enqueue_fill_buffer(queue, dest, pattern, offset, size, wait_for)


def enqueue_migrate_mem_objects(
    queue: CommandQueue,
    mem_objects: Sequence[MemoryObjectHolder],
    flags: int = 0,
    wait_for: WaitList = None,
) -> Event:
    """There is one device: nothing moves."""
    return queue.enqueue(command_type.MIGRATE_MEM_OBJECTS, lambda: 0, wait_for)


def enqueue_map_buffer(
    queue: CommandQueue,
    buf: Buffer,
    flags: int,
    offset: int,
    shape: int | tuple[int, ...],
    dtype: Any,
    order: str = "C",
    strides: tuple[int, ...] | None = None,
    wait_for: WaitList = None,
    is_blocking: bool = True,
) -> tuple[NDArray[Any], Event]:
    """A part of a buffer as an array whose ``base`` is a :class:`MemoryMap`."""
    extent = (shape,) if isinstance(shape, int) else tuple(shape)
    count = int(np.prod(extent, dtype=np.int64)) * np.dtype(dtype).itemsize
    part = _part(buf, offset, count, "clEnqueueMapBuffer")
    array = np.ndarray(extent, dtype, part, 0, strides, "F" if order == "F" else "C")
    if flags & (map_flags.WRITE | map_flags.WRITE_INVALIDATE_REGION):
        queue.context.session.memory.note_copy(part)
    return map_array(queue, buf, array, command_type.MAP_BUFFER, wait_for, is_blocking)


def map_array(
    queue: CommandQueue,
    owner: MemoryObjectHolder,
    array: NDArray[Any],
    kind: int,
    wait_for: WaitList,
    is_blocking: bool,
) -> tuple[NDArray[Any], Event]:
    """An array over device memory through a map, and the event of mapping."""

    def work() -> int:
        owner.take_host_changes()
        return 0

    event = queue.enqueue(kind, work, wait_for)
    if is_blocking:
        event.wait()
    return np.asarray(cast("Any", MemoryMap(queue, owner, array))), event


def box(
    data: Bytes,
    origin: Sequence[int],
    region: Sequence[int],
    pitches: Sequence[int] | None,
    routine: str,
) -> NDArray[np.uint8]:
    """A box of bytes as a view of slices, rows and bytes; x is in bytes throughout. Without
    pitches the rows of the region lie tightly packed."""
    x, y, z = triple(origin, 0)
    width, height, depth = triple(region, 1)
    given = (*(pitches or ()), 0, 0)[:2]
    row = given[0] or width
    layer = given[1] or row * height
    first = z * layer + y * row + x
    last = first + (depth - 1) * layer + (height - 1) * row + width
    if min(width, height, depth) < 1 or min(x, y, z) < 0 or last > len(data):
        raise failure(routine, status_code.INVALID_VALUE, "the region is empty or lies outside")
    if row < width or (layer < row * height and depth > 1 and given[1]):
        raise failure(routine, status_code.INVALID_VALUE, "a pitch is smaller than the region")
    return np.lib.stride_tricks.as_strided(
        data[first:], (depth, height, width), (layer, row, 1), writeable=data.flags.writeable
    )


def triple(values: Sequence[int], otherwise: int) -> Triple:
    """Three numbers from up to three."""
    x, y, z = (*(int(v) for v in values), otherwise, otherwise, otherwise)[:3]
    return (x, y, z)


def _part(mem: MemoryObjectHolder, offset: int, count: int, routine: str) -> Bytes:
    data = mem.data
    if offset < 0 or count < 0 or offset + count > len(data):
        raise failure(
            routine, status_code.INVALID_VALUE, f"{count} bytes at {offset} of {len(data)}"
        )
    return data[offset : offset + count]

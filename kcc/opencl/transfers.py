"""``enqueue_copy``: PyOpenCL's one function for every copy between host, buffers and images."""

from __future__ import annotations

from typing import Any

from kcc.opencl.copies import (
    copy_buffer,
    copy_buffer_rect,
    read_buffer,
    read_buffer_rect,
    write_buffer,
    write_buffer_rect,
)
from kcc.opencl.events import CommandQueue, Event
from kcc.opencl.image_copies import copy_with_image
from kcc.opencl.images import Image
from kcc.opencl.memory import MemoryObjectHolder
from kcc.opencl.svm import SVMPointer, copy_svm


def enqueue_copy(queue: CommandQueue, dest: Any, src: Any, **options: Any) -> Event:
    """Copy between buffers, images and host arrays; the keywords are PyOpenCL's."""
    to_device = isinstance(dest, MemoryObjectHolder)
    from_device = isinstance(src, MemoryObjectHolder)
    if isinstance(dest, SVMPointer) or isinstance(src, SVMPointer):
        return copy_svm(queue, dest, src, **options)
    _rename(options, "dest_offset", "dst_offset")
    _rename(options, "device_offset", "dst_offset" if to_device else "src_offset")
    if not to_device and not from_device:
        raise TypeError("enqueue_copy cannot perform host-to-host transfers")
    if isinstance(dest, Image) or isinstance(src, Image):
        return copy_with_image(queue, dest, src, options)
    if to_device and from_device:
        if "src_origin" in options:
            return copy_buffer_rect(queue, src, dest, **options)
        return copy_buffer(queue, src, dest, **options)
    if to_device:
        if "buffer_origin" in options:
            return write_buffer_rect(queue, dest, src, **options)
        return write_buffer(queue, dest, src, **options)
    if "buffer_origin" in options:
        return read_buffer_rect(queue, src, dest, **options)
    return read_buffer(queue, src, dest, **options)


def _rename(options: dict[str, Any], old: str, new: str) -> None:
    """Take a keyword by the name it had before."""
    if old in options:
        if new in options:
            raise TypeError(f"may not specify both '{old}' and '{new}'")
        options[new] = options.pop(old)

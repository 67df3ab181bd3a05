"""Copies, fills and maps of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.opencl import cltypes
from kcc.opencl.constants import (
    channel_order,
    channel_type,
    command_type,
    mem_flags,
    status_code,
)
from kcc.opencl.copies import box, map_array, submit, triple
from kcc.opencl.errors import failure
from kcc.opencl.events import CommandQueue, Context, Event, WaitList
from kcc.opencl.images import Image, ImageFormat, create_image
from kcc.opencl.memory import MemoryObjectHolder, host_bytes

CHANNEL_TYPES = {
    np.dtype(np.float32): channel_type.FLOAT,
    np.dtype(np.float16): channel_type.HALF_FLOAT,
    np.dtype(np.int8): channel_type.SIGNED_INT8,
    np.dtype(np.int16): channel_type.SIGNED_INT16,
    np.dtype(np.int32): channel_type.SIGNED_INT32,
    np.dtype(np.uint8): channel_type.UNSIGNED_INT8,
    np.dtype(np.uint16): channel_type.UNSIGNED_INT16,
    np.dtype(np.uint32): channel_type.UNSIGNED_INT32,
}
NORMALISED_TYPES = {
    np.dtype(np.int8): channel_type.SNORM_INT8,
    np.dtype(np.int16): channel_type.SNORM_INT16,
    np.dtype(np.uint8): channel_type.UNORM_INT8,
    np.dtype(np.uint16): channel_type.UNORM_INT16,
}
ORDERS = {1: channel_order.R, 2: channel_order.RG, 4: channel_order.RGBA}


def copy_with_image(queue: CommandQueue, dest: Any, src: Any, options: dict[str, Any]) -> Event:
    """A copy from or to an image."""
    if isinstance(dest, Image) and isinstance(src, Image):
        return _copy_images(queue, src, dest, **options)
    if isinstance(dest, Image):
        if isinstance(src, MemoryObjectHolder):
            return _copy_buffer_to_image(queue, src, dest, **options)
        return _write_image(queue, dest, src, **options)
    if isinstance(dest, MemoryObjectHolder):
        return _copy_image_to_buffer(queue, src, dest, **options)
    return _read_image(queue, src, dest, **options)


def _read_image(
    queue: CommandQueue,
    image: Image,
    hostbuf: Any,
    *,
    origin: Sequence[int],
    region: Sequence[int],
    pitches: Sequence[int] = (0, 0),
    is_blocking: bool = True,
    wait_for: WaitList = None,
) -> Event:
    routine = "clEnqueueReadImage"
    source = _texels(image, origin, region, routine)
    host = host_bytes(hostbuf, writable=True)
    target = box(host, (), source.shape[::-1], pitches, routine)
    return submit(
        queue, command_type.READ_IMAGE, target, source,
        reads=image, ward=hostbuf, is_blocking=is_blocking, wait_for=wait_for,
    )  # fmt: skip


def _write_image(
    queue: CommandQueue,
    image: Image,
    hostbuf: Any,
    *,
    origin: Sequence[int],
    region: Sequence[int],
    pitches: Sequence[int] = (0, 0),
    is_blocking: bool = True,
    wait_for: WaitList = None,
) -> Event:
    routine = "clEnqueueWriteImage"
    target = _texels(image, origin, region, routine)
    source = box(host_bytes(hostbuf), (), target.shape[::-1], pitches, routine)
    return submit(
        queue, command_type.WRITE_IMAGE, target, source,
        writes=image, ward=hostbuf, is_blocking=is_blocking, wait_for=wait_for,
    )  # fmt: skip


def _copy_images(
    queue: CommandQueue,
    src: Image,
    dest: Image,
    *,
    src_origin: Sequence[int],
    dest_origin: Sequence[int],
    region: Sequence[int],
    wait_for: WaitList = None,
) -> Event:
    routine = "clEnqueueCopyImage"
    if src.format != dest.format:
        raise failure(routine, status_code.IMAGE_FORMAT_MISMATCH)
    source = _texels(src, src_origin, region, routine)
    target = _texels(dest, dest_origin, region, routine)
    if np.shares_memory(source, target):
        raise failure(routine, status_code.MEM_COPY_OVERLAP)
    kind = command_type.COPY_IMAGE
    return submit(queue, kind, target, source, reads=src, writes=dest, wait_for=wait_for)


def _copy_image_to_buffer(
    queue: CommandQueue,
    src: Image,
    dest: MemoryObjectHolder,
    *,
    offset: int,
    origin: Sequence[int],
    region: Sequence[int],
    wait_for: WaitList = None,
) -> Event:
    routine = "clEnqueueCopyImageToBuffer"
    source = _texels(src, origin, region, routine)
    target = box(dest.data[offset:], (), source.shape[::-1], None, routine)
    kind = command_type.COPY_IMAGE_TO_BUFFER
    return submit(queue, kind, target, source, reads=src, writes=dest, wait_for=wait_for)


def _copy_buffer_to_image(
    queue: CommandQueue,
    src: MemoryObjectHolder,
    dest: Image,
    *,
    offset: int,
    origin: Sequence[int],
    region: Sequence[int],
    wait_for: WaitList = None,
) -> Event:
    routine = "clEnqueueCopyBufferToImage"
    target = _texels(dest, origin, region, routine)
    source = box(src.data[offset:], (), target.shape[::-1], None, routine)
    kind = command_type.COPY_BUFFER_TO_IMAGE
    return submit(queue, kind, target, source, reads=src, writes=dest, wait_for=wait_for)


def enqueue_fill_image(
    queue: CommandQueue,
    mem: Image,
    color: Any,
    origin: Sequence[int],
    region: Sequence[int],
    wait_for: WaitList = None,
) -> Event:
    """Fill a box of an image with one colour: four floats, or four 32-bit integers for integer
    formats, in the order RGBA."""
    target = _texels(mem, origin, region, "clEnqueueFillImage")
    texel = _texel(mem.format, host_bytes(color))
    source = np.broadcast_to(np.tile(texel, target.shape[-1] // len(texel)), target.shape)
    return submit(queue, command_type.FILL_IMAGE, target, source, writes=mem, wait_for=wait_for)


def enqueue_map_image(
    queue: CommandQueue,
    img: Image,
    flags: int,
    origin: Sequence[int],
    region: Sequence[int],
    shape: tuple[int, ...],
    dtype: Any,
    order: str = "C",
    strides: tuple[int, ...] | None = None,
    wait_for: WaitList = None,
    is_blocking: bool = True,
) -> tuple[NDArray[Any], Event, int, int]:
    """A part of an image as an array; the distances of its rows and slices in bytes come too."""
    routine = "clEnqueueMapImage"
    part = _texels(img, origin, region, routine)
    first = part.ctypes.data - img.data.ctypes.data
    count = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    if first + count > img.size:
        raise failure(routine, status_code.INVALID_VALUE)
    own = img.data[first : first + count]
    array = np.ndarray(shape, dtype, own, 0, strides, "F" if order == "F" else "C")
    mapped, event = map_array(queue, img, array, command_type.MAP_IMAGE, wait_for, is_blocking)
    return mapped, event, img.row_pitch, img.slice_pitch


def image_from_array(
    ctx: Context,
    ary: NDArray[Any],
    num_channels: int | None = None,
    mode: str = "r",
    norm_int: bool = False,
) -> Image:
    """An image with the contents of an array, whose last dimension is x, or the channels of a
    texel if there are several."""
    if not ary.flags.c_contiguous:
        raise ValueError("array must be C-contiguous")
    if mode not in ("r", "w"):
        raise ValueError(f"invalid value '{mode}' for 'mode'")
    dtype, shape = ary.dtype, ary.shape
    if num_channels is None:
        dtype, num_channels = cltypes.vec_type_to_scalar_and_count.get(dtype, (dtype, 1))
    elif num_channels > 1:
        if shape[-1] != num_channels:
            raise ValueError("last dimension must be equal to number of channels")
        shape = shape[:-1]
    types = NORMALISED_TYPES if norm_int else CHANNEL_TYPES
    if dtype not in types or num_channels not in ORDERS:
        raise failure("image_from_array", status_code.IMAGE_FORMAT_NOT_SUPPORTED)
    access = mem_flags.READ_ONLY if mode == "r" else mem_flags.WRITE_ONLY
    return create_image(
        ctx,
        access | mem_flags.COPY_HOST_PTR,
        ImageFormat(ORDERS[num_channels], types[dtype]),
        shape=shape[::-1],
        hostbuf=ary,
    )


def _texels(
    image: Image, origin: Sequence[int], region: Sequence[int], routine: str
) -> NDArray[np.uint8]:
    """A box of texels as slices, rows and bytes: a view."""
    x, y, z = triple(origin, 0)
    width, height, depth = triple(region, 1)
    whole = image.region
    first, wanted = (x, y, z), (width, height, depth)
    fits = (o >= 0 and n > 0 and o + n <= w for o, n, w in zip(first, wanted, whole, strict=True))
    if not all(fits):
        what = f"origin {first}, region {wanted} of an image of {whole}"
        raise failure(routine, status_code.INVALID_VALUE, what)
    size = image.element_size
    own = image.texel_bytes()
    return own[z : z + depth, y : y + height, x * size : (x + width) * size]


def _texel(format_: ImageFormat, color: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The bytes of one texel of a colour."""
    if len(color) != 16:
        raise failure(
            "clEnqueueFillImage", status_code.INVALID_VALUE, "a colour has four components"
        )
    red_green_blue_alpha = {
        channel_order.R: [0], channel_order.A: [3], channel_order.INTENSITY: [0],
        channel_order.LUMINANCE: [0], channel_order.RG: [0, 1], channel_order.RA: [0, 3],
        channel_order.RGBA: [0, 1, 2, 3], channel_order.BGRA: [2, 1, 0, 3],
    }  # fmt: skip
    places = red_green_blue_alpha[format_.channel_order]
    type_ = format_.channel_data_type
    scales = {
        channel_type.UNORM_INT8: (np.uint8, 0, 255),
        channel_type.UNORM_INT16: (np.uint16, 0, 65535),
        channel_type.SNORM_INT8: (np.int8, -127, 127),
        channel_type.SNORM_INT16: (np.int16, -32767, 32767),
    }  # fmt: skip
    if type_ in scales:
        kind, low, high = scales[type_]
        scaled = np.rint(np.clip(color.view(np.float32) * np.float32(high), low, high))
        return scaled.astype(kind)[places].view(np.uint8)
    floats = {channel_type.FLOAT: np.float32, channel_type.HALF_FLOAT: np.float16}
    if type_ in floats:
        return color.view(np.float32).astype(floats[type_])[places].view(np.uint8)
    integers = {value: key for key, value in CHANNEL_TYPES.items()}
    integer: np.dtype[Any] = integers[type_]
    limits = np.iinfo(integer.type)
    wide = color.view(np.uint32 if integer.kind == "u" else np.int32)
    return np.clip(wide, limits.min, limits.max).astype(integer)[places].view(np.uint8)

"""Images and samplers."""

from __future__ import annotations

from typing import Any

import numpy as np

from kcc.frontend.types import ImageKind
from kcc.opencl.constants import (
    addressing_mode,
    channel_order,
    channel_type,
    filter_mode,
    image_info,
    mem_flags,
    mem_object_type,
    sampler_info,
    status_code,
)
from kcc.opencl.device import MAX_IMAGE_DEPTH, MAX_IMAGE_WIDTH
from kcc.opencl.errors import Error, failure
from kcc.opencl.events import Context
from kcc.opencl.info import Informed
from kcc.opencl.memory import Buffer, MemoryObject, check_host, host_bytes
from kcc.tracegen import image_data
from kcc.tracegen.execute import KernelArgument
from kcc.tracegen.image_data import ImageData

CHANNEL_BYTES = {
    channel_type.SNORM_INT8: 1, channel_type.UNORM_INT8: 1,
    channel_type.SIGNED_INT8: 1, channel_type.UNSIGNED_INT8: 1,
    channel_type.SNORM_INT16: 2, channel_type.UNORM_INT16: 2,
    channel_type.SIGNED_INT16: 2, channel_type.UNSIGNED_INT16: 2, channel_type.HALF_FLOAT: 2,
    channel_type.SIGNED_INT32: 4, channel_type.UNSIGNED_INT32: 4, channel_type.FLOAT: 4,
}  # fmt: skip
"""Bytes of one channel (OpenCL 1.2, table 5.7); the packed formats are not there."""

CHANNELS = {
    channel_order.R: 1, channel_order.A: 1, channel_order.INTENSITY: 1,
    channel_order.LUMINANCE: 1, channel_order.RG: 2, channel_order.RA: 2,
    channel_order.RGBA: 4, channel_order.BGRA: 4,
}  # fmt: skip
"""Channels of an order (OpenCL 1.2, table 5.6)."""

_NORMALISED = (
    channel_type.SNORM_INT8, channel_type.UNORM_INT8,
    channel_type.SNORM_INT16, channel_type.UNORM_INT16,
)  # fmt: skip
_FLOATING = (*_NORMALISED, channel_type.HALF_FLOAT, channel_type.FLOAT)
_BYTES = (
    channel_type.SNORM_INT8, channel_type.UNORM_INT8,
    channel_type.SIGNED_INT8, channel_type.UNSIGNED_INT8,
)  # fmt: skip

_KINDS = {
    mem_object_type.IMAGE1D: ImageKind.IMAGE1D,
    mem_object_type.IMAGE1D_BUFFER: ImageKind.IMAGE1D_BUFFER,
    mem_object_type.IMAGE1D_ARRAY: ImageKind.IMAGE1D_ARRAY,
    mem_object_type.IMAGE2D: ImageKind.IMAGE2D,
    mem_object_type.IMAGE2D_ARRAY: ImageKind.IMAGE2D_ARRAY,
    mem_object_type.IMAGE3D: ImageKind.IMAGE3D,
}

_ADDRESSING = {
    addressing_mode.NONE: "none",
    addressing_mode.CLAMP_TO_EDGE: "clamp_to_edge",
    addressing_mode.CLAMP: "clamp",
    addressing_mode.REPEAT: "repeat",
    addressing_mode.MIRRORED_REPEAT: "mirrored_repeat",
}


class ImageFormat:
    """Channels of a texel and their type."""

    def __init__(self, order: int, type_: int) -> None:
        self.channel_order, self.channel_data_type = order, type_

    @property
    def channel_count(self) -> int:
        return CHANNELS.get(self.channel_order, 0)

    @property
    def dtype_size(self) -> int:
        return CHANNEL_BYTES.get(self.channel_data_type, 0)

    @property
    def itemsize(self) -> int:
        return self.channel_count * self.dtype_size

    @property
    def is_supported(self) -> bool:
        """The combinations OpenCL allows of those kcc has."""
        order, type_ = self.channel_order, self.channel_data_type
        if order in (channel_order.INTENSITY, channel_order.LUMINANCE):
            return type_ in _FLOATING
        if order == channel_order.BGRA:
            return type_ in _BYTES
        return self.itemsize > 0

    def __repr__(self) -> str:
        order = channel_order.to_string(self.channel_order, "<unknown channel order 0x%x>")
        type_ = channel_type.to_string(self.channel_data_type, "<unknown channel data type 0x%x>")
        return f"ImageFormat({order}, {type_})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ImageFormat) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[int, int]:
        return (self.channel_order, self.channel_data_type)


def get_supported_image_formats(context: Context, flags: int, image_type: int) -> list[ImageFormat]:
    """Every format, whatever the access and the kind of image."""
    if image_type not in _KINDS:
        raise failure("clGetSupportedImageFormats", status_code.INVALID_VALUE)
    every = (ImageFormat(order, type_) for order in CHANNELS for type_ in CHANNEL_BYTES)
    return [each for each in every if each.is_supported]


class ImageDescriptor:
    """What an image is, for ``Image(..., desc=...)``; ``shape`` is (width, height, depth)."""

    def __init__(self) -> None:
        self.image_type: int = 0
        self.shape: tuple[int, ...] = ()
        self.array_size = 0
        self.pitches: tuple[int, ...] = (0, 0)
        self.num_mip_levels = 0
        self.num_samples = 0
        self.buffer: Buffer | None = None


class Image(MemoryObject):
    """Texels in device memory. Shapes are as in OpenCL: x first."""

    _image_infos = image_info
    num_mip_levels = num_samples = 0

    def __init__(
        self,
        context: Context,
        flags: int,
        format: ImageFormat,
        shape: tuple[int, ...] | None = None,
        pitches: tuple[int, ...] | None = None,
        hostbuf: Any = None,
        is_array: bool = False,
        buffer: Buffer | None = None,
        *,
        desc: ImageDescriptor | None = None,
    ) -> None:
        super().__init__(context, flags, hostbuf)
        if desc is not None:
            shape, pitches, buffer = desc.shape, desc.pitches, desc.buffer
            self.type = desc.image_type
            shape = _described(desc)
        else:
            if shape is None and hostbuf is None:
                raise Error("'shape' must be passed if 'hostbuf' is not given")
            if hostbuf is None and pitches is not None:
                raise Error("'pitches' may only be given if 'hostbuf' is given")
            shape = tuple(np.asarray(hostbuf).shape) if shape is None else shape
            self.type = _image_type(len(shape), is_array=is_array, has_buffer=buffer is not None)
        self.format, self.buffer = format, buffer
        if not format.is_supported:
            what = f"{format!r} is not there; docs/reference/hosts.md lists the formats that are"
            raise failure("clCreateImage", status_code.IMAGE_FORMAT_NOT_SUPPORTED, what)
        self.extent = tuple(int(n) for n in shape)
        self._check_extent()
        self.element_size = format.itemsize
        source = None if buffer is not None else check_host(flags, hostbuf, "clCreateImage")
        if buffer is not None:
            self._over(buffer)
        else:
            self._place(self.size, "clCreateImage")
        if source is not None:
            self._fill(source, tuple(pitches or ()))
        if flags & mem_flags.USE_HOST_PTR:
            self._host = host_bytes(hostbuf, writable=True)[: self.size]

    def _check_extent(self) -> None:
        largest = MAX_IMAGE_DEPTH if len(self.extent) == 3 else MAX_IMAGE_WIDTH
        if self.type == mem_object_type.IMAGE1D_BUFFER:
            largest = 1 << 28
        if any(not 0 < n <= largest for n in self.extent):
            raise failure("clCreateImage", status_code.INVALID_IMAGE_SIZE, f"{self.extent}")
        texels = int(np.prod(self.extent, dtype=np.int64))
        self.size = texels * self.format.itemsize

    def _over(self, buffer: Buffer) -> None:
        """A 1D image whose texels are a buffer's bytes."""
        if self.size > buffer.size:
            raise failure("clCreateImage", status_code.INVALID_IMAGE_SIZE, "larger than its buffer")
        self.associated_memobject = buffer
        self._data = buffer.data[: self.size]

    def _fill(self, source: Any, pitches: tuple[int, ...]) -> None:
        """Copy texels from the host, whose rows may lie ``pitches`` bytes apart."""
        rows = self.texel_bytes()
        row = rows.shape[-1]
        row_pitch = (pitches[0] if pitches else 0) or row
        slice_pitch = (pitches[1] if len(pitches) > 1 else 0) or row_pitch * rows.shape[1]
        needed = (rows.shape[0] - 1) * slice_pitch + (rows.shape[1] - 1) * row_pitch + row
        if row_pitch < row or needed > len(source):
            raise failure(
                "clCreateImage", status_code.INVALID_HOST_PTR, "the host buffer is too small"
            )
        strides = (slice_pitch, row_pitch, 1)
        rows[:] = np.lib.stride_tricks.as_strided(source, rows.shape, strides)

    def texel_bytes(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """The bytes as slices, rows and bytes of a row: a view."""
        width, height, depth = self.region
        return self.data.reshape(depth, height, width * self.element_size)

    @property
    def region(self) -> tuple[int, int, int]:
        """Width, height and depth, layers of an array in the place of the last dimension."""
        width, height, depth = (*self.extent, 1, 1)[:3]
        return (width, height, depth)

    @property
    def width(self) -> int:
        return self.extent[0]

    @property
    def height(self) -> int:
        is_line = self.type in (mem_object_type.IMAGE1D_ARRAY, mem_object_type.IMAGE1D)
        return 0 if is_line or len(self.extent) < 2 else self.extent[1]

    @property
    def depth(self) -> int:
        return self.extent[2] if self.type == mem_object_type.IMAGE3D else 0

    @property
    def array_size(self) -> int:
        arrays = (mem_object_type.IMAGE1D_ARRAY, mem_object_type.IMAGE2D_ARRAY)
        return self.extent[-1] if self.type in arrays else 0

    @property
    def row_pitch(self) -> int:
        return self.width * self.element_size

    @property
    def slice_pitch(self) -> int:
        if self.type == mem_object_type.IMAGE1D_ARRAY:
            return self.row_pitch
        return self.row_pitch * self.extent[1] if len(self.extent) == 3 else 0

    @property
    def shape(self) -> tuple[int, ...]:
        if self.type not in (mem_object_type.IMAGE2D, mem_object_type.IMAGE3D):
            raise failure("Image.shape", status_code.INVALID_VALUE, "only images have shapes")
        return self.extent

    def get_image_info(self, param: int) -> Any:
        """The info; raises LogicError INVALID_VALUE for a number that is none."""
        for name, value in image_info.names().items():
            if value == param:
                return getattr(self, name.lower())
        raise failure("clGetImageInfo", status_code.INVALID_VALUE)

    def as_argument(self) -> KernelArgument:
        order = channel_order.to_string(self.format.channel_order)
        type_ = channel_type.to_string(self.format.channel_data_type)
        element = np.dtype(f"u{self.format.dtype_size}")
        pixels = self.data.view(element).reshape(*self.extent[::-1], self.format.channel_count)
        return ImageData(pixels, order, type_, _KINDS[self.type])


def create_image(
    context: Context,
    flags: int,
    format: ImageFormat,
    shape: tuple[int, ...] | None = None,
    pitches: tuple[int, ...] | None = None,
    hostbuf: Any = None,
    is_array: bool = False,
    buffer: Buffer | None = None,
) -> Image:
    """An image; see :class:`Image`."""
    return Image(context, flags, format, shape, pitches, hostbuf, is_array, buffer)


def _described(desc: ImageDescriptor) -> tuple[int, ...]:
    dimensions = {
        mem_object_type.IMAGE1D: 1, mem_object_type.IMAGE1D_BUFFER: 1,
        mem_object_type.IMAGE1D_ARRAY: 1, mem_object_type.IMAGE2D: 2,
        mem_object_type.IMAGE2D_ARRAY: 2, mem_object_type.IMAGE3D: 3,
    }  # fmt: skip
    if desc.image_type not in dimensions:
        raise failure("clCreateImage", status_code.INVALID_IMAGE_DESCRIPTOR)
    own = tuple(desc.shape[: dimensions[desc.image_type]])
    layered = desc.image_type in (mem_object_type.IMAGE1D_ARRAY, mem_object_type.IMAGE2D_ARRAY)
    layers = desc.array_size or (desc.shape[len(own)] if len(desc.shape) > len(own) else 0)
    return (*own, layers) if layered else own


def _image_type(dimensions: int, *, is_array: bool, has_buffer: bool) -> int:
    if has_buffer and is_array:
        raise ValueError("'buffer' and 'is_array' are mutually exclusive")
    if has_buffer and dimensions != 1:
        raise TypeError(f"'buffer' argument is not supported for {dimensions}D arrays")
    match dimensions, is_array:
        case 3, True:
            return mem_object_type.IMAGE2D_ARRAY
        case 3, False:
            return mem_object_type.IMAGE3D
        case 2, True:
            return mem_object_type.IMAGE1D_ARRAY
        case 2, False:
            return mem_object_type.IMAGE2D
        case 1, False:
            return mem_object_type.IMAGE1D_BUFFER if has_buffer else mem_object_type.IMAGE1D
        case 1, True:
            raise TypeError("array of zero-dimensional images not supported")
        case _:
            raise ValueError("images cannot have more than three dimensions")


class Sampler(Informed):
    """How images are read."""

    _infos, _info_routine = sampler_info, "clGetSamplerInfo"
    reference_count = 1

    def __init__(
        self, context: Context, normalized_coords: bool, addressing: int, filtering: int
    ) -> None:
        if addressing not in _ADDRESSING or filtering not in filter_mode.names().values():
            raise failure("Sampler", status_code.INVALID_VALUE)
        repeats = addressing in (addressing_mode.REPEAT, addressing_mode.MIRRORED_REPEAT)
        if repeats and not normalized_coords:
            raise failure(
                "Sampler", status_code.INVALID_VALUE, "repeating needs normalized coordinates"
            )
        self.context = context
        self.normalized_coords = int(normalized_coords)
        self.addressing_mode, self.filter_mode = addressing, filtering
        linear = filtering == filter_mode.LINEAR
        self.value = image_data.Sampler(
            _ADDRESSING[addressing], "linear" if linear else "nearest", bool(normalized_coords)
        )

    @property
    def int_ptr(self) -> int:
        return id(self)

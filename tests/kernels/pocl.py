"""The Portable Computing Language as oracle: builds and runs the launches of kernels/."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import numpy as np

from tests.kernels.harness import (
    DTYPES,
    GUARD_BYTES,
    GUARD_VALUE,
    Array,
    Image,
    Launch,
    Sampler,
    load,
)
from tests.pocl import choose_device


def _cl() -> Any:
    """The pyopencl module, untyped: its enumerations are not what its functions declare."""
    import pyopencl

    return pyopencl


@cache
def _queue() -> Any:
    cl = _cl()
    return cl.CommandQueue(cl.Context([choose_device()]))


@cache
def program(name: str) -> Any:
    """The built program of one workload, with argument information kept."""
    cl = _cl()
    workload = load(name)
    options = ["-cl-std=CL1.2", "-cl-kernel-arg-info", *workload.options]
    source = workload.source.read_text()
    return cl.Program(_queue().context, source).build(options)


@cache
def kernels(name: str) -> Mapping[str, Any]:
    """The kernels of one workload by name."""
    return {kernel.function_name: kernel for kernel in program(name).all_kernels()}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A kernel argument as the compiler sees it."""

    name: str
    type_name: str
    address_space: str


def parameters(name: str, kernel: str) -> list[Parameter]:
    """The arguments of a kernel, in order."""
    cl = _cl()
    found = kernels(name)[kernel]
    info = cl.kernel_arg_info
    spaces = cl.kernel_arg_address_qualifier
    return [
        Parameter(
            # PoCL renames what would shadow a built-in, such as `step`.
            name=found.get_arg_info(i, info.NAME).removeprefix("_cl_"),
            type_name=found.get_arg_info(i, info.TYPE_NAME),
            address_space=spaces.to_string(found.get_arg_info(i, info.ADDRESS_QUALIFIER)).lower(),
        )
        for i in range(found.num_args)
    ]


class _Guarded:
    """A buffer with a guard zone before and after it."""

    def __init__(self, host: Array) -> None:
        cl = _cl()
        self._host = host
        padded = np.full(host.nbytes + 2 * GUARD_BYTES, GUARD_VALUE, np.uint8)
        padded[GUARD_BYTES : GUARD_BYTES + host.nbytes] = np.ascontiguousarray(host).view(np.uint8)
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        self._whole = cl.Buffer(_queue().context, flags, hostbuf=padded)
        self.device = self._whole.get_sub_region(GUARD_BYTES, host.nbytes)

    def read(self) -> Array:
        """The contents after the launch; fails when a guard was overwritten."""
        cl = _cl()
        padded = np.empty(self._host.nbytes + 2 * GUARD_BYTES, np.uint8)
        cl.enqueue_copy(_queue(), padded, self._whole)
        inside = padded[GUARD_BYTES : GUARD_BYTES + self._host.nbytes]
        assert (padded[:GUARD_BYTES] == GUARD_VALUE).all(), "written before a buffer"
        assert (padded[GUARD_BYTES + inside.size :] == GUARD_VALUE).all(), "written past a buffer"
        return inside.view(self._host.dtype).reshape(self._host.shape)


class _DeviceImage:
    """An image on the device."""

    def __init__(self, image: Image) -> None:
        cl = _cl()
        self._image = image
        image_format = cl.ImageFormat(
            getattr(cl.channel_order, image.order), getattr(cl.channel_type, image.channel_type)
        )
        height, width, _ = image.pixels.shape
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        self.device = cl.create_image(
            _queue().context, flags, image_format, shape=(width, height), hostbuf=image.pixels
        )

    def read(self) -> Array:
        """The channels after the launch."""
        cl = _cl()
        pixels = np.empty_like(self._image.pixels)
        height, width, _ = pixels.shape
        cl.enqueue_copy(_queue(), pixels, self.device, origin=(0, 0), region=(width, height))
        return pixels


def _device_sampler(sampler: Sampler) -> Any:
    cl = _cl()
    return cl.Sampler(
        _queue().context,
        sampler.normalized,
        getattr(cl.addressing_mode, sampler.mode.upper()),
        getattr(cl.filter_mode, sampler.filtering.upper()),
    )


def run(launch: Launch) -> dict[str, Array]:
    """Executes a launch; gives the contents of every global buffer and image afterwards."""
    cl = _cl()
    name = launch.workload.name
    read_back: dict[str, _Guarded | _DeviceImage] = {}
    values: list[Any] = []
    for parameter in parameters(name, launch.kernel):
        value: Any = launch.arguments[parameter.name]
        match value:
            case np.ndarray() if parameter.address_space == "local":
                values.append(cl.LocalMemory(value.nbytes))
            case np.ndarray() if parameter.address_space == "private":
                values.append(value)
            case np.ndarray():
                read_back[parameter.name] = _Guarded(cast(Array, value))
                values.append(read_back[parameter.name].device)
            case Image():
                read_back[parameter.name] = _DeviceImage(value)
                values.append(read_back[parameter.name].device)
            case Sampler():
                values.append(_device_sampler(value))
            case _:
                values.append(DTYPES[parameter.type_name](value))
    kernel = kernels(name)[launch.kernel]
    kernel(_queue(), launch.global_size, launch.local_size, *values)
    _queue().finish()
    return {key: value.read() for key, value in read_back.items()}

"""The part of ``pyopencl.array`` that moves data: an array in device memory without arithmetic."""

from __future__ import annotations

import math
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from kcc.opencl.constants import mem_flags
from kcc.opencl.events import CommandQueue, Context
from kcc.opencl.memory import Buffer, MemoryObjectHolder
from kcc.opencl.missing import missing
from kcc.opencl.transfers import enqueue_copy


class Array:
    """An array in device memory; ``data`` is the buffer to hand to kernels."""

    def __init__(
        self,
        cq: CommandQueue | Context,
        shape: int | tuple[int, ...],
        dtype: Any,
        order: str = "C",
        allocator: Any = None,
        data: MemoryObjectHolder | None = None,
    ) -> None:
        self.queue = cq if isinstance(cq, CommandQueue) else None
        self.context = cq if isinstance(cq, Context) else cq.context
        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.size = math.prod(self.shape)
        self.nbytes = self.size * self.dtype.itemsize
        self.order, self.allocator, self.offset = order, allocator, 0
        if data is None and allocator is not None:
            data = cast("MemoryObjectHolder", allocator(max(self.nbytes, 1)))
        self.base_data = data or Buffer(self.context, mem_flags.READ_WRITE, max(self.nbytes, 1))

    @property
    def data(self) -> MemoryObjectHolder:
        return self.base_data

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def strides(self) -> tuple[int, ...]:
        return self._host().strides

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return repr(self.get())

    def get(self, queue: CommandQueue | None = None, ary: NDArray[Any] | None = None) -> Any:
        """The contents as a numpy array, in ``ary`` if given."""
        target = self._host() if ary is None else ary
        if target.shape != self.shape or target.dtype != self.dtype:
            raise ValueError(f"an array of {self.shape} {self.dtype} is wanted")
        if self.size:
            enqueue_copy(self._queue(queue), target, self.base_data)
        return target

    def set(self, ary: NDArray[Any], queue: CommandQueue | None = None) -> None:
        """Overwrite the contents."""
        if ary.shape != self.shape or ary.dtype != self.dtype:
            raise ValueError(f"an array of {self.shape} {self.dtype} is wanted")
        if self.size:
            source = np.asarray(ary, order="F" if self.order == "F" else "C")
            enqueue_copy(self._queue(queue), self.base_data, source)

    def fill(self, value: Any, queue: CommandQueue | None = None) -> Array:
        """Set every element."""
        self.set(np.full(self.shape, value, self.dtype), queue)
        return self

    def copy(self, queue: CommandQueue | None = None) -> Array:
        """Another array with the same contents."""
        own = self._queue(queue)
        other = Array(own, self.shape, self.dtype, self.order, self.allocator)
        if self.size:
            enqueue_copy(own, other.base_data, self.base_data, byte_count=self.nbytes)
        return other

    def _host(self) -> NDArray[Any]:
        order = "F" if self.order == "F" else "C"
        return cast("NDArray[Any]", np.empty(self.shape, self.dtype, order))

    def _queue(self, queue: CommandQueue | None) -> CommandQueue:
        return queue or self.queue or CommandQueue(self.context)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise missing(f"array.Array.{name}", dir(type(self)))


def _refuse(name: str) -> Any:
    def operator(_self: Array, *_others: object) -> NoReturn:
        raise missing(f"array.Array.{name}")

    return operator


_OPERATORS = (
    "add", "radd", "iadd", "sub", "rsub", "isub", "mul", "rmul", "imul", "truediv", "rtruediv",
    "itruediv", "floordiv", "mod", "pow", "matmul", "neg", "abs", "lt", "le", "gt", "ge", "and",
    "or", "xor", "invert", "getitem", "setitem",
)  # fmt: skip
"""What PyOpenCL computes with kernels of its own, and kcc does not."""

for _name in _OPERATORS:
    setattr(Array, f"__{_name}__", _refuse(f"__{_name}__"))


def to_device(
    queue: CommandQueue, ary: NDArray[Any], allocator: Any = None, async_: bool | None = None
) -> Array:
    """An array with the contents of a numpy array."""
    order = "F" if ary.flags.f_contiguous and not ary.flags.c_contiguous else "C"
    made = Array(queue, ary.shape, ary.dtype, order, allocator)
    made.set(ary)
    return made


def empty(
    queue: CommandQueue | Context, shape: Any, dtype: Any, order: str = "C", allocator: Any = None
) -> Array:
    """An array whose contents do not matter."""
    return Array(queue, shape, dtype, order, allocator)


def zeros(
    queue: CommandQueue, shape: Any, dtype: Any, order: str = "C", allocator: Any = None
) -> Array:
    """An array of zeros."""
    return Array(queue, shape, dtype, order, allocator).fill(0)


def empty_like(ary: Array) -> Array:
    """An array of the same shape and type."""
    return Array(ary.queue or ary.context, ary.shape, ary.dtype, ary.order, ary.allocator)


def zeros_like(ary: Array) -> Array:
    """The same, of zeros."""
    return empty_like(ary).fill(0)


def arange(queue: CommandQueue, *bounds: Any, dtype: Any) -> Array:
    """What :func:`numpy.arange` gives."""
    return to_device(queue, np.arange(*bounds, dtype=dtype))


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    known = ["Array", "to_device", "empty", "zeros", "empty_like", "zeros_like", "arange"]
    raise missing(f"array.{name}", known)

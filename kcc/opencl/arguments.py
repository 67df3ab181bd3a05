"""Arguments of kernels: what they may be set to."""

from __future__ import annotations

from operator import index
from typing import Any, cast

import numpy as np

from kcc.frontend import kernel as frontend
from kcc.frontend.types import AddressSpace
from kcc.opencl.constants import status_code
from kcc.opencl.errors import failure
from kcc.opencl.events import Context
from kcc.opencl.images import Image, Sampler
from kcc.opencl.memory import LocalMemory, MemoryObjectHolder, host_bytes
from kcc.opencl.svm import SVMPointer

Value = MemoryObjectHolder | LocalMemory | Sampler | bytes | None
"""What an argument is set to: memory, local memory, or the bytes of a value."""


def checked_memory(argument: frontend.Argument, value: Any, context: Context) -> Value:
    """The value of a pointer, an image or a sampler."""
    routine, what = "clSetKernelArg", f"'{argument.name}' ({argument.type})"
    given = type(value).__name__
    if argument.type.startswith("image"):
        if not isinstance(value, Image):
            raise failure(
                routine, status_code.INVALID_MEM_OBJECT, f"{what} needs an image, not {given}"
            )
        return value
    if argument.type.startswith("sampler"):
        if not isinstance(value, Sampler):
            raise failure(
                routine, status_code.INVALID_SAMPLER, f"{what} needs a sampler, not {given}"
            )
        return value
    if argument.address_space is AddressSpace.LOCAL:
        if not isinstance(value, LocalMemory):
            text = f"{what} is local memory and needs a size: LocalMemory(bytes), not {given}"
            raise failure(routine, status_code.INVALID_ARG_VALUE, text)
        if value.size <= 0:
            raise failure(routine, status_code.INVALID_ARG_SIZE, f"{what} has no bytes")
        return value
    if isinstance(value, SVMPointer):
        return value.holder(context)
    if value is None or isinstance(value, MemoryObjectHolder):
        if isinstance(value, Image):
            raise failure(
                routine, status_code.INVALID_MEM_OBJECT, f"{what} needs a buffer, not an image"
            )
        return value
    raise failure(routine, status_code.INVALID_ARG_SIZE, f"{what} needs a buffer, not {given}")


def scalar_bytes(value: Any, type_: np.dtype[Any] | None, argument: frontend.Argument) -> bytes:
    """The bytes of a value that is handed over as such."""
    if type_ is not None and isinstance(value, (int, float, np.generic)):
        return _converted(cast("Any", value), type_, argument)
    if isinstance(value, (MemoryObjectHolder, LocalMemory)):
        what = f"'{argument.name}' ({argument.type}) needs a number, not {type(value).__name__}"
        raise failure("clSetKernelArg", status_code.INVALID_ARG_SIZE, what)
    try:
        return host_bytes(value).tobytes()
    except TypeError:
        what = (
            f"invalid kernel argument: '{argument.name}' ({argument.type}) needs a numpy number "
            f"such as np.int32(1), not {type(value).__name__}"
        )
        raise failure("Kernel.set_arg", status_code.INVALID_VALUE, what) from None


def _converted(value: Any, type_: np.dtype[Any], argument: frontend.Argument) -> bytes:
    """A number as a numpy type that holds it."""
    try:
        if type_.kind in "iub":
            return np.array(index(value), type_).tobytes()
        return np.array(value).astype(type_).tobytes()
    except (TypeError, OverflowError):
        what = f"'{argument.name}' ({argument.type}): {value!r} is not of type {type_}"
        raise failure("Kernel.set_arg", status_code.INVALID_VALUE, what) from None

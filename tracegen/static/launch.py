"""What is known of a launch before it runs: its shape, scalars, and how large buffers are.

Buffers are placed in a virtual address space as the engine places them, without any memory of its
own.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from kcc.base.records import dataclass
from kcc.base.trace.coordinates import Radices
from kcc.base.trace.launches import CLASSES, TracedBuffer, TracedScalar, TraceLaunch
from kcc.frontend.ir.types import size_bytes
from kcc.frontend.kernel import Kernel
from kcc.passes.symbolic.ranges import ArgumentValue, Known
from kcc.tracegen.execute import LocalMemory, NDRange
from kcc.tracegen.simt.layout import (
    ARENA_BASE,
    LOCAL_BASE,
    MARGIN_BYTES,
    OBJECT_ALIGNMENT,
    REDZONE_BYTES,
)
from kcc.tracegen.simt.plan import Object, Plan


@dataclass(frozen=True, slots=True)
class BufferSize:
    """The argument for a pointer to global or constant memory: so many bytes."""

    size_bytes: int


StaticArgument = BufferSize | LocalMemory | int | float | tuple[int | float, ...] | bytes | None
"""A number, the numbers of a vector, the bytes of a struct by value. None where nothing is known:
of a scalar its value, of a pointer what it points to."""


@dataclass(frozen=True, slots=True)
class StaticLaunch:
    """A launch without data; ``arguments`` in the kernel's order."""

    shape: NDRange
    arguments: Sequence[StaticArgument]

    def known(self, changed: Collection[int] = ()) -> Known:
        """What the passes may take for granted; ``changed`` are structs by value that the kernel
        does not only read."""
        values: dict[int, ArgumentValue] = {
            index: value
            for index, value in enumerate(self.arguments)
            if isinstance(value, int | float | tuple)
        }
        structures = {
            index: value
            for index, value in enumerate(self.arguments)
            if isinstance(value, bytes) and index not in changed
        }
        x, y, z = (*self.shape.offset, 0, 0, 0)[:3]
        sizes = self.shape.global_size, self.shape.local_size
        return Known(*sizes, values, (x, y, z), structures)


def place_arguments(
    plan: Plan, kernel: Kernel, arguments: Sequence[StaticArgument]
) -> Mapping[int, Object]:
    """Where the memory of each pointer argument begins, as the engine has it without shared
    memory."""
    found = dict[int, Object]()
    position = max(plan.constant_bytes, MARGIN_BYTES)
    inside = max(plan.local_bytes, MARGIN_BYTES)
    for index, value in enumerate(arguments):
        argument, name = plan.function.arguments[index], kernel.arguments[index].name
        if isinstance(value, LocalMemory):
            inside = _aligned(inside)
            found[index] = Object(name, LOCAL_BASE + inside, value.size_bytes, 3)
            inside += value.size_bytes + 16
            continue
        size = value.size_bytes if isinstance(value, BufferSize) else None
        if argument.attributes.byval is not None:
            size = size_bytes(argument.attributes.byval)
        if size is not None:
            position = _aligned(position)
            found[index] = Object(name, ARENA_BASE + position, size, 1)
            position += size + REDZONE_BYTES
    return found


def _aligned(position: int) -> int:
    return -(-position // OBJECT_ALIGNMENT) * OBJECT_ALIGNMENT


def describe(
    plan: Plan,
    kernel: Kernel,
    launch: StaticLaunch,
    tables: int,
    number: int,
    radices: Radices,
) -> TraceLaunch:
    """What the file says of the launch."""
    placed = place_arguments(plan, kernel, launch.arguments)
    declared = sum(o.size_bytes for o in plan.locals.values())
    handed_in = sum(a.size_bytes for a in launch.arguments if isinstance(a, LocalMemory))
    return TraceLaunch(
        number=number,
        tables=tables,
        global_size=tuple(launch.shape.global_size),
        local_size=tuple(launch.shape.local_size),
        offset=tuple(launch.shape.offset),
        local_bytes=declared + handed_in,
        scalars=tuple(
            _scalar(index, value, str(plan.function.arguments[index].type))
            for index, value in enumerate(launch.arguments)
            if isinstance(value, int | float | bytes)
        ),
        buffers=tuple(
            TracedBuffer(
                index,
                item.name,
                kernel.arguments[index].address_space.name.lower(),
                item.address,
                item.size_bytes,
            )
            for index, item in placed.items()
        ),
        form=CLASSES,
        addresses=True,
        radices=radices if any(radices) else (),
    )


def _scalar(index: int, value: float | bytes, type_: str) -> TracedScalar:
    if isinstance(value, bytes):
        return TracedScalar(index, value.hex(), "")
    return TracedScalar(index, _image(value, type_), str(value))


def _image(value: float, type_: str) -> str:
    """The bytes of a number as an argument, in hexadecimal."""
    kinds = {"half": np.float16, "float": np.float32, "double": np.float64}
    if type_ in kinds:
        return kinds[type_](value).tobytes().hex()
    size = math.ceil(int(type_[1:]) / 8) if type_[1:].isdigit() else 8
    return (int(value) & ((1 << 8 * size) - 1)).to_bytes(size, "little").hex()

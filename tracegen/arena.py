"""One piece of host memory for all buffers and constants of a launch, addressed virtually."""

from __future__ import annotations

import bisect
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.tracegen.device_memory import LAUNCH_BYTES, DeviceMemory
from kcc.tracegen.simt.constants import constant_bytes
from kcc.tracegen.simt.layout import ARENA_BASE, MARGIN_BYTES, OBJECT_ALIGNMENT, REDZONE_BYTES
from kcc.tracegen.simt.plan import Object, Plan

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Arena:
    """``memory[a - ARENA_BASE]`` is the byte at virtual address ``a``; ``objects`` ascend."""

    memory: Bytes
    objects: tuple[Object, ...]
    buffers: tuple[Object | None, ...]
    """For each argument of the kernel the object it points to, if any."""

    @property
    def host_base(self) -> int:
        """Host address of virtual address 0."""
        return self.memory.ctypes.data - ARENA_BASE

    @property
    def low(self) -> int:
        """The lowest address of an object."""
        return self.objects[0].address if self.objects else ARENA_BASE + MARGIN_BYTES

    @property
    def bytes(self) -> int:
        """From the lowest address to the end of the last object."""
        last = self.objects[-1] if self.objects else None
        return last.address + last.size_bytes - self.low if last else 0

    def find(self, address: int) -> Object | None:
        """The object an address lies in or, between objects, the one before it."""
        place = bisect.bisect_right([o.address for o in self.objects], address) - 1
        return self.objects[place] if place >= 0 else None

    def view(self, item: Object) -> Bytes:
        """The bytes of an object."""
        start = item.address - ARENA_BASE
        return self.memory[start : start + item.size_bytes]


def build_arena(plan: Plan, contents: Sequence[tuple[str, Bytes] | None]) -> Arena:
    """Place the constants of the plan, then the buffers (name and bytes by argument)."""
    position = max(plan.constant_bytes, MARGIN_BYTES)
    buffers = list[Object | None]()
    for item in contents:
        if item is None:
            buffers.append(None)
            continue
        name, data = item
        position = -(-position // OBJECT_ALIGNMENT) * OBJECT_ALIGNMENT
        buffers.append(Object(name, ARENA_BASE + position, len(data), 1))
        position += len(data) + REDZONE_BYTES
    memory = aligned_bytes(position + MARGIN_BYTES)
    placed = [b for b in buffers if b is not None]
    arena = Arena(memory, (*plan.constants.values(), *placed), tuple(buffers))
    _write_constants(arena, plan)
    for item, source in zip(buffers, contents, strict=True):
        if item is not None and source is not None:
            arena.view(item)[:] = source[1]
    return arena


def shared_arena(
    plan: Plan, contents: Sequence[tuple[str, Bytes] | None], shared: DeviceMemory
) -> Arena:
    """The same in memory that outlives the launch: bytes that lie in it stay where they are, others
    (structs by value) are copied to its start, after the constants."""
    position = max(plan.constant_bytes, MARGIN_BYTES)
    buffers = list[Object | None]()
    for item in contents:
        if item is None:
            buffers.append(None)
            continue
        name, data = item
        place = shared.offset_of(data)
        if place is None:
            place = -(-position // OBJECT_ALIGNMENT) * OBJECT_ALIGNMENT
            position = place + len(data) + REDZONE_BYTES
            if position > LAUNCH_BYTES:
                raise ValueError(f"'{name}' lies outside the device memory")
            shared.memory[place : place + len(data)] = data
        buffers.append(Object(name, ARENA_BASE + place, len(data), 1))
    placed = sorted((b for b in buffers if b is not None), key=lambda b: b.address)
    arena = Arena(shared.memory, (*plan.constants.values(), *placed), tuple(buffers))
    if shared.constants_of is not plan:
        _write_constants(arena, plan)
        shared.constants_of = plan
    return arena


def _write_constants(arena: Arena, plan: Plan) -> None:
    for name, constant in plan.constants.items():
        initialiser = plan.module.globals[name].initialiser
        if initialiser is not None:
            data = constant_bytes(initialiser, plan)
            view = arena.view(constant)
            view[: len(data)] = np.frombuffer(data, np.uint8)
            view[len(data) :] = 0


def aligned_bytes(size: int) -> Bytes:
    """Zeroed host memory that begins at a multiple of :data:`OBJECT_ALIGNMENT`."""
    raw = np.zeros(size + OBJECT_ALIGNMENT, np.uint8)
    shift = -raw.ctypes.data % OBJECT_ALIGNMENT
    return raw[shift : shift + size]

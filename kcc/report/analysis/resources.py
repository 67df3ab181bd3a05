"""What a kernel takes of a GPU: registers, local memory, and how many blocks fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kcc.base.launch import Launch
from kcc.base.records import dataclass
from kcc.passes.facts import Facts
from kcc.passes.memory.memory_use import MemoryUse
from kcc.passes.unknown import Unknown

if TYPE_CHECKING:
    from kcc.base.gpu.description import GpuDescription
    from kcc.base.gpu.occupancy import Occupancy
    from kcc.passes.registers.counts import Registers

_NO_REGISTERS = Unknown("counted with --gpu, --code or -O2")
_NO_GPU = Unknown("no GPU is named: --gpu")


@dataclass(frozen=True, slots=True)
class Resources:
    """Of one kernel in one launch; ``local_bytes`` with what arguments bring."""

    registers: Registers | Unknown
    local_bytes: int | Unknown
    occupancy: Occupancy | Unknown
    gpu: GpuDescription | None = None


def resources_of(
    facts: Facts,
    launch: Launch,
    local: Mapping[str, int],
    registers: Registers | None,
    gpu: GpuDescription | None,
) -> Resources:
    """``local`` are the sizes of ``__local`` arguments in bytes, by name, as far as known."""
    use = facts[MemoryUse]
    missing = use.unsized(local)
    own: int | Unknown = use.bytes_with(local)
    if missing:
        own = Unknown(f"the size of {missing[0]} is the host's: --arg {missing[0]}=TYPE[COUNT]")
    return Resources(registers or _NO_REGISTERS, own, _occupancy(launch, own, registers, gpu), gpu)


def _occupancy(
    launch: Launch, local: int | Unknown, registers: Registers | None, gpu: GpuDescription | None
) -> Occupancy | Unknown:
    if gpu is None:
        return _NO_GPU
    if isinstance(local, Unknown):
        return local
    if launch.group_size is None:
        return Unknown("the local size is not known")
    from kcc.base.gpu.occupancy import occupancy_of

    count = None if registers is None else registers.count
    return occupancy_of(gpu, launch.group_size, count, local)

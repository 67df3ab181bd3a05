"""What the cycle-level model keeps from launch to launch, as arrays: a simulation that was ended
between two launches goes on from them as if it had not been."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.sim.cycle.launch import CycleSimulator, SharedMemory, aligned
from kcc.sim.cycle.layout import Cache, Dram

Arrays = Mapping[str, NDArray[Any]]

_PARTS: dict[str, Any] = {"l2": Cache, "dram": Dram, "instructions": Cache}
_KERNELS = "kernels"


def kept_arrays(simulator: CycleSimulator) -> dict[str, NDArray[Any]]:
    """By name; a launch was simulated before."""
    memory = simulator.memory
    assert memory is not None, "no launch was simulated"
    found = {
        f"{name}.{field}": values
        for name in _PARTS
        for field, values in getattr(memory, name)._asdict().items()
    }
    return {**found, _KERNELS: np.array(simulator.kernels)}


def restore(simulator: CycleSimulator, kept: Arrays) -> None:
    """As :func:`kept_arrays` gave them, for a simulator of the same GPU that simulated nothing."""
    simulator.kernels = kept[_KERNELS].tolist()

    def part(name: str, kind: Any) -> Any:
        return kind(*(_aligned(kept[f"{name}.{field}"]) for field in kind._fields))

    simulator.memory = SharedMemory(**{name: part(name, kind) for name, kind in _PARTS.items()})


def _aligned(values: NDArray[Any]) -> NDArray[Any]:
    found = aligned(values.shape, values.dtype)
    found[...] = values
    return found

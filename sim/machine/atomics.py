"""What an atomic operation in global memory takes of the place that it is done for.

A slice of L2 does one of them a cycle for one word (NVIDIA, "Kepler GK110" white paper, 2012,
"Atomic Operations": one per clock on a common address, nine times what Fermi does; AMD's are taken
to be alike), and those for the words of one line wait for each other. Since Volta the words of a
sector go together: 32 lanes that add to the 32 words of a line take 20.0 times what a lane takes
that adds to a word on RTX 3080, 3070 Ti, 3060 Ti and 3060, 20.2 on an RTX 2060, 20.8 on a GTX 1650
(histogram_nvbench.csv, histogram_shared in thread blocks of 32 by simple_histogram), 20.2, 20.2 and
20.5 on RTX 2080 Ti, Titan V and RTX 4070 (kernel_performance.csv, histogram by atomic_hotspot): 5
for each of four sectors. Lines do not wait for each other.
"""

from __future__ import annotations

from typing import NamedTuple

from kcc.base.gpu.description import GpuDescription
from kcc.sim.machine import costs
from kcc.sim.machine.costs import Generation, generation_of_gpu
from kcc.sim.machine.l2_path import describes_network


class AtomicQueue(NamedTuple):
    """Cycles that an operation takes of its line, and as how many those of lanes for ``several``
    words of a sector count, if no word is asked for by more; 0: each for itself; -1: they only wait
    for those for their own word (of Fermi no more is known)."""

    operation_cycles: float
    several: int


KEPLER_TO_PASCAL = AtomicQueue(1.0, 0)
VOLTA_AND_LATER = AtomicQueue(1.0, 5)
ADA = AtomicQueue(1.58, 5)
"""Of the SM's clock: a lane that adds to a word takes 0.590 ns on an RTX 4070, whose data sheet and
``clock_over_boost`` say 2,680 MHz (kernel_performance.csv, atomic_hotspot); others 0.91 to 1.32."""
FERMI = AtomicQueue(9.0, -1)

_ADA = (8, 9)


def queue_of(gpu: GpuDescription) -> AtomicQueue:
    """That of a GPU's L2."""
    generation = generation_of_gpu(gpu)
    if generation is Generation.FERMI:
        return FERMI
    if generation not in costs.SINCE_VOLTA:
        return KEPLER_TO_PASCAL
    return ADA if gpu.capability == _ADA else VOLTA_AND_LATER


def queue_of_gpu(gpu: GpuDescription) -> AtomicQueue | None:
    """That of a GPU; None for machines that describe their network: their slices take an operation
    of a lane as they take a sector."""
    return None if describes_network(gpu) else queue_of(gpu)

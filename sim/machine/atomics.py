"""What an atomic operation in global memory takes of the place that it is done for.

A slice of L2 does one of them a cycle for one line (NVIDIA, "Kepler GK110" white paper, 2012,
"Atomic Operations": one per clock on a common address, nine times what Fermi does; AMD's are taken
to be alike), also those for the words of one line: thread blocks that add 256 sums to the same
eight lines take 26 cycles of a line for each 32 of them on an RTX 2080 Ti and 29 on a Titan V
(kernel_performance.csv, histogram). Lines do not wait for each other.
"""

from __future__ import annotations

from typing import NamedTuple

from kcc.base.gpu.description import GpuDescription
from kcc.sim.machine.costs import Generation, generation_of_gpu
from kcc.sim.machine.l2_path import describes_network


class AtomicQueue(NamedTuple):
    """Cycles that an operation of a lane takes of its line, or (``by_line`` is false) of its
    word: of Fermi no more is known."""

    operation_cycles: float
    by_line: bool


KEPLER_AND_LATER = AtomicQueue(1.0, by_line=True)
FERMI = AtomicQueue(9.0, by_line=False)


def queue_of(generation: Generation) -> AtomicQueue:
    """That of a generation's L2."""
    return FERMI if generation is Generation.FERMI else KEPLER_AND_LATER


def queue_of_gpu(gpu: GpuDescription) -> AtomicQueue | None:
    """That of a GPU; None for machines that describe their network: their slices take an operation
    of a lane as they take a sector."""
    return None if describes_network(gpu) else queue_of(generation_of_gpu(gpu))

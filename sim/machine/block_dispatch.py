"""How many thread blocks a GPU starts in a cycle, all SMs together.

Small kernels in thread blocks of 16, 32 and 64 (microbench_small_kernels.csv, whose columns are
sizes of thread blocks) start no more than so many, however small they are: 1.46 a cycle on an A40,
1.49 on an L40, 1.67 on an H200, 3.8 on an A100, 0.49 on an MI210. Of AMD's GPUs files have it.

They find room on the GPU, all of them. Once it is full, thread blocks take the place of others, and
fewer do in a cycle (:data:`IN_PLACE`).
"""

from __future__ import annotations

from kcc.base.gpu.description import GpuDescription

BLOCKS_PER_CYCLE = 1.5
"""Of NVIDIA's since Volta, where the file has nothing: the median of the four, and less rather than
more."""

_FIRST = (7, 0)

IN_PLACE = 0.9
"""Thread blocks of a cycle that take the place of others, on NVIDIA's GPUs since Volta: 262,144
work-groups of 64 that do next to nothing (OpenCL-Benchmark, kernel_long) start 0.92 a cycle on an
A100, 0.80 on an H100 and 0.92 on a B200, and 1.1 on an RTX 2080 Ti at the clock that its file
names."""


def blocks_per_cycle(gpu: GpuDescription) -> float:
    """Thread blocks that start in a cycle of the SM clock; 0 where that is not known."""
    if gpu.blocks_per_cycle is not None:
        return float(gpu.blocks_per_cycle.value)
    new = gpu.capability is not None and gpu.capability >= _FIRST
    return BLOCKS_PER_CYCLE if new else 0.0


def blocks_in_place_per_cycle(gpu: GpuDescription) -> float:
    """Thread blocks of a cycle that take the place of others; 0 where that is not known."""
    return 0.0 if gpu.is_amd else min(blocks_per_cycle(gpu), IN_PLACE)


def dispatch_cycles(blocks: float, resident: float, rate: float, in_place: float) -> float:
    """Cycles in which so many thread blocks start at a ``rate``, of which ``resident`` find room at
    once and the others take their places."""
    first = min(blocks, resident) if in_place else blocks
    return first / rate + ((blocks - first) / in_place if in_place else 0.0)

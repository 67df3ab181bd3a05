"""What a launch takes besides its kernel, by how the host makes it."""

from __future__ import annotations

from enum import Enum

from kcc.base.gpu.description import GpuDescription


class LaunchWay(Enum):
    """How launches come to the GPU."""

    QUEUED = "queued"
    """One after the other in a queue; the GPU is what is waited for."""
    GRAPH = "graph"
    """As nodes of a CUDA graph."""
    WAITED = "waited"
    """The host waits for each before it makes the next one, and times that."""


QUEUED_US = 2.2
"""For GPUs whose description has no ``launch_overhead_cycles``: smallest kernels of
microbench_small_kernels.csv, 2 to 2.5 us on V100, A100 and H100."""

GRAPH_US = 1.05
"""The same file, kernels of 4096 elements out of graphs, less the 0.15 us of the kernel itself:
0.8, 0.95, 1.15 and 1.2 us on L40, A40, H200 and A100. On the two AMD GPUs graphs gain nothing."""

WAITED_US = 10.0
"""What is said of the times of OpenDwarfs, from enqueue to finish: about so much of overhead is in
them. From host to host and driver to driver it differs by several times (the smallest kernels there
take 10 to 30 us on NVIDIA's GPUs, 90 and more on an RX 480)."""

EMPTY_KERNEL_CYCLES = 1000.0
"""For simulated launches on GPUs whose description has no ``launch_overhead_cycles``: from the
first thread block's start to the end of a kernel that does nothing, about a microsecond, as the
cycle-level and interval models assume it. What comes between launches that a host queues is not in
it."""


def launch_cycles(gpu: GpuDescription, clock_mhz: float, way: LaunchWay) -> float:
    """Cycles that a host's launch takes on a GPU whose SMs run at ``clock_mhz``: one rule for all
    models of an estimate."""
    known = gpu.launch_overhead_cycles
    queued_us = QUEUED_US if known is None else float(known.value) / clock_mhz
    return launch_us(way, queued_us, is_amd=gpu.is_amd) * clock_mhz


def launch_us(way: LaunchWay, queued_us: float, *, is_amd: bool) -> float:
    """Microseconds that a launch takes, on a GPU where one in a queue takes ``queued_us``."""
    match way:
        case LaunchWay.QUEUED:
            return queued_us
        case LaunchWay.GRAPH:
            return queued_us if is_amd else min(queued_us, GRAPH_US)
        case LaunchWay.WAITED:
            return max(queued_us, WAITED_US)

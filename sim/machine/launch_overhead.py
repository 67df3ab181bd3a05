"""What a launch takes besides its kernel, by how the host makes it."""

from __future__ import annotations

import math
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


QUEUED_US = 1.9
"""For GPUs whose description has no ``launch_overhead_cycles``: smallest kernels of
microbench_small_kernels.csv, 2 to 2.5 us on V100, A100 and H100, less the 0.2 to 0.3 us of their
code (two lines)."""

GRAPH_US = 0.7
"""The same file, kernels of 4096 elements out of graphs, less the kernel itself and its code: 0.5,
0.6, 0.8 and 0.85 us on L40, A40, A100 and H200. On the two AMD GPUs graphs gain nothing."""

WAITED_US = 10.0
"""What is said of the times of OpenDwarfs, from enqueue to finish: about so much of overhead is in
them. From host to host and driver to driver it differs by several times (the smallest kernels there
take 10 to 30 us on NVIDIA's GPUs, 90 and more on an RX 480)."""

EMPTY_KERNEL_CYCLES = 1000.0
"""For simulated launches on GPUs whose description has no ``launch_overhead_cycles``: from the
first thread block's start to the end of a kernel that does nothing, about a microsecond, as the
cycle-level and interval models assume it; profilers count it to the kernel (smallest kernels of
simple_kernels_k40.csv and rodinia_backprop_lud_p100_gtx980_k20.csv). What comes between launches
that a host queues is not in it."""


CODE_LINE_BYTES = 128
"""What an SM asks L2 for where it comes to code for the first time: a line, as in the caches of
instructions that the cycle-level model has."""

MOST_LINES = 32
"""Lines of code for which a launch waits, one after the other. lud_diagonal, one warp on an SM
(rodinia_backprop_lud_p100_gtx980_k20.csv), reads 61 to 115 sectors from L2 in each launch beyond
its data, as many as its code has, and takes 4,000 to 8,000 cycles longer than what its warp waits
for otherwise. What is fetched ahead of longer code nobody has published."""


def code_cycles(line_cycles: float, code_bytes: float) -> float:
    """Cycles until the SMs of a launch have its code, of so many bytes, each line of which takes
    ``line_cycles``."""
    return line_cycles * min(math.ceil(code_bytes / CODE_LINE_BYTES), MOST_LINES)


def code_line_cycles(gpu: GpuDescription, l2_cycles: float) -> float:
    """Cycles until an SM has a line of code, where a hit of L2 takes ``l2_cycles``; none where
    instructions go through a cache that is described, and on AMD's GPUs, of which nothing is
    known."""
    if gpu.code_line_cycles is not None:
        return float(gpu.code_line_cycles.value)
    return 0.0 if gpu.is_amd or gpu.instruction_cache_bytes is not None else l2_cycles


def profiled_cycles(launch_cycles: float, clock_mhz: float, *, is_amd: bool) -> float:
    """Of what a launch takes, what profilers count to its kernel: rocprofv3 all but the host's
    waiting (on an MI250X it gives a thread block that adds 128 numbers 2.87 us, which kcc estimates
    at 2.82 with a launch in a queue; hpc_training.csv)."""
    counted = QUEUED_US * clock_mhz if is_amd else EMPTY_KERNEL_CYCLES
    return min(counted, launch_cycles)


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

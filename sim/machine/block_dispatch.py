"""How many thread blocks a GPU starts in a cycle, all SMs together.

Small kernels in thread blocks of 16, 32 and 64 (microbench_small_kernels.csv, whose columns are
sizes of thread blocks) start no more than so many, however small they are: 1.46 a cycle on an A40,
1.49 on an L40, 1.67 on an H200, 3.8 on an A100, 0.49 on an MI210. (A kernel of OpenCL-Benchmark
that does next to nothing in 262,144 work-groups of 64 has 0.82 to 0.94 on an A100, RTX 2080 Ti,
H100 and B200, and streams of LeetCUDA in thread blocks of 128 and 256 have 0.65 to 0.72 on an L20,
for a reason that is not known; that they take the place of others is none, as most of the small
kernels' do.) Of AMD's GPUs files have it.

AMD's start their waves one after another, too. On a die of an MI250X stencils of floats, a point a
work-item, have 1.82 to 1.94 waves a nanosecond in work-groups of 256, whatever their direction and
radius (seismic_stencils.csv, 15 rows), where two or four points a work-item, or columns of points,
reach the DRAM's bandwidth; work-groups of 16, 32 and 64 on an MI210, the same die, have 0.83.
"""

from __future__ import annotations

from kcc.base.gpu.description import GpuDescription

BLOCKS_PER_CYCLE = 1.5
"""Of NVIDIA's since Volta, where the file has nothing: the median of the four, and less rather than
more."""

_FIRST = (7, 0)


def blocks_per_cycle(gpu: GpuDescription) -> float:
    """Thread blocks that start in a cycle of the SM clock; 0 where that is not known."""
    if gpu.blocks_per_cycle is not None:
        return float(gpu.blocks_per_cycle.value)
    new = gpu.capability is not None and gpu.capability >= _FIRST
    return BLOCKS_PER_CYCLE if new else 0.0

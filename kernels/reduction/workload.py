"""Sum of a vector by three kernels, each launched on its own partial sums until one value is left.

Values by seed % 2: uniform in [0, 1), which add up; in [-1, 1), which cancel. tiny: 1,000; small:
65,536; large: 16,777,216.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

GROUP = 256


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    values = inputs.random_matrix(1, s.n, rng)[0] if seed % 2 else rng.random(s.n, np.float32)
    wanted = values.sum(dtype=np.float64)
    magnitude = np.abs(values).sum(dtype=np.float64)

    device = workload.open_device(cl, __file__)
    queue = device.queue
    names = "reduce_interleaved", "reduce_sequential", "reduce_grid_stride"
    data = device.buffer(values)
    for name, kernel in zip(names, device.kernels(*names), strict=True):
        source, left = data, s.n
        while left > 1:
            groups = -(-left // GROUP)
            if name == "reduce_grid_stride":
                groups = min(groups, s.groups)
            sums = device.zeros(groups, np.float32)
            scratch = cl.LocalMemory(4 * GROUP)
            kernel(queue, (groups * GROUP,), (GROUP,), source, sums, np.uint32(left), scratch)
            source, left = sums, groups
        workload.check(name, device.read(source, np.float32)[0], wanted, atol=1e-6 * magnitude)

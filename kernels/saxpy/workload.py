"""Many undamped springs: x += h v, then v -= h x, each a product with a scalar added to a vector.

The two kernels alternate. Places and speeds at the start are random.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

LOCAL = 256
TIME_STEP = np.float32(0.125)


def main(size: str, seed: int) -> None:
    """Make `steps` time steps; places and speeds must be those of numpy."""
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    x = inputs.random_matrix(1, s.n, rng)[0]
    v = inputs.random_matrix(1, s.n, rng)[0]

    device = workload.open_device(cl, __file__)
    one_each, striding = device.kernels("saxpy", "saxpy_grid_stride")
    places, speeds = device.buffer(x), device.buffer(v)
    items, n = (workload.roundup(s.n, LOCAL),), np.int32(s.n)
    for _ in range(s.steps):
        one_each(device.queue, items, (LOCAL,), n, TIME_STEP, speeds, places)
        fixed = (s.groups * LOCAL,)
        striding(device.queue, fixed, (LOCAL,), n, -TIME_STEP, places, speeds)

    for _ in range(s.steps):
        x += TIME_STEP * v
        v -= TIME_STEP * x
    # The device rounds once where numpy rounds twice.
    workload.check("places", device.read(places, np.float32), x, atol=1e-5)
    workload.check("speeds", device.read(speeds, np.float32), v, atol=1e-5)

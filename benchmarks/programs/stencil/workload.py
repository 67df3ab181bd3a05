"""A stencil blocked in time."""

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload


def main(size: str, seed: int) -> None:
    """Run it; the results must be those of numpy."""
    s = workload.sizes(__file__, size)
    grid = inputs.generator(seed).random((s.height, s.width)).astype(np.float32)
    device = workload.open_device(cl, __file__)
    (steps,) = device.kernels("steps")
    inner = s.SIDE - 2 * s.STEPS
    shape = tuple(-(-n // inner) * s.SIDE for n in (s.width, s.height))
    source, out = device.buffer(grid), device.zeros(grid.size, np.float32)
    steps(device.queue, shape, (s.SIDE,) * 2, source, out, np.int32(s.width), np.int32(s.height))
    for _ in range(s.STEPS):
        p = np.pad(grid, 1)
        sides = p[1:-1, :-2] + p[1:-1, 2:] + p[:-2, 1:-1] + p[2:, 1:-1]
        grid = np.float32(0.5) * grid + np.float32(0.125) * sides
    workload.check("values", device.read(out, np.float32), grid.ravel(), rtol=1e-4, atol=1e-5)

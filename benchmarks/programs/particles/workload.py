"""Particles that give their charge to a grid."""

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload


def main(size: str, seed: int) -> None:
    """Run it; the results must be those of numpy."""
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    middle = rng.random((s.clouds, 2)) * s.width
    at = middle[rng.integers(0, s.clouds, s.n)] + rng.standard_normal((s.n, 2)) * s.width / 16
    at = np.clip(at, 0, s.width - 2).astype(np.float32)
    device = workload.open_device(cl, __file__)
    (deposit,) = device.kernels("deposit")
    grid = device.zeros(s.width * s.width, np.int32)
    shape = (workload.roundup(s.n, s.LOCAL),), (s.LOCAL,)
    deposit(device.queue, *shape, device.buffer(at), grid, np.int32(s.n), np.int32(s.width))
    wanted = np.zeros((s.width, s.width), np.int64)
    low = at.astype(int)
    part = at - low.astype(np.float32)
    one = np.float32(1)
    for dx in (0, 1):
        for dy in (0, 1):
            fx = part[:, 0] if dx else one - part[:, 0]
            fy = part[:, 1] if dy else one - part[:, 1]
            np.add.at(wanted, (low[:, 1] + dy, low[:, 0] + dx), (fx * fy * 4096).astype(int))
    found = device.read(grid, np.int32).reshape(wanted.shape)
    workload.check("charge", found, wanted, rtol=1e-2, atol=4)

"""Laplace's equation in a box: Jacobi steps from given walls.

Values by seed % 3: noise, one hot wall, a point that holds its value. Every step is that of numpy.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload


def main(size: str, seed: int) -> None:
    """Make `steps` steps; every point must be that of numpy."""
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    grid = rng.random((s.nz, s.ny, s.nx), np.float32)
    if seed % 3 == 1:
        grid[:] = 0
        grid[0] = 1
    if seed % 3 == 2:
        grid *= rng.random(grid.shape) < 0.01

    device = workload.open_device(cl, __file__)
    (step,) = device.kernels("laplace3d")
    source, target = device.buffer(grid), device.zeros(grid.size, np.float32)
    shape = np.int32(s.nx), np.int32(s.ny), np.int32(s.nz)
    tile = s.BLOCK_X, s.BLOCK_Y
    plane = workload.roundup(s.nx, tile[0]), workload.roundup(s.ny, tile[1])
    for _ in range(s.steps):
        step(device.queue, plane, tile, *shape, source, target)
        source, target = target, source
        grid = stepped(grid)
    found = device.read(source, np.float32).reshape(grid.shape)
    workload.check("values", found, grid, rtol=1e-5, atol=1e-6)


def stepped(grid: np.ndarray) -> np.ndarray:
    """The grid after one step."""
    inner, after = slice(1, -1), grid.copy()
    total = grid[2:, inner, inner] + grid[:-2, inner, inner]
    total += grid[inner, 2:, inner] + grid[inner, :-2, inner]
    total += grid[inner, inner, 2:] + grid[inner, inner, :-2]
    after[inner, inner, inner] = total / np.float32(6)
    return after

"""Steps of a 7-point stencil on a block of points, by two kernels in turn.

Values by seed % 3: noise, smooth, zero but for a hundredth of the points.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

C0, C1 = np.float32(1 / 6), np.float32(1 / 36)


def main(size: str, seed: int) -> None:
    """Make `steps` steps; every point must be that of numpy."""
    s = workload.sizes(__file__, size)
    nx, ny, nz, x, y = s.nx, s.ny, s.nz, s.TILE_X, s.TILE_Y
    rng = inputs.generator(seed)
    grid = rng.random((nz, ny, nx), np.float32)
    if seed % 3 == 1:
        grid = inputs.smooth_image(nz * ny, nx, rng).reshape(nz, ny, nx)
    if seed % 3 == 2:
        grid *= rng.random((nz, ny, nx)) < 0.01

    device = workload.open_device(cl, __file__)
    naive, tiled = device.kernels("naive_kernel", "block2D_reg_tiling")
    source, target = device.buffer(grid), device.buffer(grid)
    shape = np.int32(nx), np.int32(ny), np.int32(nz)
    plane = workload.roundup(nx - 2, x), workload.roundup(ny - 2, y)
    for step in range(s.steps):
        kernel = tiled if step % 2 else naive
        launch = (plane, (x, y)) if step % 2 else ((*plane, nz - 2), (x, y, 1))
        kernel(device.queue, *launch, C0, C1, source, target, *shape)
        source, target = target, source

    inner = slice(1, -1)
    for _ in range(s.steps):
        total = grid[2:, inner, inner] + grid[:-2, inner, inner]
        total += grid[inner, 2:, inner]
        total += grid[inner, :-2, inner]
        total += grid[inner, inner, 2:]
        total += grid[inner, inner, :-2]
        total *= C1
        total -= C0 * grid[inner, inner, inner]
        grid = grid.copy()
        grid[inner, inner, inner] = total
    found = device.read(source, np.float32).reshape(grid.shape)
    workload.check("values", found, grid, atol=1e-6)

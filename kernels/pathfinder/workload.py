"""Cheapest ways down a grid of costs, `height` rows per launch.

Costs by seed % 2: random, with valleys of cheap columns.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

HALO = 1
MARKING_LANE = 11  # of every group, in the kernel
HIGHEST = 9


def main(size: str, seed: int) -> None:
    """Go down to the last row; costs and marks must be those of numpy."""
    s = workload.sizes(__file__, size)
    cols, rows, height, local = s.cols, s.rows, s.height, s.local_size
    rng = inputs.generator(seed)
    wall = rng.integers(0, HIGHEST + 1, (rows, cols), np.int32)
    if seed % 2:
        wall[:, np.arange(cols) % 97 < 9] //= 4

    device = workload.open_device(cl, __file__)
    (dynproc,) = device.kernels("dynproc_kernel")
    below, source, target = device.buffer(wall[1:]), device.buffer(wall[0]), device.buffer(wall[0])
    marks = device.zeros((HIGHEST + 1) * rows, np.int32)
    tile = cl.LocalMemory(4 * local)
    border = height * HALO
    groups = -(-cols // (local - 2 * border))
    for start in range(0, rows - 1, height):
        steps = np.int32(min(height, rows - 1 - start))
        place = (np.int32(i) for i in (cols, rows, start, border, HALO))
        shape = (groups * local,), (local,)
        dynproc(device.queue, *shape, steps, below, source, target, *place, tile, tile, marks)
        source, target = target, source

    cost, marked = wall[0], np.zeros((HIGHEST + 1) * rows, np.int32)
    for row in range(1, rows):
        if (row - 1) % height == 0:
            inner = local - 2 * HALO * min(height, rows - row)
            columns = inner * np.arange(groups) - border + MARKING_LANE
            marked[cost[columns[(columns >= 0) & (columns < cols)]]] = 1
        sides = np.pad(cost, 1, mode="edge")
        cost = wall[row] + np.minimum(np.minimum(sides[:-2], cost), sides[2:])
    workload.check("costs", device.read(source, np.int32), cost)
    workload.check("marks", device.read(marks, np.int32), marked)

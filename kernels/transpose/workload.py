"""Transposes of a matrix, and of what came of it, by three kernels in turn.

The elements are their own numbers, or random bytes.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload


def main(size: str, seed: int) -> None:
    """Transpose by every kernel, `rounds` times over; every result must be exact."""
    sizes = workload.sizes(__file__, size)
    width, height, tile, rows = sizes.width, sizes.height, sizes.TILE, sizes.ROWS
    matrix = np.arange(width * height, dtype=np.float32).reshape(height, width)
    if seed % 2:
        matrix = inputs.generator(seed).integers(0, 256, (height, width)).astype(np.float32)

    device = workload.open_device(cl, __file__)
    kernels = device.kernels("transpose_naive", "transpose_tiled", "transpose_padded")
    source, target = device.buffer(matrix), device.zeros(matrix.size, np.float32)
    for number in range(3 * sizes.rounds):
        kernel = kernels[number % 3]
        columns = workload.roundup(width, tile)
        # The tiled ones move several elements per work-item.
        lines = workload.roundup(height, tile) // tile * rows
        lines = lines if number % 3 else workload.roundup(height, rows)
        shape = np.int32(width), np.int32(height)
        kernel(device.queue, (columns, lines), (tile, rows), target, source, *shape)
        source, target, width, height = target, source, height, width
        matrix = matrix.T
        turned = device.read(source, np.float32).reshape(height, width)
        workload.check(f"transpose {number}", turned, matrix)

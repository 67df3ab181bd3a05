"""Transposes of a matrix, and of what came of it, by three kernels in turn.

Elements by seed % 2: their own numbers, random bytes.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload


def main(size: str, seed: int) -> None:
    """Transpose by every kernel, `rounds` times over; every result must be exact."""
    s = workload.sizes(__file__, size)
    width, height, tile, rows = s.width, s.height, s.TILE, s.ROWS
    matrix = np.arange(width * height, dtype=np.float32).reshape(height, width)
    if seed % 2:
        matrix = inputs.generator(seed).integers(0, 256, (height, width)).astype(np.float32)

    device = workload.open_device(cl, __file__)
    kernels = device.kernels("transpose_naive", "transpose_tiled", "transpose_padded")
    source = device.buffer(matrix)
    for number in range(3 * s.rounds):
        kernel = kernels[number % 3]
        columns = workload.roundup(width, tile)
        # The tiled ones move several elements per work-item.
        lines = workload.roundup(height, tile) // tile * rows
        lines = lines if number % 3 else workload.roundup(height, rows)
        target, shape = device.zeros(matrix.size, np.float32), (np.int32(width), np.int32(height))
        kernel(device.queue, (columns, lines), (tile, rows), target, source, *shape)
        source, width, height = target, height, width
        matrix = matrix.T
        turned = device.read(source, np.float32).reshape(height, width)
        workload.check(f"transpose {number}", turned, matrix)

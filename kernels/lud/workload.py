"""LU decomposition of a dense matrix without pivoting, in place, block by block.

The matrix has a dominant diagonal; by seed % 3: full, symmetric, banded.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload


def main(size: str, seed: int) -> None:
    """Decompose; L times U must be the matrix."""
    s = workload.sizes(__file__, size)
    n, block = s.n, s.BLOCK_SIZE
    matrix = inputs.spd_matrix(n, seed) if seed % 3 == 1 else inputs.dominant_matrix(n, seed)
    if seed % 3 == 2:
        matrix = np.tril(np.triu(matrix, -n // 8), n // 8)

    device = workload.open_device(cl, __file__)
    diagonal, perimeter, internal = device.kernels("lud_diagonal", "lud_perimeter", "lud_internal")
    m, dim = device.buffer(matrix), np.int32(n)
    tile = cl.LocalMemory(block * block * 4)
    for start in range(0, n, block):
        offset, left = np.int32(start), n - start - block
        diagonal(device.queue, (block,), (block,), m, tile, dim, offset)
        if left:
            halves = (2 * left,), (2 * block,)
            perimeter(device.queue, *halves, m, tile, tile, tile, dim, offset)
            internal(device.queue, (left, left), (block, block), m, tile, tile, dim, offset)

    packed = device.read(m, np.float32).reshape(n, n).astype(np.float64)
    product = (np.tril(packed, -1) + np.eye(n)) @ np.triu(packed)
    workload.check("L U", product.astype(np.float32), matrix, rtol=1e-5, atol=1e-4)

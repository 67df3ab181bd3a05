"""Products of two dense matrices by three kernels.

The first matrix by seed % 2: random, one element per row (a choice of rows).
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

QUAD_TILE = 64  # elements per side that a work-group of matmul_float4 makes, 4 x 4 a work-item


def main(size: str, seed: int) -> None:
    """Multiply; every kernel's product must be that of numpy in double precision."""
    s = workload.sizes(__file__, size)
    m, n, k, tile = s.m, s.n, s.k, s.TILE
    rng = inputs.generator(seed)
    a, b = inputs.random_matrix(m, k, rng), inputs.random_matrix(k, n, rng)
    if seed % 2:
        a = np.zeros_like(a)
        a[np.arange(m), rng.integers(0, k, m)] = 1

    device = workload.open_device(cl, __file__)
    names = "matmul_naive", "matmul_tiled", "matmul_float4"
    left, right = device.buffer(a), device.buffer(b)
    wanted = a.astype(np.float64) @ b
    one_each = workload.roundup(n, tile), workload.roundup(m, tile)
    quads = workload.roundup(n, QUAD_TILE) // 4, workload.roundup(m, QUAD_TILE) // 4
    for name, kernel in zip(names, device.kernels(*names), strict=True):
        items = quads if name == "matmul_float4" else one_each
        product = device.zeros(m * n, np.float32)
        shape = np.int32(m), np.int32(n), np.int32(k)
        kernel(device.queue, items, (16, 16), product, left, right, *shape)
        got = device.read(product, np.float32).reshape(m, n)
        workload.check(name, got, wanted.astype(np.float32), atol=1e-4)

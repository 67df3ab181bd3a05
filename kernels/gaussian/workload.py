"""Solves a system of equations: Gaussian elimination column by column, the triangle on the host.

The matrix has a dominant diagonal; by seed % 3: full, symmetric, banded. As in the suite every
launch covers the whole matrix, although less and less of it is left.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload


def main(size: str, seed: int) -> None:
    """Eliminate and solve; factors and solution must reproduce the system."""
    s = workload.sizes(__file__, size)
    n = s.size
    rng = inputs.generator(seed)
    matrix = inputs.spd_matrix(n, rng) if seed % 3 == 1 else inputs.dominant_matrix(n, rng)
    if seed % 3 == 2:
        matrix = np.tril(np.triu(matrix, -n // 8), n // 8)
    rhs = inputs.random_matrix(1, n, rng)[0]

    device = workload.open_device(cl, __file__)
    fan1, fan2 = device.kernels("Fan1", "Fan2")
    a, b = device.buffer(matrix), device.buffer(rhs)
    m = device.zeros(n * n, np.float32)
    column, square = (workload.roundup(n, 256),), (workload.roundup(n, 16),) * 2
    for t in range(n - 1):
        step = np.int32(n), np.int32(t)
        fan1(device.queue, column, (256,), m, a, b, *step)
        fan2(device.queue, square, (16, 16), m, a, b, *step)

    upper = np.triu(device.read(a, np.float32).reshape(n, n).astype(np.float64))
    lower = device.read(m, np.float32).reshape(n, n) + np.eye(n)
    workload.check("L U", (lower @ upper).astype(np.float32), matrix, rtol=1e-5, atol=1e-4)
    reduced = device.read(b, np.float32)
    solution = np.zeros(n)
    for row in reversed(range(n)):
        solution[row] = (reduced[row] - upper[row] @ solution) / upper[row, row]
    workload.check("A x", (matrix @ solution).astype(np.float32), rhs, atol=1e-4)

"""Sparse matrix times vector, a row per work-item: one entry at a time, and four at once.

Four matrices, one after another, each once with either kernel: u and b have 32 entries in a row on
average, U and B 128; those of u and U are anywhere, b and B are dense blocks on the diagonal, of
half to one and a half times as many rows as a row has entries on average. tiny: 451 rows; small:
21,504, which fill 14 SMs of 1,536 threads once; large: 262,144.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload
from kcc.inputs.matrices import SparseMatrix

GROUP = 256
FORMS = ("spmv_scalar", "spmv_vectorised")
MATRICES = (("u", 32), ("b", 32), ("U", 128), ("B", 128))


def blocks_on_diagonal(rows: int, mean: int, rng: np.random.Generator) -> SparseMatrix:
    """Dense blocks on the diagonal, of ``mean`` rows on average."""
    sizes = rng.integers(mean // 2, mean + mean // 2 + 1, 2 * rows // mean + 2)
    ends = np.cumsum(sizes)
    ends = np.append(ends[ends < rows], rows)
    begins = np.append(0, ends[:-1])
    widths = ends - begins
    lengths = np.repeat(widths, widths)
    starts = np.append(0, np.cumsum(lengths)).astype(np.int32)
    columns = np.concatenate(
        [np.tile(np.arange(b, e), e - b) for b, e in zip(begins, ends, strict=True)]
    )
    values = rng.uniform(-1, 1, len(columns)).astype(np.float32)
    return SparseMatrix(rows, starts, columns.astype(np.int32), values)


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    vector = inputs.random_matrix(1, s.rows, rng)[0]
    device = workload.open_device(cl, __file__)
    queue = device.queue
    launch = (workload.roundup(s.rows, GROUP),), (GROUP,)
    y = device.buffer(vector)
    for name, entries in MATRICES:
        if name in "uU":
            matrix = inputs.uniform_matrix(s.rows, s.rows * entries, rng)
        else:
            matrix = blocks_on_diagonal(s.rows, entries, rng)
        wanted = matrix.times(vector)
        values, indices = device.buffer(matrix.values), device.buffer(matrix.columns)
        starts = device.buffer(matrix.starts)
        for form, kernel in zip(FORMS, device.kernels(*FORMS), strict=True):
            x = device.zeros(s.rows, np.float32)
            kernel(queue, *launch, values, y, indices, starts, np.uint32(s.rows), x)
            found = device.read(x, np.float32)
            reach = {"rtol": 1e-4, "atol": 1e-5 * np.abs(wanted).max()}
            workload.check(f"{name}, {form}", found, wanted, **reach)

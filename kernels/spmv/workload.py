"""Sparse matrix times vector, repeated with the result scaled to length one, in three forms.

Matrices by seed % 3: few long rows among short ones, entries anywhere, a band. Every step computes
the same product from compressed rows by work-items, by groups of 32 lanes, and from padded columns.
tiny: 301 rows, 2 steps; small: 4,096 rows, 3 steps; large: 262,144 rows with 32 entries each on
average, 4 steps.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

LANES_PER_ROW = 32
MATRICES = (inputs.skewed_matrix, inputs.uniform_matrix, inputs.banded_matrix)


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    matrix = MATRICES[seed % len(MATRICES)](s.dim, s.nonzeros, rng, longest=s.width)
    padded = inputs.to_ellpack(matrix)
    vector = inputs.random_matrix(1, s.dim, rng)[0]

    device = workload.open_device(cl, __file__)
    queue = device.queue
    scalar, vectorised, ellpack = device.kernels(
        "spmv_csr_scalar_kernel", "spmv_csr_vector_kernel", "spmv_ellpackr_kernel"
    )
    values, columns = device.buffer(matrix.values), device.buffer(matrix.columns)
    starts, lengths = device.buffer(matrix.starts), device.buffer(padded.lengths)
    wide_values, wide_columns = device.buffer(padded.values), device.buffer(padded.columns)
    vec = device.buffer(vector)
    dim = np.int32(s.dim)
    by_rows = (workload.roundup(s.dim, 128),), (128,)
    by_lanes = (workload.roundup(s.dim * LANES_PER_ROW, s.GROUP),), (s.GROUP,)

    for step in range(s.steps):
        wanted = matrix.times(vector)
        reach = {"rtol": 1e-4, "atol": 1e-5 * np.abs(wanted).max()}
        # Each writes its own, lest one's product pass for another's.
        out = device.zeros(s.dim, np.float32)
        scalar(queue, *by_rows, values, vec, columns, starts, dim, out)
        workload.check(f"scalar, step {step}", device.read(out, np.float32), wanted, **reach)
        lanes, out = np.int32(LANES_PER_ROW), device.zeros(s.dim, np.float32)
        vectorised(queue, *by_lanes, values, vec, columns, starts, dim, lanes, out)
        workload.check(f"vector, step {step}", device.read(out, np.float32), wanted, **reach)
        out = device.zeros(s.dim, np.float32)
        ellpack(queue, *by_rows, wide_values, vec, wide_columns, lengths, dim, out)
        product = device.read(out, np.float32)
        workload.check(f"ellpack, step {step}", product, wanted, **reach)
        vector = product / np.float32(np.sqrt((product.astype(np.float64) ** 2).sum()))
        device.write(vec, vector)

"""Sums of vectors, each feeding the next as Fibonacci's numbers do: c = a + b, then b + c, ...

The two kernels alternate. The values are random.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

LOCAL = 256


def main(size: str, seed: int) -> None:
    """Add `passes` times; the last sums must be those of numpy, bit by bit."""
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    a = inputs.random_matrix(1, s.n, rng)[0]
    b = inputs.random_matrix(1, s.n, rng)[0]

    device = workload.open_device(cl, __file__)
    add, add4 = device.kernels("vecadd", "vecadd4")
    first, second = device.buffer(a), device.buffer(b)
    total = device.zeros(s.n, np.float32)
    one_each = workload.roundup(s.n, LOCAL)
    four_each = workload.roundup(-(-s.n // 4), LOCAL)
    for number in range(s.passes):
        kernel, items = (add4, four_each) if number % 2 else (add, one_each)
        kernel(device.queue, (items,), (LOCAL,), first, second, total, np.int32(s.n))
        first, second, total = second, total, first

    for _ in range(s.passes):
        a, b = b, a + b
    workload.check("sums", device.read(second, np.float32), b)

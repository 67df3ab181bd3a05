"""Exclusive prefix sum of a long vector: blocks, block sums by recursion, offsets added; and blocks
alone by distance doubling.

Values by seed % 3: 0 to 99, 0 or 1 as in compaction, mostly 0. tiny: 1,000; small: 65,536; large:
33,554,432.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    values = (
        rng.integers(0, 100, s.n, np.uint32),
        rng.integers(0, 2, s.n, np.uint32),
        np.where(rng.random(s.n) < 0.01, np.uint32(1000), np.uint32(0)),
    )[seed % 3]

    device = workload.open_device(cl, __file__)
    queue = device.queue
    naive, scan_block, add_offsets = device.kernels("scan_naive", "scan_block", "add_offsets")
    source, out = device.buffer(values), device.zeros(s.n, np.uint32)
    block = 2 * s.GROUP

    def scan(data: cl.Buffer, count: int, result: cl.Buffer) -> None:
        """The exclusive prefix sum of `count` values."""
        blocks = -(-count // block)
        grid = (blocks * s.GROUP,), (s.GROUP,)
        sums, n = device.zeros(blocks, np.uint32), np.uint32(count)
        scan_block(queue, *grid, result, data, sums, n)
        if blocks > 1:
            offsets = device.zeros(blocks, np.uint32)
            scan(sums, blocks, offsets)
            add_offsets(queue, *grid, result, offsets, n)

    scan(source, s.n, out)
    before = np.cumsum(values, dtype=np.uint32) - values
    workload.check("out", device.read(out, np.uint32), before)

    naive(queue, (workload.roundup(s.n, s.GROUP),), (s.GROUP,), out, source, np.uint32(s.n))
    first = np.arange(s.n) // s.GROUP * s.GROUP
    workload.check("out of scan_naive", device.read(out, np.uint32), before - before[first])

"""Merge sort: blocks in local memory, then passes over runs of doubling length; once with each of
the two merges.

Keys by seed % 3: random, nearly in order, 16 different ones. tiny: 1,900 keys; small: 65,536;
large: 4,194,304.
"""

from __future__ import annotations

from functools import partial

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

NEARLY_ORDERED = partial(inputs.ordered_keys, misplaced=0.05)
KEYS = (inputs.random_keys, NEARLY_ORDERED, inputs.few_keys)


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    keys = KEYS[seed % len(KEYS)](s.n, rng)

    device = workload.open_device(cl, __file__)
    queue = device.queue
    sort_block, by_rank, by_path = device.kernels("sort_block", "merge_by_rank", "merge_path")
    unsorted, n = device.buffer(keys), np.uint32(s.n)
    per_key = workload.roundup(s.n, 256)
    per_share = workload.roundup(-(-s.n // s.SHARE), 128)

    wanted = np.sort(keys)
    for name, merge, items, group in (
        ("rank", by_rank, per_key, 256),
        ("path", by_path, per_share, 128),
    ):
        front, back = device.zeros(s.n, np.uint32), device.zeros(s.n, np.uint32)
        sort_block(queue, (workload.roundup(s.n, s.BLOCK),), (s.BLOCK,), front, unsorted, n)
        run = s.BLOCK
        while run < s.n:
            merge(queue, (items,), (group,), back, front, n, np.uint32(run))
            front, back = back, front
            run *= 2
        workload.check(f"sorted by {name}", device.read(front, np.uint32), wanted)

"""Bitonic sort of keys with values, ascending and then descending.

Keys by seed % 3: random, nearly in order, 16 different ones. tiny: 2,048 pairs; small: 65,536;
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
    sort_local, merge_global, merge_local = device.kernels(
        "bitonicSortLocal1", "bitonicMergeGlobal", "bitonicMergeLocal"
    )
    unsorted = device.buffer(keys), device.buffer(np.arange(s.n, dtype=np.uint32))
    limit, n = s.LOCAL_SIZE_LIMIT, np.uint32(s.n)
    grid = (s.n // 2,), (limit // 2,)

    for ascending in (1, 0):
        pairs = device.zeros(s.n, np.uint32), device.zeros(s.n, np.uint32)
        sort_local(queue, *grid, *pairs, *unsorted)
        size_merged = 2 * limit
        while size_merged <= s.n:
            width, up = np.uint32(size_merged), np.uint32(ascending)
            stride = size_merged // 2
            while stride >= limit:
                step = np.uint32(stride)
                merge_global(queue, *grid, *pairs, *pairs, n, width, step, up)
                stride //= 2
            merge_local(queue, *grid, *pairs, *pairs, n, np.uint32(stride), width, up)
            size_merged *= 2
        wanted = np.sort(keys)[:: 1 if ascending else -1]
        found = device.read(pairs[0], np.uint32)
        workload.check(f"keys, {ascending=}", found, wanted)
        values = device.read(pairs[1], np.uint32)
        workload.check(f"values, {ascending=}", np.sort(values), np.arange(s.n))
        workload.check(f"pairs, {ascending=}", keys[values], wanted)

"""Global alignment of two sequences, one launch per anti-diagonal of blocks: the upper left half,
then the lower right one.

Sequences by seed % 3: unrelated, one descends from the other with a tenth changed, with nothing
changed.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

PENALTY = 10
LETTERS = 20


def main(size: str, seed: int) -> None:
    """Fill the score matrix; every cell must follow from the three before it."""
    s = workload.sizes(__file__, size)
    n, block = s.n, s.BLOCK_SIZE
    rng = inputs.generator(seed)
    one = inputs.random_sequence(n, rng, letters=LETTERS)
    other = inputs.random_sequence(n, rng, letters=LETTERS)
    if seed % 3:
        rate = 0.1 if seed % 3 == 1 else 0.0
        other = inputs.related_sequence(one, rng, letters=LETTERS, rate=rate)
    table = rng.integers(-4, 4, (LETTERS, LETTERS), np.int32)
    table = np.minimum(table, table.T) + np.diag(rng.integers(4, 12, LETTERS, np.int32))
    similarity = np.zeros((n + 1, n + 1), np.int32)
    similarity[1:, 1:] = table[one[:, None], other]
    scores = np.zeros((n + 1, n + 1), np.int32)
    scores[0] = scores[:, 0] = -PENALTY * np.arange(n + 1)

    device = workload.open_device(cl, __file__)
    upper, lower = device.kernels("nw_kernel1", "nw_kernel2")
    reference, items = device.buffer(similarity), device.buffer(scores)
    unused = device.zeros(1, np.int32)
    local = cl.LocalMemory(4 * (block + 1) ** 2), cl.LocalMemory(4 * block**2)
    width = n // block
    waves = [(upper, blk) for blk in range(1, width + 1)]
    waves += [(lower, blk) for blk in range(width - 1, 0, -1)]
    for kernel, blk in waves:
        numbers = (np.int32(i) for i in (n + 1, PENALTY, blk, width, n, 0, 0))
        shape = (block * blk,), (block,)
        kernel(device.queue, *shape, reference, items, unused, *local, *numbers)

    found = device.read(items, np.int32).reshape(n + 1, n + 1)
    gap = np.maximum(found[:-1, 1:], found[1:, :-1]) - PENALTY
    scores[1:, 1:] = np.maximum(found[:-1, :-1] + similarity[1:, 1:], gap)
    workload.check("scores", found, scores)

"""Local alignments of many short strings."""

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload


def main(size: str, seed: int) -> None:
    """Run it; the results must be those of numpy."""
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    texts = rng.integers(0, 4, (s.length, s.n)).astype(np.uint8)
    patterns = rng.integers(0, 4, (s.PATTERN, s.n)).astype(np.uint8)
    device = workload.open_device(cl, __file__)
    (align,) = device.kernels("align")
    best = device.zeros(s.n, np.int32)
    buffers = device.buffer(texts), device.buffer(patterns), best
    align(device.queue, (s.n,), (s.LOCAL,), *buffers, np.int32(s.n), np.int32(s.length))
    row, most = np.zeros((s.PATTERN + 1, s.n), int), np.zeros(s.n, int)
    for letter in texts:
        left = above_left = np.zeros(s.n, int)
        for p in range(1, s.PATTERN + 1):
            above = row[p].copy()
            score = above_left + np.where(letter == patterns[p - 1], 3, -2)
            score = np.maximum(np.maximum(score, np.maximum(above, left) - 2), 0)
            most, above_left, left = np.maximum(most, score), above, score
            row[p] = score
    workload.check("scores", device.read(best, np.int32), most.astype(np.int32))

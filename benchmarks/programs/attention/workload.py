"""Attention of one head, tiled."""

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload


def main(size: str, seed: int) -> None:
    """Run it; the results must be those of numpy."""
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    q, k, v = (rng.standard_normal((s.n, s.DIM)).astype(np.float32) for _ in range(3))
    device = workload.open_device(cl, __file__)
    (attention,) = device.kernels("attention")
    out = device.zeros(s.n * s.DIM, np.float32)
    attention(device.queue, (s.n,), (s.LOCAL,), *map(device.buffer, (q, k, v)), out, np.int32(s.n))
    scores = q.astype(float) @ k.T
    weights = np.exp(scores - scores.max(1, keepdims=True))
    wanted = weights @ v / weights.sum(1, keepdims=True)
    workload.check("output", device.read(out, np.float32), wanted.ravel(), rtol=1e-3, atol=1e-4)

"""A radix sort of 32-bit keys, four bits at a time."""

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload


def main(size: str, seed: int) -> None:
    """Run it; the results must be those of numpy."""
    s = workload.sizes(__file__, size)
    keys = inputs.generator(seed).geometric(1 / 5000, s.n).astype(np.uint32)
    device = workload.open_device(cl, __file__)
    count, scatter = device.kernels("count", "scatter")
    source, target = device.buffer(keys), device.zeros(s.n, np.uint32)
    blocks, n = s.n // s.LOCAL, np.int32(s.n)
    counts = device.zeros(16 * blocks, np.int32)
    shape = (s.n,), (s.LOCAL,)
    for shift in range(0, s.bits, 4):
        count(device.queue, *shape, source, counts, np.int32(shift), n)
        found = device.read(counts, np.int32)
        device.write(counts, (np.cumsum(found) - found).astype(np.int32))
        scatter(device.queue, *shape, source, counts, target, np.int32(shift), n)
        source, target = target, source
    mask = np.uint32((1 << s.bits) - 1)
    wanted = keys[np.argsort(keys & mask, kind="stable")]
    workload.check("keys", device.read(source, np.uint32), wanted)

"""Connected components of a graph."""

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload


def main(size: str, seed: int) -> None:
    """Run it; the results must be those of numpy."""
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    edges = rng.integers(0, s.n, (s.edges, 2)).astype(np.int32)
    device = workload.open_device(cl, __file__)
    hook, jump = device.kernels("hook", "jump")
    pairs, parent = device.buffer(edges), device.buffer(np.arange(s.n, dtype=np.int32))
    changed = device.zeros(1, np.int32)
    for _ in range(50):
        device.write(changed, np.zeros(1, np.int32))
        shape = (workload.roundup(s.edges, s.LOCAL),), (s.LOCAL,)
        hook(device.queue, *shape, pairs, parent, changed, np.int32(s.edges))
        jump(device.queue, (workload.roundup(s.n, s.LOCAL),), (s.LOCAL,), parent, np.int32(s.n))
        if not device.read(changed, np.int32)[0]:
            break
    wanted = np.arange(s.n)
    while True:
        before = wanted.copy()
        np.minimum.at(wanted, edges[:, 0], wanted[edges[:, 1]])
        np.minimum.at(wanted, edges[:, 1], wanted[edges[:, 0]])
        if (before == wanted).all():
            break
    workload.check("parents", device.read(parent, np.int32), wanted.astype(np.int32))

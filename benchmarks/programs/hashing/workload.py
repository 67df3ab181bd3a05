"""Look-ups in a hash table."""

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload


def main(size: str, seed: int) -> None:
    """Run it; the results must be those of numpy."""
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    table, keys = np.zeros(s.slots, np.uint32), rng.integers(1, 1 << 30, s.keys).astype(np.uint32)
    for key in np.unique(keys).tolist():
        slot = ((key * 2654435761 & 0xFFFFFFFF) >> 8) & (s.slots - 1)
        while table[slot]:
            slot = (slot + 1) % s.slots
        table[slot] = key
    others = rng.integers(1, 1 << 30, s.n).astype(np.uint32)
    wanted = np.where(rng.random(s.n) < 0.7, keys[rng.integers(0, s.keys, s.n)], others)
    wanted = wanted.astype(np.uint32)
    device = workload.open_device(cl, __file__)
    (find,) = device.kernels("find")
    found = device.zeros(s.n, np.int32)
    buffers = device.buffer(wanted), device.buffer(table), found
    find(device.queue, (s.n,), (s.LOCAL,), *buffers, np.int32(s.n), np.uint32(s.slots - 1))
    place = {int(key): slot for slot, key in enumerate(table) if key}
    right = np.array([place.get(int(key), -1) for key in wanted], np.int32)
    workload.check("places", device.read(found, np.int32), right)

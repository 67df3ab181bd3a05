"""A sparse triangular solve, a launch for each level."""

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload


def main(size: str, seed: int) -> None:
    """Run it; the results must be those of numpy."""
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    level = np.sort(rng.integers(0, s.levels, s.n))
    level[0] = 0
    columns, starts = list[int](), [0]
    for row in range(s.n):
        below = int(np.searchsorted(level, level[row]))
        many = int(min(rng.geometric(1 / s.degree), below)) if below else 0
        columns += sorted(set(rng.integers(0, below, many).tolist())) if below else []
        columns.append(row)
        starts.append(len(columns))
    values = rng.random(len(columns)).astype(np.float32) * np.float32(0.2)
    ends = np.array(starts[1:]) - 1
    values[ends] += 1
    b = rng.random(s.n).astype(np.float32)
    wanted = b.astype(float)
    for row in range(s.n):
        own = slice(starts[row], ends[row])
        wanted[row] = (wanted[row] - values[own] @ wanted[columns[own]]) / values[ends[row]]
    device = workload.open_device(cl, __file__)
    (solve,) = device.kernels("solve")
    rows = device.buffer(np.arange(s.n, dtype=np.int32))
    ints = [device.buffer(np.array(each, np.int32)) for each in (starts, columns)]
    x, data = device.buffer(b), device.buffer(values)
    for each in range(int(level.max()) + 1):
        first, after = np.searchsorted(level, [each, each + 1])
        if after > first:
            count = np.int32(after - first)
            shape = workload.roundup(int(count), s.LOCAL), s.LOCAL
            solve(device.queue, shape[:1], shape[1:], rows, *ints, data, x, np.int32(first), count)
    workload.check("solution", device.read(x, np.float32), wanted, rtol=1e-3, atol=1e-4)

"""Temperatures of a chip over time, `steps` time steps per launch.

Power by seed % 3: noise, checkers of hot units, smooth.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import kcc.opencl as cl
from kcc import inputs, workload

# Of a chip of 16 mm x 16 mm x 0.5 mm in 1024 x 1024 cells, as in kernel.toml.
CAPACITY, RX, RY, RZ, TIME_STEP = 1.0681152e-7, 10.0, 10.0, 20480.0, 2.0e-7
AMBIENT = 80.0
POWER = inputs.noise_image, inputs.checkers_image, inputs.smooth_image
CHECKED = 48

Array = NDArray[Any]


def advanced(temperature: Array, power: Array, steps: int) -> Array:
    """Temperatures later; beyond the rim is what is on the rim."""
    t = temperature.astype(np.float64)
    for _ in range(steps):
        rim = np.pad(t, 1, mode="edge")
        vertical = rim[2:, 1:-1] + rim[:-2, 1:-1] - 2 * t
        horizontal = rim[1:-1, 2:] + rim[1:-1, :-2] - 2 * t
        heat = power + vertical / RY + horizontal / RX + (AMBIENT - t) / RZ
        t = t + TIME_STEP / CAPACITY * heat
    return t.astype(np.float32)


def around(first: int, reach: int, size: int) -> tuple[slice, slice]:
    """CHECKED cells from `first` with all in reach, and where they are in this."""
    start, stop = max(first - reach, 0), min(first + CHECKED + reach, size)
    return slice(start, stop), slice(first - start, min(first - start + CHECKED, size - start))


def main(size: str, seed: int) -> None:
    """Simulate `total` time steps; a square of cells must be that of numpy."""
    s = workload.sizes(__file__, size)
    rows, cols, per_launch, block = s.rows, s.cols, s.steps, s.BLOCK_SIZE
    rng = inputs.generator(seed)
    power = POWER[seed % 3](rows, cols, rng) * np.float32(0.001)
    temperature = 320 + 25 * inputs.smooth_image(rows, cols, rng)

    device = workload.open_device(cl, __file__)
    (hotspot,) = device.kernels("hotspot")
    heat, source = device.buffer(power), device.buffer(temperature)
    target = device.zeros(power.size, np.float32)
    inner = block - 2 * per_launch
    grid = block * -(-cols // inner), block * -(-rows // inner)
    shape = [np.int32(i) for i in (cols, rows, per_launch, per_launch)]
    constants = [np.float32(c) for c in (CAPACITY, RX, RY, RZ, TIME_STEP)]
    for start in range(0, s.total, per_launch):
        steps = np.int32(min(per_launch, s.total - start))
        buffers = heat, source, target
        hotspot(device.queue, grid, (block, block), steps, *buffers, *shape, *constants)
        source, target = target, source

    y, x = (int(rng.integers(0, max(side - CHECKED, 0) + 1)) for side in (rows, cols))
    (near_y, own_y), (near_x, own_x) = around(y, s.total, rows), around(x, s.total, cols)
    wanted = advanced(temperature[near_y, near_x], power[near_y, near_x], s.total)
    found = device.read(source, np.float32).reshape(rows, cols)[near_y, near_x]
    workload.check("temperatures", found[own_y, own_x], wanted[own_y, own_x], rtol=1e-5)

"""Gravitation: some steps by the direct kernel, as many by the tiled one.

Bodies by seed % 3: uniform, clusters, ring. tiny: 192 bodies, 2 steps each; small: 1,024, 3 steps;
large: 30,720, 2 steps. What the last step of each kernel gives is compared for at most 64 bodies.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

PLACES = (inputs.uniform_points, inputs.clustered_points, inputs.ring_points)
STEP, SOFTENING, DAMPING = 0.001, 0.01, 0.995
SAMPLE = 64
KERNELS = ("nbody_sim", "integrateBodies_noMT")


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    bodies = np.empty((s.n, 4), np.float32)
    bodies[:, :3] = PLACES[seed % len(PLACES)](s.n, 3, rng)
    bodies[:, 3] = (0.5 + rng.random(s.n)) / s.n
    velocities = np.zeros((s.n, 4), np.float32)
    velocities[:, :3] = inputs.random_matrix(s.n, 3, rng)

    device = workload.open_device(cl, __file__)
    queue = device.queue
    here, there = device.buffer(bodies), device.zeros(4 * s.n, np.float32)
    speed, speed_next = device.buffer(velocities), device.zeros(4 * s.n, np.float32)
    grid = (workload.roundup(s.n, s.group),), (s.group,)
    n, step, softening = np.int32(s.n), np.float32(STEP), np.float32(SOFTENING)
    tile = cl.LocalMemory(16 * s.group)
    sample = rng.permutation(s.n)[:SAMPLE]

    for name, kernel in zip(KERNELS, device.kernels(*KERNELS), strict=True):
        for _ in range(s.steps):
            if name == "nbody_sim":
                arguments = here, speed, n, step, softening, there, speed_next
            else:
                scalars = step, np.float32(DAMPING), softening, n
                arguments = there, speed_next, here, speed, *scalars, tile
            kernel(queue, *grid, *arguments)
            here, there = there, here
            speed, speed_next = speed_next, speed
        states = [
            device.read(part, np.float32).reshape(s.n, 4).astype(np.float64)
            for part in (there, speed_next, here, speed)
        ]
        check(states[:2], states[2:], sample, name)


def check(before: list[np.ndarray], after: list[np.ndarray], sample: np.ndarray, name: str) -> None:
    """The last step of the bodies in `sample`."""
    (places, speeds), (new_places, new_speeds) = before, after
    acceleration = np.zeros((sample.size, 3))
    for row, i in enumerate(sample):
        apart = places[:, :3] - places[i, :3]
        cubed = ((apart**2).sum(axis=1) + SOFTENING) ** 1.5
        acceleration[row] = (places[:, 3, None] * apart / cubed[:, None]).sum(axis=0)
    speed, place = speeds[sample, :3], places[sample, :3]
    faster = speed + acceleration * STEP
    if name == "nbody_sim":
        moved = place + speed * STEP + 0.5 * acceleration * STEP**2
    else:
        faster = faster * DAMPING
        moved = place + faster * STEP
    workload.check(f"{name}, places", new_places[sample, :3], moved, rtol=1e-5, atol=1e-6)
    workload.check(f"{name}, speeds", new_speeds[sample, :3], faster, rtol=1e-4, atol=1e-5)
    workload.check(f"{name}, masses", new_places[:, 3], places[:, 3])

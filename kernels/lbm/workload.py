"""A fluid in a periodic block with obstacles, by the lattice-Boltzmann method.

Obstacles by seed % 3: a few balls, a porous medium, two plates with a cylinder between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import kcc.opencl as cl
from kcc import inputs, workload

LOCAL = 128
OMEGA = 1.2
CHECKED_PLANES = 5

# Velocities x, y, z in the order of the kernel's list, each followed by its opposite.
HALF = (
    *((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    *((1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1)),
)
VELOCITIES = np.array([(0, 0, 0)] + [tuple(s * c for c in v) for v in HALF for s in (1, -1)])
OPPOSITE = [0] + [q + 1 if q % 2 else q - 1 for q in range(1, 19)]
WEIGHTS = np.array([1 / 3, 1 / 18, 1 / 36])[(VELOCITIES**2).sum(axis=1)]

Array = NDArray[Any]


def obstacles(shape: tuple[int, int, int], seed: int, rng: np.random.Generator) -> Array:
    """Which cells are solid, 1 or 0."""
    z, y, x = np.ogrid[: shape[0], : shape[1], : shape[2]]
    if seed % 3 == 1:
        return (rng.random(shape) < 0.1).astype(np.uint8)
    if seed % 3 == 2:
        cylinder = (x - shape[2] / 3) ** 2 + (y - shape[1] / 2) ** 2 < (shape[1] / 8) ** 2
        return (cylinder | (y == 0) | (y == shape[1] - 1) | (z < 0)).astype(np.uint8)
    solid = np.zeros(shape, np.bool_)
    for cz, cy, cx in rng.random((4, 3)) * shape:
        solid |= (z - cz) ** 2 + (y - cy) ** 2 + (x - cx) ** 2 < (min(shape) / 4) ** 2
    return solid.astype(np.uint8)


def plane_after_step(before: Array, solid: Array, z: int) -> Array:
    """One plane of cells, shape (19, ny, nx), after a step from `before`, (19, nz, ny, nx)."""
    near = [(z + d) % solid.shape[0] for d in (-1, 0, 1)]
    f, blocked = before[:, near].astype(np.float64), solid[near] != 0
    pulled = np.empty_like(f[:, 1])
    for q, (ex, ey, ez) in enumerate(VELOCITIES.tolist()):
        from_solid, there = (np.roll(a[1 - ez], (ey, ex), (0, 1)) for a in (blocked, f[q]))
        pulled[q] = np.where(from_solid, f[OPPOSITE[q], 1], there)
    density = pulled.sum(axis=0)
    u = np.tensordot(VELOCITIES.T, pulled, axes=1) / density
    along = np.tensordot(VELOCITIES, u, axes=1)
    squares = 4.5 * along**2 - 1.5 * (u**2).sum(axis=0)
    equilibrium = WEIGHTS[:, None, None] * density * (1 + 3 * along + squares)
    relaxed = pulled + OMEGA * (equilibrium - pulled)
    return np.where(blocked[1], f[:, 1], relaxed).astype(np.float32)


def main(size: str, seed: int) -> None:
    """Make `steps` steps; some planes must be right after each, and no mass may be lost."""
    s = workload.sizes(__file__, size)
    nx, ny, nz = s.nx, s.ny, s.nz
    rng = inputs.generator(seed)
    solid = obstacles((nz, ny, nx), seed, rng)
    velocity = [np.float32(u) for u in rng.uniform(-0.05, 0.05, 3)]

    device = workload.open_device(cl, __file__)
    initialize, stream_collide = device.kernels("lbm_initialize", "lbm_stream_collide")
    source, target = (device.zeros(19 * solid.size, np.float32) for _ in range(2))
    obstacle, cells = device.buffer(solid), np.int32(solid.size)
    whole = (workload.roundup(solid.size, LOCAL),), (LOCAL,)
    initialize(device.queue, *whole, source, np.float32(1), *velocity, cells)
    before = device.read(source, np.float32).reshape(19, nz, ny, nx)
    along = VELOCITIES @ np.array(velocity, np.float64)
    squares = 4.5 * along**2 - 1.5 * (np.array(velocity, np.float64) ** 2).sum()
    wanted = (WEIGHTS * (1 + 3 * along + squares)).astype(np.float32)
    wanted = np.broadcast_to(wanted[:, None, None, None], before.shape)
    workload.check("start", before, wanted, rtol=1e-5)
    mass = before.sum(dtype=np.float64)
    rows = (nx, ny, nz), (nx, 1, 1)
    shape = np.int32(nx), np.int32(ny), np.int32(nz)
    for step in range(s.steps):
        stream_collide(device.queue, *rows, source, target, obstacle, np.float32(OMEGA), *shape)
        source, target = target, source
        after = device.read(source, np.float32).reshape(19, nz, ny, nx)
        for z in rng.permutation(nz)[:CHECKED_PLANES].tolist():
            wanted = plane_after_step(before, solid, z)
            name = f"plane {z} after step {step}"
            workload.check(name, after[:, z], wanted, rtol=1e-4, atol=1e-6)
        workload.check(f"mass after step {step}", after.sum(dtype=np.float64), mass, rtol=1e-5)
        before = after

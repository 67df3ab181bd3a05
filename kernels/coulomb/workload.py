"""Planes of the potential of charges in a box.

Atoms by seed % 3: uniform, clusters, ring; charges of both signs. Chunks of atoms are launched one
after the other, each as large as constant memory. 64 rows at most of each plane are compared.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

PLACES = (inputs.uniform_points, inputs.clustered_points, inputs.ring_points)
SPACING, GROUP, ROWS = 0.1, (16, 8), 64


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    box = np.array([s.width, s.height, s.height]) * SPACING
    places = PLACES[seed % len(PLACES)](s.atoms, 3, rng) * box
    count = int(s.atoms)
    charges = (rng.integers(0, 2, count) * 2 - 1) * (0.5 + rng.random(count))

    device = workload.open_device(cl, __file__)
    (kernel,) = device.kernels("cenergy")
    points = (s.width // s.UNROLL, s.height)
    for plane in range(s.planes):
        # No atom lies on the plane itself.
        height = (places[:, 2] - plane * SPACING) ** 2 + 0.01
        atoms = np.column_stack([places[:, :2], height, charges]).astype(np.float32)
        grid = device.zeros(s.width * s.height, np.float32)
        for first in range(0, s.atoms, s.chunk):
            chunk = atoms[first : first + s.chunk]
            scalars = np.int32(len(chunk)), np.float32(SPACING), np.int32(s.width)
            kernel(device.queue, points, GROUP, *scalars, grid, device.buffer(chunk))
        found = device.read(grid, np.float32).reshape(s.height, s.width)
        rows = np.sort(rng.permutation(s.height)[:ROWS])
        wanted, size_of_terms = potential(atoms, rows, s.width)
        allowed = 1e-5 * float(size_of_terms)
        workload.check(f"plane {plane}", found[rows], wanted, rtol=1e-4, atol=allowed)


def potential(atoms: np.ndarray, rows: np.ndarray, width: int) -> tuple[np.ndarray, float]:
    """Potentials of rows of points, and the largest sum of terms without their signs."""
    wanted, largest = np.empty((rows.size, width), np.float32), 0.0
    x, y, height, charge = atoms.astype(np.float64).T
    across = (np.arange(width)[:, None] * SPACING - x) ** 2
    for n, row in enumerate(rows):
        terms = charge / np.sqrt(across + (row * SPACING - y) ** 2 + height)
        wanted[n] = terms.sum(axis=1)
        largest = max(largest, float(np.abs(terms).sum(axis=1).max()))
    return wanted, largest

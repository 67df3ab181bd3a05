"""Lattice-Boltzmann fluids, D3Q19."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

# Velocities in the order of the kernel's list: opposite ones follow each other.
_HALF = [
    (1, 0, 0),
    (0, 1, 0),
    (0, 0, 1),
    (1, 1, 0),
    (1, -1, 0),
    (1, 0, 1),
    (1, 0, -1),
    (0, 1, 1),
    (0, 1, -1),
]
VELOCITIES = np.array(
    [(0, 0, 0)] + [tuple(s * c for c in e) for e in _HALF for s in (1, -1)], np.int64
)
WEIGHTS = np.array([1 / 3, 1 / 18, 1 / 36])[(VELOCITIES**2).sum(axis=1)]
OPPOSITE = np.array([0] + [q + 1 if q % 2 else q - 1 for q in range(1, 19)])


def equilibrium(density: NDArray[np.float64], u: NDArray[np.float64]) -> NDArray[np.float64]:
    """The 19 equilibrium distributions for densities (...) and velocities (3, ...)."""
    along = np.tensordot(VELOCITIES, u, axes=1)
    squared = (u**2).sum(axis=0)
    weights = WEIGHTS.reshape(19, *[1] * density.ndim)
    return weights * density * (1 + 3 * along + 4.5 * along**2 - 1.5 * squared)


def stream_collide(
    grid: Floats, obstacle: NDArray[np.uint8], omega: float, shape: tuple[int, int, int]
) -> Floats:
    """The grid after one step; shape is (nz, ny, nx)."""
    before = grid.reshape(19, *shape).astype(np.float64)
    solid = obstacle.reshape(shape) != 0
    pulled = np.empty_like(before)
    for q, (ex, ey, ez) in enumerate(VELOCITIES.tolist()):
        shift, axes = (ez, ey, ex), (0, 1, 2)
        from_solid = np.roll(solid, shift, axes)
        pulled[q] = np.where(from_solid, before[OPPOSITE[q]], np.roll(before[q], shift, axes))
    density = pulled.sum(axis=0)
    u = np.tensordot(VELOCITIES.T, pulled, axes=1) / density
    relaxed = pulled + omega * (equilibrium(density, u) - pulled)
    return np.where(solid, before, relaxed).astype(np.float32).ravel()

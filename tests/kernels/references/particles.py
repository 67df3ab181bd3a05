"""Particles: filters, molecular dynamics, gravitation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int32]


def next_random(state: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The next states of the linear congruential generator modulo 2^31."""
    return (np.uint32(1103515245) * state + np.uint32(12345)) & np.uint32(0x7FFFFFFF)


def uniform_of(state: NDArray[np.uint32]) -> Doubles:
    """Uniform numbers in (0, 1]."""
    return (state.astype(np.float64) + 1.0) / 2147483648.0


def random_normal(seed: NDArray[np.uint32]) -> tuple[Doubles, NDArray[np.uint32]]:
    """Normal variates by the Box-Muller transform, and the seeds afterwards."""
    first = next_random(seed)
    second = next_random(first)
    radius = np.sqrt(-2 * np.log(uniform_of(first)))
    return radius * np.cos(2 * np.pi * uniform_of(second)), second


class Likelihood(NamedTuple):
    """What likelihood_kernel leaves per particle."""

    x: Doubles
    y: Doubles
    pixels: Ints
    likelihood: Doubles
    weights: Doubles
    seed: Ints


def likelihood(
    position: tuple[Doubles, Doubles],
    seed: Ints,
    objxy: Ints,
    video: NDArray[np.uint8],
    shape: tuple[int, int, int],
) -> Likelihood:
    """Particles moved at random and scored; shape is (rows, frames, current frame)."""
    rows, frames, frame = shape
    first, state = random_normal(seed.astype(np.uint32))
    second, state = random_normal(state)
    x = position[0] + 1.0 + 5.0 * first
    y = position[1] - 2.0 + 2.0 * second
    column = np.rint(x).astype(np.int32)[:, None] + objxy[None, 1::2]
    row = np.rint(y).astype(np.int32)[:, None] + objxy[None, ::2]
    pixels = np.abs(column * rows * frames + row * frames + frame)
    pixels = np.where(pixels >= video.size, 0, pixels).astype(np.int32)
    level = video[pixels].astype(np.float64)
    score = ((level - 100.0) ** 2 - (level - 228.0) ** 2).sum(axis=1) / 50.0
    score = score / (objxy.size // 2) - 300.0
    weights = np.exp(score) / x.size
    return Likelihood(x, y, pixels.ravel(), score, weights, state.astype(np.int32))


def resampled(cdf: Doubles, u: Doubles) -> NDArray[Any]:
    """For every u the first particle whose cumulated weight reaches it, else the last."""
    return np.minimum(np.searchsorted(cdf, u, side="left"), cdf.size - 1)


# struct nei_str and struct box_str of lavaMD as C lays them out.
NEIGHBOUR = np.dtype(
    [
        ("x", np.int32),
        ("y", np.int32),
        ("z", np.int32),
        ("number", np.int32),
        ("offset", np.int64),
    ],
    align=True,
)
BOX = np.dtype([*NEIGHBOUR.descr, ("nn", np.int32), ("nei", NEIGHBOUR, 26)], align=True)
PER_BOX = 100


def lavamd_boxes(side: int) -> NDArray[Any]:
    """The boxes of a cube with `side` boxes per edge and their neighbours inside the cube."""
    boxes: NDArray[Any] = np.zeros(side**3, BOX)
    index = np.arange(side**3).reshape(side, side, side)
    for z, y, x in np.ndindex(side, side, side):
        box = boxes[index[z, y, x]]
        around = [
            (z + dz, y + dy, x + dx)
            for dz in (-1, 0, 1)
            for dy in (-1, 0, 1)
            for dx in (-1, 0, 1)
            if (dz, dy, dx) != (0, 0, 0)
        ]
        inside = [p for p in around if all(0 <= c < side for c in p)]
        for k, (nz, ny, nx) in enumerate(inside):
            number = index[nz, ny, nx]
            box["nei"][k] = (nx, ny, nz, number, number * PER_BOX)
        number = index[z, y, x]
        for name, value in zip(
            ("x", "y", "z", "number", "offset", "nn"),
            (x, y, z, number, number * PER_BOX, len(inside)),
            strict=True,
        ):
            box[name] = value
    return boxes


def lavamd(boxes: NDArray[Any], rv: Floats, qv: Floats, alpha: float) -> Floats:
    """Potential and force (v, x, y, z) of every particle."""
    particles = rv.reshape(-1, 4).astype(np.float64)
    out = np.zeros_like(particles)
    for box in boxes:
        home = slice(box["offset"], box["offset"] + PER_BOX)
        offsets = np.append(box["offset"], box["nei"]["offset"][: box["nn"]])
        near = (offsets[:, None] + np.arange(PER_BOX)).ravel()
        mine, theirs = particles[home], particles[near]
        half_r2 = mine[:, :1] + theirs[:, 0] - mine[:, 1:] @ theirs[:, 1:].T
        potential = np.exp(-2 * alpha**2 * half_r2) * qv[near]
        apart = mine[:, None, 1:] - theirs[None, :, 1:]
        out[home, 0] = potential.sum(axis=1)
        out[home, 1:] = (2 * potential[..., None] * apart).sum(axis=1)
    return out.astype(np.float32).ravel()


def accelerations(positions: Floats, softening_squared: float) -> Doubles:
    """Accelerations, shape (bodies, 3), of bodies given as x, y, z, mass."""
    bodies = positions.reshape(-1, 4).astype(np.float64)
    apart = bodies[None, :, :3] - bodies[:, None, :3]
    squared = (apart**2).sum(axis=2) + softening_squared
    return (bodies[None, :, 3:] * apart / squared[..., None] ** 1.5).sum(axis=1)


def potential(atoms: Floats, spacing: float, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Sums of q / r on a plane of points; atoms are (x, y, squared height, q)."""
    x, y, height, charge = atoms.view(np.float32).reshape(-1, 4).astype(np.float64).T
    rows, columns = (np.arange(count)[:, None] * spacing for count in shape)
    apart = ((rows - y) ** 2)[:, None] + (columns - x) ** 2 + height
    return (charge / np.sqrt(apart)).sum(axis=-1)


def nbody_sim(
    positions: Floats, velocities: Floats, dt: float, eps_squared: float
) -> tuple[Floats, Floats]:
    """Positions and velocities after a step with constant acceleration."""
    a = accelerations(positions, eps_squared)
    p, v = positions.reshape(-1, 4).copy(), velocities.reshape(-1, 4).copy()
    p[:, :3] += v[:, :3] * dt + 0.5 * a * dt**2
    v[:, :3] += a * dt
    return p.ravel(), v.ravel()


def integrate_bodies(
    positions: Floats, velocities: Floats, dt: float, damping: float, softening_squared: float
) -> tuple[Floats, Floats]:
    """Positions and velocities after a damped leapfrog step."""
    a = accelerations(positions, softening_squared)
    p, v = positions.reshape(-1, 4).copy(), velocities.reshape(-1, 4).copy()
    v[:, :3] = (v[:, :3] + a * dt) * damping
    p[:, :3] += v[:, :3] * dt
    return p.ravel(), v.ravel()

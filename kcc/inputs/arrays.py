"""Images, points, dense matrices, sequences and keys."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kcc.inputs.seeds import Seed, generator

Floats = NDArray[np.float32]
Keys = NDArray[np.uint32]
Bytes = NDArray[np.uint8]


def smooth_image(height: int, width: int, rng: Seed) -> Floats:
    """A slow change of brightness, float32[height, width] in [0, 1)."""
    return _value_noise(height, width, 4, generator(rng))


def noise_image(height: int, width: int, rng: Seed) -> Floats:
    """Every pixel by itself, float32[height, width] in [0, 1)."""
    return generator(rng).random((height, width), np.float32)


def checkers_image(height: int, width: int, rng: Seed, *, cell: int = 8) -> Floats:
    """Fields of `cell` pixels, dark and bright by turns, from a random corner; float32[height,
    width], 0.1 and 0.9."""
    rng = generator(rng)
    down, right = (int(shift) for shift in rng.integers(0, 2 * cell, 2))
    y, x = np.ogrid[down : down + height, right : right + width]
    return np.where((y // cell + x // cell) % 2 == 0, np.float32(0.9), np.float32(0.1))


def photo_image(height: int, width: int, rng: Seed) -> Floats:
    """Like a photograph in that amplitude falls with frequency f as 1 / f, and in that things hide
    others after sharp edges; float32[height, width] in [0, 1)."""
    rng = generator(rng)
    cell = 1 << max(1, (max(height, width) - 1).bit_length() - 1)
    share = np.float32(0.5)
    image = share * rng.random((-(-height // cell) + 1, -(-width // cell) + 1), np.float32)
    while cell > 1:
        cell, share = cell // 2, share / 2
        image = _doubled(image)[: -(-height // cell) + 1, : -(-width // cell) + 1]
        image += share * rng.random(image.shape, np.float32)
    image = image[:height, :width].copy()
    for level, radius, cy, cx in rng.random((12, 4)):
        reach = int((0.03 + 0.15 * radius * radius) * min(height, width))
        row, column = int(cy * height), int(cx * width)
        top, left = max(0, row - reach), max(0, column - reach)
        part = image[top : row + reach + 1, left : column + reach + 1]
        y, x = np.ogrid[top : top + part.shape[0], left : left + part.shape[1]]
        inside = (y - row) ** 2 + (x - column) ** 2 <= reach * reach
        part[inside] = (part[inside] + np.float32(level)) / 2
    return image.astype(np.float32, copy=False)


def _doubled(image: Floats) -> Floats:
    """The same corners with one more between any two, linearly; 2 n - 1 for n in each direction."""
    rows, columns = image.shape
    out = np.empty((2 * rows - 1, 2 * columns - 1), np.float32)
    out[::2, ::2] = image
    out[1::2, ::2] = (image[:-1] + image[1:]) / 2
    out[:, 1::2] = (out[:, :-1:2] + out[:, 2::2]) / 2
    return out


def to_bytes(image: Floats) -> Bytes:
    """An image in [0, 1) as levels from 0 to 255."""
    return np.minimum(image * np.float32(256), np.float32(255)).astype(np.uint8)


def _value_noise(height: int, width: int, cells: int, rng: np.random.Generator) -> Floats:
    """Random values at the corners of `cells` fields along the longer side, linear between them."""
    step = max(height, width) / cells
    y, x = np.arange(height) / step, np.arange(width) / step
    row, column = y.astype(np.int64), x.astype(np.int64)
    corners = rng.random((int(row[-1]) + 2, int(column[-1]) + 2), np.float32)
    down, right = (y - row).astype(np.float32)[:, None], (x - column).astype(np.float32)
    across = corners[:, column] * (1 - right) + corners[:, column + 1] * right
    noise = across[row]
    noise += (across[row + 1] - noise) * down
    return noise.astype(np.float32, copy=False)


def uniform_points(count: int, dimensions: int, rng: Seed) -> Floats:
    """Points anywhere in the unit cube, float32[count, dimensions] in [0, 1)."""
    return generator(rng).random((count, dimensions), np.float32)


def clustered_points(
    count: int, dimensions: int, rng: Seed, *, clusters: int = 8, spread: float = 0.04
) -> Floats:
    """Points normally distributed about `clusters` centres, in random order; float32[count,
    dimensions], kept within [0, 1). `spread` is the standard deviation."""
    rng = generator(rng)
    centres = 0.15 + 0.7 * rng.random((clusters, dimensions))
    member = rng.integers(0, clusters, count)
    points = centres[member] + spread * rng.standard_normal((count, dimensions))
    return _within(points)


def ring_points(count: int, dimensions: int, rng: Seed, *, spread: float = 0.02) -> Floats:
    """Points near a circle of radius 0.35 about the middle of the first two dimensions,
    float32[count, dimensions] in [0, 1). `spread` is the deviation from it, in all dimensions."""
    rng = generator(rng)
    angle = 2 * math.pi * rng.random(count)
    points = 0.5 + spread * rng.standard_normal((count, dimensions))
    points[:, 0] += 0.35 * np.cos(angle)
    points[:, 1] += 0.35 * np.sin(angle)
    return _within(points)


def _within(points: NDArray[np.float64]) -> Floats:
    below_one = np.nextafter(np.float32(1), np.float32(0))
    return np.clip(points.astype(np.float32), np.float32(0), below_one)


def random_matrix(rows: int, columns: int, rng: Seed) -> Floats:
    """A dense matrix, float32[rows, columns] in [-1, 1)."""
    values = generator(rng).random((rows, columns), np.float32)
    return values * np.float32(2) - np.float32(1)


def dominant_matrix(n: int, rng: Seed) -> Floats:
    """A dense matrix that needs no pivoting: each diagonal element exceeds the sum of the absolute
    values of its row's others by at least 1. float32[n, n]."""
    matrix = random_matrix(n, n, rng)
    others = np.abs(matrix).sum(axis=1, dtype=np.float64) - np.abs(np.diagonal(matrix))
    np.fill_diagonal(matrix, np.ceil(others) + 1)
    return matrix


def spd_matrix(n: int, rng: Seed) -> Floats:
    """A dense symmetric positive definite matrix, float32[n, n]: symmetric, and its diagonal
    dominates."""
    matrix = random_matrix(n, n, rng)
    lower = np.tril(matrix, -1)
    matrix = lower + lower.T
    others = np.abs(matrix).sum(axis=1, dtype=np.float64)
    np.fill_diagonal(matrix, np.ceil(others) + 1)
    return matrix


def random_sequence(length: int, rng: Seed, *, letters: int = 4) -> NDArray[np.int32]:
    """Letters as numbers from 0, int32[length]."""
    return generator(rng).integers(0, letters, length, np.int32)


def related_sequence(
    sequence: NDArray[np.int32], rng: Seed, *, letters: int = 4, rate: float = 0.1
) -> NDArray[np.int32]:
    """A sequence of the same length that descends from another: a share `rate` of the letters is
    changed, and a share `rate / 4` each is left out and put in."""
    rng = generator(rng)
    length = sequence.size
    kept = sequence[rng.random(length) >= rate / 4]
    changed = np.where(rng.random(kept.size) < rate, rng.integers(0, letters, kept.size), kept)
    added = np.flatnonzero(rng.random(changed.size) < rate / 4)
    longer = np.insert(changed, added, rng.integers(0, letters, added.size))
    missing = max(0, length - longer.size)
    tail = rng.integers(0, letters, missing)
    return np.concatenate([longer, tail])[:length].astype(np.int32)


def random_keys(count: int, rng: Seed) -> Keys:
    """Keys of all 32 bits, uint32[count]."""
    return generator(rng).integers(0, 2**32, count, np.uint32)


def ordered_keys(count: int, rng: Seed, *, misplaced: float = 0.0) -> Keys:
    """Ascending keys of all 32 bits, uint32[count], a share `misplaced` of them exchanged with
    others."""
    rng = generator(rng)
    keys = np.sort(random_keys(count, rng))
    moved = rng.permutation(count)[: int(misplaced * count)]
    keys[moved] = keys[np.roll(moved, 1)]
    return keys


def few_keys(count: int, rng: Seed, *, distinct: int = 16) -> Keys:
    """Keys of which only `distinct` are different, uint32[count]."""
    rng = generator(rng)
    return random_keys(distinct, rng)[rng.integers(0, distinct, count)]

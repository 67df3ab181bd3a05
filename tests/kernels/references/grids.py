"""Stencils and dynamic programming on grids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]


def hotspot(
    power: Floats,
    temp: Floats,
    shape: tuple[int, int],
    steps: int,
    constants: tuple[float, float, float, float, float],
) -> Floats:
    """Temperatures after `steps` time steps; constants are Cap, Rx, Ry, Rz, step."""
    cap, rx, ry, rz, step = constants
    t = temp.reshape(shape).astype(np.float64)
    for _ in range(steps):
        rim = np.pad(t, 1, mode="edge")
        vertical = rim[2:, 1:-1] + rim[:-2, 1:-1] - 2 * t
        horizontal = rim[1:-1, 2:] + rim[1:-1, :-2] - 2 * t
        heat = power.reshape(shape) + vertical / ry + horizontal / rx + (80.0 - t) / rz
        t = t + step / cap * heat
    return t.astype(np.float32).ravel()


def nw_scores(similarity: Ints, n: int, penalty: int) -> Ints:
    """The (n + 1) x (n + 1) score matrix of a global alignment with linear gap penalty."""
    width = n + 1
    reference = similarity.reshape(width, width)
    score = np.zeros((width, width), np.int32)
    score[0] = score[:, 0] = -penalty * np.arange(width)
    for diagonal in range(2, 2 * n + 1):
        rows = np.arange(max(1, diagonal - n), min(n, diagonal - 1) + 1)
        cols = diagonal - rows
        matched = score[rows - 1, cols - 1] + reference[rows, cols]
        gap = np.maximum(score[rows, cols - 1], score[rows - 1, cols]) - penalty
        score[rows, cols] = np.maximum(matched, gap)
    return score.ravel()


def nw_wave(n: int, block: int) -> Ints:
    """The block anti-diagonal, from 0, of every cell of the score matrix; -1 on the border."""
    index = (np.arange(n + 1) - 1) // block
    wave = index[:, None] + index[None, :]
    wave[0] = wave[:, 0] = -1
    return wave.astype(np.int32).ravel()


def pathfinder(wall: Ints, src: Ints, cols: int, start: int, rows: int) -> Ints:
    """Path costs after `rows` further rows of the wall from row `start` on."""
    cost = src
    for row in wall.reshape(-1, cols)[start : start + rows]:
        padded = np.pad(cost, 1, mode="edge")
        cost = row + np.minimum(np.minimum(padded[:-2], padded[1:-1]), padded[2:])
    return cost


def pathfinder_marks(src: Ints, local_size: int, height: int, groups: int, marks: Ints) -> Ints:
    """The marker buffer after the groups' lane 11 has stored at the cost of its column."""
    out = marks.copy()
    columns = (local_size - 2 * height) * np.arange(groups) - height + 11
    out[src[columns[(columns >= 0) & (columns < src.size)]]] = 1
    return out


def stencil7(
    grid: Floats, before: Floats, c0: float, c1: float, shape: tuple[int, int, int]
) -> Floats:
    """`before` with its interior replaced by one 7-point step of `grid`; shape is (nz, ny, nx)."""
    a = grid.reshape(shape).astype(np.float64)
    inner = slice(1, -1)
    around = (
        a[2:, inner, inner]
        + a[:-2, inner, inner]
        + a[inner, 2:, inner]
        + a[inner, :-2, inner]
        + a[inner, inner, 2:]
        + a[inner, inner, :-2]
    )
    out = before.reshape(shape).copy()
    out[inner, inner, inner] = around * c1 - a[inner, inner, inner] * c0
    return out.ravel()


def srad_neighbours(rows: int, cols: int) -> dict[str, Ints]:
    """The clamped index vectors of srad, by argument name."""
    row, col = np.arange(rows, dtype=np.int32), np.arange(cols, dtype=np.int32)
    return {
        "d_iN": np.maximum(row - 1, 0),
        "d_iS": np.minimum(row + 1, rows - 1),
        "d_jW": np.maximum(col - 1, 0),
        "d_jE": np.minimum(col + 1, cols - 1),
    }


def srad_coefficients(
    image: Floats, rows: int, cols: int, q0sqr: float
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Derivatives to north, south, east and west, and the diffusion coefficient; column-major."""
    here = image.reshape(cols, rows).astype(np.float64)
    rim = np.pad(here, 1, mode="edge")
    north, south = rim[1:-1, :-2] - here, rim[1:-1, 2:] - here
    west, east = rim[:-2, 1:-1] - here, rim[2:, 1:-1] - here
    gradient = (north**2 + south**2 + west**2 + east**2) / here**2
    laplacian = (north + south + west + east) / here
    variation = (0.5 * gradient - laplacian**2 / 16) / (1 + 0.25 * laplacian) ** 2
    coefficient = 1 / (1 + (variation - q0sqr) / (q0sqr * (1 + q0sqr)))
    found = (north, south, east, west, np.clip(coefficient, 0, 1))
    n, s, e, w, c = (part.astype(np.float32).ravel() for part in found)
    return n, s, e, w, c


def srad_update(
    image: Floats,
    derivatives: tuple[Floats, Floats, Floats, Floats],
    coefficient: Floats,
    size: tuple[int, int],
    weight: float,
) -> Floats:
    """The image after a diffusion step; derivatives in the order north, south, east, west."""
    rows, cols = size
    n, s, e, w = (part.reshape(cols, rows) for part in derivatives)
    here = coefficient.reshape(cols, rows)
    rim = np.pad(here, 1, mode="edge")
    divergence = here * n + rim[1:-1, 2:] * s + rim[2:, 1:-1] * e + here * w
    return (image.reshape(cols, rows) + 0.25 * weight * divergence).astype(np.float32).ravel()

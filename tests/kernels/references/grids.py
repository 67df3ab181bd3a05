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

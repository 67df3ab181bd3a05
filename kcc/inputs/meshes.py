"""Meshes for finite volumes: cells and what is beyond each of their faces."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.inputs.seeds import Seed, generator

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float32]

WALL = -1
FAR_FIELD = -2

_FACES = ((0, -1), (0, 1), (-1, 0), (1, 0))  # rows down and columns right, opposite ones in pairs


@dataclass(frozen=True, slots=True)
class Mesh:
    """Cells of four faces. ``neighbours`` int32[4, cells]: the cell beyond each face, or WALL or
    FAR_FIELD. ``normals`` float32[3, 4, cells]: x, y and z of each face's normal, which points into
    the cell and is as long as the face's area."""

    neighbours: Ints
    normals: Floats

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.neighbours.shape[1]


def channel_mesh(cells: int, rng: Seed, *, discs: int = 6, spread: int = 1) -> Mesh:
    """Unit squares that fill a rectangle twice as wide as high, row by row; the last row may be
    short. The far field is all around, and inside are `discs` of wall.

    :param spread: how far cells that are neighbours may be in number: every run of so many cells is
        shuffled. 1: in order; the number of cells or more: no order at all.
    """
    rng = generator(rng)
    width = max(1, math.isqrt(2 * cells))
    cell = np.arange(cells)
    row, column = cell // width, cell % width
    solid = np.zeros(cells, np.bool_)
    for _ in range(discs):
        x, y, share = rng.random(3)
        reach = (0.02 + 0.04 * share) * width
        solid |= (column - x * width) ** 2 + (row - y * width / 2) ** 2 < reach * reach
    beyond = np.empty((4, cells), np.int64)
    normals = np.zeros((3, 4, cells), np.float32)
    for face, (down, right) in enumerate(_FACES):
        other = cell + down * width + right
        inside = (column + right >= 0) & (column + right < width) & (other >= 0) & (other < cells)
        other = np.where(inside, other, FAR_FIELD)
        beyond[face] = np.where(inside & (solid | solid[other]), WALL, other)
        normals[0, face], normals[1, face] = -right, -down
    order = np.lexsort((rng.random(cells), cell // spread))
    return Mesh(_renumbered(beyond, order), normals)


def _renumbered(beyond: Longs, order: Longs) -> Ints:
    """The same neighbours when cell order[i] becomes cell i."""
    number = np.empty_like(order)
    number[order] = np.arange(order.size)
    there = beyond[:, order]
    return np.where(there >= 0, number[there], there).astype(np.int32)

"""Meshes are closed and symmetric, whatever their numbering."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.inputs import FAR_FIELD, WALL, Mesh, channel_mesh

CELLS = 5000  # 100 cells a row
OPPOSITE = (1, 0, 3, 2)


def mesh_of(spread: int, seed: int = 3) -> Mesh:
    return channel_mesh(CELLS, seed, spread=spread)


@pytest.mark.parametrize("spread", [1, 64, CELLS])
def test_neighbours_see_each_other_through_the_opposite_face(spread: int):
    mesh = mesh_of(spread)
    for face, opposite in enumerate(OPPOSITE):
        beyond = mesh.neighbours[face]
        inner = np.flatnonzero(beyond >= 0)
        np.testing.assert_array_equal(mesh.neighbours[opposite, beyond[inner]], inner)
        np.testing.assert_array_equal(mesh.normals[:, face], -mesh.normals[:, opposite])


def test_faces_close_every_cell():
    mesh = mesh_of(1)
    assert mesh.neighbours.dtype == np.int32
    assert mesh.normals.dtype == np.float32
    assert mesh.cells == CELLS
    np.testing.assert_array_equal(mesh.normals.sum(axis=1), 0)
    np.testing.assert_array_equal((mesh.normals**2).sum(axis=0), 1)


@pytest.mark.parametrize("spread", [1, 64, CELLS])
def test_the_far_field_is_around_and_walls_are_inside(spread: int):
    mesh = mesh_of(spread)
    kinds, counts = np.unique(np.minimum(mesh.neighbours, 0), return_counts=True)
    assert kinds.tolist() == [FAR_FIELD, WALL, 0]
    assert counts[0] <= 2 * (100 + 50)  # a disc at the rim takes its place
    assert counts[0] > 200
    assert 50 < counts[1] < CELLS


def test_without_discs_there_are_no_walls():
    neighbours = channel_mesh(CELLS, 3, discs=0).neighbours
    assert (neighbours != WALL).all()
    assert (neighbours == FAR_FIELD).sum() == 2 * (100 + 50)


def test_a_short_last_row_ends_in_the_far_field():
    mesh = channel_mesh(4, 0, discs=0)  # rows of two
    assert mesh.neighbours.T.tolist() == [
        [-2, 1, -2, 2],
        [0, -2, -2, 3],
        [-2, 3, 0, -2],
        [2, -2, 1, -2],
    ]
    mesh = channel_mesh(3, 0, discs=0)
    assert mesh.neighbours.T.tolist() == [[-2, 1, -2, 2], [0, -2, -2, -2], [-2, -2, 0, -2]]


def test_spread_bounds_how_far_neighbours_are():
    def distance(spread: int) -> int:
        neighbours = mesh_of(spread).neighbours
        apart = np.abs(neighbours - np.arange(CELLS))
        return int(apart[neighbours >= 0].max())

    assert distance(1) == 100
    assert 100 < distance(64) < 100 + 2 * 64
    assert distance(CELLS) > CELLS // 2


def test_equal_seeds_give_equal_meshes():
    one, other = mesh_of(64), mesh_of(64)
    np.testing.assert_array_equal(one.neighbours, other.neighbours)
    assert (one.neighbours != mesh_of(64, seed=4).neighbours).any()

"""Seeded inputs for workloads: graphs, sparse matrices, meshes, images, points, dense matrices,
sequences and keys.

Every generator takes a ``numpy.random.Generator`` or a seed and gives the same values for the same
seed everywhere (where an elementary function is involved, up to its last digit). Arrays are of the
types that kernels want: int32 indices, float32 values.
"""

from __future__ import annotations

from kcc.inputs.arrays import (
    checkers_image,
    clustered_points,
    dominant_matrix,
    few_keys,
    noise_image,
    ordered_keys,
    photo_image,
    random_keys,
    random_matrix,
    random_sequence,
    related_sequence,
    ring_points,
    smooth_image,
    spd_matrix,
    to_bytes,
    uniform_points,
)
from kcc.inputs.graphs import (
    Graph,
    grid_graph,
    power_law_graph,
    road_graph,
    uniform_graph,
    with_weights,
)
from kcc.inputs.matrices import (
    Ellpack,
    Jagged,
    SparseMatrix,
    banded_matrix,
    skewed_matrix,
    to_ellpack,
    to_jagged,
    uniform_matrix,
)
from kcc.inputs.meshes import FAR_FIELD, WALL, Mesh, channel_mesh
from kcc.inputs.seeds import Seed, generator

__all__ = [
    "FAR_FIELD",
    "WALL",
    "Ellpack",
    "Graph",
    "Jagged",
    "Mesh",
    "Seed",
    "SparseMatrix",
    "banded_matrix",
    "channel_mesh",
    "checkers_image",
    "clustered_points",
    "dominant_matrix",
    "few_keys",
    "generator",
    "grid_graph",
    "noise_image",
    "ordered_keys",
    "photo_image",
    "power_law_graph",
    "random_keys",
    "random_matrix",
    "random_sequence",
    "related_sequence",
    "ring_points",
    "road_graph",
    "skewed_matrix",
    "smooth_image",
    "spd_matrix",
    "to_bytes",
    "to_ellpack",
    "to_jagged",
    "uniform_graph",
    "uniform_matrix",
    "uniform_points",
    "with_weights",
]

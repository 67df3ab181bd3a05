"""Cases: graphs, sparse matrices and trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.kernels.case import Case
from tests.kernels.harness import Array
from tests.kernels.inputs import random_starts, random_targets
from tests.kernels.references import graphs

Args = Mapping[str, Any]
Generator = np.random.Generator


def bfs_starts(a: Args) -> Array:
    return np.append(a["g_graph_nodes"][::2], a["g_graph_edges"].size).astype(np.int32)


def bfs_frontier(a: Args, rng: Generator) -> dict[str, Array]:
    """A random graph in which the second level from node 0 is about to be expanded."""
    nodes, edges = a["no_of_nodes"], a["g_graph_edges"].size
    starts = random_starts(nodes, edges, 60, rng)
    starts[1:] = np.maximum(starts[1:], 5)  # the root has neighbours
    targets = random_targets(starts, nodes, rng)
    levels: graphs.Ints = graphs.bfs_levels(starts, targets, 0)
    seen = np.where(levels <= 1, levels, -1).astype(np.int32)
    return {
        "g_graph_nodes": graphs.node_pairs(starts),
        "g_graph_edges": targets,
        "g_graph_mask": (seen == 1).astype(np.int8),
        "g_graph_visited": (seen >= 0).astype(np.int8),
        "g_cost": seen,
    }


def bfs_expand(a: Args) -> dict[str, Array]:
    updating, cost = graphs.bfs_expand(
        bfs_starts(a), a["g_graph_edges"], a["g_graph_mask"], a["g_graph_visited"], a["g_cost"]
    )
    return {
        "g_graph_mask": np.zeros_like(updating),
        "g_updating_graph_mask": updating,
        "g_cost": cost,
    }


def bfs_found(a: Args, rng: Generator) -> dict[str, Array]:
    return {"g_updating_graph_mask": (rng.random(int(a["no_of_nodes"])) < 0.2).astype(np.int8)}


def bfs_advance(a: Args) -> dict[str, Array]:
    found = a["g_updating_graph_mask"]
    return {
        "g_graph_mask": found,
        "g_graph_visited": found,
        "g_over": np.ones(1, np.int8),
        "g_updating_graph_mask": np.zeros_like(found),
    }


def csr_matrix(a: Args, rng: Generator) -> dict[str, Array]:
    starts = random_starts(a["dim"], a["cols"].size, 40, rng)
    return {"rowDelimiters": starts, "cols": random_targets(starts, a["dim"], rng)}


def spmv_csr(a: Args) -> dict[str, Array]:
    return {"out": graphs.spmv_csr(a["val"], a["vec"], a["cols"], a["rowDelimiters"])}


def ell_matrix(a: Args, rng: Generator) -> dict[str, Array]:
    dim = a["dim"]
    width = a["val"].size // dim
    starts = random_starts(dim, 12 * dim, width, rng)
    targets = random_targets(starts, dim, rng)
    values = rng.uniform(-1, 1, targets.size).astype(np.float32)
    val, cols, lengths = graphs.ellpack_from_csr(values, targets, starts, width)
    return {"val": val, "cols": cols, "rowLengths": lengths}


def spmv_ell(a: Args) -> dict[str, Array]:
    dense = a["val"].reshape(-1, a["dim"]) * a["vec"][a["cols"]].reshape(-1, a["dim"])
    return {"out": dense.sum(axis=0)}


CASES = [
    Case("bfs", "BFS_1", bfs_expand, bfs_frontier),
    Case("bfs", "BFS_2", bfs_advance, bfs_found),
    Case("spmv", "spmv_csr_scalar_kernel", spmv_csr, csr_matrix),
    Case("spmv", "spmv_csr_vector_kernel", spmv_csr, csr_matrix),
    Case("spmv", "spmv_ellpackr_kernel", spmv_ell, ell_matrix, atol=1e-5),
]

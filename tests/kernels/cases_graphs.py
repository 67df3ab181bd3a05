"""Cases: graphs, sparse matrices and trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.kernels.case import Case
from tests.kernels.harness import Array
from tests.kernels.inputs import btree, random_starts, random_targets, symmetric_graph
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


def rows_of_entries(a: Args, rng: Generator) -> dict[str, Array]:
    starts = random_starts(a["numRows"], a["indices"].size, 80, rng)
    targets = random_targets(starts, a["numRows"], rng)
    return {"rowIndices": starts.astype(np.uint32), "indices": targets.astype(np.uint32)}


def spmv_wide(a: Args) -> dict[str, Array]:
    starts, targets = a["rowIndices"].astype(np.int32), a["indices"].astype(np.int32)
    return {"x": graphs.spmv_csr(a["val"], a["y"], targets, starts)}


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


# The keys of the tree, as many as kernel.toml's tiny size has; even, so that some are missing.
TREE = 100 + 2 * np.arange(3000, dtype=np.int32)


def btree_queries(count: int, rng: Generator) -> Array:
    """Keys of the tree, the first ones of some nodes, and some between, below and above them."""
    wanted = rng.choice(TREE, count)
    wanted[4:8] = TREE[[127, 128, 256, 2944]]
    wanted[:4] = TREE[0], TREE[0] + 1, TREE[0] - 95, TREE[-1] + 2
    return wanted


def btree_tree(nodes: int) -> Array:
    tree = btree(TREE, 256)
    assert tree.size == nodes
    return tree.view(np.int32)


def find_k_inputs(a: Args, rng: Generator) -> dict[str, Array]:
    keys = btree_queries(a["keysD"].size, rng)
    return {"knodesD": btree_tree(a["knodes_elem"]), "keysD": keys}


def find_k(a: Args) -> dict[str, Array]:
    records = graphs.find_records(TREE, a["keysD"])
    return {
        "ansD": np.where(records >= 0, a["recordsD"][records], a["ansD"]),
        **btree_walk("currKnodeD", "offsetD", a["keysD"]),
    }


def btree_walk(current: str, offset: str, wanted: Array) -> dict[str, Array]:
    """Where the walks end: the leaf whose keys surround the wanted one."""
    place = np.searchsorted(TREE, wanted, side="right") - 1
    leaf = 1 + np.maximum(place, 0) // 128
    return {current: leaf, offset: leaf}


def find_range_inputs(a: Args, rng: Generator) -> dict[str, Array]:
    start = btree_queries(a["startD"].size, rng)
    end = start + 2 * rng.integers(0, 300, start.size).astype(np.int32)
    return {"knodesD": btree_tree(a["knodes_elem"]), "startD": start, "endD": end}


def find_range(a: Args) -> dict[str, Array]:
    first = np.maximum(graphs.find_records(TREE, a["startD"]), 0)
    last = graphs.find_records(TREE, a["endD"])
    return {
        "RecstartD": first,
        "ReclenD": np.where(last >= 0, last - first + 1, 0),
        **btree_walk("currKnodeD", "offsetD", a["startD"]),
        **btree_walk("lastKnodeD", "offset_2D", a["endD"]),
    }


def sssp_initial(a: Args) -> dict[str, Array]:
    distance = np.full(a["nodes"], graphs.NO_EDGE, np.int32)
    distance[a["source"]] = 0
    frontier = (distance == 0).astype(np.uint8)
    return {"distance": distance, "offer": distance, "frontier": frontier}


def sssp_inputs(a: Args, rng: Generator) -> dict[str, Array]:
    """A random graph with a third of the nodes reached and a third of these in the frontier."""
    starts = random_starts(int(a["nodes"]), a["targets"].size, 60, rng)
    distance = rng.integers(0, 300, int(a["nodes"]))
    reached = rng.random(distance.size) < 0.33
    distance = np.where(reached, distance, graphs.NO_EDGE).astype(np.int32)
    return {
        "starts": starts,
        "targets": random_targets(starts, int(a["nodes"]), rng),
        "distance": distance,
        "offer": distance,
        "frontier": (reached & (rng.random(distance.size) < 0.33)).astype(np.uint8),
    }


def sssp_relax(a: Args) -> dict[str, Array]:
    offer = graphs.sssp_offers(
        a["starts"], a["targets"], a["weights"], a["distance"], a["frontier"]
    )
    return {"offer": offer}


def sssp_offered(a: Args, rng: Generator) -> dict[str, Array]:
    distance = rng.integers(0, 300, int(a["nodes"])).astype(np.int32)
    better = rng.random(distance.size) < 0.2
    return {"distance": distance, "offer": np.where(better, distance // 2, distance)}


def sssp_update(a: Args) -> dict[str, Array]:
    frontier = (a["offer"] < a["distance"]).astype(np.uint8)
    return {"distance": a["offer"], "frontier": frontier, "changed": np.ones(1, np.int32)}


def mst_reset(a: Args) -> dict[str, Array]:
    nodes = a["nodes"]
    return {
        "lightest": np.full(nodes, graphs.NO_EDGE, np.int32),
        "partner": np.arange(nodes, dtype=np.int32),
    }


def mst_components(a: Args, rng: Generator) -> dict[str, Array]:
    """A random graph whose nodes are already joined by threes."""
    nodes = int(a["nodes"])
    starts, targets, weights = symmetric_graph(nodes, a["targets"].size, rng)
    root = np.arange(nodes, dtype=np.int32) // 3 * 3
    return {"starts": starts, "targets": targets, "weights": weights, "root": root}


def mst_minimum(a: Args) -> dict[str, Array]:
    lightest = graphs.lightest_edges(a["starts"], a["targets"], a["weights"], a["root"])
    return {"lightest": lightest}


def mst_lightest(a: Args, rng: Generator) -> dict[str, Array]:
    graph = mst_components(a, rng)
    return {**graph, **mst_minimum(graph)}


def mst_partner(a: Args) -> dict[str, Array]:
    found = graphs.partners(a["starts"], a["targets"], a["weights"], a["root"], a["lightest"])
    return {"partner": found}


def mst_chosen(a: Args, rng: Generator) -> dict[str, Array]:
    nodes = {"nodes": a["nodes"], "targets": np.zeros(2400, np.int32)}
    graph = mst_lightest(nodes, rng)
    chosen = {name: graph[name] for name in ("root", "lightest")}
    return {**chosen, **mst_partner(graph)}


def mst_hook(a: Args) -> dict[str, Array]:
    root, total, joined = graphs.hooked(a["root"], a["lightest"], a["partner"])
    return {
        "root": root,
        "total": np.array([total], np.int32),
        "joined": np.array([joined], np.int32),
    }


def mst_chains(a: Args, rng: Generator) -> dict[str, Array]:
    nodes = np.arange(int(a["nodes"]))
    below = np.maximum(nodes - rng.integers(1, 9, nodes.size), 0)
    return {"root": np.where(nodes % 50 == 0, nodes, below).astype(np.int32)}


def mst_flatten(a: Args) -> dict[str, Array]:
    return {"flat": graphs.flattened(a["root"])}


CASES = [
    Case("bfs", "BFS_1", bfs_expand, bfs_frontier),
    Case("bfs", "BFS_2", bfs_advance, bfs_found),
    Case("spmv", "spmv_csr_scalar_kernel", spmv_csr, csr_matrix),
    Case("spmv", "spmv_csr_vector_kernel", spmv_csr, csr_matrix),
    Case("spmv", "spmv_ellpackr_kernel", spmv_ell, ell_matrix, atol=1e-5),
    Case("spmvwide", "spmv_scalar", spmv_wide, rows_of_entries, atol=1e-5),
    Case("spmvwide", "spmv_vectorised", spmv_wide, rows_of_entries, atol=1e-5),
    Case("btree", "findK", find_k, find_k_inputs),
    Case("btree", "findRangeK", find_range, find_range_inputs),
    Case("sssp", "sssp_initialize", sssp_initial),
    Case("sssp", "sssp_relax", sssp_relax, sssp_inputs),
    Case("sssp", "sssp_update", sssp_update, sssp_offered),
    Case("mst", "mst_reset", mst_reset),
    Case("mst", "mst_find_minimum", mst_minimum, mst_components),
    Case("mst", "mst_find_partner", mst_partner, mst_lightest),
    Case("mst", "mst_hook", mst_hook, mst_chosen),
    Case("mst", "mst_flatten", mst_flatten, mst_chains),
]

"""Kernels launched as their host programs would: whole algorithms against independent answers."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from tests.kernels import pocl
from tests.kernels.cases_dense import dominant
from tests.kernels.harness import Array, launch_of, load
from tests.kernels.inputs import random_starts, random_targets, symmetric_graph
from tests.kernels.references import collections, dense, graphs, grids, signals

nx: Any = import_module("networkx")  # untyped here: its stubs leave type variables open

pytestmark = pytest.mark.pocl


def launch(name: str, kernel: str, arguments: Mapping[str, Any], **names: float) -> dict[str, Any]:
    """The arguments after a launch; those that the kernel does not have are left alone."""
    prepared = launch_of(name, kernel, names=names)
    own = {key: value for key, value in arguments.items() if key in prepared.arguments}
    return {**arguments, **pocl.run(prepared.given(**own))}


def tiny(name: str, kernel: str) -> dict[str, Any]:
    """The arguments of kernel.toml's tiny size."""
    return dict(launch_of(name, kernel).arguments)


def test_reduction_to_one_value():
    values = tiny("reduction", "reduce_sequential")["g_idata"]
    total = float(values.sum(dtype=np.float64))
    while values.size > 1:
        arguments = {"g_idata": values, "n": values.size}
        values = launch("reduction", "reduce_sequential", arguments, n=values.size)["g_odata"]
    np.testing.assert_allclose(values[0], total, rtol=1e-5)


def test_lud_decomposes():
    args = tiny("lud", "lud_diagonal")
    args.update(dominant(args, None))
    matrix, n = args["m"], args["matrix_dim"]
    for offset in range(0, n, 16):
        args["offset"] = offset
        args = launch("lud", "lud_diagonal", args)
        if offset < n - 16:
            args = launch("lud", "lud_perimeter", args, offset=offset)
            args = launch("lud", "lud_internal", args, offset=offset)
    np.testing.assert_allclose(dense.lud_product(args["m"], n), matrix, rtol=1e-4, atol=1e-4)


def test_gaussian_solves():
    args = tiny("gaussian", "Fan2")
    n = args["size"]
    args["a_dev"][:: n + 1] += 2 * n
    matrix = np.asarray(args["a_dev"], np.float64).reshape(n, n)
    solution = np.linalg.solve(matrix, np.asarray(args["b_dev"], np.float64))
    for t in range(n - 1):
        args["t"] = t
        args = launch("gaussian", "Fan2", launch("gaussian", "Fan1", args))
    upper = np.triu(np.asarray(args["a_dev"], np.float64).reshape(n, n))
    found = np.linalg.solve(upper, np.asarray(args["b_dev"], np.float64))
    np.testing.assert_allclose(found, solution, rtol=1e-3, atol=1e-5)


@pytest.mark.slow
def test_nw_aligns():
    args = tiny("nw", "nw_kernel1")
    n, blocks = args["cols"] - 1, args["block_width"]
    scores = args["input_itemsets_d"].reshape(n + 1, n + 1)
    scores[0] = scores[:, 0] = -args["penalty"] * np.arange(n + 1)
    for blk in range(1, blocks + 1):
        args = launch("nw", "nw_kernel1", {**args, "blk": blk}, blk=blk)
    for blk in range(blocks - 1, 0, -1):
        args = launch("nw", "nw_kernel2", {**args, "blk": blk}, blk=blk)
    expected = grids.nw_scores(args["reference_d"], n, args["penalty"])
    np.testing.assert_array_equal(args["input_itemsets_d"], expected)


def test_hotspot_continues():
    args = tiny("hotspot", "hotspot")
    shape = args["grid_rows"], args["grid_cols"]
    constants = args["Cap"], args["Rx"], args["Ry"], args["Rz"], args["step"]
    expected = grids.hotspot(args["power"], args["temp_src"], shape, 6, constants)
    for _ in range(3):
        args = launch("hotspot", "hotspot", args)
        args["temp_src"], args["temp_dst"] = args["temp_dst"], args["temp_src"]
    np.testing.assert_allclose(args["temp_src"], expected, rtol=1e-5)


def test_pathfinder_to_the_last_row():
    args = tiny("pathfinder", "dynproc_kernel")
    cols, rows = args["cols"], args["rows"]
    expected = grids.pathfinder(args["gpuWall"], args["gpuSrc"], cols, 0, rows - 1)
    for start in range(0, rows - 1, 4):
        args["startStep"] = start
        args["iteration"] = min(4, rows - 1 - start)
        args = launch("pathfinder", "dynproc_kernel", args, height=args["iteration"])
        args["gpuSrc"], args["gpuResults"] = args["gpuResults"], args["gpuSrc"]
        args["border"] = min(4, rows - 1 - start - 4)
    np.testing.assert_array_equal(args["gpuSrc"], expected)


def test_scan_of_several_blocks():
    args = tiny("scan", "scan_block")
    local = launch("scan", "scan_block", args)
    sums = local["block_sums"]
    top = launch("scan", "scan_block", {"in": sums, "n": sums.size}, n=sums.size)
    done = launch("scan", "add_offsets", {"data": local["out"], "offsets": top["out"]})
    np.testing.assert_array_equal(done["data"], collections.exclusive_scan(args["in"], args["n"]))


def test_partial_histograms_merge():
    args = launch("histogram", "histogram256", tiny("histogram", "histogram256"))
    merged = launch("histogram", "mergeHistogram256", args)["d_Histogram"]
    np.testing.assert_array_equal(merged, collections.histogram(args["d_Data"]))


@pytest.mark.parametrize("sort_dir", [1, 0])
def test_bitonic_sorts(sort_dir: int):
    args = tiny("bitonic", "bitonicMergeLocal")
    n = args["arrayLength"]
    keys = args["d_SrcKey"]
    args = launch("bitonic", "bitonicSortLocal1", args)
    size = 1024
    while size <= n:
        stride = size // 2
        while stride > 0:
            here = {**args, "size": size, "stride": stride, "sortDir": sort_dir}
            here["d_SrcKey"], here["d_SrcVal"] = args["d_DstKey"], args["d_DstVal"]
            kernel = "bitonicMergeLocal" if stride < 512 else "bitonicMergeGlobal"
            args = launch("bitonic", kernel, here)
            stride = 0 if stride < 512 else stride // 2
        size *= 2
    expected = np.sort(keys) if sort_dir else np.sort(keys)[::-1]
    np.testing.assert_array_equal(args["d_DstKey"], expected)
    np.testing.assert_array_equal(keys[args["d_DstVal"]], expected)


@pytest.mark.parametrize("kernel", ["merge_by_rank", "merge_path"])
def test_mergesort_sorts(kernel: str):
    args = launch("mergesort", "sort_block", tiny("mergesort", "sort_block"))
    unsorted, run = args["in"], 256
    while run < args["n"]:
        args = launch("mergesort", kernel, {**args, "in": args["out"], "run": run}, run=run)
        run *= 2
    np.testing.assert_array_equal(args["out"], np.sort(unsorted))


def test_fft_passes_transform():
    args = tiny("fft", "fft_radix2_pass")
    n, signal = args["n"], args["in"].view(np.complex64)
    p = 1
    while p < n:
        args = launch("fft", "fft_radix2_pass", {**args, "p": p})
        args["in"], args["out"] = args["out"], args["in"]
        p *= 2
    expected = signals.transform(signal, n, args["sign"])
    np.testing.assert_allclose(args["in"].view(np.complex64), expected, rtol=1e-4, atol=1e-4)


def test_separable_convolution():
    args = launch("convolution", "convolutionRows", tiny("convolution", "convolutionRows"))
    source, weights = args["d_Src"], args["c_Kernel"]
    args = launch("convolution", "convolutionColumns", {**args, "d_Src": args["d_Dst"]})
    shape = args["imageH"], args["imageW"]
    expected = signals.convolve(source, shape, np.outer(weights, weights).astype(np.float32))
    np.testing.assert_allclose(args["d_Dst"], expected, rtol=1e-3, atol=1e-3)


def test_srad_reduces_to_one_sum():
    args = tiny("srad", "reduce_kernel")
    total = [args[name].sum(dtype=np.float64) for name in ("d_sums", "d_sums2")]
    left, stride = args["d_no"], 1
    while left > 1:
        groups = -(-left // 256)
        prepared = {**args, "d_no": left, "d_mul": stride, "gridDim": groups}
        args = launch("srad", "reduce_kernel", prepared, rows=1, cols=left)
        left, stride = groups, stride * 256
    np.testing.assert_allclose([args["d_sums"][0], args["d_sums2"][0]], total, rtol=1e-5)


def test_bfs_finds_all_levels():
    rng = np.random.default_rng(3)
    sizes = load("bfs").sizes["tiny"]
    nodes, edges = int(sizes["nodes"]), int(sizes["edges"])
    starts = random_starts(nodes, edges, 60, rng)
    targets = random_targets(starts, nodes, rng)
    args = tiny("bfs", "BFS_1")
    args.update(g_graph_nodes=graphs.node_pairs(starts), g_graph_edges=targets)
    args["g_cost"][:] = -1
    root = int(np.argmax(np.diff(starts)))
    args["g_cost"][root] = 0
    args["g_graph_mask"][root] = args["g_graph_visited"][root] = 1
    over = 1
    while over:
        args = launch("bfs", "BFS_1", args)
        args["g_over"] = np.zeros(1, np.int8)
        args = launch("bfs", "BFS_2", args)
        over = args["g_over"][0]
    graph = nx.DiGraph()
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from(zip(graphs.edge_sources(starts).tolist(), targets.tolist(), strict=True))
    levels = nx.single_source_shortest_path_length(graph, root)
    expected = [levels.get(node, -1) for node in range(nodes)]
    assert max(expected) >= 3
    np.testing.assert_array_equal(args["g_cost"], expected)


def weighted_graph(starts: Array, targets: Array, weights: Array) -> Any:
    """The same graph for networkx; of parallel edges the lightest stays."""
    graph: Any = nx.DiGraph()
    graph.add_nodes_from(range(starts.size - 1))
    source = graphs.edge_sources(starts)
    for a, b, w in sorted(zip(source, targets, weights, strict=True), key=lambda e: -e[2]):
        graph.add_edge(int(a), int(b), weight=int(w))
    return graph


def test_sssp_finds_shortest_paths():
    rng = np.random.default_rng(4)
    args = tiny("sssp", "sssp_relax")
    nodes = args["nodes"]
    args["starts"] = random_starts(nodes, args["targets"].size, 60, rng)
    args["targets"] = random_targets(args["starts"], nodes, rng)
    args["source"] = int(np.argmax(np.diff(args["starts"])))
    args = launch("sssp", "sssp_initialize", args)
    changed = 1
    while changed:
        args = launch("sssp", "sssp_relax", args)
        args["changed"] = np.zeros(1, np.int32)
        args = launch("sssp", "sssp_update", args)
        changed = args["changed"][0]
    graph = weighted_graph(args["starts"], args["targets"], args["weights"])
    lengths = nx.single_source_dijkstra_path_length(graph, args["source"])
    expected = [lengths.get(node, graphs.NO_EDGE) for node in range(nodes)]
    np.testing.assert_array_equal(args["distance"], expected)


def test_mst_has_minimum_weight():
    rng = np.random.default_rng(5)
    args = {**tiny("mst", "mst_find_partner"), **tiny("mst", "mst_hook")}
    args.update(tiny("mst", "mst_flatten"))
    nodes = args["nodes"]
    starts, targets, weights = symmetric_graph(nodes, args["targets"].size, rng)
    args.update(starts=starts, targets=targets, weights=weights)
    joined = 1
    while joined:
        args["joined"] = np.zeros(1, np.int32)
        for kernel in ("reset", "find_minimum", "find_partner", "hook", "flatten"):
            args = launch("mst", f"mst_{kernel}", args)
        args["root"] = args["flat"]
        joined = args["joined"][0]
    graph = weighted_graph(starts, targets, weights).to_undirected()
    tree = nx.minimum_spanning_tree(graph)
    assert args["total"][0] == tree.size(weight="weight")
    components = [set(component) for component in nx.connected_components(graph)]
    roots = {frozenset(np.flatnonzero(args["root"] == r).tolist()) for r in set(args["root"])}
    assert roots == {frozenset(component) for component in components}


def test_particle_filter_of_one_frame():
    args = {**tiny("particlefilter", "find_index_kernel"), **tiny("particlefilter", "sum_kernel")}
    args.update(tiny("particlefilter", "likelihood_kernel"))
    video = args["I"]
    video[:] = 100
    video.reshape(32, 32, 4)[14:19, 12:17, 1] = 228  # the object, where it is expected
    for kernel in ("likelihood", "sum", "normalize_weights", "find_index"):
        args = launch("particlefilter", f"{kernel}_kernel", args)
    count = args["Nparticles"]
    np.testing.assert_allclose(args["CDF"][-1], 1.0, rtol=1e-9)
    assert set(args["xj"]) <= set(args["arrayX"])
    assert (args["weights"] == 1.0 / count).all()
    # Resampling draws the particles to the object.
    spread = np.hypot(args["arrayX"] - 16, args["arrayY"] - 14).mean()
    assert np.hypot(args["xj"] - 16, args["yj"] - 14).mean() < spread

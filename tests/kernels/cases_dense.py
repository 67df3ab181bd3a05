"""Cases: vectors and dense matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.kernels.case import Case
from tests.kernels.harness import Array
from tests.kernels.references import dense

Args = Mapping[str, Any]


def vecadd(a: Args) -> dict[str, Array]:
    return {"c": dense.vecadd(a["a"], a["b"])}


def transpose(a: Args) -> dict[str, Array]:
    return {"odata": dense.transpose(a["idata"], a["width"], a["height"])}


def matmul(a: Args) -> dict[str, Array]:
    return {"C": dense.matmul(a["A"], a["B"], a["m"], a["n"], a["k"])}


def partial_sums(a: Args) -> dict[str, Array]:
    return {"g_odata": dense.partial_sums(a["g_idata"], a["g_odata"].size, a["sdata"].size)}


def lud_diagonal(a: Args) -> dict[str, Array]:
    return {"m": dense.lud_diagonal(a["m"], a["matrix_dim"], a["offset"], 16)}


def lud_perimeter(a: Args) -> dict[str, Array]:
    return {"m": dense.lud_perimeter(a["m"], a["matrix_dim"], a["offset"], 16)}


def lud_internal(a: Args) -> dict[str, Array]:
    return {"m": dense.lud_internal(a["m"], a["matrix_dim"], a["offset"], 16)}


def dominant(a: Args, _rng: object) -> dict[str, Array]:
    """A matrix that needs no pivoting."""
    m = a["m"].copy()
    m[:: a["matrix_dim"] + 1] += 2.0 * a["matrix_dim"]
    return {"m": m}


def factorised(a: Args, rng: object) -> dict[str, Array]:
    """The same with the diagonal block done."""
    m = dominant(a, rng)["m"]
    return {"m": dense.lud_diagonal(m, a["matrix_dim"], a["offset"], 16)}


def layerforward(a: Args) -> dict[str, Array]:
    weights, sums = dense.layerforward(a["input_cuda"], a["input_hidden_cuda"], a["in"], a["hid"])
    return {"input_hidden_cuda": weights, "hidden_partial_sum": sums}


def adjust_weights(a: Args) -> dict[str, Array]:
    w, oldw = dense.adjust_weights(a["delta"], a["ly"], a["w"], a["oldw"], a["in"], a["hid"])
    return {"w": w, "oldw": oldw}


def kmeans_swap(a: Args) -> dict[str, Array]:
    swapped = dense.kmeans_swap(a["feature"], a["npoints"], a["nfeatures"])
    return {"feature_swap": swapped}


def kmeans_membership(a: Args) -> dict[str, Array]:
    sizes = a["npoints"], a["nclusters"], a["nfeatures"]
    return {"membership": dense.kmeans_membership(a["feature"], a["clusters"], *sizes)}


def saxpy(a: Args) -> dict[str, Array]:
    return {"y": dense.saxpy(a["a"], a["x"], a["y"])}


def fan1(a: Args) -> dict[str, Array]:
    return {"m_dev": dense.gaussian_multipliers(a["m_dev"], a["a_dev"], a["size"], a["t"])}


def fan2(a: Args) -> dict[str, Array]:
    matrix, rhs = dense.gaussian_eliminate(a["m_dev"], a["a_dev"], a["b_dev"], a["size"], a["t"])
    return {"a_dev": matrix, "b_dev": rhs}


def nearest_neighbor(a: Args) -> dict[str, Array]:
    return {"d_distances": dense.nearest_neighbor(a["d_locations"], a["lat"], a["lng"])}


def memset(a: Args) -> dict[str, Array]:
    return {"mem_d": np.full_like(a["mem_d"], a["val"])}


def pgain_inputs(a: Args, rng: np.random.Generator) -> dict[str, Array]:
    """Points of which about half would switch, and gains that are not zero at the start."""
    points = np.zeros(int(a["num"]), dense.POINT)
    points["weight"] = rng.uniform(0.5, 2, points.size)
    points["assign"] = rng.integers(0, points.size, points.size)
    points["cost"] = points["weight"] * rng.uniform(1, 6, points.size)
    work = rng.uniform(-1, 1, int(a["work_mem_d"].size)).astype(np.float32)
    return {"p": points.view(np.int64), "work_mem_d": work}


def pgain(a: Args) -> dict[str, Array]:
    gains, switch = dense.pgain(
        a["p"].view(dense.POINT),
        a["coord_d"],
        a["work_mem_d"],
        a["center_table_d"],
        a["x"],
        a["K"],
    )
    return {"work_mem_d": gains, "switch_membership_d": switch}


CASES = [
    Case("vecadd", "vecadd", vecadd),
    Case("vecadd", "vecadd4", vecadd),
    Case("transpose", "transpose_naive", transpose),
    Case("transpose", "transpose_tiled", transpose),
    Case("transpose", "transpose_padded", transpose),
    Case("matmul", "matmul_naive", matmul),
    Case("matmul", "matmul_tiled", matmul),
    Case("matmul", "matmul_float4", matmul),
    Case("reduction", "reduce_interleaved", partial_sums),
    Case("reduction", "reduce_sequential", partial_sums),
    Case("reduction", "reduce_grid_stride", partial_sums),
    Case("lud", "lud_diagonal", lud_diagonal, dominant),
    Case("lud", "lud_perimeter", lud_perimeter, factorised),
    Case("lud", "lud_internal", lud_internal, factorised),
    Case("backprop", "bpnn_layerforward_ocl", layerforward),
    Case("backprop", "bpnn_adjust_weights_ocl", adjust_weights),
    Case("kmeans", "kmeans_swap", kmeans_swap),
    Case("kmeans", "kmeans_kernel_c", kmeans_membership),
    Case("saxpy", "saxpy", saxpy),
    Case("saxpy", "saxpy_grid_stride", saxpy),
    Case("gaussian", "Fan1", fan1),
    Case("gaussian", "Fan2", fan2),
    Case("nn", "NearestNeighbor", nearest_neighbor),
    Case("streamcluster", "memset_kernel", memset),
    Case("streamcluster", "pgain_kernel", pgain, pgain_inputs, atol=1e-5),
    Case("cfd", "memset_kernel", memset),
]

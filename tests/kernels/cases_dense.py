"""Cases: vectors and dense matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
]

"""Cases: stencils and dynamic programming on grids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.kernels.case import Case
from tests.kernels.harness import Array
from tests.kernels.references import grids

Args = Mapping[str, Any]


def hotspot(a: Args) -> dict[str, Array]:
    shape = a["grid_rows"], a["grid_cols"]
    constants = a["Cap"], a["Rx"], a["Ry"], a["Rz"], a["step"]
    done = grids.hotspot(a["power"], a["temp_src"], shape, a["iteration"], constants)
    return {"temp_dst": done}


def nw_reached(a: Args, wave: int) -> Array:
    """The score matrix with the block anti-diagonals up to `wave` done, the others zero."""
    scores = grids.nw_scores(a["reference_d"], a["cols"] - 1, a["penalty"])
    return np.where(grids.nw_wave(a["cols"] - 1, 16) <= wave, scores, 0).astype(np.int32)


def nw_upper_inputs(a: Args, _rng: object) -> dict[str, Array]:
    return {"input_itemsets_d": nw_reached(a, a["blk"] - 2)}


def nw_upper(a: Args) -> dict[str, Array]:
    return {"input_itemsets_d": nw_reached(a, a["blk"] - 1)}


def nw_lower_inputs(a: Args, _rng: object) -> dict[str, Array]:
    return {"input_itemsets_d": nw_reached(a, 2 * a["block_width"] - a["blk"] - 2)}


def nw_lower(a: Args) -> dict[str, Array]:
    return {"input_itemsets_d": nw_reached(a, 2 * a["block_width"] - a["blk"] - 1)}


def pathfinder(a: Args) -> dict[str, Array]:
    height, local_size = a["iteration"], a["prev"].size
    groups = -(-a["cols"] // (local_size - 2 * height))
    return {
        "gpuResults": grids.pathfinder(a["gpuWall"], a["gpuSrc"], a["cols"], 0, height),
        "outputBuffer": grids.pathfinder_marks(
            a["gpuSrc"], local_size, height, groups, a["outputBuffer"]
        ),
    }


def stencil3d(a: Args) -> dict[str, Array]:
    shape = a["nz"], a["ny"], a["nx"]
    return {"Anext": grids.stencil7(a["A0"], a["Anext"], a["c0"], a["c1"], shape)}


def laplace(a: Args) -> dict[str, Array]:
    """The sum of seven less the one in the middle is that of the six neighbours."""
    shape, sixth = (a["NZ"], a["NY"], a["NX"]), 1 / 6
    return {"u2": grids.stencil7(a["u1"], a["u1"], 0.0, sixth, shape)}


def srad_extract(a: Args) -> dict[str, Array]:
    return {"d_I": np.exp(a["d_I"] / 255)}


def srad_compress(a: Args) -> dict[str, Array]:
    return {"d_I": np.log(a["d_I"]) * 255}


def srad_prepare(a: Args) -> dict[str, Array]:
    return {"d_sums": a["d_I"], "d_sums2": a["d_I"] ** 2}


def srad_reduce(a: Args) -> dict[str, Array]:
    out: dict[str, Array] = {}
    for name in ("d_sums", "d_sums2"):
        before: Array = a[name]
        out[name] = before.copy()
        out[name][::256] = np.add.reduceat(before, np.arange(0, before.size, 256))
    return out


def srad_strided(a: Args, _rng: object) -> dict[str, Any]:
    """The second pass: the sums of the first one, 256 apart."""
    left = a["gridDim"]
    return {"d_no": left, "d_mul": 256, "gridDim": 1}


def srad_reduce_strided(a: Args) -> dict[str, Array]:
    out: dict[str, Array] = {}
    for name in ("d_sums", "d_sums2"):
        out[name] = a[name].copy()
        out[name][0] = a[name][::256].sum()
    return out


def srad_indices(a: Args, _rng: object) -> dict[str, Array]:
    return dict(grids.srad_neighbours(a["d_Nr"], a["d_Nc"]))


def srad(a: Args) -> dict[str, Array]:
    found = grids.srad_coefficients(a["d_I"], a["d_Nr"], a["d_Nc"], a["d_q0sqr"])
    return dict(zip(("d_dN", "d_dS", "d_dE", "d_dW", "d_c"), found, strict=True))


def srad2(a: Args) -> dict[str, Array]:
    derivatives = a["d_dN"], a["d_dS"], a["d_dE"], a["d_dW"]
    size = a["d_Nr"], a["d_Nc"]
    return {"d_I": grids.srad_update(a["d_I"], derivatives, a["d_c"], size, a["d_lambda"])}


CASES = [
    Case("hotspot", "hotspot", hotspot),
    Case("nw", "nw_kernel1", nw_upper, nw_upper_inputs),
    Case("nw", "nw_kernel2", nw_lower, nw_lower_inputs),
    Case("pathfinder", "dynproc_kernel", pathfinder),
    Case("stencil3d", "naive_kernel", stencil3d),
    Case("stencil3d", "block2D_reg_tiling", stencil3d),
    Case("laplace", "laplace3d", laplace),
    Case("srad", "extract_kernel", srad_extract),
    Case("srad", "prepare_kernel", srad_prepare),
    Case("srad", "reduce_kernel", srad_reduce),
    Case("srad", "reduce_kernel", srad_reduce_strided, srad_strided, global_size=(256,)),
    Case("srad", "srad_kernel", srad, srad_indices, rtol=1e-4, atol=1e-5),
    Case("srad", "srad2_kernel", srad2, srad_indices),
    Case("srad", "compress_kernel", srad_compress),
]

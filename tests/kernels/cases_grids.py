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


CASES = [
    Case("hotspot", "hotspot", hotspot),
    Case("nw", "nw_kernel1", nw_upper, nw_upper_inputs),
    Case("nw", "nw_kernel2", nw_lower, nw_lower_inputs),
    Case("pathfinder", "dynproc_kernel", pathfinder),
]

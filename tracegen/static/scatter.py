"""Addresses that are not known: elements here and there in an array, by a fixed rule."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kcc.tracegen.simt.plan import Object
from kcc.tracegen.static.dealing import GOLDEN
from kcc.tracegen.static.geometry import Geometry
from kcc.tracegen.static.limits import Ints

SECTOR_BYTES = 32
"""What sectors are counted in: kcc/profile/1."""


def scatter(
    array: Object, element_bytes: int, geometry: Geometry, warp: int, seed: int, parts: Ints
) -> tuple[Ints, Ints]:
    """Addresses for the lanes of warp number ``warp`` of the launch, and how they grow.

    Lanes of the same part are side by side in a sector. The first warp of the launch touches the
    lower half of the array; from warp to warp addresses go up such that the last one's reach to the
    end: a class has warps in different places too.
    """
    elements = max(array.size_bytes // element_bytes, 1)
    lower = -(-elements // 2)
    step = (elements - lower) // math.prod(geometry.places.sizes)
    numbers = (seed + parts + 1).astype(np.uint64) * np.uint64(GOLDEN)
    numbers ^= numbers >> np.uint64(29)
    element = (numbers % np.uint64(lower)).astype(np.int64)
    each = max(SECTOR_BYTES // element_bytes, 1)
    element = np.minimum(element + _rank(parts) % each, lower - 1) + step * warp
    growth = np.array([geometry.linear], np.int64) * (step * element_bytes)
    return array.address + element * element_bytes, growth


def _rank(parts: Ints) -> Ints:
    """How many lanes before each are of its part: parts ascend."""
    return np.arange(len(parts)) - np.searchsorted(parts, parts)


def in_parts(lanes: NDArray[np.bool_], count: int) -> Ints:
    """The lanes, in order, in so many parts."""
    rank = np.cumsum(lanes) - 1
    total = max(int(lanes.sum()), 1)
    return np.maximum(rank, 0) * min(count, total) // total

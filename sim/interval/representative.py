"""The warp that stands for all (dissertation, section 4.3.3, equations 14 and 15)."""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import NDArray

ROUNDS = 100
"""Of k-means at most; two clusters in two dimensions settle in a few."""


class Selection(Enum):
    """How the representative warp is chosen (figure 23)."""

    CLUSTERING = "clustering"
    MAX = "max"
    MIN = "min"


def choose_representative(
    warp_perf: NDArray[np.float64],
    warp_insts: NDArray[np.float64],
    warps: NDArray[np.int64],
    selection: Selection = Selection.CLUSTERING,
) -> int:
    """The number of the sequence whose warp represents the launch. ``warps`` is how many warps
    there are of each; MAX and MIN take the warp with the highest and lowest performance."""
    if selection is Selection.MAX:
        return int(np.argmax(warp_perf))
    if selection is Selection.MIN:
        return int(np.argmin(warp_perf))
    weights = warps.astype(np.float64)
    features = np.stack([warp_perf, warp_insts], axis=1)
    features /= np.maximum(np.average(features, axis=0, weights=weights), 1e-300)
    cluster, centres = two_means(features, weights)
    largest = int(weights[cluster == 1].sum() > weights[cluster == 0].sum())
    distance = ((features - centres[largest]) ** 2).sum(axis=1)
    distance[cluster != largest] = np.inf
    return int(np.argmin(distance))


def two_means(
    points: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """k-means of weighted points with two clusters: the cluster of each point, and the centres.

    Deterministic: it starts from the extremes in several directions and keeps the best end. All
    points are in cluster 0 where they are equal.
    """
    best: tuple[float, NDArray[np.int64], NDArray[np.float64]] | None = None
    for direction in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, -1.0)):
        along = points @ np.array(direction)
        start = points[[int(np.argmin(along)), int(np.argmax(along))]].copy()
        cluster, centres = _settle(points, weights, start)
        spread = float(weights @ ((points - centres[cluster]) ** 2).sum(axis=1))
        if best is None or spread < best[0] * (1 - 1e-12):
            best = spread, cluster, centres
    assert best is not None
    return best[1], best[2]


def _settle(
    points: NDArray[np.float64], weights: NDArray[np.float64], centres: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    cluster = np.zeros(len(points), np.int64)
    for _ in range(ROUNDS):
        distance = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        cluster = np.argmin(distance, axis=1)
        moved = centres.copy()
        for each in (0, 1):
            own = cluster == each
            if own.any():
                moved[each] = np.average(points[own], axis=0, weights=weights[own])
        if np.array_equal(moved, centres):
            break
        centres = moved
    return cluster, centres

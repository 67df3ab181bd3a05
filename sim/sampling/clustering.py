"""Hierarchical clustering with complete linkage: no two members are further apart than a
threshold (Huang et al., IPDPS 2014, section III: "the maximum distance between any two points in a
cluster"), so the number of clusters follows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int64]
Points = NDArray[np.float64]

GRAIN = 1e-3
"""Points are told apart to this share of the threshold; equal ones are clustered once. It bounds
the cost for launches of a million thread blocks and moves no distance by more than two of it."""


def complete_linkage(points: Points, threshold: float) -> Labels:
    """The cluster of each point (rows are points); clusters are numbered by their first member.

    A threshold of 0 joins equal points only."""
    if len(points) == 0:
        return np.zeros(0, np.int64)
    if threshold <= 0:
        return in_order(_unique(points)[1])
    grains = np.round(points / (threshold * GRAIN)) * (threshold * GRAIN)
    unique, place = _unique(grains)
    if len(unique) == 1:
        return np.zeros(len(points), np.int64)
    from scipy.cluster.hierarchy import fcluster, linkage

    farthest = threshold * (1 + GRAIN / 2)
    own = fcluster(linkage(unique, "complete"), farthest, "distance")
    return in_order(own.astype(np.int64)[place])


def _unique(points: Points) -> tuple[Points, Labels]:
    unique, place = np.unique(points, axis=0, return_inverse=True)
    return unique, place.reshape(-1).astype(np.int64)


def in_order(labels: Labels) -> Labels:
    """The same clusters, numbered in the order in which they appear."""
    _, first, place = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    return rank[place]


def nearest_to_centre(points: Points, members: NDArray[np.int64]) -> int:
    """The member closest to the mean of the members; the first of equals."""
    own = points[members]
    apart = own - own.mean(axis=0)
    distances: Points = np.sqrt((apart * apart).sum(axis=1))
    return int(members[np.argmin(np.round(distances, 12))])

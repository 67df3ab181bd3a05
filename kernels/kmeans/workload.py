"""k-means: assign points on the device, move centres on the host, until fewer than one point in a
thousand changes its cluster.

Points by seed % 3: overlapping clusters, uniform, ring. tiny: 600 points of 13 features; small:
8,192 of 34, 5 clusters as in Rodinia; large: 819,200 of 34, 12 clusters. At most 50,000 points are
compared, and all centres.
"""

from __future__ import annotations

from functools import partial

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

MOST_ROUNDS = 100
SAMPLE = 50_000
OVERLAPPING = partial(inputs.clustered_points, clusters=12, spread=0.2)
SHAPES = (OVERLAPPING, inputs.uniform_points, inputs.ring_points)


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    shape = SHAPES[seed % len(SHAPES)]
    points = shape(s.npoints, s.nfeatures, rng)
    by_feature = np.ascontiguousarray(points.T)
    centres = points[: s.nclusters].copy()

    device = workload.open_device(cl, __file__)
    queue = device.queue
    assign, swap = device.kernels("kmeans_kernel_c", "kmeans_swap")
    feature, swapped = device.buffer(points), device.zeros(points.size, np.float32)
    clusters, membership = device.buffer(centres), device.zeros(s.npoints, np.int32)
    npoints, nclusters = np.int32(s.npoints), np.int32(s.nclusters)
    nfeatures, unused = np.int32(s.nfeatures), np.int32(0)
    grid = (workload.roundup(s.npoints, 256),), (256,)

    swap(queue, *grid, feature, swapped, npoints, nfeatures)
    member, changed = np.full(s.npoints, -1, np.int32), s.npoints
    rounds = 0
    while 1000 * changed >= s.npoints and rounds < MOST_ROUNDS:
        device.write(clusters, centres)
        sizes = npoints, nclusters, nfeatures, unused, unused
        assign(queue, *grid, swapped, clusters, membership, *sizes)
        before, used = member, centres
        member = device.read(membership, np.int32)
        changed = int((member != before).sum())
        centres = moved(by_feature, member, centres)
        rounds += 1

    layout = device.read(swapped, np.float32).reshape(s.nfeatures, s.npoints)
    workload.check("feature_swap", layout, by_feature)
    sample = rng.permutation(s.npoints)[:SAMPLE]
    check(points[sample], used, member[sample])
    workload.check("centres", centres, moved(by_feature, member, used), rtol=1e-5)


def moved(by_feature: np.ndarray, member: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """The mean of every cluster's points; a cluster without points stays where it is."""
    count = np.bincount(member, minlength=len(centres))[:, None]
    sums = [np.bincount(member, feature, len(centres)) for feature in by_feature]
    return np.where(count > 0, np.transpose(sums) / np.maximum(count, 1), centres).astype(
        np.float32
    )


def check(points: np.ndarray, centres: np.ndarray, member: np.ndarray) -> None:
    """Every point is as near to its centre as to any, up to rounding."""
    apart = [((points - centre) ** 2).sum(axis=1, dtype=np.float64) for centre in centres]
    distance = np.stack(apart)
    own = distance[member, np.arange(len(points))]
    workload.check("distance", own, distance.min(axis=0), rtol=1e-5)

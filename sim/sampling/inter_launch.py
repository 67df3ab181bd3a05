"""Inter-launch sampling: launches that behave alike, and the one that stands for each group.

Huang et al., IPDPS 2014, section III. Launches of different kernels are never put together (the
text samples the kernel with the longest time alone).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.clustering import Points, complete_linkage, nearest_to_centre

DISTANCE = 0.1
"""Between launches of a cluster, at most: section V.A."""


@dataclass(frozen=True, slots=True)
class LaunchCluster:
    """Launches (places in the profile) that count as alike. ``representative`` is the one nearest
    to their centre, ``weight`` their share of all warp instructions (table IV)."""

    kernel: str
    members: tuple[int, ...]
    representative: int
    weight: float


def inter_features(launches: Sequence[LaunchProfile]) -> Points:
    """Equation 2, a row for each launch: thread instructions, warp instructions and memory
    requests, each over its mean, and the coefficient of variation of the thread instructions of
    thread blocks."""
    totals = np.array(
        [
            (p.thread_instructions.sum(), p.warp_instructions.sum(), p.requests.sum())
            for p in launches
        ],
        np.float64,
    ).reshape(-1, 3)
    means = totals.mean(axis=0) if len(totals) else np.ones(3)
    variation = [variation_of(p.thread_instructions) for p in launches]
    return np.column_stack([totals / np.where(means > 0, means, 1.0), variation])


def variation_of(values: NDArray[np.int64]) -> float:
    """The coefficient of variation: standard deviation (of all, not of a sample) over mean."""
    mean = float(values.mean()) if len(values) else 0.0
    return float(values.std()) / mean if mean else 0.0


def cluster_launches(
    launches: Sequence[LaunchProfile], distance: float = DISTANCE
) -> tuple[LaunchCluster, ...]:
    """The clusters, by their first launch. A negative distance puts each launch by itself."""
    everything = sum(int(p.warp_instructions.sum()) for p in launches)
    found = list[LaunchCluster]()
    for kernel in dict.fromkeys(p.kernel for p in launches):
        own = np.array([n for n, p in enumerate(launches) if p.kernel == kernel], np.int64)
        points = inter_features([p for p in launches if p.kernel == kernel])
        labels = complete_linkage(points, distance) if distance >= 0 else np.arange(len(own))
        for label in range(int(labels.max()) + 1):
            members = np.flatnonzero(labels == label)
            chosen = int(own[nearest_to_centre(points, members)])
            places = tuple(int(n) for n in own[members])
            size = sum(int(launches[n].warp_instructions.sum()) for n in places)
            found.append(LaunchCluster(kernel, places, chosen, size / max(everything, 1)))
    return tuple(sorted(found, key=lambda cluster: cluster.members))


def split_first(
    cluster: LaunchCluster, launches: Sequence[LaunchProfile]
) -> tuple[LaunchCluster, LaunchCluster]:
    """The first launch of a cluster, and the others, each by its share of the weight."""
    first, *others = cluster.members
    work = [int(launches[n].warp_instructions.sum()) for n in cluster.members]
    share = work[0] / max(sum(work), 1)
    chosen = cluster.representative if cluster.representative != first else others[0]
    return (
        LaunchCluster(cluster.kernel, (first,), first, cluster.weight * share),
        LaunchCluster(cluster.kernel, tuple(others), chosen, cluster.weight * (1 - share)),
    )

"""k nearest neighbours: distances on the device for one place after the other, the k smallest on
the host.

Records by seed % 3: anywhere, in clusters (cities), near a circle. tiny: 500 records, 3 places;
small: 42,764 as in Rodinia, 4 places; large: 8,388,608, 24 places. At most 100,000
distances are compared, and the 10 smallest of all.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

PLACES = (inputs.uniform_points, inputs.clustered_points, inputs.ring_points)
NEAREST = 10
SAMPLE = 100_000
DEGREES = np.array([90.0, 180.0], np.float32)


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    records = PLACES[seed % len(PLACES)](s.n, 2, rng) * DEGREES

    device = workload.open_device(cl, __file__)
    queue = device.queue
    (nearest_neighbor,) = device.kernels("NearestNeighbor")
    locations, distances = device.buffer(records), device.zeros(s.n, np.float32)
    grid = (workload.roundup(s.n, 64),), (64,)
    sample = rng.permutation(s.n)[:SAMPLE]

    for query, (lat, lng) in enumerate(inputs.uniform_points(s.queries, 2, rng) * DEGREES):
        nearest_neighbor(queue, *grid, locations, distances, np.int32(s.n), lat, lng)
        found = device.read(distances, np.float32)
        squared = (records[:, 0] - lat) ** 2 + (records[:, 1] - lng) ** 2
        wanted = np.sqrt(squared[sample], dtype=np.float64)
        workload.check(f"distances, query {query}", found[sample], wanted, rtol=1e-5)
        nearest = np.sqrt(np.sort(np.partition(squared, NEAREST)[:NEAREST]), dtype=np.float64)
        ours = np.sort(np.partition(found, NEAREST)[:NEAREST])
        workload.check(f"nearest, query {query}", ours, nearest, rtol=1e-5)

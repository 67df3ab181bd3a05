"""Gridding of irregular samples: count them by bins, place them by bins, gather at grid points.

Places of the samples by seed % 3: uniform, clusters, ring. The host makes the prefix sum between
counting and placing. tiny: 700 samples, 40 x 40 points; small: 16,384, 128 x 128; large: 4,194,304,
1024 x 1024.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

PLACES = (inputs.uniform_points, inputs.clustered_points, inputs.ring_points)


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    samples = np.empty((s.n, 4), np.float32)
    places = PLACES[seed % len(PLACES)](s.n, 2, rng) * np.float32(s.grid)
    samples[:, :2] = np.minimum(places, np.nextafter(np.float32(s.grid), np.float32(0)))
    samples[:, 2:] = inputs.random_matrix(s.n, 2, rng)
    # A bell that falls to nearly nothing at the reach.
    table = np.exp(-4.0 * (np.arange(s.table) / s.table) ** 2).astype(np.float32)

    device = workload.open_device(cl, __file__)
    queue = device.queue
    to_bin, place, gather = device.kernels("gridding_bin", "gridding_place", "gridding_gather")
    bins = (s.grid // s.BIN) ** 2
    n, side = np.int32(s.n), np.int32(s.grid)
    points = device.buffer(samples)
    bin_of, counts = device.zeros(s.n, np.int32), device.zeros(bins, np.int32)
    placed, out = device.zeros(4 * s.n, np.float32), device.zeros(2 * s.grid**2, np.float32)

    per_sample = (workload.roundup(s.n, 256),), (256,)
    to_bin(queue, *per_sample, points, bin_of, counts, n, side)
    found = device.read(counts, np.int32)
    starts = np.concatenate([[0], np.cumsum(found)]).astype(np.int32)
    cursor = device.buffer(starts[:-1])
    place(queue, *per_sample, points, bin_of, cursor, placed, n)
    per_point = (workload.roundup(s.grid, 16),) * 2, (16, 16)
    weights = device.buffer(table)
    gather(queue, *per_point, placed, device.buffer(starts), weights, np.int32(s.table), out, side)

    cell = (samples[:, :2] / s.BIN).astype(np.int64)
    wanted = np.bincount(cell[:, 1] * (s.grid // s.BIN) + cell[:, 0], minlength=bins)
    workload.check("counts", found, wanted)
    values = device.read(out, np.float32).reshape(s.grid, s.grid, 2)
    workload.check("out", values, spread(samples, table, s), rtol=1e-4, atol=1e-3)


def spread(samples: np.ndarray, table: np.ndarray, s: SimpleNamespace) -> np.ndarray:
    """What every sample gives to the grid points nearer than the reach in both directions."""
    out = np.zeros((2, s.grid * s.grid))
    first = np.ceil(samples[:, :2]).astype(np.int64) - s.REACH
    for dy in range(2 * s.REACH + 1):
        for dx in range(2 * s.REACH + 1):
            point = first + np.array([dx, dy])
            away = np.abs(samples[:, :2] - point.astype(np.float32))
            near = ((away < s.REACH) & (point >= 0) & (point < s.grid)).all(axis=1)
            entry = (away[near] * np.float32(s.table / s.REACH)).astype(np.int64)
            entry = np.minimum(entry, s.table - 1)
            weight = table[entry[:, 0]].astype(np.float64) * table[entry[:, 1]]
            at = point[near, 1] * s.grid + point[near, 0]
            for part in range(2):
                out[part] += np.bincount(at, weight * samples[near, 2 + part], out.shape[1])
    return out.T.reshape(s.grid, s.grid, 2)

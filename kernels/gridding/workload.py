"""Gridding of irregular samples: count them by bins, place them by bins, gather at grid points.

Places of the samples by seed % 3: uniform, clusters, ring. The host makes the prefix sum between
counting and placing. tiny: 700 samples, 40 x 40 points; small: 16,384, 128 x 128; large:
16,777,216, 1024 x 1024. At most 64 rows of grid points are compared.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

PLACES = (inputs.uniform_points, inputs.clustered_points, inputs.ring_points)
ROWS_COMPARED = 64


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
    rows = np.sort(rng.permutation(s.grid)[:ROWS_COMPARED])
    wanted = np.stack([grid_row(int(row), samples, table, s) for row in rows])
    workload.check("out", values[rows], wanted, rtol=1e-4, atol=1e-3)


def grid_row(row: int, samples: np.ndarray, table: np.ndarray, s: SimpleNamespace) -> np.ndarray:
    """What the grid points of a row get from the samples nearer than the reach both ways."""
    across = np.abs(samples[:, 1] - np.float32(row))
    near = across < s.REACH
    x, values = samples[near, 0], samples[near, 2:]
    per_cell = np.float32(s.table / s.REACH)

    def weight(away: np.ndarray) -> np.ndarray:
        entry = np.minimum((away * per_cell).astype(np.int64), s.table - 1)
        return table[entry].astype(np.float64)

    vertical = weight(across[near])
    out = np.zeros((s.grid, 2))
    for step in range(2 * s.REACH):
        point = np.floor(x).astype(np.int64) - s.REACH + 1 + step
        away = np.abs(x - point.astype(np.float32))
        inside = (away < s.REACH) & (point >= 0) & (point < s.grid)
        weights = vertical[inside] * weight(away[inside])
        for part in range(2):
            out[:, part] += np.bincount(point[inside], weights * values[inside, part], s.grid)
    return out

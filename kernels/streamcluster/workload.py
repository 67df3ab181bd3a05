"""Online clustering: for one candidate after the other, the gain of opening it as a centre.

The device computes every point's saving; the host sums them up and, if opening the candidate pays,
opens it and closes the centres that are not worth keeping, so that K changes from launch to launch.
Points by seed % 3: clusters, uniform, ring. tiny: 600 points of 20 dimensions, 6 candidates; small:
4,096 of 64, 8 candidates; large: 524,288 of 64, 80 candidates.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

POINT = np.dtype([("weight", np.float32), ("assign", np.int64), ("cost", np.float32)], align=True)


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    make = (inputs.clustered_points, inputs.uniform_points, inputs.ring_points)[seed % 3]
    coordinates = make(s.num, s.dim, rng)
    points = np.zeros(s.num, POINT)
    points["weight"] = 1.0
    points["cost"] = squared_distance(coordinates, 0)
    facility_cost = float(points["cost"].sum(dtype=np.float64)) / (2 * s.K)

    device = workload.open_device(cl, __file__)
    queue = device.queue
    memset, pgain = device.kernels("memset_kernel", "pgain_kernel")
    coord, switch = device.buffer(coordinates.T), device.zeros(s.num, np.int8)
    num, dim = np.int32(s.num), np.int32(s.dim)
    scratch = cl.LocalMemory(4 * s.dim)
    grid = (workload.roundup(s.num, 256),), (256,)

    for x in rng.permutation(s.num)[: s.candidates]:
        centres = np.unique(points["assign"])
        k = centres.size
        table = np.zeros(s.num, np.int32)
        table[centres] = np.arange(k)
        p, table_d = device.buffer(points), device.buffer(table)
        work = device.zeros(s.num * (k + 1), np.float32)
        memset(queue, *grid, switch, np.int16(0), num)
        launch = p, coord, work, table_d, switch, scratch, num, dim, np.int64(x), np.int32(k)
        pgain(queue, *grid, *launch)
        gains = device.read(work, np.float32).reshape(s.num, k + 1)
        switches = device.read(switch, np.int8) != 0

        distance = squared_distance(coordinates, x)
        check(points, table, distance, gains, switches)
        sums = gains.sum(axis=0, dtype=np.float64)
        spared = facility_cost + sums[:-1]  # by closing a centre; its points go to the candidate
        closes = spared > 0
        if facility_cost + sums[-1] - spared[closes].sum() < 0:
            goes = switches | closes[table[points["assign"]]]
            points["assign"][goes] = x
            points["cost"][goes] = distance[goes]


def squared_distance(coordinates: np.ndarray, x: int) -> np.ndarray:
    """The squared distance of every point to point x."""
    apart = coordinates - coordinates[x]
    return np.einsum("id,id->i", apart, apart)


def check(
    points: np.ndarray,
    table: np.ndarray,
    distance: np.ndarray,
    gains: np.ndarray,
    switches: np.ndarray,
) -> None:
    """A saving stands in the last column where the candidate is nearer, else a loss in the own
    centre's; where both are equal but for rounding, either is right."""
    rows = np.arange(points.size)
    saving = distance.astype(np.float64) - points["cost"]
    workload.check("switch", saving[switches] < 1e-4, np.ones(int(switches.sum()), bool))
    wanted = np.zeros(gains.shape)
    column = np.where(switches, gains.shape[1] - 1, table[points["assign"]])
    wanted[rows, column] = np.where(switches, saving, -saving)
    workload.check("gains", gains, wanted, rtol=1e-4, atol=1e-4)
